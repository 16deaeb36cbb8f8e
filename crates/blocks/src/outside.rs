//! Signals from outside the model: inputs of the main diagram, and parameters that may change during
//! a run. Whoever holds the run writes their states; in every other respect they are ordinary
//! blocks.

use base::{Diagnostic, Type, Value};

use crate::{Block, Context, Info, Role};

/// How a signal from outside goes on between the times at which it is set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputKind {
    /// As a polynomial in time.
    Continuous,
    /// As it was set.
    Held,
    /// Not at all: it is present only when it is set.
    Event,
}

impl InputKind {
    /// All kinds.
    pub const ALL: [InputKind; 3] = [InputKind::Continuous, InputKind::Held, InputKind::Event];

    /// The word for it in model files.
    pub const fn name(self) -> &'static str {
        match self {
            InputKind::Continuous => "continuous",
            InputKind::Held => "held",
            InputKind::Event => "event",
        }
    }

    /// The kind of a word.
    pub fn named(word: &str) -> Option<InputKind> {
        InputKind::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

/// A signal from outside.
#[derive(Clone, Debug)]
pub struct Outside {
    /// How it goes on between the times at which it is set.
    pub kind: InputKind,
    /// Its value at the start.
    pub initial: Value,
}

impl Outside {
    /// The number of coefficients of a polynomial: those of a cubic.
    pub const COEFFICIENTS: usize = 4;

    /// The states of a continuous signal: the time at which its polynomial begins, then the
    /// coefficients, that of the constant first.
    pub const ORIGIN: usize = 0;

    /// The states of an event: its value, then whether it is present.
    pub const PRESENT: usize = 1;
}

impl Block for Outside {
    fn info(&self) -> Info {
        Info::new("input", "Sources", "A signal from outside the model.")
            .output("output", "The signal.")
    }

    fn role(&self) -> Role {
        Role::Outside
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let signal = match self.kind {
            InputKind::Held => {
                let state = cx.state("value", self.initial.clone());
                cx.always(state)
            }
            InputKind::Event => {
                let state = cx.state("value", self.initial.clone());
                let there = cx.state("presence", Value::bool(false));
                let ticking = cx.ticking();
                let present = cx.graph.and(ticking, there);
                cx.event(state, present)
            }
            InputKind::Continuous => {
                let ty = self.initial.ty();
                let origin = cx.state("origin", Value::real(0.0));
                let zero = Value::new(ty, vec![0.0; ty.len()]);
                let mut coefficients = vec![cx.state("value", self.initial.clone())];
                for name in ["slope", "second coefficient", "third coefficient"] {
                    coefficients.push(cx.state(name, zero.clone()));
                }
                let now = cx.now();
                let since = cx.graph.sub(now, origin);
                let since = cx.graph.splat(since, ty.shape);
                let highest = coefficients[Outside::COEFFICIENTS - 1];
                let lower = coefficients[..Outside::COEFFICIENTS - 1].iter().rev();
                let value = lower.fold(highest, |value, coefficient| {
                    let product = cx.graph.mul(value, since);
                    cx.graph.add(product, *coefficient)
                });
                cx.always(value)
            }
        };
        cx.output("output", signal);
        Ok(())
    }
}

/// The type that a model file names: `real`, `boolean`, with a size such as `real[3]` or
/// `real[2,3]`.
pub fn named_type(text: &str) -> Option<Type> {
    let (name, size) = match text.split_once('[') {
        None => (text, None),
        Some((name, size)) => (name, Some(size.strip_suffix(']')?)),
    };
    let ty = match name.trim() {
        "real" => Type::REAL,
        "boolean" => Type::BOOL,
        _ => return None,
    };
    let Some(size) = size else { return Some(ty) };
    let counts: Option<Vec<u32>> = size.split(',').map(|count| count.trim().parse().ok()).collect();
    let counts = counts.filter(|counts| counts.iter().all(|count| *count > 0))?;
    let shape = match counts[..] {
        [length] => base::Shape::Vector(length),
        [rows, columns] => base::Shape::Matrix(rows, columns),
        _ => return None,
    };
    Some(Type { shape, ..ty })
}
