//! A signal times a constant.

use std::collections::BTreeMap;

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input, Parameter, Setting};

/// A signal times a constant.
#[derive(Debug)]
pub struct Gain;

impl Block for Gain {
    fn info(&self) -> Info {
        function("Gain", "Multiplies a signal by a constant.")
            .aliases([
                "Scale",
                "Amplifier",
                "Matrix Gain",
                "MatrixGain",
                "Slider Gain",
                "IdealGear",
            ])
            .icon("M5 2V18L19 10Z")
            .equations("y = gain * u")
            .impulses("Linear: multiplies every coefficient by the gain.")
            .input(Input::one("input", "The signal."))
            .output("output", "The product.")
            .parameter(
                Parameter::value("gain", "The factor; a matrix multiplies a vector.").default("1"),
            )
            .example(
                r#"superdense: 1
name: gain
blocks:
  s: {type: Sine}
  g: {type: Gain, input: s, gain: 3}
record: [s, g]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        let gain = cx.constant("gain");
        let gain = cx.always(gain);
        cx.fits(&gain, &input, true)?;
        let signal = cx
            .multiply(&gain, &input)
            .map_err(|why| Diagnostic::error("impulse-undefined", why))?;
        cx.output("output", signal);
        Ok(())
    }

    fn caption(&self, settings: &BTreeMap<String, Setting>) -> Option<String> {
        match settings.get("gain") {
            Some(Setting::Value(gain)) => Some(gain.to_string()),
            _ => None,
        }
    }
}
