//! The settings of a request, checked once into types that cannot be wrong.

use crate::error::Error;
use crate::text::decimal;

/// A piece of JSON data, as it comes over the boundary.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// An array.
    List(Vec<Self>),
    /// `null`.
    Null,
    /// Any JavaScript number, also one that is not finite.
    Number(f64),
    /// An object, in its own order; the last of equal keys counts.
    Object(Vec<(String, Self)>),
    /// A string.
    Text(String),
}

/// A request without its messages.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// What the agent does next; never blank.
    pub goal: String,
    /// Finer than the goal.
    pub next_action: Option<String>,
    /// Call id and the host's own reference to the archived original.
    pub source_refs: Vec<(String, String)>,
    /// The only tools whose calls may be touched.
    pub eligible_tool_names: Vec<String>,
    /// Messages that are always kept.
    pub protected_message_ids: Vec<String>,
    /// Calls that are always kept.
    pub protected_call_ids: Vec<String>,
    /// Messages where the host knows that a new task begins.
    pub task_starts: Vec<String>,
    /// How full the host's context is, 0 to 1.
    pub context_fill: Option<f64>,
    /// Everything that has a default.
    pub options: Options,
}

/// Numbers and modes that have a default.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Line for the call question, 0 to 1 (default 0.5).
    pub keep_call_threshold: f64,
    /// Line for the result question, 0 to 1 (default 0.5).
    pub keep_result_threshold: f64,
    /// Messages at the end that are protected (default 6).
    pub preserve_recent_messages: u32,
    /// Estimated ceiling of the observation view in tokens (default 25,000).
    pub max_state_tokens: u32,
    /// Estimated ceiling of view and questions of one batch in tokens (default 30,000).
    pub max_request_tokens: u32,
    /// Most windows the history is seen through (default 64).
    pub max_windows: u32,
    /// Results shorter than this are not asked about, in code points (default 0).
    pub min_result_chars: u32,
    /// Prefix that `drop_result` keeps, in code points (default 300).
    pub truncate_head_chars: u32,
    /// Suffix that `drop_result` keeps, in code points (default 0).
    pub truncate_tail_chars: u32,
    /// What `drop_call` does (default remove).
    pub drop_call_mode: DropCallMode,
    /// What happens to thinking that led only to removed calls (default keep).
    pub thinking_with_call: ThinkingWithCall,
    /// A proposal that saves less is not made, in code points (default 0).
    pub min_saved_chars: u32,
    /// Decision requests in flight (default 4).
    pub max_concurrency: u32,
    /// All decision requests together, in seconds (default 30).
    pub total_timeout_seconds: f64,
}

/// What `drop_call` does to a pair.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum DropCallMode {
    /// Call and result go.
    Remove,
    /// The call stays; its output becomes the marker alone.
    Stub,
}

/// What happens to thinking that led only to removed calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ThinkingWithCall {
    /// It goes with them.
    Drop,
    /// It always stays.
    Keep,
}

/// Language of questions and marker.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Language {
    /// `zh`.
    Chinese,
    /// `en`.
    #[default]
    English,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            keep_call_threshold: 0.5,
            keep_result_threshold: 0.5,
            preserve_recent_messages: 6,
            max_state_tokens: 25_000,
            max_request_tokens: 30_000,
            max_windows: 64,
            min_result_chars: 0,
            truncate_head_chars: 300,
            truncate_tail_chars: 0,
            drop_call_mode: DropCallMode::Remove,
            thinking_with_call: ThinkingWithCall::Keep,
            min_saved_chars: 0,
            max_concurrency: 4,
            total_timeout_seconds: 30.0,
        }
    }
}

impl Settings {
    /// Settings with a goal and defaults.
    pub fn new(goal: impl Into<String>) -> Self {
        Self {
            goal: goal.into(),
            next_action: None,
            source_refs: Vec::new(),
            eligible_tool_names: Vec::new(),
            protected_message_ids: Vec::new(),
            protected_call_ids: Vec::new(),
            task_starts: Vec::new(),
            context_fill: None,
            options: Options::default(),
        }
    }

    /// Checks a request without its messages.
    ///
    /// # Errors
    /// `invalid_request` with the path of the first field that is unknown, missing, of a wrong type or out of range;
    /// the message says what is allowed, the caller knows what was found.
    pub fn parse(request: &Value) -> Result<Self, Error> {
        let Value::Object(fields) = request else {
            return Err(Error::invalid("request", "the request must be an object"));
        };
        let mut settings = Self::new("");
        for (name, value) in fields {
            match name.as_str() {
                "goal" => settings.goal = text("goal", value)?,
                "next_action" => settings.next_action = Some(text("next_action", value)?),
                "source_refs" => settings.source_refs = references(value)?,
                "eligible_tool_names" => {
                    settings.eligible_tool_names = texts("eligible_tool_names", value)?
                }
                "protected_message_ids" => {
                    settings.protected_message_ids = texts("protected_message_ids", value)?
                }
                "protected_call_ids" => {
                    settings.protected_call_ids = texts("protected_call_ids", value)?
                }
                "task_starts" => settings.task_starts = texts("task_starts", value)?,
                "context_fill" => settings.context_fill = Some(share("context_fill", value)?),
                "options" => settings.options = Options::parse(value)?,
                _ => {
                    return Err(Error::invalid(
                        name.as_str(),
                        &unknown("request", name, &REQUEST_FIELDS),
                    ));
                }
            }
        }
        if settings.goal.trim().is_empty() {
            return Err(Error::invalid(
                "goal",
                "goal must be a text that says what the agent does next; without one nothing can be judged",
            ));
        }
        Ok(settings)
    }
}

const REQUEST_FIELDS: [&str; 10] = [
    "messages",
    "goal",
    "next_action",
    "source_refs",
    "eligible_tool_names",
    "protected_message_ids",
    "protected_call_ids",
    "task_starts",
    "context_fill",
    "options",
];

const OPTION_FIELDS: [&str; 15] = [
    "keep_threshold",
    "keep_call_threshold",
    "keep_result_threshold",
    "preserve_recent_messages",
    "max_state_tokens",
    "max_request_tokens",
    "max_windows",
    "min_result_chars",
    "truncate_head_chars",
    "truncate_tail_chars",
    "drop_call_mode",
    "thinking_with_call",
    "min_saved_chars",
    "max_concurrency",
    "total_timeout_seconds",
];

impl Options {
    fn parse(value: &Value) -> Result<Self, Error> {
        let Value::Object(fields) = value else {
            return Err(Error::invalid("options", "options must be an object"));
        };
        let mut options = Self::default();
        let mut both = None;
        let mut call = None;
        let mut result = None;
        for (name, value) in fields {
            let path = &*["options.", name].concat();
            match name.as_str() {
                "keep_threshold" => both = Some(share(path, value)?),
                "keep_call_threshold" => call = Some(share(path, value)?),
                "keep_result_threshold" => result = Some(share(path, value)?),
                "preserve_recent_messages" => {
                    options.preserve_recent_messages = integer(path, value, 0, u32::MAX)?
                }
                "max_state_tokens" => options.max_state_tokens = integer(path, value, 1, u32::MAX)?,
                "max_request_tokens" => {
                    options.max_request_tokens = integer(path, value, 1, u32::MAX)?
                }
                "max_windows" => options.max_windows = integer(path, value, 1, u32::MAX)?,
                "min_result_chars" => options.min_result_chars = integer(path, value, 0, u32::MAX)?,
                "truncate_head_chars" => {
                    options.truncate_head_chars = integer(path, value, 0, u32::MAX)?
                }
                "truncate_tail_chars" => {
                    options.truncate_tail_chars = integer(path, value, 0, u32::MAX)?
                }
                "drop_call_mode" => {
                    options.drop_call_mode = word(
                        path,
                        value,
                        ["remove", "stub"],
                        [DropCallMode::Remove, DropCallMode::Stub],
                    )?
                }
                "thinking_with_call" => {
                    options.thinking_with_call = word(
                        path,
                        value,
                        ["keep", "drop"],
                        [ThinkingWithCall::Keep, ThinkingWithCall::Drop],
                    )?;
                }
                "min_saved_chars" => options.min_saved_chars = integer(path, value, 0, u32::MAX)?,
                "max_concurrency" => options.max_concurrency = integer(path, value, 1, 32)?,
                "total_timeout_seconds" => options.total_timeout_seconds = duration(path, value)?,
                _ => {
                    return Err(Error::invalid(
                        path,
                        &unknown("options", name, &OPTION_FIELDS),
                    ));
                }
            }
        }
        let both = both.unwrap_or(options.keep_call_threshold);
        options.keep_call_threshold = call.unwrap_or(both);
        options.keep_result_threshold = result.unwrap_or(both);
        Ok(options)
    }
}

fn unknown(owner: &str, name: &str, known: &[&str]) -> String {
    [
        owner,
        " has no field \"",
        crate::token::head(name, 64),
        "\"; it has ",
        &known.join(", "),
    ]
    .concat()
}

fn text(path: &str, value: &Value) -> Result<String, Error> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Bool(_) | Value::List(_) | Value::Null | Value::Number(_) | Value::Object(_) => {
            must(path, "must be a string")
        }
    }
}

fn texts(path: &str, value: &Value) -> Result<Vec<String>, Error> {
    let Value::List(items) = value else {
        return must(path, "must be a list of strings");
    };
    (0..)
        .zip(items)
        .map(|(index, item): (u64, _)| text(&[path, "[", &decimal(index), "]"].concat(), item))
        .collect()
}

fn references(value: &Value) -> Result<Vec<(String, String)>, Error> {
    let Value::Object(fields) = value else {
        return must(
            "source_refs",
            "must be an object that maps call ids to strings",
        );
    };
    fields
        .iter()
        .map(|(id, reference)| Ok((id.clone(), text(&["source_refs.", id].concat(), reference)?)))
        .collect()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Bool(_) | Value::List(_) | Value::Null | Value::Object(_) | Value::Text(_) => None,
    }
}

fn share(path: &str, value: &Value) -> Result<f64, Error> {
    match number(value) {
        Some(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => must(path, "must be a number from 0 to 1"),
    }
}

fn duration(path: &str, value: &Value) -> Result<f64, Error> {
    match number(value) {
        Some(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => must(path, "must be a finite number of seconds above 0"),
    }
}

/// Whole numbers; what is above `u32::MAX` means "no limit" and is kept as that.
fn integer(path: &str, value: &Value, least: u32, most: u32) -> Result<u32, Error> {
    match number(value) {
        Some(number)
            if number.fract() == 0.0
                && number >= f64::from(least)
                && (most == u32::MAX || number <= f64::from(most)) =>
        {
            Ok(number as u32)
        }
        _ if most == u32::MAX => must(
            path,
            &["must be an integer of at least ", &decimal(least.into())].concat(),
        ),
        _ => must(
            path,
            &[
                "must be an integer from ",
                &decimal(least.into()),
                " to ",
                &decimal(most.into()),
            ]
            .concat(),
        ),
    }
}

fn word<T, const N: usize>(
    path: &str,
    value: &Value,
    words: [&str; N],
    meanings: [T; N],
) -> Result<T, Error> {
    let found = words
        .iter()
        .zip(meanings)
        .find(|(word, _)| *value == Value::Text((**word).to_owned()));
    match found {
        Some((_, meaning)) => Ok(meaning),
        None => must(
            path,
            &["must be \"", &words.join("\" or \""), "\""].concat(),
        ),
    }
}

fn must<T>(path: &str, rule: &str) -> Result<T, Error> {
    Err(Error::invalid(path, &[path, " ", rule].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(fields: &[(&str, Value)]) -> Value {
        Value::Object(
            fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        )
    }

    fn with_option(name: &str, value: Value) -> Result<Settings, Error> {
        Settings::parse(&request(&[
            ("goal", Value::Text("g".into())),
            ("options", request(&[(name, value)])),
        ]))
    }

    #[test]
    fn every_option_has_its_range() {
        use Value::{Number, Text};
        let good = [
            ("keep_threshold", Number(0.0)),
            ("keep_threshold", Number(1.0)),
            ("keep_call_threshold", Number(0.3)),
            ("keep_result_threshold", Number(-0.0)),
            ("preserve_recent_messages", Number(0.0)),
            ("max_state_tokens", Number(1.0)),
            ("max_request_tokens", Number(9e15)),
            ("max_windows", Number(1.0)),
            ("min_result_chars", Number(0.0)),
            ("truncate_head_chars", Number(0.0)),
            ("truncate_tail_chars", Number(5.0)),
            ("min_saved_chars", Number(2.0)),
            ("max_concurrency", Number(1.0)),
            ("max_concurrency", Number(32.0)),
            ("total_timeout_seconds", Number(0.001)),
            ("drop_call_mode", Text("stub".into())),
            ("thinking_with_call", Text("drop".into())),
        ];
        for (name, value) in good {
            assert!(with_option(name, value.clone()).is_ok(), "{name} {value:?}");
        }
        let bad = [
            ("keep_threshold", Number(1.01)),
            ("keep_threshold", Number(f64::NAN)),
            ("keep_threshold", Text("0.5".into())),
            ("keep_threshold", Value::Null),
            ("keep_call_threshold", Number(-0.1)),
            ("keep_result_threshold", Value::Bool(true)),
            ("preserve_recent_messages", Number(-1.0)),
            ("preserve_recent_messages", Number(1.5)),
            ("preserve_recent_messages", Number(f64::INFINITY)),
            ("max_state_tokens", Number(0.0)),
            ("max_request_tokens", Number(0.0)),
            ("max_windows", Number(0.0)),
            ("min_result_chars", Number(-1.0)),
            ("truncate_head_chars", Number(-1.0)),
            ("truncate_tail_chars", Number(0.5)),
            ("min_saved_chars", Value::List(vec![])),
            ("max_concurrency", Number(0.0)),
            ("max_concurrency", Number(33.0)),
            ("total_timeout_seconds", Number(0.0)),
            ("total_timeout_seconds", Number(f64::INFINITY)),
            ("drop_call_mode", Text("delete".into())),
            ("thinking_with_call", Number(1.0)),
            ("unknown_option", Number(1.0)),
        ];
        for (name, value) in bad {
            let error = with_option(name, value.clone()).expect_err(name);
            assert_eq!(error.code(), crate::Code::InvalidRequest);
            assert_eq!(error.path(), Some(&*format!("options.{name}")), "{value:?}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn the_shared_threshold_is_the_default_of_both() {
        let options = request(&[
            ("keep_threshold", Value::Number(0.7)),
            ("keep_call_threshold", Value::Number(0.2)),
        ]);
        let settings = Settings::parse(&request(&[
            ("goal", Value::Text("g".into())),
            ("options", options),
        ]))
        .unwrap();
        assert_eq!(
            (
                settings.options.keep_call_threshold,
                settings.options.keep_result_threshold
            ),
            (0.2, 0.7)
        );
    }

    #[test]
    fn a_guessed_goal_never_deletes_anything() {
        for fields in [
            &[][..],
            &[("goal", Value::Text(" \n\t\u{3000}".into()))],
            &[("goal", Value::Null)],
        ] {
            assert_eq!(
                Settings::parse(&request(fields)).unwrap_err().path(),
                Some("goal")
            );
        }
    }

    #[test]
    fn paths_lead_into_lists_and_objects() {
        let goal = ("goal", Value::Text("g".into()));
        let list = Value::List(vec![Value::Text("a".into()), Value::Null]);
        let error =
            Settings::parse(&request(&[goal.clone(), ("protected_call_ids", list)])).unwrap_err();
        assert_eq!(error.path(), Some("protected_call_ids[1]"));
        let error = Settings::parse(&request(&[
            goal.clone(),
            ("source_refs", request(&[("c1", Value::Number(1.0))])),
        ]))
        .unwrap_err();
        assert_eq!(error.path(), Some("source_refs.c1"));
        let error = Settings::parse(&request(&[goal, ("gaol", Value::Null)])).unwrap_err();
        assert_eq!(error.path(), Some("gaol"));
    }
}
