//! The cost of impulses: none if none occurs, and how many are possible per second.

use anyhow::{Result, ensure};
use superdense::System;

use super::{NOTHING, compile, last};
use crate::measure::{Bar, Effort, Figure, in_turn, time};

const STOP: u32 = 40;
const IMPULSES: u32 = 20_000;

/// A chaotic system, with or without blocks that could give its states impulses but never do.
fn idle(more: [&str; 3], blocks: &str, record: &str) -> String {
    let [x, y, z] = more;
    format!(
        "superdense: 1
blocks:
  x: {{type: Integrator, input: 10 * (y - x){x}, initial: 1}}
  y: {{type: Integrator, input: x * (28 - z) - y{y}, initial: 1}}
  z: {{type: Integrator, input: x * y - 8 / 3 * z{z}, initial: 1}}
{blocks}
record: [{record}]
simulate: {{stop: {STOP}, solver: rk45, tolerance: 1e-6}}
"
    )
}

const MAKERS: &str = "  never: {type: ImpulseSource, times: [1000]}
  step: {type: Step, time: 1000}
  jump: {type: Derivative, input: step}
  hit: {type: LevelCrossing, input: x, level: 1000}
  count: {type: Counter, increment: hit}
  held: {type: ZeroOrderHold, input: count}
  bounce: {type: Derivative, input: held}";

/// The texts with impulses that never occur, and without impulses. Both search for the crossing, so
/// that the difference is only the impulses that it could cause.
fn quiet(record: &str) -> [String; 2] {
    let makers = [" + never", " + jump", " + x * bounce"];
    let watched = "  hit: {type: LevelCrossing, input: x, level: 1000}";
    [idle(makers, MAKERS, record), idle(["", "", ""], watched, record)]
}

/// Clock ticks that are counted, differentiated and integrated again.
fn busy() -> Result<System> {
    compile(&format!(
        "superdense: 1
blocks:
  c: {{type: Clock, period: 1 / 1000}}
  n: {{type: Counter, increment: c}}
  N: {{type: ZeroOrderHold, input: n}}
  d: {{type: Derivative, input: N}}
  x: {{type: Integrator, input: d}}
record: [x]
simulate: {{stop: {IMPULSES} / 1000, solver: rk45, tolerance: 1e-6}}
"
    ))
}

pub(super) fn check() -> Result<()> {
    let [with, without] = quiet("x, y, z");
    let (with, without) = (compile(&with)?.simulate()?, compile(&without)?.simulate()?);
    for name in ["x", "y", "z"] {
        let same = last(&with, name)? == last(&without, name)?;
        ensure!(same, "`{name}` differs although no impulse occurs");
    }
    let same = with.counters.ticks == 0 && with.counters == without.counters;
    ensure!(same, "the runs are not the same");
    let sum = last(&busy()?.simulate()?, "x")?;
    ensure!(sum == f64::from(IMPULSES) + 1.0, "{sum} impulses were integrated");
    Ok(())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    check()?;
    let [with, without] = quiet(NOTHING);
    let (with, without, busy) = (compile(&with)?, compile(&without)?, busy()?);
    let (ours, hand) = in_turn(effort, || effort.run(&with), || effort.run(&without));
    let never = Figure::new("impulses that never occur, against no such blocks", ours)
        .against(hand)
        .bar(Bar::Ratio(1.1));
    let ours = time(effort, || effort.run(&busy));
    let rate = format!("{:.0} per second", f64::from(IMPULSES) / ours.best);
    Ok(vec![never, Figure::new("20,000 impulses", ours).note(rate)])
}
