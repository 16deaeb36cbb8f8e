//! The rounding that steps gather in the states.
//!
//! A step rounds each state once, to half a unit in its last place. Steps do not know of each
//! other, so that after n of them the state is off by about the root of n such roundings, which the
//! root of the sum of their squares says; a value that is set begins anew. Only crossing functions
//! ask for it, to distinguish a zero from what rounding has left of one.

use base::clone_reusing;
use serde::{Deserialize, Serialize};

use crate::crossing::greater;
use crate::wide::{largest, wide};

/// Half a unit in the last place, relative to a number.
const HALF: f64 = 0.5 * f64::EPSILON;
/// How many times the root of the sum of squares is taken, for a walk that wanders off by more than
/// it does on average.
const MARGIN: f64 = 4.0;

/// What is known of the rounding of each state.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drift {
    /// For each state the sum of squares, in units of [`HALF`].
    squares: Vec<f64>,
    /// The largest state and the largest square that were seen since the last restart.
    pub largest_state: f64,
    largest_square: f64,
}

clone_reusing!(Drift { squares, largest_state, largest_square });

impl Drift {
    /// Begins anew for the states whose values have changed.
    pub fn restart(&mut self, old: &[f64], new: &[f64]) {
        let known = self.squares.len() == new.len() && old.len() == new.len();
        self.squares.resize(new.len(), 0.0);
        (self.largest_state, self.largest_square) = (0.0, 0.0);
        for (i, (square, x)) in self.squares.iter_mut().zip(new).enumerate() {
            if !known || old[i].to_bits() != x.to_bits() {
                *square = x * x;
            }
            self.largest_state = self.largest_state.max(x.abs());
            self.largest_square = self.largest_square.max(*square);
        }
    }

    /// Takes note of the states at the end of a step, which may still be cut.
    #[inline]
    pub fn see(&mut self, x: &[f64]) {
        let most = wide(
            x.len(),
            #[inline(always)]
            || largest([x], [1.0]),
        );
        self.largest_state = greater(self.largest_state, most);
    }

    /// Adds the rounding of one more step, by the states at the point that it has reached.
    #[inline]
    pub fn step(&mut self, x: &[f64]) {
        if self.squares.len() != x.len() {
            return self.restart(&[], x);
        }
        let squares = &mut self.squares[..];
        let most = wide(
            x.len(),
            #[inline(always)]
            || {
                squares.iter_mut().zip(x).for_each(|(square, x)| *square += x * x);
                largest([squares], [1.0])
            },
        );
        self.largest_square = greater(self.largest_square, most);
    }

    /// The largest rounding of any state.
    pub fn largest(&self) -> f64 {
        MARGIN * HALF * self.largest_square.sqrt()
    }

    /// The rounding of one state.
    pub fn of(&self, state: usize) -> f64 {
        self.squares.get(state).map_or(0.0, |square| MARGIN * HALF * square.sqrt())
    }
}
