//! Properties for the promises of the contract, on random histories.

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

#[path = "common/arbitrary.rs"]
mod arbitrary;
mod common;

use std::collections::{HashMap, HashSet};

use arbitrary::{probability, request};
use common::{Run, compact_as};
use keepline::{Action, Manner, Why};
use proptest::prelude::*;
use serde_json::Value as Json;

fn run(request: &Json, seed: u64) -> Run {
    compact_as(request, &Manner::default(), &|question| {
        probability(question, seed)
    })
    .unwrap()
}

/// `(kind, id)` of call and result blocks with their index, in order.
fn ends(messages: &[Json]) -> Vec<(bool, String)> {
    let mut ends = Vec::new();
    for message in messages {
        for block in message["content"].as_array().into_iter().flatten() {
            let id = block["id"].as_str().unwrap_or_default().to_owned();
            match block["type"].as_str() {
                Some("tool_call") => ends.push((true, id)),
                Some("tool_result") => ends.push((false, id)),
                _ => {}
            }
        }
    }
    ends
}

/// Ids of ends that have no partner on their side of the list.
fn orphans(messages: &[Json]) -> HashSet<(bool, String)> {
    let mut count: HashMap<&str, i32> = HashMap::new();
    let ends = ends(messages);
    for (is_call, id) in &ends {
        *count.entry(id).or_default() += if *is_call { 1 } else { -1 };
    }
    ends.iter()
        .filter(|(_, id)| count[id.as_str()] != 0)
        .cloned()
        .collect()
}

fn without_output(block: &Json) -> Json {
    let mut block = block.clone();
    block["output"] = Json::Null;
    block
}

/// The snapshot rebuilt from input and decisions alone, block by block, as a host would.
fn rebuilt(request: &Json, run: &Run) -> Vec<Json> {
    let drop_thinking = request["options"]["thinking_with_call"] == "drop";
    let mut removed: HashSet<(usize, usize)> = HashSet::new();
    let mut cut: HashMap<(usize, usize), &keepline::marker::Cut> = HashMap::new();
    for decision in &run.outcome.decisions {
        let at = |place: keepline::message::Place| (place.message as usize, place.block as usize);
        match (&decision.cut, decision.action, decision.applied) {
            (Some(by), _, true) => drop(cut.insert(at(decision.result_at), by)),
            (None, Action::DropCall, true) => {
                removed.extend([at(decision.call_at), at(decision.result_at)])
            }
            _ => assert!(!decision.applied || decision.action != Action::Keep),
        }
    }
    let mut messages = Vec::new();
    for (index, message) in request["messages"].as_array().unwrap().iter().enumerate() {
        let Some(blocks) = message["content"].as_array() else {
            messages.push(message.clone());
            continue;
        };
        let mut kept: Vec<(usize, Json)> = Vec::new();
        for (position, block) in blocks.iter().enumerate() {
            if removed.contains(&(index, position))
                || (drop_thinking && leads_only_to_removed(blocks, index, position, &removed))
            {
                continue;
            }
            let mut block = block.clone();
            if let Some(by) = cut.get(&(index, position)) {
                shorten(&mut block, by, &request["source_refs"]);
            }
            kept.push((position, block));
        }
        let touched = kept.len() < blocks.len();
        let only_thinking =
            drop_thinking && kept.iter().all(|(_, block)| block["type"] == "thinking");
        if touched && (kept.is_empty() || only_thinking) {
            continue;
        }
        let mut message = message.clone();
        message["content"] = Json::Array(kept.into_iter().map(|(_, block)| block).collect());
        messages.push(message);
    }
    messages
}

fn leads_only_to_removed(
    blocks: &[Json],
    index: usize,
    position: usize,
    removed: &HashSet<(usize, usize)>,
) -> bool {
    let thinks = |position: usize| blocks[position]["type"] == "thinking";
    if !thinks(position) {
        return false;
    }
    let mut start = position;
    while start < blocks.len() && thinks(start) {
        start += 1;
    }
    let mut end = start;
    while end < blocks.len() && !thinks(end) {
        end += 1;
    }
    end > start && (start..end).all(|position| removed.contains(&(index, position)))
}

fn shorten(block: &mut Json, cut: &keepline::marker::Cut, references: &Json) {
    let text: Vec<char> = match &block["output"] {
        Json::String(text) => text.chars().collect(),
        Json::Array(blocks) => blocks
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect::<Vec<_>>()
            .join("\n")
            .chars()
            .collect(),
        other => panic!("{other}"),
    };
    assert_eq!(text.len(), cut.total as usize);
    let head: String = text[..cut.head as usize].iter().collect();
    let tail: String = text[text.len() - cut.tail as usize..].iter().collect();
    let id = block["id"].as_str().unwrap();
    let quoted = |text: &str| {
        serde_json::to_string(text)
            .unwrap()
            .trim_matches('"')
            .replace('\u{85}', "\\u0085")
            .replace('\u{2028}', "\\u2028")
    };
    let escaped = quoted(id);
    let reference = references[id]
        .as_str()
        .map(|reference| format!(" {}", quoted(reference)))
        .unwrap_or_default();
    let marker = format!(
        "[… {} of {} characters left out, call {escaped}, full text in the archived history{reference}]",
        text.len() - head.chars().count() - tail.chars().count(),
        text.len()
    );
    let new = [head, marker, tail]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    match &mut block["output"] {
        Json::String(text) => *text = new,
        Json::Array(blocks) => {
            blocks.truncate(1);
            blocks[0]["text"] = Json::String(new);
        }
        other => panic!("{other}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn input_and_decisions_rebuild_the_output(request in request(), seed in any::<u64>()) {
        let run = run(&request, seed);
        prop_assert_eq!(Json::Array(run.messages.clone()), Json::Array(rebuilt(&request, &run)));
    }

    #[test]
    fn no_orphan_is_made_and_order_is_kept(request in request(), seed in any::<u64>()) {
        let run = run(&request, seed);
        let before = request["messages"].as_array().unwrap();
        prop_assert!(orphans(&run.messages).is_subset(&orphans(before)));
        let mut rest = ends(before).into_iter();
        for end in ends(&run.messages) {
            prop_assert!(rest.any(|other| other == end), "{:?}", end);
        }
    }

    #[test]
    fn protected_messages_are_equal_and_no_text_is_lost(request in request(), seed in any::<u64>()) {
        let run = run(&request, seed);
        let before = request["messages"].as_array().unwrap();
        let recent = before.len().saturating_sub(request["options"]["preserve_recent_messages"].as_u64().unwrap() as usize);
        let listed = request["protected_message_ids"].as_array().unwrap();
        for (index, message) in before.iter().enumerate() {
            let new = run.outcome.removal.message_map[index].map(|new| &run.messages[new as usize]);
            if index == 0 || index >= recent || message["role"] == "system" || listed.contains(&message["id"]) {
                prop_assert_eq!(new, Some(message));
            }
            let texts = |message: &Json| -> Vec<Json> { message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "text").cloned().collect() };
            prop_assert_eq!(new.map(texts).unwrap_or_default(), texts(message));
        }
    }

    #[test]
    fn the_counts_are_what_happened(request in request(), seed in any::<u64>()) {
        let run = run(&request, seed);
        let counts = run.outcome.counts;
        let before = request["messages"].as_array().unwrap();
        prop_assert_eq!(counts.changed, Json::Array(run.messages.clone()) != request["messages"]);
        prop_assert_eq!(counts.candidates + counts.protected, run.outcome.decisions.len() as u32);
        prop_assert_eq!(counts.keep + counts.drop_result + counts.drop_call, run.outcome.decisions.len() as u32);
        let ends = ends(before).len() as u32;
        prop_assert_eq!(counts.duplicate_ids + counts.unpaired + 2 * run.outcome.decisions.len() as u32, ends);
        let first = before.iter().enumerate().position(|(index, message)| {
            run.outcome.removal.message_map[index].map(|new| &run.messages[new as usize]) != Some(message)
        });
        prop_assert_eq!(counts.first_changed_message, first.map(|first| first as u32));
        let saved: u64 = run.outcome.decisions.iter().map(|decision| u64::from(decision.saved_chars)).sum();
        prop_assert!(saved <= counts.max_saved_chars || request["options"]["drop_call_mode"] == "stub");
        prop_assert!(!counts.changed || saved >= request["options"]["min_saved_chars"].as_u64().unwrap());
    }

    #[test]
    fn a_second_run_with_the_same_answers_changes_nothing(request in request(), seed in any::<u64>()) {
        let first = run(&request, seed);
        let ids: HashMap<String, usize> = common::pair_ids(&request).into_iter().enumerate().map(|(position, id)| (id, position + 1)).collect();
        let mut again = request.clone();
        again["messages"] = Json::Array(first.messages.clone());
        let names = common::pair_ids(&again);
        // The same answers by call id; a pair that is new to the second run would be a fault.
        let answer = |question: &str| {
            let (kind, name) = question.split_once("_t").unwrap();
            probability(&format!("{kind}_t{}", ids[&names[name.parse::<usize>().unwrap() - 1]]), seed)
        };
        let second = compact_as(&again, &Manner::default(), &answer).unwrap();
        // A message that went may have pulled another one out of the protected tail; then there is more to do.
        let moved = first.messages.len() != request["messages"].as_array().unwrap().len();
        if !moved && !first.outcome.decisions.iter().any(|decision| decision.applied && decision.action == Action::DropCall) {
            prop_assert_eq!(second.messages, first.messages);
        } else {
            for decision in &second.outcome.decisions {
                let block = &again["messages"][decision.result_at.message as usize]["content"][decision.result_at.block as usize];
                if block.to_string().contains("archived history") && decision.cut.is_some() {
                    // Only a quoted marker may be cut.
                    prop_assert!(block.to_string().contains("80 of 100"), "{}", block);
                }
            }
        }
    }

    #[test]
    fn the_view_holds_no_canary_and_every_asked_name(request in request(), seed in any::<u64>()) {
        let run = run(&request, seed);
        for sent in &run.requests {
            prop_assert!(!sent.state_json.contains("CANARY"), "{}", sent.state_json);
            let parsed: Json = serde_json::from_str(&sent.state_json).unwrap();
            prop_assert_eq!(&serde_json::to_string(&parsed).unwrap(), &sent.state_json);
            for (question, _) in &sent.questions {
                let name = question.split_once('_').unwrap().1;
                prop_assert!(sent.state_json.contains(&format!("\"call\":\"{name}\"")), "{} in {}", name, sent.state_json);
            }
        }
    }

    #[test]
    fn protected_pairs_are_never_touched(request in request(), seed in any::<u64>()) {
        let run = run(&request, seed);
        for decision in &run.outcome.decisions {
            if matches!(decision.reason, Why::Protected(_)) {
                prop_assert_eq!(decision.action, Action::Keep);
                prop_assert!(!decision.applied && decision.answer.is_none() && decision.cut.is_none());
            }
            if let Some(cut) = &decision.cut {
                let at = decision.result_at;
                let old = &request["messages"][at.message as usize]["content"][at.block as usize];
                let new = run.outcome.removal.message_map[at.message as usize].map(|new| run.messages[new as usize]["content"].clone()).unwrap();
                prop_assert!(new.as_array().unwrap().iter().any(|block| without_output(block) == without_output(old)));
                prop_assert!(cut.left_out() > 0);
            }
        }
    }
}
