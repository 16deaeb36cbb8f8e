//! What an instance is asked to do and what it answers: plain data, which crosses the border of a
//! process.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::description::{Kind, VariableType, Version};

/// A variable as functions name it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Port {
    /// Its name, for messages.
    pub name: String,
    /// The number by which functions name it.
    pub reference: u32,
    /// The type of its elements.
    pub ty: VariableType,
    /// How many elements it has.
    pub len: usize,
    /// Whether it may change between events (Model Exchange).
    pub continuous: bool,
}

/// Something that is computed at a point (Model Exchange): the rates of the states, the event
/// indicators, or some outputs.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Look {
    /// The inputs that it depends on, by their index.
    pub inputs: Vec<usize>,
    /// Whether it is the rates.
    pub rates: bool,
    /// Whether it is the indicators.
    pub indicators: bool,
    /// The outputs, by their index.
    pub outputs: Vec<usize>,
}

/// A point at which something is computed (Model Exchange).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The time \[s\].
    pub time: f64,
    /// The continuous states.
    pub states: Vec<f64>,
    /// The values of inputs.
    pub inputs: Vec<f64>,
}

/// An event (Model Exchange).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Where it is; all inputs have values.
    pub point: Point,
    /// The time of a time event whose time is not exactly that of the point \[s\].
    pub due: f64,
    /// For each indicator, whether it has become positive (1) or negative (-1).
    pub crossed: Vec<f64>,
}

/// What an event has changed (Model Exchange).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Changed {
    /// The continuous states.
    pub states: Vec<f64>,
    /// Whether it goes on at the same time.
    pub more: bool,
    /// Whether the instance ends the run.
    pub ends: bool,
    /// The time of the next time event; infinite if there is none \[s\].
    pub next: f64,
}

/// What is known about an instance before it is made.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The version of the standard.
    pub version: Version,
    /// Who solves it.
    pub kind: Kind,
    /// Its library.
    pub library: PathBuf,
    /// Its folder of resources.
    pub resources: PathBuf,
    /// The text by which the library recognises its description.
    pub token: String,
    /// The name of the instance in messages.
    pub name: String,
    /// The variables that are set at each communication point.
    pub inputs: Vec<Port>,
    /// The variables that are read there.
    pub outputs: Vec<Port>,
    /// The number of continuous states (Model Exchange).
    pub states: usize,
    /// The number of event indicators (Model Exchange).
    pub indicators: usize,
    /// What is computed at points (Model Exchange).
    pub looks: Vec<Look>,
    /// The references of states and of their rates, if the instance gives directional derivatives
    /// (Model Exchange).
    pub directional: Option<(Vec<u32>, Vec<u32>)>,
    /// Whether it must be notified of steps that are not taken back (Model Exchange).
    pub completes: bool,
    /// How it goes ahead of the run, if it does (Co-Simulation).
    pub ahead: Option<Ahead>,
}

/// How an instance for Co-Simulation goes ahead of the run by steps of variable length.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Ahead {
    /// The longest and the shortest step \[s\].
    pub longest: f64,
    #[allow(missing_docs)]
    pub shortest: f64,
    /// The error that an output may have, relative to the larger of its value and its magnitude.
    pub tolerance: f64,
    /// The magnitudes of the outputs.
    pub magnitudes: Vec<f64>,
    /// Whether it has an event mode, and whether it may end steps early (FMI 3.0).
    pub events: bool,
    #[allow(missing_docs)]
    pub early: bool,
    /// Whether inputs may be given with derivatives (FMI 2.0).
    pub moves: bool,
}

/// What an instance that goes ahead is about to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Coming {
    /// The outputs now.
    pub now: Vec<f64>,
    /// The time that it has gone ahead to \[s\].
    pub end: f64,
    /// The outputs there.
    pub then: Vec<f64>,
    /// Whether it ends the run now.
    pub ends: bool,
}

/// The start of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The start time \[s\].
    pub time: f64,
    /// The relative tolerance, if the instance is to have one.
    pub tolerance: Option<f64>,
    /// Parameters and start values that are not those of the description.
    pub values: Vec<(Port, Vec<f64>)>,
}

/// Something that an instance is to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Load the library.
    Open(Box<Setup>),
    /// Make the instance anew and begin its initialisation with these inputs: the outputs.
    Begin(Start, Vec<f64>),
    /// Other inputs during initialisation: the outputs.
    Inputs(Vec<f64>),
    /// A communication step with these inputs: the outputs at its end. The first one ends the
    /// initialisation.
    Step {
        /// Where it begins \[s\].
        from: f64,
        /// How long it is \[s\].
        length: f64,
        /// The values of the inputs.
        inputs: Vec<f64>,
        /// The derivatives of the elements of continuous inputs, if they move within the step.
        slopes: Vec<f64>,
    },
    /// The run has come to a time, the one that the instance has gone ahead to or an earlier one, with
    /// these inputs just before: the outputs there.
    Arrive(f64, Vec<f64>),
    /// With these inputs from now on, go ahead as far as the outputs are accurate.
    Ahead(Vec<f64>),
    /// The values of a look at a point, and whether it is during an event.
    Look(usize, Point, bool),
    /// The derivatives of a look at a point in a direction: of time, the states, and the inputs.
    Tangent(usize, Point, Vec<f64>),
    /// One iteration of an event.
    Event(Event),
    /// A step to a point is not taken back: whether an event follows, and whether the run ends.
    Complete(Point),
    /// The state of the instance as bytes.
    Save,
    /// An instance with the state of these bytes, of which it was saved after initialisation or not.
    Load(Start, Vec<f64>, Vec<u8>),
    /// The end.
    Close,
}

impl Request {
    /// What the instance does, for a message about its end.
    fn words(&self) -> String {
        match self {
            Request::Open(_) => "its library was loaded".to_owned(),
            Request::Begin(..) | Request::Inputs(_) => "it was initialised".to_owned(),
            Request::Step { from, length, .. } => {
                format!("it took the step from {from} s to {} s", from + length)
            }
            Request::Arrive(time, _) => format!("it took the step to {time} s"),
            Request::Ahead(_) => "it went ahead of the run".to_owned(),
            Request::Look(_, point, _) | Request::Tangent(_, point, _) => {
                format!("it was evaluated at {} s", point.time)
            }
            Request::Event(event) => format!("it handled an event at {} s", event.point.time),
            Request::Complete(point) => format!("a step to {} s was completed", point.time),
            Request::Save => "its state was saved".to_owned(),
            Request::Load(..) => "its state was restored".to_owned(),
            Request::Close => "it was freed".to_owned(),
        }
    }

    /// The error that the process of the instance has ended meanwhile.
    pub(super) fn crashed(&self, how: String) -> FmuError {
        FmuError::Crashed { how, during: self.words() }
    }

    /// The error that there is no answer.
    pub(super) fn silent(&self, seconds: f64) -> FmuError {
        FmuError::Silent { seconds, during: self.words() }
    }
}

/// An answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It is done.
    Done,
    /// Values.
    Values(Vec<f64>),
    /// The same values, and the instance ends the run.
    Ended(Vec<f64>),
    /// What an event has changed.
    Changed(Changed),
    /// Where it goes.
    Coming(Coming),
    /// A look at this point makes no sense to the instance; another point may.
    Discarded(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// It could not be done.
    Failed(FmuError),
}

/// Why an instance of an FMU cannot go on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum FmuError {
    /// Its library cannot be loaded.
    Library(String),
    /// Its library lacks a function.
    NoFunction(String),
    /// It was not made; what it logged.
    NotMade(Vec<String>),
    /// A function failed; its status, and what was logged.
    Status(String, String, Vec<String>),
    /// A step was discarded: it could be repeated with another length, but cannot be here.
    Discarded(String, Vec<String>),
    /// A value cannot be given to a variable of its type.
    NoValue(String, f64),
    /// A variable is of a type that has no numbers.
    NoNumber(String),
    /// It cannot save its state.
    NotSaved,
    /// Its process has ended.
    #[allow(missing_docs)]
    Crashed { how: String, during: String },
    /// Its process does not answer.
    #[allow(missing_docs)]
    Silent { seconds: f64, during: String },
    /// The process could not be started or spoken to.
    Process(String),
    /// A request that has no meaning at this point.
    OutOfOrder,
    /// Time moves although an event goes on.
    EventGoesOn,
}

impl fmt::Display for FmuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let logged = |lines: &[String]| match lines {
            [] => String::new(),
            lines => format!(": {}", lines.join("; ")),
        };
        match self {
            FmuError::Library(why) => write!(f, "its library cannot be loaded: {why}"),
            FmuError::NoFunction(name) => write!(f, "its library has no function `{name}`"),
            FmuError::NotMade(lines) => {
                write!(f, "it could not be instantiated{}", logged(lines))
            }
            FmuError::Status(function, status, lines) => {
                write!(f, "`{function}` returned {status}{}", logged(lines))
            }
            FmuError::Discarded(function, lines) => write!(
                f,
                "`{function}` discarded the step{}; a shorter `period` may help, or `steps: adaptive`, \
                 which takes such steps back",
                logged(lines)
            ),
            FmuError::NoValue(name, value) => {
                write!(f, "its variable `{name}` cannot have the value {value}")
            }
            FmuError::NoNumber(name) => write!(f, "its variable `{name}` is no number"),
            FmuError::NotSaved => {
                write!(f, "it cannot save its state, so a run with it cannot be saved or forked")
            }
            FmuError::Crashed { how, during } => {
                write!(f, "its process {how} while {during}")
            }
            FmuError::Silent { seconds, during } => {
                write!(f, "it did not answer within {seconds} s while {during}")
            }
            FmuError::Process(why) => f.write_str(why),
            FmuError::EventGoesOn => {
                write!(f, "time moves on although it has asked for another iteration of an event")
            }
            FmuError::OutOfOrder => write!(f, "a request came out of order"),
        }
    }
}

impl std::error::Error for FmuError {}
