//! FMUs of other tools as blocks: ports and parameters from the description of the file. What the
//! functions of a block are depends on who solves it: see `steps.rs` for Co-Simulation, `flows.rs`
//! for Model Exchange.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::fmi::import::{Place, Port};
use ::fmi::{
    Abilities, ArchiveError, Causality, Contents, Description, Initial, Kind, Limits, Start,
    Variability, Variable, VariableType, Version, platform,
};
use base::{Diagnostic, Elem, Shape, Type, Value};
use blocks::{Context, Info, Input, Parameter, Signal, Text};
use ir::{Binary, NodeId};
use model::{Block, Model};

use super::instances::{Instances, Package, Usage};
use super::steps::Steps;
use super::{flows, scout};

/// The fields of a block that are not variables of its FMU.
const OWN_FIELDS: [&str; 16] = [
    "type",
    "file",
    "kind",
    "inputs",
    "for",
    "pass",
    "sliding",
    "period",
    "offset",
    "steps",
    "tolerance",
    "process",
    "time_limit",
    "enabled",
    "trigger",
    "hold",
];

/// The error that outputs may have by default if steps are adaptive.
const TOLERANCE: &str = "1e-4";

/// How long a process may take for one request by default \[s\].
const TIME_LIMIT: &str = "60";

/// The block that a file describes.
pub(crate) fn kind(model: &Model, block: &Block) -> Result<Arc<dyn blocks::Block>, Diagnostic> {
    let Some(file) = &block.file else {
        return Err(
            Diagnostic::error("missing-field", "an FMU needs its `file`").at(block.kind.span, "")
        );
    };
    let text = model.sources.name(file.span.file);
    let path = Path::new(text).parent().unwrap_or(Path::new("")).join(&file.value);
    let bad = |message: String| {
        Diagnostic::error("bad-fmu", format!("`{}`: {message}", path.display()))
            .at(file.span, "")
            .block(&block.name.value)
    };
    let limits = Limits::default();
    let contents = Contents::read(&path, &limits).map_err(|error| {
        let why = match error {
            // The message names the file already.
            ArchiveError::Io(_, error) => error.to_string(),
            error => error.to_string(),
        };
        bad(why).note("the path of a file is relative to that of the model")
    })?;
    let description = &contents.description;
    let kinds = [Kind::CoSimulation, Kind::ModelExchange].into_iter();
    let kinds: Vec<Kind> = kinds.filter(|kind| description.abilities(*kind).is_some()).collect();
    let own = kinds.iter().filter_map(|kind| description.abilities(*kind));
    let place = |identifier: &str| {
        let name = format!("{identifier}{}", std::env::consts::DLL_SUFFIX);
        format!("binaries/{}/{name}", platform(description.version))
    };
    let all = own.map(|own| own.identifier.clone());
    let has = |name: &String| contents.files.iter().any(|(file, _)| *file == place(name));
    let libraries: Vec<String> = all.clone().filter(has).collect();
    if libraries.is_empty() {
        let platforms = contents.platforms();
        let has = match platforms.is_empty() {
            true => "it has no libraries".to_owned(),
            false => format!("it has libraries for {}", platforms.join(", ")),
        };
        let own = place(&all.into_iter().next().unwrap_or_default());
        return Err(bad(format!("there is no library for this machine in it (`{own}`)")).note(has));
    }
    let variables = Variables::of(description).map_err(bad)?;
    let package = Package::new(path.clone(), limits, contents.description);
    let instances = Arc::new(Instances::new(package));
    Ok(Arc::new(FmuBlock { instances, variables, kinds, libraries }))
}

/// The outputs of an FMU by the names that a model uses for them.
pub(super) fn outputs(own: &Description) -> Vec<(String, Variable)> {
    let found = Variables::of(own).map(|own| own.outputs).unwrap_or_default();
    found.into_iter().map(|own| (own.name, own.variable)).collect()
}

/// A variable under the name that a model uses.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    pub variable: Variable,
}

impl Named {
    /// The type of its values in a model.
    pub fn ty(&self) -> Type {
        let elem = match self.variable.ty {
            VariableType::Boolean => Elem::Bool,
            _ => Elem::Real,
        };
        let shape = match self.variable.dimensions[..] {
            [] => Shape::Scalar,
            [rows, columns] => Shape::Matrix(rows as u32, columns as u32),
            _ => Shape::Vector(self.variable.len() as u32),
        };
        Type { elem, shape }
    }

    pub fn port(&self) -> Port {
        let Variable { name, reference, ty, .. } = &self.variable;
        Port {
            name: name.clone(),
            reference: *reference,
            ty: *ty,
            len: self.variable.len(),
            continuous: self.is_continuous(),
        }
    }

    /// Whether it may change between events.
    pub fn is_continuous(&self) -> bool {
        self.variable.ty.is_real() && self.variable.variability == Variability::Continuous
    }

    /// Refuses a signal of another size.
    pub fn fits(&self, cx: &Context, signal: &Signal) -> Result<(), Diagnostic> {
        let (ty, own) = (cx.graph.ty(signal.value), self.ty());
        if ty.shape == own.shape {
            return Ok(());
        }
        let message = format!(
            "the input `{}` is {}, and it is given {}",
            self.name,
            own.with_article(),
            ty.with_article()
        );
        Err(Diagnostic::error("type-mismatch", message))
    }

    /// The start value in the description, as numbers of a state.
    pub fn start(&self) -> Value {
        let ty = self.ty().with_elem(Elem::Real);
        match &self.variable.start {
            Some(Start::Numbers(all)) if all.len() == ty.len() => Value::new(ty, all.clone()),
            Some(Start::Numbers(all)) if all.len() == 1 => Value::new(ty, vec![all[0]; ty.len()]),
            _ => Value::new(ty, vec![0.0; ty.len()]),
        }
    }

    /// What it is, with its unit.
    fn about(&self) -> Text {
        let own = &self.variable;
        let mut text = own.description.clone().unwrap_or_default();
        if own.name != self.name {
            text = format!("`{}` {text}", own.name);
        }
        if let Some(unit) = &own.unit {
            text = format!("{text} [{unit}]");
        }
        text.trim().to_owned().into()
    }
}

/// The variables that a block has as fields and outputs.
#[derive(Debug)]
pub(super) struct Variables {
    pub inputs: Vec<Named>,
    pub outputs: Vec<Named>,
    /// Parameters, and variables whose start value may be given.
    parameters: Vec<Named>,
    /// The default communication step, as a text \[s\].
    period: Option<String>,
    name: String,
    summary: String,
}

impl Variables {
    fn of(own: &Description) -> Result<Variables, String> {
        let mut fields: BTreeSet<String> = OWN_FIELDS.map(str::to_owned).into();
        let of = |chosen: &dyn Fn(&Variable) -> bool, taken: &mut BTreeSet<String>| {
            let all = own.variables.iter().filter(|own| own.ty.is_number() && chosen(own));
            let named = |variable: &Variable| Named {
                name: plain_name(&variable.name, taken),
                variable: variable.clone(),
            };
            all.map(named).collect::<Vec<_>>()
        };
        let inputs = of(&|own| own.causality == Causality::Input, &mut fields);
        let parameters = of(&is_settable, &mut fields);
        // Some examples of the standard have nothing but local variables to show.
        let shown = [Causality::Output, Causality::Local].into_iter();
        let mut shown = shown.map(|one| of(&|own| own.causality == one, &mut BTreeSet::new()));
        let Some(outputs) = shown.find(|own| !own.is_empty()) else {
            return Err("it has neither outputs nor local variables that are numbers".to_owned());
        };
        let step = own.experiment.step.filter(|step| *step > 0.0 && step.is_finite());
        Ok(Variables {
            inputs,
            outputs,
            parameters,
            period: step.map(|step| step.to_string()),
            name: own.name.clone(),
            summary: own.description.clone().unwrap_or_else(|| own.name.clone()),
        })
    }
}

/// Whether a value may be given before initialisation.
fn is_settable(own: &Variable) -> bool {
    let exact = own.initial == Some(Initial::Exact) && own.variability != Variability::Constant;
    match own.causality {
        Causality::Parameter => own.variability != Variability::Constant,
        Causality::Output | Causality::Local => exact && own.start.is_some(),
        _ => false,
    }
}

/// A name that a model can use: whatever is no letter, digit or underscore becomes an underscore.
fn plain_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut plain = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => plain.push(c),
            _ if plain.ends_with('_') => {}
            _ => plain.push('_'),
        }
    }
    let mut plain = plain.trim_end_matches('_').to_owned();
    if plain.starts_with(|c: char| c.is_ascii_digit()) || plain.is_empty() {
        plain.insert(0, 'v');
    }
    while !taken.insert(plain.clone()) {
        plain.push('_');
    }
    plain
}

/// A start value as an expression.
fn written(value: &Value, ty: Type) -> String {
    let one = |x: &f64| match (*x, ty.elem) {
        (x, Elem::Bool) => (x != 0.0).to_string(),
        (f64::INFINITY, _) => "inf".to_owned(),
        (f64::NEG_INFINITY, _) => "-inf".to_owned(),
        (x, _) => format!("{x:?}"),
    };
    let list = |all: &[f64]| format!("[{}]", all.iter().map(one).collect::<Vec<_>>().join(", "));
    match ty.shape {
        Shape::Scalar => one(&value.data()[0]),
        Shape::Vector(_) => list(value.data()),
        Shape::Matrix(_, columns) => {
            let rows = value.data().chunks(columns.max(1) as usize).map(list);
            format!("[{}]", rows.collect::<Vec<_>>().join(", "))
        }
    }
}

/// An FMU as a kind of block.
#[derive(Debug)]
pub(super) struct FmuBlock {
    pub instances: Arc<Instances>,
    pub variables: Variables,
    /// The kinds that it has, the default first.
    kinds: Vec<Kind>,
    /// The libraries for this machine.
    libraries: Vec<String>,
}

impl FmuBlock {
    /// What it can do in a kind that it has.
    pub fn abilities(&self, kind: Kind) -> Abilities {
        self.instances.description().abilities(kind).cloned().unwrap_or_default()
    }

    /// Whether inputs may have derivatives in Co-Simulation.
    pub fn moves_inputs(&self) -> bool {
        let two = self.instances.description().version == Version::Two;
        two && self.abilities(Kind::CoSimulation).input_derivatives
    }

    /// How it uses instances, apart from what is computed at points.
    pub fn usage(
        &self,
        cx: &mut Context,
        kind: Kind,
        inputs: Vec<Port>,
        given: Vec<Port>,
    ) -> Result<Usage, Diagnostic> {
        let abilities = self.abilities(kind);
        Ok(Usage {
            instances: self.instances.clone(),
            kind,
            place: place(cx, abilities.only_one)?,
            inputs,
            outputs: self.variables.outputs.iter().map(Named::port).collect(),
            given,
            name: self.variables.name.clone(),
            states: 0,
            indicators: 0,
            looks: Vec::new(),
            directional: None,
            completes: !abilities.needs_no_completed_steps,
            ahead: None,
        })
    }
}

/// The word for a kind.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::CoSimulation => "co_simulation",
        Kind::ModelExchange => "model_exchange",
    }
}

impl blocks::Block for FmuBlock {
    fn info(&self) -> Info {
        let own = &self.variables;
        let info = Info::new("FMU", "Foreign", own.summary.clone())
            .absence("The outputs are always present. An absent input keeps its last value.")
            .impulses("An impulse at an input at a communication point is an error.");
        let inputs = own.inputs.iter().map(|one| Input::optional(one.name.clone(), one.about()));
        let info = inputs.fold(info, Info::input);
        let outputs = own.outputs.iter();
        let info = outputs.fold(info, |info, one| info.output(one.name.clone(), one.about()));
        let words: Vec<&'static str> = self.kinds.iter().map(|kind| word(*kind)).collect();
        let info = info.parameter(
            Parameter::word("kind", "Who solves it: `co_simulation`, the FMU itself; `model_exchange`, the solver of the run.", words.clone())
                .default(words[0]),
        );
        let info = match self.kinds.contains(&Kind::CoSimulation) {
            true => info.parameter(period_of(own.period.as_deref(), words.len())).parameter(
                Parameter::time("offset", "Co-Simulation: the first communication point [s].")
                    .default("0"),
            )
            .parameter(
                Parameter::word("steps", "Co-Simulation: `fixed`, all of the length `period`; `adaptive`, up to that length, so that outputs are accurate and events are met.", ["fixed", "adaptive"])
                    .default("fixed"),
            )
            .parameter(
                Parameter::real("tolerance", "Co-Simulation with adaptive steps: how wrong outputs may be, relative to the larger of their value and their nominal value.")
                    .default(TOLERANCE),
            ),
            false => info,
        };
        let info = match self.moves_inputs() {
            true => info.parameter(
                Parameter::word(
                    "inputs",
                    "Co-Simulation: how continuous inputs move within a step: `constant`, with their values at its begin, or `linear`, to those just before its end.",
                    ["constant", "linear"],
                )
                .default("constant"),
            ),
            false => info,
        };
        let info = info
            .parameter(
                Parameter::word("process", "Where its library runs.", ["own", "here"])
                    .default("own"),
            )
            .parameter(
                Parameter::real("time_limit", "How long its process may take for one step [s].")
                    .default(TIME_LIMIT),
            );
        own.parameters.iter().fold(info, |info, one| {
            let default = written(&one.start(), one.ty());
            info.parameter(Parameter::value(one.name.clone(), one.about()).default(default))
        })
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        if cx.impulses().steps() {
            let message = "an FMU takes no part in a run with numeric impulses";
            return Err(Diagnostic::error("bad-fmu", message));
        }
        let chosen = cx.word("kind");
        let kind = self.kinds.iter().copied().find(|kind| word(*kind) == chosen);
        let kind = kind.unwrap_or(self.kinds[0]);
        let library = &self.abilities(kind).identifier;
        if !self.libraries.contains(library) {
            let message = format!("the FMU has no library for {kind} on this machine");
            return Err(Diagnostic::error("bad-fmu", message));
        }
        match kind {
            Kind::CoSimulation if cx.word("steps") == "adaptive" => scout::define(self, cx),
            Kind::CoSimulation => Steps::new(self, cx)?.define(self, cx),
            Kind::ModelExchange => flows::define(self, cx),
        }
    }
}

/// The communication step, which must be given if the file has none and nothing else is possible.
fn period_of(default: Option<&str>, kinds: usize) -> Parameter {
    let about = "Co-Simulation: the time between two communication points, or the longest if steps are adaptive [s].";
    let period = Parameter::time("period", about);
    match default {
        Some(default) => period.default(default.to_owned()),
        None if kinds > 1 => period.default("0"),
        None => period,
    }
}

/// A value as real numbers; truth values are 0 and 1.
pub(super) fn real(cx: &mut Context, value: NodeId) -> NodeId {
    if cx.graph.ty(value).elem == Elem::Real {
        return value;
    }
    let zero = cx.graph.real(0.0);
    cx.graph.add(value, zero)
}

pub(super) fn output(cx: &mut Context, value: NodeId, ty: Type) -> Signal {
    if ty.elem != Elem::Bool {
        return cx.always(value);
    }
    let zero = cx.graph.real(0.0);
    let no = cx.graph.binary(Binary::Equal, value, zero);
    let yes = cx.graph.not(no);
    cx.always(yes)
}

/// The parameters whose values are not those of the description, and their nodes.
pub(super) fn parameters(
    block: &FmuBlock,
    cx: &mut Context,
) -> Result<(Vec<Port>, Vec<NodeId>), Diagnostic> {
    let (mut ports, mut nodes) = (Vec::new(), Vec::new());
    for one in &block.variables.parameters {
        let value = cx.open_value(&one.name);
        let same = value.open().is_none() && value.data() == one.start().data();
        if value.ty().len() != one.ty().len() {
            let message = format!(
                "`{}` has {} elements instead of {}",
                one.name,
                value.ty().len(),
                one.ty().len()
            );
            return Err(Diagnostic::error("type-mismatch", message));
        }
        if !same {
            ports.push(one.port());
            let node = cx.constant(&one.name);
            nodes.push(real(cx, node));
        }
    }
    Ok((ports, nodes))
}

/// Where the library runs.
pub(super) fn place(cx: &mut Context, only_one: bool) -> Result<Place, Diagnostic> {
    let limit = cx.real("time_limit");
    if cx.word("process") == "here" && only_one {
        let message =
            "this FMU may have one instance in a process only, which a run cannot promise";
        return Err(Diagnostic::error("bad-fmu", message).help("leave `process: here` out"));
    }
    if cx.word("process") == "here" {
        return Ok(Place::Here);
    }
    match Duration::try_from_secs_f64(limit) {
        Ok(limit) if !limit.is_zero() => Ok(Place::Apart(limit)),
        _ => {
            let message = "`time_limit` must be a positive number of seconds";
            Err(Diagnostic::error("bad-parameter", message))
        }
    }
}
