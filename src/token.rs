//! Token estimate and character counting.
//!
//! The estimate is deterministic and local; it is no tokenizer. Over the text of a compact JSON document
//! a run of ASCII letters costs `1 + (len - 1) / 6` (rounded down), a run of ASCII digits `len / 2`, a
//! character with the Unicode property White_Space nothing, every other code point 1; the sum is rounded up.
//!
//! Costs are kept in half tokens, so that sums of parts are exact: cut a JSON text where neither a run of
//! letters nor a run of digits crosses the cut, and the costs of the parts add up to the cost of the whole.

/// A cost in half tokens.
pub(crate) type Half = u64;

/// Rounds a cost up to whole tokens.
pub const fn whole(cost: Half) -> u64 {
    cost.div_ceil(2)
}

/// The estimated tokens of a text.
///
/// ```
/// assert_eq!(keepline::token::estimate("\"timeout\""), 4);
/// ```
pub fn estimate(text: &str) -> u64 {
    whole(cost(text))
}

/// Number of Unicode code points; a lone surrogate has become U+FFFD by now and counts as one.
pub(crate) fn code_points(text: &str) -> usize {
    text.bytes().filter(|&byte| !is_continuation(byte)).count()
}

/// The longest prefix of at most `limit` code points.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    let end = text
        .char_indices()
        .nth(limit)
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// The longest suffix of at most `limit` code points.
pub(crate) fn tail(text: &str, limit: usize) -> &str {
    if limit == 0 {
        return "";
    }
    let start = text
        .char_indices()
        .rev()
        .nth(limit - 1)
        .map_or(0, |(at, _)| at);
    text.get(start..).unwrap_or_default()
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

const LETTER: u8 = 0;
const DIGIT: u8 = 1;
const SPACE: u8 = 2;
const SIGN: u8 = 3;
const CONTINUATION: u8 = 4;
/// First byte of a code point that may be white space: U+0085, U+00A0, U+1680, U+2000 and on, U+3000.
const MAYBE_SPACE: u8 = 5;
/// Written as an escape inside a JSON string.
const ESCAPED: u8 = 6;

const fn classes(inside_string: bool) -> [u8; 256] {
    let mut table = [SIGN; 256];
    let mut byte = 0_usize;
    #[expect(
        clippy::indexing_slicing,
        reason = "evaluated when compiling; `byte` is below 256"
    )]
    while byte < 256 {
        let value = byte as u8;
        table[byte] = if value.is_ascii_alphabetic() {
            LETTER
        } else if value.is_ascii_digit() {
            DIGIT
        } else if inside_string && (value < 0x20 || value == b'"' || value == b'\\') {
            ESCAPED
        } else if value == b' ' || (value >= 9 && value <= 13) {
            SPACE
        } else if is_continuation(value) {
            CONTINUATION
        } else if value == 0xC2 || value == 0xE1 || value == 0xE2 || value == 0xE3 {
            MAYBE_SPACE
        } else {
            SIGN
        };
        byte += 1;
    }
    table
}

static PLAIN: [u8; 256] = classes(false);
static INSIDE_STRING: [u8; 256] = classes(true);

/// Cost of a text as it stands.
pub(crate) fn cost(text: &str) -> Half {
    run(text, &PLAIN)
}

/// Cost of a text once it is written inside a JSON string, without the quotes around it.
pub(crate) fn escaped_cost(text: &str) -> Half {
    run(text, &INSIDE_STRING)
}

fn run(text: &str, table: &[u8; 256]) -> Half {
    let bytes = text.as_bytes();
    let mut half = 0;
    let mut letters = 0_u32;
    for (at, &byte) in bytes.iter().enumerate() {
        let class = table.get(usize::from(byte)).copied().unwrap_or(SIGN);
        if class == LETTER {
            // One token at the first letter of a run and at every sixth after it.
            if letters == 0 {
                half += 2;
                letters = 6;
            }
            letters -= 1;
            continue;
        }
        letters = 0;
        match class {
            DIGIT => half += 1,
            SPACE | CONTINUATION => {}
            MAYBE_SPACE if starts_with_space(bytes, at) => {}
            ESCAPED => letters = escape(byte, &mut half),
            _ => half += 2,
        }
    }
    half
}

fn starts_with_space(bytes: &[u8], at: usize) -> bool {
    let second = bytes.get(at + 1).copied().unwrap_or(0);
    let third = bytes.get(at + 2).copied().unwrap_or(0);
    match (bytes.get(at).copied(), second) {
        (Some(0xC2), 0x85 | 0xA0) => true,
        (Some(0xE1), 0x9A) => third == 0x80,
        (Some(0xE2), 0x80) => matches!(third, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF),
        (Some(0xE2), 0x81) => third == 0x9F,
        (Some(0xE3), 0x80) => third == 0x80,
        _ => false,
    }
}

/// Adds the cost of one escape and tells how many letters the run it leaves open may still take for free.
fn escape(byte: u8, half: &mut Half) -> u32 {
    match byte {
        b'"' | b'\\' => {
            *half += 4;
            0
        }
        // A backslash and a letter, which begins a run.
        0x08 | 0x09 | 0x0A | 0x0C | 0x0D => {
            *half += 4;
            5
        }
        // Backslash, u, two zeros and a digit, then a digit or a letter.
        _ => {
            *half += 4 + 3;
            if byte & 0x0F < 10 {
                *half += 1;
                0
            } else {
                *half += 2;
                5
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, character by character.
    fn reference(text: &str) -> Half {
        let mut half = 0;
        let mut letters = 0_u64;
        for character in text.chars() {
            if character.is_ascii_alphabetic() {
                letters += 1;
                continue;
            }
            half += 2 * letters.div_ceil(6);
            letters = 0;
            half += match character {
                '0'..='9' => 1,
                character if character.is_whitespace() => 0,
                _ => 2,
            };
        }
        half + 2 * letters.div_ceil(6)
    }

    fn json(text: &str) -> String {
        serde_json::to_string(text).unwrap()
    }

    #[test]
    fn every_white_space_character_is_free_and_no_other() {
        for character in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let text = character.to_string();
            assert_eq!(
                cost(&text),
                reference(&text),
                "U+{:04X}",
                u32::from(character)
            );
        }
    }

    #[test]
    fn heads_and_tails_cut_between_code_points() {
        assert_eq!(head("a🐝b", 2), "a🐝");
        assert_eq!(head("ab", 9), "ab");
        assert_eq!(tail("a🐝b", 2), "🐝b");
        assert_eq!(tail("ab", 0), "");
        assert_eq!(tail("ab", 9), "ab");
        assert_eq!(code_points("a🐝é"), 3);
    }

    proptest! {
        #[test]
        fn the_table_equals_the_definition(text in "\\PC{0,40}|[a-zA-Z0-9 \n\t\"\\\\\u{1}\u{1b}\u{a0}\u{2028}中🐝]{0,60}") {
            prop_assert_eq!(cost(&text), reference(&text));
        }

        #[test]
        fn the_cost_inside_a_string_is_the_cost_of_its_json(text in "[a-zA-Z0-9 \n\t\"\\\\\u{0}-\u{1f}\u{7f}\u{a0}\u{2028}中🐝]{0,60}") {
            prop_assert_eq!(escaped_cost(&text) + 4, reference(&json(&text)));
        }

        #[test]
        fn pieces_add_up(pieces in prop::collection::vec("[a-z0-9 \"\\\\\n中]{0,12}", 0..8)) {
            let whole = serde_json::to_string(&pieces).unwrap();
            let commas = pieces.len().saturating_sub(1) as u64;
            let sum: u64 = pieces.iter().map(|piece| escaped_cost(piece) + 4).sum();
            prop_assert_eq!(sum + 2 * commas + 4, reference(&whole));
        }
    }
}
