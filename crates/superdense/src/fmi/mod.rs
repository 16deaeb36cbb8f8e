//! Models as FMUs: what a compiled model looks like to other tools, and its instances.
//!
//! In comes a [`System`](crate::System); out go the variables by which another tool sees it, an
//! archive with the model and a library that runs it, and instances that such a library drives. The
//! functions of the standard in C are in `apps/fmu`.

mod block;
mod check;
mod exchange;
mod flows;
mod inputs;
mod instance;
mod instances;
mod interface;
mod package;
mod reading;
mod saved;
mod scout;
mod steps;
mod structure;

pub use ::fmi::import::{HOST_COMMAND, HOST_VARIABLE, serve};
pub use ::fmi::{
    Abilities, Archive, ArchiveError, Causality, Contents, Description, Experiment, Initial, Kind,
    Limits, Start, Structure, Unknown, Variability, Variable, VariableType, Version, platform,
};
pub(crate) use block::kind;
pub use check::{CheckError, Checked, Difference, check};
pub use instance::{Instance, InstanceError, Iterated, Stepped};
pub use interface::{Interface, Port, Role};
pub use package::{CATEGORIES, Exported, Loaded, PackageError, export, identifier, load};
pub use saved::SavedInstance;
