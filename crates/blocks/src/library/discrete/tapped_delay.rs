//! The latest samples of a signal.

use base::{Diagnostic, Shape, Type, Value};
use ir::NodeId;

use super::discrete;
use crate::{Block, Context, Info, Input, Parameter};

/// The maximum number of elements of a window: it is copied at every event.
const LARGEST: f64 = 1e6;

/// The latest samples of a signal.
#[derive(Debug)]
pub struct TappedDelay;

impl Block for TappedDelay {
    fn info(&self) -> Info {
        discrete("TappedDelay", "Outputs the latest samples of a signal as a vector.")
            .aliases([
                "Tapped Delay",
                "Tapped Delay Line",
                "Delay Line",
                "Sliding Window",
                "Variable Integer Delay",
            ])
            .equations("output[k] = (input[k], input[k - 1], ..., input[k - samples + 1]), or the same from the oldest to the newest\nleaving[k] = input[k - samples]\nSamples before the first event have the values of `initial`.")
            .absence("`output` is present when the input is. `leaving` is always present; between events it is the sample that the next event pushes out, so it does not depend on the input at the same microstep.")
            .input(
                Input::one(
                    "input",
                    "The samples: events whose values are numbers, booleans or vectors.",
                )
                .discrete(),
            )
            .output("output", "The latest samples: a vector, or a matrix with one column per sample if the input is a vector.")
            .output("leaving", "The sample that leaves the window.")
            .parameter(Parameter::real(
                "samples",
                "The number of samples; an integer of at least 1.",
            ))
            .parameter(
                Parameter::value(
                    "initial",
                    "The samples before the first event: a single value for all of them, or all of them in the given order.",
                )
                .default("0"),
            )
            .parameter(
                Parameter::word(
                    "order",
                    "Which sample is the first element of `output` and of `initial`.",
                    ["newest", "oldest"],
                )
                .default("newest"),
            )
            .example(
                r#"superdense: 1
name: tapped-delay
blocks:
  clock: {type: Clock, period: 0.5}
  count: {type: Counter, increment: clock}
  window: {type: TappedDelay, input: count, samples: 3}
record: [window, window.leaving]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.events_only(&input, "input");
        let ty = cx.graph.ty(input.value);
        let samples = samples(cx, ty)?;
        let window = window(ty, samples)?;
        let initial = cx.initial("initial", window)?;
        let newest_first = cx.word("order") == "newest";
        let (moved, leaving, state) = shifted(cx, input.value, (initial, samples), newest_first);
        let next = cx.graph.select(input.present, moved, state);
        cx.next(state, next);
        let output = cx.event(moved, input.present);
        cx.output("output", output);
        let leaving = cx.always(leaving);
        cx.output("leaving", leaving);
        Ok(())
    }
}

/// The number of samples, checked.
fn samples(cx: &Context, ty: Type) -> Result<usize, Diagnostic> {
    let samples = cx.real("samples");
    if !(samples >= 1.0 && samples.fract() == 0.0) {
        let message = "`samples` must be a whole number from 1 on";
        return Err(Diagnostic::error("bad-parameter", message));
    }
    let elements = samples * ty.len() as f64;
    if elements > LARGEST {
        let message = format!("a window of {elements} numbers is too large");
        return Err(Diagnostic::error("bad-parameter", message)
            .note(format!("a window holds at most {LARGEST} numbers")));
    }
    Ok(samples as usize)
}

/// The type of the window.
fn window(ty: Type, samples: usize) -> Result<Type, Diagnostic> {
    let shape = match ty.shape {
        Shape::Scalar => Shape::Vector(samples as u32),
        Shape::Vector(width) => Shape::Matrix(width, samples as u32),
        Shape::Matrix(..) => {
            let message = format!("`input` is {}", ty.with_article());
            return Err(Diagnostic::error("size-mismatch", message)
                .help("take its rows one by one, or use a vector"));
        }
    };
    Ok(Type { elem: ty.elem, shape })
}

/// The window with one more sample, the sample that leaves it, and the window before. Each element of
/// the input has a row of its own, in which the samples move by one place.
fn shifted(
    cx: &mut Context,
    input: NodeId,
    (initial, samples): (Value, usize),
    newest_first: bool,
) -> (NodeId, NodeId, NodeId) {
    let (own, whole) = (cx.graph.ty(input), initial.ty());
    let state = cx.state("window", initial);
    let (oldest, kept) = if newest_first { (samples - 1, 0) } else { (0, 1) };
    let (mut moved, mut leaving) = (Vec::new(), Vec::new());
    for element in 0..own.len() {
        let row = element * samples;
        leaving.push(cx.graph.extract(state, row + oldest, Shape::Scalar));
        let newest = cx.graph.extract(input, element, Shape::Scalar);
        let mut parts = vec![newest];
        if samples > 1 {
            let rest = Shape::Vector(samples as u32 - 1);
            let rest = cx.graph.extract(state, row + kept, rest);
            parts.insert(usize::from(newest_first), rest);
        }
        moved.extend(parts);
    }
    let leaving = cx.graph.stack(&leaving, own.shape);
    (cx.graph.stack(&moved, whole.shape), leaving, state)
}
