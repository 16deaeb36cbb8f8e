//! Bad input through the binary: each mistake has its code, its place, the words that are
//! underlined and, where there is one, the way out. The exit code is 1, and nothing panics.

use crate::common;
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
fn malformed_yaml() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: -x\nrecord: [x]\n";
    Case::new(
        "malformed",
        model,
        &["error[yaml-syntax]", "model.yaml:4:7", "inside this bracket", "',' or '}'"],
    )
    .check();
}

#[test]
fn tabs() {
    let model = "superdense: 1\nblocks:\n\tx: {type: Integrator, input: -x}\n";
    let expected = ["error[yaml-syntax]", "model.yaml:3:2", "help: indent with blanks"];
    Case::new("tabs", model, &expected).check();
}

#[test]
fn a_missing_version() {
    let model = "blocks:\n  x: {type: Integrator, input: -x, initial: 1}\n";
    let expected =
        ["error[missing-version]", "model.yaml:1:1", "help: begin it with `superdense: 1`"];
    Case::new("missing-version", model, &expected).check();
}

#[test]
fn an_empty_file() {
    Case::new("empty", "", &["error[missing-version]", "help: begin it with `superdense: 1`"])
        .check();
}

#[test]
fn an_unknown_version() {
    let model = "superdense: 2\nblocks:\n  x: {type: Integrator, input: -x}\n";
    let text =
        Case::new("version", model, &["error[unsupported-version]", "model.yaml:1:13"]).check();
    assert_eq!(underlined(&text), "2");
}

#[test]
fn an_unknown_section() {
    let model = "superdense: 1\nblock:\n  x: {type: Integrator, input: -x}\n";
    let expected = ["error[unknown-field]", "model.yaml:2:1", "help: did you mean `blocks`?"];
    let text = Case::new("section", model, &expected).check();
    assert_eq!(underlined(&text), "block");
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
fn a_division_by_zero_at_run_time() {
    let model = "superdense: 1\nblocks:
  c: {type: Clock, period: 0.5}
  n: {type: Counter, increment: c, initial: -2}
  y: {type: Expression, expression: 1 / n}
record: [y]
simulate: {stop: 2}
";
    let expected = [
        "error[not-finite]",
        "`y",
        "(0.5, 1)",
        "model.yaml:5:",
        "help: look for a division by zero",
        "The result up to that point has been written.",
    ];
    let text = Case::new("division", model, &expected).check();
    assert_eq!(underlined(&text), "1 / n");
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
fn absurd_depths() {
    let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
    let model =
        format!("superdense: 1\nblocks:\n  x: {{type: Integrator, input: {open}1{close}}}\n");
    let expected =
        ["error[expression-depth]", "model.yaml:3:", "100 deep", "help: name a part of it"];
    Case::new("depth-brackets", &model, &expected).check();
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let model = format!("superdense: 1\nblocks: {open}{close}\n");
    Case::new("depth-yaml", &model, &["error[", "model.yaml:2:"]).check();
    let model = format!(
        "superdense: 1\nblocks:\n  x: {{type: Integrator, input: 1{}}}\n",
        " + 1".repeat(100_000)
    );
    Case::new("depth-sum", &model, &["error[expression-depth]", "sum([a, b, c])"]).check();
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
fn an_unknown_solver() {
    let model = DECAY.replace("rk45", "rk54");
    let expected = ["error[unknown-solver]", "model.yaml:5:", "help: did you mean `rk45`?"];
    let text = Case::new("solver", &model, &expected).check();
    assert_eq!(underlined(&text), "rk54");
    let expected = ["error[unknown-solver]", "`ode45`", "help:", "rk45"];
    Case::new("solver-option", DECAY, &expected).options(&["--solver", "ode45"]).check();
}

#[test]
fn unknown_parameters_and_bad_values() {
    let unknown =
        ["error[unknown-parameter]: the model has no parameter `rte`", "did you mean `rate`?"];
    Case::new("parameter", DECAY, &unknown).options(&["-p", "rte=3"]).check();
    let no_value = ["`-p rate` has no `=`", "-p name=value"];
    Case::new("parameter-none", DECAY, &no_value).options(&["-p", "rate"]).check();
    let syntax = ["error[expression-syntax]: a value is missing after `+`", "1+"];
    Case::new("parameter-syntax", DECAY, &syntax).options(&["-p", "rate=1+"]).check();
    let word = ["error[unknown-name]: `fast` is not known here"];
    Case::new("parameter-word", DECAY, &word).options(&["-p", "rate=fast"]).check();
    let zero = ["error[division-by-zero]", "1/0"];
    Case::new("parameter-zero", DECAY, &zero).options(&["-p", "rate=1/0"]).check();
    let truth = ["error[type-mismatch]", "boolean", "model.yaml:4:"];
    Case::new("parameter-truth", DECAY, &truth).options(&["-p", "rate=true"]).check();
}

#[test]
fn bad_times() {
    let model = DECAY.replace("stop: 1", "start: 2, stop: 1");
    let expected = ["error[bad-setting]: the stop time is before the start time", "model.yaml:5:"];
    Case::new("stop", &model, &expected).check();
    let expected = ["error[bad-setting]: the stop time is before the start time"];
    Case::new("stop-option", DECAY, &expected).options(&["--stop", "-1"]).check();
    Case::new("start-option", DECAY, &expected).options(&["--start", "5"]).check();
    let expected = ["`--stop inf`", "time"];
    Case::new("stop-infinite", DECAY, &expected).options(&["--stop", "inf"]).check();
    for period in ["-1", "0", "1e-19"] {
        let model = format!("superdense: 1\nblocks:\n  c: {{type: Clock, period: {period}}}\n");
        let expected =
            ["error[bad-parameter]: `period` must be positive", "model.yaml:3:", "in block `c`"];
        Case::new("period", &model, &expected).check();
    }
}

#[test]
fn files_that_are_not_there() {
    let folder = scratch("message-files");
    let case = Case::new("no-file", "", &["error[cannot-read]", "`nothing.yaml`"]);
    case.judge(&superdense(&folder, &["run", "nothing.yaml"]));
    let case = Case::new("no-file-check", "", &["error[cannot-read]", "`nothing.yaml`"]);
    case.judge(&superdense(&folder, &["check", "nothing.yaml"]));
    let model = "superdense: 1\nimport: [parts.yaml]\nblocks: {}\n";
    let text = Case::new("no-import", model, &["error[import-failed]", "model.yaml:2:10"]).check();
    assert_eq!(underlined(&text), "parts.yaml");
}

#[test]
fn a_result_that_cannot_be_written() {
    let folder = scratch("message-output");
    fs::write(folder.join("model.yaml"), DECAY).expect("a model can be written");
    let output = superdense(&folder, &["run", "model.yaml", "-o", "no/such/folder/result.csv"]);
    Case::new(
        "no-folder",
        "",
        &["error[trace-unwritable]: cannot write no/such/folder/result.csv"],
    )
    .judge(&output);
    let output = superdense(&folder, &["run", "model.yaml", "-o", "."]);
    Case::new("a-folder", "", &["error[trace-format]", "name it with .csv"]).judge(&output);
}

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
fn a_key_whose_first_letters_are_right() {
    let model = DECAY.replace("stop: 1", "stp: 1");
    let expected = ["error[unknown-field]: `simulate` has no field `stp`", "did you mean `stop`?"];
    Case::new("stp", &model, &expected).check();
}

#[test]
fn an_option_is_no_fault_of_the_file() {
    let expected = ["error[bad-setting]: the stop time is before the start time"];
    for (name, options, note) in [
        ("stop-option", ["--stop", "-1"], "the start is 0, and the stop is -1"),
        ("start-option", ["--start", "3"], "the start is 3, and the stop is 1"),
    ] {
        let text = Case::new(name, DECAY, &expected).options(&options).check();
        assert!(text.contains(note) && !text.contains("model.yaml"), "{text}");
    }
}

#[test]
fn a_missing_colon() {
    let expected = ["model.yaml:3:", "help: is a colon missing after `x`? write `x: {...}`"];
    for (name, block) in [("colon", "{type: Integrator, input: 1}"), ("colon-one", "{type: Clock}")]
    {
        let model = format!("superdense: 1\nblocks:\n  x {block}\n");
        Case::new(name, &model, &expected).check();
    }
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

#[test]
fn a_choice_without_quotes() {
    let expected =
        ["error[yaml-syntax]", "help: write `if c then a else b`, or put an expression with `:`"];
    let inline = "superdense: 1\nblocks:\n  x: {type: Integrator, input: x > 0 ? 1 : 2}\n";
    Case::new("choice-inline", inline, &expected).check();
    let lines = "superdense: 1\nblocks:\n  x:\n    type: Gain\n    input: x > 0 ? 1 : 2\n";
    Case::new("choice-lines", lines, &expected).check();
}

#[test]
fn a_decimal_comma() {
    let lines = "superdense: 1\nblocks:\n  x:\n    type: Gain\n    input: 1\n    gain: 1,5\n";
    let expected = ["error[expression-syntax]", "a decimal number has a point: write `1.5`"];
    let text = Case::new("comma", lines, &expected).check();
    assert_eq!(underlined(&text), ",");
    let inline = "superdense: 1\nblocks:\n  x: {type: Gain, input: 1, gain: 1,5}\n";
    let expected = ["error[invalid-name]", "a decimal number has a point, as in `1.5`"];
    let text = Case::new("comma-inline", inline, &expected).check();
    assert_eq!(underlined(&text), "5");
    let parameter = "superdense: 1\nparameters: {a: 1,5}\n";
    Case::new("comma-parameter", parameter, &expected).check();
}

#[test]
fn errors_of_a_run_tell_the_values_that_led_there() {
    let counter = "superdense: 1\nblocks:
  c: {type: Clock, period: 0.5}
  n: {type: Counter, increment: c, initial: -2}
  y: {type: Expression, expression: 1 / n}
simulate: {stop: 2}
";
    let expected = ["error[not-finite]", "at (0.5, 1)", "note: there it reads n = 0"];
    Case::new("values-tick", counter, &expected).check();
    let root = "superdense: 1\nblocks:
  x: {type: Integrator, input: -1, initial: 1}
  y: {type: Expression, expression: sqrt(x) + log(x)}
simulate: {stop: 2}
";
    let expected = ["error[not-finite]: the value of `y`", "note: there it reads x = -0."];
    Case::new("values-smooth", root, &expected).check();
    let jump = "superdense: 1
diagrams:
  D:
    inputs: [u]
    outputs: {y: p}
    blocks:
      p: {type: Product, inputs: [u, d]}
      d: {type: ImpulseSource, times: [1], weight: 2}
blocks:
  s: {type: Step, time: 1}
  a: {type: D, u: s}
simulate: {stop: 2}
";
    let expected = ["error[undefined]", "(1, 1)", "`a.p`", "s = 1, a.d = 0 with impulse 2"];
    Case::new("values-impulse", jump, &expected).check();
    // A value in the middle of a step is not where the run stands: no wrong one is told.
    let level = "superdense: 1\nblocks:
  h: {type: Integrator, input: -1, initial: 1}
  q: {type: Expression, expression: sqrt(h)}
  k: {type: LevelCrossing, input: q, level: 0.3}
simulate: {stop: 2, solver: rk4}
";
    let text = Case::new("values-none", level, &["error[not-finite]"]).check();
    assert!(!text.contains("there it reads q = 0.0"), "{text}");
}

#[test]
fn help_of_compare_tells_how_rows_are_matched() {
    let output = superdense(&scratch("help"), &["compare", "--help"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("Between the rows of a trace, values are interpolated linearly"),
        "{text}"
    );
}

#[test]
fn an_instant_tells_that_a_clock_ticks() {
    let folder = scratch("ticks");
    let model = "superdense: 1\nblocks:
  clk: {type: Clock, period: 0.5}
  s: {type: Step, time: 1}
simulate: {stop: 2}
";
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    let output = superdense(&folder, &["explain", "model.yaml", "1"]);
    let text = String::from_utf8(output.stdout).expect("text");
    for words in ["because clk ticks", "clk ticks again at 1.5", "because s changes at this time"] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
}

/// What `check` says about a model that is good, and what it records when it is run.
fn warned(name: &str, model: &str) -> (String, String) {
    let folder = scratch(name);
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    let output = superdense(&folder, &["check", "model.yaml"]);
    assert!(output.status.success(), "{}", messages(&output));
    let run = superdense(&folder, &["run", "model.yaml", "-q", "-o", "-"]);
    (messages(&output), String::from_utf8(run.stdout).expect("text"))
}

/// Whether a recorded column is present somewhere.
fn is_ever_present(result: &str, column: &str) -> bool {
    let index = result.lines().next().and_then(|head| head.split(',').position(|c| c == column));
    let index = index.unwrap_or_else(|| panic!("no {column} in\n{result}"));
    result.lines().skip(1).any(|line| !line.split(',').nth(index).unwrap_or("").is_empty())
}

#[test]
fn a_sample_that_needs_its_own_past_is_warned_of() {
    let model = "superdense: 1\nblocks:
  c: {type: Clock, period: 1}
  dead: {type: Sample, input: previous(dead) + 1, trigger: c}
  far: {type: Sample, input: 2 * before, trigger: c}
  before: {type: Previous, input: far}
  held: {type: ZeroOrderHold, input: next}
  next: {type: Sample, input: previous(held) + 1, trigger: c}
  late: {type: Sample, input: previous(late) + time, trigger: c}
  alive: {type: Sample, input: either, trigger: c}
  either: {type: Sum, inputs: [previous(alive), time]}
  chosen: {type: Sample, input: if present(previous(chosen)) then 1 else 2, trigger: c}
simulate: {stop: 3}
";
    let (text, result) = warned("warning-past", model);
    let dead = ["dead", "far", "late"].map(|name| (name, true));
    let present = ["next", "alive", "chosen"].map(|name| (name, false));
    for (name, is_dead) in dead.into_iter().chain(present) {
        let message = format!("warning[never-present]: `{name}` is absent for ever");
        assert_eq!(text.contains(&message), is_dead, "{name} in\n{text}");
        assert_eq!(is_ever_present(&result, name), !is_dead, "{name} in\n{result}");
    }
}

#[test]
fn a_crossing_that_begins_on_its_level_is_warned_of() {
    let model = "superdense: 1\nblocks:
  y: {type: Integrator, input: v, initial: 2}
  v: {type: Integrator, input: -1, initial: 1}
  up: {type: LevelCrossing, input: y, level: 2, direction: rising}
  down: {type: LevelCrossing, input: y, level: 2, direction: falling}
  other: {type: LevelCrossing, input: y, level: 1, direction: rising}
simulate: {stop: 1}
";
    let (text, result) = warned("warning-level", model);
    assert!(text.contains("warning[starts-on-level]: `up` gives no event at the start"), "{text}");
    assert!(!text.contains("`down`") && !text.contains("`other`"), "{text}");
    assert!(!is_ever_present(&result, "up"), "{result}");
}

#[test]
fn the_models_have_no_warnings() {
    let models = common::repository().join("models");
    for name in common::folders(&models) {
        let output = superdense(&models.join(&name), &["check", "model.yaml"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", messages(&output));
    }
}

#[test]
fn units_are_no_part_of_expressions() {
    let cases = [
        ("5 mH", "write `5e-3` for 5 mH"),
        ("2.5 kHz", "write `2.5e3` for 2.5 kHz"),
        ("10 ms", "write `10e-3` for 10 ms"),
        ("3 V", "write `3` for 3 V"),
        ("1e2 uF", "write `1e2 * 1e-6` for 1e2 uF"),
    ];
    for (written, help) in cases {
        let model = format!(
            "superdense: 1\nparameters: {{L: {written}}}\nblocks:\n  x: {{type: Integrator, input: L}}\n"
        );
        let expected = ["error[expression-syntax]", "units are no part of expressions", help];
        Case::new("unit", &model, &expected).check();
    }
    let product = "superdense: 1\nblocks:\n  x: {type: Integrator, input: 2 x}\n";
    let text = Case::new("product", product, &["a product is written with `*`"]).check();
    assert!(!text.contains("units"), "{text}");
}

#[test]
fn operators_with_a_dot() {
    let power = "superdense: 1\nblocks:\n  x: {type: Integrator, input: \"[1, 2] .^ 2\"}\n";
    Case::new("dot", power, &["`^` works on each element: write it without the dot"]).check();
    let product = "superdense: 1\nblocks:\n  x: {type: Integrator, input: x .* x}\n";
    Case::new("dot", product, &["`*` works on each element of vectors"]).check();
}

#[test]
fn bad_indentation() {
    let model = "superdense: 1\nblocks:\n  a: {type: Sine}\n   b: {type: Sine}\n";
    let expected = [
        "error[yaml-syntax]",
        "model.yaml:4:4",
        "begin in the same column: this line has 3 blanks before it",
        "have 2 or 0",
    ];
    Case::new("indentation", model, &expected).check();
    let model = "superdense: 1\nblocks:\n    a: {type: Sine}\n  b: {type: Sine}\n";
    Case::new("indentation", model, &["has 2 blanks before it", "have 4 or 0"]).check();
}

#[test]
fn a_colon_that_is_missing_in_the_line_before() {
    let cases = [
        ("superdense: 1\nblocks\n  a: {type: Sine}\n", "after `blocks`? write `blocks:`"),
        ("superdense: 1\nblocks:\n  a\n    type: Sine\n", "after `a`? write `a:`"),
        (
            "superdense: 1\nblocks:\n  a:\n    type Sine\n    amplitude: 2\n",
            "after `type`? write `type: Sine`",
        ),
        (
            "superdense: 1\nblocks:\n  a: {type: Sine, amplitude 2}\n",
            "is a colon missing after `amplitude`? write `amplitude: 2`",
        ),
    ];
    for (model, help) in cases {
        Case::new("colon", model, &["is a colon missing", help]).check();
    }
}

#[test]
fn unknown_commands() {
    let folder = scratch("commands");
    let refused = |arguments: &[&str]| {
        let output = superdense(&folder, arguments);
        assert_eq!(output.status.code(), Some(2));
        messages(&output)
    };
    for (written, meant) in [("rnu", "run"), ("polt", "plot"), ("chek", "check")] {
        let text = refused(&[written, "model.yaml"]);
        let expected =
            format!("there is no command `{written}`\n  = help: did you mean `{meant}`?");
        assert!(text.contains(&expected), "{text}");
    }
    assert!(refused(&["frobnicate"]).contains("there is: run, check"));
    assert!(refused(&["model.yaml"]).contains("`superdense run model.yaml`"));
}

#[test]
fn a_value_of_a_parameter_that_is_no_number() {
    let model = "superdense: 1\nparameters: {e: 1}\nblocks:\n  x: {type: Integrator, input: e}\n";
    let expected = [
        "`abc` is not known here",
        "note: in `-p e=abc`",
        "a value is an expression of numbers, pi, inf and functions",
    ];
    Case::new("value", model, &expected).options(&["-p", "e=abc"]).check();
}

#[test]
fn a_position_outside_of_a_vector_at_run_time() {
    let model = "superdense: 1
parameters: {v: [1, 2, 3]}
blocks:
  x: {type: Integrator, input: 1}
  k: {type: Expression, expression: \"v[floor(x)]\"}
simulate: {stop: 10}
";
    let expected = [
        "error[index-out-of-range]: there is no element 3 at (3",
        "in `k`",
        "indices go from 0 to 2",
        "in block `k`",
    ];
    let text = Case::new("position", model, &expected).check();
    assert_eq!(underlined(&text), "floor(x)");
}

#[test]
fn small_numbers_have_an_exponent() {
    let folder = scratch("small");
    let model =
        "superdense: 1\nblocks:\n  x: {type: Constant, value: 1 / 3 / 1e15}\nsimulate: {stop: 1}\n";
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    let text = messages(&superdense(&folder, &["run", "model.yaml"]));
    assert!(text.contains("x          3.333333333333333e-16 at"), "{text}");
}

#[test]
fn events_that_are_only_counted_are_known_to_be_endless() {
    let model = "superdense: 1
blocks:
  c: {type: Clock, period: 1, offset: 1}
  m: {type: Merge, inputs: [c, d]}
  d: {type: MicrostepDelay, input: m}
  n: {type: Counter, increment: m}
  twice: {type: ZeroOrderHold, input: 2 * n}
simulate: {stop: 3}
";
    let expected = ["d, m keep each other going", "the same microsteps come again and again"];
    let text = Case::new("endless", model, &expected).check();
    assert!(!text.contains("raise `microsteps`"), "{text}");
    // A counter that the chain itself reads may end it.
    let model = model.replace("input: m}", "input: if twice < 1e4 then m else m}");
    Case::new("counted", &model, &["raise `microsteps`"]).check();
}
