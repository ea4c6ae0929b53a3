//! Which blocks and messages go once it is known which pairs do.

use crate::message::Place;
use crate::plan::{Layout, Plan};

/// What is taken out of the history. Locations count in the input.
#[derive(Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Removal {
    /// Every removed block, in order.
    pub blocks: Vec<Place>,
    /// For each message of the input its index in the result, or `None` where it is removed.
    pub message_map: Vec<Option<u32>>,
}

impl Removal {
    /// Removes the pairs at these positions with what hangs on them. A message goes only if that emptied it.
    pub(crate) fn new(plan: &Plan, pair_is_removed: &[bool]) -> Self {
        let layout = &plan.layout;
        let is_removed = |position: u32| pair_is_removed.get(position as usize) == Some(&true);
        let mut blocks: Vec<Place> = Vec::new();
        for (position, pair) in (0..).zip(&plan.pairs) {
            if is_removed(position) {
                blocks.extend([pair.call_at, pair.result_at]);
            }
        }
        let attached = layout
            .attachments
            .iter()
            .filter(|(_, pair)| is_removed(*pair));
        blocks.extend(attached.map(|(place, _)| *place));
        blocks = in_order(&blocks);
        if !layout.thinking.is_empty() {
            let orphans = blocks
                .chunk_by(same_message)
                .flat_map(|removed| orphaned_thinking(layout, removed));
            let thinking: Vec<Place> = orphans.collect();
            blocks.extend(thinking);
            blocks = in_order(&blocks);
        }
        Self {
            message_map: message_map(layout, &blocks),
            blocks,
        }
    }
}

/// Sorts places; one sort of plain numbers serves the whole crate.
fn in_order(places: &[Place]) -> Vec<Place> {
    let mut keys: Vec<u64> = places.iter().map(|place| place.key()).collect();
    keys.sort_unstable();
    keys.into_iter().map(Place::from_key).collect()
}

fn same_message(one: &Place, other: &Place) -> bool {
    one.message == other.message
}

fn length(layout: &Layout, message: u32) -> u32 {
    layout.lengths.get(message as usize).copied().unwrap_or(0)
}

fn message_map(layout: &Layout, removed: &[Place]) -> Vec<Option<u32>> {
    let mut emptied = removed
        .chunk_by(same_message)
        .filter_map(|blocks| {
            blocks
                .first()
                .filter(|first| blocks.len() == length(layout, first.message) as usize)
        })
        .map(|first| first.message)
        .peekable();
    let mut next = 0;
    let mut place = |message: u32| {
        if emptied.next_if_eq(&message).is_some() {
            return None;
        }
        next += 1;
        Some(next - 1)
    };
    (0..)
        .zip(&layout.lengths)
        .map(|(message, _)| place(message))
        .collect()
}

/// The thinking of one message that led only to removed blocks: a run of thinking blocks whose followers, up to the
/// next run, are all removed; and all of it where nothing else is left.
fn orphaned_thinking(layout: &Layout, removed: &[Place]) -> Vec<Place> {
    let Some(message) = removed.first().map(|place| place.message) else {
        return Vec::new();
    };
    let from = layout
        .thinking
        .partition_point(|place| place.message < message);
    let thinking: Vec<Place> = layout
        .thinking
        .iter()
        .skip(from)
        .take_while(|place| place.message == message)
        .copied()
        .collect();
    let blocks = length(layout, message);
    if removed.len() + thinking.len() == blocks as usize {
        return thinking;
    }
    let mut orphans = Vec::new();
    let mut runs = thinking
        .chunk_by(|one, next| one.block + 1 == next.block)
        .peekable();
    while let Some(run) = runs.next() {
        let start = run.last().map_or(0, |place| place.block + 1);
        let end = runs
            .peek()
            .and_then(|next| next.first())
            .map_or(blocks, |place| place.block);
        let before = |block: u32| removed.partition_point(|place| place.block < block);
        let gone = before(end) - before(start);
        if end > start && gone == (end - start) as usize {
            orphans.extend(run);
        }
    }
    orphans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::plan::PlannedPair;

    const fn at(message: u32, block: u32) -> Place {
        Place { message, block }
    }

    fn plan(
        lengths: &[u32],
        pairs: &[(Place, Place)],
        thinking: &[Place],
        attachments: &[(Place, u32)],
    ) -> Plan {
        let pair = |&(call_at, result_at): &(Place, Place)| PlannedPair {
            call_at,
            result_at,
            tool: None,
            chars: 0,
            original: None,
            input_chars: 0,
            label: crate::message::Label::default(),
            group: None,
            exclusion: None,
        };
        let layout = Layout {
            lengths: lengths.to_vec(),
            thinking: thinking.to_vec(),
            attachments: attachments.to_vec(),
            frozen_groups: Vec::new(),
        };
        Plan {
            pairs: pairs.iter().map(pair).collect(),
            layout,
            options: Options::default(),
            duplicates: 0,
            unpaired: 0,
        }
    }

    #[test]
    fn a_message_goes_only_if_its_last_block_did() {
        let plan = plan(
            &[1, 2, 0, 3],
            &[(at(1, 0), at(1, 1)), (at(3, 0), at(3, 1))],
            &[],
            &[],
        );
        let removal = Removal::new(&plan, &[true, true]);
        assert_eq!(removal.message_map, [Some(0), None, Some(1), Some(2)]);
        assert_eq!(removal.blocks, [at(1, 0), at(1, 1), at(3, 0), at(3, 1)]);
    }

    #[test]
    fn attachments_go_with_their_call() {
        let plan = plan(&[1, 2, 1], &[(at(1, 0), at(1, 1))], &[], &[(at(2, 0), 0)]);
        assert_eq!(
            Removal::new(&plan, &[true]).message_map,
            [Some(0), None, None]
        );
        assert_eq!(
            Removal::new(&plan, &[false]).message_map,
            [Some(0), Some(1), Some(2)]
        );
    }

    #[test]
    fn thinking_goes_when_all_it_led_to_is_gone() {
        // thinking, call, result, thinking, text, call, result, thinking
        let thinking = [at(1, 0), at(1, 3), at(1, 7)];
        let plan = plan(
            &[1, 8],
            &[(at(1, 1), at(1, 2)), (at(1, 5), at(1, 6))],
            &thinking,
            &[],
        );
        let blocks = |removed: &[bool]| Removal::new(&plan, removed).blocks;
        assert_eq!(blocks(&[true, false]), [at(1, 0), at(1, 1), at(1, 2)]);
        assert_eq!(blocks(&[false, true]), [at(1, 5), at(1, 6)]);
    }

    #[test]
    fn a_message_left_with_thinking_alone_counts_as_emptied() {
        let plan = plan(
            &[1, 3, 1],
            &[(at(1, 0), at(1, 1))],
            &[at(1, 2), at(2, 0)],
            &[],
        );
        let removal = Removal::new(&plan, &[true]);
        // A message that held only thinking before stays.
        assert_eq!(removal.message_map, [Some(0), None, Some(1)]);
    }
}
