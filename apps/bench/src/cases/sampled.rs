//! A plant under a sampled controller with a clock of 1 ms: the cost of a tick.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{NOTHING, compile, errors, recorded};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Effort, Errors, Figure};

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

/// Calls `look` with every step.
fn by_hand(mut look: impl FnMut(f64, f64)) -> DormandPrince<1> {
    let mut plant = black_box(Plant { u: 0.0 });
    let mut solver = DormandPrince::new(&plant, [0.0], 1e-6);
    for k in 0..TICKS {
        plant.u = 3.0 * (1.0 - solver.x[0]);
        solver.restart(&plant);
        let next = (k + 1) as f64 * 0.001;
        while solver.t < next {
            solver.step(&plant, next);
            look(solver.t, solver.x[0]);
        }
    }
    solver
}

/// The closed-form solution of the plant at the ticks.
fn truth() -> Vec<f64> {
    let decay = (-0.001f64).exp();
    let next = |x: &f64| Some(decay * x + (1.0 - decay) * 3.0 * (1.0 - x));
    std::iter::successors(Some(0.0), next).take(TICKS as usize + 1).collect()
}

/// The largest errors over the whole run.
pub(super) fn exactness() -> Result<Errors> {
    let truth = truth();
    let error = |t: f64, x: f64| {
        let k = (t * 1000.0 + 1e-6).floor();
        let (start, u) = (truth[k as usize], 3.0 * (1.0 - truth[k as usize]));
        (x - (u + (start - u) * (0.001 * k - t).exp())).abs()
    };
    let outcome = compile(&text("x, u"))?.simulate()?;
    let rows = outcome.trace.series("x");
    let ours = rows.iter().map(|(tag, x)| error(tag.time.seconds(), *x)).fold(0.0, f64::max);
    let mut hand = 0.0f64;
    let steps = by_hand(|t, x| hand = hand.max(error(t, x))).steps;
    ensure!(outcome.counters.steps == steps, "not the same steps");
    ensure!(outcome.counters.ticks == TICKS + 1, "ticks are lost");
    errors("sampled loop", &[ours], &[hand], &[0.0], 1e-6)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let rows =
        [("sampled loop", NOTHING, None), ("sampled loop, 2 signals recorded", "x, u", None)];
    let noted = |figure: Figure| {
        let rate = TICKS as f64 / figure.ours.best / 1e6;
        figure.note(format!("{rate:.2} million ticks per second"))
    };
    let figures = recorded(effort, rows, text, || by_hand(|_, _| {}), exactness()?)?;
    Ok(figures.into_iter().map(noted).collect())
}
