//! One scan of the history: counts tokens and lines, keeps hashes and no text.

use super::kind::{has_path, verb};
use super::math::ln;
use super::mutating::mutating;
use super::token::{self, long_lines};
use super::topic::{MOST_SEGMENTS, Met, Topics, rarities};
use super::weights::{Link, weights};
use super::{Features, Point, saved_chars};
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
        let number = self.table.find_or_insert(hash, fresh, |_| true);
        if number == fresh {
            self.seen.push(Seen::default());
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
            Kind::Spoken | Kind::User => {}
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
}

fn note(seen: &mut Seen, kind: Kind, segment: u64, unit: u32) {
    seen.met.known |= segment;
    match kind {
        Kind::Spoken => seen.met.agent |= segment,
        Kind::User => seen.met.user |= segment,
        Kind::Kept | Kind::Output => {}
    }
    if kind != Kind::Output {
        seen.met.spoken |= segment;
        seen.met.said |= segment;
    }
    if seen.unit != unit {
        seen.unit = unit;
        seen.units += 1;
    }
}

impl Scan {
    /// A scan of a history whose last segment has this number: how many user messages hold text.
    pub(crate) fn new(last_segment: u32, kept: Kept) -> Self {
        let merged = last_segment.saturating_sub(MOST_SEGMENTS as u32 - 1);
        Self {
            merged,
            last_segment: last_segment - merged,
            kept,
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

    fn read(&mut self, text: &str, kind: Kind, segment: u32) {
        let exchange = u32::try_from(self.rows.len() + 1).unwrap_or(u32::MAX);
        token::scan(
            text,
            &mut Counter {
                kind,
                segment: 1 << segment.saturating_sub(self.merged).min(63),
                exchange,
                scan: self,
            },
        );
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
        self.read(exchange.output, Kind::Output, segment);
        self.hold_lines(exchange.output);
        self.read(exchange.input, Kind::Spoken, segment);
        let (key, nth) = self.key(exchange);
        let features = self.features(exchange);
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

    fn hold_lines(&mut self, text: &str) {
        let exchange = u32::try_from(self.rows.len() + 1).unwrap_or(u32::MAX);
        let (lines, held) = (&mut self.lines, &mut self.held_lines);
        long_lines(text, |line| {
            if let (number, Some(seen)) = lines.at(line)
                && seen.holder != exchange
            {
                seen.holder = exchange;
                held.push(number);
            }
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

    fn features(&self, exchange: &Exchange<'_>) -> Features {
        let (list, search) = Features::verb(verb(exchange.name, exchange.input));
        let input_chars = u32::try_from(code_points(exchange.input)).unwrap_or(u32::MAX);
        Features {
            unspoken: 0.0,
            list,
            search,
            age: 0.0,
            same_later: 0.0,
            superseded: 0.0,
            topic: 0.0,
            age_on_topic: 0.0,
            changes_since: 0.0,
            input: ln(1.0 + f64::from(input_chars)),
            path: f64::from(u8::from(has_path(exchange.input))),
            mutating: mutating(exchange.name, exchange.input),
            saved: saved_chars(exchange.output_chars, input_chars, self.kept),
        }
    }

    /// The features of every exchange, in the order they were fed.
    pub(crate) fn finish(mut self, goal: &str, point: Point) -> Vec<Features> {
        let (link, _, _) = weights(point);
        let topics = self.topics(goal, link);
        let since = self.since(&topics);
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
                    .is_some_and(|seen| seen.holder == exchange && seen.met.spoken == 0)
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
            let (later, changes) = since.get(index).copied().unwrap_or_default();
            Features {
                unspoken: ln(1.0 + tokens.iter().filter(is_unspoken).count() as f64),
                age: ln((calls - index) as f64),
                same_later: f64::from(same.saturating_sub(row.nth).min(3)),
                superseded: held.iter().filter(is_repeated).count() as f64
                    / (1 + held.len()) as f64,
                topic: topics.get(row.segment as usize).copied().unwrap_or(1.0),
                age_on_topic: ln(1.0 + later),
                changes_since: ln(1.0 + changes),
                ..row.features
            }
        };
        self.rows.iter().enumerate().map(each).collect()
    }

    /// For every exchange the later ones, and the later ones that change something, counted by their topics.
    fn since(&self, topics: &[f64]) -> Vec<(f64, f64)> {
        let (mut later, mut changes) = (0.0, 0.0);
        let each = |row: &Row| {
            let before = (later, changes);
            let topic = topics.get(row.segment as usize).copied().unwrap_or(1.0);
            later += topic;
            if row.features.mutating {
                changes += topic;
            }
            before
        };
        let mut since: Vec<(f64, f64)> = self.rows.iter().rev().map(each).collect();
        since.reverse();
        since
    }

    /// Sweeps over the tokens. The goal counts as spoken in the last segment, but not as spoken of.
    fn topics(&mut self, goal: &str, link: &Link) -> Vec<f64> {
        let mut spoken_in_goal = GoalTokens::default();
        token::scan(goal, &mut spoken_in_goal);
        let last = 1 << self.last_segment.min(63);
        let mut topics = Topics::new();
        let rarity = rarities(self.units);
        let rarity_of = |seen: &Seen| rarity.get(seen.units as usize).copied().unwrap_or(0);
        let in_goal = |tokens: &mut Tokens, hashes: &[u64]| {
            let known = tokens.seen.len();
            let mut met: Vec<bool> = vec![false; known];
            for &hash in hashes {
                let (number, _) = tokens.at(hash);
                match met.get_mut(number as usize) {
                    Some(met) => *met = true,
                    None => met.push(true),
                }
            }
            met
        };
        let met = in_goal(&mut self.evidence, &spoken_in_goal.evidence);
        for (seen, in_goal) in self.evidence.seen.iter().zip(met) {
            let spoken = seen.met.spoken | if in_goal { last } else { 0 };
            topics.add_evidence(Met { spoken, ..seen.met }, rarity_of(seen));
        }
        let met = in_goal(&mut self.words, &spoken_in_goal.words);
        for (seen, in_goal) in self.words.seen.iter().zip(met) {
            let spoken = seen.met.spoken | if in_goal { last } else { 0 };
            topics.add_word(Met { spoken, ..seen.met }, rarity_of(seen));
        }
        topics.topics(self.last_segment as usize, link)
    }
}

#[derive(Default)]
struct GoalTokens {
    evidence: Vec<u64>,
    words: Vec<u64>,
}

impl token::Sink for GoalTokens {
    fn evidence(&mut self, hash: u64) {
        self.evidence.push(hash);
    }

    fn word(&mut self, hash: u64) {
        self.words.push(hash);
    }
}
