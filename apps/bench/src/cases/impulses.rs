//! What impulses cost: nothing where none occurs, and how many there are to a second.

use anyhow::{Result, ensure};

use super::{NOTHING, compile, last};
use crate::measure::{Effort, Figure, best, best_in_turn};

const STOP: u32 = 40;
const IMPULSES: u32 = 20_000;

/// A chaotic system, with or without blocks that could give its states impulses and never do.
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

fn without_impulses(effort: &Effort) -> Result<Figure> {
    let makers = [" + never", " + jump", " + x * bounce"];
    // The crossing is looked for in both; only the impulses that it could make are compared.
    let watched = "  hit: {type: LevelCrossing, input: x, level: 1000}";
    let [with, without] = ["x, y, z", NOTHING]
        .map(|record| [idle(makers, MAKERS, record), idle(["", "", ""], watched, record)]);
    let (a, b) = (compile(&with[0])?.simulate()?, compile(&with[1])?.simulate()?);
    for name in ["x", "y", "z"] {
        ensure!(last(&a, name)? == last(&b, name)?, "`{name}` differs although no impulse occurs");
    }
    ensure!(a.counters.ticks == 0 && a.counters == b.counters, "the runs are not the same");
    let (ours, plain) = (compile(&without[0])?, compile(&without[1])?);
    let (ours, hand) = best_in_turn(effort, || ours.simulate(), || plain.simulate());
    Ok(Figure {
        name: "impulses that never come".to_owned(),
        ours,
        hand: Some(hand),
        limit: Some(1.1),
        note: format!("against the same without their blocks; {} steps", a.counters.steps),
    })
}

fn impulses(effort: &Effort) -> Result<Figure> {
    let system = compile(&format!(
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
    ))?;
    let sum = last(&system.simulate()?, "x")?;
    ensure!(sum == f64::from(IMPULSES) + 1.0, "{sum} impulses were integrated");
    let ours = best(effort, || system.simulate());
    let rate = sum / ours;
    Ok(Figure {
        name: "impulses".to_owned(),
        ours,
        hand: None,
        limit: None,
        note: format!("{rate:.0} impulses a second, differentiated and integrated"),
    })
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    Ok(vec![without_impulses(effort)?, impulses(effort)?])
}
