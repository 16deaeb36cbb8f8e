//! The hierarchy as written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use base::{SourceMap, Span, Spanned};
use expr::{Expr, Functions};

use crate::{Plot, Simulate, SweepSection};

base::typed_id! {
    /// One diagram of a model, including the main one.
    DiagramId
}

/// A model file with everything that it imports, as written: nothing has been evaluated, and the
/// types of blocks have not been looked up yet.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the model.
    pub name: String,
    /// What the model shows; may be empty.
    pub description: String,
    /// Every diagram of every file that was read; shared by copies of the model.
    pub diagrams: Arc<Vec<Diagram>>,
    /// The main diagram: the blocks at the top of the main file.
    pub root: DiagramId,
    /// The diagrams of the standard library that the model may use, by name.
    pub standard: BTreeMap<String, DiagramId>,
    /// For each file (by `FileId`), the diagrams that its text can name: its own and the imported
    /// ones.
    pub scopes: Vec<BTreeMap<String, DiagramId>>,
    /// The functions that the main file defines, for expressions that are given with a run.
    pub functions: Arc<Functions>,
    /// The inputs of the main diagram.
    pub inputs: Vec<OutsideInput>,
    /// What should be conserved; each is also a block of the main diagram.
    pub invariants: Vec<Invariant>,
    /// What is recorded.
    pub record: Vec<Record>,
    /// How the model is run.
    pub simulate: Simulate,
    /// Which runs a sweep makes, if nobody says otherwise.
    pub sweep: SweepSection,
    /// The figures that the model asks for.
    pub plots: Vec<Plot>,
    /// The source texts.
    pub sources: SourceMap,
}

/// A diagram: its interface and its blocks.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// Its name, with the span of that name.
    pub name: Spanned<String>,
    /// What it says about itself for its readers.
    pub documentation: Documentation,
    /// Parameters in source order.
    pub parameters: Vec<Parameter>,
    /// Inputs; each is a signal inside the diagram.
    pub inputs: Vec<Input>,
    /// Outputs, each an expression over the signals inside the diagram.
    pub outputs: Vec<Output>,
    /// Conditions on its parameters.
    pub requirements: Vec<Requirement>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Which algebraic loops to solve.
    pub solve: Solve,
    /// The tolerance of its states; if missing, that of the enclosing diagram.
    pub tolerance: Option<Expr>,
    /// The span of `domain: discrete`, which says that everything in the diagram happens at events.
    pub discrete: Option<Span>,
}

impl Diagram {
    /// A diagram that has nothing but parameters.
    pub(crate) fn of_parameters(name: Spanned<String>, parameters: Vec<Parameter>) -> Diagram {
        Diagram {
            name,
            documentation: Documentation::default(),
            parameters,
            inputs: Vec::new(),
            outputs: Vec::new(),
            requirements: Vec::new(),
            blocks: Vec::new(),
            solve: Solve::No,
            tolerance: None,
            discrete: None,
        }
    }
}

/// A parameter of a diagram. If it has no value, the user of the diagram must give one.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Spanned<String>,
    /// Its default, an expression over other parameters of the same diagram.
    pub value: Option<Expr>,
    /// What is said about it besides.
    pub about: About,
    /// The span of `tunable`, if its value may change during a run.
    pub tunable: Option<Span>,
    /// The words that it may be, if it is a word; inside the diagram each is its index in this list.
    pub words: Vec<Spanned<String>>,
}

/// What a diagram says about itself, for its page.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Documentation {
    /// What it is, in a sentence.
    pub description: String,
    /// The category in which a user would look for it.
    pub category: String,
    /// Names under which users of other tools know it.
    pub aliases: Vec<String>,
    /// Its equations, in plain text.
    pub equations: String,
    /// What happens to absent inputs.
    pub absence: String,
    /// The rule on impulses.
    pub impulses: String,
}

/// An input of a diagram.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name, that of a signal inside the diagram.
    pub name: Spanned<String>,
    /// What it is if the user of the diagram does not give it: an expression over parameters.
    pub default: Option<Expr>,
    /// What is said about it besides.
    pub about: About,
}

/// An output of a diagram.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: Spanned<String>,
    /// An expression over the signals inside the diagram.
    pub value: Expr,
    /// What is said about it besides.
    pub about: About,
}

/// A condition on the parameters of a diagram.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The condition, an expression over parameters.
    pub check: Expr,
    /// What is wrong if it does not hold.
    pub message: String,
}

impl Parameter {
    /// A parameter about which nothing else is said.
    pub(crate) fn plain(name: Spanned<String>, value: Option<Expr>) -> Parameter {
        Parameter { name, value, about: About::default(), tunable: None, words: Vec::new() }
    }
}

/// What a model says about a parameter, an input or an output for its readers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct About {
    /// Its unit, such as `m/s`.
    pub unit: Option<String>,
    /// What it is.
    pub description: Option<String>,
}

/// An input of the main diagram: a signal from outside the model.
#[derive(Clone, Debug)]
pub struct OutsideInput {
    /// Its name.
    pub name: Spanned<String>,
    /// How it goes on between the times at which it is set: the word `continuous`, `held` or
    /// `event`.
    pub kind: Option<Spanned<String>>,
    /// The name of its type.
    pub ty: Option<Spanned<String>>,
    /// Its value until it is set. If it has none, a run must be given the input.
    pub initial: Option<Expr>,
    /// The data that it is unless a run is given something else.
    pub data: Option<DataColumn>,
    /// What is said about it besides.
    pub about: About,
}

/// A column of a file with data.
#[derive(Clone, Debug)]
pub struct DataColumn {
    /// The path of the file, relative to that of the model.
    pub file: Spanned<String>,
    /// The name of the column; if missing, that of the input.
    pub column: Option<Spanned<String>>,
    /// The word for how the signal goes on between the rows.
    pub interpolation: Option<Spanned<String>>,
}

/// An expression with a name.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name.
    pub name: Spanned<String>,
    /// The expression.
    pub value: Expr,
}

/// A block, or an instance of a diagram.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its name in the diagram.
    pub name: Spanned<String>,
    /// The type of block, or the name of a diagram.
    pub kind: Spanned<String>,
    /// The file that says what the block is, if its type is `FMU`.
    pub file: Option<Spanned<String>>,
    /// Inputs and parameters; which of them a name is becomes known later.
    pub fields: Vec<Named>,
    /// The states and transitions of a block of type `Modal`.
    pub modal: Option<Modal>,
    /// The diagram of an instance that is written where it is used, and sees the names around it:
    /// that of a `DifferentialSystem`. Its inputs are among the fields.
    pub content: Option<Box<Diagram>>,
    /// Its indices, if it is an array of blocks.
    pub repeated: Option<Repeated>,
    /// First values of outputs that an instance holds while it does not run.
    pub held: Option<Vec<Held>>,
    /// The word for what happens if a comparison in it switches the motion back onto its surface, if
    /// that is not what the model says.
    pub sliding: Option<Spanned<String>>,
}

impl Block {
    /// The name of its kind in a library. A block that a file describes is of a kind of its own; the
    /// path in the file is relative to the text that names it.
    pub fn kind_name(&self) -> Cow<'_, str> {
        match &self.file {
            Some(file) => {
                format!("{} {}:{}", self.kind.value, file.span.file.index(), file.value).into()
            }
            None => self.kind.value.as_str().into(),
        }
    }

    /// The expressions in which the names around the block are visible, those of a diagram that is
    /// written in it included.
    pub fn expressions(&self) -> Vec<&Expr> {
        let mut found: Vec<&Expr> = self.fields.iter().map(|field| &field.value).collect();
        if let Some(content) = &self.content {
            found.extend(content.parameters.iter().filter_map(|own| own.value.as_ref()));
            found.extend(content.outputs.iter().map(|own| &own.value));
            found.extend(&content.tolerance);
            found.extend(content.blocks.iter().flat_map(Block::expressions));
        }
        found
    }
}

/// How a block is repeated: an array of blocks with one or more indices.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The indices with their counts, expressions over parameters.
    pub indices: Vec<Named>,
    /// The scope of the fields within the enclosing one: a diagram whose parameters are the
    /// indices.
    pub own: Diagram,
}

/// A state machine whose states have diagrams of their own.
#[derive(Clone, Debug)]
pub struct Modal {
    /// Parameters that all states see and that transitions may set, as a diagram without blocks.
    pub own: Diagram,
    /// The names of its outputs; if missing, those of its states.
    pub outputs: Option<Vec<Spanned<String>>>,
    /// The name of the initial state; if missing, the first state.
    pub initial: Option<Spanned<String>>,
    /// The outputs that keep their last value in states that do not give them.
    pub held: Vec<Held>,
    /// The states.
    pub states: Vec<State>,
}

/// An output of a machine that keeps its last value in states that do not give it.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its name.
    pub name: Spanned<String>,
    /// Its value before any state gives it, an expression over parameters; if missing, 0 or false.
    pub initial: Option<Expr>,
}

impl Modal {
    /// Where the outputs of the machine get their names: those that it declares, or those of its
    /// states and transitions, which may name one several times.
    pub fn named_outputs(&self) -> Vec<&Spanned<String>> {
        if let Some(outputs) = &self.outputs {
            return outputs.iter().collect();
        }
        let states = self.states.iter();
        let given = states.clone().flat_map(|state| &state.content.outputs).map(|own| &own.name);
        let said = states.flat_map(|state| &state.transitions).flat_map(|t| &t.output);
        given.chain(said.map(|output| &output.name)).collect()
    }
}

/// A state of a machine. Its blocks see the names of the diagram that contains the machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Spanned<String>,
    /// The state whose diagram it shares.
    pub like: Option<Spanned<String>>,
    /// Whether the machine is finished when it is in this state.
    pub last: bool,
    /// What runs while the machine is in this state.
    pub content: Diagram,
    /// The outgoing transitions, in source order.
    pub transitions: Vec<Transition>,
}

/// A transition from a state to another one or to itself.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it was written.
    pub span: Span,
    /// The name of the destination state.
    pub to: Spanned<String>,
    /// The condition; if missing, it always holds.
    pub guard: Option<Expr>,
    /// How long the machine must have been in the state.
    pub after: Option<Expr>,
    /// A constant. If several transitions are enabled, the one with the smallest priority is taken.
    pub priority: Option<Expr>,
    /// New values for parameters and states, which are named as in the destination state.
    pub set: Vec<Named>,
    /// Values that outputs have once, when the transition is taken.
    pub output: Vec<Named>,
    /// Whether the diagram of the destination state resumes where it stopped.
    pub history: bool,
    /// The span of `immediate: true`: the transition is tried as soon as the state is entered.
    pub immediate: Option<Span>,
    /// The span of `preemptive: true`: the transition precedes what the state's diagram does.
    pub preemptive: Option<Span>,
    /// The span of `default: true`: the transition is taken if no other one is.
    pub default: Option<Span>,
    /// Whether several enabled transitions marked like this are allowed.
    pub nondeterministic: bool,
    /// The span of `error: true`: the transition is taken if the state's diagram fails.
    pub error: Option<Span>,
}

/// A quantity that should be conserved, such as an energy. It is a block of the main diagram, of
/// type `Expression`, and every run looks at its value.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name, that of a signal of the main diagram.
    pub name: Spanned<String>,
    /// What should not change.
    pub value: Expr,
    /// By how much a tick may change it without a warning, an expression over parameters.
    pub within: Option<Expr>,
    /// Whether that is meant as it is, and not relative to the magnitude of the quantity.
    pub absolute: bool,
}

/// One recorded column or group of columns.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name of the column.
    pub name: String,
    /// What is recorded.
    pub value: Expr,
}

/// Which algebraic loops a diagram asks to have solved by Newton's method.
#[derive(Clone, Default, Debug)]
pub enum Solve {
    /// None: a loop is refused.
    #[default]
    No,
    /// Every loop, from guesses of 0.
    All(Span),
    /// The loops through these signals, each from its guess (an expression over parameters).
    Signals(Vec<Named>),
}

impl Model {
    /// The diagram of an id.
    pub fn diagram(&self, id: DiagramId) -> &Diagram {
        &self.diagrams[id.index()]
    }

    /// The diagram that a name denotes in the file of a span.
    pub fn resolve(&self, from: Span, name: &str) -> Option<DiagramId> {
        let scope = self.scopes.get(from.file.index())?;
        scope.get(name).copied()
    }

    /// The names of diagrams that the file of a span can use.
    pub fn visible(&self, from: Span) -> impl Iterator<Item = &str> {
        self.scopes.get(from.file.index()).into_iter().flatten().map(|(name, _)| name.as_str())
    }
}
