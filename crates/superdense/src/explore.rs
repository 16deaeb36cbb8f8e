//! Every possible outcome of a model with choices: transitions that are enabled at once and marked
//! `nondeterministic`.
//!
//! A run is taken to its next choice; for each option a fork of it goes on. Forks that agree in
//! everything that decides the future are one. So the outcomes form a graph without cycles, and under
//! fair choice each has a probability.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use engine::{Choice, RunError, StopReason};

use crate::run::Executor;
use crate::{Run, System};

/// All outcomes of a model.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The outcomes that were found, the most probable first.
    pub outcomes: Vec<PossibleOutcome>,
    /// The largest number of choices on the way to an outcome.
    pub depth: usize,
    /// How many different situations after a choice there were.
    pub situations: usize,
    /// Whether all were followed to their ends; otherwise the limit was reached.
    pub complete: bool,
    /// For each recorded signal, the names that its numbers represent, such as those of states;
    /// empty if they are numbers.
    pub labels: Vec<Vec<String>>,
    /// What leads to what: each situation comes after those that lead to it, the beginning first.
    pub points: Vec<ExplorationPoint>,
}

/// A situation in which a choice is made, or that leads to an outcome.
#[derive(Clone, Debug)]
pub struct ExplorationPoint {
    /// How probable it is that a run comes here, if each choice is fair.
    pub probability: f64,
    /// The choice that is made here; `taken` has no meaning. None if there is nothing to choose.
    pub choice: Option<Choice>,
    /// What each option of the choice, or what follows without one, leads to.
    pub next: Vec<LeadsTo>,
}

/// What a situation leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeadsTo {
    /// Another situation, by its index among the points.
    Point(usize),
    /// An outcome, by its index.
    Outcome(usize),
    /// The exploration was cut short.
    Unknown,
}

impl Exploration {
    /// Whether outcomes differ by more than rounding.
    pub fn differs(&self) -> bool {
        self.outcomes.len() > 1
    }

    /// The value of a recorded signal in an outcome, by its index, as text: the name that it
    /// represents, such as that of a state, or the number with so many digits.
    pub fn shown_value(&self, outcome: &PossibleOutcome, index: usize, digits: usize) -> String {
        let labels = self.labels.get(index).map_or(&[][..], |labels| &labels[..]);
        let shown = |x: &f64| match labels.get(*x as usize) {
            Some(label) if *x >= 0.0 && x.fract() == 0.0 => label.clone(),
            _ => {
                let short: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(*x);
                format!("{short}")
            }
        };
        match &outcome.values[index].1 {
            None => "absent".to_owned(),
            Some(value) => value.iter().map(shown).collect::<Vec<_>>().join(", "),
        }
    }

    /// The probability of everything that was not followed to its end.
    pub fn unexplored(&self) -> f64 {
        let known: f64 = self.outcomes.iter().map(|outcome| outcome.probability).sum();
        if self.complete { 0.0 } else { (1.0 - known).max(0.0) }
    }
}

/// How a run may end.
#[derive(Clone, Debug)]
pub struct PossibleOutcome {
    /// How probable it is if each choice is fair.
    pub probability: f64,
    /// In how many ways, sequences of choices, it comes about.
    pub ways: f64,
    /// The choices of one of these ways.
    pub choices: Vec<Choice>,
    /// The recorded signals at the end; none if a signal is absent.
    pub values: Vec<(String, Option<Vec<f64>>)>,
    /// Why the run ended.
    pub end: End,
}

/// Why a possible run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// It came to its end.
    Stopped(StopReason),
    /// It failed.
    Failed(RunError),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Stopped(StopReason::Stopped) => write!(f, "stop time"),
            End::Stopped(StopReason::Zeno(time)) => write!(f, "events accumulate at {time}"),
            End::Stopped(StopReason::Ended(block)) => write!(f, "ended by {block}"),
            End::Failed(error) => write!(f, "{error}"),
        }
    }
}

/// Why a model cannot be explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExploreError {
    /// A fixed-step run has no choices.
    FixedStep,
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fixed-step run has no choices to explore; use `impulses: symbolic`")
    }
}

impl std::error::Error for ExploreError {}

/// Values that differ by less than this, relative to the larger one, are rounding.
const ROUNDING: f64 = 1e-9;

impl System {
    /// Follows every choice of the model, up to a number of situations. `watch` is called again and
    /// again with the number of situations that are known and of those that wait, and returns whether
    /// to go on.
    pub fn explore(
        &self,
        most: usize,
        watch: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Exploration, ExploreError> {
        let mut run = self.begin();
        run.record_nothing();
        let Executor::Exact(simulation) = &mut run.executor else {
            return Err(ExploreError::FixedStep);
        };
        simulation.choose(Vec::new());
        let mut search = Search::default();
        search.add(Situation {
            run: Some(run),
            script: Vec::new(),
            choice: None,
            coming: None,
            next: Vec::new(),
        });
        let mut complete = true;
        while let Some(index) = search.waiting.pop() {
            if search.known.len() > most || !search.follow(index, watch) {
                complete = false;
                break;
            }
        }
        Ok(Exploration { labels: self.element_labels(), ..search.exploration(complete) })
    }
}

/// A situation after a choice, or the beginning.
struct Situation {
    /// A run from which the situation comes about by the script; taken when it is followed.
    run: Option<Run>,
    script: Vec<usize>,
    /// The choice that led here.
    choice: Option<Choice>,
    /// The choice that comes next.
    coming: Option<Choice>,
    /// What comes of it: a situation for each option, or an outcome.
    next: Vec<Next>,
}

#[derive(Clone, Copy, PartialEq)]
enum Next {
    Situation(usize),
    Outcome(usize),
}

#[derive(Default)]
struct Search {
    known: Vec<Situation>,
    /// Situations that are still to be followed.
    waiting: Vec<usize>,
    /// Situations by what decides their future.
    by_future: HashMap<Vec<u8>, usize>,
    ends: Vec<Ended>,
}

struct Ended {
    values: Vec<(String, Option<Vec<f64>>)>,
    end: End,
}

/// Called again and again with the numbers of known and of waiting situations; says whether to go on.
type Watch<'a> = dyn FnMut(usize, usize) -> bool + 'a;

/// How far a run has come.
enum Come {
    /// To a choice that the script does not have.
    Choice(Choice),
    /// To its end.
    End(End),
    /// Not so far: nobody wants to go on.
    Cut,
}

fn made(run: &Run) -> &[Choice] {
    match &run.executor {
        Executor::Exact(simulation) => simulation.choices(),
        Executor::FixedStep(_) => &[],
    }
}

fn is_in_tick(run: &Run) -> bool {
    matches!(&run.executor, Executor::Exact(simulation) if simulation.is_in_tick())
}

/// Advances a run until it makes one more choice than its script has, or ends.
fn go_on(run: &mut Run, script: usize, going: &mut dyn FnMut() -> bool) -> Come {
    loop {
        if !going() {
            return Come::Cut;
        }
        let advanced = run.advance();
        if let Some(choice) = made(run).get(script) {
            return Come::Choice(choice.clone());
        }
        match advanced {
            Ok(None) => {}
            Ok(Some(reason)) => return Come::End(End::Stopped(reason)),
            Err(error) => return Come::End(End::Failed(error)),
        }
    }
}

impl Search {
    fn add(&mut self, situation: Situation) -> usize {
        self.known.push(situation);
        self.waiting.push(self.known.len() - 1);
        self.known.len() - 1
    }

    /// Follows a situation to its next choice and adds what comes of each option, or to its end.
    /// Returns whether to go on.
    fn follow(&mut self, index: usize, watch: &mut Watch) -> bool {
        let Some(base) = self.known[index].run.take() else { return true };
        let script = self.known[index].script.clone();
        let mut run = scripted(&base, &script);
        let (known, waiting) = (self.known.len(), self.waiting.len());
        let next = match go_on(&mut run, script.len(), &mut || watch(known, waiting)) {
            Come::Cut => return false,
            Come::End(end) => vec![Next::Outcome(self.end(&mut run, end))],
            Come::Choice(choice) => {
                let options = 0..choice.to.len();
                let mut follow = |taken| self.option(&base, &script, &choice, taken);
                let next = options.map(|taken| Next::Situation(follow(taken))).collect();
                self.known[index].coming = Some(choice);
                next
            }
        };
        self.known[index].next = next;
        true
    }

    /// The situation after an option of a choice.
    fn option(&mut self, base: &Run, script: &[usize], choice: &Choice, taken: usize) -> usize {
        let script = [script, &[taken]].concat();
        let choice = Some(Choice { taken, ..choice.clone() });
        let mut run = scripted(base, &script);
        // The instant is completed, so that nothing is left of the situation before.
        let going = |run: &Run| match made(run).len() {
            choices if choices < script.len() => true,
            choices => choices == script.len() && is_in_tick(run),
        };
        while going(&run) {
            let end = match run.advance() {
                Ok(None) => continue,
                Ok(Some(reason)) => End::Stopped(reason),
                Err(error) => End::Failed(error),
            };
            let next = vec![Next::Outcome(self.end(&mut run, end))];
            self.known.push(Situation { run: None, script, choice, coming: None, next });
            return self.known.len() - 1;
        }
        if made(&run).len() != script.len() {
            // Another choice comes at the same instant: the situation has no state of its own.
            let run = Some(base.fork());
            return self.add(Situation { run, script, choice, coming: None, next: Vec::new() });
        }
        let key = future(&run);
        if let Some(known) = self.by_future.get(&key) {
            return *known;
        }
        if let Executor::Exact(simulation) = &mut run.executor {
            simulation.choose(Vec::new());
        }
        let (run, script, next) = (Some(run), Vec::new(), Vec::new());
        let own = Situation { run, script, choice, coming: None, next };
        let index = self.add(own);
        self.by_future.insert(key, index);
        index
    }

    /// The outcome of a run that has ended; outcomes that agree but for rounding are one.
    fn end(&mut self, run: &mut Run, end: End) -> usize {
        let values = final_values(run);
        let same = |other: &Ended| {
            let alike = match (&other.end, &end) {
                (End::Stopped(a), End::Stopped(b)) => a == b,
                (End::Failed(a), End::Failed(b)) => a.code() == b.code() && a.block() == b.block(),
                _ => false,
            };
            alike && other.values.iter().zip(&values).all(|(a, b)| agree(&a.1, &b.1))
        };
        if let Some(known) = self.ends.iter().position(same) {
            return known;
        }
        self.ends.push(Ended { values, end });
        self.ends.len() - 1
    }

    /// Probabilities from the beginning on: a situation comes after all that lead to it.
    fn exploration(self, complete: bool) -> Exploration {
        let order = self.order();
        let mut reached: Vec<(f64, f64)> = vec![(0.0, 0.0); self.known.len()];
        let mut way: Vec<Vec<Choice>> = vec![Vec::new(); self.known.len()];
        let mut outcomes: BTreeMap<usize, PossibleOutcome> = BTreeMap::new();
        reached[0] = (1.0, 1.0);
        for index in order.iter().copied() {
            let (probability, ways) = reached[index];
            let options = self.known[index].next.len() as f64;
            for next in &self.known[index].next {
                match *next {
                    Next::Situation(to) => {
                        if reached[to].1 == 0.0 {
                            let choice = self.known[to].choice.clone();
                            way[to] = way[index].iter().cloned().chain(choice).collect();
                        }
                        reached[to].0 += probability / options;
                        reached[to].1 += ways;
                    }
                    Next::Outcome(outcome) => {
                        let Ended { values, end } = &self.ends[outcome];
                        let own = outcomes.entry(outcome).or_insert_with(|| PossibleOutcome {
                            probability: 0.0,
                            ways: 0.0,
                            choices: way[index].clone(),
                            values: values.clone(),
                            end: end.clone(),
                        });
                        own.probability += probability;
                        own.ways += ways;
                    }
                }
            }
        }
        let mut outcomes: Vec<(usize, PossibleOutcome)> = outcomes.into_iter().collect();
        outcomes.sort_by(|a, b| b.1.probability.total_cmp(&a.1.probability));
        let ranks: Vec<usize> = outcomes.iter().map(|(number, _)| *number).collect();
        let points = self.points(&order, &reached, &ranks);
        let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
        let depth = way.iter().map(Vec::len).max().unwrap_or(0);
        let (situations, labels) = (self.known.len() - 1, Vec::new());
        Exploration { outcomes, depth, situations, complete, labels, points }
    }

    /// The situations in order, with what they lead to by its place there and among the outcomes.
    fn points(
        &self,
        order: &[usize],
        reached: &[(f64, f64)],
        ranks: &[usize],
    ) -> Vec<ExplorationPoint> {
        let mut place = vec![0; self.known.len()];
        order.iter().enumerate().for_each(|(at, index)| place[*index] = at);
        let rank = |outcome: usize| ranks.iter().position(|own| *own == outcome);
        let leads = |next: &Next| match *next {
            Next::Situation(to) => LeadsTo::Point(place[to]),
            Next::Outcome(outcome) => rank(outcome).map_or(LeadsTo::Unknown, LeadsTo::Outcome),
        };
        let point = |index: &usize| {
            let own = &self.known[*index];
            let mut next: Vec<LeadsTo> = own.next.iter().map(leads).collect();
            if next.is_empty() {
                next.push(LeadsTo::Unknown);
            }
            ExplorationPoint { probability: reached[*index].0, choice: own.coming.clone(), next }
        };
        order.iter().map(point).collect()
    }

    /// The situations in an order in which each comes after those that lead to it: depth first, from
    /// the last to the first that is finished.
    fn order(&self) -> Vec<usize> {
        let (mut order, mut seen) = (Vec::new(), vec![false; self.known.len()]);
        let mut stack = vec![(0, 0)];
        seen[0] = true;
        while let Some((index, at)) = stack.pop() {
            match self.known[index].next.get(at) {
                None => order.push(index),
                Some(next) => {
                    stack.push((index, at + 1));
                    if let Next::Situation(to) = *next
                        && !std::mem::replace(&mut seen[to], true)
                    {
                        stack.push((to, 0));
                    }
                }
            }
        }
        order.reverse();
        order
    }
}

fn scripted(base: &Run, script: &[usize]) -> Run {
    let mut run = base.fork();
    run.record_nothing();
    if let Executor::Exact(simulation) = &mut run.executor {
        simulation.choose(script.to_vec());
    }
    run
}

/// Everything that decides how a run goes on, as bytes.
fn future(run: &Run) -> Vec<u8> {
    match &run.executor {
        Executor::Exact(simulation) => {
            postcard::to_allocvec(&simulation.future()).expect("a snapshot is plain data")
        }
        Executor::FixedStep(_) => Vec::new(),
    }
}

/// Whether two values agree but for rounding.
fn agree(a: &Option<Vec<f64>>, b: &Option<Vec<f64>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a
            .iter()
            .zip(b)
            .all(|(a, b)| a == b || (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(ROUNDING)),
        _ => false,
    }
}

/// The recorded signals at the present time of a run.
fn final_values(run: &mut Run) -> Vec<(String, Option<Vec<f64>>)> {
    let time = run.tag().time;
    let Executor::Exact(simulation) = &mut run.executor else { return Vec::new() };
    let names: Vec<String> =
        simulation.program().records.iter().map(|record| record.name.clone()).collect();
    if simulation.look(time).is_err() {
        return names.into_iter().map(|name| (name, None)).collect();
    }
    let value =
        |(index, name): (usize, String)| (name, simulation.value(index).map(<[f64]>::to_vec));
    names.into_iter().enumerate().map(value).collect()
}
