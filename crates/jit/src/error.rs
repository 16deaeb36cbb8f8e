//! Why there is no native code.

use std::fmt;

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
    /// An instruction reads or writes a slot that is not in the buffer.
    SlotOutside {
        /// Its index in the tape.
        instruction: usize,
    },
    /// An operation on single numbers is asked for more of them, or a choice has no arms.
    Length {
        /// The index of the instruction in the tape.
        instruction: usize,
    },
    /// An instruction refers to an extra that the tape does not have, or to one of another kind.
    Extra {
        /// Its index in the tape.
        instruction: usize,
    },
    /// A loop computes with a value that is not known yet, or stores one that there is not.
    LoopValue {
        /// The index of the instruction in the tape.
        instruction: usize,
    },
    /// A condition covers more instructions than follow it, or another condition.
    Condition {
        /// Its index in the tape.
        instruction: usize,
    },
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
            PlanError::SlotOutside { instruction } => {
                write!(f, "instruction {instruction} uses a slot outside the buffer")
            }
            PlanError::Length { instruction } => {
                write!(f, "instruction {instruction} has a wrong number of elements")
            }
            PlanError::Extra { instruction } => {
                write!(f, "instruction {instruction} has no extra of its kind")
            }
            PlanError::LoopValue { instruction } => {
                write!(f, "the loop of instruction {instruction} uses a value that is not known")
            }
            PlanError::Condition { instruction } => {
                write!(f, "the condition of instruction {instruction} covers too much")
            }
            PlanError::Window => f.write_str("an array does not fit in the buffer"),
            PlanError::Input { instruction } => {
                write!(f, "instruction {instruction} writes an input")
            }
            PlanError::State => f.write_str("the states or rates of a step are not in the buffer"),
            PlanError::Tableau(why) => why.fmt(f),
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
