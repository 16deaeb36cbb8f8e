//! What names mean around and inside a machine: what transitions set, how long a state has lasted,
//! and the outputs and states of a machine seen from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, Span, Value, did_you_mean};
use blocks::{BlockKind, Elapsed, Formula, Operand};
use expr::{Expr, ExprKind};

use crate::flat::{BlockId, Record, WireId};
use crate::flatten::Flattener;
use crate::machine::FragmentId;
use crate::parameters;
use crate::scope::{Entity, ScopeId, time_is_meant};

impl<'m> Flattener<'m> {
    /// Whether an expression names something that transitions set.
    pub(crate) fn varies(&self, scope: ScopeId, expr: &Expr) -> bool {
        expr.names().any(|(name, _)| self.variable(scope, name).is_some())
    }

    /// A parameter that transitions set, by its name in a scope or around it.
    pub(crate) fn variable(&self, id: ScopeId, name: &str) -> Option<&(WireId, Value)> {
        let scope = self.scope(id);
        if let Some(own) = scope.variables.get(name) {
            return Some(own);
        }
        // Blocks are looked through only where something around them may have the name: the main
        // diagram may have very many.
        let outer = scope.outer?;
        let hidden = scope.diagram.blocks.iter().any(|block| block.name.value == name)
            || scope.diagram.inputs.iter().any(|input| input.name.value == name);
        if hidden { None } else { self.variable(outer, name) }
    }

    /// The value of an expression before any transition sets what it names.
    pub(crate) fn first_constant(&self, id: ScopeId, expr: &Expr) -> Result<Value, Diagnostic> {
        let mut known = self.scope(id).parameters.clone();
        for (name, _) in expr.names() {
            if let Some((_, value)) = self.variable(id, name) {
                known.insert(name.to_owned(), value.clone());
            }
        }
        parameters::constant(expr, &known, &self.opening, &|name| self.moving(id, name))
    }

    /// Refuses a parameter that is made of what transitions set: it would stay what it was at first.
    pub(crate) fn refuse_set(&mut self, parameter: &model::Parameter, set: &dyn Fn(&str) -> bool) {
        let names = parameter.value.iter().flat_map(Expr::names);
        for (on, span) in names.filter(|(on, _)| set(on)) {
            self.errors.push(parameters::depends_on_set(&parameter.name.value, on, span));
        }
    }

    /// The wire of an expression whose names are resolved when everything is declared.
    pub(crate) fn later(&mut self, scope: ScopeId, expr: &'m Expr, path: String) -> WireId {
        let id = self.formula(expr, path, self.scope(scope).fragment);
        self.machines.later.push((id, scope, expr));
        self.drafts[id.index()].outputs[0]
    }

    /// A name that is not one of its scope: the time in the state, a name around it, or else an
    /// output of the state.
    pub(crate) fn surrounding(
        &mut self,
        scope: ScopeId,
        name: &str,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let here = self.scope(scope);
        let (diagram, dwell) = (here.diagram, here.dwell);
        if let (Some(dwell), "elapsed") = (dwell, name) {
            return Ok(self.elapsed(dwell, diagram.name.span));
        }
        let here = self.scope(scope);
        let Some(outer) = here.outer else { return Err(here.unknown(name, span, diagram)) };
        match self.signal(outer, name, span) {
            Err(error) if error.code == "unknown-name" && error.labels.len() == 1 => {
                // An output of the state has a name if nothing else has it: `{u: u}` hands on
                // what is around the machine.
                if dwell.is_some() && diagram.outputs.iter().any(|o| o.name.value == name) {
                    return self.instance_output(scope, "", Some(name), span);
                }
                Err(self.unknown_in_state(scope, name, span))
            }
            found => found,
        }
    }

    /// The refusal of a name in a state or a system of equations, with those that are seen there.
    fn unknown_in_state(&self, scope: ScopeId, name: &str, span: Span) -> Diagnostic {
        let here = self.scope(scope);
        let place = match (here.dwell, here.parent) {
            (Some(_), _) => "not found in this state or around it",
            (None, Some(_)) => "not found in this system or around it",
            (None, None) => "not found",
        };
        let mut known: Vec<&str> = Vec::new();
        let mut next = Some(scope);
        while let Some(scope) = next {
            let here = self.scope(scope);
            let blocks = here.diagram.blocks.iter().map(|block| block.name.value.as_str());
            let inputs = here.diagram.inputs.iter().map(|input| input.name.value.as_str());
            let parameters = here.diagram.parameters.iter().map(|p| p.name.value.as_str());
            for name in blocks.chain(inputs).chain(parameters) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            next = here.outer;
        }
        Diagnostic::error("unknown-name", format!("there is no signal or parameter `{name}`"))
            .at(span, place)
            .maybe_help(time_is_meant(name).or_else(|| did_you_mean(name, known)))
    }

    pub(super) fn elapsed(&mut self, dwell: FragmentId, span: Span) -> WireId {
        let states = self.machines.drafts.iter_mut().flat_map(|draft| &mut draft.states);
        let mut own = states.filter(|state| state.dwell == dwell);
        let known = own.next().and_then(|state| state.elapsed);
        known.unwrap_or_else(|| {
            let path = format!("{}.elapsed", self.modes.fragments[dwell.index()].path);
            let kind = BlockKind::new(Arc::new(Elapsed));
            let id = self.draft(path, span, kind, BTreeMap::new(), dwell);
            let wire = self.drafts[id.index()].outputs[0];
            let states = self.machines.drafts.iter_mut().flat_map(|draft| &mut draft.states);
            states.filter(|state| state.dwell == dwell).for_each(|s| s.elapsed = Some(wire));
            wire
        })
    }

    /// The wire of an output of a machine: one of its own, `state`, `done`, or the name of a state,
    /// which computes whether the machine is in it.
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
        let current = self.drafts[draft.current.index()].outputs.clone();
        if let Some((_, id)) = draft.outputs.iter().find(|(output, _)| *output == port) {
            return Ok(self.drafts[id.index()].outputs[0]);
        }
        match port {
            "state" => return Ok(current[0]),
            "done" => return Ok(current[1]),
            _ => {}
        }
        let states = &draft.modal.states;
        if let Some(state) = states.iter().position(|state| state.name.value == port) {
            return Ok(self.test(machine, state, current[0], span));
        }
        let known = draft.outputs.iter().map(|(output, _)| *output).chain(["state", "done"]);
        let known = known.chain(states.iter().map(|state| state.name.value.as_str()));
        let message = format!("`{name}` has no output or state `{port}`");
        Err(Diagnostic::error("unknown-name", message)
            .at(span, "no such output")
            .maybe_help(did_you_mean(port, known)))
    }

    /// Whether a machine is in a state.
    pub(super) fn test(
        &mut self,
        machine: usize,
        state: usize,
        current: WireId,
        span: Span,
    ) -> WireId {
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
        let fragment = self.drafts[draft.current.index()].fragment;
        let id = self.formula(&expr, path, fragment);
        let operands = BTreeMap::from([("state".to_owned(), Operand::Port(0))]);
        let block = &mut self.drafts[id.index()];
        block.kind = block.kind.with_block(Arc::new(Formula { expr, operands, open: Vec::new() }));
        (block.inputs, block.input_spans) = (vec![vec![current]], vec![vec![span]]);
        let wire = block.outputs[0];
        self.machines.tests.insert((machine, state), wire);
        wire
    }

    /// Records the outputs and the state of a machine of the main diagram, if nothing was requested
    /// for.
    pub(crate) fn record_machine(&self, block: &model::Block, records: &mut Vec<Record>) {
        let name = &block.name.value;
        let Some(Entity::Machine(machine)) = self.scopes[0].entities.get(name.as_str()) else {
            return;
        };
        let draft = &self.machines.drafts[*machine];
        let mut record = |output: &str, id: BlockId| {
            let wire = self.drafts[id.index()].outputs[0];
            records.push(Record {
                name: format!("{name}.{output}"),
                wire,
                implied: true,
                hidden: false,
            });
        };
        draft.outputs.iter().for_each(|(output, id)| record(output, *id));
        record("state", draft.current);
    }
}
