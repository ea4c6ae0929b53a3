//! What kind of call it is, by its name and its input.

use crate::token::head;

/// What a call does, as far as the model tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verb {
    List,
    Other,
    Read,
    Search,
}

const SHELLS: [&str; 6] = ["bash", "run", "sql", "execute_bash", "shell", "terminal"];

/// Commands that do what another word says.
const COMMANDS: [(&str, &str); 14] = [
    ("sed", "read"),
    ("head", "read"),
    ("tail", "read"),
    ("nl", "read"),
    ("less", "read"),
    ("awk", "read"),
    ("select", "query"),
    ("python", "run"),
    ("python3", "run"),
    ("pytest", "run"),
    ("make", "run"),
    ("npm", "run"),
    ("node", "run"),
    ("cargo", "run"),
];

/// Word parts by verb, in the order they are tested.
const VERBS: [(Verb, &[&str]); 3] = [
    (
        Verb::Read,
        &[
            "read", "open", "view", "cat", "goto", "scroll", "visit", "fetch", "details", "get",
        ],
    ),
    (
        Verb::Search,
        &[
            "search",
            "grep",
            "find",
            "query",
            "lookup",
            "rg",
            "ask_websurfer",
        ],
    ),
    (
        Verb::List,
        &["list", "ls", "tree", "glob", "show", "describe"],
    ),
];

/// The verb of a call; for a shell that of its first command.
pub(super) fn verb(name: &str, input: &str) -> Verb {
    let mut word = name.to_ascii_lowercase();
    if SHELLS.contains(&word.as_str()) {
        let command = without_cd(input);
        let command = head(&command, 60).to_ascii_lowercase();
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if let Some(first) = command
            .split(|character| !is_part(character))
            .find(|part| !part.is_empty())
        {
            word = COMMANDS
                .iter()
                .find(|(command, _)| *command == first)
                .map_or(first, |(_, meaning)| meaning)
                .to_owned();
        }
    }
    let means = |parts: &[&str]| parts.iter().any(|part| contains(&word, part));
    VERBS
        .iter()
        .find(|(_, parts)| means(parts))
        .map_or(Verb::Other, |(verb, _)| *verb)
}

fn contains(text: &str, part: &str) -> bool {
    text.as_bytes()
        .windows(part.len())
        .any(|window| window == part.as_bytes())
}

/// A command line without its leading changes of directory (`cd … &&`).
fn without_cd(input: &str) -> String {
    let mut out = String::new();
    let mut rest = input;
    let mut previous = ' ';
    while let Some(character) = rest.chars().next() {
        if character == 'c'
            && !is_word(previous)
            && let Some(after) = cd_end(rest)
        {
            rest = after;
            previous = '&';
            continue;
        }
        // Only the first sixty characters are read.
        if out.len() > 256 {
            break;
        }
        out.push(character);
        previous = character;
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
    }
    out
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What follows `cd DIR &&` at the start of a text.
fn cd_end(text: &str) -> Option<&str> {
    let argument = text.strip_prefix("cd")?;
    let directory = argument.trim_start();
    if directory.len() == argument.len() {
        return None;
    }
    let length = directory
        .find(char::is_whitespace)
        .unwrap_or(directory.len());
    let (directory, after) = directory.split_at_checked(length)?;
    if directory.is_empty() {
        return None;
    }
    if let Some(end) = after.trim_start().strip_prefix("&&") {
        return Some(end);
    }
    // The last `&&` inside the word, with at least a character before it.
    let at = directory
        .as_bytes()
        .windows(2)
        .rposition(|pair| pair == b"&&")
        .filter(|&at| at > 0)?;
    text.get(text.len() - after.len() - directory.len() + at + 2..)
}

/// Endings that make a dotted name a file.
const EXTENSIONS: [&str; 26] = [
    "py", "js", "ts", "tsx", "rs", "go", "java", "c", "h", "cpp", "md", "txt", "json", "yaml",
    "yml", "toml", "cfg", "ini", "html", "css", "csv", "sql", "sh", "pdf", "xml", "rst",
];

/// Whether an input names a path or a file.
pub(super) fn has_path(input: &str) -> bool {
    let bytes = input.as_bytes();
    let in_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (0..bytes.len()).any(|at| match bytes.get(at) {
        Some(b'/') => bytes.get(at + 1).is_some_and(in_path),
        Some(b'.') => {
            let stem = at
                .checked_sub(1)
                .and_then(|before| bytes.get(before))
                .is_some_and(|byte| in_path(byte) && *byte != b'.');
            let rest = input.get(at + 1..).unwrap_or_default();
            let ending = rest
                .get(
                    ..rest
                        .find(|character| !is_word(character))
                        .unwrap_or(rest.len()),
                )
                .unwrap_or_default();
            stem && !ending.is_empty() && ending.len() <= 4 && EXTENSIONS.contains(&ending)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_found_in_names_and_commands() {
        let cases = [
            ("read_file", "", Verb::Read),
            ("get_order_details", "", Verb::Read),
            ("search_code", "", Verb::Search),
            ("list_dir", "", Verb::List),
            ("deploy", "", Verb::Other),
            ("bash", "cd /repo && grep -n x y", Verb::Search),
            ("bash", "cd /a&&cd /b && ls -la", Verb::List),
            ("bash", "sed -n 1,5p a", Verb::Read),
            ("Bash", "python3 -m pytest", Verb::Other),
            ("sql", "SELECT * FROM t", Verb::Search),
            ("bash", "", Verb::Other),
            ("bash", "echo cd x && ls", Verb::Other),
            ("run", "abcd x && ls", Verb::Other),
        ];
        for (name, input, expected) in cases {
            assert_eq!(verb(name, input), expected, "{name} {input}");
        }
    }

    #[test]
    fn a_path_has_a_slash_or_an_ending() {
        for input in ["src/a", "/etc", "a.py", "see main.rs.", "x-y.tsx,"] {
            assert!(has_path(input), "{input}");
        }
        for input in ["a.pyc", "3.14", ".py", "a / b", "etc.", "", "a.tsé"] {
            assert!(!has_path(input), "{input}");
        }
    }
}
