//! Step control: pinned work, tolerances, horizons and values that are not finite.

use crate::common::{Model, fixed, lorenz, no_sides, oscillator, run, variable};
use superdense_solver::{Method, Options, Solver, StepError};

/// Work is pinned so that a change in it is seen and judged.
#[test]
fn the_work_on_lorenz_is_pinned() {
    let work = |method, tolerance| {
        let options = variable(method, tolerance);
        let solver = run(&mut lorenz(), options, &[1.0, 1.0, 1.0], 20.0).unwrap();
        let counters = solver.counters();
        (counters.accepted, counters.rejected, counters.evaluations)
    };
    assert_eq!(work(Method::Rk45, 1e-6), (766, 29, 4772));
    assert_eq!(work(Method::Rk45, 1e-9), (2984, 0, 17906));
    assert_eq!(work(Method::Rk23, 1e-6), (4931, 1, 14798));
    assert_eq!(work(Method::EulerAdaptive, 1e-3), (3789, 2, 3963));
}

/// The error goes with the tolerance, over five decades.
#[test]
fn the_error_follows_the_tolerance() {
    for (method, allowance) in
        [(Method::Rk23, 200.0), (Method::Rk45, 50.0), (Method::EulerAdaptive, 2000.0)]
    {
        let decades = if method == Method::EulerAdaptive { 2..5 } else { 4..10 };
        for decade in decades {
            let tolerance = 10_f64.powi(-decade);
            let solver = run(&mut oscillator(), variable(method, tolerance), &[1.0, 0.0], 10.0);
            let error = (solver.unwrap().state()[0] - 10_f64.cos()).abs();
            assert!(error < allowance * tolerance, "{} at {tolerance}: {error}", method.name());
        }
    }
}

/// A short step before a horizon leaves the learnt step alone.
#[test]
fn many_horizons_do_not_cost_many_steps() {
    let mut model = oscillator();
    let free = run(&mut model, variable(Method::Rk45, 1e-6), &[1.0, 0.0], 20.0).unwrap();
    let mut solver = Solver::new(variable(Method::Rk45, 1e-6), 2, 0);
    solver.restart(&mut model, 0.0, &[1.0, 0.0]);
    let mut horizons = 0;
    for k in 0..10 {
        for near in [2.0 * f64::from(k) + 1.999, 2.0 * f64::from(k) + 2.0] {
            horizons += 1;
            while solver.time() < near {
                solver.step(&mut model, near, no_sides()).unwrap();
            }
            assert_eq!(solver.time(), near);
        }
    }
    let (with, without) = (solver.counters().accepted, free.counters().accepted);
    assert!(with <= without + horizons, "{with} steps with horizons, {without} without");
}

#[test]
fn steps_keep_to_the_maximum_and_to_the_limit_of_blocks() {
    let mut model = Model::new(|_, _, dx| dx[0] = 1.0);
    let options = Options { maximum_step: 0.5, ..variable(Method::Rk45, 1e-6) };
    let mut solver = Solver::new(options, 1, 0);
    solver.restart(&mut model, 0.0, &[0.0]);
    let mut longest = |solver: &mut Solver, end: f64| {
        let mut longest = 0.0_f64;
        while solver.time() < end {
            solver.step(&mut model, end, no_sides()).unwrap();
            longest = longest.max(solver.time() - solver.step_start());
        }
        longest
    };
    assert_eq!(longest(&mut solver, 20.0), 0.5);
    solver.limit_step(0.125);
    assert_eq!(longest(&mut solver, 30.0), 0.125);
    solver.limit_step(f64::INFINITY);
    assert_eq!(longest(&mut solver, 50.0), 0.5);
}

/// Torricelli's tank h' = -√h empties at t = 2; stages below zero are NaN and only shorten
/// the step, so that the solution goes on nearly to the end.
#[test]
fn the_tank_empties_without_failure() {
    let model = || Model::new(|_, x, dx| dx[0] = -x[0].sqrt());
    for method in [Method::EulerAdaptive, Method::Rk23, Method::Rk45] {
        let solver = run(&mut model(), variable(method, 1e-7), &[1.0], 1.9).unwrap();
        let error = (solver.state()[0] - 0.05_f64.powi(2)).abs();
        assert!(error < 1e-4, "{}: {error}", method.name());
    }
    let mut model = model();
    let options = Options { initial_step: Some(10.0), ..variable(Method::Rk45, 1e-7) };
    let solver = run(&mut model, options, &[1.0], 1.9).unwrap();
    assert!(solver.counters().rejected > 0, "the first step goes below zero");
    assert!((solver.state()[0] - 0.05_f64.powi(2)).abs() < 1e-6);
}

#[test]
fn a_singularity_is_a_step_that_becomes_too_small() {
    let mut model = Model::new(|_, x, dx| dx[0] = x[0] * x[0]);
    let mut solver = Solver::new(variable(Method::Rk45, 1e-8), 1, 0);
    solver.restart(&mut model, 0.0, &[1.0]);
    let error = loop {
        if let Err(error) = solver.step(&mut model, 2.0, no_sides()) {
            break error;
        }
    };
    let StepError::StepTooSmall { t } = error else { panic!("{error}") };
    assert!((t - 1.0).abs() < 1e-6, "{t}");
    assert_eq!(solver.time(), t, "the last accepted point is the current one");
}

/// x' = -1/(2x) ends at t = 1 with x = 0 and an infinite rate. Near there x is small, and a step
/// over the end would be within any loose tolerance.
#[test]
fn a_pole_is_not_stepped_over() {
    for (method, tolerance) in [
        (Method::Rk45, 1e-3),
        (Method::Rk45, 1e-6),
        (Method::Rk45, 1e-9),
        (Method::Rk23, 1e-3),
        (Method::Rk23, 1e-6),
        (Method::EulerAdaptive, 1e-3),
    ] {
        let mut model = Model::new(|_, x, dx| dx[0] = -0.5 / x[0]);
        let error = run(&mut model, variable(method, tolerance), &[1.0], 5.0).unwrap_err();
        let t = match error {
            StepError::NotFinite { t, component: Some(0) } => t,
            StepError::StepTooSmall { t } => t,
            other => panic!("{other}"),
        };
        assert!((t - 1.0).abs() < 50.0 * tolerance, "{} {tolerance}: {t}", method.name());
    }
    // A fixed step of heun may end on the side on which it began; only a change of side is seen.
    for method in [Method::Euler, Method::Rk4] {
        let mut model = Model::new(|_, x, dx| dx[0] = -0.5 / x[0]);
        let error = run(&mut model, fixed(method, 0.01), &[1.0], 5.0).unwrap_err();
        let StepError::NotFinite { t, component: Some(0) } = error else { panic!("{error}") };
        assert!((t - 1.0).abs() < 0.1, "{}: {t}", method.name());
    }
}

/// Rates that change their sign by passing zero, however fast, are no poles.
#[test]
fn a_rate_that_turns_is_no_pole() {
    let mut stiff = Model::new(|t, x, dx| dx[0] = -1e4 * (x[0] - t.sin()));
    run(&mut stiff, variable(Method::Rk45, 1e-3), &[1.0], 1.0).unwrap();
    let mut model = Model::new(|t, _, dx| dx[0] = (50.0 * t).sin() * (-t).exp());
    run(&mut model, fixed(Method::Rk4, 0.1), &[1.0], 10.0).unwrap();
}

#[test]
fn a_value_that_is_not_finite_is_reported_with_its_component() {
    let mut model = Model::new(|t, _, dx| {
        dx[0] = 1.0;
        dx[1] = if t < 0.25 { 1.0 } else { f64::NAN };
    });
    for method in [Method::Euler, Method::Heun, Method::Rk4] {
        let error = run(&mut model, fixed(method, 0.1), &[0.0, 0.0], 1.0).unwrap_err();
        let StepError::NotFinite { t, component } = error else { panic!("{error}") };
        assert_eq!(component, Some(1));
        assert!((t - 0.3).abs() < 1e-12);
    }
    let mut solver = Solver::new(variable(Method::Rk45, 1e-6), 2, 0);
    solver.restart(&mut model, 0.5, &[0.0, 0.0]);
    let error = solver.step(&mut model, 1.0, no_sides()).unwrap_err();
    assert_eq!(error, StepError::NotFinite { t: 0.5, component: Some(1) });
}
