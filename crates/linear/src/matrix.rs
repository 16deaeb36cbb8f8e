//! Dense matrices.

use faer::Mat;

/// A dense matrix, row after row.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, data: vec![0.0; rows * columns] }
    }

    /// The matrix with a value for each row and column.
    pub fn of(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Matrix {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        Matrix { rows, columns, data: places.map(|(i, j)| value(i, j)).collect() }
    }

    /// The identity.
    pub fn identity(size: usize) -> Matrix {
        Matrix::of(size, size, |i, j| f64::from(i == j))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All entries, row after row.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// One row.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.data[index * self.columns..(index + 1) * self.columns]
    }

    /// An entry.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.data[row * self.columns + column]
    }

    /// Writes an entry.
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.data[row * self.columns + column] = value;
    }

    /// The product of two matrices.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::zeros(self.rows, other.columns);
        for i in 0..self.rows {
            for k in 0..self.columns {
                let factor = self.get(i, k);
                if factor == 0.0 {
                    continue;
                }
                for j in 0..other.columns {
                    product.data[i * other.columns + j] += factor * other.get(k, j);
                }
            }
        }
        product
    }

    /// The sum of two matrices.
    pub fn plus(&self, other: &Matrix) -> Matrix {
        Matrix::of(self.rows, self.columns, |i, j| self.get(i, j) + other.get(i, j))
    }

    /// Some rows and columns of it.
    pub fn part(&self, rows: &[usize], columns: &[usize]) -> Matrix {
        Matrix::of(rows.len(), columns.len(), |i, j| self.get(rows[i], columns[j]))
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.data.iter().all(|x| x.is_finite())
    }

    pub(crate) fn faer(&self) -> Mat<f64> {
        Mat::from_fn(self.rows, self.columns, |i, j| self.get(i, j))
    }
}
