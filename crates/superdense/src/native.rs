//! Native code for runs, if this program was built with it.

mod backend;
#[cfg(feature = "native")]
mod compiled;
#[cfg(not(feature = "native"))]
#[path = "native/without.rs"]
mod compiled;
#[cfg(feature = "native")]
mod words;

pub use backend::{Backend, BackendUsed, NativeError};
pub(crate) use compiled::{Native, NativeSwitch};
