//! The smooth bump.

use super::TestFunction;

/// The bump exp(1 - 1 / (1 - x^2)) with x = (t - center) / radius, zero for |x| >= 1. It is 1 at
/// its centre and smooth everywhere.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bump {
    center: f64,
    radius: f64,
}

impl Bump {
    /// A bump around a time, with a positive radius \[s\]; `None` if either is not finite, or the
    /// radius is not positive.
    pub fn new(center: f64, radius: f64) -> Option<Bump> {
        let good = center.is_finite() && radius.is_finite() && radius > 0.0;
        good.then_some(Bump { center, radius })
    }
}

impl TestFunction for Bump {
    fn support(&self) -> (f64, f64) {
        (self.center - self.radius, self.center + self.radius)
    }

    /// Exact up to rounding: the Taylor coefficients of g = -1 / (1 - x^2) follow from (1 - x^2) g
    /// = -1, and those of e^g from (e^g)' = g' e^g.
    fn derivative(&self, order: usize, time: f64) -> f64 {
        let x = (time - self.center) / self.radius;
        // This close to the edge everything underflows, up to any order that a signal has.
        let q = (1.0 - x) * (1.0 + x);
        if q.is_nan() || q < 1e-3 {
            return 0.0;
        }
        let mut g = vec![0.0; order + 1];
        for k in 0..=order {
            let right = if k == 0 { -1.0 } else { 0.0 };
            let first = if k >= 1 { 2.0 * x * g[k - 1] } else { 0.0 };
            let second = if k >= 2 { g[k - 2] } else { 0.0 };
            g[k] = (right + first + second) / q;
        }
        let mut f = vec![0.0; order + 1];
        f[0] = (1.0 + g[0]).exp();
        for k in 1..=order {
            let sum: f64 = (1..=k).map(|j| j as f64 * g[j] * f[k - j]).sum();
            f[k] = sum / k as f64;
        }
        (1..=order).fold(f[order], |value, k| value * k as f64 / self.radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_in_the_middle_and_nothing_outside() {
        let bump = Bump::new(2.0, 0.5).unwrap();
        assert_eq!(bump.derivative(0, 2.0), 1.0);
        assert_eq!(bump.derivative(1, 2.0), 0.0);
        // exp(1 - 1 / (1 - x^2)) = 1 - x^2 - x^4 / 2 - ...
        assert_eq!(bump.derivative(2, 2.0), -2.0 / 0.25);
        assert_eq!(bump.derivative(4, 2.0), -12.0 / 0.0625);
        for order in 0..6 {
            assert_eq!(bump.derivative(order, 2.5), 0.0);
            assert_eq!(bump.derivative(order, 1.0), 0.0);
        }
        assert_eq!(Bump::new(0.0, 0.0), None);
        assert_eq!(Bump::new(f64::NAN, 1.0), None);
    }

    #[test]
    fn each_derivative_is_that_of_the_one_before() {
        let bump = Bump::new(1.0, 2.0).unwrap();
        for order in 0..8 {
            for k in -8..=8 {
                let (t, h) = (1.0 + f64::from(k) * 0.2, 1e-3);
                let at = |i: f64| bump.derivative(order, t + i * h);
                // The central difference of order 6.
                let slope = (45.0 * (at(1.0) - at(-1.0)) - 9.0 * (at(2.0) - at(-2.0)) + at(3.0)
                    - at(-3.0))
                    / (60.0 * h);
                let exact = bump.derivative(order + 1, t);
                let scale = (0..=8).map(|i| bump.derivative(order + 1, 1.0 + 0.2 * f64::from(i)));
                let scale = scale.fold(1.0, |most: f64, x| most.max(x.abs()));
                assert!((slope - exact).abs() < 1e-8 * scale, "{order} at {t}: {slope} {exact}");
            }
        }
    }
}
