//! Flattening: every instance in its place, every name resolved.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use base::{Diagnostic, Diagnostics, Elem, Span, Type, Value, did_you_mean};
use blocks::{BlockKind, Count, Formula, Info, Library, Operand, Setting};
use expr::{Expr, ExprKind};
use model::{DiagramId, Model};

use crate::flat::{BlockId, Diagram, InstancePort, Record, Solve, WireId};
use crate::machine::{FragmentId, Modes};
use crate::modal::Machines;
use crate::parameters::Moving;
use crate::repeated::{Array, whole_number};
use crate::scope::{Entity, Scope, ScopeId};
use crate::{Overrides, parameters, run, settings, typing};

/// The greatest number of blocks in a flat diagram that does not say another.
const DEFAULT_BLOCKS: usize = 250_000;
/// The greatest depth of instances inside instances.
const MAXIMUM_DEPTH: usize = 200;

/// A block whose inputs are being found.
#[derive(Debug)]
pub(crate) struct Draft {
    pub path: String,
    pub span: Span,
    pub kind: BlockKind,
    pub settings: BTreeMap<String, Setting>,
    pub inputs: Vec<Vec<WireId>>,
    pub input_spans: Vec<Vec<Span>>,
    pub outputs: Vec<WireId>,
    pub fragment: FragmentId,
    /// Whether only transitions ask for it.
    pub passive: bool,
    pub tolerance: Option<f64>,
    pub discrete: Option<Span>,
}

/// Makes the flat diagram of a model, or says everything that is wrong with it.
pub fn flatten(
    model: &Model,
    library: &Library,
    overrides: &Overrides,
) -> Result<Diagram, Diagnostics> {
    let mut flattener = Flattener::new(model, library);
    flattener.open_main(overrides);
    flattener.connect();
    flattener.connect_machines();
    let mut records = flattener.records();
    if overrides.everything {
        flattener.record_others(&mut records);
    }
    let (mut solve, guesses) = flattener.solve();
    let main = &flattener.scopes[0].parameters;
    let run = run::evaluate(&model.simulate, main, overrides, &mut flattener.errors);
    let order = &model.diagram(model.root).parameters;
    let parameters = order
        .iter()
        .filter_map(|p| Some((p.name.value.clone(), main.get(&p.name.value)?.clone())))
        .collect();
    let ports = flattener.instance_ports();
    let arrays = flattener.block_arrays();
    let instances = flattener.instances();
    let unused = crate::unused::unused(model, library);
    let Flattener { drafts, wire_blocks, errors, modes, scopes, machines, .. } = flattener;
    drop((scopes, machines));
    let (drafts, wire_blocks) = errors.or((drafts, wire_blocks))?;
    if run.impulses.steps() {
        // The right Riemann sum is implicit: a loop through an integrator is one to solve.
        solve.everywhere.push(String::new());
    }
    let typed = typing::infer(drafts, wire_blocks, guesses, run.impulses)?;
    crate::facts::settle(typed, |blocks, wires| Diagram {
        name: model.name.clone(),
        blocks,
        wires,
        regions: Vec::new(),
        records,
        ports,
        instances,
        arrays,
        solve,
        run,
        parameters,
        modes,
        unused,
        sources: model.sources.clone(),
    })
}

pub(crate) struct Flattener<'m> {
    pub model: &'m Model,
    library: &'m Library,
    pub scopes: Vec<Scope<'m>>,
    pub drafts: Vec<Draft>,
    /// For each wire, its block and the output.
    pub wire_blocks: Vec<(BlockId, usize)>,
    /// Blocks whose inputs are still to be found: where they were written.
    pending: Vec<(ScopeId, BlockId, &'m model::Block)>,
    pub errors: Diagnostics,
    pub modes: Modes,
    pub machines: Machines<'m>,
    pub arrays: Vec<Array<'m>>,
    /// What stands for an expression until its names are resolved.
    unresolved: BlockKind,
    /// How many blocks there may be, and whether that was said.
    pub limit: usize,
    full: bool,
    /// Functions of expressions by where they were written.
    formulas: HashMap<(Span, usize), Arc<Formula>>,
}

impl<'m> Flattener<'m> {
    fn new(model: &'m Model, library: &'m Library) -> Self {
        Flattener {
            model,
            library,
            scopes: Vec::new(),
            drafts: Vec::new(),
            wire_blocks: Vec::new(),
            pending: Vec::new(),
            errors: Diagnostics::default(),
            modes: Modes::none(),
            machines: Machines::default(),
            arrays: Vec::new(),
            unresolved: unresolved(model.diagram(model.root).name.span),
            limit: DEFAULT_BLOCKS,
            full: false,
            formulas: HashMap::new(),
        }
    }

    fn open_main(&mut self, overrides: &Overrides) {
        let main = self.model.diagram(self.model.root);
        let known = || main.parameters.iter().map(|p| p.name.value.as_str());
        for (name, _) in &overrides.parameters {
            if !known().any(|known| known == name) {
                let message = format!("the model has no parameter `{name}`");
                let error = Diagnostic::error("unknown-parameter", message)
                    .maybe_help(did_you_mean(name, known()));
                self.errors.push(error);
            }
        }
        let given = overrides.parameters.iter().cloned().collect();
        let none = BTreeMap::new();
        self.open(self.model.root, String::new(), None, given, none, &mut Vec::new());
    }

    /// Declares everything in an instance of a diagram.
    fn open(
        &mut self,
        diagram: DiagramId,
        prefix: String,
        parent: Option<(ScopeId, &'m model::Block)>,
        given: BTreeMap<String, Value>,
        variables: BTreeMap<String, (WireId, Value)>,
        nested: &mut Vec<DiagramId>,
    ) -> ScopeId {
        let written = self.model.diagram(diagram);
        let at = parent.map(|(_, block)| block.name.span);
        for parameter in &written.parameters {
            let own = |name: &str| variables.contains_key(name);
            if !given.contains_key(&parameter.name.value) {
                self.refuse_set(parameter, &own);
            }
        }
        let mut parameters = parameters::evaluate_all(written, given, &mut self.errors, at);
        parameters.retain(|name, _| !variables.contains_key(name));
        let id = ScopeId::new(self.scopes.len());
        self.scopes.push(Scope {
            diagram: written,
            prefix,
            parent,
            outer: None,
            fragment: parent.map_or(FragmentId::ROOT, |(outer, _)| self.scope(outer).fragment),
            dwell: None,
            tolerance: parent.and_then(|(outer, _)| self.scope(outer).tolerance),
            discrete: parent.and_then(|(outer, _)| self.scope(outer).discrete),
            parameters,
            variables,
            entities: BTreeMap::new(),
            ports: BTreeMap::new(),
        });
        if parent.is_none() {
            self.take_limit(id);
        }
        self.take_domain(id);
        nested.push(diagram);
        self.declare_all(id, nested);
        nested.pop();
        id
    }

    pub(crate) fn scope(&self, id: ScopeId) -> &Scope<'m> {
        &self.scopes[id.index()]
    }

    /// The tolerance and the domain that a diagram says it has.
    pub(crate) fn take_domain(&mut self, id: ScopeId) {
        let diagram = self.scope(id).diagram;
        if let Some(span) = diagram.discrete {
            self.scopes[id.index()].discrete = Some(span);
        }
        let Some(expr) = &diagram.tolerance else { return };
        let tolerance = self.constant(id, expr).and_then(|value| match value.as_f64() {
            Some(tolerance) if tolerance > 0.0 && tolerance < 1.0 => Ok(tolerance),
            _ => {
                let message = "`tolerance` must be a number above 0 and below 1";
                Err(Diagnostic::error("bad-setting", message).at(expr.span, ""))
            }
        });
        self.scopes[id.index()].tolerance = self.errors.keep(tolerance);
    }

    /// How many blocks the model may have: what it says, or the usual number.
    fn take_limit(&mut self, id: ScopeId) {
        let Some(expr) = &self.model.simulate.maximum_blocks else { return };
        let limit = self.constant(id, expr).and_then(|value| {
            whole_number(&value).and_then(|limit| usize::try_from(limit).ok()).ok_or_else(|| {
                let message = "`maximum_blocks` must be a whole number";
                Diagnostic::error("bad-setting", message).at(expr.span, format!("this is {value}"))
            })
        });
        self.limit = self.errors.keep(limit).unwrap_or(self.limit);
    }

    /// More blocks than the model may have, where they were written that are too many.
    pub(crate) fn too_large(&self, span: Span) -> Diagnostic {
        let limit = self.limit;
        Diagnostic::error("too-large", format!("the model has more than {limit} blocks"))
            .at(span, "")
            .note("a block takes about 10 kB of memory")
            .help("if that is meant, raise `maximum_blocks` under `simulate`")
    }

    /// Declares the blocks of a scope.
    pub(crate) fn declare_all(&mut self, id: ScopeId, nested: &mut Vec<DiagramId>) {
        for block in &self.scope(id).diagram.blocks {
            if self.drafts.len() + self.scopes.len() > self.limit {
                if !std::mem::replace(&mut self.full, true) {
                    let error = self.too_large(block.name.span);
                    self.errors.push(error);
                }
                break;
            }
            if let Some(entity) = self.declare(id, block, nested) {
                self.scopes[id.index()].entities.insert(&block.name.value, entity);
            }
        }
    }

    fn declare(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        nested: &mut Vec<DiagramId>,
    ) -> Option<Entity> {
        let path = format!("{}{}", self.scopes[scope.index()].prefix, block.name.value);
        match &block.repeated {
            Some(repeated) => self.array(scope, block, repeated, path, nested),
            None => self.declare_one(scope, block, path, nested),
        }
    }

    /// Declares a block at a path, an element of an array too.
    pub(crate) fn declare_one(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        path: String,
        nested: &mut Vec<DiagramId>,
    ) -> Option<Entity> {
        if let Some(modal) = &block.modal {
            return Some(self.machine(scope, block, modal, path, nested));
        }
        if let Some(diagram) = self.model.resolve(block.kind.span, &block.kind.value) {
            return self.instance(scope, block, diagram, path, nested);
        }
        let Some(kind) = self.library.get(&block.kind.value) else {
            let mut names: Vec<&str> = self.library.names().chain(["Modal"]).collect();
            names.extend(self.model.visible(block.kind.span));
            let message = format!("there is no block or diagram `{}`", block.kind.value);
            let error = Diagnostic::error("unknown-block", message)
                .at(block.kind.span, "not found")
                .block(path)
                .maybe_help(did_you_mean(&block.kind.value, names));
            self.errors.push(error);
            return None;
        };
        let settings = self.settings(scope, block, kind.info(), &path);
        let fragment = self.scope(scope).fragment;
        let id = self.draft(path, block.name.span, kind.clone(), settings, fragment);
        let (tolerance, discrete) = (self.scope(scope).tolerance, self.scope(scope).discrete);
        (self.drafts[id.index()].tolerance, self.drafts[id.index()].discrete) =
            (tolerance, discrete);
        for (other, expr) in std::mem::take(&mut self.machines.starts) {
            debug_assert_eq!(other, block.name.span);
            self.machines.entries.push((id, scope, expr));
        }
        self.pending.push((scope, id, block));
        Some(Entity::Block(id))
    }

    pub(crate) fn draft(
        &mut self,
        path: String,
        span: Span,
        kind: BlockKind,
        settings: BTreeMap<String, Setting>,
        fragment: FragmentId,
    ) -> BlockId {
        let info = kind.info();
        let id = BlockId::new(self.drafts.len());
        let outputs = (0..info.outputs.len())
            .map(|port| {
                self.wire_blocks.push((id, port));
                WireId::new(self.wire_blocks.len() - 1)
            })
            .collect();
        let inputs = vec![Vec::new(); info.inputs.len()];
        let input_spans = inputs.iter().map(|_| Vec::new()).collect();
        self.drafts.push(Draft {
            path,
            span,
            kind,
            settings,
            inputs,
            input_spans,
            outputs,
            fragment,
            passive: false,
            tolerance: None,
            discrete: None,
        });
        id
    }

    fn settings(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        info: &Info,
        path: &str,
    ) -> BTreeMap<String, Setting> {
        let mut settings = BTreeMap::new();
        for parameter in &info.parameters {
            let field = block.fields.iter().find(|field| field.name.value == parameter.name);
            let result = match field {
                None => settings::default(parameter, block.name.span),
                Some(field) => {
                    if parameter.name == "initial" && self.varies(scope, &field.value) {
                        self.machines.starts.push((block.name.span, &field.value));
                        let first = |expr: &Expr| self.first_constant(scope, expr);
                        settings::setting(parameter, &field.value, &first)
                    } else {
                        let constant = |expr: &Expr| self.constant(scope, expr);
                        settings::setting(parameter, &field.value, &constant)
                    }
                }
            };
            if let Some(setting) = self.errors.keep(result.map_err(|error| error.block(path))) {
                settings.insert(parameter.name.to_string(), setting);
            }
        }
        let fields = info.inputs.iter().map(|input| &*input.name);
        let fields = || fields.clone().chain(info.parameters.iter().map(|p| &*p.name));
        for field in &block.fields {
            if !fields().any(|known| known == field.name.value) {
                let message =
                    format!("{} has no input or parameter `{}`", info.name, field.name.value);
                let error = Diagnostic::error("unknown-field", message)
                    .at(field.name.span, "unknown")
                    .block(path)
                    .maybe_help(did_you_mean(&field.name.value, fields()));
                self.errors.push(error);
            }
        }
        settings
    }

    pub(crate) fn constant(&self, id: ScopeId, expr: &Expr) -> Result<Value, Diagnostic> {
        parameters::constant(expr, &self.scope(id).parameters, &|name| self.moving(id, name))
    }

    /// What a name in a scope or around it is that is no constant.
    pub(crate) fn moving(&self, id: ScopeId, name: &str) -> Moving {
        if self.variable(id, name).is_some() {
            return Moving::Set;
        }
        if self.is_signal(id, name) { Moving::Signal } else { Moving::Unknown }
    }

    /// Whether a name is that of a signal in a scope or around it.
    pub(crate) fn is_signal(&self, id: ScopeId, name: &str) -> bool {
        let scope = self.scope(id);
        let first = name.split('.').next().unwrap_or(name);
        scope.diagram.blocks.iter().any(|block| block.name.value == first)
            || scope.diagram.inputs.iter().any(|input| input.value == name)
            || scope.variables.contains_key(name)
            || scope.outer.is_some_and(|outer| self.is_signal(outer, name))
    }

    fn instance(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        diagram: DiagramId,
        path: String,
        nested: &mut Vec<DiagramId>,
    ) -> Option<Entity> {
        let written = self.model.diagram(diagram);
        let error = if nested.contains(&diagram) {
            let message = format!("diagram `{}` contains itself", block.kind.value);
            Some(
                Diagnostic::error("recursive-diagram", message)
                    .at(block.kind.span, "used inside itself"),
            )
        } else if nested.len() > MAXIMUM_DEPTH {
            let message = format!("diagrams are inside each other more than {MAXIMUM_DEPTH} deep");
            let error = Diagnostic::error("too-deep", message).at(block.kind.span, "one more here");
            Some(error.help("put blocks side by side, or use an array of them"))
        } else {
            None
        };
        if let Some(error) = error {
            self.errors.push(error.block(path));
            return None;
        }
        let (mut given, mut variables) = (BTreeMap::new(), BTreeMap::new());
        for field in &block.fields {
            let name = &field.name.value;
            let parameter = written.parameters.iter().any(|p| p.name.value == *name);
            if parameter && self.varies(scope, &field.value) {
                let value = self.first_constant(scope, &field.value).map_err(|e| e.block(&path));
                let value = self.errors.keep(value).unwrap_or(Value::real(1.0));
                let wire = self.later(scope, &field.value, format!("{path}.{name}"));
                given.insert(name.clone(), value.clone());
                variables.insert(name.clone(), (wire, value));
            } else if parameter {
                let value = self.constant(scope, &field.value).map_err(|e| e.block(&path));
                let value = self.errors.keep(value);
                given.insert(name.clone(), value.unwrap_or(Value::real(1.0)));
            } else if !written.inputs.iter().any(|input| input.value == *name) {
                let inputs = written.inputs.iter().map(|input| input.value.as_str());
                let fields = inputs.chain(written.parameters.iter().map(|p| p.name.value.as_str()));
                let message =
                    format!("diagram `{}` has no input or parameter `{name}`", block.kind.value);
                let error = Diagnostic::error("unknown-field", message)
                    .at(field.name.span, "unknown")
                    .block(&path)
                    .maybe_help(did_you_mean(name, fields));
                self.errors.push(error);
            }
        }
        let prefix = format!("{path}.");
        let parent = Some((scope, block));
        Some(Entity::Instance(self.open(diagram, prefix, parent, given, variables, nested)))
    }

    /// Finds the wires of every input of every block, making blocks for expressions on the way.
    fn connect(&mut self) {
        for (scope, id, block) in std::mem::take(&mut self.pending) {
            let kind = self.drafts[id.index()].kind.clone();
            let info = kind.info();
            let path = self.drafts[id.index()].path.clone();
            for (index, input) in info.inputs.iter().enumerate() {
                let field = block.fields.iter().find(|field| field.name.value == input.name);
                let expressions: Vec<&Expr> = match (field, input.count) {
                    (Some(field), Count::Many) => match &field.value.kind {
                        ExprKind::Vector(parts) if !parts.is_empty() => parts.iter().collect(),
                        _ => vec![&field.value],
                    },
                    (Some(field), _) => vec![&field.value],
                    (None, Count::Optional) => Vec::new(),
                    (None, _) => {
                        let message = format!("input `{}` of {} is missing", input.name, info.name);
                        let error = Diagnostic::error("missing-input", message)
                            .at(block.name.span, &*input.about)
                            .block(&path)
                            .help(format!(
                                "add `{}: ...` with a signal or an expression",
                                input.name
                            ));
                        self.errors.push(error);
                        continue;
                    }
                };
                for (position, expr) in expressions.iter().enumerate() {
                    let name = match input.count {
                        Count::Many => format!("{path}.{}[{position}]", input.name),
                        _ => format!("{path}.{}", input.name),
                    };
                    let wire =
                        self.wire(scope, expr, name).map_err(|error| match error.path.is_empty() {
                            true => error.block(&path),
                            false => error,
                        });
                    if let Some(wire) = self.errors.keep(wire) {
                        self.drafts[id.index()].inputs[index].push(wire);
                        self.drafts[id.index()].input_spans[index].push(expr.span);
                    }
                }
            }
        }
    }

    /// The wire that carries an expression: the one that it names, or that of a block made for it.
    pub(crate) fn wire(
        &mut self,
        scope: ScopeId,
        expr: &Expr,
        path: String,
    ) -> Result<WireId, Diagnostic> {
        let settled = self.settle(scope, expr)?;
        let expr = settled.as_ref().unwrap_or(expr);
        if let Some(name) = expr.as_word()
            && !self.scopes[scope.index()].parameters.contains_key(name)
            && !matches!(name, "time" | "pi" | "inf")
        {
            return self.signal(scope, name, expr.span);
        }
        let id = self.formula(expr, path, self.scope(scope).fragment);
        self.operands(id, scope, expr)?;
        Ok(self.drafts[id.index()].outputs[0])
    }

    /// A block for an expression, whose names are still to be resolved.
    pub(crate) fn formula(&mut self, expr: &Expr, path: String, fragment: FragmentId) -> BlockId {
        let kind = self.unresolved.clone();
        self.draft(path, expr.span, kind, BTreeMap::new(), fragment)
    }

    /// Resolves the names in the expression of a block.
    pub(crate) fn operands(
        &mut self,
        id: BlockId,
        scope: ScopeId,
        expr: &Expr,
    ) -> Result<(), Diagnostic> {
        let settled = self.settle(scope, expr)?;
        let expr = settled.as_ref().unwrap_or(expr);
        let mut operands = BTreeMap::new();
        let (mut wires, mut spans) = (Vec::new(), Vec::new());
        for (name, span) in expr.names() {
            if operands.contains_key(name) {
                continue;
            }
            if let Some(value) = self.scopes[scope.index()].parameters.get(name) {
                operands.insert(name.to_owned(), Operand::Constant(value.clone()));
            } else if !matches!(name, "time" | "pi" | "inf") {
                let wire = self.signal(scope, name, span)?;
                operands.insert(name.to_owned(), Operand::Port(wires.len()));
                wires.push(wire);
                spans.push(span);
            }
        }
        let formula = self.shared(expr, operands);
        let draft = &mut self.drafts[id.index()];
        draft.kind = draft.kind.with_block(formula);
        (draft.inputs, draft.input_spans) = (vec![wires], vec![spans]);
        Ok(())
    }

    /// The function of an expression: that of the instance before, where it is the same, so that an
    /// expression in a diagram that is used many times is kept once.
    fn shared(&mut self, expr: &Expr, operands: BTreeMap<String, Operand>) -> Arc<Formula> {
        let place = (expr.span, operands.len());
        match self.formulas.get(&place) {
            Some(known) if known.operands == operands && known.expr == *expr => known.clone(),
            _ => {
                let formula = Arc::new(Formula { expr: expr.clone(), operands });
                self.formulas.insert(place, formula.clone());
                formula
            }
        }
    }

    /// The wire of a name: a block, a port of a block, an output of an instance, or an input.
    pub(crate) fn signal(
        &mut self,
        scope: ScopeId,
        name: &str,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let (first, rest) = match name.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (name, None),
        };
        let here = &self.scopes[scope.index()];
        let diagram = here.diagram;
        if let Some((wire, _)) = here.variables.get(name) {
            return Ok(*wire);
        }
        let found = here.entities.get(first).copied().or_else(|| self.element(scope, first));
        match found {
            Some(entity) => self.entity_output(entity, first, rest, span),
            None => match diagram.inputs.iter().find(|input| input.value == name) {
                Some(input) => self.instance_input(scope, &input.value, span),
                None if diagram.blocks.iter().any(|block| block.name.value == first) => {
                    // The block itself was refused; saying so again helps nobody.
                    let message = format!("`{first}` could not be used");
                    Err(Diagnostic::error("unknown-name", message).at(span, "see the other errors"))
                }
                None => self.surrounding(scope, name, span),
            },
        }
    }

    /// The wire of an output of something that a name stands for.
    pub(crate) fn entity_output(
        &mut self,
        entity: Entity,
        name: &str,
        port: Option<&str>,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        match entity {
            Entity::Block(id) => self.block_output(id, port, span),
            Entity::Instance(inner) => self.instance_output(inner, name, port, span),
            Entity::Machine(machine) => self.machine_output(machine, name, port, span),
            Entity::Array(array) => self.whole(array, port, span),
        }
    }

    fn block_output(
        &self,
        id: BlockId,
        port: Option<&str>,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let draft = &self.drafts[id.index()];
        let info = draft.kind.info();
        let names = || info.outputs.iter().map(|output| &*output.name);
        match port {
            None => Ok(draft.outputs[0]),
            Some(port) => match names().position(|name| name == port) {
                Some(index) => Ok(draft.outputs[index]),
                None => {
                    let message = format!("{} has no output `{port}`", info.name);
                    Err(Diagnostic::error("unknown-name", message)
                        .at(span, "no such output")
                        .maybe_help(did_you_mean(port, names())))
                }
            },
        }
    }

    pub(crate) fn instance_output(
        &mut self,
        scope: ScopeId,
        instance: &str,
        port: Option<&str>,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let diagram = self.scope(scope).diagram;
        let names = || diagram.outputs.iter().map(|output| output.name.value.as_str());
        let output = match port {
            Some(port) => diagram.outputs.iter().find(|output| output.name.value == port),
            None if diagram.outputs.len() == 1 => diagram.outputs.first(),
            None => {
                let message = format!("`{instance}` has {} outputs", diagram.outputs.len());
                let all: Vec<String> = names().map(|name| format!("{instance}.{name}")).collect();
                return Err(Diagnostic::error("unknown-name", message)
                    .at(span, "say which one")
                    .help(format!("there is: {}", all.join(", "))));
            }
        };
        let Some(output) = output else {
            let port = port.unwrap_or_default();
            let message = format!("diagram `{}` has no output `{port}`", diagram.name.value);
            return Err(Diagnostic::error("unknown-name", message)
                .at(span, "no such output")
                .maybe_help(did_you_mean(port, names())));
        };
        let name = output.name.value.as_str();
        let path = format!("{}{name}", self.scopes[scope.index()].prefix);
        self.resolve_port(scope, name, span, (scope, &output.value, path))
    }

    fn instance_input(
        &mut self,
        scope: ScopeId,
        name: &'m str,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let Some((outer, block)) = self.scopes[scope.index()].parent else {
            let message = format!("`{name}` is an input of the main diagram, which has none");
            return Err(Diagnostic::error("missing-input", message).at(span, ""));
        };
        let Some(field) = block.fields.iter().find(|field| field.name.value == name) else {
            let message = format!("input `{name}` of `{}` is missing", block.kind.value);
            let path = self.scopes[scope.index()].prefix.trim_end_matches('.').to_owned();
            return Err(Diagnostic::error("missing-input", message)
                .at(block.name.span, "in this instance")
                .block(path)
                .help(format!("add `{name}: ...` with a signal or an expression")));
        };
        let path = format!("{}{name}", self.scopes[scope.index()].prefix);
        self.resolve_port(scope, name, span, (outer, &field.value, path))
    }

    /// Resolves a port of an instance once, and refuses one that is connected to nothing but itself.
    fn resolve_port(
        &mut self,
        scope: ScopeId,
        name: &'m str,
        span: Span,
        (from, expr, path): (ScopeId, &Expr, String),
    ) -> Result<WireId, Diagnostic> {
        let settled = self.settle(from, expr)?;
        let expr = settled.as_ref().unwrap_or(expr);
        match self.scopes[scope.index()].ports.get(name) {
            Some(Some(wire)) => return Ok(*wire),
            Some(None) => {
                let message = format!("`{name}` is connected to nothing but itself");
                return Err(Diagnostic::error("causality-loop", message)
                    .at(span, "this leads back to itself without passing a block"));
            }
            None => {}
        }
        if expr.as_word().is_none() {
            // The block of the expression stands before its names are looked for: a loop through
            // it is one of blocks, which the schedule shows.
            let id = self.formula(expr, path, self.scope(from).fragment);
            let wire = self.drafts[id.index()].outputs[0];
            self.scopes[scope.index()].ports.insert(name, Some(wire));
            return self.operands(id, from, expr).map(|()| wire);
        }
        self.scopes[scope.index()].ports.insert(name, None);
        let found = self.wire(from, expr, path);
        match &found {
            Ok(wire) => self.scopes[scope.index()].ports.insert(name, Some(*wire)),
            Err(_) => self.scopes[scope.index()].ports.remove(name),
        };
        found
    }

    /// The ports of instances that something uses, in the order in which they were written.
    fn instance_ports(&self) -> Vec<InstancePort> {
        let mut found = Vec::new();
        for scope in &self.scopes {
            let diagram = scope.diagram;
            let fields = scope.parent.map_or(&[][..], |(_, block)| &block.fields);
            let inputs = diagram.inputs.iter().map(|input| {
                let field = fields.iter().find(|field| field.name.value == input.value);
                (&input.value, true, field.map_or(input.span, |field| field.value.span))
            });
            let outputs = diagram.outputs.iter();
            let outputs = outputs.map(|output| (&output.name.value, false, output.value.span));
            for (name, is_input, span) in inputs.chain(outputs) {
                if let Some(Some(wire)) = scope.ports.get(name.as_str()) {
                    let instance = scope.prefix.trim_end_matches('.').to_owned();
                    let (name, wire) = (name.clone(), *wire);
                    found.push(InstancePort { instance, name, is_input, wire, span });
                }
            }
        }
        found
    }

    /// What the diagram of each instance is called.
    fn instances(&self) -> BTreeMap<String, String> {
        let named = self.scopes.iter().filter_map(|scope| {
            let (_, block) = scope.parent?;
            let path = scope.prefix.strip_suffix('.')?.to_owned();
            (block.modal.is_none()).then(|| (path, block.kind.value.clone()))
        });
        named.collect()
    }

    fn records(&mut self) -> Vec<Record> {
        let main = ScopeId::new(0);
        let mut records = Vec::new();
        for record in &self.model.record {
            let path = format!("record.{}", record.name);
            let wire = self.wire(main, &record.value, path);
            if let Some(wire) = self.errors.keep(wire) {
                records.push(Record { name: record.name.clone(), wire, implied: false });
            }
        }
        if self.model.record.is_empty() {
            // Nothing asked for: every block of the main diagram.
            for block in &self.model.diagram(self.model.root).blocks {
                let entity = self.scopes[0].entities.get(block.name.value.as_str()).copied();
                let wire = match entity {
                    Some(Entity::Block(id)) => Some(self.drafts[id.index()].outputs[0]),
                    Some(Entity::Array(array)) => self.recorded_array(array),
                    _ => None,
                };
                let name = block.name.value.clone();
                records.extend(wire.map(|wire| Record { name, wire, implied: true }));
                self.record_machine(block, &mut records);
            }
        }
        records
    }

    /// Adds the signals that are not recorded already.
    fn record_others(&self, records: &mut Vec<Record>) {
        let known: HashSet<WireId> = records.iter().map(|record| record.wire).collect();
        for draft in &self.drafts {
            let names = draft.kind.info().outputs.iter().map(|output| &output.name);
            for (wire, name) in draft.outputs.iter().zip(names) {
                if !known.contains(wire) {
                    let name = format!("~{}.{name}", draft.path);
                    records.push(Record { name, wire: *wire, implied: true });
                }
            }
        }
    }

    /// Which loops are solved, and the types of the guesses.
    fn solve(&mut self) -> (Solve, Vec<(WireId, Type)>) {
        let (mut solve, mut types) = (Solve::default(), Vec::new());
        for index in 0..self.scopes.len() {
            let scope = ScopeId::new(index);
            match &self.scopes[index].diagram.solve {
                model::Solve::No => {}
                model::Solve::All(_) => solve.everywhere.push(self.scopes[index].prefix.clone()),
                model::Solve::Signals(signals) => {
                    for named in signals {
                        let guess = self.constant(scope, &named.value);
                        let wire = self.signal(scope, &named.name.value, named.name.span);
                        let (guess, wire) = (self.errors.keep(guess), self.errors.keep(wire));
                        if let (Some(guess), Some(wire)) = (guess, wire) {
                            solve.wires.insert(wire, guess.data().to_vec());
                            types.push((wire, guess.ty().with_elem(Elem::Real)));
                        }
                    }
                }
            }
        }
        (solve, types)
    }
}

/// Something that stands for an expression whose names are not resolved.
fn unresolved(span: Span) -> BlockKind {
    let expr = Expr { kind: ExprKind::Literal(Value::int(0)), span };
    BlockKind::new(Arc::new(Formula { expr, operands: BTreeMap::new() }))
}

/// The type that a wire has until its block is defined.
pub(crate) const UNTYPED: Type = Type::REAL;
