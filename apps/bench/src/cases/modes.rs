//! State machines that go round their states every millisecond: the cost of a mode switch, and how
//! it grows with the number of states.

use anyhow::Result;

use super::{NOTHING, compile};
use crate::measure::{Effort, Figure, best};

const SWITCHES: u64 = 10_000;

/// A machine of this many states, each with a diagram of its own; where it does not switch, steps
/// are as long as the time between switches.
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

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for states in [2, 20, 200] {
        let (moving, still) = (compile(&text(states, true))?, compile(&text(states, false))?);
        let outcome = moving.simulate()?;
        anyhow::ensure!(outcome.counters.ticks >= SWITCHES, "the machine does not switch");
        let steps = still.simulate()?.counters.steps;
        let (with, without) =
            (best(effort, || moving.simulate()), best(effort, || still.simulate()));
        let step = without / steps as f64;
        let switch = (with - without) / SWITCHES as f64;
        figures.push(Figure {
            name: format!("mode switch among {states}"),
            ours: switch,
            hand: None,
            limit: None,
            note: format!(
                "{:.1} smooth steps of {:.2} us with {steps} of them",
                switch / step,
                step * 1e6
            ),
        });
    }
    Ok(figures)
}
