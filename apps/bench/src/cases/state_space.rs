//! A `StateSpace` of 50 states with a full matrix and `rk4`, against two loops in plain Rust.

use std::hint::black_box;

use anyhow::Result;

use super::{NOTHING, compile, errors, last};
use crate::hand::{DormandPrince, Equations, Rk4};
use crate::measure::{Effort, Errors, Figure, in_turn};

const N: usize = 50;
const STEPS: u32 = 1000;
const STEP: f64 = 1e-3;

struct Full {
    a: Box<[[f64; N]; N]>,
}

impl Full {
    /// A stable matrix without zeros.
    fn new() -> Full {
        let mut a = Box::new([[0.0; N]; N]);
        for (i, row) in a.iter_mut().enumerate() {
            for (j, a) in row.iter_mut().enumerate() {
                let wave = ((i * 37 + j * 101) % 97) as f64 / 97.0 - 0.497;
                *a = if i == j { -20.0 + wave } else { wave };
            }
        }
        Full { a }
    }
}

impl Equations<N> for Full {
    #[inline]
    fn slopes(&self, _: f64, x: &[f64; N], dx: &mut [f64; N]) {
        for (row, dx) in self.a.iter().zip(dx) {
            *dx = row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() + 1.0;
        }
    }
}

fn text(record: &str) -> String {
    let full = Full::new();
    let row = |row: &[f64; N]| {
        let numbers: Vec<String> = row.iter().map(|a| format!("{a:?}")).collect();
        format!("      - [{}]\n", numbers.join(", "))
    };
    let rows: String = full.a.iter().map(row).collect();
    format!(
        "superdense: 1
name: state-space
blocks:
  y:
    type: StateSpace
    input: 1
    B: ones({N})
    C: ones({N})
    A:
{rows}record: {{end: {record}}}
simulate: {{stop: {STEPS} / 1000, solver: rk4, step: 0.001}}
"
    )
}

fn by_hand() -> Rk4<N> {
    let full = black_box(Full::new());
    let mut solver = Rk4::new(&full, [0.0; N]);
    while solver.steps < STEPS {
        solver.step(&full, STEP);
    }
    solver
}

pub(super) fn exactness() -> Result<Errors> {
    let full = Full::new();
    let mut truth = DormandPrince::new(&full, [0.0; N], 1e-13);
    while truth.t < 1.0 {
        truth.step(&full, 1.0);
    }
    let sum = |x: &[f64; N]| x.iter().sum::<f64>();
    let ours = last(&compile(&text("y"))?.simulate()?, "end")?;
    errors("state space", &[ours], &[sum(&by_hand().x)], &[sum(&truth.x)], 1e-6)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let errors = exactness()?;
    let system = compile(&text(NOTHING))?;
    let (ours, hand) = in_turn(effort, || effort.run(&system), by_hand);
    let cost = |time: f64| time / f64::from(STEPS) * 1e6;
    let note = format!("a step takes {:.1} us, {:.1} us by hand", cost(ours.best), cost(hand.best));
    let figure = Figure::new("StateSpace of 50 states, full matrix, rk4", ours).against(hand);
    Ok(vec![figure.errors(errors).note(note)])
}
