//! Probabilities and thresholds to actions. A total function: no defaults, no text, no I/O.

use crate::local::SuggestedCut;
use crate::options::Options;

/// What the decision model said of one candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Probability that the call still matters.
    pub call: f64,
    /// Probability that the full output must stay; `None` where that was not asked, since an earlier run shortened it.
    pub result: Option<f64>,
    /// Where the embedded model wants the output to be cut, instead of where the options say.
    pub cut: Option<SuggestedCut>,
}

impl Answer {
    /// An answer to both questions, or to the call question alone.
    pub const fn new(call: f64, result: Option<f64>) -> Self {
        Self {
            call,
            result,
            cut: None,
        }
    }
}

/// What becomes of a pair.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Both blocks go (or, as a stub, the output does).
    DropCall,
    /// The output is shortened.
    DropResult,
    /// Nothing changes.
    Keep,
}

impl Action {
    /// The word of the result.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DropCall => "drop_call",
            Self::DropResult => "drop_result",
            Self::Keep => "keep",
        }
    }
}

/// Why a candidate got its action.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// An earlier run shortened it.
    AlreadyShortened,
    /// Neither call nor result is needed.
    CallNotNeeded,
    /// The call is not needed, but its tool loop is still open.
    CurrentTurn,
    /// Another call of its group stays.
    GroupKept,
    /// No answer was given for it.
    NotAsked,
    /// The full output is needed.
    ResultNeeded,
    /// The call is needed, its full output is not.
    ResultNotNeeded,
}

impl Reason {
    /// The word of the result.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AlreadyShortened => "already_shortened",
            Self::CallNotNeeded => "call_not_needed",
            Self::CurrentTurn => "current_turn",
            Self::GroupKept => "group_kept",
            Self::NotAsked => "not_asked",
            Self::ResultNeeded => "result_needed",
            Self::ResultNotNeeded => "result_not_needed",
        }
    }
}

/// The action for one candidate. `shortened` tells that its output carries an earlier run's marker, `stays` that the
/// call may not go.
pub(crate) fn decide(
    answer: Option<Answer>,
    shortened: bool,
    stays: bool,
    options: &Options,
) -> (Action, Reason) {
    match by_answer(answer, shortened, options) {
        (Action::DropCall, _) if stays => (Action::DropResult, Reason::CurrentTurn),
        decision => decision,
    }
}

fn by_answer(answer: Option<Answer>, shortened: bool, options: &Options) -> (Action, Reason) {
    let Some(answer) = answer else {
        return (Action::Keep, Reason::NotAsked);
    };
    let call_stays = answer.call >= options.keep_call_threshold;
    match answer.result {
        _ if shortened && call_stays => (Action::DropResult, Reason::AlreadyShortened),
        _ if shortened => (Action::DropCall, Reason::CallNotNeeded),
        None => (Action::Keep, Reason::NotAsked),
        Some(result) if result >= options.keep_result_threshold => {
            (Action::Keep, Reason::ResultNeeded)
        }
        Some(_) if call_stays => (Action::DropResult, Reason::ResultNotNeeded),
        Some(_) => (Action::DropCall, Reason::CallNotNeeded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thresholds_are_inclusive() {
        let options = Options::default();
        let below = 0.499_999_999_999_999_94;
        let cases = [
            (0.0, 0.5, Action::Keep, Reason::ResultNeeded),
            (0.5, below, Action::DropResult, Reason::ResultNotNeeded),
            (below, 0.0, Action::DropCall, Reason::CallNotNeeded),
            (-0.0, 5e-324, Action::DropCall, Reason::CallNotNeeded),
            (1.0, 0.0, Action::DropResult, Reason::ResultNotNeeded),
        ];
        for (call, result, action, reason) in cases {
            assert_eq!(
                decide(
                    Some(Answer::new(call, Some(result))),
                    false,
                    false,
                    &options
                ),
                (action, reason),
                "{call} {result}"
            );
        }
    }

    #[test]
    fn a_shortened_result_is_never_kept_for_its_text() {
        let options = Options::default();
        assert_eq!(
            decide(Some(Answer::new(0.9, None)), true, false, &options),
            (Action::DropResult, Reason::AlreadyShortened)
        );
        assert_eq!(
            decide(Some(Answer::new(0.1, None)), true, false, &options),
            (Action::DropCall, Reason::CallNotNeeded)
        );
        assert_eq!(
            decide(None, true, false, &options),
            (Action::Keep, Reason::NotAsked)
        );
    }

    #[test]
    fn a_call_of_the_open_tool_loop_never_goes() {
        let options = Options::default();
        let unneeded = Some(Answer::new(0.1, Some(0.1)));
        assert_eq!(
            decide(unneeded, false, true, &options),
            (Action::DropResult, Reason::CurrentTurn)
        );
        let shortened = Some(Answer::new(0.1, None));
        assert_eq!(
            decide(shortened, true, true, &options),
            (Action::DropResult, Reason::CurrentTurn)
        );
        let needed = Some(Answer::new(0.9, Some(0.1)));
        assert_eq!(
            decide(needed, false, true, &options),
            (Action::DropResult, Reason::ResultNotNeeded)
        );
    }
}
