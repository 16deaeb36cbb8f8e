//! Which derivatives of the rates may be other than zero.

/// The entries of df/dx that may be other than zero, column after column, and whether the rates
/// move with time alone.
///
/// Entries that are left out are zero at all times; those that are named may be zero too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The index of the first entry of each column; one more than there are columns.
    starts: Vec<usize>,
    /// The rows of each column, rising.
    rows: Vec<usize>,
    /// Whether df/dt may be other than zero.
    moves_with_time: bool,
}

/// The number of columns up to which a matrix is dense in any case.
const SMALL: usize = 32;
/// The part of a larger matrix from which on it is dense.
const FILLED: f64 = 0.1;

impl Pattern {
    /// Every entry of an n by n matrix.
    pub fn dense(n: usize, moves_with_time: bool) -> Pattern {
        let starts = (0..=n).map(|column| column * n).collect();
        let rows = (0..n).flat_map(|_| 0..n).collect();
        Pattern { starts, rows, moves_with_time }
    }

    /// The entries of each column: rows that rise, all below the number of columns.
    pub fn from_columns(
        columns: impl Iterator<Item = Vec<usize>>,
        moves_with_time: bool,
    ) -> Pattern {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for column in columns {
            debug_assert!(column.is_sorted(), "the rows of a column rise");
            rows.extend(column);
            starts.push(rows.len());
        }
        debug_assert!(rows.iter().all(|row| row + 1 < starts.len()), "the matrix is square");
        Pattern { starts, rows, moves_with_time }
    }

    /// The number of columns, and of rows.
    pub fn dimension(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether larger matrices with few entries are eliminated as sparse ones: the feature `sparse`.
    pub const KNOWS_SPARSE: bool = cfg!(feature = "sparse");

    /// Whether a matrix of so many columns and entries is eliminated as a dense one.
    pub fn eliminates_densely(columns: usize, entries: usize) -> bool {
        let all = (columns as f64) * (columns as f64);
        !Pattern::KNOWS_SPARSE || columns <= SMALL || entries as f64 >= FILLED * all
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether df/dt may be other than zero.
    pub fn moves_with_time(&self) -> bool {
        self.moves_with_time
    }

    /// The rows of a column.
    #[inline]
    pub fn column(&self, column: usize) -> &[usize] {
        &self.rows[self.range(column)]
    }

    /// The indices of the entries of a column among all.
    pub(crate) fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }
}

impl Default for Pattern {
    fn default() -> Pattern {
        Pattern::dense(0, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_knows_its_places() {
        let dense = Pattern::dense(2, false);
        assert_eq!((dense.dimension(), dense.len(), dense.column(1)), (2, 4, &[0, 1][..]));
        let columns = [vec![0, 2], vec![], vec![1]];
        let sparse = Pattern::from_columns(columns.into_iter(), true);
        assert_eq!((sparse.dimension(), sparse.len()), (3, 3));
        assert_eq!((sparse.column(0), sparse.range(2)), (&[0, 2][..], 2..3));
    }
}
