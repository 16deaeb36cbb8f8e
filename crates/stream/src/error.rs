//! Why evaluations could not continue.

use std::fmt;

/// A failure of a run on streams. All evaluations before it are kept.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamError {
    /// A value is NaN or infinite; it would stay in the sums for ever.
    NotFinite {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// The block whose value it is.
        block: String,
    },
    /// An operation is undefined.
    Undefined {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// The block.
        block: String,
        /// Why it is undefined.
        reason: String,
    },
    /// A loop stayed unknown that conditionals could have broken.
    NotConstructive {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// A block in the loop.
        block: String,
    },
    /// Too many clock ticks lie between two evaluations.
    TooManyTicks {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// The block with the clock.
        block: String,
    },
    /// Several transitions of a machine are enabled at once.
    Ambiguous {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// The machine.
        block: String,
        /// The state that it is in.
        state: String,
        /// The states that the transitions lead to.
        to: Vec<String>,
    },
    /// Two machines set the same target at one evaluation.
    SetTwice {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// The target.
        target: String,
        /// The machines.
        machines: [String; 2],
    },
    /// Immediate transitions lead back to a state that was left at the same evaluation.
    ImmediateCycle {
        /// The evaluation.
        e: usize,
        /// The time there \[s\].
        time: f64,
        /// The machine.
        block: String,
        /// The states, in order.
        states: Vec<String>,
    },
    /// The stop time was not reached within the allowed number of evaluations.
    TooManyEvaluations {
        /// The number that is allowed.
        limit: usize,
        /// The time that was reached \[s\].
        time: f64,
        /// The block whose state needs the smallest steps there.
        block: String,
    },
}

impl StreamError {
    /// An identifier that is stable between versions.
    pub fn code(&self) -> &'static str {
        match self {
            StreamError::NotFinite { .. } => "not-finite",
            StreamError::Undefined { .. } => "undefined",
            StreamError::NotConstructive { .. } => "causality-loop",
            StreamError::TooManyTicks { .. } => "too-many-ticks",
            StreamError::Ambiguous { .. } => "ambiguous-transitions",
            StreamError::SetTwice { .. } => "set-twice",
            StreamError::ImmediateCycle { .. } => "immediate-cycle",
            StreamError::TooManyEvaluations { .. } => "too-many-evaluations",
        }
    }

    /// The path of the block that the message names.
    pub fn block(&self) -> &str {
        match self {
            StreamError::NotFinite { block, .. }
            | StreamError::Undefined { block, .. }
            | StreamError::NotConstructive { block, .. }
            | StreamError::TooManyTicks { block, .. }
            | StreamError::Ambiguous { block, .. }
            | StreamError::ImmediateCycle { block, .. }
            | StreamError::TooManyEvaluations { block, .. } => block,
            StreamError::SetTwice { machines, .. } => &machines[0],
        }
    }

    /// Advice for the user.
    pub fn help(&self) -> &'static str {
        match self {
            StreamError::NotFinite { .. } => {
                "a smaller `maximum_step` keeps trial steps nearer; look also for a division by \
                 zero or a root of a negative number"
            }
            StreamError::Undefined { .. } => "see the rule on the block's page",
            StreamError::NotConstructive { .. } => "break the loop with previous(...)",
            StreamError::TooManyTicks { .. } => {
                "make `maximum_step` smaller, or the period of the clock longer"
            }
            StreamError::Ambiguous { .. } => {
                "make the conditions exclude each other, give them a `priority`, or mark them all \
                 `nondeterministic: true`"
            }
            StreamError::SetTwice { .. } => {
                "let one of them set it, or make their conditions exclude each other"
            }
            StreamError::ImmediateCycle { .. } => {
                "leave `immediate` out of one of the transitions, or make its condition narrower"
            }
            StreamError::TooManyEvaluations { .. } => {
                "take a larger tolerance or a larger limit, or let the stages share their sum"
            }
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &f64| base::shown(*time);
        match self {
            StreamError::NotFinite { e, time, block } => {
                write!(
                    f,
                    "the value of `{block}` is not finite at evaluation {e}, t = {}",
                    seconds(time)
                )
            }
            StreamError::Undefined { e, time, block, reason } => {
                write!(f, "{reason}, in `{block}` at evaluation {e}, t = {}", seconds(time))
            }
            StreamError::NotConstructive { e, time, block } => {
                write!(
                    f,
                    "the loop through `{block}` is not known at evaluation {e}, t = {}",
                    seconds(time)
                )
            }
            StreamError::TooManyTicks { e, time, block } => {
                write!(f, "`{block}` ticks too often before evaluation {e}, t = {}", seconds(time))
            }
            StreamError::Ambiguous { e, time, block, state, to } => {
                let to = to.join(", ");
                write!(f, "`{block}` may go from `{state}` to each of {to} ")?;
                write!(f, "at evaluation {e}, t = {}", seconds(time))
            }
            StreamError::SetTwice { e, time, target, machines: [one, other] } => {
                write!(
                    f,
                    "`{one}` and `{other}` both set `{target}` at evaluation {e}, t = {}",
                    seconds(time)
                )
            }
            StreamError::ImmediateCycle { e, time, block, states } => {
                let states = states.join(" -> ");
                write!(f, "immediate transitions of `{block}` go in a circle ")?;
                write!(f, "at evaluation {e}, t = {}: {states}", seconds(time))
            }
            StreamError::TooManyEvaluations { limit, time, .. } => {
                write!(
                    f,
                    "{limit} evaluations are allowed, and they reach t = {}, short of the stop",
                    seconds(time)
                )
            }
        }
    }
}

impl std::error::Error for StreamError {}
