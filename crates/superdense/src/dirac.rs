//! Runs one model with both approaches to impulses, symbolic and numeric, for comparison.
//!
//! The numeric run and the stepped run use the same two formulas on the same steps. They differ
//! only in what an impulse is: a large value, or a coefficient beside the value. The symbolic run
//! is the exact one.

mod difference;
mod magnitude;

use std::time::{Duration, Instant};

use base::Rational;
use blocks::{Impulses, Library};
use diagram::{RowsPer, Settings};
use model::{Model, Refused};
use trace::Trace;

use crate::{Extremes, Failure, RunError, System};
use difference::Points;
pub use magnitude::Overflow;

/// How often a run is timed; the shortest time counts.
const TIMES: usize = 3;
/// A run that takes longer than this is timed only once.
const LONG: Duration = Duration::from_secs(1);

/// The results of both approaches for one model.
#[derive(Debug)]
pub struct Study {
    /// The exact run, up to the failure if it failed because an operation has no meaning.
    pub exact: Trace,
    /// How long it took.
    pub exact_time: Duration,
    /// The fixed-step runs, one entry for each step size.
    pub steps: Vec<AtStep>,
    /// Which approach suits the model.
    pub verdict: Verdict,
}

/// The numeric and the stepped run with one step size.
#[derive(Debug)]
pub struct AtStep {
    /// The step size \[s\].
    pub step: f64,
    /// The shortest step taken \[s\]; if there are crossings, this is the bracket of one.
    pub shortest_step: f64,
    /// The largest difference between the numeric and the stepped run, and its signal, where no
    /// value represents an impulse. The name is empty if the runs do not differ; `None` if the
    /// stepped run failed.
    pub difference: Option<(f64, String)>,
    /// The same difference relative to the largest value of that signal. The maximum is chosen by
    /// this measure.
    pub relative: Option<f64>,
    /// The mean difference between the numeric and the exact run at the points of the grid, for the
    /// recorded signal without impulses in which it is largest.
    pub from_exact: Option<(f64, String)>,
    /// The highest order of an impulse; `None` if there are no impulses.
    pub order: Option<usize>,
    /// After how many steps the numeric signals have settled after an impulse.
    pub delay: usize,
    /// The largest magnitude of any value in the numeric run.
    pub magnitude: f64,
    /// The prediction of that magnitude from the impulses and steps of the stepped run.
    pub predicted: f64,
    /// The step sizes below which the numeric run overflows.
    pub overflow: Overflow,
    /// The numeric and the stepped run, with the signals that the model records.
    pub runs: Runs,
    /// Why the stepped run failed, if it did: an operation without meaning.
    pub refused: Option<RunError>,
    /// Why the numeric run did not reach its end, if it did not: an overflow, or events faster than
    /// the step.
    pub broken: Option<RunError>,
}

/// The traces and times of the two runs.
#[derive(Debug)]
pub struct Runs {
    /// The numeric run.
    pub numeric: Trace,
    /// The stepped run; empty if it failed.
    pub stepped: Trace,
    /// How long the numeric run took.
    pub numeric_time: Duration,
    /// How long the stepped run took.
    pub stepped_time: Duration,
}

/// Which approach suits a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No impulse occurs, so there is nothing to choose.
    NoImpulses,
    /// Impulses without derivatives, and both approaches agree: the numeric one is as good.
    Either,
    /// Impulses without derivatives, but the approaches differ.
    Differ,
    /// Derivatives of impulses: the numeric approach lags by as many steps as their order.
    Symbolic,
    /// The numeric approach does not reach the end with any of the step sizes.
    Breaks,
    /// The model applies an operation to impulses that has no meaning, and the numeric approach
    /// does not notice.
    Meaningless,
}

impl Verdict {
    /// The verdict as one word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::NoImpulses => "no-impulses",
            Verdict::Either => "either",
            Verdict::Differ => "differ",
            Verdict::Symbolic => "symbolic",
            Verdict::Breaks => "breaks",
            Verdict::Meaningless => "meaningless",
        }
    }

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::NoImpulses => "no impulse occurs, so there is nothing to choose",
            Verdict::Either => {
                "either: impulses without derivatives, and with the same formulas both agree; the \
                 numerical approach is simpler, the symbolic one is exact in time and size"
            }
            Verdict::Differ => {
                "symbolic: there are no derivatives of impulses, but the numerical approach \
                 gives other values"
            }
            Verdict::Symbolic => {
                "symbolic: derivatives of impulses take the numerical approach as many further \
                 steps, and their values grow with that power of the step"
            }
            Verdict::Breaks => {
                "symbolic: the numerical approach does not come to the end with these steps"
            }
            Verdict::Meaningless => {
                "symbolic: it refuses an operation that has no meaning, where the numerical \
                 approach goes on with numbers that mean nothing"
            }
        }
    }
}

/// Why a model could not be studied.
#[derive(Debug)]
pub enum StudyError {
    /// The model was refused.
    Refused(Refused),
    /// A run failed; the system can explain the error.
    Failed(Box<System>, Box<Failure>),
}

/// Runs a model with both approaches, with each of these step sizes \[s\].
pub fn study(
    model: &Model,
    library: &Library,
    overrides: &Settings,
    steps: &[Rational],
) -> Result<Study, StudyError> {
    let with = |impulses: Impulses, step: Option<Rational>, everything| {
        let own = Settings { everything, ..overrides.clone() };
        // Jumps and impulses are compared microstep by microstep.
        let own = own.impulses(impulses.name()).rows(RowsPer::Microstep);
        step.into_iter().fold(own, |own, step| own.step(step))
    };
    let compile =
        |over: &Settings| System::compile_with(model, library, over).map_err(StudyError::Refused);
    let exact = compile(&with(Impulses::Symbolic, None, false))?;
    let (exact_trace, exact_time) = partial(timed(&exact))?;
    let mut found = Vec::new();
    for step in steps {
        let numeric = compile(&with(Impulses::Numeric, Some(*step), false))?;
        let stepped = compile(&with(Impulses::Stepped, Some(*step), false))?;
        let (numeric_trace, numeric_time) = partial(timed(&numeric))?;
        let (stepped_trace, stepped_time) = partial(timed(&stepped))?;
        let runs =
            Runs { numeric: numeric_trace, stepped: stepped_trace, numeric_time, stepped_time };
        let all = compile(&with(Impulses::Numeric, Some(*step), true))?;
        let numbers = whole(&all)?;
        let all = compile(&with(Impulses::Stepped, Some(*step), true))?;
        let coefficients = whole(&all)?;
        let on_grid = with(Impulses::Symbolic, None, false).every(*step);
        let (on_grid, _) = partial(timed(&compile(&on_grid)?))?;
        found.push(at_step(*step, runs, numbers, coefficients, &on_grid));
    }
    let verdict = verdict(&found);
    Ok(Study { exact: exact_trace, exact_time, steps: found, verdict })
}

/// Whether an error is a finding about impulses in the model rather than a failure of the study: an
/// operation without meaning, an overflow, or events that pile up.
fn is_finding(error: &RunError) -> bool {
    use RunError::{EventsTooFast, NotFinite, Undefined, Zeno};
    matches!(error, Undefined { .. } | EventsTooFast { .. } | NotFinite { .. } | Zeno { .. })
}

/// A run, or the part of it before a finding ended it.
fn partial(run: Result<(Trace, Duration), StudyError>) -> Result<(Trace, Duration), StudyError> {
    match run {
        Err(StudyError::Failed(_, failure)) if is_finding(&failure.error) => {
            Ok((failure.trace, Duration::ZERO))
        }
        other => other,
    }
}

/// A run with its time.
fn timed(system: &System) -> Result<(Trace, Duration), StudyError> {
    let failed = |failure| StudyError::Failed(Box::new(system.clone()), Box::new(failure));
    let mut best: Option<(Trace, Duration)> = None;
    for _ in 0..TIMES {
        let begin = Instant::now();
        let outcome = system.simulate().map_err(failed)?;
        let elapsed = begin.elapsed();
        if best.as_ref().is_none_or(|(_, time)| elapsed < *time) {
            best = Some((outcome.trace, elapsed));
        }
        if elapsed > LONG {
            break;
        }
    }
    Ok(best.unwrap_or_default())
}

/// A fixed-step run that records every signal.
struct Whole {
    trace: Trace,
    extremes: Extremes,
    /// Why it did not reach its end, if it did not.
    error: Option<RunError>,
}

fn whole(system: &System) -> Result<Whole, StudyError> {
    let mut run = system.begin();
    let error = loop {
        match run.advance() {
            Ok(None) => {}
            Ok(Some(_)) => break None,
            Err(error) if is_finding(&error) => break Some(error),
            Err(error) => {
                let (trace, counters, rows) = (run.trace().clone(), run.counters(), run.rows());
                let (inputs, warnings) = (run.inputs_of(&error), run.warnings().to_vec());
                let (invariants, write_error) = (run.invariants(), None);
                let failure = Failure {
                    error,
                    inputs,
                    trace,
                    warnings,
                    invariants,
                    counters,
                    rows,
                    write_error,
                };
                return Err(StudyError::Failed(Box::new(system.clone()), Box::new(failure)));
            }
        }
    };
    let none = Extremes { magnitude: 0.0, shortest_step: f64::INFINITY };
    let extremes = run.extremes().unwrap_or(none);
    Ok(Whole { trace: run.trace().clone(), extremes, error })
}

fn at_step(
    step: Rational,
    runs: Runs,
    numbers: Whole,
    coefficients: Whole,
    exact: &Trace,
) -> AtStep {
    let undefined = |error: &RunError| matches!(error, RunError::Undefined { .. });
    let refused = coefficients.error.filter(undefined);
    let points = Points::of(&numbers.trace, &coefficients.trace);
    let largest = points.as_ref().filter(|_| refused.is_none()).map(Points::largest_difference);
    let (steep, overflow) = magnitude::predicted(&coefficients.trace);
    AtStep {
        step: *step.numer() as f64 / *step.denom() as f64,
        shortest_step: numbers.extremes.shortest_step,
        relative: largest.as_ref().map(|found| found.relative),
        difference: largest.map(|found| (found.absolute, found.signal)),
        from_exact: difference::mean(&runs.numeric, exact),
        order: coefficients.trace.impulses().iter().map(|impulse| impulse.order).max(),
        delay: points.as_ref().map_or(0, Points::delay),
        magnitude: numbers.extremes.magnitude,
        predicted: steep.max(coefficients.extremes.magnitude),
        overflow,
        runs,
        refused,
        broken: numbers.error,
    }
}

/// The relative difference up to which the approaches count as equal.
const EQUAL: f64 = 1e-9;

fn verdict(steps: &[AtStep]) -> Verdict {
    let order = steps.iter().filter_map(|step| step.order).max();
    let meaningless = |step: &AtStep| matches!(step.refused, Some(RunError::Undefined { .. }));
    if steps.iter().any(meaningless) {
        return Verdict::Meaningless;
    }
    let mut whole = steps.iter().filter(|step| step.broken.is_none()).peekable();
    match order {
        _ if whole.peek().is_none() => Verdict::Breaks,
        None => Verdict::NoImpulses,
        Some(0) if whole.all(|step| step.relative.is_some_and(|r| r <= EQUAL)) => Verdict::Either,
        Some(0) => Verdict::Differ,
        Some(_) => Verdict::Symbolic,
    }
}
