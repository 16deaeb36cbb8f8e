//! Vectors and matrices: construction, indexing, products.

use base::{Diagnostic, Elem, Shape, Span, Type, Value};

use super::operators::{elem_of, sizes_differ};
use super::{Operand, check_defined, check_size, exact, mismatch};

/// The maximum number of multiplications in one matrix product; beyond it, reading a model would
/// seem to hang.
const MAX_WORK: u64 = 1_000_000_000;

/// The value of `[a, b, ...]`: scalars make a vector, vectors of equal length the rows of a matrix.
pub(super) fn vector(items: Vec<Operand>, span: Span) -> Result<Value, Diagnostic> {
    let Some(first) = items.first() else {
        return Ok(Value::vector(Vec::new()));
    };
    for item in &items {
        check_item(first, item)?;
    }
    let count = length(items.len(), span)?;
    let shape = match first.value.ty().shape {
        Shape::Scalar => Shape::Vector(count),
        Shape::Vector(columns) => Shape::Matrix(count, columns),
        Shape::Matrix(..) => {
            let message = "a vector holds numbers, or vectors as rows of a matrix";
            return Err(mismatch(message, &first.value, first.span));
        }
    };
    let elem = items.iter().map(|item| item.value.ty().elem).max().unwrap_or(Elem::Real);
    let data = items.iter().flat_map(|item| item.value.data()).copied().collect();
    Ok(Value::new(Type { elem, shape }, data))
}

fn check_item(first: &Operand, item: &Operand) -> Result<(), Diagnostic> {
    let (expected, found) = (first.value.ty(), item.value.ty());
    if (expected.elem == Elem::Bool) != (found.elem == Elem::Bool) {
        return Err(mismatch("truth values and numbers are mixed", &item.value, item.span)
            .at(first.span, format!("this is {}", expected.with_article())));
    }
    if expected.shape != found.shape {
        return Err(Diagnostic::error("size-mismatch", "the rows have different sizes")
            .at(item.span, format!("this is {}", found.with_article()))
            .at(first.span, format!("this is {}", expected.with_article())));
    }
    Ok(())
}

fn length(count: usize, span: Span) -> Result<u32, Diagnostic> {
    check_size(count, span)?;
    Ok(count as u32)
}

/// The value of `x[i]` or `x[i, j]`; a matrix with one index gives a row.
pub(super) fn index(operand: &Operand, indices: &[Operand]) -> Result<Value, Diagnostic> {
    let (value, data) = (&operand.value, operand.value.data());
    let elem = value.ty().elem;
    match (value.ty().shape, indices) {
        (Shape::Vector(n), [i]) => Ok(element(elem, data[position(i, n)?])),
        (Shape::Matrix(rows, columns), [i]) => {
            let start = position(i, rows)? * columns as usize;
            let row = data[start..start + columns as usize].to_vec();
            Ok(Value::new(Type { elem, shape: Shape::Vector(columns) }, row))
        }
        (Shape::Matrix(rows, columns), [i, j]) => {
            let start = position(i, rows)? * columns as usize;
            Ok(element(elem, data[start + position(j, columns)?]))
        }
        (Shape::Scalar, _) => Err(mismatch("a scalar has no elements", value, operand.span)),
        _ => Err(mismatch("there are more indices than dimensions", value, operand.span)),
    }
}

fn element(elem: Elem, value: f64) -> Value {
    match (elem, exact::whole(value)) {
        (Elem::Int, Some(exact)) => Value::rational(exact),
        _ => Value::new(Type::scalar(elem), vec![value]),
    }
}

/// The value of an index, which must be below `count`.
fn position(index: &Operand, count: u32) -> Result<usize, Diagnostic> {
    let Some(number) = index.value.as_int() else {
        return Err(mismatch("an index is a whole number", &index.value, index.span));
    };
    usize::try_from(number).ok().filter(|at| *at < count as usize).ok_or_else(|| {
        let range = match count {
            0 => "there are no elements".to_owned(),
            _ => format!("indices go from 0 to {}", count - 1),
        };
        Diagnostic::error("index-out-of-range", format!("there is no element {number}"))
            .at(index.span, range)
    })
}

/// The product of a matrix with a matrix or a vector.
pub(super) fn product(left: &Operand, right: &Operand, span: Span) -> Result<Value, Diagnostic> {
    let Shape::Matrix(rows, inner) = left.value.ty().shape else {
        return Err(mismatch("this product needs a matrix", &left.value, left.span));
    };
    let (height, columns, shape) = match right.value.ty().shape {
        Shape::Matrix(height, columns) => (height, columns, Shape::Matrix(rows, columns)),
        _ => (right.value.data().len() as u32, 1, Shape::Vector(rows)),
    };
    if height != inner {
        return Err(sizes_differ("a matrix product", left, right).note(format!(
            "the left has {inner} columns and the right {height} rows; they must be as many"
        )));
    }
    check_size(shape.len(), span)?;
    if shape.len() as u64 * u64::from(inner) > MAX_WORK {
        return Err(
            Diagnostic::error("value-too-large", "this product takes too long").at(span, "")
        );
    }
    let (a, b) = (left.value.data(), right.value.data());
    let (inner, columns) = (inner as usize, columns as usize);
    let mut data = Vec::with_capacity(shape.len());
    for row in 0..rows as usize {
        for column in 0..columns {
            data.push((0..inner).map(|k| a[row * inner + k] * b[k * columns + column]).sum());
        }
    }
    let integers = left.value.ty().elem == Elem::Int && right.value.ty().elem == Elem::Int;
    let elem = if integers { elem_of(&data) } else { Elem::Real };
    check_defined(Value::new(Type { elem, shape }, data), span)
}

/// The transpose; a vector becomes a matrix with one row.
pub(super) fn transpose(operand: &Operand) -> Value {
    let ty = operand.value.ty();
    let data = operand.value.data();
    let (shape, data) = match ty.shape {
        Shape::Scalar => return operand.value.clone(),
        Shape::Vector(n) => (Shape::Matrix(1, n), data.to_vec()),
        Shape::Matrix(rows, columns) => {
            let (rows, columns) = (rows as usize, columns as usize);
            let cells = (0..columns).flat_map(|c| (0..rows).map(move |r| data[r * columns + c]));
            (Shape::Matrix(columns as u32, rows as u32), cells.collect())
        }
    };
    Value::new(Type { elem: ty.elem, shape }, data)
}

/// The identity matrix.
pub(super) fn identity(size: &Operand, span: Span) -> Result<Value, Diagnostic> {
    let n = extent(size, span)?;
    let shape = Shape::Matrix(n as u32, n as u32);
    check_size(shape.len(), span)?;
    let mut data = vec![0.0; shape.len()];
    for diagonal in 0..n {
        data[diagonal * (n + 1)] = 1.0;
    }
    Ok(Value::new(Type { elem: Elem::Int, shape }, data))
}

/// A vector or matrix with all elements equal.
pub(super) fn filled(sizes: &[Operand], with: f64, span: Span) -> Result<Value, Diagnostic> {
    let extents = sizes.iter().map(|size| extent(size, span)).collect::<Result<Vec<_>, _>>()?;
    let shape = match extents[..] {
        [rows, columns] => Shape::Matrix(rows as u32, columns as u32),
        [length] => Shape::Vector(length as u32),
        _ => {
            let message = "sizes are given as one number or two";
            return Err(Diagnostic::error("wrong-arguments", message).at(span, ""));
        }
    };
    check_size(shape.len(), span)?;
    Ok(Value::new(Type { elem: Elem::Int, shape }, vec![with; shape.len()]))
}

/// A constant size, up to the maximum number of elements.
fn extent(size: &Operand, span: Span) -> Result<usize, Diagnostic> {
    let number = size.value.as_int().and_then(|number| usize::try_from(number).ok());
    let number = number.ok_or_else(|| {
        mismatch("a size is a whole number, 0 or more", &size.value, size.span)
            .note(format!("its value is {}", size.value))
    })?;
    check_size(number, span)?;
    Ok(number)
}
