//! Why there is no native code.

use std::fmt;

use ir::TapeError;
use solver::TableauError;

/// Why tapes could not be compiled. The interpreter can run them all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeError {
    /// There is no code generator for this kind of processor.
    Unsupported(String),
    /// The code generator has refused its input.
    Refused(String),
    /// A plan breaks an invariant that native code relies on. That is a mistake of the program that
    /// made the plan, never of a model.
    Invalid(PlanError),
}

/// The invariant of a plan that does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// The buffer is longer than native code can address.
    BufferTooLong,
    /// A tape is not well formed over the buffer.
    Tape(TapeError),
    /// An array that replaces a part of the buffer is not in it, or shares slots with another.
    Window,
    /// An instruction writes a slot of an array that is only read.
    Input {
        /// Its index in the tape.
        instruction: usize,
    },
    /// States, rates and time of a step are not in the buffer, or not as many rates as states.
    State,
    /// The tableau of a step is wrong.
    Tableau(TableauError),
    /// A word of units has units that there are not.
    Word {
        /// The index of the word.
        word: usize,
    },
    /// An output of a unit is not in the buffer, or sets the bit of a unit that there is not.
    Output {
        /// The unit.
        unit: usize,
        /// The index of the output among those of the unit.
        output: usize,
    },
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeError::Unsupported(why) => {
                write!(f, "there is no native code for this machine: {why}")
            }
            NativeError::Refused(why) => {
                write!(f, "the model was not compiled to native code: {why}")
            }
            NativeError::Invalid(why) => {
                write!(f, "the model was not compiled to native code: {why}")
            }
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::BufferTooLong => f.write_str("the buffer is too long"),
            PlanError::Tape(why) => why.fmt(f),
            PlanError::Window => f.write_str("an array does not fit in the buffer"),
            PlanError::Input { instruction } => {
                write!(f, "instruction {instruction} writes an input")
            }
            PlanError::State => f.write_str("the states or rates of a step are not in the buffer"),
            PlanError::Tableau(why) => why.fmt(f),
            PlanError::Word { word } => write!(f, "word {word} has units that there are not"),
            PlanError::Output { unit, output } => {
                write!(f, "output {output} of unit {unit} does not fit in the buffer")
            }
        }
    }
}

impl std::error::Error for NativeError {}

impl std::error::Error for PlanError {}

impl From<PlanError> for NativeError {
    fn from(error: PlanError) -> NativeError {
        NativeError::Invalid(error)
    }
}

impl NativeError {
    pub(crate) fn refused(why: impl fmt::Display) -> NativeError {
        NativeError::Refused(why.to_string())
    }
}
