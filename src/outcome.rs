//! The decisions and what they save.

use crate::candidate::Exclusion;
use crate::decide::{Action, Answer, Reason, decide};
use crate::edit::Removal;
use crate::local::{Explanation, SuggestedCut};
use crate::marker::Cut;
use crate::message::{Place, ToolNumber};
use crate::options::{DropCallMode, Language};
use crate::plan::{Plan, PlannedPair};

/// The proposed snapshot, as edits of the input.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// One for each pair, in the order of the calls.
    pub decisions: Vec<Decision>,
    /// What is taken out.
    pub removal: Removal,
    /// The counts of the report.
    pub counts: Counts,
}

/// What becomes of one pair.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// Where the call stands.
    pub call_at: Place,
    /// Where the result stands.
    pub result_at: Place,
    /// The tool, where its name is a string.
    pub tool: Option<ToolNumber>,
    /// What is done.
    pub action: Action,
    /// Why.
    pub reason: Why,
    /// Whether the action changed anything.
    pub applied: bool,
    /// Code points saved: of the output less the marker, for a removed pair output and input.
    pub saved_chars: u32,
    /// What was answered.
    pub answer: Option<Answer>,
    /// How the output is cut, where it is replaced.
    pub cut: Option<Cut>,
    /// What the embedded model's answer is made of.
    pub explanation: Option<Explanation>,
}

/// The reason of a decision.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// A candidate's reason.
    Decided(Reason),
    /// A protected pair's reason.
    Protected(Exclusion),
}

impl Why {
    /// The word of the result.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Decided(reason) => reason.as_str(),
            Self::Protected(exclusion) => exclusion.as_str(),
        }
    }
}

/// Numbers of the report that the core knows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Whether anything changed.
    pub changed: bool,
    /// Pairs that could be asked about.
    pub candidates: u32,
    /// Pairs that could not.
    pub protected: u32,
    /// Call and result blocks left alone because their id is not unique.
    pub duplicate_ids: u32,
    /// Other call and result blocks that are in no pair.
    pub unpaired: u32,
    /// Index of the first message that differs from the input.
    pub first_changed_message: Option<u32>,
    /// Decisions to keep, protected pairs included.
    pub keep: u32,
    /// Decisions to shorten.
    pub drop_result: u32,
    /// Decisions to remove.
    pub drop_call: u32,
    /// Code points that dropping every candidate would have saved.
    pub max_saved_chars: u64,
}

/// What doing an action to a pair changes.
#[derive(Clone, Copy, Default)]
struct Effect {
    applied: bool,
    saved: u32,
    cut: Option<Cut>,
}

impl Outcome {
    /// Decides every pair; `answer` gives what was said of the candidate at a position.
    pub(crate) fn new(
        plan: &Plan,
        language: Language,
        answer: impl Fn(u32) -> Option<Answer>,
    ) -> Self {
        let mut decisions: Vec<Decision> = (0..)
            .zip(&plan.pairs)
            .map(|(position, pair)| first_decision(plan, pair, answer(position)))
            .collect();
        keep_groups_whole(plan, &mut decisions);
        for (decision, pair) in decisions.iter_mut().zip(&plan.pairs) {
            let cut = decision.answer.and_then(|answer| answer.cut);
            let effect = effect(decision.action, pair, plan, cut, language);
            (decision.applied, decision.saved_chars, decision.cut) =
                (effect.applied, effect.saved, effect.cut);
        }
        let saved: u64 = decisions
            .iter()
            .map(|decision| u64::from(decision.saved_chars))
            .sum();
        if saved < u64::from(plan.options.min_saved_chars) {
            withdraw(&mut decisions);
        }
        let goes = |decision: &Decision| {
            decision.applied && decision.action == Action::DropCall && decision.cut.is_none()
        };
        let removal = Removal::new(plan, &decisions.iter().map(goes).collect::<Vec<_>>());
        let counts = count(plan, language, &decisions, &removal);
        Self {
            decisions,
            removal,
            counts,
        }
    }
}

fn first_decision(plan: &Plan, pair: &PlannedPair, answer: Option<Answer>) -> Decision {
    let (action, reason, answer) = match pair.exclusion {
        Some(exclusion) => (Action::Keep, Why::Protected(exclusion), None),
        None => {
            let (action, reason) = decide(
                answer,
                pair.original.is_some(),
                pair.ties.stays,
                &plan.options,
            );
            (action, Why::Decided(reason), answer)
        }
    };
    Decision {
        call_at: pair.call_at,
        result_at: pair.result_at,
        tool: pair.tool,
        action,
        reason,
        applied: false,
        saved_chars: 0,
        answer,
        cut: None,
        explanation: None,
    }
}

/// Calls that are accepted only together go together or not at all.
fn keep_groups_whole(plan: &Plan, decisions: &mut [Decision]) {
    let mut kept: Vec<u64> = plan
        .layout
        .frozen_groups
        .iter()
        .map(|&group| group.into())
        .collect();
    let grouped = plan.pairs.iter().zip(decisions.iter());
    let stays = grouped.filter(|(_, decision)| decision.action != Action::DropCall);
    kept.extend(stays.filter_map(|(pair, _)| pair.group).map(u64::from));
    if kept.is_empty() {
        return;
    }
    kept.sort_unstable();
    for (pair, decision) in plan.pairs.iter().zip(decisions) {
        let mixed = pair
            .group
            .is_some_and(|group| kept.binary_search(&group.into()).is_ok());
        if mixed && !pair.ties.follows && decision.action == Action::DropCall {
            decision.action = Action::DropResult;
            decision.reason = Why::Decided(Reason::GroupKept);
        }
    }
}

/// The most that can be done with a pair.
const fn most_of(pair: &PlannedPair) -> Action {
    if pair.ties.stays {
        Action::DropResult
    } else {
        Action::DropCall
    }
}

fn effect(
    action: Action,
    pair: &PlannedPair,
    plan: &Plan,
    cut: Option<SuggestedCut>,
    language: Language,
) -> Effect {
    let options = &plan.options;
    let (head, tail) = cut.map_or(
        (options.truncate_head_chars, options.truncate_tail_chars),
        |cut| (cut.head, cut.tail),
    );
    match action {
        Action::Keep => Effect::default(),
        Action::DropCall if options.drop_call_mode == DropCallMode::Remove => Effect {
            applied: true,
            saved: pair.chars.saturating_add(pair.input_chars),
            cut: None,
        },
        Action::DropCall => shorten(pair, 0, 0, language),
        Action::DropResult => shorten(pair, head, tail, language),
    }
}

/// Cuts an output where that makes it shorter; one that carries its marker is never cut again.
fn shorten(pair: &PlannedPair, head: u32, tail: u32, language: Language) -> Effect {
    let head = head.min(pair.chars);
    let cut = Cut {
        head,
        tail: tail.min(pair.chars - head),
        total: pair.chars,
    };
    let new = cut.new_chars(language, pair.label);
    if pair.original.is_some() || new >= pair.chars {
        return Effect::default();
    }
    Effect {
        applied: true,
        saved: pair.chars - new,
        cut: Some(cut),
    }
}

/// A proposal that saves too little is not made.
fn withdraw(decisions: &mut [Decision]) {
    for decision in decisions {
        decision.applied = false;
        decision.saved_chars = 0;
        decision.cut = None;
    }
}

fn count(plan: &Plan, language: Language, decisions: &[Decision], removal: &Removal) -> Counts {
    let of = |action: Action| {
        count_of(
            decisions
                .iter()
                .filter(|decision| decision.action == action),
        )
    };
    let candidates = count_of(plan.candidates());
    let most = plan
        .candidates()
        .map(|(_, pair)| u64::from(effect(most_of(pair), pair, plan, None, language).saved))
        .sum();
    let replaced = decisions
        .iter()
        .filter(|decision| decision.cut.is_some())
        .map(|decision| decision.result_at.message);
    Counts {
        changed: decisions.iter().any(|decision| decision.applied),
        candidates,
        protected: count_of(&plan.pairs) - candidates,
        duplicate_ids: plan.duplicates,
        unpaired: plan.unpaired,
        first_changed_message: replaced
            .chain(removal.blocks.iter().map(|place| place.message))
            .min(),
        keep: of(Action::Keep),
        drop_result: of(Action::DropResult),
        drop_call: of(Action::DropCall),
        max_saved_chars: most,
    }
}

fn count_of<T>(items: impl IntoIterator<Item = T>) -> u32 {
    u32::try_from(items.into_iter().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::message::{
        Block, Call, CallState, Label, Message, Output, ResultState, Role, Snapshot, Ties, Tool,
        ToolResult,
    };
    use crate::options::Options;

    fn message(role: Role, blocks: u32) -> Message {
        Message {
            role,
            listed: false,
            starts_task: false,
            blocks,
        }
    }

    fn call(id: u32, group: Option<u32>, ties: Ties) -> Block<'static> {
        Block::Call(Call {
            id: Some(id),
            tool: Some(0),
            input: Some(Cow::Borrowed("{}")),
            state: CallState::Finished,
            listed: false,
            group,
            ties,
            label: Label::default(),
        })
    }

    fn result(id: u32) -> Block<'static> {
        Block::Result(ToolResult {
            id: Some(id),
            tool: Some(0),
            state: ResultState::Success,
            output: Output::Text {
                chars: 2000,
                original: None,
            },
        })
    }

    /// What becomes of two calls of one message, neither of which is needed.
    fn decided(calls: [(Option<u32>, Ties); 2]) -> Vec<(Action, &'static str)> {
        let [(group, ties), (other_group, other_ties)] = calls;
        let snapshot = Snapshot {
            messages: vec![
                message(Role::User, 1),
                message(Role::Assistant, 2),
                message(Role::Assistant, 2),
            ],
            blocks: vec![
                Block::Text(Cow::Borrowed("Go.")),
                call(0, group, ties),
                call(1, other_group, other_ties),
                result(0),
                result(1),
            ],
            tools: vec![Tool {
                name: Cow::Borrowed("read"),
                eligible: true,
            }],
            ids: 2,
        };
        let options = Options {
            preserve_recent_messages: 0,
            ..Options::default()
        };
        let answer = |_| Some(Answer::new(0.0, Some(0.0)));
        let outcome = snapshot.decide(&options, Language::English, answer);
        let decision = |decision: &Decision| (decision.action, decision.reason.as_str());
        outcome.decisions.iter().map(decision).collect()
    }

    #[test]
    fn calls_of_a_group_go_together_or_not_at_all() {
        let free = Ties::default();
        let stays = Ties {
            stays: true,
            ..free
        };
        let bound = Ties {
            bound: true,
            ..free
        };
        let beside = Ties {
            group_stays: true,
            ..free
        };
        let gone = (Action::DropCall, "call_not_needed");
        let kept_by_group = (Action::DropResult, "group_kept");
        let current = (Action::DropResult, "current_turn");
        let tied = (Action::Keep, "provider_bound");
        assert_eq!(decided([(None, stays), (None, free)]), [current, gone]);
        assert_eq!(decided([(None, bound), (None, free)]), [tied, gone]);
        assert_eq!(decided([(Some(1), free), (Some(1), free)]), [gone, gone]);
        assert_eq!(
            decided([(Some(1), stays), (Some(1), free)]),
            [current, kept_by_group]
        );
        assert_eq!(
            decided([(Some(1), bound), (Some(1), free)]),
            [tied, kept_by_group]
        );
        assert_eq!(
            decided([(Some(1), beside), (Some(2), free)]),
            [kept_by_group, gone]
        );
        let follows = Ties {
            follows: true,
            ..free
        };
        let following_bound = Ties {
            bound: true,
            ..follows
        };
        assert_eq!(decided([(Some(1), free), (Some(1), follows)]), [gone, gone]);
        assert_eq!(
            decided([(Some(1), bound), (Some(1), follows)]),
            [tied, gone]
        );
        assert_eq!(
            decided([(Some(1), free), (Some(1), following_bound)]),
            [kept_by_group, tied]
        );
    }
}
