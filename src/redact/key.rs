//! Keys whose values are credentials, in JSON inputs and in free text.

use std::ops::Range;

use super::shape;

/// Words that make a key a credential when they end it.
const LAST_WORDS: [&str; 22] = [
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "otp",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pat",
    "pwd",
    "secret",
    "secrets",
    "signature",
    "token",
    "totp",
    "apikey",
];

/// Words that make a key a credential when `key` or `keys` follows them.
const KEY_WORDS: [&str; 15] = [
    "access",
    "account",
    "api",
    "app",
    "auth",
    "client",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "security",
    "service",
    "shared",
    "signing",
];

/// Endings of keys that are written without any border between their words.
const JOINED_ENDINGS: [&str; 14] = [
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "authtoken",
    "bearertoken",
    "clientsecret",
    "cookies",
    "idtoken",
    "passphrase",
    "password",
    "privatekey",
    "refreshtoken",
    "secretkey",
];

/// The same in Chinese: password, pass phrase, secret key, token.
const CHINESE_ENDINGS: [&str; 4] = ["密码", "口令", "密钥", "令牌"];

/// Words that may follow without changing what the value is.
const TRAILING_WORDS: [&str; 8] = [
    "base64", "b64", "hash", "header", "raw", "string", "text", "value",
];

/// No sensible key is longer; what is, is not read.
const LONGEST_KEY: usize = 128;

/// How much of a value is looked at to tell whether it is one, so that many keys in one long word stay linear.
const LONGEST_WORD: usize = 512;

/// Whether the value under this key is a credential: by whole words, in any case and spelling, so that
/// `X-Api-Key` and `clientSecret` are and `max_tokens` and `token_count` are not.
pub(crate) fn is_credential(key: &str) -> bool {
    if key.len() > LONGEST_KEY {
        return false;
    }
    if CHINESE_ENDINGS.iter().any(|ending| key.ends_with(ending)) {
        return true;
    }
    let mut words = words(key);
    while words.len() > 1
        && words
            .last()
            .is_some_and(|word| TRAILING_WORDS.contains(&word.as_str()))
    {
        words.pop();
    }
    let Some((last, before)) = words.split_last() else {
        return false;
    };
    let last = last.trim_end_matches(|character: char| character.is_ascii_digit());
    // A signature is also what a function has; only a signed request's counts.
    if last == "signature" {
        return before.iter().any(|word| word == "amz" || word == "goog");
    }
    LAST_WORDS.contains(&last)
        || (matches!(last, "key" | "keys")
            && before
                .last()
                .is_some_and(|word| KEY_WORDS.contains(&word.as_str())))
        || JOINED_ENDINGS.iter().any(|ending| last.ends_with(ending))
}

/// The words of a key in lower case: borders are what is no letter, and the humps of camel case.
fn words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let mut previous_lower = false;
    let mut characters = key.chars().peekable();
    while let Some(character) = characters.next() {
        if !character.is_ascii_alphabetic() {
            // Digits belong to their word (`b64`), but begin none.
            if open && character.is_ascii_digit() {
                if let Some(word) = words.last_mut() {
                    word.push(character);
                }
            } else {
                open = false;
            }
            previous_lower = false;
            continue;
        }
        let hump = character.is_ascii_uppercase()
            && (previous_lower || characters.peek().is_some_and(char::is_ascii_lowercase));
        if !open || hump {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(character.to_ascii_lowercase());
        }
        open = true;
        previous_lower = character.is_ascii_lowercase();
    }
    words
}

/// The credential whose key ends at the sign `=`, `:` or `：` at this offset.
pub(super) fn value_after(text: &str, sign: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let after = text.get(sign..)?;
    if after.starts_with("://") {
        return shape::user_info(text, sign + 3);
    }
    let colon = !after.starts_with('=');
    let key = key_before(text, sign)?;
    let name = text.get(key.clone())?;
    let in_address = matches!(
        key.start.checked_sub(1).and_then(|at| bytes.get(at)),
        Some(b'?' | b'&')
    );
    let signs_address = in_address && matches!(name, "sig" | "signature" | "key");
    if !signs_address && !is_credential(name) {
        return None;
    }
    // `==`, `:=`, `::` and `=>` assign nothing.
    let mut at = sign + after.chars().next().map_or(0, char::len_utf8);
    if matches!(bytes.get(at), Some(b'=' | b':' | b'>' | b'~')) {
        return None;
    }
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    if let Some(inside) = quoted(text, at) {
        return Some(inside);
    }
    if is_header(name) && colon {
        return Some(at..end_of_header(text, at));
    }
    if colon && !looks_secret(text, &key, &word_at(text, at, LONGEST_WORD)) {
        return None;
    }
    Some(word_at(text, at, usize::MAX))
        .filter(|value| !is_placeholder(text.get(value.clone()).unwrap_or_default()))
}

/// The value of a command line flag like `--password hunter2`.
pub(super) fn flag_value(text: &str, dash: usize) -> Option<Range<usize>> {
    let flag = text.get(dash..)?.strip_prefix("--")?;
    let length = flag
        .bytes()
        .take(LONGEST_KEY)
        .take_while(|&byte| is_key_byte(byte))
        .count();
    let at = dash + 2 + length;
    if text.as_bytes().get(at) != Some(&b' ') || !is_credential(flag.get(..length)?) {
        return None;
    }
    let value = quoted(text, at + 1).unwrap_or_else(|| word_at(text, at + 1, usize::MAX));
    let word = text.get(value.clone())?;
    Some(value).filter(|_| !word.starts_with('-') && !is_placeholder(word))
}

const fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
}

/// The key whose value the sign at this offset introduces, without the quotes it may stand in.
fn key_before(text: &str, sign: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = sign;
    let back = |end: usize, wanted: &[u8]| {
        end > 0 && bytes.get(end - 1).is_some_and(|byte| wanted.contains(byte))
    };
    while back(end, b" \t") {
        end -= 1;
    }
    if back(end, b"\"'`") {
        end -= 1;
        // The quote of a JSON text that is itself written inside a string.
        if back(end, b"\\") {
            end -= 1;
        }
    }
    let length = bytes
        .get(end.saturating_sub(LONGEST_KEY)..end)?
        .iter()
        .rev()
        .take_while(|&&byte| is_key_byte(byte))
        .count();
    let mut start = end - length;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    (start < end).then_some(start..end)
}

/// The inside of the quotes that open at this offset.
fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let escaped = bytes.get(at) == Some(&b'\\');
    let open = at + usize::from(escaped);
    let quote = *bytes
        .get(open)
        .filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let start = open + 1;
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        if byte == quote || (escaped && byte == b'\\') {
            break;
        }
        end += if byte == b'\\' { 2 } else { 1 };
    }
    let mut end = end.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    Some(start..end).filter(|inside| text.get(inside.clone()) != Some(super::MARK))
}

/// The word that begins at this offset, or its first `limit` bytes.
fn word_at(text: &str, at: usize, limit: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let rest = rest.get(..limit).unwrap_or(rest);
    let stop = |character: char| {
        character.is_whitespace()
            || matches!(
                character,
                ',' | ';' | '&' | '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '|'
            )
    };
    let length = rest.find(stop).unwrap_or(rest.len());
    at..at + length
}

fn is_placeholder(word: &str) -> bool {
    word.starts_with(['$', '<', '{', '%', '['])
        || matches!(word, "null" | "None" | "undefined" | "true" | "false")
}

/// Header fields, whose value runs to the end of the line.
fn is_header(name: &str) -> bool {
    words(name)
        .last()
        .is_some_and(|word| matches!(word.as_str(), "authorization" | "cookie" | "cookies"))
}

fn end_of_header(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let stop = |character: char| matches!(character, '\n' | '\r' | '"' | '\'' | '`');
    at + rest.find(stop).unwrap_or(rest.len())
}

/// After a colon prose may follow: a value counts when it is alone on the key's line or written as no word is.
fn looks_secret(text: &str, key: &Range<usize>, value: &Range<usize>) -> bool {
    let word = text.get(value.clone()).unwrap_or_default();
    if word.len() >= 6 && word.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    if word.len() == LONGEST_WORD {
        return false;
    }
    let before = text
        .get(..key.start)
        .unwrap_or_default()
        .trim_end_matches([' ', '\t', '-']);
    let after = text.get(value.end..).unwrap_or_default();
    !word.is_empty()
        && (before.is_empty() || before.ends_with('\n'))
        && (after.is_empty() || after.starts_with(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_match_by_whole_words_in_any_spelling() {
        let credentials = [
            "authorization",
            "Authorization",
            "Proxy-Authorization",
            "cookie",
            "cookies",
            "Set-Cookie",
            "password",
            "PASSWORD",
            "userPassword",
            "db_passwd",
            "secret",
            "clientSecret",
            "client_secret",
            "CLIENT-SECRET",
            "token",
            "accessToken",
            "access_token",
            "ACCESS_TOKEN",
            "x-csrf-token",
            "api key",
            "api_key",
            "apiKey",
            "APIKey",
            "apikey",
            "APIKEY",
            "X-Api-Key",
            "privateKey",
            "aws_secret_access_key",
            "accesstoken",
            "auth",
            "credentials",
            "passphrase",
            "token2",
            "passwordHash",
            "access_token_value",
            "X-Amz-Signature",
            "登录密码",
            "api_keys",
            "dbpassword",
            "jwt",
        ];
        for key in credentials {
            assert!(is_credential(key), "{key}");
        }
        let others = [
            "max_tokens",
            "maxTokens",
            "token_count",
            "tokenCount",
            "tokens",
            "tokenizer",
            "author",
            "authority",
            "authored_by",
            "secretary",
            "key",
            "keys",
            "primary_key",
            "keyboard",
            "cookie_count",
            "passed",
            "compass",
            "password_policy_url",
            "secret_name",
            "monkey",
            "signature",
            "path",
            "",
            "page_token_size",
            "hotkey",
            "foreign_key",
            "authors",
            "密码学",
        ];
        for key in others {
            assert!(!is_credential(key), "{key}");
        }
    }
}
