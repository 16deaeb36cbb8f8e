//! How much is done: a tick touches what is affected, and regions step apart.

use crate::common::{assert_near, compile, simulate};
use superdense::System;

/// Sub-chains that have nothing to do with one another; only one of them has events.
fn chains(count: usize, busy: &str) -> System {
    let mut text = String::from("blocks:\n");
    for k in 0..count {
        let clock = if k == 0 { busy } else { "period: 100, offset: 50" };
        text += &format!(
            "  c{k}: {{type: Clock, {clock}}}
  x{k}: {{type: Integrator, input: h{k} - x{k}}}
  s{k}: {{type: Sample, input: 1 + x{k}, trigger: c{k}}}
  h{k}: {{type: ZeroOrderHold, input: s{k}}}
  g{k}: {{type: Gain, input: h{k}, gain: 2}}
"
        );
    }
    text += "record: [x0]\nsimulate: {stop: 1}\n";
    compile(&text)
}

fn firings(system: &System, names: &[String]) -> (u64, u64) {
    let mut run = system.begin();
    while run.advance().unwrap().is_none() {}
    let own = names.iter().map(|name| run.firings(system, name)).sum();
    (own, run.counters().firings)
}

#[test]
fn a_tick_touches_only_what_is_affected() {
    let own: Vec<String> = ["c0", "x0", "s0", "h0", "g0"].map(str::to_owned).to_vec();
    let busy = "period: 0.01, offset: 0.01";
    let (large, small) = (chains(200, busy), chains(1, busy));
    let ((own_large, all_large), (_, all_small)) = (firings(&large, &own), firings(&small, &own));
    assert_eq!(all_large, all_small, "199 chains without events cost no firing");
    assert!(own_large >= 100, "the clock fired {own_large} times");
    for name in ["c1", "x7", "s199", "h3"] {
        assert_eq!(firings(&large, &[name.to_owned()]).0, 0, "{name} fired");
    }
    // The clock, the sample with its expression, the hold, the gain, the integrator: each at the
    // event and where it ends.
    assert!(all_large <= 100 * 16, "{all_large} firings for 100 ticks");
}

const SLOW: &str = "  x: {type: Integrator, input: -x, initial: 1}\n";
const FAST: &str = "  w: {type: Integrator, input: 30 * v, initial: 1}
  v: {type: Integrator, input: -30 * w}
  e: {type: LevelCrossing, input: w}
  n: {type: Counter, increment: e}
";
const TICKING: &str = "  y: {type: Integrator, input: 1, reset: c}
  c: {type: Clock, period: 0.01, value: 0}
";

fn steps(parts: &[&str], record: &str) -> (u64, superdense::Trace) {
    let text = format!(
        "blocks:\n{}record: [{record}]\nsimulate: {{stop: 2, tolerance: 1e-8}}\n",
        parts.concat()
    );
    let outcome = simulate(&text);
    (outcome.counters.steps, outcome.trace)
}

#[test]
fn a_crossing_in_one_region_leaves_the_steps_of_another() {
    let (slow, alone) = steps(&[SLOW], "x");
    let (fast, _) = steps(&[FAST], "n");
    let (both, trace) = steps(&[SLOW, FAST], "x, n");
    assert_eq!(both, slow + fast);
    assert_eq!(trace.last("x"), alone.last("x"), "the same bits");
    assert_eq!(trace.last("n"), Some((60.0 / std::f64::consts::PI + 0.5).floor()));
    for (tag, x) in trace.series("x") {
        assert_near(x, (-tag.time.seconds()).exp(), 1e-7);
    }
}

#[test]
fn a_clock_in_one_region_leaves_the_steps_of_another() {
    let (slow, alone) = steps(&[SLOW], "x");
    let (ticking, _) = steps(&[TICKING], "y");
    let (both, trace) = steps(&[SLOW, TICKING], "x, y");
    assert_eq!(trace.last("x"), alone.last("x"), "the same bits");
    assert_eq!(both, slow + ticking);
}

/// An event in one region that kicks the other inside its step truncates that step.
#[test]
fn an_event_truncates_the_step_of_the_region_that_it_reaches() {
    let text = "
blocks:
  y: {type: Integrator, input: 1}
  e: {type: LevelCrossing, input: y, level: 0.777}
  x: {type: Integrator, input: -x, initial: 1, impulse: e}
record: [x, e]
simulate: {stop: 2, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    for (tag, x) in trace.series("x") {
        let t = tag.time.seconds();
        let jump = trace.series("e")[0].0;
        let kick = if tag >= jump { (-(t - 0.777)).exp() } else { 0.0 };
        assert_near(x, (-t).exp() + kick, 1e-8);
    }
}

/// A frozen value of one region is read by another while it moves on.
#[test]
fn a_chain_of_regions_passes_samples_on() {
    let text = "
blocks:
  x: {type: Integrator, input: 1}
  e: {type: LevelCrossing, input: sin(7 * time)}
  s: {type: Sample, input: x, trigger: e}
  h: {type: ZeroOrderHold, input: s}
  y: {type: Integrator, input: h}
record: [y]
simulate: {stop: 2, maximum_step: 0.1}
";
    let trace = simulate(text).trace;
    let crossing = |k: i32| f64::from(k) * std::f64::consts::PI / 7.0;
    let truth: f64 = (1..=4)
        .map(|k| crossing(k) * (if k == 4 { 2.0 } else { crossing(k + 1) } - crossing(k)))
        .sum();
    assert_near(trace.last("y").unwrap(), truth, 1e-9);
}

/// Two regions with crossings, and a clock that touches neither: every row is inside a step of each.
#[test]
fn rows_of_regions_that_step_apart() {
    let text = "
blocks:
  a: {type: Sine, frequency: 0.7}
  b: {type: Sine, frequency: 0.7, phase: 7}
  c: {type: Clock, period: 0.3}
  e: {type: LevelCrossing, input: b, level: 0.1}
  f: {type: Expression, expression: if a > a then a else 0.3}
record: [a, e]
simulate: {stop: 1.5, solver: rk45, tolerance: 1e-5}
";
    let trace = simulate(text).trace;
    for (tag, a) in trace.series("a") {
        let truth = (2.0 * std::f64::consts::PI * 0.7 * tag.time.seconds()).sin();
        assert_near(a, truth, 1e-12);
    }
}
