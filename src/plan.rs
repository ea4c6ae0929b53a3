//! What is settled before anybody is asked: the pairs, which of them are candidates, and the shape of the history.
//!
//! Owned, without any text: it outlives the snapshot, so that nothing is borrowed while answers are awaited.

use crate::candidate::{self, Exclusion};
use crate::message::{
    Aside, Block, GroupNumber, IdNumber, Label, Output, Place, Snapshot, Ties, ToolNumber,
};
use crate::options::{Options, ThinkingWithCall};
use crate::pair::{Pair, Pairing};
use crate::token::code_points;

/// The pairs of a history and where everything stands.
#[derive(Debug)]
pub struct Plan {
    pub(crate) pairs: Vec<PlannedPair>,
    pub(crate) layout: Layout,
    pub(crate) options: Options,
    pub(crate) duplicates: u32,
    pub(crate) unpaired: u32,
}

/// One pair, named by its position: the first is `t1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedPair {
    pub(crate) call_at: Place,
    pub(crate) result_at: Place,
    pub(crate) tool: Option<ToolNumber>,
    /// Code points of the output as it stands.
    pub(crate) chars: u32,
    /// Code points before an earlier run shortened it.
    pub(crate) original: Option<u32>,
    pub(crate) input_chars: u32,
    pub(crate) label: Label,
    pub(crate) group: Option<GroupNumber>,
    pub(crate) ties: Ties,
    pub(crate) exclusion: Option<Exclusion>,
}

/// The shape of the history, as far as removing blocks depends on it.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Blocks of each message.
    pub(crate) lengths: Vec<u32>,
    /// Thinking blocks; empty where thinking always stays.
    pub(crate) thinking: Vec<Place>,
    /// Blocks that go with a pair, by the pair's position.
    pub(crate) attachments: Vec<(Place, u32)>,
    /// Blocks that no thinking leads to.
    pub(crate) asides: Vec<(Place, Aside)>,
    /// Groups that hold something that stays.
    pub(crate) frozen_groups: Vec<GroupNumber>,
}

impl PlannedPair {
    /// Whether the pair may be asked about.
    pub(crate) const fn is_candidate(&self) -> bool {
        self.exclusion.is_none()
    }
}

impl Plan {
    /// Pairs a history and applies the rules of protection. Linear in blocks and inputs.
    pub(crate) fn new(snapshot: &Snapshot<'_>, pairing: &Pairing<'_>, options: &Options) -> Self {
        let protected = candidate::protected_messages(snapshot, options);
        let attachments = attachments(snapshot, pairing);
        let mut pairs: Vec<_> = pairing
            .pairs()
            .map(|pair| plan_pair(pair, snapshot, &protected, options))
            .collect();
        for (place, pair) in &attachments {
            if protected.get(place.message as usize) == Some(&true)
                && let Some(pair) = pairs.get_mut(*pair as usize)
            {
                pair.exclusion = Some(Exclusion::ProtectedMessage);
            }
        }
        let layout = Layout {
            lengths: snapshot
                .messages
                .iter()
                .map(|message| message.blocks)
                .collect(),
            thinking: match options.thinking_with_call {
                ThinkingWithCall::Drop => thinking(snapshot),
                ThinkingWithCall::Keep => Vec::new(),
            },
            attachments,
            asides: asides(snapshot),
            frozen_groups: frozen_groups(snapshot, pairing),
        };
        Self {
            pairs,
            layout,
            options: options.clone(),
            duplicates: pairing.duplicates,
            unpaired: pairing.unpaired,
        }
    }

    /// Positions of the pairs that may be asked about.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = (u32, &PlannedPair)> {
        (0..)
            .zip(&self.pairs)
            .filter(|(_, pair)| pair.is_candidate())
    }
}

fn plan_pair(
    pair: &Pair<'_>,
    snapshot: &Snapshot<'_>,
    protected: &[bool],
    options: &Options,
) -> PlannedPair {
    PlannedPair {
        call_at: pair.call_at,
        result_at: pair.result_at,
        tool: pair.call.tool,
        chars: candidate::chars(pair.result.output),
        original: match pair.result.output {
            Output::NotText => None,
            Output::Text { original, .. } => original,
        },
        input_chars: u32::try_from(code_points(pair.call.input.as_deref().unwrap_or_default()))
            .unwrap_or(u32::MAX),
        label: pair.call.label,
        group: pair.call.group,
        ties: pair.call.ties,
        exclusion: candidate::exclusion(pair, snapshot, protected, options),
    }
}

fn thinking(snapshot: &Snapshot<'_>) -> Vec<Place> {
    snapshot
        .each_block()
        .filter(|(_, block)| matches!(block, Block::Thinking))
        .map(|(place, _)| place)
        .collect()
}

fn asides(snapshot: &Snapshot<'_>) -> Vec<(Place, Aside)> {
    let aside = |(place, block): (Place, &Block<'_>)| match block {
        Block::Aside(aside) => Some((place, *aside)),
        Block::Attachment(_)
        | Block::Call(_)
        | Block::Other
        | Block::Result(_)
        | Block::Text(_)
        | Block::Thinking => None,
    };
    snapshot.each_block().filter_map(aside).collect()
}

fn attachments(snapshot: &Snapshot<'_>, pairing: &Pairing<'_>) -> Vec<(Place, u32)> {
    let attached = |(place, block): (Place, &Block<'_>)| match block {
        Block::Attachment(id) => Some((place, *id)),
        Block::Aside(_)
        | Block::Call(_)
        | Block::Other
        | Block::Result(_)
        | Block::Text(_)
        | Block::Thinking => None,
    };
    let places: Vec<(Place, IdNumber)> = snapshot.each_block().filter_map(attached).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let mut pair_of = vec![None; snapshot.ids as usize];
    for (position, pair) in (0..).zip(pairing.pairs()) {
        if let Some(slot) = pair.call.id.and_then(|id| pair_of.get_mut(id as usize)) {
            *slot = Some(position);
        }
    }
    places
        .into_iter()
        .filter_map(|(place, id)| Some((place, (*pair_of.get(id as usize)?)?)))
        .collect()
}

fn frozen_groups(snapshot: &Snapshot<'_>, pairing: &Pairing<'_>) -> Vec<GroupNumber> {
    let mut pairs = pairing.pairs().map(|pair| pair.call_at).peekable();
    let mut frozen = Vec::new();
    for (place, block) in snapshot.each_block() {
        let paired = pairs.next_if_eq(&place).is_some();
        if let Block::Call(call) = block
            && let Some(group) = call.group
            && (!paired || call.ties.group_stays)
        {
            frozen.push(group);
        }
    }
    frozen
}
