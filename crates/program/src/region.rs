//! A region: its states, its crossings and its tapes between events.

use diagram::{BlockId, FragmentId, RegionId, WireId};
use ir::{Slot, Tape};

use crate::delay_line::Past;
use crate::jacobian::Jacobian;
use crate::tracked::{TrackedId, WireSlots};
use crate::watched::Function;

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
    /// What states become at microstep 0.
    pub memories: Vec<Memory>,
    /// The derivatives of the rates, where an implicit method asks for them.
    pub jacobian: Option<Jacobian>,
    /// The delayed signals that move between events.
    pub lines: Vec<usize>,
    /// The same by the clocks that they are delayed by.
    pub pasts: Vec<Past>,
    /// What these were made from, for the history of the region.
    pub sample: Tape,
    /// Where the sample tape puts it, signal after signal.
    pub samples: Slot,
    /// How many numbers that are.
    pub sample_width: usize,
    /// The functions that the solver watches.
    pub watches: Vec<Watch>,
    /// What is known of each of them.
    pub functions: Vec<Function>,
    /// What the search for crossings may rely on for each: [`Function::gain`].
    pub gains: Vec<f64>,
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
    /// Its states and watched functions, fragment by fragment.
    pub slices: Vec<FragmentSlice>,
    /// Wires whose values the left tape writes.
    pub wires: Vec<WireId>,
    /// Where these are.
    pub places: Vec<WireSlots>,
    /// The units of its blocks, as bits of words of 64: which word, and its bits.
    pub units: Vec<(u32, u64)>,
    /// For each continuous state, the block that has it.
    pub owners: Vec<BlockId>,
}

impl RegionProgram {
    /// Whether all of it always runs, so that the solver has its states and watched functions as
    /// they lie in the buffer.
    pub fn is_whole(&self) -> bool {
        self.slices.iter().all(|span| span.fragment == FragmentId::ROOT)
    }
}

/// The states and watched functions of one fragment in a region.
#[derive(Clone, Debug)]
pub struct FragmentSlice {
    /// The fragment.
    pub fragment: FragmentId,
    /// Where its states begin among those of the region.
    pub state: usize,
    /// How many states it has.
    pub states: usize,
    /// Where its watched functions begin among those of the region.
    pub watch: usize,
    /// How many watched functions it has.
    pub watches: usize,
    /// The greatest step \[s\] that its blocks allow.
    pub maximum_step: f64,
    /// The least tolerance that diagrams in it ask for; none where there is no state.
    pub tolerance: Option<f64>,
    /// Whether some of its states have the tolerance of the run.
    pub common: bool,
}

/// What a state becomes at microstep 0.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Where the left tape puts it.
    pub from: Slot,
    /// The state.
    pub state: usize,
    /// The fragment of its block; one that does not run keeps what it remembers.
    pub fragment: FragmentId,
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
    /// The samples for the history.
    pub sample: Tape,
}

/// One function that a solver watches: a crossing, or an edge of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The crossing that it belongs to.
    pub crossing: usize,
    /// Whether that is a side.
    pub side: bool,
}

/// What a crossing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossingKind {
    /// The sign of a function.
    Sign,
    /// The integer cell of a function, with the watches of its lower and upper edge.
    Floor,
}

/// A crossing function with its frozen side or cell.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The block that it is in.
    pub block: BlockId,
    /// What it is.
    pub kind: CrossingKind,
    /// Whether it is a kink of `abs`, `min` or `max`, over which what it selects is continuous.
    pub kink: bool,
    /// Where the value of the function is: the operand itself for a cell.
    pub value: Slot,
    /// The frozen side or cell.
    pub frozen: TrackedId,
    /// The change at the last commit, where something asks for it.
    pub crossed: Option<TrackedId>,
    /// Where the residual that counts as zero is.
    pub residual: Slot,
    /// The region and the first watch, where it is located.
    pub watch: Option<(RegionId, usize)>,
}
