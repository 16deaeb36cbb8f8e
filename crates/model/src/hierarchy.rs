//! The hierarchy as written.

use std::collections::BTreeMap;

use base::{SourceMap, Span, Spanned};
use expr::Expr;

use crate::Plot;

base::typed_id! {
    /// One diagram of a model, the main one included.
    DiagramId
}

/// A model file with everything that it imports, as written: nothing is evaluated, and names of
/// blocks are not looked up yet.
#[derive(Clone, Debug)]
pub struct Model {
    /// What it is called.
    pub name: String,
    /// What it shows; may be empty.
    pub description: String,
    /// Every diagram of every file that was read.
    pub diagrams: Vec<Diagram>,
    /// The main diagram: the blocks at the top of the main file.
    pub root: DiagramId,
    /// For each file (by `FileId`), the diagrams that its text can name: its own and the imported.
    pub scopes: Vec<BTreeMap<String, DiagramId>>,
    /// What is recorded.
    pub record: Vec<Record>,
    /// How it is run.
    pub simulate: Simulate,
    /// The figures that show it.
    pub plots: Vec<Plot>,
    /// The texts.
    pub sources: SourceMap,
}

/// A diagram: its interface and its blocks.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// Its name and where it was given.
    pub name: Spanned<String>,
    /// Parameters in the order in which they were written.
    pub parameters: Vec<Parameter>,
    /// Names of inputs; each is a signal inside.
    pub inputs: Vec<Spanned<String>>,
    /// Outputs, each an expression over the signals inside.
    pub outputs: Vec<Named>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Which algebraic loops are to be solved.
    pub solve: Solve,
    /// The tolerance of the states in it; where missing, that of what is around it.
    pub tolerance: Option<Expr>,
    /// Where it says that everything in it happens at events.
    pub discrete: Option<Span>,
}

/// A parameter of a diagram. One without a value must be given by whoever uses the diagram.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Spanned<String>,
    /// Its default, an expression over other parameters of the same diagram.
    pub value: Option<Expr>,
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
    /// Inputs and parameters, whichever a name turns out to be.
    pub fields: Vec<Named>,
    /// The states and transitions of a block of type `Modal`.
    pub modal: Option<Modal>,
    /// How often it is there, where it is an array of blocks.
    pub repeated: Option<Repeated>,
}

/// How a block is repeated: an array of blocks with one or more indices.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The indices with their counts, expressions over parameters.
    pub indices: Vec<Named>,
    /// What the fields see besides what is around the block: a diagram whose parameters are the
    /// indices.
    pub own: Diagram,
}

/// A state machine whose states have diagrams of their own.
#[derive(Clone, Debug)]
pub struct Modal {
    /// Parameters that all states see and transitions may set: a diagram without blocks.
    pub own: Diagram,
    /// The names of its outputs; where missing, those of its states.
    pub outputs: Option<Vec<Spanned<String>>>,
    /// The name of the state in which it starts; where missing, the first.
    pub initial: Option<Spanned<String>>,
    /// The states.
    pub states: Vec<State>,
}

/// A state of a machine. Its blocks see the names of the diagram around the machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Spanned<String>,
    /// The state whose diagram it shares.
    pub like: Option<Spanned<String>>,
    /// Whether the machine is done when it is here.
    pub last: bool,
    /// What runs while the machine is here.
    pub content: Diagram,
    /// The ways out, in the order in which they were written.
    pub transitions: Vec<Transition>,
}

/// A way from a state to another or to itself.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it was written.
    pub span: Span,
    /// The name of the state that it leads to.
    pub to: Spanned<String>,
    /// The condition; where missing, it is always met.
    pub guard: Option<Expr>,
    /// How long the state must have lasted.
    pub after: Option<Expr>,
    /// A constant: of several that are met the smallest is taken.
    pub priority: Option<Expr>,
    /// What parameters and states become: names in the state that it leads to.
    pub set: Vec<Named>,
    /// What outputs say once.
    pub output: Vec<Named>,
    /// Whether the diagram of the other state goes on where it was.
    pub history: bool,
    /// Whether it is tried as soon as the state is entered; where it says so.
    pub immediate: Option<Span>,
    /// Whether it comes before what the state's diagram does; where it says so.
    pub preemptive: Option<Span>,
    /// Whether it is taken where no other one is; where it says so.
    pub default: Option<Span>,
    /// Whether it may be one of several that are enabled.
    pub nondeterministic: bool,
    /// Whether it is taken where the state's diagram fails; where it says so.
    pub error: Option<Span>,
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

/// How a model is run: expressions over the parameters of the main diagram.
#[derive(Clone, Default, Debug)]
pub struct Simulate {
    /// Start time; 0 where missing.
    pub start: Option<Expr>,
    /// Stop time.
    pub stop: Option<Expr>,
    /// The name of the solver.
    pub solver: Option<Spanned<String>>,
    /// Relative and absolute tolerance in one.
    pub tolerance: Option<Expr>,
    /// Relative tolerance.
    pub relative_tolerance: Option<Expr>,
    /// Absolute tolerance.
    pub absolute_tolerance: Option<Expr>,
    /// The step of fixed-step solvers.
    pub step: Option<Expr>,
    /// The first step of variable-step solvers.
    pub initial_step: Option<Expr>,
    /// The greatest step.
    pub maximum_step: Option<Expr>,
    /// The distance of evenly spaced rows, instead of a row for each step.
    pub every: Option<Expr>,
    /// Times of rows, instead of a row for each step.
    pub times: Option<Expr>,
    /// What has a row where something happens: the words `instants` or `microsteps`.
    pub rows: Option<Spanned<String>>,
    /// The seed of all random numbers.
    pub seed: Option<Expr>,
    /// The greatest number of microsteps at one time.
    pub microsteps: Option<Expr>,
    /// The greatest number of blocks that the model may have.
    pub maximum_blocks: Option<Expr>,
    /// What to do at a Zeno point: the words `error` or `stop`.
    pub zeno: Option<Spanned<String>>,
    /// What an impulse is: the words `symbolic`, `stepped` or `numeric`.
    pub impulses: Option<Spanned<String>>,
}

impl Model {
    /// The diagram of an id.
    pub fn diagram(&self, id: DiagramId) -> &Diagram {
        &self.diagrams[id.index()]
    }

    /// The diagram that a name means in the file of a span.
    pub fn resolve(&self, from: Span, name: &str) -> Option<DiagramId> {
        let scope = self.scopes.get(from.file.index())?;
        scope.get(name).copied()
    }

    /// The names of diagrams that the file of a span can use.
    pub fn visible(&self, from: Span) -> impl Iterator<Item = &str> {
        self.scopes.get(from.file.index()).into_iter().flatten().map(|(name, _)| name.as_str())
    }
}
