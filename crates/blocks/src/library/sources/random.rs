//! Random numbers at events.

use std::sync::Arc;

use base::{Diagnostic, Shape, Type};
use ir::Opaque;

use super::source;
use crate::{Block, Context, Info, Input, Parameter, Role, Setting};

/// Random numbers at events.
#[derive(Debug)]
pub struct Random;

impl Random {
    /// The setting that has the path of the block, by which its numbers differ from those of
    /// others.
    pub const PATH: &'static str = "path";

    /// The setting for a path.
    pub fn at(path: &str) -> Setting {
        Setting::Word(path.to_owned())
    }
}

/// The most numbers that are drawn at an event.
const MOST: f64 = 10_000.0;

impl Block for Random {
    fn info(&self) -> Info {
        source("Random", "Draws random numbers, uniform between 0 and 1, at each event.")
            .aliases(["rand", "Uniform", "UniformRandom", "Random Number", "Uniform Random Number"])
            .equations("y = u, uniform on the 2^53 multiples of 2^-53 in [0, 1)\nu is a function of the seed of the run, the path of the block and the number of the draw alone")
            .absence("Present when the trigger is.")
            .impulses("An impulse at the trigger is an error.")
            .input(Input::one("trigger", "The events at which to draw.").discrete())
            .output("output", "The number, or a vector of them if `count` is above 1.")
            .parameter(Parameter::real("count", "How many numbers are drawn at an event.").default("1"))
            .example(
                r#"superdense: 1
name: random
blocks:
  c: {type: Clock, period: 0.1}
  u: {type: Random, trigger: c}
record: [u]
simulate: {stop: 2, seed: 1}"#,
            )
    }

    fn role(&self) -> Role {
        Role::Random
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let trigger = cx.input("trigger");
        cx.events_only(&trigger, "trigger");
        let count = cx.real("count");
        if !(count >= 1.0 && count.fract() == 0.0 && count <= MOST) {
            let message = format!("`count` must be a whole number from 1 to {MOST}");
            return Err(Diagnostic::error("bad-parameter", message));
        }
        let (seed, draws) = (cx.seed(), cx.draws());
        let one = cx.graph.real(1.0);
        let more = cx.graph.add(draws, one);
        let next = cx.graph.select(trigger.present, more, draws);
        cx.next(draws, next);
        let ty = match count {
            1.0 => Type::REAL,
            count => Type { shape: Shape::Vector(count as u32), ..Type::REAL },
        };
        let drawing = Drawing { path: cx.word(Random::PATH).to_owned() };
        let value = cx.graph.call(Arc::new(drawing), &[seed, draws], ty);
        let signal = cx.event(value, trigger.present);
        cx.output("output", signal);
        Ok(())
    }
}

/// Numbers as a function of the seed, in two halves, and of the draw.
#[derive(Debug)]
struct Drawing {
    path: String,
}

impl Opaque for Drawing {
    fn name(&self) -> &str {
        "random"
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        let seed = ((args[0][0] as u64) << 32) | args[0][1] as u64;
        let first = args[1][0] as u64 * result.len() as u64;
        for (index, number) in (first..).zip(result) {
            // 53 bits are what a float in [0, 1) holds evenly.
            *number = (base::random(seed, &self.path, index) >> 11) as f64 * 2f64.powi(-53);
        }
    }
}
