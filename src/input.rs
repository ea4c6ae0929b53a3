//! The inputs of tool calls: whether they are JSON objects, and how they are read and shown.

use std::borrow::Cow;

use crate::json::{Parser, SyntaxError, Token, overflows};
use crate::redact;

/// Whether a text is the text of a JSON object whose numbers are all finite.
pub(crate) fn is_object(input: &str) -> bool {
    check(input) == Ok(true)
}

fn check(input: &str) -> Result<bool, SyntaxError> {
    let mut parser = Parser::new(input);
    let mut first = true;
    while let Some((token, _)) = parser.next()? {
        if (first && token != Token::ObjectStart)
            || matches!(token, Token::Number(number) if overflows(number))
        {
            return Ok(false);
        }
        first = false;
    }
    Ok(true)
}

/// All leaves of an input, one a line: what the local model reads. Keys are left out; an empty container is an
/// empty line; text that is no JSON is returned as it stands.
pub(crate) fn leaves(input: &str) -> Cow<'_, str> {
    collect_leaves(input).map_or(Cow::Borrowed(input), Cow::Owned)
}

fn collect_leaves(input: &str) -> Result<String, SyntaxError> {
    let mut parser = Parser::new(input);
    let mut out = String::new();
    let mut first = true;
    let mut opened = false;
    while let Some((token, _)) = parser.next()? {
        let leaf = match token {
            Token::Key(_) => continue,
            Token::ArrayStart | Token::ObjectStart => {
                opened = true;
                continue;
            }
            Token::ArrayEnd | Token::ObjectEnd if opened => Cow::Borrowed(""),
            Token::ArrayEnd | Token::ObjectEnd => continue,
            Token::Bool(true) => Cow::Borrowed("True"),
            Token::Bool(false) => Cow::Borrowed("False"),
            Token::Null => Cow::Borrowed("None"),
            Token::Number(number) => Cow::Borrowed(number),
            Token::Text(text) => text.decode(),
        };
        opened = false;
        if !first {
            out.push('\n');
        }
        first = false;
        out.push_str(&leaf);
    }
    Ok(out)
}

/// An input as the view shows it: JSON with fewer quotes, since every quote inside a JSON string costs two
/// characters, and with the values of credential-like keys and credential-shaped strings marked when `hide` is set.
/// Text that is no JSON is treated as free text.
pub(crate) fn shown(input: &str, hide: bool) -> Cow<'_, str> {
    match render(input, hide) {
        Ok(shown) => Cow::Owned(shown),
        Err(_) if hide => redact::text(input),
        Err(_) => Cow::Borrowed(input),
    }
}

fn render(input: &str, hide: bool) -> Result<String, SyntaxError> {
    let mut parser = Parser::new(input);
    let mut out = String::with_capacity(input.len());
    let mut comma = false;
    while let Some(item) = parser.next()? {
        if comma && !matches!(item.0, Token::ArrayEnd | Token::ObjectEnd) {
            out.push(',');
        }
        comma = !matches!(
            item.0,
            Token::ArrayStart | Token::ObjectStart | Token::Key(_)
        );
        match item.0 {
            Token::ArrayEnd => out.push(']'),
            Token::ArrayStart => out.push('['),
            Token::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            Token::Key(key) => {
                let key = key.decode();
                push_key(&mut out, &key);
                if hide && redact::is_credential(&key) {
                    comma = hide_value(&mut parser, &mut out)?;
                }
            }
            Token::Null => out.push_str("null"),
            Token::Number(number) => out.push_str(number),
            Token::ObjectEnd => out.push('}'),
            Token::ObjectStart => out.push('{'),
            Token::Text(text) => {
                let text = text.decode();
                push_quoted(
                    &mut out,
                    &if hide {
                        redact::text(&text)
                    } else {
                        Cow::Borrowed(text.as_ref())
                    },
                );
            }
        }
    }
    Ok(out)
}

/// Writes the mark for the value that follows; what can hide nothing is written as it is. Returns whether a value is complete.
fn hide_value(parser: &mut Parser<'_>, out: &mut String) -> Result<bool, SyntaxError> {
    let Some(item) = parser.next()? else {
        return Ok(true);
    };
    match item.0 {
        Token::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Token::Null => out.push_str("null"),
        Token::ArrayEnd
        | Token::ArrayStart
        | Token::Key(_)
        | Token::Number(_)
        | Token::ObjectEnd
        | Token::ObjectStart
        | Token::Text(_) => {
            parser.skip(&item)?;
            out.push_str(redact::MARK);
        }
    }
    Ok(true)
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
