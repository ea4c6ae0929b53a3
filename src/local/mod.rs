//! The embedded decision model: small, deterministic, no network, no key.
//!
//! It judges each call by what its output holds that nobody has spoken of yet, by its age and by whether its part of the
//! chat is about the task that is running now. One scan of the history, one sweep over the tokens; output texts are read
//! once and not kept. Every figure comes from sums of whole numbers and from our own logarithm, so that the same history
//! gives the same bytes on every engine.

mod explain;
mod kind;
mod math;
mod mutating;
mod scan;
mod script;
mod token;
mod topic;
mod weights;

pub use explain::{Explanation, Factor, Term};
pub(crate) use scan::{Exchange, Kept, Scan};

use std::borrow::Cow;

use math::{ln, sigmoid};
use weights::{Age, MUTATING, shifts, weights};

use crate::token::{code_points, head, tail};

/// How bold the model is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Point {
    /// The default.
    Balanced,
    /// Loses least.
    Careful,
    /// Frees most.
    Firm,
    /// The study's own weights at the balanced point, for parity tests.
    Study,
}

/// Code points of a marker, as the model counts them.
const MARKER_CHARS: f64 = 80.0;

/// Code points at which what dropping frees speaks neither for nor against it: only a place for the zero of that term.
const TYPICAL_SAVING: f64 = 1000.0;

/// What the model knows of one call with its result.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Features {
    /// Evidence tokens of the output, beyond what stays of it, that no later output repeats and nobody spoke of.
    pub unspoken: u32,
    /// The call lists things.
    pub list: bool,
    /// The call searches.
    pub search: bool,
    /// Calls from this one to the end.
    pub age: u32,
    /// Later calls with the same name and input, at most 3.
    pub same_later: u32,
    /// Share of its long lines that a later output repeats.
    pub superseded: f64,
    /// Whether its part of the chat is about the running task, 0 to 1.
    pub topic: f64,
    /// Later calls, each counted as much as it is on topic.
    pub later_on_topic: f64,
    /// Later calls that change something, each counted as much as it is on topic.
    pub changes_since: f64,
    /// Code points of the input.
    pub input_chars: u32,
    /// The input names a path or a file.
    pub path: bool,
    /// The call changes something.
    pub mutating: bool,
    /// Code points that shortening the output frees; of a short output those that dropping the pair frees. Those of a script
    /// without spaces count double: they say, and cost a language model, more.
    pub saved: f64,
}

/// What the model says of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// Compared with `keep_call_threshold`; exactly 1 for a call that changes something.
    pub keep_call: f64,
    /// Compared with `keep_result_threshold`. Not a probability: it is put so that 0.5 is the operating point, and weighed
    /// against the characters that dropping the output frees.
    pub keep_result: f64,
    /// What it is made of.
    pub explanation: Explanation,
}

impl Features {
    /// The score at an operating point.
    pub fn score(&self, point: Point) -> Score {
        let explanation = self.explain(point);
        Score {
            keep_call: sigmoid(explanation.call_odds()),
            keep_result: sigmoid(explanation.result_odds()),
            explanation,
        }
    }

    fn explain(&self, point: Point) -> Explanation {
        let (result_shift, call_shift) = shifts(point);
        let weights = weights(point);
        let (result, call) = (&weights.result, &weights.call);
        let age = ln(f64::from(self.age));
        let aged = |weight: &Age| {
            weight.calls * age + weight.calls_on_topic * ln(1.0 + self.later_on_topic)
        };
        let topic = ln(self.topic.max(weights.lowest_topic));
        let ended =
            |weight: &Age| weight.calls_off_topic * age * (1.0 - self.topic) + weight.topic * topic;
        let flag = |is: bool, result: f64, call: f64| {
            if is {
                (1.0, result, call)
            } else {
                (0.0, 0.0, 0.0)
            }
        };
        let term = |factor: Factor| {
            let (value, result, call) = match factor {
                Factor::Age => (self.age.into(), aged(&result.age), aged(&call.age)),
                Factor::ChangesSince => (
                    self.changes_since,
                    result.changes_since * ln(1.0 + self.changes_since),
                    0.0,
                ),
                Factor::Frees => (self.saved, ln(TYPICAL_SAVING) - ln(self.saved), 0.0),
                Factor::InputChars => {
                    let chars = f64::from(self.input_chars);
                    (chars, 0.0, call.input * ln(1.0 + chars))
                }
                Factor::ListResult => flag(self.list, result.list, call.list),
                Factor::Mutating => flag(self.mutating, result.mutating, MUTATING),
                Factor::NamesPath => flag(self.path, 0.0, call.path),
                Factor::RepeatedLater => {
                    let times = f64::from(self.same_later);
                    (times, result.same_later * times, call.same_later * times)
                }
                Factor::SearchResult => flag(self.search, result.search, call.search),
                Factor::Superseded => (self.superseded, result.superseded * self.superseded, 0.0),
                Factor::TopicEnded => (self.topic, ended(&result.age), ended(&call.age)),
                Factor::UnspokenIdentifiers => {
                    let count = f64::from(self.unspoken);
                    (count, result.unspoken * ln(1.0 + count), 0.0)
                }
            };
            Term {
                value,
                result,
                call,
            }
        };
        Explanation {
            result_base: result.base - result_shift - ln(TYPICAL_SAVING),
            call_base: call.base - call_shift,
            terms: Factor::ALL.map(term),
        }
    }
}

/// Code points of an output that are read; of a longer one only the ends, half of it each.
pub const LONGEST_OUTPUT: usize = 2 << 20;

/// A text as the model reads it: whole, or its two ends with a line feed between them.
pub fn ends(text: &str) -> Cow<'_, str> {
    // A code point has at least a byte, so that most texts need not be counted.
    if text.len() <= LONGEST_OUTPUT || code_points(text) <= LONGEST_OUTPUT {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        [
            head(text, LONGEST_OUTPUT / 2),
            "\n",
            tail(text, LONGEST_OUTPUT / 2),
        ]
        .concat(),
    )
}

/// Code points freed by what may be done to a pair.
fn saved_chars(output: u32, input: u32, kept: Kept) -> f64 {
    let saved =
        f64::from(output) - f64::from(kept.head_chars) - f64::from(kept.tail_chars) - MARKER_CHARS;
    if saved > 0.0 {
        saved
    } else {
        f64::from(output) + f64::from(input) + 1.0
    }
}
