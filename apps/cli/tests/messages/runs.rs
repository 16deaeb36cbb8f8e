//! Errors of a run: where it failed, and the values that led there.

use std::fs;

use super::Case;
use crate::common::{messages, scratch, superdense};

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
    // A value in the middle of a step is not one of the run, so that none is reported.
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
