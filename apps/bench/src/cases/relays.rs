//! 10,000 relays, none of which switches: the cost of watching them.
//!
//! Each relay drives its own state and reads it; an oscillator that all of them share makes them
//! one region. The version by hand keeps a relay's output as a number while it does not switch, and
//! checks the sign of each relay after every step.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{NOTHING, compile, ends, errors};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

const RELAYS: usize = 10_000;
const STATES: usize = RELAYS + 2;
const STOP: f64 = 10.0;

/// The relays, with their current outputs.
struct Relays {
    outputs: [f64; RELAYS],
    levels: [f64; RELAYS],
}

impl Relays {
    fn new() -> Box<Relays> {
        Box::new(Relays { outputs: [1.0; RELAYS], levels: std::array::from_fn(level) })
    }

    /// Whether any relay has crossed its level.
    fn switches(&self, x: &[f64; STATES]) -> bool {
        let over = |(x, level): (&f64, &f64)| usize::from(x > level);
        x.iter().zip(&self.levels).map(over).sum::<usize>() > 0
    }
}

impl Equations<STATES> for Relays {
    fn slopes(&self, _: f64, state: &[f64; STATES], slopes: &mut [f64; STATES]) {
        let (x, [s, c]) = state.split_at(RELAYS) else { return };
        let (dx, oscillator) = slopes.split_at_mut(RELAYS);
        for i in 0..RELAYS {
            dx[i] = self.outputs[i] + s - x[i];
        }
        oscillator.copy_from_slice(&[*c, -s]);
    }
}

fn start(i: usize) -> f64 {
    i as f64 / RELAYS as f64
}

/// A level that the states never reach.
fn level(i: usize) -> f64 {
    2.0 + start(i)
}

fn text(record: &str) -> String {
    let mut blocks = String::new();
    for i in 0..RELAYS {
        let (relay, initial) =
            (format!("if x{i} > {:?} then -1 else 1", level(i)), format!("{:?}", start(i)));
        blocks += &format!("  r{i}: {{type: Expression, expression: {relay}}}\n");
        blocks +=
            &format!("  x{i}: {{type: Integrator, input: r{i} + s - x{i}, initial: {initial}}}\n");
    }
    format!(
        "superdense: 1
name: relays
blocks:
{blocks}  s: {{type: Integrator, input: c}}
  c: {{type: Integrator, input: -s, initial: 1}}
record: [{record}]
simulate: {{stop: {STOP}, solver: rk45, tolerance: 1e-6}}
"
    )
}

fn solve(relays: &Relays, tolerance: f64) -> Box<DormandPrince<STATES>> {
    let mut x: [f64; STATES] = std::array::from_fn(start);
    x[RELAYS..].copy_from_slice(&[0.0, 1.0]);
    let mut solver = Box::new(DormandPrince::new(relays, x, tolerance));
    while solver.t < STOP {
        solver.step(relays, STOP);
        assert!(!relays.switches(&solver.x), "no relay switches");
    }
    solver
}

/// x' = 1 + sin t - x, in closed form.
fn truth() -> Vec<f64> {
    let (sin, cos) = STOP.sin_cos();
    let settled = 1.0 + 0.5 * (sin - cos);
    (0..RELAYS).map(|i| settled + (start(i) - 0.5) * (-STOP).exp()).collect()
}

pub(super) fn exactness() -> Result<Errors> {
    let names: Vec<String> = (0..RELAYS).step_by(100).map(|i| format!("x{i}")).collect();
    let outcome = compile(&text(&names.join(", ")))?.simulate()?;
    let hand = solve(&Relays::new(), 1e-6);
    ensure!(outcome.counters.ticks == 0, "a relay switches");
    ensure!(outcome.counters.steps == hand.steps, "not the same steps");
    let some = |x: &[f64]| x[..RELAYS].iter().copied().step_by(100).collect::<Vec<f64>>();
    errors("relays", &ends(&outcome, &names)?, &some(&hand.x), &some(&truth()), 1e-5)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let errors = exactness()?;
    let system = compile(&text(NOTHING))?;
    let steps = system.simulate()?.counters.steps;
    let relays = black_box(Relays::new());
    let (ours, hand) =
        in_turn(&effort.at_most(15), || effort.run(&system), || solve(&relays, 1e-6));
    let note = format!("{steps} steps of {:.1} us by hand", hand.best / steps as f64 * 1e6);
    let figure = Figure::new("10,000 relays", ours).against(hand).bar(Bar::Ratio(1.5));
    Ok(vec![figure.errors(errors).note(note)])
}
