//! Robertson's reactions to t = 1e5 at a relative tolerance of 1e-6: the cost of a stiff step.

use std::hint::black_box;

use anyhow::Result;

use super::{Floor, NOTHING, compile, ends, errors};
use crate::hand::{Equations, Rodas5p, Stiff};
use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

/// The rate constants of the reactions.
struct Robertson {
    slow: f64,
    fast: f64,
    fastest: f64,
}

impl Equations<3> for Robertson {
    #[inline(always)]
    fn slopes(&self, _: f64, x: &[f64; 3], dx: &mut [f64; 3]) {
        dx[0] = -self.slow * x[0] + self.fast * x[1] * x[2];
        dx[1] = self.slow * x[0] - self.fast * x[1] * x[2] - self.fastest * x[1] * x[1];
        dx[2] = self.fastest * x[1] * x[1];
    }
}

impl Stiff<3> for Robertson {
    #[inline(always)]
    fn jacobian(&self, x: &[f64; 3], rows: &mut [[f64; 3]; 3]) {
        let [b, c] = [self.fast * x[1], self.fast * x[2]];
        let twice = 2.0 * self.fastest * x[1];
        rows[0] = [-self.slow, c, b];
        rows[1] = [self.slow, -c - twice, -b];
        rows[2] = [0.0, twice, 0.0];
    }
}

fn text(record: &str, tolerance: f64) -> String {
    format!(
        "superdense: 1
name: robertson
parameters: {{slow: 0.04, fast: 1e4, fastest: 3e7}}
blocks:
  a: {{type: Integrator, input: -slow * a + fast * b * c, initial: 1}}
  b: {{type: Integrator, input: slow * a - fast * b * c - fastest * b * b}}
  c: {{type: Integrator, input: fastest * b * b}}
record: [{record}]
simulate: {{stop: 1e5, solver: rodas5p, relative_tolerance: {tolerance}, absolute_tolerance: {}}}
",
        1e-4 * tolerance
    )
}

fn by_hand(tolerance: f64) -> Rodas5p<3> {
    let robertson = black_box(Robertson { slow: 0.04, fast: 1e4, fastest: 3e7 });
    let mut solver = Rodas5p::new(&robertson, [1.0, 0.0, 0.0], tolerance, 1e-4 * tolerance);
    while solver.t < 1e5 {
        solver.step(&robertson, 1e5);
    }
    solver
}

pub(super) fn exactness() -> Result<Errors> {
    let outcome = compile(&text("a, b, c", 1e-6))?.simulate()?;
    let ours = ends(&outcome, &["a", "b", "c"].map(String::from))?;
    let (hand, truth) = (by_hand(1e-6), by_hand(1e-11));
    anyhow::ensure!(outcome.counters.steps == hand.steps, "not the same steps");
    errors("robertson", &ours, &hand.x, &truth.x, 1e-6)
}

pub(super) fn floor() -> Floor {
    Floor::new("D", || by_hand(1e-6).x.to_vec(), by_hand(1e-11).x.to_vec())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let errors = exactness()?;
    let system = compile(&text(NOTHING, 1e-6))?;
    let steps = system.simulate()?.counters.steps;
    let (ours, hand) = in_turn(effort, || effort.run(&system), || by_hand(1e-6));
    let figure = Figure::new("D Robertson to t = 1e5", ours).against(hand).bar(Bar::Ratio(1.5));
    Ok(vec![figure.errors(errors).note(format!("{steps} steps"))])
}
