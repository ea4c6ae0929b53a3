//! Values across the line: settings and the report by serde, everything that grows with the history as flat numbers.

use js_sys::{Array, Float64Array, Int32Array, JsString, Object, Uint32Array};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};

use crate::candidate::Exclusion;
use crate::decide::{Action, Reason};
use crate::document::{Document, Splice, apply, compact_chars};
use crate::error::Error;
use crate::local::{Explanation, SuggestedCut};
use crate::message::Place;
use crate::options::{Settings, Value};
use crate::outcome::{Decision, Outcome, Why};
use crate::request::Requests;

/// Actions by number.
pub(super) const ACTIONS: [Action; 3] = [Action::Keep, Action::DropResult, Action::DropCall];

/// Reasons by number.
pub(super) const REASONS: [Why; 16] = [
    Why::Decided(Reason::ResultNeeded),
    Why::Decided(Reason::ResultNotNeeded),
    Why::Decided(Reason::CallNotNeeded),
    Why::Decided(Reason::GroupKept),
    Why::Decided(Reason::AlreadyShortened),
    Why::Decided(Reason::NotAsked),
    Why::Decided(Reason::CurrentTurn),
    Why::Protected(Exclusion::ProtectedMessage),
    Why::Protected(Exclusion::ProtectedCall),
    Why::Protected(Exclusion::ProviderBound),
    Why::Protected(Exclusion::ToolNotEligible),
    Why::Protected(Exclusion::CallNotFinished),
    Why::Protected(Exclusion::ResultNotSuccess),
    Why::Protected(Exclusion::ToolNameMismatch),
    Why::Protected(Exclusion::NonTextOutput),
    Why::Protected(Exclusion::TooSmall),
];

/// An error as the shell's own object; TypeScript makes a `CompactionError` of it.
pub(super) fn fault(error: &Error) -> JsValue {
    #[derive(Serialize)]
    struct Fault<'a> {
        code: &'static str,
        message: String,
        path: Option<&'a str>,
        batch: Option<usize>,
        question: Option<&'a str>,
    }
    let fault = Fault {
        code: error.code().as_str(),
        message: error.to_string(),
        path: error.path(),
        batch: error.batch(),
        question: error.question(),
    };
    serde_wasm_bindgen::to_value(&fault).unwrap_or_else(JsValue::from)
}

/// Checks the request without its messages.
pub(super) fn settings_from_js(settings: &JsValue) -> Result<Settings, JsValue> {
    Settings::parse(&value_from_js(settings)).map_err(|error| fault(&error))
}

/// Plain data, by hand: deserialising it by serde-wasm-bindgen costs 11 KB of brotli, most of it for numbers in error
/// messages that are never shown (measured, see ARCHITECTURE.md). The TypeScript side has made sure that it is plain
/// data of a few levels.
fn value_from_js(value: &JsValue) -> Value {
    if let Some(text) = value.as_string() {
        Value::Text(text)
    } else if let Some(number) = value.as_f64() {
        Value::Number(number)
    } else if let Some(bool) = value.as_bool() {
        Value::Bool(bool)
    } else if Array::is_array(value) {
        Value::List(
            value
                .unchecked_ref::<Array>()
                .iter()
                .map(|item| value_from_js(&item))
                .collect(),
        )
    } else if value.is_object() {
        let entries = Object::entries(value.unchecked_ref());
        let field = |entry: JsValue| {
            let entry: Array = entry.unchecked_into();
            (
                entry.get(0).as_string().unwrap_or_default(),
                value_from_js(&entry.get(1)),
            )
        };
        Value::Object(entries.iter().map(field).collect())
    } else {
        Value::Null
    }
}

/// The report as far as the core knows it.
#[derive(Serialize)]
struct Report {
    changed: bool,
    candidates: u32,
    protected: u32,
    duplicate_ids: u32,
    unpaired: u32,
    first_changed_message: Option<u32>,
    keep: u32,
    drop_result: u32,
    drop_call: u32,
    max_saved_chars: f64,
    windows: usize,
    requests: usize,
    state_tokens: Option<f64>,
    state_stage: Option<&'static str>,
}

impl Report {
    fn new(outcome: &Outcome, requests: Option<&Requests>) -> Self {
        let counts = outcome.counts;
        Self {
            changed: counts.changed,
            candidates: counts.candidates,
            protected: counts.protected,
            duplicate_ids: counts.duplicate_ids,
            unpaired: counts.unpaired,
            first_changed_message: counts.first_changed_message,
            keep: counts.keep,
            drop_result: counts.drop_result,
            drop_call: counts.drop_call,
            max_saved_chars: counts.max_saved_chars as f64,
            windows: requests.map_or(0, |requests| requests.windows.len()),
            requests: requests.map_or(0, |requests| requests.batches.len()),
            state_tokens: requests
                .and_then(Requests::state_tokens)
                .map(|tokens| tokens as f64),
            state_stage: requests.and_then(Requests::stage),
        }
    }
}

/// `[report, decisions, removed blocks, message map]`.
pub(super) fn outcome_to_js(
    outcome: &Outcome,
    requests: Option<&Requests>,
) -> Result<Array, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    let report = Report::new(outcome, requests).serialize(&serializer)?;
    let decisions: Vec<f64> = outcome.decisions.iter().flat_map(decision_row).collect();
    let removed: Vec<u32> = outcome
        .removal
        .blocks
        .iter()
        .flat_map(|place| [place.message, place.block])
        .collect();
    let map: Vec<i32> = outcome
        .removal
        .message_map
        .iter()
        .map(|place| place.map_or(-1, |place| place as i32))
        .collect();
    let explanations: Vec<f64> = outcome
        .decisions
        .iter()
        .filter_map(|decision| {
            let own = decision.answer.is_some_and(|answer| answer.cut.is_some());
            decision.explanation.as_ref().map(|why| (why, own))
        })
        .flat_map(explanation_row)
        .collect();
    let result = Array::new();
    result.push(&report);
    result.push(&Float64Array::from(decisions.as_slice()));
    result.push(&Uint32Array::from(removed.as_slice()));
    result.push(&Int32Array::from(map.as_slice()));
    result.push(&Float64Array::from(explanations.as_slice()));
    Ok(result)
}

/// Both bases, both ends of the suggested cut, whether it counts, then value, result and call of each term.
fn explanation_row((explanation, own_cut): (&Explanation, bool)) -> impl Iterator<Item = f64> {
    let terms = explanation.terms.into_iter();
    let SuggestedCut { head, tail, .. } = explanation.cut;
    let bases = [explanation.result_base, explanation.call_base];
    bases
        .into_iter()
        .chain([head.into(), tail.into(), f64::from(u8::from(own_cut))])
        .chain(terms.flat_map(|term| [term.value, term.result, term.call]))
}

/// Numbers of one decision; NaN stands for "none".
pub(super) const ROW: usize = 13;

fn decision_row(decision: &Decision) -> [f64; ROW] {
    let number = |position: Option<usize>| position.map_or(f64::NAN, |position| position as f64);
    let cut = decision.cut;
    let part = |value: Option<u32>| value.map_or(f64::NAN, f64::from);
    [
        decision.call_at.message.into(),
        decision.call_at.block.into(),
        decision.result_at.message.into(),
        decision.result_at.block.into(),
        number(ACTIONS.iter().position(|action| *action == decision.action)),
        number(REASONS.iter().position(|reason| *reason == decision.reason)),
        f64::from(u8::from(decision.applied)),
        decision.saved_chars.into(),
        decision.answer.map_or(f64::NAN, |answer| answer.call),
        decision
            .answer
            .and_then(|answer| answer.result)
            .unwrap_or(f64::NAN),
        part(cut.map(|cut| cut.head)),
        part(cut.map(|cut| cut.tail)),
        part(cut.map(|cut| cut.total)),
    ]
}

/// `[views, batches, tools]`: the JSON text of each window; for each batch its window, the number of candidates, and
/// for each of them name, tool, size and whether the result question is asked; the shown names of the tools.
pub(super) fn requests_to_js(requests: &Requests) -> Array {
    let text = |text: &str| JsValue::from(JsString::from(text));
    let mut batches = Vec::new();
    for (number, batch) in requests.batches.iter().enumerate() {
        let asked = requests.asked_numbers(number);
        batches.extend([batch.window as u32, asked.len() as u32]);
        batches.extend(asked.flatten());
    }
    Array::of3(
        &requests
            .windows
            .iter()
            .map(|window| text(&window.json))
            .collect::<Array>(),
        &Uint32Array::from(batches.as_slice()),
        &requests.tools().map(text).collect::<Array>(),
    )
}

/// `[start of the messages, their end, numbers, texts, ids and names, characters before, characters after]`; offsets
/// count UTF-16 units, as JavaScript does.
pub(super) fn splices_to_js(
    document: &Document<String>,
    outcome: &Outcome,
    splices: &[Splice],
) -> Array {
    let text = document.text();
    let span = document.messages_span();
    let mut units = Units {
        text,
        at: 0,
        units: 0,
    };
    let start = units.at(span.start);
    let offsets: Vec<u32> = splices
        .iter()
        .flat_map(|splice| [units.at(splice.start), units.at(splice.end)])
        .collect();
    let end = units.at(span.end);
    let names: Vec<&str> = outcome
        .decisions
        .iter()
        .flat_map(|decision| names(document, decision.call_at))
        .collect();
    let before = compact_chars(text.get(span.clone()).unwrap_or_default());
    let after = compact_chars(&apply(text, span, splices));
    [
        JsValue::from(start),
        JsValue::from(end),
        Uint32Array::from(offsets.as_slice()).into(),
        splices
            .iter()
            .map(|splice| JsValue::from(JsString::from(splice.text.as_str())))
            .collect::<Array>()
            .into(),
        JsValue::from(["[", &names.join(","), "]"].concat()),
        JsValue::from(before as f64),
        JsValue::from(after as f64),
    ]
    .iter()
    .collect()
}

fn names(document: &Document<String>, place: Place) -> [&str; 2] {
    let (id, name) = document.id_and_name(place);
    [id.unwrap_or("null"), name.unwrap_or("null")]
}

/// Counts UTF-16 units up to offsets that only grow.
struct Units<'a> {
    text: &'a str,
    at: usize,
    units: u32,
}

impl Units<'_> {
    fn at(&mut self, offset: usize) -> u32 {
        let piece = self
            .text
            .as_bytes()
            .get(self.at..offset)
            .unwrap_or_default();
        let count = |piece: &[u8]| {
            piece
                .iter()
                .map(|&byte| u32::from(byte & 0xC0 != 0x80) + u32::from(byte >= 0xF0))
                .sum::<u32>()
        };
        self.units += count(piece);
        self.at = offset.max(self.at);
        self.units
    }
}
