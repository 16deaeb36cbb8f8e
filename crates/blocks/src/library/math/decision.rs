//! One of two signals, chosen by a third.

use base::Diagnostic;

use crate::{Block, Context, Info, Input, Parameter};

/// One of two signals, chosen by a third.
#[derive(Debug)]
pub struct Decision;

impl Block for Decision {
    fn info(&self) -> Info {
        Info::new("Decision", "Mathematics", "One of two signals, chosen by a third.")
            .equations("y = above, where input >= threshold\ny = below, otherwise")
            .absence("Absent where the input is, or the signal that is chosen.")
            .impulses("Impulses of the chosen signal pass. An impulse at `input` is an error, and so is one at `above` or `below` at the microstep at which the choice changes.")
            .input(Input::one("input", "The signal that chooses."))
            .input(Input::one("above", "Chosen at and above the threshold."))
            .input(Input::one("below", "Chosen below it."))
            .output("output", "The chosen signal.")
            .parameter(
                Parameter::real("threshold", "The value from which on `above` is chosen.")
                    .default("0"),
            )
            .example(
                r#"superdense: 1
name: decision
blocks:
  s: {type: Sine}
  r: {type: Ramp}
  d: {type: Decision, input: s, above: r, below: -r}
record: [d]
simulate: {stop: 2}"#,
            )
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
