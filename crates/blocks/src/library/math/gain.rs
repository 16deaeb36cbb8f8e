//! A signal times a constant.

use std::collections::BTreeMap;

use base::Diagnostic;

use crate::{Accepts, Block, Context, Count, Info, Input, Kind, Output, Parameter, Setting};

/// A signal times a constant.
#[derive(Debug)]
pub struct Gain;

impl Block for Gain {
    fn info(&self) -> Info {
        Info {
            name: "Gain",
            shelf: "Mathematics",
            summary: "Multiplies a signal by a constant.",
            equations: "y = gain * u",
            absence: "Absent when the input is absent.",
            impulses: "Linear: multiplies every coefficient by the gain.",
            inputs: &[Input {
                name: "input",
                about: "The signal.",
                count: Count::One,
                presence: Accepts::Any,
            }],
            outputs: &[Output { name: "output", about: "The product." }],
            parameters: &[Parameter {
                name: "gain",
                about: "The factor; a matrix multiplies a vector.",
                kind: Kind::Value,
                default: Some("1"),
            }],
            example: r#"superdense: 1
name: gain
blocks:
  s: {type: Sine}
  g: {type: Gain, input: s, gain: 3}
record: [g]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.numeric(&input, "input")?;
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
