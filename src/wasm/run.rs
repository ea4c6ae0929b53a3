//! The loop: starts the requests that the driver hands out, retries them, and feeds it what comes back.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use js_sys::Float64Array;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::convert::fault;
use super::host::{Failure, Host};
use crate::driver::{Compaction, Input, Output};
use crate::error::{Code, Error};

/// How often and how long.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    pub(super) max_retries: u32,
    pub(super) retry_delay_ms: f64,
    pub(super) total_ms: f64,
}

enum Event {
    Answered(usize, Vec<f64>),
    Cancelled,
    Expired,
    Failed(usize, JsValue),
}

/// Where the tasks of one call leave what happened.
#[derive(Default)]
struct Mailbox {
    events: RefCell<Vec<Event>>,
    waker: RefCell<Option<Waker>>,
}

impl Mailbox {
    fn push(&self, event: Event) {
        self.events.borrow_mut().push(event);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    /// All that has happened since it was last asked.
    async fn take(&self) -> Vec<Event> {
        poll_fn(|context| {
            let events = std::mem::take(&mut *self.events.borrow_mut());
            if events.is_empty() {
                *self.waker.borrow_mut() = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(events)
        })
        .await
    }
}

/// Runs a compaction to its end. The first failure is the result, and ends what is still in flight.
pub(super) async fn run(
    mut compaction: Compaction,
    host: &Host,
    pace: Pace,
) -> Result<Compaction, JsValue> {
    let mailbox = Rc::new(Mailbox::default());
    watch(&mailbox, JsFuture::from(host.sleep(pace.total_ms)), || {
        Event::Expired
    });
    watch(&mailbox, JsFuture::from(host.aborted()), || {
        Event::Cancelled
    });
    let ended = turn(&mut compaction, host, &mailbox, pace).await;
    host.stop(ended.as_ref().err().unwrap_or(&JsValue::UNDEFINED));
    ended.map(|()| compaction)
}

/// Leaves an event when a promise resolves with true.
fn watch(mailbox: &Rc<Mailbox>, promise: JsFuture, event: fn() -> Event) {
    let mailbox = Rc::clone(mailbox);
    spawn_local(async move {
        if promise.await.is_ok_and(|value| value.is_truthy()) {
            mailbox.push(event());
        }
    });
}

async fn turn(
    compaction: &mut Compaction,
    host: &Host,
    mailbox: &Rc<Mailbox>,
    pace: Pace,
) -> Result<(), JsValue> {
    loop {
        match compaction.poll_output().map_err(|error| fault(&error))? {
            Output::Ask(batch) => start(batch, host, mailbox, pace),
            Output::Done => return Ok(()),
            // All of them before the next request starts: one may be a failure.
            Output::Wait => {
                for event in mailbox.take().await {
                    handle(compaction, host, event)?;
                }
            }
        }
    }
}

/// Tells the driver what happened. What a model threw is what the caller gets.
fn handle(compaction: &mut Compaction, host: &Host, event: Event) -> Result<(), JsValue> {
    let (input, thrown) = match &event {
        Event::Answered(batch, probabilities) => {
            let (batch, probabilities) = (*batch, probabilities.as_slice());
            let answer = Input::Answer {
                batch,
                probabilities,
            };
            (answer, None)
        }
        Event::Cancelled => (Input::Cancelled, None),
        Event::Expired => (Input::Expired, None),
        Event::Failed(batch, thrown) => {
            let error = Error::new(Code::DecisionFailed, "the decision model failed");
            let batch = *batch;
            (Input::Failed { batch, error }, Some(thrown))
        }
    };
    compaction
        .handle_input(input)
        .map_err(|error| thrown.cloned().unwrap_or_else(|| fault(&error)))?;
    match event {
        Event::Answered(batch, _) => host.answered(batch as u32),
        Event::Cancelled | Event::Expired | Event::Failed(..) => Ok(()),
    }
}

fn start(batch: usize, host: &Host, mailbox: &Rc<Mailbox>, pace: Pace) {
    let (host, mailbox) = (host.clone(), Rc::clone(mailbox));
    spawn_local(async move {
        mailbox.push(match attempts(batch, &host, pace).await {
            Ok(probabilities) => Event::Answered(batch, probabilities),
            Err(thrown) => Event::Failed(batch, thrown),
        });
    });
}

/// One request with its retries.
async fn attempts(batch: usize, host: &Host, pace: Pace) -> Result<Vec<f64>, JsValue> {
    let mut attempt = 0;
    loop {
        let asked: Result<Float64Array, Failure> =
            JsFuture::from(host.ask(batch as u32, attempt)).await;
        let failure = match asked {
            Ok(answers) => return Ok(answers.to_vec()),
            Err(failure) => failure,
        };
        let wait = delay(pace.retry_delay_ms, attempt).max(failure.retry_after());
        // A wait that outlasts the total timeout would only hide why.
        if attempt == pace.max_retries || !failure.retryable() || wait >= host.remaining() {
            return Err(failure.error());
        }
        attempt += 1;
        if !JsFuture::from(host.sleep(wait))
            .await
            .is_ok_and(|value| value.is_truthy())
        {
            return Err(failure.error());
        }
    }
}

/// Doubled with each attempt, with full jitter.
fn delay(base: f64, attempt: u32) -> f64 {
    let mut random = [u8::MAX; 4];
    // Without randomness the longest delay is as good as any.
    let _ = getrandom::fill(&mut random);
    base * 2_f64.powi(attempt.min(30) as i32)
        * (f64::from(u32::from_ne_bytes(random)) / f64::from(u32::MAX))
}
