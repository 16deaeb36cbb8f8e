//! How a model is run: the settings of its `simulate` section, evaluated.

use base::{Diagnostic, Diagnostics, ExactTime, Rational, Span, Time, Value};
use blocks::Impulses;
use expr::{Expr, ExprKind};
use model::{Model, RunSetting, SettingKind, Simulate};

use crate::Settings;
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
    /// What it means if a comparison switches the motion back onto its own surface.
    pub sliding: Sliding,
    /// The rules by which steps are chosen and crossings found.
    pub profile: Profile,
    /// In the profile of Ptolemy II, how much longer the next step is than one that was accepted.
    pub growth: f64,
    /// In that profile, the longest step after another one \[s\].
    pub next_step: f64,
}

/// The rules by which steps are chosen and crossings found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Profile {
    /// Ours: the error decides, and crossings are located on the dense output.
    #[default]
    Native,
    /// Those of the Continuous domain of Ptolemy II.
    Ptolemy,
}

impl Profile {
    /// Both of them.
    pub const ALL: [Profile; 2] = [Profile::Native, Profile::Ptolemy];

    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Native => "native",
            Profile::Ptolemy => "ptolemy",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == word)
    }
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
    /// Rest there: the function whose events accumulate and its rate stay zero.
    Rest,
}

impl Zeno {
    /// All of them.
    pub const ALL: [Zeno; 3] = [Zeno::Error, Zeno::Stop, Zeno::Rest];

    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        match self {
            Zeno::Error => "error",
            Zeno::Stop => "stop",
            Zeno::Rest => "rest",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Zeno> {
        Zeno::ALL.into_iter().find(|zeno| zeno.name() == word)
    }
}

/// What it means if a comparison switches the motion back onto its own surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sliding {
    /// Nothing: the run ends with an error.
    Error,
    /// A motion along the surface, with the convex combination of the rates on both sides that
    /// stays on it (A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988).
    Filippov,
}

impl Sliding {
    /// Both of them.
    pub const ALL: [Sliding; 2] = [Sliding::Error, Sliding::Filippov];

    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        match self {
            Sliding::Error => "error",
            Sliding::Filippov => "filippov",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Sliding> {
        Sliding::ALL.into_iter().find(|sliding| sliding.name() == word)
    }
}

const DEFAULT_TOLERANCE: f64 = 1e-6;
const DEFAULT_MICROSTEPS: u32 = 1000;
const DEFAULT_GROWTH: f64 = 5.0;

/// The settings of a run of a model over the values that its parameters have in this run. What the
/// caller overrides in them has been applied to the model.
pub fn run_settings<'v>(
    model: &Model,
    values: impl Iterator<Item = (&'v str, &'v Value)>,
    overrides: &Settings,
) -> Result<RunSettings, Diagnostics> {
    debug_assert!(overrides.are_applied(model), "settings that were not applied to the model");
    let names = values.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let mut errors = Diagnostics::default();
    let settings = evaluate(&model.simulate, &names, overrides, &mut errors);
    errors.or(settings)
}

/// Evaluates the settings over the parameters of the main diagram.
pub(crate) fn evaluate(
    simulate: &Simulate,
    parameters: &Names,
    overrides: &Settings,
    errors: &mut Diagnostics,
) -> RunSettings {
    let mut reader = Reader { simulate, parameters, errors };
    let (begin, stop) = reader.limits();
    let start = begin.time();
    let [relative_tolerance, absolute_tolerance] = reader.tolerances();
    let impulses = impulses(simulate);
    let (step, grid) = reader.step(impulses);
    let maximum_step = reader.positive(RunSetting::MaximumStep);
    // For runs by fixed steps, a step below an attosecond has been refused already.
    let unknown = step.filter(|_| !impulses.steps() || grid.is_some());
    reader.resolved(unknown, RunSetting::Step, stop - start);
    reader.resolved(maximum_step, RunSetting::MaximumStep, stop - start);
    let solver = match simulate.word(RunSetting::Solver) {
        Some(name) => (name.value.clone(), Some(name.span)),
        None => ("rk45".to_owned(), None),
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
        initial_step: reader.positive(RunSetting::InitialStep),
        maximum_step: maximum_step.unwrap_or(f64::INFINITY),
        rows: match overrides.everything {
            true => {
                let per = RowsPer::Microstep;
                Rows { steps: true, every: None, times: Vec::new(), per }
            }
            false => smooth(reader.rows(), overrides.smooth, start, stop),
        },
        seed: reader.count(RunSetting::Seed).unwrap_or(0),
        microsteps: reader
            .count(RunSetting::Microsteps)
            .map_or(DEFAULT_MICROSTEPS, |n| n.clamp(2, u64::from(u32::MAX - 1)) as u32),
        zeno: word(simulate, RunSetting::Zeno, Zeno::named).unwrap_or(Zeno::Error),
        sliding: word(simulate, RunSetting::Sliding, Sliding::named).unwrap_or(Sliding::Error),
        profile: word(simulate, RunSetting::Profile, Profile::named).unwrap_or_default(),
        growth: reader.positive(RunSetting::Growth).unwrap_or(DEFAULT_GROWTH),
        next_step: reader.positive(RunSetting::NextStep).unwrap_or(f64::INFINITY),
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

/// The representation of impulses.
pub(crate) fn impulses(simulate: &Simulate) -> Impulses {
    word(simulate, RunSetting::Impulses, Impulses::named).unwrap_or_default()
}

/// What the word of a setting means, if there is one; the parser has checked it.
fn word<T>(simulate: &Simulate, setting: RunSetting, named: fn(&str) -> Option<T>) -> Option<T> {
    simulate.word(setting).and_then(|word| named(&word.value))
}

fn one_second() -> ExactTime {
    Time::from_attoseconds(base::ATTOSECONDS_PER_SECOND).into()
}

/// The unit of model time \[s\].
const ATTOSECOND: f64 = 1e-18;

fn is_positive_time(seconds: &Rational) -> bool {
    Time::from_rational(*seconds).is_some_and(|time| time > Time::ZERO)
}

/// The exact number; none if the value is a truth value or has several elements.
fn number(value: &Value) -> Option<Rational> {
    value.as_rational().filter(|_| value.as_bool().is_none())
}

struct Reader<'a> {
    simulate: &'a Simulate,
    parameters: &'a Names,
    errors: &'a mut Diagnostics,
}

impl Reader<'_> {
    /// The value of a setting and where it was written; none if it is not set.
    fn value(&mut self, setting: RunSetting) -> Option<(Value, Span)> {
        let expr = self.simulate.value(setting)?;
        Some((self.evaluate(expr)?, expr.span))
    }

    fn evaluate(&mut self, expr: &Expr) -> Option<Value> {
        // Its value belongs to the run, and decides nothing of what is built.
        let value = constant(expr, self.parameters, &Opening::default(), &|_| Moving::Unknown);
        self.errors.keep(value)
    }

    /// Refuses the value of a setting.
    fn wrong(&mut self, setting: RunSetting, value: &Value, span: Span) {
        self.must_be(setting, setting.kind().requirement(), value, span);
    }

    fn must_be(&mut self, setting: RunSetting, requirement: &str, value: &Value, span: Span) {
        let message = format!("`{}` must be {requirement}", setting.key());
        let error = Diagnostic::error("bad-setting", message);
        self.errors.push(error.at(span, format!("this is {value}")));
    }

    fn time(&mut self, setting: RunSetting) -> Option<ExactTime> {
        let (value, span) = self.value(setting)?;
        let time = number(&value).and_then(ExactTime::from_rational);
        if time.is_none() {
            self.wrong(setting, &value, span);
        }
        time
    }

    /// The start and the stop of the run.
    fn limits(&mut self) -> (ExactTime, Time) {
        let begin = self.time(RunSetting::Start).unwrap_or_default();
        let start = begin.time();
        let stop = self.time(RunSetting::Stop).unwrap_or(begin + one_second()).time();
        if stop < start {
            // The error does not point into the file if an override is the cause.
            let given = |setting| self.simulate.is_given(setting);
            let cause = match given(RunSetting::Start) && !given(RunSetting::Stop) {
                true => RunSetting::Start,
                false => RunSetting::Stop,
            };
            let message = "the stop time is before the start time";
            let error = Diagnostic::error("bad-setting", message)
                .note(format!("the start is {start}, and the stop is {stop}"));
            self.errors.push(match self.simulate.value(cause) {
                Some(expr) => error.at(expr.span, ""),
                None => error,
            });
        }
        (begin, stop)
    }

    /// The relative and the absolute tolerance: `tolerance` is used for those that are not set by
    /// themselves.
    fn tolerances(&mut self) -> [f64; 2] {
        let both = self.positive(RunSetting::Tolerance).unwrap_or(DEFAULT_TOLERANCE);
        let each = [RunSetting::RelativeTolerance, RunSetting::AbsoluteTolerance];
        each.map(|setting| self.positive(setting).unwrap_or(both))
    }

    /// A positive number. A step may be infinite, which means that nothing limits it.
    fn positive(&mut self, setting: RunSetting) -> Option<f64> {
        let (value, span) = self.value(setting)?;
        let limited = setting.kind() != SettingKind::Step;
        let number = value.as_f64().filter(|_| value.as_bool().is_none());
        let number = number.filter(|x| *x > 0.0 && !(limited && x.is_infinite()));
        if number.is_none() {
            self.wrong(setting, &value, span);
        }
        number
    }

    /// The step as a float and as an exact time.
    fn step(&mut self, impulses: Impulses) -> (Option<f64>, Option<Rational>) {
        let Some(float) = self.positive(RunSetting::Step) else { return (None, None) };
        let Some((value, span)) = self.value(RunSetting::Step) else { return (None, None) };
        let grid = value.as_rational().filter(is_positive_time);
        if grid.is_none() && impulses.steps() {
            let requirement = SettingKind::Period.requirement();
            self.must_be(RunSetting::Step, requirement, &value, span);
        }
        (Some(float), grid)
    }

    /// Refuses steps that time cannot resolve over a run of this length: they would never end.
    fn resolved(&mut self, step: Option<f64>, setting: RunSetting, length: Time) {
        let length = length.seconds();
        let least = (f64::EPSILON * length).max(ATTOSECOND);
        let Some(step) = step.filter(|step| *step < least) else { return };
        let message = format!("`{}` is below the resolution of time: {step:e} s", setting.key());
        let error = Diagnostic::error("bad-setting", message)
            .note(format!(
                "in a run of {length} s times can be distinguished from {least:.1e} s on"
            ))
            .help("take a longer step, or leave it out");
        self.errors.push(match self.simulate.value(setting) {
            Some(expr) => error.at(expr.span, "time would not go on"),
            None => error,
        });
    }

    fn count(&mut self, setting: RunSetting) -> Option<u64> {
        let (value, span) = self.value(setting)?;
        let whole = number(&value).filter(|number| number.is_integer());
        let count = whole.and_then(|number| u64::try_from(number.to_integer()).ok());
        if count.is_none() {
            self.wrong(setting, &value, span);
        }
        count
    }

    fn rows(&mut self) -> Rows {
        let every = self.period(RunSetting::Every);
        let times = self.simulate.value(RunSetting::Times);
        let steps = every.is_none() && times.is_none();
        let times = times.map_or(Vec::new(), |expr| self.times(expr));
        // Evenly spaced rows are a table over time, in which an instant has one line.
        let usual = every.map_or(RowsPer::Microstep, |_| RowsPer::Instant);
        let per = word(self.simulate, RunSetting::Rows, RowsPer::named).unwrap_or(usual);
        Rows { steps, every, times, per }
    }

    fn period(&mut self, setting: RunSetting) -> Option<Rational> {
        let (value, span) = self.value(setting)?;
        let period = number(&value).filter(is_positive_time);
        if period.is_none() {
            self.wrong(setting, &value, span);
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
            let Some(value) = self.evaluate(part) else { continue };
            match number(&value).and_then(Time::from_rational) {
                Some(time) => times.push(time),
                None => self.wrong(RunSetting::Times, &value, part.span),
            }
        }
        times.sort_unstable();
        times.dedup();
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the table of settings are those that have a meaning here.
    #[test]
    fn every_word_has_a_meaning() {
        let words = |setting: RunSetting| match setting.kind() {
            SettingKind::Words(words) => words.to_vec(),
            _ => Vec::new(),
        };
        assert_eq!(words(RunSetting::Rows), RowsPer::ALL.map(RowsPer::name));
        assert_eq!(words(RunSetting::Zeno), Zeno::ALL.map(Zeno::name));
        let (mut known, mut named) =
            (words(RunSetting::Impulses), Impulses::ALL.map(Impulses::name).to_vec());
        known.sort_unstable();
        named.sort_unstable();
        assert_eq!(known, named);
    }
}
