//! From a request to a sweep: texts are read, names are looked up, and the model is compiled with
//! everything recorded that is measured.

use std::collections::HashSet;
use std::path::Path;

use base::{Diagnostic, Diagnostics, Elem, Rational, SourceMap, Time, Value, did_you_mean};
use blocks::Library;
use diagram::{ParameterKind, Presence, Rows, RowsPer, Settings};
use expr::Place;
use model::{Model, Record, Refused};
use sweep::{Axis, Kind, Measure, Method, Plan, Sets, Values, Written};
use trace::{Column, FlatColumn, FlatKind, read_flat};

use super::{Failure, Parameter, Sweep, SweepRequest};
use crate::{HoldError, System};

/// How many rows there are between the start and the stop for what is measured of a curve, beside
/// one at each step.
const ROWS_OF_A_CURVE: i128 = 1000;

/// A measure and the recorded element that it is made of.
#[derive(Debug)]
pub(super) struct Measured {
    pub measure: Measure,
    pub column: usize,
    pub element: usize,
    /// Whether the signal consists of events.
    pub events: bool,
    pub is_truth: bool,
    /// Whether the signal always has a value, which can be read at the end.
    pub always: bool,
    pub labels: Vec<String>,
}

/// How many columns follow the measures: how the run ended, and the code and message of an error.
pub fn ending_columns() -> usize {
    ENDING.len()
}

const ENDING: [&str; 3] = ["ended", "code", "message"];

impl Sweep {
    /// The sweep that a request asks for, over a model whose settings and other parameters are
    /// overridden; or everything that is wrong with it.
    pub fn new(
        model: &Model,
        library: &Library,
        overrides: &Settings,
        request: &SweepRequest,
    ) -> Result<Sweep, Refused> {
        let mut reading = Reading { sources: SourceMap::default(), errors: Diagnostics::default() };
        let measures = reading.measures(&request.measures);
        reading.done()?;
        let bare = System::compile_with(model, library, overrides)?;
        let mut reading = Reading { sources: SourceMap::default(), errors: Diagnostics::default() };
        let plan = reading.plan(model, &bare, request);
        reading.done()?;
        let plan = plan.expect("there was no error");
        let measures = if measures.is_empty() { ends(&bare) } else { measures };
        let system = recording(model, library, overrides, &bare, &measures)?;
        let refused = |errors| Refused { diagnostics: errors, sources: system.sources().clone() };
        let measured = measured(&system, measures).map_err(refused)?;
        let (parameters, notes) = parameters(&system, &plan);
        let mut columns = vec![FlatColumn::new("run", FlatKind::Integer)];
        columns.extend(parameters.iter().flat_map(|own| own.columns(&system)));
        columns.extend(plan.repeats().map(|_| FlatColumn::new("seed", FlatKind::Integer)));
        let first_measure = columns.len();
        columns.extend(measured.iter().map(Measured::column));
        columns.extend(ENDING.map(|name| FlatColumn::new(name, FlatKind::Text)));
        make_unique(&mut columns);
        let compiled = Default::default();
        let failure = Failure(None);
        Ok(Sweep {
            plan,
            system,
            measured,
            columns,
            first_measure,
            parameters,
            compiled,
            notes,
            failure,
            side_by_side: false.into(),
            traces: None,
        })
    }

    /// The rows that the measures need in runs of a system.
    pub(super) fn measured_rows(&self, system: &System) -> Rows {
        let curve = self.measured.iter().any(|own| own.measure.kind.is_of_a_curve());
        let (start, stop) = (system.settings().start.time(), system.settings().stop);
        let length = Time::to_rational(stop - start);
        let every = base::checked_quotient(length, Rational::from_integer(ROWS_OF_A_CURVE));
        let every = every.filter(|every| curve && *every > Rational::from_integer(0));
        let at = self.measured.iter().filter_map(|own| match own.measure.kind {
            Kind::At(time) => Time::from_f64(time),
            _ => None,
        });
        let mut times: Vec<Time> = at.collect();
        times.sort_unstable();
        times.dedup();
        Rows { steps: curve, every, times, per: RowsPer::Microstep }
    }
}

/// Reads texts, and gathers what is wrong with them.
struct Reading {
    sources: SourceMap,
    errors: Diagnostics,
}

impl Reading {
    fn done(self) -> Result<(), Refused> {
        let Reading { sources, errors } = self;
        errors.or(()).map_err(|diagnostics| Refused { diagnostics, sources })
    }

    fn measures(&mut self, texts: &[String]) -> Vec<Measure> {
        let mut all: Vec<Measure> = Vec::new();
        for text in texts {
            let file = self.sources.add("measure", text.as_str());
            let written = Written::new(text, Place::Verbatim(file, 0));
            let Some(measure) = self.errors.keep(Measure::read(written)) else { continue };
            if all.iter().any(|own| own.name == measure.name) {
                let message = format!("two measures are called `{}`", measure.name);
                self.errors.push(written.wrong(message).help("name one, such as `peak=max(y)`"));
            }
            all.push(measure);
        }
        all
    }

    fn plan(&mut self, model: &Model, system: &System, request: &SweepRequest) -> Option<Plan> {
        let known = system.parameters();
        let mut axes = Vec::new();
        for (name, text) in &request.parameters {
            let file = self.sources.add(format!("values of {name}"), text.as_str());
            let written = Written::new(text, Place::Verbatim(file, 0));
            if !known.iter().any(|own| own.name == *name) {
                let names = known.iter().map(|own| own.name.as_str());
                let error = unknown_parameter(system, name, names);
                self.errors.push(error.at(written.span(), "its values"));
                continue;
            }
            let values = Values::read(written, &|item| value(model, system, name, item));
            if let Some(values) = self.errors.keep(values) {
                axes.push(Axis { name: name.clone(), values });
            }
        }
        let sets = request.sets.as_deref().map(|path| sets(path, system));
        let sets = self.errors.keep(sets.transpose())?;
        if self.errors.has_errors() {
            return None;
        }
        let method = request.method.unwrap_or(Method::Random);
        let seed = request.seed.unwrap_or(system.settings().seed);
        let SweepRequest { samples, repeats, .. } = *request;
        self.errors.keep(Plan::new(sets, axes, samples, method, repeats, seed))
    }
}

/// The error for what is swept and is no parameter.
fn unknown_parameter<'n>(
    system: &System,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Diagnostic {
    let error = diagram::unknown_parameter(name, known.clone());
    if system.schema().columns().iter().any(|column| column.name == name) {
        return error.note(format!("`{name}` is a recorded signal, which a run computes"));
    }
    if model::RunSetting::ALL.iter().any(|own| own.key() == name) {
        let note = format!("`{name}` is a setting: write it over a parameter, and sweep that");
        return error.note(note);
    }
    match (error.help.is_some(), known.count()) {
        (false, 0) => error.help("the model has no parameters; write them under `parameters`"),
        _ => error,
    }
}

/// One value of a parameter, checked against its type.
fn value(
    model: &Model,
    system: &System,
    name: &str,
    item: Written<'_>,
) -> Result<Value, Diagnostic> {
    let own = &model.diagram(model.root).parameters;
    let words = own.iter().find(|own| own.name.value == name).map(|own| &own.words);
    if let Some(words) = words.filter(|words| !words.is_empty()) {
        let index = words.iter().position(|word| word.value == item.text);
        return index.map(|index| Value::int(index as i64)).ok_or_else(|| {
            let all: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
            let message = format!("`{name}` must be one of {}", all.join(", "));
            let near = did_you_mean(item.text, all.iter().copied());
            Diagnostic::error("unknown-word", message)
                .at(item.span(), "not one of them")
                .maybe_help(near)
        });
    }
    let value = item.value()?;
    let known = system.parameters();
    let Some(own) = known.iter().find(|own| own.name == name) else { return Ok(value) };
    let (expected, given) = (own.value.ty(), value.ty());
    let is_truth = |elem: Elem| elem == Elem::Bool;
    if expected.shape != given.shape || is_truth(expected.elem) != is_truth(given.elem) {
        let message = format!(
            "`{name}` is {}, and this is {}",
            expected.with_article(),
            given.with_article()
        );
        return Err(item.wrong(message));
    }
    if value.data().iter().any(|x| x.is_nan()) {
        return Err(item.wrong("this is not a number"));
    }
    Ok(value)
}

/// The rows of a table of parameter sets. A parameter of several elements has a column for each.
fn sets(path: &Path, system: &System) -> Result<Sets, Diagnostic> {
    let table = read_flat(path).map_err(|error| {
        Diagnostic::error("bad-sweep", error.to_string()).maybe_help(error.help)
    })?;
    let known = system.parameters();
    let mut names: Vec<String> = Vec::new();
    let mut places: Vec<(base::Type, Vec<usize>)> = Vec::new();
    let mut used = HashSet::new();
    for own in &known {
        let ty = own.value.ty();
        let elements = Column { name: own.name.clone(), ty }.element_names();
        let columns = elements.iter().map(|name| table.names.iter().position(|own| own == name));
        let columns: Vec<Option<usize>> = columns.collect();
        if columns.iter().all(Option::is_none) {
            continue;
        }
        if let Some(missing) = columns.iter().position(Option::is_none) {
            let message = format!("{}: no column `{}`", path.display(), elements[missing]);
            return Err(Diagnostic::error("bad-sweep", message)
                .help("a parameter of several elements needs a column for each"));
        }
        let columns: Vec<usize> = columns.into_iter().flatten().collect();
        used.extend(columns.iter().copied());
        names.push(own.name.clone());
        places.push((ty, columns));
    }
    if let Some(other) = (0..table.names.len()).find(|index| !used.contains(index)) {
        let all = known.iter().map(|own| own.name.as_str());
        return Err(diagram::unknown_parameter(&table.names[other], all)
            .note(format!("it is a column of {}", path.display())));
    }
    let row = |numbers: &Vec<f64>| {
        let value = |(ty, columns): &(base::Type, Vec<usize>)| {
            let data: Vec<f64> = columns.iter().map(|column| numbers[*column]).collect();
            let elem = if ty.elem == Elem::Bool { Elem::Bool } else { Elem::Real };
            match (data[..].as_ref(), elem) {
                // Numbers of a table are the decimals that they were written as.
                ([one], Elem::Real) => exact(*one),
                _ => Value::new(base::Type { elem, ..*ty }, data),
            }
        };
        places.iter().map(value).collect()
    };
    Ok(Sets { rows: table.rows.iter().map(row).collect(), names })
}

/// The value of the shortest decimal that reads as a float.
fn exact(number: f64) -> Value {
    match base::parse_decimal(number.to_string().trim_start_matches('-')) {
        Some(found) => Value::rational(if number.is_sign_negative() { -found } else { found }),
        None => Value::real(number),
    }
}

/// The last value of every recorded element.
fn ends(system: &System) -> Vec<Measure> {
    let schema = system.schema();
    let names = schema.columns().iter().flat_map(Column::element_names);
    names.map(|name| Measure::end(&name)).collect()
}

/// The column and the element that a text names.
pub(super) fn element(columns: &[Column], text: &str) -> Option<(usize, usize)> {
    columns.iter().enumerate().find_map(|(index, column)| {
        let names = column.element_names();
        Some((index, names.iter().position(|name| name == text)?))
    })
}

/// The system that also records the expressions that are measured, without rows of its own that
/// nobody reads.
fn recording(
    model: &Model,
    library: &Library,
    overrides: &Settings,
    bare: &System,
    measures: &[Measure],
) -> Result<System, Refused> {
    let mut model = model.clone();
    let schema = bare.schema();
    let mut added: Vec<&str> = Vec::new();
    for measure in measures {
        let of = measure.of.as_str();
        if element(schema.columns(), of).is_some() || added.contains(&of) {
            continue;
        }
        let file = model.sources.add("measure", of);
        let value = expr::parse(of, Place::Verbatim(file, 0));
        let value = value.map_err(|error| Refused {
            diagnostics: error.into(),
            sources: model.sources.clone(),
        })?;
        model.record.push(Record { name: of.to_owned(), value });
        added.push(of);
    }
    match added.is_empty() {
        true => Ok(bare.clone()),
        false => System::compile_with(&model, library, overrides),
    }
}

fn measured(system: &System, measures: Vec<Measure>) -> Result<Vec<Measured>, Diagnostics> {
    let schema = system.schema();
    let mut errors = Diagnostics::default();
    let shown = system.diagram.records.iter().filter(|record| !record.hidden);
    let records: Vec<_> = shown.collect();
    let (start, stop) = (system.settings().start.time(), system.settings().stop);
    let mut all = Vec::new();
    for measure in measures {
        let Some((column, element)) = element(schema.columns(), &measure.of) else {
            let ty = schema.columns().iter().find(|own| own.name == measure.of).map(|own| own.ty);
            let what = ty.map_or("nothing".to_owned(), base::Type::with_article);
            let message = format!("`{}` is {what}, and a measure is a number", measure.of);
            errors.push(
                Diagnostic::error("bad-sweep", message).help("measure an element, such as `x[0]`"),
            );
            continue;
        };
        let wire = system.diagram.wire(records[column].wire);
        let (events, always) = (wire.between == Presence::Never, wire.between == Presence::Always);
        let is_truth = schema.columns()[column].ty.elem == Elem::Bool;
        let labels = schema.labels(column).to_vec();
        let wrong =
            |message: String, help: &str| Diagnostic::error("bad-sweep", message).help(help);
        let (name, of) = (&measure.name, &measure.of);
        if measure.kind.counts() && !events && !is_truth && wire.between != Presence::Varies {
            let message =
                format!("`{name}` counts `{of}`, which is neither an event nor a condition");
            errors.push(wrong(message, "count an event, or a condition such as `y > 1`"));
        }
        if let Kind::At(time) = measure.kind
            && !Time::from_f64(time).is_some_and(|time| start <= time && time <= stop)
        {
            let message = format!("`{name}` is at a time outside the run");
            errors.push(wrong(message, "the run goes from `start` to `stop`"));
        }
        if measure.kind.is_of_a_curve() && events && !matches!(measure.kind, Kind::Min | Kind::Max)
        {
            let message = format!("`{name}` is of `{of}`, which consists of events");
            let help = "hold the last value of the events with a ZeroOrderHold block, or use `min`, \
                        `max`, `count`, `time` or `end`";
            errors.push(wrong(message, help));
        }
        all.push(Measured { measure, column, element, events, is_truth, always, labels });
    }
    errors.or(all)
}

impl Measured {
    fn column(&self) -> FlatColumn {
        let kind = match self.measure.kind {
            Kind::Count => FlatKind::Integer,
            Kind::End if !self.labels.is_empty() => FlatKind::Text,
            Kind::End if self.is_truth => FlatKind::Truth,
            _ => FlatKind::Number,
        };
        FlatColumn::new(&self.measure.name, kind)
    }
}

/// What is known about the parameters of a plan, and notes about those that are structural.
fn parameters(system: &System, plan: &Plan) -> (Vec<Parameter>, Vec<Diagnostic>) {
    let known = system.parameters();
    let mut notes = Vec::new();
    let mut all = Vec::new();
    for name in plan.names() {
        let own = known.iter().find(|own| own.name == name).expect("the name was looked up");
        let why = match system.parameter(name) {
            Ok(_) => compiled_for(system, plan, name).then(|| NEEDS_ANOTHER.to_owned()),
            Err(HoldError::NotTunable { kind: ParameterKind::Structural(why), .. }) => Some(why),
            Err(_) => Some("a fixed-step run is compiled for its values".to_owned()),
        };
        if let Some(why) = &why {
            let message = format!("`{name}` is structural: the model is compiled for each value");
            notes.push(Diagnostic::warning("sweep-compiles", message).note(why));
        }
        all.push(Parameter {
            name: name.to_owned(),
            words: own.words.clone(),
            is_truth: own.value.ty().elem == Elem::Bool,
            elements: own.value.ty().len(),
            structural: why.is_some(),
        });
    }
    (all, notes)
}

const NEEDS_ANOTHER: &str = "another value needs another program";

/// Whether values of a parameter need another program, although the program has a place for it: the
/// first, the last or one between.
fn compiled_for(system: &System, plan: &Plan, name: &str) -> bool {
    let place = plan.names().iter().position(|own| *own == name).expect("a parameter of the plan");
    let runs = [0, plan.count() / 2, plan.count() - 1];
    runs.iter().any(|run| {
        let value = plan.point(*run).values.swap_remove(place);
        let parameters = vec![(name.to_owned(), value)];
        let other = system.with(&Settings { parameters, ..Settings::default() });
        other.is_ok_and(|other| !other.is_same_program(system))
    })
}

impl Parameter {
    fn columns(&self, system: &System) -> Vec<FlatColumn> {
        let known = system.parameters();
        let own = known.iter().find(|own| own.name == self.name).expect("a parameter");
        let kind = match (self.words.is_empty(), self.is_truth) {
            (false, _) => FlatKind::Text,
            (true, true) => FlatKind::Truth,
            (true, false) => FlatKind::Number,
        };
        let column = Column { name: self.name.clone(), ty: own.value.ty() };
        let columns: Vec<FlatColumn> =
            column.element_names().into_iter().map(|name| FlatColumn::new(name, kind)).collect();
        debug_assert_eq!(columns.len(), self.elements);
        columns
    }
}

/// Gives each column a name of its own.
fn make_unique(columns: &mut [FlatColumn]) {
    let mut taken = HashSet::new();
    for column in columns {
        let name = column.name.clone();
        let others = (2..).map(|k| format!("{name} ({k})"));
        let mut all = std::iter::once(name.clone()).chain(others);
        column.name =
            all.find(|name| taken.insert(name.clone())).expect("there are numbers enough");
    }
}
