//! The complete settings of a run.

use base::{ExactTime, Rational, Time};
use program::{Impulses, Profile, Rows, RunSettings, Zeno};
use solver::{Method, Policy};

/// The settings of a run, complete.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The start of model time.
    pub start: ExactTime,
    /// The end of model time.
    pub stop: Time,
    /// The solver's own settings.
    pub solver: solver::Options,
    /// How impulses are represented.
    pub impulses: Impulses,
    /// The spacing of the points of a run by fixed steps \[s\].
    pub grid: Rational,
    /// Which rows are recorded besides those of events.
    pub rows: Rows,
    /// The greatest number of microsteps at one time.
    pub microsteps: u32,
    /// What to do if events accumulate.
    pub zeno: Zeno,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The rules by which steps are chosen and crossings found.
    pub profile: Profile,
}

/// The unit of the clock of Ptolemy II \[s\].
const TICK: f64 = 1e-10;

impl Options {
    /// The settings of a model. Fixed-step solvers use a hundredth of the run as their step if the
    /// model specifies none.
    pub fn new(run: &RunSettings, method: Method) -> Options {
        let length = run.stop.since(run.start.time());
        let mut solver = solver::Options::new(method);
        solver.relative_tolerance = run.relative_tolerance;
        solver.absolute_tolerance = run.absolute_tolerance;
        solver.step = run.step.unwrap_or(if length > 0.0 { length / 100.0 } else { 1.0 });
        solver.initial_step = run.initial_step;
        solver.maximum_step = run.maximum_step;
        if run.profile == Profile::Ptolemy {
            solver.policy =
                Policy::Ptolemy { resolution: TICK, growth: run.growth, longest: run.next_step };
            // What is `rk45` there is another pair.
            if method == Method::Rk45 {
                solver.method = Method::CashKarp;
            }
        }
        Options {
            start: run.start,
            stop: run.stop,
            solver,
            impulses: run.impulses,
            grid: run.grid.unwrap_or_else(|| hundredth(run)),
            rows: run.rows.clone(),
            microsteps: run.microsteps,
            zeno: run.zeno,
            seed: run.seed,
            profile: run.profile,
        }
    }
}

fn hundredth(run: &RunSettings) -> Rational {
    let length = (run.stop - run.start.time()).attoseconds().max(100);
    Time::from_attoseconds(length / 100).to_rational()
}
