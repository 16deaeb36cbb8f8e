//! Blocks: their settings are evaluated and their inputs connected.
//!
//! In come blocks as written, with the scopes that they are in; out go drafts with settings, and
//! for each input the wires that feed it. An input that is an expression gets a block of its own.
//! Types and sizes are not examined: they are found when all wires are known.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, Span, Value, did_you_mean};
use blocks::{BlockKind, Count, Formula, Info, Operand, Setting};
use expr::{Expr, ExprKind};

use super::Flattener;
use crate::flat::{BlockId, WireId};
use crate::machine::FragmentId;
use crate::open::Names;
use crate::scope::ScopeId;
use crate::settings;

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
    /// Whether only transitions use it.
    pub passive: bool,
    pub tolerance: Option<f64>,
    pub discrete: Option<Span>,
}

impl<'m> Flattener<'m> {
    /// Adds a block whose inputs are open, and a wire for each of its outputs.
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

    /// The values of the parameters of a block, and the refusal of fields that it does not have.
    pub(super) fn settings(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        info: &Info,
        path: &str,
    ) -> BTreeMap<String, Setting> {
        let mut settings = BTreeMap::new();
        for parameter in &info.parameters {
            let field = block.fields.iter().find(|field| field.name.value == parameter.name);
            let field = field.filter(|field| !self.feeds(scope, info, field));
            let result = match field {
                None => settings::default(parameter, block.name.span),
                Some(field) => {
                    if let Some(word) = self.passed_word(scope, parameter, &field.value) {
                        settings::setting(parameter, &word, &|_| unreachable!("a word"))
                    } else if parameter.name == "initial" && self.varies(scope, &field.value) {
                        self.machines.starts.push((block.name.span, &field.value));
                        let first = |expr: &Expr| self.first_constant(scope, expr);
                        settings::setting(parameter, &field.value, &first)
                    } else {
                        // A vector of times is taken apart, which is done once for all runs.
                        let listed = |value: &Value| {
                            parameter.kind == blocks::Kind::Times && !value.ty().is_scalar()
                        };
                        let constant = |expr: &Expr| match self.constant(scope, expr) {
                            Ok(value) if listed(&value) => {
                                Ok(self.opening.decide(value, "it decides a list of times"))
                            }
                            other => other,
                        };
                        settings::setting(parameter, &field.value, &constant)
                    }
                }
            };
            if let Some(setting) = self.errors.keep(result.map_err(|error| error.block(path))) {
                settings.insert(parameter.name.to_string(), setting);
            }
        }
        self.refuse_unknown_fields(block, info, path);
        settings
    }

    fn refuse_unknown_fields(&mut self, block: &model::Block, info: &Info, path: &str) {
        let fields = info.inputs.iter().map(|input| &*input.name);
        let fields = || fields.clone().chain(info.parameters.iter().map(|p| &*p.name));
        for field in &block.fields {
            if !fields().any(|known| known == field.name.value) {
                let message =
                    format!("{} has no input or parameter `{}`", info.name, field.name.value);
                let help = match &*field.name.value {
                    "enabled" | "trigger" => Some(
                        "only instances of diagrams are enabled or triggered: put the block into \
                         a diagram"
                            .to_owned(),
                    ),
                    name => did_you_mean(name, fields()),
                };
                let error = Diagnostic::error("unknown-field", message)
                    .at(field.name.span, "unknown")
                    .block(path)
                    .maybe_help(help);
                self.errors.push(error);
            }
        }
    }

    /// Whether a field feeds an input, although there is a parameter of the same name: that is for
    /// constants.
    fn feeds(&self, scope: ScopeId, info: &Info, field: &model::Named) -> bool {
        let moves = |name: &str| name == "time" || self.is_signal(scope, name);
        info.inputs.iter().any(|input| input.name == field.name.value)
            && field.value.names().any(|(name, _)| moves(name))
    }

    /// The word that a diagram passes on to a block: that of a parameter of its own, which is a word
    /// too.
    fn passed_word(
        &self,
        scope: ScopeId,
        parameter: &blocks::Parameter,
        value: &Expr,
    ) -> Option<Expr> {
        let blocks::Kind::Word(known) = &parameter.kind else { return None };
        let name = value.as_word().filter(|name| known.iter().all(|word| word != name))?;
        let here = self.scope(scope);
        let own = here.diagram.parameters.iter().find(|own| own.name.value == name)?;
        let index = here.parameters.get(name)?.as_f64()?;
        let word = own.words.get(index as usize)?.value.clone();
        Some(Expr { kind: ExprKind::Name(word), span: value.span })
    }

    /// Finds the wires of every input of every block, making blocks for expressions on the way.
    pub(super) fn connect(&mut self) {
        for (scope, id, block) in std::mem::take(&mut self.pending) {
            let kind = self.drafts[id.index()].kind.clone();
            let info = kind.info();
            let path = self.drafts[id.index()].path.clone();
            for (index, input) in info.inputs.iter().enumerate() {
                let field = block.fields.iter().find(|field| field.name.value == input.name);
                let both = info.parameters.iter().any(|parameter| parameter.name == input.name);
                let field = field.filter(|field| !both || self.feeds(scope, info, field));
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
            && !expr::is_named_value(name)
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
            } else if !expr::is_named_value(name) {
                let wire = self.signal(scope, name, span)?;
                operands.insert(name.to_owned(), Operand::Port(wires.len()));
                wires.push(wire);
                spans.push(span);
            }
        }
        let open = self.open_parts(expr, &operands);
        let formula = self.shared(expr, operands, open);
        let draft = &mut self.drafts[id.index()];
        draft.kind = draft.kind.with_block(formula);
        (draft.inputs, draft.input_spans) = (vec![wires], vec![spans]);
        Ok(())
    }

    /// The largest parts of an expression that are made of parameters alone, some of them open, with
    /// their values: they are computed once in a run. A part that has no value, such as a quotient
    /// by zero, is left to its own parts.
    fn open_parts(&self, expr: &Expr, operands: &BTreeMap<String, Operand>) -> Vec<(Expr, Value)> {
        let value = |(name, operand): (&String, &Operand)| match operand {
            Operand::Constant(value) => Some((name.clone(), value.clone())),
            Operand::Port(_) => None,
        };
        let names: Names = operands.iter().filter_map(value).collect();
        if names.values().all(|value| value.open().is_none()) {
            return Vec::new();
        }
        let (mut found, mut waiting) = (Vec::new(), vec![expr]);
        while let Some(expr) = waiting.pop() {
            if matches!(expr.kind, ExprKind::Name(_) | ExprKind::Literal(_)) {
                continue;
            }
            let known = |(name, _)| names.contains_key(name) || matches!(name, "pi" | "inf");
            let open = |(name, _)| names.get(name).is_some_and(|value| value.open().is_some());
            if expr.names().all(known) && expr.names().any(open) {
                let none = &mut |_: &str, _: Span| Diagnostic::error("unknown-name", "");
                if let Ok(value) = self.opening.evaluate(expr, &names, none) {
                    found.push((expr.clone(), value));
                    continue;
                }
            }
            waiting.extend(expr.children());
        }
        found
    }

    /// The function of an expression. If it equals that of the instance before, both share it, so
    /// that an expression in a diagram that is used many times is kept once.
    fn shared(
        &mut self,
        expr: &Expr,
        operands: BTreeMap<String, Operand>,
        open: Vec<(Expr, Value)>,
    ) -> Arc<Formula> {
        let place = (expr.span, operands.len());
        let same = |known: &Formula| {
            known.operands == operands && known.expr == *expr && known.open == open
        };
        match self.formulas.get(&place) {
            Some(known) if same(known) => known.clone(),
            _ => {
                let formula = Arc::new(Formula { expr: expr.clone(), operands, open });
                self.formulas.insert(place, formula.clone());
                formula
            }
        }
    }
}
