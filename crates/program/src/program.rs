//! The compiled program.

use std::sync::Arc;

use base::Type;
use blocks::{Part, Timer};
use diagram::{BlockId, Diagram, RegionId, WireId};
use ir::{Graph, Layout, NodeId, Slot, Tape};
use schedule::Schedule;

use crate::slots::Slots;
use crate::{smooth, tick};

base::typed_id! {
    /// A place whose changes are followed.
    CellId
}
base::typed_id! {
    /// One small tape of a tick.
    UnitId
}

/// Everything that the engine runs.
#[derive(Debug)]
pub struct Program {
    /// The buffer before anything has run, constants in place.
    pub image: Vec<f64>,
    /// Where model time is \[s\].
    pub time: Slot,
    /// The parts that step apart; region 0 never steps.
    pub regions: Vec<RegionProgram>,
    /// The tapes of a tick: first those of outputs, in order, then those of commits.
    pub units: Vec<Unit>,
    /// Places whose changes are followed.
    pub cells: Vec<Cell>,
    /// The states of all blocks.
    pub states: Vec<StateCells>,
    /// All crossings.
    pub crossings: Vec<Crossing>,
    /// All timers.
    pub timers: Vec<TimerCells>,
    /// Where the wires are.
    pub wires: Vec<WireCells>,
    /// What is recorded.
    pub records: Vec<RecordCells>,
    /// Wires that do not move between events, evaluated once at the start.
    pub still: Tape,
    /// Guesses of solved loops and the places of their solutions, updated where a point is
    /// accepted: `(solution, guess, length)`.
    pub guesses: Vec<(Slot, Slot, usize)>,
    /// Wires that are in a loop that is solved.
    pub solved: Vec<WireId>,
    /// The functions between events, for messages.
    pub(crate) graph: Graph,
    pub(crate) values: Vec<Option<NodeId>>,
    pub(crate) layout: Layout,
}

/// A place whose changes are followed.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Where it is.
    pub slot: Slot,
    /// How many numbers it has.
    pub length: usize,
    /// The tapes of a tick that read it.
    pub readers: Vec<UnitId>,
    /// The regions whose smooth functions read it.
    pub regions: Vec<RegionId>,
    /// The part of a wire that it is.
    pub part: Option<(WireId, Part)>,
    /// Whether it is the presence of a signal that is events only.
    pub event: bool,
}

/// A part of the diagram that steps on its own.
#[derive(Clone, Debug, Default)]
pub struct RegionProgram {
    /// The number of its continuous states.
    pub dimension: usize,
    /// Where they are, one after the other.
    pub state: Slot,
    /// Where their rates are.
    pub rate: Slot,
    /// What does not change between events, run once when a phase starts.
    pub prelude: Tape,
    /// The rates of the states.
    pub derivative: Tape,
    /// The crossing functions and their time derivatives; needs the rates.
    pub crossings: Tape,
    /// The time derivatives of the crossing functions alone.
    pub slopes: Tape,
    /// Wires that move between events and are read at ticks or recorded, and the memories of the
    /// left limit.
    pub left: Tape,
    /// The rates, the crossing functions and the left limits with comparisons read from values, for
    /// where a frozen side leads out of the domain of a function; empty where nothing is compared.
    pub live: LiveTapes,
    /// Where the left tape puts what states become at microstep 0: the place and the state.
    pub memories: Vec<(Slot, usize)>,
    /// The derivative of the rates in the direction at `seed`; run once for each column.
    pub tangent: Tape,
    /// The direction.
    pub seed: Slot,
    /// Where the tangent tape puts its result.
    pub column: Slot,
    /// The functions that the solver watches.
    pub watches: Vec<Watch>,
    /// Where the values of the watched functions are, one after the other.
    pub g: Slot,
    /// Where their time derivatives are.
    pub g_rate: Slot,
    /// Where their sides are.
    pub side: Slot,
    /// Where their residuals are.
    pub residual: Slot,
    /// Whether there is anything that moves.
    pub moves: bool,
    /// Whether something in it is recorded, so that its steps make rows.
    pub recorded: bool,
    /// Whether a loop in it may turn out not to be known.
    pub may_be_unknown: bool,
    /// The greatest step \[s\] that its blocks allow.
    pub maximum_step: f64,
    /// Wires whose values the left tape writes.
    pub wires: Vec<WireId>,
    /// For each continuous state, the block that has it.
    pub owners: Vec<BlockId>,
}

/// Functions with comparisons read from values.
#[derive(Clone, Debug, Default)]
pub struct LiveTapes {
    /// The rates of the states.
    pub derivative: Tape,
    /// The crossing functions and their time derivatives.
    pub crossings: Tape,
    /// The left limits.
    pub left: Tape,
}

/// One function that a solver watches: a crossing, or an edge of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The crossing that it belongs to.
    pub crossing: usize,
}

/// What a crossing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossingKind {
    /// The sign of a function.
    Side,
    /// The integer cell of a function, with the watches of its lower and upper edge.
    Cell,
}

/// A crossing function with its frozen side or cell.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The block that it is in.
    pub block: BlockId,
    /// What it is.
    pub kind: CrossingKind,
    /// Where the value of the function is: the operand itself for a cell.
    pub value: Slot,
    /// The frozen side or cell.
    pub frozen: CellId,
    /// The change at the last commit, where something asks for it.
    pub crossed: Option<CellId>,
    /// Where the residual that counts as zero is.
    pub residual: Slot,
    /// The region and the first watch, where it is located.
    pub watch: Option<(RegionId, usize)>,
}

/// A state of a block.
#[derive(Clone, Debug)]
pub struct StateCells {
    /// The block.
    pub block: BlockId,
    /// What it is called in messages.
    pub name: &'static str,
    /// Where it is.
    pub cell: CellId,
    /// Its value at the start.
    pub initial: Vec<f64>,
    /// Whether it flows between events.
    pub continuous: bool,
}

/// A timer of a block.
#[derive(Clone, Debug)]
pub struct TimerCells {
    /// The block.
    pub block: BlockId,
    /// Its times.
    pub timer: Arc<dyn Timer>,
    /// Whether it wakes now.
    pub woken: CellId,
    /// How often it has.
    pub wakings: CellId,
}

/// Where the parts of a wire are.
#[derive(Clone, Debug)]
pub struct WireCells {
    /// The value.
    pub value: CellId,
    /// Whether it is there.
    pub present: CellId,
    /// The coefficients of impulses.
    pub impulses: Vec<CellId>,
    /// The time derivatives that something asks for.
    pub derivatives: Vec<CellId>,
}

/// Where a recorded signal is.
#[derive(Clone, Debug)]
pub struct RecordCells {
    /// The name of its column.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where its value is.
    pub value: Slot,
    /// Where its presence is.
    pub present: Slot,
    /// Where its impulse coefficients are.
    pub impulses: Vec<Slot>,
    /// The region whose left tape makes it.
    pub region: RegionId,
}

/// One small tape of a tick.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The block.
    pub block: BlockId,
    /// What it runs.
    pub tape: Tape,
    /// Parts of wires: where the tape puts them, and the cells that get them. The value of a signal
    /// that is events only goes there only where the signal is present: the third is where that is.
    pub outputs: Vec<(Slot, CellId, Option<Slot>)>,
    /// What states become: where the tape puts it, and the state.
    pub nexts: Vec<(Slot, usize)>,
    /// Values of crossing functions: where the tape puts them, and the crossing.
    pub crossings: Vec<(Slot, usize)>,
    /// Conditions that must not hold: where the tape puts them, and the reason.
    pub checks: Vec<(Slot, String)>,
    /// Whether the tape may find that a loop is not known.
    pub may_be_unknown: bool,
    /// The wires whose values it makes, for messages.
    pub wires: Vec<WireId>,
}

/// Makes the program of a scheduled diagram.
pub fn compile(diagram: &Diagram, schedule: &Schedule) -> Program {
    let mut slots = Slots::new(diagram);
    let composed = smooth::compose(diagram, schedule, diagram::Mode::Smooth, &mut slots);
    let units = tick::units(diagram, schedule, &mut slots);
    smooth::program(diagram, schedule, slots, composed, units)
}

impl Program {
    /// The first block whose value is not finite where a region stands, for a message: everything
    /// that moves in it is evaluated on a copy of the buffer.
    pub fn blame(&self, diagram: &Diagram, region: RegionId, buffer: &[f64]) -> Option<BlockId> {
        let mut layout = self.layout.clone();
        let mut roots = Vec::new();
        let mut places = Vec::new();
        for (index, wire) in diagram.wires.iter().enumerate() {
            let Some(node) = self.values[index] else { continue };
            if diagram.block(wire.block).region == region {
                let slot = layout.reserve(wire.ty.len());
                roots.push((node, slot));
                places.push((node, slot, wire));
            }
        }
        let tape = Tape::compile(&self.graph, &roots, &mut layout, &|slot| slot);
        let mut copy = layout.image().to_vec();
        copy[..buffer.len()].copy_from_slice(buffer);
        ir::run(&tape, &mut copy);
        places.sort_by_key(|(node, ..)| *node);
        places
            .iter()
            .find(|(_, slot, wire)| {
                let from = *slot as usize;
                copy[from..from + wire.ty.len()].iter().any(|x| !x.is_finite())
            })
            .map(|(_, _, wire)| wire.block)
    }

    /// The cell of an id.
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }
}
