//! JSON text in and out: every byte that is not part of an edit survives.

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

use arbitrary::probability;
use common::{compact_as, compact_text};
use keepline::document::{Document, compact_chars};
use keepline::{Code, Manner};
use proptest::prelude::*;

fn drop_all(text: &str) -> common::Run {
    compact_text(text, &Manner::default(), &|_| 0.1).unwrap()
}

/// A request with these messages, given as text, and nothing protected but the first.
fn request(messages: &str) -> String {
    format!(
        r#"{{"goal":"g","eligible_tool_names":["read"],"options":{{"preserve_recent_messages":0,"truncate_head_chars":5}},"messages":{messages}}}"#
    )
}

const FIRST: &str = r#"{"role":"user","content":"Go."}"#;

#[test]
fn big_integers_key_order_escapes_and_duplicate_keys_survive() {
    let kept = r#"{ "z" : 123456789012345678901234567890 , "role":"user", "a":1e400,"a":-0.0, "content":[ {"type":"text","text":"\u00e9\/\ud83d é"} ],"deep":[[[{"x":"\u0000"}]]] }"#;
    let call = r#"{"type":"tool_call","id":"c1","name":"read","input":"{}","state":"finished"}"#;
    let result = r#"{"type":"tool_result","id":"c1","name":"read","output":"old","output":"a\u00e9\n\"xyz and much more text so that shortening it pays: 0123456789012345678901234567890123456789012345678901234567890123456789","state":"success","n":1.50}"#;
    let text = request(&format!(
        "[ {FIRST} ,\n {kept},{{\"role\":\"assistant\",\"content\":[{call} , {result}]}}\t]"
    ));
    let run = compact_text(&text, &Manner::default(), &|question| {
        if question.starts_with("call") {
            0.9
        } else {
            0.1
        }
    })
    .unwrap();
    let shortened = result.replace(
        r#""a\u00e9\n\"xyz and much more text so that shortening it pays: 0123456789012345678901234567890123456789012345678901234567890123456789""#,
        r#""a\u00e9\n\"x\n[… 120 of 125 characters left out, call c1, full text in the archived history]""#,
    );
    assert_eq!(
        run.text,
        format!(
            "[ {FIRST} ,\n {kept},{{\"role\":\"assistant\",\"content\":[{call} , {shortened}]}}\t]"
        )
    );
}

#[test]
fn removed_blocks_and_messages_leave_no_comma_behind() {
    let pair = |id: &str| {
        let call = format!(
            r#"{{"type":"tool_call","id":"{id}","name":"read","input":"{{}}","state":"finished"}}"#
        );
        (
            call,
            format!(
                r#"{{"type":"tool_result","id":"{id}","name":"read","output":"text","state":"success"}}"#
            ),
        )
    };
    let (call, result) = pair("c1");
    let (other_call, other_result) = pair("c2");
    let note = r#"{"type":"text","text":"note"}"#;
    let cases = [
        (
            format!("[{note}, {call}, {result}]"),
            Some(format!("[{note}]")),
        ),
        (
            format!("[ {call} , {result} , {note} ]"),
            Some(format!("[ {note} ]")),
        ),
        (
            format!("[{call}, {note}, {result}]"),
            Some(format!("[{note}]")),
        ),
        (format!("[{call},{result}]"), None),
        (
            format!("[{call},{other_call},{result},{other_result},{note},{note}]"),
            Some(format!("[{note},{note}]")),
        ),
    ];
    for (content, expected) in cases {
        let run = drop_all(&request(&format!(
            r#"[{FIRST}, {{"role":"assistant","content":{content}}}, {FIRST}]"#
        )));
        let middle = expected
            .map(|content| format!(r#", {{"role":"assistant","content":{content}}}"#))
            .unwrap_or_default();
        assert_eq!(run.text, format!("[{FIRST}{middle}, {FIRST}]"));
    }
}

#[test]
fn what_is_no_request_is_refused_with_its_place() {
    let cases = [
        ("", "request", "byte 0"),
        ("[]", "request", "must be an object"),
        ("{\"goal\":\"g\"}", "messages", "list of message objects"),
        ("{\"messages\":{}}", "messages", "list of message objects"),
        ("{\"messages\":[1]}", "messages[0]", "must be an object"),
        (
            "{\"messages\":[{\"role\":\"bot\",\"content\":\"\"}]}",
            "messages[0].role",
            "\"user\"",
        ),
        (
            "{\"messages\":[{\"role\":\"user\"}]}",
            "messages[0].content",
            "a string or a list",
        ),
        (
            "{\"messages\":[{\"role\":\"user\",\"content\":[\"x\"]}]}",
            "messages[0].content[0]",
            "must be an object",
        ),
        (
            "{\"messages\":[\n{\"role\":\"user\",}]}",
            "request",
            "line 2",
        ),
        ("{\"messages\":[]}}", "request", "byte 15"),
    ];
    for (text, path, words) in cases {
        let error = Document::parse(text).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (Code::InvalidRequest, Some(path)),
            "{text}"
        );
        assert!(
            error.to_string().contains(words),
            "{error} should say {words:?}"
        );
    }
}

#[test]
fn the_last_of_equal_keys_counts() {
    let message = r#"{"role":"system","role":"assistant","content":[],"content":[{"type":"text","id":"x","type":"tool_call","id":"c1","name":"read","input":"[]","input":"{}","state":"finished"},{"type":"tool_result","id":"c1","name":"read","output":"text","state":"error","state":"success"}]}"#;
    let run = drop_all(&request(&format!("[{FIRST},{message}]")));
    assert_eq!(run.outcome.counts.drop_call, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn white_space_changes_nothing_but_itself(request in arbitrary::request(), seed in any::<u64>()) {
        let answer = |question: &str| probability(question, seed);
        let compact = compact_as(&request, &Manner::default(), &answer).unwrap();
        let pretty = compact_text(&serde_json::to_string_pretty(&request).unwrap(), &Manner::default(), &answer).unwrap();
        prop_assert_eq!(&compact.messages, &pretty.messages);
        prop_assert_eq!(compact_chars(&compact.text), compact.text.chars().count());
        prop_assert_eq!(compact_chars(&compact.text), compact_chars(&pretty.text));
    }

    #[test]
    fn an_unchanged_history_keeps_every_byte(request in arbitrary::request()) {
        let text = serde_json::to_string_pretty(&request).unwrap();
        let run = compact_text(&text, &Manner::default(), &|_| 1.0).unwrap();
        prop_assert!(text.contains(&run.text));
    }

    #[test]
    fn no_text_makes_the_scanner_fail(text in "(\\{|\\}|\\[|\\]|,|:|\"messages\"|\"role\"|\"content\"|\"user\"|\"type\"|\"text\"|\"output\"|\"\\\\u[0-9]{2,4}\"|1|null| |\"){0,24}") {
        let _ = Document::parse(text.as_str());
        let _ = Document::parse(format!("{{\"messages\":[{text}]}}"));
    }
}
