//! Whether every signal of a run is piecewise continuous, in the sense of E. A. Lee, "Constructive
//! Models of Discrete and Continuous Physical Phenomena" (2014), section 2.2.
//!
//! ```text
//! at each time t:  initial value x(t, 0), final value x(t, m)
//! between ticks:   from x(t1, m) on to x(t2, 0) the signal is continuous, both ends included
//! events:          absent at every microstep 0
//! ```
//!
//! What comes in is a system and how its runs start; what goes out is where a signal is not like
//! that. The engine is not trusted: the signals of a run are looked at from outside. An interval over
//! which one of them changes is divided, in a further run, and again, as long as half of the change
//! is still between two neighbouring points. Over a continuous signal that ends soon. What is left
//! when time cannot be divided further is a jump.

use std::collections::BTreeSet;

use base::{Diagnostic, Tag, Time};
use diagram::{Presence, Rows, RowsPer, Settings};
use engine::RunError;
use trace::Trace;

use crate::{Refused, Run, System};

/// The parts into which an interval is divided.
const PARTS: i128 = 8;
/// The part of a change that must remain between two points.
const REMAINS: f64 = 0.5;
/// The least change that counts, relative to the magnitude of a signal, and in tolerances of the
/// solver.
const LEAST: f64 = 1e-9;
const TOLERANCES: f64 = 100.0;
/// The same in roundings of the largest signal.
const ROUNDINGS: f64 = 16.0;
/// A signal that changes as much in so many parts of a part of a step is no jump but rounding, such
/// as the difference of two signals that are equal.
const NOISY: usize = 3;
const DEEP: u32 = 2;
/// Intervals that are not divided further: relative to time, and in attoseconds.
const FINEST: f64 = 4e-15;
const ATTOSECONDS: i128 = 16;
/// More findings than a reader wants.
const MOST: usize = 100;

/// What an audit has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Audit {
    /// How many signals were looked at.
    pub signals: usize,
    /// How many points in time were.
    pub points: usize,
    /// The number of runs that it took.
    pub runs: usize,
    /// The signals that are not piecewise continuous, in the order of tags.
    pub findings: Vec<Finding>,
}

/// A place at which a signal is not piecewise continuous.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The path of the signal.
    pub signal: String,
    /// The block that drives it.
    pub block: String,
    /// Where it was found; between ticks, the end of an interval that time hardly resolves.
    pub tag: Tag,
    /// What is wrong.
    pub fault: Fault,
}

/// How a signal is not piecewise continuous. No value means that the signal is absent.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// The value at microstep 0 is not the left limit.
    NotLeftLimit {
        /// The left limit.
        limit: Option<Vec<f64>>,
        /// The value.
        value: Option<Vec<f64>>,
    },
    /// The value at the last microstep is not the right limit.
    NotRightLimit {
        /// The value.
        value: Option<Vec<f64>>,
        /// The right limit.
        limit: Option<Vec<f64>>,
    },
    /// The signal jumps at a time at which nothing happens.
    Jump {
        /// The value before it.
        from: Option<Vec<f64>>,
        /// The value after it.
        to: Option<Vec<f64>>,
    },
    /// An event is present at microstep 0.
    EventAtMicrostepZero,
    /// An event lasts: it is present at a time at which nothing happens.
    EventLasts,
}

/// Why there is no audit.
#[derive(Debug)]
pub enum AuditError {
    /// A fixed-step run has no microsteps.
    FixedStep,
    /// A system that records everything was refused.
    Refused(Refused),
    /// A run failed.
    Failed(Box<RunError>),
}

/// An interval between two neighbouring points over which a signal changes.
#[derive(Clone, Copy)]
struct Suspect {
    column: usize,
    from: Time,
    to: Time,
    change: f64,
    /// How often the interval has been divided.
    depth: u32,
}

impl System {
    /// Audits a run: whether every signal is piecewise continuous. Runs are started by the caller,
    /// who may give them inputs; each must be the same as the others.
    pub fn audit<E>(
        &self,
        mut begin: impl FnMut(&System) -> Result<Run, E>,
    ) -> Result<Result<Audit, AuditError>, E> {
        if self.settings().impulses.steps() {
            return Ok(Err(AuditError::FixedStep));
        }
        let everything = Settings { everything: true, ..Settings::default() };
        let system = match self.with(&everything) {
            Ok(system) => system,
            Err(refused) => return Ok(Err(AuditError::Refused(refused))),
        };
        let mut rows = |times: &BTreeSet<Time>| {
            let run = begin(&system)?;
            Ok(system.looked_at(run, times).map_err(|error| AuditError::Failed(error.into())))
        };
        let trace = match rows(&BTreeSet::new())? {
            Ok(trace) => trace,
            Err(error) => return Ok(Err(error)),
        };
        let mut findings = system.misplaced_events(&trace);
        let (mut suspects, scales) = system.first_suspects(&trace);
        let (mut runs, mut points) = (1, trace.len());
        while !suspects.is_empty() {
            let times: BTreeSet<Time> = suspects.iter().flat_map(Suspect::divided).collect();
            let trace = match rows(&times)? {
                Ok(trace) => trace,
                Err(error) => return Ok(Err(error)),
            };
            runs += 1;
            points = points.max(trace.len());
            let instants = instants(&trace);
            let mut left = Vec::new();
            for own in &suspects {
                for part in own.parts(&trace, &instants) {
                    match part.is_finest() && part.change > scales[part.column] {
                        true => findings.push(system.finding(&trace, &instants, &part)),
                        false if part.change > scales[part.column] => left.push(part),
                        false => {}
                    }
                }
            }
            suspects = left;
        }
        findings.sort_by(|a, b| (a.tag, &a.signal).cmp(&(b.tag, &b.signal)));
        findings.truncate(MOST);
        let signals = self.shown_columns(&system);
        Ok(Ok(Audit { signals, points, runs, findings }))
    }

    fn shown_columns(&self, all: &System) -> usize {
        all.diagram.records.iter().filter(|record| !record.hidden).count()
    }

    /// The rows of a run at its steps, at every microstep, and at some more times.
    fn looked_at(&self, mut run: Run, times: &BTreeSet<Time>) -> Result<Trace, RunError> {
        let times: Vec<Time> = times.iter().copied().collect();
        let rows = Rows { steps: true, every: None, times, per: RowsPer::Microstep };
        let index = run.record_beside(&rows).expect("a run that has rows beside its own");
        run.record_nothing();
        loop {
            match run.advance_by(1024) {
                Ok(None) => {}
                // A run that ends at an accumulation has been one up to there.
                Ok(Some(_)) | Err(RunError::Zeno { .. }) => return Ok(run.beside(index).clone()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Events that are present at microstep 0, each signal once.
    fn misplaced_events(&self, trace: &Trace) -> Vec<Finding> {
        let mut found = Vec::new();
        for column in 0..trace.columns().len() {
            let wire = self.diagram.wire(self.diagram.records[column].wire);
            if wire.between != Presence::Never {
                continue;
            }
            let here = |row: &usize| {
                trace.tags()[*row].microstep == 0 && trace.get(*row, column).is_some()
            };
            if let Some(row) = (0..trace.len()).find(here) {
                let tag = trace.tags()[row];
                let ticks = trace.tags().get(row + 1).is_some_and(|next| next.time == tag.time);
                let fault = if ticks { Fault::EventAtMicrostepZero } else { Fault::EventLasts };
                found.push(self.named(column, tag, fault));
            }
        }
        found
    }

    /// All intervals over which a signal changes between ticks, and the least change of each signal
    /// that counts.
    fn first_suspects(&self, trace: &Trace) -> (Vec<Suspect>, Vec<f64>) {
        let (instants, run) = (instants(trace), self.settings());
        let least = LEAST.max(TOLERANCES * run.relative_tolerance);
        let magnitude = |column: usize| {
            let values = (0..trace.len()).filter_map(|row| trace.get(row, column)).flatten();
            values.filter(|x| x.is_finite()).fold(0.0f64, |most, x| most.max(x.abs()))
        };
        let magnitudes: Vec<f64> = (0..trace.columns().len()).map(magnitude).collect();
        // A difference of large signals moves in steps of their rounding.
        let rounding = ROUNDINGS * f64::EPSILON * magnitudes.iter().fold(0.0, |a, b| b.max(a));
        let scales: Vec<f64> = magnitudes.iter().map(|most| rounding.max(least * most)).collect();
        let mut found = Vec::new();
        for (column, scale) in scales.iter().enumerate() {
            for pair in instants.windows(2) {
                let change =
                    distance(trace.get(pair[0].last, column), trace.get(pair[1].first, column));
                if change > *scale {
                    let (from, to) = (pair[0].time, pair[1].time);
                    found.push(Suspect { column, from, to, change, depth: 0 });
                }
            }
        }
        (found, scales)
    }

    fn finding(&self, trace: &Trace, instants: &[Instant], part: &Suspect) -> Finding {
        let of = |time: Time| instants.binary_search_by_key(&time, |own| own.time);
        let value = |row: usize| trace.get(row, part.column).map(<[f64]>::to_vec);
        let (Ok(from), Ok(to)) = (of(part.from), of(part.to)) else {
            unreachable!("a part lies between two instants")
        };
        let (before, after) = (value(instants[from].last), value(instants[to].first));
        let ticks = |own: &Instant| own.last > own.first;
        let (tag, fault) = if ticks(&instants[to]) {
            let tag = Tag::new(part.to, 0);
            (tag, Fault::NotLeftLimit { limit: before, value: after })
        } else if ticks(&instants[from]) {
            let tag = trace.tags()[instants[from].last];
            (tag, Fault::NotRightLimit { value: before, limit: after })
        } else {
            (Tag::new(part.to, 0), Fault::Jump { from: before, to: after })
        };
        self.named(part.column, tag, fault)
    }

    fn named(&self, column: usize, tag: Tag, fault: Fault) -> Finding {
        let record = &self.diagram.records[column];
        let signal = record.name.trim_start_matches('~').to_owned();
        let block = self.diagram.block(self.diagram.wire(record.wire).block).path.clone();
        Finding { signal, block, tag, fault }
    }

    /// A finding as a diagnostic with its place in the text.
    pub fn explain_finding(&self, finding: &Finding) -> Diagnostic {
        let Finding { signal, block, tag, fault } = finding;
        let shown = |value: &Option<Vec<f64>>| match value {
            Some(value) => value.iter().map(|x| base::shown(*x)).collect::<Vec<_>>().join(", "),
            None => "absent".to_owned(),
        };
        let what = match fault {
            Fault::NotLeftLimit { limit, value } => {
                format!("is {} at {tag}, and its left limit is {}", shown(value), shown(limit))
            }
            Fault::NotRightLimit { value, limit } => {
                format!("is {} at {tag}, and its right limit is {}", shown(value), shown(limit))
            }
            Fault::Jump { from, to } => {
                format!("jumps from {} to {} at {tag}, without an event", shown(from), shown(to))
            }
            Fault::EventAtMicrostepZero => format!("is an event at {tag}, at microstep 0"),
            Fault::EventLasts => format!("is an event that lasts, at {tag}"),
        };
        let message = format!("not piecewise continuous: `{signal}` {what}");
        let help = "a function that jumps must say where: use comparisons, `floor` or a crossing \
                    of the language, which are located, in place of a jump inside a block";
        self.in_the_text(Diagnostic::error("not-piecewise-continuous", message).help(help), block)
    }
}

/// The rows at one time.
struct Instant {
    time: Time,
    first: usize,
    last: usize,
}

fn instants(trace: &Trace) -> Vec<Instant> {
    let mut found: Vec<Instant> = Vec::new();
    for (row, tag) in trace.tags().iter().enumerate() {
        match found.last_mut() {
            Some(last) if last.time == tag.time => last.last = row,
            _ => found.push(Instant { time: tag.time, first: row, last: row }),
        }
    }
    found
}

/// How far apart two values of a signal are; infinite if one of them is absent.
fn distance(a: Option<&[f64]>, b: Option<&[f64]>) -> f64 {
    match (a, b) {
        (None, None) => 0.0,
        (Some(a), Some(b)) => a
            .iter()
            .zip(b)
            .fold(0.0, |most, (a, b)| if a == b { most } else { most.max((a - b).abs()) }),
        _ => f64::INFINITY,
    }
}

impl Suspect {
    fn width(&self) -> i128 {
        (self.to - self.from).attoseconds()
    }

    /// Whether time does not resolve more.
    fn is_finest(&self) -> bool {
        let size = FINEST * self.to.seconds().abs() * 1e18;
        self.width() <= ATTOSECONDS.max(size as i128)
    }

    /// The ends and the points inside.
    fn divided(&self) -> impl Iterator<Item = Time> + use<> {
        let (from, width) = (self.from, self.width());
        (0..=PARTS).map(move |k| from + Time::from_attoseconds(width * k / PARTS))
    }

    /// The parts over which enough of the change remains.
    fn parts(&self, trace: &Trace, instants: &[Instant]) -> Vec<Suspect> {
        let begin = instants.partition_point(|own| own.time < self.from);
        let end = instants.partition_point(|own| own.time <= self.to);
        let mut found = Vec::new();
        for pair in instants[begin..end].windows(2) {
            let value = |row: usize| trace.get(row, self.column);
            let change = distance(value(pair[0].last), value(pair[1].first));
            if change >= REMAINS * self.change {
                let (from, to, depth) = (pair[0].time, pair[1].time, self.depth + 1);
                found.push(Suspect { from, to, change, depth, ..*self });
            }
        }
        if self.depth >= DEEP && found.len() >= NOISY {
            found.clear();
        }
        found
    }
}
