//! The map and the land agree: ARCHITECTURE.md names every folder of code, and none that is not
//! there; and no file of tests is left out of the program that runs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{files, folders, repository};

/// The paths in a text that begin with `crates/` or `apps/`.
fn paths(text: &str) -> BTreeSet<String> {
    let outside = |c: char| !(c.is_ascii_alphanumeric() || "/_-.".contains(c));
    text.split(outside)
        .filter(|word| word.starts_with("crates/") || word.starts_with("apps/"))
        .map(|word| word.trim_end_matches(['.', '/']).to_owned())
        .collect()
}

#[test]
fn every_folder_is_on_the_map() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("a map");
    let named = paths(&text);
    for root in ["crates", "apps"] {
        for folder in folders(&repository().join(root)) {
            assert!(named.contains(&format!("{root}/{folder}")), "{root}/{folder} is not named");
        }
    }
}

#[test]
fn every_path_on_the_map_exists() {
    for document in ["ARCHITECTURE.md", "README.md", "docs/semantics.md", "docs/model-format.md"] {
        let text = fs::read_to_string(repository().join(document)).expect("a document");
        for path in paths(&text) {
            assert!(repository().join(&path).exists(), "{document} names {path}");
        }
    }
}

/// All Rust code under a folder.
fn code(folder: &Path) -> String {
    let mut text = String::new();
    for file in files(folder).into_iter().filter(|file| file.ends_with(".rs")) {
        text += &fs::read_to_string(folder.join(file)).expect("a file of code");
    }
    for inner in folders(folder) {
        text += &code(&folder.join(inner));
    }
    text
}

/// Whether code defines something of a name.
fn defines(code: &str, name: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "type", "mod", "const", "macro_rules!"];
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_defined = |kind: &str| {
        let definition = format!("{kind} {name}");
        code.match_indices(&definition).any(|(at, found)| ends(&code[at + found.len()..]))
    };
    // Typed ids are made by a macro, which has their names on lines of their own.
    kinds.iter().any(|kind| is_defined(kind)) || code.contains(&format!("\n    {name}\n}}"))
}

/// What is written between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Every `crate::Item` on the map is an item of that crate.
#[test]
fn every_name_on_the_map_exists() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("a map");
    let prose: String = text.split("```").step_by(2).collect();
    let mut count = 0;
    for name in quoted(&prose).filter(|name| !name.contains(' ')) {
        let Some((first, rest)) = name.split_once("::") else { continue };
        let folder = repository().join("crates").join(first).join("src");
        if folder.is_dir() {
            let code = code(&folder);
            for item in rest.split("::") {
                assert!(defines(&code, item), "ARCHITECTURE.md names {name}");
                count += 1;
            }
        }
    }
    assert!(count > 30, "there are names to check");
}

/// The walk of one bounce names functions in their files, at most fifteen, none of them twice.
#[test]
fn every_stop_of_the_bounce_exists() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("a map");
    let walk = text.split("## One bounce").nth(1).expect("a walk");
    let walk = walk.split("\n## ").next().expect("a section");
    let mut stops = BTreeSet::new();
    for row in walk.lines().filter(|row| row.starts_with("| ") && row.contains("crates/")) {
        let mut names = quoted(row);
        let (file, function) = (names.next().expect("a file"), names.next().expect("a function"));
        let code = fs::read_to_string(repository().join(file)).expect("a file of code");
        assert!(defines(&code, function), "there is no `{function}` in {file}");
        assert!(stops.insert((file, function)), "{function} comes twice");
    }
    assert!((10..=15).contains(&stops.len()), "{} stops", stops.len());
}

/// A file of tests that nothing names would never run, and nobody would see it.
#[test]
fn every_file_of_tests_is_run() {
    for root in ["crates", "apps"] {
        for name in folders(&repository().join(root)) {
            let folder = repository().join(root).join(&name);
            let Ok(main) = fs::read_to_string(folder.join("tests/main.rs")) else { continue };
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
            for file in files(&folder.join("tests")) {
                let Some(own) = file.strip_suffix(".rs").filter(|own| *own != "main") else {
                    continue;
                };
                let run = main.contains(&format!("mod {own};\n"))
                    || manifest.contains(&format!("name = \"{own}\"\n"));
                assert!(run, "{root}/{name}/tests/{file} is in no test program");
            }
        }
    }
}
