//! Connecting machines, once everything is declared: outputs to the diagrams of their states, and
//! what makes no sense as a whole refused.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use base::{Diagnostic, Spanned, did_you_mean};
use blocks::{ModeOutput, Otherwise};
use model::Modal;

use super::Draft;
use crate::flat::{BlockId, WireId};
use crate::flatten::Flattener;
use crate::machine::{Entry, FragmentId, MachineState, StateMachine};

impl<'m> Flattener<'m> {
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
        self.machines.speaking = self.speaking();
        for index in 0..self.machines.drafts.len() {
            self.connect_machine(index);
        }
    }

    pub(super) fn connect_machine(&mut self, index: usize) {
        let draft = &self.machines.drafts[index];
        let (modal, path, span) = (draft.modal, draft.path.clone(), draft.span);
        let (current, initial) = (draft.current, draft.initial);
        let outputs = draft.outputs.clone();
        let before = self.errors.0.len();
        let mut states = Vec::new();
        let mut preemptive = Vec::new();
        for (number, state) in modal.states.iter().enumerate() {
            let mut transitions = Vec::new();
            let mut silencing = Vec::new();
            for at in 0..state.transitions.len() {
                if let Some(made) = self.transition(index, number, at) {
                    if made.preemptive {
                        silencing.push(made.guards.clone());
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
            let speaks = content.is_some_and(|content| self.machines.speaking.contains(&content));
            states.push(MachineState { name, dwell, content, speaks, transitions });
        }
        // Where a transition was refused it may be the one that leads there.
        let whole = |(state, made): (&model::State, &MachineState)| {
            state.transitions.len() == made.transitions.len()
        };
        if modal.states.iter().zip(&states).all(whole) && self.errors.0.len() == before {
            self.unreachable(modal, initial, &states);
        }
        self.undeclared(modal, &outputs);
        let mut arms = Vec::new();
        for (number, (name, id)) in outputs.iter().enumerate() {
            arms.push(self.connect_output(index, number, name, *id, &states, &preemptive));
        }
        let fragment = self.drafts[current.index()].fragment;
        let outputs = outputs.into_iter().map(|(_, id)| id).collect();
        let machine =
            StateMachine { path, span, fragment, current, outputs, arms, initial, states };
        self.modes.machines.push(machine);
    }

    /// The fragments in which a machine emits a value when it changes state.
    fn speaking(&self) -> HashSet<FragmentId> {
        let mut found = HashSet::new();
        for draft in &self.machines.drafts {
            let mut transitions = draft.modal.states.iter().flat_map(|state| &state.transitions);
            let mut fragment = self.drafts[draft.current.index()].fragment;
            let speaks = transitions.any(|transition| !transition.output.is_empty());
            // Where one is known all those around it are.
            while speaks && found.insert(fragment) && fragment != FragmentId::ROOT {
                fragment = self.modes.fragments[fragment.index()].parent;
            }
        }
        found
    }

    /// Connects an output to the diagrams that give it; hands back the wire of each state.
    pub(super) fn connect_output(
        &mut self,
        index: usize,
        number: usize,
        name: &str,
        id: BlockId,
        states: &[MachineState],
        preemptive: &[(Vec<Vec<BlockId>>, FragmentId)],
    ) -> Vec<Option<WireId>> {
        let &Draft { modal, current, .. } = &self.machines.drafts[index];
        let (mut arms, mut guards, mut wires, mut spans) = (vec![], vec![], vec![], vec![]);
        let mut given_by = Vec::new();
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
            given_by.push(wire);
            spans.extend(wire.map(|_| modal.states[at].name.span));
        }
        let says = states.iter().flat_map(|state| &state.transitions).flat_map(|t| &t.says);
        let said: Vec<BlockId> =
            says.filter(|(output, _)| *output == number).map(|(_, value)| *value).collect();
        let (mut silencing, mut silenced) = (Vec::new(), Vec::new());
        for (transitions, dwell) in preemptive {
            let own = transitions.iter().map(|guards| {
                let first = silencing.len();
                silencing.extend(guards.iter().copied());
                (first..silencing.len()).collect()
            });
            silenced.push((own.collect(), dwell.0));
        }
        let otherwise = self.otherwise(index, name);
        let wire = |block: &BlockId| self.drafts[block.index()].outputs[0];
        let place = |block: &BlockId| self.drafts[block.index()].span;
        let inputs = vec![
            vec![wire(&current)],
            wires,
            said.iter().map(wire).collect(),
            silencing.iter().map(wire).collect(),
        ];
        let input_spans = vec![
            vec![place(&current)],
            spans,
            said.iter().map(place).collect(),
            silencing.iter().map(place).collect(),
        ];
        let draft = &mut self.drafts[id.index()];
        (draft.inputs, draft.input_spans) = (inputs, input_spans);
        let last_words = states.iter().map(|state| state.speaks).collect();
        let output = ModeOutput { arms, guards, preemptive: silenced, last_words, otherwise };
        draft.kind = draft.kind.with_block(Arc::new(output));
        given_by
    }

    /// What an output is in states that do not give it.
    fn otherwise(&mut self, index: usize, name: &str) -> Otherwise {
        let Draft { modal, common, .. } = self.machines.drafts[index];
        let Some(held) = modal.held.iter().find(|held| held.name.value == name) else {
            return Otherwise::Absent;
        };
        let first = held.initial.as_ref().map(|initial| self.constant(common, initial));
        let first = first.and_then(|first| self.errors.keep(first));
        first.map_or(Otherwise::Held, Otherwise::HeldFrom)
    }

    /// Refuses outputs of states, and outputs to hold, that the machine does not have.
    pub(super) fn undeclared(&mut self, modal: &Modal, outputs: &[(&str, BlockId)]) {
        let given = modal.states.iter().flat_map(|state| &state.content.outputs);
        let given = given.map(|output| (&output.name, "not one of the `outputs` of the Modal"));
        let held = modal.held.iter().map(|held| (&held.name, "no state or transition gives it"));
        for (output, why) in given.chain(held) {
            let name = output.value.as_str();
            if !outputs.iter().any(|(known, _)| *known == name) {
                let known = outputs.iter().map(|(known, _)| *known);
                let message = format!("there is no output `{name}`");
                self.errors.push(
                    Diagnostic::error("unknown-output", message)
                        .at(output.span, why)
                        .maybe_help(did_you_mean(name, known)),
                );
            }
        }
    }

    /// Refuses names that would mean two things from outside.
    pub(super) fn check_names(&mut self, modal: &Modal) {
        let outputs = modal.named_outputs();
        let states = modal.states.iter().map(|state| &state.name);
        let all = states.clone().map(|name| (name, "a state"));
        for (name, what) in all.chain(outputs.iter().map(|name| (*name, "an output"))) {
            let meaning = match name.value.as_str() {
                "state" => "it is the state in which a machine is",
                "done" => "it says whether a machine is in a final state",
                _ => continue,
            };
            let message = format!("`{}` cannot be the name of {what}", name.value);
            self.errors.push(
                Diagnostic::error("reserved-name", message)
                    .at(name.span, meaning)
                    .help(format!("choose another name, such as `{}_1`", name.value)),
            );
        }
        let named: BTreeMap<&str, &Spanned<String>> =
            states.rev().map(|state| (state.value.as_str(), state)).collect();
        for output in &outputs {
            if let Some(state) = named.get(output.value.as_str()) {
                let message = format!("`{}` is both an output and a state", output.value);
                self.errors.push(
                    Diagnostic::error("duplicate-name", message)
                        .at(output.span, "an output here")
                        .at(state.span, "a state here")
                        .help(
                            "the name of a state says, from outside, whether the machine is there",
                        ),
                );
            }
        }
        let listed = modal.outputs.iter().flatten();
        for (index, output) in listed.clone().enumerate() {
            if let Some(first) = listed.clone().take(index).find(|o| o.value == output.value) {
                let message = format!("output `{}` is given twice", output.value);
                self.errors.push(
                    Diagnostic::error("duplicate-name", message)
                        .at(output.span, "given again here")
                        .at(first.span, "first given here"),
                );
            }
        }
    }

    /// Refuses states that no way leads to.
    pub(super) fn unreachable(&mut self, modal: &Modal, initial: usize, states: &[MachineState]) {
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
}
