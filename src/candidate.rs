//! Which pairs may be asked about, and why the others may not.

use crate::message::{CallState, Output, ResultState, Role, Snapshot};
use crate::options::Options;
use crate::pair::Pair;

/// Why a pair is protected, whatever the probabilities.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Exclusion {
    /// The call's state is not `finished`.
    CallNotFinished,
    /// The output is neither a string nor a non-empty list of text blocks.
    NonTextOutput,
    /// The request lists the call.
    ProtectedCall,
    /// Either end is in message 0, in the recent messages, in a system message or in a listed one.
    ProtectedMessage,
    /// The chat format ties the call to something else.
    ProviderBound,
    /// The result's state is not `success`.
    ResultNotSuccess,
    /// The output is shorter than `min_result_chars`.
    TooSmall,
    /// Call and result name different tools.
    ToolNameMismatch,
    /// The request does not list the tool.
    ToolNotEligible,
}

impl Exclusion {
    /// The `reason` of the pair's decision.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallNotFinished => "call_not_finished",
            Self::NonTextOutput => "non_text_output",
            Self::ProtectedCall => "protected_call",
            Self::ProtectedMessage => "protected_message",
            Self::ProviderBound => "provider_bound",
            Self::ResultNotSuccess => "result_not_success",
            Self::TooSmall => "too_small",
            Self::ToolNameMismatch => "tool_name_mismatch",
            Self::ToolNotEligible => "tool_not_eligible",
        }
    }
}

/// Whether each message is protected: the first one, the last `preserve_recent_messages`, system messages and the
/// listed ones.
///
/// To protect something else, the last turn say, is to change the rule here: pairs and view both follow this list.
pub(crate) fn protected_messages(snapshot: &Snapshot<'_>, options: &Options) -> Vec<bool> {
    let recent = snapshot
        .messages
        .len()
        .saturating_sub(options.preserve_recent_messages as usize);
    let rule = |(index, message): (usize, &crate::message::Message)| {
        index == 0 || index >= recent || message.role == Role::System || message.listed
    };
    snapshot.messages.iter().enumerate().map(rule).collect()
}

/// The first rule that protects a pair, in the order of the contract.
pub(crate) fn exclusion(
    pair: &Pair<'_>,
    snapshot: &Snapshot<'_>,
    protected: &[bool],
    options: &Options,
) -> Option<Exclusion> {
    let is_protected = |message: u32| protected.get(message as usize).copied().unwrap_or(true);
    let rules = [
        (
            is_protected(pair.call_at.message) || is_protected(pair.result_at.message),
            Exclusion::ProtectedMessage,
        ),
        (pair.call.listed, Exclusion::ProtectedCall),
        (pair.call.ties.bound, Exclusion::ProviderBound),
        (
            !snapshot
                .tool(pair.call.tool)
                .is_some_and(|tool| tool.eligible),
            Exclusion::ToolNotEligible,
        ),
        (
            pair.call.state != CallState::Finished,
            Exclusion::CallNotFinished,
        ),
        (
            pair.result.state != ResultState::Success,
            Exclusion::ResultNotSuccess,
        ),
        (
            pair.call.tool != pair.result.tool,
            Exclusion::ToolNameMismatch,
        ),
        (
            pair.result.output == Output::NotText,
            Exclusion::NonTextOutput,
        ),
        (
            chars(pair.result.output) < options.min_result_chars,
            Exclusion::TooSmall,
        ),
    ];
    rules
        .into_iter()
        .find(|(holds, _)| *holds)
        .map(|(_, exclusion)| exclusion)
}

/// Code points of an output as it stands.
pub(crate) const fn chars(output: Output) -> u32 {
    match output {
        Output::NotText => 0,
        Output::Text { chars, .. } => chars,
    }
}
