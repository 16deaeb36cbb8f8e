//! An event when a signal crosses a level.

use base::Diagnostic;
use ir::{Binary, Unary};

use super::events;
use crate::{Block, Context, Info, Input, Parameter, Role};

/// An event when a signal crosses a level.
#[derive(Debug)]
pub struct LevelCrossing;

impl Block for LevelCrossing {
    fn info(&self) -> Info {
        events("LevelCrossing", "Emits an event when a signal crosses a level.")
            .aliases([
                "LevelCrossingDetector",
                "Hit Crossing",
                "Zero Crossing",
                "ZeroCrossing",
                "Threshold Detector",
                "ThresholdMonitor",
            ])
            .icon("M1 11H21M2 4C9 4 12 16 20 16M11 8V14")
            .equations("y(t, n) = 1, if the side of input - level becomes + (rising)\ny(t, n) = -1, if it becomes - (falling)\nno event, if it becomes 0\nn = 1 for a crossing between events; one microstep after a jump across the level")
            .absence("Present only at the microstep after the side changes. What happens while the input is absent is not seen, also when it is present again.")
            .impulses("Impulses at the inputs are ignored. A jump that an impulse causes, such as a jump of an integrator's output, is detected.")
            .input(Input::one("input", "The signal.").continuous())
            .input(
                Input::optional("level", "The level, if it is not a constant.").continuous(),
            )
            .parameter(Parameter::real("level", "The level, if it is a constant.").default("0"))
            .output("output", "The events: 1 for a rising crossing, -1 for a falling one.")
            .parameter(
                Parameter::word(
                    "direction",
                    "The crossings to detect.",
                    ["both", "rising", "falling"],
                )
                .default("both"),
            )
            .parameter(
                Parameter::real(
                    "tolerance",
                    "With the profile `ptolemy`, how far past the level a step may end; 0 for the tolerance of the run. The native profile locates crossings to the last bits of time.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: level-crossing
blocks:
  s: {type: Sine}
  up: {type: LevelCrossing, input: s, level: 0.5, direction: rising}
  n: {type: Counter, increment: up}
record: [s, n]
simulate: {stop: 3}"#,
            )
    }

    fn role(&self) -> Role {
        Role::LevelCrossing
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.scalar(&input, "input")?;
        cx.numeric(&input, "input")?;
        let level = match cx.optional("level") {
            Some(level) => {
                cx.scalar(&level, "level")?;
                cx.numeric(&level, "level")?;
                level.value
            }
            None => cx.constant("level"),
        };
        let change = cx.graph.crossed(input.value, level);
        let zero = cx.graph.real(0.0);
        let rising = cx.graph.binary(Binary::Less, zero, change);
        let falling = cx.graph.binary(Binary::Less, change, zero);
        let present = match cx.word("direction") {
            "rising" => rising,
            "falling" => falling,
            _ => cx.graph.or(rising, falling),
        };
        // What is absent crosses nothing, whatever its value does.
        let present = cx.graph.and(present, input.present);
        let value = cx.graph.unary(Unary::Sign, change);
        let signal = cx.event(value, present);
        cx.output("output", signal);
        Ok(())
    }
}
