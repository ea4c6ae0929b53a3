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
        if !layout.thinking.is_empty() || !layout.asides.is_empty() {
            let leftovers = blocks
                .chunk_by(same_message)
                .flat_map(|removed| leftovers(layout, removed));
            let leftovers: Vec<Place> = leftovers.collect();
            blocks.extend(leftovers);
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

/// What goes as well when these blocks of one message do: thinking that led to nothing else; all of it, and the asides,
/// where nothing else is left.
fn leftovers(layout: &Layout, removed: &[Place]) -> Vec<Place> {
    let Some(message) = removed.first().map(|place| place.message) else {
        return Vec::new();
    };
    let thinking = of_message(&layout.thinking, message, |place| *place);
    let asides = of_message(&layout.asides, message, |(place, _)| *place);
    let light = asides.iter().filter(|(_, aside)| !aside.keeps_message);
    let light: Vec<Place> = light.map(|(place, _)| *place).collect();
    let blocks = length(layout, message);
    if removed.len() + thinking.len() + light.len() == blocks as usize {
        return [thinking, light.as_slice()].concat();
    }
    if thinking.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![Part::Kept; blocks as usize];
    let mut mark = |place: &Place, part: Part| {
        if let Some(slot) = parts.get_mut(place.block as usize) {
            *slot = part;
        }
    };
    removed.iter().for_each(|place| mark(place, Part::Removed));
    thinking
        .iter()
        .for_each(|place| mark(place, Part::Thinking));
    for (place, aside) in asides {
        let part = if aside.ends_step {
            Part::StepEnd
        } else {
            Part::Aside
        };
        mark(place, part);
    }
    orphaned_thinking(message, &parts)
}

/// The entries of one message in a list that is in order.
fn of_message<T>(list: &[T], message: u32, place: impl Fn(&T) -> Place) -> &[T] {
    let from = list.partition_point(|entry| place(entry).message < message);
    let to = list.partition_point(|entry| place(entry).message <= message);
    list.get(from..to).unwrap_or_default()
}

/// What a block is to the thinking before it.
#[derive(Clone, Copy)]
enum Part {
    Aside,
    Kept,
    Removed,
    StepEnd,
    Thinking,
}

/// The thinking of one message that led only to removed blocks: a run of thinking whose followers, up to the next run or
/// the end of the step, are all removed.
fn orphaned_thinking(message: u32, parts: &[Part]) -> Vec<Place> {
    let mut orphans = Vec::new();
    let mut run: Vec<Place> = Vec::new();
    let (mut kept, mut removed) = (false, false);
    for (block, part) in (0..).zip(parts.iter().chain([&Part::StepEnd])) {
        let begins = matches!(part, Part::Thinking) && (kept || removed);
        if begins || matches!(part, Part::StepEnd) {
            if removed && !kept {
                orphans.append(&mut run);
            }
            run.clear();
            (kept, removed) = (false, false);
        }
        match part {
            Part::Aside | Part::StepEnd => {}
            Part::Kept => kept = true,
            Part::Removed => removed = true,
            Part::Thinking => run.push(Place { message, block }),
        }
    }
    orphans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Aside;
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
            ties: crate::message::Ties::default(),
            exclusion: None,
        };
        let layout = Layout {
            lengths: lengths.to_vec(),
            thinking: thinking.to_vec(),
            attachments: attachments.to_vec(),
            asides: Vec::new(),
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

    #[test]
    fn asides_go_with_their_message_and_end_what_thinking_leads_to() {
        // step start, thinking, source, call, result, step start, thinking, host data, call, result
        let calls = [(at(1, 3), at(1, 4)), (at(1, 8), at(1, 9))];
        let mut plan = plan(&[1, 10], &calls, &[at(1, 1), at(1, 6)], &[]);
        let step = Aside {
            ends_step: true,
            keeps_message: false,
        };
        let data = Aside {
            ends_step: false,
            keeps_message: true,
        };
        plan.layout.asides = vec![
            (at(1, 0), step),
            (at(1, 2), Aside::default()),
            (at(1, 5), step),
            (at(1, 7), data),
        ];
        let first = Removal::new(&plan, &[true, false]);
        assert_eq!(first.blocks, [at(1, 1), at(1, 3), at(1, 4)]);
        let both = Removal::new(&plan, &[true, true]);
        let left = (0..10).filter(|block| !both.blocks.contains(&at(1, *block)));
        assert_eq!(left.collect::<Vec<_>>(), [0, 2, 5, 7]);
        plan.layout.asides.pop();
        plan.layout.asides.push((at(1, 7), Aside::default()));
        assert_eq!(
            Removal::new(&plan, &[true, true]).message_map,
            [Some(0), None]
        );
    }
}
