//! FMUs of other tools as blocks: ports and parameters from the description of the file, and the
//! functions of a block for Co-Simulation.
//!
//! At each communication point the instance is given the inputs that the point before ended with,
//! and takes a step up to the present; then its outputs are read and held. So outputs follow from
//! inputs of the past only, as the standard has it, and FMUs may be in loops. At the first
//! communication point the instance is initialised, and while that instant lasts, inputs that change
//! are handed to it and outputs read again, one microstep later.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::fmi::import::{Place, Port};
use ::fmi::{
    Causality, Contents, Description, Initial, Kind, Limits, Start, Variability, Variable,
    VariableType, platform,
};
use base::{Diagnostic, Elem, Shape, Type, Value};
use blocks::{Context, Every, Info, Input, Parameter, Signal, Text};
use ir::{Binary, NodeId};
use model::{Block, Model};

use super::instances::{Call, Instances, Package};

/// The fields of a block that are not variables of its FMU.
const OWN_FIELDS: [&str; 12] = [
    "type",
    "file",
    "for",
    "pass",
    "sliding",
    "period",
    "offset",
    "process",
    "time_limit",
    "enabled",
    "trigger",
    "hold",
];

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
        bad(error.to_string()).note("the path of a file is relative to that of the model")
    })?;
    let description = &contents.description;
    let Some(abilities) = &description.co_simulation else {
        let help = "export it for Co-Simulation";
        return Err(
            bad("it is for Model Exchange only, which a block cannot use".to_owned()).help(help)
        );
    };
    let name = format!("{}{}", abilities.identifier, std::env::consts::DLL_SUFFIX);
    let own = format!("binaries/{}/{name}", platform(description.version));
    if !contents.files.iter().any(|(name, _)| *name == own) {
        let platforms = contents.platforms();
        let has = match platforms.is_empty() {
            true => "it has no libraries".to_owned(),
            false => format!("it has libraries for {}", platforms.join(", ")),
        };
        return Err(bad(format!("there is no library for this machine in it (`{own}`)")).note(has));
    }
    let variables = Variables::of(description).map_err(bad)?;
    let package = Package::new(path.clone(), limits, contents.description);
    let instances = Arc::new(Instances::new(package));
    Ok(Arc::new(FmuBlock { instances, variables }))
}

/// The outputs of an FMU by the names that a model uses for them.
pub(super) fn outputs(own: &Description) -> Vec<(String, Variable)> {
    let found = Variables::of(own).map(|own| own.outputs).unwrap_or_default();
    found.into_iter().map(|own| (own.name, own.variable)).collect()
}

/// A variable under the name that a model uses.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    variable: Variable,
}

impl Named {
    /// The type of its values in a model.
    fn ty(&self) -> Type {
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

    fn port(&self) -> Port {
        let Variable { name, reference, ty, .. } = &self.variable;
        Port { name: name.clone(), reference: *reference, ty: *ty, len: self.variable.len() }
    }

    /// The start value in the description, as numbers of a state.
    fn start(&self) -> Value {
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
struct Variables {
    inputs: Vec<Named>,
    outputs: Vec<Named>,
    /// Parameters, and variables whose start value may be given.
    parameters: Vec<Named>,
    /// The default communication step, as a text \[s\].
    period: Option<String>,
    /// Whether steps may differ in length.
    variable_steps: bool,
    /// Whether a process may have one instance only.
    only_one: bool,
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
        let outputs = of(&|own| own.causality == Causality::Output, &mut BTreeSet::new());
        if outputs.is_empty() {
            return Err("it has no outputs that are numbers".to_owned());
        }
        let step = own.experiment.step.filter(|step| *step > 0.0 && step.is_finite());
        Ok(Variables {
            inputs,
            outputs,
            parameters,
            period: step.map(|step| step.to_string()),
            variable_steps: own.co_simulation.as_ref().is_some_and(|own| own.variable_steps),
            only_one: own.co_simulation.as_ref().is_some_and(|own| own.only_one),
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
struct FmuBlock {
    instances: Arc<Instances>,
    variables: Variables,
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
        let period = Parameter::time("period", "The time between two communication points [s].");
        let info = info
            .parameter(match &own.period {
                Some(period) => period_of(period),
                None => period,
            })
            .parameter(Parameter::time("offset", "The first communication point [s].").default("0"))
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
        Steps::new(self, cx)?.define(self, cx)
    }
}

fn period_of(default: &str) -> Parameter {
    let about = "The time between two communication points [s].";
    Parameter::time("period", about).default(default.to_owned())
}

/// What is common to the functions of a block for Co-Simulation.
struct Steps {
    /// Whether this microstep is a communication point.
    woken: NodeId,
    /// Whether this is a later microstep of the last communication point.
    again: NodeId,
    instance: NodeId,
    steps: NodeId,
    last: NodeId,
    now: NodeId,
}

impl Steps {
    fn new(block: &FmuBlock, cx: &mut Context) -> Result<Steps, Diagnostic> {
        let timer = Every { offset: cx.time("offset"), period: cx.period("period")? };
        let instance = cx.instance(block.instances.clone());
        let steps = cx.state("steps", Value::real(0.0));
        let last = cx.state("last", Value::real(0.0));
        let (woken, _) = cx.timer(Arc::new(timer));
        let (ticking, now) = (cx.ticking(), cx.now());
        let (zero, one) = (cx.graph.real(0.0), cx.graph.real(1.0));
        let none = cx.graph.binary(Binary::Equal, steps, zero);
        let begun = cx.graph.not(none);
        // Time does not run backwards, so that it is the same unless it is later.
        let same = cx.graph.binary(Binary::LessEqual, now, last);
        let again = cx.graph.and(begun, same);
        let again = cx.graph.and(ticking, again);
        let more = cx.graph.add(steps, one);
        let next = cx.graph.select(woken, more, steps);
        cx.next(steps, next);
        let next = cx.graph.select(woken, now, last);
        cx.next(last, next);
        Ok(Steps { woken, again, instance, steps, last, now })
    }

    fn define(&self, block: &FmuBlock, cx: &mut Context) -> Result<(), Diagnostic> {
        let (inputs, held) = self.inputs(block, cx)?;
        let (given, values) = parameters(block, cx)?;
        let one = cx.graph.real(1.0);
        let first = cx.graph.binary(Binary::Equal, self.steps, one);
        let initialising = cx.graph.and(self.again, first);
        let busy = cx.graph.or(self.woken, initialising);
        let mut args = vec![busy, self.instance, self.steps, self.last, self.now];
        args.extend(values);
        args.extend(held);
        let own = &block.variables;
        let length: usize = own.outputs.iter().map(|one| one.variable.len()).sum();
        let call = Call {
            instances: block.instances.clone(),
            kind: Kind::CoSimulation,
            place: place(cx, own.only_one)?,
            inputs,
            outputs: own.outputs.iter().map(Named::port).collect(),
            given,
            variable_steps: own.variable_steps,
            name: own.name.clone(),
        };
        let result = Type::vector((Call::FLAGS + length) as u32);
        let whole = cx.graph.call(Arc::new(call), &args, result);
        let failed = self.flag(cx, whole, Call::FAILED, busy);
        cx.refuse_where(failed, "the FMU failed");
        let ended = self.flag(cx, whole, Call::ENDED, busy);
        cx.end_where(ended);
        let mut offset = Call::FLAGS;
        for one in &own.outputs {
            let ty = one.ty();
            let new = cx.graph.extract(whole, offset, ty.shape);
            offset += ty.len();
            let held = cx.state(format!("held {}", one.name), one.start());
            let value = cx.graph.select(busy, new, held);
            cx.next(held, value);
            let signal = output(cx, value, ty);
            cx.output(&one.name, signal);
        }
        Ok(())
    }

    fn flag(&self, cx: &mut Context, whole: NodeId, index: usize, busy: NodeId) -> NodeId {
        let (value, one) = (cx.graph.extract(whole, index, Shape::Scalar), cx.graph.real(1.0));
        let set = cx.graph.binary(Binary::Equal, value, one);
        cx.graph.and(busy, set)
    }

    /// The inputs that are connected, and their values at the last communication point.
    fn inputs(
        &self,
        block: &FmuBlock,
        cx: &mut Context,
    ) -> Result<(Vec<Port>, Vec<NodeId>), Diagnostic> {
        let sampled = cx.graph.or(self.woken, self.again);
        let (mut ports, mut nodes) = (Vec::new(), Vec::new());
        for one in &block.variables.inputs {
            let Some(signal) = cx.optional(&one.name) else { continue };
            let (ty, own) = (cx.graph.ty(signal.value), one.ty());
            if ty.shape != own.shape {
                let message = format!(
                    "the input `{}` is {}, and it is given {}",
                    one.name,
                    own.with_article(),
                    ty.with_article()
                );
                return Err(Diagnostic::error("type-mismatch", message));
            }
            cx.refuse_sampling(&signal, sampled);
            let held = cx.state(format!("held {}", one.name), one.start());
            let value = real(cx, signal.value);
            let taken = cx.graph.and(sampled, signal.present);
            let next = cx.graph.select(taken, value, held);
            cx.next(held, next);
            ports.push(one.port());
            nodes.push(held);
        }
        Ok((ports, nodes))
    }
}

/// A value as real numbers; truth values are 0 and 1.
fn real(cx: &mut Context, value: NodeId) -> NodeId {
    if cx.graph.ty(value).elem == Elem::Real {
        return value;
    }
    let zero = cx.graph.real(0.0);
    cx.graph.add(value, zero)
}

fn output(cx: &mut Context, value: NodeId, ty: Type) -> Signal {
    if ty.elem != Elem::Bool {
        return cx.always(value);
    }
    let zero = cx.graph.real(0.0);
    let no = cx.graph.binary(Binary::Equal, value, zero);
    let yes = cx.graph.not(no);
    cx.always(yes)
}

/// The parameters whose values are not those of the description, and their nodes.
fn parameters(block: &FmuBlock, cx: &mut Context) -> Result<(Vec<Port>, Vec<NodeId>), Diagnostic> {
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
fn place(cx: &mut Context, only_one: bool) -> Result<Place, Diagnostic> {
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
