//! The rank of the Jacobian of a loop, up to the rounding of its numbers.

/// Roundings that one operation of a loop may leave, next to the size of its operands: a few of
/// them, since a loop is a chain of operations.
pub(crate) const NOISE: f64 = 16.0 * f64::EPSILON;

/// What elimination finds about J step = r.
pub(crate) struct Rank {
    /// A direction that J takes to zero, if there is one.
    pub null: Option<Vec<f64>>,
    /// Whether the equations that J leaves without an unknown hold.
    pub consistent: bool,
}

/// Elimination with full pivoting, on rows and columns scaled to 1, of the Jacobian of
/// r(u) = F(u) - u and the residual r; none if a number is not finite.
pub(crate) fn rank(mut a: Vec<f64>, mut r: Vec<f64>, u: &[f64]) -> Option<Rank> {
    let n = u.len();
    if a.iter().chain(&r).chain(u).any(|x| !x.is_finite()) {
        return None;
    }
    let noise = NOISE * n as f64;
    let mut blur: Vec<f64> =
        r.iter().zip(u).map(|(r, u)| noise * ((r + u).abs() + u.abs())).collect();
    for i in 0..n {
        // What is left if F(u) moves as u does.
        let own = &mut a[i * n + i];
        if own.abs() <= NOISE * ((*own + 1.0).abs() + 1.0) {
            *own = 0.0;
        }
    }
    let inverse = |most: f64| if most > 0.0 { 1.0 / most } else { 1.0 };
    for i in 0..n {
        let row = &mut a[i * n..i * n + n];
        let scale = inverse(row.iter().fold(0.0, |most: f64, x| most.max(x.abs())));
        row.iter_mut().for_each(|x| *x *= scale);
        (r[i], blur[i]) = (r[i] * scale, blur[i] * scale);
    }
    let column =
        |a: &[f64], j: usize| (0..n).fold(0.0, |most: f64, i| most.max(a[i * n + j].abs()));
    let scales: Vec<f64> = (0..n).map(|j| inverse(column(&a, j))).collect();
    (0..n * n).for_each(|at| a[at] *= scales[at % n]);
    let mut order: Vec<usize> = (0..n).collect();
    let mut found = 0;
    while found < n {
        let rest = (found..n).flat_map(|i| (found..n).map(move |j| (i, j)));
        let size = |at: &(usize, usize)| a[at.0 * n + at.1].abs();
        let (i, j) = rest.max_by(|x, y| size(x).total_cmp(&size(y)))?;
        if a[i * n + j].abs() <= noise {
            break;
        }
        (0..n).for_each(|k| a.swap(found * n + k, i * n + k));
        (0..n).for_each(|k| a.swap(k * n + found, k * n + j));
        r.swap(found, i);
        blur.swap(found, i);
        order.swap(found, j);
        for below in found + 1..n {
            let factor = a[below * n + found] / a[found * n + found];
            (found..n).for_each(|k| a[below * n + k] -= factor * a[found * n + k]);
            r[below] -= factor * r[found];
            blur[below] += factor.abs() * blur[found];
        }
        found += 1;
    }
    let consistent = (found..n).all(|i| r[i].abs() <= blur[i]);
    Some(Rank { null: (found < n).then(|| null(&a, n, found, &order, &scales)), consistent })
}

/// The direction of the first column without a pivot.
fn null(a: &[f64], n: usize, found: usize, order: &[usize], scales: &[f64]) -> Vec<f64> {
    let mut moved = vec![0.0; n];
    moved[found] = 1.0;
    for i in (0..found).rev() {
        let sum: f64 = (i + 1..=found).map(|k| a[i * n + k] * moved[k]).sum();
        moved[i] = -sum / a[i * n + i];
    }
    let mut direction = vec![0.0; n];
    (0..n).for_each(|k| direction[order[k]] = moved[k] * scales[order[k]]);
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(a: &[f64], r: &[f64], u: &[f64]) -> (bool, bool) {
        let rank = rank(a.to_vec(), r.to_vec(), u).unwrap();
        (rank.null.is_some(), rank.consistent)
    }

    #[test]
    fn a_singular_matrix_is_seen_at_any_scale() {
        // u = F(u) with units of 1e9 and 1e-9.
        assert!(kind(&[-0.9, 0.9e18, 0.3e-18, -0.3], &[0.0; 2], &[0.0; 2]).0);
        assert!(!kind(&[-0.9, 0.9e18, 0.3e-18, -0.4], &[0.0; 2], &[0.0; 2]).0);
        assert!(kind(&[-f64::EPSILON], &[0.0], &[1.0]).0);
        assert!(!kind(&[-1e-12], &[0.0], &[1.0]).0);
    }

    #[test]
    fn equations_that_repeat_are_told_from_those_that_contradict() {
        let a = [-1.0, 1.0, 2.0, -2.0];
        assert_eq!(kind(&a, &[1.0, -2.0], &[0.0; 2]), (true, true));
        assert_eq!(kind(&a, &[1.0, -2.5], &[0.0; 2]), (true, false));
        assert_eq!(kind(&[0.0], &[1.0], &[0.0]), (true, false));
    }

    #[test]
    fn the_direction_is_not_moved() {
        let a = [-0.5, 0.25, 0.25, 0.25, -0.5, 0.25, 0.25, 0.25, -0.5];
        let direction = rank(a.to_vec(), vec![0.0; 3], &[0.0; 3]).unwrap().null.unwrap();
        for i in 0..3 {
            let moved: f64 = (0..3).map(|j| a[i * 3 + j] * direction[j]).sum();
            assert!(moved.abs() < 1e-15 && direction[i].abs() > 0.1, "{direction:?}");
        }
        assert!(rank(vec![f64::NAN], vec![0.0], &[0.0]).is_none());
    }
}
