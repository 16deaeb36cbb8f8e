//! A value that increases linearly from a given time on.

use std::sync::Arc;

use base::Diagnostic;
use ir::Binary;

use super::source;
use crate::{Block, Context, Info, Instants, Parameter};

/// A value that increases linearly from a given time on.
#[derive(Debug)]
pub struct Ramp;

impl Block for Ramp {
    fn info(&self) -> Info {
        source("Ramp", "Outputs a ramp that starts at a given time.")
            .aliases(["Ramp Source", "Linear Source"])
            .icon("M2 17H8L20 3")
            .equations(
                "y(t) = offset, for t < start\ny(t) = offset + slope * (t - start), for t >= start",
            )
            .output("output", "The ramp.")
            .parameter(Parameter::real("slope", "The increase per second.").default("1"))
            .parameter(
                Parameter::time("start", "The time at which the ramp starts [s].").default("0"),
            )
            .parameter(Parameter::real("offset", "The value before the ramp starts.").default("0"))
            .example(
                r#"superdense: 1
name: ramp
blocks:
  r: {type: Ramp, slope: 2, start: 0.5}
record: [r]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let at = cx.instant("start")?;
        let (_, wakings) = cx.timer(Arc::new(Instants(vec![at])));
        let (now, start) = (cx.now(), cx.graph.real(at.seconds()));
        let (slope, offset) = (cx.constant("slope"), cx.constant("offset"));
        let zero = cx.graph.real(0.0);
        let passed = cx.graph.binary(Binary::Less, zero, wakings);
        let elapsed = cx.graph.sub(now, start);
        let growth = cx.graph.mul(slope, elapsed);
        let grown = cx.graph.add(offset, growth);
        let value = cx.graph.select(passed, grown, offset);
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}
