//! The functions of a library, called as the standard requires.
//!
//! The only module of this crate with `unsafe`. What every block of it relies on: the library is one
//! of an FMU, whose functions have the signatures of its version of the standard; arrays that are
//! handed over have the lengths that are handed over with them; the instance is the one that the
//! library has made, and is not used after it has been freed.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::message::{FmuError, Setup};
use crate::description::{Kind, Version};

/// An instance in the hands of the library.
type Instance = *mut c_void;

/// How a step has ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stepped {
    /// At its end, and whether an event is to be handled there.
    Whole(bool),
    /// The instance ends the run at this time \[s\].
    Ended(f64),
    /// Before its end, at this time \[s\], and whether an event is to be handled there.
    Early(f64, bool),
    /// Not at all: the instance could go up to this time \[s\], and must be set back to before.
    Discarded(f64),
}

/// The last messages of an instance.
#[derive(Default, Debug)]
struct Messages(Mutex<VecDeque<String>>);

impl Messages {
    /// How many are kept, and how long each may be \[bytes\].
    const MOST: usize = 8;
    const LENGTH: usize = 1000;

    fn add(&self, text: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == Messages::MOST {
            all.pop_front();
        }
        all.push_back(text.trim().chars().take(Messages::LENGTH).collect());
    }

    fn take(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

/// The functions that an instance of FMI 2.0 gets.
#[repr(C)]
#[derive(Debug)]
struct Callbacks {
    logger: unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        c_int,
        *const c_char,
        *const c_char,
        *const c_char,
    ),
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    step_finished: *const c_void,
    environment: *const Messages,
}

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Keeps a message. The standard declares the function with a variable number of arguments, as
/// `printf` has them. Those that are named are passed alike; of the others only the first is read,
/// which the message `%s` says to be a text, on platforms that pass it like one that is named.
unsafe extern "C" fn log_two(
    environment: *mut c_void,
    _name: *const c_char,
    status: c_int,
    _category: *const c_char,
    message: *const c_char,
    text: *const c_char,
) {
    let alike = cfg!(not(target_vendor = "apple"));
    if message.is_null() {
        return;
    }
    // SAFETY: see the top of this module.
    unsafe {
        let format = CStr::from_ptr(message);
        if alike && format == c"%s" {
            return log_three(environment, status, ptr::null(), text);
        }
        let plain = format.to_string_lossy().replace("%%", "%").replace("##", "#");
        let plain = CString::new(plain).unwrap_or_default();
        log_three(environment, status, ptr::null(), plain.as_ptr());
    }
}

unsafe extern "C" fn log_three(
    environment: *mut c_void,
    status: c_int,
    _category: *const c_char,
    message: *const c_char,
) {
    if environment.is_null() || message.is_null() || status == OK {
        return;
    }
    // SAFETY: the environment is the one that was handed over; a message ends with a zero.
    let (messages, text) = unsafe { (&*environment.cast::<Messages>(), CStr::from_ptr(message)) };
    messages.add(text.to_string_lossy().into_owned());
}

const OK: c_int = 0;
const WARNING: c_int = 1;
const DISCARD: c_int = 2;
const FATAL: c_int = 4;

fn status_name(status: c_int) -> String {
    match status {
        DISCARD => "Discard".to_owned(),
        3 => "Error".to_owned(),
        FATAL => "Fatal".to_owned(),
        5 => "Pending".to_owned(),
        other => format!("the status {other}, which the standard does not have"),
    }
}

/// A library and the instance that it has made.
#[derive(Debug)]
pub(super) struct Calls {
    library: Library,
    version: Version,
    kind: Kind,
    instance: Instance,
    /// Whether the instance may only be left alone: its status was fatal.
    lost: bool,
    messages: Box<Messages>,
    callbacks: Box<Callbacks>,
    initialised: bool,
    /// A state that the instance can be set back to, or null.
    kept: *mut c_void,
}

// SAFETY: an instance may be used by one thread after the other; the standard asks for no more than
// that two do not use it at once.
unsafe impl Send for Calls {}

/// Calls a function with the instance and other arguments: its name in both versions without the
/// prefix, and the types of the arguments.
macro_rules! call {
    ($self:ident, $name:expr, ($($ty:ty),*), $($argument:expr),*) => {{
        type Function = unsafe extern "C" fn(Instance $(, $ty)*) -> c_int;
        let function: Function = $self.symbol($name)?;
        // SAFETY: see the top of this module.
        let status = unsafe { function($self.instance $(, $argument)*) };
        $self.judge($name, status)
    }};
}

mod exchange;
mod states;
mod values;

impl Calls {
    pub fn load(setup: &Setup) -> Result<Calls, FmuError> {
        // SAFETY: the model names this library, and its user wants it to be executed.
        let library = unsafe { Library::new(&setup.library) };
        let library = library.map_err(|error| FmuError::Library(error.to_string()))?;
        let messages: Box<Messages> = Box::default();
        let callbacks = Box::new(Callbacks {
            logger: log_two,
            allocate: calloc,
            free,
            step_finished: ptr::null(),
            environment: &*messages,
        });
        let (version, kind) = (setup.version, setup.kind);
        let calls = Calls {
            library,
            version,
            kind,
            instance: ptr::null_mut(),
            lost: false,
            messages,
            callbacks,
            initialised: false,
            kept: ptr::null_mut(),
        };
        Ok(calls)
    }

    /// The name of a function in the library.
    fn full(&self, name: &str) -> String {
        let prefix = if self.version == Version::Two { "fmi2" } else { "fmi3" };
        format!("{prefix}{name}")
    }

    fn symbol<F: Copy>(&self, name: &str) -> Result<F, FmuError> {
        let full = self.full(name);
        // SAFETY: see the top of this module.
        let found = unsafe { self.library.get::<F>(full.as_bytes()) };
        found.map(|own| *own).map_err(|_| FmuError::NoFunction(full))
    }

    fn judge(&mut self, name: &str, status: c_int) -> Result<(), FmuError> {
        match status {
            OK | WARNING => Ok(()),
            _ => {
                self.lost |= status == FATAL;
                Err(FmuError::Status(self.full(name), status_name(status), self.messages.take()))
            }
        }
    }

    pub fn instantiate(&mut self, setup: &Setup) -> Result<(), FmuError> {
        let text = |text: &str| CString::new(text.replace('\0', "")).unwrap_or_default();
        let (name, token) = (text(&setup.name), text(&setup.token));
        let environment = ptr::from_ref(&*self.messages).cast_mut().cast::<c_void>();
        self.initialised = false;
        self.instance = match (self.version, self.kind) {
            (Version::Two, kind) => {
                type Make = unsafe extern "C" fn(
                    *const c_char,
                    c_int,
                    *const c_char,
                    *const c_char,
                    *const Callbacks,
                    c_int,
                    c_int,
                ) -> Instance;
                let make: Make = self.symbol("Instantiate")?;
                let resources = text(&uri(&setup.resources));
                let kind = c_int::from(kind == Kind::CoSimulation);
                let (name, token, place) = (name.as_ptr(), token.as_ptr(), resources.as_ptr());
                // SAFETY: see the top of this module; texts and callbacks outlive the call.
                unsafe { make(name, kind, token, place, &*self.callbacks, 0, 0) }
            }
            (Version::Three, _) => {
                let folder = format!("{}{}", setup.resources.display(), std::path::MAIN_SEPARATOR);
                let texts = [name, token, text(&folder)];
                self.make_three(setup, &texts, environment)?
            }
        };
        match self.instance.is_null() {
            true => Err(FmuError::NotMade(self.messages.take())),
            false => Ok(()),
        }
    }

    fn make_three(
        &self,
        setup: &Setup,
        [name, token, folder]: &[CString; 3],
        environment: *mut c_void,
    ) -> Result<Instance, FmuError> {
        type Log = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
        type Text = *const c_char;
        type Steps = unsafe extern "C" fn(
            Text,
            Text,
            Text,
            bool,
            bool,
            bool,
            bool,
            *const u32,
            usize,
            *mut c_void,
            Log,
            *const c_void,
        ) -> Instance;
        type Exchange =
            unsafe extern "C" fn(Text, Text, Text, bool, bool, *mut c_void, Log) -> Instance;
        let (name, token, folder) = (name.as_ptr(), token.as_ptr(), folder.as_ptr());
        let (none, no) = (ptr::null(), false);
        // SAFETY: see the top of this module; the texts outlive the calls.
        Ok(unsafe {
            match setup.kind {
                Kind::CoSimulation => {
                    let (events, early) =
                        setup.ahead.as_ref().map_or((false, false), |own| (own.events, own.early));
                    let make: Steps = self.symbol("InstantiateCoSimulation")?;
                    let update = ptr::null();
                    make(
                        name,
                        token,
                        folder,
                        no,
                        no,
                        events,
                        early,
                        none,
                        0,
                        environment,
                        log_three,
                        update,
                    )
                }
                Kind::ModelExchange => {
                    let make: Exchange = self.symbol("InstantiateModelExchange")?;
                    make(name, token, folder, no, no, environment, log_three)
                }
            }
        })
    }

    pub fn enter_initialisation(
        &mut self,
        time: f64,
        tolerance: Option<f64>,
    ) -> Result<(), FmuError> {
        let (has, tolerance) = (tolerance.is_some(), tolerance.unwrap_or(0.0));
        match self.version {
            Version::Two => {
                call!(
                    self,
                    "SetupExperiment",
                    (c_int, f64, f64, c_int, f64),
                    c_int::from(has),
                    tolerance,
                    time,
                    0,
                    0.0
                )?;
                call!(self, "EnterInitializationMode", (),)
            }
            Version::Three => call!(
                self,
                "EnterInitializationMode",
                (bool, f64, f64, bool, f64),
                has,
                tolerance,
                time,
                false,
                0.0
            ),
        }
    }

    pub fn exit_initialisation(&mut self) -> Result<(), FmuError> {
        call!(self, "ExitInitializationMode", (),)?;
        self.initialised = true;
        Ok(())
    }

    pub fn step(&mut self, from: f64, length: f64) -> Result<Stepped, FmuError> {
        match self.version {
            Version::Two => {
                type Step = unsafe extern "C" fn(Instance, f64, f64, c_int) -> c_int;
                let step: Step = self.symbol("DoStep")?;
                // The instance may be set back to before the step if a state of it is kept.
                let final_point = c_int::from(self.kept.is_null());
                // SAFETY: see the top of this module.
                match unsafe { step(self.instance, from, length, final_point) } {
                    DISCARD => {
                        let reached = self.last_successful_time().unwrap_or(from);
                        Ok(match self.is_terminated() {
                            true => Stepped::Ended(reached),
                            false => Stepped::Discarded(reached),
                        })
                    }
                    status => self.judge("DoStep", status).map(|()| Stepped::Whole(false)),
                }
            }
            Version::Three => {
                // A C compiler may leave anything in a byte that is no truth value.
                let (mut event, mut end, mut early) = (0u8, 0u8, 0u8);
                let mut last = from;
                let done = call!(
                    self,
                    "DoStep",
                    (f64, f64, bool, *mut u8, *mut u8, *mut u8, *mut f64),
                    from,
                    length,
                    self.kept.is_null(),
                    &mut event,
                    &mut end,
                    &mut early,
                    &mut last
                );
                if let Err(FmuError::Status(_, status, lines)) = &done
                    && status == "Discard"
                {
                    lines.iter().for_each(|line| self.messages.add(line.clone()));
                    return Ok(Stepped::Discarded(last));
                }
                done?;
                Ok(match (end != 0, early != 0) {
                    (true, early) => Stepped::Ended(if early { last } else { from + length }),
                    (false, true) => Stepped::Early(last, event != 0),
                    (false, false) => Stepped::Whole(event != 0),
                })
            }
        }
    }

    /// The error that a step was discarded, with what was logged.
    pub fn discarded(&mut self) -> FmuError {
        let (name, logged) = (self.full("DoStep"), self.messages.take());
        match self.kept.is_null() {
            true => FmuError::Discarded(name, logged),
            false => FmuError::Status(name, "Discard for steps of any length".to_owned(), logged),
        }
    }

    /// Whether an instance of FMI 2.0 has discarded a step because it ends the run.
    fn is_terminated(&mut self) -> bool {
        const TERMINATED: c_int = 3;
        let mut value: c_int = 0;
        let mut ask =
            || call!(self, "GetBooleanStatus", (c_int, *mut c_int), TERMINATED, &mut value);
        ask().is_ok() && value != 0
    }

    /// How far an instance of FMI 2.0 has come in a step that it has discarded, if it says so \[s\].
    fn last_successful_time(&mut self) -> Option<f64> {
        const LAST_SUCCESSFUL_TIME: c_int = 2;
        let mut value = f64::NAN;
        let mut ask =
            || call!(self, "GetRealStatus", (c_int, *mut f64), LAST_SUCCESSFUL_TIME, &mut value);
        (ask().is_ok() && value.is_finite()).then_some(value)
    }

    /// Frees the instance, if there is one.
    pub fn free(&mut self) {
        // Without it the memory of a library that cannot free states is lost, and nothing else.
        let _ = self.forget();
        let instance = std::mem::replace(&mut self.instance, ptr::null_mut());
        if instance.is_null() || self.lost {
            return;
        }
        type Function = unsafe extern "C" fn(Instance) -> c_int;
        type Free = unsafe extern "C" fn(Instance);
        if self.initialised
            && let Ok(terminate) = self.symbol::<Function>("Terminate")
        {
            // SAFETY: see the top of this module.
            unsafe { terminate(instance) };
        }
        if let Ok(free) = self.symbol::<Free>("FreeInstance") {
            // SAFETY: see the top of this module.
            unsafe { free(instance) };
        }
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        self.free();
    }
}

/// A folder as a URI, as FMI 2.0 wants it.
fn uri(path: &Path) -> String {
    let mut text = "file://".to_owned();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'/' | b':' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => text += &format!("%{byte:02X}"),
        }
    }
    text
}
