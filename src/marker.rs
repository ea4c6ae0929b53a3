//! The one line that stands in a shortened result for what was left out.
//!
//! The text lives here alone; the TypeScript shell fills in the same templates. Between the kept head, the marker
//! and the kept tail stands one line feed each; an empty head or tail takes none.

use crate::message::Label;
use crate::options::Language;
use crate::text::push_number;
use crate::token::code_points;

/// Longest call id that a marker shows, in code points; a longer one ends in `…`.
pub const LONGEST_ID: usize = 64;

const LEFT_OUT: char = '\u{0}';
const TOTAL: char = '\u{1}';
const ID: char = '\u{2}';
const REFERENCE: char = '\u{3}';

/// The marker with placeholders: U+0000 for the number of characters left out, U+0001 for the number of the
/// original, U+0002 for the call id, U+0003 for a blank and the source reference where there is one. Id and
/// reference are escaped as inside a JSON string.
pub const fn template(language: Language) -> &'static str {
    match language {
        Language::Chinese => {
            "[… \u{1} 个字符中略去了 \u{0} 个，调用 \u{2}，全文在存档的历史中\u{3}]"
        }
        Language::English => {
            "[… \u{0} of \u{1} characters left out, call \u{2}, full text in the archived history\u{3}]"
        }
    }
}

/// How a text is cut: what stays at both ends and what is left out, in code points.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Cut {
    /// Kept from the start.
    pub head: u32,
    /// Kept from the end.
    pub tail: u32,
    /// Size of the original.
    pub total: u32,
}

impl Cut {
    /// Characters left out.
    pub const fn left_out(&self) -> u32 {
        self.total
            .saturating_sub(self.head)
            .saturating_sub(self.tail)
    }

    /// Code points of the new text: head, marker and tail with the line feeds between them.
    pub fn new_chars(&self, language: Language, label: Label) -> u32 {
        let feeds = u32::from(self.head > 0) + u32::from(self.tail > 0);
        self.head
            .saturating_add(self.tail)
            .saturating_add(feeds)
            .saturating_add(self.marker_chars(language, label))
    }

    fn marker_chars(&self, language: Language, label: Label) -> u32 {
        let piece = |character| match character {
            LEFT_OUT => decimal_digits(self.left_out()),
            TOTAL => decimal_digits(self.total),
            ID => label.id,
            REFERENCE => label
                .reference
                .map_or(0, |reference| reference.saturating_add(1)),
            _ => 1,
        };
        template(language)
            .chars()
            .map(piece)
            .fold(0, u32::saturating_add)
    }
}

const fn decimal_digits(number: u32) -> u32 {
    match number.checked_ilog10() {
        Some(log) => log + 1,
        None => 1,
    }
}

/// Writes a marker; `id` and `reference` are escaped already.
pub(crate) fn write(language: Language, cut: &Cut, id: &str, reference: Option<&str>) -> String {
    let mut out = String::new();
    for character in template(language).chars() {
        match character {
            LEFT_OUT => push_number(&mut out, cut.left_out().into()),
            TOTAL => push_number(&mut out, cut.total.into()),
            ID => out.push_str(id),
            REFERENCE => {
                if let Some(reference) = reference {
                    out.push(' ');
                    out.push_str(reference);
                }
            }
            _ => out.push(character),
        }
    }
    out
}

/// The original size of a text that an earlier run shortened: a whole line is a marker in either language, names
/// this id, and tells as many characters kept as stand around it. A quoted or forged marker does not count.
pub fn original_chars(text: &str, escaped_id: &str) -> Option<u32> {
    let chars = code_points(text);
    let mut start = 0;
    let mut before = 0;
    for line in text.split('\n') {
        let line_chars = code_points(line);
        if let Some((left_out, total)) = parse(line, escaped_id) {
            let after = chars - before - line_chars;
            let kept = before.saturating_sub(1) + after.saturating_sub(1);
            if left_out > 0
                && total
                    .checked_sub(left_out)
                    .is_some_and(|rest| rest as usize == kept)
            {
                return Some(total);
            }
        }
        start += line.len() + 1;
        before += line_chars + 1;
    }
    debug_assert_eq!(
        start,
        text.len() + 1,
        "lines and line feeds make up the text"
    );
    None
}

/// Numbers of a marker line: left out, total.
fn parse(line: &str, escaped_id: &str) -> Option<(u32, u32)> {
    if !line.starts_with("[… ") {
        return None;
    }
    [Language::English, Language::Chinese]
        .into_iter()
        .find_map(|language| parse_as(line, template(language), escaped_id))
}

fn parse_as(line: &str, template: &str, escaped_id: &str) -> Option<(u32, u32)> {
    let mut rest = line;
    let mut left_out = None;
    let mut total = None;
    for character in template.chars() {
        match character {
            LEFT_OUT => left_out = Some(take_number(&mut rest)?),
            TOTAL => total = Some(take_number(&mut rest)?),
            ID => rest = rest.strip_prefix(escaped_id)?,
            REFERENCE if rest.starts_with(' ') => rest = rest.get(rest.rfind(']')?..)?,
            REFERENCE => {}
            literal => rest = rest.strip_prefix(literal)?,
        }
    }
    rest.is_empty().then_some((left_out?, total?))
}

fn take_number(rest: &mut &str) -> Option<u32> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = rest.split_at_checked(length)?;
    *rest = after;
    // Numbers are written without leading zeros, so that there is one way to write a marker.
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::{head, tail};
    use proptest::prelude::*;

    fn shorten(
        text: &str,
        cut: &Cut,
        language: Language,
        id: &str,
        reference: Option<&str>,
    ) -> String {
        let parts = [
            head(text, cut.head as usize),
            &write(language, cut, id, reference),
            tail(text, cut.tail as usize),
        ];
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn the_marker_is_one_bracketed_line() {
        let cut = Cut {
            head: 300,
            tail: 0,
            total: 800,
        };
        assert_eq!(
            write(Language::English, &cut, "c1", None),
            "[… 500 of 800 characters left out, call c1, full text in the archived history]"
        );
        assert_eq!(
            write(Language::English, &cut, "c1", Some("kv://a")),
            "[… 500 of 800 characters left out, call c1, full text in the archived history kv://a]"
        );
        assert_eq!(
            write(Language::Chinese, &cut, "c1", None),
            "[… 800 个字符中略去了 500 个，调用 c1，全文在存档的历史中]"
        );
    }

    #[test]
    fn a_forged_or_quoted_marker_does_not_count() {
        let kept = "x".repeat(20);
        let line = "[… 80 of 100 characters left out, call c1, full text in the archived history]";
        assert_eq!(original_chars(&format!("{kept}\n{line}"), "c1"), Some(100));
        let forged = [
            format!("{kept}\n{line}"),
            format!("{kept}y\n{line}"),
            format!("{kept}\n{line}\nmore"),
            format!("{kept} {line}"),
            format!("{kept}\n{line} "),
            format!("{kept}\n> {line}"),
            format!(
                "{kept}\n[… 080 of 100 characters left out, call c1, full text in the archived history]"
            ),
            format!(
                "{kept}\n[… 0 of 20 characters left out, call c1, full text in the archived history]"
            ),
            format!(
                "{kept}\n[… 80 of 100 characters left out, call c2, full text in the archived history]"
            ),
        ];
        for text in forged.iter().skip(1) {
            assert_eq!(original_chars(text, "c1"), None, "{text}");
        }
        assert_eq!(original_chars(&forged[0], "c2"), None);
    }

    proptest! {
        #[test]
        fn what_was_shortened_is_recognised_and_its_length_known(
            text in "[a\n\\[… 🐝]{3,60}",
            head in 0..30_u32,
            tail in 0..30_u32,
            chinese in any::<bool>(),
            reference in prop::option::of("[a-z:/\\] ]{0,9}"),
        ) {
            let total = code_points(&text) as u32;
            prop_assume!(head + tail < total);
            let cut = Cut { head, tail, total };
            let language = if chinese { Language::Chinese } else { Language::English };
            let new = shorten(&text, &cut, language, "id\\n1", reference.as_deref());
            let label = Label { id: 5, reference: reference.as_deref().map(|reference| code_points(reference) as u32) };
            prop_assert_eq!(code_points(&new) as u32, cut.new_chars(language, label));
            prop_assert_eq!(original_chars(&new, "id\\n1"), Some(total));
            prop_assert_eq!(original_chars(&new, "other"), None);
        }
    }
}
