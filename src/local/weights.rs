//! The numbers of the model, and of the study's model that it is compared with.
//!
//! [`STUDY`] is section 6 of the decision-quality study, kept so that parity with its reference stays checkable. [`MODEL`] is
//! fitted by `tests/quality/fit` on joined sessions made from recorded ones; the table there is the source of these numbers.

use super::Point;

/// All weights of a model.
pub(super) struct Weights {
    pub(super) link: Link,
    pub(super) result: Result,
    pub(super) call: Call,
}

/// Link of a later part of the chat to an earlier one: the same task?
pub(super) struct Link {
    pub(super) base: f64,
    /// Evidence said in the later one that the earlier one knows, as a share of what is said.
    pub(super) known_evidence: f64,
    /// The same of words.
    pub(super) known_words: f64,
    /// Cosine of the words said.
    pub(super) cosine: f64,
    /// Logarithm of the evidence said.
    pub(super) evidence_mass: f64,
    /// Logarithm of the user's words that are new.
    pub(super) new_words: f64,
    /// Evidence said in the earlier one that is said again, as a share of what the earlier one says.
    pub(super) evidence_again: f64,
    /// Cosine of the words that the agent says and the user does not with those said in the earlier one.
    pub(super) agent_cosine: f64,
    /// Logarithm of the agent's own evidence that the earlier one knows.
    pub(super) agent_evidence: f64,
}

/// Log-odds that the full output is needed.
pub(super) struct Result {
    pub(super) base: f64,
    pub(super) unspoken: f64,
    pub(super) list: f64,
    pub(super) search: f64,
    pub(super) age: Age,
    pub(super) same_later: f64,
    pub(super) superseded: f64,
    /// Logarithm of the later calls that change something, each by its topic.
    pub(super) changes_since: f64,
    pub(super) mutating: f64,
}

/// Log-odds that the call is needed.
pub(super) struct Call {
    pub(super) base: f64,
    pub(super) age: Age,
    pub(super) input: f64,
    pub(super) path: f64,
    pub(super) same_later: f64,
    pub(super) list: f64,
    pub(super) search: f64,
}

/// How age and topic weigh.
pub(super) struct Age {
    /// Logarithm of the calls up to the end.
    pub(super) calls: f64,
    /// Logarithm of the later calls, each by its topic.
    pub(super) calls_on_topic: f64,
    /// Logarithm of the calls up to the end, times what is missing to the topic.
    pub(super) calls_off_topic: f64,
    /// Logarithm of the topic.
    pub(super) topic: f64,
}

/// A topic counts as at least this much in its logarithm.
pub(super) const LOWEST_TOPIC: f64 = 0.02;

/// Not fitted: for a call that changes something, more than all other terms together, so that its odds round to certainty.
pub(super) const MUTATING: f64 = 200.0;

const MODEL: Weights = Weights {
    link: Link {
        base: -0.292,
        known_evidence: 10.086,
        known_words: -2.581,
        cosine: 16.498,
        evidence_mass: -0.869,
        new_words: 0.0,
        evidence_again: 12.004,
        agent_cosine: -10.858,
        agent_evidence: 0.714,
    },
    result: Result {
        base: -1.606,
        unspoken: 0.547,
        list: -2.465,
        search: -0.825,
        age: Age {
            calls: 0.0,
            calls_on_topic: -0.412,
            calls_off_topic: -0.727,
            topic: 1.773,
        },
        same_later: -1.393,
        superseded: -1.331,
        changes_since: -0.637,
        mutating: -1.795,
    },
    call: Call {
        base: 0.307,
        age: Age {
            calls: 0.0,
            calls_on_topic: -0.579,
            calls_off_topic: -1.201,
            topic: 0.915,
        },
        input: -0.253,
        path: -0.372,
        same_later: -1.431,
        list: -0.570,
        search: -2.060,
    },
};

const STUDY: Weights = Weights {
    link: Link {
        base: 3.238,
        known_evidence: 12.183,
        known_words: -8.469,
        cosine: 11.878,
        evidence_mass: -0.399,
        new_words: -0.69,
        evidence_again: 0.0,
        agent_cosine: 0.0,
        agent_evidence: 0.0,
    },
    result: Result {
        base: -2.475,
        unspoken: 0.547,
        list: -2.47,
        search: -0.824,
        // The study has -1.860 for the age and 1.448 for the age times the topic.
        age: Age {
            calls: -1.860 + 1.448,
            calls_on_topic: 0.0,
            calls_off_topic: -1.448,
            topic: 0.0,
        },
        same_later: -1.393,
        superseded: -1.331,
        changes_since: 0.0,
        mutating: 0.0,
    },
    call: Call {
        base: -0.643,
        // -1.954 and 1.669.
        age: Age {
            calls: -1.954 + 1.669,
            calls_on_topic: 0.0,
            calls_off_topic: -1.669,
            topic: 0.0,
        },
        input: -0.107,
        path: -0.029,
        same_later: -2.597,
        list: -1.593,
        search: -1.907,
    },
};

pub(super) const fn weights(point: Point) -> &'static Weights {
    match point {
        Point::Balanced | Point::Careful | Point::Firm => &MODEL,
        Point::Study => &STUDY,
    }
}

/// Where the operating points put the line: on the log-odds of the result less the logarithm of the characters freed, and
/// on the log-odds of the call.
const CAREFUL: (f64, f64) = (-13.09, -5.59);
const BALANCED: (f64, f64) = (-12.46, -5.39);
const FIRM: (f64, f64) = (-11.74, -4.08);

/// Where the line is at a point. A context that is known to be rather empty or full moves it as far as from balanced to
/// careful or firm: no other price was found that loses less at equal savings.
pub(super) fn shifts(point: Point, fill: Option<f64>) -> (f64, f64) {
    let (result, call) = match point {
        Point::Careful => CAREFUL,
        Point::Balanced => BALANCED,
        Point::Firm => FIRM,
        Point::Study => return (-12.02, -4.35),
    };
    let Some(fill) = fill else {
        return (result, call);
    };
    let (towards, part) = if fill < HALF_FULL {
        (CAREFUL, (HALF_FULL - fill) / (HALF_FULL - RATHER_EMPTY))
    } else {
        (FIRM, (fill - HALF_FULL) / (RATHER_FULL - HALF_FULL))
    };
    let part = part.min(1.0);
    (
        result + part * (towards.0 - BALANCED.0),
        call + part * (towards.1 - BALANCED.1),
    )
}

// Fills of a context at which the line is that of careful, balanced and firm. Chosen, not fitted.
const RATHER_EMPTY: f64 = 0.25;
const HALF_FULL: f64 = 0.5;
const RATHER_FULL: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fuller_context_moves_the_line() {
        let at = |fill: f64| shifts(Point::Balanced, Some(fill));
        assert_eq!(at(0.0), CAREFUL);
        assert_eq!(at(0.25), CAREFUL);
        assert_eq!(at(0.5), shifts(Point::Balanced, None));
        assert_eq!(at(1.0), FIRM);
        assert!(at(0.4).0 < at(0.6).0 && at(0.6).0 < at(0.8).0);
        for point in [Point::Careful, Point::Balanced, Point::Firm] {
            let plain = shifts(point, None);
            assert!(shifts(point, Some(0.1)).0 < plain.0 && plain.0 < shifts(point, Some(0.9)).0);
        }
        assert_eq!(shifts(Point::Study, Some(0.9)), shifts(Point::Study, None));
    }
}
