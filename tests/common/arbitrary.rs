//! Random requests: valid in form, odd in everything else.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

const TOOLS: [&str; 4] = ["read", "grep", "deploy", "Read"];
const IDS: [&str; 9] = ["c1", "c2", "c3", "c4", "c5", "c6", "id \"7\"\n", "", "👩‍👩‍👧"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z0-9 .,\n]{0,60}",
        1 => "[a-z]{300,420}",
        1 => "(berth 7 free 06:40; ){30,60}",
        1 => "[é中🐝\"\\\\\u{1}\u{85}\u{2028}]{0,40}",
        1 => Just("x\n[… 80 of 100 characters left out, call c1, full text in the archived history]".to_owned()),
    ]
}

fn output() -> impl Strategy<Value = Json> {
    let block = text().prop_map(|text| json!({"type": "text", "text": text, "id": "b"}));
    prop_oneof![
        5 => text().prop_map(Json::String),
        2 => prop::collection::vec(block, 0..3).prop_map(Json::Array),
        1 => Just(json!([{"type": "text", "text": "a"}, {"type": "data", "source": {}}])),
        1 => Just(json!({"rows": [1]})),
        1 => Just(Json::Null),
    ]
}

fn pick(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(words)
}

fn block() -> impl Strategy<Value = Json> {
    let input = prop_oneof![
        6 => "\\{\"p\": \"[a-z/]{0,30}\"\\}",
        1 => Just("{\"n\": 1e400}".to_owned()),
        1 => Just("[]".to_owned()),
        1 => Just("{\"password\": \"CANARY\", \"deep\": [{\"token\": \"CANARY\"}]}".to_owned()),
        1 => Just(format!("{{\"big\": \"{}\"}}", "lorem ".repeat(300))),
    ];
    let call = (pick(&IDS), pick(&TOOLS), input, prop_oneof![9 => Just("finished"), 1 => Just("pending")]).prop_map(
        |(id, name, input, state)| json!({"type": "tool_call", "id": id, "name": name, "input": input, "state": state, "x": [1.5]}),
    );
    let result = (pick(&IDS), pick(&TOOLS), output(), prop_oneof![9 => Just("success"), 1 => Just("error")])
        .prop_map(|(id, name, output, state)| json!({"type": "tool_result", "id": id, "name": name, "output": output, "state": state}));
    prop_oneof![
        4 => call,
        4 => result,
        2 => text().prop_map(|text| json!({"type": "text", "text": text})),
        1 => Just(json!({"type": "thinking", "thinking": "CANARY", "signature": "CANARY"})),
        1 => Just(json!({"type": "hint", "hint": "CANARY"})),
        1 => Just(json!({"type": "future", "payload": {"a": "CANARY"}})),
    ]
}

/// A call of the tool `read` and its result, so that candidates are common.
fn pair(number: usize) -> impl Strategy<Value = Vec<Json>> {
    (output(), "[a-z/]{0,80}").prop_map(move |(output, path)| {
        let id = format!("p{number}");
        vec![
            json!({"type": "tool_call", "id": id, "name": "read", "input": format!("{{\"path\":\"{path}\"}}"), "state": "finished"}),
            json!({"type": "tool_result", "id": id, "name": "read", "output": output, "state": "success"}),
        ]
    })
}

fn message(number: usize) -> impl Strategy<Value = Json> {
    let content = prop_oneof![
        3 => prop::collection::vec(block(), 0..6),
        4 => (pair(number), prop::collection::vec(block(), 0..2)).prop_map(|(mut pair, more)| { pair.extend(more); pair }),
    ];
    let content =
        prop_oneof![9 => content.prop_map(Json::Array), 1 => text().prop_map(Json::String)];
    let role = prop_oneof![6 => Just("assistant"), 2 => Just("user"), 1 => Just("system")];
    (role, content).prop_map(move |(role, content)| json!({"id": format!("m{number}"), "role": role, "content": content, "metadata": {"k": "CANARY"}}))
}

fn options() -> impl Strategy<Value = Map<String, Json>> {
    let numbers = (
        0..4_u32,
        0..60_u32,
        0..60_u32,
        prop_oneof![Just(0_u32), Just(50), Just(400)],
        prop_oneof![4 => Just(0_u32), 1 => Just(700)],
    );
    (numbers, any::<bool>(), any::<bool>()).prop_map(|((recent, head, tail, small, saved), stub, drop)| {
        let options = json!({
            "preserve_recent_messages": recent, "truncate_head_chars": head, "truncate_tail_chars": tail, "min_result_chars": small,
            "min_saved_chars": saved, "drop_call_mode": if stub { "stub" } else { "remove" }, "thinking_with_call": if drop { "drop" } else { "keep" },
        });
        options.as_object().unwrap().clone()
    })
}

/// Random requests.
pub fn request() -> impl Strategy<Value = Json> {
    let messages = (1..9_usize).prop_flat_map(|count| {
        (0..count)
            .map(|number| message(number).boxed())
            .collect::<Vec<_>>()
    });
    (messages, options(), prop::collection::vec(pick(&IDS), 0..2), prop::collection::vec("m[0-9]", 0..2)).prop_map(|(messages, options, calls, listed)| {
        json!({
            "messages": messages, "goal": "Go on", "eligible_tool_names": ["read", "grep"], "protected_call_ids": calls,
            "protected_message_ids": listed, "source_refs": {"p1": "kv://a b", "c1": "]\n"}, "options": options,
        })
    })
}

/// A probability that depends on nothing but the question's name and a seed.
pub fn probability(question: &str, seed: u64) -> f64 {
    let hash = question
        .bytes()
        .fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    ((hash >> 32) % 101) as f64 / 100.0
}
