//! Dense elimination with partial pivoting, in place.
//!
//! Small on purpose: matrices are slices that the caller keeps, column after column, so that a step
//! allocates nothing and every inner loop goes over numbers that lie together. What a solution
//! costs is the chain from one unknown to the next: it has a product and a difference for each, and
//! nothing else.

/// Which rows were exchanged.
#[derive(Debug, Default)]
pub(crate) struct Pivots {
    /// For each column the row that was exchanged with its own.
    rows: Vec<usize>,
    /// Whether any is not its own.
    exchanged: bool,
}

impl Pivots {
    pub fn new(n: usize) -> Pivots {
        Pivots { rows: vec![0; n], exchanged: false }
    }
}

/// Factors the n by n matrix `a` in place; false if it is singular or not finite. The diagonal
/// gets the reciprocals of the pivots, and the rows behind it are multiplied by them.
///
/// Both functions become part of their caller, for which a small `n` may be a constant.
#[inline(always)]
pub(crate) fn factor(a: &mut [f64], pivots: &mut Pivots, n: usize) -> bool {
    let (a, rows) = (&mut a[..n * n], &mut pivots.rows[..n]);
    pivots.exchanged = false;
    for k in 0..n {
        let size = |row: usize| a[k * n + row].abs();
        let pivot = (k + 1..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        rows[k] = pivot;
        if pivot != k {
            (0..n).for_each(|j| a.swap(j * n + k, j * n + pivot));
            pivots.exchanged = true;
        }
        let (done, rest) = a.split_at_mut((k + 1) * n);
        let (head, below) = done[k * n + k..].split_at_mut(1);
        if head[0] == 0.0 || !head[0].is_finite() {
            return false;
        }
        head[0] = 1.0 / head[0];
        below.iter_mut().for_each(|value| *value *= head[0]);
        for column in rest.chunks_exact_mut(n) {
            let (above, own) = column.split_at_mut(k + 1);
            let value = above[k];
            own.iter_mut().zip(&*below).for_each(|(to, factor)| *to -= factor * value);
            above[k] = value * head[0];
        }
    }
    true
}

/// So many unknowns are solved for in registers.
const FEW: usize = 4;

/// Solves with a factored matrix, in place of the right-hand side.
#[inline(always)]
pub(crate) fn solve(a: &[f64], pivots: &Pivots, b: &mut [f64], n: usize) {
    let (a, b) = (&a[..n * n], &mut b[..n]);
    if pivots.exchanged {
        pivots.rows[..n].iter().enumerate().for_each(|(i, row)| b.swap(i, *row));
    }
    if n > FEW {
        return substitute(a, b, n);
    }
    let mut few = [0.0; FEW];
    few[..n].copy_from_slice(b);
    substitute(a, &mut few[..n], n);
    b.copy_from_slice(&few[..n]);
}

/// Solves with both triangles.
#[inline(always)]
fn substitute(a: &[f64], b: &mut [f64], n: usize) {
    for k in 0..n {
        let (known, rest) = b.split_at_mut(k + 1);
        subtract(rest, &a[k * n + k + 1..(k + 1) * n], known[k]);
    }
    (0..n).for_each(|k| b[k] *= a[k * n + k]);
    for k in (1..n).rev() {
        let (rest, known) = b.split_at_mut(k);
        subtract(rest, &a[k * n..k * n + k], known[0]);
    }
}

/// Takes so many times a column away.
#[inline(always)]
fn subtract(b: &mut [f64], column: &[f64], times: f64) {
    b.iter_mut().zip(column).for_each(|(b, a)| *b -= a * times);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_needs_pivots_is_solved() {
        let matrix = [0.0, 2.0, 1.0, 1.0, 1.0, -1.0, 4.0, -3.0, 2.0];
        let x = [1.0, -2.0, 3.0];
        let row = |i: usize| (0..3).map(|j| matrix[3 * j + i] * x[j]).sum();
        let mut b: Vec<f64> = (0..3).map(row).collect();
        let (mut a, mut pivots) = (matrix, Pivots::new(3));
        assert!(factor(&mut a, &mut pivots, 3));
        solve(&a, &pivots, &mut b, 3);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        assert!(!factor(&mut [1.0, 2.0, 2.0, 4.0], &mut Pivots::new(2), 2));
        assert!(!factor(&mut [f64::NAN], &mut Pivots::new(1), 1));
    }
}
