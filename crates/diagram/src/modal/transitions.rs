//! Transitions: blocks for their guards and actions, and what they set.
//!
//! A transition as written comes in; a [`Transition`] goes out whose guards and values are blocks of
//! the flat diagram. Nothing is decided here: guards are evaluated by the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, ExactTime, Span, Spanned, Value, did_you_mean};
use blocks::{After, BlockKind, Setting};
use expr::{Expr, ExprKind};
use model::Named;

use crate::flat::{BlockId, WireId};
use crate::flatten::Flattener;
use crate::machine::{Assignment, FragmentId, Transition};
use crate::scope::{Entity, ScopeId};

/// Where the actions of a transition belong.
struct Actions {
    /// The machine, by its index among those being made.
    machine: usize,
    /// The scope of the state that is left, in which the values are read.
    scope: ScopeId,
    /// The fragment of that state's guards, in which the values are computed.
    dwell: FragmentId,
}

impl<'m> Flattener<'m> {
    /// A transition with blocks for its guards and actions; nothing if a guard, the priority or the
    /// destination is refused.
    pub(super) fn transition(
        &mut self,
        index: usize,
        from: usize,
        number: usize,
    ) -> Option<Transition> {
        let draft = &self.machines.drafts[index];
        let (modal, numbers) = (draft.modal, draft.numbers.clone());
        let written = &modal.states[from].transitions[number];
        let (scope, dwell) = (draft.states[from].guards, draft.states[from].dwell);
        let state = format!("{}.{}", draft.path, modal.states[from].name.value);
        // The second transition and those after it have their number in the names of their parts.
        let path = |part: &str| match number {
            0 => format!("{state}.{part}"),
            _ => format!("{state}.{part}#{}", number + 1),
        };
        let to = self.state_named(modal, &numbers, &written.to)?;
        let mut guards = Vec::new();
        if let Some(guard) = &written.guard {
            guards.push(self.guard(scope, guard, path("when"), dwell)?);
        }
        if let Some(after) = &written.after {
            guards.push(self.after(scope, after, path("after"), dwell)?);
        }
        self.check_flags(written, !guards.is_empty());
        let priority = match &written.priority {
            Some(priority) => self.priority(scope, priority)?,
            None => 0,
        };
        let destination = self.machines.drafts[index].states[to].scope;
        let actions = Actions { machine: index, scope, dwell };
        let sets = self.sets(&actions, destination, &written.set, &path("set"));
        let says = self.says(&actions, &written.output, &path("output"));
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
            priority,
            nondeterministic: written.nondeterministic,
            error: written.error.is_some(),
        })
    }

    /// The set actions of a transition; `destination` is the scope of the state that it leads to.
    fn sets(
        &mut self,
        actions: &Actions,
        destination: ScopeId,
        written: &'m [Named],
        path: &str,
    ) -> Vec<Assignment> {
        let mut sets = Vec::new();
        for set in written {
            let target = self.target(destination, actions.machine, &set.name);
            let path = format!("{path}.{}", set.name.value);
            let value = self.action(actions.scope, &set.value, path, actions.dwell);
            if let (Some((target, variable)), Some(value)) = (target, value) {
                sets.push(Assignment { target, variable, value, span: set.name.span });
            }
        }
        sets
    }

    /// The output actions of a transition: the index of each output and the block of its value.
    fn says(
        &mut self,
        actions: &Actions,
        written: &'m [Named],
        path: &str,
    ) -> Vec<(usize, BlockId)> {
        let mut says = Vec::new();
        for said in written {
            let outputs = &self.machines.drafts[actions.machine].outputs;
            let names = || outputs.iter().map(|(name, _)| *name);
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
            let path = format!("{path}.{}", said.name.value);
            let value = self.action(actions.scope, &said.value, path, actions.dwell);
            says.extend(value.map(|value| (output, value)));
        }
        says
    }

    /// Refuses combinations of flags that contradict each other.
    pub(super) fn check_flags(&mut self, written: &model::Transition, guarded: bool) {
        let mut refuse = |span: Span, message: &str, why: &str| {
            self.errors.push(Diagnostic::error("bad-transition", message).at(span, why));
        };
        if let (Some(span), Some(_)) = (written.immediate, &written.after) {
            let why = "a state that is just entered has lasted no time";
            refuse(span, "a transition with `after` cannot be immediate", why);
        }
        if let (Some(span), Some(_)) = (written.immediate, written.error) {
            let why = "it is taken where the state's diagram fails, whenever that is";
            refuse(span, "an error transition cannot be immediate", why);
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
    pub(super) fn guard(
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

    /// The same expression with calls of functions that remember, such as `previous`, as signals of
    /// their own.
    pub(super) fn hoist(
        &mut self,
        scope: ScopeId,
        expr: &Expr,
        path: &str,
        dwell: FragmentId,
    ) -> Expr {
        let remembers = |kind: &ExprKind| matches!(kind, ExprKind::Call(function, _) if function.value.remembers());
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
    pub(super) fn after(
        &mut self,
        scope: ScopeId,
        expr: &'m Expr,
        path: String,
        dwell: FragmentId,
    ) -> Option<BlockId> {
        let delay = self.constant(scope, expr).and_then(|value| {
            match value.as_rational().and_then(ExactTime::from_rational) {
                Some(time) if time >= ExactTime::default() => Ok(value),
                _ => {
                    let message = "`after` must be a time, 0 or more";
                    Err(Diagnostic::error("bad-parameter", message).at(expr.span, "[s]"))
                }
            }
        });
        let delay = self.errors.keep(delay)?;
        let kind = BlockKind::new(Arc::new(After));
        let settings = BTreeMap::from([("delay".to_owned(), Setting::Time(delay))]);
        Some(self.draft(path, expr.span, kind, settings, dwell))
    }

    /// The number by which transitions whose guards hold at once are put in order.
    fn priority(&mut self, scope: ScopeId, expr: &Expr) -> Option<i64> {
        let what = "which transition is taken";
        let priority = self.decided(scope, expr, what).and_then(|value| {
            value.as_int().ok_or_else(|| {
                let message = "`priority` must be a whole number";
                let error = Diagnostic::error("bad-parameter", message);
                error.at(expr.span, "the smallest is taken first")
            })
        });
        self.errors.keep(priority)
    }

    /// The block of an expression that only transitions use.
    pub(super) fn action(
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
    pub(super) fn target(
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
        let whole = match here.entities.get(name.value.as_str()) {
            Some(Entity::Instance(inner)) => {
                let inner = self.scope(*inner).diagram.blocks.first();
                let inner = inner.map_or("block", |block| &block.name.value);
                let help = format!("set a block in it, as in `{}.{inner}`", name.value);
                Some(("an instance of a diagram", help))
            }
            Some(Entity::Machine(_)) => {
                let help = "set a parameter that its guards look at".to_owned();
                Some(("a state machine, which moves by its own transitions", help))
            }
            _ => None,
        };
        if let Some((what, help)) = whole {
            let message = format!("`{}` is {what}, and has no state to set", name.value);
            let error = Diagnostic::error("set-into-nothing", message);
            self.errors.push(error.at(name.span, "").block(state).help(help));
            return None;
        }
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
