//! A random linear diagram of 1000 gains, sums and integrators with `rk4`, against straight-line
//! Rust that the build script generates from the same diagram: the cost of an instruction if there
//! is nothing to vectorise.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{Floor, NOTHING, compile, ends, errors};
use crate::diagram::{Block, Diagram};
use crate::hand::{DormandPrince, Equations, Rk4};
use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

// STATES, INITIAL and the function `slopes`.
include!(concat!(env!("OUT_DIR"), "/linear.rs"));

const STEPS: u32 = 1000;
const STEP: f64 = 1e-3;

struct Linear;

impl Equations<STATES> for Linear {
    #[inline]
    fn slopes(&self, _: f64, x: &[f64; STATES], dx: &mut [f64; STATES]) {
        slopes(x, dx);
    }
}

/// The model of a diagram, for this many steps of one millisecond.
pub(crate) fn text(diagram: &Diagram, record: &str, steps: u32) -> String {
    let mut blocks = String::new();
    for (i, block) in diagram.blocks.iter().enumerate() {
        blocks += &match block {
            Block::Gain { input, gain } => {
                format!("  b{i}: {{type: Gain, input: b{input}, gain: {gain:?}}}\n")
            }
            Block::Sum { inputs } => {
                let inputs: Vec<String> = inputs.iter().map(|input| format!("b{input}")).collect();
                format!("  b{i}: {{type: Sum, inputs: [{}]}}\n", inputs.join(", "))
            }
            Block::Integrator { input, initial } => {
                format!("  b{i}: {{type: Integrator, input: b{input}, initial: {initial:?}}}\n")
            }
        };
    }
    format!(
        "superdense: 1
name: linear
blocks:
{blocks}record: [{record}]
simulate: {{stop: {steps} / 1000, solver: rk4, step: 0.001}}
"
    )
}

fn by_hand() -> Box<Rk4<STATES>> {
    let mut solver = Box::new(Rk4::new(&Linear, black_box(INITIAL)));
    while solver.steps < STEPS {
        solver.step(&Linear, STEP);
    }
    solver
}

fn truth() -> DormandPrince<STATES> {
    let mut solver = DormandPrince::new(&Linear, INITIAL, 1e-13);
    while solver.t < 1.0 {
        solver.step(&Linear, 1.0);
    }
    solver
}

/// The largest error of a state, relative to the largest state.
pub(super) fn exactness() -> Result<Errors> {
    let diagram = Diagram::random(1000);
    let names: Vec<String> = diagram.integrators().map(|i| format!("b{i}")).collect();
    let outcome = compile(&text(&diagram, &names.join(", "), STEPS))?.simulate()?;
    ensure!(outcome.counters.steps == u64::from(STEPS), "not the same steps");
    let (ours, hand, truth) = (ends(&outcome, &names)?, by_hand(), truth());
    let size = truth.x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    let part = |values: &[f64]| values.iter().map(|value| value / size).collect::<Vec<f64>>();
    errors("linear", &part(&ours), &part(&hand.x), &part(&truth.x), 1e-9)
}

/// The diagram as lines for the peers' programs: a kind, the indices of the inputs, a number.
pub(super) fn lines() -> String {
    let line = |block: &Block| match block {
        Block::Gain { input, gain } => format!("gain {input} {gain:?}\n"),
        Block::Integrator { input, initial } => format!("integrator {input} {initial:?}\n"),
        Block::Sum { inputs } => {
            let inputs: Vec<String> = inputs.iter().map(ToString::to_string).collect();
            format!("sum {}\n", inputs.join(" "))
        }
    };
    Diagram::random(1000).blocks.iter().map(line).collect()
}

pub(super) fn floor() -> Floor {
    Floor::new("F", || by_hand().x.to_vec(), truth().x.to_vec())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let errors = exactness()?;
    let diagram = Diagram::random(1000);
    let system = compile(&text(&diagram, NOTHING, STEPS))?;
    let (ours, hand) = in_turn(effort, || effort.run(&system), by_hand);
    let figure = Figure::new("F random linear diagram of 1000 blocks, rk4", ours).against(hand);
    let note = format!("{STEPS} steps of {:.2} us by hand, {STATES} states", hand.best * 1e3);
    Ok(vec![figure.bar(Bar::Ratio(1.2)).errors(errors).note(note)])
}
