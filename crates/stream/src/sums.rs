//! Sums that can be taken back.
//!
//! A pure function has no state that it could restore when a step is rejected. Instead it subtracts
//! what the step has added.

use crate::equations::Stage;
use crate::{Stream, Vector};

/// The sum of contributions up to e, each taken back by the one that follows it if p is 1 then:
///
/// ```text
/// initial + sum of c(i) - p(i - 1) c(i - 2)    over the evaluations i <= e of the stage
/// ```
///
/// `parts` are the terms of c in the order in which they are added. Additions and subtractions are
/// two separate sums, and the difference is taken at the end: a step that is taken back then leaves
/// the time exactly where it was, as far as the sums themselves are exact.
pub fn taken_back(
    stage: Stage,
    initial: &Vector,
    parts: &[Stream<Vector>],
    p: &Stream<f64>,
) -> Stream<Vector> {
    let zeros = Vector::zeros(initial.len());
    let added = total(stage, initial.clone(), parts, |part, e| part.at(e));
    let p = p.clone();
    let taken = total(stage, zeros, parts, move |part, e| part.back(e, 2).times(p.pre(e)));
    Stream::new(initial.clone(), move |e| added.at(e).minus(&taken.at(e)))
}

/// The sum, over the evaluations of a stage, of one term per part.
fn total(
    stage: Stage,
    initial: Vector,
    parts: &[Stream<Vector>],
    term: impl Fn(&Stream<Vector>, usize) -> Vector + 'static,
) -> Stream<Vector> {
    let parts = parts.to_vec();
    Stream::scan(initial, move |e, before| match Stage::of(e) == stage {
        true => parts.iter().fold(before, |sum, part| sum.plus(&term(part, e))),
        false => before,
    })
}
