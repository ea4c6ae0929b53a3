//! The only caller of the API in these tests: a request as JSON, a scripted decision model, what came out.

#![allow(dead_code, reason = "every test file uses another part")]

use keepline::document::{self, Document};
use keepline::options::{Language, Settings, Value};
use keepline::question::{instructions, templates};
use keepline::{Answer, Compaction, Error, Input, Manner, Outcome, Output};
use serde_json::{Map, Value as Json, json};

/// A JSON value as it comes over the boundary.
pub fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Number(number) => Value::Number(number.as_f64().unwrap()),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, field)| (name.clone(), value(field)))
                .collect(),
        ),
    }
}

/// One request as the decision model gets it.
pub struct Request {
    pub window: usize,
    pub state_json: String,
    /// `call_t1` and so on, in order.
    pub questions: Vec<(String, String)>,
}

/// What came of a request.
pub struct Run {
    pub outcome: Outcome,
    /// The text of the new messages.
    pub text: String,
    pub messages: Vec<Json>,
    pub requests: Vec<Request>,
    pub stage: Option<&'static str>,
    pub state_tokens: Option<u64>,
    pub windows: usize,
}

impl Run {
    /// `(call id, action, reason, applied)` of every decision.
    pub fn actions(&self, request: &Json) -> Vec<(String, &'static str, &'static str, bool)> {
        let id = |decision: &keepline::Decision| {
            request["messages"][decision.call_at.message as usize]["content"]
                [decision.call_at.block as usize]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let row = |decision: &keepline::Decision| {
            (
                id(decision),
                decision.action.as_str(),
                decision.reason.as_str(),
                decision.applied,
            )
        };
        self.outcome.decisions.iter().map(row).collect()
    }
}

/// The questions and the view of every request.
pub fn requests(compaction: &Compaction, language: Language) -> Vec<Request> {
    let requests = compaction.requests();
    let [call, result] = templates(language);
    let of = |batch: usize| {
        let window = requests.batches[batch].window;
        let mut questions = Vec::new();
        for asked in requests.asked(batch) {
            questions.push((format!("call_t{}", asked.name), instructions(call, &asked)));
            if asked.asks_result {
                questions.push((
                    format!("result_t{}", asked.name),
                    instructions(result, &asked),
                ));
            }
        }
        Request {
            window,
            state_json: requests.windows[window].json.clone(),
            questions,
        }
    };
    (0..requests.batches.len()).map(of).collect()
}

/// Runs a request; `answer` gives the probability for a question name.
pub fn compact_as(
    request: &Json,
    manner: &Manner<'_>,
    answer: &dyn Fn(&str) -> f64,
) -> Result<Run, Error> {
    let text = serde_json::to_string(request).unwrap();
    compact_text(&text, manner, answer)
}

/// Runs a request given as JSON text.
pub fn compact_text(
    text: &str,
    manner: &Manner<'_>,
    answer: &dyn Fn(&str) -> f64,
) -> Result<Run, Error> {
    let document = Document::parse(text)?;
    let rest: Json = serde_json::from_str(document.rest()).unwrap();
    let settings = Settings::parse(&value(&rest))?;
    let snapshot = document.snapshot(&settings);
    let mut compaction = snapshot.compaction(&settings, manner)?;
    let sent = requests(&compaction, manner.language);
    loop {
        match compaction.poll_output()? {
            Output::Ask(batch) => {
                let probabilities: Vec<f64> = sent[batch]
                    .questions
                    .iter()
                    .map(|(name, _)| answer(name))
                    .collect();
                compaction.handle_input(Input::Answer {
                    batch,
                    probabilities: &probabilities,
                })?;
            }
            Output::Done => break,
            _ => panic!("nothing is in flight"),
        }
    }
    let outcome = compaction.outcome();
    let splices = document.splices(&outcome, &settings, manner.language);
    let text = document::apply(text, document.messages_span(), &splices);
    let asked = compaction.requests();
    Ok(Run {
        // Numbers that overflow are text to us and nothing to the oracle.
        messages: serde_json::from_str(&text).unwrap_or_default(),
        text,
        stage: asked.stage(),
        state_tokens: asked.state_tokens(),
        windows: asked.windows.len(),
        requests: sent,
        outcome,
    })
}

/// Runs a request in the default manner with answers by call id: `(call, result)`.
pub fn compact(request: &Json, answer: &dyn Fn(&str) -> (f64, f64)) -> Result<Run, Error> {
    let ids = pair_ids(request);
    compact_as(request, &Manner::default(), &|question| {
        let (kind, name) = question.split_once("_t").unwrap();
        let id = &ids[name.parse::<usize>().unwrap() - 1];
        let (call, result) = answer(id);
        if kind == "call" { call } else { result }
    })
}

/// Ids of the pairs `t1`, `t2`, … of a request.
pub fn pair_ids(request: &Json) -> Vec<String> {
    let text = serde_json::to_string(request).unwrap();
    let Ok(document) = Document::parse(&text) else {
        return Vec::new();
    };
    let rest: Json = serde_json::from_str(document.rest()).unwrap();
    let Ok(settings) = Settings::parse(&value(&rest)) else {
        return Vec::new();
    };
    let outcome = document
        .snapshot(&settings)
        .decide(&settings.options, Language::English, |_| None);
    let id = |decision: &keepline::Decision| {
        let place = decision.call_at;
        request["messages"][place.message as usize]["content"][place.block as usize]["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    outcome.decisions.iter().map(id).collect()
}

/// Decides a request with answers by the position of the pair.
pub fn decide(request: &Json, answer: &dyn Fn(u32) -> Option<Answer>) -> Outcome {
    let text = serde_json::to_string(request).unwrap();
    let document = Document::parse(&text).unwrap();
    let rest: Json = serde_json::from_str(document.rest()).unwrap();
    let settings = Settings::parse(&value(&rest)).unwrap();
    document
        .snapshot(&settings)
        .decide(&settings.options, Language::English, answer)
}

pub fn user(text: &str) -> Json {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

pub fn call(id: &str, name: &str, input: &str) -> Json {
    json!({"type": "tool_call", "id": id, "name": name, "input": input, "state": "finished"})
}

pub fn result(id: &str, name: &str, output: &str) -> Json {
    json!({"type": "tool_result", "id": id, "name": name, "output": output, "state": "success"})
}

/// An assistant message with one call of the tool `read` and its result.
pub fn step(id: &str, output: &str) -> Json {
    json!({"role": "assistant", "content": [call(id, "read", "{}"), result(id, "read", output)]})
}

/// A request whose tool `read` is eligible and whose last message is protected.
pub fn request(messages: Vec<Json>) -> Json {
    let options: Map<String, Json> =
        Map::from_iter([("preserve_recent_messages".to_owned(), json!(1))]);
    json!({"messages": messages, "goal": "Go on", "eligible_tool_names": ["read"], "options": options})
}

pub fn with_option(mut request: Json, name: &str, option: Json) -> Json {
    request["options"][name] = option;
    request
}
