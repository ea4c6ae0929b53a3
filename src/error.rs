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
///
/// One pointer wide, so that results stay small; failures are rare.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct Inner {
    code: Code,
    message: String,
    path: Option<String>,
    batch: Option<usize>,
    question: Option<String>,
}

impl Error {
    pub(crate) fn new(code: Code, message: &str) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.to_owned(),
            path: None,
            batch: None,
            question: None,
        }))
    }

    /// A field of the request is wrong; the message says what is allowed.
    pub(crate) fn invalid(path: &str, message: &str) -> Self {
        let mut error = Self::new(Code::InvalidRequest, message);
        error.0.path = Some(path.to_owned());
        error
    }

    pub(crate) fn in_batch(mut self, batch: usize) -> Self {
        self.0.batch = Some(batch);
        self
    }

    pub(crate) fn about_question(mut self, question: String) -> Self {
        self.0.question = Some(question);
        self
    }

    /// The kind of failure.
    pub const fn code(&self) -> Code {
        self.0.code
    }

    /// The field of the request that is at fault, like `options.keep_threshold`.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// The batch that failed, counted from 0 over all windows.
    pub const fn batch(&self) -> Option<usize> {
        self.0.batch
    }

    /// The name of the question whose answer was wrong.
    pub fn question(&self) -> Option<&str> {
        self.0.question.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}
