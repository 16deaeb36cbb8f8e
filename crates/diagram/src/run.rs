//! How a model is run: the settings of its `simulate` section, evaluated.

use base::{Diagnostic, Diagnostics, ExactTime, Rational, Span, Time, Value, did_you_mean};
use blocks::Impulses;
use expr::{Expr, ExprKind};
use model::{Model, Simulate};

use crate::open::{Names, Opening};
use crate::parameters::{Moving, constant};

/// Start and stop, solver, tolerances and limits. If a field has no value, the engine chooses.
#[derive(Clone, PartialEq, Debug)]
pub struct RunSettings {
    /// The start of model time.
    pub start: ExactTime,
    /// The end of model time.
    pub stop: Time,
    /// The name of the solver, and its span in the model.
    pub solver: (String, Option<Span>),
    /// Error allowed relative to the size of a state.
    pub relative_tolerance: f64,
    /// Error allowed for a state near zero.
    pub absolute_tolerance: f64,
    /// The representation of impulses, on which depends how time advances.
    pub impulses: Impulses,
    /// The step of fixed-step solvers \[s\].
    pub step: Option<f64>,
    /// The same as an exact time, if it is at least an attosecond: for runs by fixed steps.
    pub grid: Option<Rational>,
    /// The first step of variable-step solvers \[s\].
    pub initial_step: Option<f64>,
    /// The greatest step \[s\].
    pub maximum_step: f64,
    /// Which rows are recorded besides those of events.
    pub rows: Rows,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The greatest number of microsteps at one time.
    pub microsteps: u32,
    /// What to do if events accumulate.
    pub zeno: Zeno,
}

/// Which rows are recorded. Those of events always are.
#[derive(Clone, PartialEq, Debug)]
pub struct Rows {
    /// One for each accepted step.
    pub steps: bool,
    /// One at every multiple of this time from the start on \[s\].
    pub every: Option<Rational>,
    /// One at each of these times.
    pub times: Vec<Time>,
    /// What has a row when something happens.
    pub per: RowsPer,
}

/// What has a row of its own when something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowsPer {
    /// The instant, with what it leaves behind.
    Instant,
    /// Each microstep, so that left limits and intermediate values are recorded.
    Microstep,
}

impl RowsPer {
    /// Both of them.
    pub const ALL: [RowsPer; 2] = [RowsPer::Instant, RowsPer::Microstep];

    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        match self {
            RowsPer::Instant => "instants",
            RowsPer::Microstep => "microsteps",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<RowsPer> {
        RowsPer::ALL.into_iter().find(|per| per.name() == word)
    }
}

/// What to do if events accumulate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zeno {
    /// Stop with an error.
    Error,
    /// Stop there and keep what was computed.
    Stop,
}

/// What the command line or a caller overrides in the model's settings.
#[derive(Clone, Default, Debug)]
pub struct Overrides {
    /// Parameters of the main diagram.
    pub parameters: Vec<(String, Value)>,
    /// Inputs of the main diagram that are expressions of time and of what the model computes,
    /// instead of values that the run is given.
    pub inputs: Vec<(String, String)>,
    /// Start time.
    pub start: Option<ExactTime>,
    /// Stop time.
    pub stop: Option<Time>,
    /// The name of the solver.
    pub solver: Option<String>,
    /// Relative and absolute tolerance.
    pub tolerance: Option<f64>,
    /// The time between rows \[s\].
    pub every: Option<Rational>,
    /// What has a row when something happens.
    pub rows: Option<RowsPer>,
    /// Rows between steps, so many over the run, so that curves look smooth.
    pub smooth: Option<u32>,
    /// The seed.
    pub seed: Option<u64>,
    /// What an impulse is.
    pub impulses: Option<Impulses>,
    /// The step of fixed-step solvers and of runs by fixed steps \[s\].
    pub step: Option<Rational>,
    /// Records every signal at every step: first those that the model records, then all others, each
    /// named by its path after a `~`.
    pub everything: bool,
    /// Takes all parameters for constants, so that setting one compiles the model again.
    pub closed: bool,
}

impl Overrides {
    /// These overrides, and others on top of them.
    pub fn then(&self, others: &Overrides) -> Overrides {
        let given = |name: &str| others.parameters.iter().any(|(other, _)| other == name);
        let kept = self.parameters.iter().filter(|(name, _)| !given(name));
        let replaced = |name: &str| others.inputs.iter().any(|(other, _)| other == name);
        let inputs = self.inputs.iter().filter(|(name, _)| !replaced(name));
        Overrides {
            inputs: inputs.chain(&others.inputs).cloned().collect(),
            parameters: kept.chain(&others.parameters).cloned().collect(),
            start: others.start.or(self.start),
            stop: others.stop.or(self.stop),
            solver: others.solver.clone().or_else(|| self.solver.clone()),
            tolerance: others.tolerance.or(self.tolerance),
            every: others.every.or(self.every),
            rows: others.rows.or(self.rows),
            smooth: others.smooth.or(self.smooth),
            seed: others.seed.or(self.seed),
            impulses: others.impulses.or(self.impulses),
            step: others.step.or(self.step),
            everything: others.everything || self.everything,
            closed: others.closed || self.closed,
        }
    }

    /// Whether a program that was compiled with these overrides has the structure that others ask
    /// for, apart from the values of parameters.
    pub fn is_same_structure(&self, others: &Overrides) -> bool {
        let structure = |own: &Overrides| (own.impulses, own.everything, own.closed);
        structure(self) == structure(others) && self.inputs == others.inputs
    }
}

const DEFAULT_TOLERANCE: f64 = 1e-6;
const DEFAULT_MICROSTEPS: u32 = 1000;

/// The settings of a run of a model: those of its `simulate` section over the values that its
/// parameters have in this run, with what the caller overrides.
pub fn run_settings<'v>(
    model: &Model,
    values: impl Iterator<Item = (&'v str, &'v Value)>,
    overrides: &Overrides,
) -> Result<RunSettings, Diagnostics> {
    let names = values.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let mut errors = Diagnostics::default();
    let settings = evaluate(&model.simulate, &names, overrides, &mut errors);
    errors.or(settings)
}

/// Evaluates the settings over the parameters of the main diagram.
pub(crate) fn evaluate(
    simulate: &Simulate,
    parameters: &Names,
    overrides: &Overrides,
    errors: &mut Diagnostics,
) -> RunSettings {
    let mut reader = Reader { parameters, errors };
    let (begin, stop) = reader.limits(simulate, overrides);
    let start = begin.time();
    let [relative_tolerance, absolute_tolerance] = reader.tolerances(simulate, overrides.tolerance);
    let impulses = overrides.impulses.unwrap_or_else(|| impulses(simulate));
    let (step, grid) = reader.step(&simulate.step, overrides.step, impulses);
    let maximum_step = reader.positive(&simulate.maximum_step, "maximum_step");
    let span = |expr: &Option<Expr>| expr.as_ref().map(|expr| expr.span);
    let written = span(&simulate.step).filter(|_| overrides.step.is_none());
    // For runs by fixed steps, a step below an attosecond has been refused already.
    let unknown = step.filter(|_| !impulses.steps() || grid.is_some());
    reader.resolved(unknown, written, "step", stop - start);
    reader.resolved(maximum_step, span(&simulate.maximum_step), "maximum_step", stop - start);
    let solver = match (&overrides.solver, &simulate.solver) {
        (Some(name), _) => (name.clone(), None),
        (None, Some(name)) => (name.value.clone(), Some(name.span)),
        (None, None) => ("rk45".to_owned(), None),
    };
    RunSettings {
        start: begin,
        stop,
        solver,
        relative_tolerance,
        absolute_tolerance,
        impulses,
        step,
        grid,
        initial_step: reader.positive(&simulate.initial_step, "initial_step"),
        maximum_step: maximum_step.unwrap_or(f64::INFINITY),
        rows: match overrides.everything {
            true => {
                let per = RowsPer::Microstep;
                Rows { steps: true, every: None, times: Vec::new(), per }
            }
            false => smooth(reader.rows(simulate, overrides), overrides.smooth, start, stop),
        },
        seed: overrides.seed.or_else(|| reader.count(&simulate.seed, "seed")).unwrap_or(0),
        microsteps: reader
            .count(&simulate.microsteps, "microsteps")
            .map_or(DEFAULT_MICROSTEPS, |n| n.clamp(2, u64::from(u32::MAX - 1)) as u32),
        zeno: reader.zeno(simulate),
    }
}

/// Adds rows between steps, if they are requested and the model has no times of its own.
fn smooth(rows: Rows, number: Option<u32>, start: Time, stop: Time) -> Rows {
    let length = Time::to_rational(stop - start);
    match number {
        Some(number) if rows.steps && number > 0 && stop > start => {
            let part = base::checked_quotient(length, Rational::from_integer(number.into()));
            Rows { every: part, ..rows }
        }
        _ => rows,
    }
}

/// The model's representation of impulses; the parser has checked the word.
pub(crate) fn impulses(simulate: &Simulate) -> Impulses {
    simulate.impulses.as_ref().and_then(|word| Impulses::named(&word.value)).unwrap_or_default()
}

fn one_second() -> ExactTime {
    Time::from_attoseconds(base::ATTOSECONDS_PER_SECOND).into()
}

/// The unit of model time \[s\].
const ATTOSECOND: f64 = 1e-18;

/// What a period must be, in words.
const LEAST_TIME: &str = "a positive time, at least one attosecond";

fn is_positive_time(seconds: &Rational) -> bool {
    Time::from_rational(*seconds).is_some_and(|time| time > Time::ZERO)
}

struct Reader<'a> {
    parameters: &'a Names,
    errors: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn value(&mut self, expr: &Expr) -> Option<Value> {
        // Its value belongs to the run, and decides nothing of what is built.
        let value = constant(expr, self.parameters, &Opening::default(), &|_| Moving::Unknown);
        self.errors.keep(value)
    }

    fn wrong(&mut self, span: Span, name: &str, must: &str) {
        let message = format!("`{name}` must be {must}");
        self.errors.push(Diagnostic::error("bad-setting", message).at(span, "is not"));
    }

    fn time(
        &mut self,
        expr: &Option<Expr>,
        over: Option<ExactTime>,
        none: ExactTime,
        name: &str,
    ) -> ExactTime {
        if let Some(time) = over {
            return time;
        }
        let Some(expr) = expr else { return none };
        let Some(value) = self.value(expr) else { return none };
        match value.as_rational().and_then(ExactTime::from_rational) {
            Some(time) if value.as_bool().is_none() => time,
            _ => {
                self.wrong(expr.span, name, "a time in seconds, at most 1e20");
                none
            }
        }
    }

    /// The start and the stop of the run.
    fn limits(&mut self, simulate: &Simulate, overrides: &Overrides) -> (ExactTime, Time) {
        let begin = self.time(&simulate.start, overrides.start, ExactTime::default(), "start");
        let start = begin.time();
        let stop = overrides.stop.map(ExactTime::from);
        let stop = self.time(&simulate.stop, stop, begin + one_second(), "stop").time();
        if stop < start {
            let mut error =
                Diagnostic::error("bad-setting", "the stop time is before the start time");
            // The error does not point into the file if an override is the cause.
            let given = overrides.start.is_none() && overrides.stop.is_none();
            match simulate.stop.as_ref().filter(|_| given) {
                Some(expr) => error = error.at(expr.span, format!("start is {start}")),
                None => error = error.note(format!("the start is {start}, and the stop is {stop}")),
            }
            self.errors.push(error);
        }
        (begin, stop)
    }

    /// The relative and the absolute tolerance. An override sets both; `tolerance` in the file is
    /// used for those that the file does not set by themselves.
    fn tolerances(&mut self, simulate: &Simulate, over: Option<f64>) -> [f64; 2] {
        let common = match over {
            Some(tolerance) => Some(self.checked_override(tolerance, "tolerance")),
            None => self.positive(&simulate.tolerance, "tolerance"),
        };
        let common_override = over.and(common);
        let tolerance = common.unwrap_or(DEFAULT_TOLERANCE);
        let relative = self.positive(&simulate.relative_tolerance, "relative_tolerance");
        let absolute = self.positive(&simulate.absolute_tolerance, "absolute_tolerance");
        [relative, absolute].map(|own| common_override.or(own).unwrap_or(tolerance))
    }

    fn positive(&mut self, expr: &Option<Expr>, name: &str) -> Option<f64> {
        let expr = expr.as_ref()?;
        let value = self.value(expr)?;
        match value.as_f64() {
            Some(x) if x > 0.0 && value.as_bool().is_none() => Some(x),
            _ => {
                self.wrong(expr.span, name, "a positive number");
                None
            }
        }
    }

    /// The step as a float and as an exact time.
    fn step(
        &mut self,
        expr: &Option<Expr>,
        over: Option<Rational>,
        impulses: Impulses,
    ) -> (Option<f64>, Option<Rational>) {
        let exact = |step: Rational| Some(step).filter(is_positive_time);
        if let Some(step) = over {
            let float = *step.numer() as f64 / *step.denom() as f64;
            if impulses.steps() && exact(step).is_none() {
                let message = format!("the step must be {LEAST_TIME}");
                self.errors.push(Diagnostic::error("bad-setting", message));
            }
            return (Some(float), exact(step));
        }
        let Some(float) = self.positive(expr, "step") else { return (None, None) };
        let value = expr.as_ref().and_then(|expr| self.value(expr));
        let grid = value.and_then(|value| value.as_rational()).and_then(exact);
        if let (Some(expr), None, true) = (expr, grid, impulses.steps()) {
            self.wrong(expr.span, "step", LEAST_TIME);
        }
        (Some(float), grid)
    }

    /// Refuses steps that time cannot resolve over a run of this length: they would never end.
    fn resolved(&mut self, step: Option<f64>, span: Option<Span>, name: &str, length: Time) {
        let length = length.seconds();
        let least = (f64::EPSILON * length).max(ATTOSECOND);
        let Some(step) = step.filter(|step| *step < least) else { return };
        let message = format!("`{name}` is below the resolution of time: {step:e} s");
        let error = Diagnostic::error("bad-setting", message)
            .note(format!("in a run of {length} s times are told apart from {least:.1e} s on"))
            .help("take a longer step, or leave it out");
        self.errors.push(match span {
            Some(span) => error.at(span, "time would not go on"),
            None => error,
        });
    }

    fn checked_override(&mut self, value: f64, name: &str) -> f64 {
        if value > 0.0 && value.is_finite() {
            return value;
        }
        let message = format!("`{name}` must be a positive number, not {value}");
        self.errors.push(Diagnostic::error("bad-setting", message));
        DEFAULT_TOLERANCE
    }

    fn count(&mut self, expr: &Option<Expr>, name: &str) -> Option<u64> {
        let expr = expr.as_ref()?;
        match self.value(expr)?.as_int().and_then(|n| u64::try_from(n).ok()) {
            Some(n) => Some(n),
            None => {
                self.wrong(expr.span, name, "a whole number from 0 on");
                None
            }
        }
    }

    fn rows(&mut self, simulate: &Simulate, overrides: &Overrides) -> Rows {
        let over = overrides.every;
        let every = match over {
            Some(every) => self.checked_period(every, "every"),
            None => self.period(&simulate.every, "every"),
        };
        let times = match (&simulate.times, over) {
            (Some(expr), None) => self.times(expr),
            _ => Vec::new(),
        };
        // The parser has checked the word.
        let word = simulate.rows.as_ref().and_then(|word| RowsPer::named(&word.value));
        // Evenly spaced rows are a table over time, in which an instant has one line.
        let usual = every.map_or(RowsPer::Microstep, |_| RowsPer::Instant);
        let per = overrides.rows.or(word).unwrap_or(usual);
        Rows { steps: every.is_none() && simulate.times.is_none(), every, times, per }
    }

    fn period(&mut self, expr: &Option<Expr>, name: &str) -> Option<Rational> {
        let expr = expr.as_ref()?;
        let value = self.value(expr)?;
        let period = value.as_rational().filter(|_| value.as_bool().is_none());
        let period = period.filter(is_positive_time);
        if period.is_none() {
            self.wrong(expr.span, name, LEAST_TIME);
        }
        period
    }

    /// A period that overrides that of the file.
    fn checked_period(&mut self, period: Rational, name: &str) -> Option<Rational> {
        let period = Some(period).filter(is_positive_time);
        if period.is_none() {
            let message = format!("`{name}` must be {LEAST_TIME}");
            self.errors.push(Diagnostic::error("bad-setting", message));
        }
        period
    }

    fn times(&mut self, expr: &Expr) -> Vec<Time> {
        let parts = match &expr.kind {
            ExprKind::Vector(parts) => parts.as_slice(),
            _ => std::slice::from_ref(expr),
        };
        let mut times = Vec::new();
        for part in parts {
            let Some(value) = self.value(part) else { continue };
            match value.as_rational().and_then(Time::from_rational) {
                Some(time) if value.as_bool().is_none() => times.push(time),
                _ => self.wrong(part.span, "times", "a list of times in seconds"),
            }
        }
        times.sort_unstable();
        times.dedup();
        times
    }

    fn zeno(&mut self, simulate: &Simulate) -> Zeno {
        let Some(word) = &simulate.zeno else { return Zeno::Error };
        match word.value.as_str() {
            "error" => Zeno::Error,
            "stop" => Zeno::Stop,
            other => {
                let error = Diagnostic::error("bad-setting", "`zeno` must be error or stop")
                    .at(word.span, "neither of them")
                    .maybe_help(did_you_mean(other, ["error", "stop"]));
                self.errors.push(error);
                Zeno::Error
            }
        }
    }
}
