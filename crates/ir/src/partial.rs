//! Values that may not be known yet, for finding the least fixed point of a causality loop.

use crate::{Binary, Opaque, Scalar, Unary};

/// A number that is known or not. Operations are strict, but for a conditional, which needs only
/// the branch that it takes, and for `and` and `or`, which may be decided by one operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Partial {
    /// The number, if it is known.
    pub value: f64,
    /// Whether it is.
    pub known: bool,
}

impl Partial {
    fn strict(value: f64, known: bool) -> Partial {
        Partial { value: if known { value } else { 0.0 }, known }
    }
}

impl Scalar for Partial {
    const EXTRA_NEWTON_STEPS: usize = 0;

    fn constant(value: f64) -> Self {
        Partial { value, known: true }
    }

    fn unknown() -> Self {
        Partial { value: 0.0, known: false }
    }

    fn primal(self) -> f64 {
        if self.known { self.value } else { f64::NAN }
    }

    fn unary(op: Unary, a: Self) -> Self {
        Partial::strict(f64::unary(op, a.value), a.known)
    }

    fn binary(op: Binary, a: Self, b: Self) -> Self {
        let decides = |x: Partial| match op {
            Binary::And => x.known && x.value == 0.0,
            Binary::Or => x.known && x.value != 0.0,
            _ => false,
        };
        if decides(a) || decides(b) {
            return Partial::constant(f64::from(op == Binary::Or));
        }
        Partial::strict(f64::binary(op, a.value, b.value), a.known && b.known)
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        match condition.known {
            true if condition.value != 0.0 => a,
            true => b,
            false => Partial::unknown(),
        }
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        let known = d.known && side.known && residual.known;
        Partial::strict(f64::sign_outside(d.value, side.value, residual.value), known)
    }

    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self {
        let known = x.known && cell.known && residual.known;
        Partial::strict(f64::floor_outside(x.value, cell.value, residual.value), known)
    }

    fn index(row: &[Self], position: Self) -> Self {
        let at = position.value;
        match position.known && at >= 0.0 && at.fract() == 0.0 {
            true => row.get(at as usize).copied().unwrap_or(Partial::constant(f64::NAN)),
            false => Partial { value: f64::NAN, known: position.known },
        }
    }

    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]) {
        if args.iter().any(|row| row.iter().any(|x| !x.known)) {
            result.fill(Partial::unknown());
            return;
        }
        let rows: Vec<Vec<f64>> =
            args.iter().map(|row| row.iter().map(|x| x.value).collect()).collect();
        let mut out = vec![0.0; result.len()];
        function.call(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut out);
        result.iter_mut().zip(&out).for_each(|(r, x)| *r = Partial::constant(*x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditionals_are_not_strict() {
        let (yes, no) = (Partial::constant(1.0), Partial::constant(0.0));
        let unknown = Partial::unknown();
        assert_eq!(Partial::select(yes, no, unknown), no);
        assert!(!Partial::select(no, no, unknown).known);
        assert!(!Partial::select(unknown, no, no).known);
        assert_eq!(Partial::binary(Binary::And, unknown, no), no);
        assert_eq!(Partial::binary(Binary::Or, yes, unknown), yes);
        assert!(!Partial::binary(Binary::And, unknown, yes).known);
        assert!(!Partial::binary(Binary::Add, unknown, yes).known);
    }
}
