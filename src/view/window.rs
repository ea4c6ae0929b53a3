//! One view for all candidates, or several windows where even the last stage does not fit.

use std::ops::Range;

use super::Material;
use super::ladder::{Ladder, Scope, Shown, end_entry, items, left_out, start_entry};
use super::write::{self, CallForm, Sink, Tally};
use crate::error::{Code, Error};
use crate::text::decimal;
use crate::token::{Half, estimate, whole};

/// Tools whose summed calls get a line of their own; the rest share one.
const TALLIED_TOOLS: usize = 20;

/// What the decision model sees in one window.
#[derive(Debug)]
pub(crate) struct View {
    /// Compact JSON.
    pub(crate) json: String,
    /// Estimated tokens of `json`.
    pub(crate) tokens: u64,
    /// The stage it came to, an index into [`super::STAGES`].
    pub(crate) stage: usize,
    /// The candidates asked about.
    pub(crate) candidates: Range<u32>,
}

/// The smallest number of views that fit `budget` tokens each.
pub(crate) fn views(
    material: &Material<'_>,
    budget: u32,
    max_windows: u32,
) -> Result<Vec<View>, Error> {
    let ceiling = 2 * Half::from(budget);
    let candidates = u32::try_from(material.candidate_entries.len()).unwrap_or(u32::MAX);
    let sums = Sums::new(material);
    let least = least_windows(material, ceiling);
    let mut needed = 0;
    for windows in least..=max_windows.min(candidates.max(1)) {
        match split(material, &sums, ceiling, candidates, windows) {
            Ok(views) => return Ok(views),
            Err(tokens) => needed = tokens,
        }
    }
    Err(too_large(budget, max_windows, least, needed, candidates))
}

fn too_large(budget: u32, max_windows: u32, least: u32, needed: u64, candidates: u32) -> Error {
    let needs = if needed > 0 {
        decimal(needed)
    } else {
        // Nothing was laid out: not even the names fit.
        ["more than ", &decimal(budget.into())].concat()
    };
    let message = if least > max_windows || (max_windows < candidates && needed > 0) {
        let seen = if needed > 0 {
            [
                "; the largest window still needs ",
                &decimal(needed),
                " tokens",
            ]
            .concat()
        } else {
            String::new()
        };
        [
            "the history does not fit ",
            &decimal(max_windows.into()),
            " windows of ",
            &decimal(budget.into()),
            " tokens",
            &seen,
            " (at least ",
            &decimal(least.into()),
            " windows are needed); raise options.max_windows or options.max_state_tokens",
        ]
        .concat()
    } else {
        [
            "a view of one candidate beside the goal and the protected messages needs ", &needs, " tokens, the budget is ",
            &decimal(budget.into()), "; raise options.max_state_tokens and options.max_request_tokens, shorten the goal, or protect fewer messages",
        ]
        .concat()
    };
    Error::new(Code::BudgetExceeded, &message)
}

/// No smaller number can do: the candidates alone, at their shortest, need as much.
fn least_windows(material: &Material<'_>, ceiling: Half) -> u32 {
    let mut cost = 0;
    for call in material
        .calls
        .iter()
        .filter(|call| call.candidate.is_some())
    {
        write::call(&mut cost, material, call, CallForm::Named, 0);
    }
    u32::try_from(cost.div_ceil(ceiling.max(1)))
        .unwrap_or(u32::MAX)
        .max(1)
}

/// Spreads the candidates evenly over windows and shrinks each; the error is what one of them needs too much.
fn split(
    material: &Material<'_>,
    sums: &Sums,
    ceiling: Half,
    candidates: u32,
    windows: u32,
) -> Result<Vec<View>, u64> {
    let bound = |window: u32| {
        u32::try_from(u64::from(window) * u64::from(candidates) / u64::from(windows))
            .unwrap_or(candidates)
    };
    (0..windows)
        .map(|window| {
            view(
                material,
                sums,
                ceiling,
                (window, windows),
                bound(window)..bound(window + 1),
            )
        })
        .collect()
}

fn view(
    material: &Material<'_>,
    sums: &Sums,
    ceiling: Half,
    window: (u32, u32),
    candidates: Range<u32>,
) -> Result<View, u64> {
    let part = window.1 > 1;
    let entry_of = |candidate: u32| material.candidate_entries.get(candidate as usize).copied();
    let entries = match (
        part,
        entry_of(candidates.start),
        candidates.end.checked_sub(1).and_then(entry_of),
    ) {
        (true, Some(first), Some(last)) => first..last + 1,
        _ => 0..material.entries.len(),
    };
    let scope = Scope {
        entries,
        candidates: candidates.clone(),
        part,
    };
    let mut head = 0;
    start(&mut head, material, window);
    head.raw(HISTORY[0]);
    head.close(HISTORY[1]);
    let mut ladder = Ladder::new(material, &scope, ceiling, head, sums.reserve);
    if !ladder.descend() {
        return Err(whole(ladder.total()));
    }
    let json = text(material, sums, &scope, &ladder.shown, window);
    let tokens = estimate(&json);
    debug_assert!(
        tokens <= whole(ladder.total()),
        "the ladder counts at least what is written"
    );
    Ok(View {
        json,
        tokens,
        stage: ladder.stage,
        candidates,
    })
}

fn start(sink: &mut dyn Sink, material: &Material<'_>, (window, windows): (u32, u32)) {
    write::start(sink, material);
    if windows > 1 {
        sink.raw("\"window\":\"");
        sink.number(u64::from(window) + 1);
        sink.raw(" of ");
        sink.number(u64::from(windows));
        sink.raw("\",");
    }
}

const HISTORY: [&str; 2] = ["\"history\":[", "]}"];

fn text(
    material: &Material<'_>,
    sums: &Sums,
    scope: &Scope,
    shown: &[Shown],
    window: (u32, u32),
) -> String {
    let mut out = String::new();
    start(&mut out, material, window);
    let hidden = material.entries.len() - shown.iter().filter(|shown| !shown.hidden).count();
    if hidden > 0 {
        left_out(&mut out, hidden as u64);
    }
    sums.write(&mut out, material, scope, shown);
    out.raw(HISTORY[0]);
    let mut rest = shown.iter().filter(|shown| !shown.hidden).peekable();
    while let Some(first) = rest.next() {
        if first.is_merged() {
            let mut run = vec![first];
            while let Some(next) = rest.next_if(|next| next.is_merged()) {
                run.push(next);
            }
            merged(&mut out, material, scope, &run);
        } else {
            start_entry(&mut out, material, first, first.has_items());
            items(&mut out, material, scope, first);
            end_entry(&mut out, first.has_items());
        }
    }
    out.close(HISTORY[1]);
    out
}

fn merged(out: &mut String, material: &Material<'_>, scope: &Scope, run: &[&Shown]) {
    let index = |shown: Option<&&Shown>| {
        shown
            .and_then(|shown| material.entries.get(shown.entry))
            .map_or(0, |entry| entry.index)
    };
    let text_chars = run.iter().map(|shown| shown.text_chars()).sum();
    write::run_start(out, index(run.first()), index(run.last()), text_chars);
    for shown in run {
        items(out, material, scope, shown);
    }
    out.close("]},");
}

/// The calls that a view does not show one by one, per tool.
struct Sums {
    /// All calls.
    all: Vec<Tally>,
    /// Whether a tool has a line of its own: the busiest have.
    named: Vec<bool>,
    /// What all lines take at most.
    reserve: Half,
}

impl Sums {
    fn new(material: &Material<'_>) -> Self {
        let mut all = vec![Tally::default(); material.tools.len()];
        for call in &material.calls {
            if let Some(sum) = all.get_mut(call.tool) {
                sum.add(call.outcome);
            }
        }
        // Busiest first, then in the order they were met; one sort of plain numbers serves the whole crate.
        let rank = |(tool, sum): (u64, &Tally)| (u64::from(u32::MAX - sum.calls) << 32) | tool;
        let mut busiest: Vec<u64> = (0..).zip(&all).map(rank).collect();
        busiest.sort_unstable();
        let mut named = vec![false; all.len()];
        for key in busiest.into_iter().take(TALLIED_TOOLS) {
            if let Some(named) = named.get_mut((key & 0xFFFF_FFFF) as usize) {
                *named = true;
            }
        }
        let mut sums = Self {
            all,
            named,
            reserve: 0,
        };
        let mut reserve = 0;
        sums.lines(&mut reserve, material, &sums.all);
        sums.reserve = reserve;
        sums
    }

    fn write(&self, out: &mut String, material: &Material<'_>, scope: &Scope, shown: &[Shown]) {
        let mut hidden = self.all.clone();
        for shown in shown.iter().filter(|shown| !shown.hidden) {
            for (_, call) in material
                .calls_of(shown.entry)
                .filter(|(_, call)| scope.shows(call, shown))
            {
                if let Some(sum) = hidden.get_mut(call.tool) {
                    sum.remove(call.outcome);
                }
            }
        }
        self.lines(out, material, &hidden);
    }

    fn lines(&self, sink: &mut dyn Sink, material: &Material<'_>, sums: &[Tally]) {
        if sums.iter().all(|sum| sum.calls == 0) {
            return;
        }
        sink.raw("\"other_calls\":[");
        let mut rest = Tally::default();
        for (tool, sum) in sums.iter().enumerate().filter(|(_, sum)| sum.calls > 0) {
            if self.named.get(tool) == Some(&true) {
                write::tally(sink, material.tool(u32::try_from(tool).ok()), sum);
            } else {
                rest.join(sum);
            }
        }
        if rest.calls > 0 {
            write::tally(sink, &super::Piece::new("other tools".into()), &rest);
        }
        sink.close("],");
    }
}
