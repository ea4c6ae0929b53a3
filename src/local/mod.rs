//! The embedded decision model: small, deterministic, no network, no key.
//!
//! It judges each call by what its output holds that nobody has spoken of yet, by its age and by whether its part of the
//! chat is about the task that is running now. One scan of the history, one sweep over the tokens; output texts are read
//! once and not kept. Every figure comes from sums of whole numbers and from our own logarithm, so that the same history
//! gives the same bytes on every engine.

mod cut;
mod explain;
mod kind;
mod math;
mod mutating;
mod scan;
mod script;
mod token;
mod topic;
mod weights;

pub use cut::SuggestedCut;
pub use explain::{Explanation, Factor, Term};
pub(crate) use scan::{Exchange, Kept, Scan};

use std::borrow::Cow;

use math::{ln, sigmoid};
use weights::{Age, LOWEST_TOPIC, MUTATING, Weights, shifts, weights};

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
    /// What doing something to the pair frees.
    pub freed: Freed,
    /// Where to cut the output.
    pub cut: SuggestedCut,
}

/// Code points that are freed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Freed {
    /// By shortening the output; below 0 for one that would get longer.
    pub by_cut: f64,
    /// By removing the pair.
    pub by_removal: f64,
    /// What one of them weighs, 1 to 2: those of a script without spaces count double, since they say, and cost a language
    /// model, more.
    pub weight: f64,
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
    /// The score at an operating point. `fill` tells how full the host's context is, 0 to 1, `threshold` where the call
    /// question has its line.
    pub fn score(&self, point: Point, fill: Option<f64>, threshold: f64) -> Score {
        let explanation = self.explain(point, fill, threshold);
        Score {
            keep_call: sigmoid(explanation.call_odds()),
            keep_result: sigmoid(explanation.result_odds()),
            explanation,
        }
    }

    fn explain(&self, point: Point, fill: Option<f64>, threshold: f64) -> Explanation {
        let (result_shift, call_shift) = shifts(point, fill);
        let Weights { result, call, .. } = weights(point);
        let mut explanation = Explanation {
            result_base: result.base - result_shift - ln(TYPICAL_SAVING),
            call_base: call.base - call_shift,
            cut: self.cut,
            terms: Factor::ALL.map(|factor| Term {
                value: 0.0,
                result: 0.0,
                call: self.call_term(factor, call),
            }),
        };
        let goes = sigmoid(explanation.call_odds()) < threshold;
        let freed = self.freed.chars(goes, point);
        for (factor, term) in Factor::ALL.into_iter().zip(&mut explanation.terms) {
            term.value = self.value(factor, freed);
            term.result = self.result_term(factor, result, freed);
        }
        explanation
    }

    fn value(&self, factor: Factor, freed: f64) -> f64 {
        let flag = |is: bool| f64::from(u8::from(is));
        match factor {
            Factor::Age => self.age.into(),
            Factor::ChangesSince => self.changes_since,
            Factor::Frees => freed,
            Factor::InputChars => self.input_chars.into(),
            Factor::ListResult => flag(self.list),
            Factor::Mutating => flag(self.mutating),
            Factor::NamesPath => flag(self.path),
            Factor::RepeatedLater => self.same_later.into(),
            Factor::SearchResult => flag(self.search),
            Factor::Superseded => self.superseded,
            Factor::TopicEnded => self.topic,
            Factor::UnspokenIdentifiers => self.unspoken.into(),
        }
    }

    fn result_term(&self, factor: Factor, weights: &weights::Result, freed: f64) -> f64 {
        let value = self.value(factor, freed);
        match factor {
            Factor::Age => self.aged(&weights.age),
            Factor::ChangesSince => weights.changes_since * ln(1.0 + value),
            Factor::Frees => ln(TYPICAL_SAVING) - ln(value * self.freed.weight),
            Factor::InputChars | Factor::NamesPath => 0.0,
            Factor::ListResult => weights.list * value,
            Factor::Mutating => weights.mutating * value,
            Factor::RepeatedLater => weights.same_later * value,
            Factor::SearchResult => weights.search * value,
            Factor::Superseded => weights.superseded * value,
            Factor::TopicEnded => self.ended(&weights.age),
            Factor::UnspokenIdentifiers => weights.unspoken * ln(1.0 + value),
        }
    }

    fn call_term(&self, factor: Factor, weights: &weights::Call) -> f64 {
        let value = self.value(factor, 0.0);
        match factor {
            Factor::Age => self.aged(&weights.age),
            Factor::ChangesSince
            | Factor::Frees
            | Factor::Superseded
            | Factor::UnspokenIdentifiers => 0.0,
            Factor::InputChars => weights.input * ln(1.0 + value),
            Factor::ListResult => weights.list * value,
            Factor::Mutating => MUTATING * value,
            Factor::NamesPath => weights.path * value,
            Factor::RepeatedLater => weights.same_later * value,
            Factor::SearchResult => weights.search * value,
            Factor::TopicEnded => self.ended(&weights.age),
        }
    }

    fn aged(&self, weights: &Age) -> f64 {
        weights.calls * ln(f64::from(self.age))
            + weights.calls_on_topic * ln(1.0 + self.later_on_topic)
    }

    fn ended(&self, weights: &Age) -> f64 {
        weights.calls_off_topic * ln(f64::from(self.age)) * (1.0 - self.topic)
            + weights.topic * ln(self.topic.max(LOWEST_TOPIC))
    }
}

impl Freed {
    fn new(output: u32, paired: usize, input: u32, kept: Kept) -> Self {
        let output = f64::from(output);
        Self {
            by_cut: output - f64::from(kept.head_chars) - f64::from(kept.tail_chars) - MARKER_CHARS,
            by_removal: output + f64::from(input) + 1.0,
            weight: 1.0 + paired as f64 / output.max(1.0),
        }
    }

    /// What dropping the output frees, `with_call` where the call goes too; at least 1. The study took a short output for one
    /// that goes with its call.
    fn chars(self, with_call: bool, point: Point) -> f64 {
        let removed = with_call && point != Point::Study;
        if removed || (point == Point::Study && self.by_cut <= 0.0) {
            self.by_removal
        } else {
            self.by_cut.max(1.0)
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
