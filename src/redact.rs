//! What the decision model must not see: values of credential-like keys and credential-shaped strings.
//!
//! Rules of thumb, not a proof: they hide what is written like a credential, and hosts that know better pass
//! a function of their own. A missed secret leaks only what the history already holds in plain text; a false
//! mark only costs the model a word, since the returned history is never affected.

mod key;
mod shape;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use key::is_credential;

/// What stands in the view for a credential.
pub(crate) const MARK: &str = "[redacted]";

/// A letter or a digit: no token begins after it.
const WORD: u8 = 1;
/// `=`, `:`, `-`, and the first byte of a full-width colon: a value or a flag may follow, wherever it stands.
const SIGN: u8 = 2;
/// A token may begin here, at the start of a word.
const TOKEN: u8 = 4;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_usize;
    #[expect(
        clippy::indexing_slicing,
        reason = "evaluated when compiling; `byte` is below 256"
    )]
    while byte < 256 {
        let value = byte as u8;
        if value.is_ascii_alphanumeric() {
            table[byte] |= WORD;
        }
        if matches!(value, b'=' | b':' | b'-' | 0xEF) {
            table[byte] |= SIGN;
        }
        if shape::may_begin(value) {
            table[byte] |= TOKEN;
        }
        byte += 1;
    }
    table
}

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Replaces the credentials in a text. Linear in the text.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(secret) = next_secret(text, at) {
        out.push_str(text.get(done..secret.start).unwrap_or_default());
        out.push_str(MARK);
        done = secret.end;
        at = secret.end.max(at + 1);
    }
    if done == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// The first secret that begins at or after the byte `from`.
fn next_secret(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut in_word = from
        .checked_sub(1)
        .and_then(|at| bytes.get(at))
        .is_some_and(u8::is_ascii_alphanumeric);
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        let class = class(byte);
        let starts_word = !in_word;
        in_word = class & WORD != 0;
        if class & SIGN == 0 && !(starts_word && class & TOKEN != 0) {
            continue;
        }
        let found = match byte {
            b'=' | b':' => key::value_after(text, at),
            b'-' if starts_word => {
                shape::private_key(text, at).or_else(|| key::flag_value(text, at))
            }
            b'-' => None,
            _ if class & TOKEN != 0 => shape::token(text, at),
            _ if text.get(at..).is_some_and(|rest| rest.starts_with('：')) => {
                key::value_after(text, at)
            }
            _ => None,
        };
        // A value found after its key may have been passed already when it is not the first of its line.
        if let Some(secret) = found.filter(|secret| secret.start >= from && !secret.is_empty()) {
            return Some(secret);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn credentials_are_hidden_wherever_they_stand() {
        let secrets = [
            "curl -H 'Authorization: Bearer SECRET-1234' https://x.example",
            "Authorization: Basic U0VDUkVU==",
            "use sk-SECRETabcdefghijklmnop please",
            "key sk-proj-SECRETabc_def-ghijklmnop.",
            "ghp_SECRETSECRETSECRETSECRET12 is the token",
            "github_pat_11SECRETSECRETSECRETSECRET12",
            "AKIASECRETSECRET1234",
            "AIzaSECRETSECRETSECRETSECRETSECRETSECRE",
            "jwt eyJhbGciOiJSECRET.eyJzdWIiOiIxIn0.SECRETx-y_z",
            "postgres://admin:SECRET@db.example:5432/x",
            "https://x.example/a?api_key=SECRET&b=1",
            "https://x.example/a?b=1&X-Amz-Signature=SECRET",
            "export PGPASSWORD=SECRET",
            "mysql --password SECRET -h x",
            "mysql --password=SECRET",
            "{\"clientSecret\": \"SECRET with spaces\", \"a\": 1}",
            "{'cookies': 'SECRET; x'}",
            "{\\\"password\\\":\\\"SECRET\\\"}",
            "password: SECRET-1234 and so on",
            "a\n  password: SECRETSECRET\nb",
            "Cookie: sid=SECRET; theme=dark",
            "Set-Cookie: sid=SECRET; HttpOnly",
            "-----BEGIN RSA PRIVATE KEY-----\nSECRET\nSECRET\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nSECRET",
            "xoxb-SECRET-1234567890",
            "sk_live_SECRETSECRET",
            "密码：SECRET1234",
            "token = \"SECRET\"",
            "Bearer SECRET_1234",
            "glpat-SECRETSECRETSECRET",
            "AccountKey=SECRET==;EndpointSuffix=core",
        ];
        for secret in secrets {
            let hidden = text(secret);
            assert!(!hidden.contains("SECRET"), "{secret:?} -> {hidden:?}");
            assert!(hidden.contains(MARK), "{secret:?} -> {hidden:?}");
        }
    }

    #[test]
    fn ordinary_text_is_untouched() {
        let plain = [
            "The token count is 512 and max_tokens=4096.",
            "Use a bearer token; basic authentication is off.",
            "task-list, ask-me, risk-free",
            "at 10:32:07 the tokenizer said: nothing",
            "Secret: a good sauce takes time",
            "see https://x.example:8080/path?station=4#a",
            "user@example.org wrote a=b:c",
            "token: the thing between two blanks",
            "password=${DB_PASSWORD} token=$TOKEN secret=<your secret>",
            "if (password == null) return; // password === undefined",
            "sk-learn and AKIA and eyJ",
            "author: Ann; authority: Bob; tokens: 12; cookie_count: 3",
            "a::b c:=d e == f",
            "-----BEGIN CERTIFICATE-----",
        ];
        for line in plain {
            assert_eq!(text(line), line);
        }
    }

    #[test]
    fn what_stands_around_a_secret_stays() {
        assert_eq!(text("a?api_key=SECRET&b=1"), "a?api_key=[redacted]&b=1");
        assert_eq!(
            text("postgres://admin:SECRET@db/x"),
            "postgres://[redacted]@db/x"
        );
        assert_eq!(
            text("{\"token\": \"SEC\\\"RET\", \"a\": 1}"),
            "{\"token\": \"[redacted]\", \"a\": 1}"
        );
    }

    proptest! {
        #[test]
        fn what_is_not_hidden_stays_in_its_place(line in "[a-z=:\"'\\- \\n/@.?&éA-Z0-9]{0,40}|(password|token|sk-|Bearer |=|:|\"|\\\\|x1|-----BEGIN |PRIVATE KEY-----|é){0,9}") {
            let hidden = text(&line).into_owned();
            let mut rest = line.as_str();
            for (number, piece) in hidden.split(MARK).enumerate() {
                let at = rest.find(piece);
                prop_assert!(if number == 0 { at == Some(0) } else { at.is_some() }, "{:?}", hidden);
                rest = rest.get(at.unwrap_or(0) + piece.len()..).unwrap_or_default();
            }
            prop_assert!(hidden.ends_with(MARK) || line.ends_with(hidden.rsplit(MARK).next().unwrap_or_default()));
        }

        #[test]
        fn a_marked_secret_after_any_credential_key_is_hidden(
            key in prop::sample::select(vec!["password", "api_key", "clientSecret", "X-Api-Key", "Authorization", "cookie", "ACCESS_TOKEN", "refreshToken"]),
            quote in prop::sample::select(vec!["", "\"", "'"]),
            gap in prop::sample::select(vec![": ", ":", "=", " = "]),
            secret in "[A-Z]{4}[0-9]{4}CANARY",
            before in "[a-z ]{0,10}",
        ) {
            let line = format!("{before} {quote}{key}{quote}{gap}{quote}{secret}{quote}");
            prop_assert!(!text(&line).contains("CANARY"), "{}", line);
        }
    }
}
