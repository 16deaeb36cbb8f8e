//! A value and its derivatives in several directions at once: forward differentiation while a tape
//! runs.
//!
//! A direction in which an operand does not move contributes exactly zero, whatever the slope of the
//! function: `sqrt` of a constant 0 has no infinite derivative by anything. That is what
//! differentiation of the graph gives, too, where what does not move has no tangent at all.

use crate::scalar::{binary, unary};
use crate::{Binary, Opaque, Scalar, Unary};

/// A value and its derivatives in `N` directions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gradient<const N: usize> {
    /// The value.
    pub value: f64,
    /// Its derivative in each direction.
    pub along: [f64; N],
}

/// A factor of a derivative times that derivative, where zero wins over everything.
fn times(factor: f64, along: f64) -> f64 {
    if along == 0.0 { 0.0 } else { factor * along }
}

impl<const N: usize> Gradient<N> {
    /// A value that moves in one direction.
    pub fn moving(value: f64, direction: usize) -> Self {
        let mut along = [0.0; N];
        along[direction] = 1.0;
        Gradient { value, along }
    }

    fn still(value: f64) -> Self {
        Gradient { value, along: [0.0; N] }
    }

    fn scaled(self, value: f64, slope: f64) -> Self {
        Gradient { value, along: self.along.map(|along| times(slope, along)) }
    }

    /// A value with the partial derivatives by two operands.
    fn of_two(value: f64, (a, by_a): (Self, f64), (b, by_b): (Self, f64)) -> Self {
        let along = |i: usize| times(by_a, a.along[i]) + times(by_b, b.along[i]);
        Gradient { value, along: std::array::from_fn(along) }
    }
}

/// The derivative of a function of one operand `a` with this value.
fn slope(op: Unary, a: f64, value: f64) -> f64 {
    match op {
        Unary::Neg => -1.0,
        Unary::Not | Unary::Sign | Unary::Floor => 0.0,
        Unary::Sin => a.cos(),
        Unary::Cos => -a.sin(),
        Unary::Tan => 1.0 + value * value,
        Unary::Asin => 1.0 / (1.0 - a * a).sqrt(),
        Unary::Acos => -1.0 / (1.0 - a * a).sqrt(),
        Unary::Atan => 1.0 / (1.0 + a * a),
        Unary::Sinh => a.cosh(),
        Unary::Cosh => a.sinh(),
        Unary::Tanh => 1.0 - value * value,
        Unary::Asinh => 1.0 / (a * a + 1.0).sqrt(),
        Unary::Acosh => 1.0 / (a * a - 1.0).sqrt(),
        Unary::Atanh => 1.0 / (1.0 - a * a),
        Unary::Exp => value,
        Unary::Log => 1.0 / a,
        Unary::Log10 => 1.0 / (a * std::f64::consts::LN_10),
        Unary::Log2 => 1.0 / (a * std::f64::consts::LN_2),
        Unary::Sqrt => 0.5 / value,
    }
}

/// The partial derivatives of a function of two operands with this value.
fn slopes(op: Binary, a: f64, b: f64, value: f64) -> (f64, f64) {
    match op {
        Binary::Add => (1.0, 1.0),
        Binary::Sub => (1.0, -1.0),
        Binary::Mul => (b, a),
        Binary::Div => (1.0 / b, -value / b),
        Binary::Pow if b == 0.0 => (0.0, value * a.ln()),
        Binary::Pow => (b * a.powf(b - 1.0), value * a.ln()),
        Binary::Hypot => (a / value, b / value),
        Binary::Atan2 => {
            let square = a * a + b * b;
            (b / square, -a / square)
        }
        Binary::And | Binary::Or | Binary::Equal | Binary::Less | Binary::LessEqual => (0.0, 0.0),
    }
}

impl<const N: usize> Scalar for Gradient<N> {
    // Newton's method doubles the number of right derivatives, from the value alone.
    const EXTRA_NEWTON_STEPS: usize = 1;

    fn constant(value: f64) -> Self {
        Gradient::still(value)
    }

    fn unknown() -> Self {
        Gradient::still(f64::NAN)
    }

    fn primal(self) -> f64 {
        self.value
    }

    fn unary(op: Unary, a: Self) -> Self {
        let value = unary(op, a.value);
        a.scaled(value, slope(op, a.value, value))
    }

    fn binary(op: Binary, a: Self, b: Self) -> Self {
        let value = binary(op, a.value, b.value);
        let (by_a, by_b) = slopes(op, a.value, b.value, value);
        Gradient::of_two(value, (a, by_a), (b, by_b))
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        if condition.value != 0.0 { a } else { b }
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        Gradient::still(f64::sign_outside(d.value, side.value, residual.value))
    }

    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self {
        Gradient::still(f64::floor_outside(x.value, cell.value, residual.value))
    }

    fn index(row: &[Self], position: Self) -> Self {
        let at = position.value;
        let inside = at >= 0.0 && at.fract() == 0.0;
        let found = if inside { row.get(at as usize).copied() } else { None };
        found.unwrap_or(Gradient::still(f64::NAN))
    }

    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]) {
        let part = |of: &dyn Fn(&Self) -> f64| -> Vec<Vec<f64>> {
            args.iter().map(|row| row.iter().map(of).collect()).collect()
        };
        let values = part(&|own| own.value);
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let mut numbers = vec![0.0; result.len()];
        function.call(&values, &mut numbers);
        result.iter_mut().zip(&numbers).for_each(|(own, value)| *own = Gradient::still(*value));
        for i in 0..N {
            let along = part(&|own| own.along[i]);
            if along.iter().flatten().all(|slope| *slope == 0.0) {
                continue;
            }
            let along: Vec<&[f64]> = along.iter().map(Vec::as_slice).collect();
            function.tangent(&values, &along, &mut numbers);
            result.iter_mut().zip(&numbers).for_each(|(own, slope)| own.along[i] = *slope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;

    /// Against Taylor jets, whose recurrences are others.
    #[test]
    fn derivatives_are_those_of_jets() {
        use Unary::*;
        let x = Gradient::<2>::moving(0.4, 1);
        let above = Gradient::<2>::moving(1.4, 1);
        let (jet, jet_above) = (Dual::<f64>::time(0.4), Dual::<f64>::time(1.4));
        let close = |own: Gradient<2>, jet: Dual| {
            assert!((own.value - jet.0[0]).abs() < 1e-15);
            assert!((own.along[1] - jet.0[1]).abs() < 1e-14, "{own:?} {jet:?}");
            assert_eq!(own.along[0], 0.0);
        };
        for op in [
            Neg, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Atanh, Exp, Log, Log10,
            Log2, Sqrt,
        ] {
            close(Gradient::unary(op, x), Dual::unary(op, jet));
        }
        close(Gradient::unary(Acosh, above), Dual::unary(Acosh, jet_above));
        let two = |op| (Gradient::binary(op, x, above), Dual::binary(op, jet, jet_above));
        use Binary::*;
        for op in [Add, Sub, Mul, Div, Pow, Atan2, Hypot] {
            let (own, jet) = two(op);
            close(own, jet);
        }
    }

    #[test]
    fn what_does_not_move_has_no_slope() {
        let zero = Gradient::<1>::constant(0.0);
        assert_eq!(Gradient::unary(Unary::Sqrt, zero).along, [0.0]);
        let x = Gradient::<1>::moving(0.0, 0);
        let cube = Gradient::binary(Binary::Pow, x, Gradient::constant(3.0));
        assert_eq!((cube.value, cube.along), (0.0, [0.0]));
        assert_eq!(Gradient::unary(Unary::Sqrt, x).along, [f64::INFINITY]);
    }
}
