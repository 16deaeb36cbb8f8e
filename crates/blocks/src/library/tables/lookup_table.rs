//! A function of one signal that is given by a table.

use base::{Diagnostic, Shape};
use ir::NodeId;

use super::cells::cell;
use super::interpolation;
use super::slopes::{Beyond, Interpolation, Pieces};
use crate::operators::read_side;
use crate::{Block, Context, Info, Input, Parameter, Role, Signal};

pub(super) const IMPULSE: &str = "an impulse reaches a table, which is not a linear function";

/// A function of one signal that is given by a table.
#[derive(Debug)]
pub struct LookupTable;

impl Block for LookupTable {
    // The whole description of the block: a list, and so longer than a function should otherwise
    // be.
    fn info(&self) -> Info {
        Info::new(
            "LookupTable",
            "Tables",
            "Outputs a function of a signal that is given by its values at breakpoints.",
        )
        .aliases([
            "1-D Lookup Table",
            "Lookup Table",
            "Interpolation",
            "CombiTable1D",
            "CombiTable1Ds",
        ])
        .icon("M2 17L7 12L12 14L20 4M2 3V17H20")
        .equations(
            "output = y[i], if input = x[i]\n\
             linear: the straight line between two points\n\
             nearest: y of the nearest point; halfway between two, of the upper one\n\
             previous: y of the last point at or below the input\n\
             cubic: a cubic whose slope at each point is that of the parabola through it and its \
             neighbours; exact for polynomials of degree 2\n\
             spline: the cubic spline with a continuous second derivative, and a continuous third \
             derivative at the second and at the last but one point (not-a-knot); exact for \
             polynomials of degree 3",
        )
        .absence("Absent when the input is absent.")
        .impulses("An impulse at the input is an error, because the function is not linear.")
        .input(Input::one("input", "The signal; a vector gives one output for each element."))
        .output(
            "output",
            "The function of the signal. The times at which the signal reaches a breakpoint are \
             located, so that no step of the solver extends across a kink or a jump of the table. \
             Between events the interval is known; at events it is found by bisection.",
        )
        .parameter(Parameter::value(
            "x",
            "The breakpoints: a vector of at least 2 numbers that increase.",
        ))
        .parameter(Parameter::value(
            "y",
            "The values at the breakpoints: a vector of the same length.",
        ))
        .parameter(interpolation(["linear", "nearest", "previous", "cubic", "spline"]))
        .parameter(
            Parameter::word(
                "extrapolation",
                "What happens outside the breakpoints: `hold` keeps the value at the nearest end, \
                 `linear` goes on along the tangent there, and `error` ends the run when the \
                 signal leaves the range.",
                ["hold", "linear", "error"],
            )
            .default("hold"),
        )
        .example(
            r#"superdense: 1
name: lookup-table
blocks:
  valve: {type: LookupTable, input: time, x: [0, 1, 2, 4], y: [0, 0.2, 1, 1.2]}
record: [valve]
simulate: {stop: 5}"#,
        )
    }

    fn role(&self) -> Role {
        Role::Located
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        let pieces = self.pieces(cx)?;
        cx.refuse_impulses(&input, IMPULSE);
        let shape = cx.graph.ty(input.value).shape;
        let parts: Vec<NodeId> = (0..shape.len())
            .map(|i| {
                let x = cx.graph.extract(input.value, i, Shape::Scalar);
                let cell = cell(cx, x, input.present, &pieces.breaks);
                pieces.value(&mut cx.graph, x, cell)
            })
            .collect();
        let mut value = match shape {
            Shape::Scalar => parts[0],
            _ => cx.graph.stack(&parts, shape),
        };
        if cx.word("extrapolation") == "error" {
            value = refuse_outside(cx, input.value, input.present, cx.value("x").data(), value);
        }
        cx.output("output", Signal { value, present: input.present, impulses: Vec::new() });
        Ok(())
    }
}

impl LookupTable {
    fn pieces(&self, cx: &Context) -> Result<Pieces, Diagnostic> {
        let (x, y) = (cx.value("x"), cx.value("y"));
        breakpoints(&x, "x")?;
        if x.ty().shape != y.ty().shape {
            let message =
                format!("`x` is {} and `y` is {}", x.ty().with_article(), y.ty().with_article());
            return Err(
                Diagnostic::error("size-mismatch", message).help("each breakpoint has one value")
            );
        }
        if y.data().iter().any(|y| !y.is_finite()) {
            return Err(Diagnostic::error("bad-parameter", "the values of `y` must be finite"));
        }
        let interpolation = Interpolation::named(cx.word("interpolation"));
        Ok(interpolation.pieces(x.data(), y.data(), Beyond::named(cx.word("extrapolation"))))
    }
}

/// Refuses breakpoints that are not a vector of at least two finite numbers that increase.
pub(super) fn breakpoints(x: &base::Value, name: &str) -> Result<(), Diagnostic> {
    if !matches!(x.ty().shape, Shape::Vector(n) if n >= 2) {
        let message = format!("`{name}` must be a vector of at least 2 breakpoints");
        return Err(Diagnostic::error("bad-parameter", message));
    }
    increasing(x.data(), name)
}

/// Refuses breakpoints that are not finite or do not increase.
pub(super) fn increasing(x: &[f64], name: &str) -> Result<(), Diagnostic> {
    let wrong = |message: String| Err(Diagnostic::error("bad-parameter", message));
    if x.iter().any(|x| !x.is_finite()) {
        return wrong(format!("the breakpoints of `{name}` must be finite"));
    }
    match x.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => wrong(format!(
            "the breakpoints of `{name}` must increase: {} follows {}",
            pair[1], pair[0]
        )),
        None => Ok(()),
    }
}

/// Makes it an error if a signal leaves the range of the breakpoints. Returns the value of the table
/// as far as it is defined: it is 0 beyond the ends, so that it depends on the sides of the
/// signal and the time at which it leaves is located.
pub(super) fn refuse_outside(
    cx: &mut Context,
    input: NodeId,
    present: NodeId,
    breaks: &[f64],
    value: NodeId,
) -> NodeId {
    let ends =
        [(breaks[0], [true, false, false]), (breaks[breaks.len() - 1], [false, false, true])];
    let mut defined = value;
    for (end, holds) in ends {
        let end = cx.graph.real(end);
        let side = cx.graph.frozen_sign(input, end);
        let beyond = read_side(&mut cx.graph, side, holds);
        let shape = cx.graph.ty(value).shape;
        let beyond = cx.graph.splat(beyond, shape);
        let any = cx.nonzero(beyond);
        let outside = cx.graph.and(any, present);
        cx.refuse_where(outside, "the signal is outside the breakpoints of the table");
        let zero = cx.graph.filled(cx.graph.ty(value), 0.0);
        defined = cx.graph.select(beyond, zero, defined);
    }
    defined
}
