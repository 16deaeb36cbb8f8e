//! The linear systems of implicit methods.
//!
//! The derivatives of the rates at a point come in; out come solutions of (a I - b df/dx) y = r
//! for the a and b of a method and a step. A step that is tried again with another length keeps
//! the derivatives and factors anew.

use crate::counters::Counters;
use crate::lu::{self, Pivots};
use crate::pattern::Pattern;
use crate::sparse::Sparse;
use crate::system::System;

/// The derivatives at a point, and the factors of a matrix made of them.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    /// None before the first use, and after the system has changed.
    pattern: Option<Pattern>,
    /// df/dx in the order of the pattern.
    values: Vec<f64>,
    /// df/dt; empty if the rates do not move with time.
    pub rate: Vec<f64>,
    factors: Factors,
    /// Whether the derivatives are those at the start of the present step.
    pub at_start: bool,
}

/// The matrix and its factors.
#[derive(Debug)]
enum Factors {
    /// Column after column.
    Dense {
        matrix: Vec<f64>,
        pivots: Pivots,
    },
    Sparse(Box<Sparse>),
}

impl Default for Factors {
    fn default() -> Factors {
        Factors::Dense { matrix: Vec::new(), pivots: Pivots::default() }
    }
}

impl Factors {
    fn new(pattern: &Pattern) -> Factors {
        let n = pattern.dimension();
        match Sparse::of(pattern) {
            None => Factors::Dense { matrix: vec![0.0; n * n], pivots: Pivots::new(n) },
            Some(sparse) => Factors::Sparse(Box::new(sparse)),
        }
    }
}

impl Linear {
    /// Forgets the pattern: the system has changed.
    pub fn forget(&mut self) {
        self.pattern = None;
    }

    /// Makes the working space if it is missing.
    pub fn prepare<S: System>(&mut self, system: &mut S, n: usize) {
        if self.pattern.is_some() {
            return;
        }
        let pattern = system.pattern(n);
        debug_assert_eq!(pattern.dimension(), n, "one column for each state");
        self.values = vec![0.0; pattern.len()];
        self.rate = vec![0.0; if pattern.moves_with_time() { n } else { 0 }];
        self.factors = Factors::new(&pattern);
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

    /// A bound of the size of every eigenvalue of df/dx: the lesser of its largest sum of a column
    /// and its largest sum of a row.
    pub fn bound(&self, sums: &mut [f64]) -> f64 {
        let Some(pattern) = &self.pattern else { return 0.0 };
        sums.fill(0.0);
        let mut most = 0.0_f64;
        for column in 0..pattern.dimension() {
            let own = &self.values[pattern.range(column)];
            most = most.max(own.iter().map(|value| value.abs()).sum());
            for (row, value) in pattern.column(column).iter().zip(own) {
                sums[*row] += value.abs();
            }
        }
        most.min(sums.iter().fold(0.0, |most, sum| most.max(*sum)))
    }

    /// Factors a I - b df/dx; false if that is singular or not finite.
    pub fn factor(&mut self, a: f64, b: f64) -> bool {
        let n = self.pattern.as_ref().map_or(0, Pattern::dimension);
        self.factor_of(a, b, n)
    }

    /// The same for callers in which the number of states is a constant.
    #[inline(always)]
    pub fn factor_of(&mut self, a: f64, b: f64, n: usize) -> bool {
        let Some(pattern) = &self.pattern else { return false };
        let (matrix, pivots) = match &mut self.factors {
            Factors::Sparse(sparse) => return sparse.factor(a, b, &self.values),
            Factors::Dense { matrix, pivots } => (matrix, pivots),
        };
        matrix.fill(0.0);
        for column in 0..n {
            let own = pattern.range(column);
            for (row, value) in pattern.column(column).iter().zip(&self.values[own]) {
                matrix[column * n + row] = -b * value;
            }
            matrix[column * n + column] += a;
        }
        lu::factor(matrix, pivots, n)
    }

    /// Solves with the factors, in place of the right-hand side.
    pub fn solve(&mut self, right: &mut [f64]) {
        self.solve_of(right, right.len());
    }

    /// The same for callers in which the number of states is a constant.
    #[inline(always)]
    pub fn solve_of(&mut self, right: &mut [f64], n: usize) {
        match &mut self.factors {
            Factors::Sparse(sparse) => sparse.solve(right),
            Factors::Dense { matrix, pivots } => lu::solve(matrix, pivots, right, n),
        }
    }
}
