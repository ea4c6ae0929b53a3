//! Any text as goal, conversation, input and output: the view is JSON, within its budget, and counted right.
#![no_main]

#[path = "../../common/mod.rs"]
mod common;

use keepline::{Manner, token};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|texts: (String, String, String)| {
    let (text, input, output) = texts;
    let goal = if text.trim().is_empty() { "g" } else { &text };
    let mut messages = vec![common::user(&text)];
    for id in ["a", "b"] {
        for input in [
            input.clone(),
            json!({ "q": input, "password": text }).to_string(),
        ] {
            let id = format!("{id}{}", messages.len());
            messages.push(json!({"role": "assistant", "content": [
                common::call(&id, "read", &input),
                common::result(&id, "read", &output.repeat(20)),
            ]}));
        }
    }
    messages.push(common::user(&output));
    for budget in [25_000, 400] {
        let mut request = common::request(messages.clone());
        request["goal"] = json!(goal);
        request["options"]["max_state_tokens"] = json!(budget);
        let Ok(run) = common::compact_as(&request, &Manner::default(), &|_| 0.1) else {
            continue;
        };
        for sent in &run.requests {
            assert!(serde_json::from_str::<Value>(&sent.state_json).is_ok());
            assert!(token::estimate(&sent.state_json) <= budget);
        }
        let largest = run
            .requests
            .iter()
            .map(|sent| token::estimate(&sent.state_json))
            .max();
        assert_eq!(largest, run.state_tokens.filter(|_| largest.is_some()));
    }
});
