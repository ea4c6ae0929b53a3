//! What a score is made of: the terms of the model's sums, one by one.

use super::cut::SuggestedCut;

/// What a term stands for. A word of the result, with a number of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Factor {
    /// Calls from this one to the end.
    Age,
    /// Later calls that change something, each counted as much as it is on topic.
    ChangesSince,
    /// Code points that dropping it frees; 1,000 add nothing. In the sum, those of scripts without spaces count twice.
    Frees,
    /// Code points of the input.
    InputChars,
    /// It lists things.
    ListResult,
    /// It changes something.
    Mutating,
    /// The input names a path or a file.
    NamesPath,
    /// Later calls with the same name and input, at most 3.
    RepeatedLater,
    /// It searches.
    SearchResult,
    /// Share of its long lines that a later output repeats.
    Superseded,
    /// Whether its part of the chat is about the running task: 0 for an ended task, 1 for the running one.
    TopicEnded,
    /// Evidence tokens that no later output repeats and nobody spoke of.
    UnspokenIdentifiers,
}

impl Factor {
    /// All, in the order of [`Explanation::terms`].
    pub const ALL: [Self; 12] = [
        Self::Age,
        Self::ChangesSince,
        Self::Frees,
        Self::InputChars,
        Self::ListResult,
        Self::Mutating,
        Self::NamesPath,
        Self::RepeatedLater,
        Self::SearchResult,
        Self::Superseded,
        Self::TopicEnded,
        Self::UnspokenIdentifiers,
    ];

    /// The code of the result.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::ChangesSince => "changes_since",
            Self::Frees => "frees",
            Self::InputChars => "input_chars",
            Self::ListResult => "list_result",
            Self::Mutating => "mutating",
            Self::NamesPath => "names_path",
            Self::RepeatedLater => "repeated_later",
            Self::SearchResult => "search_result",
            Self::Superseded => "superseded",
            Self::TopicEnded => "topic_ended",
            Self::UnspokenIdentifiers => "unspoken_identifiers",
        }
    }
}

/// A term of both sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Term {
    /// The number that people can check.
    pub value: f64,
    /// What it adds to the log-odds that the full output is kept.
    pub result: f64,
    /// What it adds to the log-odds that the call is kept.
    pub call: f64,
}

/// Both sums of a score. The log-odds of `keep_result` are `result_base` plus the `result` of all terms, those of
/// `keep_call` accordingly.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// Log-odds before any term, at the operating point.
    pub result_base: f64,
    /// The same for the call.
    pub call_base: f64,
    /// Where the output would best be cut.
    pub cut: SuggestedCut,
    /// In the order of [`Factor::ALL`].
    pub terms: [Term; Factor::ALL.len()],
}

impl Explanation {
    pub(super) fn result_odds(&self) -> f64 {
        self.terms
            .iter()
            .fold(self.result_base, |sum, term| sum + term.result)
    }

    pub(super) fn call_odds(&self) -> f64 {
        self.terms
            .iter()
            .fold(self.call_base, |sum, term| sum + term.call)
    }
}
