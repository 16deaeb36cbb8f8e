//! A function of two signals that is given by a table.

use base::{Diagnostic, Shape};
use ir::NodeId;

use super::grid::Grid;
use super::lookup_table::{IMPULSE, breakpoints, refuse_outside};
use super::slopes::{Beyond, Interpolation};
use super::{GRID_OUTPUT, interpolation};
use crate::{Block, Context, Info, Input, Parameter, Role, Signal};

/// A function of two signals that is given by a table.
#[derive(Debug)]
pub struct LookupTable2D;

impl Block for LookupTable2D {
    // The whole description of the block: a list, and so longer than a function should otherwise
    // be.
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
             linear: bilinear, a + b*first + c*second + d*first*second in each cell of the grid\n\
             nearest: z of the nearest point along each axis; halfway between two, of the upper one\n\
             previous: z of the last point at or below along each axis\n\
             cubic: along each axis a cubic whose slope at each point is that of the parabola \
             through it and its neighbours; the first derivatives are continuous, and polynomials \
             of degree 2 in each signal are exact",
        )
        .absence("Present when both inputs are.")
        .impulses("An impulse at an input is an error, because the function is not linear.")
        .input(Input::one("first", "The signal along `x`, of any size."))
        .input(Input::one("second", "The signal along `y`, of the same size, or one for all."))
        .output(
            "output",
            GRID_OUTPUT,
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
        .parameter(interpolation(["linear", "nearest", "previous", "cubic"]))
        .parameter(extrapolation())
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
        let interpolation = Interpolation::named(cx.word("interpolation"));
        let beyond = Beyond::named(cx.word("extrapolation"));
        let grid = Grid::new(&[x.data(), y.data()], z.data(), interpolation, beyond);
        let present = cx.graph.and(first.present, second.present);
        let shapes = [&first, &second].map(|input| cx.graph.ty(input.value).shape);
        let shape = if shapes[0] == Shape::Scalar { shapes[1] } else { shapes[0] };
        let inputs = [&first, &second].map(|input| cx.graph.splat(input.value, shape));
        let parts: Vec<NodeId> = (0..shape.len())
            .map(|i| {
                let point = inputs.map(|input| cx.graph.extract(input, i, Shape::Scalar));
                grid.value(cx, &point, present)
            })
            .collect();
        let mut value = match shape {
            Shape::Scalar => parts[0],
            _ => cx.graph.stack(&parts, shape),
        };
        if cx.word("extrapolation") == "error" {
            value = refuse_outside(cx, first.value, first.present, x.data(), value);
            value = refuse_outside(cx, second.value, second.present, y.data(), value);
        }
        cx.output("output", Signal { value, present, impulses: Vec::new() });
        Ok(())
    }
}

/// What a function on a grid does outside its breakpoints.
pub(super) fn extrapolation() -> Parameter {
    Parameter::word(
        "extrapolation",
        "What happens outside the breakpoints: `hold` keeps each signal at the nearest end, \
         `linear` goes on along the tangent there, and `error` ends the run when a signal leaves \
         the range.",
        ["hold", "linear", "error"],
    )
    .default("hold")
}
