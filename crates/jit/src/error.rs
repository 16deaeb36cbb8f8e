//! Why there is no native code.

use std::fmt;

/// Why tapes could not be compiled. The interpreter can run them all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeError {
    /// There is no code generator for this kind of processor.
    Unsupported(String),
    /// The code generator has refused what it was given.
    Refused(String),
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
        }
    }
}

impl std::error::Error for NativeError {}

impl NativeError {
    pub(crate) fn refused(why: impl fmt::Display) -> NativeError {
        NativeError::Refused(why.to_string())
    }
}
