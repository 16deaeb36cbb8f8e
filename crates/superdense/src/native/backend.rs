//! Which backend a run uses, and why it may not be native code.

use std::fmt;

/// What evaluates the functions of a model between events. All backends give bit-identical results.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Backend {
    /// The interpreter at first; native code as soon as it pays off.
    #[default]
    Auto,
    /// The interpreter only.
    Interpreter,
    /// Native code from the start.
    Native,
}

impl Backend {
    /// All backends.
    pub const fn all() -> [Backend; 3] {
        [Backend::Auto, Backend::Interpreter, Backend::Native]
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Interpreter => "interpreter",
            Backend::Native => "native",
        }
    }
}

/// What has evaluated the functions of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackendUsed {
    /// The interpreter only.
    Interpreter,
    /// Native code from the start.
    Native,
    /// The interpreter at first, then native code.
    Both,
}

impl fmt::Display for BackendUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BackendUsed::Interpreter => "the interpreter",
            BackendUsed::Native => "native code",
            BackendUsed::Both => "the interpreter, then native code",
        })
    }
}

/// Why there is no native code. The interpreter can run the model all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeError {
    /// This program was built without native code (the feature `native`).
    NotBuilt,
    /// There is no code generator for this kind of processor.
    Unsupported(String),
    /// The code generator has refused its input.
    Refused(String),
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeError::NotBuilt => {
                f.write_str("this program was built without native code (feature `native`)")
            }
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
