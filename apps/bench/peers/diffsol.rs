//! diffsol: Tsitouras' pair for A, B, C and E, its variable-order BDF for D.

use std::time::Instant;

use diffsol::{
    NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason, Vector,
};

type Matrix = NalgebraMat<f64>;

/// Tells the letter, the time of a run and the values at its end.
fn tell(case: &str, run: impl Fn() -> Vec<f64>) {
    let values = run();
    let (mut best, begin) = (f64::INFINITY, Instant::now());
    for _ in 0..50 {
        let start = Instant::now();
        std::hint::black_box(run());
        best = best.min(start.elapsed().as_secs_f64());
        if begin.elapsed().as_secs_f64() > 5.0 {
            break;
        }
    }
    let values: Vec<String> = values.iter().map(|value| format!("{value:e}")).collect();
    println!("{case} {best:e} {}", values.join(" "));
}

/// Steps to the end; at a root, `bounce` changes the state.
fn finish<'a, E, S>(mut solver: S, stop: f64, mut bounce: impl FnMut(f64, &mut [f64])) -> Vec<f64>
where
    E: diffsol::OdeEquations<T = f64> + 'a,
    S: OdeSolverMethod<'a, E>,
{
    solver.set_stop_time(stop).expect("the stop is ahead");
    loop {
        match solver.step().expect("a step can be taken") {
            OdeSolverStopReason::TstopReached => return solver.state().y.clone_as_vec(),
            OdeSolverStopReason::RootFound(t, _) => {
                solver.state_mut_back(t).expect("the root is in the step");
                solver.state_mut().y.for_each_batch_host([], |x, [], _| bounce(t, x));
                solver.set_stop_time(stop).expect("the stop is ahead");
            }
            _ => {}
        }
    }
}

fn lorenz(rho: f64) -> Vec<f64> {
    let problem = OdeBuilder::<Matrix>::new()
        .rtol(1e-6)
        .atol([1e-6])
        .rhs(move |x: &[f64], _: &[f64], _: f64, dx: &mut [f64]| {
            dx[0] = 10.0 * (x[1] - x[0]);
            dx[1] = x[0] * (rho - x[2]) - x[1];
            dx[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
        })
        .init(|_: &[f64], _: f64, x: &mut [f64]| x.fill(1.0), 3)
        .build()
        .expect("a problem");
    finish(problem.tsit45().expect("a solver"), 20.0, |_, _| {})
}

fn ball() -> Vec<f64> {
    let problem = OdeBuilder::<Matrix>::new()
        .rtol(1e-6)
        .atol([1e-6])
        .rhs(|x: &[f64], _: &[f64], _: f64, dx: &mut [f64]| {
            dx[0] = x[1];
            dx[1] = -9.81;
        })
        .init(|_: &[f64], _: f64, x: &mut [f64]| x.copy_from_slice(&[10.0, 0.0]), 2)
        .root(|x: &[f64], _: &[f64], _: f64, root: &mut [f64]| root[0] = x[0], 1)
        .build()
        .expect("a problem");
    let mut last = 0.0;
    finish(problem.tsit45().expect("a solver"), 20.0, |t, x| {
        last = t;
        // From exactly zero the next root would be lost.
        x[0] = 1e-12;
        x[1] *= -0.9;
    });
    vec![last]
}

fn chain() -> Vec<f64> {
    let problem = OdeBuilder::<Matrix>::new()
        .rtol(1e-6)
        .atol([1e-6])
        .rhs(|state: &[f64], _: &[f64], _: f64, slopes: &mut [f64]| {
            let (x, v) = state.split_at(1000);
            let (dx, dv) = slopes.split_at_mut(1000);
            dx.copy_from_slice(v);
            dv[0] = x[1] - 2.0 * x[0] - 0.01 * v[0];
            for i in 1..999 {
                dv[i] = x[i - 1] - 2.0 * x[i] + x[i + 1] - 0.01 * v[i];
            }
            dv[999] = x[998] - 2.0 * x[999] - 0.01 * v[999];
        })
        .init(
            |_: &[f64], _: f64, x: &mut [f64]| {
                for (i, x) in x.iter_mut().enumerate() {
                    *x = if i < 1000 { (0.7 * i as f64).sin() } else { 0.0 };
                }
            },
            2000,
        )
        .build()
        .expect("a problem");
    let mut end = finish(problem.tsit45().expect("a solver"), 10.0, |_, _| {});
    end.truncate(1000);
    end
}

fn robertson() -> Vec<f64> {
    let problem = OdeBuilder::<Matrix>::new()
        .rtol(1e-6)
        .atol([1e-10])
        .rhs_implicit(
            |x: &[f64], _: &[f64], _: f64, dx: &mut [f64]| {
                dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
                dx[2] = 3e7 * x[1] * x[1];
                dx[1] = -dx[0] - dx[2];
            },
            |x: &[f64], _: &[f64], _: f64, v: &[f64], dx: &mut [f64]| {
                dx[0] = -0.04 * v[0] + 1e4 * (v[1] * x[2] + x[1] * v[2]);
                dx[2] = 6e7 * x[1] * v[1];
                dx[1] = -dx[0] - dx[2];
            },
        )
        .init(|_: &[f64], _: f64, x: &mut [f64]| x.copy_from_slice(&[1.0, 0.0, 0.0]), 3)
        .build()
        .expect("a problem");
    finish(problem.bdf::<NalgebraLU<f64>>().expect("a solver"), 1e5, |_, _| {})
}

fn main() {
    tell("A", || lorenz(28.0));
    tell("B", ball);
    tell("C", chain);
    tell("D", robertson);
    let start = Instant::now();
    for i in 0..10_000 {
        std::hint::black_box(lorenz(24.0 + 8.0 * f64::from(i) / 10_000.0));
    }
    println!("E {:e}", start.elapsed().as_secs_f64());
}
