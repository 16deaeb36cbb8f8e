//! Algebraic loops: Newton's method, and whether its solution is the only one nearby.
//!
//! A solution at which the Jacobian is regular is isolated. If the Jacobian is singular:
//!
//! - a loop that is linear in its unknowns has no solution, or a whole line of them;
//! - any other may have a root of higher order, as z^2 = 0 has, which is a solution like any other,
//!   or a line of solutions. The residual is examined along the direction in which the Jacobian
//!   does not move it: if it vanishes near the solution and far from it, this is a line. A
//!   curve of solutions is not detected; the guess then chooses one of them.

use crate::interpret::run;
use crate::linear::eliminate;
use crate::rank::{NOISE, Rank, rank};
use crate::tape::SolveCode;
use crate::{Binary, Scalar, Slot, Unary};

const MAXIMUM_ITERATIONS: usize = 60;

/// Pivots that are smaller than this, next to the largest or to 1, are examined more closely.
const PLAIN: f64 = 1e-8;

/// The value of unknowns that their loop leaves open: a NaN with bits of its own.
const UNDETERMINED: f64 = f64::from_bits(0x7ff8_6f70_656e_0000);

/// Whether a value is that of a loop that does not determine its unknowns.
pub fn is_undetermined(value: f64) -> bool {
    value.to_bits() == UNDETERMINED.to_bits()
}

/// Where Newton's method has ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Not at a solution.
    Nowhere,
    /// At a solution; the last Jacobian was far from singular.
    Isolated,
    /// At a solution that may be one of many.
    Doubtful,
}

/// Newton's method from one guess, then from the other. If neither leads to a solution, or the loop
/// leaves its unknowns open, the result is NaN, and whoever runs the tape sees it: a
/// trial step is then shortened, an accepted point is an error.
pub(crate) fn newton<T: Scalar>(code: &SolveCode, s: &mut [T], dst: usize) {
    let n = code.n as usize;
    let (unknowns, step) = (code.unknowns.index(), code.step.index());
    let mut ends = code.guesses.iter().map(|guess| search(code, s, guess.index()));
    let end = ends.find(|end| *end != End::Nowhere).unwrap_or(End::Nowhere);
    if end != End::Isolated
        && let Some(failure) = failure(code, s, end, dst)
    {
        s[dst..dst + n].fill(failure);
        return;
    }
    for _ in 0..T::EXTRA_NEWTON_STEPS {
        newton_step(code, s);
        for i in 0..n {
            s[unknowns + i] = T::binary(Binary::Sub, s[unknowns + i], s[step + i]);
        }
        run(&code.body, s);
    }
    s.copy_within(unknowns..unknowns + n, dst);
}

/// Newton's method with the exact Jacobian, halving a step that does not make the residual
/// smaller. The residual and the Jacobian are left as they are at its end.
fn search<T: Scalar>(code: &SolveCode, s: &mut [T], guess: usize) -> End {
    let n = code.n as usize;
    let (unknowns, residual) = (code.unknowns.index(), code.residual.index());
    let (step, trial) = (code.step.index(), code.trial.index());
    s.copy_within(guess..guess + n, unknowns);
    run(&code.body, s);
    let mut fine = false;
    for _ in 0..MAXIMUM_ITERATIONS {
        let before = size(&s[residual..residual + n]);
        if !before.is_finite() {
            return End::Nowhere;
        }
        let end = if newton_step(code, s) { End::Isolated } else { End::Doubtful };
        if before == 0.0 {
            return end;
        }
        let within = |s: &[T], part: f64, least: f64| {
            (0..n).all(|i| {
                let scale = s[unknowns + i].primal().abs().max(least);
                s[step + i].primal().abs() <= part * scale
            })
        };
        let small = within(s, 4.0 * f64::EPSILON, 1e-300);
        fine = within(s, 1e-9, 1.0);
        if !descends(code, s, before) {
            // The residual is at its rounding, or there is no descent: only the first is a
            // solution.
            s.copy_within(trial..trial + n, unknowns);
            run(&code.body, s);
            return if small || fine { end } else { End::Nowhere };
        }
        // A step of Newton's method near a solution makes the residual far smaller, until what is
        // left is the rounding of large terms that cancel.
        if small || fine && size(&s[residual..residual + n]) > 0.5 * before {
            return end;
        }
    }
    // Towards a root of higher order steps shrink by a fixed ratio only.
    if fine { End::Doubtful } else { End::Nowhere }
}

/// Takes the step, or a half, a quarter ... of it, that makes the residual smaller; returns
/// whether there is one. The previous unknowns are kept.
fn descends<T: Scalar>(code: &SolveCode, s: &mut [T], before: f64) -> bool {
    let n = code.n as usize;
    let (unknowns, residual) = (code.unknowns.index(), code.residual.index());
    let (step, trial) = (code.step.index(), code.trial.index());
    s.copy_within(unknowns..unknowns + n, trial);
    let mut fraction = 1.0;
    for _ in 0..30 {
        for i in 0..n {
            let part = T::binary(Binary::Mul, T::constant(fraction), s[step + i]);
            s[unknowns + i] = T::binary(Binary::Sub, s[trial + i], part);
        }
        run(&code.body, s);
        if size(&s[residual..residual + n]) < before {
            return true;
        }
        fraction *= 0.5;
    }
    false
}

/// Writes the solution of J step = residual to the slots of the step. Returns whether J is far from
/// singular; its rows are those of F(u) - u, whose rounding is that of numbers about 1 and more.
fn newton_step<T: Scalar>(code: &SolveCode, s: &mut [T]) -> bool {
    let n = code.n as usize;
    let (jacobian, work) = (code.jacobian.index(), code.work.index());
    s.copy_within(jacobian..jacobian + n * n, work);
    s.copy_within(code.residual.range(n), code.step.index());
    eliminate(s, work, code.step.index(), n);
    let pivots = (0..n).map(|k| s[work + k * n + k].primal().abs());
    let (least, most) = pivots.fold((f64::INFINITY, 1.0), |(least, most), pivot| {
        (if pivot < least { pivot } else { least }, if pivot > most { pivot } else { most })
    });
    least > PLAIN * most
}

/// The largest element; NaN if one is.
fn size<T: Scalar>(row: &[T]) -> f64 {
    row.iter().map(|x| x.primal().abs()).fold(0.0, |m, x| if x > m || x.is_nan() { x } else { m })
}

/// The value of the unknowns if the end of the search is no solution that can be distinguished from
/// others; none if it is one.
#[cold]
fn failure<T: Scalar>(code: &SolveCode, s: &mut [T], end: End, room: usize) -> Option<T> {
    let n = code.n as usize;
    let (unknowns, none) = (code.unknowns.index(), T::unary(Unary::Log, T::constant(-1.0)));
    s.copy_within(unknowns..unknowns + n, room);
    let open = match (code.linear, end) {
        (true, _) => linear_kind(code, s),
        (false, End::Nowhere) => return Some(none),
        (false, _) => line(code, s).then_some(true),
    };
    match open {
        Some(true) => return Some(T::constant(UNDETERMINED)),
        Some(false) => return Some(none),
        None if end == End::Nowhere => return Some(none),
        None => {}
    }
    s.copy_within(room..room + n, unknowns);
    run(&code.body, s);
    None
}

/// Whether a linear loop has many solutions (true) or none (false); none if it has one. It
/// is judged at the guess of the model and away from it, by the rounding of the numbers there.
fn linear_kind<T: Scalar>(code: &SolveCode, s: &mut [T]) -> Option<bool> {
    let n = code.n as usize;
    let (unknowns, guess) = (code.unknowns.index(), code.guesses[1].index());
    s.copy_within(guess..guess + n, unknowns);
    let mut many = false;
    for away in [0.0, 1.0] {
        for i in 0..n {
            let start = s[unknowns + i].primal();
            s[unknowns + i] = T::constant(start + away * start.abs().max(1.0));
        }
        run(&code.body, s);
        match found_rank(code, s) {
            Some(Rank { null: Some(_), consistent }) => many |= consistent,
            _ => return None,
        }
    }
    Some(many)
}

/// Whether a line of solutions goes through this one.
fn line<T: Scalar>(code: &SolveCode, s: &mut [T]) -> bool {
    let n = code.n as usize;
    let (unknowns, residual) = (code.unknowns.index(), code.residual.index());
    let Some(Rank { null: Some(direction), .. }) = found_rank(code, s) else { return false };
    let from: Vec<f64> = s[unknowns..unknowns + n].iter().map(|x| x.primal()).collect();
    let largest = |row: &[f64]| row.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let length = largest(&from).max(1.0) / largest(&direction);
    let mut vanishes = |distance: f64| {
        for i in 0..n {
            s[unknowns + i] = T::constant(from[i] + distance * length * direction[i]);
        }
        run(&code.body, s);
        (0..n).all(|i| {
            let (r, u) = (s[residual + i].primal(), s[unknowns + i].primal());
            r.abs() <= NOISE * n as f64 * ((r + u).abs() + u.abs())
        })
    };
    // A root of a high order is flat near by, but not at a distance of its own size.
    [1.0, -1.0].iter().any(|side| [1.0, 1e-3, 1e-6].iter().all(|part| vanishes(side * part)))
}

fn found_rank<T: Scalar>(code: &SolveCode, s: &[T]) -> Option<Rank> {
    let n = code.n as usize;
    let row = |from: Slot, length: usize| {
        s[from.range(length)].iter().map(|x| x.primal()).collect::<Vec<f64>>()
    };
    rank(row(code.jacobian, n * n), row(code.residual, n), &row(code.unknowns, n))
}
