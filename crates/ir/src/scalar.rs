//! What a number must be able to do for the interpreter: floats, jets and partial values do it.

use crate::{Binary, Opaque, Unary};

/// An element that the interpreter computes with.
pub trait Scalar: Copy {
    /// How many further Newton steps a solved loop needs once its plain value has converged.
    const EXTRA_NEWTON_STEPS: usize;

    /// A number that does not change.
    fn constant(value: f64) -> Self;
    /// A value that a causality loop leaves undetermined.
    fn unknown() -> Self;
    /// The plain value.
    fn primal(self) -> f64;
    /// One operand.
    fn unary(op: Unary, a: Self) -> Self;
    /// Two operands.
    fn binary(op: Binary, a: Self, b: Self) -> Self;
    /// One of two.
    fn select(condition: Self, a: Self, b: Self) -> Self;
    /// The reading of a crossing.
    fn sign_outside(d: Self, side: Self, residual: Self) -> Self;
    /// The reading of a floor.
    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self;
    /// The element at a position.
    fn index(row: &[Self], position: Self) -> Self;
    /// A function that the graph cannot see into.
    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]);
}

/// One operand on floats.
#[inline]
pub(crate) fn unary(op: Unary, a: f64) -> f64 {
    match op {
        Unary::Neg => -a,
        Unary::Not => f64::from(a == 0.0),
        Unary::Sin => a.sin(),
        Unary::Cos => a.cos(),
        Unary::Tan => a.tan(),
        Unary::Asin => a.asin(),
        Unary::Acos => a.acos(),
        Unary::Atan => a.atan(),
        Unary::Sinh => a.sinh(),
        Unary::Cosh => a.cosh(),
        Unary::Tanh => a.tanh(),
        Unary::Asinh => a.asinh(),
        Unary::Acosh => a.acosh(),
        Unary::Atanh => a.atanh(),
        Unary::Exp => a.exp(),
        Unary::Log => a.ln(),
        Unary::Log10 => a.log10(),
        Unary::Log2 => a.log2(),
        Unary::Sqrt => a.sqrt(),
        Unary::Sign => sign(a),
        Unary::Floor => a.floor(),
    }
}

/// -1, 0 or 1, and NaN for NaN.
pub(crate) fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else if a == 0.0 {
        0.0
    } else {
        f64::NAN
    }
}

/// Two operands on floats.
#[inline]
pub(crate) fn binary(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Pow => a.powf(b),
        Binary::Atan2 => a.atan2(b),
        Binary::Hypot => a.hypot(b),
        Binary::And => f64::from(a != 0.0 && b != 0.0),
        Binary::Or => f64::from(a != 0.0 || b != 0.0),
        Binary::Equal => f64::from(a == b),
        Binary::Less => f64::from(a < b),
        Binary::LessEqual => f64::from(a <= b),
    }
}

impl Scalar for f64 {
    const EXTRA_NEWTON_STEPS: usize = 0;

    fn constant(value: f64) -> Self {
        value
    }

    fn unknown() -> Self {
        f64::NAN
    }

    fn primal(self) -> f64 {
        self
    }

    #[inline]
    fn unary(op: Unary, a: Self) -> Self {
        unary(op, a)
    }

    #[inline]
    fn binary(op: Binary, a: Self, b: Self) -> Self {
        binary(op, a, b)
    }

    #[inline]
    fn select(condition: Self, a: Self, b: Self) -> Self {
        if condition != 0.0 { a } else { b }
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        if d.abs() <= residual { side } else { sign(d) }
    }

    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self {
        let on_edge = (x - cell).abs() <= residual || (x - (cell + 1.0)).abs() <= residual;
        if on_edge { cell } else { x.floor() }
    }

    fn index(row: &[Self], position: Self) -> Self {
        let inside = position >= 0.0 && position.fract() == 0.0;
        if inside { row.get(position as usize).copied().unwrap_or(f64::NAN) } else { f64::NAN }
    }

    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]) {
        function.call(args, result);
    }
}
