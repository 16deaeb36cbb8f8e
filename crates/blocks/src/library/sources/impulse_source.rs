//! Dirac impulses at given times.

use std::sync::Arc;

use base::Diagnostic;

use super::source;
use crate::{Block, Context, Impulses, Info, Instants, Parameter, Signal};

/// Dirac impulses at given times.
#[derive(Debug)]
pub struct ImpulseSource;

impl Block for ImpulseSource {
    fn info(&self) -> Info {
        source("ImpulseSource", "Emits Dirac impulses at given times.")
            .aliases(["Dirac Delta", "Unit Impulse", "Delta Function"])
            .icon("M2 17H20M11 17V4M7.5 7L11 3L14.5 7")
            .equations("y(t) = sum over k of weight_k * delta^(order)(t - times_k)")
            .absence("Always present; the value is 0.")
            .impulses("At microstep 1 of each of its times, the output carries an impulse of the given order, whose coefficient is the weight.")
            .output("output", "0, with the impulses.")
            .parameter(
                Parameter::times("times", "The times of the impulses [s], in increasing order.")
                    .default("[1]"),
            )
            .parameter(
                Parameter::value(
                    "weight",
                    "The weight of every impulse, or a list with one weight for each impulse.",
                )
                .default("1"),
            )
            .parameter(
                Parameter::real(
                    "order",
                    "The order of the derivative of the impulses, an integer from 0 to 8.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: impulse-source
blocks:
  hit: {type: ImpulseSource, times: [1, 2]}
  x: {type: Integrator, input: -x + hit}
record: [hit, x]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let times = cx.instants("times")?;
        let (count, weights) = (times.len(), cx.open_value("weight"));
        let (woken, wakings) = cx.timer(Arc::new(Instants(times)));
        let zero = cx.graph.real(0.0);
        let weight = if weights.ty().is_scalar() {
            cx.graph.value(weights)
        } else if weights.data().len() == count {
            let one = cx.graph.real(1.0);
            let list = cx.graph.value(weights);
            let index = cx.graph.sub(wakings, one);
            cx.graph.index(list, index)
        } else {
            let message = format!("{} weights for {count} times", weights.data().len());
            return Err(Diagnostic::error("size-mismatch", message)
                .help("give one weight, or one for each time"));
        };
        let impulse = cx.graph.select(woken, weight, zero);
        let order = cx.real("order");
        if !(0.0..=8.0).contains(&order) || order.fract() != 0.0 {
            let message = "`order` must be a whole number from 0 to 8";
            return Err(Diagnostic::error("bad-parameter", message));
        }
        if cx.impulses() == Impulses::Numeric {
            let signal = cx.pulse(impulse, order as usize);
            cx.output("output", signal);
            return Ok(());
        }
        let mut impulses = vec![zero; order as usize];
        impulses.push(impulse);
        let present = cx.graph.bool(true);
        cx.output("output", Signal { value: zero, present, impulses });
        Ok(())
    }
}
