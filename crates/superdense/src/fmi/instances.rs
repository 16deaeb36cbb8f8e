//! The instances of an FMU in the runs of a model, and the function through which a block uses them.
//!
//! A run names its instance by a number in its buffer. The function is pure as far as the engine is
//! concerned: an instance remembers its last call, and refuses one that would have to go back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::fmi::import::{FmuError, Guest, Place, Port, Reply, Request, Setup, Start};
use ::fmi::{Archive, Description, Kind, Limits};
use blocks::Component;
use ir::Opaque;
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
struct Slot {
    guest: Option<Guest>,
    done: Done,
    /// Why it is of no use any more.
    failed: Option<String>,
    /// The state that it goes on from, before it is used for the first time.
    saved: Option<Vec<u8>>,
}

/// What an instance has done.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Done {
    /// How many communication points there were.
    points: u64,
    /// How it began.
    start: Option<Start>,
    /// Its inputs during initialisation.
    inputs: Vec<f64>,
    /// The length of the first step, which later ones have up to rounding \[s\].
    length: Option<f64>,
    /// The last call.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

/// An instance as it is saved: what it has done, and the bytes of the library, once it has taken a
/// step.
type SavedSlot = (Done, Option<Vec<u8>>);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instances {
    pub fn new(package: Package) -> Instances {
        Instances { package, next: AtomicU64::new(1), slots: Mutex::default() }
    }

    fn add(&self, slot: Slot) -> f64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        locked(&self.slots).insert(number, Arc::new(Mutex::new(slot)));
        number as f64
    }

    fn slot(&self, instance: f64) -> Option<Arc<Mutex<Slot>>> {
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
        let Slot { guest, done, failed, saved } = &mut *slot;
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

/// The function of a block: a gate, the instance, the number of communication points so far, the
/// time of the last one, the present time, the values of parameters, and the inputs; to the flags
/// and the outputs.
#[derive(Debug)]
pub(super) struct Call {
    pub instances: Arc<Instances>,
    pub kind: Kind,
    pub place: Place,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    /// The parameters that are given.
    pub given: Vec<Port>,
    pub variable_steps: bool,
    pub name: String,
}

impl Call {
    /// Where the result says that the instance has failed, and that it ends the run.
    pub const FAILED: usize = 0;
    pub const ENDED: usize = 1;
    /// How many such flags are before the outputs.
    pub const FLAGS: usize = 2;

    /// How many arguments are before the parameters.
    const BEFORE: usize = 5;
}

impl Opaque for Call {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
        let [gate, instance, ..] = args else { return };
        if gate[0] == 0.0 {
            return;
        }
        let Some(slot) = self.instances.slot(instance[0]) else {
            result[Call::FAILED] = 1.0;
            return;
        };
        let mut slot = locked(&slot);
        if slot.failed.is_none()
            && let Err(error) = self.answer(&mut slot, args, result)
        {
            // An instance that has failed is of no use, and neither is its process.
            (slot.guest, slot.failed) = (None, Some(self.instances.because(&error)));
        }
        if slot.failed.is_some() {
            result.fill(0.0);
            result[Call::FAILED] = 1.0;
        }
    }

    /// Between two communication points the outputs are constant.
    fn has_tangent(&self) -> bool {
        true
    }

    fn tangent(&self, _args: &[&[f64]], _tangents: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
    }
}

impl Call {
    fn answer(&self, slot: &mut Slot, args: &[&[f64]], result: &mut [f64]) -> Result<(), Why> {
        let saved = match slot.saved.take() {
            Some(saved) => {
                let (done, bytes): SavedSlot =
                    postcard::from_bytes(&saved).map_err(|_| Why::Damaged)?;
                slot.done = done;
                Some(bytes)
            }
            None => None,
        };
        let own: Vec<f64> = args[2..].iter().flat_map(|own| own.iter().copied()).collect();
        if let Some((known, values)) = &slot.done.last
            && same_bits(known, &own)
        {
            result.copy_from_slice(values);
            // What it is restored from is needed by the next call.
            slot.saved = saved.map(|bytes| {
                let again: SavedSlot = (slot.done.clone(), bytes);
                postcard::to_allocvec(&again).expect("what an instance has done is plain data")
            });
            return Ok(());
        }
        if let Some(bytes) = saved {
            self.restore(slot, bytes)?;
        }
        let reply = self.act(slot, args)?;
        let (values, ended) = match reply {
            Reply::Values(values) => (values, 0.0),
            Reply::Ended(values) => (values, 1.0),
            _ => return Err(FmuError::OutOfOrder.into()),
        };
        result[Call::ENDED] = ended;
        let places = &mut result[Call::FLAGS..];
        if places.len() != values.len() {
            return Err(FmuError::OutOfOrder.into());
        }
        places.copy_from_slice(&values);
        slot.done.last = Some((own, result.to_vec()));
        Ok(())
    }

    /// Does what a call asks for that is not the last one.
    fn act(&self, slot: &mut Slot, args: &[&[f64]]) -> Result<Reply, Why> {
        let (points, last, now) = (args[2][0], args[3][0], args[4][0]);
        let (given, inputs) = args[Call::BEFORE..].split_at(self.given.len());
        let inputs: Vec<f64> = inputs.iter().flat_map(|own| own.iter().copied()).collect();
        let done = &mut slot.done;
        if points == 0.0 {
            let values = self.given.iter().cloned().zip(given.iter().map(|own| own.to_vec()));
            let start = Start { time: now, tolerance: None, values: values.collect() };
            *done = Done { start: Some(start.clone()), inputs: inputs.clone(), ..Done::default() };
            done.points = 1;
            let guest = match &mut slot.guest {
                Some(guest) => guest,
                None => slot.guest.insert(self.open()?),
            };
            return Ok(guest.ask(&Request::Begin(start, inputs))?);
        }
        let Some(guest) = &mut slot.guest else { return Err(FmuError::OutOfOrder.into()) };
        if done.points as f64 != points {
            return Err(Why::Back);
        }
        if points == 1.0 && now == last {
            done.inputs.clone_from(&inputs);
            return Ok(guest.ask(&Request::Inputs(inputs))?);
        }
        let length = self.length(done, now - last);
        let reply = guest.ask(&Request::Step { from: last, length, inputs })?;
        done.points += 1;
        Ok(reply)
    }

    /// The length of a step. If all must be equal, a difference that is due to rounding is taken
    /// back.
    fn length(&self, done: &mut Done, length: f64) -> f64 {
        if self.variable_steps {
            return length;
        }
        let first = *done.length.get_or_insert(length);
        let near = (first - length).abs() <= 1e-9 * first.abs();
        if near { first } else { length }
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
            states: 0,
            indicators: 0,
        };
        Ok(Guest::open(setup, self.place)?)
    }

    /// Makes an instance that goes on from where another one was saved.
    fn restore(&self, slot: &mut Slot, bytes: Option<Vec<u8>>) -> Result<(), Why> {
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

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Why a call has failed.
enum Why {
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
