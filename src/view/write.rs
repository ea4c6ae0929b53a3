//! The text of the view, and what each part of it costs: both come from the same functions, through a [`Sink`].

use super::{CallItem, Entry, Material, Outcome, Piece};
use crate::json::escape_into;
use crate::message::ResultState;
use crate::text::push_number;
use crate::token::{Half, cost, escaped_cost, head, tail};

/// Takes the parts of the view in order.
pub(super) trait Sink {
    /// JSON text as it stands; no run of letters or digits goes on into the next part.
    fn raw(&mut self, json: &'static str);
    /// The end of a list whose elements each left a comma behind them.
    fn close(&mut self, json: &'static str);
    /// A number inside or outside a string.
    fn number(&mut self, number: u64);
    /// Text inside a string, not counted before.
    fn text(&mut self, text: &str);
    /// Text inside a string.
    fn piece(&mut self, piece: &Piece<'_>);
    /// A call's input, cut to the cap of its stage, whose cost is known.
    fn input(&mut self, input: &Piece<'_>, cap: u32, known: Half);
}

/// Cost of a comma.
const COMMA: Half = 2;

impl Sink for Half {
    fn raw(&mut self, json: &'static str) {
        *self += cost(json);
    }

    fn close(&mut self, json: &'static str) {
        *self += cost(json);
        *self -= COMMA;
    }

    fn number(&mut self, number: u64) {
        *self += Self::from(number.checked_ilog10().unwrap_or(0)) + 1;
    }

    fn text(&mut self, text: &str) {
        *self += escaped_cost(text);
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        *self += piece.cost;
    }

    fn input(&mut self, _: &Piece<'_>, _: u32, known: Half) {
        *self += known;
    }
}

impl Sink for String {
    fn raw(&mut self, json: &'static str) {
        self.push_str(json);
    }

    fn close(&mut self, json: &'static str) {
        if self.ends_with(',') {
            self.pop();
        }
        self.push_str(json);
    }

    fn number(&mut self, number: u64) {
        push_number(self, number);
    }

    fn text(&mut self, text: &str) {
        escape_into(self, text);
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        escape_into(self, &piece.text);
    }

    fn input(&mut self, input: &Piece<'_>, cap: u32, _: Half) {
        if input.chars > cap {
            escape_into(self, head(&input.text, cap as usize));
            self.push('…');
        } else {
            escape_into(self, &input.text);
        }
    }
}

/// Cost of an input cut to `cap` code points.
pub(super) fn input_cost(input: &Piece<'_>, cap: u32) -> Half {
    if input.chars > cap {
        escaped_cost(head(&input.text, cap as usize)) + 2
    } else {
        input.cost
    }
}

/// Head and tail that a long text is cut to, in code points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextCut {
    head: u32,
    tail: u32,
}

impl TextCut {
    pub(super) const NONE: Self = Self {
        head: u32::MAX,
        tail: u32::MAX,
    };
    /// For protected messages, which say most about what happens next.
    pub(super) const WIDE: Self = Self {
        head: 1200,
        tail: 600,
    };
    pub(super) const TIGHT: Self = Self {
        head: 240,
        tail: 120,
    };

    /// Whether a text of this length is cut: only where it gets clearly shorter.
    pub(super) const fn cuts(self, chars: u32) -> bool {
        self.head != u32::MAX && chars > self.head + self.tail + 40
    }
}

/// The text blocks of a message and the calls of a message, each as its stage shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CallForm {
    /// Name, tool, input up to a cap, outcome.
    Full(u32),
    /// All of that in one line.
    Line,
    /// Name, tool and size.
    Named,
}

/// Longest input of a call that is shown in one line.
pub(super) const LINE_INPUT: u32 = 60;

pub(super) fn text(sink: &mut dyn Sink, piece: &Piece<'_>, cut: TextCut) {
    sink.raw("\"");
    if cut.cuts(piece.chars) {
        sink.text(head(&piece.text, cut.head as usize));
        sink.raw(" […");
        sink.number(u64::from(piece.chars - cut.head - cut.tail));
        sink.raw(" chars…] ");
        sink.text(tail(&piece.text, cut.tail as usize));
    } else {
        sink.piece(piece);
    }
    sink.raw("\",");
}

/// One call as an element of a list, with the comma behind it.
pub(super) fn call(
    sink: &mut dyn Sink,
    material: &Material<'_>,
    call: &CallItem<'_>,
    form: CallForm,
    input_cost: Half,
) {
    let tool = material.tool(u32::try_from(call.tool).ok());
    match form {
        CallForm::Full(cap) => {
            sink.raw("{");
            if let Some(name) = call.name {
                sink.raw("\"call\":\"t");
                sink.number(u64::from(name));
                sink.raw("\",");
            }
            sink.raw("\"tool\":\"");
            sink.piece(tool);
            sink.raw("\",\"input\":\"");
            sink.input(&call.input, cap, input_cost);
            sink.raw("\",\"outcome\":\"");
            outcome(sink, call.outcome);
            sink.raw("\"},");
        }
        CallForm::Line => {
            line_start(sink, call.name, tool);
            sink.input(&call.input, LINE_INPUT, input_cost);
            sink.raw(" ");
            outcome(sink, call.outcome);
            sink.raw("\",");
        }
        CallForm::Named => {
            line_start(sink, call.name, tool);
            match call.outcome {
                Outcome::Ended {
                    state: ResultState::Success,
                    chars: Some(chars),
                    ..
                } => sink.number(u64::from(chars)),
                Outcome::Ended { .. } | Outcome::NoResult | Outcome::Open(_) => {
                    outcome(sink, call.outcome)
                }
            }
            sink.raw("\",");
        }
    }
}

fn line_start(sink: &mut dyn Sink, name: Option<u32>, tool: &Piece<'_>) {
    match name {
        Some(name) => {
            sink.raw("\"t");
            sink.number(u64::from(name));
        }
        None => sink.raw("\"-"),
    }
    sink.raw(" ");
    sink.piece(tool);
    sink.raw(" ");
}

fn outcome(sink: &mut dyn Sink, outcome: Outcome) {
    match outcome {
        Outcome::Ended {
            state,
            chars,
            shortened,
        } => {
            sink.raw(state.as_str());
            match chars {
                Some(chars) => {
                    sink.raw(", ");
                    sink.number(u64::from(chars));
                    sink.raw(if shortened {
                        " chars, shortened"
                    } else {
                        " chars"
                    });
                }
                None => sink.raw(", not text"),
            }
        }
        Outcome::NoResult => sink.raw("no result"),
        Outcome::Open(state) => sink.raw(state.as_str()),
    }
}

/// What stands before the list of a message's items.
pub(super) fn entry_start(
    sink: &mut dyn Sink,
    entry: &Entry,
    text_chars: Option<u64>,
    list: &'static str,
) {
    sink.raw("{\"index\":");
    sink.number(u64::from(entry.index));
    sink.raw(",\"role\":\"");
    sink.raw(entry.role.as_str());
    sink.raw("\"");
    noted(sink, text_chars);
    sink.raw(list);
}

/// What stands before the calls of a run of merged messages.
pub(super) fn run_start(sink: &mut dyn Sink, first: u32, last: u32, text_chars: u64) {
    if first == last {
        sink.raw("{\"index\":");
        sink.number(u64::from(first));
    } else {
        sink.raw("{\"index\":\"");
        sink.number(u64::from(first));
        sink.raw("-");
        sink.number(u64::from(last));
        sink.raw("\"");
    }
    noted(sink, Some(text_chars).filter(|&chars| chars > 0));
    sink.raw(",\"calls\":[");
}

/// The note of the length of texts that are not shown.
fn noted(sink: &mut dyn Sink, text_chars: Option<u64>) {
    if let Some(chars) = text_chars {
        sink.raw(",\"text_chars\":");
        sink.number(chars);
    }
}

/// What stands before the history.
pub(super) fn start(sink: &mut dyn Sink, material: &Material<'_>) {
    sink.raw("{\"goal\":\"");
    sink.piece(&material.goal);
    if let Some(next_action) = &material.next_action {
        sink.raw("\",\"next_action\":\"");
        sink.piece(next_action);
    }
    sink.raw("\",");
}

/// A tool's calls that are not shown one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) calls: u32,
    pub(super) chars: u64,
    pub(super) not_ok: u32,
}

impl Tally {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ended {
                state: ResultState::Success,
                chars,
                ..
            } => Self {
                calls: 1,
                chars: u64::from(chars.unwrap_or(0)),
                not_ok: 0,
            },
            Outcome::Ended { .. } | Outcome::NoResult | Outcome::Open(_) => Self {
                calls: 1,
                chars: 0,
                not_ok: 1,
            },
        }
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        self.join(&Self::of(outcome));
    }

    pub(super) const fn join(&mut self, other: &Self) {
        self.calls += other.calls;
        self.chars += other.chars;
        self.not_ok += other.not_ok;
    }

    pub(super) fn remove(&mut self, outcome: Outcome) {
        let one = Self::of(outcome);
        self.calls = self.calls.saturating_sub(one.calls);
        self.chars = self.chars.saturating_sub(one.chars);
        self.not_ok = self.not_ok.saturating_sub(one.not_ok);
    }
}

/// One line of the sums, with the comma behind it.
pub(super) fn tally(sink: &mut dyn Sink, tool: &Piece<'_>, sum: &Tally) {
    sink.raw("\"");
    sink.piece(tool);
    sink.raw(": ");
    sink.number(u64::from(sum.calls));
    sink.raw(" calls, ");
    sink.number(sum.chars);
    sink.raw(" chars");
    if sum.not_ok > 0 {
        sink.raw(", ");
        sink.number(u64::from(sum.not_ok));
        sink.raw(" not ok");
    }
    sink.raw("\",");
}
