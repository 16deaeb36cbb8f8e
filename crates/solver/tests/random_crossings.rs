//! Functions with many zeros at random places: every change of side is found, in order.

use crate::common::{Model, variable};
use superdense_solver::{Advance, Method, Options, Sides, Solver};

/// A function of time: its value and its rate.
type Function = Box<dyn Fn(f64) -> (f64, f64)>;

/// A small generator, so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Drives functions of time from 0 to `end` in steps of at most `longest` and returns each
/// change as a time and a function.
fn changes(functions: Vec<Function>, end: f64, longest: f64) -> (Vec<(f64, usize)>, u64) {
    let count = functions.len();
    let mut side: Vec<f64> = functions.iter().map(|g| g(0.0).0.signum()).collect();
    let mut residual = vec![0.0; count];
    let mut model = Model::new(|_, _, dx| dx[0] = 1.0).with_crossings(move |_, x, _, g, rate| {
        for (k, function) in functions.iter().enumerate() {
            (g[k], rate[k]) = function(x[0]);
        }
    });
    let options = Options {
        initial_step: Some(longest),
        maximum_step: longest,
        ..variable(Method::Rk45, 1e-6)
    };
    let mut solver = Solver::new(options, 1, count);
    solver.restart(&mut model, 0.0, &[0.0]);
    let mut found = Vec::new();
    while solver.time() < end {
        let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
        if solver.step(&mut model, end, sides).unwrap() == Advance::Crossing {
            for k in solver.crossed().iter().map(|located| located.function) {
                side[k] = -side[k];
                found.push((solver.time(), k));
            }
        }
        assert!(found.len() < 1000);
    }
    (found, solver.counters().crossing_evaluations)
}

/// Up to two polynomials of degree up to 4 with all their zeros in one step, however close
/// down to 1e-5 of it. Three zeros of one function within a fiftieth of a step can still be
/// taken for one, in about one of 50000 such functions.
#[test]
fn every_zero_of_random_polynomials_is_found() {
    let mut random = Random(7);
    let (mut failures, mut looks, mut zeros) = (0, 0, 0);
    for trial in 0..4000 {
        let mut expected = Vec::new();
        let mut functions: Vec<Function> = Vec::new();
        for k in 0..1 + trial % 2 {
            let degree = 1 + (random.next() * 4.0) as usize;
            let roots: Vec<f64> = (0..degree).map(|_| 0.01 + 0.98 * random.next()).collect();
            expected.extend(roots.iter().map(|&root| (root, k)));
            functions.push(Box::new(move |t| {
                let product = |skip: usize| -> f64 {
                    let others = roots.iter().enumerate().filter(|&(i, _)| i != skip);
                    others.map(|(_, root)| t - root).product()
                };
                (product(usize::MAX), (0..roots.len()).map(product).sum())
            }));
        }
        expected.sort_by(|a, b| a.0.total_cmp(&b.0));
        let close = expected.windows(2).any(|pair| pair[1].0 - pair[0].0 < 1e-5);
        if close {
            continue;
        }
        let (found, cost) = changes(functions, 1.0, f64::INFINITY);
        looks += cost;
        zeros += expected.len() as u64;
        let near = |(a, b): (&(f64, usize), &(f64, usize))| (a.0 - b.0).abs() < 1e-9 && a.1 == b.1;
        if found.len() != expected.len() || !found.iter().zip(&expected).all(near) {
            failures += 1;
            eprintln!("expected {expected:?}\n   found {found:?}");
        }
    }
    assert_eq!(failures, 0);
    assert!(looks < 11 * zeros, "{looks} looks for {zeros} zeros");
}

/// Sines with offsets, in steps of up to a period.
#[test]
fn every_zero_of_random_sines_is_found() {
    let mut random = Random(11);
    let mut failures = 0;
    for _ in 0..500 {
        let (speed, phase) = (1.0 + 5.0 * random.next(), 6.0 * random.next());
        let offset = 0.999 * (2.0 * random.next() - 1.0);
        let g = move |t: f64| {
            let angle = speed * t + phase;
            (angle.sin() + offset, speed * angle.cos())
        };
        let samples = 20_000;
        let sign = |i: i32| g(10.0 * f64::from(i) / f64::from(samples)).0 > 0.0;
        let expected = (0..samples).filter(|&i| sign(i) != sign(i + 1)).count();
        let (found, _) = changes(vec![Box::new(g)], 10.0, 1.0);
        if found.len() != expected {
            failures += 1;
            eprintln!(
                "speed {speed}, phase {phase}, offset {offset}: {} of {expected}",
                found.len()
            );
        }
    }
    assert_eq!(failures, 0);
}
