//! The map and the land agree: ARCHITECTURE.md names every folder of code, and none that is not
//! there; and no file of tests is left out of the program that runs them.

use std::collections::BTreeSet;
use std::fs;

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
