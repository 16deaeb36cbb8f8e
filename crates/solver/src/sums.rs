//! Sums of slopes by their weights, which stages, ends of steps and errors are made of.
//!
//! A loop over states becomes vector instructions if the number of slopes in a sum is a constant of
//! the loop. So the loops of a step are compiled for each number of slopes up to eight, which no
//! row of the methods in use exceeds, and once more for any number. The order of operations is the
//! same in all of them.

use std::array::from_fn;

use crate::tableau::Weight;

/// The sum of each state.
pub(crate) trait Sums: Copy {
    /// The sums without those of the first states.
    fn skip(self, states: usize) -> Self;

    /// The sum of a state, counted from the first that is left.
    fn at(&self, state: usize) -> f64;
}

/// Sums of a constant number of slopes.
#[derive(Clone, Copy)]
pub(crate) struct Exactly<'a, const N: usize> {
    slopes: [&'a [f64]; N],
    weights: [f64; N],
}

impl<'a, const N: usize> Exactly<'a, N> {
    /// The sums of the first `states` states by a row of N weights.
    #[inline(always)]
    pub fn new(slopes: &'a [Vec<f64>], row: &[Weight], states: usize) -> Self {
        Exactly { slopes: from_fn(|j| &slopes[row[j].0][..states]), weights: from_fn(|j| row[j].1) }
    }
}

impl<const N: usize> Sums for Exactly<'_, N> {
    #[inline(always)]
    fn skip(self, states: usize) -> Self {
        Exactly { slopes: self.slopes.map(|slope| &slope[states..]), weights: self.weights }
    }

    #[inline(always)]
    fn at(&self, state: usize) -> f64 {
        weighed(&self.slopes, &self.weights, state)
    }
}

/// Sums of any number of slopes.
#[derive(Clone, Copy)]
pub(crate) struct AnyNumber<'a> {
    slopes: &'a [Vec<f64>],
    row: &'a [Weight],
    from: usize,
}

impl<'a> AnyNumber<'a> {
    /// The sums by a row of weights.
    pub fn new(slopes: &'a [Vec<f64>], row: &'a [Weight]) -> Self {
        AnyNumber { slopes, row, from: 0 }
    }
}

impl Sums for AnyNumber<'_> {
    #[inline(always)]
    fn skip(self, states: usize) -> Self {
        AnyNumber { from: self.from + states, ..self }
    }

    #[inline(always)]
    fn at(&self, state: usize) -> f64 {
        let terms = self.row.iter().map(|(slope, w)| w * self.slopes[*slope][self.from + state]);
        terms.reduce(|sum, term| sum + term).unwrap_or(0.0)
    }
}

/// The slopes of a state by their weights. It is inlined wherever it is used, so that loops over
/// states become vector instructions.
#[inline(always)]
pub(crate) fn weighed<const N: usize>(k: &[&[f64]; N], w: &[f64; N], i: usize) -> f64 {
    let mut sum = w[0] * k[0][i];
    for j in 1..N {
        sum += w[j] * k[j][i];
    }
    sum
}

/// Evaluates an expression with the [`Sums`] of the first states by a row of weights, compiled for
/// the number of weights.
macro_rules! with_sums {
    ($slopes:expr, $row:expr, $states:expr, |$sums:ident| $body:expr) => {
        with_sums!(1 2 3 4 5 6 7 8; $slopes, $row, $states, |$sums| $body)
    };
    ($($length:literal)*; $slopes:expr, $row:expr, $states:expr, |$sums:ident| $body:expr) => {
        match $row.len() {
            $($length => {
                let $sums = $crate::sums::Exactly::<$length>::new($slopes, $row, $states);
                $body
            })*
            _ => {
                let $sums = $crate::sums::AnyNumber::new($slopes, $row);
                $body
            }
        }
    };
}

pub(crate) use with_sums;

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight slopes are summed by the first kind of loop, nine by the second.
    #[test]
    fn any_number_of_slopes_is_summed_in_the_same_order() {
        let number = |j: usize, i: usize| (0.7 * (3 * j + i) as f64).sin();
        let slopes: Vec<Vec<f64>> =
            (0..9).map(|j| (0..3).map(|i| number(j, i)).collect()).collect();
        let row: Vec<Weight> = (0..9).map(|j| (j, 1.0 / (j as f64 - 3.3))).collect();
        for row in (1..=9).map(|length| &row[..length]) {
            for i in 0..2 {
                let terms = row.iter().map(|(j, weight)| weight * slopes[*j][i + 1]);
                let expected = terms.reduce(|sum, term| sum + term).unwrap();
                let found = with_sums!(&slopes, row, 3, |sums| sums.skip(1).at(i));
                assert_eq!(found.to_bits(), expected.to_bits(), "{} slopes", row.len());
            }
        }
    }
}
