//! The table of which tests hold which block, gathered from the tests themselves.
//!
//! The doc comment of a test ends with what it checks, for example
//! `Holds: closed form and jump of Integrator; absence of Gain, Sum.` The kinds are `closed form`
//! (values against a formula, or against numbers computed in another way), `jump` (what happens at
//! which microstep when an input jumps or an event comes), `absence` (an input that is absent),
//! `impulse` (an impulse is passed on, integrated or refused) and `bad input` (wrong parameters,
//! types or values are refused with a message).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use superdense::{Library, pages};

use crate::common::same_picture::bless;

const KINDS: [&str; 5] = ["closed form", "jump", "absence", "impulse", "bad input"];

/// A block, a kind and a test.
type Entry = (String, &'static str, String);

/// The Rust files of a folder and of all folders in it, by name.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of tests") {
        let path = entry.expect("a folder can be listed").path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => {
                found.push(path);
            }
            false => {}
        }
    }
    found.sort();
    found
}

/// What the tests in a source say that they hold. `module` is the path of the source as a module.
fn entries(source: &str, module: &str) -> Result<Vec<Entry>, String> {
    let (mut comment, mut held, mut found) = (Vec::new(), None, Vec::new());
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text.trim());
        } else if line == "#[test]" {
            let whole = comment.join(" ");
            held = whole.split_once("Holds: ").map(|(_, held)| held.to_owned());
            comment.clear();
        } else if let (Some(text), Some(name)) = (&held, line.strip_prefix("fn ")) {
            let name = name.split('(').next().unwrap_or(name);
            let test = format!("{module}::{name}");
            found.extend(parsed(text, &test).map_err(|wrong| format!("{test}: {wrong}"))?);
            held = None;
        } else if !line.starts_with("#[") {
            match comment.iter().any(|line| line.starts_with("Holds: ")) {
                true => return Err(format!("{module}: `Holds` before what is no test: {line}")),
                false => comment.clear(),
            }
        }
    }
    Ok(found)
}

/// The entries of one test: kinds `of` blocks, in parts separated by semicolons.
fn parsed(text: &str, test: &str) -> Result<Vec<Entry>, String> {
    let text = text.strip_suffix('.').ok_or("`Holds` must end with a full stop")?;
    let mut found = Vec::new();
    for part in text.split("; ") {
        let (kinds, blocks) = part.split_once(" of ").ok_or(format!("no `of` in `{part}`"))?;
        for kind in kinds.replace(" and ", ", ").split(", ") {
            let known = KINDS.into_iter().find(|known| *known == kind);
            let kind = known.ok_or(format!("there is no kind `{kind}`"))?;
            let blocks = blocks.split(", ");
            found.extend(blocks.map(|block| (block.to_owned(), kind, test.to_owned())));
        }
    }
    Ok(found)
}

/// Every block and kind that a test names exists, and the table in the sources is what the tests
/// say. With `SUPERDENSE_BLESS=1` it is renewed.
#[test]
fn the_table_of_tests_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = folder.join("tests");
    let known: BTreeSet<String> =
        pages(&Library::standard()).into_iter().map(|page| page.name).collect();
    let mut all = BTreeSet::new();
    for path in sources(&tests) {
        let module = path.strip_prefix(&tests).expect("a file of the folder").with_extension("");
        let module: Vec<_> = module.iter().map(|part| part.to_string_lossy()).collect();
        let text = fs::read_to_string(&path).expect("a source");
        let found = entries(&text, &module.join("::")).unwrap_or_else(|wrong| panic!("{wrong}"));
        for (block, kind, test) in found {
            assert!(known.contains(&block), "{test}: there is no block `{block}`");
            assert!(all.insert((block, kind, test.clone())), "{test} says one thing twice");
        }
    }
    let table: String =
        all.iter().map(|(block, kind, test)| format!("{block} | {kind} | {test}\n")).collect();
    let kept = folder.join("src/pages/held.txt");
    if bless() {
        fs::write(&kept, &table).expect("the table can be written");
    }
    let old = fs::read_to_string(&kept).expect("the table");
    assert!(old == table, "src/pages/held.txt is old: SUPERDENSE_BLESS=1 renews it");
}

#[test]
fn what_a_test_holds_is_read_from_its_comment() {
    let source = "/// Words.\n/// Holds: closed form and jump of A,\n/// B; absence of A.\n#[test]\n\
                  fn one() {}\n/// No more.\n#[test]\nfn two() {}\n";
    let found = entries(source, "file").unwrap();
    let found: Vec<(&str, &str)> = found.iter().map(|own| (own.0.as_str(), own.1)).collect();
    let expected = [
        ("A", "closed form"),
        ("B", "closed form"),
        ("A", "jump"),
        ("B", "jump"),
        ("A", "absence"),
    ];
    assert_eq!(found, expected);
    for wrong in [
        "/// Holds: jump of A\n#[test]\nfn one() {}\n",
        "/// Holds: jumps of A.\n#[test]\nfn one() {}\n",
        "/// Holds: jump.\n#[test]\nfn one() {}\n",
        "/// Holds: jump of A.\nfn one() {}\n",
    ] {
        assert!(entries(wrong, "file").is_err(), "{wrong}");
    }
}
