//! Shrinking a view until it fits: in stages, oldest message first, protected ones last, stopping as soon as it fits.
//!
//! Costs are kept per message and part; a stage recounts only the part it changes, so that the whole ladder is linear.

use std::ops::Range;

use super::write::{self, CallForm, Sink, TextCut, input_cost};
use super::{CallItem, Item, Material};
use crate::token::Half;

/// Names of the stages, by level.
pub(crate) const STAGES: [&str; 12] = [
    "full",
    "inputs_1000",
    "inputs_200",
    "inputs_60",
    "texts_cut",
    "texts_noted",
    "calls_lined",
    "messages_left_out",
    "messages_merged",
    "calls_named",
    "calls_summed",
    "protected_shortened",
];

const INPUT_CAPS: [u32; 4] = [u32::MAX, 1000, 200, 60];
const INPUTS_60: usize = 3;
const TEXTS_CUT: usize = 4;
const TEXTS_NOTED: usize = 5;
const CALLS_LINED: usize = 6;
const LEFT_OUT: usize = 7;
const MERGED: usize = 8;
const NAMED: usize = 9;
const SUMMED: usize = 10;
const PROTECTED: usize = 11;

/// What a view is about: all of the history, or one window of it.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Entries shown beside the protected ones.
    pub(super) entries: Range<usize>,
    /// The candidates asked about.
    pub(super) candidates: Range<u32>,
    /// Whether it is only a part.
    pub(super) part: bool,
}

/// An entry of the view with what its parts cost now.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) entry: usize,
    pub(super) level: usize,
    pub(super) protected: bool,
    /// Left out, or without anything to show.
    pub(super) hidden: bool,
    text_chars: u64,
    longest_input: u32,
    frame: Half,
    texts: Half,
    calls: Half,
}

impl Shown {
    const fn cost(&self) -> Half {
        self.frame + self.texts + self.calls
    }

    /// The cut of its texts; `None` where they are only noted.
    pub(super) const fn text_cut(&self) -> Option<TextCut> {
        match (self.level, self.protected) {
            (0..TEXTS_CUT, _) => Some(TextCut::NONE),
            (PROTECTED, true) => Some(TextCut::TIGHT),
            (_, true) => Some(TextCut::WIDE),
            (TEXTS_CUT, false) => Some(TextCut::TIGHT),
            _ => None,
        }
    }

    pub(super) fn call_form(&self) -> CallForm {
        match self.level {
            0..CALLS_LINED => CallForm::Full(
                INPUT_CAPS
                    .get(self.level)
                    .copied()
                    .unwrap_or(write::LINE_INPUT),
            ),
            CALLS_LINED..NAMED => CallForm::Line,
            _ => CallForm::Named,
        }
    }

    pub(super) const fn is_merged(&self) -> bool {
        self.level >= MERGED && !self.protected
    }

    pub(super) const fn text_chars(&self) -> u64 {
        self.text_chars
    }

    pub(super) const fn has_items(&self) -> bool {
        self.calls > 0 || self.texts > 0
    }
}

impl Scope {
    /// Whether a call is shown by itself; the others are summed up per tool.
    pub(super) fn shows(&self, call: &CallItem<'_>, shown: &Shown) -> bool {
        match call.candidate {
            Some(candidate) => self.candidates.contains(&candidate),
            None => shown.protected || shown.level < SUMMED,
        }
    }
}

/// A view on its way down.
#[derive(Debug)]
pub(super) struct Ladder<'m> {
    material: &'m Material<'m>,
    scope: &'m Scope,
    pub(super) shown: Vec<Shown>,
    total: Half,
    ceiling: Half,
    /// What the sums of other calls take at most.
    sums: Half,
    /// Whether the note of messages left out is paid for.
    notes_left_out: bool,
    pub(super) stage: usize,
}

/// A run of merged messages.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    text_chars: u64,
    frame: Half,
}

impl<'m> Ladder<'m> {
    /// The view at full detail. `head` is what stands around the history, `sums` the most that the sums may take.
    pub(super) fn new(
        material: &'m Material<'m>,
        scope: &'m Scope,
        ceiling: Half,
        head: Half,
        sums: Half,
    ) -> Self {
        let entries = material.entries_in(scope.entries.clone());
        let shown = entries
            .map(|(index, entry)| first_shown(material, index, entry.protected))
            .collect();
        let mut ladder = Self {
            material,
            scope,
            shown,
            total: head,
            ceiling,
            sums,
            notes_left_out: false,
            stage: 0,
        };
        for position in 0..ladder.shown.len() {
            ladder.recount(position, 0);
        }
        if scope.part {
            ladder.total += sums;
            ladder.note_left_out();
        }
        ladder
    }

    /// Shrinks until it fits. Returns whether it does.
    pub(super) fn descend(&mut self) -> bool {
        for level in 1..=SUMMED {
            if self.fits() {
                return true;
            }
            if level == SUMMED && !self.scope.part {
                self.total += self.sums;
            }
            self.stage = level;
            if level == MERGED {
                self.merge();
                continue;
            }
            self.shrink(level, |shown| !shown.protected);
            if level <= TEXTS_CUT {
                self.shrink(level, |shown| shown.protected);
            }
        }
        if self.fits() {
            return true;
        }
        self.stage = PROTECTED;
        for level in [CALLS_LINED, NAMED, PROTECTED] {
            self.shrink(level, |shown| shown.protected);
        }
        self.fits()
    }

    const fn fits(&self) -> bool {
        self.total <= self.ceiling
    }

    /// Tokens it takes now, at most.
    pub(super) const fn total(&self) -> Half {
        self.total
    }

    fn shrink(&mut self, level: usize, which: impl Fn(&Shown) -> bool) {
        for position in 0..self.shown.len() {
            if self.fits() {
                return;
            }
            if self.shown.get(position).is_some_and(&which) {
                self.recount(position, level);
            }
        }
    }

    /// Puts one entry on a level and counts again what the level changes.
    fn recount(&mut self, position: usize, level: usize) {
        let Some(shown) = self.shown.get_mut(position).filter(|shown| !shown.hidden) else {
            return;
        };
        let before = shown.cost();
        shown.level = level;
        match level {
            0 => {
                shown.texts = texts_cost(self.material, shown);
                shown.calls = calls_cost(self.material, self.scope, shown);
            }
            1..=INPUTS_60
                if INPUT_CAPS
                    .get(level)
                    .is_some_and(|&cap| shown.longest_input <= cap) =>
            {
                return;
            }
            TEXTS_CUT | TEXTS_NOTED | PROTECTED => shown.texts = texts_cost(self.material, shown),
            LEFT_OUT => {}
            _ => shown.calls = calls_cost(self.material, self.scope, shown),
        }
        shown.hidden = shown.calls == 0
            && (level == LEFT_OUT || (shown.texts == 0 && (level == 0 || level >= MERGED)));
        if !shown.is_merged() {
            // A run of merged messages keeps its frame: another message may need it.
            shown.frame = if shown.hidden {
                0
            } else {
                frame_cost(self.material, shown)
            };
        }
        if shown.hidden {
            shown.texts = 0;
        }
        let (after, hidden) = (shown.cost(), shown.hidden);
        self.total = self.total + after - before;
        if hidden && level > 0 {
            self.note_left_out();
        }
    }

    fn note_left_out(&mut self) {
        if !self.notes_left_out {
            self.notes_left_out = true;
            left_out(&mut self.total, self.material.entries.len() as u64);
        }
    }

    /// Merges runs of old messages, which show nothing but calls by now; a protected message ends a run.
    fn merge(&mut self) {
        let mut run: Option<Run> = None;
        for position in 0..self.shown.len() {
            if self.fits() {
                return;
            }
            let Some(shown) = self.shown.get_mut(position) else {
                return;
            };
            if shown.protected {
                run = None;
                continue;
            }
            shown.level = MERGED;
            if shown.hidden {
                continue;
            }
            let before = run.unwrap_or_default();
            let text_chars = before.text_chars + shown.text_chars;
            let last = self
                .material
                .entries
                .get(shown.entry)
                .map_or(0, |entry| entry.index);
            let mut frame = 0;
            // The first index has at most as many digits as the last, also after entries of the run went.
            write::run_start(&mut frame, last.saturating_sub(1), last, text_chars);
            frame.close("]},");
            frame += extra_digit(last);
            self.total = self.total + frame - before.frame - shown.frame;
            shown.frame = frame - before.frame;
            run = Some(Run { text_chars, frame });
        }
    }
}

/// `last - 1` may have a digit less than `last`.
fn extra_digit(last: u32) -> Half {
    let digits = |number: u32| number.checked_ilog10().unwrap_or(0);
    Half::from(digits(last) - digits(last.saturating_sub(1)))
}

fn first_shown(material: &Material<'_>, entry: usize, protected: bool) -> Shown {
    Shown {
        entry,
        level: 0,
        protected,
        hidden: false,
        text_chars: material
            .texts_of(entry)
            .map(|piece| u64::from(piece.chars))
            .sum(),
        longest_input: material
            .calls_of(entry)
            .map(|(_, call)| call.input.chars)
            .max()
            .unwrap_or(0),
        frame: 0,
        texts: 0,
        calls: 0,
    }
}

fn texts_cost(material: &Material<'_>, shown: &Shown) -> Half {
    let Some(cut) = shown.text_cut() else {
        return 0;
    };
    let mut cost = 0;
    for piece in material.texts_of(shown.entry) {
        write::text(&mut cost, piece, cut);
    }
    cost
}

fn calls_cost(material: &Material<'_>, scope: &Scope, shown: &Shown) -> Half {
    let form = shown.call_form();
    let cap = match form {
        CallForm::Full(cap) => cap,
        CallForm::Line | CallForm::Named => write::LINE_INPUT,
    };
    let mut cost = 0;
    for (_, call) in material
        .calls_of(shown.entry)
        .filter(|(_, call)| scope.shows(call, shown))
    {
        let input = if form == CallForm::Named {
            0
        } else {
            input_cost(&call.input, cap)
        };
        write::call(&mut cost, material, call, form, input);
    }
    cost
}

fn frame_cost(material: &Material<'_>, shown: &Shown) -> Half {
    let mut cost = 0;
    let has_items = shown.has_items();
    start_entry(&mut cost, material, shown, has_items);
    end_entry(&mut cost, has_items);
    cost
}

/// What stands before the items of an entry that is not merged.
pub(super) fn start_entry(
    sink: &mut dyn Sink,
    material: &Material<'_>,
    shown: &Shown,
    has_items: bool,
) {
    let Some(entry) = material.entries.get(shown.entry) else {
        return;
    };
    let noted = (shown.text_cut().is_none() && shown.text_chars > 0).then_some(shown.text_chars);
    let list = match (has_items, shown.level) {
        (false, _) => "",
        (true, 0..CALLS_LINED) => ",\"content\":[",
        (true, _) if shown.protected => ",\"content\":[",
        (true, _) => ",\"calls\":[",
    };
    write::entry_start(sink, entry, noted, list);
}

/// What stands behind them.
pub(super) fn end_entry(sink: &mut dyn Sink, has_items: bool) {
    if has_items {
        sink.close("]},");
    } else {
        sink.raw("},");
    }
}

/// The number of messages that are not shown.
pub(super) fn left_out(sink: &mut dyn Sink, messages: u64) {
    sink.raw("\"left_out_messages\":");
    sink.number(messages);
    sink.raw(",");
}

/// Writes the items of an entry in their order.
pub(super) fn items(sink: &mut dyn Sink, material: &Material<'_>, scope: &Scope, shown: &Shown) {
    let form = shown.call_form();
    for item in material.items_of(shown.entry) {
        match *item {
            Item::Text(text) => {
                if let (Some(cut), Some(piece)) = (shown.text_cut(), material.texts.get(text)) {
                    write::text(sink, piece, cut);
                }
            }
            Item::Call(call) => {
                if let Some(call) = material
                    .calls
                    .get(call)
                    .filter(|call| scope.shows(call, shown))
                {
                    write::call(sink, material, call, form, 0);
                }
            }
        }
    }
}
