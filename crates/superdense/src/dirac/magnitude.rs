//! How large the values of a numeric run become, predicted from the impulses of a stepped run.
//!
//! The i-th derivative of an impulse of weight a is the (i + 1)-th difference of a step of height
//! a. With a constant step h its values are a times the alternating binomial coefficients of row i,
//! over h^(i + 1), spread over i + 1 points; the largest is a C(i, floor(i / 2)) / h^(i + 1).

use base::Time;
use trace::{Impulse, Trace};

/// The step sizes below which a numeric run overflows \[s\]; 0 if it never does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Overflow {
    /// In single precision.
    pub f32: f64,
    /// In double precision.
    pub f64: f64,
}

/// The largest magnitude that the impulses of a stepped run have as values with its steps, and the
/// step sizes below which there is an overflow.
pub(super) fn predicted(stepped: &Trace) -> (f64, Overflow) {
    let mut times: Vec<Time> = stepped.tags().iter().map(|tag| tag.time).collect();
    times.dedup();
    let mut greatest = 0.0f64;
    let mut overflow = Overflow { f32: 0.0, f64: 0.0 };
    for impulse in stepped.impulses() {
        let weight = impulse.weight.iter().fold(0.0f64, |most, w| most.max(w.abs()));
        let Ok(point) = times.binary_search(&impulse.tag.time) else { continue };
        let steps: Vec<f64> = (point..times.len().min(point + impulse.order + 1))
            .filter(|k| *k > 0)
            .map(|k| times[k].since(times[k - 1]))
            .collect();
        greatest = greatest.max(weight * steepest(&steps, impulse.order));
        overflow.f32 = overflow.f32.max(limit(impulse, weight, f32::MAX.into()));
        overflow.f64 = overflow.f64.max(limit(impulse, weight, f64::MAX));
    }
    (greatest, overflow)
}

/// The largest magnitude of the differences of a unit step up to an order, over steps of these
/// lengths.
fn steepest(steps: &[f64], order: usize) -> f64 {
    let mut values = vec![0.0; steps.len()];
    if let (Some(first), Some(step)) = (values.first_mut(), steps.first()) {
        *first = 1.0 / step;
    }
    let mut greatest = values.first().copied().unwrap_or(0.0);
    for _ in 0..order {
        for k in (0..values.len()).rev() {
            let before = if k > 0 { values[k - 1] } else { 0.0 };
            values[k] = (values[k] - before) / steps[k];
        }
        greatest = values.iter().fold(greatest, |most, value| most.max(value.abs()));
    }
    greatest
}

/// The constant step with which an impulse reaches a given value.
fn limit(impulse: &Impulse, weight: f64, most: f64) -> f64 {
    let power = impulse.order + 1;
    let largest = weight * binomial(impulse.order, impulse.order / 2);
    (largest / most).powf(1.0 / power as f64)
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_steps_have_the_largest_binomial_coefficient() {
        for order in 0..10 {
            let expected = binomial(order, order / 2) / 0.1f64.powi(order as i32 + 1);
            let found = steepest(&vec![0.1; order + 1], order);
            assert!((found / expected - 1.0).abs() < 1e-12, "{order}: {found} {expected}");
        }
        assert_eq!(binomial(9, 4), 126.0);
    }

    #[test]
    fn a_short_step_is_the_steepest() {
        assert_eq!(steepest(&[1e-3, 1.0], 1), 1e6);
    }
}
