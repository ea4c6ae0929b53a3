//! A validating pull parser over JSON text, iterative, so that depth costs memory and not stack.
//!
//! It hands out slices of the text and never builds a value: what is not read is not changed.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "JSON gets no new kinds of tokens; all but the named ones are treated alike"
)]

use std::borrow::Cow;
use std::ops::Range;

/// One piece of a JSON text. Commas and colons are checked and swallowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    ArrayEnd,
    ArrayStart,
    Bool(bool),
    Key(Text<'a>),
    Null,
    /// As written; see [`overflows`].
    Number(&'a str),
    ObjectEnd,
    ObjectStart,
    Text(Text<'a>),
}

/// The inside of a JSON string as written, escapes and all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Text<'a> {
    pub(crate) raw: &'a str,
    pub(crate) escaped: bool,
}

/// Where a text stops being JSON, as a byte offset.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct SyntaxError {
    pub(crate) at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    CommaOrEnd,
    End,
    FirstKeyOrEnd,
    FirstValueOrEnd,
    Key,
    Value,
}

/// The pull parser.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    expect: Expect,
    /// One entry an open container: is it an object?
    open: Vec<bool>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            expect: Expect::Value,
            open: Vec::new(),
        }
    }

    /// How many containers are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next token with the bytes it stands in, or `None` once the document is complete.
    pub(crate) fn next(&mut self) -> Result<Option<(Token<'a>, Range<usize>)>, SyntaxError> {
        self.skip_space();
        if self.expect == Expect::CommaOrEnd && self.peek() == Some(b',') {
            self.at += 1;
            self.skip_space();
            self.expect = if self.open.last() == Some(&true) {
                Expect::Key
            } else {
                Expect::Value
            };
        }
        let start = self.at;
        let token = match (self.expect, self.peek()) {
            (Expect::End, None) => return Ok(None),
            (Expect::CommaOrEnd | Expect::FirstKeyOrEnd, Some(b'}'))
                if self.open.last() == Some(&true) =>
            {
                self.close(Token::ObjectEnd)
            }
            (Expect::CommaOrEnd | Expect::FirstValueOrEnd, Some(b']'))
                if self.open.last() == Some(&false) =>
            {
                self.close(Token::ArrayEnd)
            }
            (Expect::Key | Expect::FirstKeyOrEnd, Some(b'"')) => self.key()?,
            (Expect::Value | Expect::FirstValueOrEnd, Some(byte)) => self.value(byte)?,
            _ => return Err(self.error()),
        };
        let end = match token {
            Token::Key(key) => start + key.raw.len() + 2,
            _ => self.at,
        };
        Ok(Some((token, start..end)))
    }

    /// Reads on to the end of the value that `first` begins and returns where that is.
    pub(crate) fn skip(&mut self, first: &(Token<'a>, Range<usize>)) -> Result<usize, SyntaxError> {
        if !matches!(first.0, Token::ArrayStart | Token::ObjectStart) {
            return Ok(first.1.end);
        }
        let outside = self.depth() - 1;
        loop {
            match self.next()? {
                Some((_, span)) if self.depth() == outside => return Ok(span.end),
                Some(_) => {}
                None => return Err(self.error()),
            }
        }
    }

    fn error(&self) -> SyntaxError {
        SyntaxError { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn settle(&mut self) {
        self.expect = if self.open.is_empty() {
            Expect::End
        } else {
            Expect::CommaOrEnd
        };
    }

    fn close(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        self.open.pop();
        self.settle();
        token
    }

    fn key(&mut self) -> Result<Token<'a>, SyntaxError> {
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.error());
        }
        self.at += 1;
        self.expect = Expect::Value;
        Ok(Token::Key(key))
    }

    fn value(&mut self, byte: u8) -> Result<Token<'a>, SyntaxError> {
        let token = match byte {
            b'{' => return Ok(self.begin(true)),
            b'[' => return Ok(self.begin(false)),
            b'"' => Token::Text(self.string()?),
            b't' => self.word("true", Token::Bool(true))?,
            b'f' => self.word("false", Token::Bool(false))?,
            b'n' => self.word("null", Token::Null)?,
            _ => self.number()?,
        };
        self.settle();
        Ok(token)
    }

    fn begin(&mut self, object: bool) -> Token<'a> {
        self.at += 1;
        self.open.push(object);
        if object {
            self.expect = Expect::FirstKeyOrEnd;
            Token::ObjectStart
        } else {
            self.expect = Expect::FirstValueOrEnd;
            Token::ArrayStart
        }
    }

    fn word(&mut self, word: &str, token: Token<'a>) -> Result<Token<'a>, SyntaxError> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.error());
        }
        self.at += word.len();
        Ok(token)
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.error())
        } else {
            Ok(())
        }
    }

    fn number(&mut self) -> Result<Token<'a>, SyntaxError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Token::Number(
            self.text.get(start..self.at).unwrap_or_default(),
        ))
    }

    fn string(&mut self) -> Result<Text<'a>, SyntaxError> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0x20..) => self.at += 1,
                Some(_) | None => return Err(self.error()),
            }
        }
        let raw = self.text.get(start..self.at).unwrap_or_default();
        self.at += 1;
        Ok(Text { raw, escaped })
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let digits = self.text.as_bytes().get(self.at + 1..self.at + 5);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.error());
                }
                self.at += 5;
            }
            _ => return Err(self.error()),
        }
        Ok(())
    }
}

impl<'a> Text<'a> {
    /// The text that is meant; a lone surrogate becomes U+FFFD.
    pub(crate) fn decode(self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        Cow::Owned(
            self.units()
                .map(|(unit, _)| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        )
    }

    /// The code points one by one, `None` for a lone surrogate, each with the raw text it is written as.
    pub(crate) fn units(self) -> Units<'a> {
        Units { rest: self.raw }
    }

    pub(crate) fn code_points(self) -> usize {
        if self.escaped {
            self.units().count()
        } else {
            crate::token::code_points(self.raw)
        }
    }
}

/// Iterator of [`Text::units`].
#[derive(Clone, Debug)]
pub(crate) struct Units<'a> {
    rest: &'a str,
}

impl<'a> Units<'a> {
    /// What has not been read yet.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for Units<'a> {
    type Item = (Option<char>, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.rest.chars().next()?;
        if first != '\\' {
            return Some((Some(first), self.take(first.len_utf8())));
        }
        let unit = match self.rest.as_bytes().get(1) {
            Some(b'u') => return Some(self.unicode()),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(&byte) => char::from(byte),
            None => '\\',
        };
        Some((Some(unit), self.take(2)))
    }
}

impl<'a> Units<'a> {
    fn unicode(&mut self) -> (Option<char>, &'a str) {
        let high = hex_unit(self.rest, 0).unwrap_or(0);
        if let Some(low) = hex_unit(self.rest, 6)
            && (0xD800..0xDC00).contains(&high)
            && (0xDC00..0xE000).contains(&low)
        {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            return (char::from_u32(code), self.take(12));
        }
        (char::from_u32(high), self.take(6))
    }
}

/// The value of an escape `\uXXXX` at this offset.
fn hex_unit(text: &str, at: usize) -> Option<u32> {
    let escape = text.get(at..at + 6)?;
    u32::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()
}

/// Writes a text as the inside of a JSON string, exactly as `JSON.stringify` does.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    const HEX: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(text.get(clean..at).unwrap_or_default());
        clean = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => {
                out.push_str("\\u00");
                for digit in [byte >> 4, byte & 0x0F] {
                    out.extend(HEX.get(usize::from(digit)));
                }
            }
        }
    }
    out.push_str(text.get(clean..).unwrap_or_default());
}

/// The digits of 2^1024 - 2^970, the smallest magnitude that rounds to infinity as a double.
const OVERFLOW: &[u8] = b"17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641\
66928879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669\
59622842914819860834936475292719074168444365510704342711559699508093042880177904174497792";

/// Whether a JSON number is too large for a double, which other readers would take for infinity.
pub(crate) fn overflows(number: &str) -> bool {
    let number = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if number.len() < OVERFLOW.len() && exponent == "0" {
        return false;
    }
    let significant = || {
        integer
            .bytes()
            .chain(fraction.bytes())
            .skip_while(|&digit| digit == b'0')
    };
    if significant().next().is_none() {
        return false;
    }
    let leading_zeros = integer
        .bytes()
        .chain(fraction.bytes())
        .take_while(|&digit| digit == b'0')
        .count();
    let clip = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 4);
    // Exponents beyond what an i64 holds decide alone.
    let exponent = exponent.parse::<i64>().unwrap_or_else(|_| {
        if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        }
    });
    let integer_digits =
        clip(integer.len()) - clip(leading_zeros) + exponent.clamp(i64::MIN / 2, i64::MAX / 2);
    match integer_digits.cmp(&clip(OVERFLOW.len())) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => {
            let padded = significant().chain(std::iter::repeat(b'0'));
            OVERFLOW.iter().copied().cmp(padded.take(OVERFLOW.len())) != std::cmp::Ordering::Greater
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<usize, SyntaxError> {
        let mut parser = Parser::new(text);
        let mut count = 0;
        while parser.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    fn string(text: &str) -> Text<'_> {
        match Parser::new(text).next().unwrap().unwrap().0 {
            Token::Text(text) => text,
            token => panic!("{token:?}"),
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let bad = [
            "",
            " ",
            "{",
            "}",
            "[1,]",
            "{,}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{'a':1}",
            "[1 2]",
            "01",
            "1.",
            ".5",
            "-",
            "1e",
            "+1",
            "NaN",
            "Infinity",
            "-Infinity",
            "tru",
            "nulll",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"",
            "{\"a\":}",
            "[}",
            "{]",
            "1 1",
            "\u{feff}{}",
            "{\"a\":1}}",
            "[[]",
            "\"\\",
        ];
        for text in bad {
            assert!(parse(text).is_err(), "{text:?}");
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_err(),
                "the oracle takes {text:?}"
            );
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(parse(&deep), Ok(2_000_000));
    }

    #[test]
    fn lone_surrogates_count_one_and_read_as_replacement() {
        let text = string(r#""\ud83d\ude00 \ud83d x \udc00 \ud83d\ud83d\ude00""#);
        assert_eq!(text.decode(), "😀 \u{fffd} x \u{fffd} \u{fffd}😀");
        assert_eq!(text.code_points(), 10);
    }

    #[test]
    fn numbers_overflow_where_a_double_does() {
        let huge = format!("1{}", "0".repeat(308));
        let over = format!("2{}", "0".repeat(308));
        let edge = String::from_utf8(OVERFLOW.to_vec()).unwrap();
        let below = format!("{}1", edge.get(..308).unwrap());
        let cases = [
            ("1e308", false),
            ("1e309", true),
            ("-1e400", true),
            ("1E+400", true),
            ("1e99999999999999999999", true),
            ("1e-99999999999999999999", false),
            ("0e999999", false),
            ("0.0000001e314", false),
            ("0.0000001e316", true),
            ("179769313486231570000e288", false),
            ("1.7976931348623159e308", true),
            (huge.as_str(), false),
            (over.as_str(), true),
            (edge.as_str(), true),
            (below.as_str(), false),
            ("12345678901234567890", false),
        ];
        for (number, expected) in cases {
            assert_eq!(overflows(number), expected, "{number}");
            assert_eq!(
                number.parse::<f64>().unwrap().is_infinite(),
                expected,
                "the oracle on {number}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_parser_agrees_with_serde_json(text in "[\\[\\]{},:\"a0-9eE.+\\-\\\\u tfn\n]{0,14}") {
            let oracle = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(parse(&text).is_ok(), oracle, "{}", text);
        }

        #[test]
        fn overflow_agrees_with_the_standard_library(digits in "[1-9][0-9]{0,20}", fraction in "[0-9]{1,5}", exponent in 280..320_i32) {
            let number = format!("{digits}.{fraction}e{exponent}");
            prop_assert_eq!(overflows(&number), number.parse::<f64>().unwrap().is_infinite());
        }

        #[test]
        fn escaping_and_decoding_are_inverse(text in "[a\"\\\\/\u{0}-\u{20}é中🐝]{0,30}") {
            let mut out = String::new();
            escape_into(&mut out, &text);
            let quoted = format!("\"{out}\"");
            prop_assert_eq!(&quoted, &serde_json::to_string(&text).unwrap());
            prop_assert_eq!(string(&quoted).decode(), text.as_str());
            prop_assert_eq!(string(&quoted).code_points(), text.chars().count());
        }
    }
}
