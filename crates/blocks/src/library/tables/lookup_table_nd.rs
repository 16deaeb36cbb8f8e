//! A function of any number of signals that is given by a table.

use base::{Diagnostic, Shape, Value};
use ir::NodeId;

use super::grid::Grid;
use super::lookup_table::{IMPULSE, increasing, refuse_outside};
use super::lookup_table_2d::extrapolation;
use super::slopes::{Beyond, Interpolation};
use super::{GRID_OUTPUT, interpolation};
use crate::{Block, Context, Info, Input, Parameter, Role, Signal};

/// The most axes: the work of a linear table doubles with each.
const MOST: usize = 10;

/// The most axes of a cubic table, whose work grows by a factor of four with each.
const MOST_CUBIC: usize = 5;

/// A function of any number of signals that is given by a table.
#[derive(Debug)]
pub struct LookupTableND;

impl Block for LookupTableND {
    // The whole description of the block: a list, and so longer than a function should otherwise
    // be.
    fn info(&self) -> Info {
        Info::new(
            "LookupTableND",
            "Tables",
            "Outputs a function of several signals that is given by its values on a grid.",
        )
        .aliases([
            "n-D Lookup Table",
            "Lookup Table (n-D)",
            "3-D Lookup Table",
            "Interpolation Using Prelookup",
            "interpn",
        ])
        .icon("M2 7V17H14V7ZM2 7L8 3H20L14 7M20 3V13L14 17M8 7V17M2 12H14")
        .equations(
            "output = values[(i * sizes[1] + j) * sizes[2] + k], if input = [x[i], y[j], z[k]], \
             with the breakpoints x, y and z of the axes; likewise for other numbers of axes\n\
             linear: linear in each signal while the others are constant, from point to point\n\
             nearest: the value at the nearest point along each axis; halfway between two, at the \
             upper one\n\
             previous: the value at the last point at or below along each axis\n\
             cubic: along each axis a cubic whose slope at each point is that of the parabola \
             through it and its neighbours; the first derivatives are continuous, and polynomials \
             of degree 2 in each signal are exact",
        )
        .absence("Absent when the input is absent.")
        .impulses("An impulse at the input is an error, because the function is not linear.")
        .input(Input::one("input", "The signals, a vector with one element for each axis."))
        .output("output", GRID_OUTPUT)
        .parameter(Parameter::value(
            "breakpoints",
            "The breakpoints of all axes, one axis after the other; those of an axis increase.",
        ))
        .parameter(Parameter::value(
            "sizes",
            "How many breakpoints each axis has, at least 2; there are up to 10 axes, and up to 5 \
             with `cubic`.",
        ))
        .parameter(Parameter::value(
            "values",
            "The values at the points of the grid, a vector: those along the last axis are next \
             to each other (row by row).",
        ))
        .parameter(interpolation(["linear", "nearest", "previous", "cubic"]))
        .parameter(extrapolation())
        .example(
            r#"superdense: 1
name: lookup-table-nd
blocks:
  lift:
    type: LookupTableND
    input: [2 * time, 1 - time, 0.5]
    breakpoints: [0, 1, 2, 0, 1, 0, 1]
    sizes: [3, 2, 2]
    values: [0, 1, 2, 3, 4, 6, 5, 8, 5, 7, 9, 9]
record: [lift]
simulate: {stop: 1}"#,
        )
    }

    fn role(&self) -> Role {
        Role::Located
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        let breakpoints = cx.value("breakpoints");
        let axes = axes(breakpoints.data(), &cx.value("sizes"))?;
        let values = cx.value("values");
        let values = values_on(&axes, &values)?;
        let shape = cx.graph.ty(input.value).shape;
        if shape.len() != axes.len() || matches!(shape, Shape::Matrix(..)) {
            let ty = cx.graph.ty(input.value).with_article();
            let message = format!("`input` is {ty}, and the table has {} axes", axes.len());
            return Err(Diagnostic::error("size-mismatch", message)
                .help("`input` needs one element for each number of `sizes`"));
        }
        cx.refuse_impulses(&input, IMPULSE);
        let point: Vec<NodeId> =
            (0..axes.len()).map(|i| cx.graph.extract(input.value, i, Shape::Scalar)).collect();
        let interpolation = Interpolation::named(cx.word("interpolation"));
        if interpolation == Interpolation::Cubic && axes.len() > MOST_CUBIC {
            let message = format!("`cubic` is for up to {MOST_CUBIC} axes, and not {}", axes.len());
            return Err(Diagnostic::error("bad-parameter", message));
        }
        let beyond = Beyond::named(cx.word("extrapolation"));
        let grid = Grid::new(&axes, values, interpolation, beyond);
        let mut value = grid.value(cx, &point, input.present);
        if cx.word("extrapolation") == "error" {
            for (x, axis) in point.iter().zip(&axes) {
                value = refuse_outside(cx, *x, input.present, axis, value);
            }
        }
        cx.output("output", Signal { value, present: input.present, impulses: Vec::new() });
        Ok(())
    }
}

/// The breakpoints of each axis.
fn axes<'a>(breakpoints: &'a [f64], sizes: &Value) -> Result<Vec<&'a [f64]>, Diagnostic> {
    let wrong = |message: String| Err(Diagnostic::error("bad-parameter", message));
    let sizes = sizes.data();
    if sizes.is_empty() || sizes.len() > MOST {
        return wrong(format!("`sizes` has {} elements; it needs from 1 to {MOST}", sizes.len()));
    }
    if let Some(size) = sizes.iter().find(|size| !(**size >= 2.0 && size.fract() == 0.0)) {
        return wrong(format!("`sizes` has whole numbers from 2 on, and not {size}"));
    }
    let total: f64 = sizes.iter().sum();
    if total != breakpoints.len() as f64 {
        let message = format!("there are {} breakpoints", breakpoints.len());
        return Err(Diagnostic::error("size-mismatch", message)
            .help(format!("the sum of `sizes` is {total}")));
    }
    let mut rest = breakpoints;
    let mut axes = Vec::with_capacity(sizes.len());
    for size in sizes {
        let (axis, others) = rest.split_at(*size as usize);
        increasing(axis, "breakpoints")?;
        axes.push(axis);
        rest = others;
    }
    Ok(axes)
}

/// The values at the points of a grid.
fn values_on<'a>(axes: &[&[f64]], values: &'a Value) -> Result<&'a [f64], Diagnostic> {
    let points: f64 = axes.iter().map(|axis| axis.len() as f64).product();
    if !matches!(values.ty().shape, Shape::Vector(n) if f64::from(n) == points) {
        let message = format!("`values` is {}", values.ty().with_article());
        return Err(Diagnostic::error("size-mismatch", message)
            .help(format!("it needs to be a vector of {points} numbers, the product of `sizes`")));
    }
    match values.data().iter().all(|value| value.is_finite()) {
        true => Ok(values.data()),
        false => Err(Diagnostic::error("bad-parameter", "the values of `values` must be finite")),
    }
}
