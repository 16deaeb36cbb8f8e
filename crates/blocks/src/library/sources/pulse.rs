//! A square wave with exact edges.

use std::sync::Arc;

use base::{Diagnostic, ExactTime, Rational, Time};
use ir::{Binary, Unary};

use super::source;
use crate::{Block, Context, Info, Parameter, Timer};

/// Rising edges at even indices, falling edges at odd ones.
#[derive(Debug)]
struct Edges {
    offset: Rational,
    period: Rational,
    width: Rational,
}

impl Timer for Edges {
    fn time(&self, index: u64) -> Option<Time> {
        self.exact(index).map(ExactTime::time)
    }

    fn exact(&self, index: u64) -> Option<ExactTime> {
        let rising = ExactTime::tick(self.offset, self.period, (index / 2).into())?;
        if index.is_multiple_of(2) {
            return Some(rising);
        }
        match base::checked_sum(self.offset, self.width) {
            Some(first) => ExactTime::tick(first, self.period, (index / 2).into()),
            None => Some(rising + ExactTime::from_rational(self.width)?),
        }
    }
}

/// A square wave with exact edges.
#[derive(Debug)]
pub struct Pulse;

impl Block for Pulse {
    fn info(&self) -> Info {
        source("Pulse", "Outputs a square wave with exact edges.")
            .aliases(["Square", "BooleanPulse", "PWM", "Rectangular Wave"])
            .icon("M1 16H5V5H10V16H15V5H20V16")
            .equations("y = high, from (offset + k period, 1) to (offset + k period + width, 1)\ny = low, otherwise")
            .impulses("Carries no impulses; its derivative does.")
            .output("output", "The wave.")
            .parameter(
                Parameter::time("period", "The time from one rising edge to the next [s].")
                    .default("1"),
            )
            .parameter(
                Parameter::time(
                    "width",
                    "The time from a rising edge to the next falling edge [s]; less than the period.",
                )
                .default("0.5"),
            )
            .parameter(
                Parameter::time("offset", "The time of the first rising edge [s].").default("0"),
            )
            .parameter(Parameter::value("low", "The value between pulses.").default("0"))
            .parameter(Parameter::value("high", "The value during a pulse.").default("1"))
            .example(
                r#"superdense: 1
name: pulse
blocks:
  p: {type: Pulse, period: 0.4, width: 0.1}
  x: {type: Integrator, input: p}
record: [p, x]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (period, width) = (cx.period("period")?, cx.period("width")?);
        if width >= period {
            return Err(Diagnostic::error("bad-parameter", "`width` must be less than `period`"));
        }
        let edges = Edges { offset: cx.time("offset"), period, width };
        let (_, wakings) = cx.timer(Arc::new(edges));
        let (low, high) = (cx.constant("low"), cx.constant("high"));
        cx.same_shape(low, high, "low", "high")?;
        // An odd number of edges: the last one was rising.
        let half = cx.graph.real(0.5);
        let halves = cx.graph.mul(wakings, half);
        let pairs = cx.graph.unary(Unary::Floor, halves);
        let odd = cx.graph.binary(Binary::Less, pairs, halves);
        let value = cx.graph.select(odd, high, low);
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}
