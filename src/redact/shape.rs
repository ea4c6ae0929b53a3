//! Strings that are credentials by their shape alone.

use std::ops::Range;

use crate::text::find;

/// How a kind of token is written: the prefix, and how many more characters make it a token.
struct Shape {
    prefix: &'static str,
    at_least: usize,
    /// Whether a word could be written alike, so that a digit or a sign must be in it.
    like_words: bool,
}

impl Shape {
    /// Whether what follows the prefix makes it a token; looks at a bounded part, so that many prefixes in
    /// one long word stay linear.
    fn fits(&self, body: &str) -> bool {
        let run = body
            .bytes()
            .take(LONGEST_LOOK)
            .take_while(|&byte| is_token_byte(byte));
        let length = run.clone().count();
        let signs = run
            .clone()
            .filter(|byte| !byte.is_ascii_alphabetic())
            .count();
        let dots = run.filter(|&byte| byte == b'.').count();
        length >= self.at_least
            && (self.prefix != "eyJ" || dots > 0)
            && (!self.like_words || signs > 0)
    }
}

const LONGEST_LOOK: usize = 1024;

const fn shape(prefix: &'static str, at_least: usize, like_words: bool) -> Shape {
    Shape {
        prefix,
        at_least,
        like_words,
    }
}

/// Prefixes that providers publish for their tokens, so that scanners can find them.
const SHAPES: [Shape; 34] = [
    shape("AGE-SECRET-KEY-", 20, false),
    shape("AIza", 30, false),
    shape("AKIA", 16, false),
    shape("ASIA", 16, false),
    shape("Basic ", 8, true),
    shape("Bearer ", 8, true),
    shape("GOCSPX-", 16, false),
    shape("SG.", 30, false),
    shape("basic ", 8, true),
    shape("bearer ", 8, true),
    shape("dop_v1_", 20, false),
    shape("eyJ", 20, false),
    shape("ghp_", 16, false),
    shape("gho_", 16, false),
    shape("ghr_", 16, false),
    shape("ghs_", 16, false),
    shape("ghu_", 16, false),
    shape("github_pat_", 16, false),
    shape("glpat-", 16, false),
    shape("hf_", 20, false),
    shape("npm_", 20, false),
    shape("pypi-", 20, false),
    shape("rk_live_", 10, false),
    shape("rk_test_", 10, false),
    shape("shpat_", 16, false),
    shape("sk-", 16, false),
    shape("sk_live_", 10, false),
    shape("sk_test_", 10, false),
    shape("whsec_", 16, false),
    shape("xapp-", 10, false),
    shape("xoxa-", 10, false),
    shape("xoxb-", 10, false),
    shape("xoxp-", 10, false),
    shape("ya29.", 20, false),
];

/// Whether any shape begins with this byte.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated when compiling; both indexes are checked"
)]
pub(super) const fn may_begin(byte: u8) -> bool {
    let mut at = 0;
    while at < SHAPES.len() {
        if SHAPES[at].prefix.as_bytes()[0] == byte {
            return true;
        }
        at += 1;
    }
    false
}

/// The token that begins at this offset, which is the start of a word.
pub(super) fn token(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let start = rest.as_bytes().get(..3)?;
    // Most words fail here, without a call.
    let shape = SHAPES.iter().find(|shape| {
        shape.prefix.as_bytes().get(..3) == Some(start) && rest.starts_with(shape.prefix)
    })?;
    let body = rest.get(shape.prefix.len()..)?;
    if !shape.fits(body) {
        return None;
    }
    let length = body.bytes().take_while(|&byte| is_token_byte(byte)).count();
    // The word that says what follows may stay.
    let start = if shape.like_words {
        at + shape.prefix.len()
    } else {
        at
    };
    Some(start..at + shape.prefix.len() + length)
}

const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
}

/// The private key in PEM form that begins at this offset, up to its end line or the end of the text.
pub(super) fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let label = rest.strip_prefix("-----BEGIN ")?;
    let label_end = label
        .as_bytes()
        .iter()
        .take(64)
        .position(|&byte| byte == b'-')?;
    if !label.get(..label_end)?.ends_with("PRIVATE KEY") {
        return None;
    }
    let body = label.get(label_end..)?;
    let end = match find(body, "-----END ") {
        Some(found) => {
            let line = body.get(found + 9..)?;
            let dashes = find(line, "-----").map_or(line.len(), |dashes| dashes + 5);
            text.len() - line.len() + dashes
        }
        None => text.len(),
    };
    Some(at..end)
}

/// User and password of an address whose authority begins at this offset.
pub(super) fn user_info(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let stop = |character: char| {
        character.is_whitespace()
            || matches!(
                character,
                '/' | '?' | '#' | '"' | '\'' | '<' | '>' | ')' | ','
            )
    };
    let authority = rest.get(..rest.find(stop).unwrap_or(rest.len()))?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    let hidden = password.is_empty() || password.starts_with(['$', '<', '{', '*']);
    (!hidden).then(|| at..at + user.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_found_at_the_start_of_a_word() {
        for shape in &SHAPES {
            let text = [shape.prefix, "x1.", &"7a".repeat(30)].concat();
            assert_eq!(token(&text, 0).map(|found| found.end), Some(text.len()));
        }
    }
}
