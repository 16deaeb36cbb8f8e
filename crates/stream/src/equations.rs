//! The equations of the solver, one definition for each, in the order of the paper's section 4.
//!
//! The paper numbers evaluations from 1 in its equations and from 0 in its tables; this module uses
//! the numbering of the tables. Equations (8) to (10) are written here with the contributions c of
//! the two stages as streams of their own. Everything before evaluation 0 is 0, and so is the step
//! of the first two evaluations: both are at the start time.

use crate::sums::taken_back;
use crate::{Stream, Vector};

/// The two stages of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The first, at even evaluations.
    Euler,
    /// The second, at odd evaluations.
    Trapezoidal,
}

impl Stage {
    /// The stage of an evaluation.
    pub fn of(e: usize) -> Stage {
        if e.is_multiple_of(2) { Stage::Euler } else { Stage::Trapezoidal }
    }
}

/// What the two stages add up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sums {
    /// Each stage has its own sum, as in the paper. The Euler sum is never corrected by the
    /// trapezoidal one, and after a rejection the slope at the rejected point is used: the order is
    /// 1.
    #[default]
    Separate,
    /// The Euler stage starts from the trapezoidal sum, with the slope of the last accepted point,
    /// which is Heun's method: the order is 2.
    Shared,
}

/// The slope at the beginning of the step that e belongs to.
pub(crate) fn beginning(u: &Stream<Vector>, p: &Stream<f64>, sums: Sums) -> Stream<Vector> {
    let (u, p) = (u.clone(), p.clone());
    let zeros = u.back(0, 1);
    Stream::scan(zeros, move |e, before| match Stage::of(e) {
        Stage::Trapezoidal => before,
        Stage::Euler if sums == Sums::Shared && p.pre(e) == 1.0 => before,
        Stage::Euler => u.pre(e),
    })
}

/// The contribution of the Euler stage, the term of (8): u(e - 1) h(e).
pub(crate) fn euler_contribution(beginning: &Stream<Vector>, h: &Stream<f64>) -> Stream<Vector> {
    let (beginning, h) = (beginning.clone(), h.clone());
    let zeros = beginning.back(0, 1);
    Stream::scan(zeros, move |e, before| match Stage::of(e) {
        Stage::Euler => beginning.at(e).times(h.at(e)),
        Stage::Trapezoidal => before,
    })
}

/// The contribution of the trapezoidal stage, the term of (9), as its two summands:
/// u(e - 2) h(e) / 2 and u(e - 1) h(e) / 2.
pub(crate) fn trapezoidal_contribution(
    beginning: &Stream<Vector>,
    u: &Stream<Vector>,
    h: &Stream<f64>,
) -> [Stream<Vector>; 2] {
    let half = |slope: Box<dyn Fn(usize) -> Vector>| {
        let h = h.clone();
        Stream::scan(beginning.back(0, 1), move |e, before| match Stage::of(e) {
            Stage::Euler => before,
            Stage::Trapezoidal => slope(e).times(h.at(e) / 2.0),
        })
    };
    let (beginning, u) = (beginning.clone(), u.clone());
    [half(Box::new(move |e| beginning.at(e))), half(Box::new(move |e| u.pre(e)))]
}

/// The Euler approximation (8): the sum of its contributions, minus those that are taken back.
pub(crate) fn euler(
    initial: &Vector,
    contribution: &Stream<Vector>,
    p: &Stream<f64>,
) -> Stream<Vector> {
    taken_back(Stage::Euler, initial, std::slice::from_ref(contribution), p)
}

/// The Euler approximation from the trapezoidal sum, with the last step taken back if it was
/// rejected.
pub(crate) fn euler_from(
    trapezoidal: &Stream<Vector>,
    last: &[Stream<Vector>; 2],
    contribution: &Stream<Vector>,
    p: &Stream<f64>,
) -> Stream<Vector> {
    let (trapezoidal, last) = (trapezoidal.clone(), last.clone());
    let (contribution, p) = (contribution.clone(), p.clone());
    Stream::scan(trapezoidal.back(0, 1), move |e, before| match Stage::of(e) {
        Stage::Trapezoidal => before,
        Stage::Euler => {
            let step = last[0].pre(e).plus(&last[1].pre(e)).times(p.pre(e));
            trapezoidal.pre(e).minus(&step).plus(&contribution.at(e))
        }
    })
}

/// The trapezoidal approximation (9).
pub(crate) fn trapezoidal(
    initial: &Vector,
    contribution: &[Stream<Vector>; 2],
    p: &Stream<f64>,
) -> Stream<Vector> {
    taken_back(Stage::Trapezoidal, initial, contribution, p)
}

/// The difference (10) between the contributions of the two stages to each state.
pub(crate) fn difference(
    euler: &Stream<Vector>,
    trapezoidal: &[Stream<Vector>; 2],
) -> Stream<Vector> {
    let (euler, trapezoidal) = (euler.clone(), trapezoidal.clone());
    Stream::scan(euler.back(0, 1), move |e, before| match Stage::of(e) {
        Stage::Euler => before,
        Stage::Trapezoidal => trapezoidal[0].at(e).plus(&trapezoidal[1].at(e)).minus(&euler.at(e)),
    })
}

/// The acceptance test (11): 1 if the step must be reduced. `unlocated` says that the step contains
/// a switch that is held back and not located well enough yet; it is never true if nothing is held
/// back.
pub(crate) fn acceptance(
    d: Stream<Vector>,
    tolerance: f64,
    unlocated: Stream<bool>,
    own: Stream<f64>,
) -> impl Fn(usize) -> f64 {
    move |e| match Stage::of(e) {
        Stage::Euler => own.pre(e),
        Stage::Trapezoidal => match d.at(e).greatest() < tolerance && !unlocated.at(e) {
            true => 0.0,
            false => 1.0,
        },
    }
}

/// The step size (12): the longest after an accepted step, half the last after a rejected one.
pub(crate) fn step_size(p: &Stream<f64>, greatest: f64) -> Stream<f64> {
    let p = p.clone();
    Stream::scan(0.0, move |e, before| match Stage::of(e) {
        _ if e < 2 => 0.0,
        Stage::Euler => greatest * (1.0 - p.pre(e)) + before / 2.0 * p.pre(e),
        Stage::Trapezoidal => before,
    })
}

/// The output (13): the approximation of the stage of each evaluation.
pub(crate) fn output(euler: &Stream<Vector>, trapezoidal: &Stream<Vector>) -> Stream<Vector> {
    let (euler, trapezoidal) = (euler.clone(), trapezoidal.clone());
    Stream::new(trapezoidal.back(0, 1), move |e| match Stage::of(e) {
        Stage::Euler => euler.at(e),
        Stage::Trapezoidal => trapezoidal.at(e),
    })
}
