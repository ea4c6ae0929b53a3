//! The embedded decision model: small, deterministic, no network, no key.
//!
//! It judges each call by what its output holds that nobody has spoken of yet, by its age and by whether its part of the
//! chat is about the task that is running now. One scan of the history, one sweep over the tokens; output texts are read
//! once and not kept. Every figure comes from sums of whole numbers and from our own logarithm, so that the same history
//! gives the same bytes on every engine.

mod kind;
mod math;
mod mutating;
mod scan;
mod token;
mod topic;
mod weights;

pub(crate) use scan::{Exchange, Kept, Scan};

use std::borrow::Cow;

use kind::Verb;
use math::{ln, sigmoid};
use weights::{LOWEST_TOPIC, shifts, weights};

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

/// What the model knows of one call with its result.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Features {
    /// Logarithm of 1 + evidence tokens of the output, beyond what stays of it, that no later output repeats and nobody spoke of.
    pub unspoken: f64,
    /// The call lists things.
    pub list: f64,
    /// The call searches.
    pub search: f64,
    /// Logarithm of the number of calls from this one to the end.
    pub age: f64,
    /// Later calls with the same name and input, at most 3.
    pub same_later: f64,
    /// Share of its long lines that a later output repeats.
    pub superseded: f64,
    /// Whether its part of the chat is about the running task, 0 to 1.
    pub topic: f64,
    /// Logarithm of 1 + the later calls, each counted as much as it is on topic.
    pub age_on_topic: f64,
    /// Logarithm of 1 + the later calls that change something, each counted as much as it is on topic.
    pub changes_since: f64,
    /// Logarithm of 1 + code points of the input.
    pub input: f64,
    /// The input names a path or a file.
    pub path: f64,
    /// The call changes something.
    pub mutating: bool,
    /// Code points that shortening the output frees; of a short output those that dropping the pair frees.
    pub saved: f64,
}

/// What the model says of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// Compared with `keep_call_threshold`; exactly 1 for a call that changes something.
    pub keep_call: f64,
    /// Compared with `keep_result_threshold`.
    pub keep_result: f64,
}

impl Features {
    fn verb(verb: Verb) -> (f64, f64) {
        let is = |wanted: Verb| f64::from(u8::from(verb == wanted));
        (is(Verb::List), is(Verb::Search))
    }

    /// The score at an operating point. The value of a result is not a probability: it is put so that 0.5 is the point, and
    /// weighed against the characters that dropping it frees.
    pub fn score(&self, point: Point) -> Score {
        let (result_shift, call_shift) = shifts(point);
        let keep_result = sigmoid(self.result_odds(point) - ln(self.saved) - result_shift);
        let keep_call = if self.mutating {
            1.0
        } else {
            sigmoid(self.call_odds(point) - call_shift)
        };
        Score {
            keep_call,
            keep_result,
        }
    }

    fn result_odds(&self, point: Point) -> f64 {
        let (_, result, _) = weights(point);
        let mut sum = result.unspoken * self.unspoken;
        sum += result.list * self.list;
        sum += result.search * self.search;
        sum += result.age * self.age;
        sum += result.same_later * self.same_later;
        sum += result.superseded * self.superseded;
        sum += result.age_times_topic * (self.age * self.topic);
        sum += result.age_on_topic * self.age_on_topic;
        sum += result.age_off_topic * (self.age * (1.0 - self.topic));
        sum += result.topic * ln(self.topic.max(LOWEST_TOPIC));
        sum += result.changes_since * self.changes_since;
        sum += result.mutating * f64::from(u8::from(self.mutating));
        result.base + sum
    }

    fn call_odds(&self, point: Point) -> f64 {
        let (_, _, call) = weights(point);
        let mut sum = call.age * self.age;
        sum += call.input * self.input;
        sum += call.path * self.path;
        sum += call.same_later * self.same_later;
        sum += call.list * self.list;
        sum += call.search * self.search;
        sum += call.age_times_topic * (self.age * self.topic);
        sum += call.age_on_topic * self.age_on_topic;
        sum += call.age_off_topic * (self.age * (1.0 - self.topic));
        sum += call.topic * ln(self.topic.max(LOWEST_TOPIC));
        call.base + sum
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
