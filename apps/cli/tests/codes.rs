//! Every code that a message can have is explained, and no code is explained that does not occur.

#[path = "../src/codes.rs"]
mod listed;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{files, folders, messages, repository, scratch, superdense};

/// The string literal that a text begins with, after blanks.
fn literal(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('"')?.split('"').next()
}

/// The codes in a source text: those that a diagnostic is made with, and those in `fn code`.
fn codes_in(text: &str) -> Vec<&str> {
    let made = ["Diagnostic::error(", "Diagnostic::warning("];
    let made = made.iter().flat_map(|call| text.split(call).skip(1)).filter_map(literal);
    let bodies =
        text.split("fn code(&self)").skip(1).filter_map(|rest| rest.split("\n    }").next());
    let named = bodies.flat_map(|body| body.split("=>").skip(1)).filter_map(literal);
    made.chain(named).collect()
}

fn gather(folder: &Path, found: &mut BTreeSet<String>) {
    for file in files(folder) {
        let text = fs::read_to_string(folder.join(file)).expect("a source text");
        found.extend(codes_in(&text).into_iter().map(str::to_owned));
    }
    folders(folder).iter().for_each(|inner| gather(&folder.join(inner), found));
}

#[test]
fn the_table_has_the_codes_that_occur() {
    let mut found = BTreeSet::new();
    for stage in folders(&repository().join("crates")) {
        gather(&repository().join("crates").join(stage).join("src"), &mut found);
    }
    gather(&repository().join("apps/cli/src"), &mut found);
    for code in ["yaml-syntax", "zeno", "trace-cut"] {
        assert!(found.contains(code), "{code} was not found in the sources");
    }
    let table: BTreeSet<String> = listed::all().map(|(code, _)| code.to_owned()).collect();
    let (missing, old): (Vec<_>, Vec<_>) =
        (found.difference(&table).collect(), table.difference(&found).collect());
    assert!(missing.is_empty() && old.is_empty(), "not explained: {missing:?}; gone: {old:?}");
    assert!(listed::all().is_sorted(), "the table is by name");
}

#[test]
fn a_code_is_explained() {
    let folder = scratch("codes");
    for (code, text) in listed::all() {
        assert_eq!(listed::find(code), Some(text));
        let output = superdense(&folder, &["explain", code]);
        assert!(output.status.success(), "{}", messages(&output));
        let shown = String::from_utf8(output.stdout).expect("text");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&shown), words(&format!("{code} {text}")));
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
}

#[test]
fn what_is_no_code_is_said() {
    let folder = scratch("no-codes");
    let output = superdense(&folder, &["explain", "zenno"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("did you mean `zeno`?"), "{}", messages(&output));
    fs::write(folder.join("zeno"), "superdense: 1\nblocks: {}\n").expect("a model");
    let output = superdense(&folder, &["explain", "zeno"]);
    assert!(messages(&output).contains("explain zeno T"), "{}", messages(&output));
}
