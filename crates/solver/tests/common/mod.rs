//! Systems with closed forms, and a small engine that drives a solver through them.
#![allow(dead_code)]

use superdense_solver::{Advance, Method, Options, Sides, Solver, StepError, System};

type Derivative = Box<dyn Fn(f64, &[f64], &mut [f64])>;
type Crossings = Box<dyn Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64])>;

/// A system made of closures.
pub struct Model {
    pub f: Derivative,
    /// df/dx, row by row.
    pub jacobian: Derivative,
    /// df/dt.
    pub rate: Derivative,
    pub g: Crossings,
}

impl Model {
    pub fn new(f: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Model {
        let jacobian = Box::new(|_: f64, _: &[f64], _: &mut [f64]| panic!("no jacobian"));
        let rate = Box::new(|_: f64, _: &[f64], rate: &mut [f64]| rate.fill(0.0));
        Model { f: Box::new(f), jacobian, rate, g: Box::new(|_, _, _, _, _| ()) }
    }

    pub fn with_rate(mut self, rate: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Model {
        self.rate = Box::new(rate);
        self
    }

    pub fn with_jacobian(mut self, jacobian: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Model {
        self.jacobian = Box::new(jacobian);
        self
    }

    pub fn with_crossings(
        mut self,
        g: impl Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64]) + 'static,
    ) -> Model {
        self.g = Box::new(g);
        self
    }
}

impl System for Model {
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        (self.f)(t, x, dx);
    }
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]) {
        let n = x.len();
        let mut rows = vec![0.0; n * n];
        (self.jacobian)(t, x, &mut rows);
        (0..n * n).for_each(|i| values[i] = rows[i % n * n + i / n]);
        (self.rate)(t, x, rate);
    }
    fn crossings(&mut self, t: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        (self.g)(t, x, dx, g, rate);
    }
}

/// x'' = -x.
pub fn oscillator() -> Model {
    Model::new(|_, x, dx| {
        dx[0] = x[1];
        dx[1] = -x[0];
    })
    .with_jacobian(|_, _, j| j.copy_from_slice(&[0.0, 1.0, -1.0, 0.0]))
}

/// Lorenz's system with the usual parameters.
pub fn lorenz() -> Model {
    Model::new(|_, x, dx| {
        dx[0] = 10.0 * (x[1] - x[0]);
        dx[1] = x[0] * (28.0 - x[2]) - x[1];
        dx[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
    })
    .with_jacobian(|_, x, j| {
        let rows = [-10.0, 10.0, 0.0, 28.0 - x[2], -1.0, -x[0], x[1], x[0], -8.0 / 3.0];
        j.copy_from_slice(&rows);
    })
}

pub fn fixed(method: Method, step: f64) -> Options {
    Options { step, ..Options::new(method) }
}

pub fn variable(method: Method, tolerance: f64) -> Options {
    Options { relative_tolerance: tolerance, absolute_tolerance: tolerance, ..Options::new(method) }
}

pub fn no_sides() -> Sides<'static> {
    Sides { side: &[], residual: &mut [], gain: &[] }
}

/// Runs a model without crossings up to `end`.
pub fn run(model: &mut Model, options: Options, x0: &[f64], end: f64) -> Result<Solver, StepError> {
    let mut solver = Solver::new(options, x0.len(), 0);
    solver.restart(model, 0.0, x0);
    while solver.time() < end {
        assert_eq!(solver.step(model, end, no_sides())?, Advance::Reached);
    }
    assert_eq!(solver.time(), end);
    Ok(solver)
}
