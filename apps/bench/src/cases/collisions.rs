//! Balls that collide on a line: the cost of a collision, and how it grows with the number of balls.

use anyhow::{Result, ensure};
use superdense::System;

use super::{NOTHING, compile, last};
use crate::measure::{Effort, Figure, Time, time};

/// About how many collisions a run has.
const COLLISIONS: f64 = 2000.0;
/// Collisions of each ball and second.
const RATE: f64 = 1.0;

/// Balls between two walls, one for each metre, with positions and velocities without a pattern.
fn text(balls: usize, stop: f64, record: &str) -> String {
    let list = |of: fn(usize) -> f64| {
        let numbers: Vec<String> = (0..balls).map(|i| format!("{:.3}", of(i))).collect();
        numbers.join(", ")
    };
    let x0 = list(|i| i as f64 + 0.5 + 0.2 * (i as f64 * 2.399).sin());
    let v0 = list(|i| (i as f64 * 1.7).sin() + 0.3 * (i as f64 * 4.1).cos());
    format!(
        "superdense: 1
name: collisions
blocks:
  chain:
    type: BallChain
    x0: [{x0}]
    v0: [{v0}]
    distance: 0.2
    wall_left: 0
    wall_right: {balls}
record: {{energy: {record}}}
simulate: {{stop: {stop}, tolerance: 1e-9}}
"
    )
}

/// A chain of so many balls, and how many collisions it has.
fn chain(balls: usize) -> Result<(System, u64)> {
    let system = compile(&text(balls, COLLISIONS / RATE / balls as f64, NOTHING))?;
    // Each instant is that of one collision, but for those that chance has put together.
    let collisions = system.simulate()?.counters.ticks;
    ensure!(collisions as f64 > COLLISIONS / 3.0, "only {collisions} collisions");
    Ok((system, collisions))
}

pub(super) fn check() -> Result<()> {
    let energy = |stop| last(&compile(&text(20, stop, "chain.energy"))?.simulate()?, "energy");
    let (start, end): (f64, f64) = (energy(0.001)?, energy(20.0)?);
    ensure!((end / start - 1.0).abs() < 1e-12, "{start} {end}");
    chain(10).map(drop)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let mut figures: Vec<Figure> = Vec::new();
    for balls in [10, 100, 1000] {
        let (system, collisions) = chain(balls)?;
        let all = time(&effort.at_most(10), || effort.run(&system));
        let each = |time: f64| time / collisions as f64;
        let ours = Time { median: each(all.median), best: each(all.best) };
        let mut note = format!("{:.0} collisions per second", 1.0 / ours.best);
        if let Some(before) = figures.last() {
            let exponent = (ours.best / before.ours.best).log10();
            note += &format!(", exponent {exponent:.2}");
        }
        figures.push(Figure::new(format!("collision among {balls} balls"), ours).note(note));
    }
    Ok(figures)
}
