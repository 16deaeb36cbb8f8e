//! Options, parameters and files that the command line names.

use std::fs;

use super::{Case, DECAY, underlined};
use crate::common::{messages, scratch, superdense};

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
    let expected = ["error[bad-setting]: `stop` must be a time", "1 | --stop inf"];
    let text = Case::new("stop-infinite", DECAY, &expected).options(&["--stop", "inf"]).check();
    assert_eq!(underlined(&text), "inf");
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

/// An option is an expression as in the file, and a mistake in it is shown in its own line.
#[test]
fn mistakes_in_settings() {
    for (name, option, value, wrong, message) in [
        ("name", "--stop", "3 * tau", "tau", "error[unknown-name]: there is no parameter `tau`"),
        ("syntax", "--start", "(1", "", "error[expression-syntax]"),
        ("empty", "--stop", "", "", "error[expression-syntax]: an expression is missing here"),
        ("count", "--seed", "-1", "-1", "error[bad-setting]: `seed` must be a whole number"),
        ("list", "--times", "[1, true]", "true", "error[bad-setting]: `times` must be a list"),
        ("word", "--zeno", "stopp", "stopp", "error[unknown-word]: `zeno` cannot be `stopp`"),
        ("blocks", "--maximum-blocks", "1.5", "1.5", "error[bad-setting]: `maximum_blocks`"),
        ("tiny", "--maximum-step", "1e-30", "1e-30", "error[bad-setting]: `maximum_step` is below"),
    ] {
        let shown = format!("1 | {option} {value}");
        let expected = [message, "--> command line:1:", shown.trim_end()];
        let name = format!("setting-{name}");
        let text = Case::new(&name, DECAY, &expected).options(&[option, value]).check();
        assert!(wrong.is_empty() || underlined(&text) == wrong, "{text}");
    }
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
    assert!(refused(&["frobnicate"]).contains("there is: run, sweep, check"));
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
