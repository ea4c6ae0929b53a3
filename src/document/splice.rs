//! Edits of the text: what is taken out and what is put in its place.

use super::marks::{escaped, escaped_id, reference_of};
use super::{Document, RawContent, RawMessage, RawOutput, Span};
use crate::json::{Text, Units};
use crate::marker::{self, Cut};
use crate::message::Place;
use crate::options::{Language, Settings};
use crate::outcome::Outcome;

/// A range of bytes of the request text and what stands there instead.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Splice {
    /// First byte that goes.
    pub start: usize,
    /// First byte that stays.
    pub end: usize,
    /// What comes in between.
    pub text: String,
}

/// The text between two bytes with the splices done.
pub fn apply(text: &str, range: Span, splices: &[Splice]) -> String {
    let mut out = String::new();
    let mut done = range.start;
    for splice in splices {
        out.push_str(text.get(done..splice.start).unwrap_or_default());
        out.push_str(&splice.text);
        done = splice.end;
    }
    out.push_str(text.get(done..range.end).unwrap_or_default());
    out
}

/// Code points of a JSON text without the white space between its tokens.
pub fn compact_chars(json: &str) -> usize {
    let mut inside = false;
    let mut escaped = false;
    let mut count = 0;
    for byte in json.bytes() {
        let space = !inside && matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        count += usize::from(!space && byte & 0xC0 != 0x80);
        if byte == b'"' && !escaped {
            inside = !inside;
        }
        escaped = inside && byte == b'\\' && !escaped;
    }
    count
}

impl<T: AsRef<str>> Document<T> {
    /// Where the value of `messages` stands.
    pub fn messages_span(&self) -> Span {
        self.messages_span.clone()
    }

    /// The edits that turn the messages into the proposed snapshot, in order and without overlap.
    pub fn splices(
        &self,
        outcome: &Outcome,
        settings: &Settings,
        language: Language,
    ) -> Vec<Splice> {
        let mut splices = self.removals(outcome);
        for decision in &outcome.decisions {
            if let Some(cut) = &decision.cut {
                splices.extend(self.replacement(decision.result_at, cut, settings, language));
            }
        }
        in_order(splices)
    }

    fn removals(&self, outcome: &Outcome) -> Vec<Splice> {
        let is_removed = |message: usize| outcome.removal.message_map.get(message) == Some(&None);
        let messages: Vec<_> = self
            .messages
            .iter()
            .enumerate()
            .map(|(index, message)| (message.span.clone(), is_removed(index)))
            .collect();
        let mut splices = remove_elements(&messages);
        for removed in outcome
            .removal
            .blocks
            .chunk_by(|one, other| one.message == other.message)
        {
            let Some(message) = removed
                .first()
                .map(|place| place.message as usize)
                .filter(|&message| !is_removed(message))
            else {
                continue;
            };
            let Some(RawMessage { blocks, .. }) = self.messages.get(message) else {
                continue;
            };
            let mut gone = removed.iter().map(|place| place.block).peekable();
            let blocks: Vec<_> = (0..)
                .zip(blocks)
                .map(|(index, block)| (block.span.clone(), gone.next_if_eq(&index).is_some()))
                .collect();
            splices.extend(remove_elements(&blocks));
        }
        splices
    }

    fn replacement(
        &self,
        place: Place,
        cut: &Cut,
        settings: &Settings,
        language: Language,
    ) -> Option<Splice> {
        let RawContent::Result {
            id: Some(id),
            output,
            ..
        } = self.content(place)?
        else {
            return None;
        };
        let id = id.of(self.text());
        let reference = reference_of(settings, id).map(escaped);
        let marker = marker::write(language, cut, &escaped_id(id), reference.as_deref());
        // The marker is escaped once more: it is text inside a JSON string.
        let mut line = String::new();
        crate::json::escape_into(&mut line, &marker);
        let texts: Vec<_> = output
            .texts()
            .iter()
            .map(|text| text.of(self.text()))
            .collect();
        let new = ["\"", &shortened(&texts, cut, &line), "\""].concat();
        match output {
            RawOutput::NotText => None,
            RawOutput::String(text) => Some(Splice {
                start: text.span.start,
                end: text.span.end,
                text: new,
            }),
            RawOutput::List { span, texts, first } => {
                let first_text = texts.first()?;
                let before = self.text().get(first.start..first_text.span.start)?;
                let after = self.text().get(first_text.span.end..first.end)?;
                Some(Splice {
                    start: span.start,
                    end: span.end,
                    text: ["[", before, &new, after, "]"].concat(),
                })
            }
        }
    }
}

/// Sorts by the start; one sort of plain numbers serves the whole crate.
fn in_order(splices: Vec<Splice>) -> Vec<Splice> {
    let mut keys: Vec<u64> = (0..)
        .zip(&splices)
        .map(|(index, splice): (u64, _)| ((splice.start as u64) << 32) | index)
        .collect();
    keys.sort_unstable();
    let mut splices: Vec<Option<Splice>> = splices.into_iter().map(Some).collect();
    let take = |key: u64| {
        splices
            .get_mut((key & 0xFFFF_FFFF) as usize)
            .and_then(Option::take)
    };
    keys.into_iter().filter_map(take).collect()
}

/// Head, marker and tail as the inside of a JSON string; head and tail keep the escapes they are written with.
fn shortened(texts: &[Text<'_>], cut: &Cut, marker: &str) -> String {
    let raw = texts
        .iter()
        .map(|text| text.raw)
        .collect::<Vec<_>>()
        .join("\\n");
    let units = Text {
        raw: &raw,
        escaped: true,
    }
    .units();
    let head = raw
        .get(..raw.len() - after(units.clone(), cut.head).rest().len())
        .unwrap_or_default();
    let tail = after(units, cut.total.saturating_sub(cut.tail)).rest();
    let parts = [head, marker, tail];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\\n")
}

/// What is left once `count` code points are read.
fn after(mut units: Units<'_>, count: u32) -> Units<'_> {
    for _ in 0..count {
        if units.next().is_none() {
            break;
        }
    }
    units
}

/// Takes elements out of a list, each with the comma and the white space before it, or behind it where nothing stays
/// before it.
fn remove_elements(elements: &[(Span, bool)]) -> Vec<Splice> {
    let mut splices: Vec<Splice> = Vec::new();
    let mut kept_before: Option<usize> = None;
    let mut elements = elements.iter().peekable();
    while let Some((span, removed)) = elements.next() {
        if !removed {
            kept_before = Some(span.end);
            continue;
        }
        let mut end = span.end;
        while let Some((next, _)) = elements.next_if(|(_, removed)| *removed) {
            end = next.end;
        }
        let (start, end) = match (kept_before, elements.peek()) {
            (Some(before), _) => (before, end),
            (None, Some((next, _))) => (span.start, next.start),
            (None, None) => (span.start, end),
        };
        splices.push(Splice {
            start,
            end,
            text: String::new(),
        });
    }
    splices
}
