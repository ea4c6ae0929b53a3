//! A request as JSON text: where its parts stand, without building values.
//!
//! What is read comes from spans of the text, the last of equal keys counting; what is edited is spliced into the
//! text, so that every other byte survives: big integers, key order, escapes, duplicate keys, white space.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "JSON gets no new kinds of tokens; all but the named ones are treated alike"
)]

mod splice;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::error::Error;
use crate::json::{Parser, SyntaxError, Text, Token};
use crate::marker::{self, LONGEST_ID};
use crate::message::{
    Block, Call, CallState, IdNumber, Label, Message, Output, Place, ResultState, Role, Snapshot,
    Tool, ToolNumber, ToolResult,
};
use crate::options::Settings;
use crate::token::code_points;

pub use splice::{Splice, apply, compact_chars};

type Span = Range<usize>;

/// A scanned request: its text, borrowed or owned, and where everything stands in it.
#[derive(Debug)]
pub struct Document<T> {
    text: T,
    messages_span: Span,
    messages: Vec<RawMessage>,
    rest: String,
}

#[derive(Debug)]
struct RawMessage {
    span: Span,
    role: Role,
    id: Option<Stored>,
    blocks: Vec<RawBlock>,
}

#[derive(Debug)]
struct RawBlock {
    span: Span,
    content: RawContent,
}

#[derive(Debug)]
enum RawContent {
    Call {
        id: Option<Stored>,
        name: Option<Stored>,
        input: Option<Stored>,
        state: CallState,
    },
    Other,
    Result {
        id: Option<Stored>,
        name: Option<Stored>,
        state: ResultState,
        output: RawOutput,
    },
    Text(Stored),
    Thinking,
}

/// An output with the span of its value.
#[derive(Debug)]
enum RawOutput {
    /// Text blocks with the span of the first block.
    List {
        span: Span,
        texts: Vec<Stored>,
        first: Span,
    },
    NotText,
    String(Stored),
}

/// A string of the text.
#[derive(Clone, Debug)]
struct Stored {
    /// With its quotes.
    span: Span,
    escaped: bool,
}

impl Stored {
    fn new(text: Text<'_>, span: Span) -> Self {
        Self {
            span,
            escaped: text.escaped,
        }
    }

    fn of<'a>(&self, text: &'a str) -> Text<'a> {
        Text {
            raw: text
                .get(self.span.start + 1..self.span.end.saturating_sub(1))
                .unwrap_or_default(),
            escaped: self.escaped,
        }
    }
}

impl<T: AsRef<str>> Document<T> {
    /// Scans a request. Iterative and linear.
    ///
    /// # Errors
    /// `invalid_request` where the text is no JSON, no object, or its messages are not as described.
    pub fn parse(source: T) -> Result<Self, Error> {
        let text = source.as_ref();
        let mut scan = Scan {
            parser: Parser::new(text),
            text,
        };
        let first = scan.next()?;
        if first.0 != Token::ObjectStart {
            return Err(Error::invalid("request", "the request must be an object"));
        }
        let mut messages = None;
        let mut rest = String::from("{");
        while let Some((key, key_span)) = scan.key()? {
            if key.decode() == "messages" {
                messages = Some(scan.messages()?);
            } else {
                let value = scan.next()?;
                let end = scan.skip(&value)?;
                if rest.len() > 1 {
                    rest.push(',');
                }
                rest.push_str(text.get(key_span.start..end).unwrap_or_default());
            }
        }
        scan.finish()?;
        rest.push('}');
        let (messages_span, messages) = messages.ok_or_else(|| {
            Error::invalid("messages", "messages must be a list of message objects")
        })?;
        Ok(Self {
            text: source,
            messages_span,
            messages,
            rest,
        })
    }

    /// The request without its messages, as the text of a JSON object.
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// The history with the marks of the settings.
    pub fn snapshot(&self, settings: &Settings) -> Snapshot<'_> {
        let mut interned = Interned::new(self.text(), settings);
        let mut snapshot = Snapshot::default();
        for message in &self.messages {
            let id = message.id.as_ref().map(|id| id.of(self.text()).decode());
            let named = |list: &HashSet<&str>| id.as_deref().is_some_and(|id| list.contains(id));
            snapshot.messages.push(Message {
                role: message.role,
                listed: named(&interned.protected_messages),
                starts_task: named(&interned.task_starts),
                blocks: u32::try_from(message.blocks.len()).unwrap_or(u32::MAX),
            });
            snapshot.blocks.extend(
                message
                    .blocks
                    .iter()
                    .map(|block| interned.block(&block.content)),
            );
        }
        snapshot.ids = u32::try_from(interned.ids.len()).unwrap_or(u32::MAX);
        snapshot.tools = interned.tools;
        snapshot
    }

    /// The text of the output at a place; `None` where it is no text.
    pub fn output(&self, place: Place) -> Option<Cow<'_, str>> {
        match self.content(place)? {
            RawContent::Result { output, .. } => output_text(output, self.text()),
            RawContent::Call { .. }
            | RawContent::Other
            | RawContent::Text(_)
            | RawContent::Thinking => None,
        }
    }

    /// Call id and tool name at a place, as they are written, with quotes.
    pub fn id_and_name(&self, place: Place) -> (Option<&str>, Option<&str>) {
        let written = |stored: &Option<Stored>| {
            stored
                .as_ref()
                .and_then(|stored| self.text().get(stored.span.clone()))
        };
        match self.content(place) {
            Some(RawContent::Call { id, name, .. } | RawContent::Result { id, name, .. }) => {
                (written(id), written(name))
            }
            Some(RawContent::Other | RawContent::Text(_) | RawContent::Thinking) | None => {
                (None, None)
            }
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.text.as_ref()
    }

    fn content(&self, place: Place) -> Option<&RawContent> {
        self.messages
            .get(place.message as usize)?
            .blocks
            .get(place.block as usize)
            .map(|block| &block.content)
    }
}

impl RawOutput {
    fn texts(&self) -> &[Stored] {
        match self {
            Self::List { texts, .. } => texts,
            Self::NotText => &[],
            Self::String(text) => std::slice::from_ref(text),
        }
    }
}

fn output_text<'a>(output: &RawOutput, text: &'a str) -> Option<Cow<'a, str>> {
    match output.texts() {
        [] => None,
        [one] => Some(one.of(text).decode()),
        many => Some(Cow::Owned(
            many.iter()
                .map(|one| one.of(text).decode())
                .collect::<Vec<_>>()
                .join("\n"),
        )),
    }
}

/// The names of the settings, and those of the history as they come.
struct Interned<'s, 'a> {
    text: &'a str,
    eligible: HashSet<&'s str>,
    protected_messages: HashSet<&'s str>,
    protected_calls: HashSet<&'s str>,
    task_starts: HashSet<&'s str>,
    references: HashMap<&'s str, &'s str>,
    ids: HashMap<Cow<'a, str>, IdNumber>,
    tool_numbers: HashMap<Cow<'a, str>, ToolNumber>,
    tools: Vec<Tool<'a>>,
}

impl<'s, 'a> Interned<'s, 'a> {
    fn new(text: &'a str, settings: &'s Settings) -> Self {
        let set = |names: &'s [String]| names.iter().map(String::as_str).collect();
        Self {
            text,
            eligible: set(&settings.eligible_tool_names),
            protected_messages: set(&settings.protected_message_ids),
            protected_calls: set(&settings.protected_call_ids),
            task_starts: set(&settings.task_starts),
            references: settings
                .source_refs
                .iter()
                .map(|(id, reference)| (id.as_str(), reference.as_str()))
                .collect(),
            ids: HashMap::new(),
            tool_numbers: HashMap::new(),
            tools: Vec::new(),
        }
    }

    fn block(&mut self, content: &RawContent) -> Block<'a> {
        let of = |stored: &Option<Stored>| stored.as_ref().map(|stored| stored.of(self.text));
        match content {
            RawContent::Other => Block::Other,
            RawContent::Thinking => Block::Thinking,
            RawContent::Text(text) => Block::Text(text.of(self.text).decode()),
            RawContent::Call {
                id,
                name,
                input,
                state,
            } => {
                let (id, name, input) = (of(id), of(name), of(input));
                Block::Call(Call {
                    id: self.id(id),
                    tool: self.tool(name),
                    input: input.map(Text::decode),
                    state: *state,
                    listed: id
                        .is_some_and(|id| self.protected_calls.contains(id.decode().as_ref())),
                    group: None,
                    label: id.map(|id| self.label(id)).unwrap_or_default(),
                })
            }
            RawContent::Result {
                id,
                name,
                state,
                output,
            } => {
                let (id, name) = (of(id), of(name));
                let marker_id = id.map(escaped_id).unwrap_or_default();
                let output = measure(output, self.text, &marker_id);
                Block::Result(ToolResult {
                    id: self.id(id),
                    tool: self.tool(name),
                    state: *state,
                    output,
                })
            }
        }
    }

    fn id(&mut self, id: Option<Text<'a>>) -> Option<IdNumber> {
        let id = id?.decode();
        if id.is_empty() {
            return None;
        }
        let next = IdNumber::try_from(self.ids.len()).ok()?;
        Some(*self.ids.entry(id).or_insert(next))
    }

    fn tool(&mut self, name: Option<Text<'a>>) -> Option<ToolNumber> {
        let text = name?;
        let name = text.decode();
        if let Some(&number) = self.tool_numbers.get(&name) {
            return Some(number);
        }
        let number = ToolNumber::try_from(self.tools.len()).ok()?;
        // Half a surrogate pair is lost in decoding, so such a name cannot be compared exactly.
        let exact = text.units().all(|(unit, _)| unit.is_some());
        self.tools.push(Tool {
            eligible: exact && self.eligible.contains(name.as_ref()),
            name: name.clone(),
        });
        self.tool_numbers.insert(name, number);
        Some(number)
    }

    fn label(&self, id: Text<'_>) -> Label {
        let count = |text: &str| u32::try_from(code_points(text)).unwrap_or(u32::MAX);
        let reference = self
            .references
            .get(id.decode().as_ref())
            .map(|reference| count(&escaped(reference)));
        Label {
            id: count(&escaped_id(id)),
            reference,
        }
    }
}

fn measure(output: &RawOutput, text: &str, id: &str) -> Output {
    if matches!(output, RawOutput::NotText) {
        return Output::NotText;
    }
    let texts = || output.texts().iter().map(|stored| stored.of(text));
    let chars = texts().map(Text::code_points).sum::<usize>() + texts().count() - 1;
    let may_carry_marker =
        texts().any(|text| text.raw.contains("[… ") || text.raw.contains("[\\u2026 "));
    let original = if may_carry_marker {
        output_text(output, text).and_then(|text| marker::original_chars(&text, id))
    } else {
        None
    };
    Output::Text {
        chars: u32::try_from(chars).unwrap_or(u32::MAX),
        original,
    }
}

/// A call id as a marker shows it: cut, then escaped as inside a JSON string.
fn escaped_id(id: Text<'_>) -> String {
    let mut units = id.units();
    let mut out: String = units.by_ref().take(LONGEST_ID).map(escaped_unit).collect();
    if units.next().is_some() {
        out.push('…');
    }
    out
}

fn escaped_unit((unit, raw): (Option<char>, &str)) -> Cow<'_, str> {
    match unit {
        Some(unit) => Cow::Owned(escaped(unit.encode_utf8(&mut [0; 4]))),
        // Half a surrogate pair stays an escape.
        None => Cow::Owned(raw.to_ascii_lowercase()),
    }
}

/// A text as inside a JSON string; what would begin a new line somewhere is escaped too.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    crate::json::escape_into(&mut out, text);
    for (sign, escape) in [
        ('\u{85}', "\\u0085"),
        ('\u{2028}', "\\u2028"),
        ('\u{2029}', "\\u2029"),
    ] {
        if out.contains(sign) {
            out = out.replace(sign, escape);
        }
    }
    out
}

/// The parser with the errors of a request.
struct Scan<'a> {
    parser: Parser<'a>,
    text: &'a str,
}

type Item<'a> = (Token<'a>, Span);

impl<'a> Scan<'a> {
    fn refuse(&self, error: SyntaxError) -> Error {
        let line = self
            .text
            .get(..error.at)
            .map_or(0, |before| before.matches('\n').count())
            + 1;
        let message = [
            "the request is not JSON: unexpected character at byte ",
            &error.at.to_string(),
            " (line ",
            &line.to_string(),
            ")",
        ];
        Error::invalid("request", message.concat())
    }

    fn next(&mut self) -> Result<Item<'a>, Error> {
        match self.parser.next() {
            Ok(Some(item)) => Ok(item),
            Ok(None) => Err(self.refuse(SyntaxError {
                at: self.text.len(),
            })),
            Err(error) => Err(self.refuse(error)),
        }
    }

    fn skip(&mut self, first: &Item<'a>) -> Result<usize, Error> {
        self.parser.skip(first).map_err(|error| self.refuse(error))
    }

    fn finish(&mut self) -> Result<(), Error> {
        match self.parser.next() {
            Ok(_) => Ok(()),
            Err(error) => Err(self.refuse(error)),
        }
    }

    /// The next key of an open object, or `None` at its end.
    fn key(&mut self) -> Result<Option<(Text<'a>, Span)>, Error> {
        let (token, span) = self.next()?;
        Ok(match token {
            Token::Key(key) => Some((key, span)),
            _ => None,
        })
    }

    /// The next element of an open list, or `None` at its end.
    fn element(&mut self) -> Result<Option<Item<'a>>, Error> {
        let item = self.next()?;
        Ok(if item.0 == Token::ArrayEnd {
            None
        } else {
            Some(item)
        })
    }

    fn messages(&mut self) -> Result<(Span, Vec<RawMessage>), Error> {
        let (token, span) = self.next()?;
        if token != Token::ArrayStart {
            return Err(Error::invalid(
                "messages",
                "messages must be a list of message objects",
            ));
        }
        let mut messages = Vec::new();
        loop {
            let (token, item) = self.next()?;
            match token {
                Token::ArrayEnd => return Ok((span.start..item.end, messages)),
                Token::ObjectStart => messages.push(self.message(item.start, messages.len())?),
                _ => {
                    return Err(Error::invalid(
                        path(messages.len(), ""),
                        "a message must be an object",
                    ));
                }
            }
        }
    }

    fn message(&mut self, start: usize, index: usize) -> Result<RawMessage, Error> {
        let mut role = None;
        let mut id = None;
        let mut content = None;
        loop {
            let (token, span) = self.next()?;
            let Token::Key(key) = token else {
                let role = role.ok_or_else(|| bad_role(index))?;
                let blocks = content.ok_or_else(|| bad_content(index))?;
                return Ok(RawMessage {
                    span: start..span.end,
                    role,
                    id,
                    blocks,
                });
            };
            match key.decode().as_ref() {
                "role" => role = Some(self.role(index)?),
                "id" => id = self.string()?,
                "content" => content = Some(self.content(index)?),
                _ => self.pass()?,
            }
        }
    }

    fn pass(&mut self) -> Result<(), Error> {
        let value = self.next()?;
        self.skip(&value)?;
        Ok(())
    }

    /// A string value; anything else is passed over.
    fn string(&mut self) -> Result<Option<Stored>, Error> {
        let value = self.next()?;
        self.skip(&value)?;
        Ok(match value.0 {
            Token::Text(text) => Some(Stored::new(text, value.1)),
            _ => None,
        })
    }

    fn role(&mut self, index: usize) -> Result<Role, Error> {
        let role = self.string()?;
        match role.map(|role| role.of(self.text).decode()).as_deref() {
            Some("assistant") => Ok(Role::Assistant),
            Some("system") => Ok(Role::System),
            Some("user") => Ok(Role::User),
            _ => Err(bad_role(index)),
        }
    }

    fn content(&mut self, index: usize) -> Result<Vec<RawBlock>, Error> {
        let (token, span) = self.next()?;
        if let Token::Text(text) = token {
            return Ok(vec![RawBlock {
                content: RawContent::Text(Stored::new(text, span.clone())),
                span,
            }]);
        }
        if token != Token::ArrayStart {
            return Err(bad_content(index));
        }
        let mut blocks = Vec::new();
        while let Some((token, span)) = self.element()? {
            if token != Token::ObjectStart {
                return Err(Error::invalid(
                    path(
                        index,
                        &[".content[", &blocks.len().to_string(), "]"].concat(),
                    ),
                    "a block must be an object",
                ));
            }
            blocks.push(self.block(span.start)?);
        }
        Ok(blocks)
    }

    fn block(&mut self, start: usize) -> Result<RawBlock, Error> {
        let mut fields = Fields::default();
        loop {
            let (token, span) = self.next()?;
            let Token::Key(key) = token else {
                return Ok(RawBlock {
                    span: start..span.end,
                    content: fields.content(self.text),
                });
            };
            match key.decode().as_ref() {
                "type" => fields.kind = self.string()?,
                "id" => fields.id = self.string()?,
                "name" => fields.name = self.string()?,
                "input" => fields.input = self.string()?,
                "text" => fields.text = self.string()?,
                "state" => fields.state = Some(self.string()?),
                "output" => fields.output = Some(self.output()?),
                _ => self.pass()?,
            }
        }
    }

    fn output(&mut self) -> Result<RawOutput, Error> {
        let value = self.next()?;
        match value.0 {
            Token::Text(text) => Ok(RawOutput::String(Stored::new(text, value.1))),
            Token::ArrayStart => self.list(value.1.start),
            _ => {
                self.skip(&value)?;
                Ok(RawOutput::NotText)
            }
        }
    }

    fn list(&mut self, start: usize) -> Result<RawOutput, Error> {
        let mut texts = Vec::new();
        let mut first = None;
        let mut all_text = true;
        loop {
            let item = self.next()?;
            if item.0 == Token::ArrayEnd {
                let span = start..item.1.end;
                return Ok(match first.filter(|_| all_text) {
                    Some(first) => RawOutput::List { span, texts, first },
                    None => RawOutput::NotText,
                });
            }
            if item.0 != Token::ObjectStart {
                self.skip(&item)?;
                all_text = false;
                continue;
            }
            match self.text_block(item.1.start)? {
                Some((span, text)) => {
                    texts.push(text);
                    first.get_or_insert(span);
                }
                None => all_text = false,
            }
        }
    }

    /// A text block of an output: its span and its text.
    fn text_block(&mut self, start: usize) -> Result<Option<(Span, Stored)>, Error> {
        let mut is_text = false;
        let mut found = None;
        loop {
            let (token, span) = self.next()?;
            let Token::Key(key) = token else {
                return Ok(found
                    .filter(|_| is_text)
                    .map(|text| (start..span.end, text)));
            };
            let value = self.next()?;
            self.skip(&value)?;
            match (key.decode().as_ref(), value.0) {
                ("type", Token::Text(kind)) => is_text = kind.decode() == "text",
                ("type", _) => is_text = false,
                ("text", Token::Text(text)) => found = Some(Stored::new(text, value.1)),
                ("text", _) => found = None,
                _ => {}
            }
        }
    }
}

/// The fields of a block that are read; the last of equal keys counts.
#[derive(Default)]
struct Fields {
    kind: Option<Stored>,
    id: Option<Stored>,
    name: Option<Stored>,
    input: Option<Stored>,
    text: Option<Stored>,
    /// `Some(None)` is a state that is no string.
    state: Option<Option<Stored>>,
    output: Option<RawOutput>,
}

impl Fields {
    fn content(self, text: &str) -> RawContent {
        let state = self
            .state
            .map(|state| state.map_or(Cow::Borrowed(""), |state| state.of(text).decode()));
        match self.kind.map(|kind| kind.of(text).decode()).as_deref() {
            Some("text") => self.text.map_or(RawContent::Other, RawContent::Text),
            Some("thinking") => RawContent::Thinking,
            Some("tool_call") => RawContent::Call {
                id: self.id,
                name: self.name,
                input: self.input,
                state: CallState::parse(state.as_deref()),
            },
            Some("tool_result") => RawContent::Result {
                id: self.id,
                name: self.name,
                state: ResultState::parse(state.as_deref()),
                output: self.output.unwrap_or(RawOutput::NotText),
            },
            _ => RawContent::Other,
        }
    }
}

fn path(message: usize, rest: &str) -> String {
    ["messages[", &message.to_string(), "]", rest].concat()
}

fn bad_role(index: usize) -> Error {
    Error::invalid(
        path(index, ".role"),
        "role must be \"user\", \"assistant\" or \"system\"",
    )
}

fn bad_content(index: usize) -> Error {
    Error::invalid(
        path(index, ".content"),
        "content must be a string or a list of block objects",
    )
}
