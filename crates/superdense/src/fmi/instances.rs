//! The instances of an FMU in the runs of a model.
//!
//! A run names its instance by a number in its buffer. The functions through which blocks use
//! instances are pure as far as the engine is concerned: an instance remembers its last change, and
//! refuses a call that would have to go back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::fmi::import::{Ahead, FmuError, Guest, Look, Place, Port, Reply, Request, Setup, Start};
use ::fmi::{Archive, Description, Kind, Limits};
use blocks::Component;
use serde::{Deserialize, Serialize};

/// A file, unpacked when its first instance is made. The folder is removed with the last one who
/// knows it.
#[derive(Debug)]
pub(super) struct Package {
    path: PathBuf,
    limits: Limits,
    description: Description,
    archive: Mutex<Option<Arc<Archive>>>,
}

impl Package {
    pub fn new(path: PathBuf, limits: Limits, description: Description) -> Package {
        Package { path, limits, description, archive: Mutex::default() }
    }

    fn archive(&self) -> Result<Arc<Archive>, String> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*archive {
            return Ok(known.clone());
        }
        let new = Archive::unpack(&self.path, &self.limits);
        let new = Arc::new(new.map_err(|error| error.to_string())?);
        *archive = Some(new.clone());
        Ok(new)
    }
}

/// All instances of a file.
#[derive(Debug)]
pub(super) struct Instances {
    package: Package,
    next: AtomicU64,
    slots: Mutex<HashMap<u64, Arc<Mutex<Slot>>>>,
}

/// An instance: what it has done, and what does it.
#[derive(Default, Debug)]
pub(super) struct Slot {
    pub guest: Option<Guest>,
    pub done: Done,
    /// Why it is of no use any more.
    failed: Option<String>,
    /// The state that it goes on from, before it is used for the first time.
    pub saved: Option<Vec<u8>>,
    /// For each look, the arguments that it was computed from last, and its values.
    pub looks: Vec<Option<Answered>>,
    /// The values of looks before the last event iteration.
    pub before: Vec<Option<Answered>>,
}

/// Arguments and the result.
pub(super) type Answered = (Vec<f64>, Vec<f64>);

/// What an instance has done.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Done {
    /// How many communication points there were; in Model Exchange, one more than event iterations.
    pub points: u64,
    /// How it began.
    pub start: Option<Start>,
    /// Its inputs during initialisation.
    pub inputs: Vec<f64>,
    /// The length of the first step, which later ones have up to rounding \[s\].
    pub length: Option<f64>,
    /// The last call that has changed it.
    pub last: Option<Answered>,
}

/// An instance as it is saved: what it has done, and the bytes of the library, once it has taken a
/// step.
type SavedSlot = (Done, Option<Vec<u8>>);

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instances {
    /// The description of the file.
    pub fn description(&self) -> &Description {
        &self.package.description
    }

    pub fn new(package: Package) -> Instances {
        Instances { package, next: AtomicU64::new(1), slots: Mutex::default() }
    }

    fn add(&self, slot: Slot) -> f64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        locked(&self.slots).insert(number, Arc::new(Mutex::new(slot)));
        number as f64
    }

    pub fn slot(&self, instance: f64) -> Option<Arc<Mutex<Slot>>> {
        locked(&self.slots).get(&(instance as u64)).cloned()
    }
}

impl Component for Instances {
    fn begin(&self) -> f64 {
        self.add(Slot::default())
    }

    fn end(&self, instance: f64) {
        let slot = locked(&self.slots).remove(&(instance as u64));
        // Its process is waited for, which must not hold up other runs.
        drop(slot);
    }

    fn save(&self, instance: f64) -> Result<Vec<u8>, String> {
        let Some(slot) = self.slot(instance) else { return Err(NO_RUN.to_owned()) };
        let mut slot = locked(&slot);
        let Slot { guest, done, failed, saved, .. } = &mut *slot;
        if let Some(saved) = saved {
            return Ok(saved.clone());
        }
        if let Some(failed) = failed {
            return Err(failed.clone());
        }
        let bytes = match guest {
            Some(guest) if done.points > 1 => Some(state_of(guest).map_err(|e| self.because(&e))?),
            _ => None,
        };
        let saved: SavedSlot = (done.clone(), bytes);
        Ok(postcard::to_allocvec(&saved).expect("what an instance has done is plain data"))
    }

    fn load(&self, bytes: Vec<u8>) -> f64 {
        self.add(Slot { saved: Some(bytes), ..Slot::default() })
    }

    fn refuse(&self, reason: String) -> f64 {
        self.add(Slot { failed: Some(reason), ..Slot::default() })
    }

    fn failure(&self, instance: f64) -> Option<String> {
        locked(&*self.slot(instance)?).failed.clone()
    }
}

const NO_RUN: &str = "an FMU is used outside of a run";

fn state_of(guest: &mut Guest) -> Result<Vec<u8>, FmuError> {
    match guest.ask(&Request::Save)? {
        Reply::Bytes(bytes) => Ok(bytes),
        _ => Err(FmuError::OutOfOrder),
    }
}

impl Instances {
    /// An error with the name of the file.
    fn because(&self, error: &impl std::fmt::Display) -> String {
        format!("the FMU `{}` failed: {error}", self.package.path.display())
    }
}

/// How a block uses instances of a file.
#[derive(Debug)]
pub(super) struct Usage {
    pub instances: Arc<Instances>,
    pub kind: Kind,
    pub place: Place,
    /// The inputs that are connected.
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    /// The parameters that are given.
    pub given: Vec<Port>,
    pub name: String,
    /// The number of continuous states (Model Exchange).
    pub states: usize,
    /// The number of event indicators (Model Exchange).
    pub indicators: usize,
    /// What is computed at points (Model Exchange).
    pub looks: Vec<Look>,
    /// The references of states and rates for directional derivatives (Model Exchange).
    pub directional: Option<(Vec<u32>, Vec<u32>)>,
    /// Whether it must be notified of steps that are not taken back (Model Exchange).
    pub completes: bool,
    /// How it goes ahead of the run, if it does (Co-Simulation).
    pub ahead: Option<Ahead>,
}

impl Usage {
    /// Uses an instance, unless it has failed; an error makes it fail. Returns whether there is one
    /// and it is well.
    pub fn with(&self, instance: f64, ask: impl FnOnce(&mut Slot) -> Result<(), Why>) -> bool {
        let Some(slot) = self.instances.slot(instance) else { return false };
        let slot = &mut *locked(&slot);
        if slot.failed.is_none()
            && let Err(error) = ask(slot)
        {
            // An instance that has failed is of no use, and neither is its process.
            (slot.guest, slot.failed) = (None, Some(self.instances.because(&error)));
        }
        slot.failed.is_none()
    }

    /// Fills the result of a function of the model with the answer of an instance: zeros and the flag
    /// `failed` if it has none.
    pub fn fill(
        &self,
        instance: f64,
        (result, failed): (&mut [f64], usize),
        answer: impl FnOnce(&mut Slot, &mut [f64]) -> Result<(), Why>,
    ) {
        result.fill(0.0);
        if !self.with(instance, |slot| answer(slot, result)) {
            result.fill(0.0);
            result[failed] = 1.0;
        }
    }

    /// Begins a run of an instance with values of the given parameters.
    pub fn begin(
        &self,
        slot: &mut Slot,
        time: f64,
        given: &[&[f64]],
        inputs: Vec<f64>,
    ) -> Result<Reply, Why> {
        let values = self.given.iter().cloned().zip(given.iter().map(|own| own.to_vec()));
        let start = Start { time, tolerance: None, values: values.collect() };
        slot.looks.clear();
        slot.done = Done { start: Some(start.clone()), inputs: inputs.clone(), ..Done::default() };
        slot.done.points = 1;
        let guest = match &mut slot.guest {
            Some(guest) => guest,
            None => slot.guest.insert(self.open()?),
        };
        Ok(guest.ask(&Request::Begin(start, inputs))?)
    }

    /// Takes what an instance goes on from, before it is used for the first time; the bytes of the
    /// library are for [`Usage::restore`].
    pub fn take_saved(slot: &mut Slot) -> Result<Option<Option<Vec<u8>>>, Why> {
        let Some(saved) = slot.saved.take() else { return Ok(None) };
        let (done, bytes): SavedSlot = postcard::from_bytes(&saved).map_err(|_| Why::Damaged)?;
        slot.done = done;
        Ok(Some(bytes))
    }

    /// Keeps what was taken for a call that did not need it.
    pub fn put_back(slot: &mut Slot, saved: Option<Option<Vec<u8>>>) {
        slot.saved = saved.map(|bytes| {
            let again: SavedSlot = (slot.done.clone(), bytes);
            postcard::to_allocvec(&again).expect("what an instance has done is plain data")
        });
    }

    fn open(&self) -> Result<Guest, Why> {
        let package = &self.instances.package;
        let description = &package.description;
        let archive = package.archive().map_err(Why::Archive)?;
        let identifier = description.abilities(self.kind).map(|own| own.identifier.clone());
        let library = archive.library(&identifier.unwrap_or_default());
        let library = library.map_err(|_| Why::Archive("it has no library".to_owned()))?;
        let setup = Setup {
            version: description.version,
            kind: self.kind,
            library,
            resources: archive.folder().join("resources"),
            token: description.token.clone(),
            name: self.name.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            states: self.states,
            indicators: self.indicators,
            looks: self.looks.clone(),
            directional: self.directional.clone(),
            completes: self.completes,
            ahead: self.ahead.clone(),
        };
        Ok(Guest::open(setup, self.place)?)
    }

    /// Makes an instance that goes on from where another one was saved.
    pub fn restore(&self, slot: &mut Slot, bytes: Option<Vec<u8>>) -> Result<(), Why> {
        let Some(start) = slot.done.start.clone() else { return Ok(()) };
        let guest = slot.guest.insert(self.open()?);
        let inputs = slot.done.inputs.clone();
        guest.ask(&match bytes {
            Some(bytes) => Request::Load(start, inputs, bytes),
            None => Request::Begin(start, inputs),
        })?;
        Ok(())
    }
}

pub(super) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Why a call has failed.
pub(super) enum Why {
    Fmu(FmuError),
    /// The archive cannot be unpacked, or lacks what it had before.
    Archive(String),
    /// The saved state is damaged.
    Damaged,
    /// It would have to go back.
    Back,
}

impl From<FmuError> for Why {
    fn from(error: FmuError) -> Why {
        Why::Fmu(error)
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Fmu(error) => error.fmt(f),
            Why::Archive(why) => f.write_str(why),
            Why::Damaged => write!(f, "its saved state is damaged"),
            Why::Back => write!(f, "the run goes back to before a step that it has taken"),
        }
    }
}
