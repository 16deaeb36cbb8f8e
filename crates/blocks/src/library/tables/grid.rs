//! Functions on a grid: the tensor product of an interpolation along each axis.
//!
//! Along one axis, the value in a cell is that of a base point plus, for each of a few other points,
//! a weight times the difference between their value and that of the base point. The weight of a
//! point is the function that the interpolation makes of 1 at this point and 0 at all others, so
//! that a grid has the same pieces and goes on beyond its ends in the same way as a table of one
//! signal. At a breakpoint all weights are 0, and the value there is exact. A table of one signal
//! itself ([`Pieces`]) has coefficients for each cell instead, which are faster to evaluate; on a
//! grid their number would grow by a factor for each axis.

use base::{Shape, Type};
use ir::{Graph, NodeId};

use super::cells::{cell, vector};
use super::slopes::{Beyond, Interpolation, Pieces};
use crate::Context;

/// A function on a grid.
pub(super) struct Grid {
    axes: Vec<Axis>,
    /// The values at the points of the grid; those along the last axis are next to each other.
    values: Vec<f64>,
}

impl Grid {
    /// The function through values at the points of some axes, row by row.
    pub fn new(
        axes: &[&[f64]],
        values: &[f64],
        interpolation: Interpolation,
        beyond: Beyond,
    ) -> Grid {
        let mut stride = values.len();
        let axes = axes.iter().map(|points| {
            stride /= points.len();
            Axis::new(points, stride, interpolation, beyond)
        });
        Grid { axes: axes.collect(), values: values.to_vec() }
    }

    /// The value at a point, which has one number for each axis.
    pub fn value(&self, cx: &mut Context, point: &[NodeId], present: NodeId) -> NodeId {
        let places: Vec<Place> = self
            .axes
            .iter()
            .zip(point)
            .map(|(axis, x)| {
                let cell = cell(cx, *x, present, &axis.breaks);
                axis.place(&mut cx.graph, *x, cell)
            })
            .collect();
        let g = &mut cx.graph;
        let (values, start) = (vector(g, &self.values), g.constant(Type::INT, &[0.0]));
        contract(g, values, &places, start)
    }
}

/// The value at some places along the remaining axes, from a position among the values on.
fn contract(g: &mut Graph, values: NodeId, places: &[Place], position: NodeId) -> NodeId {
    let Some((place, rest)) = places.split_first() else { return g.index(values, position) };
    let at = g.add(position, place.base);
    let base = contract(g, values, rest, at);
    let mut value = base;
    for (offset, weight) in &place.others {
        let at = g.add(position, *offset);
        let other = contract(g, values, rest, at);
        let difference = g.sub(other, base);
        let part = g.mul(*weight, difference);
        value = g.add(value, part);
    }
    value
}

/// Where a signal is along an axis: the positions of the points that matter there, relative to the
/// first point of the axis, and the weights of all but the base point.
struct Place {
    base: NodeId,
    others: Vec<(NodeId, NodeId)>,
}

/// One axis of a grid.
struct Axis {
    /// Where its cells meet.
    breaks: Vec<f64>,
    /// For each cell, the position of its base point.
    bases: Vec<usize>,
    /// The other points that matter: for each cell a position, and the weight.
    others: Vec<(Vec<usize>, Pieces)>,
}

impl Axis {
    /// An axis with these points, whose values are a stride apart.
    fn new(x: &[f64], stride: usize, interpolation: Interpolation, beyond: Beyond) -> Axis {
        // How many points next to each other decide the value in a cell.
        let reach = match interpolation {
            Interpolation::Nearest | Interpolation::Previous => 1,
            Interpolation::Linear => 2,
            Interpolation::Cubic => x.len().min(4),
            Interpolation::Spline => x.len(),
        };
        let Pieces { breaks, origins, .. } = interpolation.pieces(x, x, beyond);
        let cells = breaks.len() + 1;
        let none = || {
            let coefficients = std::array::from_fn(|_| vec![0.0; cells]);
            (vec![0; cells], Pieces { breaks: Vec::new(), origins: origins.clone(), coefficients })
        };
        let mut others: Vec<(Vec<usize>, Pieces)> = (1..reach).map(|_| none()).collect();
        let mut bases = Vec::with_capacity(cells);
        for cell in 0..cells {
            // Cell 0 is below the first point, unless there are only as many cells as points.
            let base = cell.saturating_sub(cells - x.len());
            let first = base.saturating_sub((reach - 1) / 2).min(x.len() - reach);
            let near = &x[first..first + reach];
            bases.push(base * stride);
            let points = (0..reach).filter(|point| first + point != base);
            for (point, (positions, weight)) in points.zip(&mut others) {
                let mut unit = vec![0.0; reach];
                unit[point] = 1.0;
                let own = interpolation.pieces(near, &unit, beyond);
                positions[cell] = (first + point) * stride;
                for power in 1..4 {
                    weight.coefficients[power][cell] = own.coefficients[power][cell - first];
                }
            }
        }
        Axis { breaks, bases, others }
    }

    fn place(&self, g: &mut Graph, x: NodeId, cell: NodeId) -> Place {
        let pick = |g: &mut Graph, positions: &[usize]| {
            let shape = Shape::Vector(positions.len() as u32);
            let positions: Vec<f64> = positions.iter().map(|position| *position as f64).collect();
            let table = g.constant(Type { shape, ..Type::INT }, &positions);
            g.index(table, cell)
        };
        let base = pick(g, &self.bases);
        let other = |(positions, weight): &(Vec<usize>, Pieces)| {
            (pick(g, positions), weight.value(g, x, cell))
        };
        Place { base, others: self.others.iter().map(other).collect() }
    }
}
