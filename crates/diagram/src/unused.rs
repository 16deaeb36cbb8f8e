//! Blocks and parameters that nothing uses.
//!
//! Both are found in the hierarchy as written, diagram by diagram: in one instance of a diagram a
//! block may feed an output that this instance has no use for, and that is no mistake. A name that
//! occurs anywhere in the diagram is used.

use std::collections::HashMap;

use base::{Diagnostic, Spanned};
use blocks::{Library, Role};
use expr::Expr;
use model::{Block, Diagram, Model, Solve};

/// Warns of what the diagrams of the main file have and nothing uses.
pub(crate) fn unused(model: &Model, library: &Library) -> Vec<Diagnostic> {
    let root = model.diagram(model.root);
    let (mut blocks, mut parameters) = (Vec::new(), Vec::new());
    let file = root.name.span.file;
    for diagram in model.diagrams.iter().filter(|diagram| diagram.name.span.file == file) {
        let main = std::ptr::eq(diagram, root);
        let used = uses(diagram, main.then_some(model));
        // Where a model names nothing to record, every block of its main diagram is recorded.
        let recorded = main && model.record.is_empty();
        for (index, block) in diagram.blocks.iter().enumerate().filter(|_| !recorded) {
            let kind = library.get(&block.kind_name());
            let acts = kind.is_some_and(|kind| kind.role() == Role::Ends);
            let outputs = kind.map(|kind| kind.info().outputs.len());
            let name = block.name.value.as_str();
            let by_itself = used.get(name).is_none_or(|user| *user == User::Block(index));
            if outputs != Some(0) && !acts && by_itself {
                blocks.push(block_warning(&block.name, main));
            }
        }
        let own = diagram.parameters.iter().map(|parameter| &parameter.name);
        let unused = own.filter(|name| !used.contains_key(name.value.as_str()));
        parameters.extend(unused.map(parameter_warning));
    }
    let mut found = summed(blocks, "unused-block", "blocks that nothing reads");
    found.extend(summed(parameters, "unused-parameter", "parameters that nothing uses"));
    found
}

/// How many warnings of a kind are reported one by one.
const TOLD: usize = 5;

/// Warnings of a kind, of which all beyond the first few are one.
fn summed(mut all: Vec<Diagnostic>, code: &'static str, what: &str) -> Vec<Diagnostic> {
    let more = all.len().saturating_sub(TOLD);
    if more > 1 {
        all.truncate(TOLD);
        all.push(Diagnostic::warning(code, format!("there are {more} more {what}")));
    }
    all
}

/// Who names something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    /// One block alone.
    Block(usize),
    /// Several, or what is no block.
    Others,
}

/// All names that occur in a diagram, and in what goes with the main diagram of a model.
fn uses<'m>(diagram: &'m Diagram, model: Option<&'m Model>) -> HashMap<&'m str, User> {
    let mut names = Names { used: HashMap::new(), user: User::Others };
    names.interface(diagram);
    if let Some(model) = model {
        names.root(model);
    }
    for (index, block) in diagram.blocks.iter().enumerate() {
        names.user = User::Block(index);
        names.block(block);
    }
    names.used
}

fn block_warning(name: &Spanned<String>, main: bool) -> Diagnostic {
    let recorded = if main { ", and it is not recorded" } else { "" };
    let message = format!("nothing reads the block `{}`{recorded}", name.value);
    let help = match main {
        true => "record it, connect it, or leave it out",
        false => "connect it, make it an output of the diagram, or leave it out",
    };
    Diagnostic::warning("unused-block", message).at(name.span, "").help(help)
}

fn parameter_warning(name: &Spanned<String>) -> Diagnostic {
    let message = format!("nothing uses the parameter `{}`", name.value);
    let help = "use it in an expression, or leave it out";
    Diagnostic::warning("unused-parameter", message).at(name.span, "").help(help)
}

/// Names of signals and parameters that occur in expressions, without what follows a dot.
struct Names<'m> {
    used: HashMap<&'m str, User>,
    /// Whose expressions are looked at.
    user: User,
}

impl<'m> Names<'m> {
    fn name(&mut self, name: &'m str) {
        let first = name.split(['.', '[']).next().unwrap_or(name).trim();
        let user = self.used.entry(first).or_insert(self.user);
        if *user != self.user {
            *user = User::Others;
        }
    }

    fn expression(&mut self, expr: &'m Expr) {
        expr.names().for_each(|(name, _)| self.name(name));
    }

    fn expressions(&mut self, all: impl IntoIterator<Item = &'m Expr>) {
        all.into_iter().for_each(|expr| self.expression(expr));
    }

    fn diagram(&mut self, diagram: &'m Diagram) {
        self.interface(diagram);
        diagram.blocks.iter().for_each(|block| self.block(block));
    }

    /// Everything but the blocks.
    fn interface(&mut self, diagram: &'m Diagram) {
        self.expressions(diagram.parameters.iter().filter_map(|own| own.value.as_ref()));
        self.expressions(diagram.outputs.iter().map(|own| &own.value));
        self.expressions(diagram.inputs.iter().filter_map(|own| own.default.as_ref()));
        self.expressions(diagram.requirements.iter().map(|own| &own.check));
        self.expressions(&diagram.tolerance);
        if let Solve::Signals(signals) = &diagram.solve {
            for signal in signals {
                self.name(&signal.name.value);
                self.expression(&signal.value);
            }
        }
    }

    fn block(&mut self, block: &'m Block) {
        self.expressions(block.fields.iter().map(|field| &field.value));
        if let Some(repeated) = &block.repeated {
            self.expressions(repeated.indices.iter().map(|index| &index.value));
            self.diagram(&repeated.own);
        }
        if let Some(content) = &block.content {
            self.diagram(content);
        }
        let Some(modal) = &block.modal else { return };
        self.diagram(&modal.own);
        for state in &modal.states {
            self.diagram(&state.content);
            for transition in &state.transitions {
                let conditions = [&transition.guard, &transition.after, &transition.priority];
                self.expressions(conditions.into_iter().flatten());
                for action in transition.set.iter().chain(&transition.output) {
                    self.name(&action.name.value);
                    self.expression(&action.value);
                }
            }
        }
    }

    /// What is recorded, how the model is run and what its figures show.
    fn root(&mut self, model: &'m Model) {
        self.expressions(model.record.iter().map(|record| &record.value));
        model.invariants.iter().for_each(|invariant| self.name(&invariant.name.value));
        self.expressions(model.invariants.iter().filter_map(|invariant| invariant.within.as_ref()));
        self.expressions(model.inputs.iter().filter_map(|input| input.initial.as_ref()));
        self.expressions(model.simulate.expressions());
        for plot in &model.plots {
            self.expressions([&plot.from, &plot.to, &plot.open].into_iter().flatten());
            for panel in &plot.panels {
                self.expressions(&panel.height);
                self.expressions([&panel.x.range, &panel.y.range].into_iter().flatten());
            }
        }
    }
}
