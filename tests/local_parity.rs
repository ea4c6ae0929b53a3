//! The embedded model against its plain-Python reference, on a dump of recorded sessions.
//!
//! The sessions are others' data and are never copied here: KEEPLINE_DUMP and KEEPLINE_REFERENCE name the files that
//! `eval.py --dump` and `--reference` wrote (`npm run quality` does all of that). Without them there is nothing to test.

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

use std::collections::HashMap;

use keepline::document::Document;
use keepline::local::Point;
use keepline::options::{Language, Settings};
use serde_json::{Value as Json, json};

/// `p_call`, `p_result` and whether the reference takes the call for a mutating one, by candidate.
type Scores = HashMap<String, (f64, f64)>;

fn lines(variable: &str) -> Option<Vec<Json>> {
    let path = std::env::var(variable).ok()?;
    Some(
        std::fs::read_to_string(path)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn scores(session: &Json) -> Scores {
    let names = session["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["content"].as_array().unwrap());
    let names: Vec<&Json> = names
        .filter(|block| block["type"] == "tool_call")
        .map(|block| &block["name"])
        .collect();
    let request = json!({
        "messages": session["messages"], "goal": session["goal"], "eligible_tool_names": names,
        "options": {"preserve_recent_messages": session["preserve_recent_messages"]},
    });
    let document = Document::parse(request.to_string()).unwrap();
    let settings = Settings::parse(&common::value(
        &serde_json::from_str(document.rest()).unwrap(),
    ))
    .unwrap();
    let output = |place| Ok::<_, ()>(document.output(place).map(|text| text.into_owned()));
    let outcome = document
        .snapshot(&settings)
        .decide_locally(&settings, Language::English, Point::Study, output)
        .unwrap();
    let row = |decision: &keepline::Decision| {
        let place = decision.call_at;
        let id = session["messages"][place.message as usize]["content"][place.block as usize]["id"]
            .as_str()
            .unwrap();
        let answer = decision.answer?;
        Some((
            format!("{}:{id}", session["id"].as_str().unwrap()),
            (answer.call, answer.result.unwrap()),
        ))
    };
    outcome.decisions.iter().filter_map(row).collect()
}

#[test]
fn every_candidate_is_within_a_millionth_of_the_reference() {
    let (Some(dump), Some(reference)) = (lines("KEEPLINE_DUMP"), lines("KEEPLINE_REFERENCE"))
    else {
        eprintln!("skipped: KEEPLINE_DUMP and KEEPLINE_REFERENCE are not set");
        return;
    };
    let mut ours = Scores::new();
    let mut mutating = std::collections::HashSet::new();
    for session in &dump {
        ours.extend(scores(session));
        let id = session["id"].as_str().unwrap();
        mutating.extend(
            session["mutating"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| format!("{id}:{}", call.as_str().unwrap())),
        );
    }
    let mut largest = 0.0_f64;
    for line in &reference {
        let id = line["id"].as_str().unwrap();
        let (call, result) = ours[id];
        largest = largest.max((result - line["p_result"].as_f64().unwrap()).abs());
        if mutating.contains(id) {
            assert_eq!(call, 1.0, "{id} changes something");
        } else {
            largest = largest.max((call - line["p_call"].as_f64().unwrap()).abs());
        }
        assert!(largest <= 1e-6, "{id}: {call} {result} instead of {line}");
    }
    eprintln!(
        "{} candidates, largest difference {largest:e}",
        reference.len()
    );
}
