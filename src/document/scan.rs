//! Reading a request piece by piece.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "JSON gets no new kinds of pieces; all but the named ones are treated alike"
)]

use std::borrow::Cow;

use super::{RawBlock, RawContent, RawMessage, RawOutput, Span, Stored};
use crate::error::Error;
use crate::json::{Kind, Parser, Text};
use crate::message::{CallState, ResultState, Role};
use crate::text::decimal;

/// What is read, or what is wrong with it: an error only where no later value of the same key takes its place.
type Judged<T> = Result<T, Error>;

/// The parser with the errors of a request.
pub(super) struct Scan<'a> {
    parser: Parser<'a>,
    text: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            parser: Parser::new(text),
            text,
        }
    }

    /// The next piece of the request, which is not over yet.
    fn next(&mut self) -> Result<Kind, Error> {
        match self.parser.next() {
            Kind::Broken | Kind::End => Err(self.refuse()),
            kind => Ok(kind),
        }
    }

    fn refuse(&self) -> Error {
        let at = self.parser.position();
        let line = self
            .text
            .get(..at)
            .map_or(0, |before| before.matches('\n').count())
            + 1;
        let message = [
            "the request is not JSON: unexpected character at byte ",
            &decimal(at as u64),
            " (line ",
            &decimal(line as u64),
            ")",
        ];
        Error::invalid("request", &message.concat())
    }

    /// The request must be an object.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        match self.next()? {
            Kind::ObjectStart => Ok(()),
            _ => Err(Error::invalid("request", "the request must be an object")),
        }
    }

    /// Nothing but white space may follow.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        match self.parser.next() {
            Kind::End => Ok(()),
            _ => Err(self.refuse()),
        }
    }

    /// The next key of an open object, or `None` at its end.
    pub(super) fn key(&mut self) -> Result<Option<Text<'a>>, Error> {
        let kind = self.next()?;
        Ok((kind == Kind::Key).then(|| self.parser.text()))
    }

    /// Where the last piece begins.
    pub(super) fn start(&self) -> usize {
        self.parser.span().start
    }

    fn end(&self) -> usize {
        self.parser.span().end
    }

    /// Reads a value that is not needed and returns where it ends.
    pub(super) fn pass(&mut self) -> Result<usize, Error> {
        let kind = self.next()?;
        self.skip(kind)?;
        Ok(self.end())
    }

    fn skip(&mut self, first: Kind) -> Result<(), Error> {
        if self.parser.skip(first) {
            Ok(())
        } else {
            Err(self.refuse())
        }
    }

    /// A string value; anything else is passed over.
    fn string(&mut self) -> Result<Option<Stored>, Error> {
        let kind = self.next()?;
        self.skip(kind)?;
        Ok((kind == Kind::Text).then(|| self.stored()))
    }

    fn stored(&self) -> Stored {
        Stored {
            span: self.parser.span(),
            escaped: self.parser.text().escaped,
        }
    }

    pub(super) fn messages(&mut self) -> Result<Judged<(Span, Vec<RawMessage>)>, Error> {
        let kind = self.next()?;
        if kind != Kind::ArrayStart {
            self.skip(kind)?;
            return Ok(Err(no_messages()));
        }
        let start = self.start();
        let mut messages = Vec::new();
        let mut wrong = None;
        let mut count = 0;
        loop {
            let judged = match self.next()? {
                Kind::ArrayEnd => break,
                Kind::ObjectStart => self.message(count)?,
                kind => {
                    self.skip(kind)?;
                    Err(refuse_message(count, "", "a message must be an object"))
                }
            };
            count += 1;
            match judged {
                Ok(message) => messages.push(message),
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        let span = start..self.end();
        Ok(wrong.map_or(Ok((span, messages)), Err))
    }

    fn message(&mut self, index: usize) -> Result<Judged<RawMessage>, Error> {
        let start = self.start();
        let mut role = None;
        let mut id = None;
        let mut content = Ok(None);
        while let Some(key) = self.key()? {
            match key.decode().as_ref() {
                "role" => role = self.role()?,
                "id" => id = self.string()?,
                "content" => content = self.content(index)?,
                _ => {
                    self.pass()?;
                }
            }
        }
        let span = start..self.end();
        let Some(role) = role else {
            return Ok(Err(refuse_message(
                index,
                ".role",
                "role must be \"user\", \"assistant\" or \"system\"",
            )));
        };
        Ok(match content {
            Err(error) => Err(error),
            Ok(None) => Err(refuse_message(
                index,
                ".content",
                "content must be a string or a list of block objects",
            )),
            Ok(Some(blocks)) => Ok(RawMessage {
                span,
                role,
                id,
                blocks,
            }),
        })
    }

    fn role(&mut self) -> Result<Option<Role>, Error> {
        let role = self.string()?;
        Ok(
            match role.map(|role| role.of(self.text).decode()).as_deref() {
                Some("assistant") => Some(Role::Assistant),
                Some("system") => Some(Role::System),
                Some("user") => Some(Role::User),
                _ => None,
            },
        )
    }

    /// The blocks of a message, or `None` where its content is neither text nor a list.
    fn content(&mut self, index: usize) -> Result<Judged<Option<Vec<RawBlock>>>, Error> {
        let kind = self.next()?;
        if kind == Kind::Text {
            return Ok(Ok(Some(vec![RawBlock {
                span: self.parser.span(),
                content: RawContent::Text(self.stored()),
            }])));
        }
        if kind != Kind::ArrayStart {
            self.skip(kind)?;
            return Ok(Ok(None));
        }
        let mut blocks = Vec::new();
        let mut wrong = None;
        let mut count: u64 = 0;
        loop {
            match self.next()? {
                Kind::ArrayEnd => break,
                Kind::ObjectStart => blocks.push(self.block()?),
                kind => {
                    self.skip(kind)?;
                    let path = [".content[", &decimal(count), "]"].concat();
                    wrong = wrong.or_else(|| {
                        Some(refuse_message(index, &path, "a block must be an object"))
                    });
                }
            }
            count += 1;
        }
        Ok(wrong.map_or(Ok(Some(blocks)), Err))
    }

    fn block(&mut self) -> Result<RawBlock, Error> {
        let start = self.start();
        let mut fields = Fields::default();
        while let Some(key) = self.key()? {
            match key.decode().as_ref() {
                "type" => fields.kind = self.string()?,
                "id" => fields.id = self.string()?,
                "name" => fields.name = self.string()?,
                "input" => fields.input = self.string()?,
                "text" => fields.text = self.string()?,
                "state" => fields.state = Some(self.string()?),
                "output" => fields.output = Some(self.output()?),
                _ => {
                    self.pass()?;
                }
            }
        }
        Ok(RawBlock {
            span: start..self.end(),
            content: fields.content(self.text),
        })
    }

    fn output(&mut self) -> Result<RawOutput, Error> {
        match self.next()? {
            Kind::Text => Ok(RawOutput::String(self.stored())),
            Kind::ArrayStart => self.list(),
            kind => {
                self.skip(kind)?;
                Ok(RawOutput::NotText)
            }
        }
    }

    fn list(&mut self) -> Result<RawOutput, Error> {
        let start = self.start();
        let mut texts = Vec::new();
        let mut first = None;
        let mut all_text = true;
        loop {
            let kind = self.next()?;
            if kind == Kind::ArrayEnd {
                let span = start..self.end();
                return Ok(match first.filter(|_| all_text) {
                    Some(first) => RawOutput::List { span, texts, first },
                    None => RawOutput::NotText,
                });
            }
            let block_start = self.start();
            let text = if kind == Kind::ObjectStart {
                self.text_block()?
            } else {
                self.skip(kind)?;
                None
            };
            all_text &= text.is_some();
            first.get_or_insert_with(|| block_start..self.parser.span().end);
            texts.extend(text);
        }
    }

    /// The text of a text block of an output.
    fn text_block(&mut self) -> Result<Option<Stored>, Error> {
        let mut is_text = false;
        let mut text = None;
        while let Some(key) = self.key()? {
            match key.decode().as_ref() {
                "type" => {
                    is_text = self
                        .string()?
                        .is_some_and(|kind| kind.of(self.text).decode() == "text")
                }
                "text" => text = self.string()?,
                _ => {
                    self.pass()?;
                }
            }
        }
        Ok(text.filter(|_| is_text))
    }
}

/// The fields of a block that are read; the last of equal keys counts.
#[derive(Default)]
struct Fields {
    kind: Option<Stored>,
    id: Option<Stored>,
    name: Option<Stored>,
    input: Option<Stored>,
    text: Option<Stored>,
    /// `Some(None)` is a state that is no string.
    state: Option<Option<Stored>>,
    output: Option<RawOutput>,
}

impl Fields {
    fn content(self, text: &str) -> RawContent {
        let state = self
            .state
            .map(|state| state.map_or(Cow::Borrowed(""), |state| state.of(text).decode()));
        match self.kind.map(|kind| kind.of(text).decode()).as_deref() {
            Some("text") => self.text.map_or(RawContent::Other, RawContent::Text),
            Some("thinking") => RawContent::Thinking,
            Some("tool_call") => RawContent::Call {
                id: self.id,
                name: self.name,
                input: self.input,
                state: CallState::parse(state.as_deref()),
            },
            Some("tool_result") => RawContent::Result {
                id: self.id,
                name: self.name,
                state: ResultState::parse(state.as_deref()),
                output: self.output.unwrap_or(RawOutput::NotText),
            },
            _ => RawContent::Other,
        }
    }
}

pub(super) fn no_messages() -> Error {
    Error::invalid("messages", "messages must be a list of message objects")
}

fn refuse_message(message: usize, rest: &str, rule: &str) -> Error {
    Error::invalid(
        &["messages[", &decimal(message as u64), "]", rest].concat(),
        rule,
    )
}
