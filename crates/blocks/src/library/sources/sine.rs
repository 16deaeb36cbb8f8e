//! A sine wave.

use base::Diagnostic;
use ir::Unary;

use super::source;
use crate::{Block, Context, Info, Parameter};

/// A sine wave.
#[derive(Debug)]
pub struct Sine;

impl Block for Sine {
    fn info(&self) -> Info {
        source("Sine", "Outputs a sine wave.")
            .aliases([
                "Sine Wave",
                "ContinuousSinewave",
                "Sinewave",
                "Signal Generator",
                "Sine Wave Function",
                "SineSource",
            ])
            .icon("M1 10C4 0 8 0 11 10S18 20 21 10")
            .equations("y(t) = offset + amplitude * sin(2 pi frequency t + phase)")
            .output("output", "The wave.")
            .parameter(Parameter::real("amplitude", "The amplitude.").default("1"))
            .parameter(Parameter::real("frequency", "The frequency [Hz].").default("1"))
            .parameter(Parameter::real("phase", "The phase at time 0 [rad].").default("0"))
            .parameter(Parameter::real("offset", "The mean value.").default("0"))
            .example(
                r#"superdense: 1
name: sine
blocks:
  s: {type: Sine, frequency: 2}
record: [s]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        cx.limit_step(0.1 / cx.real_at_start("frequency").abs());
        let (turn, frequency) =
            (cx.graph.real(2.0 * std::f64::consts::PI), cx.constant("frequency"));
        let (now, omega) = (cx.now(), cx.graph.mul(turn, frequency));
        let (phase, offset) = (cx.constant("phase"), cx.constant("offset"));
        let amplitude = cx.constant("amplitude");
        let turned = cx.graph.mul(omega, now);
        let angle = cx.graph.add(turned, phase);
        let sine = cx.graph.unary(Unary::Sin, angle);
        let wave = cx.graph.mul(amplitude, sine);
        let value = cx.graph.add(offset, wave);
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}
