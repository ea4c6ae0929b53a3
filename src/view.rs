//! The observation view: what the decision model sees of the history.
//!
//! Goal, next action and the history oldest first, as compact JSON: message index, role, conversation text, and for
//! each call its name, tool, shown input and outcome with the size of the output. Never output text, thinking, data,
//! hints or metadata. This module gathers the pieces, each counted once; [`ladder`] shrinks, [`mod@write`] writes,
//! [`window`] splits what does not fit.

mod ladder;
mod window;
mod write;

use std::borrow::Cow;

use crate::candidate;
use crate::error::Error;
use crate::input;
use crate::message::{Block, Call, CallState, Output, Place, ResultState, Role, Snapshot};
use crate::options::Settings;
use crate::pair::Pairing;
use crate::plan::Plan;
use crate::redact;
use crate::token::{Half, code_points, escaped_cost, head};

pub(crate) use ladder::STAGES;
pub(crate) use window::views;

/// Longest tool name that is shown, in code points.
const LONGEST_TOOL: usize = 64;

/// What part of a request a text is, told to the host's own redaction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// The goal.
    Goal,
    /// The input of a call, as JSON text.
    Input,
    /// The next action.
    NextAction,
    /// Conversation text.
    Text,
    /// The name of a tool.
    Tool,
}

impl Part {
    /// The word of the JavaScript surface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Input => "input",
            Self::NextAction => "next_action",
            Self::Text => "text",
            Self::Tool => "tool",
        }
    }
}

/// How credentials are kept out of the view.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Redaction<'a> {
    /// Our own rules: credential-like keys, credential-shaped strings.
    BuiltIn,
    /// The host's own function; what it returns is shown.
    Own(&'a dyn Fn(&str, Part) -> Result<String, Error>),
    /// Nothing is hidden.
    Off,
}

impl std::fmt::Debug for Redaction<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::BuiltIn => "BuiltIn",
            Self::Own(_) => "Own",
            Self::Off => "Off",
        })
    }
}

impl Redaction<'_> {
    fn apply<'t>(&self, text: &'t str, part: Part) -> Result<Cow<'t, str>, Error> {
        Ok(match (self, part) {
            (Self::Own(own), _) => Cow::Owned(own(text, part)?),
            (Self::BuiltIn, Part::Input) => input::shown(text, true),
            (Self::Off, Part::Input) => input::shown(text, false),
            (Self::BuiltIn, _) => redact::text(text),
            (Self::Off, _) => Cow::Borrowed(text),
        })
    }
}

/// A shown text with its cost inside a JSON string.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) cost: Half,
    pub(crate) chars: u32,
}

impl<'a> Piece<'a> {
    fn new(text: Cow<'a, str>) -> Self {
        let chars = u32::try_from(code_points(&text)).unwrap_or(u32::MAX);
        Self {
            cost: escaped_cost(&text),
            chars,
            text,
        }
    }
}

/// A message of the view.
#[derive(Debug)]
struct Entry {
    index: u32,
    role: Role,
    protected: bool,
    /// Where its items end in [`Material::items`]; they begin where those of the entry before end.
    end: usize,
}

/// What a message shows, in its order.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// Index into [`Material::calls`].
    Call(usize),
    /// Index into [`Material::texts`].
    Text(usize),
}

/// A call of the view.
#[derive(Debug)]
struct CallItem<'a> {
    /// Number of the pair's name.
    name: Option<u32>,
    /// Position among the candidates.
    candidate: Option<u32>,
    tool: usize,
    input: Piece<'a>,
    outcome: Outcome,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// It has a result, of this size unless that is no text, which an earlier run may have shortened.
    Ended {
        state: ResultState,
        chars: Option<u32>,
        shortened: bool,
    },
    /// It has no result of its own.
    NoResult,
    /// It is not finished.
    Open(CallState),
}

/// Everything that can be shown.
#[derive(Debug)]
pub(crate) struct Material<'a> {
    goal: Piece<'a>,
    next_action: Option<Piece<'a>>,
    entries: Vec<Entry>,
    items: Vec<Item>,
    texts: Vec<Piece<'a>>,
    calls: Vec<CallItem<'a>>,
    /// Shown names; the last one stands for calls without a name.
    tools: Vec<Piece<'a>>,
    /// Entry of each candidate.
    candidate_entries: Vec<usize>,
    protected_entries: Vec<usize>,
}

impl<'a> Material<'a> {
    /// Gathers what can be shown. Linear in texts and inputs.
    pub(crate) fn new(
        snapshot: &'a Snapshot<'a>,
        pairing: &Pairing<'a>,
        plan: &Plan,
        settings: &'a Settings,
        redaction: Redaction<'_>,
    ) -> Result<Self, Error> {
        let next_action = settings
            .next_action
            .as_deref()
            .map(|text| redaction.apply(text, Part::NextAction))
            .transpose()?;
        let mut material = Self {
            goal: Piece::new(redaction.apply(&settings.goal, Part::Goal)?),
            next_action: next_action.map(Piece::new),
            entries: Vec::new(),
            items: Vec::new(),
            texts: Vec::new(),
            calls: Vec::new(),
            tools: shown_tools(snapshot, redaction)?,
            candidate_entries: Vec::new(),
            protected_entries: Vec::new(),
        };
        let protected = candidate::protected_messages(snapshot, &plan.options);
        let mut links = Links::new(pairing, plan);
        for (index, message, blocks) in snapshot.each_message() {
            let before = material.items.len();
            for (block, content) in (0..).zip(blocks) {
                material.add(
                    content,
                    Place {
                        message: index,
                        block,
                    },
                    &mut links,
                    redaction,
                )?;
            }
            if material.items.len() > before {
                let protected = protected.get(index as usize).copied().unwrap_or(false);
                if protected {
                    material.protected_entries.push(material.entries.len());
                }
                material.entries.push(Entry {
                    index,
                    role: message.role,
                    protected,
                    end: material.items.len(),
                });
            }
        }
        Ok(material)
    }

    fn add(
        &mut self,
        block: &'a Block<'a>,
        place: Place,
        links: &mut Links,
        redaction: Redaction<'_>,
    ) -> Result<(), Error> {
        match block {
            Block::Call(call) => {
                let linked = links.next_at(place);
                let item = self.call(call, linked, redaction)?;
                if item.candidate.is_some() {
                    self.candidate_entries.push(self.entries.len());
                }
                self.items.push(Item::Call(self.calls.len()));
                self.calls.push(item);
            }
            Block::Text(text) if !text.is_empty() => {
                self.items.push(Item::Text(self.texts.len()));
                self.texts
                    .push(Piece::new(redaction.apply(text, Part::Text)?));
            }
            Block::Aside(_)
            | Block::Attachment(_)
            | Block::Other
            | Block::Result(_)
            | Block::Text(_)
            | Block::Thinking => {}
        }
        Ok(())
    }

    fn call(
        &self,
        call: &'a Call<'a>,
        linked: Option<Linked>,
        redaction: Redaction<'_>,
    ) -> Result<CallItem<'a>, Error> {
        let input = redaction.apply(call.input.as_deref().unwrap_or_default(), Part::Input)?;
        let outcome = match (call.state, &linked) {
            (CallState::Finished, Some(linked)) => linked.outcome,
            (CallState::Finished, None) => Outcome::NoResult,
            (state, _) => Outcome::Open(state),
        };
        Ok(CallItem {
            name: linked.as_ref().and_then(|linked| linked.name),
            candidate: linked.as_ref().and_then(|linked| linked.candidate),
            tool: call.tool.map_or(self.tools.len() - 1, |tool| tool as usize),
            input: Piece::new(input),
            outcome,
        })
    }

    /// The items of an entry.
    fn items_of(&self, entry: usize) -> &[Item] {
        let start = entry
            .checked_sub(1)
            .and_then(|before| self.entries.get(before))
            .map_or(0, |before| before.end);
        let end = self.entries.get(entry).map_or(start, |entry| entry.end);
        self.items.get(start..end).unwrap_or_default()
    }

    fn calls_of(&self, entry: usize) -> impl Iterator<Item = (usize, &CallItem<'a>)> {
        self.items_of(entry).iter().filter_map(|item| match *item {
            Item::Call(call) => self.calls.get(call).map(|item| (call, item)),
            Item::Text(_) => None,
        })
    }

    fn texts_of(&self, entry: usize) -> impl Iterator<Item = &Piece<'a>> {
        self.items_of(entry).iter().filter_map(|item| match *item {
            Item::Call(_) => None,
            Item::Text(text) => self.texts.get(text),
        })
    }

    /// The entries of a range and the protected ones outside it, in order.
    fn entries_in(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (usize, &Entry)> {
        let outside = |wanted: std::ops::Range<usize>| {
            let from = self
                .protected_entries
                .partition_point(|&entry| entry < wanted.start);
            let to = self
                .protected_entries
                .partition_point(|&entry| entry < wanted.end);
            self.protected_entries
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .copied()
        };
        let before = outside(0..range.start);
        let after = outside(range.end..usize::MAX);
        before
            .chain(range)
            .chain(after)
            .filter_map(|entry| self.entries.get(entry).map(|found| (entry, found)))
    }

    /// The shown name of a tool.
    pub(crate) fn tool(&self, number: Option<u32>) -> &Piece<'a> {
        const NONE: &Piece<'static> = &Piece {
            text: Cow::Borrowed("?"),
            cost: 2,
            chars: 1,
        };
        number
            .and_then(|number| self.tools.get(number as usize))
            .unwrap_or(NONE)
    }
}

fn shown_tools<'a>(
    snapshot: &'a Snapshot<'a>,
    redaction: Redaction<'_>,
) -> Result<Vec<Piece<'a>>, Error> {
    let shown = |name: &'a str| -> Result<Piece<'a>, Error> {
        let name = redaction.apply(name, Part::Tool)?;
        let cut = head(&name, LONGEST_TOOL);
        Ok(Piece::new(if cut.len() < name.len() {
            Cow::Owned([cut, "…"].concat())
        } else {
            name
        }))
    };
    let mut tools: Vec<_> = snapshot
        .tools
        .iter()
        .map(|tool| shown(&tool.name))
        .collect::<Result<_, _>>()?;
    tools.push(Piece::new(Cow::Borrowed("?")));
    Ok(tools)
}

/// Walks the links beside the calls.
struct Links {
    linked: std::iter::Peekable<std::vec::IntoIter<(Place, Linked)>>,
}

/// What the view says of a call that has a result.
struct Linked {
    name: Option<u32>,
    candidate: Option<u32>,
    outcome: Outcome,
}

impl Links {
    fn new(pairing: &Pairing<'_>, plan: &Plan) -> Self {
        let mut pairs = (1..).zip(&plan.pairs);
        let mut candidates = 0..;
        let linked = pairing.links.iter().map(|link| {
            let pair = if link.takes_part { pairs.next() } else { None };
            let candidate = pair
                .filter(|(_, pair)| pair.is_candidate())
                .and_then(|_| candidates.next());
            let result = link.pair.result;
            let (chars, original) = match result.output {
                Output::NotText => (None, None),
                Output::Text { chars, original } => (Some(chars), original),
            };
            let outcome = Outcome::Ended {
                state: result.state,
                chars: original.or(chars),
                shortened: original.is_some(),
            };
            (
                link.pair.call_at,
                Linked {
                    name: pair.map(|(name, _)| name),
                    candidate,
                    outcome,
                },
            )
        });
        Self {
            linked: linked.collect::<Vec<_>>().into_iter().peekable(),
        }
    }

    fn next_at(&mut self, place: Place) -> Option<Linked> {
        self.linked
            .next_if(|(at, _)| *at == place)
            .map(|(_, linked)| linked)
    }
}
