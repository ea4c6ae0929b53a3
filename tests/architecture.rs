//! The direction of dependency, which the language does not check: pure modules ← driver ← shell.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn core() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let relative = |path: &Path| {
        let path = path.strip_prefix(&root).unwrap();
        path.to_string_lossy().replace('\\', "/")
    };
    sources(&root)
        .iter()
        .map(|path| (relative(path), fs::read_to_string(path).unwrap()))
        .filter(|(name, _)| !name.starts_with("wasm/"))
        .collect()
}

#[test]
fn no_module_outside_the_shell_names_a_javascript_type_or_a_dependency() {
    for (name, text) in core() {
        let code = text.split("#[cfg(test)]").next().unwrap();
        for word in ["js_sys", "wasm_bindgen", "serde", "getrandom", "JsValue"] {
            assert!(!code.contains(word), "{name} names {word}");
        }
    }
}

#[test]
fn pure_modules_know_neither_driver_nor_history() {
    for (name, text) in core() {
        if matches!(name.as_str(), "driver.rs" | "history.rs" | "lib.rs") {
            continue;
        }
        for module in ["crate::driver", "crate::history", "crate::wasm"] {
            assert!(!text.contains(module), "{name} uses {module}");
        }
    }
}

#[test]
fn deciding_sees_no_messages_and_the_view_no_decisions() {
    for (name, text) in core() {
        if name == "decide.rs" {
            assert!(!text.contains("crate::message"), "{name}");
            assert!(!text.contains("crate::view"), "{name}");
        }
        if name.starts_with("view") {
            assert!(!text.contains("crate::decide"), "{name}");
        }
    }
}

#[test]
fn the_core_asks_no_clock_and_no_environment() {
    for (name, text) in core() {
        for word in [
            "std::time",
            "std::env",
            "std::fs",
            "std::net",
            "std::thread",
        ] {
            assert!(!text.contains(word), "{name} names {word}");
        }
    }
}
