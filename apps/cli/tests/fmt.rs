//! `fmt` through the binary: files in place, standard input, `--check`, and what is left alone.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{files, folders, messages, repository, scratch, superdense};

const LOOSE: &str = "blocks:\n    x:   {type: Gain,   input: 1} # one\nsuperdense:   1\n";
const CANONICAL: &str = "superdense: 1\nblocks:\n  x: {type: Gain, input: 1}  # one\n";

fn text(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).expect("a file")
}

#[test]
fn files_are_formatted_in_place() {
    let folder = scratch("fmt");
    fs::write(folder.join("loose.yaml"), LOOSE).expect("a file");
    fs::write(folder.join("good.yaml"), CANONICAL).expect("a file");
    let before = fs::metadata(folder.join("good.yaml")).and_then(|found| found.modified());
    let output = superdense(&folder, &["fmt", "loose.yaml", "good.yaml"]);
    assert!(output.status.success(), "{}", messages(&output));
    assert_eq!(messages(&output), "formatted loose.yaml\n");
    assert_eq!(text(&folder, "loose.yaml"), CANONICAL);
    let after = fs::metadata(folder.join("good.yaml")).and_then(|found| found.modified());
    assert_eq!(before.expect("a time"), after.expect("a time"), "it was not written");
    assert_eq!(files(&folder), ["good.yaml", "loose.yaml"], "nothing else is left");
}

#[test]
fn check_names_the_files_and_writes_nothing() {
    let folder = scratch("fmt-check");
    fs::write(folder.join("a.yaml"), LOOSE).expect("a file");
    fs::write(folder.join("b.yaml"), CANONICAL).expect("a file");
    fs::write(folder.join("c.yaml"), LOOSE).expect("a file");
    let output = superdense(&folder, &["fmt", "--check", "a.yaml", "b.yaml", "c.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("not formatted: a.yaml, c.yaml"), "{}", messages(&output));
    assert_eq!(text(&folder, "a.yaml"), LOOSE);
    let output = superdense(&folder, &["fmt", "--check", "b.yaml"]);
    assert!(output.status.success() && messages(&output).is_empty());
}

#[test]
fn a_file_with_a_mistake_is_left_as_it_is() {
    let folder = scratch("fmt-mistake");
    let bad = "superdense: 1\nblock:   {}\n";
    fs::write(folder.join("bad.yaml"), bad).expect("a file");
    fs::write(folder.join("loose.yaml"), LOOSE).expect("a file");
    let output = superdense(&folder, &["fmt", "none.yaml", "bad.yaml", "loose.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    for words in ["error[cannot-read]", "none.yaml", "error[unknown-field]", "bad.yaml:2:1"] {
        assert!(messages(&output).contains(words), "{}", messages(&output));
    }
    assert_eq!(text(&folder, "bad.yaml"), bad);
    assert_eq!(text(&folder, "loose.yaml"), CANONICAL, "the others are formatted");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_bind() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scratch("fmt-permissions");
    let path = folder.join("model.yaml");
    fs::write(&path, LOOSE).expect("a file");
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("permissions");
    let output = superdense(&folder, &["fmt", "model.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("cannot write model.yaml"), "{}", messages(&output));
    assert_eq!(text(&folder, "model.yaml"), LOOSE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    assert!(superdense(&folder, &["fmt", "model.yaml"]).status.success());
    assert_eq!((text(&folder, "model.yaml").as_str(), mode(&path)), (CANONICAL, 0o640));
}

fn piped(input: &str, arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("input can be written");
    drop(stdin);
    child.wait_with_output().expect("an end")
}

#[test]
fn standard_input_goes_to_standard_output() {
    let output = piped(LOOSE, &["fmt", "-"]);
    assert!(output.status.success(), "{}", messages(&output));
    assert_eq!(String::from_utf8(output.stdout).expect("text"), CANONICAL);
    let output = piped(LOOSE, &["fmt", "-", "--check"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(piped(CANONICAL, &["fmt", "-", "--check"]).status.success());
    let output = piped("superdense: 2\n", &["fmt", "-"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(messages(&output).contains("standard input:1:13"), "{}", messages(&output));
}

#[test]
fn the_models_and_the_template_are_formatted() {
    let models = repository().join("models");
    let names = folders(&models);
    let paths: Vec<String> = names.iter().map(|name| format!("{name}/model.yaml")).collect();
    let mut arguments = vec!["fmt", "--check", "nested-diagrams/lags.yaml"];
    arguments.extend(paths.iter().map(String::as_str));
    let output = superdense(&models, &arguments);
    assert!(output.status.success(), "{}", messages(&output));
    let folder = scratch("fmt-new");
    assert!(superdense(&folder, &["new", "mine"]).status.success());
    let output = superdense(&folder, &["fmt", "--check", "mine/model.yaml"]);
    assert!(output.status.success(), "{}", messages(&output));
}
