//! Taylor jets: a value and its time derivatives, for the side that a function takes where it and
//! its first derivatives vanish. The recurrences are those of Griewank and Walther, Evaluating
//! Derivatives (2008), chapter 13.

use crate::{Binary, Opaque, Rounded, Scalar, Unary};

/// The highest derivative that a jet carries.
pub const ORDER: usize = 8;

/// The Taylor coefficients `c[k] = f^(k)(t) / k!` of a function of time, as floats, as numbers that
/// know their rounding, or as intervals: by default up to [`ORDER`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Jet<C = f64, const N: usize = COEFFICIENTS>(pub [C; N]);

/// The number of coefficients of a jet of the highest order.
const COEFFICIENTS: usize = ORDER + 1;

/// A value and its time derivative.
pub type Dual<C = f64> = Jet<C, 2>;

fn add<C: Scalar>(a: C, b: C) -> C {
    C::binary(Binary::Add, a, b)
}

fn sub<C: Scalar>(a: C, b: C) -> C {
    C::binary(Binary::Sub, a, b)
}

fn mul<C: Scalar>(a: C, b: C) -> C {
    C::binary(Binary::Mul, a, b)
}

fn div<C: Scalar>(a: C, b: C) -> C {
    C::binary(Binary::Div, a, b)
}

fn sum<C: Scalar>(terms: impl Iterator<Item = C>) -> C {
    terms.fold(C::constant(0.0), add)
}

fn whole<C: Scalar>(k: usize) -> C {
    C::constant(k as f64)
}

impl Jet<Rounded> {
    /// The sign of the first coefficient from the `from`-th on that is not zero but for rounding,
    /// else 0.
    pub fn leading_sign(&self, from: usize) -> f64 {
        let lead = self.0[from..].iter().find(|c| !c.is_zero());
        lead.map_or(0.0, |c| if c.value > 0.0 { 1.0 } else { -1.0 })
    }
}

impl<C: Scalar, const N: usize> Jet<C, N> {
    /// The time itself, `t + 1 s`.
    pub fn time(t: C) -> Jet<C, N> {
        let mut jet = Jet::still(t);
        jet.0[1] = C::constant(1.0);
        jet
    }

    /// What does not change.
    pub fn still(value: C) -> Jet<C, N> {
        let mut c = [C::constant(0.0); N];
        c[0] = value;
        Jet(c)
    }

    fn map2(self, other: Jet<C, N>, f: impl Fn(C, C) -> C) -> Jet<C, N> {
        Jet(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    fn mul(self, other: Jet<C, N>) -> Jet<C, N> {
        Jet(std::array::from_fn(|k| sum((0..=k).map(|i| mul(self.0[i], other.0[k - i])))))
    }

    fn div(self, other: Jet<C, N>) -> Jet<C, N> {
        let mut c = [C::constant(0.0); N];
        for k in 0..N {
            let rest = sum((0..k).map(|i| mul(c[i], other.0[k - i])));
            c[k] = div(sub(self.0[k], rest), other.0[0]);
        }
        Jet(c)
    }

    /// The jet with value `start` whose derivative is `slope`.
    fn integral(start: C, slope: Jet<C, N>) -> Jet<C, N> {
        Jet(std::array::from_fn(|k| if k == 0 { start } else { div(slope.0[k - 1], whole(k)) }))
    }

    fn derivative(self) -> Jet<C, N> {
        let zero = C::constant(0.0);
        Jet(std::array::from_fn(
            |k| if k == N - 1 { zero } else { mul(whole(k + 1), self.0[k + 1]) },
        ))
    }

    /// The sum of i u_i v_(k-i) over i from 1 on, divided by k: how exponentials grow.
    fn convolved(&self, other: &[C; N], k: usize) -> C {
        let term = |i: usize| mul(mul(whole(i), self.0[i]), other[k - i]);
        div(sum((1..=k).map(term)), whole(k))
    }

    fn exp(self) -> Jet<C, N> {
        let mut c = Jet::still(C::unary(Unary::Exp, self.0[0])).0;
        for k in 1..N {
            c[k] = self.convolved(&c, k);
        }
        Jet(c)
    }

    fn log(self) -> Jet<C, N> {
        Jet::integral(C::unary(Unary::Log, self.0[0]), self.derivative().div(self))
    }

    /// Sine and cosine, or with sign +1 their hyperbolic kin.
    fn sin_cos(self, start: (Unary, Unary), sign: f64) -> (Jet<C, N>, Jet<C, N>) {
        let mut s = Jet::still(C::unary(start.0, self.0[0])).0;
        let mut c = Jet::still(C::unary(start.1, self.0[0])).0;
        for k in 1..N {
            let next = (self.convolved(&c, k), self.convolved(&s, k));
            (s[k], c[k]) = (next.0, mul(C::constant(sign), next.1));
        }
        (Jet(s), Jet(c))
    }

    fn sqrt(self) -> Jet<C, N> {
        let mut c = Jet::still(C::unary(Unary::Sqrt, self.0[0])).0;
        for k in 1..N {
            let rest = sum((1..k).map(|i| mul(c[i], c[k - i])));
            c[k] = div(sub(self.0[k], rest), mul(C::constant(2.0), c[0]));
        }
        Jet(c)
    }

    fn pow(self, exponent: Jet<C, N>) -> Jet<C, N> {
        let b = exponent.0[0].primal();
        if exponent.0[1..].iter().any(|c| c.primal() != 0.0) {
            return exponent.mul(self.log()).exp();
        }
        if b.fract() == 0.0 && (0.0..=64.0).contains(&b) {
            return (0..b as usize).fold(Jet::constant(1.0), |product, _| product.mul(self));
        }
        let mut c = Jet::still(C::binary(Binary::Pow, self.0[0], exponent.0[0])).0;
        for k in 1..N {
            let term = |i: usize| {
                let weight = C::constant(b * i as f64 - (k - i) as f64);
                mul(mul(weight, self.0[i]), c[k - i])
            };
            c[k] = div(sum((1..=k).map(term)), mul(whole(k), self.0[0]));
        }
        Jet(c)
    }

    /// The jet of f(self) from f's value and the jet of f'(self).
    fn chain(self, value: C, slope: Jet<C, N>) -> Jet<C, N> {
        Jet::integral(value, slope.mul(self.derivative()))
    }
}

impl<C: Scalar, const N: usize> Scalar for Jet<C, N> {
    // Each step doubles the number of right coefficients: 1, 2, 4, 8, 16.
    const EXTRA_NEWTON_STEPS: usize = N.next_power_of_two().ilog2() as usize;

    fn constant(value: f64) -> Self {
        Jet::still(C::constant(value))
    }

    fn unknown() -> Self {
        Jet::still(C::unknown())
    }

    fn primal(self) -> f64 {
        self.0[0].primal()
    }

    fn unary(op: Unary, a: Self) -> Self {
        let value = C::unary(op, a.0[0]);
        let one = Jet::constant(1.0);
        let square = || a.mul(a);
        let plus = |u: Jet<C, N>, v: Jet<C, N>| u.map2(v, add);
        let minus = |u: Jet<C, N>, v: Jet<C, N>| u.map2(v, sub);
        let scaled = |jet: Jet<C, N>, by: f64| Jet(jet.0.map(|c| div(c, C::constant(by))));
        match op {
            Unary::Neg => Jet(a.0.map(|c| C::unary(Unary::Neg, c))),
            Unary::Not | Unary::Sign | Unary::Floor => Jet::still(value),
            Unary::Sin => a.sin_cos((Unary::Sin, Unary::Cos), -1.0).0,
            Unary::Cos => a.sin_cos((Unary::Sin, Unary::Cos), -1.0).1,
            Unary::Sinh => a.sin_cos((Unary::Sinh, Unary::Cosh), 1.0).0,
            Unary::Cosh => a.sin_cos((Unary::Sinh, Unary::Cosh), 1.0).1,
            Unary::Tan => {
                let (s, c) = a.sin_cos((Unary::Sin, Unary::Cos), -1.0);
                s.div(c)
            }
            // The solution of y' = (1 - y^2) u', which has no large numbers to divide.
            Unary::Tanh => {
                let mut y = Jet::still(value);
                for _ in 1..N {
                    y = a.chain(value, minus(one, y.mul(y)));
                }
                y
            }
            Unary::Exp => a.exp(),
            Unary::Log => a.log(),
            Unary::Log10 => scaled(a.log(), std::f64::consts::LN_10),
            Unary::Log2 => scaled(a.log(), std::f64::consts::LN_2),
            Unary::Sqrt => a.sqrt(),
            Unary::Asin => a.chain(value, one.div(minus(one, square()).sqrt())),
            Unary::Acos => a.chain(value, Jet::constant(-1.0).div(minus(one, square()).sqrt())),
            Unary::Atan => a.chain(value, one.div(plus(one, square()))),
            Unary::Asinh => a.chain(value, one.div(plus(square(), one).sqrt())),
            Unary::Acosh => a.chain(value, one.div(minus(square(), one).sqrt())),
            Unary::Atanh => a.chain(value, one.div(minus(one, square()))),
        }
    }

    fn binary(op: Binary, a: Self, b: Self) -> Self {
        match op {
            Binary::Add => a.map2(b, add),
            Binary::Sub => a.map2(b, sub),
            Binary::Mul => a.mul(b),
            Binary::Div => a.div(b),
            Binary::Pow => a.pow(b),
            Binary::Hypot => a.mul(a).map2(b.mul(b), add).sqrt(),
            Binary::Atan2 => {
                // d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
                let up = b.mul(a.derivative()).map2(a.mul(b.derivative()), sub);
                let down = a.mul(a).map2(b.mul(b), add);
                Jet::integral(C::binary(Binary::Atan2, a.0[0], b.0[0]), up.div(down))
            }
            _ => Jet::still(C::binary(op, a.0[0], b.0[0])),
        }
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        a.map2(b, |a, b| C::select(condition.0[0], a, b))
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        Jet::still(C::sign_outside(d.0[0], side.0[0], residual.0[0]))
    }

    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self {
        Jet::still(C::floor_outside(x.0[0], cell.0[0], residual.0[0]))
    }

    fn index(row: &[Self], position: Self) -> Self {
        let at = position.primal();
        let inside = at >= 0.0 && at.fract() == 0.0;
        let found = if inside { row.get(at as usize).copied() } else { None };
        found.unwrap_or(Jet::constant(f64::NAN))
    }

    /// Value and first derivative; higher ones of an opaque function are not known and count as
    /// zero.
    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]) {
        let part = |k: usize| -> Vec<Vec<f64>> {
            args.iter().map(|row| row.iter().map(|jet| jet.0[k].primal()).collect()).collect()
        };
        let (values, slopes) = (part(0), part(1));
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let slopes: Vec<&[f64]> = slopes.iter().map(Vec::as_slice).collect();
        let (mut value, mut slope) = (vec![0.0; result.len()], vec![0.0; result.len()]);
        function.call(&values, &mut value);
        function.tangent(&values, &slopes, &mut slope);
        for (i, jet) in result.iter_mut().enumerate() {
            *jet = Jet::constant(value[i]);
            jet.0[1] = C::constant(slope[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{binary, unary};

    /// Every function against the Taylor series got by composing with exp(t) or similar: the
    /// derivative along t by central differences of the jet's own polynomial.
    #[test]
    fn jets_are_the_taylor_series() {
        let x = |t: f64| 0.4 + 0.3 * t - 0.2 * t * t;
        let mut jet: Jet = Jet::constant(0.4);
        (jet.0[1], jet.0[2]) = (0.3, -0.2);
        let above = Jet::binary(Binary::Add, jet, Jet::constant(1.0));
        let t: f64 = 0.05;
        let series = |j: Jet<f64>| j.0.iter().rev().fold(0.0, |sum, c| sum * t + c);
        use Unary::*;
        for op in [
            Neg, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Atanh, Exp, Log, Log10,
            Log2, Sqrt,
        ] {
            assert!((series(Jet::unary(op, jet)) - unary(op, x(t))).abs() < 1e-9, "{op:?}");
        }
        let acosh = series(Jet::unary(Acosh, above));
        assert!((acosh - (1.0 + x(t)).acosh()).abs() < 1e-9);
        for op in [Binary::Div, Binary::Pow, Binary::Atan2, Binary::Hypot, Binary::Mul] {
            let expected = binary(op, x(t), 1.0 + x(t));
            assert!((series(Jet::binary(op, jet, above)) - expected).abs() < 1e-9, "{op:?}");
        }
        let cube = series(Jet::binary(Binary::Pow, jet, Jet::constant(2.5)));
        assert!((cube - x(t).powf(2.5)).abs() < 1e-9);
    }
}
