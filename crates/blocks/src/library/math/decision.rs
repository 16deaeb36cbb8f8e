//! One of two signals, chosen by a third.

use base::Diagnostic;

use crate::{Accepts, Block, Context, Count, Info, Input, Kind, Output, Parameter};

/// One of two signals, chosen by a third.
#[derive(Debug)]
pub struct Decision;

impl Block for Decision {
    fn info(&self) -> Info {
        Info {
            name: "Decision",
            shelf: "Mathematics",
            summary: "One of two signals, chosen by a third.",
            equations: "y = above, where input >= threshold\ny = below, otherwise",
            absence: "Absent where the input is, or the signal that is chosen.",
            impulses: "Impulses of the chosen signal pass. An impulse at `input` is an error, and so is one at `above` or `below` at the microstep at which the choice changes.",
            inputs: &[
                Input {
                    name: "input",
                    about: "The signal that chooses.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
                Input {
                    name: "above",
                    about: "Chosen at and above the threshold.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
                Input {
                    name: "below",
                    about: "Chosen below it.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
            ],
            outputs: &[Output { name: "output", about: "The chosen signal." }],
            parameters: &[Parameter {
                name: "threshold",
                about: "The value from which on `above` is chosen.",
                kind: Kind::Real,
                default: Some("0"),
            }],
            example: r#"superdense: 1
name: decision
blocks:
  s: {type: Sine}
  r: {type: Ramp}
  d: {type: Decision, input: s, above: r, below: -r}
record: [d]
simulate: {stop: 2}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (input, above, below) = (cx.input("input"), cx.input("above"), cx.input("below"));
        cx.scalar(&input, "input")?;
        cx.numeric(&input, "input")?;
        cx.fits(&above, &below, false)?;
        let threshold = cx.constant("threshold");
        let threshold = cx.always(threshold);
        let chosen = cx.compare(&input, &threshold, [false, true, true]);
        let signal = cx.choose(&chosen, &above, &below);
        cx.output("output", signal);
        Ok(())
    }
}
