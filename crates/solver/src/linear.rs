//! The linear systems of implicit methods.
//!
//! The derivatives of the rates at a point come in; out come solutions of (a I - b df/dx) y = r
//! for the a and b of a method and a step. A step that is tried again with another length keeps
//! the derivatives and factors anew.

use crate::counters::Counters;
use crate::lu;
use crate::pattern::Pattern;
use crate::system::System;

/// The derivatives at a point, and the factors of a matrix made of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    /// None before the first use, and after the system has changed.
    pattern: Option<Pattern>,
    /// df/dx in the order of the pattern.
    values: Vec<f64>,
    /// df/dt; empty where the rates do not move with time.
    pub rate: Vec<f64>,
    /// The factors, row by row.
    factors: Vec<f64>,
    pivots: Vec<usize>,
}

impl Linear {
    /// Forgets the pattern: the system has changed.
    pub fn forget(&mut self) {
        self.pattern = None;
    }

    /// Makes the space where it is missing.
    pub fn prepare<S: System>(&mut self, system: &mut S, n: usize) {
        if self.pattern.is_some() {
            return;
        }
        let pattern = system.pattern(n);
        debug_assert_eq!(pattern.dimension(), n, "one column for each state");
        self.values = vec![0.0; pattern.len()];
        self.rate = vec![0.0; if pattern.moves_with_time() { n } else { 0 }];
        self.factors = vec![0.0; n * n];
        self.pivots = vec![0; n];
        self.pattern = Some(pattern);
    }

    /// Takes the derivatives at (t, x).
    ///
    /// One that is not finite, as that of a square root at zero, is left out. Newton's method
    /// then takes more iterations, a Rosenbrock method loses accuracy, and its error estimate
    /// says so.
    pub fn linearise<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        x: &[f64],
        counters: &mut Counters,
    ) {
        system.jacobian(t, x, &mut self.values, &mut self.rate);
        counters.jacobians += 1;
        let numbers = self.values.iter_mut().chain(&mut self.rate);
        numbers.filter(|number| !number.is_finite()).for_each(|number| *number = 0.0);
    }

    /// Factors a I - b df/dx; false where that is singular or not finite.
    pub fn factor(&mut self, a: f64, b: f64) -> bool {
        let Some(pattern) = &self.pattern else { return false };
        let n = pattern.dimension();
        self.factors.fill(0.0);
        for column in 0..n {
            for (row, value) in
                pattern.column(column).iter().zip(&self.values[pattern.range(column)])
            {
                self.factors[row * n + column] = -b * value;
            }
            self.factors[column * n + column] += a;
        }
        lu::factor(&mut self.factors, &mut self.pivots)
    }

    /// Solves with the factors, in place of the right-hand side.
    pub fn solve(&mut self, right: &mut [f64]) {
        lu::solve(&self.factors, &self.pivots, right);
    }
}
