//! What an importer holds: an instance, and where its messages go.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::Arc;

use superdense::fmi::{CATEGORIES, Instance, InstanceError, Kind, SavedInstance, load};

use crate::memory::Null;

/// The result of a function, as both versions number it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum Status {
    /// It was done.
    Ok = 0,
    /// A step could not be completed, and the instance is as it was.
    Discard = 2,
    /// It was not done.
    Error = 3,
    /// Nothing more can be done.
    Fatal = 4,
}

/// The logger of FMI 2.0, which takes a format and its arguments.
pub type LoggerTwo =
    unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);

/// The logger of FMI 3.0.
pub type LoggerThree = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

/// What an importer of FMI 3.0 has called within a step, with the environment, the time, whether inputs
/// may be set, whether variables may be read, whether a step of the solver is finished and whether the
/// step may end here; it answers whether it is to end, and when.
pub type IntermediateUpdate =
    unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut u8, *mut f64);

/// Where messages go.
#[derive(Clone, Copy, Debug)]
pub enum Logger {
    /// Nowhere.
    None,
    /// To an importer of FMI 2.0.
    Two(LoggerTwo, *mut c_void),
    /// To an importer of FMI 3.0.
    Three(LoggerThree, *mut c_void),
}

/// An instance and its surroundings.
#[derive(Debug)]
pub struct Component {
    /// The instance.
    pub instance: Instance,
    /// Its name, in messages.
    name: CString,
    logger: Logger,
    /// For each category, whether its messages are sent.
    sends: [bool; CATEGORIES.len()],
    /// Whether FMI 3.0 uses the event mode.
    pub event_mode: bool,
    /// Whether a step may end early.
    pub early_return: bool,
    /// What is called at points within steps (FMI 3.0), and the environment that it gets.
    pub update: Option<(IntermediateUpdate, *mut c_void)>,
    /// Whether the model has ended its run.
    pub terminated: bool,
    /// The time that the last step has reached \[s\].
    pub reached: f64,
}

/// Why a function was not done.
#[derive(Debug)]
pub enum Failure {
    /// The instance cannot do it.
    Instance(InstanceError),
    /// The importer gave no array.
    Null,
    /// Another mistake of the importer.
    Wrong(&'static str),
}

impl From<InstanceError> for Failure {
    fn from(error: InstanceError) -> Failure {
        Failure::Instance(error)
    }
}

impl From<Null> for Failure {
    fn from(Null: Null) -> Failure {
        Failure::Null
    }
}

impl Failure {
    fn message(&self) -> String {
        match self {
            Failure::Instance(error) => error.to_string(),
            Failure::Null => "a pointer is null".to_owned(),
            Failure::Wrong(why) => (*why).to_owned(),
        }
    }
}

impl Logger {
    /// Sends a message.
    pub fn send(self, name: &CString, status: Status, message: &str) {
        let plain = |text: &str| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let message = plain(message);
        let category = plain(category_of(status).map_or("", |index| CATEGORIES[index]));
        match self {
            Logger::None => {}
            // SAFETY: the importer gave the function with its environment, and the texts end with
            // a zero and live during the call. The format takes no arguments.
            Logger::Two(logger, environment) => unsafe {
                let (format, category) = (format_of(&message), category.as_ptr());
                logger(environment, name.as_ptr(), status as c_int, category, format.as_ptr());
            },
            // SAFETY: as above.
            Logger::Three(logger, environment) => unsafe {
                logger(environment, status as c_int, category.as_ptr(), message.as_ptr());
            },
        }
    }
}

/// A message as a format of `printf` without arguments, so that importers that print formats as they
/// are print it, too. A `#` would begin the name of a variable.
fn format_of(message: &CString) -> CString {
    let text = message.to_string_lossy().replace('%', "%%").replace('#', "##");
    CString::new(text).unwrap_or_default()
}

/// The category of a message with a status.
fn category_of(status: Status) -> Option<usize> {
    match status {
        Status::Ok => None,
        Status::Discard => Some(0),
        Status::Error => Some(1),
        Status::Fatal => Some(2),
    }
}

/// What an importer says as it makes an instance.
#[derive(Debug)]
pub struct Birth {
    /// The name of the instance.
    pub name: String,
    /// The text of the description by which the library recognises it.
    pub token: String,
    /// The folder `resources` of the unpacked archive, as a path or an URI.
    pub resources: String,
    /// How it is to run.
    pub kind: Kind,
    /// Where messages go.
    pub logger: Logger,
    /// Whether the importer asks for messages beside those of errors.
    pub logging: bool,
}

impl Component {
    /// Makes an instance, or sends a message that says why there is none.
    pub fn make(birth: Birth) -> Option<Box<Component>> {
        let name = CString::new(birth.name.replace('\0', " ")).unwrap_or_default();
        let fail = |message: &str| {
            birth.logger.send(&name, Status::Error, message);
            None
        };
        let loaded = match load(&folder_of(&birth.resources)) {
            Ok(loaded) => loaded,
            Err(error) => return fail(&error.to_string()),
        };
        if loaded.token != birth.token {
            let own = &loaded.token;
            let given = &birth.token;
            return fail(&format!(
                "the description has the token `{given}`, and the model in the resources has \
                 `{own}`: they are not from the same export"
            ));
        }
        let instance = Instance::new(&Arc::new(loaded.interface), birth.kind);
        let instance = match instance {
            Ok(instance) => instance,
            Err(error) => return fail(&error.to_string()),
        };
        Some(Box::new(Component {
            instance,
            name,
            logger: birth.logger,
            sends: [birth.logging, true, true],
            event_mode: false,
            early_return: false,
            update: None,
            terminated: false,
            reached: 0.0,
        }))
    }

    /// The status of a result, with a message if it has failed.
    pub fn status(&self, result: Result<Status, Failure>) -> Status {
        match result {
            Ok(status) => status,
            Err(failure) => {
                // Beyond what the rates are defined for, the importer can take a shorter step.
                let discards = matches!(failure, Failure::Instance(InstanceError::NotFinite));
                let status = if discards { Status::Discard } else { Status::Error };
                self.send(status, &failure.message());
                status
            }
        }
    }

    fn send(&self, status: Status, message: &str) {
        if category_of(status).is_some_and(|index| self.sends[index]) {
            self.logger.send(&self.name, status, message);
        }
    }

    /// Chooses which messages are sent: none, those of some categories, or all.
    pub fn choose_messages(&mut self, on: bool, names: &[String]) -> Result<Status, Failure> {
        let known = |name: &String| CATEGORIES.contains(&&**name) || name == "logAll";
        if !names.iter().all(known) {
            return Err(Failure::Wrong("there is no such category of messages"));
        }
        let all = names.is_empty() || names.iter().any(|own| own == "logAll");
        let chosen = |name: &str| on && (all || names.iter().any(|own| own == name));
        self.sends = CATEGORIES.map(chosen);
        Ok(Status::Ok)
    }

    /// Sends the message that the library itself is wrong.
    pub fn panicked(&self, what: &str) {
        let message = format!("an internal error: {what}");
        self.send(Status::Fatal, &message);
    }

    /// Keeps the state, in place of one that was kept before.
    pub fn save(&self) -> Box<SavedInstance> {
        Box::new(self.instance.save())
    }
}

/// The folder of a path or of an URI such as `file:///tmp/x`.
fn folder_of(location: &str) -> PathBuf {
    let Some(rest) = location.strip_prefix("file:") else { return PathBuf::from(location) };
    // An authority may stand between two and three slashes.
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("", |at| &rest[at..]),
        None => rest,
    };
    let path = decoded(path);
    // On Windows a path begins with its drive.
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    PathBuf::from(if drive { &path[1..] } else { &path[..] })
}

/// An URI without its percent signs.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Component {
    /// A state as bytes.
    pub fn bytes_of(&self, state: Option<&SavedInstance>) -> Result<Vec<u8>, Failure> {
        Ok(state.ok_or(Failure::Null)?.bytes())
    }
}

/// Keeps the state of an instance where the importer asks for it; one that was kept there is freed.
pub fn keep(
    component: &Component,
    place: Option<&mut *mut SavedInstance>,
) -> Result<Status, Failure> {
    let place = place.ok_or(Failure::Null)?;
    let before = std::mem::replace(place, Box::into_raw(component.save()));
    free(before);
    Ok(Status::Ok)
}

/// Goes back to a state.
pub fn go_back(
    component: &mut Component,
    state: Option<&SavedInstance>,
) -> Result<Status, Failure> {
    component.instance.restore(state.ok_or(Failure::Null)?);
    component.terminated = false;
    Ok(Status::Ok)
}

/// Frees a state; there may be none.
pub fn forget(place: Option<&mut *mut SavedInstance>) -> Result<Status, Failure> {
    if let Some(place) = place {
        free(std::mem::replace(place, std::ptr::null_mut()));
    }
    Ok(Status::Ok)
}

/// Writes a state as bytes into an array that has room for them.
pub fn serialise(
    component: &Component,
    state: Option<&SavedInstance>,
    room: &mut [u8],
) -> Result<Status, Failure> {
    let bytes = component.bytes_of(state)?;
    let short = Failure::Wrong("the array for the state is too small");
    room.get_mut(..bytes.len()).ok_or(short)?.copy_from_slice(&bytes);
    Ok(Status::Ok)
}

/// Makes a state of bytes.
pub fn deserialise(
    component: &Component,
    bytes: &[u8],
    place: Option<&mut *mut SavedInstance>,
) -> Result<Status, Failure> {
    let place = place.ok_or(Failure::Null)?;
    let state = component.instance.saved_of(bytes)?;
    free(std::mem::replace(place, Box::into_raw(Box::new(state))));
    Ok(Status::Ok)
}

fn free(state: *mut SavedInstance) {
    if !state.is_null() {
        // SAFETY: the standard requires that a place holds null or a state of this library.
        drop(unsafe { Box::from_raw(state) });
    }
}

impl Component {
    /// Begins the handling of an event.
    pub fn enter_event(&mut self) -> Result<Status, Failure> {
        self.instance.enter_event()?;
        Ok(Status::Ok)
    }

    /// What was set at an event takes effect.
    pub fn iterate(&mut self) -> Result<superdense::fmi::Iterated, Failure> {
        let found = self.instance.update_discrete()?;
        self.terminated |= found.terminated;
        Ok(found)
    }
}
