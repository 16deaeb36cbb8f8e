//! Lorenz's equations to t = 20 at a tolerance of 1e-6: the cost of a step.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{Floor, NOTHING, compile, ends, errors, recorded};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Bar, Effort, Errors, Figure};

/// The equations with their parameters.
pub(super) struct Lorenz {
    pub sigma: f64,
    pub rho: f64,
    pub beta: f64,
}

impl Equations<3> for Lorenz {
    fn slopes(&self, _: f64, x: &[f64; 3], dx: &mut [f64; 3]) {
        dx[0] = self.sigma * (x[1] - x[0]);
        dx[1] = x[0] * (self.rho - x[2]) - x[1];
        dx[2] = x[0] * x[1] - self.beta * x[2];
    }
}

impl Lorenz {
    /// The same equations with another value of this parameter.
    pub fn with(rho: f64) -> Lorenz {
        Lorenz { sigma: 10.0, rho, beta: 8.0 / 3.0 }
    }

    /// The solution at t = 20.
    pub fn solve(self, tolerance: f64) -> DormandPrince<3> {
        let lorenz = black_box(self);
        let mut solver = DormandPrince::new(&lorenz, [1.0, 1.0, 1.0], tolerance);
        while solver.t < 20.0 {
            solver.step(&lorenz, 20.0);
        }
        solver
    }
}

/// The model that records these signals.
pub(crate) fn text(record: &str) -> String {
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

/// The tolerance of the reference. By t = 20, chaos has amplified the error of a step by 10^7. At
/// 1e-13 the reference is still accurate to 1e-5, far below the errors that it measures.
pub(super) const TIGHT: f64 = 1e-13;

fn by_hand() -> DormandPrince<3> {
    Lorenz::with(28.0).solve(1e-6)
}

pub(super) fn exactness() -> Result<Errors> {
    let outcome = compile(&text("x, y, z"))?.simulate()?;
    let ours = ends(&outcome, &["x", "y", "z"].map(String::from))?;
    let (hand, truth) = (by_hand(), Lorenz::with(28.0).solve(TIGHT));
    ensure!(outcome.counters.steps == hand.steps, "not the same steps");
    errors("lorenz", &ours, &hand.x, &truth.x, 4.0)
}

pub(super) fn floor() -> Floor {
    Floor::new("A", || by_hand().x.to_vec(), Lorenz::with(28.0).solve(TIGHT).x.to_vec())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let rows = [
        ("A Lorenz to t = 20", NOTHING, Some(Bar::Ratio(1.15))),
        ("A, 3 signals recorded", "x, y, z", None),
    ];
    recorded(effort, rows, text, by_hand, exactness()?)
}
