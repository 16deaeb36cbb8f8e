//! A delay as a rational function.
//!
//! The Padé approximation with numerator and denominator of one order n has gain 1 at every
//! frequency, and its phase is that of the delay up to about n / delay \[rad/s\]:
//! exp(-s) = p(-s) / p(s) + O(s^(2n + 1)), p(s) = sum of c_k s^k,
//! c_k = (2n - k)! n! / ((2n)! k! (n - k)!).
//! G. H. Golub and C. F. Van Loan, Matrix Computations (2013), section 9.3.1.

use crate::{LinearSystem, Matrix};

/// The highest order: beyond it the coefficients differ so much in magnitude that rounding
/// outweighs what is gained.
pub const MAXIMUM_ORDER: usize = 10;

/// The approximation of a delay \[s\] of one signal; a delay of 0 is no delay.
///
/// # Panics
///
/// If the order is 0 or more than [`MAXIMUM_ORDER`].
pub fn pade(delay: f64, order: usize) -> LinearSystem {
    assert!((1..=MAXIMUM_ORDER).contains(&order), "an order from 1 to {MAXIMUM_ORDER}");
    if delay == 0.0 {
        return LinearSystem::gain(Matrix::identity(1));
    }
    // p(s) divided by its highest coefficient, in the time that is relative to the delay.
    let coefficients = coefficients(order);
    let highest = coefficients[order];
    let down: Vec<f64> = coefficients.iter().map(|c| c / highest).collect();
    let direct = if order.is_multiple_of(2) { 1.0 } else { -1.0 };
    let up = |k: usize| if k.is_multiple_of(2) { down[k] } else { -down[k] };
    // The states are scaled so that neighbours are of one magnitude: x_k = s^k times w_k, where
    // w_k makes the coefficients of the last row comparable.
    let scale: Vec<f64> = (0..order).map(|k| coefficients[k]).collect();
    let last = order - 1;
    let a = Matrix::of(order, order, |i, j| {
        let value = match i {
            _ if i == last => -down[j],
            _ => f64::from(j == i + 1),
        };
        value * scale[i] / scale[j] / delay
    });
    let b = Matrix::of(order, 1, |i, _| if i == last { scale[i] / delay } else { 0.0 });
    let c = Matrix::of(1, order, |_, j| (up(j) - direct * down[j]) / scale[j]);
    LinearSystem { a, b, c, d: Matrix::of(1, 1, |_, _| direct) }
}

/// The coefficients c_k of p.
fn coefficients(order: usize) -> Vec<f64> {
    let mut all = vec![1.0];
    for k in 1..=order {
        let before: f64 = all[k - 1];
        all.push(before * (order + 1 - k) as f64 / (k * (2 * order + 1 - k)) as f64);
    }
    all
}
