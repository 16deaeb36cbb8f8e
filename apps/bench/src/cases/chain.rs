//! A chain of 1000 masses between two walls, drawn as a diagram of 2000 integrators: the cost of an
//! instruction.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{Floor, NOTHING, compile, ends, errors, recorded};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Bar, Effort, Errors, Figure, time};

const MASSES: usize = 1000;
const STATES: usize = 2 * MASSES;

/// Stiffness and damping over mass.
struct Chain {
    k: f64,
    c: f64,
}

impl Equations<STATES> for Chain {
    fn slopes(&self, _: f64, state: &[f64; STATES], slopes: &mut [f64; STATES]) {
        let (x, v) = state.split_at(MASSES);
        let (dx, dv) = slopes.split_at_mut(MASSES);
        dx.copy_from_slice(v);
        let force =
            |left: f64, i: usize, right: f64| self.k * (left - 2.0 * x[i] + right) - self.c * v[i];
        dv[0] = force(0.0, 0, x[1]);
        for i in 1..MASSES - 1 {
            dv[i] = force(x[i - 1], i, x[i + 1]);
        }
        dv[MASSES - 1] = force(x[MASSES - 2], MASSES - 1, 0.0);
    }
}

/// Every mass starts with its own displacement, so that all of them move.
fn start(i: usize) -> f64 {
    (0.7 * i as f64).sin()
}

fn text(record: &str) -> String {
    let mut blocks = String::new();
    for i in 0..MASSES {
        let left = if i == 0 { "0".to_owned() } else { format!("x{}", i - 1) };
        let right = if i + 1 == MASSES { "0".to_owned() } else { format!("x{}", i + 1) };
        let force = format!("k * ({left} - 2 * x{i} + {right}) - c * v{i}");
        blocks += &format!("  x{i}: {{type: Integrator, input: v{i}, initial: {:?}}}\n", start(i));
        blocks += &format!("  v{i}: {{type: Integrator, input: {force}}}\n");
    }
    format!(
        "superdense: 1
name: chain
parameters: {{k: 1, c: 0.01}}
blocks:
{blocks}record: [{record}]
simulate: {{stop: 10, solver: rk45, tolerance: 1e-6}}
"
    )
}

fn solve(tolerance: f64) -> Box<DormandPrince<STATES>> {
    let chain = black_box(Chain { k: 1.0, c: 0.01 });
    let x = std::array::from_fn(|i| if i < MASSES { start(i) } else { 0.0 });
    let mut solver = Box::new(DormandPrince::new(&chain, x, tolerance));
    while solver.t < 10.0 {
        solver.step(&chain, 10.0);
    }
    solver
}

fn by_hand() -> Box<DormandPrince<STATES>> {
    solve(1e-6)
}

pub(super) fn exactness() -> Result<Errors> {
    let names: Vec<String> = (0..MASSES).map(|i| format!("x{i}")).collect();
    let outcome = compile(&text(&names.join(", ")))?.simulate()?;
    let (hand, truth) = (by_hand(), solve(1e-13));
    ensure!(outcome.counters.steps == hand.steps, "not the same steps");
    let ours = ends(&outcome, &names)?;
    errors("chain", &ours, &hand.x[..MASSES], &truth.x[..MASSES], 1e-4)
}

pub(super) fn floor() -> Floor {
    let places = |solver: Box<DormandPrince<STATES>>| solver.x[..MASSES].to_vec();
    Floor::new("C", move || places(by_hand()), places(solve(1e-13)))
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let rows = [
        ("C chain of 1000 masses", NOTHING, Some(Bar::Ratio(1.3))),
        ("C, 2 signals recorded", "x400, x500", None),
    ];
    let mut figures = recorded(effort, rows, text, by_hand, exactness()?)?;
    figures.push(ready(effort)?);
    Ok(figures)
}

/// The time from the text of a large model to a system that can run.
fn ready(effort: &Effort) -> Result<Figure> {
    let text = text(NOTHING);
    let blocks = compile(&text)?.block_count();
    let ours = time(&effort.at_most(9), || compile(&text));
    let note = format!("{blocks} blocks, {} kB of text", text.len() / 1000);
    Ok(Figure::new("chain of 1000, text to ready", ours).bar(Bar::Seconds(0.5)).note(note))
}
