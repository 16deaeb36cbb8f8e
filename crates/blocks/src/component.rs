//! What is outside of a model and has a state of its own in each run, such as an FMU.

use std::fmt;

/// Makes the instances of something that is outside of the model. A block with a component has a
/// state that names the instance of the run that it is in, and hands it to an opaque function with
/// whatever else the result depends on, so that the function is pure although the instance is not.
/// Whoever holds a run writes that state, and ends the instance with the run.
pub trait Component: fmt::Debug + Send + Sync {
    /// The number of a new instance, which is positive. What is costly or can fail waits until the
    /// instance is used.
    fn begin(&self) -> f64;

    /// Forgets an instance.
    fn end(&self, instance: f64);

    /// An instance as bytes, or why it cannot be saved.
    fn save(&self, instance: f64) -> Result<Vec<u8>, String>;

    /// The number of a new instance that goes on from these bytes.
    fn load(&self, bytes: Vec<u8>) -> f64;

    /// The number of a new instance that fails when it is used, for this reason.
    fn refuse(&self, reason: String) -> f64;

    /// Why an instance has failed, if it has.
    fn failure(&self, instance: f64) -> Option<String>;
}
