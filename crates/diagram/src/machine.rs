//! State machines in the flat diagram, and the fragments that their states switch on and off.

use base::{Span, Table};

use crate::flat::{BlockId, WireId};

base::typed_id! {
    /// A part of the diagram that runs only while a machine is in some state.
    FragmentId
}
base::typed_id! {
    /// A state machine.
    MachineId
}

impl FragmentId {
    /// The fragment that always runs.
    pub const ROOT: FragmentId = FragmentId(0);

    /// Whether it is inside another fragment or the same, given the fragment around each.
    pub fn is_inside(self, outer: FragmentId, around: impl Fn(FragmentId) -> FragmentId) -> bool {
        let mut inner = self;
        while inner != outer && inner != FragmentId::ROOT {
            inner = around(inner);
        }
        inner == outer
    }
}

impl Default for FragmentId {
    fn default() -> Self {
        FragmentId::ROOT
    }
}

/// Blocks that run together or not at all. Number 0 always runs; parents come before their
/// children.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Its name in messages: the path of its state.
    pub path: String,
    /// The fragment that it is in; its own for number 0.
    pub parent: FragmentId,
    /// Whether its clock starts anew whenever it is entered and shows how long ago that was: the
    /// guards of a state. Otherwise it is a state's diagram, whose time stops while it does
    /// not run.
    pub dwell: bool,
}

/// A state machine.
#[derive(Clone, Debug)]
pub struct StateMachine {
    /// Its path.
    pub path: String,
    /// Where it was written.
    pub span: Span,
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The block whose state is the index of the machine's current state.
    pub current: BlockId,
    /// The blocks of its outputs.
    pub outputs: Vec<BlockId>,
    /// For each output and state, the wire that the state's diagram gives.
    pub arms: Vec<Vec<Option<WireId>>>,
    /// The index of the initial state.
    pub initial: usize,
    /// The states.
    pub states: Vec<MachineState>,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct MachineState {
    /// Its name.
    pub name: String,
    /// Its guards and how long it has lasted.
    pub dwell: FragmentId,
    /// Its diagram.
    pub content: Option<FragmentId>,
    /// Whether a machine in its diagram emits a value when it changes state.
    pub speaks: bool,
    /// The ways out.
    pub transitions: Vec<Transition>,
}

/// A way out of a state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it was written.
    pub span: Span,
    /// The index of the target state.
    pub to: usize,
    /// Truth values that must all be present and true.
    pub guards: Vec<BlockId>,
    /// New values of states.
    pub sets: Vec<Assignment>,
    /// The values that outputs emit, by the index of the output.
    pub says: Vec<(usize, BlockId)>,
    /// Whether the target diagram resumes where it stopped.
    pub history: bool,
    /// Whether it is tried as soon as the state is entered.
    pub immediate: bool,
    /// Whether it takes precedence over the state's diagram.
    pub preemptive: bool,
    /// Whether it is taken if no other one is.
    pub default: bool,
    /// Of several that are met at once those with the smallest number are taken first.
    pub priority: i64,
    /// Whether it may be one of several that are enabled.
    pub nondeterministic: bool,
    /// Whether it is taken if the state's diagram fails, and only then.
    pub error: bool,
}

/// A value for the first state of a block.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The block.
    pub target: BlockId,
    /// Whether the block is a parameter that transitions set.
    pub variable: bool,
    /// The block that computes the value.
    pub value: BlockId,
    /// Where it was written.
    pub span: Span,
}

/// A state that starts, whenever its fragment starts anew, from the value of a wire at that time.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The block whose first state it is.
    pub block: BlockId,
    /// The wire.
    pub wire: WireId,
}

/// The machines of a diagram and what belongs to them.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    /// The fragments; never empty.
    pub fragments: Vec<Fragment>,
    /// The machines, each after the one that it is in.
    pub machines: Table<MachineId, StateMachine>,
    /// States that start from the value of a wire.
    pub entries: Vec<Entry>,
}

impl Modes {
    /// One fragment and no machine.
    pub fn none() -> Modes {
        let root = Fragment { path: String::new(), parent: FragmentId::ROOT, dwell: false };
        Modes { fragments: vec![root], machines: Table::new(), entries: Vec::new() }
    }

    /// Whether a fragment is inside another or the same.
    pub fn is_inside(&self, inner: FragmentId, outer: FragmentId) -> bool {
        inner.is_inside(outer, |own| self.fragments[own.index()].parent)
    }

    /// The fragment whose clock `time` shows in a fragment.
    pub fn clock(&self, mut fragment: FragmentId) -> FragmentId {
        while self.fragments[fragment.index()].dwell {
            fragment = self.fragments[fragment.index()].parent;
        }
        fragment
    }
}
