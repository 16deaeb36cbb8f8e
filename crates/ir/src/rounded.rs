//! Running error bounds: how far rounding may have moved what a tape computes.
//!
//! Each number carries a bound of its distance from what exact arithmetic would give, with exact
//! operands. A number that enters has half a unit in its last place, because it was rounded when it
//! was read or made, unless it is so short that no decimal fraction would have led to it. The bound
//! is that of N. Higham, Accuracy and Stability of Numerical Algorithms (2002), section 3.3, and
//! for elementary functions the change of the function over its argument's error.

use crate::scalar::{binary as plain_binary, unary as plain};
use crate::{Binary, Opaque, Scalar, Unary};

/// Half a unit in the last place, relative to a number.
const HALF: f64 = 0.5 * f64::EPSILON;

/// How many errors around a pole or a branch cut count as torn. Further away the error of a pole is
/// a part of its value.
const NEAR: f64 = 4.0;

/// A number and a bound of its error.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rounded {
    /// The number that floats give.
    pub value: f64,
    /// How far it may be off.
    pub error: f64,
    /// Whether a pole or a branch cut is within a few errors of what it was computed from, so that
    /// rounding may decide on which side of it the number is.
    pub torn: bool,
}

/// Whether a number has at least 20 zero bits at its end, as whole numbers and short binary
/// fractions do: one in a million of those that rounding has made looks like that.
pub fn is_short(x: f64) -> bool {
    x.to_bits().trailing_zeros() >= 20 || x.fract() == 0.0
}

impl Rounded {
    /// A number that enters, with half a unit in its last place unless it is short, and a further
    /// error.
    pub fn entering(value: f64, further: f64) -> Rounded {
        let own = if is_short(value) { 0.0 } else { HALF * value.abs() };
        Rounded { value, error: own + further, torn: false }
    }

    /// A number that a step has moved to, with half a unit in its last place however short it is: a
    /// state near 10 is on a grid, and 10 itself is a point of it.
    pub fn moved(value: f64) -> Rounded {
        Rounded { value, error: HALF * value.abs(), torn: false }
    }

    /// Whether the number is zero but for rounding.
    pub fn is_zero(self) -> bool {
        self.value.is_finite() && self.value.abs() <= self.error
    }

    fn is_near_zero(self) -> bool {
        self.value.abs() <= NEAR * self.error
    }

    fn exact(value: f64) -> Rounded {
        Rounded { value, error: 0.0, torn: false }
    }

    /// A rising or falling function: what it does over the error of its argument. Outside its domain
    /// it has no value, and the other side decides.
    fn through(op: Unary, a: Rounded) -> Rounded {
        let value = plain(op, a.value);
        let reach = |x: f64| {
            let far = (plain(op, x) - value).abs();
            if far.is_nan() { 0.0 } else { far }
        };
        let moved = match a.error > 0.0 {
            true => reach(a.value + a.error).max(reach(a.value - a.error)),
            false => 0.0,
        };
        let error = moved + 2.0 * f64::EPSILON * value.abs();
        // Only the tangent has poles among these, and it rises everywhere else.
        let near = NEAR * a.error;
        let wide = near >= std::f64::consts::FRAC_PI_2;
        let falls = || plain(op, a.value + near) < plain(op, a.value - near);
        let pole = op == Unary::Tan && (wide || falls());
        Rounded { value, error, torn: a.torn || pole }
    }

    /// The same part of the number, and of its error.
    pub fn scaled_down(self, by: f64) -> Rounded {
        Rounded { value: self.value / by, error: self.error / by, torn: self.torn }
    }
}

/// Whether a product or quotient by this number is exact: a power of two, or zero.
fn only_scales(x: f64) -> bool {
    x.to_bits() << 12 == 0
}

impl Scalar for Rounded {
    const EXTRA_NEWTON_STEPS: usize = 0;

    fn constant(value: f64) -> Self {
        Rounded::entering(value, 0.0)
    }

    fn unknown() -> Self {
        Rounded::exact(f64::NAN)
    }

    fn primal(self) -> f64 {
        self.value
    }

    fn unary(op: Unary, a: Self) -> Self {
        let value = plain(op, a.value);
        match op {
            Unary::Neg => Rounded { value, ..a },
            Unary::Not => Rounded::exact(value),
            Unary::Sin | Unary::Cos => {
                let slope = if op == Unary::Sin { a.value.cos() } else { a.value.sin() };
                let moved = (slope.abs() * a.error + 0.5 * a.error * a.error).min(2.0);
                Rounded { value, error: moved + f64::EPSILON * value.abs(), torn: a.torn }
            }
            Unary::Sign => {
                let error = if a.is_zero() { value.abs() } else { 0.0 };
                Rounded { value, error, torn: a.torn || error > 0.0 }
            }
            Unary::Floor => {
                let same = (a.value - a.error).floor() == (a.value + a.error).floor();
                let error = if same { 0.0 } else { 1.0 };
                Rounded { value, error, torn: a.torn || !same }
            }
            op => Rounded::through(op, a),
        }
    }

    fn binary(op: Binary, a: Self, b: Self) -> Self {
        let value = plain_binary(op, a.value, b.value);
        // What is infinite was not rounded: `x > -inf` holds for every number.
        let rounding = if value.is_infinite() { 0.0 } else { HALF * value.abs() };
        let error = match op {
            Binary::Add | Binary::Sub => {
                let exact = a.value == 0.0 || b.value == 0.0 || value == 0.0;
                a.error + b.error + if exact { 0.0 } else { rounding }
            }
            Binary::Mul => {
                let exact = only_scales(a.value) || only_scales(b.value);
                let moved = a.value.abs() * b.error + b.value.abs() * a.error + a.error * b.error;
                moved + if exact { 0.0 } else { rounding }
            }
            Binary::Div => {
                let room = b.value.abs() - b.error;
                let moved = (a.error + value.abs() * b.error) / room.max(0.0);
                let moved = if a.error == 0.0 && b.error == 0.0 { 0.0 } else { moved };
                moved + if only_scales(b.value) { 0.0 } else { rounding }
            }
            Binary::Pow | Binary::Atan2 | Binary::Hypot => {
                let reach = |x: f64, y: f64| {
                    let far = (plain_binary(op, x, y) - value).abs();
                    if far.is_nan() { 0.0 } else { far }
                };
                let first = |e: f64| reach(a.value + e, b.value);
                let second = |e: f64| reach(a.value, b.value + e);
                let moved = [first(a.error), first(-a.error), second(b.error), second(-b.error)];
                let [up, down, further, back] = moved;
                up.max(down) + further.max(back) + 2.0 * f64::EPSILON * value.abs()
            }
            _ => 0.0,
        };
        let tears = match op {
            Binary::Div => b.is_near_zero(),
            Binary::Pow => a.is_near_zero() && b.value < 0.0,
            Binary::Atan2 => a.is_near_zero() && b.value <= NEAR * b.error,
            _ => false,
        };
        Rounded { value, error, torn: a.torn || b.torn || tears }
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        if condition.value != 0.0 { a } else { b }
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        Rounded::exact(f64::sign_outside(d.value, side.value, residual.value))
    }

    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self {
        Rounded::exact(f64::floor_outside(x.value, cell.value, residual.value))
    }

    fn index(row: &[Self], position: Self) -> Self {
        let inside = position.value >= 0.0 && position.value.fract() == 0.0;
        let found = if inside { row.get(position.value as usize).copied() } else { None };
        found.unwrap_or(Rounded::exact(f64::NAN))
    }

    /// The rounding of an opaque function is not known; its own last place is a guess.
    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]) {
        let rows: Vec<Vec<f64>> =
            args.iter().map(|row| row.iter().map(|x| x.value).collect()).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; result.len()];
        function.call(&rows, &mut values);
        for (result, value) in result.iter_mut().zip(values) {
            *result = Rounded { value, error: 4.0 * f64::EPSILON * value.abs(), torn: false };
        }
    }
}
