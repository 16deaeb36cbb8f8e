//! Blocks obey the rules of distributions: what a signal gives with any test function.
//!
//! Random signals have smooth parts, jumps and impulses up to order 2; test functions are bumps.

use crate::common::{assert_near, simulate};
use proptest::prelude::*;
use superdense::{Bump, DerivativeOf, PairError, TestFunction, Trace, pair};

/// Rows are this far apart \[s\], so that the polynomials between them are good to twelve digits.
const ROWS: &str = "0.005";

/// A random signal: c0 + c1 t + c2 sin(w t), jumps, and impulses.
#[derive(Clone, Debug)]
struct Random {
    smooth: [f64; 4],
    /// Times in hundredths of a second, and heights.
    jumps: Vec<(u32, f64)>,
    /// Times in hundredths of a second, weights and orders.
    impulses: Vec<(u32, f64, u32)>,
}

impl Random {
    /// How large what it gives with a derivative of a test function may be: what errors of rounding
    /// and of interpolation are relative to.
    fn size(&self, phi: &Bump, derivative: usize) -> f64 {
        let [c0, c1, c2, _] = self.smooth.map(f64::abs);
        let jumps: f64 = self.jumps.iter().map(|jump| jump.1.abs()).sum();
        let impulses: f64 = self.impulses.iter().map(|impulse| impulse.1.abs()).sum();
        let order = self.impulses.iter().map(|impulse| impulse.2).max().unwrap_or(0);
        (1.0 + c0 + 2.0 * c1 + c2 + jumps + impulses) * size(phi, derivative + order as usize)
    }

    /// The blocks of the signal, the last of which has the name.
    fn blocks(&self, name: &str) -> String {
        let [c0, c1, c2, w] = self.smooth;
        let mut text = String::new();
        let mut sum = format!("{c0} + {c1} * time + {c2} * sin({w} * time)");
        for (index, (time, height)) in self.jumps.iter().enumerate() {
            let time = f64::from(*time) / 100.0;
            text += &format!("  {name}_j{index}: {{type: Step, time: {time}, after: {height}}}\n");
            sum += &format!(" + {name}_j{index}");
        }
        for (index, (time, weight, order)) in self.impulses.iter().enumerate() {
            let time = f64::from(*time) / 100.0;
            text += &format!(
                "  {name}_i{index}: {{type: ImpulseSource, times: [{time}], weight: {weight}, order: {order}}}\n"
            );
            sum += &format!(" + {name}_i{index}");
        }
        text + &format!("  {name}: {{type: Expression, expression: {sum}}}\n")
    }
}

fn number() -> impl Strategy<Value = f64> {
    (-300i32..=300).prop_map(|n| f64::from(n) / 100.0)
}

/// Signals whose jumps and impulses are never at the same time: a product would have no meaning.
fn signal() -> impl Strategy<Value = Random> {
    let jumps = prop::collection::vec((10u32..190, number()), 0..3);
    let impulses = prop::collection::vec((10u32..190, number(), 0u32..3), 0..3);
    let smooth = [number(), number(), number(), number()];
    (smooth, jumps, impulses).prop_map(|(smooth, jumps, mut impulses)| {
        impulses.retain(|(time, ..)| jumps.iter().all(|(jump, _)| jump != time));
        Random { smooth, jumps, impulses }
    })
}

fn bump() -> impl Strategy<Value = Bump> {
    (80i32..120, 30i32..75).prop_map(|(center, radius)| {
        Bump::new(f64::from(center) / 100.0, f64::from(radius) / 100.0).unwrap()
    })
}

fn trace(blocks: &str, record: &str) -> Trace {
    let text = format!(
        "blocks:\n{blocks}record: [{record}]\nsimulate: {{stop: 2, tolerance: 1e-13, every: {ROWS}, rows: microsteps}}\n"
    );
    simulate(&text).trace
}

/// The pairing with a test function, and how large the parts of it may be: the size of rounding.
fn paired(trace: &Trace, name: &str, phi: &impl TestFunction) -> f64 {
    pair(trace, name, phi).unwrap_or_else(|error| panic!("{error}"))
}

/// How large derivatives of the test function are up to an order: what rounding is relative to.
fn size(phi: &Bump, order: usize) -> f64 {
    let (from, to) = phi.support();
    let at = |k: usize| from + (to - from) * k as f64 / 200.0;
    let largest = |order| (0..=200).map(|k| phi.derivative(order, at(k)).abs()).fold(0.0, f64::max);
    (0..=order).map(largest).fold(1.0, f64::max)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() }
}

/// f phi for a polynomial f, by the rule of Leibniz.
struct Times<'a>(&'a Bump, [f64; 3]);

impl TestFunction for Times<'_> {
    fn support(&self) -> (f64, f64) {
        self.0.support()
    }

    fn derivative(&self, order: usize, t: f64) -> f64 {
        let [a, b, c] = self.1;
        let f = [a + t * (b + t * c), b + 2.0 * t * c, 2.0 * c];
        let n = order as f64;
        let binomials = [1.0, n, n * (n - 1.0) / 2.0];
        (0..=order.min(2)).map(|k| binomials[k] * f[k] * self.0.derivative(order - k, t)).sum()
    }
}

proptest! {
    #![proptest_config(config())]

    /// <a u + b v, phi> = a <u, phi> + b <v, phi>, for Sum, Gain, Negate and expressions.
    ///
    /// Holds: impulse of Sum, Gain, Negate.
    #[test]
    fn sums_and_gains_are_linear(u in signal(), v in signal(), phi in bump(), a in number(), b in number()) {
        let blocks = u.blocks("u") + &v.blocks("v") + &format!(
            "  au: {{type: Gain, input: u, gain: {a}}}\n  bv: {{type: Gain, input: v, gain: {b}}}\n  \
             total: {{type: Sum, inputs: [au, bv]}}\n  less: {{type: Negate, input: total}}\n  \
             same: {{type: Expression, expression: {a} * u - {} * v}}\n", -b);
        let trace = trace(&blocks, "u, v, total, less, same");
        let expected = a * paired(&trace, "u", &phi) + b * paired(&trace, "v", &phi);
        let tolerance = 1e-12 * (a.abs() * u.size(&phi, 0) + b.abs() * v.size(&phi, 0) + 1.0);
        assert_near(paired(&trace, "total", &phi), expected, tolerance);
        assert_near(paired(&trace, "same", &phi), expected, tolerance);
        assert_near(paired(&trace, "less", &phi), -expected, tolerance);
    }

    /// <u', phi> = -<u, phi'>, to the second derivative.
    #[test]
    fn derivatives_move_to_the_test_function(u in signal(), phi in bump()) {
        let blocks = u.blocks("u") + "  d: {type: Derivative, input: u}\n  dd: {type: Derivative, input: d}\n";
        let trace = trace(&blocks, "u, d, dd");
        // The quadrature of a bump's second derivative is good to ten digits, not to twelve.
        let tolerance = 1e-11 * u.size(&phi, 2);
        let first = paired(&trace, "d", &phi);
        assert_near(first, -paired(&trace, "u", &DerivativeOf(phi, 1)), tolerance);
        let second = paired(&trace, "dd", &phi);
        assert_near(second, paired(&trace, "u", &DerivativeOf(phi, 2)), tolerance);
    }

    /// <x, phi'> = -<u, phi> for the integral x of u.
    #[test]
    fn integrals_undo_it(u in signal(), phi in bump(), x0 in number()) {
        let blocks = u.blocks("u") + &format!("  x: {{type: Integrator, input: u, initial: {x0}}}\n");
        let trace = trace(&blocks, "u, x");
        let tolerance = 1e-11 * (u.size(&phi, 1) + x0.abs());
        assert_near(paired(&trace, "x", &DerivativeOf(phi, 1)), -paired(&trace, "u", &phi), tolerance);
    }

    /// <f u, phi> = <u, f phi> for a smooth f: the rule of Leibniz on impulses.
    ///
    /// Holds: impulse of Product.
    #[test]
    fn products_follow_leibniz(u in signal(), phi in bump(), a in number(), b in number(), c in number()) {
        let blocks = u.blocks("u") + &format!(
            "  f: {{type: Expression, expression: {a} + {b} * time + {c} * time^2}}\n  \
             p: {{type: Product, inputs: [f, u]}}\n  q: {{type: Expression, expression: u * f}}\n");
        let trace = trace(&blocks, "u, p, q");
        let expected = paired(&trace, "u", &Times(&phi, [a, b, c]));
        let tolerance = 1e-12 * (a.abs() + 4.0 * b.abs() + 12.0 * c.abs() + 1.0) * u.size(&phi, 0);
        assert_near(paired(&trace, "p", &phi), expected, tolerance);
        assert_near(paired(&trace, "q", &phi), expected, tolerance);
    }

    /// <u / f, f phi> = <u, phi>: a quotient undoes a product.
    ///
    /// Holds: impulse of Divide.
    #[test]
    fn quotients_undo_products(u in signal(), phi in bump(), b in number()) {
        let blocks = u.blocks("u") + &format!(
            "  q: {{type: Divide, numerator: u, denominator: 10 + {b} * time}}\n");
        let trace = trace(&blocks, "u, q");
        let tolerance = 1e-12 * 10.0 * u.size(&phi, 0);
        let found = paired(&trace, "q", &Times(&phi, [10.0, b, 0.0]));
        assert_near(found, paired(&trace, "u", &phi), tolerance);
    }

    /// A Decision is U H(C) + V (1 - H(C)): where C is above, it gives what U gives there.
    ///
    /// Holds: impulse of Decision.
    #[test]
    fn decisions_give_what_they_choose(u in signal(), v in signal(), phi in bump(), change in 1005u32..1995) {
        // Not at the hundredths at which jumps and impulses are.
        let change = f64::from(change) / 1000.0 + 0.0005;
        let blocks = u.blocks("u") + &v.blocks("v") + &format!(
            "  y: {{type: Decision, input: time - {change}, above: u, below: v}}\n  \
             h: {{type: Switch, input: time - {change}}}\n");
        let trace = trace(&blocks, "u, v, y, h");
        let (from, to) = phi.support();
        let tolerance = |phi: &Bump| 1e-12 * (u.size(phi, 0) + v.size(phi, 0));
        // A test function on one side of the change.
        let apart = |from: f64, to: f64| Bump::new(0.5 * (from + to), 0.5 * (to - from));
        if let Some(phi) = apart(from, to.min(change)) {
            assert_near(paired(&trace, "y", &phi), paired(&trace, "v", &phi), tolerance(&phi));
            assert_near(paired(&trace, "h", &phi), 0.0, 1e-12);
        }
        if let Some(phi) = apart(from.max(change), to) {
            assert_near(paired(&trace, "y", &phi), paired(&trace, "u", &phi), tolerance(&phi));
        }
        // <H'(t - c), phi> = phi(c): equations (13) and (14).
        let step = -paired(&trace, "h", &DerivativeOf(phi, 1));
        assert_near(step, phi.derivative(0, change), 1e-12 * size(&phi, 1));
    }

    /// Equations (5) and (15): y'' = -g - (1 + e) y'(tc-) delta(t - tc), as distributions.
    #[test]
    fn the_ball_solves_its_impulsive_equation(y0 in 30u32..100, e in 50u32..=100, phi in bump()) {
        let e = f64::from(e) / 100.0;
        let y0 = f64::from(y0) / 10.0;
        let text = format!("
parameters: {{g: 9.81}}
blocks:
  hit: {{type: LevelCrossing, input: y, direction: falling}}
  count: {{type: Counter, increment: hit}}
  N: {{type: ZeroOrderHold, input: count}}
  bounce: {{type: Derivative, input: N}}
  a: {{type: Expression, expression: -g - (1 + {e}) * previous(v) * bounce}}
  v: {{type: Integrator, input: a}}
  y: {{type: Integrator, input: v, initial: {y0}}}
record: [y, v, a]
simulate: {{stop: 2, tolerance: 1e-13, every: {ROWS}, rows: microsteps}}
");
        let trace = simulate(&text).trace;
        let force = paired(&trace, "a", &phi);
        let tolerance = 1e-11 * 30.0 * size(&phi, 2);
        assert_near(paired(&trace, "y", &DerivativeOf(phi, 2)), force, tolerance);
        assert_near(-paired(&trace, "v", &DerivativeOf(phi, 1)), force, tolerance);
        // The first bounce in closed form, where the test function sees no other.
        let fall = (2.0 * y0 / 9.81f64).sqrt();
        let (from, to) = phi.support();
        if to < fall + 2.0 * e * fall {
            let whole = Bump::new(0.5 * (from + to), 0.5 * (to - from)).unwrap();
            let blow = (1.0 + e) * 9.81 * fall * whole.derivative(0, fall);
            let weight = paired(&constant(), "one", &phi);
            assert_near(force, blow - 9.81 * weight, 1e-11 * 30.0 * size(&phi, 1));
        }
    }
}

fn constant() -> Trace {
    trace("  one: {type: Constant, value: 1}\n  s: {type: Sine}\n", "one, s")
}

/// The integral of the bump is known: 0.443993816168079... times e times the radius.
#[test]
fn a_constant_gives_the_integral_of_the_bump() {
    let phi = Bump::new(1.0, 0.5).unwrap();
    let expected = 0.443_993_816_168_079_4 * 1f64.exp() * 0.5;
    assert_near(paired(&constant(), "one", &phi), expected, 1e-13);
}

/// Equation (10): <delta^(i)(t - tau), phi> = (-1)^i phi^(i)(tau).
#[test]
fn an_impulse_samples_a_derivative_of_the_test_function() {
    let phi = Bump::new(1.0, 0.5).unwrap();
    for order in 0..=8 {
        let blocks = format!(
            "  s: {{type: Sine}}\n  d: {{type: ImpulseSource, times: [0.9], order: {order}}}\n"
        );
        let trace = trace(&blocks, "s, d");
        let sign = if order % 2 == 0 { 1.0 } else { -1.0 };
        let expected = sign * phi.derivative(order, 0.9);
        assert_eq!(paired(&trace, "d", &phi), expected);
    }
}

#[test]
fn what_is_not_known_is_not_paired() {
    let blocks = "  s: {type: Sine}\n  c: {type: Clock, period: 0.5}\n";
    let trace = trace(blocks, "s, c");
    let near = Bump::new(1.0, 0.5).unwrap();
    let wide = Bump::new(1.9, 0.5).unwrap();
    assert!(matches!(pair(&trace, "x", &near), Err(PairError::NoSignal(..))));
    assert!(matches!(pair(&trace, "c", &near), Err(PairError::OnlyEvents(..))));
    let outside = pair(&trace, "s", &wide);
    assert!(matches!(outside, Err(PairError::Unknown(_, from, _)) if from == 2.0), "{outside:?}");
}
