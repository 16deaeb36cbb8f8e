//! Dense elimination with partial pivoting, in place.
//!
//! Small on purpose: matrices are row-major slices that the caller keeps, so that a step
//! allocates nothing.

/// Factors the n by n matrix `a` in place; false where it is singular or not finite. The diagonal
/// gets the reciprocals of the pivots.
///
/// Both functions become part of their caller, for which a small `n` may be a constant.
#[inline(always)]
pub(crate) fn factor(a: &mut [f64], pivots: &mut [usize], n: usize) -> bool {
    let (a, pivots) = (&mut a[..n * n], &mut pivots[..n]);
    for column in 0..n {
        let size = |row: usize| a[row * n + column].abs();
        let pivot =
            (column + 1..n).fold(column, |best, i| if size(i) > size(best) { i } else { best });
        pivots[column] = pivot;
        if pivot != column {
            (0..n).for_each(|j| a.swap(column * n + j, pivot * n + j));
        }
        let head = a[column * n + column];
        if head == 0.0 || !head.is_finite() {
            return false;
        }
        let head = 1.0 / head;
        a[column * n + column] = head;
        let (upper, lower) = a.split_at_mut((column + 1) * n);
        let source = &upper[column * n + column + 1..];
        for row in lower.chunks_exact_mut(n) {
            let factor = row[column] * head;
            row[column] = factor;
            row[column + 1..].iter_mut().zip(source).for_each(|(to, from)| *to -= factor * from);
        }
    }
    true
}

/// Solves with a factored matrix, in place of the right-hand side.
#[inline(always)]
pub(crate) fn solve(a: &[f64], pivots: &[usize], b: &mut [f64], n: usize) {
    let (a, pivots, b) = (&a[..n * n], &pivots[..n], &mut b[..n]);
    for (i, &pivot) in pivots.iter().enumerate() {
        b.swap(i, pivot);
    }
    for i in 1..n {
        let (known, rest) = b.split_at_mut(i);
        rest[0] -= dot(&a[i * n..i * n + i], known);
    }
    for i in (0..n).rev() {
        let (rest, known) = b.split_at_mut(i + 1);
        rest[i] = (rest[i] - dot(&a[i * n + i + 1..(i + 1) * n], known)) * a[i * n + i];
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_needs_pivots_is_solved() {
        let matrix = [0.0, 2.0, 1.0, 1.0, 1.0, -1.0, 4.0, -3.0, 2.0];
        let x = [1.0, -2.0, 3.0];
        let mut b: Vec<f64> = matrix.chunks(3).map(|row| dot(row, &x)).collect();
        let (mut a, mut pivots) = (matrix, [0; 3]);
        assert!(factor(&mut a, &mut pivots, 3));
        solve(&a, &pivots, &mut b, 3);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");
    }

    #[test]
    fn a_singular_matrix_is_told() {
        assert!(!factor(&mut [1.0, 2.0, 2.0, 4.0], &mut [0; 2], 2));
        assert!(!factor(&mut [f64::NAN], &mut [0; 1], 1));
    }
}
