//! Matrix products: written out number by number if that is less work, otherwise one operation.
//!
//! A sum of products starts at 0 and goes on from first to last, so that a term that is a zero
//! changes no bit of a finite result: the total is never -0. A term is left out only if its factor
//! is a constant 0. Then the other factor does not count, also if it is infinite or NaN.

use base::{Elem, Shape, Type};

use crate::{Graph, NodeId, Op};

/// Products with no more multiplications than this are written out.
const SMALL: usize = 32;

/// The most terms, on average, of an element of a sparse product that is written out.
const FEW: usize = 8;

/// The sizes of a product.
#[derive(Clone, Copy)]
struct Sizes {
    rows: usize,
    inner: usize,
    columns: usize,
}

impl Sizes {
    fn of(a: Shape, b: Shape) -> Sizes {
        let (rows, inner) = match a {
            Shape::Matrix(rows, inner) => (rows as usize, inner as usize),
            other => (1, other.len()),
        };
        let columns = match b {
            Shape::Matrix(_, columns) => columns as usize,
            _ => 1,
        };
        Sizes { rows, inner, columns }
    }

    /// The number of multiplications.
    fn work(self) -> usize {
        self.rows.saturating_mul(self.inner).saturating_mul(self.columns)
    }
}

impl Graph {
    /// The matrix product; shapes must fit.
    pub fn matmul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let shape = match (self.ty(a).shape, self.ty(b).shape) {
            (Shape::Matrix(rows, _), Shape::Vector(_)) => Shape::Vector(rows),
            (Shape::Matrix(rows, _), Shape::Matrix(_, columns)) => Shape::Matrix(rows, columns),
            (Shape::Vector(_), Shape::Vector(_)) => Shape::Scalar,
            (a, b) => unreachable!("product of {a} and {b}"),
        };
        let ty = Type { elem: Elem::Real, shape };
        let sizes = Sizes::of(self.ty(a).shape, self.ty(b).shape);
        let known = [self.constant_of(a), self.constant_of(b)];
        if let [Some(x), Some(y)] = &known {
            return self.constant(ty, &multiply(sizes, x, y));
        }
        if ty.is_empty() || !is_written_out(sizes, &known) {
            return self.insert(Op::MatMul, &[a, b], ty);
        }
        let mut elements = Vec::with_capacity(ty.len());
        for i in 0..sizes.rows {
            for j in 0..sizes.columns {
                elements.push(self.dot((a, b), &known, sizes, (i, j)));
            }
        }
        self.stack(&elements, shape)
    }

    /// An element of a product as a sum, without the terms that a constant makes 0.
    fn dot(
        &mut self,
        (a, b): (NodeId, NodeId),
        known: &[Option<Vec<f64>>; 2],
        Sizes { inner, columns, .. }: Sizes,
        (i, j): (usize, usize),
    ) -> NodeId {
        let mut total = self.real(0.0);
        for k in 0..inner {
            let at = [i * inner + k, k * columns + j];
            if is_zero(known, at) {
                continue;
            }
            let x = self.extract(a, at[0], Shape::Scalar);
            let y = self.extract(b, at[1], Shape::Scalar);
            let term = self.mul(x, y);
            total = self.add(total, term);
        }
        total
    }
}

/// Whether a term has a constant 0 as a factor.
fn is_zero(known: &[Option<Vec<f64>>; 2], at: [usize; 2]) -> bool {
    known.iter().zip(at).any(|(data, at)| data.as_ref().is_some_and(|data| data[at] == 0.0))
}

/// Whether a product is written out: it is small, or most of its terms are left out.
fn is_written_out(sizes: Sizes, known: &[Option<Vec<f64>>; 2]) -> bool {
    let Sizes { rows, inner, columns } = sizes;
    if sizes.work() <= SMALL {
        return true;
    }
    let nonzero = |data: &Vec<f64>| data.iter().filter(|x| **x != 0.0).count();
    let terms = match known {
        [Some(a), _] => nonzero(a).saturating_mul(columns),
        [_, Some(b)] => nonzero(b).saturating_mul(rows),
        _ => return false,
    };
    inner > 0 && terms <= sizes.work() / 2 && terms <= FEW * rows * columns
}

/// The product of two constants, as the operation computes it.
fn multiply(Sizes { rows, inner, columns }: Sizes, a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = Vec::with_capacity(rows * columns);
    for i in 0..rows {
        for j in 0..columns {
            let terms = (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]);
            product.push(terms.fold(0.0, |total, term| total + term));
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Tape, run};

    /// The product of a constant and a leaf by its tape, and whether it is one operation.
    fn by_tape(rows: u32, a: &[f64], x: &[f64]) -> (Vec<f64>, bool) {
        let mut g = Graph::new();
        let (inner, length) = (x.len() as u32, rows as usize);
        let matrix = g.constant(Type { elem: Elem::Real, shape: Shape::Matrix(rows, inner) }, a);
        let vector = g.leaf(0, Type::vector(inner));
        let product = g.matmul(matrix, vector);
        let whole = g.node(product).op == Op::MatMul;
        let mut layout = Layout::default();
        let (input, output) = (layout.reserve(x.len()), layout.reserve(length));
        let tape = Tape::compile(&g, &[(product, output)], &mut layout, &|_| input);
        let mut slots = layout.image().to_vec();
        slots[input.index()..][..x.len()].copy_from_slice(x);
        run(&tape, &mut slots);
        (slots[output.index()..][..length].to_vec(), whole)
    }

    #[test]
    fn a_sparse_product_has_the_bits_of_the_full_one() {
        let n = 40u32;
        let at = |i: u32, j: u32| if i.abs_diff(j) <= 1 { f64::from(i * 7 + j) / 3.0 } else { 0.0 };
        let a: Vec<f64> = (0..n * n).map(|at_| at(at_ / n, at_ % n)).collect();
        let x: Vec<f64> = (0..n).map(|i| f64::from(i % 5) - 2.0).map(|x| x * -0.1).collect();
        let (product, whole) = by_tape(n, &a, &x);
        let expected = multiply(Sizes { rows: 40, inner: 40, columns: 1 }, &a, &x);
        let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&product), bits(&expected));
        assert!(!whole, "three terms in each row are written out");
        assert!(by_tape(n, &vec![1.0; 1600], &x).1, "a full matrix is one operation");
    }

    #[test]
    fn a_constant_zero_hides_what_is_not_finite() {
        let mut a = [0.0; 400];
        a[21] = 2.0;
        let mut x = [1.0; 20];
        x[7] = f64::INFINITY;
        let (product, _) = by_tape(20, &a, &x);
        assert_eq!(product[1], 2.0);
        assert!(product.iter().all(|value| value.is_finite()));
    }
}
