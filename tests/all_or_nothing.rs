//! All or nothing: the driver under every order of answers and failures.

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

use common::{call, request, result, user, with_option};
use keepline::document::Document;
use keepline::options::{Settings, Value};
use keepline::{Code, Compaction, Error, Input, Manner, Output};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// A compaction with so many requests, one candidate each, and the number of questions in each.
fn compaction(candidates: usize, concurrency: u32) -> Compaction {
    let mut messages = vec![user("Go.")];
    for number in 0..candidates {
        let id = format!("c{number}");
        messages.push(json!({"role": "assistant", "content": [call(&id, "read", "{}"), result(&id, "read", &"x".repeat(500))]}));
    }
    messages.push(user("Next."));
    let request = with_option(request(messages), "max_concurrency", json!(concurrency));
    let document = Document::parse(request.to_string()).unwrap();
    let rest: Json = serde_json::from_str(document.rest()).unwrap();
    let settings = Settings::parse(&common::value(&rest)).unwrap();
    let mut manner = Manner::default();
    manner.limits.max_questions = Some(2);
    document
        .snapshot(&settings)
        .compaction(&settings, &manner)
        .unwrap()
}

fn asks(compaction: &mut Compaction) -> Vec<usize> {
    let mut asked = Vec::new();
    while let Output::Ask(batch) = compaction.poll_output().unwrap() {
        asked.push(batch);
    }
    asked
}

#[test]
fn no_more_requests_are_handed_out_than_may_be_in_flight() {
    let mut compaction = compaction(7, 3);
    assert_eq!(asks(&mut compaction), [0, 1, 2]);
    assert_eq!(compaction.poll_output(), Ok(Output::Wait));
    compaction
        .handle_input(Input::Answer {
            batch: 1,
            probabilities: &[0.1, 0.1],
        })
        .unwrap();
    assert_eq!(asks(&mut compaction), [3]);
}

#[test]
fn the_first_failure_is_final_and_late_answers_are_ignored() {
    let mut compaction = compaction(4, 2);
    assert_eq!(asks(&mut compaction), [0, 1]);
    let first = compaction.handle_input(Input::Expired).unwrap_err();
    assert_eq!(first.code(), Code::Timeout);
    assert_eq!(
        compaction.handle_input(Input::Answer {
            batch: 0,
            probabilities: &[0.1, 0.1]
        }),
        Err(first.clone())
    );
    assert_eq!(
        compaction.handle_input(Input::Cancelled),
        Err(first.clone())
    );
    assert_eq!(compaction.poll_output(), Err(first));
}

#[test]
fn every_illegal_answer_names_its_question() {
    let cases: [(&[f64], &str); 7] = [
        (&[1.2, 0.5], "call_t1"),
        (&[0.5, -0.1], "result_t1"),
        (&[f64::NAN, 0.5], "call_t1"),
        (&[0.5, f64::INFINITY], "result_t1"),
        (&[0.5], "result_t1"),
        (&[], "call_t1"),
        (&[2.0, 2.0], "call_t1"),
    ];
    for (probabilities, question) in cases {
        let mut compaction = compaction(1, 1);
        assert_eq!(asks(&mut compaction), [0]);
        let error = compaction
            .handle_input(Input::Answer {
                batch: 0,
                probabilities,
            })
            .unwrap_err();
        assert_eq!(
            (error.code(), error.question(), error.batch()),
            (Code::InvalidAnswer, Some(question), Some(0)),
            "{probabilities:?}"
        );
    }
}

#[test]
fn a_second_answer_to_the_same_request_fails() {
    let mut compaction = compaction(2, 2);
    assert_eq!(asks(&mut compaction), [0, 1]);
    let answer = || Input::Answer {
        batch: 0,
        probabilities: &[0.1, 0.1],
    };
    compaction.handle_input(answer()).unwrap();
    assert_eq!(
        compaction.handle_input(answer()).unwrap_err().code(),
        Code::Internal
    );
}

#[test]
fn without_candidates_nothing_is_asked() {
    let mut compaction = compaction(0, 4);
    assert_eq!(compaction.poll_output(), Ok(Output::Done));
    assert!(!compaction.outcome().counts.changed);
}

/// What happens to a request in a random run.
#[derive(Clone, Debug)]
enum Fate {
    Answered,
    Failed,
    Wrong,
}

proptest! {
    #[test]
    fn any_order_of_events_ends_in_all_or_nothing(
        fates in prop::collection::vec(prop_oneof![8 => Just(Fate::Answered), 1 => Just(Fate::Failed), 1 => Just(Fate::Wrong)], 1..12),
        order in prop::collection::vec(any::<prop::sample::Index>(), 12),
        concurrency in 1..5_u32,
        stop in prop::option::of(0..12_usize),
    ) {
        let mut compaction = compaction(fates.len(), concurrency);
        let mut in_flight: Vec<usize> = Vec::new();
        let mut failed: Option<Error> = None;
        let mut answered = 0;
        for (step, pick) in order.iter().enumerate().take(fates.len()) {
            while let Ok(Output::Ask(batch)) = compaction.poll_output() {
                prop_assert!(failed.is_none(), "a request was started after the failure");
                in_flight.push(batch);
                prop_assert!(in_flight.len() <= concurrency as usize);
            }
            let batch = in_flight.swap_remove(pick.index(in_flight.len()));
            let input = match fates[batch] {
                _ if stop == Some(step) => Input::Cancelled,
                Fate::Answered => Input::Answer { batch, probabilities: &[0.1, 0.1] },
                Fate::Failed => Input::Failed { batch, error: Settings::parse(&Value::Null).unwrap_err() },
                Fate::Wrong => Input::Answer { batch, probabilities: &[0.1, 7.0] },
            };
            match compaction.handle_input(input) {
                Ok(()) => answered += 1,
                Err(error) => {
                    prop_assert_eq!(failed.get_or_insert_with(|| error.clone()), &error);
                    break;
                }
            }
        }
        match failed {
            Some(error) => prop_assert_eq!(compaction.poll_output(), Err(error)),
            None => {
                prop_assert_eq!(answered, fates.len());
                prop_assert_eq!(compaction.poll_output(), Ok(Output::Done));
                prop_assert_eq!(compaction.outcome().counts.drop_call as usize, fates.len());
            }
        }
    }
}
