//! A bouncing ball with restitution 0.9 to t = 20: the cost of locating an event and of a tick.

use std::hint::black_box;

use anyhow::Result;

use super::{NOTHING, agree, compile, last};
use crate::hand::{DormandPrince, Equations, slope, value};
use crate::measure::{Effort, Figure, best_in_turn};

struct Ball {
    g: f64,
}

impl Equations<2> for Ball {
    fn slopes(&self, _: f64, x: &[f64; 2], dx: &mut [f64; 2]) {
        dx[0] = x[1];
        dx[1] = -self.g;
    }
}

fn text(record: &str) -> String {
    format!(
        "superdense: 1
name: bouncing-ball
parameters: {{g: 9.81, e: 0.9, y0: 10}}
blocks:
  v: {{type: Integrator, input: -g, initial: 0, impulse: kick}}
  y: {{type: Integrator, input: v, initial: y0}}
  hit: {{type: LevelCrossing, input: y, level: 0, direction: falling}}
  kick: {{type: Sample, input: -(1 + e) * previous(v), trigger: hit}}
record: [{record}]
simulate: {{stop: 20, solver: rk45, tolerance: 1e-6}}
"
    )
}

/// The fraction of the last step where the ball falls through zero, to 1e-9 s: Newton's method on
/// the dense output, held in a bracket whose right end is below zero.
fn impact(c: &[f64; 5], h: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let mut s = 1.0;
    loop {
        let (y, dy) = (value(c, s), slope(c, s));
        *(if y > 0.0 { &mut low } else { &mut high }) = s;
        let newton = s - y / dy;
        if (newton - s).abs() * h <= 1e-9 {
            return newton;
        }
        s = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
}

fn by_hand() -> (DormandPrince<2>, u64) {
    let ball = black_box(Ball { g: 9.81 });
    let mut solver = DormandPrince::new(&ball, [10.0, 0.0], 1e-6);
    let mut bounces = 0;
    while solver.t < 20.0 {
        solver.step(&ball, 20.0);
        if solver.x[0] < 0.0 {
            let h = solver.t - solver.t0;
            let s = impact(&solver.quartic(0), h);
            solver.x = [0.0, -0.9 * value(&solver.quartic(1), s)];
            solver.t = solver.t0 + s * h;
            solver.restart(&ball);
            bounces += 1;
        }
    }
    (solver, bounces)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let (hand, bounces) = by_hand();
    let mut figures = Vec::new();
    for (name, record) in [("ball, nothing recorded", NOTHING), ("ball, 2 recorded", "y, v")] {
        let system = compile(&text(record))?;
        let outcome = system.simulate()?;
        if record != NOTHING {
            agree("ball", last(&outcome, "y")?, hand.x[0], 1e-7)?;
            agree("ball", last(&outcome, "v")?, hand.x[1], 1e-7)?;
        }
        anyhow::ensure!(outcome.counters.ticks == bounces, "bounces are lost");
        let (steps, own) = (outcome.counters.steps, hand.steps);
        let (ours, hand) = best_in_turn(effort, || system.simulate(), by_hand);
        figures.push(Figure {
            name: name.to_owned(),
            ours,
            hand: Some(hand),
            limit: Some(60.0),
            note: format!("{bounces} bounces, {steps} steps, {own} by hand"),
        });
    }
    Ok(figures)
}
