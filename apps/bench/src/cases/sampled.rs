//! A plant under a sampled controller with a clock of 1 ms: the cost of a tick.

use std::hint::black_box;

use anyhow::Result;

use super::{NOTHING, agree, compile, last};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Effort, Figure, best_in_turn};

const TICKS: u64 = 10_000;

struct Plant {
    u: f64,
}

impl Equations<1> for Plant {
    fn slopes(&self, _: f64, x: &[f64; 1], dx: &mut [f64; 1]) {
        dx[0] = -x[0] + self.u;
    }
}

fn text(record: &str) -> String {
    format!(
        "superdense: 1
name: sampled
parameters: {{gain: 3, aim: 1}}
blocks:
  x: {{type: Integrator, input: -x + u, initial: 0}}
  clock: {{type: Clock, period: 0.001}}
  error: {{type: Sample, input: aim - x, trigger: clock}}
  u: {{type: ZeroOrderHold, input: gain * error, initial: 0}}
record: [{record}]
simulate: {{stop: 10, solver: rk45, tolerance: 1e-6}}
"
    )
}

fn by_hand() -> DormandPrince<1> {
    let mut plant = black_box(Plant { u: 0.0 });
    let mut solver = DormandPrince::new(&plant, [0.0], 1e-6);
    for k in 0..TICKS {
        plant.u = 3.0 * (1.0 - solver.x[0]);
        solver.restart(&plant);
        let next = (k + 1) as f64 * 0.001;
        while solver.t < next {
            solver.step(&plant, next);
        }
    }
    solver
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let hand = by_hand();
    let mut figures = Vec::new();
    for (name, record) in
        [("sampled loop, nothing recorded", NOTHING), ("sampled loop, 2 recorded", "x, u")]
    {
        let system = compile(&text(record))?;
        let outcome = system.simulate()?;
        if record != NOTHING {
            agree("sampled loop", last(&outcome, "x")?, hand.x[0], 1e-6)?;
        }
        let (steps, own, ticks) = (outcome.counters.steps, hand.steps, outcome.counters.ticks);
        let (ours, hand) = best_in_turn(effort, || system.simulate(), by_hand);
        let rate = ticks as f64 / ours / 1e6;
        figures.push(Figure {
            name: name.to_owned(),
            ours,
            hand: Some(hand),
            limit: None,
            note: format!("{rate:.2} million ticks/s; {steps} steps, {own} by hand"),
        });
    }
    Ok(figures)
}
