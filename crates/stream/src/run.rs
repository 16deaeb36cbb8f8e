//! The solver and a diagram, tied together.

use std::rc::Rc;
use std::sync::Arc;

use base::Time;
use diagram::Diagram;
use program::Program;
use schedule::Schedule;

use crate::clocks::Arrival;
use crate::discrete::Discrete;
use crate::equations::Stage;
use crate::point::{Evaluator, Place, Point};
use crate::table::{Evaluations, Row};
use crate::{Solution, Solver, Stream, StreamError, Sums, Vector, solve};

/// How a diagram is run on streams.
#[derive(Clone, Debug)]
pub struct Options {
    /// The start time.
    pub start: Time,
    /// The run ends with the first accepted step that reaches this time.
    pub stop: Time,
    /// The longest step \[s\].
    pub step: f64,
    /// The greatest difference of contributions with which a step is accepted.
    pub tolerance: f64,
    /// What the stages add up.
    pub sums: Sums,
    /// Holds comparisons, clocks and state machines back until the step in which they switch is no
    /// longer than this \[s\]. Without it they switch as soon as an evaluation sees it.
    pub hold: Option<f64>,
    /// The greatest number of evaluations.
    pub limit: usize,
    /// For each recorded signal, the names that its values represent; none if they are plain
    /// numbers.
    pub labels: Vec<Vec<String>>,
}

/// An evaluation as the value of a stream.
type Arrived = Rc<Result<Arrival, StreamError>>;

/// Evaluates a diagram that [`crate::check`] has accepted, from start to stop. If that fails, the
/// table has the evaluations up to the failure.
pub fn run(
    diagram: &Arc<Diagram>,
    schedule: &Schedule,
    program: &Arc<Program>,
    options: &Options,
) -> (Evaluations, Result<(), StreamError>) {
    let start = options.start.into();
    let evaluator = Rc::new(Evaluator::new(diagram.clone(), schedule, program.clone(), start));
    let mut table = Evaluations::new(&evaluator.names(), program, &options.labels);
    let (solution, arrivals) = tie(&evaluator, options);
    let end = options.stop.seconds() - NEARLY * options.step;
    for e in 0..options.limit {
        match &*arrivals.at(e) {
            Ok(arrival) => table.push(row(e, &solution, arrival)),
            Err(error) => return (table, Err(error.clone())),
        }
        let accepted = Stage::of(e) == Stage::Trapezoidal && solution.p.at(e) == 0.0;
        if accepted && solution.y.at(e)[0] >= end {
            return (table, Ok(()));
        }
    }
    let (limit, last) = (options.limit, options.limit.saturating_sub(1));
    let time = solution.y.at(last)[0];
    let block = evaluator.owner(largest(&solution.d.at(last)[1..]));
    (table, Err(StreamError::TooManyEvaluations { limit, time, block }))
}

/// A sum of steps may miss the stop time by rounding; a remainder below this fraction of a step is
/// ignored.
const NEARLY: f64 = 1e-9;

fn largest(d: &[f64]) -> usize {
    let rank = |i: &usize| d[*i].abs();
    (0..d.len()).max_by(|a, b| rank(a).total_cmp(&rank(b))).unwrap_or(0)
}

/// The two equations y = solve(u) and u = diagram(y), and the streams between them.
fn tie(evaluator: &Rc<Evaluator>, options: &Options) -> (Solution, Stream<Arrived>) {
    let start = options.start.seconds();
    let initial: Vector = std::iter::once(start).chain(evaluator.initial()).collect();
    let zeros = Vector::zeros(initial.len());
    let begin: Arrived = Rc::new(Ok(beginning(evaluator, &zeros)));

    // These streams need each other; the evaluations are the ones that own the others.
    let arrivals = Stream::later(begin.clone());
    let rates = rates(&arrivals.knot(), zeros);
    let trials = Stream::later(begin);
    let unlocated = Stream::later(false);
    let solver =
        Solver { initial, step: options.step, tolerance: options.tolerance, sums: options.sums };
    let solution = solve(&rates, &unlocated, &solver);

    let (evaluator, options, p) = (evaluator.clone(), options.clone(), solution.p.knot());
    let hold = options.hold;
    let place = Rc::new(Evaluate { evaluator, options, p });
    let (y, before, own) = (solution.y.knot(), arrivals.knot(), place.clone());
    trials.define(move |e| own.trial(e, &y.at(e), &before.pre(e)));
    let (h, trial) = (solution.h.knot(), trials.clone());
    unlocated.define(move |e| {
        let switching = trial.at(e).as_ref().as_ref().is_ok_and(|trial| trial.switching);
        hold.is_some_and(|within| switching && h.at(e) > within)
    });
    let (y, p, before) = (solution.y.clone(), solution.p.clone(), arrivals.knot());
    arrivals.define(move |e| {
        let trial = trials.at(e);
        let switching = trial.as_ref().as_ref().is_ok_and(|trial| trial.switching);
        let located = switching && Stage::of(e) == Stage::Trapezoidal && p.at(e) == 0.0;
        if located { place.arrive(e, &y.at(e), &before.pre(e)) } else { trial }
    });
    (solution, arrivals)
}

/// The value before evaluation 0: the initial states, and rates of 0.
fn beginning(evaluator: &Evaluator, zeros: &Vector) -> Arrival {
    let point = Point { rates: zeros[1..].into(), signals: Vec::new() };
    Arrival { point, after: evaluator.beginning(), switching: false }
}

/// The rates of all states; time is the first of them, and its rate is 1.
fn rates(arrivals: &Stream<Arrived>, zeros: Vector) -> Stream<Vector> {
    let (arrivals, nothing) = (arrivals.clone(), zeros.clone());
    Stream::new(zeros, move |e| match &*arrivals.at(e) {
        Ok(arrival) => std::iter::once(1.0).chain(arrival.point.rates.iter().copied()).collect(),
        // The run ends here.
        Err(_) => nothing.clone(),
    })
}

/// Evaluates the diagram, given the previous evaluation.
struct Evaluate {
    evaluator: Rc<Evaluator>,
    options: Options,
    p: Stream<f64>,
}

impl Evaluate {
    fn at<'a>(
        &self,
        e: usize,
        y: &'a Vector,
        before: &'a Arrived,
        evaluate: impl Fn(&Evaluator, Place<'a>, &'a Discrete) -> Result<Arrival, StreamError>,
    ) -> Arrived {
        let again = Stage::of(e) == Stage::Euler && self.p.pre(e) == 1.0;
        let rejected = again.then(|| e.saturating_sub(2));
        let place = Place { e, time: y[0], states: &y[1..], rejected };
        match &**before {
            Ok(before) => Rc::new(evaluate(&self.evaluator, place, &before.after)),
            Err(error) => Rc::new(Err(error.clone())),
        }
    }

    /// Evaluates with everything held that is to be held.
    fn trial(&self, e: usize, y: &Vector, before: &Arrived) -> Arrived {
        match self.options.hold {
            Some(_) if e > 0 => {
                self.at(e, y, before, |evaluator, place, at| evaluator.hold(place, at))
            }
            _ => self.arrive(e, y, before),
        }
    }

    /// Evaluates with everything as it is at this point.
    fn arrive(&self, e: usize, y: &Vector, before: &Arrived) -> Arrived {
        let (step, located) = (self.options.step, self.options.hold.is_some());
        self.at(e, y, before, |evaluator, place, before| {
            evaluator.arrive(place, before, step, located)
        })
    }
}

fn row(e: usize, solution: &Solution, arrival: &Arrival) -> Row {
    let second = Stage::of(e) == Stage::Trapezoidal;
    Row {
        time: solution.y.at(e)[0],
        stage: Stage::of(e),
        h: solution.h.at(e),
        p: solution.p.at(e),
        contributions: solution.contribution.at(e)[1..].to_vec(),
        differences: second.then(|| solution.d.at(e).to_vec()),
        signals: arrival.point.signals.clone(),
    }
}
