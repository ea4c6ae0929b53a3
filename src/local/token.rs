//! What the model counts in a text: evidence tokens, words and long lines, all as hashes, in one pass over the bytes.
//!
//! Evidence tokens are what names a thing: identifiers, paths, dotted names, mixtures of letters and digits, numbers of
//! three and more digits, runs of capitalised words; a compound also counts by its parts. The rules for ASCII are those
//! of the study's `eval.py`; for other scripts see [`super::script`].

use super::script::{Role, closing, lower, plain, role};
use crate::table::{hash, mix};
use crate::token::{code_points, head};

/// Words are counted in so many code points at the start of a text.
const WORDS_IN: usize = 20_000;
/// A longer compound is a blob, not a name.
const LONGEST_TOKEN: usize = 120;
/// Code points between the signs around a name, at most.
const LONGEST_QUOTE: usize = 24;
/// Code points of a line that counts, at least; those read by pairs count double.
const LONG_LINE: usize = 24;
/// Its words, at least.
const LINE_WORDS: usize = 4;

/// What is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Rules {
    /// Every script.
    All,
    /// ASCII alone, as the study did.
    Study,
}

/// Takes the tokens of a text; the same token may come more than once.
pub(super) trait Sink {
    /// Whether [`Sink::line`] is wanted.
    fn wants_lines(&self) -> bool;
    fn evidence(&mut self, hash: u64);
    fn word(&mut self, hash: u64);
    /// A long line: of at least 24 code points and 4 words, without its number. A written-out `\n` ends a line too.
    fn line(&mut self, hash: u64);
}

// What a byte is.
const SMALL: u16 = 1;
const CAPITAL: u16 = 2;
const DIGIT: u16 = 4;
const LOW_LINE: u16 = 8;
const DOT: u16 = 16;
const SLASH: u16 = 32;
/// May stand in a number.
const SIGN: u16 = 64;
const AT_OR_HASH: u16 = 128;
/// Line feed and backslash.
const BREAK: u16 = 256;
/// Beyond ASCII.
const WIDE: u16 = 512;

const LETTER: u16 = SMALL | CAPITAL;
const PART: u16 = LETTER | DIGIT | LOW_LINE;
const JOIN: u16 = DOT | SLASH | SIGN | AT_OR_HASH;

const CLASSES: [u16; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiled")]
        let class = &mut classes[byte];
        *class = match byte as u8 {
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' => DIGIT,
            b'_' => LOW_LINE,
            b'.' => DOT,
            b'/' => SLASH,
            b':' | b'-' => SIGN,
            b'@' | b'#' => AT_OR_HASH,
            b'\n' | b'\\' => BREAK,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class_of(byte: u8) -> u16 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

fn is_part(byte: u8) -> bool {
    class_of(byte) & PART != 0
}

/// Reads a text once. Returns how many characters it read by pairs.
pub(super) fn scan(text: &str, rules: Rules, sink: &mut impl Sink) -> usize {
    let words_end = if text.len() <= WORDS_IN {
        text.len()
    } else {
        head(text, WORDS_IN).len()
    };
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        words_end,
        rules,
        name_end: 0,
        line_start: 0,
        parts: 0,
        paired: 0,
        scratch: String::new(),
        sink,
    };
    reader.read();
    reader.paired
}

struct Reader<'a, S> {
    text: &'a str,
    bytes: &'a [u8],
    /// Words count before this byte.
    words_end: usize,
    rules: Rules,
    /// Where the last name of several words ends.
    name_end: usize,
    line_start: usize,
    /// Words met in the line, or a few more.
    parts: usize,
    /// Characters read by pairs.
    paired: usize,
    scratch: String,
    sink: &'a mut S,
}

impl<S: Sink> Reader<'_, S> {
    fn class(&self, at: usize) -> u16 {
        self.bytes.get(at).map_or(0, |&byte| class_of(byte))
    }

    fn slice(&self, start: usize, end: usize) -> &[u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    fn read(&mut self) {
        let wants_lines = self.sink.wants_lines();
        let mut at = 0;
        while let Some(&byte) = self.bytes.get(at) {
            let class = class_of(byte);
            if class & PART != 0 {
                at = self.token(at);
            } else if class & WIDE != 0 && self.rules == Rules::All {
                at = self.wide(at);
            } else {
                if class & BREAK != 0 && wants_lines {
                    self.line_break(at, byte);
                }
                at += 1;
            }
        }
        if wants_lines {
            self.end_line(self.bytes.len());
        }
    }

    fn line_break(&mut self, at: usize, byte: u8) {
        let length = if byte == b'\n' {
            1
        } else if self.bytes.get(at + 1) == Some(&b'n') {
            2
        } else {
            return;
        };
        // Of `\\n` the second backslash goes with the `n`, of `\n` the only one.
        self.end_line(at);
        self.line_start = at + length;
        self.parts = 0;
    }

    fn end_line(&mut self, end: usize) {
        if self.parts >= LINE_WORDS
            && end >= self.line_start + LONG_LINE
            && let Some(line) = self.text.get(self.line_start..end)
            && let Some(hash) = long_line(line, self.rules)
        {
            self.sink.line(hash);
        }
    }

    /// The end of a run of letters, digits and `_`, and what it holds.
    fn part(&self, start: usize) -> (usize, u16) {
        let mut shape = 0;
        let mut at = start;
        for &byte in self.bytes.get(start..).unwrap_or_default() {
            let class = class_of(byte);
            if class & PART == 0 {
                break;
            }
            shape |= class;
            at += 1;
        }
        (at, shape)
    }

    /// Whether a letter beyond ASCII goes on with a word.
    #[inline]
    fn goes_on(&self, at: usize) -> bool {
        self.class(at) & WIDE != 0 && self.rules == Rules::All && self.is_letter(at)
    }

    fn is_letter(&self, at: usize) -> bool {
        self.char_at(at)
            .is_some_and(|character| matches!(role(character), Role::Letter | Role::Mark))
    }

    /// Reads parts as long as one joining sign stands between two of them.
    fn token(&mut self, start: usize) -> usize {
        let (mut end, mut shape) = self.part(start);
        if self.goes_on(end) {
            return self.mixed(start);
        }
        self.plain_part(start, end, shape);
        let first_end = end;
        loop {
            let join = self.class(end) & JOIN;
            if join == 0 || self.class(end + 1) & PART == 0 {
                break;
            }
            let (next_end, next_shape) = self.part(end + 1);
            if self.goes_on(next_end) {
                break;
            }
            self.plain_part(end + 1, next_end, next_shape);
            shape |= join | next_shape;
            end = next_end;
        }
        // Most tokens are words of small letters.
        if shape != SMALL {
            self.compound(start, end, first_end, shape);
        }
        end
    }

    fn plain_part(&mut self, start: usize, end: usize, shape: u16) {
        self.parts += 1;
        self.word(start, end.min(self.words_end), shape);
        if shape == LETTER && self.bytes.get(end) == Some(&b' ') {
            self.name(start, end);
        }
    }

    fn word(&mut self, start: usize, end: usize, shape: u16) {
        let Some(word) = self.bytes.get(start..end) else {
            return;
        };
        if !(3..=40).contains(&word.len()) {
            return;
        }
        if shape & CAPITAL == 0 {
            self.sink.word(hash(word));
            return;
        }
        let mut lower = [0; 40];
        if let Some(lower) = lower.get_mut(..word.len()) {
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            self.sink.word(hash(lower));
        }
    }

    /// A whole token and, where it is a compound, its parts.
    fn compound(&mut self, start: usize, end: usize, first_end: usize, shape: u16) {
        let token = self.bytes.get(start..end).unwrap_or_default();
        if token.len() > LONGEST_TOKEN {
            return;
        }
        if is_evidence(token, token.len(), shape) {
            self.sink.evidence(hash(token));
        }
        if first_end == end {
            return;
        }
        for part in token.split(|&byte| class_of(byte) & JOIN != 0) {
            let shape = part.iter().fold(0, |shape, &byte| shape | class_of(byte));
            if (part.len() >= 5 || shape != DIGIT) && is_evidence(part, part.len(), shape) {
                self.sink.evidence(hash(part));
            }
        }
    }

    /// A character beyond ASCII with which no word went on.
    fn wide(&mut self, at: usize) -> usize {
        let Some(character) = self.char_at(at) else {
            return at + 1;
        };
        let after = at + character.len_utf8();
        match role(character) {
            Role::Letter => return self.mixed(at),
            Role::Pair => return self.pairs(at),
            Role::Apart => {
                if let Some(closing) = closing(character) {
                    self.quoted(after, closing);
                }
            }
            Role::Mark => {}
        }
        after
    }

    /// A word with letters beyond ASCII; it is no part of a compound.
    fn mixed(&mut self, start: usize) -> usize {
        let mut token = std::mem::take(&mut self.scratch);
        token.clear();
        let (mut end, mut length, mut shape) = (start, 0, 0);
        for character in self.text.get(start..).unwrap_or_default().chars() {
            let plain = plain(character);
            let class = u8::try_from(plain).map_or(WIDE, class_of);
            let part = if class & PART != 0 {
                Some(class)
            } else if class & WIDE == 0 {
                break;
            } else {
                match role(character) {
                    Role::Letter if lower(character) == character => Some(SMALL),
                    Role::Letter => Some(CAPITAL),
                    Role::Mark => None,
                    Role::Apart | Role::Pair => break,
                }
            };
            end += character.len_utf8();
            if let Some(class) = part {
                shape |= class;
                length += 1;
                if length <= LONGEST_TOKEN {
                    token.push(plain);
                }
            }
        }
        self.parts += 1;
        if length <= LONGEST_TOKEN && is_evidence(token.as_bytes(), length, shape) {
            self.sink.evidence(hash(token.as_bytes()));
        }
        if (3..=40).contains(&length) && end <= self.words_end {
            let small: String = token.chars().map(lower).collect();
            self.sink.word(hash(small.as_bytes()));
        }
        if shape == LETTER && self.bytes.get(end) == Some(&b' ') {
            self.name(start, end);
        }
        self.scratch = token;
        end
    }

    /// Overlapping pairs of a script without spaces.
    fn pairs(&mut self, start: usize) -> usize {
        let mut end = start;
        let mut previous = None;
        for character in self.text.get(start..).unwrap_or_default().chars() {
            match role(character) {
                Role::Pair => {}
                Role::Mark => {
                    end += character.len_utf8();
                    continue;
                }
                Role::Apart | Role::Letter => break,
            }
            end += character.len_utf8();
            self.paired += 1;
            let code = u64::from(u32::from(character));
            if let Some(previous) = previous.replace(code) {
                self.parts += 1;
                if end <= self.words_end {
                    self.sink.word(mix(previous << 32 | code));
                }
            }
        }
        end
    }

    /// A name between signs, where it has letters beyond ASCII: what is ASCII alone is read like all the rest.
    fn quoted(&mut self, start: usize, closing: char) {
        let rest = self.text.get(start..).unwrap_or_default();
        let mut length = 0;
        let mut is_wide = false;
        for (at, character) in rest.char_indices() {
            if character == closing {
                if length >= 2 && is_wide {
                    self.sink.evidence(hash(self.slice(start, start + at)));
                }
                return;
            }
            length += 1;
            is_wide |= !character.is_ascii() && role(character) != Role::Apart;
            if length > LONGEST_QUOTE || character == '\n' {
                return;
            }
        }
    }

    /// A run of capitalised words that begins with this part, `of`, `de`, `van` and `the` allowed between them.
    fn name(&mut self, start: usize, end: usize) {
        if start < self.name_end || self.capitalised(start) != Some(end) {
            return;
        }
        // The study takes a letter of another script before it for the start of the word.
        if self.rules == Rules::Study
            && self
                .text
                .get(..start)
                .and_then(|before| before.chars().next_back())
                .is_some_and(char::is_alphanumeric)
        {
            return;
        }
        let (mut last, mut words) = (end, 1);
        while let Some(next) = self.next_capitalised(last) {
            last = next;
            words += 1;
        }
        if words > 1 {
            self.name_end = last;
            if (8..=60).contains(&(last - start)) {
                self.sink.evidence(hash(self.slice(start, last)));
            }
        }
    }

    /// The end of a capital letter and at least two small ones.
    fn capitalised(&self, start: usize) -> Option<usize> {
        let mut characters = self.text.get(start..)?.chars();
        let is_read = |character: &char| {
            character.is_ascii() || (self.rules == Rules::All && role(*character) == Role::Letter)
        };
        let first = characters.next().filter(is_read)?;
        if lower(first) == first {
            return None;
        }
        let mut end = start + first.len_utf8();
        let mut small = 0;
        for character in characters {
            let is_small = if character.is_ascii() {
                character.is_ascii_lowercase()
            } else {
                is_read(&character) && lower(character) == character
            };
            if !is_small {
                break;
            }
            small += 1;
            end += character.len_utf8();
        }
        (small >= 2).then_some(end)
    }

    fn next_capitalised(&self, end: usize) -> Option<usize> {
        let rest = self.bytes.get(end..)?.strip_prefix(b" ")?;
        let linked = [&b"of "[..], b"de ", b"van ", b"the "]
            .into_iter()
            .find(|link| rest.starts_with(link))
            .map_or(0, <[u8]>::len);
        self.capitalised(end + 1 + linked)
    }
}

/// Whether a token of so many characters names a thing.
fn is_evidence(token: &[u8], length: usize, shape: u16) -> bool {
    if length < 3 {
        return false;
    }
    if shape & DIGIT != 0 {
        if shape & LETTER != 0 {
            return true;
        }
        // Groups of digits with one of `.:-/` between them.
        if shape & (LOW_LINE | AT_OR_HASH) == 0 {
            return token.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3;
        }
    }
    if (shape & LOW_LINE != 0 && has_inner_underscore(token))
        || (shape & LETTER == LETTER && is_camel(token))
    {
        return length >= 5;
    }
    shape & SLASH != 0 || (shape & DOT != 0 && length >= 6)
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

/// The hash of a line, if it is long.
fn long_line(line: &str, rules: Rules) -> Option<u64> {
    // Most lines begin with blanks or letters; only what is left needs the whole table of spaces.
    let line = without_number(line.trim_start_matches(' ')).trim_matches(is_space);
    // A character that counts double has three bytes and more.
    if line.len() < LONG_LINE {
        return None;
    }
    let is_long = if rules == Rules::All && !line.is_ascii() {
        is_long_and_wide(line)
    } else {
        (line.is_ascii() || code_points(line) >= LONG_LINE) && has_words(line.as_bytes())
    };
    is_long.then(|| hash(line.as_bytes()))
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

/// Whether a line has enough words.
fn has_words(line: &[u8]) -> bool {
    let (mut words, mut in_word) = (0, false);
    for &byte in line {
        let is_word = is_part(byte);
        words += usize::from(is_word && !in_word);
        in_word = is_word;
        if words == LINE_WORDS {
            return true;
        }
    }
    false
}

/// The same for a line with characters beyond ASCII. Those of a script without spaces are wider, and two are about a word.
fn is_long_and_wide(line: &str) -> bool {
    let (mut width, mut words, mut in_word) = (0, 0, false);
    for character in line.chars() {
        let role = match u8::try_from(character).map(class_of) {
            Ok(class) if class & WIDE == 0 => {
                if class & PART == 0 {
                    Role::Apart
                } else {
                    Role::Letter
                }
            }
            _ => role(character),
        };
        width += 1 + usize::from(role == Role::Pair);
        match role {
            Role::Apart => in_word = false,
            Role::Letter => {
                words += usize::from(!in_word);
                in_word = true;
            }
            Role::Mark => {}
            Role::Pair => {
                words += usize::from(in_word);
                in_word = !in_word;
            }
        }
    }
    width >= LONG_LINE && words >= LINE_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[derive(Debug, Default, PartialEq)]
    struct Collected {
        evidence: BTreeSet<u64>,
        words: BTreeSet<u64>,
        lines: Vec<u64>,
    }

    impl Sink for Collected {
        fn evidence(&mut self, hash: u64) {
            self.evidence.insert(hash);
        }

        fn word(&mut self, hash: u64) {
            self.words.insert(hash);
        }

        fn line(&mut self, hash: u64) {
            self.lines.push(hash);
        }

        fn wants_lines(&self) -> bool {
            true
        }
    }

    fn collect_by(rules: Rules, text: &str) -> Collected {
        let mut collected = Collected::default();
        scan(text, rules, &mut collected);
        collected
    }

    fn collect(text: &str) -> Collected {
        let collected = collect_by(Rules::All, text);
        if text.is_ascii() {
            assert_eq!(collected, collect_by(Rules::Study, text), "{text}");
        }
        collected
    }

    fn hashes(texts: &[&str]) -> BTreeSet<u64> {
        texts.iter().map(|text| hash(text.as_bytes())).collect()
    }

    #[test]
    fn evidence_is_what_names_a_thing() {
        let cases: [(&str, &[&str]); 13] = [
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
        let line = "const maxRetries = limits.retry;";
        for text in [
            line.to_owned(),
            format!("  14: {line}  "),
            format!("14|{line}"),
            format!("7 - {line}\\nshort"),
            format!("x\n{line}\r"),
        ] {
            assert_eq!(collect(&text).lines, [hash(line.as_bytes())], "{text}");
        }
        assert!(
            collect("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbb c")
                .lines
                .is_empty()
        );
    }
    #[test]
    fn the_study_reads_ascii_alone() {
        let collected = collect_by(Rules::Study, "éNew York, größe_max 订单");
        assert_eq!(collected.evidence, hashes(&["e_max"]));
        assert_eq!(collected.words, hashes(&["new", "york", "e_max"]));
    }

    #[test]
    fn evidence_is_found_in_every_script() {
        let cases: [(&str, &[&str]); 9] = [
            ("订单号A2024-1187已退款", &["A2024-1187", "A2024"]),
            ("型号XR-5500的库存", &["XR-5500"]),
            ("Артикул RK-7781, Новая Почта", &["RK-7781", "Новая Почта"]),
            ("größe_max und São Paulo", &["größe_max", "São Paulo"]),
            ("品番ＸＲ５５００です", &["XR5500"]),
            ("رقم ١٢٣٤٥", &["12345"]),
            ("请看《付款重试说明》第3节", &["付款重试说明"]),
            ("在New York的“smart”按钮", &["New York"]),
            ("n° 2024-éa", &["2024"]),
        ];
        for (text, expected) in cases {
            assert_eq!(collect(text).evidence, hashes(expected), "{text}");
        }
    }

    #[test]
    fn words_count_in_every_script() {
        let pair = |pair: &str| {
            let mut codes = pair.chars().map(|half| u64::from(u32::from(half)));
            mix(codes.next().unwrap() << 32 | codes.next().unwrap())
        };
        let pairs = |texts: &[&str]| texts.iter().map(|text| pair(text)).collect::<BTreeSet<_>>();
        assert_eq!(collect("数据库").words, pairs(&["数据", "据库"]));
        assert_eq!(collect("数、据 か").words, pairs(&[]));
        assert_eq!(collect("주문을 กำ").words, pairs(&["주문", "문을", "กำ"]));
        assert_eq!(
            collect("МЁД Straße ÉTÉ élan").words,
            hashes(&["мёд", "straße", "été", "élan"])
        );
        assert_eq!(collect("كِتَاب كتاب").words, hashes(&["كتاب"]));
        assert_eq!(collect("Ｍüller müller").words, hashes(&["müller"]));
        let mixed = &collect("查询user表").words;
        assert_eq!(*mixed, &hashes(&["user"]) | &pairs(&["查询"]));
    }

    #[test]
    fn lines_are_long_in_every_script() {
        let is_long = |line: &str| collect(line).lines.len() == 1;
        assert!(is_long("主库写入延迟超过阈值十秒钟"));
        assert!(!is_long("主库写入延迟超过阈"));
        assert!(is_long("Задержка записи на реплике"));
        assert!(!is_long("Задержка записи реплике"));
    }
}
