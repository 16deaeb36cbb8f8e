//! What the tests of the binary share: the folders of the repository, a call, its outcome.

#![allow(dead_code)]

pub mod drawing;
#[path = "../../../../crates/superdense/tests/common/draws.rs"]
pub mod draws;
pub mod figures;
pub mod markdown;
#[path = "../../../../crates/superdense/tests/common/same_picture.rs"]
pub mod same_picture;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folder of the whole repository.
pub fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).expect("apps/cli is two folders deep").to_owned()
}

/// A folder for the files of one test, empty at its start.
pub fn scratch(test: &str) -> PathBuf {
    // Tests run side by side, and several may use one name.
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{test}-{}-{number}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// A folder for the files of one test, with a model.
pub fn with_model(test: &str, model: &str) -> PathBuf {
    let folder = scratch(test);
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    folder
}

/// The path of a model of the repository.
pub fn model(name: &str) -> String {
    let path = repository().join("models").join(name).join("model.yaml");
    path.to_str().expect("paths are UTF-8").to_owned()
}

/// Calls the binary in a folder.
pub fn superdense(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the binary can be started")
}

/// What a call that must succeed writes to standard output.
#[track_caller]
pub fn accepted(folder: &Path, arguments: &[&str]) -> String {
    let output = superdense(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", messages(&output));
    String::from_utf8(output.stdout).expect("results are UTF-8")
}

/// The messages of a call that must fail with the code 1. All of the expected words are in them.
#[track_caller]
pub fn refused(folder: &Path, arguments: &[&str], expected: &[&str]) -> String {
    let output = superdense(folder, arguments);
    let text = messages(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    for words in expected {
        assert!(text.contains(words), "{arguments:?}: no `{words}` in\n{text}");
    }
    text
}

/// What a call said on standard error.
pub fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are UTF-8")
}

/// The folders in a folder, by name.
pub fn folders(of: &Path) -> Vec<String> {
    names(of, Path::is_dir)
}

/// The files in a folder, by name.
pub fn files(of: &Path) -> Vec<String> {
    names(of, Path::is_file)
}

fn names(of: &Path, wanted: fn(&Path) -> bool) -> Vec<String> {
    let entries = fs::read_dir(of).unwrap_or_else(|error| panic!("{}: {error}", of.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a folder can be listed"))
        .filter(|entry| wanted(&entry.path()))
        .map(|entry| entry.file_name().into_string().expect("names are UTF-8"))
        .collect();
    names.sort();
    names
}
