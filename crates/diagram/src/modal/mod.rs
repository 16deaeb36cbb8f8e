//! Flattening state machines: scopes and fragments for their states, blocks for their guards and
//! actions.

mod check;
mod connect;
mod names;
mod transitions;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use base::{Diagnostic, Span, Spanned, did_you_mean};
use blocks::{BlockKind, CurrentState, ModeOutput, Variable};
use expr::Expr;
use model::{DiagramId, Modal};
use rustc_hash::FxHashMap;

use crate::flat::{BlockId, WireId};
use crate::flatten::Flattener;
use crate::machine::{Fragment, FragmentId};
use crate::parameters;
use crate::scope::{Entity, Scope, ScopeId};
pub(crate) use check::check;

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
    /// For each machine and state, the block that computes whether the machine is in it.
    tests: BTreeMap<(usize, usize), WireId>,
    /// The fragments in which a machine emits a value when it changes state.
    speaking: HashSet<FragmentId>,
    hoisted: usize,
}

/// A machine whose parts have places but are not connected yet.
struct Draft<'m> {
    modal: &'m Modal,
    /// The number of each state, by its name.
    numbers: Arc<BTreeMap<&'m str, usize>>,
    path: String,
    span: Span,
    /// The scope of the parameters that all states see.
    common: ScopeId,
    current: BlockId,
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
        let named = modal.states.iter().enumerate().rev();
        let numbers = named.map(|(number, state)| (state.name.value.as_str(), number));
        let numbers: Arc<BTreeMap<&str, usize>> = Arc::new(numbers.collect());
        let initial = self.initial_state(modal, &numbers, block);
        let last = modal.states.iter().map(|state| state.last).collect();
        let state = CurrentState { names: names.clone(), last, initial };
        let kind = BlockKind::new(Arc::new(state));
        let span = block.name.span;
        let current = self.draft(path.clone(), span, kind, BTreeMap::new(), fragment);
        self.check_names(modal);
        let mut outputs = Vec::new();
        for name in output_names(modal) {
            // What it is made of is known when the states are.
            let kind = BlockKind::new(Arc::new(ModeOutput::default()));
            let path = format!("{path}.{name}");
            let id = self.draft(path, span, kind, BTreeMap::new(), fragment);
            outputs.push((name, id));
        }
        let common = self.lexical(Some(modal), &modal.own, format!("{path}."), scope, fragment);
        self.vary(common, modal, &modal.own, fragment);
        let (at, states) = (path.clone(), Vec::new());
        let draft =
            Draft { modal, numbers, path: at, span, common, current, initial, outputs, states };
        self.machines.drafts.push(draft);
        for state in &modal.states {
            let state = self.state(index, common, state, nested);
            self.machines.drafts[index].states.push(state);
        }
        Entity::Machine(index)
    }

    fn initial_state(
        &mut self,
        modal: &'m Modal,
        numbers: &BTreeMap<&str, usize>,
        block: &model::Block,
    ) -> usize {
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
        self.state_named(modal, numbers, name).unwrap_or(0)
    }

    /// The number of a state that is named, or an error.
    fn state_named(
        &mut self,
        modal: &Modal,
        numbers: &BTreeMap<&str, usize>,
        name: &Spanned<String>,
    ) -> Option<usize> {
        let names = || modal.states.iter().map(|state| state.name.value.as_str());
        let found = numbers.get(name.value.as_str()).copied();
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

    /// A scope in which the names around it are seen; `modal` is the machine that it belongs to.
    pub(crate) fn lexical(
        &mut self,
        modal: Option<&Modal>,
        diagram: &'m model::Diagram,
        prefix: String,
        outer: ScopeId,
        fragment: FragmentId,
    ) -> ScopeId {
        let parameter = |name: &str| diagram.parameters.iter().any(|p| p.name.value == name);
        let own = |name: &str| {
            parameter(name)
                || diagram.blocks.iter().any(|block| block.name.value == name)
                || diagram.inputs.iter().any(|input| input.name.value == name)
        };
        let mut given = self.scope(outer).parameters.clone();
        given.retain(|name, _| !own(name));
        // What is set around it is refused by its own reason, and has a value until then.
        let mut around = Vec::new();
        for (name, _) in diagram.parameters.iter().flat_map(|p| &p.value).flat_map(Expr::names) {
            if let Some((_, value)) = self.variable(outer, name).filter(|_| !own(name)) {
                given.insert(name.to_owned(), value.clone());
                around.push(name);
            }
        }
        for written in &diagram.parameters {
            let set = |name: &str| {
                around.contains(&name)
                    || parameter(name) && modal.is_some_and(|modal| sets(modal, name))
            };
            self.refuse_set(written, &set);
        }
        let table = (&self.opening, false);
        let mut parameters =
            parameters::evaluate_all(diagram, given, table, &mut self.errors, None);
        around.iter().for_each(|name| drop(parameters.remove(*name)));
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
            variables: BTreeMap::new(),
            entities: FxHashMap::default(),
            ports: BTreeMap::new(),
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
            let kind = BlockKind::new(Arc::new(Variable { initial: initial.clone() }));
            let id = self.draft(path, parameter.name.span, kind, BTreeMap::new(), fragment);
            let wire = self.drafts[id.index()].outputs[0];
            self.scopes[scope.index()].variables.insert(name.clone(), (wire, initial));
        }
    }

    /// Declares a state of a machine.
    fn state(
        &mut self,
        machine: usize,
        outer: ScopeId,
        state: &'m model::State,
        nested: &mut Vec<DiagramId>,
    ) -> StateDraft {
        let draft = &self.machines.drafts[machine];
        let (modal, numbers) = (draft.modal, draft.numbers.clone());
        let path = format!("{}.{}", draft.path, state.name.value);
        let parent = self.drafts[draft.current.index()].fragment;
        let dwell = self.fragment(&path, parent, true);
        let shared = state.like.as_ref().and_then(|like| {
            let at = self.state_named(modal, &numbers, like)?;
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
            let guards =
                self.lexical(Some(modal), &state.content, format!("{path}."), scope, parent);
            self.scopes[guards.index()].dwell = Some(dwell);
            return StateDraft { scope, guards, dwell, content, elapsed: None };
        }
        let has_content = !state.content.blocks.is_empty() || !state.content.outputs.is_empty();
        let content = has_content.then(|| self.fragment(&path, parent, false));
        let inside = content.unwrap_or(parent);
        let scope = self.lexical(Some(modal), &state.content, format!("{path}."), outer, inside);
        self.scopes[scope.index()].dwell = Some(dwell);
        self.vary(scope, modal, &state.content, parent);
        self.declare_all(scope, nested);
        StateDraft { scope, guards: scope, dwell, content, elapsed: None }
    }

    fn fragment(&mut self, path: &str, parent: FragmentId, dwell: bool) -> FragmentId {
        self.modes.fragments.push(Fragment { path: path.to_owned(), parent, dwell });
        FragmentId::new(self.modes.fragments.len() - 1)
    }
}

/// The names of a machine's outputs: those that it declares, or those of its states in order.
fn output_names(modal: &Modal) -> Vec<&str> {
    let mut known: HashSet<&str> = HashSet::new();
    let written = modal.named_outputs().into_iter().map(|output| output.value.as_str());
    written.filter(|name| known.insert(name)).collect()
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
