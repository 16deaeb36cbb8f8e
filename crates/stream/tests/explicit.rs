//! The solver on streams against the same solver written with explicit state, and the purity of
//! the former: what it gives is a function of the prefix of the rates and of nothing else.

use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;
use superdense_stream::{Solution, Solver, Stream, Sums, Vector, solve};

/// Everything that the solver changes from one evaluation to the next.
struct Explicit {
    solver: Solver,
    e: usize,
    h: f64,
    p: f64,
    /// The slope at the beginning of the step.
    slope: Vec<f64>,
    /// The sums of what each stage has added and taken back.
    added: [Vec<f64>; 2],
    taken: [Vec<f64>; 2],
    /// The contributions of the last step of each stage, in the parts in which they were added.
    last: [Vec<Vec<f64>>; 2],
}

impl Explicit {
    fn new(solver: &Solver) -> Explicit {
        let (zeros, initial) = (vec![0.0; solver.initial.len()], solver.initial.to_vec());
        Explicit {
            solver: solver.clone(),
            e: 0,
            h: 0.0,
            p: 0.0,
            slope: zeros.clone(),
            added: [initial.clone(), initial],
            taken: [zeros.clone(), zeros.clone()],
            last: [vec![zeros.clone()], vec![zeros.clone(), zeros]],
        }
    }

    fn total(&self, stage: usize) -> Vec<f64> {
        self.added[stage].iter().zip(&self.taken[stage]).map(|(a, b)| a - b).collect()
    }

    fn add(&mut self, stage: usize, parts: Vec<Vec<f64>>) {
        for (part, old) in parts.iter().zip(&self.last[stage]) {
            for i in 0..part.len() {
                self.added[stage][i] += part[i];
                self.taken[stage][i] += old[i] * self.p;
            }
        }
        self.last[stage] = parts;
    }

    /// The next evaluation, given the rates at the one before.
    fn step(&mut self, u: &[f64]) -> Vec<f64> {
        let euler = self.e.is_multiple_of(2);
        let first = self.e < 2;
        self.e += 1;
        if euler { self.euler(u, first) } else { self.trapezoidal(u) }
    }

    fn euler(&mut self, u: &[f64], first: bool) -> Vec<f64> {
        if !first {
            self.h = self.solver.step * (1.0 - self.p) + self.h / 2.0 * self.p;
        }
        let shared = self.solver.sums == Sums::Shared;
        if !(shared && self.p == 1.0) {
            self.slope = u.to_vec();
        }
        let part: Vec<f64> = self.slope.iter().map(|u| u * self.h).collect();
        if !shared {
            self.add(0, vec![part]);
            return self.total(0);
        }
        let (base, last) = (self.total(1), &self.last[1]);
        let from = (0..part.len()).map(|i| base[i] - (last[0][i] + last[1][i]) * self.p);
        let y = from.zip(&part).map(|(from, c)| from + c).collect();
        self.last[0] = vec![part];
        y
    }

    fn trapezoidal(&mut self, u: &[f64]) -> Vec<f64> {
        let half = |slope: &[f64]| slope.iter().map(|u| u * (self.h / 2.0)).collect::<Vec<f64>>();
        let parts = vec![half(&self.slope), half(u)];
        self.add(1, parts);
        let (euler, halves) = (&self.last[0][0], &self.last[1]);
        let d = (0..euler.len()).map(|i| halves[0][i] + halves[1][i] - euler[i]);
        self.p =
            if d.fold(0.0, |a: f64, x| a.max(x.abs())) < self.solver.tolerance { 0.0 } else { 1.0 };
        self.total(1)
    }
}

fn bits(y: &[f64]) -> Vec<u64> {
    y.iter().map(|x| x.to_bits()).collect()
}

/// A stream of rates that are given, and that must not be read further than they are.
fn given(rates: &[Vec<f64>]) -> Stream<Vector> {
    let rates = rates.to_vec();
    let zeros = Vector::zeros(2);
    Stream::new(zeros, move |e| rates.get(e).expect("only what has been given").as_slice().into())
}

fn solved(rates: &[Vec<f64>], solver: &Solver) -> Solution {
    solve(&given(rates), &Stream::new(false, |_| false), solver)
}

fn solvers() -> impl Strategy<Value = Solver> {
    let sums = prop_oneof![Just(Sums::Separate), Just(Sums::Shared)];
    (prop::array::uniform2(-2.0..2.0), 0.001..1.0, 0.0001..0.5, sums).prop_map(
        |(initial, step, tolerance, sums)| Solver {
            initial: initial[..].into(),
            step,
            tolerance,
            sums,
        },
    )
}

fn rates() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-3.0..3.0, 2), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn explicit_state_gives_the_same_stream(rates in rates(), solver in solvers()) {
        let solution = solved(&rates, &solver);
        let mut explicit = Explicit::new(&solver);
        let mut before = vec![0.0; 2];
        for e in 0..=rates.len() {
            prop_assert_eq!(bits(&explicit.step(&before)), bits(&solution.y.at(e)), "y at {}", e);
            prop_assert_eq!(explicit.h, solution.h.at(e), "h at {}", e);
            prop_assert_eq!(explicit.p, solution.p.at(e), "p at {}", e);
            before = rates.get(e).cloned().unwrap_or_default();
        }
    }

    /// Reading in any order, again, and from another copy of the prefix changes nothing; and the
    /// state at e needs no rate from e on.
    #[test]
    fn the_same_prefix_gives_the_same_result(
        rates in rates(),
        solver in solvers(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
    ) {
        let whole = solved(&rates, &solver);
        for index in order {
            let e = index.index(rates.len() + 1);
            let fresh = solved(&rates[..e], &solver);
            prop_assert_eq!(bits(&whole.y.at(e)), bits(&fresh.y.at(e)));
            prop_assert_eq!(bits(&whole.y.at(e)), bits(&whole.y.at(e)));
            prop_assert_eq!(whole.h.at(e), fresh.h.at(e));
        }
    }
}

/// Both solvers in a loop with the same stiff and switching system.
#[test]
fn a_closed_loop_is_the_same_too() {
    let field = |y: &[f64]| -> Vector {
        let floor = if y[1] < 0.0 { -400.0 * y[1] - 5.0 * y[2] } else { 0.0 };
        [1.0, y[2], -1.4 + floor / 7.0][..].into()
    };
    for sums in [Sums::Separate, Sums::Shared] {
        let initial = [0.0, 0.3, 0.0][..].into();
        let solver = Solver { initial, step: 0.01, tolerance: 1e-4, sums };
        let rates = Stream::later(Vector::zeros(3));
        let solution = solve(&rates.knot(), &Stream::new(false, |_| false), &solver);
        let y = solution.y.clone();
        rates.define(move |e| field(&y.at(e)));
        let mut explicit = Explicit::new(&solver);
        let (mut u, mut rejected) = (Vector::zeros(3), 0.0);
        for e in 0..2000 {
            let state = explicit.step(&u);
            assert_eq!(bits(&state), bits(&solution.y.at(e)), "{sums:?} at {e}");
            u = field(&state);
            rejected += explicit.p;
        }
        assert!(rejected > 20.0, "{rejected} rejections are too few to show anything");
    }
}

/// A stream is computed once, however often and from wherever it is read.
#[test]
fn nothing_is_computed_twice() {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let seen = calls.clone();
    let rates = Stream::new(Vector::zeros(1), move |e| {
        seen.borrow_mut().push(e);
        [1.0][..].into()
    });
    let solver =
        Solver { initial: Vector::zeros(1), step: 0.1, tolerance: 1.0, sums: Sums::Separate };
    let solution = solve(&rates, &Stream::new(false, |_| false), &solver);
    assert!((solution.y.at(21)[0] - 1.0).abs() < 1e-12);
    solution.y.at(10);
    assert_eq!(*calls.borrow(), (0..21).collect::<Vec<_>>());
}
