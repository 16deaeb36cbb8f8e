//! What a step costs: Lorenz's system, and a chain of 2000 states. Run it in release.

use std::hint::black_box;
use std::time::Instant;

use superdense_solver::{Method, Options, Sides, Solver, System};

struct Lorenz;

impl System for Lorenz {
    fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) {
        let (&[x, y, z], [dx, dy, dz]) = (x, dx) else { unreachable!("Lorenz has three states") };
        (*dx, *dy, *dz) = (10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z);
    }
    fn jacobian(&mut self, _: f64, _: &[f64], _: &mut [f64], _: &mut [f64]) {}
    fn crossings(&mut self, _: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        (g[0], rate[0]) = (x[0], dx[0]);
    }
}

/// A chain of springs with one neighbour on each side.
struct Chain;

impl System for Chain {
    fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) {
        let half = x.len() / 2;
        dx[..half].copy_from_slice(&x[half..]);
        for (force, three) in dx[half + 1..].iter_mut().zip(x[..half].windows(3)) {
            *force = three[0] - 2.0 * three[1] + three[2];
        }
        dx[half] = x[1] - 2.0 * x[0];
        dx[2 * half - 1] = x[half - 2] - 2.0 * x[half - 1];
    }
    fn jacobian(&mut self, _: f64, _: &[f64], _: &mut [f64], _: &mut [f64]) {}
    fn crossings(&mut self, _: f64, _: &[f64], _: &[f64], _: &mut [f64], _: &mut [f64]) {}
}

fn measure<S: System>(name: &str, mut system: S, x: &[f64], crossings: usize, end: f64) {
    for method in [Method::Rk45, Method::Rk23, Method::Rk4, Method::Euler] {
        let options = Options { step: 0.005, ..Options::new(method) };
        let mut solver = Solver::new(options, x.len(), crossings);
        solver.restart(&mut system, 0.0, x);
        let (mut side, mut residual) = (vec![1.0; crossings], vec![0.0; crossings]);
        let begin = Instant::now();
        while solver.time() < end {
            let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
            solver.step(&mut system, end, sides).expect("a smooth system");
            for k in solver.crossed().iter().map(|located| located.function) {
                side[k] = -side[k];
            }
        }
        black_box(solver.state());
        let counters = solver.counters();
        let steps = counters.accepted + counters.rejected;
        let cost = begin.elapsed().as_nanos() as f64 / steps as f64;
        println!("{name:>20} {:>6} {steps:>8} steps {cost:>9.1} ns a step", method.name());
    }
}

fn main() {
    measure("lorenz", Lorenz, &[1.0; 3], 0, 2000.0);
    measure("lorenz, x = 0", Lorenz, &[1.0; 3], 1, 2000.0);
    let mut chain = vec![0.0; 2000];
    chain[500] = 1.0;
    measure("chain of 2000", Chain, &chain, 0, 200.0);
}
