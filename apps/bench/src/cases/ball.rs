//! A bouncing ball with restitution 0.9 to t = 20: the cost of locating an event and of a tick.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};

use super::{Floor, NOTHING, compile, errors, recorded};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Bar, Effort, Errors, Figure};

const G: f64 = 9.81;
const RESTITUTION: f64 = 0.9;
const HEIGHT: f64 = 10.0;
const STOP: f64 = 20.0;

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
parameters: {{g: {G}, e: {RESTITUTION}, y0: {HEIGHT}}}
blocks:
  v: {{type: Integrator, input: -g, initial: 0, impulse: kick}}
  y: {{type: Integrator, input: v, initial: y0}}
  hit: {{type: LevelCrossing, input: y, level: 0, direction: falling}}
  kick: {{type: Sample, input: -(1 + e) * previous(v), trigger: hit}}
record: [{record}]
simulate: {{stop: {STOP}, solver: rk45, tolerance: 1e-6}}
"
    )
}

/// The result after the last bounce.
struct Bounced {
    bounces: u64,
    /// The time of the last bounce \[s\].
    last: f64,
    steps: u64,
}

/// Steps pass through the floor; the bounce is located on the dense output to within 1e-9 s.
fn by_hand() -> Bounced {
    let ball = black_box(Ball { g: G });
    let mut solver = DormandPrince::new(&ball, [HEIGHT, 0.0], 1e-6);
    let (mut bounces, mut last) = (0, 0.0);
    while solver.t < STOP {
        solver.step(&ball, STOP);
        if solver.x[0] < 0.0 {
            let h = solver.t - solver.t0;
            let s = solver.quartic(0).fall(1e-9 / h);
            solver.x = [0.0, -RESTITUTION * solver.quartic(1).value(s)];
            solver.t = solver.t0 + s * h;
            solver.restart(&ball);
            (bounces, last) = (bounces + 1, solver.t);
        }
    }
    Bounced { bounces, last, steps: solver.steps }
}

/// The number of bounces before the stop time, and the time of the last one \[s\].
fn truth() -> (u64, f64) {
    let fall = (2.0 * HEIGHT / G).sqrt();
    let (mut bounces, mut t, mut flight) = (1, fall, 2.0 * fall);
    loop {
        flight *= RESTITUTION;
        if t + flight > STOP {
            return (bounces, t);
        }
        (bounces, t) = (bounces + 1, t + flight);
    }
}

pub(super) fn exactness() -> Result<Errors> {
    let outcome = compile(&text("y, hit"))?.simulate()?;
    let hits = outcome.trace.series("hit");
    let (hand, (bounces, last)) = (by_hand(), truth());
    ensure!(hits.len() as u64 == bounces && hand.bounces == bounces, "bounces are lost");
    ensure!(outcome.counters.steps == hand.steps, "not the same steps");
    let (tag, _) = hits.last().context("the ball bounces")?;
    errors("ball", &[tag.time.seconds()], &[hand.last], &[last], 1e-9)
}

pub(super) fn floor() -> Floor {
    Floor::new("B", || vec![by_hand().last], vec![truth().1])
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let rows = [
        ("B bouncing ball to t = 20", NOTHING, Some(Bar::Ratio(15.0))),
        ("B, 2 signals recorded", "y, v", None),
    ];
    let Bounced { bounces, steps, .. } = by_hand();
    let noted = |figure: Figure| {
        let bounce = figure.ours.best / bounces as f64 * 1e6;
        figure.note(format!("{bounces} bounces, {steps} steps; {bounce:.2} us per bounce"))
    };
    let figures = recorded(effort, rows, text, by_hand, exactness()?)?;
    Ok(figures.into_iter().map(noted).collect())
}
