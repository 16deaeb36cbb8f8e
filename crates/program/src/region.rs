//! A region: its states, its crossings and its tapes between events.

use std::ops::Range;

use diagram::{BlockId, FragmentId, RegionId, WireId};
use ir::{Slot, Tape};
use serde::{Deserialize, Serialize};

use crate::delay_line::{LineId, Past, ReadingStage};
use crate::jacobian::Jacobian;
use crate::tracked::{StateId, TimerId, TrackedId, WireSlots};
use crate::unit::UnitWord;
use crate::watched::{CommonTerms, Function};

base::typed_id! {
    /// A crossing.
    CrossingId
}

/// A part of the diagram with a solver of its own.
#[derive(Clone, Debug, Default)]
pub struct RegionProgram {
    /// The number of its continuous states.
    pub dimension: usize,
    /// The first slot of its states, which are contiguous.
    pub state: Slot,
    /// The first slot of their rates.
    pub rate: Slot,
    /// Computes values that do not change between events; runs once at the start of a phase.
    pub prelude: Tape,
    /// The rates of the states.
    pub derivative: Tape,
    /// Computes the crossing functions and their time derivatives; needs the rates.
    pub crossings: Tape,
    /// Computes only the time derivatives of the crossing functions.
    pub slopes: Tape,
    /// Computes the wires that move between events and are read at ticks or recorded, and the
    /// memories of left limits.
    pub left: Tape,
    /// Rates, crossing functions and left limits with comparisons read from values. They are used
    /// if a frozen side leads out of the domain of a function; empty if nothing is compared.
    pub live: LiveTapes,
    /// What the left tape computes that depends on a side along which the motion may slide, and is a
    /// number rather than a truth value: the first slot and the number of slots.
    pub combined: Vec<(Slot, usize)>,
    /// New values of states at microstep 0.
    pub memories: Vec<Memory>,
    /// The derivatives of the rates, if an implicit method needs them.
    pub jacobian: Option<Jacobian>,
    /// The delay lines that move between events.
    pub lines: Vec<LineId>,
    /// The same, grouped by the clocks that time them.
    pub pasts: Vec<Past>,
    /// Those whose delays are signals, in an order in which each delay is known when it is needed.
    pub readings: Vec<ReadingStage>,
    /// Computes what is asked at the end of steps that are not taken back.
    pub complete: Tape,
    /// Where that is, and the timer that wakes there if it is not zero.
    pub completions: Vec<(Slot, TimerId)>,
    /// Samples the inputs of these delay lines, for the history of the region.
    pub sample: Tape,
    /// The first slot of the samples, delay line after delay line.
    pub samples: Slot,
    /// The number of values in a sample.
    pub sample_width: usize,
    /// The functions that the solver watches.
    pub watches: Vec<Watch>,
    /// What is known about each of them.
    pub functions: Vec<Function>,
    /// A bound of the rounding of all of them, if there are many, all of them are affine, and all
    /// belong to sides.
    pub common_terms: Option<CommonTerms>,
    /// The indices of those along whose zeros the motion may slide.
    pub sliding: Vec<usize>,
    /// For each, what the search for crossings may rely on: [`Function::gain`].
    pub gains: Vec<f64>,
    /// The first slot of the values of the watched functions, which are contiguous.
    pub g: Slot,
    /// The first slot of their time derivatives.
    pub g_rate: Slot,
    /// The first slot of their sides.
    pub side: Slot,
    /// The first slot of their residuals.
    pub residual: Slot,
    /// Whether the rates of its states read the time.
    pub timed: bool,
    /// Whether anything in it moves.
    pub moves: bool,
    /// Whether it has recorded signals, so that its steps make rows.
    pub recorded: bool,
    /// Whether some of these are only looked at, at every step.
    pub watched: bool,
    /// Whether a loop in it may stay unknown.
    pub may_be_unknown: bool,
    /// Its states and watched functions, fragment by fragment.
    pub slices: Vec<FragmentSlice>,
    /// For each of them, the slot of the condition under which it runs. They are looked at whenever
    /// the region starts again, and next to each other they are few lines of the cache.
    pub conditions: Vec<Slot>,
    /// Wires whose values the left tape writes.
    pub wires: Vec<WireId>,
    /// The slots of these wires.
    pub wire_slots: Vec<WireSlots>,
    /// A part of the buffer with all of these values and little else, if there is one.
    pub wire_span: Option<Range<usize>>,
    /// The units of its blocks, as bits.
    pub units: Vec<UnitWord>,
    /// For each continuous state, its block.
    pub owners: Vec<BlockId>,
    /// For each continuous state, the tolerance of a diagram around it, if one has its own.
    pub tolerances: Vec<Option<f64>>,
}

impl RegionProgram {
    /// Whether all of it always runs, so that the solver's states and watched functions are laid
    /// out as in the buffer.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.slices.iter().all(|span| span.fragment == FragmentId::ROOT)
    }
}

/// The states and watched functions of one fragment in a region.
#[derive(Clone, Debug)]
pub struct FragmentSlice {
    /// The fragment.
    pub fragment: FragmentId,
    /// The index of its first state among those of the region.
    pub state: usize,
    /// The number of its states.
    pub states: usize,
    /// The index of its first watched function among those of the region.
    pub watch: usize,
    /// The number of its watched functions.
    pub watches: usize,
    /// Its blocks.
    pub blocks: Vec<BlockId>,
    /// The smallest tolerance that diagrams in it specify; none if it has no states.
    pub tolerance: Option<f64>,
    /// Whether some of its states use the tolerance of the run.
    pub common: bool,
}

/// The new value of a state at microstep 0.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The slot in which the left tape leaves it.
    pub from: Slot,
    /// The state.
    pub state: StateId,
    /// The fragment of its block; while it does not run, it keeps its memories.
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

/// One function that a solver watches: a crossing, or the lower or upper edge of a floor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The crossing that it belongs to.
    pub crossing: CrossingId,
    /// Whether that crossing is a side.
    pub side: bool,
}

/// A watched function: its region, and its index among the watches of the region.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WatchId {
    /// The region.
    pub region: RegionId,
    /// The index among the watches of the region.
    pub index: usize,
}

/// What makes an event of a level crossing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EventCrossing {
    /// 1 if it must rise, -1 if it must fall, 0 for either.
    pub direction: f64,
    /// With the profile of Ptolemy II, how far past the level a step may end; 0 for the tolerance of
    /// the run.
    pub tolerance: f64,
}

/// What a crossing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossingKind {
    /// The sign of a function.
    Sign,
    /// The floor of a function, with watches for its lower and upper edges.
    Floor,
}

/// Whether the motion may slide along the zeros of a crossing function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum MaySlide {
    /// It is not requested.
    #[default]
    No,
    /// It may.
    Yes,
    /// It is requested and impossible, for this reason.
    Refused(String),
}

/// A crossing function with its frozen side or floor.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The block that it is in.
    pub block: BlockId,
    /// What it is.
    pub kind: CrossingKind,
    /// Whether the motion may slide along its zeros.
    pub sliding: MaySlide,
    /// Whether it is a kink of `abs`, `min` or `max`, across which the selected value is
    /// continuous.
    pub kink: bool,
    /// Whether a comparison reads it.
    pub compared: bool,
    /// What makes an event of it, if it is the function of a level crossing.
    pub event: Option<EventCrossing>,
    /// The slot of the function's value; for a floor, of the operand itself.
    pub value: Slot,
    /// The frozen side or floor.
    pub frozen: TrackedId,
    /// The change at the last commit, if anything reads it.
    pub crossed: Option<TrackedId>,
    /// The slot of the residual.
    pub residual: Slot,
    /// The first of its watches, if it is located.
    pub watch: Option<WatchId>,
}
