//! What an FMU says about itself: its variables, its abilities and how they depend on each other.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A version of the standard that both sides speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Version {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::Two => "2.0",
            Version::Three => "3.0",
        })
    }
}

/// The description of an FMU.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Description {
    /// The version of the standard.
    pub version: Version,
    /// The name of the model.
    pub name: String,
    /// The text by which a library recognises its description.
    pub token: String,
    /// What the model is.
    pub description: Option<String>,
    /// The tool that has made it.
    pub tool: Option<String>,
    /// When it was made, as ISO 8601.
    pub made: Option<String>,
    /// How it runs with a solver of its own.
    pub co_simulation: Option<Abilities>,
    /// How it runs in the solver of the importer.
    pub model_exchange: Option<Abilities>,
    /// The number of event indicators of FMI 2.0.
    pub indicators: usize,
    /// The categories of its messages, which an importer can choose from.
    pub categories: Vec<String>,
    /// What a simulation of it should be by default.
    pub experiment: Experiment,
    /// Its variables, in the order of the file.
    pub variables: Vec<Variable>,
    /// Which of them are what.
    pub structure: Structure,
}

/// What an FMU can do in one of its kinds.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Abilities {
    /// The name of the library in the archive, without its ending.
    pub identifier: String,
    /// Whether it needs its tool on the machine.
    pub needs_tool: bool,
    /// Whether a process may have one instance only.
    pub only_one: bool,
    /// Whether a state can be kept and gone back to.
    pub keeps_state: bool,
    /// Whether a state can be made bytes of.
    pub serialises_state: bool,
    /// Whether it gives directional derivatives.
    pub directional: bool,
    /// Co-Simulation: whether steps may have any length.
    pub variable_steps: bool,
    /// Co-Simulation: whether it reports events and has an event mode (FMI 3.0).
    pub event_mode: bool,
    /// Co-Simulation: whether it may end a step early (FMI 3.0).
    pub early_return: bool,
    /// Co-Simulation: whether it reports the points between which it steps, and may return there
    /// (FMI 3.0).
    pub intermediate_update: bool,
    /// Co-Simulation: whether inputs may be given with derivatives (FMI 2.0).
    pub input_derivatives: bool,
    /// Model Exchange: whether completed steps need not be reported.
    pub needs_no_completed_steps: bool,
}

/// The default experiment.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Experiment {
    /// The start time \[s\].
    pub start: Option<f64>,
    /// The stop time \[s\].
    pub stop: Option<f64>,
    /// The relative tolerance.
    pub tolerance: Option<f64>,
    /// The communication step \[s\].
    pub step: Option<f64>,
}

/// One of the two kinds of FMUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// It has a solver of its own.
    CoSimulation,
    /// The importer solves it.
    ModelExchange,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::CoSimulation => "Co-Simulation",
            Kind::ModelExchange => "Model Exchange",
        })
    }
}

impl Description {
    /// What it can do in a kind.
    pub fn abilities(&self, kind: Kind) -> Option<&Abilities> {
        match kind {
            Kind::CoSimulation => self.co_simulation.as_ref(),
            Kind::ModelExchange => self.model_exchange.as_ref(),
        }
    }

    /// A variable by its name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|own| own.name == name)
    }

    /// The variables of a causality.
    pub fn of(&self, causality: Causality) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(move |own| own.causality == causality)
    }
}

/// A variable. In FMI 3.0 it may be an array; in FMI 2.0 a writer makes a variable of each element,
/// with value references that follow that of the first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The number by which functions name it.
    pub reference: u32,
    /// The type of its elements.
    pub ty: VariableType,
    /// Its dimensions; none for a scalar.
    pub dimensions: Vec<usize>,
    /// What it is to its surroundings.
    pub causality: Causality,
    /// When it may change.
    pub variability: Variability,
    /// What its start value is.
    pub initial: Option<Initial>,
    /// Its start value.
    pub start: Option<Start>,
    /// Its unit.
    pub unit: Option<String>,
    /// Its magnitude, by which errors are measured (floating-point numbers).
    pub nominal: Option<f64>,
    /// What it is.
    pub description: Option<String>,
    /// The reference of the state whose derivative it is.
    pub derivative_of: Option<u32>,
    /// Whether an event may set it to a new value (states in Model Exchange).
    pub reinit: bool,
}

impl Variable {
    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.dimensions.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A start value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Start {
    /// Numbers; truth values are 0 and 1.
    Numbers(Vec<f64>),
    /// A text.
    Text(String),
}

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum VariableType {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    Enumeration,
    String,
    Binary,
    Clock,
}

impl VariableType {
    /// All of them with their names in FMI 3.0.
    pub const ALL: [(VariableType, &str); 15] = [
        (VariableType::Float64, "Float64"),
        (VariableType::Float32, "Float32"),
        (VariableType::Int8, "Int8"),
        (VariableType::UInt8, "UInt8"),
        (VariableType::Int16, "Int16"),
        (VariableType::UInt16, "UInt16"),
        (VariableType::Int32, "Int32"),
        (VariableType::UInt32, "UInt32"),
        (VariableType::Int64, "Int64"),
        (VariableType::UInt64, "UInt64"),
        (VariableType::Boolean, "Boolean"),
        (VariableType::Enumeration, "Enumeration"),
        (VariableType::String, "String"),
        (VariableType::Binary, "Binary"),
        (VariableType::Clock, "Clock"),
    ];

    /// Its name in FMI 3.0.
    pub fn name(self) -> &'static str {
        let own = VariableType::ALL.iter().find(|(ty, _)| *ty == self);
        own.map_or("", |(_, name)| name)
    }

    /// Whether it is a floating-point number.
    pub fn is_real(self) -> bool {
        matches!(self, VariableType::Float64 | VariableType::Float32)
    }

    /// The smallest and the largest value of an integer, as far as a number of ours has them.
    pub fn range(self) -> (f64, f64) {
        match self {
            VariableType::Int8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
            VariableType::UInt8 => (0.0, f64::from(u8::MAX)),
            VariableType::Int16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
            VariableType::UInt16 => (0.0, f64::from(u16::MAX)),
            VariableType::Int32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            VariableType::UInt32 => (0.0, f64::from(u32::MAX)),
            VariableType::Int64 | VariableType::Enumeration => (i64::MIN as f64, i64::MAX as f64),
            VariableType::UInt64 => (0.0, u64::MAX as f64),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Whether its values are numbers or truth values.
    pub fn is_number(self) -> bool {
        !matches!(self, VariableType::String | VariableType::Binary | VariableType::Clock)
    }
}

/// What a variable is to its surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Causality {
    Parameter,
    CalculatedParameter,
    StructuralParameter,
    Input,
    Output,
    Local,
    Independent,
}

impl Causality {
    /// All of them with their names.
    pub const ALL: [(Causality, &str); 7] = [
        (Causality::Parameter, "parameter"),
        (Causality::CalculatedParameter, "calculatedParameter"),
        (Causality::StructuralParameter, "structuralParameter"),
        (Causality::Input, "input"),
        (Causality::Output, "output"),
        (Causality::Local, "local"),
        (Causality::Independent, "independent"),
    ];
}

/// When a variable may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Variability {
    Constant,
    Fixed,
    Tunable,
    Discrete,
    Continuous,
}

impl Variability {
    /// All of them with their names.
    pub const ALL: [(Variability, &str); 5] = [
        (Variability::Constant, "constant"),
        (Variability::Fixed, "fixed"),
        (Variability::Tunable, "tunable"),
        (Variability::Discrete, "discrete"),
        (Variability::Continuous, "continuous"),
    ];
}

/// What a start value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Initial {
    Exact,
    Approx,
    Calculated,
}

impl Initial {
    /// All of them with their names.
    pub const ALL: [(Initial, &str); 3] = [
        (Initial::Exact, "exact"),
        (Initial::Approx, "approx"),
        (Initial::Calculated, "calculated"),
    ];
}

/// Which variables are what.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Structure {
    /// The outputs.
    pub outputs: Vec<Unknown>,
    /// The derivatives of the continuous states.
    pub derivatives: Vec<Unknown>,
    /// What can be read during initialisation.
    pub initial: Vec<Unknown>,
    /// The event indicators (FMI 3.0).
    pub indicators: Vec<Unknown>,
}

/// A variable that is computed, and what from. In FMI 2.0 it is one element of an array.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unknown {
    /// Its reference.
    pub reference: u32,
    /// The references of what it depends on; none if that is not known.
    pub dependencies: Option<Vec<u32>>,
}
