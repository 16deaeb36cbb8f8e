//! One trial step of Rodas5P.
//!
//! The slopes of the segment are the derivative at the start, the u of the eight stages and the
//! derivative at the end. Nothing but the matrix is solved, so a step costs the same whatever the
//! system does.

use std::array::from_fn;

use crate::explicit::Tolerance;
use crate::linear::Linear;
use crate::segment::Segment;
use crate::sums::weighed;
use crate::system::System;
use crate::tableau::rodas5p::{
    A2, A3, A4, A5, A6, C2, C3, C4, C5, C6, C7, C8, GAMMA, NODES, STAGES, TIME,
};

/// Slopes of a segment: those of both ends and the stages.
pub(crate) const SLOPES: usize = STAGES + 2;

/// The stages over a step that `linear` has the derivatives of at the start; false if the matrix
/// cannot be factored.
///
/// For a few states the loops over them take as long as the rates: their number is a constant
/// there, so that nothing is left of the loops.
pub(crate) fn stages<S: System>(
    system: &mut S,
    segment: &mut Segment,
    argument: &mut [f64],
    linear: &mut Linear,
) -> bool {
    match argument.len() {
        1 => stages_of(system, segment, argument, linear, 1),
        2 => stages_of(system, segment, argument, linear, 2),
        3 => stages_of(system, segment, argument, linear, 3),
        4 => stages_of(system, segment, argument, linear, 4),
        n => stages_of(system, segment, argument, linear, n),
    }
}

#[inline(always)]
fn stages_of<S: System>(
    system: &mut S,
    segment: &mut Segment,
    argument: &mut [f64],
    linear: &mut Linear,
    n: usize,
) -> bool {
    let (t, h) = (segment.start, segment.end - segment.start);
    if !linear.factor_of(1.0 / (h * GAMMA), 1.0, n) {
        return false;
    }
    let argument = &mut argument[..n];
    let Segment { x0, x1, slopes, end, .. } = segment;
    let (start, rest) = slopes.split_at_mut(1);
    let (u, last) = rest.split_at_mut(STAGES);
    u[0].copy_from_slice(&start[0]);
    finish(linear, &mut u[0][..n], h, TIME[0]);
    stage(system, linear, (t + NODES[0] * h, h, TIME[1]), (x0, argument), u, &A2, &C2);
    stage(system, linear, (t + NODES[1] * h, h, TIME[2]), (x0, argument), u, &A3, &C3);
    stage(system, linear, (t + NODES[2] * h, h, TIME[3]), (x0, argument), u, &A4, &C4);
    stage(system, linear, (t + NODES[3] * h, h, TIME[4]), (x0, argument), u, &A5, &C5);
    stage(system, linear, (*end, h, 0.0), (x0, argument), u, &A6, &C6);
    end_stage(system, linear, (*end, h), argument, u, &C7);
    end_stage(system, linear, (*end, h), argument, u, &C8);
    for ((x, argument), u) in x1[..n].iter_mut().zip(&*argument).zip(&u[STAGES - 1][..n]) {
        *x = argument + u;
    }
    system.derivative(*end, x1, &mut last[0]);
    true
}

/// Evaluations of the derivative in a trial.
pub(crate) const EVALUATIONS: u64 = STAGES as u64;

/// Stage N from those before it.
#[inline(always)]
fn stage<S: System, const N: usize>(
    system: &mut S,
    linear: &mut Linear,
    (t, h, time): (f64, f64, f64),
    (x0, argument): (&[f64], &mut [f64]),
    u: &mut [Vec<f64>],
    a: &[f64; N],
    c: &[f64; N],
) {
    let (known, rest) = u.split_at_mut(N);
    let n = argument.len();
    let (k, x0): ([&[f64]; N], _) = (from_fn(|j| &known[j][..n]), &x0[..n]);
    for i in 0..n {
        argument[i] = x0[i] + weighed(&k, a, i);
    }
    solve_at(system, linear, (t, h, time), argument, known, &mut rest[0], c);
}

/// A stage at the end of the step, whose argument is that of the stage before and its u.
#[inline(always)]
fn end_stage<S: System, const N: usize>(
    system: &mut S,
    linear: &mut Linear,
    (t, h): (f64, f64),
    argument: &mut [f64],
    u: &mut [Vec<f64>],
    c: &[f64; N],
) {
    let (known, rest) = u.split_at_mut(N);
    let last = &known[N - 1][..argument.len()];
    argument.iter_mut().zip(last).for_each(|(argument, u)| *argument += u);
    solve_at(system, linear, (t, h, 0.0), argument, known, &mut rest[0], c);
}

/// The u of a stage at its argument.
#[inline(always)]
fn solve_at<S: System, const N: usize>(
    system: &mut S,
    linear: &mut Linear,
    (t, h, time): (f64, f64, f64),
    argument: &[f64],
    known: &[Vec<f64>],
    u: &mut [f64],
    c: &[f64; N],
) {
    let n = argument.len();
    let u = &mut u[..n];
    system.derivative(t, argument, u);
    let k: [&[f64]; N] = from_fn(|j| &known[j][..n]);
    let scale = 1.0 / h;
    for (i, own) in u.iter_mut().enumerate() {
        *own += scale * weighed(&k, c, i);
    }
    finish(linear, u, h, time);
}

/// Adds the share of df/dt and solves.
#[inline(always)]
fn finish(linear: &mut Linear, u: &mut [f64], h: f64, time: f64) {
    if time != 0.0 && !linear.rate.is_empty() {
        let share = h * time;
        u.iter_mut().zip(&linear.rate).for_each(|(u, rate)| *u += share * rate);
    }
    let n = u.len();
    linear.solve_of(u, n);
}

/// The mean square of the last u over the tolerance; NaN if the step's end or the slope
/// there is not finite.
pub(crate) fn mean_square(segment: &Segment, tolerance: Tolerance) -> f64 {
    let (x0, x1, end) = (&segment.x0, &segment.x1, segment.end_slope());
    let error = &segment.slopes[STAGES];
    let mut sum = 0.0;
    for i in 0..x0.len() {
        let scale = tolerance.absolute + tolerance.relative * x0[i].abs().max(x1[i].abs());
        let ratio = error[i] / scale;
        sum += ratio * ratio + (x1[i] * 0.0 + end[i] * 0.0);
    }
    sum / x0.len().max(1) as f64
}
