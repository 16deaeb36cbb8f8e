//! Model Exchange: an instance whose states are in the hands of the importer.

use super::instance::{Instance, InstanceError};
use super::interface::Interface;

impl Interface {
    /// How many continuous states there are in Model Exchange.
    pub fn state_count(&self) -> usize {
        0
    }

    /// How many event indicators there are.
    pub fn indicator_count(&self) -> usize {
        0
    }
}

const OTHER: InstanceError =
    InstanceError::WrongState("the model is exported for Co-Simulation only");

impl Instance {
    /// Goes on between events.
    pub fn enter_continuous(&mut self) -> Result<(), InstanceError> {
        Err(OTHER)
    }

    /// A step of the importer is complete; returns whether an event is to be handled.
    pub fn completed_step(&mut self) -> Result<bool, InstanceError> {
        Err(OTHER)
    }

    /// Sets the time \[s\].
    pub fn set_time(&mut self, _time: f64) -> Result<(), InstanceError> {
        Err(OTHER)
    }

    /// Sets the continuous states.
    pub fn set_states(&mut self, _states: &[f64]) -> Result<(), InstanceError> {
        Err(OTHER)
    }

    /// The continuous states.
    pub fn states(&mut self, _states: &mut [f64]) -> Result<(), InstanceError> {
        Err(OTHER)
    }

    /// Their derivatives.
    pub fn derivatives(&mut self, _rates: &mut [f64]) -> Result<(), InstanceError> {
        Err(OTHER)
    }

    /// The event indicators.
    pub fn indicators(&mut self, _indicators: &mut [f64]) -> Result<(), InstanceError> {
        Err(OTHER)
    }

    /// How unknowns change with knowns.
    pub fn directional(
        &mut self,
        _arrays: (&[u32], &[u32]),
        _seed: &[f64],
        _result: &mut [f64],
    ) -> Result<(), InstanceError> {
        Err(OTHER)
    }
}
