//! Each way in which a function can change its side, and each in which it only seems to.

use crate::common;
use crate::common::{Model, variable};
use superdense_solver::{Advance, Method, Options, Sides, Solver};

/// A function of time with its derivative, and the times at which it must change its side.
struct Case {
    name: &'static str,
    g: fn(f64) -> f64,
    rate: fn(f64) -> f64,
    side: f64,
    residual: f64,
    horizons: &'static [f64],
    changes: &'static [f64],
}

const CASES: &[Case] = &[
    case("rising", |t| t - 0.3, |_| 1.0, -1.0, &[0.3]),
    case("falling", |t| 0.3 - t, |_| -1.0, 1.0, &[0.3]),
    case("away from zero", |t| t, |_| 1.0, 1.0, &[]),
    case("away from zero below", |t| -t, |_| -1.0, -1.0, &[]),
    case("against its side at once", |t| -t, |_| -1.0, 1.0, &[0.0]),
    case("against its side at once below", |t| t, |_| 1.0, -1.0, &[0.0]),
    case("arc from zero", |t| t * (0.7 - t), |t| 0.7 - 2.0 * t, 1.0, &[0.7]),
    case("arc from zero below", |t| t * (t - 0.7), |t| 2.0 * t - 0.7, -1.0, &[0.7]),
    case("short arc in a huge step", |t| t * (1e-6 - t), |t| 1e-6 - 2.0 * t, 1.0, &[1e-6]),
    case("dip", |t| (t - 0.4) * (t - 0.6), |t| 2.0 * t - 1.0, 1.0, &[0.4, 0.6]),
    case("bump", |t| (t - 0.4) * (0.6 - t), |t| 1.0 - 2.0 * t, -1.0, &[0.4, 0.6]),
    case(
        "narrow dip",
        |t| (t - 0.3).powi(2) - 1e-10,
        |t| 2.0 * (t - 0.3),
        1.0,
        &[0.29999, 0.30001],
    ),
    case(
        "three zeros",
        |t| (t - 0.2) * (t - 0.5) * (t - 0.9),
        |t| (t - 0.2) * (t - 0.5) + (t - 0.2) * (t - 0.9) + (t - 0.5) * (t - 0.9),
        -1.0,
        &[0.2, 0.5, 0.9],
    ),
    case("tangent", |t| (t - 0.3).powi(2), |t| 2.0 * (t - 0.3), 1.0, &[]),
    case("tangent below", |t| -(t - 0.7).powi(2), |t| 1.4 - 2.0 * t, -1.0, &[]),
    case(
        "tangent that is no polynomial",
        |t| 1.0 + (7.0 * t).cos(),
        |t| -7.0 * (7.0 * t).sin(),
        1.0,
        &[],
    ),
    case("below rounding", |t| (t - 0.3).powi(2) - 1e-18, |t| 2.0 * (t - 0.3), 1.0, &[]),
    case("zero at the end", |t| 1.0 - t, |_| -1.0, 1.0, &[1.0]),
    case("touching at the end", |t| (1.0 - t).powi(2), |t| 2.0 * t - 2.0, 1.0, &[]),
    case("cubic zero", |t| (t - 0.3).powi(3), |t| 3.0 * (t - 0.3).powi(2), -1.0, &[0.3]),
    case("identically zero", |_| 0.0, |_| 0.0, 0.0, &[]),
    case("resting on its side", |_| 0.0, |_| 0.0, 1.0, &[]),
    case("leaving zero", |t| (t - 0.5).max(0.0), |t| if t > 0.5 { 1.0 } else { 0.0 }, 0.0, &[0.5]),
    Case {
        residual: 1e-16,
        ..case("arc from a residual", |t| t * (0.7 - t) - 1e-16, |t| 0.7 - 2.0 * t, 1.0, &[0.7])
    },
    Case { residual: 1e-16, ..case("located and gone on", |t| -1e-16 - t, |_| -1.0, -1.0, &[]) },
    Case {
        horizons: &[0.25, 0.5, 0.75, 1.0, 1.25, 2.0],
        ..case("zero at an inner end", |t| t - 0.5, |_| 1.0, -1.0, &[0.5])
    },
    Case {
        horizons: &[0.25, 0.5, 0.75, 1.0],
        ..case("touching at an inner end", |t| (t - 0.5).powi(2), |t| 2.0 * t - 1.0, 1.0, &[])
    },
];

const fn case(
    name: &'static str,
    g: fn(f64) -> f64,
    rate: fn(f64) -> f64,
    side: f64,
    changes: &'static [f64],
) -> Case {
    Case { name, g, rate, side, residual: 0.0, horizons: &[1.0, 2.0], changes }
}

/// How a case is driven.
#[derive(Clone, Copy, Debug)]
struct Way {
    method: Method,
    /// The first step, and so whether the whole case lies in one step.
    first: f64,
    /// The number of states; with none only the function itself limits the steps.
    states: usize,
    restarts: bool,
}

/// Drives a case as an engine would and returns the times of its changes.
fn changes(case: &Case, way: Way) -> Vec<f64> {
    let (g, rate) = (case.g, case.rate);
    let mut model = Model::new(|_, _, dx| dx.fill(1.0))
        .with_jacobian(|_, _, j| j.fill(0.0))
        .with_crossings(move |t, x, dx, value, slope| {
            let time = x.first().copied().unwrap_or(t);
            value[0] = g(time);
            slope[0] = rate(time) * dx.first().copied().unwrap_or(1.0);
        });
    let options =
        Options { initial_step: Some(way.first), step: way.first, ..variable(way.method, 1e-6) };
    let mut solver = Solver::new(options, way.states, 1);
    solver.restart(&mut model, 0.0, &vec![0.0; way.states]);
    let (mut side, mut residual) = ([case.side], [case.residual]);
    let mut times = Vec::new();
    for &horizon in case.horizons {
        while solver.time() < horizon {
            let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
            if solver.step(&mut model, horizon, sides).unwrap() == Advance::Reached {
                assert!(solver.crossed().is_empty());
                continue;
            }
            assert_eq!(
                solver.crossed().iter().map(|located| located.function).collect::<Vec<_>>(),
                [0]
            );
            let t = solver.time();
            let there = g(solver.state().first().copied().unwrap_or(t));
            assert!(there.abs() <= residual[0], "{}: {there} at {t}", case.name);
            times.push(t);
            assert!(times.len() < 10, "{}, {way:?}: {times:?}", case.name);
            side[0] = if case.side == 0.0 { 1.0 } else { -side[0] };
            if way.restarts {
                let x = solver.state().to_vec();
                solver.restart(&mut model, t, &x);
            }
        }
    }
    times
}

#[test]
fn each_change_of_side_is_found_exactly_once() {
    let mut ways = Vec::new();
    for method in Method::all() {
        for first in [100.0, 0.11, 0.5] {
            for restarts in [false, true] {
                ways.push(Way { method, first, states: 1, restarts });
            }
        }
    }
    ways.push(Way { method: Method::Rk45, first: 1e-3, states: 0, restarts: false });
    ways.push(Way { method: Method::Rk45, first: 1e-3, states: 0, restarts: true });
    let mut failures = Vec::new();
    for case in CASES {
        for &way in &ways {
            let found = changes(case, way);
            let near = |(found, exact): (&f64, &f64)| (found - exact).abs() < 2e-11;
            let agrees =
                found.len() == case.changes.len() && found.iter().zip(case.changes).all(near);
            if !agrees {
                failures.push(format!("{}, {way:?}: {found:?}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Without states the crossing functions alone limit the steps.
#[test]
fn no_zero_of_a_sine_is_missed_without_states() {
    let mut model = Model::new(|_, _, _| ()).with_crossings(|t, _, _, g, rate| {
        (g[0], rate[0]) = (t.sin(), t.cos());
        (g[1], rate[1]) = ((40.0 * t).sin(), 40.0 * (40.0 * t).cos());
    });
    let mut solver = Solver::new(Options::new(Method::Rk45), 0, 2);
    solver.restart(&mut model, 0.0, &[]);
    let (mut side, mut residual) = ([1.0, 1.0], [0.0, 0.0]);
    let mut counts = [0, 0];
    while solver.time() < 100.0 {
        let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
        if solver.step(&mut model, 100.0, sides).unwrap() == Advance::Crossing {
            for k in solver.crossed().iter().map(|located| located.function) {
                counts[k] += 1;
                side[k] = -side[k];
                let period = [1.0, 0.025][k] * std::f64::consts::PI;
                let exact = f64::from(counts[k]) * period;
                assert!((solver.time() - exact).abs() < 1e-13 * exact.max(1.0), "{exact}");
            }
        }
    }
    assert_eq!(counts, [31, 1273]);
}

#[test]
fn without_states_and_functions_one_step_reaches_the_horizon() {
    let mut model = Model::new(|_, _, _| ());
    let mut solver = Solver::new(Options::new(Method::Rk45), 0, 0);
    solver.restart(&mut model, 0.0, &[]);
    solver.step(&mut model, 1e6, common::no_sides()).unwrap();
    assert_eq!((solver.time(), solver.counters().accepted), (1e6, 1));
}

/// Functions that cross together in exact arithmetic change at one time, however they round.
#[test]
fn symmetric_crossings_share_one_time() {
    let mut model = Model::new(|_, x, dx| {
        for i in [0, 2] {
            dx[i] = x[i + 1];
            dx[i + 1] = -x[i];
        }
    })
    .with_crossings(|_, x, dx, g, rate| {
        (g[0], rate[0]) = (x[0] - 0.3, dx[0]);
        (g[1], rate[1]) = (x[2] + 0.3, dx[2]);
        (g[2], rate[2]) = ((3.0 * x[0] - 0.9) / 7.0, 3.0 * dx[0] / 7.0);
        (g[3], rate[3]) = (0.1 + 0.2 - (x[0] * 0.7 + x[0] * 0.3), -dx[0]);
    });
    for method in [Method::Rk45, Method::Rk23, Method::Rk4] {
        let mut solver = Solver::new(variable(method, 1e-8), 4, 4);
        solver.restart(&mut model, 0.0, &[1.0, 0.0, -1.0, 0.0]);
        let (mut side, mut residual) = ([1.0, -1.0, 1.0, -1.0], [0.0; 4]);
        let mut events = 0;
        while solver.time() < 50.0 {
            let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
            if solver.step(&mut model, 50.0, sides).unwrap() == Advance::Crossing {
                let crossed: Vec<usize> =
                    solver.crossed().iter().map(|located| located.function).collect();
                assert_eq!(crossed, [0, 1, 2, 3], "at {}", solver.time());
                side = side.map(|side| -side);
                events += 1;
            }
        }
        assert_eq!(events, 16);
    }
}

/// A crossing at an agenda time, but for rounding on either side, takes that time.
#[test]
fn a_crossing_at_the_horizon_takes_its_time() {
    for offset in [-2.0, -1.0, 0.0, 1.0, 2.0] {
        let horizon = 1.7_f64;
        let zero = horizon + offset * 2.0 * f64::EPSILON;
        let mut model = Model::new(|_, _, dx| dx[0] = 1.0)
            .with_crossings(move |t, _, _, g, rate| (g[0], rate[0]) = (zero - t, -1.0));
        let mut solver = Solver::new(variable(Method::Rk45, 1e-6), 1, 1);
        solver.restart(&mut model, 0.0, &[0.0]);
        let mut residual = [0.0];
        let advance = loop {
            let sides = Sides { side: &[1.0], residual: &mut residual, gain: &[] };
            let advance = solver.step(&mut model, horizon, sides).unwrap();
            if solver.time() >= horizon || advance == Advance::Crossing {
                break advance;
            }
        };
        assert_eq!((advance, solver.time()), (Advance::Crossing, horizon), "{offset}");
    }
}

/// Integrators one behind the other that start at zero: the last one leaves it with an order that
/// the dense output of most methods does not have. No arc is found if there is none.
#[test]
fn a_zero_of_high_order_at_the_start_is_no_crossing() {
    for (method, states) in Method::all().into_iter().flat_map(|m| [(m, 2), (m, 3)]) {
        let mut model = Model::new(|_, x, dx| {
            dx[0] = 1.0;
            dx[1..].copy_from_slice(&x[..x.len() - 1]);
        })
        .with_jacobian(move |_, _, j| {
            j.fill(0.0);
            (1..states).for_each(|i| j[i * states + i - 1] = 1.0);
        })
        .with_crossings(move |_, x, dx, g, rate| {
            (g[0], rate[0]) = (x[states - 1], dx[states - 1]);
        });
        let options = Options { step: 0.05, ..variable(method, 1e-6) };
        let mut solver = Solver::new(options, states, 1);
        solver.restart(&mut model, 0.0, &vec![0.0; states]);
        let mut residual = [0.0];
        while solver.time() < 1.0 {
            let sides = Sides { side: &[1.0], residual: &mut residual, gain: &[] };
            let advance = solver.step(&mut model, 1.0, sides).unwrap();
            assert_eq!(advance, Advance::Reached, "{}, {states} states", method.name());
        }
    }
}
