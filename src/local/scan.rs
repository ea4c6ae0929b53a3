//! One scan of the history: counts tokens and lines, keeps hashes and no text.

use super::kind::{Verb, has_path, verb};
use super::mutating::mutating;
use super::token::{self, Rules};
use super::topic::{MOST_SEGMENTS, Met, Topics, rarities};
use super::weights::{Link, weights};
use super::{Features, Freed, Point, SuggestedCut};
use crate::table::{Table, hash, mix};
use crate::token::{code_points, head, tail};

/// What `drop_result` keeps of an output, in code points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// From the start.
    pub(crate) head_chars: u32,
    /// From the end.
    pub(crate) tail_chars: u32,
}

/// A call with its result, to be fed in the order of the results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange<'a> {
    /// The tool.
    pub(crate) name: &'a str,
    /// The input as the call gives it.
    pub(crate) raw_input: &'a str,
    /// The leaves of the input, one a line.
    pub(crate) input: &'a str,
    /// The text of the output, or both ends of a very long one.
    pub(crate) output: &'a str,
    /// Code points of the whole output, also where `output` is only its ends.
    pub(crate) output_chars: u32,
    /// The segment of the call.
    pub(crate) segment: u32,
}

/// A token and where it was met.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    hash: u64,
    met: Met,
    /// Text blocks and calls that hold it.
    units: u32,
    /// Number of the last such unit.
    unit: u32,
    /// The last exchange whose output holds it, + 1.
    holder: u32,
    /// The last exchange that keeps it when shortened, + 1.
    kept_by: u32,
}

#[derive(Debug, Default)]
struct Tokens {
    table: Table,
    seen: Vec<Seen>,
}

impl Tokens {
    fn at(&mut self, hash: u64) -> (u32, Option<&mut Seen>) {
        let fresh = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        let seen = &self.seen;
        let is_it = |number: u32| {
            seen.get(number as usize)
                .is_some_and(|seen| seen.hash == hash)
        };
        let number = self.table.find_or_insert(hash, fresh, is_it);
        if number == fresh {
            self.seen.push(Seen {
                hash,
                ..Seen::default()
            });
        }
        (number, self.seen.get_mut(number as usize))
    }
}

/// What is kept of an exchange until the scan is over.
#[derive(Debug)]
struct Row {
    segment: u32,
    key: u32,
    nth: u32,
    features: Features,
    /// Evidence of the output beyond what stays of it, as a range of [`Scan::beyond`].
    beyond_end: usize,
    /// Long lines, as a range of [`Scan::held_lines`].
    lines_end: usize,
}

/// The scan.
#[derive(Debug)]
pub(crate) struct Scan {
    merged: u32,
    last_segment: u32,
    kept: Kept,
    rules: Rules,
    units: u32,
    evidence: Tokens,
    words: Tokens,
    lines: Tokens,
    keys: Tokens,
    rows: Vec<Row>,
    beyond: Vec<u32>,
    held_lines: Vec<u32>,
}

/// What a text is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Goal,
    Kept,
    Output,
    Spoken,
    User,
}

/// Counts the tokens of one text.
struct Counter<'s> {
    scan: &'s mut Scan,
    kind: Kind,
    segment: u64,
    exchange: u32,
}

impl token::Sink for Counter<'_> {
    fn evidence(&mut self, hash: u64) {
        let unit = self.scan.units;
        let (number, seen) = self.scan.evidence.at(hash);
        let Some(seen) = seen else {
            return;
        };
        match self.kind {
            Kind::Kept => {
                seen.kept_by = self.exchange;
                return;
            }
            Kind::Output => {
                let is_new = seen.holder != self.exchange;
                seen.holder = self.exchange;
                if is_new && seen.kept_by != self.exchange {
                    self.scan.beyond.push(number);
                }
            }
            Kind::Goal | Kind::Spoken | Kind::User => {}
        }
        note(seen, self.kind, self.segment, unit);
    }

    fn word(&mut self, hash: u64) {
        if self.kind != Kind::Kept {
            let unit = self.scan.units;
            if let (_, Some(seen)) = self.scan.words.at(hash) {
                note(seen, self.kind, self.segment, unit);
            }
        }
    }

    fn wants_lines(&self) -> bool {
        self.kind == Kind::Output
    }

    fn line(&mut self, hash: u64) {
        if let (number, Some(seen)) = self.scan.lines.at(hash)
            && seen.holder != self.exchange
        {
            seen.holder = self.exchange;
            self.scan.held_lines.push(number);
        }
    }
}

fn note(seen: &mut Seen, kind: Kind, segment: u64, unit: u32) {
    // The goal asks for something; it is no part of the chat.
    if kind == Kind::Goal {
        seen.unit = GOAL;
        return;
    }
    seen.met.known |= segment;
    match kind {
        Kind::User => seen.met.user |= segment,
        Kind::Spoken => seen.met.agent |= segment,
        Kind::Goal | Kind::Kept | Kind::Output => {}
    }
    if seen.unit != unit {
        seen.unit = unit;
        seen.units += 1;
    }
}

/// Stands for the goal among the units; it is read last.
const GOAL: u32 = u32::MAX;

fn count(items: impl Iterator) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

impl Scan {
    /// A scan of a history whose last segment has this number: how many user messages hold text.
    pub(crate) fn new(last_segment: u32, kept: Kept, point: Point) -> Self {
        let merged = last_segment.saturating_sub(MOST_SEGMENTS as u32 - 1);
        Self {
            merged,
            last_segment: last_segment - merged,
            kept,
            rules: if point == Point::Study {
                Rules::Study
            } else {
                Rules::All
            },
            units: 0,
            evidence: Tokens::default(),
            words: Tokens::default(),
            lines: Tokens::default(),
            keys: Tokens::default(),
            rows: Vec::new(),
            beyond: Vec::new(),
            held_lines: Vec::new(),
        }
    }

    fn read(&mut self, text: &str, kind: Kind, segment: u32) -> usize {
        let exchange = u32::try_from(self.rows.len() + 1).unwrap_or(u32::MAX);
        token::scan(
            text,
            self.rules,
            &mut Counter {
                kind,
                segment: 1 << segment.saturating_sub(self.merged).min(63),
                exchange,
                scan: self,
            },
        )
    }

    /// A text block; segments count from 0, which is what stands before the first user text.
    pub(crate) fn text(&mut self, text: &str, of_user: bool, segment: u32) {
        self.units += 1;
        self.read(
            text,
            if of_user { Kind::User } else { Kind::Spoken },
            segment,
        );
    }

    /// A call with its result.
    pub(crate) fn exchange(&mut self, exchange: &Exchange<'_>) {
        self.units += 1;
        let segment = exchange.segment;
        // What stays is met first, so that it does not count as lost.
        self.read(
            head(exchange.output, self.kept.head_chars as usize),
            Kind::Kept,
            segment,
        );
        self.read(
            tail(exchange.output, self.kept.tail_chars as usize),
            Kind::Kept,
            segment,
        );
        let paired = self.read(exchange.output, Kind::Output, segment);
        self.read(exchange.input, Kind::Spoken, segment);
        let (key, nth) = self.key(exchange);
        let features = self.features(exchange, paired);
        let (beyond_end, lines_end) = (self.beyond.len(), self.held_lines.len());
        self.rows.push(Row {
            segment: segment.saturating_sub(self.merged),
            key,
            nth,
            features,
            beyond_end,
            lines_end,
        });
    }

    /// Counts calls with the same name and input.
    fn key(&mut self, exchange: &Exchange<'_>) -> (u32, u32) {
        let hash =
            mix(hash(exchange.name.as_bytes())
                ^ hash(exchange.raw_input.as_bytes()).rotate_left(32));
        let (key, seen) = self.keys.at(hash);
        let nth = seen.map_or(0, |seen| {
            seen.units += 1;
            seen.units
        });
        (key, nth)
    }

    fn features(&self, exchange: &Exchange<'_>, paired: usize) -> Features {
        let verb = verb(exchange.name, exchange.input);
        let input_chars = u32::try_from(code_points(exchange.input)).unwrap_or(u32::MAX);
        Features {
            unspoken: 0,
            list: verb == Verb::List,
            search: verb == Verb::Search,
            age: 0,
            same_later: 0,
            superseded: 0.0,
            topic: 0.0,
            later_on_topic: 0.0,
            changes_since: 0.0,
            input_chars,
            path: has_path(exchange.input),
            mutating: mutating(exchange.name, exchange.input),
            cut: SuggestedCut::new(exchange.output, self.kept),
            freed: Freed::new(exchange.output_chars, paired, input_chars, self.kept),
        }
    }

    /// The features of every exchange, in the order they were fed.
    pub(crate) fn finish(mut self, goal: &str, point: Point) -> Vec<Features> {
        let calls = self.rows.len();
        let mut beyond = 0;
        let mut lines = 0;
        let each = |(index, row): (usize, &Row)| {
            let exchange = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let tokens = self.beyond.get(beyond..row.beyond_end).unwrap_or_default();
            let held = self
                .held_lines
                .get(lines..row.lines_end)
                .unwrap_or_default();
            (beyond, lines) = (row.beyond_end, row.lines_end);
            let is_unspoken = |number: &&u32| {
                self.evidence
                    .seen
                    .get(**number as usize)
                    .is_some_and(|seen| seen.holder == exchange && seen.met.said() == 0)
            };
            let is_repeated = |number: &&u32| {
                self.lines
                    .seen
                    .get(**number as usize)
                    .is_some_and(|seen| seen.holder > exchange)
            };
            let same = self
                .keys
                .seen
                .get(row.key as usize)
                .map_or(0, |seen| seen.units);
            Features {
                unspoken: count(tokens.iter().filter(is_unspoken)),
                age: u32::try_from(calls - index).unwrap_or(u32::MAX),
                same_later: same.saturating_sub(row.nth).min(3),
                superseded: held.iter().filter(is_repeated).count() as f64
                    / (1 + held.len()) as f64,
                ..row.features
            }
        };
        let mut features: Vec<Features> = self.rows.iter().enumerate().map(each).collect();
        // What only the goal names does not count as spoken of, so it is read now.
        let topics = self.topics(goal, &weights(point).link);
        let (mut later, mut changes) = (0.0, 0.0);
        for (features, row) in features.iter_mut().zip(&self.rows).rev() {
            features.topic = topics.get(row.segment as usize).copied().unwrap_or(1.0);
            (features.later_on_topic, features.changes_since) = (later, changes);
            later += features.topic;
            if features.mutating {
                changes += features.topic;
            }
        }
        features
    }

    /// Sweeps over the tokens; the goal counts as said in the last segment.
    fn topics(&mut self, goal: &str, link: &Link) -> Vec<f64> {
        let last = self.last_segment;
        self.read(goal, Kind::Goal, last + self.merged);
        let mut topics = Topics::new();
        let rarity = rarities(self.units);
        let rarity_of = |seen: &Seen| rarity.get(seen.units as usize).copied().unwrap_or(0);
        let in_goal = |seen: &Seen| u64::from(seen.unit == GOAL) << last.min(63);
        for seen in &self.evidence.seen {
            topics.add_evidence(seen.met, in_goal(seen), rarity_of(seen));
        }
        for seen in &self.words.seen {
            topics.add_word(seen.met, in_goal(seen), rarity_of(seen));
        }
        topics.topics(last as usize, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chat of tasks with vocabularies of their own, the last of which is gone on with; `segment` numbers its turns.
    fn chat(turns: u32, segment: impl Fn(u32) -> u32) -> Vec<Features> {
        let kept = Kept {
            head_chars: 300,
            tail_chars: 0,
        };
        let mut scan = Scan::new(segment(turns - 1), kept, Point::Balanced);
        // Two turns a task; the last task began ten turns ago and was left for another in between.
        let task = |turn: u32| match turns - turn {
            1 | 2 | 9 | 10 => turns,
            _ => turn / 2,
        };
        let words = |task: u32, turn: u32| {
            (0..12)
                .map(|word| format!("topic{task}word{word} note_{task}_{}", (word + turn) % 7))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for turn in 0..turns {
            let text = format!("please go on with {}", words(task(turn), turn));
            scan.text(&text, true, segment(turn));
        }
        for turn in 0..turns {
            let output = words(task(turn), turn).repeat(4);
            scan.exchange(&Exchange {
                name: "read_file",
                raw_input: "{}",
                input: "",
                output: &output,
                output_chars: 4000,
                segment: segment(turn),
            });
        }
        scan.finish(&words(turns, 0), Point::Balanced)
    }

    #[test]
    fn a_long_chat_is_read_as_if_its_oldest_turns_were_one() {
        let long = chat(150, |turn| turn);
        let merged = chat(150, |turn| turn.saturating_sub(150 - MOST_SEGMENTS as u32));
        let topics = |features: &[Features]| {
            features
                .iter()
                .map(|features| features.topic)
                .collect::<Vec<_>>()
        };
        assert_eq!(topics(&long), topics(&merged));
    }

    #[test]
    fn merging_the_oldest_turns_costs_nothing() {
        let worst = |turns: u32| {
            let (mut on, mut off) = (1.0_f64, 0.0_f64);
            for (turn, features) in (1..=turns).rev().zip(chat(turns, |turn| turn)) {
                if matches!(turn, 1 | 2 | 9 | 10) {
                    on = on.min(features.topic);
                } else {
                    off = off.max(features.topic);
                }
            }
            (on, off)
        };
        let (on, off) = worst(60);
        for turns in [65, 100, 400] {
            let (long_on, long_off) = worst(turns);
            assert!(
                long_on > on - 1e-6,
                "{turns}: the running task stays on topic"
            );
            assert!(long_off < off + 1e-6, "{turns}: ended tasks stay off topic");
        }
    }
}
