//! Parity with the published package that the vectors were made with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    unreachable_pub,
    reason = "tests may panic, and share a module"
)]

mod common;

use keepline::Exclusion;
use serde_json::Value as Json;

fn vectors(name: &str) -> Vec<Json> {
    let path = format!(
        "{}/tests/fixtures/vectors/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn token_estimates_are_equal() {
    for vector in vectors("token-estimates") {
        let json = vector["json"].as_str().unwrap();
        assert_eq!(
            keepline::token::estimate(json),
            vector["tokens"].as_u64().unwrap(),
            "{json}"
        );
    }
}

#[test]
fn pairs_are_equal() {
    for vector in vectors("pairs") {
        let request = &vector["request"];
        let outcome = common::decide(request, &|_| None);
        let row = |(position, decision): (usize, &keepline::Decision)| {
            let block = |at: keepline::message::Place| {
                &request["messages"][at.message as usize]["content"][at.block as usize]
            };
            serde_json::json!({
                "id": format!("t{}", position + 1),
                "call_id": block(decision.call_at)["id"],
                "call": [decision.call_at.message, decision.call_at.block],
                "result": [decision.result_at.message, decision.result_at.block],
                "result_chars": text_chars(&block(decision.result_at)["output"]),
                "protected": matches!(decision.reason, keepline::Why::Protected(_)),
            })
        };
        let ours: Vec<Json> = outcome.decisions.iter().enumerate().map(row).collect();
        assert_eq!(Json::Array(ours), vector["pairs"]);
        let non_text = keepline::Why::Protected(Exclusion::NonTextOutput);
        assert!(
            outcome
                .decisions
                .iter()
                .all(|decision| decision.reason != non_text || decision.saved_chars == 0)
        );
    }
}

fn text_chars(output: &Json) -> usize {
    match output {
        Json::String(text) => text.chars().count(),
        Json::Array(blocks)
            if !blocks.is_empty()
                && blocks
                    .iter()
                    .all(|block| block["type"] == "text" && block["text"].is_string()) =>
        {
            blocks
                .iter()
                .map(|block| block["text"].as_str().unwrap().chars().count())
                .sum::<usize>()
                + blocks.len()
                - 1
        }
        _ => 0,
    }
}
