//! The flat view: the cheapest way across the line that was measured (numbers and one string, no output bodies).
//!
//! `numbers` holds, in this order:
//! - how many messages, tools and ids there are;
//! - for each tool: whether it is eligible, and the length of its name;
//! - for each message: role (0 assistant, 1 system, 2 user), plus 4 when it is listed, plus 8 when it starts a task;
//!   the number of its blocks; then its blocks, each beginning with its kind:
//!   - 0 other, 1 thinking;
//!   - 2 text: length;
//!   - 3 call: kind + 16 × state, plus 256 when it is listed, 512 when it has an input, 1024 when it has a group, 2048 when it
//!     has a source reference, 4096 when it stays, 8192 when something of its group stays, 16384 when the format binds it,
//!     32768 when it follows its group, plus 65536 × length of the escaped id; id + 1; tool + 1; length of the input; then the
//!     group and the length of the escaped reference where there are such;
//!   - 4 result: kind + 16 × state + 256 × form (0 no text, 1 text, 2 text that may carry a marker); id + 1; tool + 1;
//!     code points;
//!   - 5 attachment: id + 1;
//!   - 6 aside: kind + 16 when it ends a step, plus 32 when it keeps its message.
//!
//! `text` holds the tool names, texts and inputs in the same order, each followed by a line feed, so that half a
//! surrogate pair at the end of one does not join the next. Lengths in it count UTF-16 units.

use std::borrow::Cow;

use wasm_bindgen::JsValue;

use super::host::Host;
use crate::marker;
use crate::message::{
    Aside, Block, Call, CallState, Label, Message, Output, ResultState, Role, Snapshot, Ties, Tool,
    ToolResult,
};

/// Reads a flat history; `None` where the numbers do not fit together.
pub(super) fn read<'a>(numbers: &[u32], text: &'a str) -> Option<Snapshot<'a>> {
    let mut reader = Reader {
        numbers: numbers.iter().copied(),
        text,
    };
    let (messages, tools, ids) = (reader.number()?, reader.number()?, reader.number()?);
    let mut snapshot = Snapshot {
        ids,
        ..Snapshot::default()
    };
    for _ in 0..tools {
        let eligible = reader.number()? == 1;
        snapshot.tools.push(Tool {
            eligible,
            name: Cow::Borrowed(reader.text()?),
        });
    }
    for _ in 0..messages {
        let head = reader.number()?;
        let blocks = reader.number()?;
        let role = match head & 3 {
            0 => Role::Assistant,
            1 => Role::System,
            _ => Role::User,
        };
        snapshot.messages.push(Message {
            role,
            listed: head & 4 != 0,
            starts_task: head & 8 != 0,
            blocks,
        });
        for _ in 0..blocks {
            let block = reader.block()?;
            snapshot.blocks.push(block);
        }
    }
    Some(snapshot)
}

/// Looks for markers of earlier runs where an output may carry one.
pub(super) fn find_markers(snapshot: &mut Snapshot<'_>, host: &Host) -> Result<(), JsValue> {
    let mut blocks = snapshot.blocks.iter_mut();
    for (message, shape) in (0..).zip(&snapshot.messages) {
        for (block, content) in (0..shape.blocks).zip(&mut blocks) {
            if let Block::Result(ToolResult {
                output: Output::Text { original, .. },
                ..
            }) = content
                && *original == SUSPECT
            {
                let text = host.output(message, block, u32::MAX)?.unwrap_or_default();
                *original = marker::original_chars(&text, &host.escaped_id(message, block)?);
            }
        }
    }
    Ok(())
}

/// Stands for "may carry a marker" until that is looked up.
const SUSPECT: Option<u32> = Some(u32::MAX);

struct Reader<'n, 'a> {
    numbers: std::iter::Copied<std::slice::Iter<'n, u32>>,
    text: &'a str,
}

impl<'a> Reader<'_, 'a> {
    fn number(&mut self) -> Option<u32> {
        self.numbers.next()
    }

    /// An index that is written one higher, 0 for none.
    fn index(&mut self) -> Option<Option<u32>> {
        self.number().map(|index| index.checked_sub(1))
    }

    /// The next text, whose length is the next number.
    fn text(&mut self) -> Option<&'a str> {
        let units = self.number()?;
        let end = byte_length(self.text.as_bytes(), units);
        let (text, rest) = self.text.split_at_checked(end)?;
        self.text = rest.strip_prefix('\n')?;
        Some(text)
    }

    fn block(&mut self) -> Option<Block<'a>> {
        let head = self.number()?;
        let state = (head >> 4) & 15;
        Some(match head & 15 {
            1 => Block::Thinking,
            2 => Block::Text(Cow::Borrowed(self.text()?)),
            3 => Block::Call(self.call(head, state)?),
            4 => {
                let (id, tool, chars) = (self.index()?, self.index()?, self.number()?);
                let output = match (head >> 8) & 3 {
                    0 => Output::NotText,
                    1 => Output::Text {
                        chars,
                        original: None,
                    },
                    _ => Output::Text {
                        chars,
                        original: SUSPECT,
                    },
                };
                Block::Result(ToolResult {
                    id,
                    tool,
                    state: result_state(state),
                    output,
                })
            }
            5 => Block::Attachment(self.index()??),
            6 => Block::Aside(Aside {
                ends_step: head & 16 != 0,
                keeps_message: head & 32 != 0,
            }),
            _ => Block::Other,
        })
    }

    fn call(&mut self, head: u32, state: u32) -> Option<Call<'a>> {
        let (id, tool) = (self.index()?, self.index()?);
        let input = self.text()?;
        let mut when = |flag: u32| {
            if head & flag == 0 {
                Some(None)
            } else {
                self.number().map(Some)
            }
        };
        let group = when(1024)?;
        let reference = when(2048)?;
        Some(Call {
            id,
            tool,
            input: (head & 512 != 0).then_some(Cow::Borrowed(input)),
            state: call_state(state),
            listed: head & 256 != 0,
            group,
            ties: Ties {
                bound: head & 16384 != 0,
                follows: head & 32768 != 0,
                group_stays: head & 8192 != 0,
                stays: head & 4096 != 0,
            },
            label: Label {
                id: head >> 16,
                reference,
            },
        })
    }
}

const fn call_state(number: u32) -> CallState {
    match number {
        0 => CallState::Finished,
        1 => CallState::Pending,
        2 => CallState::Asking,
        3 => CallState::Allowed,
        4 => CallState::Submitted,
        _ => CallState::Unknown,
    }
}

const fn result_state(number: u32) -> ResultState {
    match number {
        0 => ResultState::Success,
        1 => ResultState::Running,
        2 => ResultState::Error,
        3 => ResultState::Interrupted,
        4 => ResultState::Denied,
        _ => ResultState::Unknown,
    }
}

/// Bytes of so many UTF-16 units at the start of a text.
fn byte_length(text: &[u8], units: u32) -> usize {
    let mut left = units as usize;
    let mut at = 0;
    while left > 0 {
        // Eight ASCII bytes at a time.
        let chunk = text
            .get(at..at + 8)
            .and_then(|chunk| <[u8; 8]>::try_from(chunk).ok());
        if left >= 8
            && chunk.is_some_and(|chunk| u64::from_ne_bytes(chunk) & 0x8080_8080_8080_8080 == 0)
        {
            at += 8;
            left -= 8;
            continue;
        }
        let (length, units) = match text.get(at) {
            None => return at,
            Some(0..=0x7F) => (1, 1),
            Some(0x80..=0xDF) => (2, 1),
            Some(0xE0..=0xEF) => (3, 1),
            Some(_) => (4, 2),
        };
        at += length;
        left = left.saturating_sub(units);
    }
    at
}
