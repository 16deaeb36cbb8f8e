//! A function of two signals that is given by a table.

use base::{Diagnostic, Shape, Type};
use ir::{Binary, Graph, NodeId};

use super::cells::{cell, vector};
use super::lookup_table::{IMPULSE, breakpoints, refuse_outside};
use crate::{Block, Context, Info, Input, Parameter, Role, Signal};

/// A function of two signals that is given by a table.
#[derive(Debug)]
pub struct LookupTable2D;

impl Block for LookupTable2D {
    fn info(&self) -> Info {
        Info::new(
            "LookupTable2D",
            "Tables",
            "Outputs a function of two signals that is given by its values on a grid.",
        )
        .aliases(["2-D Lookup Table", "Lookup Table 2-D", "CombiTable2D", "CombiTable2Ds"])
        .icon("M2 3V17H20V3ZM8 3V17M14 3V17M2 8H20M2 13H20")
        .equations(
            "output = z[i, j], if first = x[i] and second = y[j]\n\
             between: bilinear, a + b*first + c*second + d*first*second in each cell of the grid",
        )
        .absence("Present when both inputs are.")
        .impulses("An impulse at an input is an error, because the function is not linear.")
        .input(Input::one("first", "The signal along `x`, of any size."))
        .input(Input::one("second", "The signal along `y`, of the same size, or one for all."))
        .output(
            "output",
            "The function of the signals. The times at which a signal reaches a breakpoint are \
             located, so that no step of the solver extends across a kink of the table.",
        )
        .parameter(Parameter::value(
            "x",
            "The breakpoints of the rows: a vector of at least 2 numbers that increase.",
        ))
        .parameter(Parameter::value(
            "y",
            "The breakpoints of the columns: a vector of at least 2 numbers that increase.",
        ))
        .parameter(Parameter::value(
            "z",
            "The values: a matrix with a row for each number of `x` and a column for each of `y`.",
        ))
        .parameter(
            Parameter::word(
                "extrapolation",
                "What happens outside the breakpoints: `hold` keeps each signal at the nearest \
                 end, `linear` goes on as in the nearest cell, and `error` ends the run when a \
                 signal leaves the range.",
                ["hold", "linear", "error"],
            )
            .default("hold"),
        )
        .example(
            r#"superdense: 1
name: lookup-table-2d
blocks:
  torque:
    type: LookupTable2D
    first: 3 * time
    second: 1 - time
    x: [0, 1, 3]
    y: [0, 1]
    z: [[0, 1], [2, 4], [3, 7]]
record: [torque]
simulate: {stop: 1}"#,
        )
    }

    fn role(&self) -> Role {
        Role::Located
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (first, second) = (cx.numeric_input("first")?, cx.numeric_input("second")?);
        cx.fits(&first, &second, false)?;
        let (x, y, z) = (cx.value("x"), cx.value("y"), cx.value("z"));
        breakpoints(&x, "x")?;
        breakpoints(&y, "y")?;
        let (rows, columns) = (x.data().len() as u32, y.data().len() as u32);
        if z.ty().shape != Shape::Matrix(rows, columns) {
            let message = format!("`z` is {}", z.ty().with_article());
            return Err(Diagnostic::error("size-mismatch", message).help(format!(
                "it needs {rows} rows, one for each number of `x`, and {columns} columns, one for \
                 each of `y`"
            )));
        }
        if z.data().iter().any(|z| !z.is_finite()) {
            return Err(Diagnostic::error("bad-parameter", "the values of `z` must be finite"));
        }
        for input in [&first, &second] {
            cx.refuse_impulses(input, IMPULSE);
        }
        let linear = cx.word("extrapolation") == "linear";
        let grid = Grid::new(x.data(), y.data(), z.data());
        let present = cx.graph.and(first.present, second.present);
        let shapes = [&first, &second].map(|input| cx.graph.ty(input.value).shape);
        let shape = if shapes[0] == Shape::Scalar { shapes[1] } else { shapes[0] };
        let inputs = [&first, &second].map(|input| cx.graph.splat(input.value, shape));
        let parts: Vec<NodeId> = (0..shape.len())
            .map(|i| {
                let [u, v] = inputs.map(|input| cx.graph.extract(input, i, Shape::Scalar));
                let u = along(cx, u, present, x.data(), linear);
                let v = along(cx, v, present, y.data(), linear);
                grid.value(&mut cx.graph, u, v)
            })
            .collect();
        let mut value = match shape {
            Shape::Scalar => parts[0],
            _ => cx.graph.stack(&parts, shape),
        };
        if cx.word("extrapolation") == "error" {
            value = refuse_outside(cx, &first, x.data(), value);
            value = refuse_outside(cx, &second, y.data(), value);
        }
        cx.output("output", Signal { value, present, impulses: Vec::new() });
        Ok(())
    }
}

/// An interval of the grid in one direction, counted from 0, and the distance from its beginning.
struct Along {
    interval: NodeId,
    distance: NodeId,
}

fn along(cx: &mut Context, u: NodeId, present: NodeId, breaks: &[f64], linear: bool) -> Along {
    let cell = cell(cx, u, present, breaks);
    let last = breaks.len();
    let intervals: Vec<f64> = (0..=last).map(|c| c.clamp(1, last - 1) as f64 - 1.0).collect();
    let origins: Vec<f64> = intervals.iter().map(|i| breaks[*i as usize]).collect();
    let g = &mut cx.graph;
    let ty = Type { elem: base::Elem::Int, shape: Shape::Vector(intervals.len() as u32) };
    let intervals = g.constant(ty, &intervals);
    let interval = g.index(intervals, cell);
    let origins = vector(g, &origins);
    let origin = g.index(origins, cell);
    let distance = g.sub(u, origin);
    let distance = if linear { distance } else { held(g, distance, cell, breaks) };
    Along { interval, distance }
}

/// The distance within the first and the last interval, if the signal is beyond them.
fn held(g: &mut Graph, distance: NodeId, cell: NodeId, breaks: &[f64]) -> NodeId {
    let last = breaks.len();
    let [below, above] = [0, last].map(|end| {
        let end = g.constant(Type::INT, &[end as f64]);
        g.binary(Binary::Equal, cell, end)
    });
    let (zero, width) = (g.real(0.0), g.real(breaks[last - 1] - breaks[last - 2]));
    let distance = g.select(below, zero, distance);
    g.select(above, width, distance)
}

/// The coefficients of the bilinear function of each cell of the grid, row by row.
struct Grid {
    columns: usize,
    /// Of 1, of the first distance, of the second, and of their product.
    coefficients: [Vec<f64>; 4],
}

impl Grid {
    fn new(x: &[f64], y: &[f64], z: &[f64]) -> Grid {
        let at = |i: usize, j: usize| z[i * y.len() + j];
        let mut coefficients: [Vec<f64>; 4] = Default::default();
        for i in 0..x.len() - 1 {
            for j in 0..y.len() - 1 {
                let (h, k) = (x[i + 1] - x[i], y[j + 1] - y[j]);
                let (down, right) = (at(i + 1, j) - at(i, j), at(i, j + 1) - at(i, j));
                let twist = (at(i + 1, j + 1) - at(i, j + 1)) - down;
                let cell = [at(i, j), down / h, right / k, twist / (h * k)];
                coefficients.iter_mut().zip(cell).for_each(|(all, own)| all.push(own));
            }
        }
        Grid { columns: y.len() - 1, coefficients }
    }

    fn value(&self, g: &mut Graph, u: Along, v: Along) -> NodeId {
        let columns = g.constant(Type::INT, &[self.columns as f64]);
        let row = g.mul(u.interval, columns);
        let position = g.add(row, v.interval);
        let [one, first, second, both] = self.coefficients.each_ref().map(|numbers| {
            let table = vector(g, numbers);
            g.index(table, position)
        });
        let (u, v) = (u.distance, v.distance);
        let along_u = g.mul(first, u);
        let twist = g.mul(both, u);
        let slope = g.add(second, twist);
        let along_v = g.mul(slope, v);
        let edge = g.add(one, along_u);
        g.add(edge, along_v)
    }
}
