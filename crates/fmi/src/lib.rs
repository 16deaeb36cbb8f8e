//! FMUs, the files in which tools exchange models (the Functional Mock-up Interface, 2.0 and 3.0).
//!
//! In come descriptions of models and their files, or archives of other tools; out go archives, or
//! descriptions that have been checked, and instances of the models in them. Nothing here knows what
//! a model of ours is.

mod description;

mod read;
mod write;

mod archive;

pub mod import;

pub use archive::{Archive, ArchiveError, Contents, Limits, platform, write_archive};
pub use description::{
    Abilities, Causality, Description, Experiment, Initial, Kind, Start, Structure, Unknown,
    Variability, Variable, VariableType, Version,
};
pub use read::{DescriptionError, read};
pub use write::write;
