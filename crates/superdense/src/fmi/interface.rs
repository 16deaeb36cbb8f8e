//! The variables by which another tool sees a model.
//!
//! Every variable is a range of one flat list of numbers, and its value reference is the index of
//! its first element. So the references of an exporter and of the library that runs the archive are
//! the same: both make the list from the compiled model.

use ::fmi::{Causality, Initial, Start, Variability, Variable, VariableType, Version};
use base::{Diagnostic, Diagnostics, Elem, Shape, Type, Value};
use diagram::{ParameterKind, Presence};
use engine::Simulation;
use model::Refused;

use crate::pipeline::Code;
use crate::{InputHandle, InputKind, SignalHandle, System};

/// What a variable is.
#[derive(Clone, Debug)]
pub enum Role {
    /// The time \[s\].
    Time,
    /// A parameter; with a handle if it may change during a run.
    Parameter(Option<InputHandle>),
    /// An input.
    Input(InputHandle),
    /// A recorded signal. One that is not always present keeps its last value.
    Signal {
        /// The signal.
        signal: SignalHandle,
        /// Whether the surroundings are meant to use it.
        output: bool,
        /// Whether it may be absent.
        absent: bool,
        /// Whether its value moves between events.
        moving: bool,
    },
    /// A continuous state, by its index; in Model Exchange.
    State(usize),
    /// The derivative of a continuous state.
    Derivative(usize),
    /// An event indicator.
    Indicator(usize),
}

/// One variable.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The index of its first element, which is its value reference.
    pub first: usize,
    /// The type of its value.
    pub ty: Type,
    /// What it is.
    pub role: Role,
    /// Its value before a run, if it has one.
    pub start: Option<Vec<f64>>,
    /// Its unit.
    pub unit: Option<String>,
    /// What it is in words.
    pub description: Option<String>,
}

impl Port {
    /// The places of its elements.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.ty.len()
    }
}

/// The variables of a model, and the model.
#[derive(Debug)]
pub struct Interface {
    pub(crate) system: System,
    pub(crate) ports: Vec<Port>,
    /// What is not part of it, and why.
    pub(crate) left_out: Vec<String>,
    /// Why it is not for Model Exchange, if it is not.
    pub(crate) without_exchange: Option<String>,
}

impl Interface {
    /// The variables of a compiled model, or why it cannot be used from outside.
    pub fn new(system: &System) -> Result<Interface, Refused> {
        let refused = |found: Vec<Diagnostic>| Refused {
            diagnostics: Diagnostics(found),
            sources: system.sources().clone(),
        };
        if matches!(system.code, Code::FixedStep(_)) {
            let message = "a model with numeric impulses cannot be exported";
            let error = Diagnostic::error("not-exportable", message)
                .note("a run by fixed steps can neither be given inputs nor be read between steps")
                .help("remove `impulses` under `simulate`");
            return Err(refused(vec![error]));
        }
        let mut blocks = system.diagram.blocks.iter();
        if let Some(block) = blocks.find(|own| own.definition.component.is_some()) {
            let message = "a model with an FMU in it cannot be exported";
            let error = Diagnostic::error("not-exportable", message)
                .block(&block.path)
                .help("connect the exported models instead, in the tool that imports them");
            return Err(refused(vec![error]));
        }
        let found = impulses_at_outputs(system);
        if !found.is_empty() {
            return Err(refused(found));
        }
        let mut making = Making { system, ports: Vec::new(), left_out: Vec::new(), next: 0 };
        making.add("time", Type::REAL, Role::Time, None);
        making.parameters();
        making.inputs();
        making.signals();
        let without_exchange = making.states();
        let Making { ports, left_out, .. } = making;
        Ok(Interface { system: system.clone(), ports, left_out, without_exchange })
    }

    /// The compiled model.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The variables, in the order of their references.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Recorded signals that are no variables, each with the reason.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// How many numbers all variables have together.
    pub fn len(&self) -> usize {
        self.ports.last().map_or(0, |last| last.range().end)
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }

    /// The variable that an element belongs to.
    pub fn port_at(&self, element: usize) -> Option<&Port> {
        let after = self.ports.partition_point(|own| own.first <= element);
        let port = self.ports[..after].iter().rev().find(|own| !own.ty.is_empty())?;
        port.range().contains(&element).then_some(port)
    }

    /// The variables as a description lists them.
    pub fn variables(&self, version: Version) -> Vec<Variable> {
        let shown = |own: &&Port| {
            !own.ty.is_empty()
                && (version == Version::Three || !matches!(own.role, Role::Indicator(_)))
        };
        self.ports.iter().filter(shown).map(|own| self.variable(own, version)).collect()
    }
}

/// The errors for outputs that may carry impulses.
fn impulses_at_outputs(system: &System) -> Vec<Diagnostic> {
    let model = &system.origin.model;
    let outputs = &model.diagram(model.root).outputs;
    let carried = outputs.iter().filter(|output| {
        let record = system.diagram.records.iter().find(|own| own.name == output.name.value);
        record.is_some_and(|own| system.diagram.wire(own.wire).orders > 0)
    });
    let error = |output: &model::Output| {
        let message = format!("the output `{}` may carry an impulse", output.name.value);
        Diagnostic::error("not-exportable", message)
            .at(output.name.span, "")
            .note("a variable of an FMU has a value at each instant and no impulses")
            .help("give the signal that the impulse acts on, such as the output of an Integrator")
    };
    carried.map(error).collect()
}

struct Making<'s> {
    system: &'s System,
    ports: Vec<Port>,
    left_out: Vec<String>,
    next: usize,
}

impl Making<'_> {
    /// Adds a variable under a name that no other has.
    fn add(&mut self, name: &str, ty: Type, role: Role, start: Option<Vec<f64>>) -> &mut Port {
        let mut own = name.to_owned();
        while self.ports.iter().any(|other| other.name == own) {
            own += ".out";
        }
        let first = self.next;
        self.next += ty.len();
        self.ports.push(Port { name: own, first, ty, role, start, unit: None, description: None });
        self.ports.last_mut().expect("one has been added")
    }

    fn parameters(&mut self) {
        for own in self.system.parameters() {
            let handle = match own.kind {
                ParameterKind::Tunable => self.system.tunable(&own.name).ok(),
                _ => None,
            };
            let words = match own.words.is_empty() {
                true => None,
                false => Some(format!("0 to {}: {}", own.words.len() - 1, own.words.join(", "))),
            };
            let (ty, data) = (own.value.ty(), own.value.data().to_vec());
            let port = self.add(&own.name, ty, Role::Parameter(handle), Some(data));
            port.unit = own.about.unit.clone();
            port.description = own.about.description.clone().or(words);
        }
    }

    fn inputs(&mut self) {
        let handles = self.system.inputs();
        for (own, handle) in self.system.diagram.inputs.iter().zip(handles) {
            if own.parameter.is_some() {
                continue;
            }
            let start = initial(self.system, &handle);
            let (ty, kind) = (handle.ty(), handle.kind());
            let port = self.add(&own.name, ty, Role::Input(handle), Some(start));
            port.unit = own.about.unit.clone();
            let event = (kind == InputKind::Event)
                .then(|| "Each change of its value is an event with that value.".to_owned());
            port.description = own.about.description.clone().or(event);
        }
    }

    fn signals(&mut self) {
        let model = &self.system.origin.model;
        let outputs = &model.diagram(model.root).outputs;
        let diagram = self.system.diagram.clone();
        for record in diagram.records.iter().filter(|own| !own.hidden) {
            let wire = diagram.wire(record.wire);
            let declared = outputs.iter().find(|own| own.name.value == record.name);
            let is_input = diagram.inputs.iter().any(|own| own.block == wire.block);
            if is_input && declared.is_none() {
                continue;
            }
            if wire.orders > 0 {
                let name = &record.name;
                self.left_out.push(format!("`{name}`, because it may carry an impulse"));
                continue;
            }
            let Ok(signal) = self.system.signal(&record.name) else { continue };
            let absent = wire.between != Presence::Always || wire.ticking != Presence::Always;
            let output = declared.is_some() || outputs.is_empty();
            let unit = signal.unit().map(str::to_owned);
            let moving = wire.moving;
            let role = Role::Signal { signal, output, absent, moving };
            let port = self.add(&record.name, wire.ty, role, None);
            port.unit = unit;
            port.description = declared.and_then(|own| own.about.description.clone());
        }
    }
}

impl Making<'_> {
    /// The states, their derivatives and the indicators of Model Exchange, or why there are none.
    fn states(&mut self) -> Option<String> {
        let Code::Exact(program) = &self.system.code else { return Some(String::new()) };
        let options = (*self.system.options).clone();
        let simulation = Simulation::new(program.clone(), options);
        if let Some(why) = simulation.keeps_its_states() {
            return Some(why.to_owned());
        }
        let inputs = self.system.diagram.inputs.iter();
        let continuous = |own: &&diagram::DiagramInput| own.kind == InputKind::Continuous;
        for own in inputs.filter(continuous) {
            let wire = self.system.diagram.block(own.block).outputs[0];
            if self.system.diagram.wire(wire).derivatives > 0 {
                return Some(format!(
                    "something reads the time derivative of the input `{}`, which an importer \
                     does not give",
                    own.name
                ));
            }
        }
        let mut names = Vec::new();
        for region in &program.regions {
            for (place, block) in region.owners.iter().enumerate() {
                let path = &self.system.diagram.block(*block).path;
                let before = region.owners[..place].iter().filter(|own| *own == block).count();
                let all = region.owners.iter().filter(|own| *own == block).count();
                let index = if all > 1 { format!("[{before}]") } else { String::new() };
                names.push(format!("{path}.state{index}"));
            }
        }
        for (index, name) in names.iter().enumerate() {
            self.add(name, Type::REAL, Role::State(index), None);
        }
        for (index, name) in names.iter().enumerate() {
            self.add(&format!("der({name})"), Type::REAL, Role::Derivative(index), None);
        }
        let (_, indicators) = simulation.outside_counts();
        for index in 0..indicators {
            self.add(&format!("indicator[{index}]"), Type::REAL, Role::Indicator(index), None);
        }
        None
    }
}

/// The value of an input in a run that is not given it.
fn initial(system: &System, handle: &InputHandle) -> Vec<f64> {
    let Code::Exact(program) = &system.code else { return vec![0.0; handle.ty().len()] };
    let own = program.inputs[handle.id()];
    let range = program.tracked(program.states[own.value(0)].tracked).slot.range(own.length);
    program.image[range].to_vec()
}

impl Interface {
    fn variable(&self, port: &Port, version: Version) -> Variable {
        let own = variable(port, version);
        let Role::Derivative(index) = port.role else { return own };
        let state = |own: &&Port| matches!(own.role, Role::State(other) if other == index);
        let state = self.ports.iter().find(state);
        Variable { derivative_of: state.map(|own| own.first as u32), ..own }
    }
}

fn variable(port: &Port, version: Version) -> Variable {
    let ty = match (port.ty.elem, version) {
        (Elem::Real, _) => VariableType::Float64,
        (Elem::Bool, _) => VariableType::Boolean,
        (Elem::Int, Version::Two) => VariableType::Int32,
        (Elem::Int, Version::Three) => VariableType::Int64,
    };
    let moving = match port.ty.elem {
        Elem::Real => Variability::Continuous,
        _ => Variability::Discrete,
    };
    let (causality, variability, initial) = match &port.role {
        Role::Time => (Causality::Independent, Variability::Continuous, None),
        Role::Parameter(Some(_)) => {
            (Causality::Parameter, Variability::Tunable, Some(Initial::Exact))
        }
        Role::Parameter(None) => (Causality::Parameter, Variability::Fixed, Some(Initial::Exact)),
        Role::Input(handle) => match handle.kind() {
            InputKind::Continuous => (Causality::Input, moving, None),
            _ => (Causality::Input, Variability::Discrete, None),
        },
        Role::Signal { output, absent, moving: moves, .. } => {
            let causality = if *output { Causality::Output } else { Causality::Local };
            let variability = if *absent && !moves { Variability::Discrete } else { moving };
            (causality, variability, Some(Initial::Calculated))
        }
        Role::State(_) | Role::Derivative(_) | Role::Indicator(_) => {
            (Causality::Local, Variability::Continuous, Some(Initial::Calculated))
        }
    };
    Variable {
        name: port.name.clone(),
        reference: port.first as u32,
        ty,
        dimensions: match port.ty.shape {
            Shape::Scalar => Vec::new(),
            Shape::Vector(n) => vec![n as usize],
            Shape::Matrix(rows, columns) => vec![rows as usize, columns as usize],
        },
        causality,
        variability,
        initial,
        start: port.start.clone().map(Start::Numbers),
        unit: port.unit.clone().filter(|_| ty == VariableType::Float64),
        nominal: None,
        description: port.description.clone(),
        derivative_of: None,
        reinit: matches!(port.role, Role::State(_)),
    }
}

/// A parameter as a value of a run.
pub(crate) fn value_of(port: &Port, numbers: &[f64]) -> Value {
    Value::from_elements(port.ty, numbers.iter().copied())
}
