//! A request as JSON text: where its parts stand, without building values.
//!
//! What is read comes from spans of the text, the last of equal keys counting; what is edited is spliced into the
//! text, so that every other byte survives: big integers, key order, escapes, duplicate keys, white space.

mod marks;
mod scan;
mod splice;

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Error;
use crate::json::Text;
use crate::message::{CallState, Place, ResultState, Role};

use scan::{Scan, no_messages};

pub use splice::{Splice, apply, compact_chars};

type Span = Range<usize>;

/// A scanned request: its text, borrowed or owned, and where everything stands in it.
#[derive(Debug)]
pub struct Document<T> {
    text: T,
    messages_span: Span,
    messages: Vec<RawMessage>,
    rest: String,
}

#[derive(Debug)]
struct RawMessage {
    span: Span,
    role: Role,
    id: Option<Stored>,
    blocks: Vec<RawBlock>,
}

#[derive(Debug)]
struct RawBlock {
    span: Span,
    content: RawContent,
}

#[derive(Debug)]
enum RawContent {
    Call {
        id: Option<Stored>,
        name: Option<Stored>,
        input: Option<Stored>,
        state: CallState,
    },
    Other,
    Result {
        id: Option<Stored>,
        name: Option<Stored>,
        state: ResultState,
        output: RawOutput,
    },
    Text(Stored),
    Thinking,
}

/// An output with the span of its value.
#[derive(Debug)]
enum RawOutput {
    /// Text blocks with the span of the first block.
    List {
        span: Span,
        texts: Vec<Stored>,
        first: Span,
    },
    NotText,
    String(Stored),
}

/// A string of the text.
#[derive(Clone, Debug)]
struct Stored {
    /// With its quotes.
    span: Span,
    escaped: bool,
}

impl Stored {
    fn of<'a>(&self, text: &'a str) -> Text<'a> {
        Text {
            raw: text
                .get(self.span.start + 1..self.span.end.saturating_sub(1))
                .unwrap_or_default(),
            escaped: self.escaped,
        }
    }
}

impl<T: AsRef<str>> Document<T> {
    /// Scans a request. Iterative and linear.
    ///
    /// # Errors
    /// `invalid_request` where the text is no JSON, no object, or its messages are not as described.
    pub fn parse(source: T) -> Result<Self, Error> {
        let text = source.as_ref();
        let mut scan = Scan::new(text);
        scan.begin()?;
        let mut messages = None;
        let mut rest = String::from("{");
        while let Some(key) = scan.key()? {
            let start = scan.start();
            if key.decode() == "messages" {
                messages = Some(scan.messages()?);
            } else {
                let end = scan.pass()?;
                if rest.len() > 1 {
                    rest.push(',');
                }
                rest.push_str(text.get(start..end).unwrap_or_default());
            }
        }
        scan.finish()?;
        rest.push('}');
        let (messages_span, messages) = messages.ok_or_else(no_messages)??;
        Ok(Self {
            text: source,
            messages_span,
            messages,
            rest,
        })
    }

    /// The request without its messages, as the text of a JSON object.
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// The text of the output at a place; `None` where it is no text.
    pub fn output(&self, place: Place) -> Option<Cow<'_, str>> {
        match self.content(place)? {
            RawContent::Result { output, .. } => output_text(output, self.text()),
            RawContent::Call { .. }
            | RawContent::Other
            | RawContent::Text(_)
            | RawContent::Thinking => None,
        }
    }

    /// Call id and tool name at a place, as they are written, with quotes.
    pub fn id_and_name(&self, place: Place) -> (Option<&str>, Option<&str>) {
        let written = |stored: &Option<Stored>| {
            stored
                .as_ref()
                .and_then(|stored| self.text().get(stored.span.clone()))
        };
        match self.content(place) {
            Some(RawContent::Call { id, name, .. } | RawContent::Result { id, name, .. }) => {
                (written(id), written(name))
            }
            Some(RawContent::Other | RawContent::Text(_) | RawContent::Thinking) | None => {
                (None, None)
            }
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.text.as_ref()
    }

    fn content(&self, place: Place) -> Option<&RawContent> {
        self.messages
            .get(place.message as usize)?
            .blocks
            .get(place.block as usize)
            .map(|block| &block.content)
    }
}

impl RawOutput {
    fn texts(&self) -> &[Stored] {
        match self {
            Self::List { texts, .. } => texts,
            Self::NotText => &[],
            Self::String(text) => std::slice::from_ref(text),
        }
    }
}

fn output_text<'a>(output: &RawOutput, text: &'a str) -> Option<Cow<'a, str>> {
    match output.texts() {
        [] => None,
        [one] => Some(one.of(text).decode()),
        many => Some(Cow::Owned(
            many.iter()
                .map(|one| one.of(text).decode())
                .collect::<Vec<_>>()
                .join("\n"),
        )),
    }
}
