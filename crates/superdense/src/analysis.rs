//! Steady states of a model, and linear models near a point of it.
//!
//! A compiled system comes in, with a point that a run has reached or that is to be found; names with
//! numbers and matrices go out. Between events a model is x' = f(x, u), y = g(x, u), and everything
//! here is about f and g at one instant: what is discrete (samplers, holds, relays, the states of
//! machines) is held as it is there, and says so in the result. Derivatives are exact: the tape of f
//! and g is run on values with derivatives (`ir::Gradient`), also through solved loops.

mod delays;
mod error;
mod functions;
mod linearize;
mod names;
mod point;
mod sides;
mod trim;

pub use error::{AnalysisError, Residual};
pub use linearize::{Delays, Linearization, Linearize};
pub use names::{NamedValue, SignalRole};
pub use point::OperatingPoint;
pub use sides::{Side, SwitchAtPoint};
pub use trim::{Trim, Trimmed};
