//! Signals from outside: the inputs of the main diagram, and its tunable parameters.
//!
//! Each becomes a block whose states whoever holds the run writes. An input is a block with its
//! name; a tunable parameter is a variable, as one that transitions set.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, Elem, Span, Type, Value, did_you_mean};
use blocks::{BlockKind, InputKind, Outside, named_type};
use expr::Expr;
use model::OutsideInput;

use super::Flattener;
use crate::flat::{BlockId, DiagramInput};
use crate::machine::FragmentId;
use crate::scope::{Entity, ScopeId};

impl<'m> Flattener<'m> {
    /// The parameters of the main diagram that may change during a run, with their indices.
    pub(super) fn tunable(&self) -> impl Iterator<Item = (usize, &'m model::Parameter)> {
        let all = self.model.diagram(self.model.root).parameters.iter().enumerate();
        let opening = &self.opening;
        all.filter(|(_, own)| own.tunable.is_some() && !opening.is_closed(&own.name.value))
    }

    /// Declares the inputs and the tunable parameters of the main diagram. Tunable parameters come
    /// first, since they are no constants for the inputs either.
    pub(super) fn declare_outside(&mut self, main: ScopeId) {
        for (index, written) in self.tunable().collect::<Vec<_>>() {
            let name = &written.name.value;
            let Some(initial) = self.scopes[main.index()].parameters.remove(name) else { continue };
            let own = Outside { kind: InputKind::Held, initial: initial.clone() };
            let block = self.outside_block(name.clone(), written.name.span, own);
            let wire = self.drafts[block.index()].outputs[0];
            self.scopes[main.index()].variables.insert(name.clone(), (wire, initial));
            self.inputs.push(DiagramInput {
                name: name.clone(),
                block,
                kind: InputKind::Held,
                required: false,
                about: written.about.clone(),
                parameter: Some(index),
            });
        }
        for input in &self.model.inputs {
            let made = self.outside(main, input);
            let Some(own) = self.errors.keep(made) else { continue };
            let name = &input.name.value;
            let block = match self.given.iter().find(|(given, _)| given == name) {
                Some((_, expr)) => self.given_block(main, input, own, expr),
                None => Some(self.input_block(input, own)),
            };
            let Some(block) = block else { continue };
            self.scopes[main.index()].entities.insert(name, Entity::Block(block));
        }
    }

    /// The block of an input that a run is given values of.
    fn input_block(&mut self, input: &OutsideInput, own: Outside) -> BlockId {
        let (name, kind) = (input.name.value.clone(), own.kind);
        let block = self.outside_block(name.clone(), input.name.span, own);
        self.inputs.push(DiagramInput {
            name,
            block,
            kind,
            required: input.initial.is_none(),
            about: input.about.clone(),
            parameter: None,
        });
        block
    }

    /// The block of an input that is given as an expression.
    fn given_block(
        &mut self,
        main: ScopeId,
        input: &OutsideInput,
        own: Outside,
        expr: &'m Expr,
    ) -> Option<BlockId> {
        let (name, span) = (&input.name.value, input.name.span);
        if own.kind == InputKind::Event {
            let message = format!("`{name}` is an event input, which has no expression");
            let help = "give it the events of a table, or declare it `kind: continuous`";
            self.errors.push(Diagnostic::error("bad-input", message).at(span, "").help(help));
            return None;
        }
        let wire = self.later(main, expr, name.clone());
        self.declared.push((wire, span, own.initial.ty()));
        Some(self.wire_blocks[wire.index()].0)
    }

    fn outside_block(&mut self, path: String, span: Span, own: Outside) -> BlockId {
        let kind = BlockKind::new(Arc::new(own));
        self.draft(path, span, kind, BTreeMap::new(), FragmentId::ROOT)
    }

    /// The kind of an input and its value at the start.
    fn outside(&self, main: ScopeId, input: &OutsideInput) -> Result<Outside, Diagnostic> {
        let kind = match &input.kind {
            None => InputKind::Continuous,
            Some(word) => InputKind::named(&word.value).ok_or_else(|| {
                let message = format!("`kind` cannot be `{}`", word.value);
                let words = InputKind::ALL.map(InputKind::name);
                let help = did_you_mean(&word.value, words)
                    .unwrap_or_else(|| format!("write one of {}", words.join(", ")));
                Diagnostic::error("unknown-word", message).at(word.span, "").help(help)
            })?,
        };
        let ty = match &input.ty {
            None => None,
            Some(word) => Some(named_type(&word.value).ok_or_else(|| {
                let message = format!("there is no type `{}`", word.value);
                Diagnostic::error("unknown-word", message)
                    .at(word.span, "")
                    .help("write `real` or `boolean`, with a size such as `real[3]` or `real[2,2]`")
            })?),
        };
        let initial = match &input.initial {
            None => None,
            Some(expr) => Some((self.constant(main, expr)?, expr.span)),
        };
        let value = match (initial, ty) {
            (None, ty) => {
                let ty = ty.unwrap_or(Type::REAL);
                Value::new(ty, vec![0.0; ty.len()])
            }
            (Some((value, _)), None) if value.ty().elem == Elem::Bool => value,
            (Some((value, _)), None) => value.to_real(),
            (Some((value, span)), Some(ty)) => {
                let fits = (value.ty().elem == Elem::Bool) == (ty.elem == Elem::Bool)
                    && (value.ty().shape == ty.shape || value.ty().is_scalar());
                if !fits {
                    let name = &input.name.value;
                    let message = format!("`initial` of `{name}` is {}", value.ty().with_article());
                    let label = format!("the input is {}", ty.with_article());
                    return Err(Diagnostic::error("type-mismatch", message).at(span, label));
                }
                value.filling(ty)
            }
        };
        if kind == InputKind::Continuous && value.ty().elem == Elem::Bool {
            let message =
                format!("`{}` is a truth value, which cannot vary smoothly", input.name.value);
            return Err(Diagnostic::error("type-mismatch", message)
                .at(input.name.span, "")
                .help("write `kind: held` or `kind: event`"));
        }
        Ok(Outside { kind, initial: value })
    }
}
