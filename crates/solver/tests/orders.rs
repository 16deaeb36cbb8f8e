//! The order of each method and of its dense output, by halving the step.

use crate::common::{Model, fixed, no_sides, oscillator, run, variable};
use superdense_solver::{Method, Options, Solver};

/// Forces a variable-step method to steps of one length: no error is too large for it.
fn steps_of(method: Method, step: f64) -> Options {
    if method.is_fixed() {
        let tight = variable(method, 1e-9);
        return Options { step, ..tight };
    }
    Options { initial_step: Some(step), maximum_step: step, ..variable(method, 1e6) }
}

struct Problem {
    name: &'static str,
    model: fn() -> Model,
    start: &'static [f64],
    exact: fn(f64) -> Vec<f64>,
}

fn problems() -> [Problem; 3] {
    [
        Problem {
            name: "oscillator",
            model: oscillator,
            start: &[1.0, 0.0],
            exact: |t| vec![t.cos(), -t.sin()],
        },
        Problem {
            name: "growth and decay",
            model: || {
                Model::new(|_, x, dx| (dx[0], dx[1]) = (x[0], -2.0 * x[1]))
                    .with_jacobian(|_, _, j| j.copy_from_slice(&[1.0, 0.0, 0.0, -2.0]))
            },
            start: &[1.0, 1.0],
            exact: |t| vec![t.exp(), (-2.0 * t).exp()],
        },
        Problem {
            name: "polynomial right-hand side",
            model: || {
                Model::new(|_, x, dx| dx[0] = x[0] * (1.0 - x[0]))
                    .with_jacobian(|_, x, j| j[0] = 1.0 - 2.0 * x[0])
            },
            start: &[0.2],
            exact: |t| vec![1.0 / (1.0 + 4.0 * (-t).exp())],
        },
    ]
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The local error is C h^(p+1) + O(h^(p+2)), summed over O(1/h) steps, so halving divides the
/// global error by 2^p up to a factor 1 + O(h); at these steps that is within a quarter. Rodas5P is
/// better than its order on linear problems, and at short steps its error is lost in rounding.
#[test]
fn halving_the_step_divides_the_error_by_two_to_the_order() {
    for method in Method::all() {
        let mut least = f64::INFINITY;
        for problem in problems() {
            let error = |steps: f64| {
                let options = steps_of(method, 1.0 / steps);
                let solver = run(&mut (problem.model)(), options, problem.start, 1.0).unwrap();
                assert_eq!(solver.counters().accepted, steps as u64);
                distance(solver.state(), &(problem.exact)(1.0))
            };
            let steps = if method == Method::Rodas5p { 8.0 } else { 32.0 };
            let order = (error(steps) / error(2.0 * steps)).log2();
            least = least.min(order);
            let expected = f64::from(method.order());
            let better = method == Method::Rodas5p && order > expected;
            let close = better || (order - expected).abs() < 0.3;
            assert!(close, "{}, {}: {order}", method.name(), problem.name);
        }
        assert!((least - f64::from(method.order())).abs() < 0.3, "{}: {least}", method.name());
    }
}

/// Inside a single step the error is O(h^(q+1)).
#[test]
fn halving_the_step_shows_the_order_of_the_dense_output() {
    for method in Method::all() {
        for problem in problems() {
            let error = |h: f64| {
                let mut model = (problem.model)();
                let mut solver = Solver::new(steps_of(method, h), problem.start.len(), 0);
                solver.restart(&mut model, 0.0, problem.start);
                solver.step(&mut model, 1.0, no_sides()).unwrap();
                assert_eq!(solver.time(), h);
                let mut x = vec![0.0; problem.start.len()];
                let mut worst = 0.0_f64;
                for part in 1..32 {
                    let t = h * f64::from(part) / 32.0;
                    solver.interpolate(t, &mut x);
                    worst = worst.max(distance(&x, &(problem.exact)(t)));
                }
                worst
            };
            let expected = f64::from(method.dense_order());
            // Short enough for the leading term, long enough to stay above rounding.
            let h = if expected < 3.0 { 1.0 / 256.0 } else { 1.0 / 16.0 };
            let order = (error(h) / error(0.5 * h)).log2() - 1.0;
            assert!((order - expected).abs() < 0.3, "{}, {}: {order}", method.name(), problem.name);
        }
    }
}

/// A method of order p integrates t^(p-1) exactly and t^p not, and its dense output follows as
/// far as its own order reaches.
#[test]
fn polynomials_are_exact_up_to_the_order() {
    for method in Method::all() {
        let error = |degree: u32, inside: bool| {
            let mut model = Model::new(move |t, _, dx| {
                dx[0] = f64::from(degree) * t.powi(degree as i32 - 1);
            })
            .with_jacobian(|_, _, j| j[0] = 0.0)
            .with_rate(move |t, _, rate| {
                let factor = f64::from(degree * (degree - 1));
                rate[0] = if degree < 2 { 0.0 } else { factor * t.powi(degree as i32 - 2) };
            });
            let mut solver = Solver::new(steps_of(method, 1.0), 1, 0);
            solver.restart(&mut model, 0.0, &[0.0]);
            solver.step(&mut model, 1.0, no_sides()).unwrap();
            let mut x = [0.0];
            let t = if inside { 0.3 } else { 1.0 };
            solver.interpolate(t, &mut x);
            (x[0] - f64::powi(t, degree as i32)).abs()
        };
        let (order, dense) = (method.order(), method.dense_order());
        for degree in 1..=order {
            assert!(error(degree, false) < 1e-14, "{} at degree {degree}", method.name());
        }
        assert!(error(order + 1, false) > 1e-4, "{} is better than its order", method.name());
        for degree in 1..=dense {
            assert!(error(degree, true) < 1e-14, "{} inside at degree {degree}", method.name());
        }
    }
}

#[test]
fn the_dense_output_meets_both_ends_and_truncation_follows_it() {
    for method in Method::all() {
        let mut model = oscillator();
        let mut solver = Solver::new(steps_of(method, 0.125), 2, 0);
        solver.restart(&mut model, 0.0, &[1.0, 0.0]);
        solver.step(&mut model, 1.0, no_sides()).unwrap();
        let (mut start, mut inner, mut end) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        solver.interpolate(0.0, &mut start);
        solver.interpolate(0.05, &mut inner);
        solver.interpolate(0.125, &mut end);
        assert_eq!((start, &end[..]), ([1.0, 0.0], solver.state()));
        solver.truncate(0.05);
        assert_eq!((solver.time(), solver.state()), (0.05, &inner[..]));
        solver.interpolate(0.125, &mut inner);
        assert_eq!(inner, end, "the step stays readable behind the truncation");
        solver.step(&mut model, 1.0, no_sides()).unwrap();
        assert_eq!(solver.step_start(), 0.05);
    }
}

/// Fixed steps go to multiples of the step from the phase's start and then to the horizon.
#[test]
fn fixed_steps_keep_to_their_grid() {
    let mut model = oscillator();
    let mut solver = Solver::new(fixed(Method::Rk4, 0.1), 2, 0);
    solver.restart(&mut model, 0.25, &[1.0, 0.0]);
    let mut times = Vec::new();
    for horizon in [0.4, 0.75] {
        while solver.time() < horizon {
            solver.step(&mut model, horizon, no_sides()).unwrap();
            times.push(solver.time());
        }
    }
    let grid = |k: f64| 0.25 + k * 0.1;
    assert_eq!(times, [grid(1.0), 0.4, grid(2.0), grid(3.0), grid(4.0), 0.75]);
}

/// The trapezoidal rule is A-stable: a step far beyond the fast time scale does not grow.
#[test]
fn the_trapezoidal_rule_bears_stiffness() {
    let slow = |t: f64| t.cos();
    let mut model = Model::new(move |t, x, dx| dx[0] = -1e6 * (x[0] - slow(t)) - t.sin())
        .with_jacobian(|_, _, j| j[0] = -1e6);
    let solver = run(&mut model, fixed(Method::Trapezoidal, 0.05), &[1.0], 2.0).unwrap();
    assert!((solver.state()[0] - slow(2.0)).abs() < 1e-6, "{:?}", solver.state());
    assert!(solver.counters().jacobians <= 2 * solver.counters().accepted);
}
