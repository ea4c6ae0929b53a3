//! The numbers of the model. Each comes from section 6 of the decision-quality study (see ARCHITECTURE.md): fitted on the
//! development half of 1,859 recorded sessions of coding and customer-service agents, split by task.

use super::Point;

/// Link of a later part of the chat to an earlier one: the same task?
pub(super) struct Link {
    pub(super) base: f64,
    pub(super) known_evidence: f64,
    pub(super) known_words: f64,
    pub(super) cosine: f64,
    pub(super) evidence_mass: f64,
    pub(super) new_words: f64,
}

pub(super) const LINK: Link = Link {
    base: 3.238,
    known_evidence: 12.183,
    known_words: -8.469,
    cosine: 11.878,
    evidence_mass: -0.399,
    new_words: -0.69,
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
    pub(super) age_on_topic: f64,
}

pub(super) const RESULT: Result = Result {
    base: -2.475,
    unspoken: 0.547,
    list: -2.47,
    search: -0.824,
    age: -1.86,
    same_later: -1.393,
    superseded: -1.331,
    age_on_topic: 1.448,
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
    pub(super) age_on_topic: f64,
    pub(super) mutating: f64,
}

pub(super) const CALL: Call = Call {
    base: -0.643,
    age: -1.954,
    input: -0.107,
    path: -0.029,
    same_later: -2.597,
    list: -1.593,
    search: -1.907,
    age_on_topic: 1.669,
    // Not fitted: more than all others together, so that the odds round to certainty.
    mutating: 200.0,
};

/// Where the operating points put the line: on the log-odds of the result less the logarithm of the characters saved, and
/// on the log-odds of the call.
pub(super) const fn shifts(point: Point) -> (f64, f64) {
    match point {
        Point::Careful => (-13.30, -5.88),
        Point::Balanced | Point::Study => (-12.02, -4.35),
        Point::Firm => (-11.17, -3.67),
    }
}
