//! A variable-step solver, and the block diagram that it solves, as pure functions on streams.
//!
//! A stream is indexed by the evaluation e = 0, 1, 2, ..., and time itself is one of the streams:
//! it holds while the stages of a step are evaluated, and it recedes when a step is rejected. The
//! solver is that of P. J. Mosterman, J. Zander, G. Hamon and B. Denckla, Towards computational
//! hybrid system semantics for time-based block diagrams (IFAC ADHS 2009), section 4; numbers in
//! brackets are those of its equations. Even evaluations are Euler stages, odd ones trapezoidal.
//!
//! ```text
//! y = solve(u)      the solver: from the rates at all evaluations before e to the state at e
//! u = diagram(y)    the diagram: from the state at e to the rates at e
//! ```
//!
//! [`solve`] takes any stream of rates. [`run`] ties it to a compiled diagram and records every
//! evaluation. Nothing here locates an event, and nothing has a state that is not a stream.
//! [`check`] refuses a diagram with parts that streams cannot express.

mod stream;
mod vector;

mod sums;

mod equations;
mod solve;

mod jumps;
mod refused;

mod clocks;
mod discrete;
mod machines;
mod point;

mod error;
mod run;
mod table;

pub use equations::{Stage, Sums};
pub use error::StreamError;
pub use refused::check;
pub use run::{Options, run};
pub use solve::{Solution, Solver, solve};
pub use stream::Stream;
pub use sums::taken_back;
pub use table::{Evaluations, OWN_COLUMNS};
pub use vector::Vector;
