//! Taylor jets: a value and its time derivatives, for the side that a function takes where it and
//! its first derivatives vanish. The recurrences are those of Griewank and Walther, Evaluating
//! Derivatives (2008), chapter 13.

use crate::scalar::{binary, unary};
use crate::{Binary, Opaque, Scalar, Unary};

/// The highest derivative that a jet carries.
pub const ORDER: usize = 8;

/// The Taylor coefficients `c[k] = f^(k)(t) / k!` of a function of time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Jet(pub [f64; ORDER + 1]);

impl Jet {
    /// The time itself, `t + 1 s`.
    pub fn time(t: f64) -> Jet {
        let mut jet = Jet::constant(t);
        jet.0[1] = 1.0;
        jet
    }

    /// The sign of the first coefficient from the `from`-th on that does not vanish within
    /// rounding, else 0.
    pub fn leading_sign(&self, from: usize) -> f64 {
        let lead = self.0[from..].iter().find(|c| **c != 0.0);
        lead.map_or(0.0, |c| if *c > 0.0 { 1.0 } else { -1.0 })
    }

    fn map2(self, other: Jet, f: impl Fn(f64, f64) -> f64) -> Jet {
        Jet(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    fn mul(self, other: Jet) -> Jet {
        Jet(std::array::from_fn(|k| (0..=k).map(|i| self.0[i] * other.0[k - i]).sum()))
    }

    fn div(self, other: Jet) -> Jet {
        let mut c = [0.0; ORDER + 1];
        for k in 0..=ORDER {
            let rest: f64 = (0..k).map(|i| c[i] * other.0[k - i]).sum();
            c[k] = (self.0[k] - rest) / other.0[0];
        }
        Jet(c)
    }

    /// The jet with value `start` whose derivative is `slope`.
    fn integral(start: f64, slope: Jet) -> Jet {
        Jet(std::array::from_fn(|k| if k == 0 { start } else { slope.0[k - 1] / k as f64 }))
    }

    fn derivative(self) -> Jet {
        Jet(std::array::from_fn(|k| if k == ORDER { 0.0 } else { (k + 1) as f64 * self.0[k + 1] }))
    }

    fn exp(self) -> Jet {
        let mut c = [0.0; ORDER + 1];
        c[0] = self.0[0].exp();
        for k in 1..=ORDER {
            let sum: f64 = (1..=k).map(|i| i as f64 * self.0[i] * c[k - i]).sum();
            c[k] = sum / k as f64;
        }
        Jet(c)
    }

    fn log(self) -> Jet {
        Jet::integral(self.0[0].ln(), self.derivative().div(self))
    }

    /// Sine and cosine, or with sign +1 their hyperbolic kin.
    fn sin_cos(self, start: (f64, f64), sign: f64) -> (Jet, Jet) {
        let (mut s, mut c) = ([0.0; ORDER + 1], [0.0; ORDER + 1]);
        (s[0], c[0]) = start;
        for k in 1..=ORDER {
            let sum = |other: &[f64]| -> f64 {
                (1..=k).map(|i| i as f64 * self.0[i] * other[k - i]).sum::<f64>() / k as f64
            };
            (s[k], c[k]) = (sum(&c), sign * sum(&s));
        }
        (Jet(s), Jet(c))
    }

    fn sqrt(self) -> Jet {
        let mut c = [0.0; ORDER + 1];
        c[0] = self.0[0].sqrt();
        for k in 1..=ORDER {
            let sum: f64 = (1..k).map(|i| c[i] * c[k - i]).sum();
            c[k] = (self.0[k] - sum) / (2.0 * c[0]);
        }
        Jet(c)
    }

    fn pow(self, exponent: Jet) -> Jet {
        let b = exponent.0[0];
        if exponent.0[1..].iter().any(|c| *c != 0.0) {
            return exponent.mul(self.log()).exp();
        }
        if b.fract() == 0.0 && (0.0..=64.0).contains(&b) {
            return (0..b as usize).fold(Jet::constant(1.0), |product, _| product.mul(self));
        }
        let mut c = [0.0; ORDER + 1];
        c[0] = self.0[0].powf(b);
        for k in 1..=ORDER {
            let term = |i: usize| (b * i as f64 - (k - i) as f64) * self.0[i] * c[k - i];
            c[k] = (1..=k).map(term).sum::<f64>() / (k as f64 * self.0[0]);
        }
        Jet(c)
    }

    /// The jet of f(self) from f's value and the jet of f'(self).
    fn chain(self, value: f64, slope: Jet) -> Jet {
        Jet::integral(value, slope.mul(self.derivative()))
    }
}

impl Scalar for Jet {
    // Each step doubles the number of right coefficients: 1, 2, 4, 8, 16.
    const EXTRA_NEWTON_STEPS: usize = 4;

    fn constant(value: f64) -> Self {
        let mut c = [0.0; ORDER + 1];
        c[0] = value;
        Jet(c)
    }

    fn unknown() -> Self {
        Jet::constant(f64::NAN)
    }

    fn primal(self) -> f64 {
        self.0[0]
    }

    fn unary(op: Unary, a: Self) -> Self {
        let x = a.0[0];
        let value = unary(op, x);
        let one = Jet::constant(1.0);
        let square = || a.mul(a);
        let plus = |u: Jet, v: Jet| u.map2(v, |u, v| u + v);
        let minus = |u: Jet, v: Jet| u.map2(v, |u, v| u - v);
        match op {
            Unary::Neg => Jet(a.0.map(|c| -c)),
            Unary::Not | Unary::Sign | Unary::Floor => Jet::constant(value),
            Unary::Sin => a.sin_cos((x.sin(), x.cos()), -1.0).0,
            Unary::Cos => a.sin_cos((x.sin(), x.cos()), -1.0).1,
            Unary::Sinh => a.sin_cos((x.sinh(), x.cosh()), 1.0).0,
            Unary::Cosh => a.sin_cos((x.sinh(), x.cosh()), 1.0).1,
            Unary::Tan => {
                let (s, c) = a.sin_cos((x.sin(), x.cos()), -1.0);
                s.div(c)
            }
            Unary::Tanh => {
                let (s, c) = a.sin_cos((x.sinh(), x.cosh()), 1.0);
                s.div(c)
            }
            Unary::Exp => a.exp(),
            Unary::Log => a.log(),
            Unary::Log10 => Jet(a.log().0.map(|c| c / std::f64::consts::LN_10)),
            Unary::Log2 => Jet(a.log().0.map(|c| c / std::f64::consts::LN_2)),
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
            Binary::Add => a.map2(b, |x, y| x + y),
            Binary::Sub => a.map2(b, |x, y| x - y),
            Binary::Mul => a.mul(b),
            Binary::Div => a.div(b),
            Binary::Pow => a.pow(b),
            Binary::Hypot => a.mul(a).map2(b.mul(b), |x, y| x + y).sqrt(),
            Binary::Atan2 => {
                // d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
                let up = b.mul(a.derivative()).map2(a.mul(b.derivative()), |u, v| u - v);
                let down = a.mul(a).map2(b.mul(b), |x, y| x + y);
                Jet::integral(a.0[0].atan2(b.0[0]), up.div(down))
            }
            _ => Jet::constant(binary(op, a.0[0], b.0[0])),
        }
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        if condition.0[0] != 0.0 { a } else { b }
    }

    fn live(d: Self, side: Self, residual: Self) -> Self {
        Jet::constant(f64::live(d.0[0], side.0[0], residual.0[0]))
    }

    fn live_cell(x: Self, cell: Self, residual: Self) -> Self {
        Jet::constant(f64::live_cell(x.0[0], cell.0[0], residual.0[0]))
    }

    fn index(row: &[Self], position: Self) -> Self {
        let at = position.0[0];
        let inside = at >= 0.0 && at.fract() == 0.0;
        let found = if inside { row.get(at as usize).copied() } else { None };
        found.unwrap_or(Jet::constant(f64::NAN))
    }

    /// Value and first derivative; higher ones of an opaque function are not known and count as
    /// zero.
    fn call(function: &dyn Opaque, args: &[&[Self]], result: &mut [Self]) {
        let part = |k: usize| -> Vec<Vec<f64>> {
            args.iter().map(|row| row.iter().map(|jet| jet.0[k]).collect()).collect()
        };
        let (values, slopes) = (part(0), part(1));
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let slopes: Vec<&[f64]> = slopes.iter().map(Vec::as_slice).collect();
        let (mut value, mut slope) = (vec![0.0; result.len()], vec![0.0; result.len()]);
        function.call(&values, &mut value);
        function.tangent(&values, &slopes, &mut slope);
        for (i, jet) in result.iter_mut().enumerate() {
            *jet = Jet::constant(value[i]);
            jet.0[1] = slope[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function against the Taylor series got by composing with exp(t) or similar: the
    /// derivative along t by central differences of the jet's own polynomial.
    #[test]
    fn jets_are_the_taylor_series() {
        let x = |t: f64| 0.4 + 0.3 * t - 0.2 * t * t;
        let mut jet = Jet::constant(0.4);
        (jet.0[1], jet.0[2]) = (0.3, -0.2);
        let above = Jet::binary(Binary::Add, jet, Jet::constant(1.0));
        let t: f64 = 0.05;
        let series = |j: Jet| j.0.iter().rev().fold(0.0, |sum, c| sum * t + c);
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
