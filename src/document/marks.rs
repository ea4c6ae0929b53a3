//! The history of a document with the marks of the settings: ids and names become numbers and flags.

use std::borrow::Cow;

use super::{Document, RawContent, RawOutput, Stored, output_text};
use crate::json::Text;
use crate::marker::{self, LONGEST_ID};
use crate::message::{
    Block, Call, IdNumber, Label, Message, Output, Snapshot, Ties, Tool, ToolNumber, ToolResult,
};
use crate::options::Settings;
use crate::text::{Interner, find};
use crate::token::code_points;

impl<T: AsRef<str>> Document<T> {
    /// The history with the marks of the settings.
    pub fn snapshot(&self, settings: &Settings) -> Snapshot<'_> {
        let mut interned = Interned::new(self.text(), settings);
        let mut snapshot = Snapshot::default();
        for message in &self.messages {
            let id = message.id.as_ref().map(|id| id.of(self.text()).decode());
            let named =
                |list: &Interner<'_>| id.as_deref().is_some_and(|id| list.find(id).is_some());
            snapshot.messages.push(Message {
                role: message.role,
                listed: named(&interned.protected_messages),
                starts_task: named(&interned.task_starts),
                blocks: u32::try_from(message.blocks.len()).unwrap_or(u32::MAX),
            });
            snapshot.blocks.extend(
                message
                    .blocks
                    .iter()
                    .map(|block| interned.block(&block.content)),
            );
        }
        snapshot.ids = u32::try_from(interned.ids.len()).unwrap_or(u32::MAX);
        snapshot.tools = interned.tools;
        snapshot
    }
}

/// The names of the settings, and those of the history as they come.
struct Interned<'s, 'a> {
    text: &'a str,
    eligible: Interner<'s>,
    protected_messages: Interner<'s>,
    protected_calls: Interner<'s>,
    task_starts: Interner<'s>,
    references: Interner<'s>,
    settings: &'s Settings,
    ids: Interner<'a>,
    tool_numbers: Interner<'a>,
    tools: Vec<Tool<'a>>,
}

impl<'s, 'a> Interned<'s, 'a> {
    fn new(text: &'a str, settings: &'s Settings) -> Self {
        let set = |names: &'s [String]| names.iter().map(String::as_str).collect();
        Self {
            text,
            eligible: set(&settings.eligible_tool_names),
            protected_messages: set(&settings.protected_message_ids),
            protected_calls: set(&settings.protected_call_ids),
            task_starts: set(&settings.task_starts),
            references: settings
                .source_refs
                .iter()
                .map(|(id, _)| id.as_str())
                .collect(),
            settings,
            ids: Interner::default(),
            tool_numbers: Interner::default(),
            tools: Vec::new(),
        }
    }

    fn block(&mut self, content: &RawContent) -> Block<'a> {
        let of = |stored: &Option<Stored>| stored.as_ref().map(|stored| stored.of(self.text));
        match content {
            RawContent::Other => Block::Other,
            RawContent::Thinking => Block::Thinking,
            RawContent::Text(text) => Block::Text(text.of(self.text).decode()),
            RawContent::Call {
                id,
                name,
                input,
                state,
            } => {
                let (id, name, input) = (of(id), of(name), of(input));
                Block::Call(Call {
                    id: self.id(id),
                    tool: self.tool(name),
                    input: input.map(Text::decode),
                    state: *state,
                    listed: id.is_some_and(|id| self.protected_calls.find(&id.decode()).is_some()),
                    group: None,
                    ties: Ties::default(),
                    label: id.map(|id| self.label(id)).unwrap_or_default(),
                })
            }
            RawContent::Result {
                id,
                name,
                state,
                output,
            } => {
                let (id, name) = (of(id), of(name));
                let marker_id = id.map(escaped_id).unwrap_or_default();
                let output = measure(output, self.text, &marker_id);
                Block::Result(ToolResult {
                    id: self.id(id),
                    tool: self.tool(name),
                    state: *state,
                    output,
                })
            }
        }
    }

    fn id(&mut self, id: Option<Text<'a>>) -> Option<IdNumber> {
        let id = id?.decode();
        (!id.is_empty()).then(|| self.ids.number(id))
    }

    fn tool(&mut self, name: Option<Text<'a>>) -> Option<ToolNumber> {
        let text = name?;
        let name = text.decode();
        let number = self.tool_numbers.number(name.clone());
        if number as usize == self.tools.len() {
            // Half a surrogate pair is lost in decoding, so such a name cannot be compared exactly.
            let exact = text.units().all(|(unit, _)| unit.is_some());
            let eligible = exact && self.eligible.find(&name).is_some();
            self.tools.push(Tool { name, eligible });
        }
        Some(number)
    }

    fn label(&self, id: Text<'_>) -> Label {
        let count = |text: &str| u32::try_from(code_points(text)).unwrap_or(u32::MAX);
        let known = self.references.find(&id.decode()).is_some();
        let reference = if known {
            reference_of(self.settings, id)
        } else {
            None
        };
        Label {
            id: count(&escaped_id(id)),
            reference: reference.map(|reference| count(&escaped(reference))),
        }
    }
}

/// The host's reference to the original of a call; the last of equal ids counts.
pub(super) fn reference_of<'s>(settings: &'s Settings, id: Text<'_>) -> Option<&'s str> {
    let id = id.decode();
    settings
        .source_refs
        .iter()
        .rev()
        .find(|(of, _)| *of == id)
        .map(|(_, reference)| reference.as_str())
}

fn measure(output: &RawOutput, text: &str, id: &str) -> Output {
    if matches!(output, RawOutput::NotText) {
        return Output::NotText;
    }
    let texts = || output.texts().iter().map(|stored| stored.of(text));
    let chars = texts().map(Text::code_points).sum::<usize>() + texts().count() - 1;
    let may_carry_marker = texts().any(|text| {
        find(text.raw, "[… ").is_some() || (text.escaped && find(text.raw, "[\\u2026 ").is_some())
    });
    let original = if may_carry_marker {
        output_text(output, text).and_then(|text| marker::original_chars(&text, id))
    } else {
        None
    };
    Output::Text {
        chars: u32::try_from(chars).unwrap_or(u32::MAX),
        original,
    }
}

/// A call id as a marker shows it: cut, then escaped as inside a JSON string.
pub(super) fn escaped_id(id: Text<'_>) -> String {
    let mut units = id.units();
    let mut out: String = units.by_ref().take(LONGEST_ID).map(escaped_unit).collect();
    if units.next().is_some() {
        out.push('…');
    }
    out
}

fn escaped_unit((unit, raw): (Option<char>, &str)) -> Cow<'_, str> {
    match unit {
        Some(unit) => Cow::Owned(escaped(unit.encode_utf8(&mut [0; 4]))),
        // Half a surrogate pair stays an escape.
        None => Cow::Owned(raw.to_ascii_lowercase()),
    }
}

/// A text as inside a JSON string; what would begin a new line somewhere is escaped too.
pub(super) fn escaped(text: &str) -> String {
    let mut quoted = String::new();
    crate::json::escape_into(&mut quoted, text);
    let mut out = String::new();
    for character in quoted.chars() {
        match character {
            '\u{85}' => out.push_str("\\u0085"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            _ => out.push(character),
        }
    }
    out
}
