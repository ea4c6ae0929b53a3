//! Whether a call changes something: a guess from its name or its command, made only to keep the call.

/// Words that say so as a part of a tool's name.
const NAMES: [&str; 29] = [
    "edit", "write", "create", "update", "cancel", "book", "delete", "send", "modify", "post",
    "place", "pay", "close", "add", "remove", "move", "mv", "cp", "rm", "touch", "mkdir", "echo",
    "insert", "submit", "return", "exchange", "transfer", "deploy", "apply",
];

const SHELLS: [&str; 6] = [
    "bash",
    "run",
    "execute_bash",
    "shell",
    "terminal",
    "str_replace_editor",
];

/// Commands that do so: a word, or a word and its first argument.
const COMMANDS: [(&str, &[&str]); 17] = [
    ("apt", &[]),
    ("chmod", &[]),
    ("cp", &[]),
    ("create", &[]),
    ("edit", &[]),
    (
        "git",
        &[
            "apply", "checkout", "stash", "reset", "commit", "restore", "add",
        ],
    ),
    ("insert", &[]),
    ("mkdir", &[]),
    ("mv", &[]),
    ("npm", &["i"]),
    ("patch", &[]),
    ("pip", &["install"]),
    ("rm", &[]),
    ("sed", &["-i"]),
    ("submit", &[]),
    ("tee", &[]),
    ("touch", &[]),
];

/// Whether the call of a tool with this input (its leaves, one a line) changes something.
pub(super) fn mutating(name: &str, input: &str) -> bool {
    name_says_so(name)
        || (SHELLS.iter().any(|shell| name.eq_ignore_ascii_case(shell))
            && (runs_command(input) || redirects(input) || writes_file(input)))
}

/// The parts of a name end at what is no letter or digit, and before a hump of camel case.
fn name_says_so(name: &str) -> bool {
    let mut part = String::new();
    let mut previous_small = false;
    for character in name.chars().chain(['_']) {
        let hump = character.is_ascii_uppercase() && previous_small;
        if hump || !character.is_alphanumeric() {
            if NAMES.contains(&part.as_str()) {
                return true;
            }
            part.clear();
        }
        if character.is_alphanumeric() {
            part.push(character.to_ascii_lowercase());
        }
        previous_small = character.is_lowercase();
    }
    false
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether one of the commands stands at the start of a command, after `sudo` too.
fn runs_command(input: &str) -> bool {
    input.split([';', '&', '|', '\n']).any(|command| {
        let command = command.trim_start();
        let command = command
            .strip_prefix("sudo")
            .filter(|rest| rest.starts_with(char::is_whitespace))
            .map_or(command, str::trim_start);
        COMMANDS.iter().any(|(word, arguments)| {
            let Some(rest) = command.strip_prefix(word) else {
                return false;
            };
            let argument = rest.trim_start();
            let is_whole = |rest: &str| !rest.starts_with(is_word);
            if arguments.is_empty() {
                return is_whole(rest);
            }
            argument.len() < rest.len()
                && arguments
                    .iter()
                    .any(|wanted| argument.strip_prefix(wanted).is_some_and(is_whole))
        })
    })
}

/// Whether output goes to a file other than /dev/null.
fn redirects(input: &str) -> bool {
    input.match_indices('>').any(|(at, _)| {
        let target = input.get(at + 1..).unwrap_or_default().trim_start();
        !target.starts_with("/dev/null")
            && target.starts_with(|character| {
                is_word(character) || matches!(character, '.' | '/' | '~' | '-')
            })
    })
}

/// Whether a program text writes a file: `write_text`, or `open(…, 'w')` and its like.
fn writes_file(input: &str) -> bool {
    let bytes = input.as_bytes();
    if bytes.windows(10).any(|window| window == b"write_text") {
        return true;
    }
    let mut open = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => {
                open |= bytes
                    .get(..at)
                    .is_some_and(|before| before.ends_with(b"open"))
            }
            b')' => open = false,
            b'\'' | b'"' if open && matches!(bytes.get(at + 1), Some(b'w' | b'a')) => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_something_is_recognised() {
        for name in [
            "write_file",
            "cancel_reservation",
            "SEND_mail",
            "book",
            "sendMessage",
            "files.delete",
            "apply-patch",
            "return_items",
            "deploy",
        ] {
            assert!(mutating(name, ""), "{name}");
        }
        let commands = [
            "rm -rf x",
            "cd a && sed -i s/a/b/ f",
            "ls; sudo mkdir x",
            "cat a | tee b",
            "git commit -m x",
            "pip install x",
            "apt-get update",
            "npm i x",
            "echo a > b",
            "echo a >>~/b",
            "python -c \"open('f', 'w')\"",
            "python - <<E\nfrom x import y\nPath(a).write_text(b)\nE",
            "a\n  touch b",
            "open('x.txt').read(); open(\"y\",\"a\")",
        ];
        for command in commands {
            assert!(mutating("bash", command), "{command}");
        }
    }

    #[test]
    fn what_only_reads_is_not() {
        for name in [
            "read_file",
            "search",
            "get_order_details",
            "editor_info",
            "addresses",
            "postal_code",
            "str_replace_editor",
            "closest",
        ] {
            assert!(!mutating(name, ""), "{name}");
        }
        let commands = [
            "grep \"rm -rf\" x",
            "ls > /dev/null",
            "ls 2>&1",
            "ls 2>/dev/null",
            "git log",
            "npm test",
            "rmdir_list",
            "sed -n 1p a",
            "cat rm",
            "open('x')",
            "python -c \"open(f).read() + 'w'\"",
            "pip list",
            "",
        ];
        for command in commands {
            assert!(!mutating("bash", command), "{command}");
        }
        assert!(
            !mutating("read_file", "rm -rf x"),
            "only a shell runs commands"
        );
    }
}
