//! An event where a signal crosses a level.

use base::Diagnostic;
use ir::{Binary, Unary};

use crate::{Block, Context, Info, Input, Parameter, Role};

/// An event where a signal crosses a level.
#[derive(Debug)]
pub struct LevelCrossing;

impl Block for LevelCrossing {
    fn info(&self) -> Info {
        Info::new("LevelCrossing", "Events", "An event where a signal crosses a level.")
            .icon("M1 11H21M2 4C9 4 12 16 20 16M11 8V14")
            .equations("y(t, n) = 1 where the side of input - level becomes + (rising)\ny(t, n) = -1 where it becomes - (falling)\nto become 0 is no event\nn = 1 for a crossing in smooth motion; one microstep after a jump across the level")
            .absence("Present at the microstep after the change only.")
            .impulses(
                "An impulse at the input is ignored; the jump that it causes further on is not.",
            )
            .input(Input::one("input", "The signal.").continuous())
            .output("output", "The events: 1 for rising, -1 for falling.")
            .parameter(Parameter::real("level", "The level.").default("0"))
            .parameter(
                Parameter::word(
                    "direction",
                    "Which crossings count.",
                    ["both", "rising", "falling"],
                )
                .default("both"),
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
