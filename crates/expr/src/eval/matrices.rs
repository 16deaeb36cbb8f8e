//! Cross products, determinants, inverses and linear systems.
//!
//! Matrices are eliminated in floating point, with partial pivoting by rows: the same method as for
//! signals during a run.

use base::{Diagnostic, Elem, Shape, Span, Type, Value};

use super::operators::{elem_of, sizes_differ};
use super::{Operand, check_size};

/// The maximum number of rows of a matrix that is eliminated; beyond it, reading a model would seem
/// to hang.
const MAX_ROWS: usize = 1000;

/// The cross product of two vectors of three elements.
pub(super) fn cross(x: &Operand, y: &Operand) -> Result<Value, Diagnostic> {
    if let Some(odd) = [x, y].into_iter().find(|v| v.value.ty().shape != Shape::Vector(3)) {
        let message = "`cross` needs two vectors of three elements";
        let what = format!("this is {}", odd.value.ty().with_article());
        return Err(Diagnostic::error("size-mismatch", message).at(odd.span, what));
    }
    let (a, b) = (x.value.data(), y.value.data());
    let data: Vec<f64> = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i]).into();
    let integers = x.value.ty().elem == Elem::Int && y.value.ty().elem == Elem::Int;
    let elem = if integers { elem_of(&data) } else { Elem::Real };
    Ok(Value::new(Type { elem, shape: Shape::Vector(3) }, data))
}

/// The determinant of a square matrix; that of a scalar is the scalar.
pub(super) fn determinant(matrix: &Operand) -> Result<Value, Diagnostic> {
    if matrix.value.ty().is_scalar() {
        return Ok(matrix.value.clone());
    }
    let n = square("det", matrix)?;
    let mut elimination = Elimination::new(matrix.value.data(), Vec::new(), n);
    let mut determinant = 1.0;
    for k in 0..n {
        match elimination.step(k) {
            Some(pivot) => determinant *= pivot,
            None => return Ok(Value::real(0.0)),
        }
    }
    Ok(Value::real(determinant))
}

/// The inverse of a square matrix; that of a scalar is its reciprocal.
pub(super) fn inverse(matrix: &Operand) -> Result<Value, Diagnostic> {
    let ty = matrix.value.ty().with_elem(Elem::Real);
    if ty.is_scalar() {
        let reciprocal = matrix.value.data().iter().map(|x| 1.0 / x).collect();
        return match matrix.value.data()[0] == 0.0 {
            true => Err(singular(matrix.span)),
            false => Ok(Value::new(ty, reciprocal)),
        };
    }
    let n = square("inverse", matrix)?;
    let mut identity = vec![0.0; n * n];
    (0..n).for_each(|i| identity[i * (n + 1)] = 1.0);
    Ok(Value::new(ty, solution(matrix, identity, n)?))
}

/// The x of A x = b, of a vector or for each column of a matrix.
pub(super) fn solve(matrix: &Operand, right: &Operand) -> Result<Value, Diagnostic> {
    let n = square("solve", matrix)?;
    let ty = right.value.ty().with_elem(Elem::Real);
    let rows = match ty.shape {
        Shape::Vector(rows) | Shape::Matrix(rows, _) => rows as usize,
        Shape::Scalar => 0,
    };
    if rows != n {
        return Err(sizes_differ("`solve`", matrix, right)
            .note(format!("the right-hand side must have {n} rows, as many as the matrix")));
    }
    Ok(Value::new(ty, solution(matrix, right.value.data().to_vec(), n)?))
}

/// The number of rows of a square matrix.
fn square(what: &str, matrix: &Operand) -> Result<usize, Diagnostic> {
    let ty = matrix.value.ty();
    match ty.shape {
        Shape::Matrix(rows, columns) if rows == columns && rows as usize <= MAX_ROWS => {
            check_size(ty.len(), matrix.span)?;
            Ok(rows as usize)
        }
        Shape::Matrix(rows, columns) if rows == columns => {
            let message = format!("`{what}` of a matrix with more than {MAX_ROWS} rows");
            Err(Diagnostic::error("value-too-large", message).at(matrix.span, "too many rows"))
        }
        _ => Err(Diagnostic::error("size-mismatch", format!("`{what}` needs a square matrix"))
            .at(matrix.span, format!("this is {}", ty.with_article()))),
    }
}

fn singular(span: Span) -> Diagnostic {
    Diagnostic::error("division-by-zero", "the matrix is singular: it has no inverse")
        .at(span, "its determinant is 0")
}

/// The rows of the solution of A x = b.
fn solution(matrix: &Operand, b: Vec<f64>, n: usize) -> Result<Vec<f64>, Diagnostic> {
    let mut elimination = Elimination::new(matrix.value.data(), b, n);
    for k in 0..n {
        elimination.step(k).ok_or_else(|| singular(matrix.span))?;
    }
    Ok(elimination.back_substitution())
}

/// A linear system on its way to a triangular one.
struct Elimination {
    n: usize,
    /// The matrix, row by row.
    a: Vec<f64>,
    /// For each element, the sum of the magnitudes of the terms that it was computed from: an
    /// element that is tiny against it is a rounding error, and counts as zero.
    terms: Vec<f64>,
    /// The right-hand sides, row by row.
    b: Vec<f64>,
    width: usize,
}

impl Elimination {
    fn new(a: &[f64], b: Vec<f64>, n: usize) -> Self {
        let (terms, width) = (a.iter().map(|x| x.abs()).collect(), b.len() / n.max(1));
        Elimination { n, a: a.to_vec(), terms, b, width }
    }

    /// Clears column k below the diagonal. Returns the pivot, with the sign of the exchange of rows,
    /// or nothing if the matrix is singular.
    fn step(&mut self, k: usize) -> Option<f64> {
        let n = self.n;
        let size = |i: usize| match self.is_rounding_error(i * n + k) {
            true => 0.0,
            false => self.a[i * n + k].abs(),
        };
        let pivot = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        if size(pivot) == 0.0 {
            return None;
        }
        (0..n).for_each(|j| self.a.swap(k * n + j, pivot * n + j));
        (0..n).for_each(|j| self.terms.swap(k * n + j, pivot * n + j));
        let width = self.width;
        (0..width).for_each(|j| self.b.swap(k * width + j, pivot * width + j));
        (k + 1..n).for_each(|i| self.clear(i, k));
        let sign = if pivot == k { 1.0 } else { -1.0 };
        Some(sign * self.a[k * n + k])
    }

    /// Subtracts a multiple of row k from row i, so that column k is zero there.
    fn clear(&mut self, i: usize, k: usize) {
        let (n, width) = (self.n, self.width);
        let factor = self.a[i * n + k] / self.a[k * n + k];
        for j in k..n {
            self.a[i * n + j] -= factor * self.a[k * n + j];
            self.terms[i * n + j] += factor.abs() * self.terms[k * n + j];
        }
        (0..width).for_each(|j| self.b[i * width + j] -= factor * self.b[k * width + j]);
    }

    fn is_rounding_error(&self, at: usize) -> bool {
        self.a[at].abs() <= 2.0 * self.n as f64 * f64::EPSILON * self.terms[at]
    }

    fn back_substitution(mut self) -> Vec<f64> {
        let (n, width) = (self.n, self.width);
        for k in (0..n).rev() {
            for column in 0..width {
                let term = |j: usize| self.a[k * n + j] * self.b[j * width + column];
                let known: f64 = (k + 1..n).map(term).sum();
                let rest = self.b[k * width + column] - known;
                self.b[k * width + column] = rest / self.a[k * n + k];
            }
        }
        self.b
    }
}
