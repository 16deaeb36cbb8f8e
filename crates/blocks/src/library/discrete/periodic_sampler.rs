//! The value of a signal at evenly spaced times.

use std::sync::Arc;

use base::Diagnostic;

use super::discrete;
use crate::{Block, Context, Every, Info, Input, Parameter};

/// The value of a signal at evenly spaced times.
#[derive(Debug)]
pub struct PeriodicSampler;

impl Block for PeriodicSampler {
    fn info(&self) -> Info {
        discrete("PeriodicSampler", "Samples a signal at evenly spaced times.")
            .aliases(["Sampler", "ADC", "Analog to Digital Converter"])
            .equations(
                "y(t, 1) = input(t, microstep), at t = offset + k period for k = 0, 1, 2, ...",
            )
            .absence("Present only at its sample times, and absent there if the input is absent when it is read. With `microstep: 0` it breaks a causality loop, so it can reset the integrator that it reads.")
            .impulses("The output carries no impulses. At microstep 0 the input has none; with `microstep: 1`, an impulse at the input at the microstep of a sample is an error.")
            .input(Input::one("input", "The signal."))
            .output("output", "Events at microstep 1 with the sampled values.")
            .parameter(
                Parameter::time("period", "The time between two samples [s]; positive.")
                    .default("1"),
            )
            .parameter(Parameter::time("offset", "The time of the first sample [s].").default("0"))
            .parameter(
                Parameter::real(
                    "microstep",
                    "The microstep at which the input is read: 0 for the left limit, before anything happens at that time; 1 for the value after simultaneous clocks have acted.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: periodic-sampler
blocks:
  x: {type: Integrator, input: time, reset: 0 * s}
  s: {type: PeriodicSampler, input: x, period: 1, offset: 1}
record: [x, s]
simulate: {stop: 4}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let timer = Every { offset: cx.time("offset"), period: cx.period("period")? };
        let input = cx.input("input");
        let (woken, _) = cx.timer(Arc::new(timer));
        let read = match cx.real("microstep") {
            0.0 => cx.left(&input),
            1.0 => {
                cx.refuse_sampling(&input, woken);
                input
            }
            _ => return Err(Diagnostic::error("bad-parameter", "`microstep` must be 0 or 1")),
        };
        let present = cx.graph.and(woken, read.present);
        let signal = cx.event(read.value, present);
        cx.output("output", signal);
        Ok(())
    }
}
