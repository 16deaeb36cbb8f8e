//! State machines that cycle through their states every millisecond: the cost of a mode switch, and
//! how it grows with the number of states.

use anyhow::{Result, ensure};
use superdense::System;

use super::{NOTHING, compile};
use crate::measure::{Effort, Figure, Time, in_turn};

const SWITCHES: u64 = 10_000;

/// A machine with this many states, each with its own diagram. Without switches, steps are as long
/// as the time between switches.
fn text(states: usize, switches: bool) -> String {
    let after = if switches { "0.001" } else { "1000" };
    let mut text = String::from(
        "superdense: 1
name: modes
blocks:
  x: {type: Integrator, input: m.rate - x, initial: 0}
  m:
    type: Modal
    initial: s0
    states:
",
    );
    for state in 0..states {
        let next = (state + 1) % states;
        text += &format!(
            "      s{state}:
        blocks: {{z: {{type: Integrator, input: x - z}}}}
        outputs: {{rate: z + {state}}}
        transitions: [{{to: s{next}, after: {after}, history: true}}]
"
        );
    }
    text += &format!(
        "record: [{NOTHING}]
simulate: {{stop: 10, solver: rk45, tolerance: 1e-6, maximum_step: 0.001}}
"
    );
    text
}

/// A machine with as many switches as its clock has ticks, and one with none.
fn pair(states: usize) -> Result<(System, System, u64)> {
    let (moving, still) = (compile(&text(states, true))?, compile(&text(states, false))?);
    let ticks = moving.simulate()?.counters.ticks;
    ensure!(ticks >= SWITCHES, "the machine does not switch");
    let counters = still.simulate()?.counters;
    ensure!(counters.ticks < SWITCHES / 100, "the machine switches");
    Ok((moving, still, counters.steps))
}

pub(super) fn check() -> Result<()> {
    pair(2).map(drop)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for states in [2, 20, 200] {
        let (moving, still, steps) = pair(states)?;
        let (with, without) = in_turn(effort, || effort.run(&moving), || effort.run(&still));
        let step = without.best / steps as f64;
        let switch = |with: f64, without: f64| (with - without) / SWITCHES as f64;
        let ours = Time {
            median: switch(with.median, without.median),
            best: switch(with.best, without.best),
        };
        let note = format!("{:.1} smooth steps of {:.2} us", ours.best / step, step * 1e6);
        figures.push(Figure::new(format!("mode switch among {states}"), ours).note(note));
    }
    Ok(figures)
}
