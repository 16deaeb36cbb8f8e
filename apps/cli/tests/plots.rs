//! Figures that a model asks for: which go where, what they show, and what is refused.

use std::fs;
use std::path::Path;

use crate::common::{files, messages, superdense, with_model};

const BALL: &str = "\
superdense: 1
name: ball
parameters: {T: 0.5}
blocks:
  v: {type: Integrator, input: -10, reset: kick}
  y: {type: Integrator, input: v, initial: 1.25}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: -previous(v), trigger: hit}
  p: {type: Constant, value: [1, 2]}
record: [y, v, p, y*v]
simulate: {stop: 2}
";

fn with(plots: &str) -> std::path::PathBuf {
    with_model("plots", &format!("{BALL}plots:\n{plots}"))
}

#[track_caller]
fn draw(folder: &Path, options: &[&str]) {
    let output = superdense(folder, &[&["run", "model.yaml", "-q"][..], options].concat());
    assert!(output.status.success(), "{}", messages(&output));
}

fn text(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

const FIGURES: &str = "  motion:
    title: Height and speed
    from: T
    to: 3 * T
    panels:
      - {signals: [{name: y, label: height, unit: m}], y: {range: [0, 2]}}
      - v
  orbit: [{phase: [y, v]}]
  opened: {open: 0.5, panels: [[v], [y * v], p, \"p[1]\"]}
  steps: [{signals: y, steps: true}]
";

#[test]
fn figures_go_where_they_are_asked_for() {
    let folder = with(FIGURES);
    draw(&folder, &["--plot", "first.svg", "--plot", "orbit=second.svg", "--plot", "all/"]);
    assert_eq!(files(&folder.join("all")), ["motion.svg", "opened.svg", "orbit.svg", "steps.svg"]);
    let first = text(&folder, "first.svg");
    assert!(first.contains("Height and speed") && first.contains("height [m]"), "{first}");
    assert_eq!(first, text(&folder, "all/motion.svg"));
    assert_eq!(text(&folder, "second.svg"), text(&folder, "all/orbit.svg"));
    assert!(text(&folder, "second.svg").contains(">ball<"), "the model's name is the title");
    assert!(text(&folder, "all/opened.svg").contains("microsteps at t = 0.5"));
    // The folder is there now, and a figure is the same beside a result.
    draw(&folder, &["--plot", "all", "-o", "ball.csv"]);
    assert_eq!(first, text(&folder, "all/motion.svg"));
}

#[test]
fn steps_of_the_solver_are_not_hidden_by_rows_between_them() {
    let folder = with(FIGURES);
    let stems = |file: &str| text(&folder, file).matches("M").count();
    draw(&folder, &["--plot", "steps=alone.svg"]);
    draw(&folder, &["--plot", "steps=beside.svg", "-o", "ball.csv"]);
    draw(&folder, &["--plot", "motion.svg", "--plot", "steps=among.svg"]);
    assert_eq!(text(&folder, "alone.svg"), text(&folder, "beside.svg"));
    assert_eq!(text(&folder, "alone.svg"), text(&folder, "among.svg"));
    let rows = text(&folder, "ball.csv").lines().count();
    assert!(stems("alone.svg") < 4 * rows, "{} for {rows} rows", stems("alone.svg"));
}

#[test]
fn a_run_that_ends_before_the_axis_begins_is_drawn_as_a_whole() {
    let folder = with("  a: {from: 1.5, panels: [y]}\n  b: [y]\n");
    draw(&folder, &["--stop", "1", "--plot", "a.svg", "--plot", "b=b.svg"]);
    assert_eq!(text(&folder, "a.svg"), text(&folder, "b.svg"));
}

#[test]
fn without_figures_all_signals_are_drawn() {
    let folder = with_model("plots-none", BALL);
    draw(&folder, &["--plot", "all.svg", "--plot", "folder/"]);
    assert_eq!(text(&folder, "all.svg"), text(&folder, "folder/ball.svg"));
    assert!(text(&folder, "all.svg").contains("p[1]"));
}

#[test]
fn mistakes_cost_no_run() {
    let folder = with(FIGURES);
    for (option, words) in [
        ("orbt=a.svg", "there is no figure `orbt`; did you mean `orbit`?"),
        ("orbit=a.jpg", "the name of a picture ends in .svg or .png"),
        ("orbit=", "the name of a picture ends in .svg or .png"),
        ("a.pdf", "the name of a picture ends in .svg or .png"),
    ] {
        let output = superdense(&folder, &["run", "model.yaml", "-o", "a.csv", "--plot", option]);
        assert_eq!(output.status.code(), Some(1), "{option}");
        assert!(messages(&output).contains(words), "{option}: {}", messages(&output));
        assert!(!folder.join("a.csv").exists(), "{option}");
    }
}

#[track_caller]
fn refused(plots: &str, expected: &[&str]) {
    let folder = with(plots);
    let output = superdense(&folder, &["check", "model.yaml"]);
    assert_eq!(output.status.code(), Some(1), "{plots}");
    for words in expected {
        assert!(messages(&output).contains(words), "no `{words}` in\n{}", messages(&output));
    }
}

#[test]
fn a_figure_of_what_is_not_recorded_is_refused() {
    let unknown = "error[unknown-signal]: no recorded signal is called `yy`";
    refused("  a: [yy]\n", &[unknown, "model.yaml:13:7", "did you mean `y`?"]);
    let unrecorded = "error[unknown-signal]: `kick` is drawn, but not recorded";
    refused("  a: [{signals: [y, kick]}]\n", &[unrecorded, "help: add `kick` to `record`"]);
    refused("  a: [{phase: [y, kikc]}]\n", &["`kikc`", "did you mean `kick`?"]);
    refused("  a: [\"p[2]\"]\n", &["error[unknown-signal]", "no element `p[2]`", "vector of 2"]);
    refused("  a: [{phase: [y, p]}]\n", &["error[size-mismatch]", "2 elements", "`p[0]`"]);
}

#[test]
fn bad_times_and_ranges_are_refused() {
    refused("  a: {from: 2, to: T, panels: [y]}\n", &["error[bad-setting]", "must go up"]);
    refused("  a: []\n", &["error[missing-field]: figure `a` has no panels"]);
    refused("  a: {panels: }\n", &["error[missing-field]: figure `a` has no panels"]);
    refused("  a: {from: S, panels: [y]}\n", &["error[unknown-name]", "no parameter `S`"]);
    refused("  a: {open: true, panels: [y]}\n", &["`open` must be a time in seconds"]);
    for range in ["[2, 1]", "[0, inf]", "1", "[1, 2, 3]"] {
        let panel = format!("  a: [{{signals: y, y: {{range: {range}}}}}]\n");
        refused(&panel, &["error[bad-setting]: `range` must be two numbers"]);
    }
    refused("  a: [{signals: y, height: -1}]\n", &["`height` must be from 10 to 10000 pixels"]);
}

fn saved() -> std::path::PathBuf {
    let folder = with_model("plot-saved", BALL);
    draw(&folder, &["-o", "ball.csv"]);
    folder
}

#[track_caller]
fn plotted(folder: &Path, options: &[&str]) -> String {
    let arguments = [&["plot", "ball.csv", "-o", "ball.svg"][..], options].concat();
    let output = superdense(folder, &arguments);
    assert!(output.status.success(), "{}", messages(&output));
    text(folder, "ball.svg")
}

#[test]
fn a_saved_trace_is_drawn_as_asked() {
    let folder = saved();
    let all = plotted(&folder, &[]);
    assert!(all.contains("p[1]") && !all.contains("microsteps"));
    let panels = plotted(&folder, &["--panel", "y,v", "--panel", "y * v", "--title", "A ball"]);
    assert!(panels.contains("A ball") && panels.contains(">y * v<") && !panels.contains("p[1]"));
    let phase = plotted(&folder, &["--phase", "y,v"]);
    assert!(phase.contains(">y<") && phase.contains(">v<") && !phase.contains(">time"));
    assert!(plotted(&folder, &["--open", "0.4"]).contains("microsteps at t = 0.5"));
    assert_ne!(plotted(&folder, &["--steps"]), all);
    let part = plotted(&folder, &["-s", "y", "--from", "1/4", "--to", "0.75"]);
    assert!(part.contains(">0.25<") || part.contains(">0.3<"), "{part}");
    assert!(!part.contains(">1.5<") && !part.contains(">2.0<"), "{part}");
    assert!(plotted(&folder, &["--to", "1"]) != all);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = saved();
    for (options, words) in [
        (&["--panel", "y,vv"][..], "the trace has no signal `vv`"),
        (&["-s", "yy"], "did you mean `y`?"),
        (&["--phase", "y"], "does not name two signals: write `--phase x,y`"),
        (&["--phase", "y,p"], "name an element, such as `p[0]`"),
        (&["--phase", "y,p[2]"], "no element `p[2]`"),
        (&["--from", "1", "--to", "1"], "it must go up"),
        (&["--from", "soon"], "`soon` is not known here"),
        (&["--open", "1", "--from", "1", "--to", "1.2"], "cannot be opened"),
    ] {
        let arguments = [&["plot", "ball.csv", "-o", "none.svg"][..], options].concat();
        let output = superdense(&folder, &arguments);
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(messages(&output).contains(words), "{options:?}: {}", messages(&output));
        assert!(!folder.join("none.svg").exists(), "{options:?}");
    }
}

#[test]
fn a_diagram_is_drawn_as_an_image() {
    let folder = saved();
    let draw = |file: &str| {
        let output = superdense(&folder, &["graph", "model.yaml", "-o", file]);
        assert!(output.status.success(), "{}", messages(&output));
        fs::read(folder.join(file)).expect("a picture")
    };
    let svg = String::from_utf8(draw("diagram.svg")).expect("text");
    let png = draw("diagram.png");
    assert!(png.starts_with(b"\x89PNG"));
    // Twice as many pixels as the SVG, in both directions.
    let attribute = |name: &str| {
        let rest = svg.split(&format!("{name}=\"")).nth(1).expect("a size");
        rest.split('"').next().expect("a number").parse::<u32>().expect("a number")
    };
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((number(16), number(20)), (2 * attribute("width"), 2 * attribute("height")));
    let output = superdense(&folder, &["graph", "model.yaml", "-o", "diagram.pdf"]);
    assert!(messages(&output).contains(".svg, .png or .dot"), "{}", messages(&output));
}

/// A machine that is in `low` for two of three seconds, beside what it outputs.
const MACHINE: &str = "\
superdense: 1
name: machine
blocks:
  x: {type: Integrator, input: 1}
  b: {type: Expression, expression: x > 1}
  flags: {type: Expression, expression: '[x > 1, x > 9]'}
  m:
    type: Modal
    initial: low
    states:
      low: {outputs: {y: 0}, transitions: [{to: high, when: x > 2}]}
      high: {outputs: {y: 1}}
record: [x, m.y, m.state, b, flags]
simulate: {stop: 3}
";

/// The left and right ends of the rectangles of a colour.
fn rectangles(picture: &str, color: &str) -> Vec<(f64, f64)> {
    let fill = format!("fill=\"{color}\"");
    let filled = picture.lines().filter(|line| line.contains(&fill) && line.contains('H'));
    let number = |text: &str| text.parse::<f64>().expect("a coordinate");
    filled
        .map(|line| {
            let data = line.split("d=\"M").nth(1).expect("a path");
            let left = number(data.split(' ').next().expect("a point"));
            (left, number(data.split(['H', 'V']).nth(1).expect("a side")))
        })
        .collect()
}

/// The colours of the first state in a strip, and behind curves.
const STRIP: &str = "#94c4df";
const BEHIND: &str = "#deedf5";

#[test]
fn figures_are_shaded_by_states() {
    let plots = "plots:
  a: [m.state, x, m.y]
  off: {shade: false, panels: [m.state, x]}
  other: {shade: m.state, panels: [x]}
  none: [x]
";
    let folder = with_model("plots-shade", &format!("{MACHINE}{plots}"));
    draw(&folder, &["--plot", "all/", "-o", "machine.csv"]);
    let a = text(&folder, "all/a.svg");
    let strip = rectangles(&a, STRIP);
    assert_eq!(strip.len(), 1, "{a}");
    assert_eq!(rectangles(&a, BEHIND), [strip[0]; 2], "as wide as the strip, in both panels");
    assert!(rectangles(&text(&folder, "all/off.svg"), BEHIND).is_empty());
    assert_eq!(rectangles(&text(&folder, "all/other.svg"), BEHIND).len(), 1);
    assert!(rectangles(&text(&folder, "all/none.svg"), BEHIND).is_empty());
    // The same for a saved trace.
    for (options, panels) in [(&[][..], true), (&["--shade", "none"][..], false)] {
        let arguments = ["plot", "machine.csv", "-o", "saved.svg", "--panel", "m.state"];
        let arguments = [&arguments[..], &["--panel", "x"], options].concat();
        let output = superdense(&folder, &arguments);
        assert!(output.status.success(), "{}", messages(&output));
        assert_eq!(rectangles(&text(&folder, "saved.svg"), BEHIND).len() == 1, panels);
    }
}

#[test]
fn a_figure_cannot_be_shaded_by_what_has_no_states() {
    refused(
        "  a: {shade: y, panels: [y]}\n",
        &["error[bad-setting]: panels cannot be shaded by `y`"],
    );
    refused("  a: {shade: yy, panels: [y]}\n", &["error[unknown-signal]"]);
    refused(
        "  a: {time: hours, panels: [y]}\n",
        &["error[unknown-word]: `time` cannot be `hours`"],
    );
}

#[test]
fn a_time_axis_has_the_unit_of_its_figure() {
    let folder =
        with("  a: {time: min, from: 0, to: 2, panels: [y]}\n  b: {time: ms, panels: [y]}\n");
    draw(&folder, &["--plot", "all/"]);
    let a = text(&folder, "all/a.svg");
    assert!(a.contains(">time [min]<") && a.contains(">0.010<"), "{a}");
    let b = text(&folder, "all/b.svg");
    assert!(b.contains(">time [ms]<") && b.contains(">500<"), "{b}");
}

#[test]
fn truth_values_are_words_in_the_summary() {
    let folder = with_model("plots-truth", MACHINE);
    let output = superdense(&folder, &["run", "model.yaml"]);
    let told = messages(&output);
    assert!(told.contains("\nb          true at (3, "), "{told}");
    assert!(told.contains("\nflags      true, false at (3, "), "{told}");
}
