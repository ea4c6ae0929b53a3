//! What the model counts in a text: evidence tokens, words and long lines, all as hashes.
//!
//! The rules are those of the study's `eval.py`, written by hand over bytes. Evidence tokens are what names a thing:
//! identifiers, paths, dotted names, mixtures of letters and digits, numbers of three and more digits, runs of
//! capitalised words; a compound also counts by its parts.

use crate::table::hash;
use crate::token::{code_points, head};

/// Words are counted in so many code points at the start of a text.
const WORDS_IN: usize = 20_000;
/// A longer compound is a blob, not a name.
const LONGEST_TOKEN: usize = 120;

/// Takes the tokens of a text; the same token may come more than once.
pub(super) trait Sink {
    fn evidence(&mut self, hash: u64);
    fn word(&mut self, hash: u64);
}

const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

const fn joins(byte: u8) -> bool {
    matches!(byte, b'.' | b'/' | b':' | b'@' | b'#' | b'-')
}

/// Reads a text once.
pub(super) fn scan(text: &str, sink: &mut impl Sink) {
    let bytes = text.as_bytes();
    let words_end = if text.len() <= WORDS_IN {
        text.len()
    } else {
        head(text, WORDS_IN).len()
    };
    let mut at = 0;
    let mut name_end = 0;
    while let Some(&byte) = bytes.get(at) {
        if !is_part(byte) {
            at += 1;
            continue;
        }
        let start = at;
        at = part_end(bytes, at);
        word(bytes, start, at.min(words_end), sink);
        name(text, start, at, &mut name_end, sink);
        let first = bytes.get(start..at).unwrap_or_default();
        // A compound goes on while one joining sign stands between two parts.
        while bytes.get(at).copied().is_some_and(joins)
            && bytes.get(at + 1).copied().is_some_and(is_part)
        {
            let next = at + 1;
            at = part_end(bytes, next);
            word(bytes, next, at.min(words_end), sink);
            name(text, next, at, &mut name_end, sink);
        }
        compound(bytes.get(start..at).unwrap_or_default(), first.len(), sink);
    }
}

fn part_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).copied().is_some_and(is_part) {
        at += 1;
    }
    at
}

fn word(bytes: &[u8], start: usize, end: usize, sink: &mut impl Sink) {
    if let Some(word) = bytes.get(start..end)
        && (3..=40).contains(&word.len())
    {
        let mut lower = [0; 40];
        if let Some(lower) = lower.get_mut(..word.len()) {
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            sink.word(hash(lower));
        }
    }
}

/// A whole token and, where it is a compound, its parts.
fn compound(token: &[u8], first_part: usize, sink: &mut impl Sink) {
    if token.len() < 3 || token.len() > LONGEST_TOKEN {
        return;
    }
    if is_evidence(token) {
        sink.evidence(hash(token));
    }
    if first_part < token.len() {
        for part in token.split(|&byte| joins(byte)) {
            let long_enough = part.len() >= 5 || !part.iter().all(u8::is_ascii_digit);
            if long_enough && is_evidence(part) {
                sink.evidence(hash(part));
            }
        }
    }
}

/// Whether a token names a thing.
fn is_evidence(token: &[u8]) -> bool {
    if token.len() < 3 {
        return false;
    }
    let digits = token.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = token.iter().any(u8::is_ascii_alphabetic);
    if digits > 0 {
        if letters {
            return true;
        }
        if is_number(token) {
            return digits >= 3;
        }
    }
    if has_inner_underscore(token) || is_camel(token) {
        return token.len() >= 5;
    }
    token.contains(&b'/') || (token.contains(&b'.') && token.len() >= 6)
}

/// Groups of digits with one of `.:-/` between them.
fn is_number(token: &[u8]) -> bool {
    token
        .iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b'-' | b'/'))
}

fn has_inner_underscore(token: &[u8]) -> bool {
    let inner = |byte: &u8| *byte != b'_';
    match (token.iter().position(inner), token.iter().rposition(inner)) {
        (Some(first), Some(last)) => token
            .get(first..last)
            .is_some_and(|middle| middle.contains(&b'_')),
        _ => false,
    }
}

/// A small letter before a capital one, or two capitals before a small one.
fn is_camel(token: &[u8]) -> bool {
    let humps = token
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    humps
        || token.windows(3).any(
            |three| matches!(three, [a, b, c] if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase()),
        )
}

/// A run of capitalised words that begins with this part, `of`, `de`, `van` and `the` allowed between them.
fn name(text: &str, start: usize, end: usize, name_end: &mut usize, sink: &mut impl Sink) {
    let bytes = text.as_bytes();
    if bytes.get(end) != Some(&b' ') || start < *name_end || capitalised(bytes, start) != Some(end)
    {
        return;
    }
    // A letter of another script before it makes it the end of a word.
    if text
        .get(..start)
        .and_then(|before| before.chars().next_back())
        .is_some_and(char::is_alphanumeric)
    {
        return;
    }
    let mut last = end;
    while let Some(next) = next_capitalised(bytes, last) {
        last = next;
    }
    if last > end {
        *name_end = last;
        if (8..=60).contains(&(last - start)) {
            sink.evidence(hash(bytes.get(start..last).unwrap_or_default()));
        }
    }
}

/// The end of a capital letter and at least two small ones.
fn capitalised(bytes: &[u8], start: usize) -> Option<usize> {
    bytes.get(start).filter(|byte| byte.is_ascii_uppercase())?;
    let small = bytes
        .get(start + 1..)?
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase())
        .count();
    (small >= 2).then_some(start + 1 + small)
}

fn next_capitalised(bytes: &[u8], end: usize) -> Option<usize> {
    let rest = bytes.get(end..)?.strip_prefix(b" ")?;
    let linked = [&b"of "[..], b"de ", b"van ", b"the "]
        .into_iter()
        .find(|link| rest.starts_with(link))
        .map_or(0, <[u8]>::len);
    capitalised(bytes, end + 1 + linked)
}

/// Hashes of the long lines of a text: those of 24 and more code points and at least 4 words, without line numbers.
/// A written-out `\n` ends a line too.
pub(super) fn long_lines(text: &str, mut line: impl FnMut(u64)) {
    for piece in text.split('\n') {
        let mut rest = piece;
        while let Some(at) = written_break(rest) {
            long_line(rest.get(..at).unwrap_or_default(), &mut line);
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        long_line(rest, &mut line);
    }
}

/// Where a backslash and an `n` stand.
fn written_break(text: &str) -> Option<usize> {
    text.as_bytes().windows(2).position(|pair| pair == b"\\n")
}

fn long_line(line: &str, found: &mut impl FnMut(u64)) {
    if line.len() < 24 {
        return;
    }
    let line = without_number(line).trim_matches(is_space);
    if line.len() >= 24 && code_points(line) >= 24 && has_words(line, 4) {
        found(hash(line.as_bytes()));
    }
}

/// White space as Python understands it.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

fn without_number(line: &str) -> &str {
    let start = line.trim_start_matches(is_space);
    let rest = start.trim_start_matches(|character: char| character.is_ascii_digit());
    if rest.len() == start.len() {
        return line;
    }
    let rest = rest.trim_start_matches(is_space);
    rest.strip_prefix([':', '|', '\t', '-']).unwrap_or(rest)
}

fn has_words(line: &str, least: usize) -> bool {
    line.as_bytes()
        .split(|&byte| !is_part(byte))
        .filter(|part| !part.is_empty())
        .take(least)
        .count()
        == least
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[derive(Default)]
    struct Collected {
        evidence: BTreeSet<u64>,
        words: BTreeSet<u64>,
    }

    impl Sink for Collected {
        fn evidence(&mut self, hash: u64) {
            self.evidence.insert(hash);
        }

        fn word(&mut self, hash: u64) {
            self.words.insert(hash);
        }
    }

    fn collect(text: &str) -> Collected {
        let mut collected = Collected::default();
        scan(text, &mut collected);
        collected
    }

    fn hashes(texts: &[&str]) -> BTreeSet<u64> {
        texts.iter().map(|text| hash(text.as_bytes())).collect()
    }

    #[test]
    fn evidence_is_what_names_a_thing() {
        let cases: [(&str, &[&str]); 14] = [
            ("the quick brown fox", &[]),
            ("retry_count and maxRetries", &["retry_count", "maxRetries"]),
            ("a_b ab_c HTTPServer fooB", &["HTTPServer"]),
            ("src/pay/retry.ts:14", &["src/pay/retry.ts:14"]),
            ("12 123 1999 12345", &["123", "1999", "12345"]),
            ("1.5 10:32:07 3/4", &["10:32:07"]),
            ("v2 x86 id7", &["x86", "id7"]),
            ("0/3000060", &["0/3000060", "3000060"]),
            ("user@example.org", &["user@example.org"]),
            (
                "New York City and Bank of England",
                &["New York City", "Bank of England"],
            ),
            ("éNew York", &[]),
            ("_private __init__", &[]),
            ("a.b.c", &[]),
            ("foo.bar-12345", &["foo.bar-12345", "12345"]),
        ];
        for (text, expected) in cases {
            assert_eq!(collect(text).evidence, hashes(expected), "{text}");
        }
        assert!(
            collect(&"a1/".repeat(60)).evidence.is_empty(),
            "a token of more than 120 characters is a blob"
        );
    }

    #[test]
    fn words_are_lower_case_runs_of_three_to_forty() {
        assert_eq!(
            collect("The URL, of foo_Bar-baz 12").words,
            hashes(&["the", "url", "foo_bar", "baz"])
        );
        let long = format!("{} tail", "x".repeat(19_998));
        assert!(
            collect(&long).words.is_empty(),
            "only the start of a text counts"
        );
    }

    #[test]
    fn lines_count_without_their_numbers() {
        let lines = |text: &str| {
            let mut found = Vec::new();
            long_lines(text, |line| found.push(line));
            found
        };
        let line = "const maxRetries = limits.retry;";
        for text in [
            line.to_owned(),
            format!("  14: {line}  "),
            format!("14|{line}"),
            format!("7 - {line}\\nshort"),
            format!("x\n{line}\r"),
        ] {
            assert_eq!(lines(&text), [hash(line.as_bytes())], "{text}");
        }
        assert!(lines("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbb c").is_empty());
    }
}
