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

#[test]
fn an_unknown_block() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrater, input: -1}\n";
    let expected = [
        "error[unknown-block]: there is no block or diagram `Integrater`",
        "model.yaml:3:13",
        "in block `x`",
        "help: did you mean `Integrator`?",
    ];
    let text = Case::new("unknown-block", model, &expected).check();
    assert_eq!(underlined(&text), "Integrater");
}

#[test]
fn an_unknown_field() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: -x, inital: 1}\n";
    let expected = [
        "error[unknown-field]: Integrator has no input or parameter `inital`",
        "model.yaml:3:36",
        "help: did you mean `initial`?",
    ];
    let text = Case::new("unknown-field", model, &expected).check();
    assert_eq!(underlined(&text), "inital");
}

#[test]
fn an_unknown_signal() {
    let model = "superdense: 1\nblocks:\n  speed: {type: Integrator, input: -sped, initial: 1}\n";
    let expected =
        ["error[unknown-name]", "`sped`", "model.yaml:3:37", "help: did you mean `speed`?"];
    let text = Case::new("unknown-signal", model, &expected).check();
    assert_eq!(underlined(&text), "sped");
}

#[test]
fn a_missing_input() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, initial: 1}\n";
    let expected = [
        "error[missing-input]: input `input` of Integrator is missing",
        "model.yaml:3:3",
        "help: add `input: ...`",
    ];
    let text = Case::new("missing-input", model, &expected).check();
    assert_eq!(underlined(&text), "x");
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
fn types_that_do_not_fit() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: (x > 1) + 2}\n";
    let expected = [
        "error[type-mismatch]: `+` needs numbers, and this is a boolean",
        "model.yaml:3:32",
        "help: choose numbers with `if ... then 1 else 0`",
    ];
    let text = Case::new("type-number", model, &expected).check();
    assert_eq!(underlined(&text), "(x > 1)");
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: if x then 1 else 2}\n";
    let expected = ["error[type-mismatch]: a condition needs booleans", "help: compare it"];
    let text = Case::new("type-condition", model, &expected).check();
    assert_eq!(underlined(&text), "x");
}

#[test]
fn a_name_given_twice() {
    let model =
        "superdense: 1\nblocks:\n  x: {type: Integrator, input: 1}\n  x: {type: Constant}\n";
    let expected = ["error[duplicate-name]", "`x`", "model.yaml:4:3", "first given here"];
    Case::new("duplicate", model, &expected).check();
    let model = "superdense: 1\nparameters: {x: 1}\nblocks:\n  x: {type: Integrator, input: 1}\n";
    let expected = ["error[duplicate-name]: `x` is both a parameter and a block", "model.yaml:4:3"];
    Case::new("duplicate-kind", model, &expected).check();
}

#[test]
fn parameters_in_a_cycle() {
    let model = "superdense: 1\nparameters: {a: b + 1, b: 2 * c, c: a}\nblocks: {}\n";
    let expected = [
        "error[parameter-cycle]",
        "model.yaml:2:14",
        "the cycle is a -> b -> c -> a",
        "help: give one of them a number",
    ];
    Case::new("parameter-cycle", model, &expected).check();
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
fn a_causality_loop_of_events() {
    let model = "superdense: 1\nblocks:
  x: {type: Integrator, input: 1, reset: back}
  hit: {type: LevelCrossing, input: x, level: 1}
  back: {type: Sample, input: x - 1, trigger: hit}
simulate: {stop: 2}
";
    let expected = ["error[causality-loop]", "x", "back", "previous(...)"];
    Case::new("causality-loop-events", model, &expected).check();
}

#[test]
fn a_reset_that_is_always_there() {
    let model = "superdense: 1\nblocks:
  u: {type: Sine}
  x: {type: Integrator, input: 1, reset: u}
";
    let expected = [
        "error[not-events]: `reset` takes events",
        "model.yaml:4:42",
        "in block `x`",
        "help: take its value at events with a Sample block",
    ];
    let text = Case::new("reset", model, &expected).check();
    assert_eq!(underlined(&text), "u");
}

#[test]
fn an_integrator_of_events() {
    let model = "superdense: 1\nblocks:
  c: {type: Clock, period: 1}
  x: {type: Integrator, input: c}
";
    let expected = [
        "error[only-events]",
        "model.yaml:4:32",
        "help: hold the last value of `c` with a ZeroOrderHold block, and use the held signal here",
    ];
    let text = Case::new("only-events", model, &expected).check();
    assert_eq!(underlined(&text), "c");
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
fn a_division_by_zero_in_a_parameter() {
    let model = "superdense: 1\nparameters: {m: 0, a: 1 / m}\nblocks: {}\n";
    let text = Case::new("division-constant", model, &["error[division-by-zero]", "model.yaml:2:"])
        .check();
    assert_eq!(underlined(&text), "m");
}

#[test]
fn absurd_sizes() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: zeros(1e9)}\n";
    let expected = ["error[value-too-large]", "model.yaml:3:32", "at most 10000000 elements"];
    let text = Case::new("size", model, &expected).check();
    assert_eq!(underlined(&text), "zeros(1e9)");
    let model = "superdense: 1\nparameters: {n: 1e9}\nblocks:\n  x: {type: Constant, value: \"ones(n, n)\"}\n";
    Case::new("size-square", model, &["error[value-too-large]", "model.yaml:4:"]).check();
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

#[test]
fn a_diagram_that_contains_itself() {
    let model = "superdense: 1
diagrams:
  A: {outputs: [b], blocks: {b: {type: B}}}
  B: {outputs: [a], blocks: {a: {type: A}}}
blocks:
  x: {type: A}
";
    let expected = ["error[recursive-diagram]: diagram `A` contains itself", "model.yaml:4:"];
    let text = Case::new("recursive", model, &expected).check();
    assert_eq!(underlined(&text), "A");
}

const DECAY: &str = "superdense: 1
parameters: {rate: 2}
blocks:
  x: {type: Integrator, input: -rate * x, initial: 1}
simulate: {stop: 1, solver: rk45}
";

#[test]
fn several_mistakes_are_shown_at_once() {
    let model = "superdense: 1\nblocks:
  a: {type: Integratr, input: 1}
  b: {type: Integrator, inpt: 1}
  c: {type: Integrator, input: missing}
";
    let expected = [
        "error[unknown-block]",
        "error[unknown-field]",
        "error[missing-input]",
        "error[unknown-name]",
    ];
    Case::new("several", model, &expected).check();
}

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
