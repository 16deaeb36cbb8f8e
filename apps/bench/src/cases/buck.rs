//! A buck converter with pulse-width modulation at 20 kHz and a sampled controller, for a second of
//! model time: two switchings and one sample in each period.
//!
//! The version by hand knows when the switch opens: it steps to that time, and has nothing to
//! search for.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{NOTHING, compile, ends, farthest};
use crate::hand::{DormandPrince, Equations};
use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

const PERIODS: u32 = 20_000;
const PERIOD: f64 = 50e-6;
const SUPPLY: f64 = 24.0;
const AIM: f64 = 12.0;
const L: f64 = 220e-6;
const C: f64 = 470e-6;
const R: f64 = 5.0;
const KP: f64 = 0.01;
const KI: f64 = 8.0;

/// Inductor current and output voltage.
struct Converter {
    input: f64,
}

impl Equations<2> for Converter {
    fn slopes(&self, _: f64, x: &[f64; 2], dx: &mut [f64; 2]) {
        dx[0] = (self.input - x[1]) / L;
        dx[1] = (x[0] - x[1] / R) / C;
    }
}

fn text(periods: u32, record: &str) -> String {
    format!(
        "superdense: 1
name: buck
blocks:
  i: {{type: Integrator, input: ((if on then {SUPPLY} else 0) - v) / {L:?}}}
  v: {{type: Integrator, input: (i - v / {R}) / {C:?}}}
  clock: {{type: Clock, period: 50e-6}}
  control:
    type: DiscretePID
    input: {AIM} - v
    trigger: clock
    period: 50e-6
    kp: {KP}
    ki: {KI}
    lower: 0.02
    upper: 0.98
  duty: {{type: ZeroOrderHold, input: control}}
  carrier: {{type: Sawtooth, period: 50e-6}}
  on: {{type: Expression, expression: duty > carrier}}
record: [{record}]
simulate: {{stop: {periods} * 50e-6, solver: rk45, tolerance: 1e-6}}
"
    )
}

/// Current and voltage after so many periods.
fn by_hand(periods: u32, tolerance: f64) -> [f64; 2] {
    let mut converter = black_box(Converter { input: 0.0 });
    let mut solver = DormandPrince::new(&converter, [0.0; 2], tolerance);
    let mut integral = 0.0;
    for k in 0..periods {
        let (start, end) = (f64::from(k) * PERIOD, f64::from(k + 1) * PERIOD);
        let error = AIM - solver.x[1];
        let raw = KP * error + integral;
        let duty = raw.clamp(0.02, 0.98);
        if raw == duty || (raw > duty) != (error > 0.0) {
            integral += PERIOD * KI * error;
        }
        for (input, until) in [(SUPPLY, start + duty * PERIOD), (0.0, end)] {
            converter.input = input;
            solver.restart(&converter);
            while solver.t < until {
                solver.step(&converter, until);
            }
        }
    }
    solver.x
}

/// The errors after a hundredth of the run, in which the voltage rises.
pub(super) fn exactness() -> Result<Errors> {
    let periods = PERIODS / 100;
    let outcome = compile(&text(periods, "i, v"))?.simulate()?;
    let (hand, truth) = (by_hand(periods, 1e-6), by_hand(periods, 1e-11));
    let ours = ends(&outcome, &["i".to_owned(), "v".to_owned()])?;
    // Their steps differ: one of the model may end beyond the switching, at which it is cut.
    let errors = Errors { ours: farthest(&ours, &truth), hand: farthest(&hand, &truth) };
    ensure!(errors.ours <= 1e-5 && errors.hand <= 1e-5, "{errors:?}");
    Ok(errors)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let (errors, system) = (exactness()?, compile(&text(PERIODS, NOTHING))?);
    let ticks = system.simulate()?.counters.ticks;
    let (ours, hand) =
        in_turn(&effort.at_most(15), || effort.run(&system), || by_hand(PERIODS, 1e-6));
    let note = format!("{:.2} us per tick", ours.best / ticks as f64 * 1e6);
    let figure = Figure::new("buck converter, 20 kHz, 1 s", ours).against(hand);
    Ok(vec![figure.bar(Bar::Ratio(6.0)).errors(errors).note(note)])
}
