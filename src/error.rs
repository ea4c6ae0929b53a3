//! The one error type.

use std::fmt;

/// What kind of failure it was; stable across releases.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Code {
    /// The host's signal fired. Nobody's fault.
    Aborted,
    /// The history does not fit the budgets. The caller raises the option that the message names.
    BudgetExceeded,
    /// The decision model failed after its retries. See the cause.
    DecisionFailed,
    /// A fault of keepline itself.
    Internal,
    /// The decision model answered something that is no answer to its question.
    InvalidAnswer,
    /// The request is not as described. The caller corrects the field that `path` names.
    InvalidRequest,
    /// The decision model did not answer in time.
    Timeout,
}

impl Code {
    /// The word of the JavaScript surface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::BudgetExceeded => "budget_exceeded",
            Self::DecisionFailed => "decision_failed",
            Self::Internal => "internal",
            Self::InvalidAnswer => "invalid_answer",
            Self::InvalidRequest => "invalid_request",
            Self::Timeout => "timeout",
        }
    }
}

/// A failed compaction: nothing was changed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Error {
    code: Code,
    message: String,
    path: Option<String>,
    batch: Option<usize>,
    question: Option<String>,
}

impl Error {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            path: None,
            batch: None,
            question: None,
        }
    }

    /// A field of the request is wrong; the message says what is allowed.
    pub(crate) fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::new(Code::InvalidRequest, message)
        }
    }

    pub(crate) fn in_batch(mut self, batch: usize) -> Self {
        self.batch = Some(batch);
        self
    }

    pub(crate) fn about_question(mut self, question: String) -> Self {
        self.question = Some(question);
        self
    }

    /// The kind of failure.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The field of the request that is at fault, like `options.keep_threshold`.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The batch that failed, counted from 0 over all windows.
    pub const fn batch(&self) -> Option<usize> {
        self.batch
    }

    /// The name of the question whose answer was wrong.
    pub fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
