//! Files that say what a stage makes of a small input: the input, a line of dashes, and the
//! listing. `SUPERDENSE_BLESS=1` writes the listings anew.

use std::fs;

/// The line between an input and its listing.
const LINE: &str = "----\n";

/// Checks every file of a folder against what a stage makes of its input.
pub fn check(folder: &str, listing: impl Fn(&str) -> String) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has no files");
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a readable file");
        let (input, expected) = text.split_once(LINE).unwrap_or((&text, ""));
        let found = listing(input);
        if found == expected {
            continue;
        }
        if std::env::var_os("SUPERDENSE_BLESS").is_some() {
            fs::write(&path, format!("{input}{LINE}{found}")).expect("a writable file");
        } else {
            wrong.push(format!("{}\n--- expected\n{expected}--- found\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
