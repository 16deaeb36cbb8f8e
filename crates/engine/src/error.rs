//! Why a run could not continue.

use std::fmt;

use base::{Tag, Time, shown};
use program::{BlockId, BlockName};

/// A failure at run time. All results before it are kept. None of these failures can be avoided by
/// continuing with the same model and settings.
#[derive(Clone, PartialEq, Debug)]
pub enum RunError {
    /// An input of the model has no initial value and was not given.
    MissingInput {
        /// The input.
        block: BlockName,
    },
    /// Whoever holds the run has stopped it.
    Cancelled {
        /// The tag that it has reached.
        tag: Tag,
    },
    /// A value is NaN or infinite.
    NotFinite {
        /// When it happened.
        tag: Tag,
        /// The block whose value it is.
        block: BlockName,
    },
    /// The step became too small: the solution has a singularity, or a jump that no event
    /// announces.
    StepTooSmall {
        /// The tag that the solution has reached.
        tag: Tag,
        /// The block whose state moves fastest there.
        block: BlockName,
    },
    /// Bounds of a watched function did not show whether it changes sign, however finely a step was
    /// divided.
    Undecided {
        /// Up to this tag the sign is certain.
        tag: Tag,
        /// The block with the comparison.
        block: BlockName,
    },
    /// The tolerance demands more digits of a state than floats have.
    ToleranceTooSmall {
        /// The tag that the solution has reached.
        tag: Tag,
        /// The block whose state it is.
        block: BlockName,
        /// The value of the state.
        value: f64,
        /// The error that the tolerance allows.
        allowed: f64,
    },
    /// Steps become ever shorter towards a time before the end of the run.
    Creeping {
        /// The tag that the solution has reached.
        tag: Tag,
        /// The time that the run does not pass \[s\].
        limit: f64,
        /// The block whose state moves fastest there.
        block: BlockName,
    },
    /// Newton's method found no solution of an implicit step or of an algebraic loop.
    NoSolution {
        /// When it happened.
        tag: Tag,
        /// A block in the loop, or one with a state in the step.
        block: BlockName,
    },
    /// An algebraic loop does not determine its unknowns: many values solve it.
    NotDetermined {
        /// When it happened.
        tag: Tag,
        /// A block in the loop.
        block: BlockName,
    },
    /// More microsteps at one time than the limit: events that cause each other without end.
    Chattering {
        /// When it happened.
        time: Time,
        /// The limit.
        limit: u32,
        /// The blocks that kept each other going.
        blocks: Vec<String>,
        /// Whether the microsteps repeat, so that no limit would be high enough.
        endless: bool,
        /// Whether a comparison switches the motion back onto its surface.
        switching: Switching,
    },
    /// A motion along surfaces at which comparisons switch has no unique meaning.
    Sliding {
        /// When it happened.
        tag: Tag,
        /// The first of the blocks.
        block: BlockName,
        /// The blocks whose comparisons they are.
        blocks: Vec<String>,
        /// Why.
        failure: SlidingFailure,
    },
    /// Events accumulate.
    Zeno {
        /// The last event.
        time: Time,
        /// The time at which they accumulate \[s\].
        accumulation: f64,
        /// The blocks whose events they are.
        blocks: Vec<String>,
    },
    /// The same event happens twice within one step of a fixed-step run.
    EventsTooFast {
        /// The time of the second event.
        time: Time,
        /// The step \[s\].
        step: f64,
        /// The block whose events they are.
        block: String,
    },
    /// An operation is undefined, such as a product of impulses.
    Undefined {
        /// When it happened.
        tag: Tag,
        /// The block.
        block: BlockName,
        /// Why it is undefined.
        reason: String,
    },
    /// A loop stayed unknown that conditionals could have broken.
    NotConstructive {
        /// When it happened.
        tag: Tag,
        /// The blocks in the loop.
        blocks: Vec<String>,
        /// The block at which it was noticed.
        block: BlockName,
    },
    /// Several transitions are enabled, and nothing says which one to take.
    Ambiguous {
        /// When it happened.
        tag: Tag,
        /// The machine.
        block: String,
        /// The state that it is in.
        state: String,
        /// The states that the transitions lead to.
        to: Vec<String>,
    },
    /// Two machines set the same target at one microstep.
    SetTwice {
        /// When it happened.
        tag: Tag,
        /// The target.
        target: String,
        /// The machines.
        machines: [String; 2],
    },
    /// Immediate transitions lead back to a state that was left at the same microstep.
    ImmediateCycle {
        /// When it happened.
        tag: Tag,
        /// The machine.
        block: String,
        /// The states, in order.
        states: Vec<String>,
    },
}

/// Whether a comparison switches the motion back onto its surface while microsteps do not end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Switching {
    /// No comparison is on its level.
    No,
    /// This block compares, and could slide.
    MaySlide(String),
    /// This block compares and cannot slide, for this reason.
    CannotSlide(String, String),
    /// This block may slide, but the motion is no slide: the rate of what it compares does not jump
    /// there.
    HigherOrder(String),
}

/// Why a motion along surfaces has no unique meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlidingFailure {
    /// The rates are not sums over the surfaces.
    NotSeparable,
    /// There are several motions, or none.
    NotUnique,
    /// More surfaces meet than can be decided.
    TooMany,
}

impl RunError {
    /// The error of a loop whose unknowns are not numbers; `open` says whether the loop left a
    /// present signal undetermined.
    pub(crate) fn of_loop(tag: Tag, block: BlockName, open: bool) -> RunError {
        match open {
            true => RunError::NotDetermined { tag, block },
            false => RunError::NoSolution { tag, block },
        }
    }

    /// An identifier that is stable between versions.
    pub fn code(&self) -> &'static str {
        match self {
            RunError::MissingInput { .. } => "input-not-given",
            RunError::Cancelled { .. } => "cancelled",
            RunError::NotFinite { .. } => "not-finite",
            RunError::StepTooSmall { .. } => "step-too-small",
            RunError::Undecided { .. } => "crossing-undecided",
            RunError::ToleranceTooSmall { .. } => "tolerance-too-small",
            RunError::Creeping { .. } => "creeping",
            RunError::NoSolution { .. } => "no-solution",
            RunError::NotDetermined { .. } => "not-determined",
            RunError::Chattering { .. } => "chattering",
            RunError::Sliding { .. } => "sliding-undecided",
            RunError::Zeno { .. } => "zeno",
            RunError::EventsTooFast { .. } => "events-too-fast",
            RunError::Undefined { .. } => "undefined",
            RunError::NotConstructive { .. } => "causality-loop",
            RunError::Ambiguous { .. } => "ambiguous-transitions",
            RunError::SetTwice { .. } => "set-twice",
            RunError::ImmediateCycle { .. } => "immediate-cycle",
        }
    }

    /// The path of the first block that the message names.
    pub fn block(&self) -> &str {
        match self {
            RunError::Cancelled { .. } => "",
            RunError::Ambiguous { block, .. }
            | RunError::ImmediateCycle { block, .. }
            | RunError::EventsTooFast { block, .. } => block,
            RunError::SetTwice { machines, .. } => &machines[0],
            RunError::Chattering { blocks, .. }
            | RunError::Zeno { blocks, .. }
            | RunError::NotConstructive { blocks, .. } => blocks.first().map_or("", String::as_str),
            other => other.culprit().map_or("", BlockName::path),
        }
    }

    /// The block that failed, if a state machine may have an error transition for it.
    pub(crate) fn failed(&self) -> Option<BlockId> {
        self.culprit().and_then(BlockName::id)
    }

    /// The block whose functions have failed.
    fn culprit(&self) -> Option<&BlockName> {
        match self {
            RunError::NotFinite { block, .. }
            | RunError::MissingInput { block, .. }
            | RunError::StepTooSmall { block, .. }
            | RunError::ToleranceTooSmall { block, .. }
            | RunError::Creeping { block, .. }
            | RunError::NoSolution { block, .. }
            | RunError::NotDetermined { block, .. }
            | RunError::Undecided { block, .. }
            | RunError::Undefined { block, .. }
            | RunError::Sliding { block, .. }
            | RunError::NotConstructive { block, .. } => Some(block),
            RunError::Cancelled { .. }
            | RunError::Ambiguous { .. }
            | RunError::SetTwice { .. }
            | RunError::ImmediateCycle { .. }
            | RunError::EventsTooFast { .. }
            | RunError::Chattering { .. }
            | RunError::Zeno { .. } => None,
        }
    }

    /// The tag at which it happened, if the values of a single point of time led to it.
    pub fn tag(&self) -> Option<Tag> {
        match self {
            RunError::NotFinite { tag, .. }
            | RunError::Cancelled { tag }
            | RunError::StepTooSmall { tag, .. }
            | RunError::ToleranceTooSmall { tag, .. }
            | RunError::Creeping { tag, .. }
            | RunError::NoSolution { tag, .. }
            | RunError::NotDetermined { tag, .. }
            | RunError::Undecided { tag, .. }
            | RunError::Sliding { tag, .. }
            | RunError::Undefined { tag, .. } => Some(*tag),
            RunError::MissingInput { .. }
            | RunError::NotConstructive { .. }
            | RunError::Ambiguous { .. }
            | RunError::SetTwice { .. }
            | RunError::EventsTooFast { .. }
            | RunError::ImmediateCycle { .. }
            | RunError::Chattering { .. }
            | RunError::Zeno { .. } => None,
        }
    }

    /// Advice for the user.
    // One text for each variant: a table, and so longer than a function should otherwise be.
    pub fn help(&self) -> &'static str {
        match self {
            RunError::MissingInput { .. } => {
                "give it with `--input name=...`, in Python with `inputs={...}`, or give it an `initial` \
                 in the model"
            }
            RunError::Cancelled { .. } => "run it again to continue from the start",
            RunError::NotFinite { .. } => {
                "look for a division by zero, a logarithm or root of a negative number, or growth \
                 without bound"
            }
            RunError::StepTooSmall { .. } => {
                "look for a singularity; a jump must come from an event or a comparison to be seen"
            }
            RunError::Undecided { .. } => {
                "write the comparison so that its operands meet in fewer places, or set a shorter \
                 `maximum_step` under `simulate`"
            }
            RunError::ToleranceTooSmall { .. } => {
                "take a larger `tolerance` under `simulate`: floats hold 16 digits, so that 1e-15 \
                 of a value is about the least that can be met"
            }
            RunError::Creeping { .. } => {
                "look for a singularity, such as a division by something that goes to zero; or \
                 stop before it"
            }
            RunError::NoSolution { .. } => "give a better guess under `solve`, or a smaller step",
            RunError::NotDetermined { .. } => {
                "its equations say the same twice, as a = b and b = a do: let one of them say \
                 something else, or give one of its signals by an Integrator or a constant"
            }
            RunError::Chattering { switching: Switching::MaySlide(_), .. } => {
                "with `sliding: filippov` under `simulate`, or in the block, the motion goes along \
                 the surface; or let it switch with hysteresis"
            }
            RunError::Chattering { switching: Switching::CannotSlide(..), .. } => {
                "let the comparison that moves the states do nothing else, and make events and \
                 transitions with hysteresis or a machine"
            }
            RunError::Chattering { switching: Switching::HigherOrder(_), .. } => {
                "let the comparison switch with hysteresis, or end the motion at that point with a \
                 machine"
            }
            RunError::Sliding { failure: SlidingFailure::NotSeparable, .. } => {
                "write the rates as sums in which each term depends on one of these comparisons"
            }
            RunError::Sliding { .. } => {
                "let the comparisons not meet, or model what happens there with a machine"
            }
            RunError::Chattering { endless: true, .. } => {
                "the same microsteps come again and again: break the chain, for example with \
                 hysteresis or a delay"
            }
            RunError::Chattering { .. } => {
                "break the chain of events, or raise `microsteps` under `simulate`"
            }
            RunError::Zeno { .. } => {
                "model what happens after it, such as rest, or set `zeno: stop` under `simulate` \
                 to stop there and keep the result"
            }
            RunError::EventsTooFast { .. } => {
                "take a smaller step, or symbolic impulses; `zeno: stop` under `simulate` stops \
                 there and keeps the result"
            }
            RunError::Undefined { .. } => {
                "see the rules on the block's page: `superdense blocks NAME`"
            }
            RunError::NotConstructive { .. } => {
                "break the loop with previous(...), left(...) or a MicrostepDelay"
            }
            RunError::Ambiguous { .. } => {
                "make the conditions exclude each other, give them a `priority`, or mark them all \
                 `nondeterministic: true`"
            }
            RunError::SetTwice { .. } => {
                "let one of them set it, or make their conditions exclude each other"
            }
            RunError::ImmediateCycle { .. } => {
                "leave `immediate` out of one of the transitions, or make its condition narrower"
            }
        }
    }
}

impl fmt::Display for RunError {
    // One message for each variant: a table, and so longer than a function should otherwise be.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::MissingInput { block, .. } => {
                write!(f, "the input `{block}` is missing")
            }
            RunError::Cancelled { tag } => write!(f, "the run was stopped at {tag}"),
            RunError::NotFinite { tag, block, .. } => {
                write!(f, "the value of `{block}` is not finite at {tag}")
            }
            RunError::StepTooSmall { tag, block, .. } => {
                let time = tag.time;
                write!(f, "the step became too small at t = {time}, where `{block}` moves fastest")
            }
            RunError::Undecided { tag, block, .. } => {
                let time = tag.time;
                write!(
                    f,
                    "bounds of what `{block}` compares do not decide its sign after t = {time}, \
                     however finely the step is divided"
                )
            }
            RunError::ToleranceTooSmall { tag, block, value, allowed, .. } => {
                let time = tag.time;
                let least = 4.0 * f64::EPSILON * value.abs();
                write!(
                    f,
                    "the tolerance cannot be met at t = {time}: `{block}` is {} and may be \
                     off by {allowed:.0e}, but has digits for {least:.0e} at best",
                    shown(*value)
                )
            }
            RunError::Creeping { tag, limit, block, .. } => {
                let time = tag.time;
                write!(
                    f,
                    "the steps get ever shorter at t = {time} and would not pass t = {limit}, \
                     where `{block}` moves fastest"
                )
            }
            RunError::NoSolution { tag, block, .. } => {
                write!(f, "no solution was found at {tag} for the loop through `{block}`")
            }
            RunError::NotDetermined { tag, block, .. } => {
                write!(f, "the loop through `{block}` does not determine its signals at {tag}")
            }
            RunError::Chattering { time, limit, blocks, switching, .. } => {
                let going = match blocks.as_slice() {
                    [block] => format!("{block} keeps itself going"),
                    blocks => format!("{} keep each other going", blocks.join(", ")),
                };
                write!(f, "more than {limit} microsteps at t = {time}: {going}")?;
                match switching {
                    Switching::No => Ok(()),
                    Switching::MaySlide(block) => {
                        write!(f, "; `{block}` switches the motion back onto its own surface")
                    }
                    Switching::HigherOrder(block) => {
                        write!(
                            f,
                            "; `{block}` switches without end towards a point, and only a motion \
                             whose rate jumps at the surface can slide along it"
                        )
                    }
                    Switching::CannotSlide(block, why) => {
                        write!(f, "; the motion cannot slide along what `{block}` compares: {why}")
                    }
                }
            }
            RunError::Sliding { tag, blocks, failure, .. } => {
                let blocks = blocks.join(", ");
                let why = match failure {
                    SlidingFailure::NotSeparable => "the rates are not sums of what each switches",
                    SlidingFailure::NotUnique => "there is not exactly one motion",
                    SlidingFailure::TooMany => "they are too many to decide",
                };
                write!(f, "the surfaces of {blocks} meet at {tag}, and {why}")
            }
            RunError::Zeno { accumulation, blocks, .. } => {
                let blocks = blocks.join(", ");
                write!(f, "Zeno: the events of {blocks} accumulate at t = {}", shown(*accumulation))
            }
            RunError::EventsTooFast { time, step, block } => {
                write!(
                    f,
                    "`{block}` crosses again within one step of {} s at t = {time}, which a \
                     fixed-step run cannot follow",
                    shown(*step)
                )
            }
            RunError::Undefined { tag, block, reason, .. } => {
                write!(f, "{reason}, in `{block}` at {tag}")
            }
            RunError::NotConstructive { tag, blocks, .. } => {
                write!(f, "the loop through {} is not known at {tag}", blocks.join(", "))
            }
            RunError::Ambiguous { tag, block, state, to } => {
                let to = to.join(", ");
                write!(f, "`{block}` may go from `{state}` to each of {to} at {tag}")
            }
            RunError::SetTwice { tag, target, machines: [one, other] } => {
                write!(f, "`{one}` and `{other}` both set `{target}` at {tag}")
            }
            RunError::ImmediateCycle { tag, block, states } => {
                let states = states.join(" -> ");
                write!(f, "immediate transitions of `{block}` go in a circle at {tag}: {states}")
            }
        }
    }
}

impl std::error::Error for RunError {}
