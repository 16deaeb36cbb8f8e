//! The solver (7): y = g(u).

use crate::equations::{
    Stage, Sums, acceptance, beginning, difference, euler, euler_contribution, euler_from, output,
    step_size, trapezoidal, trapezoidal_contribution,
};
use crate::{Stream, Vector};

/// The settings of the solver.
#[derive(Clone, Debug)]
pub struct Solver {
    /// The initial state.
    pub initial: Vector,
    /// The longest step.
    pub step: f64,
    /// The greatest difference of contributions with which a step is accepted.
    pub tolerance: f64,
    /// What the stages add up.
    pub sums: Sums,
}

/// The streams of a solution.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The state.
    pub y: Stream<Vector>,
    /// The step.
    pub h: Stream<f64>,
    /// Whether the next step is reduced: 1 or 0.
    pub p: Stream<f64>,
    /// The difference between the contributions of the two stages, known at odd evaluations.
    pub d: Stream<Vector>,
    /// The contribution of the stage to the state.
    pub contribution: Stream<Vector>,
}

/// The state from its rates: y(e) is a function of u(0), ..., u(e - 1), and of nothing else.
/// `unlocated` rejects steps that contain a switch that is still to be located.
pub fn solve(u: &Stream<Vector>, unlocated: &Stream<bool>, solver: &Solver) -> Solution {
    let Solver { initial, step, tolerance, sums } = solver;
    let p = Stream::later(0.0);
    let h = step_size(&p.knot(), *step);
    let slope = beginning(u, &p.knot(), *sums);
    let of_euler = euler_contribution(&slope, &h);
    let of_trapezoidal = trapezoidal_contribution(&slope, u, &h);
    let y_trapezoidal = trapezoidal(initial, &of_trapezoidal, &p);
    let y_euler = match sums {
        Sums::Separate => euler(initial, &of_euler, &p),
        Sums::Shared => euler_from(&y_trapezoidal, &of_trapezoidal, &of_euler, &p),
    };
    let d = difference(&of_euler, &of_trapezoidal);
    p.define(acceptance(d.clone(), *tolerance, unlocated.clone(), p.knot()));
    let y = output(&y_euler, &y_trapezoidal);
    let contribution = Stream::new(Vector::zeros(initial.len()), move |e| match Stage::of(e) {
        Stage::Euler => of_euler.at(e),
        Stage::Trapezoidal => of_trapezoidal[0].at(e).plus(&of_trapezoidal[1].at(e)),
    });
    Solution { y, h, p, d, contribution }
}
