//! Whether the order of simultaneous events matters, although no microstep separates them.
//!
//! ```text
//! an instant with several causes (timers, crossings, delayed events); for two of them, a and b:
//!   together    as the run handles them: both at microstep 1
//!   a before b  a at microstep 1, b once nothing of a is left to happen at that time, the rest then
//!   b before a  the other way round
//! the order matters if the signals after the instant differ
//! ```
//!
//! A run goes ahead and finds the instants; a second one follows up to each, and is forked there.
//! Whatever the model itself does one microstep after the other is not touched.

use std::collections::HashMap;

use base::{Diagnostic, Tag, Time, shown};
use diagram::{FlatBlock, Presence, Settings};
use engine::{Cause, RunError, Simulation};
use model::standard_files;

use crate::run::Executor;
use crate::{Refused, Run, System};

/// At how many instants two causes are tried in both orders.
const MOST_TRIES: u32 = 16;
/// How many pairs are tried at one instant.
const MOST_PAIRS: usize = 32;
/// Values that differ by less than this, relative to the larger one, are rounding.
const ROUNDING: f64 = 1e-9;

/// What a search for places where order matters has found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OrderSearch {
    /// The number of instants with several causes.
    pub instants: u64,
    /// The number of pairs of causes that were tried in both orders.
    pub pairs: usize,
    /// How often a pair met at an instant and was not tried there, since it had been tried often
    /// enough or too many others were there.
    pub untried: u64,
    /// The pairs whose order matters, in the order of time.
    pub findings: Vec<OrderFinding>,
}

/// Two causes of one instant whose order matters.
#[derive(Clone, PartialEq, Debug)]
pub struct OrderFinding {
    /// The first instant at which it does.
    pub time: Time,
    /// The blocks of the causes.
    pub causes: [String; 2],
    /// What the run has done.
    pub handled: Handled,
    /// Signals that differ.
    pub differences: Vec<OrderDifference>,
}

/// How a run has handled two causes of one instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handled {
    /// With the result of the first cause before the second.
    AsFirst,
    /// With the result of the second cause before the first.
    AsSecond,
    /// With a result that neither order has.
    AsNeither,
}

/// A signal that depends on the order of two causes: its values after the instant, none if it is
/// absent or the instant fails.
#[derive(Clone, PartialEq, Debug)]
pub struct OrderDifference {
    /// Its name.
    pub signal: String,
    /// With the first cause before the second.
    pub first: Option<Vec<f64>>,
    /// With the second cause before the first.
    pub second: Option<Vec<f64>>,
    /// As the run has handled them.
    pub together: Option<Vec<f64>>,
}

/// Why there is no search.
#[derive(Debug)]
pub enum OrderError {
    /// A fixed-step run has no simultaneous events.
    FixedStep,
    /// A system that records everything was refused.
    Refused(Refused),
    /// The run failed.
    Failed(Box<RunError>),
    /// Whoever watches has had enough.
    Cut,
}

impl System {
    /// Searches a run for instants at which several events meet by chance and their order matters.
    /// Runs are started by the caller, who may give them inputs; each must be the same as the others.
    /// `watch` is called again and again with the run, and says whether to go on.
    pub fn search_order<E>(
        &self,
        mut begin: impl FnMut(&System) -> Result<Run, E>,
        watch: &mut dyn FnMut(&Run) -> bool,
    ) -> Result<Result<OrderSearch, OrderError>, E> {
        if self.settings().impulses.steps() {
            return Ok(Err(OrderError::FixedStep));
        }
        let everything = Settings { everything: true, ..Settings::default() };
        let system = match self.with(&everything) {
            Ok(system) => system,
            Err(refused) => return Ok(Err(OrderError::Refused(refused))),
        };
        let (ahead, behind) = (begin(&system)?, begin(&system)?);
        let columns = self.columns_that_matter(&system);
        Ok(Search::new(&system, behind, columns).go(ahead, watch))
    }

    /// The signals of a system that records everything whose values after an instant matter: those
    /// that are not events, and of the inside of diagrams of the standard library only continuous
    /// states and what is read from outside. What such a diagram notes for itself, such as how fast
    /// bodies have met, depends on the order even if nothing else does.
    fn columns_that_matter(&self, all: &System) -> Vec<usize> {
        let sources = all.sources();
        let from_library = |block: &FlatBlock| {
            let name = sources.name(block.span.file);
            standard_files().iter().any(|file| file.path == name)
        };
        let mut read = vec![false; all.diagram.wires.len()];
        for block in all.diagram.blocks.iter().filter(|block| !from_library(block)) {
            block.inputs.iter().flatten().for_each(|wire| read[wire.index()] = true);
        }
        let recorded = |name: &str| self.diagram.records.iter().any(|own| own.name == name);
        let matters = |column: &usize| {
            let record = &all.diagram.records[*column];
            let wire = all.diagram.wire(record.wire);
            let block = all.diagram.block(wire.block);
            let continuous = block.definition.states.iter().any(|own| own.derivative.is_some());
            let visible = !from_library(block) || read[record.wire.index()];
            wire.between != Presence::Never && (visible || continuous || recorded(&record.name))
        };
        (0..all.diagram.records.len()).filter(matters).collect()
    }

    /// A finding as a diagnostic with its place in the text.
    pub fn explain_order(&self, finding: &OrderFinding) -> Diagnostic {
        let OrderFinding { time, causes: [first, second], handled, differences } = finding;
        let tag = Tag::new(*time, 1);
        let message = format!("the order of `{first}` and `{second}` matters at {tag}");
        let text = |value: &Option<Vec<f64>>| match value {
            Some(value) => value.iter().map(|x| shown(*x)).collect::<Vec<_>>().join(", "),
            None => "nothing".to_owned(),
        };
        let mut notes: Vec<String> = Vec::new();
        for own in differences {
            let (a, b, both) = (text(&own.first), text(&own.second), text(&own.together));
            notes.push(format!(
                "`{}` becomes {a} with `{first}` first, {b} with `{second}` first, and {both} in \
                 this run",
                own.signal
            ));
        }
        notes.push(match handled {
            Handled::AsFirst => format!("this run handles them as if `{first}` came first"),
            Handled::AsSecond => format!("this run handles them as if `{second}` came first"),
            Handled::AsNeither => "this run handles them at once, which neither order does".into(),
        });
        let help = "say which comes first with a MicrostepDelay or `previous(...)`, or choose by \
                    nondeterministic transitions, whose outcomes `superdense explore` lists";
        let diagnostic = Diagnostic::warning("order-matters", message).help(help);
        let noted = notes.into_iter().fold(diagnostic, Diagnostic::note);
        self.in_the_text(noted, first)
    }
}

/// A search at work.
struct Search<'s> {
    system: &'s System,
    /// A run that stays behind, before the instant that is looked at.
    behind: Run,
    /// How often each pair has been tried; as often as possible once its order matters.
    tried: HashMap<[Cause; 2], u32>,
    found: OrderSearch,
    /// The columns that are compared.
    columns: Vec<usize>,
}

/// What is compared after an instant: signals and events that are still to come.
type Aftermath = Vec<(String, Option<Vec<f64>>)>;

fn simulation(run: &mut Run) -> Option<&mut Simulation> {
    match &mut run.executor {
        Executor::Exact(simulation) => Some(simulation),
        Executor::FixedStep(_) => None,
    }
}

impl Search<'_> {
    fn new(system: &System, mut behind: Run, columns: Vec<usize>) -> Search<'_> {
        behind.record_nothing();
        let (tried, found) = (HashMap::new(), OrderSearch::default());
        Search { system, behind, tried, found, columns }
    }

    fn go(
        mut self,
        mut ahead: Run,
        watch: &mut dyn FnMut(&Run) -> bool,
    ) -> Result<OrderSearch, OrderError> {
        ahead.record_nothing();
        if let Some(simulation) = simulation(&mut ahead) {
            simulation.take_turns(&[]);
        }
        let mut last = None;
        loop {
            if !watch(&ahead) {
                return Err(OrderError::Cut);
            }
            let end = match ahead.advance() {
                Ok(end) => end.is_some(),
                Err(RunError::Zeno { .. }) => true,
                Err(error) => return Err(OrderError::Failed(error.into())),
            };
            let time = ahead.tag().time;
            let causes = simulation(&mut ahead).map_or(&[][..], |own| own.causes()).to_vec();
            if causes.len() > 1 && last != Some(time) {
                last = Some(time);
                self.look_at(time, &causes)?;
            }
            if end {
                return Ok(self.found);
            }
        }
    }

    /// Tries the pairs of causes of an instant.
    fn look_at(&mut self, time: Time, causes: &[Cause]) -> Result<(), OrderError> {
        self.found.instants += 1;
        let mut chosen = Vec::new();
        for (at, first) in causes.iter().enumerate() {
            for second in &causes[at + 1..] {
                let pair = [first.clone(), second.clone()];
                let tried = self.tried.get(&pair).copied().unwrap_or(0);
                match tried < MOST_TRIES && chosen.len() < MOST_PAIRS {
                    true => chosen.push(pair),
                    false => self.found.untried += 1,
                }
            }
        }
        if chosen.is_empty() {
            return Ok(());
        }
        let before = time - Time::from_attoseconds(1);
        if before >= self.system.settings().start.time() {
            self.behind.advance_to(before).map_err(|error| OrderError::Failed(error.into()))?;
        }
        for pair in chosen {
            let rest: Vec<Cause> =
                causes.iter().filter(|own| !pair.contains(own)).cloned().collect();
            self.try_both(time, &pair, &rest);
        }
        self.found.pairs = self.tried.len();
        Ok(())
    }

    fn try_both(&mut self, time: Time, pair: &[Cause; 2], rest: &[Cause]) {
        let [a, b] = pair;
        let later = |turns: &[&[Cause]]| {
            turns.iter().filter(|turn| !turn.is_empty()).map(|turn| turn.to_vec()).collect()
        };
        let first = self.after(time, later(&[std::slice::from_ref(b), rest]));
        let second = self.after(time, later(&[std::slice::from_ref(a), rest]));
        let together = self.after(time, later(&[rest]));
        let differs = |a: &Aftermath, b: &Aftermath| {
            a.len() != b.len() || a.iter().zip(b).any(|(a, b)| !agree(&a.1, &b.1))
        };
        let tries = self.tried.entry(pair.clone()).or_insert(0);
        *tries += 1;
        if !differs(&first, &second) {
            return;
        }
        *tries = MOST_TRIES;
        let handled = match (differs(&together, &first), differs(&together, &second)) {
            (false, _) => Handled::AsFirst,
            (_, false) => Handled::AsSecond,
            _ => Handled::AsNeither,
        };
        let causes = [a.block.clone(), b.block.clone()];
        let differences = differences(&first, &second, &together);
        self.found.findings.push(OrderFinding { time, causes, handled, differences });
    }

    /// What is after an instant, if some of its causes come later. A failure leaves nothing.
    fn after(&self, time: Time, later: Vec<Vec<Cause>>) -> Aftermath {
        let mut run = self.behind.fork();
        run.record_nothing();
        if let Some(simulation) = simulation(&mut run) {
            simulation.take_turns(&later);
        }
        if run.advance_to(time).is_err() {
            return self.names().map(|name| (name, None)).collect();
        }
        let Some(simulation) = simulation(&mut run) else { return Vec::new() };
        if simulation.look(time).is_err() {
            return self.names().map(|name| (name, None)).collect();
        }
        let signals = self
            .columns
            .iter()
            .zip(self.names())
            .map(|(column, name)| (name, simulation.value(*column).map(<[f64]>::to_vec)));
        let mut found: Aftermath = signals.collect();
        for (block, mut values) in simulation.delayed_events() {
            values.sort_by(f64::total_cmp);
            found.push((format!("{} (still to come)", block.path()), Some(values)));
        }
        found
    }

    fn names(&self) -> impl Iterator<Item = String> {
        let records = self.columns.iter().map(|column| &self.system.diagram.records[*column]);
        records.map(|record| record.name.trim_start_matches('~').to_owned())
    }
}

/// How many signals are named.
const MOST_NAMED: usize = 6;

/// The signals that two orders leave with different values; if neither order and handling both at
/// once agree anywhere, what differs between the orders alone.
fn differences(
    first: &Aftermath,
    second: &Aftermath,
    together: &Aftermath,
) -> Vec<OrderDifference> {
    let value = |all: &Aftermath, name: &str| {
        all.iter().find(|own| own.0 == name).and_then(|own| own.1.clone())
    };
    let mut names: Vec<&String> = first.iter().chain(second).map(|own| &own.0).collect();
    names.sort();
    names.dedup();
    let mut found = Vec::new();
    for name in names {
        let (first, second) = (value(first, name), value(second, name));
        if !agree(&first, &second) {
            let together = value(together, name);
            found.push(OrderDifference { signal: name.clone(), first, second, together });
        }
    }
    // The signals with short paths are those that the model names; the outputs of expressions that
    // are written at an input have no name of their own.
    let unnamed = |name: &str| name.ends_with(".output");
    found.sort_by_key(|own| (unnamed(&own.signal), own.signal.matches('.').count()));
    if found.first().is_some_and(|own| !unnamed(&own.signal)) {
        found.retain(|own| !unnamed(&own.signal));
    }
    found.truncate(MOST_NAMED);
    found
}

/// Whether two values agree but for rounding.
fn agree(a: &Option<Vec<f64>>, b: &Option<Vec<f64>>) -> bool {
    let close = |(a, b): (&f64, &f64)| {
        a == b || (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(ROUNDING)
    };
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(close),
        _ => false,
    }
}
