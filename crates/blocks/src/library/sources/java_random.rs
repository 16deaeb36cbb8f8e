//! The random numbers of Java at events, for models of tools in Java.

use std::sync::Arc;

use base::{Diagnostic, Shape, Type, Value};
use ir::{NodeId, Opaque};

use super::source;
use crate::{Block, Context, Info, Input, Parameter};

/// The random numbers of Java at events.
#[derive(Debug)]
pub struct JavaRandom;

/// States of `java.util.Random` are below this.
const STATES: f64 = (1u64 << 48) as f64;
/// States of Colt's `DRand` are below this.
const SMALL_STATES: f64 = (1u64 << 32) as f64;

/// The most numbers that may be left out.
const MOST_SKIPPED: f64 = 10_000.0;

impl Block for JavaRandom {
    fn info(&self) -> Info {
        source("JavaRandom", "Draws the random numbers of Java's generators at each event.")
            .aliases(["java.util.Random"])
            .equations("java: s := (25214903917 s + 11) mod 2^48 for 26 and 27 bits of y = u, uniform in [0, 1)\njava, gaussian: the polar method on pairs of these, as `nextGaussian`\ndrand: s := 663608941 s mod 2^32, y = s / 2^32")
            .absence("Present when the trigger is, or always if it is the next number.")
            .impulses("An impulse at the trigger is an error.")
            .input(Input::one("trigger", "The events at which to draw.").discrete())
            .output("output", "The number.")
            .parameter(Parameter::real("state", "The state of the generator before the first number: for `new Random(seed)` that is (seed xor 25214903917) mod 2^48, for `new DRand(seed)` it is 4 seed + 1."))
            .parameter(
                Parameter::word(
                    "generator",
                    "`java` is `java.util.Random`; `drand` is the `DRand` of the Colt library.",
                    ["java", "drand"],
                )
                .default("java"),
            )
            .parameter(
                Parameter::word("distribution", "Uniform or, from `java`, Gaussian with deviation 1.", ["uniform", "gaussian"])
                    .default("uniform"),
            )
            .parameter(
                Parameter::word(
                    "between",
                    "Whether the output is an event with the number that is drawn, or always the `next` number that an event will draw.",
                    ["absent", "next"],
                )
                .default("absent"),
            )
            .parameter(
                Parameter::real("skip", "How many numbers of the generator are left out first.")
                    .default("0"),
            )
            .example(
                r#"superdense: 1
name: java-random
blocks:
  c: {type: Clock, period: 0.1}
  # new Random(42)
  u: {type: JavaRandom, trigger: c, state: 25214903879}
record: [u]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let trigger = cx.input("trigger");
        cx.events_only(&trigger, "trigger");
        let drawing = Drawing {
            small: cx.word("generator") == "drand",
            gaussian: cx.word("distribution") == "gaussian",
        };
        if drawing.small && drawing.gaussian {
            let message = "`drand` has no Gaussian numbers here";
            return Err(Diagnostic::error("bad-parameter", message));
        }
        let (first, states) = (cx.real("state"), if drawing.small { SMALL_STATES } else { STATES });
        if !(first >= 0.0 && first.fract() == 0.0 && first < states) {
            let message = format!("`state` must be a whole number from 0 to {}", states - 1.0);
            return Err(Diagnostic::error("bad-parameter", message));
        }
        let skip = cx.real("skip");
        if !(0.0..=MOST_SKIPPED).contains(&skip) || skip.fract() != 0.0 {
            let message = format!("`skip` must be a whole number from 0 to {MOST_SKIPPED}");
            return Err(Diagnostic::error("bad-parameter", message));
        }
        let mut begin = [0.0, first, 0.0, 0.0];
        for _ in 0..skip as usize {
            let [_, state, spare, kept] = begin;
            drawing.call(&[&[state], &[spare], &[kept]], &mut begin);
        }
        let state = cx.state("state", Value::real(begin[1]));
        let spare = cx.state("spare", Value::real(begin[2]));
        let kept = cx.state("kept", Value::real(begin[3]));
        let ty = Type { shape: Shape::Vector(4), ..Type::REAL };
        let drawn = cx.graph.call(Arc::new(drawing), &[state, spare, kept], ty);
        let element = |cx: &mut Context, at: usize| cx.graph.extract(drawn, at, Shape::Scalar);
        let value = element(cx, 0);
        for (own, at) in [(state, 1), (spare, 2), (kept, 3)] {
            let new = element(cx, at);
            let next: NodeId = cx.graph.select(trigger.present, new, own);
            cx.next(own, next);
        }
        let signal = match cx.word("between") {
            "next" => cx.always(value),
            _ => cx.event(value, trigger.present),
        };
        cx.output("output", signal);
        Ok(())
    }
}

/// The next number and the state after it, from the state: of the generator, and the second number
/// of a pair with whether there is one.
#[derive(Debug)]
struct Drawing {
    small: bool,
    gaussian: bool,
}

impl Opaque for Drawing {
    fn name(&self) -> &str {
        "java_random"
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        let (mut state, spare, kept) = (args[0][0] as u64, args[1][0], args[2][0] != 0.0);
        let (value, spare, kept) = match () {
            () if self.small => (small(&mut state), 0.0, false),
            () if !self.gaussian => (uniform(&mut state), 0.0, false),
            () if kept => (spare, 0.0, false),
            () => {
                let (first, second) = pair(&mut state);
                (first, second, true)
            }
        };
        result.copy_from_slice(&[value, state as f64, spare, f64::from(u8::from(kept))]);
    }
}

/// Some bits of the next state of `java.util.Random`: a linear congruential generator.
fn bits(state: &mut u64, count: u32) -> u64 {
    *state = state.wrapping_mul(0x5_DEEC_E66D).wrapping_add(11) & ((1 << 48) - 1);
    *state >> (48 - count)
}

/// `nextDouble`.
fn uniform(state: &mut u64) -> f64 {
    let high = bits(state, 26) << 27;
    (high + bits(state, 27)) as f64 * 2f64.powi(-53)
}

/// Two numbers of `nextGaussian`.
fn pair(state: &mut u64) -> (f64, f64) {
    loop {
        let a = 2.0 * uniform(state) - 1.0;
        let b = 2.0 * uniform(state) - 1.0;
        let s = a * a + b * b;
        if s < 1.0 && s != 0.0 {
            let factor = (-2.0 * s.ln() / s).sqrt();
            return (a * factor, b * factor);
        }
    }
}

/// The next number of `DRand`, without zero.
fn small(state: &mut u64) -> f64 {
    loop {
        *state = state.wrapping_mul(0x278D_DE6D) & 0xFFFF_FFFF;
        if *state != 0 {
            return *state as f64 * 2.328_306_436_538_696_3e-10;
        }
        // Zero would repeat itself for ever.
        *state = 1;
    }
}
