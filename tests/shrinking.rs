//! The observation view under every budget: it fits, it shows what is asked about, and it says how far it shrank.

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

use common::{Run, call, compact_as, request, result, user, with_option};
use keepline::question::RESERVED_TOKENS;
use keepline::token::estimate;
use keepline::{Code, Error, Manner};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const STAGES: [&str; 12] = [
    "full",
    "inputs_1000",
    "inputs_200",
    "inputs_60",
    "texts_cut",
    "texts_noted",
    "calls_lined",
    "messages_left_out",
    "messages_merged",
    "calls_named",
    "calls_summed",
    "protected_shortened",
];

fn run(request: &Json) -> Result<Run, Error> {
    compact_as(request, &Manner::default(), &|_| 0.9)
}

fn sent_tokens(sent: &common::Request) -> u64 {
    let questions: Json = sent
        .questions
        .iter()
        .map(|(name, text)| {
            (
                name.clone(),
                json!({"type": "binary", "instructions": text}),
            )
        })
        .collect();
    estimate(&sent.state_json) + estimate(&questions.to_string())
}

/// Every promise about a run under its budget.
fn check(request: &Json, run: &Run) {
    let options = &request["options"];
    let most = options["max_state_tokens"].as_u64().unwrap_or(25_000);
    let most_sent = options["max_request_tokens"].as_u64().unwrap_or(30_000);
    let mut asked = Vec::new();
    for sent in &run.requests {
        assert!(
            estimate(&sent.state_json) <= most,
            "{} > {most}",
            estimate(&sent.state_json)
        );
        assert!(
            sent_tokens(sent) + u64::from(RESERVED_TOKENS) <= most_sent + 1,
            "{}",
            sent_tokens(sent)
        );
        let parsed: Json = serde_json::from_str(&sent.state_json).unwrap();
        assert_eq!(serde_json::to_string(&parsed).unwrap(), sent.state_json);
        assert_eq!(parsed["goal"], request["goal"]);
        for (question, _) in &sent.questions {
            let name = question.split_once('_').unwrap().1;
            let visible = sent.state_json.contains(&format!("\"{name}\""))
                || sent.state_json.contains(&format!("\"{name} "));
            assert!(visible, "{name} is asked about but not shown");
            asked.push(question.clone());
        }
    }
    let candidates = run.outcome.counts.candidates as usize;
    let calls: Vec<_> = asked
        .iter()
        .filter(|question| question.starts_with("call_"))
        .collect();
    assert_eq!(calls.len(), candidates, "every candidate is asked about");
    let mut unique = calls.clone();
    unique.dedup();
    assert_eq!(unique.len(), calls.len(), "and only once");
    if candidates > 0 {
        assert_eq!(
            run.state_tokens,
            run.requests
                .iter()
                .map(|sent| estimate(&sent.state_json))
                .max()
        );
        assert!(STAGES.contains(&run.stage.unwrap()));
    }
}

/// A long session: `steps` calls with texts between them, some failed, some of another tool.
fn session(steps: usize, text: usize, input: usize) -> Json {
    let mut messages = vec![user("Begin.")];
    for step in 0..steps {
        let id = format!("c{step}");
        let tool = if step % 7 == 3 { "deploy" } else { "read" };
        let input =
            json!({"path": format!("src/file{step}.ts"), "pad": "p".repeat(input)}).to_string();
        let mut answer = result(&id, tool, &"x".repeat(500 + step));
        if step % 11 == 5 {
            answer["state"] = json!("error");
        }
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": "word ".repeat(text)}, call(&id, tool, &input), answer,
        ]}));
        if step % 5 == 0 {
            messages.push(user(&format!("note {step} {}", "text ".repeat(text))));
        }
    }
    messages.push(user("Next."));
    request(messages)
}

#[test]
fn stages_are_reached_in_order_as_the_budget_falls() {
    let session = with_option(
        with_option(session(40, 120, 1500), "max_state_tokens", json!(1_000_000)),
        "max_request_tokens",
        json!(2_000_000),
    );
    let mut reached = Vec::new();
    let full = run(&session).unwrap().state_tokens.unwrap();
    for share in (1..=200).rev() {
        let budget = full * share / 200;
        match run(&with_option(
            session.clone(),
            "max_state_tokens",
            json!(budget.max(1)),
        )) {
            Ok(run) if run.windows == 1 => {
                check(
                    &with_option(session.clone(), "max_state_tokens", json!(budget)),
                    &run,
                );
                reached.push(
                    STAGES
                        .iter()
                        .position(|stage| run.stage == Some(stage))
                        .unwrap(),
                );
            }
            _ => break,
        }
    }
    assert!(
        reached.windows(2).all(|pair| pair[0] <= pair[1]),
        "{reached:?}"
    );
    for (stage, name) in STAGES.iter().enumerate().take(10) {
        assert!(
            reached.contains(&stage),
            "{name} is never reached: {reached:?}"
        );
    }
}

#[test]
fn what_does_not_fit_one_view_is_seen_through_the_fewest_windows() {
    let session = with_option(session(600, 5, 20), "max_state_tokens", json!(1500));
    let run = run(&session).unwrap();
    assert!(run.windows > 1);
    check(&session, &run);
    let fewer = with_option(session.clone(), "max_windows", json!(run.windows - 1));
    let error = super_run_error(&fewer);
    assert_eq!(error.code(), Code::BudgetExceeded);
    assert!(error.to_string().contains("options.max_windows"), "{error}");
    let exact = with_option(session, "max_windows", json!(run.windows));
    assert_eq!(self::run(&exact).unwrap().windows, run.windows);
}

fn super_run_error(request: &Json) -> Error {
    match run(request) {
        Ok(_) => panic!("it fits"),
        Err(error) => error,
    }
}

#[test]
fn protected_text_is_in_every_window_and_other_calls_are_summed_up() {
    let mut session = with_option(session(600, 5, 20), "max_state_tokens", json!(1500));
    session["messages"][100]["content"]
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "text", "text": "never light lamp 2"}));
    session["messages"][100]["id"] = json!("keep");
    session["protected_message_ids"] = json!(["keep"]);
    let run = run(&session).unwrap();
    check(&session, &run);
    for sent in &run.requests {
        assert!(
            sent.state_json.contains("never light lamp 2")
                && sent.state_json.contains("Begin.")
                && sent.state_json.contains("Next.")
        );
        assert!(
            sent.state_json.contains("\"other_calls\":[") && sent.state_json.contains("\"deploy: ")
        );
        assert!(sent.state_json.contains(&format!(
            "\"window\":\"{} of {}\"",
            sent.window + 1,
            run.windows
        )));
    }
}

#[test]
fn failed_and_pending_calls_stay_visible() {
    let mut failed = common::step("c1", "no such file");
    failed["content"][1]["state"] = json!("error");
    let mut running = common::step("c2", "");
    running["content"][1]["state"] = json!("running");
    let pending = json!({"role": "assistant", "content": [{"type": "tool_call", "id": "c3", "name": "read", "input": "{}", "state": "pending"}]});
    let request = request(vec![
        user("Go."),
        failed,
        running,
        pending,
        common::step("c4", "fine"),
        user("Next."),
    ]);
    let view = &run(&request).unwrap().requests[0].state_json;
    for outcome in [
        "\"error, 12 chars\"",
        "\"running, 0 chars\"",
        "\"pending\"",
        "\"ok, 4 chars\"",
    ] {
        assert!(view.contains(outcome), "{outcome} in {view}");
    }
}

#[test]
fn a_goal_is_shown_whole_or_refused() {
    let goal = format!(
        "GOAL-HEAD {} GOAL-TAIL",
        "tune the bell by a little more ".repeat(300)
    );
    let mut request = request(vec![
        user("Go."),
        common::step("c1", &"x".repeat(800)),
        user("Next."),
    ]);
    request["goal"] = json!(goal);
    let view = &run(&request).unwrap().requests[0].state_json;
    assert!(view.contains(&goal));
    let error = super_run_error(&with_option(request, "max_state_tokens", json!(1000)));
    assert_eq!(error.code(), Code::BudgetExceeded);
    assert!(
        error.to_string().contains("goal")
            && error.to_string().contains("options.max_state_tokens"),
        "{error}"
    );
}

#[test]
fn a_request_too_small_for_one_pair_of_questions_is_refused() {
    let request = request(vec![
        user("Go."),
        common::step("c1", &"x".repeat(800)),
        user("Next."),
    ]);
    let error = super_run_error(&with_option(request, "max_request_tokens", json!(300)));
    assert_eq!(error.code(), Code::BudgetExceeded);
    assert!(
        error.to_string().contains("options.max_request_tokens"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_history_under_any_budget_fits_or_is_refused(
        steps in 1..60_usize, text in 0..150_usize, input in 0..1300_usize, state in 60..6000_u32, sent in 500..8000_u32, recent in 0..12_u32, protected in 0..40_usize,
    ) {
        let mut session = session(steps, text, input);
        session["messages"].as_array_mut().unwrap().iter_mut().enumerate().for_each(|(index, message)| message["id"] = json!(format!("m{index}")));
        session["protected_message_ids"] = json!([format!("m{protected}"), format!("m{}", protected / 2)]);
        session["options"] = json!({"preserve_recent_messages": recent, "max_state_tokens": state, "max_request_tokens": sent});
        match run(&session) {
            Ok(run) => check(&session, &run),
            Err(error) => prop_assert_eq!(error.code(), Code::BudgetExceeded),
        }
    }
}
