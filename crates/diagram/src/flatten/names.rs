//! Names: what each name in a scope refers to.
//!
//! In comes a name, or an expression over names, with its scope; out goes a wire or a constant, or
//! the diagnostic that there is none. Ports of instances are followed to the wire of a block, so
//! that no port is left in the flat diagram.

use base::{Diagnostic, Span, Value, did_you_mean};
use expr::Expr;

use super::Flattener;
use crate::flat::{BlockId, WireId};
use crate::parameters::{self, Moving};
use crate::scope::{Entity, Port, ScopeId};

impl<'m> Flattener<'m> {
    /// The value of an expression over the parameters of a scope; open if one of them is.
    pub(crate) fn constant(&self, id: ScopeId, expr: &Expr) -> Result<Value, Diagnostic> {
        let moving = |name: &str| self.moving(id, name);
        parameters::constant(expr, &self.scope(id).parameters, &self.opening, &moving)
    }

    /// The same where the number itself decides what is built.
    pub(crate) fn decided(
        &self,
        id: ScopeId,
        expr: &Expr,
        what: &str,
    ) -> Result<Value, Diagnostic> {
        let value = self.constant(id, expr)?;
        Ok(self.opening.decide(value, &format!("it decides {what}")))
    }

    /// The kind of a name, in a scope or around it, that is no constant.
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
            || scope.diagram.inputs.iter().any(|input| input.name.value == name)
            || scope.variables.contains_key(name)
            || scope.outer.is_some_and(|outer| self.is_signal(outer, name))
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
            None => match diagram.inputs.iter().find(|input| input.name.value == name) {
                Some(input) => self.instance_input(scope, input, span),
                None if diagram.blocks.iter().any(|block| block.name.value == first) => {
                    // The block itself was refused; a second message would not help.
                    let message = format!("`{first}` could not be used");
                    Err(Diagnostic::error("unknown-name", message).at(span, super::SEE_OTHERS))
                }
                None => self.surrounding(scope, name, span),
            },
        }
    }

    /// The wire of an output of the block, instance, machine or array that a name refers to.
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
        self.resolve_port(scope, Port::Output(name), span, (scope, &output.value, path))
    }

    fn instance_input(
        &mut self,
        scope: ScopeId,
        input: &'m model::Input,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let name = input.name.value.as_str();
        let Some((outer, block)) = self.scopes[scope.index()].parent else {
            // The input itself was refused; a second message would not help.
            let message = format!("`{name}` could not be used");
            return Err(Diagnostic::error("unknown-name", message).at(span, super::SEE_OTHERS));
        };
        // An output of the same name has this path.
        let outputs = &self.scope(scope).diagram.outputs;
        let suffix = match outputs.iter().any(|output| output.name.value == name) {
            true => ".input",
            false => "",
        };
        let path = format!("{}{name}{suffix}", self.scopes[scope.index()].prefix);
        let Some(field) = block.fields.iter().find(|field| field.name.value == name) else {
            if let Some(default) = &input.default {
                let port = Port::Input(name);
                return self.resolve_port(scope, port, span, (scope, default, path));
            }
            let message = format!("input `{name}` of `{}` is missing", block.kind.value);
            let path = self.scopes[scope.index()].prefix.trim_end_matches('.').to_owned();
            return Err(Diagnostic::error("missing-input", message)
                .at(block.name.span, "in this instance")
                .block(path)
                .help(format!("add `{name}: ...` with a signal or an expression")));
        };
        self.resolve_port(scope, Port::Input(name), span, (outer, &field.value, path))
    }

    /// Resolves a port of an instance once, and refuses one that is connected to nothing but itself.
    /// The expression of the port is read in the scope `from`.
    fn resolve_port(
        &mut self,
        scope: ScopeId,
        port: Port<'m>,
        span: Span,
        (from, expr, path): (ScopeId, &Expr, String),
    ) -> Result<WireId, Diagnostic> {
        let settled = self.settle(from, expr)?;
        let expr = settled.as_ref().unwrap_or(expr);
        match self.scopes[scope.index()].ports.get(&port) {
            Some(Some(wire)) => return Ok(*wire),
            Some(None) => {
                let message = format!("`{}` is connected to nothing but itself", port.name());
                return Err(Diagnostic::error("causality-loop", message)
                    .at(span, "this leads back to itself without passing a block"));
            }
            None => {}
        }
        if expr.as_word().is_none() {
            // The block of the expression is made before its names are resolved. So a loop through
            // it ends here and becomes a loop of blocks, which the schedule reports.
            let id = self.formula(expr, path, self.scope(from).fragment);
            let wire = self.drafts[id.index()].outputs[0];
            self.scopes[scope.index()].ports.insert(port, Some(wire));
            return self.operands(id, from, expr).map(|()| wire);
        }
        self.scopes[scope.index()].ports.insert(port, None);
        let found = self.wire(from, expr, path);
        match &found {
            Ok(wire) => self.scopes[scope.index()].ports.insert(port, Some(*wire)),
            Err(_) => self.scopes[scope.index()].ports.remove(&port),
        };
        found
    }
}
