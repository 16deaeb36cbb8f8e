//! A bouncing ball with restitution 0.9 to t = 20, and one that bounces a thousand times: the cost of
//! locating an event and of a tick, with the start of a run and without it.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};

use super::{Floor, NOTHING, compile, errors, recorded};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Bar, Effort, Errors, Figure};

const G: f64 = 9.81;
const HEIGHT: f64 = 10.0;

/// How a ball bounces, and until when.
#[derive(Clone, Copy)]
struct Throw {
    restitution: f64,
    stop: f64,
}

const SHORT: Throw = Throw { restitution: 0.9, stop: 20.0 };
/// A thousand bounces.
const LONG: Throw = Throw { restitution: 0.9995, stop: 2249.0 };

struct Ball {
    g: f64,
}

impl Equations<2> for Ball {
    fn slopes(&self, _: f64, x: &[f64; 2], dx: &mut [f64; 2]) {
        dx[0] = x[1];
        dx[1] = -self.g;
    }
}

fn text(Throw { restitution, stop }: Throw, record: &str) -> String {
    format!(
        "superdense: 1
name: bouncing-ball
parameters: {{g: {G}, e: {restitution}, y0: {HEIGHT}}}
blocks:
  v: {{type: Integrator, input: -g, initial: 0, impulse: kick}}
  y: {{type: Integrator, input: v, initial: y0}}
  hit: {{type: LevelCrossing, input: y, level: 0, direction: falling}}
  kick: {{type: Sample, input: -(1 + e) * previous(v), trigger: hit}}
record: [{record}]
simulate: {{stop: {stop}, solver: rk45, tolerance: 1e-6}}
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
fn by_hand(Throw { restitution, stop }: Throw) -> Bounced {
    let ball = black_box(Ball { g: G });
    let mut solver = DormandPrince::new(&ball, [HEIGHT, 0.0], 1e-6);
    let (mut bounces, mut last) = (0, 0.0);
    while solver.t < stop {
        solver.step(&ball, stop);
        if solver.x[0] < 0.0 {
            let h = solver.t - solver.t0;
            let s = solver.quartic(0).fall(1e-9 / h);
            solver.x = [0.0, -restitution * solver.quartic(1).value(s)];
            solver.t = solver.t0 + s * h;
            solver.restart(&ball);
            (bounces, last) = (bounces + 1, solver.t);
        }
    }
    Bounced { bounces, last, steps: solver.steps }
}

/// The number of bounces before the stop time, and the time of the last one \[s\].
fn truth(Throw { restitution, stop }: Throw) -> (u64, f64) {
    let fall = (2.0 * HEIGHT / G).sqrt();
    let (mut bounces, mut t, mut flight) = (1, fall, 2.0 * fall);
    loop {
        flight *= restitution;
        if t + flight > stop {
            return (bounces, t);
        }
        (bounces, t) = (bounces + 1, t + flight);
    }
}

pub(super) fn check() -> Result<()> {
    exactness(SHORT, 1e-9)?;
    exactness(LONG, 1e-6).map(drop)
}

fn exactness(throw: Throw, bound: f64) -> Result<Errors> {
    let outcome = compile(&text(throw, "y, hit"))?.simulate()?;
    let hits = outcome.trace.series("hit");
    let (hand, (bounces, last)) = (by_hand(throw), truth(throw));
    ensure!(hits.len() as u64 == bounces && hand.bounces == bounces, "bounces are lost");
    ensure!(outcome.counters.steps == hand.steps, "not the same steps");
    let (tag, _) = hits.last().context("the ball bounces")?;
    errors("ball", &[tag.time.seconds()], &[hand.last], &[last], bound)
}

pub(super) fn floor() -> Floor {
    Floor::new("B", || vec![by_hand(SHORT).last], vec![truth(SHORT).1])
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let short = [
        ("B bouncing ball to t = 20", NOTHING, Some(Bar::Ratio(15.0))),
        ("B, 2 signals recorded", "y, v", None),
    ];
    let long = [
        ("B over 1,000 bounces", NOTHING, Some(Bar::Ratio(8.0))),
        ("B over 1,000 bounces, 2 signals recorded", "y, v", None),
    ];
    let mut figures = thrown(effort, SHORT, short, 1e-9)?;
    figures.extend(thrown(effort, LONG, long, 1e-6)?);
    Ok(figures)
}

fn thrown(
    effort: &Effort,
    throw: Throw,
    rows: [(&str, &str, Option<Bar>); 2],
    bound: f64,
) -> Result<Vec<Figure>> {
    let Bounced { bounces, steps, .. } = by_hand(throw);
    let noted = |figure: Figure| {
        let bounce = figure.ours.best / bounces as f64 * 1e6;
        figure.note(format!("{bounces} bounces, {steps} steps; {bounce:.2} us per bounce"))
    };
    let (text, errors) = (|record: &str| text(throw, record), exactness(throw, bound)?);
    let figures = recorded(effort, rows, text, || by_hand(throw), errors)?;
    Ok(figures.into_iter().map(noted).collect())
}
