//! All stages in order, from a model to a system that can run.

mod columns;
mod explain;

use std::sync::{Arc, OnceLock};

use base::{Diagnostic, Diagnostics, SourceMap, Time, Value, did_you_mean};
use blocks::Library;
use diagram::{Diagram, MainParameter, RunSettings, Settings};
use engine::{LaneCode, LaneRefusal, Options, Routines};
use model::{Model, Refused};
use program::{FixedStepProgram, Jacobian, Program, RecordSlots, RegionProgram};
use schedule::Schedule;
use solver::{Method, Pattern};
use trace::{Header, Trace};

use crate::data::{self, Data};
use crate::figures::Figures;
use crate::foreign;
use crate::invariants;
use crate::native::{Native, NativeError};
use crate::run::{Failure, Outcome, Run};

/// A stage whose result can be printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The functions of every block.
    Blocks,
    /// The flat diagram: blocks and wires.
    Diagram,
    /// The order of evaluation.
    Schedule,
    /// The tapes.
    Program,
}

/// A compiled model, which can be run any number of times.
#[derive(Clone, Debug)]
pub struct System {
    pub(crate) diagram: Arc<Diagram>,
    pub(crate) code: Code,
    pub(crate) schedule: Arc<Schedule>,
    /// What it was compiled from, to compile it again for another structure.
    pub(crate) origin: Arc<Origin>,
    /// What overrides the settings and parameters of the model.
    pub(crate) overrides: Arc<Settings>,
    /// The settings of its runs.
    pub(crate) run: Arc<RunSettings>,
    pub(crate) options: Arc<Options>,
    /// The values of the parameters of the main diagram in its runs.
    pub(crate) parameters: Arc<Vec<Value>>,
    /// All values that are computed from them.
    pub(crate) values: Arc<Vec<Value>>,
    /// What inputs are that a run is not given.
    pub(crate) data: Arc<Vec<Data>>,
    /// The figures that the model asks for; made when they are first needed.
    pub(crate) figures: Arc<Figures>,
    /// A hash by which a saved run recognises its model; made when it is first needed.
    identity: Arc<OnceLock<u64>>,
    /// What traces say about where they come from; made when it is first needed.
    header: Arc<OnceLock<Arc<Header>>>,
    /// Native code, once a run has had it compiled.
    pub(crate) native: Arc<Native>,
    /// The table of a run before its first row, without a header; set by the first run.
    empty: Arc<OnceLock<Trace>>,
}

/// What a system was compiled from.
#[derive(Debug)]
pub(crate) struct Origin {
    pub model: Model,
    pub library: Library,
    /// A hash of the texts of the model; made when it is first needed.
    pub texts: OnceLock<u64>,
}

/// What runs: smooth phases and ticks, or fixed steps.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Exact(Arc<Program>),
    FixedStep(Arc<FixedStepProgram>),
}

impl Code {
    fn records(&self) -> &[RecordSlots] {
        program::shown(match self {
            Code::Exact(program) => &program.records,
            Code::FixedStep(program) => &program.records,
        })
    }
}

impl System {
    /// Takes a model through every stage, or returns everything that is wrong with it.
    pub fn compile(model: &Model, library: &Library) -> Result<System, Refused> {
        System::compile_with(model, library, &Settings::default())
    }

    /// The same with settings that override those of the model. Most settings can be given to each
    /// run instead, with [`System::start`] or [`System::with`].
    pub fn compile_with(
        model: &Model,
        library: &Library,
        overrides: &Settings,
    ) -> Result<System, Refused> {
        let applied = overrides.applied(model)?;
        let refused = |diagnostics| Refused { diagnostics, sources: applied.sources.clone() };
        let (diagram, schedule) = front(&applied, library, overrides).map_err(refused)?;
        let method = method(&diagram.run).map_err(refused)?;
        let code = match diagram.run.impulses.steps() {
            true => Code::FixedStep(Arc::new(program::fixed_step(&diagram, &schedule))),
            false => {
                let extras = program::Extras { jacobians: method.is_implicit() };
                let program = program::compile(&diagram, &schedule, extras);
                check_size(&program, method).map_err(refused)?;
                Code::Exact(Arc::new(program))
            }
        };
        columns::check_columns(code.records()).map_err(refused)?;
        let origin =
            Origin { model: model.clone(), library: library.clone(), texts: OnceLock::new() };
        let run = diagram.run.clone();
        let parameters = diagram.parameters.main().iter().map(|own| own.value.clone()).collect();
        let values = diagram.parameters.values();
        let mut system = System {
            values: Arc::new(values),
            diagram: Arc::new(diagram),
            code,
            schedule: Arc::new(schedule),
            origin: Arc::new(origin),
            overrides: Arc::new(overrides.clone()),
            options: Arc::new(Options::new(&run, method)),
            run: Arc::new(run),
            parameters: Arc::new(parameters),
            data: Arc::default(),
            figures: Arc::default(),
            identity: Arc::default(),
            header: Arc::default(),
            native: Arc::default(),
            empty: Arc::default(),
        };
        system.data = data::read(&system).map_err(|error| refused(error.into()))?.into();
        invariants::limits(&system).map_err(refused)?;
        system.figures.check(&system).map_err(refused)?;
        Ok(system)
    }

    /// The same system for runs with other settings and values of parameters: those that it has so
    /// far, and on top what is given here. The program is shared; only if a value or a setting
    /// decides the structure of the program, it is compiled again; [`System::is_same_program`]
    /// reports which.
    pub fn with(&self, settings: &Settings) -> Result<System, Refused> {
        let overrides = self.overrides.then(settings);
        let model = overrides.applied(&self.origin.model)?;
        let refused = |diagnostics| Refused { diagnostics, sources: model.sources.clone() };
        self.check_names(settings).map_err(|error| refused(error.into()))?;
        match self.bound(&model, &overrides) {
            Some(system) => system.map_err(refused),
            None => System::compile_with(&self.origin.model, &self.origin.library, &overrides),
        }
    }

    /// The same program for other values and settings; none if it must be compiled again.
    fn bound(&self, model: &Model, overrides: &Settings) -> Option<Result<System, Diagnostics>> {
        let Code::Exact(program) = &self.code else { return None };
        if !self.overrides.is_same_structure(overrides) {
            return None;
        }
        let main = self.diagram.parameters.main();
        let index = |name: &str| main.iter().position(|own| own.name == name);
        let set = overrides.parameters.iter();
        let set = set.filter_map(|(name, value)| Some((index(name)?, value.clone())));
        let values = self.diagram.parameters.evaluate(&set.collect::<Vec<_>>()).ok()?;
        let starts = self.diagram.at_start(&values).ok()?;
        let parameters: Vec<Value> = main.iter().map(|own| own.in_run(&values).clone()).collect();
        let named = main.iter().map(|own| own.name.as_str()).zip(&parameters);
        let run = match diagram::run_settings(model, named, overrides) {
            Ok(run) => run,
            Err(errors) => return Some(Err(errors)),
        };
        let method = match method(&run) {
            Ok(method) => method,
            Err(errors) => return Some(Err(errors)),
        };
        let implicit = |method: Method| method.is_implicit();
        if implicit(method) && !implicit(self.options.solver.method) {
            return None;
        }
        let native = match method == self.options.solver.method {
            true => self.native.clone(),
            false => Arc::default(),
        };
        let program = program.with_values(&values, &starts, run.seed);
        if (!starts.is_empty() || run.start != self.run.start) && program.is_uncounted(run.start) {
            return None;
        }
        let system = System {
            code: Code::Exact(Arc::new(program)),
            overrides: Arc::new(overrides.clone()),
            options: Arc::new(Options::new(&run, method)),
            run: Arc::new(run),
            parameters: Arc::new(parameters),
            values: Arc::new(values),
            figures: Arc::default(),
            identity: Arc::default(),
            header: Arc::default(),
            native,
            ..self.clone()
        };
        Some(invariants::limits(&system).map(|_| system))
    }

    /// Refuses names of parameters that the model does not have.
    fn check_names(&self, settings: &Settings) -> Result<(), Diagnostic> {
        let main = self.diagram.parameters.main();
        let known = || main.iter().map(|own| own.name.as_str());
        let unknown = settings.parameters.iter().find(|(name, _)| !known().any(|own| own == name));
        unknown.map_or(Ok(()), |(name, _)| Err(diagram::unknown_parameter(name, known())))
    }

    /// Whether another system runs the same program: it was made from this one, or this one from
    /// it, by [`System::with`] without compiling.
    pub fn is_same_program(&self, other: &System) -> bool {
        Arc::ptr_eq(&self.diagram, &other.diagram)
    }

    /// Runs from the start time to the stop time.
    pub fn simulate(&self) -> Result<Outcome, Failure> {
        self.begin().finish()
    }

    /// Compiles native code now, so that every run starts with it. It is an error if there is no
    /// code generator for this machine or in this program (the feature `native`); the interpreter
    /// still works. A fixed-step model does not use native code.
    pub fn compile_native(&self) -> Result<(), NativeError> {
        self.native_code().map(drop)
    }

    /// The native code, compiled now if that has not been done yet; none for a fixed-step model.
    pub(crate) fn native_code(&self) -> Result<Option<Arc<Routines>>, NativeError> {
        match &self.code {
            Code::Exact(program) => self.native.now(program, self.options.solver.method).map(Some),
            Code::FixedStep(_) => Ok(None),
        }
    }

    /// The code for steps of several runs of this system side by side, or why they go one by one.
    pub(crate) fn lane_code(&self) -> Result<Arc<dyn LaneCode>, LaneRefusal> {
        let Code::Exact(program) = &self.code else { return Err(LaneRefusal::FixedSteps) };
        let region = engine::region_in_lanes(program, &self.options)?;
        let code = self.native.lanes(program, region, self.options.solver.method);
        code.ok_or(LaneRefusal::Equations)
    }

    /// Why the runs of this system cannot go on side by side, as far as that is known before their
    /// steps are compiled.
    pub(crate) fn refuses_lanes(&self) -> Result<(), LaneRefusal> {
        match &self.code {
            Code::Exact(program) => engine::region_in_lanes(program, &self.options).map(drop),
            Code::FixedStep(_) => Err(LaneRefusal::FixedSteps),
        }
    }

    /// A run with settings and values of parameters on top of those of this system, to be advanced,
    /// read, set, saved and resumed: see [`System::with`].
    pub fn start(&self, settings: &Settings) -> Result<Run, Refused> {
        Ok(self.with(settings)?.begin())
    }

    /// A run with the settings of this system.
    pub fn begin(&self) -> Run {
        Run::new(self)
    }

    /// The parameters of the main diagram, with the values that they have in runs of this system.
    pub fn parameters(&self) -> Vec<MainParameter> {
        let main = self.diagram.parameters.main().iter().zip(self.parameters.iter());
        main.map(|(own, value)| own.with_value(value.clone())).collect()
    }

    /// A hash by which a saved run recognises its model, parameters and settings.
    pub(crate) fn identity(&self) -> u64 {
        *self.identity.get_or_init(|| crate::saved::identity(self))
    }

    /// The name of the model.
    pub fn name(&self) -> &str {
        &self.diagram.name
    }

    /// The value of an expression over the parameters of the model.
    pub(crate) fn evaluated(&self, expr: &expr::Expr) -> Result<Value, Diagnostic> {
        let parameters = self.diagram.parameters.main();
        expr::evaluate(expr, &mut |name, span| {
            let found = parameters.iter().position(|own| own.name == name);
            found.map(|own| self.parameters[own].clone()).ok_or_else(|| {
                let known = parameters.iter().map(|own| own.name.as_str());
                Diagnostic::error("unknown-name", format!("there is no parameter `{name}`"))
                    .at(span, "not found")
                    .maybe_help(did_you_mean(name, known))
            })
        })
    }

    /// The settings of the run.
    pub fn settings(&self) -> &RunSettings {
        &self.run
    }

    /// The texts that the model was read from, for messages.
    pub fn sources(&self) -> &SourceMap {
        &self.diagram.sources
    }

    /// Warnings: the model can be run but probably does not mean what was intended.
    pub fn warnings(&self) -> Diagnostics {
        let mut found = diagram::warnings(&self.diagram);
        found.extend(diagram::possible(&self.diagram).0);
        found.extend(self.diagram.unused.iter().cloned());
        Diagnostics(found)
    }

    /// The warning that a run to this time would take impractically long; shown before the run
    /// starts.
    pub fn long_run(&self, until: Time) -> Option<Diagnostic> {
        diagram::long_run(&self.diagram, until.min(self.settings().stop))
    }

    /// The warnings about blocks and parameters that nothing uses.
    pub fn unused(&self) -> Diagnostics {
        Diagnostics(self.diagram.unused.clone())
    }

    /// The paths of blocks that compare something that cannot be bounded over a step: opaque
    /// functions, solved loops and delayed signals. Their crossings are searched for at both ends
    /// of a step and where an extremum is possible; a pair of crossings between these points may be
    /// missed.
    pub fn only_looked_at(&self) -> Vec<String> {
        let Code::Exact(program) = &self.code else { return Vec::new() };
        let mut paths: Vec<String> = Vec::new();
        for region in &program.regions {
            for (watch, function) in region.watches.iter().zip(&region.functions) {
                let block = program.crossings[watch.crossing].block;
                let path = self.diagram.block(block).written().to_owned();
                if function.shape == program::Shape::Opaque && !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        paths
    }

    /// Whether it may hold files that are removed with it: those of an FMU.
    pub fn keeps_files(&self) -> bool {
        self.diagram.blocks.iter().any(|block| block.definition.component.is_some())
    }

    /// How many blocks the flat diagram has, including those made for expressions.
    pub fn block_count(&self) -> usize {
        self.diagram.blocks.len()
    }

    /// How many continuous states there are.
    pub fn state_count(&self) -> usize {
        match &self.code {
            Code::Exact(program) => program.regions.iter().map(|region| region.dimension).sum(),
            Code::FixedStep(_) => 0,
        }
    }

    /// How many instructions there are, in smooth phases and ticks together.
    pub fn instruction_count(&self) -> usize {
        match &self.code {
            Code::Exact(program) => program.instruction_count(),
            Code::FixedStep(program) => program.quiet.tape.len() + program.events.tape.len(),
        }
    }

    /// The result of a stage as text, to show what happens to a model.
    pub fn print(&self, stage: Stage) -> String {
        match stage {
            Stage::Blocks => self.print_blocks(),
            Stage::Diagram => self.diagram.listing(),
            Stage::Schedule => self.schedule.listing(&self.diagram),
            Stage::Program => match &self.code {
                Code::Exact(program) => program.listing(),
                Code::FixedStep(program) => program.listing(),
            },
        }
    }

    fn print_blocks(&self) -> String {
        let blocks = self.diagram.blocks.iter();
        let listing = |block: &diagram::FlatBlock| {
            let lines = block.definition.listing();
            let lines = lines.lines().map(|line| format!("  {line}\n")).collect::<String>();
            format!("{}\n{lines}", block.path)
        };
        blocks.map(listing).collect()
    }
}

/// The diagram of a model and its order of evaluation. A model may have a meaning only because of
/// the numbers of its parameters; then all of them are constants.
fn front(
    model: &Model,
    library: &Library,
    overrides: &Settings,
) -> Result<(Diagram, Schedule), Diagnostics> {
    let library = foreign::library(model, library)?;
    let make = |overrides: &Settings| {
        let diagram = diagram::flatten(model, &library, overrides)?;
        let schedule = schedule::schedule(&diagram)?;
        Ok((diagram, schedule))
    };
    make(overrides)
        .or_else(|_: Diagnostics| make(&Settings { closed: true, ..overrides.clone() }))
        .map_err(|errors| {
            Diagnostics(errors.0.into_iter().map(|e| explain::point_out(model, e)).collect())
        })
}

fn method(run: &RunSettings) -> Result<Method, Diagnostics> {
    let (name, span) = &run.solver;
    Method::named(name).ok_or_else(|| {
        let all = Method::all();
        let names = all.iter().map(|method| method.name());
        let mut error = Diagnostic::error("unknown-solver", format!("there is no solver `{name}`"))
            .maybe_help(did_you_mean(name, names));
        if let Some(span) = span {
            error = error.at(*span, "not found");
        }
        error.into()
    })
}

/// The largest number of states of a region whose matrix may be eliminated as a dense one.
const MAXIMUM_DENSE: usize = 4000;

/// Refuses implicit methods whose matrices would not fit in memory.
fn check_size(program: &Program, method: Method) -> Result<(), Diagnostics> {
    let dense = |region: &RegionProgram| {
        let places = |jacobian: &Jacobian| jacobian.columns.iter().map(Vec::len).sum();
        let places = region.jacobian.as_ref().map_or(0, places);
        Pattern::eliminates_densely(region.dimension, places)
    };
    let large = |region: &&RegionProgram| match region.jacobian {
        Some(_) => region.dimension > MAXIMUM_DENSE && dense(region),
        None => region.dimension > 0,
    };
    let Some(region) = program.regions.iter().find(large).filter(|_| method.is_implicit()) else {
        return Ok(());
    };
    let states = region.dimension;
    let message = format!("{states} states are too many for an implicit solver");
    let (why, help) = match Pattern::KNOWS_SPARSE {
        true => (
            "each rate depends on many of the states: the matrix is dense",
            "choose an explicit solver, such as rk45",
        ),
        false => (
            "this program was built without sparse elimination: the matrix is dense",
            "choose an explicit solver, such as rk45, or build with the feature `sparse`",
        ),
    };
    Err(Diagnostic::error("too-large", message)
        .note(format!("{why}, and up to {MAXIMUM_DENSE} states are taken"))
        .help(help)
        .into())
}

/// Checks that a text is an expression, such as `2 * sin(time)`.
pub fn check_expression(text: &str) -> Result<(), Refused> {
    let mut sources = SourceMap::default();
    let file = sources.add("expression", text);
    expr::parse(text, expr::Place::Verbatim(file, 0))
        .map(drop)
        .map_err(|error| Refused { diagnostics: error.into(), sources })
}

/// The value of a text such as `0.3`, `1/3` or `[1, 2]`, parsed as a model parameter.
pub fn parse_value(text: &str) -> Result<Value, Refused> {
    let mut sources = SourceMap::default();
    let file = sources.add("value", text);
    let value = expr::parse(text, expr::Place::Verbatim(file, 0)).and_then(|expr| {
        expr::evaluate(&expr, &mut |name, span| {
            let message = format!("`{name}` is not known here");
            Err(Diagnostic::error("unknown-name", message).at(span, "give a number"))
        })
    });
    value.map_err(|error| Refused { diagnostics: error.into(), sources })
}

/// The value of a text for a parameter of a model: a word if the parameter is one, and otherwise a
/// value as in [`parse_value`].
pub fn parse_parameter(model: &Model, name: &str, text: &str) -> Result<Value, Refused> {
    let parameters = &model.diagram(model.root).parameters;
    let own = parameters.iter().find(|own| own.name.value == name && !own.words.is_empty());
    let Some(own) = own else { return parse_value(text) };
    let words = || own.words.iter().map(|word| word.value.as_str());
    if let Some(index) = words().position(|word| word == text.trim()) {
        return Ok(Value::int(index as i64));
    }
    let mut sources = SourceMap::default();
    let file = sources.add("value", text);
    let all = words().collect::<Vec<_>>().join(", ");
    let error = Diagnostic::error("unknown-word", format!("`{name}` must be one of {all}"))
        .at(base::Span::new(file, 0, text.len()), "not one of them")
        .maybe_help(base::did_you_mean(text.trim(), words()));
    Err(Refused { diagnostics: error.into(), sources })
}
