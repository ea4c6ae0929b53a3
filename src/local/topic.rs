//! Which parts of a chat are about the task that is running now.
//!
//! A segment starts at each user message that holds text. A link says how probable it is that a later segment goes on
//! with an earlier one; the topic of a segment is the best product of links on a path from the last one.

use super::math::{ln, sigmoid};
use super::weights::Link;

/// Segments are bits of a mask; of a longer chat the oldest are one.
pub(super) const MOST_SEGMENTS: usize = 64;
/// How far back a segment looks; the last one looks at all.
const REACH: usize = 40;

/// Rarity of a token, in units of 2^-12, so that sums are exact in any order.
pub(super) type Rarity = u64;
/// One unit of rarity.
const UNIT: f64 = 4096.0;
/// Rarity of a token that only the goal holds.
const GOAL_ONLY: Rarity = 3 * 4096;

/// Rarities by the number of units (text blocks and calls) that hold a token.
pub(super) fn rarities(units: u32) -> Vec<Rarity> {
    let rarity = |holding: u32| {
        let (all, holding) = (f64::from(units), f64::from(holding));
        (UNIT * ln(1.0 + (all - holding + 0.5) / (holding + 0.5)) + 0.5).floor() as Rarity
    };
    // Held by none: only the goal has it.
    std::iter::once(GOAL_ONLY)
        .chain((1..=units).map(rarity))
        .collect()
}

/// Where a token was met, as masks of segments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    /// In texts and inputs, and for the last segment in the goal.
    pub(super) spoken: u64,
    /// In those and in outputs.
    pub(super) known: u64,
    /// In user texts.
    pub(super) user: u64,
    /// In other texts and in inputs.
    pub(super) agent: u64,
    /// In texts and inputs, without the goal.
    pub(super) said: u64,
}

impl Met {
    /// Where the agent said it and the user did not.
    const fn own(self) -> u64 {
        self.agent & !self.user
    }
}

/// Sums over the tokens that two segments share, by later and earlier segment.
struct Pairs(Vec<u64>);

impl Pairs {
    fn new() -> Self {
        Self(vec![0; MOST_SEGMENTS * MOST_SEGMENTS])
    }

    fn add(&mut self, later: usize, mut earlier: u64, amount: u64) {
        let row = self
            .0
            .get_mut(later * MOST_SEGMENTS..(later + 1) * MOST_SEGMENTS)
            .unwrap_or_default();
        while earlier != 0 {
            if let Some(sum) = row.get_mut(earlier.trailing_zeros() as usize) {
                *sum += amount;
            }
            earlier &= earlier - 1;
        }
    }

    fn of(&self, later: usize, earlier: usize) -> u64 {
        self.0
            .get(later * MOST_SEGMENTS + earlier)
            .copied()
            .unwrap_or(0)
    }
}

/// What the segments share, added up token by token.
pub(super) struct Topics {
    known_evidence: Pairs,
    known_words: Pairs,
    common_words: Pairs,
    evidence_again: Pairs,
    agent_evidence: Pairs,
    agent_words: Pairs,
    agent_squares: [u64; MOST_SEGMENTS],
    evidence: [u64; MOST_SEGMENTS],
    words: [u64; MOST_SEGMENTS],
    squares: [u64; MOST_SEGMENTS],
    new_words: [u64; MOST_SEGMENTS],
}

impl Topics {
    pub(super) fn new() -> Self {
        let none = [0; MOST_SEGMENTS];
        Self {
            known_evidence: Pairs::new(),
            known_words: Pairs::new(),
            common_words: Pairs::new(),
            evidence_again: Pairs::new(),
            agent_evidence: Pairs::new(),
            agent_words: Pairs::new(),
            agent_squares: none,
            evidence: none,
            words: none,
            squares: none,
            new_words: none,
        }
    }

    pub(super) fn add_evidence(&mut self, met: Met, rarity: Rarity) {
        for later in bits(met.spoken) {
            add_at(&mut self.evidence, later, rarity);
            self.known_evidence
                .add(later, met.known & below(later), rarity);
        }
        for later in bits(met.said) {
            self.evidence_again
                .add(later, met.said & below(later), rarity);
        }
        for later in bits(met.own()) {
            self.agent_evidence
                .add(later, met.known & below(later), rarity);
        }
    }

    pub(super) fn add_word(&mut self, met: Met, rarity: Rarity) {
        let first = met.known.trailing_zeros() as usize;
        if met.user.checked_shr(first as u32).unwrap_or(0) & 1 == 1 {
            add_at(&mut self.new_words, first, rarity);
        }
        let square = rarity * rarity;
        for later in bits(met.spoken) {
            add_at(&mut self.words, later, rarity);
            add_at(&mut self.squares, later, square);
            self.known_words
                .add(later, met.known & below(later), rarity);
            self.common_words
                .add(later, met.spoken & below(later), square);
        }
        for later in bits(met.own()) {
            add_at(&mut self.agent_squares, later, square);
            self.agent_words.add(later, met.said & below(later), square);
        }
    }

    /// The topic of each segment up to the last one, whose topic is 1.
    pub(super) fn topics(&self, last: usize, weights: &Link) -> Vec<f64> {
        let mut topics = vec![0.0_f64; last + 1];
        for later in (0..=last).rev() {
            if later == last
                && let Some(topic) = topics.last_mut()
            {
                *topic = 1.0;
            }
            let own = topics.get(later).copied().unwrap_or(0.0);
            let first = if later == last {
                0
            } else {
                later.saturating_sub(REACH)
            };
            for earlier in first..later {
                let through = own * self.link(later, earlier, weights);
                if let Some(topic) = topics.get_mut(earlier) {
                    *topic = topic.max(through);
                }
            }
        }
        topics
    }

    fn link(&self, later: usize, earlier: usize, weights: &Link) -> f64 {
        let at =
            |sums: &[u64; MOST_SEGMENTS], segment: usize| sums.get(segment).copied().unwrap_or(0);
        let evidence = real(at(&self.evidence, later));
        let known_evidence = real(self.known_evidence.of(later, earlier)) / (evidence + 3.0);
        let known_words =
            real(self.known_words.of(later, earlier)) / (real(at(&self.words, later)) + 3.0);
        let norms = real_square(at(&self.squares, later)) * real_square(at(&self.squares, earlier));
        let cosine = real_square(self.common_words.of(later, earlier)) / (norms.sqrt() + 1.0);
        let evidence_again = real(self.evidence_again.of(later, earlier))
            / (real(at(&self.evidence, earlier)) + 3.0);
        let agent_norms =
            real_square(at(&self.agent_squares, later)) * real_square(at(&self.squares, earlier));
        let agent_cosine =
            real_square(self.agent_words.of(later, earlier)) / (agent_norms.sqrt() + 1.0);
        let agent_shared = ln(1.0 + real(self.agent_evidence.of(later, earlier)));
        let evidence_mass = ln(1.0 + evidence);
        let new_words = ln(1.0 + real(at(&self.new_words, later)));
        let mut sum = weights.known_evidence * known_evidence;
        sum += weights.known_words * known_words;
        sum += weights.cosine * cosine;
        sum += weights.evidence_mass * evidence_mass;
        sum += weights.new_words * new_words;
        sum += weights.evidence_again * evidence_again;
        sum += weights.agent_cosine * agent_cosine;
        sum += weights.agent_shared * agent_shared;
        sigmoid(weights.base + sum)
    }
}

fn real(rarity: u64) -> f64 {
    rarity as f64 / UNIT
}

fn real_square(square: u64) -> f64 {
    square as f64 / (UNIT * UNIT)
}

fn add_at(sums: &mut [u64; MOST_SEGMENTS], segment: usize, amount: u64) {
    if let Some(sum) = sums.get_mut(segment) {
        *sum += amount;
    }
}

const fn below(segment: usize) -> u64 {
    (1 << segment) - 1
}

fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}
