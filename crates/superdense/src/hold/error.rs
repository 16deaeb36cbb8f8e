//! Why a signal could not be read, or an input or a parameter set.

use std::fmt;

use base::{Time, Type};
use diagram::ParameterKind;
use engine::RunError;

/// Why something could not be read or set; the run is as it was before.
#[derive(Clone, PartialEq, Debug)]
pub enum HoldError {
    /// There is no input, parameter or recorded signal with this name.
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// A similar name, or all names.
        help: String,
    },
    /// A handle belongs to another system.
    OtherSystem {
        /// The name of the handle.
        name: String,
    },
    /// A value has the wrong type or size.
    WrongType {
        /// The name of the input or parameter.
        name: String,
        /// Its type.
        expected: Type,
        /// What was given.
        given: String,
    },
    /// A number is not finite.
    NotFinite {
        /// The name of the input or parameter.
        name: String,
    },
    /// The time is before the time that the run has reached.
    Past {
        /// The time \[s\].
        time: Time,
        /// The time that the run has reached \[s\].
        now: Time,
    },
    /// The parameter cannot change during a run.
    NotTunable {
        /// The parameter.
        name: String,
        /// Whether a run could start with another value without compiling.
        kind: ParameterKind,
    },
    /// The value of a parameter asks for another program, or is none that a run can have.
    OtherProgram {
        /// The parameter.
        name: String,
    },
    /// A run by fixed steps has no signals from outside.
    FixedSteps,
    /// The values could not be computed.
    Run(RunError),
}

impl fmt::Display for HoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HoldError::Unknown { what, name, help } => {
                write!(f, "the model has no {what} `{name}`; {help}")
            }
            HoldError::OtherSystem { name } => {
                write!(
                    f,
                    "the handle of `{name}` belongs to another system: look it up in this one"
                )
            }
            HoldError::WrongType { name, expected, given } => {
                write!(f, "`{name}` is {}, and {given} was given", expected.with_article())
            }
            HoldError::NotFinite { name } => write!(f, "a value of `{name}` is not finite"),
            HoldError::Past { time, now } => {
                write!(f, "{time} s is in the past: the run has reached {now} s")
            }
            HoldError::NotTunable { name, kind } => {
                let why = match kind {
                    ParameterKind::Structural(_) => "decides the structure of the program",
                    _ => "is fixed during a run",
                };
                write!(
                    f,
                    "`{name}` {why}; start another run with it, or declare it `tunable: true`"
                )
            }
            HoldError::OtherProgram { name } => write!(
                f,
                "this run cannot be given this value of `{name}`, which may need another program; \
                 start another run with it"
            ),
            HoldError::FixedSteps => {
                write!(f, "a fixed-step run has no inputs; use `impulses: symbolic`")
            }
            HoldError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HoldError {}
