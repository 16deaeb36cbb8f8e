//! Lorenz's equations to t = 20 at a tolerance of 1e-6: the cost of a step.

use std::hint::black_box;

use anyhow::Result;

use super::{NOTHING, agree, compile, last};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Effort, Figure, best_in_turn};

struct Lorenz {
    sigma: f64,
    rho: f64,
    beta: f64,
}

impl Equations<3> for Lorenz {
    fn slopes(&self, _: f64, x: &[f64; 3], dx: &mut [f64; 3]) {
        dx[0] = self.sigma * (x[1] - x[0]);
        dx[1] = x[0] * (self.rho - x[2]) - x[1];
        dx[2] = x[0] * x[1] - self.beta * x[2];
    }
}

fn text(record: &str) -> String {
    format!(
        "superdense: 1
name: lorenz
parameters: {{sigma: 10, rho: 28, beta: 8/3}}
blocks:
  x: {{type: Integrator, input: sigma * (y - x), initial: 1}}
  y: {{type: Integrator, input: x * (rho - z) - y, initial: 1}}
  z: {{type: Integrator, input: x * y - beta * z, initial: 1}}
record: [{record}]
simulate: {{stop: 20, solver: rk45, tolerance: 1e-6}}
"
    )
}

fn by_hand() -> DormandPrince<3> {
    let lorenz = black_box(Lorenz { sigma: 10.0, rho: 28.0, beta: 8.0 / 3.0 });
    let mut solver = DormandPrince::new(&lorenz, [1.0, 1.0, 1.0], 1e-6);
    while solver.t < 20.0 {
        solver.step(&lorenz, 20.0);
    }
    solver
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let hand = by_hand();
    let mut figures = Vec::new();
    for (name, record) in [("lorenz, nothing recorded", NOTHING), ("lorenz, 3 recorded", "x, y, z")]
    {
        let system = compile(&text(record))?;
        let outcome = system.simulate()?;
        if record != NOTHING {
            // The steps are the same, and chaos blows roundings up by e^(0.9 t).
            agree("lorenz", last(&outcome, "x")?, hand.x[0], 1e-6)?;
        }
        let (steps, own) = (outcome.counters.steps, hand.steps);
        let (ours, hand) = best_in_turn(effort, || system.simulate(), by_hand);
        figures.push(Figure {
            name: name.to_owned(),
            ours,
            hand: Some(hand),
            limit: Some(10.0),
            note: format!("{steps} steps, {own} by hand"),
        });
    }
    Ok(figures)
}
