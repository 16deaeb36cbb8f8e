//! Flattening state machines: scopes and fragments for their states, blocks for their guards and
//! actions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base::{Diagnostic, Diagnostics, Elem, Span, Spanned, Time, Type, Value, did_you_mean};
use blocks::{After, Elapsed, Formula, Mode, ModeOutput, Operand, Variable};
use expr::{Expr, ExprKind, Function};
use model::{DiagramId, Modal};

use crate::flat::{BlockId, Diagram, Record, WireId};
use crate::flatten::Flattener;
use crate::machine::{Assignment, Entry, Fragment, FragmentId, Machine, MachineState, Transition};
use crate::parameters;
use crate::scope::{Entity, Scope, ScopeId};

/// Machines that are being made.
#[derive(Default)]
pub(crate) struct Machines<'m> {
    drafts: Vec<Draft<'m>>,
    /// States of blocks that start from an expression over what transitions set.
    pub entries: Vec<(BlockId, ScopeId, &'m Expr)>,
    /// The same of the block that is being declared, with its place.
    pub starts: Vec<(Span, &'m Expr)>,
    /// Blocks of expressions whose names are resolved when everything is declared.
    later: Vec<(BlockId, ScopeId, &'m Expr)>,
    /// For each machine and state, the block that says whether it is there.
    tests: HashMap<(usize, usize), WireId>,
    hoisted: usize,
}

/// A machine whose parts have places but are not connected yet.
struct Draft<'m> {
    modal: &'m Modal,
    path: String,
    span: Span,
    mode: BlockId,
    initial: usize,
    outputs: Vec<(&'m str, BlockId)>,
    /// The scope of each state, that of its diagram.
    states: Vec<StateDraft>,
}

struct StateDraft {
    scope: ScopeId,
    /// The scope of its guards and actions, in which `elapsed` is its own.
    guards: ScopeId,
    dwell: FragmentId,
    content: Option<FragmentId>,
    elapsed: Option<WireId>,
}

impl<'m> Flattener<'m> {
    /// Declares a machine and the diagrams of its states.
    pub(crate) fn machine(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        modal: &'m Modal,
        path: String,
        nested: &mut Vec<DiagramId>,
    ) -> Entity {
        let index = self.machines.drafts.len();
        let fragment = self.scope(scope).fragment;
        let names: Vec<String> = modal.states.iter().map(|s| s.name.value.clone()).collect();
        let initial = self.initial_state(modal, block);
        let last = modal.states.iter().map(|state| state.last).collect();
        let kind = Mode { names: names.clone(), last, initial };
        let span = block.name.span;
        let mode = self.draft(path.clone(), span, Arc::new(kind), BTreeMap::new(), fragment);
        let mut outputs = Vec::new();
        for name in output_names(modal) {
            // What it is made of is known when the states are.
            let kind = ModeOutput { arms: vec![], guards: vec![], preemptive: vec![] };
            let path = format!("{path}.{name}");
            let id = self.draft(path, span, Arc::new(kind), BTreeMap::new(), fragment);
            outputs.push((name, id));
        }
        let common = self.lexical(&modal.own, format!("{path}."), scope, fragment);
        self.vary(common, modal, &modal.own, fragment);
        let draft =
            Draft { modal, path: path.clone(), span, mode, initial, outputs, states: Vec::new() };
        self.machines.drafts.push(draft);
        for state in &modal.states {
            let state = self.state(common, modal, state, &path, fragment, index, nested);
            self.machines.drafts[index].states.push(state);
        }
        Entity::Machine(index)
    }

    fn initial_state(&mut self, modal: &'m Modal, block: &model::Block) -> usize {
        let Some(name) = &modal.initial else {
            if modal.states.len() > 1 {
                let first = modal.states.first().map_or("", |state| &state.name.value);
                let message =
                    format!("`{}` does not say in which state it starts", block.name.value);
                self.errors.push(
                    Diagnostic::error("missing-initial-state", message)
                        .at(block.name.span, "a Modal")
                        .help(format!("add `initial: {first}` or another of its states")),
                );
            }
            return 0;
        };
        self.state_named(modal, name).unwrap_or(0)
    }

    /// The number of a state that is named, or an error.
    fn state_named(&mut self, modal: &Modal, name: &Spanned<String>) -> Option<usize> {
        let names = || modal.states.iter().map(|state| state.name.value.as_str());
        let found = names().position(|known| known == name.value);
        if found.is_none() {
            let message = format!("there is no state `{}`", name.value);
            let all: Vec<&str> = names().collect();
            let help = did_you_mean(&name.value, names())
                .unwrap_or_else(|| format!("the states are: {}", all.join(", ")));
            self.errors
                .push(Diagnostic::error("unknown-state", message).at(name.span, "").help(help));
        }
        found
    }

    /// A scope in which the names around it are seen.
    fn lexical(
        &mut self,
        diagram: &'m model::Diagram,
        prefix: String,
        outer: ScopeId,
        fragment: FragmentId,
    ) -> ScopeId {
        let own = |name: &str| {
            diagram.parameters.iter().any(|p| p.name.value == name)
                || diagram.blocks.iter().any(|block| block.name.value == name)
        };
        let mut given = self.scope(outer).parameters.clone();
        given.retain(|name, _| !own(name));
        let parameters = parameters::evaluate_all(diagram, given, &mut self.errors, None);
        self.scopes.push(Scope {
            diagram,
            prefix,
            parent: None,
            outer: Some(outer),
            fragment,
            dwell: None,
            tolerance: self.scope(outer).tolerance,
            discrete: self.scope(outer).discrete,
            parameters,
            variables: HashMap::new(),
            entities: HashMap::new(),
            ports: HashMap::new(),
        });
        let id = ScopeId::new(self.scopes.len() - 1);
        self.take_domain(id);
        id
    }

    /// Makes parameters that some transition sets into signals.
    fn vary(
        &mut self,
        scope: ScopeId,
        modal: &Modal,
        diagram: &'m model::Diagram,
        fragment: FragmentId,
    ) {
        for parameter in &diagram.parameters {
            let name = &parameter.name.value;
            if !sets(modal, name) {
                continue;
            }
            let Some(initial) = self.scopes[scope.index()].parameters.remove(name) else {
                continue;
            };
            let path = format!("{}{name}", self.scope(scope).prefix);
            let kind = Arc::new(Variable { initial: initial.clone() });
            let id = self.draft(path, parameter.name.span, kind, BTreeMap::new(), fragment);
            let wire = self.drafts[id.index()].outputs[0];
            self.scopes[scope.index()].variables.insert(name.clone(), (wire, initial));
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn state(
        &mut self,
        outer: ScopeId,
        modal: &'m Modal,
        state: &'m model::State,
        path: &str,
        parent: FragmentId,
        machine: usize,
        nested: &mut Vec<DiagramId>,
    ) -> StateDraft {
        let path = format!("{path}.{}", state.name.value);
        let dwell = self.fragment(&path, parent, true);
        let shared = state.like.as_ref().and_then(|like| {
            let at = self.state_named(modal, like)?;
            let before = self.machines.drafts[machine].states.get(at);
            let known = before.map(|state| (state.scope, state.content));
            let empty = state.content.blocks.is_empty() && state.content.outputs.is_empty();
            if known.is_none() || !empty || !state.content.parameters.is_empty() {
                let message = format!("`{}` cannot be like `{}`", state.name.value, like.value);
                let why = match known {
                    None => "a state can be like one that comes before it",
                    Some(_) => "it has a diagram of its own",
                };
                self.errors.push(Diagnostic::error("bad-state", message).at(like.span, why));
            }
            known
        });
        if let Some((scope, content)) = shared {
            let guards = self.lexical(&state.content, format!("{path}."), scope, parent);
            self.scopes[guards.index()].dwell = Some(dwell);
            return StateDraft { scope, guards, dwell, content, elapsed: None };
        }
        let has_content = !state.content.blocks.is_empty() || !state.content.outputs.is_empty();
        let content = has_content.then(|| self.fragment(&path, parent, false));
        let inside = content.unwrap_or(parent);
        let scope = self.lexical(&state.content, format!("{path}."), outer, inside);
        self.scopes[scope.index()].dwell = Some(dwell);
        self.vary(scope, modal, &state.content, parent);
        self.declare_all(scope, nested);
        StateDraft { scope, guards: scope, dwell, content, elapsed: None }
    }

    fn fragment(&mut self, path: &str, parent: FragmentId, dwell: bool) -> FragmentId {
        self.modes.fragments.push(Fragment { path: path.to_owned(), parent, dwell });
        FragmentId::new(self.modes.fragments.len() - 1)
    }

    /// Whether an expression names something that transitions set.
    pub(crate) fn varies(&self, scope: ScopeId, expr: &Expr) -> bool {
        expr.names().any(|(name, _)| self.variable(scope, name).is_some())
    }

    /// A parameter that transitions set, by its name in a scope or around it.
    fn variable(&self, id: ScopeId, name: &str) -> Option<&(WireId, Value)> {
        let scope = self.scope(id);
        if scope.diagram.blocks.iter().any(|block| block.name.value == name) {
            return None;
        }
        scope.variables.get(name).or_else(|| self.variable(scope.outer?, name))
    }

    /// The value of an expression before any transition sets what it names.
    pub(crate) fn first_constant(&self, id: ScopeId, expr: &Expr) -> Result<Value, Diagnostic> {
        let mut known = self.scope(id).parameters.clone();
        for (name, _) in expr.names() {
            if let Some((_, value)) = self.variable(id, name) {
                known.insert(name.to_owned(), value.clone());
            }
        }
        parameters::constant(expr, &known, &|name| self.is_signal(id, name))
    }

    /// The wire of an expression whose names are resolved when everything is declared.
    pub(crate) fn later(&mut self, scope: ScopeId, expr: &'m Expr, path: String) -> WireId {
        let id = self.formula(expr, path, self.scope(scope).fragment);
        self.machines.later.push((id, scope, expr));
        self.drafts[id.index()].outputs[0]
    }

    /// A name that is not one of its scope: an output of the state, the time in the state, or a name
    /// around it.
    pub(crate) fn surrounding(
        &mut self,
        scope: ScopeId,
        name: &str,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let here = self.scope(scope);
        let (diagram, dwell) = (here.diagram, here.dwell);
        if let Some(dwell) = dwell {
            if diagram.outputs.iter().any(|output| output.name.value == name) {
                return self.instance_output(scope, "", Some(name), span);
            }
            if name == "elapsed" {
                return Ok(self.elapsed(dwell, diagram.name.span));
            }
        }
        let here = self.scope(scope);
        match here.outer {
            Some(outer) => self.signal(outer, name, span).map_err(|error| {
                if error.code == "unknown-name" && error.labels.len() == 1 {
                    return self.scope(scope).unknown(name, span, diagram).maybe_help(error.help);
                }
                error
            }),
            None => Err(here.unknown(name, span, diagram)),
        }
    }

    fn elapsed(&mut self, dwell: FragmentId, span: Span) -> WireId {
        let states = self.machines.drafts.iter_mut().flat_map(|draft| &mut draft.states);
        let mut own = states.filter(|state| state.dwell == dwell);
        let known = own.next().and_then(|state| state.elapsed);
        known.unwrap_or_else(|| {
            let path = format!("{}.elapsed", self.modes.fragments[dwell.index()].path);
            let id = self.draft(path, span, Arc::new(Elapsed), BTreeMap::new(), dwell);
            let wire = self.drafts[id.index()].outputs[0];
            let states = self.machines.drafts.iter_mut().flat_map(|draft| &mut draft.states);
            states.filter(|state| state.dwell == dwell).for_each(|s| s.elapsed = Some(wire));
            wire
        })
    }

    /// The wire of an output of a machine: one of its own, `state`, `done`, or the name of a state,
    /// which says whether the machine is in it.
    pub(crate) fn machine_output(
        &mut self,
        machine: usize,
        name: &str,
        port: Option<&str>,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let draft = &self.machines.drafts[machine];
        let port = match (port, draft.outputs.as_slice()) {
            (Some(port), _) => port,
            (None, [(only, _)]) => only,
            (None, outputs) => {
                let all: Vec<String> = outputs
                    .iter()
                    .map(|(output, _)| *output)
                    .chain(["state"])
                    .map(|output| format!("{name}.{output}"))
                    .collect();
                let message = format!("`{name}` has {} outputs", outputs.len());
                return Err(Diagnostic::error("unknown-name", message)
                    .at(span, "say which one")
                    .help(format!("there is: {}", all.join(", "))));
            }
        };
        let mode = self.drafts[draft.mode.index()].outputs.clone();
        if let Some((_, id)) = draft.outputs.iter().find(|(output, _)| *output == port) {
            return Ok(self.drafts[id.index()].outputs[0]);
        }
        match port {
            "state" => return Ok(mode[0]),
            "done" => return Ok(mode[1]),
            _ => {}
        }
        let states = &draft.modal.states;
        if let Some(state) = states.iter().position(|state| state.name.value == port) {
            return Ok(self.test(machine, state, mode[0], span));
        }
        let known = draft.outputs.iter().map(|(output, _)| *output).chain(["state", "done"]);
        let known = known.chain(states.iter().map(|state| state.name.value.as_str()));
        let message = format!("`{name}` has no output or state `{port}`");
        Err(Diagnostic::error("unknown-name", message)
            .at(span, "no such output")
            .maybe_help(did_you_mean(port, known)))
    }

    /// Whether a machine is in a state.
    fn test(&mut self, machine: usize, state: usize, mode: WireId, span: Span) -> WireId {
        if let Some(wire) = self.machines.tests.get(&(machine, state)) {
            return *wire;
        }
        let literal = ExprKind::Literal(Value::int(state as i64));
        let name = ExprKind::Name("state".to_owned());
        let [left, right] = [name, literal].map(|kind| Box::new(Expr { kind, span }));
        let kind = ExprKind::Binary(expr::BinaryOp::Equal, left, right);
        let expr = Expr { kind, span };
        let draft = &self.machines.drafts[machine];
        let path = format!("{}.{}", draft.path, draft.modal.states[state].name.value);
        let fragment = self.drafts[draft.mode.index()].fragment;
        let id = self.formula(&expr, path, fragment);
        let operands = BTreeMap::from([("state".to_owned(), Operand::Port(0))]);
        let block = &mut self.drafts[id.index()];
        block.kind = Arc::new(Formula { expr, operands });
        (block.inputs, block.input_spans) = (vec![vec![mode]], vec![vec![span]]);
        let wire = block.outputs[0];
        self.machines.tests.insert((machine, state), wire);
        wire
    }

    /// Records the outputs and the state of a machine of the main diagram, where nothing was asked
    /// for.
    pub(crate) fn record_machine(&self, block: &model::Block, records: &mut Vec<Record>) {
        let name = &block.name.value;
        let Some(Entity::Machine(machine)) = self.scopes[0].entities.get(name.as_str()) else {
            return;
        };
        let draft = &self.machines.drafts[*machine];
        let mut record = |output: &str, id: BlockId| {
            let wire = self.drafts[id.index()].outputs[0];
            records.push(Record { name: format!("{name}.{output}"), wire });
        };
        draft.outputs.iter().for_each(|(output, id)| record(output, *id));
        record("state", draft.mode);
    }

    /// Connects outputs, guards and actions of all machines.
    pub(crate) fn connect_machines(&mut self) {
        for (id, scope, expr) in std::mem::take(&mut self.machines.later) {
            let resolved = self.operands(id, scope, expr);
            self.errors.keep(resolved);
        }
        for (block, scope, expr) in std::mem::take(&mut self.machines.entries) {
            let path = format!("{}.initial", self.drafts[block.index()].path);
            let fragment = self.drafts[block.index()].fragment;
            if let Some(value) = self.action(scope, expr, path, fragment) {
                let wire = self.drafts[value.index()].outputs[0];
                self.modes.entries.push(Entry { block, wire });
            }
        }
        for index in 0..self.machines.drafts.len() {
            self.connect_machine(index);
        }
    }

    fn connect_machine(&mut self, index: usize) {
        let draft = &self.machines.drafts[index];
        let (modal, path, span) = (draft.modal, draft.path.clone(), draft.span);
        let (mode, initial) = (draft.mode, draft.initial);
        let outputs = draft.outputs.clone();
        let mut states = Vec::new();
        let mut preemptive = Vec::new();
        for (number, state) in modal.states.iter().enumerate() {
            let mut transitions = Vec::new();
            let mut silencing = Vec::new();
            for transition in &state.transitions {
                if let Some(made) = self.transition(index, number, transition) {
                    if made.preemptive {
                        silencing.extend(made.guards.first().copied());
                    }
                    transitions.push(made);
                }
            }
            if state.last && !state.transitions.is_empty() {
                let message = format!("`{}` is final and has a transition", state.name.value);
                let error = Diagnostic::error("bad-transition", message);
                self.errors.push(error.at(state.transitions[0].span, "never taken"));
            }
            let drafted = &self.machines.drafts[index].states[number];
            let (dwell, content) = (drafted.dwell, drafted.content);
            preemptive.push((silencing, dwell));
            let name = state.name.value.clone();
            states.push(MachineState { name, dwell, content, transitions });
        }
        self.unreachable(modal, initial, &states);
        self.undeclared(modal, &outputs);
        for (number, (name, id)) in outputs.iter().enumerate() {
            self.connect_output(index, number, name, *id, &states, &preemptive);
        }
        let fragment = self.drafts[mode.index()].fragment;
        let outputs = outputs.into_iter().map(|(_, id)| id).collect();
        self.modes.machines.push(Machine { path, span, fragment, mode, outputs, initial, states });
    }

    fn connect_output(
        &mut self,
        index: usize,
        number: usize,
        name: &str,
        id: BlockId,
        states: &[MachineState],
        preemptive: &[(Vec<BlockId>, FragmentId)],
    ) {
        let modal = self.machines.drafts[index].modal;
        let mode = self.machines.drafts[index].mode;
        let (mut arms, mut guards, mut wires, mut spans) = (vec![], vec![], vec![], vec![]);
        for (at, state) in states.iter().enumerate() {
            let scope = self.machines.drafts[index].states[at].scope;
            let given = self.scope(scope).diagram.outputs.iter();
            let given = given.clone().find(|output| output.name.value == name);
            guards.push(state.content.map_or(0, |fragment| fragment.0));
            let wire = given.and_then(|output| {
                let found = self.instance_output(scope, "", Some(name), output.name.span);
                self.errors.keep(found)
            });
            arms.push(wire.map(|_| wires.len()));
            wires.extend(wire);
            spans.extend(wire.map(|_| modal.states[at].name.span));
        }
        let says = states.iter().flat_map(|state| &state.transitions).flat_map(|t| &t.says);
        let said: Vec<BlockId> =
            says.filter(|(output, _)| *output == number).map(|(_, value)| *value).collect();
        let mut silencing = Vec::new();
        let mut silenced = Vec::new();
        for (blocks, dwell) in preemptive {
            let own = (silencing.len()..silencing.len() + blocks.len()).collect();
            silencing.extend(blocks.iter().copied());
            silenced.push((own, dwell.0));
        }
        let wire = |block: &BlockId| self.drafts[block.index()].outputs[0];
        let place = |block: &BlockId| self.drafts[block.index()].span;
        let inputs = vec![
            vec![wire(&mode)],
            wires,
            said.iter().map(wire).collect(),
            silencing.iter().map(wire).collect(),
        ];
        let input_spans = vec![
            vec![place(&mode)],
            spans,
            said.iter().map(place).collect(),
            silencing.iter().map(place).collect(),
        ];
        let draft = &mut self.drafts[id.index()];
        (draft.inputs, draft.input_spans) = (inputs, input_spans);
        draft.kind = Arc::new(ModeOutput { arms, guards, preemptive: silenced });
    }

    /// Refuses outputs of states that the machine does not have.
    fn undeclared(&mut self, modal: &Modal, outputs: &[(&str, BlockId)]) {
        for output in modal.states.iter().flat_map(|state| &state.content.outputs) {
            let name = output.name.value.as_str();
            if !outputs.iter().any(|(known, _)| *known == name) {
                let known = outputs.iter().map(|(known, _)| *known);
                let message = format!("there is no output `{name}`");
                self.errors.push(
                    Diagnostic::error("unknown-output", message)
                        .at(output.name.span, "not one of the `outputs` of the Modal")
                        .maybe_help(did_you_mean(name, known)),
                );
            }
        }
    }

    /// Refuses states that no way leads to.
    fn unreachable(&mut self, modal: &Modal, initial: usize, states: &[MachineState]) {
        let mut reached = vec![false; states.len()];
        let mut open = vec![initial];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                open.extend(states[state].transitions.iter().map(|transition| transition.to));
            }
        }
        for (state, _) in modal.states.iter().zip(reached).filter(|(_, reached)| !reached) {
            let message = format!("no transition leads to state `{}`", state.name.value);
            self.errors.push(
                Diagnostic::error("unreachable-state", message)
                    .at(state.name.span, "never entered")
                    .help("add a transition that leads there, or leave the state out"),
            );
        }
    }

    fn transition(
        &mut self,
        index: usize,
        from: usize,
        written: &'m model::Transition,
    ) -> Option<Transition> {
        let draft = &self.machines.drafts[index];
        let modal = draft.modal;
        let (scope, dwell) = (draft.states[from].guards, draft.states[from].dwell);
        let path = format!("{}.{}", draft.path, modal.states[from].name.value);
        let to = self.state_named(modal, &written.to)?;
        let mut guards = Vec::new();
        if let Some(guard) = &written.guard {
            guards.push(self.guard(scope, guard, format!("{path}.when"), dwell)?);
        }
        if let Some(after) = &written.after {
            guards.push(self.after(scope, after, format!("{path}.after"), dwell)?);
        }
        self.check_flags(written, !guards.is_empty());
        let mut sets = Vec::new();
        for set in &written.set {
            let destination = self.machines.drafts[index].states[to].scope;
            let target = self.target(destination, index, &set.name);
            let path = format!("{path}.set.{}", set.name.value);
            let value = self.action(scope, &set.value, path, dwell);
            if let (Some((target, variable)), Some(value)) = (target, value) {
                sets.push(Assignment { target, variable, value, span: set.name.span });
            }
        }
        let mut says = Vec::new();
        for said in &written.output {
            let names = || self.machines.drafts[index].outputs.iter().map(|(name, _)| *name);
            let Some(output) = names().position(|name| name == said.name.value) else {
                let message = format!("there is no output `{}`", said.name.value);
                let help = did_you_mean(&said.name.value, names());
                self.errors.push(
                    Diagnostic::error("unknown-output", message)
                        .at(said.name.span, "not an output of the Modal")
                        .maybe_help(help),
                );
                continue;
            };
            let path = format!("{path}.output.{}", said.name.value);
            let value = self.action(scope, &said.value, path, dwell);
            says.extend(value.map(|value| (output, value)));
        }
        Some(Transition {
            span: written.span,
            to,
            guards,
            sets,
            says,
            history: written.history,
            immediate: written.immediate.is_some(),
            preemptive: written.preemptive.is_some(),
            default: written.default.is_some(),
            nondeterministic: written.nondeterministic,
            error: written.error.is_some(),
        })
    }

    fn check_flags(&mut self, written: &model::Transition, guarded: bool) {
        let mut refuse = |span: Span, message: &str, why: &str| {
            self.errors.push(Diagnostic::error("bad-transition", message).at(span, why));
        };
        if let (Some(span), Some(_)) = (written.preemptive, written.default) {
            refuse(span, "a default transition cannot be preemptive", "it comes after all others");
        }
        if let Some(span) = written.error
            && (guarded || written.preemptive.is_some() || written.default.is_some())
        {
            let why = "it is taken where the state's diagram fails, and needs nothing else";
            refuse(span, "an error transition has no condition", why);
        }
        if let (Some(span), Some(_)) = (written.preemptive, &written.after)
            && written.guard.is_none()
        {
            refuse(
                span,
                "`preemptive` needs a condition in `when`",
                "`after` alone ends nothing early",
            );
        }
    }

    /// A guard: a truth value. What it remembers is computed before it, for its memory is that of
    /// the microstep at which it is decided.
    fn guard(
        &mut self,
        scope: ScopeId,
        expr: &'m Expr,
        path: String,
        dwell: FragmentId,
    ) -> Option<BlockId> {
        let hoisted = self.hoist(scope, expr, &path, dwell);
        let id = self.formula(&hoisted, path, dwell);
        let resolved = self.operands(id, scope, &hoisted);
        self.errors.keep(resolved).map(|()| id)
    }

    /// The same expression with calls of `previous` and `left` as signals of their own.
    fn hoist(&mut self, scope: ScopeId, expr: &Expr, path: &str, dwell: FragmentId) -> Expr {
        let remembers = |kind: &ExprKind| {
            matches!(kind, ExprKind::Call(function, _)
                if matches!(function.value, Function::Previous | Function::Left))
        };
        if !expr.descendants().any(|inner| remembers(&inner.kind)) {
            return expr.clone();
        }
        if remembers(&expr.kind) {
            self.machines.hoisted += 1;
            let name = format!("memory#{}", self.machines.hoisted);
            let id = self.formula(expr, format!("{path}.{name}"), dwell);
            let resolved = self.operands(id, scope, expr);
            self.errors.keep(resolved);
            let wire = self.drafts[id.index()].outputs[0];
            let known = (wire, Value::real(0.0));
            self.scopes[scope.index()].variables.insert(name.clone(), known);
            return Expr { kind: ExprKind::Name(name), span: expr.span };
        }
        expr.with_children(&mut |child| self.hoist(scope, child, path, dwell))
    }

    /// The truth value that a state has lasted a time.
    fn after(
        &mut self,
        scope: ScopeId,
        expr: &'m Expr,
        path: String,
        dwell: FragmentId,
    ) -> Option<BlockId> {
        let delay = self.constant(scope, expr).and_then(|value| {
            match value.as_rational().and_then(Time::from_rational) {
                Some(time) if time >= Time::ZERO => Ok(time),
                _ => {
                    let message = "`after` must be a time, 0 or more";
                    Err(Diagnostic::error("bad-parameter", message).at(expr.span, "[s]"))
                }
            }
        });
        let delay = self.errors.keep(delay)?;
        Some(self.draft(path, expr.span, Arc::new(After { delay }), BTreeMap::new(), dwell))
    }

    /// The block of an expression that only transitions ask for.
    fn action(
        &mut self,
        scope: ScopeId,
        expr: &'m Expr,
        path: String,
        fragment: FragmentId,
    ) -> Option<BlockId> {
        let id = self.guard(scope, expr, path, fragment)?;
        self.drafts[id.index()].passive = true;
        Some(id)
    }

    /// What a set action names: a parameter that transitions set, or a block with a state.
    fn target(
        &mut self,
        scope: ScopeId,
        machine: usize,
        name: &Spanned<String>,
    ) -> Option<(BlockId, bool)> {
        let block_of = |wire: WireId| self.wire_blocks[wire.index()].0;
        if let Some((wire, _)) = self.variable(scope, &name.value) {
            return Some((block_of(*wire), true));
        }
        let mut at = scope;
        let mut parts = name.value.split('.').peekable();
        while let Some(part) = parts.next() {
            match (self.scope(at).entities.get(part), parts.peek()) {
                (Some(Entity::Block(id)), None) => return Some((*id, false)),
                (Some(Entity::Instance(inner)), Some(_)) => at = *inner,
                _ => break,
            }
        }
        let state = &self.machines.drafts[machine].path;
        let here = self.scope(scope);
        let known = here.diagram.blocks.iter().map(|block| block.name.value.as_str());
        let own = here.diagram.parameters.iter().map(|p| p.name.value.as_str());
        let message = format!("there is no state or parameter `{}` to set", name.value);
        self.errors.push(
            Diagnostic::error("set-into-nothing", message)
                .at(name.span, "not found in the state that the transition leads to")
                .block(state)
                .maybe_help(did_you_mean(&name.value, known.chain(own))),
        );
        None
    }
}

/// The names of a machine's outputs: those that it says, or those of its states in order.
fn output_names(modal: &Modal) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    match &modal.outputs {
        Some(outputs) => names.extend(outputs.iter().map(|output| output.value.as_str())),
        None => {
            let states = modal.states.iter();
            let given = states.clone().flat_map(|state| &state.content.outputs);
            let said = states.flat_map(|state| &state.transitions).flat_map(|t| &t.output);
            for output in given.chain(said) {
                let name = output.name.value.as_str();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}

/// Whether some transition of a machine, or of one inside it, sets a name.
fn sets(modal: &Modal, name: &str) -> bool {
    modal.states.iter().any(|state| {
        let actions = state.transitions.iter().flat_map(|transition| &transition.set);
        let own = actions.map(|set| &set.name.value).any(|set| set == name);
        let inner = state.content.blocks.iter().filter_map(|block| block.modal.as_ref());
        own || inner.into_iter().any(|modal| sets(modal, name))
    })
}

/// Checks what depends on types: guards are truth values, and what is set fits.
pub(crate) fn check(diagram: &Diagram, errors: &mut Diagnostics) {
    if diagram.run.impulses.steps() {
        check_stepped(diagram, errors);
    }
    for machine in &diagram.modes.machines {
        for transition in machine.states.iter().flat_map(|state| &state.transitions) {
            for guard in &transition.guards {
                let block = diagram.block(*guard);
                let ty = block.definition.output_type(0);
                if ty != Type::BOOL {
                    let message = format!("a guard must be true or false, and this is {ty}");
                    let help = match diagram.wire(block.outputs[0]).between {
                        crate::Presence::Never => "ask whether an event is there: `present(...)`",
                        _ => "compare it, as in `x > 0`",
                    };
                    errors.push(
                        Diagnostic::error("bad-guard", message)
                            .at(block.span, "not a truth value")
                            .block(&machine.path)
                            .help(help),
                    );
                }
            }
            for set in &transition.sets {
                check_assignment(diagram, &machine.path, set, errors);
            }
        }
    }
    for block in &diagram.blocks {
        if block.fragment != FragmentId::ROOT && !block.definition.histories.is_empty() {
            let message = "a delay cannot stand in a state, whose time may stand still";
            errors.push(
                Diagnostic::error("delay-in-state", message)
                    .at(block.span, "")
                    .block(&block.path)
                    .help("put it beside the Modal, after one of its outputs"),
            );
        }
    }
    for entry in &diagram.modes.entries {
        let (block, wire) = (diagram.block(entry.block), diagram.wire(entry.wire));
        if let Some(state) = block.definition.states.first()
            && state.ty.shape != wire.ty.shape
        {
            let message = format!("`initial` is {}, and the state is {}", wire.ty, state.ty);
            let error = Diagnostic::error("size-mismatch", message).at(block.span, "");
            errors.push(error.block(&block.path));
        }
    }
}

/// Refuses what a run by fixed steps does not have.
fn check_stepped(diagram: &Diagram, errors: &mut Diagnostics) {
    let mut refuse = |what: &str, span: Span, path: &str| {
        let message = format!("a run by fixed steps has no {what}");
        errors.push(
            Diagnostic::error("not-in-steps", message)
                .at(span, "only run with symbolic impulses")
                .block(path)
                .help("leave `impulses: numeric` or `stepped` out"),
        );
    };
    for machine in &diagram.modes.machines {
        refuse("state machines", machine.span, &machine.path);
    }
    for block in diagram.blocks.iter().filter(|block| !block.definition.histories.is_empty()) {
        refuse("delays", block.span, &block.path);
    }
}

fn check_assignment(diagram: &Diagram, path: &str, set: &Assignment, errors: &mut Diagnostics) {
    let target = diagram.block(set.target);
    let value = diagram.block(set.value).definition.output_type(0);
    let Some(state) = target.definition.states.first() else {
        let message = format!("`{}` has no state to set", target.path);
        let what = target.kind.info().name;
        errors.push(
            Diagnostic::error("set-into-nothing", message)
                .at(set.span, format!("a {what} remembers nothing"))
                .block(path)
                .help("set a block with a state, such as an Integrator, or a parameter"),
        );
        return;
    };
    let fits = state.ty.shape == value.shape
        && (state.ty.elem == Elem::Bool) == (value.elem == Elem::Bool);
    if !fits {
        let message = format!("`{}` is {}, and this is {value}", target.path, state.ty);
        errors
            .push(Diagnostic::error("size-mismatch", message).at(set.span, "set here").block(path));
    }
}
