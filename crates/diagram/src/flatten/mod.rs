//! Flattening: every instance in its place, every name resolved.
//!
//! A [`Model`] comes in, a hierarchy of diagrams as written; a [`Diagram`] goes out, a flat list of
//! blocks and wires. First all instances are opened and their blocks declared ([`instances`]), then
//! the inputs of the blocks are connected ([`drafts`]), for which names are resolved ([`names`]).
//! Last come the wires that are recorded or solved for ([`records`]). Typing and facts follow in
//! their own stages. Mistakes are collected, so that one run of the front end shows many.

mod instances;

mod drafts;
mod names;
mod outside;

mod records;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base::{Diagnostic, Diagnostics, Span, Type, Value, did_you_mean};
use blocks::{BlockKind, Formula, Library};
use expr::{Expr, ExprKind};
use model::Model;

use crate::flat::{BlockId, Diagram, DiagramInput, WireId};
use crate::machine::Modes;
use crate::modal::Machines;
use crate::open::Opening;
use crate::repeated::{Array, HOW_MANY};
use crate::scope::{Scope, ScopeId};
use crate::{Profile, Settings, Sliding, run, typing};
pub(crate) use drafts::Draft;

/// The greatest number of blocks in a flat diagram, unless the model sets `maximum_blocks`.
const DEFAULT_BLOCKS: usize = 250_000;

/// Makes the flat diagram of a model, or lists everything that is wrong with it. The settings of the
/// overrides have been applied to the model ([`Settings::applied`]). Parameters that turn out to be
/// structural are constants from then on, until no other one is.
pub fn flatten(
    model: &Model,
    library: &Library,
    overrides: &Settings,
) -> Result<Diagram, Diagnostics> {
    debug_assert!(overrides.are_applied(model), "settings that were not applied to the model");
    let mut structural = closed(model, overrides);
    let given = given_inputs(model, overrides)?;
    loop {
        let opening = Opening::new(structural.clone());
        let mut found = BTreeMap::new();
        let diagram = flatten_once(model, library, (overrides, &given), opening, &mut found);
        if found.is_empty() {
            return diagram;
        }
        structural.extend(found);
    }
}

/// The label of an error that says nothing but that something else was refused.
const SEE_OTHERS: &str = "see the other errors";

/// Leaves out errors that only follow from others.
fn drop_consequences(errors: &mut Diagnostics) {
    let follows = |error: &Diagnostic| error.labels.iter().any(|label| label.text == SEE_OTHERS);
    if !errors.0.iter().all(follows) {
        errors.0.retain(|error| !follows(error));
    }
}

/// The inputs of the main diagram that are given as expressions. Messages about them point to the
/// input in the model.
fn given_inputs(model: &Model, overrides: &Settings) -> Result<Vec<(String, Expr)>, Diagnostics> {
    let mut given = Vec::new();
    for (name, text) in &overrides.inputs {
        let known = || model.inputs.iter().map(|input| input.name.value.as_str());
        let Some(input) = model.inputs.iter().find(|input| input.name.value == *name) else {
            let message = format!("the model has no input `{name}`");
            let error = Diagnostic::error("unknown-input", message);
            return Err(error.maybe_help(did_you_mean(name, known())).into());
        };
        let place = expr::Place::Whole(input.name.span);
        let expr = expr::parse_with(text, place, &model.functions);
        let expr = expr.map_err(|error| error.note(format!("this input is given as `{text}`")))?;
        given.push((name.clone(), expr));
    }
    Ok(given)
}

/// Refuses expressions for inputs of another type.
fn check_declared(
    declared: &[(WireId, Span, Type)],
    typed: &typing::Typed,
) -> Result<(), Diagnostics> {
    let boolean = |ty: Type| ty.elem == base::Elem::Bool;
    for (wire, span, expected) in declared {
        let given = typed.wires[wire.index()].2;
        if given.shape != expected.shape || boolean(given) != boolean(*expected) {
            let message = format!("the input is given as {}", given.with_article());
            let label = format!("it is {}", expected.with_article());
            return Err(Diagnostic::error("type-mismatch", message).at(*span, label).into());
        }
    }
    Ok(())
}

/// The parameters that are structural before anything is looked at, and why.
fn closed(model: &Model, overrides: &Settings) -> BTreeMap<String, String> {
    let main = model.diagram(model.root);
    let impulses = run::impulses(&model.simulate);
    let all = match overrides.closed {
        true => Some("all values are constants in this system"),
        false => impulses.steps().then_some("a fixed-step run is compiled for its values"),
    };
    if let Some(why) = all {
        // What is to change during a run stays a signal, unless the run knows no such signals.
        let constant = |own: &&model::Parameter| own.tunable.is_none() || impulses.steps();
        let names = main.parameters.iter().filter(constant).map(|own| &own.name.value);
        return names.map(|name| (name.clone(), why.to_owned())).collect();
    }
    // Counts are found before all blocks are made again and again.
    let indices = main.blocks.iter().filter_map(|block| block.repeated.as_ref());
    let counts = indices.flat_map(|repeated| &repeated.indices).flat_map(|i| i.value.names());
    let why = || format!("it decides {HOW_MANY}");
    let own = |name: &str| main.parameters.iter().any(|parameter| parameter.name.value == name);
    counts.filter(|(name, _)| own(name)).map(|(name, _)| (name.to_owned(), why())).collect()
}

/// Flattens a model with some parameters as constants; `found` are others that must be, too. This is
/// the list of all stages and of the fields that they fill in, and so longer than a function should
/// otherwise be.
fn flatten_once<'m>(
    model: &'m Model,
    library: &'m Library,
    (overrides, given): (&Settings, &'m [(String, Expr)]),
    opening: Opening,
    found: &mut BTreeMap<String, String>,
) -> Result<Diagram, Diagnostics> {
    let mut flattener = Flattener::new(model, library, opening);
    flattener.given = given;
    flattener.open_main(overrides);
    flattener.connect();
    flattener.connect_machines();
    let mut records = flattener.records();
    if overrides.everything {
        flattener.record_others(&mut records);
    }
    let invariants = flattener.invariants(&mut records);
    let (mut solve, guesses) = flattener.solve();
    let main = flattener.main_values();
    let run = run::evaluate(&model.simulate, &main, overrides, &mut flattener.errors);
    let order = &model.diagram(model.root).parameters;
    let parameters = order.iter().filter_map(|parameter| {
        let value = main.get(&parameter.name.value)?;
        Some((parameter, value.clone()))
    });
    let parameters = parameters.collect();
    let ports = flattener.instance_ports();
    let arrays = flattener.block_arrays();
    let instances = flattener.instances();
    let unused = crate::unused::unused(model, library);
    let Flattener {
        drafts,
        wire_blocks,
        mut errors,
        modes,
        opening,
        inputs,
        declared,
        sliding,
        ..
    } = flattener;
    drop_consequences(&mut errors);
    *found = opening.found();
    let (drafts, wire_blocks) = errors.or((drafts, wire_blocks))?;
    if run.impulses.steps() {
        // The right Riemann sum is implicit: a loop through an integrator is one to solve.
        solve.everywhere.push(String::new());
    }
    let kind = (run.impulses, run.profile == Profile::Ptolemy);
    let typed = typing::infer(drafts, wire_blocks, guesses, kind, &opening);
    *found = opening.found();
    let (typed, parameters) = (typed?, opening.finish(parameters));
    check_declared(&declared, &typed)?;
    crate::facts::settle(typed, |blocks, wires| Diagram {
        name: model.name.clone(),
        blocks,
        wires,
        regions: Vec::new(),
        inputs,
        records,
        invariants,
        ports,
        instances,
        arrays,
        solve,
        sliding,
        run,
        parameters,
        modes,
        unused,
        sources: model.sources.clone(),
    })
}

/// The flat diagram under construction.
pub(crate) struct Flattener<'m> {
    pub model: &'m Model,
    library: &'m Library,
    pub scopes: Vec<Scope<'m>>,
    pub drafts: Vec<Draft>,
    /// For each wire, its block and the output.
    pub wire_blocks: Vec<(BlockId, usize)>,
    /// Blocks whose inputs are still to be found, each with its scope and its text in the model.
    pending: Vec<(ScopeId, BlockId, &'m model::Block)>,
    pub errors: Diagnostics,
    /// The values that each run computes from parameters.
    pub opening: Opening,
    /// The signals from outside.
    inputs: Vec<DiagramInput>,
    /// Inputs of the main diagram that are given as expressions.
    given: &'m [(String, Expr)],
    /// Their wires, and where and as which type they are declared.
    declared: Vec<(WireId, Span, Type)>,
    pub modes: Modes,
    pub machines: Machines<'m>,
    pub arrays: Vec<Array<'m>>,
    /// The placeholder for an expression until its names are resolved.
    unresolved: BlockKind,
    /// The greatest number of blocks.
    pub limit: usize,
    /// Whether an error has reported that there are more.
    full: bool,
    /// What blocks say about sliding, by their paths.
    sliding: BTreeMap<String, Sliding>,
    /// Functions of expressions by their span and their number of operands.
    formulas: HashMap<(Span, usize), Arc<Formula>>,
}

impl<'m> Flattener<'m> {
    fn new(model: &'m Model, library: &'m Library, opening: Opening) -> Self {
        Flattener {
            model,
            library,
            scopes: Vec::new(),
            drafts: Vec::new(),
            wire_blocks: Vec::new(),
            pending: Vec::new(),
            errors: Diagnostics::default(),
            opening,
            inputs: Vec::new(),
            given: &[],
            declared: Vec::new(),
            modes: Modes::none(),
            machines: Machines::default(),
            arrays: Vec::new(),
            unresolved: unresolved(model.diagram(model.root).name.span),
            limit: DEFAULT_BLOCKS,
            full: false,
            sliding: BTreeMap::new(),
            formulas: HashMap::new(),
        }
    }

    pub(crate) fn scope(&self, id: ScopeId) -> &Scope<'m> {
        &self.scopes[id.index()]
    }
}

/// A placeholder for an expression whose names are not resolved.
fn unresolved(span: Span) -> BlockKind {
    let expr = Expr { kind: ExprKind::Literal(Value::int(0)), span };
    BlockKind::new(Arc::new(Formula { expr, operands: BTreeMap::new(), open: Vec::new() }))
}

/// The type of a wire until its block is defined.
pub(crate) const UNTYPED: Type = Type::REAL;
