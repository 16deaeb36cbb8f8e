//! Motion along a switching surface: the cost of a step there, against the same motion without a
//! surface.

use anyhow::{Result, ensure};

use super::{NOTHING, compile, last};
use crate::measure::{Effort, Figure, in_turn};

const STEPS: u32 = 10_000;

/// A disturbed mass under a control that switches on x + v = 0, from a point of that surface; and
/// the same with what the control is on average there.
fn text(control: &str, settings: &str, record: &str) -> String {
    format!(
        "superdense: 1
name: sliding
blocks:
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: u + sin(time), initial: -1}}
  u: {{type: Expression, expression: {control}}}
record: {{end: {record}}}
simulate: {{stop: {STEPS} / 1000, {settings}}}
"
    )
}

const SWITCHED: &str = "-3 * sign(x + v)";
const MEAN: &str = "-v - sin(time)";
/// An explicit method and one for stiff systems.
const METHODS: [&str; 2] = ["rk45", "rodas5p"];

/// All steps have the same length, which accuracy would allow to be greater.
fn settings(method: &str) -> String {
    format!("solver: {method}, tolerance: 1e-6, initial_step: 0.001, maximum_step: 0.001")
}

/// The same with sliding.
fn along(method: &str) -> String {
    format!("{}, sliding: filippov", settings(method))
}

pub(super) fn check() -> Result<()> {
    for method in METHODS {
        let outcome = compile(&text(SWITCHED, &along(method), "x"))?.simulate()?;
        let end = last(&outcome, "end")?;
        ensure!((end - (-f64::from(STEPS) / 1000.0).exp()).abs() < 1e-9, "{method}: {end}");
        ensure!(outcome.counters.steps <= u64::from(STEPS) + 10, "it does not slide all the time");
    }
    Ok(())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    check()?;
    let mut figures = Vec::new();
    for method in METHODS {
        let sliding = compile(&text(SWITCHED, &along(method), NOTHING))?;
        let plain = compile(&text(MEAN, &settings(method), NOTHING))?;
        let (ours, plain) = in_turn(effort, || effort.run(&sliding), || effort.run(&plain));
        let cost = |time: f64| time / f64::from(STEPS) * 1e6;
        let (own, other) = (cost(ours.best), cost(plain.best));
        let note = format!("a step takes {own:.2} us along the surface, {other:.2} us without");
        let name = format!("sliding against the same motion without, {method}");
        figures.push(Figure::new(name, ours).against(plain).note(note));
    }
    Ok(figures)
}
