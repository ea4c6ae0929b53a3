//! The inputs of tool calls: whether they are JSON objects, and how they are read and shown.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "JSON gets no new kinds of pieces; all but the named ones are treated alike"
)]

use std::borrow::Cow;

use crate::json::{Kind, Parser, overflows};
use crate::redact;

/// Whether a text is the text of a JSON object whose numbers are all finite.
pub(crate) fn is_object(input: &str) -> bool {
    let mut parser = Parser::new(input);
    if parser.next() != Kind::ObjectStart {
        return false;
    }
    loop {
        match parser.next() {
            Kind::Broken => return false,
            Kind::End => return true,
            Kind::Number if overflows(parser.number()) => return false,
            _ => {}
        }
    }
}

/// All leaves of an input, one a line: what the local model reads. Keys are left out; an empty container is an
/// empty line; text that is no JSON is returned as it stands.
pub(crate) fn leaves(input: &str) -> Cow<'_, str> {
    let mut parser = Parser::new(input);
    let mut out = String::new();
    let mut first = true;
    let mut opened = false;
    loop {
        let kind = parser.next();
        match kind {
            Kind::Broken => return Cow::Borrowed(input),
            Kind::End => return Cow::Owned(out),
            Kind::Key => continue,
            Kind::ArrayStart | Kind::ObjectStart => {
                opened = true;
                continue;
            }
            Kind::ArrayEnd | Kind::ObjectEnd if !opened => continue,
            _ => {}
        }
        opened = false;
        if !first {
            out.push('\n');
        }
        first = false;
        match kind {
            Kind::True => out.push_str("True"),
            Kind::False => out.push_str("False"),
            Kind::Null => out.push_str("None"),
            Kind::Number => out.push_str(parser.number()),
            Kind::Text => out.push_str(&parser.text().decode()),
            _ => {}
        }
    }
}

/// An input as the view shows it: JSON with fewer quotes, since every quote inside a JSON string costs two
/// characters, and with the values of credential-like keys and credential-shaped strings marked when `hide` is set.
/// Text that is no JSON is treated as free text.
pub(crate) fn shown(input: &str, hide: bool) -> Cow<'_, str> {
    let mut parser = Parser::new(input);
    let mut out = String::with_capacity(input.len());
    let mut comma = false;
    loop {
        let kind = parser.next();
        if comma && !matches!(kind, Kind::ArrayEnd | Kind::ObjectEnd | Kind::End) {
            out.push(',');
        }
        comma = !matches!(kind, Kind::ArrayStart | Kind::ObjectStart | Kind::Key);
        match kind {
            Kind::Broken if hide => return redact::text(input),
            Kind::Broken => return Cow::Borrowed(input),
            Kind::End => return Cow::Owned(out),
            Kind::ArrayEnd => out.push(']'),
            Kind::ArrayStart => out.push('['),
            Kind::False => out.push_str("false"),
            Kind::Key => {
                let key = parser.text().decode();
                push_key(&mut out, &key);
                if hide && redact::is_credential(&key) {
                    hide_value(&mut parser, &mut out);
                    comma = true;
                }
            }
            Kind::Null => out.push_str("null"),
            Kind::Number => out.push_str(parser.number()),
            Kind::ObjectEnd => out.push('}'),
            Kind::ObjectStart => out.push('{'),
            Kind::Text => {
                let text = parser.text().decode();
                push_quoted(
                    &mut out,
                    &if hide {
                        redact::text(&text)
                    } else {
                        Cow::Borrowed(text.as_ref())
                    },
                );
            }
            Kind::True => out.push_str("true"),
        }
    }
}

/// Writes the mark for the value that follows; what can hide nothing is written as it is.
fn hide_value(parser: &mut Parser<'_>, out: &mut String) {
    let kind = parser.next();
    parser.skip(kind);
    out.push_str(match kind {
        Kind::False => "false",
        Kind::Null => "null",
        Kind::True => "true",
        _ => redact::MARK,
    });
}

fn push_key(out: &mut String, key: &str) {
    let bare = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$') || byte >= 0x80
    };
    if !key.is_empty() && key.bytes().all(bare) {
        out.push_str(key);
    } else {
        push_quoted(out, key);
    }
    out.push(':');
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for piece in text.split_inclusive(['\'', '\\']) {
        match piece.char_indices().next_back() {
            Some((at, sign @ ('\'' | '\\'))) => {
                out.push_str(piece.get(..at).unwrap_or_default());
                out.push('\\');
                out.push(sign);
            }
            _ => out.push_str(piece),
        }
    }
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_with_finite_numbers_count() {
        for input in [
            "{}",
            " {\"a\": [1, {\"b\": null}]} ",
            "{\"a\":1,\"a\":2}",
            "{\"q\":\"\\ud800\"}",
            "{\"n\":-0.0e-400}",
        ] {
            assert!(is_object(input), "{input}");
        }
        for input in [
            "",
            "[]",
            "null",
            "1",
            "\"{}\"",
            "{\"a\":NaN}",
            "{\"a\":Infinity}",
            "{\"a\":1e400}",
            "{\"a\":[-1e999]}",
            "{",
            "{}{}",
            "{'a':1}",
        ] {
            assert!(!is_object(input), "{input}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(is_object(&deep));
    }

    #[test]
    fn leaves_are_one_a_line() {
        assert_eq!(
            leaves("{\"a\":\"x y\",\"b\":{\"c\":[1,true,null,[],{}]}}"),
            "x y\n1\nTrue\nNone\n\n"
        );
        assert_eq!(leaves("{}"), "");
        assert_eq!(leaves("[[]]"), "");
        assert_eq!(leaves("{\"a\":"), "{\"a\":");
    }

    #[test]
    fn an_input_is_shown_with_few_quotes() {
        let input = r#"{"path": "src/a b.ts", "x y": [1, true, null, {}, []], "n": {"it's": "a\\b\n"}, "é": 1}"#;
        assert_eq!(
            shown(input, true),
            "{path:'src/a b.ts','x y':[1,true,null,{},[]],n:{'it\\'s':'a\\\\b\n'},é:1}"
        );
    }

    #[test]
    fn credentials_are_marked_at_any_depth() {
        let input = r#"{"headers":{"X-Api-Key":"S1","cookies":["S2"],"a":[{"auth":{"u":"S3"}}]},"password":12,"token":null,"secret":true,"url":"x?token=S4","note":"Bearer S5-SECRET"}"#;
        let view = "{headers:{X-Api-Key:[redacted],cookies:[redacted],a:[{auth:[redacted]}]},password:[redacted],token:null,secret:true,url:'x?token=[redacted]',note:'Bearer [redacted]'}";
        assert_eq!(shown(input, true), view);
        assert!(shown(input, false).contains("S3"));
    }

    #[test]
    fn a_cut_off_input_is_free_text() {
        assert_eq!(
            shown("{\"password\": \"hunter2\", \"pa", true),
            "{\"password\": \"[redacted]\", \"pa"
        );
    }
}
