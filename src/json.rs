//! A validating pull parser over JSON text, iterative, so that depth costs memory and not stack.
//!
//! It hands out slices of the text and never builds a value: what is not read is not changed.

use std::borrow::Cow;
use std::ops::Range;

/// What kind of piece of a JSON text was read. Commas and colons are checked and swallowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    ArrayEnd,
    ArrayStart,
    /// The text is no JSON from here on; nothing else follows.
    Broken,
    /// The document is complete.
    End,
    False,
    Key,
    Null,
    /// See [`overflows`].
    Number,
    ObjectEnd,
    ObjectStart,
    Text,
    True,
}

/// The inside of a JSON string as written, escapes and all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Text<'a> {
    pub(crate) raw: &'a str,
    pub(crate) escaped: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Expect {
    CommaOrEnd,
    End,
    FirstKeyOrEnd,
    FirstValueOrEnd,
    Key,
    Nothing,
    Value,
}

/// The pull parser: [`Parser::next`] tells what comes, the other methods tell of what came last.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    expect: Expect,
    /// One entry an open container: is it an object?
    open: Vec<bool>,
    start: usize,
    end: usize,
    escaped: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            expect: Expect::Value,
            open: Vec::new(),
            start: 0,
            end: 0,
            escaped: false,
        }
    }

    /// Reads the next piece.
    pub(crate) fn next(&mut self) -> Kind {
        self.skip_space();
        if self.expect == Expect::CommaOrEnd && self.peek() == b',' {
            self.at += 1;
            self.skip_space();
            self.expect = if self.in_object() {
                Expect::Key
            } else {
                Expect::Value
            };
        }
        self.start = self.at;
        self.escaped = false;
        let kind = match (self.expect, self.peek()) {
            (Expect::End, 0) if self.at == self.text.len() => Kind::End,
            (Expect::CommaOrEnd | Expect::FirstKeyOrEnd, b'}') if self.in_object() => {
                self.close(Kind::ObjectEnd)
            }
            (Expect::CommaOrEnd | Expect::FirstValueOrEnd, b']') if !self.in_object() => {
                self.close(Kind::ArrayEnd)
            }
            (Expect::Key | Expect::FirstKeyOrEnd, b'"') => self.key(),
            (Expect::Value | Expect::FirstValueOrEnd, byte) => self.value(byte),
            _ => Kind::Broken,
        };
        if kind == Kind::Broken {
            self.expect = Expect::Nothing;
        } else if kind != Kind::Key {
            self.end = self.at;
        }
        kind
    }

    /// Reads on to the end of the value that a piece of this kind began. Returns whether it has one.
    pub(crate) fn skip(&mut self, first: Kind) -> bool {
        let start = self.start;
        let mut kind = first;
        if matches!(first, Kind::ArrayStart | Kind::ObjectStart) {
            let outside = self.open.len() - 1;
            while kind != Kind::Broken && self.open.len() > outside {
                kind = self.next();
            }
        }
        self.start = start;
        kind != Kind::Broken
    }

    /// The bytes that the last piece stands in; after [`Parser::skip`] those of the whole value.
    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The last key or text.
    pub(crate) fn text(&self) -> Text<'a> {
        let raw = self
            .text
            .get(self.start + 1..self.end.saturating_sub(1))
            .unwrap_or_default();
        Text {
            raw,
            escaped: self.escaped,
        }
    }

    /// The last number, as written.
    pub(crate) fn number(&self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Where it stands, or where the text stops being JSON.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    fn in_object(&self) -> bool {
        self.open.last() == Some(&true)
    }

    /// The next byte; 0, which is never JSON, at the end.
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
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

    fn close(&mut self, kind: Kind) -> Kind {
        self.at += 1;
        self.open.pop();
        self.settle();
        kind
    }

    fn key(&mut self) -> Kind {
        if !self.read_string() {
            return Kind::Broken;
        }
        self.end = self.at;
        self.skip_space();
        if self.peek() != b':' {
            return Kind::Broken;
        }
        self.at += 1;
        self.expect = Expect::Value;
        Kind::Key
    }

    fn value(&mut self, byte: u8) -> Kind {
        let (kind, read) = match byte {
            b'{' => return self.begin(true, Expect::FirstKeyOrEnd, Kind::ObjectStart),
            b'[' => return self.begin(false, Expect::FirstValueOrEnd, Kind::ArrayStart),
            b'"' => (Kind::Text, self.read_string()),
            b't' => (Kind::True, self.read_word("true")),
            b'f' => (Kind::False, self.read_word("false")),
            b'n' => (Kind::Null, self.read_word("null")),
            _ => (Kind::Number, self.read_number()),
        };
        self.settle();
        if read { kind } else { Kind::Broken }
    }

    fn begin(&mut self, object: bool, expect: Expect, kind: Kind) -> Kind {
        self.at += 1;
        self.open.push(object);
        self.expect = expect;
        kind
    }

    fn read_word(&mut self, word: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let read = rest.starts_with(word.as_bytes());
        self.at += if read { word.len() } else { 0 };
        read
    }

    fn read_digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at > start
    }

    fn read_number(&mut self) -> bool {
        if self.peek() == b'-' {
            self.at += 1;
        }
        if self.peek() == b'0' {
            self.at += 1;
        } else if !self.read_digits() {
            return false;
        }
        if self.peek() == b'.' {
            self.at += 1;
            if !self.read_digits() {
                return false;
            }
        }
        if !matches!(self.peek(), b'e' | b'E') {
            return true;
        }
        self.at += 1;
        if matches!(self.peek(), b'+' | b'-') {
            self.at += 1;
        }
        self.read_digits()
    }

    fn read_string(&mut self) -> bool {
        self.at += 1;
        loop {
            match self.peek() {
                b'"' => break,
                b'\\' if self.read_escape() => self.escaped = true,
                b'\\' | 0..0x20 => return false,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        true
    }

    fn read_escape(&mut self) -> bool {
        self.at += 1;
        let length = match self.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 1,
            b'u' => {
                let digits = self.text.as_bytes().get(self.at + 1..self.at + 5);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return false;
                }
                5
            }
            _ => return false,
        };
        self.at += length;
        true
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

    fn parse(text: &str) -> Option<usize> {
        let mut parser = Parser::new(text);
        let mut count = 0;
        loop {
            match parser.next() {
                Kind::Broken => return None,
                Kind::End => return Some(count),
                Kind::ArrayEnd
                | Kind::ArrayStart
                | Kind::False
                | Kind::Key
                | Kind::Null
                | Kind::Number => count += 1,
                Kind::ObjectEnd | Kind::ObjectStart | Kind::Text | Kind::True => count += 1,
            }
        }
    }

    fn string(text: &str) -> Text<'_> {
        let mut parser = Parser::new(text);
        assert_eq!(parser.next(), Kind::Text);
        parser.text()
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
            assert!(parse(text).is_none(), "{text:?}");
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_err(),
                "the oracle takes {text:?}"
            );
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(parse(&deep), Some(2_000_000));
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
            prop_assert_eq!(parse(&text).is_some(), oracle, "{}", text);
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
