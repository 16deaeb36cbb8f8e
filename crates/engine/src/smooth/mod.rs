//! The smooth phase: each region steps on its own between events.

pub(crate) mod active;
pub(crate) mod flow;
mod guards;
mod limits;
mod located;
mod passed;
pub(crate) mod race;
mod rates;
pub(crate) mod region;
mod restart;
pub(crate) mod rounds;
pub(crate) mod slowest;
mod step;

pub(crate) use slowest::standing;
