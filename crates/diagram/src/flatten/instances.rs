//! Instances: every diagram that the model uses is opened, and its blocks are declared.
//!
//! In come the main diagram and the overrides; out go scopes, one for each instance, and drafts of
//! blocks whose inputs are still open. No name of a signal is resolved here, since it may belong to
//! a block that is declared later.

use std::collections::{BTreeMap, BTreeSet};

use base::{Diagnostic, Span, Value, did_you_mean};
use blocks::{Random, Role};
use expr::Expr;
use model::{DiagramId, RunSetting};
use rustc_hash::FxHashMap;

use super::Flattener;
use crate::flat::WireId;
use crate::machine::FragmentId;
use crate::open::Names;
use crate::repeated::whole_number;
use crate::scope::{Entity, Scope, ScopeId};
use crate::{Settings, Sliding, parameters};

/// The greatest depth of instances inside instances.
const MAXIMUM_DEPTH: usize = 200;

impl<'m> Flattener<'m> {
    /// Opens the main diagram, with the parameters that the caller overrides.
    pub(super) fn open_main(&mut self, overrides: &Settings) {
        let main = self.model.diagram(self.model.root);
        let known = || main.parameters.iter().map(|p| p.name.value.as_str());
        for (name, _) in &overrides.parameters {
            if !known().any(|known| known == name) {
                self.errors.push(parameters::unknown_parameter(name, known()));
            }
        }
        let given = overrides.parameters.iter().map(|(name, value)| {
            (name.clone(), self.opening.main(name, None, &Names::default(), value.clone()))
        });
        let given = given.collect();
        let none = BTreeMap::new();
        self.open(self.model.root, String::new(), None, given, none, &mut Vec::new());
    }

    /// Declares everything in an instance of a diagram; nothing if its parameters are refused, since
    /// what is inside may rely on them.
    fn open(
        &mut self,
        diagram: DiagramId,
        prefix: String,
        parent: Option<(ScopeId, &'m model::Block)>,
        given: Names,
        variables: BTreeMap<String, (WireId, Value)>,
        nested: &mut Vec<DiagramId>,
    ) -> Option<ScopeId> {
        let written = self.model.diagram(diagram);
        let at = parent.map(|(_, block)| block.name.span);
        let tuned: BTreeSet<&str> = match parent {
            None => self.tunable().map(|(_, own)| own.name.value.as_str()).collect(),
            Some(_) => BTreeSet::new(),
        };
        for parameter in &written.parameters {
            let own = |name: &str| variables.contains_key(name) || tuned.contains(name);
            if !given.contains_key(&parameter.name.value) {
                self.refuse_set(parameter, &own);
            }
        }
        let (table, before) = ((&self.opening, parent.is_none()), self.errors.0.len());
        let mut parameters = parameters::evaluate_all(written, given, table, &mut self.errors, at);
        let known = self.errors.0.len() == before;
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
            entities: FxHashMap::default(),
            ports: BTreeMap::new(),
        });
        // What is wrong with a parameter has been reported; a condition on it says nothing more.
        let met = known && self.meets_requirements(id, at.unwrap_or(written.name.span));
        if !met && parent.is_some() {
            return None;
        }
        match parent {
            None => {
                self.take_limit(id);
                self.declare_outside(id);
            }
            Some(_) => self.refuse_tunable(written),
        }
        self.take_domain(id);
        nested.push(diagram);
        self.declare_all(id, nested);
        nested.pop();
        Some(id)
    }

    /// Whether the parameters of an instance meet the conditions of its diagram; if not, the
    /// instance is refused.
    fn meets_requirements(&mut self, id: ScopeId, at: Span) -> bool {
        let before = self.errors.0.len();
        for requirement in &self.scope(id).diagram.requirements {
            let value = match self.constant(id, &requirement.check) {
                Ok(value) => value,
                Err(error) => {
                    self.errors.push(error);
                    continue;
                }
            };
            self.opening.pin(&value);
            if !value.data().iter().all(|x| *x != 0.0) {
                let kind = &self.scope(id).diagram.name.value;
                let path = self.scope(id).prefix.trim_end_matches('.').to_owned();
                let error = Diagnostic::error("bad-parameter", requirement.message.clone())
                    .at(at, "in this instance")
                    .block(path)
                    .note(format!("{kind} requires this of its parameters"));
                self.errors.push(error);
            }
        }
        self.errors.0.len() == before
    }

    /// The value of a parameter that is a word: its index in the list of words.
    fn word_value(
        &mut self,
        scope: ScopeId,
        parameter: &model::Parameter,
        value: &Expr,
    ) -> Result<Value, Diagnostic> {
        let words = parameter.words.iter().map(|word| word.value.as_str());
        let given = value.as_word();
        if let Some(index) = given.and_then(|given| words.clone().position(|word| word == given)) {
            return Ok(Value::int(index as i64));
        }
        // A diagram may pass a word of its own on.
        if given.is_none_or(|given| self.scope(scope).parameters.contains_key(given)) {
            let value = self.decided(scope, value, "which word a parameter is")?;
            let index = whole_number(&value).and_then(|index| usize::try_from(index).ok());
            if index.is_some_and(|index| index < parameter.words.len()) {
                return Ok(value);
            }
        }
        let all: Vec<&str> = words.clone().collect();
        let message = format!("`{}` must be one of {}", parameter.name.value, all.join(", "));
        let help = given.and_then(|given| did_you_mean(given, words));
        let error = Diagnostic::error("bad-parameter", message).at(value.span, "not one of them");
        Err(error.maybe_help(help))
    }

    /// The values of the parameters of the main diagram, those that may change included.
    pub(super) fn main_values(&self) -> Names {
        let main = &self.scopes[0];
        let varying = main.variables.iter().map(|(name, (_, value))| (name.clone(), value.clone()));
        main.parameters.clone().into_iter().chain(varying).collect()
    }

    /// Refuses tunable parameters of a diagram other than the main one: it has one value for each
    /// instance, given where it is used.
    fn refuse_tunable(&mut self, diagram: &model::Diagram) {
        for span in diagram.parameters.iter().filter_map(|parameter| parameter.tunable) {
            let message = "only parameters of the main diagram can be tunable";
            let help = "make a tunable parameter of the model, and pass it on to the diagram";
            self.errors.push(Diagnostic::error("bad-parameter", message).at(span, "").help(help));
        }
    }

    /// Takes over the tolerance and the domain of a diagram, if it sets them.
    pub(crate) fn take_domain(&mut self, id: ScopeId) {
        let diagram = self.scope(id).diagram;
        if let Some(span) = diagram.discrete {
            self.scopes[id.index()].discrete = Some(span);
        }
        let Some(expr) = &diagram.tolerance else { return };
        let tolerance = self.decided(id, expr, "the tolerance of a diagram");
        let tolerance = tolerance.and_then(|value| match value.as_f64() {
            Some(tolerance) if tolerance > 0.0 && tolerance < 1.0 => Ok(tolerance),
            _ => {
                let message = "`tolerance` must be a number above 0 and below 1";
                Err(Diagnostic::error("bad-setting", message).at(expr.span, ""))
            }
        });
        self.scopes[id.index()].tolerance = self.errors.keep(tolerance);
    }

    /// Takes over the greatest number of blocks, if the model sets it.
    fn take_limit(&mut self, id: ScopeId) {
        let Some(expr) = self.model.simulate.value(RunSetting::MaximumBlocks) else { return };
        let limit = self.decided(id, expr, "the greatest number of blocks").and_then(|value| {
            whole_number(&value).and_then(|limit| usize::try_from(limit).ok()).ok_or_else(|| {
                let message = "`maximum_blocks` must be a whole number";
                Diagnostic::error("bad-setting", message).at(expr.span, format!("this is {value}"))
            })
        });
        self.limit = self.errors.keep(limit).unwrap_or(self.limit);
    }

    /// The refusal of more blocks than the limit; `span` is the block or array that exceeds it.
    pub(crate) fn too_large(&self, span: Span) -> Diagnostic {
        let limit = self.limit;
        Diagnostic::error("too-large", format!("the model has more than {limit} blocks"))
            .at(span, "")
            .note("a block takes about 10 kB of memory")
            .help("if that is meant, raise `maximum_blocks` under `simulate`, or with `--maximum-blocks`")
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

    /// Declares a block at a path; elements of arrays are declared by this, too.
    pub(crate) fn declare_one(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        path: String,
        nested: &mut Vec<DiagramId>,
    ) -> Option<Entity> {
        if let Some(sliding) = &block.sliding {
            self.sliding.extend(Sliding::named(&sliding.value).map(|word| (path.clone(), word)));
        }
        if let Some(modal) = &block.modal {
            return Some(self.machine(scope, block, modal, path, nested));
        }
        if let Some(content) = &block.content {
            return Some(self.written_here(scope, block, content, path, nested));
        }
        if let Some(diagram) = self.model.resolve(block.kind.span, &block.kind.value) {
            return self.instance(scope, block, diagram, path, nested);
        }
        let Some(kind) = self.library.get(&block.kind_name()) else {
            if let Some(diagram) = self.model.standard.get(&block.kind.value) {
                return self.instance(scope, block, *diagram, path, nested);
            }
            let mut names: Vec<&str> = self.library.names().collect();
            names.extend(model::FORMS.iter().map(|form| form.name));
            names.extend(self.model.visible(block.kind.span));
            names.extend(model::standard_files().iter().map(|file| file.name));
            let message = format!("there is no block or diagram `{}`", block.kind.value);
            let error = Diagnostic::error("unknown-block", message)
                .at(block.kind.span, "not found")
                .block(path)
                .maybe_help(self.meant(&block.kind.value, names));
            self.errors.push(error);
            return None;
        };
        let mut settings = self.settings(scope, block, kind.info(), &path);
        if kind.role() == Role::Random {
            settings.insert(Random::PATH.to_owned(), Random::at(&path));
        }
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

    /// The block that a user of another tool means by a name, or names that are nearly the same.
    fn meant(&self, name: &str, names: Vec<&str>) -> Option<String> {
        let blocks = self.library.iter().map(|kind| kind.info());
        let alias = blocks.filter(|info| info.is_known_as(name)).map(|info| info.name.to_string());
        let files = model::standard_files().iter().filter(|file| file.is_known_as(name));
        let forms = model::FORMS.iter().filter(|form| form.is_known_as(name));
        let others = files.map(|file| file.name).chain(forms.map(|form| form.name));
        let known = alias.chain(others.map(str::to_owned)).next();
        let known = known.map(|block| format!("here it is called `{block}`"));
        let written = model::NOTATIONS.iter().find(|notation| notation.is_known_as(name));
        let written = written.map(|notation| format!("here it is written `{}`", notation.name));
        known.or(written).or_else(|| did_you_mean(name, names))
    }

    /// Declares an instance whose diagram is written where it is used, and sees the names around it.
    fn written_here(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        content: &'m model::Diagram,
        path: String,
        nested: &mut Vec<DiagramId>,
    ) -> Entity {
        let fragment = self.scope(scope).fragment;
        let id = self.lexical(None, content, format!("{path}."), scope, fragment);
        self.scopes[id.index()].parent = Some((scope, block));
        self.refuse_tunable(content);
        self.declare_all(id, nested);
        Entity::Instance(id)
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
        if let Some(error) = nested_too_often(block, diagram, nested) {
            self.errors.push(error.block(path));
            return None;
        }
        let (mut given, mut variables) = (Names::default(), BTreeMap::new());
        for field in &block.fields {
            let name = &field.name.value;
            let own = written.parameters.iter().find(|p| p.name.value == *name);
            let parameter = own.is_some();
            if let Some(own) = own.filter(|own| !own.words.is_empty()) {
                let value = self.word_value(scope, own, &field.value).map_err(|e| e.block(&path));
                let value = self.errors.keep(value);
                given.insert(name.clone(), value.unwrap_or(Value::int(0)));
            } else if parameter && self.varies(scope, &field.value) {
                let value = self.first_constant(scope, &field.value).map_err(|e| e.block(&path));
                let value = self.errors.keep(value).unwrap_or(Value::real(1.0));
                let wire = self.later(scope, &field.value, format!("{path}.{name}"));
                given.insert(name.clone(), value.clone());
                variables.insert(name.clone(), (wire, value));
            } else if parameter {
                let value = self.constant(scope, &field.value).map_err(|e| e.block(&path));
                let value = self.errors.keep(value);
                given.insert(name.clone(), value.unwrap_or(Value::real(1.0)));
            } else if !written.inputs.iter().any(|input| input.name.value == *name) {
                let inputs = written.inputs.iter().map(|input| input.name.value.as_str());
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
        self.open(diagram, prefix, parent, given, variables, nested).map(Entity::Instance)
    }
}

/// The error of an instance inside itself, or inside too many others.
fn nested_too_often(
    block: &model::Block,
    diagram: DiagramId,
    nested: &[DiagramId],
) -> Option<Diagnostic> {
    if nested.contains(&diagram) {
        let message = format!("diagram `{}` contains itself", block.kind.value);
        let error = Diagnostic::error("recursive-diagram", message);
        return Some(error.at(block.kind.span, "used inside itself"));
    }
    if nested.len() > MAXIMUM_DEPTH {
        let message = format!("diagrams are inside each other more than {MAXIMUM_DEPTH} deep");
        let error = Diagnostic::error("too-deep", message).at(block.kind.span, "one more here");
        return Some(error.help("put blocks side by side, or use an array of them"));
    }
    None
}
