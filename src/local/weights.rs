//! The numbers of the model. Those in use were fitted by `tests/quality/fit` (its RESULTS.md says how well they hold); the
//! study's own, from section 6 of the decision-quality study (see ARCHITECTURE.md), stay for parity tests.

use super::Point;

/// Link of a later part of the chat to an earlier one: the same task?
pub(super) struct Link {
    pub(super) base: f64,
    pub(super) known_evidence: f64,
    pub(super) known_words: f64,
    pub(super) cosine: f64,
    pub(super) evidence_mass: f64,
    pub(super) new_words: f64,
    pub(super) evidence_again: f64,
    pub(super) agent_cosine: f64,
    pub(super) agent_shared: f64,
}

const LINK: Link = Link {
    base: -0.292,
    known_evidence: 10.086,
    known_words: -2.581,
    cosine: 16.498,
    evidence_mass: -0.869,
    new_words: 0.0,
    evidence_again: 12.004,
    agent_cosine: -10.858,
    agent_shared: 0.714,
};

const STUDY_LINK: Link = Link {
    base: 3.238,
    known_evidence: 12.183,
    known_words: -8.469,
    cosine: 11.878,
    evidence_mass: -0.399,
    new_words: -0.69,
    evidence_again: 0.0,
    agent_cosine: 0.0,
    agent_shared: 0.0,
};

/// Log-odds that the full output is needed.
pub(super) struct Result {
    pub(super) base: f64,
    pub(super) unspoken: f64,
    pub(super) list: f64,
    pub(super) search: f64,
    pub(super) age: f64,
    pub(super) same_later: f64,
    pub(super) superseded: f64,
    pub(super) age_times_topic: f64,
    pub(super) age_on_topic: f64,
    pub(super) age_off_topic: f64,
    pub(super) topic: f64,
    pub(super) changes_since: f64,
    pub(super) mutating: f64,
}

const RESULT: Result = Result {
    base: -1.606,
    unspoken: 0.547,
    list: -2.465,
    search: -0.825,
    age: 0.0,
    same_later: -1.393,
    superseded: -1.331,
    age_times_topic: 0.0,
    age_on_topic: -0.412,
    age_off_topic: -0.727,
    topic: 1.773,
    changes_since: -0.637,
    mutating: -1.795,
};

const STUDY_RESULT: Result = Result {
    base: -2.475,
    unspoken: 0.547,
    list: -2.47,
    search: -0.824,
    age: -1.86,
    same_later: -1.393,
    superseded: -1.331,
    age_times_topic: 1.448,
    age_on_topic: 0.0,
    age_off_topic: 0.0,
    topic: 0.0,
    changes_since: 0.0,
    mutating: 0.0,
};

/// Log-odds that the call is needed.
pub(super) struct Call {
    pub(super) base: f64,
    pub(super) age: f64,
    pub(super) input: f64,
    pub(super) path: f64,
    pub(super) same_later: f64,
    pub(super) list: f64,
    pub(super) search: f64,
    pub(super) age_times_topic: f64,
    pub(super) age_on_topic: f64,
    pub(super) age_off_topic: f64,
    pub(super) topic: f64,
}

const CALL: Call = Call {
    base: 0.307,
    age: 0.0,
    input: -0.253,
    path: -0.372,
    same_later: -1.431,
    list: -0.57,
    search: -2.06,
    age_times_topic: 0.0,
    age_on_topic: -0.579,
    age_off_topic: -1.201,
    topic: 0.915,
};

const STUDY_CALL: Call = Call {
    base: -0.643,
    age: -1.954,
    input: -0.107,
    path: -0.029,
    same_later: -2.597,
    list: -1.593,
    search: -1.907,
    age_times_topic: 1.669,
    age_on_topic: 0.0,
    age_off_topic: 0.0,
    topic: 0.0,
};

/// A topic counts as at least this much in its logarithm.
pub(super) const LOWEST_TOPIC: f64 = 0.02;

/// The weights of a point.
pub(super) const fn weights(point: Point) -> (&'static Link, &'static Result, &'static Call) {
    match point {
        Point::Balanced | Point::Careful | Point::Firm => (&LINK, &RESULT, &CALL),
        Point::Study => (&STUDY_LINK, &STUDY_RESULT, &STUDY_CALL),
    }
}

/// Where the operating points put the line: on the log-odds of the result less the logarithm of the characters saved, and
/// on the log-odds of the call.
pub(super) const fn shifts(point: Point) -> (f64, f64) {
    match point {
        Point::Balanced => (-12.32, -5.39),
        Point::Careful => (-13.09, -5.59),
        Point::Firm => (-11.74, -4.08),
        Point::Study => (-12.02, -4.35),
    }
}
