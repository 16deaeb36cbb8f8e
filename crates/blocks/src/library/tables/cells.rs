//! Which interval between breakpoints a signal is in.
//!
//! The cells of n breakpoints are numbered from 0, below the first, to n, from the last on; a
//! breakpoint belongs to the cell above it. The cell is the integer part of a coordinate that
//! rises from one whole number to the next between two breakpoints, so it is frozen between events and
//! its changes are located, like those of `floor`. The cell is kept in a state: during a step only
//! the coordinate of that one cell is computed, whatever the size of the table. At ticks, where
//! the signal may have jumped, the cell is found by bisection.

use base::{Shape, Type, Value};
use ir::{Binary, Graph, NodeId, Unary};

use crate::Context;

/// The cell of a scalar signal, an integer.
pub(super) fn cell(cx: &mut Context, x: NodeId, present: NodeId, breaks: &[f64]) -> NodeId {
    let kept = cx.state("cell", Value::new(Type::INT, vec![-1.0]));
    let g = &mut cx.graph;
    let found = bisection(g, x, breaks);
    let zero = g.constant(Type::INT, &[0.0]);
    let starts = g.binary(Binary::Less, kept, zero);
    let kept_or_found = g.select(starts, found, kept);
    let during_steps = coordinate(g, x, kept_or_found, breaks);
    let at_ticks = coordinate(g, x, found, breaks);
    let coordinate = g.observed(during_steps, at_ticks, 0);
    let cell = g.frozen_floor(coordinate);
    let next = g.select(present, cell, kept);
    cx.next(kept, next);
    cell
}

/// The number of breakpoints at or below x.
fn bisection(g: &mut Graph, x: NodeId, breaks: &[f64]) -> NodeId {
    let bits = usize::BITS - breaks.len().leading_zeros();
    let mut padded = breaks.to_vec();
    padded.resize((1 << bits) - 1, f64::INFINITY);
    let table = vector(g, &padded);
    let mut below = g.constant(Type::INT, &[0.0]);
    for bit in (0..bits).rev() {
        let half = f64::from(1u32 << bit);
        let last = g.constant(Type::INT, &[half - 1.0]);
        let at = g.add(below, last);
        let probe = g.index(table, at);
        let reached = g.binary(Binary::LessEqual, probe, x);
        let half = g.constant(Type::INT, &[half]);
        let more = g.add(below, half);
        below = g.select(reached, more, below);
    }
    below
}

/// The coordinate of x by the formula of a cell: linear between breakpoints, and beyond the first
/// and the last one a function that never reaches the next whole number.
fn coordinate(g: &mut Graph, x: NodeId, cell: NodeId, breaks: &[f64]) -> NodeId {
    let last = breaks.len();
    let width = |i: usize| match breaks.get(i..i + 2) {
        Some(pair) => pair[1] - pair[0],
        None => 1.0,
    };
    let edges: Vec<usize> = (0..=last).map(|cell| cell.saturating_sub(1)).collect();
    let origins: Vec<f64> = edges.iter().map(|edge| breaks[*edge]).collect();
    let scales: Vec<f64> = edges.iter().map(|edge| 1.0 / width(*edge)).collect();
    let starts: Vec<f64> = edges.iter().map(|edge| *edge as f64 + 1.0).collect();
    let [origin, scale, start] = [origins, scales, starts].map(|numbers| {
        let table = vector(g, &numbers);
        g.index(table, cell)
    });
    let distance = g.sub(x, origin);
    let distance = g.mul(distance, scale);
    let angle = g.unary(Unary::Atan, distance);
    let part = g.real(std::f64::consts::FRAC_1_PI);
    let bounded = g.mul(part, angle);
    let [first, last] = [0, last].map(|end| {
        let end = g.constant(Type::INT, &[end as f64]);
        g.binary(Binary::Equal, cell, end)
    });
    let outside = g.or(first, last);
    let within = g.select(outside, bounded, distance);
    g.add(start, within)
}

/// A constant vector.
pub(super) fn vector(g: &mut Graph, numbers: &[f64]) -> NodeId {
    let ty = Type { elem: base::Elem::Real, shape: Shape::Vector(numbers.len() as u32) };
    g.constant(ty, numbers)
}
