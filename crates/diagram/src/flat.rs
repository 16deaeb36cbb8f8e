//! The flat diagram.

use std::collections::BTreeMap;

use base::{Diagnostic, SourceMap, Span, Spanned, Type, Value};
use blocks::{BlockKind, Definition, InputKind, Role, Setting};
use expr::Expr;
use ir::NodeId;
use model::About;

use crate::machine::{FragmentId, Modes};
use crate::{Parameters, Phase, RunSettings, Sites, Sliding, Specialised};

base::typed_id! {
    /// A block of the flat diagram.
    BlockId
}
base::typed_id! {
    /// An output port of a block, and everything that is connected to it.
    WireId
}
base::typed_id! {
    /// A part of the diagram that steps on its own.
    RegionId
}

impl RegionId {
    /// The region that holds whatever never moves.
    pub const STILL: RegionId = RegionId(0);
}

/// Blocks and wires, typed, with all that is known before anything runs.
#[derive(Debug)]
pub struct Diagram {
    /// What the model is called.
    pub name: String,
    /// The blocks.
    pub blocks: Vec<FlatBlock>,
    /// The wires.
    pub wires: Vec<Wire>,
    /// The parts that step apart.
    pub regions: Vec<Region>,
    /// The signals from outside: inputs of the main diagram, then tunable parameters.
    pub inputs: Vec<DiagramInput>,
    /// What is recorded.
    pub records: Vec<Record>,
    /// What should be conserved.
    pub invariants: Vec<Invariant>,
    /// The ports of the instances of diagrams, which pictures name.
    pub ports: Vec<InstancePort>,
    /// The path of each instance of a diagram and what it is an instance of, which pictures name.
    pub instances: BTreeMap<String, String>,
    /// The arrays of blocks, which pictures draw as one; those inside an element come before the
    /// array that it is part of.
    pub arrays: Vec<BlockArray>,
    /// Which loops are to be solved.
    pub solve: Solve,
    /// What blocks say about sliding, by their paths; it holds for everything in them.
    pub sliding: BTreeMap<String, Sliding>,
    /// How the model is run.
    pub run: RunSettings,
    /// The parameters of the main diagram, and what each run computes from them.
    pub parameters: Parameters,
    /// State machines and what they switch on and off.
    pub modes: Modes,
    /// What was written and nothing uses, as warnings.
    pub unused: Vec<Diagnostic>,
    /// The texts, for messages.
    pub sources: SourceMap,
}

/// A signal from outside the model.
#[derive(Clone, Debug)]
pub struct DiagramInput {
    /// Its name.
    pub name: String,
    /// Its block, whose states are written.
    pub block: BlockId,
    /// How it goes on between the times at which it is set.
    pub kind: InputKind,
    /// Whether a run must be given it, because it has no initial value.
    pub required: bool,
    /// Its unit and what it is, if the model says so.
    pub about: About,
    /// The index of the parameter of the main diagram that it is, if it is tunable.
    pub parameter: Option<usize>,
}

/// An input or output of an instance of a diagram, as it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct InstancePort {
    /// The path of the instance.
    pub instance: String,
    /// The name of the port.
    pub name: String,
    /// Whether it is an input.
    pub is_input: bool,
    /// The wire that goes through it.
    pub wire: WireId,
    /// Where the signal was written that goes through it.
    pub span: Span,
}

/// Blocks or instances that were written once with indices.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockArray {
    /// The path of the array, without indices.
    pub path: String,
    /// The block or diagram that each element is.
    pub kind: String,
    /// How many there are along each index.
    pub counts: Vec<usize>,
    /// The vectors and matrices of an output of all elements.
    pub wholes: Vec<WireId>,
}

/// A block in its place.
#[derive(Debug)]
pub struct FlatBlock {
    /// Its name through the hierarchy, such as `car.engine.speed`.
    pub path: String,
    /// Where it was written.
    pub span: Span,
    /// What it is.
    pub kind: BlockKind,
    /// Its parameters.
    pub settings: BTreeMap<String, Setting>,
    /// For each input of its info, the wires connected to it.
    pub inputs: Vec<Vec<WireId>>,
    /// Where each input was written, beside `inputs`.
    pub input_spans: Vec<Vec<Span>>,
    /// Its outputs.
    pub outputs: Vec<WireId>,
    /// Its functions.
    pub definition: Definition,
    /// Its functions between events, with what is then known folded in.
    pub smooth: Specialised,
    /// Its functions at microsteps from 1 on.
    pub tick: Specialised,
    /// Its sides and cells whose operand moves between events: frozen while smooth, and located.
    pub located: Sites,
    /// The sides among them for which sliding is requested: whether the motion may slide along the
    /// zeros of the operand, or why not.
    pub sliding: BTreeMap<NodeId, Result<(), String>>,
    /// When the inputs that it remembers are present, between events and at ticks.
    pub remembered: BTreeMap<usize, [Presence; 2]>,
    /// Whether the run goes by fixed steps.
    pub stepped: bool,
    /// The part of the diagram that it belongs to.
    pub region: RegionId,
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// Whether only transitions ask for it: it is evaluated when one is taken.
    pub passive: bool,
    /// The tolerance of its states, if a diagram around it has one of its own.
    pub tolerance: Option<f64>,
    /// The place at which a diagram around it specifies that everything happens at events.
    pub discrete: Option<Span>,
}

impl FlatBlock {
    /// The block that a user has written: for one that was made for the expression at an input,
    /// the block with that input.
    pub fn written(&self) -> &str {
        match self.path.rsplit_once('.') {
            Some((owner, _)) if self.kind.role() == Role::Formula => owner,
            _ => &self.path,
        }
    }

    /// The wire that a history is about.
    pub fn past(&self, history: usize) -> WireId {
        self.port(self.definition.histories[history].port)
    }

    /// Whether located sides are read as they are frozen in a mode: between events they are, and
    /// in a run by fixed steps at events too, since a step that is taken again with its events
    /// would otherwise need the side of its own result.
    pub fn freezes(&self, phase: Phase) -> bool {
        phase == Phase::Smooth || self.stepped
    }

    /// The wire at a port, counting every signal of a list.
    pub fn port(&self, port: usize) -> WireId {
        let mut rest = port;
        let own = self.inputs.iter().find_map(|wires| {
            let own = wires.get(rest);
            rest = rest.saturating_sub(wires.len());
            own
        });
        *own.expect("a port that is connected")
    }
}

/// When a signal is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Sometimes: it depends on values.
    Varies,
}

/// An output port and everything that is connected to it.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The block that drives it.
    pub block: BlockId,
    /// Which of its outputs.
    pub port: usize,
    /// The type of its value.
    pub ty: Type,
    /// How many orders of impulses it may carry.
    pub orders: u32,
    /// How many orders of time derivatives something reads.
    pub derivatives: u32,
    /// Whether it is there between events; never means events only.
    pub between: Presence,
    /// Whether it is there at microsteps from 1 on.
    pub ticking: Presence,
    /// Whether its value moves between events.
    pub moving: bool,
    /// Whether its value depends on a side along which the motion may slide, so that it moves while
    /// the motion does.
    pub slides: bool,
    /// Whether it is known by now if it moves.
    pub settled: bool,
    /// Its value, if it is the same at every tag of a run.
    pub constant: Option<Value>,
}

/// A part of the diagram that shares no continuous signal with the rest.
#[derive(Clone, Default, Debug)]
pub struct Region {
    /// Its blocks.
    pub blocks: Vec<BlockId>,
}

/// One recorded signal.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name of its column.
    pub name: String,
    /// The wire.
    pub wire: WireId,
    /// Whether the model does not request it: a model without `record` has its blocks recorded.
    pub implied: bool,
    /// Whether it is only looked at, and not part of the result: an invariant, or a term of one.
    /// Such records come after all others.
    pub hidden: bool,
}

/// A quantity that should be conserved. Its value and its terms are hidden records, those of all
/// invariants in order.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name, that of a block of the main diagram.
    pub name: Spanned<String>,
    /// How many terms it is the sum of; 0 if it is no sum.
    pub terms: usize,
    /// By how much a tick may change it, an expression over parameters.
    pub within: Option<Expr>,
    /// Whether that is not relative to its magnitude.
    pub absolute: bool,
}

/// Which algebraic loops are to be solved.
#[derive(Clone, Debug, Default)]
pub struct Solve {
    /// Every loop inside these instances (paths that end in a dot; empty for the whole model).
    pub everywhere: Vec<String>,
    /// Wires whose loops are solved, with the guess of the wire's value.
    pub wires: BTreeMap<WireId, Vec<f64>>,
}

impl Diagram {
    /// The block of an id.
    pub fn block(&self, id: BlockId) -> &FlatBlock {
        &self.blocks[id.index()]
    }

    /// The wire of an id.
    pub fn wire(&self, id: WireId) -> &Wire {
        &self.wires[id.index()]
    }

    /// The name of a wire: that of its block, with the port if there are several.
    pub fn wire_name(&self, id: WireId) -> String {
        let wire = self.wire(id);
        let path = &self.block(wire.block).path;
        self.port_name(wire).map_or_else(|| path.clone(), |port| format!("{path}.{port}"))
    }

    /// The name of the output that a wire starts from, if its block has several.
    pub fn port_name(&self, wire: &Wire) -> Option<&str> {
        let outputs = &self.block(wire.block).kind.info().outputs;
        (outputs.len() > 1).then(|| &*outputs[wire.port].name)
    }
}
