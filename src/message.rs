//! The history as the core reads it: numbers for what only has to be told apart, text only where text is read.
//!
//! Whoever reads a history (the wasm shell from flat arrays, [`crate::document`] from JSON text) has resolved the
//! names by now: ids are interned, and what the request lists by id or name has become a flag.

use std::borrow::Cow;

/// An interned call id: equal numbers mean equal ids.
pub type IdNumber = u32;
/// Index into [`Snapshot::tools`].
pub type ToolNumber = u32;
/// Calls of one group are removed together or not at all.
pub type GroupNumber = u32;

/// A history with the marks that the request puts on it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Snapshot<'a> {
    /// In the order of the input.
    pub messages: Vec<Message>,
    /// The blocks of all messages, message by message.
    pub blocks: Vec<Block<'a>>,
    /// The distinct tool names.
    pub tools: Vec<Tool<'a>>,
    /// How many ids were interned: every [`IdNumber`] is below.
    pub ids: u32,
}

/// One message.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The request lists its id in `protected_message_ids`.
    pub listed: bool,
    /// The request lists its id in `task_starts`.
    pub starts_task: bool,
    /// How many blocks it holds.
    pub blocks: u32,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Role {
    /// The agent.
    Assistant,
    /// Instructions.
    System,
    /// The human.
    User,
}

impl Role {
    /// The word of the message format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::User => "user",
        }
    }
}

/// One block of a message, as far as it is read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Block<'a> {
    /// Says nothing itself (step boundaries, sources, host data); chat formats other than the canonical one have such.
    Aside(Aside),
    /// Hangs on a call and goes with it (approvals, mirrors); chat formats other than the canonical one have such.
    Attachment(IdNumber),
    /// A tool call.
    Call(Call<'a>),
    /// Carried along, never read.
    Other,
    /// A tool result.
    Result(ToolResult),
    /// Conversation text.
    Text(Cow<'a, str>),
    /// Carried along, never read; it may lead to calls.
    Thinking,
}

/// A block that no thinking leads to. It goes only with its message.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Aside {
    /// Thinking before it leads to nothing behind it.
    pub ends_step: bool,
    /// A message that still holds it is not empty.
    pub keeps_message: bool,
}

/// A tool call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// `None` when it is no non-empty string.
    pub id: Option<IdNumber>,
    /// `None` when it is no string.
    pub tool: Option<ToolNumber>,
    /// `None` when it is no string.
    pub input: Option<Cow<'a, str>>,
    /// How far it is.
    pub state: CallState,
    /// The request lists its id in `protected_call_ids`.
    pub listed: bool,
    /// Calls that a provider accepts only together.
    pub group: Option<GroupNumber>,
    /// What the format says of it beyond the canonical one.
    pub ties: Ties,
    /// Code points that id and source reference take in a marker, see [`crate::marker`].
    pub label: Label,
}

/// What a chat format other than the canonical one says of a call.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Ties {
    /// Something else refers to it, or it may not be touched for another reason of the format.
    pub bound: bool,
    /// Something that stays belongs to its group, so that no call of the group goes.
    pub group_stays: bool,
    /// It may go alone, but while it stays, the calls of its group that do not follow stay as well.
    pub follows: bool,
    /// It belongs to the tool loop that is still open: it never goes, its result may get shorter.
    pub stays: bool,
}

/// How long the texts are that a marker names, in code points as written in the marker.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Label {
    /// Length of the call id, escaped and cut.
    pub id: u32,
    /// Length of the source reference, escaped; `None` without one.
    pub reference: Option<u32>,
}

/// A tool result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolResult {
    /// `None` when it is no non-empty string.
    pub id: Option<IdNumber>,
    /// `None` when it is no string.
    pub tool: Option<ToolNumber>,
    /// How it ended.
    pub state: ResultState,
    /// What it holds.
    pub output: Output,
}

/// The output of a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Neither a string nor a non-empty list of text blocks.
    NotText,
    /// Text of this many code points.
    Text {
        /// Code points; a list counts joined by line feeds.
        chars: u32,
        /// Code points before an earlier run shortened it, where the text carries that run's marker.
        original: Option<u32>,
    },
}

/// State of a call; only finished ones are candidates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CallState {
    /// May run.
    Allowed,
    /// The user is asked.
    Asking,
    /// Done.
    Finished,
    /// Not begun; also when no state is given.
    Pending,
    /// Handed over.
    Submitted,
    /// Any other word.
    Unknown,
}

/// State of a result; only successes are candidates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ResultState {
    /// The user said no.
    Denied,
    /// It failed.
    Error,
    /// It was stopped.
    Interrupted,
    /// It goes on; also when no state is given.
    Running,
    /// It worked.
    Success,
    /// Any other word.
    Unknown,
}

/// A tool name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tool<'a> {
    /// As the calls write it.
    pub name: Cow<'a, str>,
    /// The request lists it in `eligible_tool_names`.
    pub eligible: bool,
}

/// Where a block stands.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Place {
    /// Index of the message.
    pub message: u32,
    /// Index in the message's content.
    pub block: u32,
}

impl Place {
    /// A number in the order of the places.
    pub(crate) const fn key(self) -> u64 {
        (self.message as u64) << 32 | self.block as u64
    }

    /// The place with a key.
    pub(crate) const fn from_key(key: u64) -> Self {
        Self {
            message: (key >> 32) as u32,
            block: key as u32,
        }
    }
}

impl CallState {
    /// Reads the word of the message format.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            Some("allowed") => Self::Allowed,
            Some("asking") => Self::Asking,
            Some("finished") => Self::Finished,
            Some("pending") | None => Self::Pending,
            Some("submitted") => Self::Submitted,
            Some(_) => Self::Unknown,
        }
    }

    /// The word of the message format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Asking => "asking",
            Self::Finished => "finished",
            Self::Pending => "pending",
            Self::Submitted => "submitted",
            Self::Unknown => "state unknown",
        }
    }
}

impl ResultState {
    /// Reads the word of the message format.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            Some("denied") => Self::Denied,
            Some("error") => Self::Error,
            Some("interrupted") => Self::Interrupted,
            Some("running") | None => Self::Running,
            Some("success") => Self::Success,
            Some(_) => Self::Unknown,
        }
    }

    /// The word of the view; short for the common one.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Success => "ok",
            Self::Unknown => "state unknown",
        }
    }
}

impl<'a> Snapshot<'a> {
    /// The messages, each with its index and its blocks.
    pub(crate) fn each_message(&self) -> impl Iterator<Item = (u32, &Message, &[Block<'a>])> {
        let mut rest = self.blocks.as_slice();
        (0..).zip(&self.messages).map(move |(index, message)| {
            let (blocks, after) = rest
                .split_at_checked(message.blocks as usize)
                .unwrap_or((rest, &[]));
            rest = after;
            (index, message, blocks)
        })
    }

    /// All blocks with their places.
    pub(crate) fn each_block(&self) -> impl Iterator<Item = (Place, &Block<'a>)> {
        self.each_message().flat_map(|(message, _, blocks)| {
            (0..)
                .zip(blocks)
                .map(move |(block, content)| (Place { message, block }, content))
        })
    }

    /// The name of a tool.
    pub(crate) fn tool(&self, number: Option<ToolNumber>) -> Option<&Tool<'a>> {
        self.tools.get(number? as usize)
    }
}
