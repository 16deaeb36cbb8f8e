//! Saved runs: a snapshot with the identity of the model that it belongs to.

use std::fmt;
use std::hash::{Hash, Hasher};

use base::{Rational, Time};
use engine::{FixedStepSimulation, FixedStepSnapshot, Options, Simulation, Snapshot};
use serde::{Deserialize, Serialize};
use trace::Trace;

use crate::foreign::SavedInstances;
use crate::pipeline::Code;
use crate::recorder::Started;
use crate::run::Executor;
use crate::{Run, System};

/// Why a saved run cannot be resumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestoreError {
    /// The bytes are not a saved run of this version.
    Damaged,
    /// The run belongs to another model, or to other parameters or settings.
    OtherModel,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RestoreError::Damaged => "these bytes are not a saved run of this version",
            RestoreError::OtherModel => {
                "this run was saved from another model, or with other parameters or settings"
            }
        })
    }
}

impl std::error::Error for RestoreError {}

const VERSION: u32 = 12;

/// A snapshot, and what a continued run takes along besides.
pub(crate) fn save(
    identity: u64,
    snapshot: &impl Serialize,
    started: &Started,
    instances: &SavedInstances,
) -> Vec<u8> {
    let body =
        postcard::to_allocvec(&(snapshot, started, instances)).expect("a snapshot is plain data");
    let head = Head { version: VERSION, identity, length: body.len() as u64, sum: sum(&body) };
    let mut bytes = postcard::to_allocvec(&head).expect("a head is plain data");
    bytes.extend(body);
    bytes
}

/// The header before the snapshot, by which truncated or modified bytes are recognised.
#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    identity: u64,
    length: u64,
    sum: u64,
}

pub(crate) fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = Fnv(OFFSET);
    hasher.write(bytes);
    hasher.finish()
}

/// A result as bytes, exact and for this version alone, to hand it to another process; files for
/// others are written by [`trace::write`].
pub fn packed(trace: &Trace) -> Vec<u8> {
    save(0, trace, &Default::default(), &Vec::new())
}

/// The result that [`packed`] made bytes of.
pub fn unpacked(bytes: &[u8]) -> Result<Trace, RestoreError> {
    let (_, body) = opened(bytes)?;
    let (trace, ..): (Trace, Started, SavedInstances) =
        postcard::from_bytes(body).map_err(|_| RestoreError::Damaged)?;
    Ok(trace)
}

/// The head and the content of saved bytes.
fn opened(bytes: &[u8]) -> Result<(Head, &[u8]), RestoreError> {
    let (head, body): (Head, &[u8]) =
        postcard::take_from_bytes(bytes).map_err(|_| RestoreError::Damaged)?;
    let whole = head.length == body.len() as u64 && head.sum == sum(body);
    if head.version != VERSION || !whole {
        return Err(RestoreError::Damaged);
    }
    Ok((head, body))
}

impl System {
    /// Continues a saved run of this same model with the same parameters and settings.
    pub fn resume(&self, bytes: &[u8]) -> Result<Run, RestoreError> {
        let (head, body) = opened(bytes)?;
        if head.identity != self.identity() {
            return Err(RestoreError::OtherModel);
        }
        let options = (*self.options).clone();
        let damaged = |_| RestoreError::Damaged;
        let (executor, started, instances) = match &self.code {
            Code::Exact(program) => {
                let (snapshot, started, instances): (Snapshot, Started, SavedInstances) =
                    postcard::from_bytes(body).map_err(damaged)?;
                let run = Simulation::resume(program.clone(), options, snapshot);
                (Executor::Exact(Box::new(run)), started, instances)
            }
            Code::FixedStep(program) => {
                let (snapshot, started, instances): (FixedStepSnapshot, Started, SavedInstances) =
                    postcard::from_bytes(body).map_err(damaged)?;
                let run = FixedStepSimulation::resume(program.clone(), options, snapshot);
                (Executor::FixedStep(Box::new(run)), started, instances)
            }
        };
        let mut run = Run::with(self, executor, Some(started));
        run.go_on_with(instances);
        Ok(run)
    }
}

/// A hash that differs between models, parameters and settings, except by chance.
pub(crate) fn identity(system: &System) -> u64 {
    let texts = || {
        let mut hasher = Fnv(OFFSET);
        system.origin.model.sources.files().for_each(|(_, text)| text.hash(&mut hasher));
        hasher.finish()
    };
    let mut hasher = Fnv(*system.origin.texts.get_or_init(texts));
    for (parameter, value) in system.diagram.parameters.main().iter().zip(system.parameters.iter())
    {
        format!("{} {:?} {:?}", parameter.name, value.data(), value.exact()).hash(&mut hasher);
    }
    // A run may be continued with a later stop, which must not change its steps.
    let mut options = Options { stop: Time::ZERO, ..(*system.options).clone() };
    if !options.solver.method.is_fixed() {
        options.solver.step = 0.0;
    }
    if !options.impulses.steps() {
        options.grid = Rational::from_integer(0);
    }
    format!("{options:?}").hash(&mut hasher);
    hasher.finish()
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a. Unlike the standard hasher, it is the same on every machine and in every version.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
