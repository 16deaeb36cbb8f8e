//! Methods for stiff systems: orders if time enters the rates, orders if the system is stiff, and
//! what is left of a fast transient.

use crate::common::{Model, no_sides, run, variable};
use superdense_solver::{Advance, Method, Options, Pattern, Sides, Solver, System};

const STIFF: [Method; 2] = [Method::TrBdf2, Method::Rodas5p];

fn steps_of(method: Method, step: f64) -> Options {
    Options { initial_step: Some(step), maximum_step: step, ..variable(method, 1e6) }
}

/// x' = x cos t: the exact df/dt is needed for the order.
#[test]
fn the_order_holds_if_rates_move_with_time() {
    for method in STIFF {
        let model = || {
            Model::new(|t, x, dx| dx[0] = x[0] * t.cos())
                .with_jacobian(|t, _, j| j[0] = t.cos())
                .with_rate(|t, x, rate| rate[0] = -x[0] * t.sin())
        };
        let tight = if method == Method::TrBdf2 { 1e-6 } else { 1.0 };
        let error = |steps: f64| {
            let mut options = steps_of(method, 2.0 / steps);
            // Newton's method is to be exact while the error of the step is allowed.
            options.relative_tolerance *= tight;
            options.absolute_tolerance *= tight;
            let solver = run(&mut model(), options, &[1.0], 2.0).unwrap();
            (solver.state()[0] - 2.0_f64.sin().exp()).abs()
        };
        let order = (error(16.0) / error(32.0)).log2();
        let expected = f64::from(method.order());
        assert!((order - expected).abs() < 0.35, "{}: {order}", method.name());
    }
}

/// Prothero and Robinson's problem x' = -k (x - φ(t)) + φ'(t) with the solution φ. While h k stays
/// the same, halving the step shows the order that is left of a method if the system is stiff.
/// Rodas5P is made to keep four; at a fixed k the error even falls with 1 / k.
#[test]
fn the_order_on_a_stiff_problem() {
    let exact = |t: f64| 10.0 - (10.0 + t) * (-t).exp();
    for (method, expected) in [(Method::TrBdf2, 3.0), (Method::Rodas5p, 4.0)] {
        let error = |k: f64, steps: f64| {
            let mut model = Model::new(move |t, x, dx| {
                dx[0] = -k * (x[0] - exact(t)) + (9.0 + t) * (-t).exp();
            })
            .with_jacobian(move |_, _, j| j[0] = -k)
            .with_rate(move |t, _, rate| {
                rate[0] = (k * (9.0 + t) - (8.0 + t)) * (-t).exp();
            });
            let solver = run(&mut model, steps_of(method, 2.0 / steps), &[0.0], 2.0).unwrap();
            (solver.state()[0] - exact(2.0)).abs()
        };
        for k in [1e4, 1e5, 1e6] {
            let order = (error(k, 8.0) / error(2.0 * k, 16.0)).log2();
            assert!((order - expected).abs() < 0.3, "{} at {k}: {order}", method.name());
            let fall = error(k, 8.0) / error(10.0 * k, 8.0);
            assert!((fall - 10.0).abs() < 1.0, "{} at {k}: {fall}", method.name());
        }
    }
}

/// L-stability: a fast transient is gone after one step that is far too long for it.
#[test]
fn a_fast_transient_is_forgotten() {
    for method in STIFF {
        let mut model =
            Model::new(|_, x, dx| dx[0] = -1e8 * x[0]).with_jacobian(|_, _, j| j[0] = -1e8);
        let mut solver = Solver::new(steps_of(method, 1.0), 1, 0);
        solver.restart(&mut model, 0.0, &[1.0]);
        solver.step(&mut model, 1.0, no_sides()).unwrap();
        assert!(solver.state()[0].abs() < 1e-6, "{}: {:?}", method.name(), solver.state());
    }
}

/// The error goes with the tolerance on a problem whose fast part is forced to follow a slow one.
#[test]
fn the_error_follows_the_tolerance() {
    for method in STIFF {
        for decade in 3..8 {
            let tolerance = 10_f64.powi(-decade);
            let mut model = Model::new(|t, x, dx| dx[0] = -1e5 * (x[0] - t.cos()))
                .with_jacobian(|_, _, j| j[0] = -1e5)
                .with_rate(|t, _, rate| rate[0] = -1e5 * t.sin());
            let solver = run(&mut model, variable(method, tolerance), &[0.0], 5.0).unwrap();
            // x = (k^2 cos t + k sin t) / (1 + k^2) after the transient.
            let k = 1e5;
            let truth = (k * k * 5.0_f64.cos() + k * 5.0_f64.sin()) / (1.0 + k * k);
            let error = (solver.state()[0] - truth).abs();
            let steps = solver.counters().accepted;
            assert!(error < 10.0 * tolerance, "{} at {tolerance}: {error}", method.name());
            assert!(steps < 3000, "{} at {tolerance}: {steps} steps", method.name());
        }
    }
}

/// Heat along a rod of n cells between ends that are held at 0 and 1.
struct Rod;

impl System for Rod {
    fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) {
        let n = x.len();
        let scale = (n as f64 + 1.0) * (n as f64 + 1.0);
        for i in 0..n {
            let left = if i == 0 { 0.0 } else { x[i - 1] };
            let right = if i + 1 == n { 1.0 } else { x[i + 1] };
            dx[i] = scale * (left - 2.0 * x[i] + right);
        }
    }

    fn pattern(&mut self, n: usize) -> Pattern {
        let column = |j: usize| (j.saturating_sub(1)..(j + 2).min(n)).collect();
        Pattern::from_columns((0..n).map(column), false)
    }

    fn jacobian(&mut self, _: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]) {
        assert!(rate.is_empty(), "nothing moves with time");
        let n = x.len();
        let scale = (n as f64 + 1.0) * (n as f64 + 1.0);
        let mut values = values.iter_mut();
        for j in 0..n {
            for i in j.saturating_sub(1)..(j + 2).min(n) {
                *values.next().unwrap() = if i == j { -2.0 * scale } else { scale };
            }
        }
    }

    fn crossings(&mut self, _: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        let middle = x.len() / 2;
        (g[0], rate[0]) = (x[middle] - 0.25, dx[middle]);
    }
}

/// A sparse system of a thousand states: the end is a straight line, and the middle passes a level
/// on the way, located on the dense output.
#[test]
fn a_rod_of_a_thousand_cells_warms_up() {
    let (n, mut times) = (999, Vec::new());
    for method in STIFF {
        let mut solver = Solver::new(variable(method, 1e-7), n, 1);
        solver.restart(&mut Rod, 0.0, &vec![0.0; n]);
        let (mut side, mut residual) = ([-1.0], [0.0]);
        while solver.time() < 4.0 {
            let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
            if solver.step(&mut Rod, 4.0, sides).unwrap() == Advance::Crossing {
                times.push(solver.time());
                side[0] = 1.0;
            }
        }
        for (i, x) in solver.state().iter().enumerate() {
            let line = (i as f64 + 1.0) / (n as f64 + 1.0);
            assert!((x - line).abs() < 1e-5, "{} at {i}: {x}", method.name());
        }
        let counters = solver.counters();
        assert!(counters.accepted < 2000, "{}: {counters:?}", method.name());
    }
    // The middle of a rod follows 1/2 - 2/π Σ (-1)^k / (2k+1) exp(-(2k+1)² π² t) / ... of the
    // continuous equation up to the square of the cells' size; both methods must agree better.
    let [first, second] = times[..] else { panic!("one crossing each: {times:?}") };
    assert!((first - second).abs() < 1e-6, "{times:?}");
    let pi = std::f64::consts::PI;
    let middle = |t: f64| {
        let term = |k: i32| {
            let m = f64::from(2 * k + 1);
            f64::from(1 - 2 * (k % 2)) / m * (-m * m * pi * pi * t).exp()
        };
        0.5 - 2.0 / pi * (0..20).map(term).sum::<f64>()
    };
    assert!((middle(first) - 0.25).abs() < 1e-5, "{first}: {}", middle(first));
}
