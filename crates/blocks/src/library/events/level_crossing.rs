//! An event where a signal crosses a level.

use base::Diagnostic;
use ir::{Binary, Unary};

use crate::{Accepts, Block, Context, Count, Info, Input, Kind, Output, Parameter};

/// An event where a signal crosses a level.
#[derive(Debug)]
pub struct LevelCrossing;

impl Block for LevelCrossing {
    fn info(&self) -> Info {
        Info {
            name: "LevelCrossing",
            shelf: "Events",
            summary: "Emits an event when a signal crosses a level.",
            equations: "y(t, n) = 1, if the side of input - level becomes + (rising)\ny(t, n) = -1, if it becomes - (falling)\nno event, if it becomes 0\nn = 1 for a crossing between events; one microstep after a jump across the level",
            absence: "Present only at the microstep after the side changes.",
            impulses: "An impulse at the input is ignored. A jump that an impulse causes, such as a jump of an integrator's output, is detected.",
            inputs: &[Input {
                name: "input",
                about: "The signal.",
                count: Count::One,
                presence: Accepts::Continuous,
            }],
            outputs: &[Output {
                name: "output",
                about: "The events: 1 for a rising crossing, -1 for a falling one.",
            }],
            parameters: &[
                Parameter {
                    name: "level",
                    about: "The level.",
                    kind: Kind::Real,
                    default: Some("0"),
                },
                Parameter {
                    name: "direction",
                    about: "The crossings to detect.",
                    kind: Kind::Word(&["both", "rising", "falling"]),
                    default: Some("both"),
                },
            ],
            example: r#"superdense: 1
name: level-crossing
blocks:
  s: {type: Sine}
  up: {type: LevelCrossing, input: s, level: 0.5, direction: rising}
  n: {type: Counter, increment: up}
record: [s, n]
simulate: {stop: 3}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.scalar(&input, "input")?;
        cx.numeric(&input, "input")?;
        let level = cx.constant("level");
        let change = cx.graph.crossed(input.value, level);
        let zero = cx.graph.real(0.0);
        let rising = cx.graph.binary(Binary::Less, zero, change);
        let falling = cx.graph.binary(Binary::Less, change, zero);
        let present = match cx.word("direction") {
            "rising" => rising,
            "falling" => falling,
            _ => cx.graph.or(rising, falling),
        };
        let value = cx.graph.unary(Unary::Sign, change);
        let signal = cx.event(value, present);
        cx.output("output", signal);
        Ok(())
    }
}
