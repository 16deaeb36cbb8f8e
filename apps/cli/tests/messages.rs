//! Bad input through the binary: each mistake has its code, its place, the words that are
//! underlined and, if there is one, the remedy. The exit code is 1, and nothing panics.

mod options;
mod runs;
mod syntax;
mod warned;

use std::fs;
use std::process::Output;

use crate::common::{messages, scratch, superdense};

/// A mistake and what the message about it must show.
struct Case<'t> {
    name: &'t str,
    model: &'t str,
    /// Options after the model.
    options: &'t [&'t str],
    expected: &'t [&'t str],
}

impl<'t> Case<'t> {
    fn new(name: &'t str, model: &'t str, expected: &'t [&'t str]) -> Self {
        Case { name, model, options: &[], expected }
    }

    fn options(mut self, options: &'t [&'t str]) -> Self {
        self.options = options;
        self
    }

    /// Runs the model, expects to be refused, and gives the message.
    fn check(&self) -> String {
        let folder = scratch(&format!("message-{}", self.name));
        fs::write(folder.join("model.yaml"), self.model).expect("a model can be written");
        let mut arguments = vec!["run", "model.yaml", "-o", "result.csv"];
        arguments.extend(self.options);
        let output = superdense(&folder, &arguments);
        self.judge(&output)
    }

    fn judge(&self, output: &Output) -> String {
        let text = messages(output);
        assert_eq!(output.status.code(), Some(1), "{}: {text}", self.name);
        assert!(!text.contains("panicked"), "{}: {text}", self.name);
        for words in self.expected {
            assert!(text.contains(words), "{}: no `{words}` in\n{text}", self.name);
        }
        text
    }
}

/// The words that the first message underlines with `^`.
#[track_caller]
fn underlined(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let marks = lines.iter().position(|line| line.trim_start_matches([' ', '|']).starts_with('^'));
    let marks = marks.unwrap_or_else(|| panic!("nothing is underlined in\n{text}"));
    let start = lines[marks].find('^').expect("a mark");
    let length = lines[marks][start..].chars().take_while(|c| *c == '^').count();
    let source =
        lines[..marks].iter().rev().find(|line| line.starts_with(|c: char| c.is_numeric()));
    source.expect("a line of the model").chars().skip(start).take(length).collect()
}

/// A file of the folder `bad` has a model with a mistake, a line of dashes, and what the message
/// must show, line by line; a line with `^` has the words that are underlined.
#[test]
fn models_with_a_mistake() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages/bad");
    let entries = fs::read_dir(folder).expect("a folder");
    let paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    assert!(!paths.is_empty(), "{folder} has no files");
    for path in paths {
        let name = path.file_stem().expect("a name").to_str().expect("text");
        let text = fs::read_to_string(&path).expect("a readable file");
        let (model, shown) = text.split_once("----\n").expect("a line of dashes");
        let (marks, expected): (Vec<&str>, Vec<&str>) =
            shown.lines().partition(|line| line.starts_with("^ "));
        assert!(!expected.is_empty(), "{name} expects nothing");
        let message = Case::new(name, model, &expected).check();
        for mark in marks {
            assert_eq!(underlined(&message), mark[2..], "{name}");
        }
    }
}

#[test]
fn sizes_that_do_not_fit() {
    let blocks = "superdense: 1\nblocks:\n  a: {type: Constant, value: [1, 2, 3]}\n";
    let sum = format!(
        "{blocks}  b: {{type: Constant, value: [1, 2]}}\n  x: {{type: Integrator, input: a + b}}\n"
    );
    let expected =
        ["error[size-mismatch]", "vector of 3", "vector of 2", "model.yaml:5:32", "the same size"];
    let text = Case::new("size-sum", &sum, &expected).check();
    assert_eq!(underlined(&text), "a + b");
    let initial = format!("{blocks}  x: {{type: Integrator, input: a, initial: [1, 2]}}\n");
    let expected =
        ["error[size-mismatch]", "`initial`", "vector of 2", "vector of 3", "model.yaml:4:"];
    Case::new("size-initial", &initial, &expected).check();
}

#[test]
fn a_causality_loop() {
    let model = "superdense: 1\nblocks:
  first: {type: Gain, input: third, gain: 2}
  second: {type: Sum, inputs: [first, 1]}
  third: {type: Negate, input: second}
";
    let expected = [
        "error[causality-loop]",
        "between events",
        "model.yaml:",
        "first",
        "second",
        "third",
        "solve: true",
    ];
    let text = Case::new("causality-loop", model, &expected).check();
    let note = text.lines().find(|line| line.contains("the loop is")).expect("the loop is listed");
    assert!(["first", "second", "third"].iter().all(|name| note.contains(name)), "{note}");
}

#[test]
fn equality_of_continuous_signals() {
    let model =
        "superdense: 1\nblocks:\n  x: {type: Integrator, input: if x == 0.5 then 1 else 2}\n";
    let expected = ["error[equality-of-continuous]", "`==`", "model.yaml:3:", "LevelCrossing"];
    let text = Case::new("equality", model, &expected).check();
    assert!(underlined(&text).contains("x == 0.5"));
}

#[test]
fn absurd_depths_of_diagrams() {
    let mut model = String::from("superdense: 1\ndiagrams:\n");
    for level in 0..1000 {
        let inner = format!("{{type: D{}}}", level + 1);
        model += &format!("  D{level}:\n    outputs: [x]\n    blocks:\n      x: {inner}\n");
    }
    model += "  D1000:\n    outputs: [x]\n    blocks:\n      x: {type: Constant}\nblocks:\n  d: {type: D0}\n";
    Case::new("depth-diagrams", &model, &["error[", "model.yaml:"]).check();
}

const DECAY: &str = "superdense: 1
parameters: {rate: 2}
blocks:
  x: {type: Integrator, input: -rate * x, initial: 1}
simulate: {stop: 1, solver: rk45}
";

#[test]
fn time_by_another_name() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: sin(t)}\n";
    let expected = ["error[unknown-name]", "help: the time of the model is called `time`"];
    let text = Case::new("time", model, &expected).check();
    assert_eq!(underlined(&text), "t");
    let model = "superdense: 1\nparameters: {t: 2}\nblocks:\n  x: {type: Gain, input: t}\n";
    let folder = scratch("time-own");
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    assert!(superdense(&folder, &["check", "model.yaml"]).status.success(), "t may be a name");
}
