//! Pairs: a call with its result, by block id.

use crate::input;
use crate::message::{Block, Call, IdNumber, Place, Snapshot, ToolResult};

/// A call and its result that take part in the compaction. Pairs are named `t1`, `t2`, … in the order of the calls.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) call_at: Place,
    pub(crate) result_at: Place,
    pub(crate) call: &'a Call<'a>,
    pub(crate) result: &'a ToolResult,
}

/// How the call and result blocks of a snapshot belong together.
#[derive(Debug, Default)]
pub(crate) struct Pairing<'a> {
    /// Calls whose id is carried by exactly one call and one result block, the result after the call, in the
    /// order of the calls: what the local model reads. A link whose input is a JSON object is a pair.
    pub(crate) links: Vec<Link<'a>>,
    /// Call and result blocks whose id is carried by more than one call block or more than one result block.
    pub(crate) duplicates: u32,
    /// Other call and result blocks that are in no pair.
    pub(crate) unpaired: u32,
}

/// A call that has exactly one result.
#[derive(Clone, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) pair: Pair<'a>,
    /// Whether the input is the text of a JSON object.
    pub(crate) takes_part: bool,
    /// Position of the result among all result blocks.
    pub(crate) result_order: u32,
}

/// What is known of one id.
#[derive(Clone, Copy, Default)]
struct Holders {
    calls: u32,
    results: u32,
    /// Index of the one result among all blocks.
    result: u32,
}

impl<'a> Pairing<'a> {
    /// Links calls with results. Linear in blocks and inputs.
    pub(crate) fn new(snapshot: &'a Snapshot<'a>) -> Self {
        let holders = count_holders(snapshot);
        let of = |id: Option<IdNumber>| {
            id.and_then(|id| holders.get(id as usize))
                .copied()
                .unwrap_or_default()
        };
        let places = result_places(snapshot);
        let mut pairing = Self::default();
        let mut ends = 0;
        let mut paired = 0;
        for (call_at, block) in snapshot.each_block() {
            let id = match block {
                Block::Call(call) => call.id,
                Block::Result(result) => result.id,
                Block::Aside(_)
                | Block::Attachment(_)
                | Block::Other
                | Block::Text(_)
                | Block::Thinking => continue,
            };
            ends += 1;
            let held = of(id);
            if held.calls > 1 || held.results > 1 {
                pairing.duplicates += 1;
                continue;
            }
            if let Block::Call(call) = block
                && let Some((result_at, result)) = places.get(held.result as usize).copied()
                && held.results == 1
                && result_at > call_at
            {
                let takes_part = call.input.as_deref().is_some_and(input::is_object);
                paired += 2 * u32::from(takes_part);
                pairing.links.push(Link {
                    pair: Pair {
                        call_at,
                        result_at,
                        call,
                        result,
                    },
                    takes_part,
                    result_order: held.result,
                });
            }
        }
        pairing.unpaired = ends - paired - pairing.duplicates;
        pairing
    }

    /// The links in the order of their results, each with the position of its pair where it takes part.
    pub(crate) fn by_result(&self) -> Vec<(Option<usize>, &Link<'a>)> {
        let results = self
            .links
            .iter()
            .map(|link| link.result_order as usize + 1)
            .max()
            .unwrap_or(0);
        let mut slots = vec![None; results];
        let mut positions = 0..;
        for link in &self.links {
            let position = if link.takes_part {
                positions.next()
            } else {
                None
            };
            if let Some(slot) = slots.get_mut(link.result_order as usize) {
                *slot = Some((position, link));
            }
        }
        slots.into_iter().flatten().collect()
    }

    /// The pairs, in the order of their names.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &Pair<'a>> {
        self.links
            .iter()
            .filter(|link| link.takes_part)
            .map(|link| &link.pair)
    }
}

fn result_places<'a>(snapshot: &'a Snapshot<'a>) -> Vec<(Place, &'a ToolResult)> {
    let result = |(place, block): (Place, &'a Block<'a>)| match block {
        Block::Result(result) => Some((place, result)),
        Block::Aside(_)
        | Block::Attachment(_)
        | Block::Call(_)
        | Block::Other
        | Block::Text(_)
        | Block::Thinking => None,
    };
    snapshot.each_block().filter_map(result).collect()
}

fn count_holders(snapshot: &Snapshot<'_>) -> Vec<Holders> {
    let mut holders = vec![Holders::default(); snapshot.ids as usize];
    let mut results = 0;
    for block in &snapshot.blocks {
        match block {
            Block::Call(call) => {
                if let Some(holder) = call.id.and_then(|id| holders.get_mut(id as usize)) {
                    holder.calls += 1;
                }
            }
            Block::Result(result) => {
                if let Some(holder) = result.id.and_then(|id| holders.get_mut(id as usize)) {
                    holder.results += 1;
                    holder.result = results;
                }
                results += 1;
            }
            Block::Aside(_)
            | Block::Attachment(_)
            | Block::Other
            | Block::Text(_)
            | Block::Thinking => {}
        }
    }
    holders
}
