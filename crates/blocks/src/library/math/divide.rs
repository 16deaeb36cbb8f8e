//! A quotient of two signals.

use base::Diagnostic;

use crate::{Accepts, Block, Context, Count, Info, Input, Kind, Output, Parameter};

/// A quotient of two signals.
#[derive(Debug)]
pub struct Divide;

impl Block for Divide {
    fn info(&self) -> Info {
        Info {
            name: "Divide",
            shelf: "Mathematics",
            summary: "Divides one signal by another.",
            equations: "y = numerator / denominator",
            absence: "Absent when either input is absent. With `absent: skip`, an absent input counts as 1, and the output is absent only when both inputs are absent.",
            impulses: "An impulse in the numerator is divided by the denominator. The denominator must not jump at that microstep, and it must never carry an impulse.",
            inputs: &[
                Input {
                    name: "numerator",
                    about: "The dividend.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
                Input {
                    name: "denominator",
                    about: "The divisor; zero is an error.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
            ],
            outputs: &[Output { name: "output", about: "The quotient." }],
            parameters: &[Parameter {
                name: "absent",
                about: "The effect of an absent input: `strict` makes the output absent, `skip` ignores the input.",
                kind: Kind::Word(&["strict", "skip"]),
                default: Some("strict"),
            }],
            example: r#"superdense: 1
name: divide
blocks:
  r: {type: Ramp, offset: 1}
  q: {type: Divide, numerator: 1, denominator: r}
record: [q]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (numerator, denominator) = (cx.input("numerator"), cx.input("denominator"));
        cx.numeric(&numerator, "numerator")?;
        cx.numeric(&denominator, "denominator")?;
        cx.fits(&numerator, &denominator, false)?;
        let [numerator, denominator] = match cx.word("absent") {
            "skip" => cx.or_one(&numerator, &denominator, |graph, ty| graph.filled(ty, 1.0)),
            _ => [numerator, denominator],
        };
        let signal = cx
            .divide(&numerator, &denominator)
            .map_err(|why| Diagnostic::error("impulse-undefined", why))?;
        cx.output("output", signal);
        Ok(())
    }
}
