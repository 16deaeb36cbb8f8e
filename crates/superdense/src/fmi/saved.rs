//! States of instances that can be gone back to, in memory or as bytes.

use serde::{Deserialize, Serialize};

use super::exchange::Owner;
use super::instance::{Instance, InstanceError, Phase};
use crate::Run;

/// The state of an instance.
#[derive(Debug)]
pub struct SavedInstance {
    plain: Plain,
    run: Option<Run>,
}

/// What an instance has beside its run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plain {
    phase: Phase,
    values: Vec<f64>,
    changed: Vec<bool>,
    slopes: Vec<Vec<Vec<f64>>>,
    bent: Vec<bool>,
    fed: Vec<bool>,
    event: bool,
    held: Vec<f64>,
    owner: Option<Owner>,
    left_inputs: Vec<Option<Vec<f64>>>,
    start: f64,
    stop: Option<f64>,
    tolerance: Option<f64>,
}

impl Instance {
    fn plain(&self) -> Plain {
        let held = self.held.lock().unwrap_or_else(|own| own.into_inner());
        Plain {
            phase: self.phase,
            values: self.values.clone(),
            changed: self.changed.clone(),
            slopes: self.slopes.clone(),
            bent: self.bent.clone(),
            fed: self.fed.clone(),
            event: self.event,
            held: held.clone(),
            owner: self.owner.clone(),
            left_inputs: self.left_inputs.clone(),
            start: self.start,
            stop: self.stop,
            tolerance: self.tolerance,
        }
    }

    fn take_plain(&mut self, plain: &Plain) {
        let plain = plain.clone();
        (self.owner, self.left_inputs) = (plain.owner, plain.left_inputs);
        self.event = plain.event;
        let Plain {
            phase, values, changed, slopes, bent, fed, held, start, stop, tolerance, ..
        } = plain;
        *self.held.lock().unwrap_or_else(|own| own.into_inner()) = held;
        (self.phase, self.values, self.changed) = (phase, values, changed);
        (self.slopes, self.bent, self.fed) = (slopes, bent, fed);
        (self.start, self.stop, self.tolerance) = (start, stop, tolerance);
        self.fresh = false;
    }

    /// Its state now.
    pub fn save(&self) -> SavedInstance {
        SavedInstance { plain: self.plain(), run: self.run.as_ref().map(Run::fork) }
    }

    /// Goes back to a state, or on to one.
    pub fn restore(&mut self, saved: &SavedInstance) {
        self.take_plain(&saved.plain);
        self.run = saved.run.as_ref().map(Run::fork);
        self.continue_run();
    }

    /// A run that was made anew keeps what the one before has kept.
    fn continue_run(&mut self) {
        if let Some(mut run) = self.run.take() {
            let _ = run.set_backend(crate::Backend::Native);
            self.keep_held(&mut run);
            self.run = Some(run);
        }
    }

    /// The state of bytes that [`SavedInstance::bytes`] has made for the same model.
    pub fn saved_of(&self, bytes: &[u8]) -> Result<SavedInstance, InstanceError> {
        let bad = |why: &str| InstanceError::BadState(why.to_owned());
        let damaged = |_| bad("these bytes are no state of this model and version");
        let (plain, run): (Plain, Option<Vec<u8>>) =
            postcard::from_bytes(bytes).map_err(damaged)?;
        let (length, ports) = (self.interface().len(), self.interface().ports().len());
        let fits = plain.values.len() == length
            && plain.held.len() == length
            && plain.owner.is_some() == self.owner.is_some()
            && [&plain.changed, &plain.bent, &plain.fed].iter().all(|own| own.len() == ports)
            && plain.slopes.len() == ports;
        if !fits {
            return Err(bad("these bytes are a state of another model"));
        }
        let mut other = Instance::of(self.interface(), self.kind);
        other.take_plain(&plain);
        let run = match run {
            None => None,
            Some(bytes) => {
                let resumed = other.settled()?.resume(&bytes);
                Some(resumed.map_err(|error| bad(&error.to_string()))?)
            }
        };
        Ok(SavedInstance { plain, run })
    }
}

impl SavedInstance {
    /// The state as bytes, for this model and version of the program.
    pub fn bytes(&self) -> Vec<u8> {
        let run = self.run.as_ref().map(Run::save);
        postcard::to_allocvec(&(&self.plain, run)).expect("a state is plain data")
    }
}
