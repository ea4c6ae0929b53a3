//! Any text as the messages of a request: it is refused, or everything holds.
#![no_main]

#[path = "../../common/mod.rs"]
mod common;

use keepline::Manner;
use keepline::document::Document;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|messages: &str| {
    let text = format!(
        r#"{{"goal":"g","eligible_tool_names":["read"],"options":{{"preserve_recent_messages":0,"truncate_head_chars":9}},"messages":{messages}}}"#
    );
    if serde_json::from_str::<&RawValue>(messages).is_err() {
        // What the oracle cannot read may be broken, or end the list early: it only has to be survived.
        let _ = Document::parse(&text);
        return;
    }
    let Ok(run) = common::compact_text(&text, &Manner::default(), &|_| 0.1) else {
        return;
    };
    assert!(serde_json::from_str::<&RawValue>(&run.text).is_ok());
    for request in &run.requests {
        assert!(serde_json::from_str::<Value>(&request.state_json).is_ok());
    }
    let saved: u64 = run
        .outcome
        .decisions
        .iter()
        .map(|decision| u64::from(decision.saved_chars))
        .sum();
    assert_eq!(
        saved > 0,
        run.text != messages.trim_matches([' ', '\n', '\r', '\t'])
    );
});
