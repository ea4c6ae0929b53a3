//! The state machine between the requests and the decisions: no I/O, no clock, no promises.
//!
//! After every input, poll until [`Output::Wait`] or [`Output::Done`]. The first failure is final: every later input
//! and poll returns the same error, so that all or nothing is a property of one enum.

use crate::decide::Answer;
use crate::error::{Code, Error};
use crate::options::Language;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::request::Requests;
use crate::text::decimal;

/// What the caller has to do next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Start the request with this number.
    Ask(usize),
    /// All answers are in: take the outcome.
    Done,
    /// All allowed requests are in flight.
    Wait,
}

/// What happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A request was answered: one number for each question in the order of [`Requests::asked`], the call question
    /// before the result question.
    Answer {
        /// Which request.
        batch: usize,
        /// Probabilities.
        probabilities: &'a [f64],
    },
    /// The host's signal fired.
    Cancelled,
    /// The total timeout is over.
    Expired,
    /// A request failed after its last attempt.
    Failed {
        /// Which request.
        batch: usize,
        /// Why.
        error: Error,
    },
}

#[derive(Debug)]
enum State {
    Asking,
    Failed(Error),
}

/// One compaction while its answers are awaited.
#[derive(Debug)]
pub struct Compaction {
    plan: Plan,
    requests: Requests,
    language: Language,
    /// By position of the pair.
    answers: Vec<Option<Answer>>,
    next: usize,
    in_flight: usize,
    state: State,
}

impl Compaction {
    pub(crate) fn new(plan: Plan, requests: Requests, language: Language) -> Self {
        let answers = vec![None; plan.pairs.len()];
        Self {
            plan,
            requests,
            language,
            answers,
            next: 0,
            in_flight: 0,
            state: State::Asking,
        }
    }

    /// The requests that are asked.
    pub const fn requests(&self) -> &Requests {
        &self.requests
    }

    /// The next thing to do. Call it at the start and after every input, until it says `Wait` or `Done`.
    ///
    /// # Errors
    /// The first failure, for good.
    #[must_use = "a request that is not started is never answered"]
    pub fn poll_output(&mut self) -> Result<Output, Error> {
        if let State::Failed(error) = &self.state {
            return Err(error.clone());
        }
        let batches = self.requests.batches.len();
        if self.next < batches && self.in_flight < self.plan.options.max_concurrency as usize {
            self.next += 1;
            self.in_flight += 1;
            return Ok(Output::Ask(self.next - 1));
        }
        Ok(if self.in_flight == 0 {
            Output::Done
        } else {
            Output::Wait
        })
    }

    /// Tells what happened. A second answer to the same request is a mistake of the caller and fails the compaction.
    ///
    /// # Errors
    /// The first failure, for good; late answers after it change nothing.
    #[must_use = "a failure must reach the caller"]
    pub fn handle_input(&mut self, input: Input<'_>) -> Result<(), Error> {
        if let State::Failed(error) = &self.state {
            return Err(error.clone());
        }
        let handled = match input {
            Input::Answer {
                batch,
                probabilities,
            } => self.answer(batch, probabilities),
            Input::Cancelled => Err(Error::new(
                Code::Aborted,
                "the compaction was aborted; nothing was changed",
            )),
            Input::Expired => Err(Error::new(
                Code::Timeout,
                "the decision requests took longer than options.total_timeout_seconds; raise it, raise options.max_concurrency or use a faster model",
            )),
            Input::Failed { batch, error } => Err(error.in_batch(batch)),
        };
        if let Err(error) = &handled {
            self.state = State::Failed(error.clone());
        }
        handled
    }

    fn answer(&mut self, batch: usize, probabilities: &[f64]) -> Result<(), Error> {
        let mut given = probabilities.iter().copied();
        let mut wrong = None;
        for (position, asks_result) in self.requests.positions(batch) {
            let mut take = |kind: &str| {
                let value = given.next().filter(|value| (0.0..=1.0).contains(value));
                if value.is_none() && wrong.is_none() {
                    wrong = Some([kind, "_t", &decimal(u64::from(position) + 1)].concat());
                }
                value.unwrap_or(0.0)
            };
            let call = take("call");
            let result = asks_result.then(|| take("result"));
            match self.answers.get_mut(position as usize) {
                Some(slot @ None) => *slot = Some(Answer::new(call, result)),
                _ => {
                    return Err(Error::new(
                        Code::Internal,
                        "a request was answered twice; please report this",
                    )
                    .in_batch(batch));
                }
            }
        }
        if let Some(question) = wrong {
            let message = [
                &question,
                " must be answered with a probability from 0 to 1",
            ]
            .concat();
            return Err(Error::new(Code::InvalidAnswer, &message)
                .about_question(question)
                .in_batch(batch));
        }
        self.in_flight = self.in_flight.saturating_sub(1);
        Ok(())
    }

    /// The decisions. Call it once [`Compaction::poll_output`] says `Done`; before that, pairs without an answer are kept.
    pub fn outcome(&self) -> Outcome {
        Outcome::new(&self.plan, self.language, |position| {
            self.answers.get(position as usize).copied().flatten()
        })
    }
}
