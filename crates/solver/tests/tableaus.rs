//! An explicit method is a tableau alone: some that the solver does not have, with other numbers of
//! stages, with and without an error estimate and an extension.

use crate::common::{Model, lorenz, no_sides, oscillator, run, variable};
use superdense_solver::{Advance, Embedded, Method, Options, Sides, Solver, Tableau, Weight};

#[path = "common/heun_euler.rs"]
mod heun_euler;
use heun_euler::HEUN_EULER;

/// The rule of three eighths with a fixed step: W. Kutta, Z. Math. Phys. 46 (1901).
static THREE_EIGHTHS: Tableau = Tableau {
    name: "three-eighths",
    order: 4,
    nodes: &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0],
    rows: &[
        &[],
        &[(0, 1.0 / 3.0)],
        &[(0, -1.0 / 3.0), (1, 1.0)],
        &[(0, 1.0), (1, -1.0), (2, 1.0)],
        &[(0, 0.125), (1, 0.375), (2, 0.375), (3, 0.125)],
    ],
    embedded: None,
    extension: &[],
};

/// E. Fehlberg, "Classical fifth-, sixth-, seventh-, and eighth-order Runge-Kutta formulas with
/// stepsize control", NASA TR R-287 (1968): orders 8 and 7 from 13 stages. A row has nine weights,
/// more than any loop of the solver is compiled for.
static FEHLBERG_78: Tableau = Tableau {
    name: "fehlberg78",
    order: 8,
    nodes: &[
        0.0,
        2.0 / 27.0,
        1.0 / 9.0,
        1.0 / 6.0,
        5.0 / 12.0,
        0.5,
        5.0 / 6.0,
        1.0 / 6.0,
        2.0 / 3.0,
        1.0 / 3.0,
        1.0,
        0.0,
        1.0,
        1.0,
    ],
    rows: &[
        &[],
        &[(0, 2.0 / 27.0)],
        &[(0, 1.0 / 36.0), (1, 1.0 / 12.0)],
        &[(0, 1.0 / 24.0), (2, 1.0 / 8.0)],
        &[(0, 5.0 / 12.0), (2, -25.0 / 16.0), (3, 25.0 / 16.0)],
        &[(0, 1.0 / 20.0), (3, 1.0 / 4.0), (4, 1.0 / 5.0)],
        &[(0, -25.0 / 108.0), (3, 125.0 / 108.0), (4, -65.0 / 27.0), (5, 125.0 / 54.0)],
        &[(0, 31.0 / 300.0), (4, 61.0 / 225.0), (5, -2.0 / 9.0), (6, 13.0 / 900.0)],
        &[
            (0, 2.0),
            (3, -53.0 / 6.0),
            (4, 704.0 / 45.0),
            (5, -107.0 / 9.0),
            (6, 67.0 / 90.0),
            (7, 3.0),
        ],
        &[
            (0, -91.0 / 108.0),
            (3, 23.0 / 108.0),
            (4, -976.0 / 135.0),
            (5, 311.0 / 54.0),
            (6, -19.0 / 60.0),
            (7, 17.0 / 6.0),
            (8, -1.0 / 12.0),
        ],
        &[
            (0, 2383.0 / 4100.0),
            (3, -341.0 / 164.0),
            (4, 4496.0 / 1025.0),
            (5, -301.0 / 82.0),
            (6, 2133.0 / 4100.0),
            (7, 45.0 / 82.0),
            (8, 45.0 / 164.0),
            (9, 18.0 / 41.0),
        ],
        &[
            (0, 3.0 / 205.0),
            (5, -6.0 / 41.0),
            (6, -3.0 / 205.0),
            (7, -3.0 / 41.0),
            (8, 3.0 / 41.0),
            (9, 6.0 / 41.0),
        ],
        &[
            (0, -1777.0 / 4100.0),
            (3, -341.0 / 164.0),
            (4, 4496.0 / 1025.0),
            (5, -289.0 / 82.0),
            (6, 2193.0 / 4100.0),
            (7, 51.0 / 82.0),
            (8, 33.0 / 164.0),
            (9, 12.0 / 41.0),
            (11, 1.0),
        ],
        &[
            (5, 34.0 / 105.0),
            (6, 9.0 / 35.0),
            (7, 9.0 / 35.0),
            (8, 9.0 / 280.0),
            (9, 9.0 / 280.0),
            (11, 41.0 / 840.0),
            (12, 41.0 / 840.0),
        ],
    ],
    embedded: Some(Embedded {
        order: 7,
        error: &[(0, -41.0 / 840.0), (10, -41.0 / 840.0), (11, 41.0 / 840.0), (12, 41.0 / 840.0)],
    }),
    extension: &[],
};

const ALL: [&Tableau; 3] = [&HEUN_EULER, &THREE_EIGHTHS, &FEHLBERG_78];

/// Steps of one length: no error is too large for a variable step.
fn steps_of(tableau: &'static Tableau, step: f64) -> Options {
    let options = variable(Method::Other(tableau), 1e6);
    Options { step, initial_step: Some(step), maximum_step: step, ..options }
}

/// The logistic equation, whose right-hand side is no linear function.
fn logistic() -> Model {
    Model::new(|_, x, dx| dx[0] = x[0] * (1.0 - x[0]))
}

/// Few steps of order 8 are accurate enough: the error of twice as many must be above rounding.
#[test]
fn halving_the_step_divides_the_error_by_two_to_the_order() {
    for tableau in ALL {
        let error = |steps: f64| {
            let options = steps_of(tableau, 4.0 / steps);
            let solver = run(&mut logistic(), options, &[0.2], 4.0).unwrap();
            assert_eq!(solver.counters().accepted, steps as u64);
            (solver.state()[0] - 1.0 / (1.0 + 4.0 * (-4.0_f64).exp())).abs()
        };
        let steps = if tableau.order > 4 { 8.0 } else { 64.0 };
        let (order, expected) =
            ((error(steps) / error(2.0 * steps)).log2(), f64::from(tableau.order));
        assert!((order - expected).abs() < 0.5, "{}: {order}", tableau.name);
    }
}

/// Without an extension the dense output is of order 3 at most, however accurate the ends are.
#[test]
fn the_dense_output_without_an_extension_is_a_cubic() {
    for tableau in ALL {
        let error = |h: f64| {
            let mut solver = Solver::new(steps_of(tableau, h), 2, 0);
            let mut model = oscillator();
            solver.restart(&mut model, 0.0, &[1.0, 0.0]);
            solver.step(&mut model, 1.0, no_sides()).unwrap();
            let mut x = [0.0; 2];
            solver.interpolate(0.3 * h, &mut x);
            (x[0] - (0.3 * h).cos()).abs().max((x[1] + (0.3 * h).sin()).abs())
        };
        let expected = f64::from(tableau.dense_order());
        assert_eq!(expected, f64::from(tableau.order.min(3)));
        let order = (error(1.0 / 64.0) / error(1.0 / 128.0)).log2() - 1.0;
        assert!((order - expected).abs() < 0.3, "{}: {order}", tableau.name);
    }
}

/// The step is controlled by the embedded solution: the error goes with the tolerance.
#[test]
fn an_embedded_solution_controls_the_step() {
    for (tableau, allowance) in [(&HEUN_EULER, 100.0), (&FEHLBERG_78, 100.0)] {
        for tolerance in [1e-4, 1e-6] {
            let options = variable(Method::Other(tableau), tolerance);
            let solver = run(&mut oscillator(), options, &[1.0, 0.0], 10.0).unwrap();
            let error = (solver.state()[0] - 10_f64.cos()).abs();
            assert!(error < allowance * tolerance, "{} at {tolerance}: {error}", tableau.name);
        }
    }
    let options = variable(Method::Other(&FEHLBERG_78), 1e-9);
    let solver = run(&mut oscillator(), options, &[1.0, 0.0], 10.0).unwrap();
    assert!(solver.counters().accepted < 40, "{:?}", solver.counters());
}

#[test]
fn crossings_are_located_with_any_tableau() {
    for tableau in ALL {
        let mut model =
            oscillator().with_crossings(|_, x, dx, g, rate| (g[0], rate[0]) = (x[0], dx[0]));
        let options =
            Options { step: 0.01, maximum_step: 0.05, ..variable(Method::Other(tableau), 1e-6) };
        let mut solver = Solver::new(options, 2, 1);
        solver.restart(&mut model, 0.0, &[1.0, 0.0]);
        let (mut side, mut residual, mut times) = ([1.0], [0.0], Vec::new());
        while solver.time() < 6.0 {
            let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
            if solver.step(&mut model, 6.0, sides).unwrap() == Advance::Crossing {
                times.push(solver.time());
                side[0] = -side[0];
            }
        }
        let expected = [0.5, 1.5].map(|half| half * std::f64::consts::PI);
        assert_eq!(times.len(), 2, "{}", tableau.name);
        let off = times.iter().zip(expected).map(|(t, e)| (t - e).abs()).fold(0.0, f64::max);
        assert!(off < 1e-4, "{}: {off}", tableau.name);
    }
}

/// Dormand and Prince's extension with a weight of zero more: the general loops give the bits of
/// those that are compiled for six weights.
#[test]
fn an_extension_may_have_any_number_of_weights() {
    let own = Method::Rk45.tableau().unwrap();
    let mut extension: Vec<Weight> = own.extension.to_vec();
    extension.insert(1, (1, 0.0));
    let seven: &'static Tableau =
        Box::leak(Box::new(Tableau { extension: extension.leak(), ..*own }));
    let looks = |method: Method| {
        let mut model = lorenz().with_crossings(|_, x, dx, g, rate| {
            (g[0], rate[0]) = (x[0] - x[1], dx[0] - dx[1]);
        });
        let mut solver = Solver::new(variable(method, 1e-6), 3, 1);
        solver.restart(&mut model, 0.0, &[1.0, 1.0, 1.1]);
        let (mut side, mut residual, mut bits) = ([1.0], [0.0], Vec::new());
        while solver.time() < 5.0 {
            let sides = Sides { side: &side, residual: &mut residual, gain: &[1.0] };
            if solver.step(&mut model, 5.0, sides).unwrap() == Advance::Crossing {
                side[0] = -side[0];
            }
            let mut x = [0.0; 3];
            solver.interpolate(0.5 * (solver.step_start() + solver.step_end()), &mut x);
            bits.extend(x.iter().chain(solver.state()).map(|x| x.to_bits()));
        }
        bits
    };
    assert_eq!(looks(Method::Other(seven)), looks(Method::Rk45));
}

/// A saved solver has the name of its method; one without a name must not be saved by halves.
#[test]
fn a_solver_with_a_tableau_of_its_own_is_not_saved() {
    let solver = Solver::new(Options::new(Method::Other(&HEUN_EULER)), 1, 0);
    assert!(postcard::to_allocvec(&solver).is_err());
}

#[test]
#[should_panic(expected = "row 1 of a tableau is wrong")]
fn a_broken_tableau_is_refused() {
    let rows = [&[][..], &[(1, 1.0)], &[(0, 0.5), (1, 0.5)]];
    let broken = Tableau { rows: Box::leak(Box::new(rows)), ..HEUN_EULER };
    Solver::new(Options::new(Method::Other(Box::leak(Box::new(broken)))), 1, 0);
}
