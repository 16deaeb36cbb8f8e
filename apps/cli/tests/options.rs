//! Options and what they print: those that are wrong are refused with words that help, and those
//! that are listed work.

use std::fs;
use std::path::Path;

use superdense::{RunSetting, SettingKind};

use crate::common::{accepted, files, messages, scratch, superdense, with_model};

const OSCILLATOR: &str = "superdense: 1
name: oscillator
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x}
record: {energy: x^2 + v^2, x: x}
plots:
  phase: {panels: [{signals: [x]}]}
simulate: {stop: 1, solver: rk45, tolerance: 1e-6}
";

const TICKING: &str = "superdense: 1
name: ticking
blocks:
  clock: {type: Clock, period: 0.4, offset: 0.1}
  x: {type: Integrator, input: 1}
record: [x, clock]
simulate: {stop: 1}
";

#[track_caller]
fn refused(folder: &Path, arguments: &[&str], expected: &str) {
    let output = superdense(folder, arguments);
    let text = messages(&output);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {text}");
    assert!(text.contains(expected), "{arguments:?}: no `{expected}` in\n{text}");
}

/// `--every` has one row an instant, `--rows` has what it says, and pictures have left limits.
#[test]
fn rows_of_instants_and_of_microsteps() {
    let folder = with_model("rows", &TICKING.replace("clock]", "clock, \"mod(x, 0.5)\"]"));
    let rows = |options: &[&str]| {
        let result =
            accepted(&folder, &[&["run", "model.yaml", "-q", "-o", "-"], options].concat());
        let times: Vec<String> =
            result.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned()).collect();
        let mut instants = times.clone();
        instants.dedup();
        (times.len(), instants.len())
    };
    assert_eq!(rows(&["--every", "0.25"]), (7, 7));
    assert_eq!(rows(&["--every", "0.25", "--rows", "instants"]), (7, 7));
    let (all, instants) = rows(&["--every", "0.25", "--rows", "microsteps"]);
    assert!(all > instants && instants == 7, "{all} rows of {instants} instants");
    let (merged, instants) = rows(&["--rows", "instants"]);
    assert_eq!(merged, instants);
    assert!(rows(&[]).0 > merged);
    refused(&folder, &["run", "model.yaml", "--rows", "steps"], "instants, microsteps");
    for (name, options) in [("merged", &[][..]), ("all", &["--rows", "microsteps"])] {
        let (result, picture) = (format!("{name}.csv"), format!("{name}.svg"));
        let outputs = ["run", "model.yaml", "--every", "0.25", "-o", &result, "--plot", &picture];
        accepted(&folder, &[&outputs[..], options].concat());
    }
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    assert_ne!(read("merged.csv"), read("all.csv"));
    assert!(read("merged.svg") == read("all.svg"), "a picture without its left limits");
    accepted(&folder, &["run", "model.yaml", "--every", "0.25", "--plot", "alone.svg"]);
    assert!(read("alone.svg") == read("all.svg"), "a picture without its left limits");
}

#[test]
fn times_that_are_too_short_or_negative() {
    let folder = with_model("short", OSCILLATOR);
    let run = |option, value| ["run", "model.yaml", option, value];
    refused(&folder, &run("--every", "1e-30"), "`every` must be a positive time");
    refused(&folder, &run("--every", "-1"), "`every` must be a positive time");
    refused(&folder, &run("--step", "-0.1"), "`step` must be a positive number");
    refused(&folder, &run("--tolerance", "-1"), "`tolerance` must be a positive number");
    refused(&folder, &run("--tolerance", "-1"), "1 | --tolerance -1");
    let stream = ["stream", "model.yaml", "--hold", "-1"];
    refused(&folder, &stream, "`hold` must be a positive number of seconds");
}

#[test]
fn words_are_listed_once() {
    let folder = with_model("words", OSCILLATOR);
    let output = superdense(&folder, &["run", "model.yaml", "--impulses", "none"]);
    assert_eq!(messages(&output).matches("stepped").count(), 1, "{}", messages(&output));
}

/// Every setting of a model file is an option, with a value as in the file.
#[test]
fn every_setting_is_an_option() {
    let folder = with_model("settings", OSCILLATOR);
    for command in ["run", "check", "explain", "graph"] {
        let help = accepted(&folder, &[command, "--help"]);
        for setting in RunSetting::ALL {
            let option = format!("--{} <", setting.option());
            assert!(help.contains(&option), "{command} has no {option}");
        }
    }
    for setting in RunSetting::ALL {
        let value = match setting.kind() {
            SettingKind::Words(words) => words[0],
            SettingKind::Solver => "rk4",
            SettingKind::Times => "[0, 1/2]",
            SettingKind::Count => "100",
            SettingKind::Time if *setting == RunSetting::Stop => "2",
            _ => "1 / 100",
        };
        accepted(&folder, &["check", "model.yaml", &format!("--{}", setting.option()), value]);
    }
}

/// An option overrides the file as if it were written there, and may use parameters of the model.
#[test]
fn settings_over_those_of_the_file() {
    let model = "superdense: 1
name: settings
parameters: {T: 2, n: 1}
blocks:
  x: {type: Integrator, input: 1}
record: [x]
simulate: {stop: T, times: [0, n]}
";
    let folder = with_model("over", model);
    let times = |options: &[&str]| {
        let run = ["run", "model.yaml", "-o", "-"];
        let output = superdense(&folder, &[&run[..], options].concat());
        assert!(output.status.success(), "{}", messages(&output));
        // What the file uses is used, also if it is overridden.
        assert!(!messages(&output).contains("warning"), "{}", messages(&output));
        let text = String::from_utf8(output.stdout).expect("text");
        let times = text.lines().skip(1).filter_map(|row| row.split(',').next());
        times.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(times(&[]), ["0", "1", "2"]);
    assert_eq!(times(&["--stop", "3 * T"]), ["0", "1", "6"]);
    assert_eq!(times(&["--stop", "3 * T", "-p", "T=1"]), ["0", "1", "3"]);
    assert_eq!(times(&["--times", "[0, n / 2]"]), ["0", "0.5", "2"]);
    assert_eq!(times(&["--every", "T"]), ["0", "2"]);
    assert_eq!(times(&["--every", "T", "--times", "[0.25]"]), ["0", "0.25", "2"]);
}

/// An option that a command does not take is not in its help either.
#[test]
fn help_lists_what_is_taken() {
    let folder = with_model("help", OSCILLATOR);
    for (command, options) in [
        ("energy", vec!["--solver", "--impulses", "--rows"]),
        ("dirac", vec!["--step", "--impulses", "--rows"]),
        ("stream", vec!["--solver", "--impulses", "--rows"]),
    ] {
        let help = accepted(&folder, &[command, "--help"]);
        let words: Vec<&str> = help.split_whitespace().collect();
        for option in options {
            assert!(!words.contains(&option), "{command} lists {option}");
            refused(&folder, &[command, "model.yaml", option, "rk4"], "unexpected argument");
        }
    }
    let help = accepted(&folder, &["run", "--help"]);
    assert!(["--solver", "--impulses", "--step"].iter().all(|option| help.contains(option)));
}

#[test]
fn an_energy_of_a_model_with_figures() {
    let folder = with_model("energy", OSCILLATOR);
    let run = ["energy", "model.yaml", "--solvers", "rk45,rk4", "--step", "0.1"];
    let text = accepted(&folder, &run);
    let rk4 = text.lines().find(|line| line.starts_with("rk4 ")).expect("a line for rk4");
    assert_eq!(rk4.split_whitespace().nth(1), Some("10"), "steps are steps: {text}");
    let truth = ["energy", "model.yaml", "--energy", "x > 0"];
    refused(&folder, &truth, "an energy is one number");
}

/// Ticks have rows of their own and are no steps; what fails leaves the others.
#[test]
fn an_energy_where_a_solver_fails() {
    let folder = with_model("failing", OSCILLATOR);
    let text = OSCILLATOR.replace("record:", "  c: {type: Clock, period: 0.25}\nrecord:");
    fs::write(folder.join("ticks.yaml"), text).expect("a model");
    let run = ["energy", "ticks.yaml", "--solvers", "rk4", "--step", "0.25"];
    let text = accepted(&folder, &run);
    let steps = text.lines().nth(1).and_then(|line| line.split_whitespace().nth(1));
    assert_eq!(steps, Some("4"), "{text}");
    let output = superdense(&folder, &["energy", "model.yaml", "--solvers", "rk45,nonsense"]);
    let (shown, told) = (String::from_utf8_lossy(&output.stdout), messages(&output));
    assert_eq!(output.status.code(), Some(1));
    assert!(shown.contains("rk45") && told.contains("nonsense"), "{shown}{told}");
}

#[test]
fn an_energy_has_no_fixed_steps_of_impulses() {
    let text = OSCILLATOR.replace("solver: rk45", "impulses: numeric, step: 0.1");
    let folder = with_model("numeric-energy", &text);
    refused(&folder, &["energy", "model.yaml"], "a fixed-step run has no solver");
}

/// The last event is in the summary whether rows go to a file or not, and all columns count.
#[test]
fn a_summary_with_a_file() {
    let folder = with_model("summary", TICKING);
    let run = ["run", "model.yaml", "-o", "result.csv"];
    for arguments in [&run[..2], &run[..]] {
        let text = messages(&superdense(&folder, arguments));
        assert!(text.contains("clock      1 at (0.9, 1)"), "{arguments:?}: {text}");
        assert!(text.contains("to t = 1"), "{arguments:?}: {text}");
    }
    let many: Vec<String> = (0..11).map(|i| format!("x{i}: x + {i}")).collect();
    let many = TICKING.replace("record: [x, clock]", &format!("record: {{{}}}", many.join(", ")));
    fs::write(folder.join("many.yaml"), many).expect("a model");
    let text = messages(&superdense(&folder, &["run", "many.yaml"]));
    assert!(text.contains("x7 ") && !text.contains("x8 "), "{text}");
    assert!(text.contains("and 3 more signals"), "{text}");
}

#[test]
fn a_log_on_standard_output() {
    let folder = with_model("log", TICKING);
    let text = accepted(&folder, &["run", "model.yaml", "--log", "-", "--quiet"]);
    assert!(text.lines().count() > 3 && text.starts_with('{'), "{text}");
    assert_eq!(files(&folder), ["model.yaml"]);
    let both = ["run", "model.yaml", "--log", "-", "-o", "-"];
    refused(&folder, &both, "cannot both go to standard output");
}

#[test]
fn differences_that_cannot_be_allowed() {
    let folder = with_model("differences", TICKING);
    accepted(&folder, &["run", "model.yaml", "-o", "a.csv"]);
    for option in ["--absolute", "--relative", "--time"] {
        for value in ["-1", "nan", "inf"] {
            let compare = ["compare", "a.csv", "a.csv", option, value];
            refused(&folder, &compare, "is no difference to allow");
        }
    }
    fs::write(folder.join("twice.csv"), "time,microstep,x,x\n0,0,1,2\n").expect("a trace");
    let compare = ["compare", "twice.csv", "twice.csv"];
    refused(&folder, &compare, "two of its columns are called `x`");
}

#[test]
fn what_cannot_be_paired() {
    let machine = "superdense: 1
name: machine
blocks:
  m:
    type: Modal
    initial: a
    states:
      a: {transitions: [{to: b, after: 0.5}]}
      b: {}
record: [m.state]
simulate: {stop: 1}
";
    let folder = with_model("pair", machine);
    accepted(&folder, &["run", "model.yaml", "-o", "a.csv"]);
    let pair = ["pair", "a.csv", "m.state", "--bump", "0.5,0.2"];
    refused(&folder, &pair, "holds names of states");
    let rows = "time,microstep,x\n0,0,1\n0.4,0,1\n0.5,0,NaN\n0.6,0,1\n1,0,1\n";
    fs::write(folder.join("nan.csv"), rows).expect("a trace");
    refused(&folder, &["pair", "nan.csv", "x", "--bump", "0.5,0.2"], "is not finite");
}

#[test]
fn panels_and_evaluations_that_are_empty() {
    let folder = with_model("empty", OSCILLATOR);
    accepted(&folder, &["run", "model.yaml", "-o", "a.csv"]);
    let plot = ["plot", "a.csv", "-o", "a.svg", "--panel", ""];
    refused(&folder, &plot, "`--panel` names no signal");
    let stream = |from, to| ["stream", "model.yaml", "--plot", "s.svg", "--from", from, "--to", to];
    refused(&folder, &stream("1", "1"), "a close-up needs two evaluations");
    refused(&folder, &stream("9000000", "9000001"), "there is no evaluation 9000000");
}

#[test]
fn a_signal_named_like_the_number_of_evaluations() {
    let text = OSCILLATOR.replace("energy: x^2 + v^2", "e: x^2 + v^2");
    let folder = with_model("named", &text);
    let table = accepted(&folder, &["stream", "model.yaml", "-o", "-", "--quiet"]);
    let first = table.lines().next().expect("a line of names");
    let names: Vec<&str> = first.split(',').collect();
    assert_eq!(names.iter().filter(|name| **name == "e").count(), 1, "{first}");
    assert!(names.contains(&"signal(e)"), "{first}");
}

#[test]
fn a_name_with_a_blank_can_be_copied_from_the_hint() {
    let folder = scratch("blank");
    let text = messages(&superdense(&folder, &["new", "my model"]));
    assert!(text.contains("superdense run 'my model/model.yaml' --plot"), "{text}");
}

/// `previous(a) - previous(b)` has two states of one name.
#[test]
fn states_of_one_name_are_told_apart() {
    let folder = with_model(
        "previous",
        "superdense: 1
name: previous
blocks:
  a: {type: Step, time: 1}
  b: {type: Step, time: 1, after: 2}
  d: {type: Expression, expression: previous(a) - previous(b)}
record: [d]
simulate: {stop: 2}
",
    );
    let text = accepted(&folder, &["explain", "model.yaml", "1"]);
    assert!(text.contains("d.expression commits previous 1: 0 -> 1"), "{text}");
    assert!(text.contains("d.expression commits previous 2: 0 -> 2"), "{text}");
}
