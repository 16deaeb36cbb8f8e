//! The bouncing ball against its closed form: y'' = -g, and v becomes -e v on the floor.

use crate::common::{Model, variable};
use superdense_solver::{Advance, Method, Sides, Solver};

const GRAVITY: f64 = 9.81;

/// The times of the first bounces of a ball dropped from height 1.
fn bounces(options: superdense_solver::Options, e: f64, count: usize, horizon: f64) -> Vec<f64> {
    bounces_and_looks(options, e, count, horizon).0
}

/// The same with how often the height was looked at for them.
fn bounces_and_looks(
    options: superdense_solver::Options,
    e: f64,
    count: usize,
    horizon: f64,
) -> (Vec<f64>, u64) {
    let mut model = Model::new(|_, x, dx| (dx[0], dx[1]) = (x[1], -GRAVITY))
        .with_jacobian(|_, _, j| j.copy_from_slice(&[0.0, 1.0, 0.0, 0.0]))
        .with_crossings(|_, x, dx, g, rate| (g[0], rate[0]) = (x[0], dx[0]));
    let mut solver = Solver::new(options, 2, 1);
    solver.restart(&mut model, 0.0, &[1.0, 0.0]);
    let mut residual = [0.0];
    let mut times = Vec::new();
    while times.len() < count && solver.time() < horizon {
        let sides = Sides { side: &[1.0], residual: &mut residual, gain: &[] };
        if solver.step(&mut model, horizon, sides).unwrap() == Advance::Crossing {
            let (t, y, v) = (solver.time(), solver.state()[0], solver.state()[1]);
            assert!(y <= 0.0 && y.abs() <= residual[0] && residual[0] < 1e-13, "y = {y}");
            assert!(v < 0.0, "the ball is on the floor and rises");
            times.push(t);
            solver.restart(&mut model, t, &[y, -e * v]);
        }
        assert!(solver.state()[0] > -1e-13, "the ball fell through at {}", solver.time());
    }
    (times, solver.counters().crossing_evaluations)
}

fn exact(e: f64, n: usize) -> f64 {
    let first = (2.0 / GRAVITY).sqrt();
    let arcs: f64 = (1..=n as i32).map(|k| 2.0 * e.powi(k)).sum();
    first * (1.0 + arcs)
}

#[test]
fn thirty_bounces_meet_the_closed_form() {
    for horizon in [10.0, 1e6] {
        let times = bounces(variable(Method::Rk45, 1e-8), 0.9, 30, horizon);
        assert_eq!(times.len(), 30);
        for (n, t) in times.iter().enumerate() {
            assert!((t - exact(0.9, n)).abs() < 1e-9, "bounce {n} at {t}");
        }
    }
}

#[test]
fn sixty_bounces_do_not_fall_through() {
    for method in [Method::Rk45, Method::Rk23, Method::Heun, Method::Trapezoidal] {
        let options = superdense_solver::Options { step: 0.01, ..variable(method, 1e-8) };
        let times = bounces(options, 0.8, 60, 100.0);
        assert_eq!(times.len(), 60, "{}", method.name());
        for (n, t) in times.iter().enumerate() {
            assert!((t - exact(0.8, n)).abs() < 1e-9, "{}: bounce {n} at {t}", method.name());
        }
    }
}

/// One look at the restart, one at the end of the step, one on the way up, and one at the zero;
/// the first steps are short.
#[test]
fn a_bounce_is_located_with_a_few_looks() {
    let (times, looks) = bounces_and_looks(variable(Method::Rk45, 1e-6), 1.0, 15, 20.0);
    assert_eq!(times.len(), 15);
    assert!(looks <= 4 * 15 + 4, "{looks} looks");
}

/// The horizon is a thousand bounces away and the motion is a parabola, so that steps become long, and
/// rounding at their ends is large. Times count from the bounce, as in a run.
#[test]
fn a_bounce_near_the_start_of_a_long_step_is_located_with_a_few_looks() {
    let (restitution, count) = (0.9995, 1000);
    let mut model = Model::new(|_, x, dx| (dx[0], dx[1]) = (x[1], -GRAVITY))
        .with_crossings(|_, x, dx, g, rate| (g[0], rate[0]) = (x[0], dx[0]));
    let mut solver = Solver::new(variable(Method::Rk45, 1e-8), 2, 1);
    solver.restart(&mut model, 0.0, &[10.0, 0.0]);
    let (mut residual, mut bounces, mut left, mut speed) = ([0.0], 0, 2249.0, None);
    while bounces < count {
        let sides = Sides { side: &[1.0], residual: &mut residual, gain: &[1.0] };
        if solver.step(&mut model, left, sides).unwrap() == Advance::Crossing {
            let (t, y, v) = (solver.time(), solver.state()[0], solver.state()[1]);
            if let Some(speed) = speed {
                let exact: f64 = 2.0 * speed / GRAVITY;
                assert!((t - exact).abs() < 1e-12, "bounce {bounces} after {t}, exactly {exact}");
            }
            (bounces, left, speed) = (bounces + 1, left - t, Some(-restitution * v));
            solver.restart(&mut model, 0.0, &[y, -restitution * v]);
        }
    }
    let looks = solver.counters().crossing_evaluations;
    assert!(looks <= 5 * count, "{looks} looks");
}
