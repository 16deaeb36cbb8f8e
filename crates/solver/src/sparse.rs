//! Sparse elimination.
//!
//! A pattern comes in once and is ordered for little fill; matrices of that pattern are factored
//! as they come. The elimination is that of the crate `faer`, on one thread: the same matrix gives
//! the same bits.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par};

use crate::pattern::Pattern;

/// A matrix a I - b df/dx and its factors.
pub(crate) struct Sparse {
    structure: SymbolicSparseColMat<u32>,
    values: Vec<f64>,
    /// For each entry of the pattern, and of the diagonal, its index among the values.
    entries: Vec<u32>,
    diagonal: Vec<u32>,
    symbolic: SymbolicLu<u32>,
    numeric: NumericLu<u32, f64>,
    space: MemBuffer,
}

impl std::fmt::Debug for Sparse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sparse").field("values", &self.values.len()).finish_non_exhaustive()
    }
}

impl Sparse {
    /// Orders a pattern, unless it is to be eliminated as a dense one.
    pub fn of(pattern: &Pattern) -> Option<Sparse> {
        let dense = Pattern::eliminates_densely(pattern.dimension(), pattern.len());
        (!dense).then(|| Sparse::new(pattern))
    }

    fn new(pattern: &Pattern) -> Sparse {
        let n = pattern.dimension();
        let (mut starts, mut rows): (Vec<u32>, Vec<u32>) = (vec![0], Vec::new());
        let (mut entries, mut diagonal) = (Vec::new(), Vec::new());
        for column in 0..n {
            let own = pattern.column(column);
            let before = own.partition_point(|row| *row < column);
            let present = own.get(before) == Some(&column);
            let first = rows.len();
            rows.extend(own[..before].iter().map(|row| *row as u32));
            rows.push(column as u32);
            let after = &own[before + usize::from(present)..];
            rows.extend(after.iter().map(|row| *row as u32));
            diagonal.push((first + before) as u32);
            let missing = |k: usize| usize::from(k >= before && !present);
            entries.extend((0..own.len()).map(|k| (first + k + missing(k)) as u32));
            starts.push(rows.len() as u32);
        }
        let values = vec![0.0; rows.len()];
        let structure = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let symbolic = factorize_symbolic_lu(structure.as_ref(), Default::default())
            .expect("memory for the order of a matrix");
        let needs = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let space = MemBuffer::new(needs);
        let numeric = NumericLu::new();
        Sparse { structure, values, entries, diagonal, symbolic, numeric, space }
    }

    /// Factors a I - b df/dx; false if its entries cannot have full rank. A matrix that is singular
    /// by its values has solutions that are not finite.
    pub fn factor(&mut self, a: f64, b: f64, derivatives: &[f64]) -> bool {
        self.values.fill(0.0);
        for (index, value) in self.entries.iter().zip(derivatives) {
            self.values[*index as usize] = -b * value;
        }
        for index in &self.diagonal {
            self.values[*index as usize] += a;
        }
        let matrix = SparseColMatRef::new(self.structure.as_ref(), &self.values);
        let stack = MemStack::new(&mut self.space);
        let (par, params) = (Par::Seq, Default::default());
        self.symbolic.factorize_numeric_lu(&mut self.numeric, matrix, par, stack, params).is_ok()
    }

    /// Solves with the factors, in place of the right-hand side.
    pub fn solve(&mut self, right: &mut [f64]) {
        let n = right.len();
        let right = MatMut::from_column_major_slice_mut(right, n, 1);
        let factors = faer::sparse::linalg::lu::LuRef::new_unchecked(&self.symbolic, &self.numeric);
        factors.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut self.space));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of m by m cells, each moved by its neighbours.
    fn grid(m: usize) -> Pattern {
        let columns = (0..m * m).map(|cell| {
            let (i, j) = (cell / m, cell % m);
            let up = (i > 0).then(|| cell - m);
            let left = (j > 0).then(|| cell - 1);
            let right = (j + 1 < m).then_some(cell + 1);
            let down = (i + 1 < m).then_some(cell + m);
            [up, left, Some(cell), right, down].into_iter().flatten().collect()
        });
        Pattern::from_columns(columns, false)
    }

    #[test]
    fn a_sparse_matrix_is_solved() {
        let pattern = grid(20);
        let n = pattern.dimension();
        let derivatives: Vec<f64> = (0..pattern.len()).map(|k| (k as f64).sin()).collect();
        let mut sparse = Sparse::new(&pattern);
        for (a, b) in [(10.0, 1.0), (0.5, -1.0), (0.0, 1.0)] {
            assert!(sparse.factor(a, b, &derivatives));
            let x: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64).cos()).collect();
            let mut right: Vec<f64> = x.iter().map(|x| a * x).collect();
            for (column, x) in x.iter().enumerate() {
                for (row, k) in pattern.column(column).iter().zip(pattern.range(column)) {
                    right[*row] -= b * derivatives[k] * x;
                }
            }
            sparse.solve(&mut right);
            let error = right.iter().zip(&x).map(|(y, x)| (y - x).abs()).fold(0.0, f64::max);
            assert!(error < 1e-10, "{error}");
        }
    }

    /// What cannot be solved gives a solution that is not finite, which no step survives.
    #[test]
    fn a_singular_matrix_is_noticed() {
        let pattern = grid(20);
        let mut sparse = Sparse::new(&pattern);
        for a in [0.0, f64::NAN] {
            let mut right = vec![1.0; pattern.dimension()];
            let factored = sparse.factor(a, 1.0, &vec![0.0; pattern.len()]);
            if factored {
                sparse.solve(&mut right);
            }
            assert!(!factored || right.iter().all(|x| !x.is_finite()));
        }
    }

    /// A matrix whose diagonal is missing needs pivots.
    #[test]
    fn a_diagonal_of_zeros_is_no_obstacle() {
        let n = 40;
        let pattern = Pattern::from_columns((0..n).map(|j| vec![(j + 1) % n]), false);
        let mut sparse = Sparse::new(&pattern);
        assert!(sparse.factor(0.0, -1.0, &vec![2.0; n]));
        let mut right: Vec<f64> = (0..n).map(|i| i as f64).collect();
        sparse.solve(&mut right);
        assert_eq!(right[0], 0.5);
        assert_eq!(right[n - 1], 0.0);
    }
}
