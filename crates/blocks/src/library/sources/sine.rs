//! A sine wave.

use base::Diagnostic;
use ir::Unary;

use crate::{Block, Context, Info, Kind, Output, Parameter};

/// A sine wave.
#[derive(Debug)]
pub struct Sine;

impl Block for Sine {
    fn info(&self) -> Info {
        Info {
            name: "Sine",
            shelf: "Sources",
            summary: "Outputs a sine wave.",
            equations: "y(t) = offset + amplitude * sin(2 pi frequency t + phase)",
            absence: "Always present.",
            impulses: "Carries no impulses.",
            inputs: &[],
            outputs: &[Output { name: "output", about: "The wave." }],
            parameters: &[
                Parameter {
                    name: "amplitude",
                    about: "The amplitude.",
                    kind: Kind::Real,
                    default: Some("1"),
                },
                Parameter {
                    name: "frequency",
                    about: "The frequency [Hz].",
                    kind: Kind::Real,
                    default: Some("1"),
                },
                Parameter {
                    name: "phase",
                    about: "The phase at time 0 [rad].",
                    kind: Kind::Real,
                    default: Some("0"),
                },
                Parameter {
                    name: "offset",
                    about: "The mean value.",
                    kind: Kind::Real,
                    default: Some("0"),
                },
            ],
            example: r#"superdense: 1
name: sine
blocks:
  s: {type: Sine, frequency: 2}
record: [s]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let omega = 2.0 * std::f64::consts::PI * cx.real("frequency");
        cx.limit_step(0.1 / cx.real("frequency").abs());
        let (now, omega) = (cx.now(), cx.graph.real(omega));
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
