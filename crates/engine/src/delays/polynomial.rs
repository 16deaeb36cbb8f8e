//! Polynomials of degree 5 through samples of a signal.

/// The Chebyshev-Lobatto points on [0, 1], in an order in which Newton's form is stable. The first
/// is the start, so that a piece has exactly the sampled value there.
pub(crate) const NODES: [f64; 6] = [
    0.0,
    1.0,
    0.654_508_497_187_473_7,
    0.345_491_502_812_526_3,
    0.095_491_502_812_526_29,
    0.904_508_497_187_473_7,
];
/// The points between nodes at which a piece is compared with the signal.
pub(crate) const CHECKS: [f64; 2] = [0.21, 0.5];

/// Converts samples at the nodes, in order, into the coefficients of Newton's form.
pub(crate) fn fit(samples: &mut [f64], width: usize) {
    for order in 1..NODES.len() {
        for node in (order..NODES.len()).rev() {
            let distance = NODES[node] - NODES[node - order];
            for i in 0..width {
                let below = samples[(node - 1) * width + i];
                let own = &mut samples[node * width + i];
                *own = (*own - below) / distance;
            }
        }
    }
}

/// The value at `x` in [0, 1] of one element, whose coefficients are in `coefficients`.
pub(crate) fn value(coefficients: &[f64], width: usize, number: usize, x: f64) -> f64 {
    let last = NODES.len() - 1;
    (0..last).rev().fold(coefficients[last * width + number], |value, order| {
        coefficients[order * width + number] + (x - NODES[order]) * value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_degree_five_is_kept() {
        let f = |x: f64| 2.0 - x + 3.0 * x.powi(4) - 0.5 * x.powi(5);
        let mut samples: Vec<f64> = NODES.iter().flat_map(|x| [f(*x), 7.0]).collect();
        fit(&mut samples, 2);
        for k in 0..=10 {
            let x = f64::from(k) / 10.0;
            assert!((value(&samples, 2, 0, x) - f(x)).abs() < 1e-14);
            assert_eq!(value(&samples, 2, 1, x), 7.0);
        }
        assert_eq!(value(&samples, 2, 0, 0.0), f(0.0));
    }
}
