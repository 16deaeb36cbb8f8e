//! Why there is no steady state or no linear model.

use std::fmt;

use base::{Diagnostic, Time};
use engine::RunError;
use model::Refused;

use crate::System;
use crate::hold::HoldError;

/// What is left of a condition of a steady state.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// The condition, such as `rate of x`.
    pub name: String,
    /// By how much it is missed.
    pub value: f64,
}

impl fmt::Display for Residual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: off by {}", self.name, base::shown(self.value))
    }
}

/// Why an analysis was not possible.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A model with fixed steps has no rates.
    FixedSteps,
    /// A name is not known.
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// A similar name, or some that exist.
        help: Option<String>,
    },
    /// A name is given twice, or in two roles that exclude each other.
    Twice {
        /// The name.
        name: String,
    },
    /// A signal has no derivatives.
    NoNumber {
        /// The signal.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// A parameter cannot be moved, because it is not a signal.
    NotTunable {
        /// The parameter.
        name: String,
    },
    /// A value has the wrong number of elements, or is not finite.
    BadValue {
        /// The name.
        name: String,
        /// How many elements it has.
        expected: usize,
        /// What was given.
        given: String,
    },
    /// A lower bound is above the upper one.
    BadBound {
        /// The name.
        name: String,
    },
    /// The run ended before the time of the point.
    EndedBefore {
        /// The time of the point \[s\].
        time: Time,
        /// The time at which it ended \[s\].
        end: Time,
    },
    /// The motion slides or rests on a surface, where rates are not those of the equations.
    OnSurface {
        /// The time \[s\].
        time: Time,
        /// The blocks whose comparisons hold it there.
        blocks: Vec<String>,
    },
    /// A delay has no finite number of states.
    Delay {
        /// The block.
        block: String,
        /// The delay \[s\].
        delay: f64,
    },
    /// A delay cannot be approximated.
    NoApproximation {
        /// The block.
        block: String,
        /// Why not.
        why: &'static str,
    },
    /// The order of an approximation is out of range.
    BadOrder {
        /// The order that was asked for.
        order: usize,
        /// The highest order.
        most: usize,
    },
    /// Something depends on the time derivative of an input, so that no linear model with a direct
    /// term describes it.
    InputDerivative {
        /// The input.
        name: String,
    },
    /// A loop through approximated delays has no unique solution.
    NotWellPosed,
    /// A value or a derivative is not finite at the point.
    NotFinite {
        /// What it is, such as `rate of x` or `rate of x by y`.
        name: String,
    },
    /// The matrices would not fit in memory.
    TooLarge {
        /// The number of unknowns or states.
        size: usize,
        /// How many are possible.
        most: usize,
    },
    /// There is no steady state under the conditions, or it was not found from this start.
    NotSteady {
        /// What is left of each condition, the worst first.
        residuals: Vec<Residual>,
        /// How many conditions there were.
        conditions: usize,
        /// The unknowns.
        free: Vec<String>,
        /// Those of them that are at a bound.
        at_bounds: Vec<String>,
        /// Whether the search was still getting closer.
        unfinished: bool,
    },
    /// The point was made by another system.
    OtherSystem,
    /// An output is no expression that the model can have.
    Refused(Box<Refused>),
    /// A run to the point failed.
    Run(Box<RunError>),
    /// An input of the run to the point could not be set.
    Hold(Box<HoldError>),
}

impl AnalysisError {
    /// The stable code of the message.
    pub fn code(&self) -> &'static str {
        match self {
            AnalysisError::FixedSteps => "no-rates",
            AnalysisError::Unknown { .. } => "unknown-signal",
            AnalysisError::Twice { .. } => "given-twice",
            AnalysisError::NoNumber { .. } => "not-movable",
            AnalysisError::NotTunable { .. } => "not-movable",
            AnalysisError::BadValue { .. } => "bad-value",
            AnalysisError::BadBound { .. } => "bad-bound",
            AnalysisError::EndedBefore { .. } => "ended-before",
            AnalysisError::OnSurface { .. } => "on-surface",
            AnalysisError::Delay { .. } => "delay-not-linear",
            AnalysisError::NoApproximation { .. } => "delay-not-linear",
            AnalysisError::BadOrder { .. } => "delay-not-linear",
            AnalysisError::InputDerivative { .. } => "input-derivative",
            AnalysisError::NotWellPosed => "delay-not-linear",
            AnalysisError::NotFinite { .. } => "not-finite",
            AnalysisError::TooLarge { .. } => "too-large",
            AnalysisError::NotSteady { .. } => "not-steady",
            AnalysisError::OtherSystem => "other-system",
            AnalysisError::Refused(_) => "unknown-signal",
            AnalysisError::Run(error) => error.code(),
            AnalysisError::Hold(_) => "bad-input",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let text = match self {
            AnalysisError::FixedSteps => "use `impulses: symbolic`",
            AnalysisError::Unknown { help, .. } => return help.clone(),
            AnalysisError::Twice { .. } => "give each name once",
            AnalysisError::NoNumber { .. } => {
                "choose a number that is present between events; an input of a linear model or an \
                 unknown is outside of algebraic loops"
            }
            AnalysisError::NotTunable { .. } => "declare it `tunable: true`",
            AnalysisError::EndedBefore { .. } => "choose an earlier time",
            AnalysisError::OnSurface { .. } => "choose a time before or after it",
            AnalysisError::Delay { .. } => {
                "replace it by a rational function: `delays=3` in Python, `--delays 3` on the \
                 command line, for a Padé approximation of order 3"
            }
            AnalysisError::InputDerivative { .. } => {
                "leave the input out, or take what the derivative is of from a filter instead"
            }
            AnalysisError::NotSteady { conditions, free, .. } if *conditions > free.len() => {
                "there are more conditions than unknowns: free an input, or leave a condition out"
            }
            AnalysisError::NotSteady { unfinished: true, .. } => {
                "start from another guess, closer to the steady state"
            }
            AnalysisError::NotSteady { at_bounds, .. } if !at_bounds.is_empty() => {
                "widen the bounds, or free another input"
            }
            AnalysisError::NotSteady { .. } => {
                "start from another guess, free another input, or let a state go on moving, such \
                 as a position at constant speed, by giving its rate"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }
}

impl fmt::Display for AnalysisError {
    // One message for each variant: a table, and so longer than a function should otherwise be.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnalysisError::FixedSteps => {
                write!(f, "a model with fixed steps consists of differences and has no rates")
            }
            AnalysisError::Unknown { what, name, .. } => {
                write!(f, "the model has no {what} `{name}`")
            }
            AnalysisError::Twice { name } => write!(f, "`{name}` is given twice"),
            AnalysisError::NoNumber { name, why } => {
                write!(f, "nothing can be differentiated by or along `{name}`: {why}")
            }
            AnalysisError::NotTunable { name } => {
                write!(f, "the parameter `{name}` is a number and not a signal")
            }
            AnalysisError::BadValue { name, expected, given } => {
                let numbers = if *expected == 1 { "number" } else { "numbers" };
                write!(f, "`{name}` is {expected} finite {numbers}, and {given} was given")
            }
            AnalysisError::BadBound { name } => {
                write!(f, "the bounds of `{name}` are not a lower and a higher number")
            }
            AnalysisError::EndedBefore { time, end } => {
                write!(f, "the run ends at {end} s, before {time} s")
            }
            AnalysisError::OnSurface { time, blocks } => write!(
                f,
                "at {time} s the motion is held on the surface of {}, and no small change leaves \
                 its equations as they are",
                quoted(blocks)
            ),
            AnalysisError::Delay { block, delay } => write!(
                f,
                "`{block}` delays by {} s, which no finite number of states does",
                base::shown(*delay)
            ),
            AnalysisError::NoApproximation { block, why } => {
                write!(f, "the delay of `{block}` cannot be approximated: {why}")
            }
            AnalysisError::BadOrder { order, most } => {
                write!(f, "an approximation of a delay has an order from 1 to {most}, not {order}")
            }
            AnalysisError::InputDerivative { name } => {
                write!(f, "something depends on the time derivative of `{name}`")
            }
            AnalysisError::NotWellPosed => {
                write!(f, "a loop through approximated delays does not determine its signals")
            }
            AnalysisError::NotFinite { name } => write!(f, "the {name} is not finite"),
            AnalysisError::TooLarge { size, most } => {
                write!(f, "there are {size} unknowns, and up to {most} are possible")
            }
            AnalysisError::NotSteady { residuals, free, at_bounds, unfinished, .. } => {
                write!(f, "no steady state was found")?;
                if *unfinished {
                    write!(f, " within the number of steps")?;
                }
                let most = 5;
                residuals.iter().take(most).try_for_each(|own| write!(f, "\n  {own}"))?;
                if residuals.len() > most {
                    write!(f, "\n  and {} more conditions", residuals.len() - most)?;
                }
                match free.is_empty() {
                    true => write!(f, "\n  nothing was free")?,
                    false => write!(f, "\n  free: {}", quoted(free))?,
                }
                match at_bounds.is_empty() {
                    true => Ok(()),
                    false => write!(f, "\n  at a bound: {}", quoted(at_bounds)),
                }
            }
            AnalysisError::OtherSystem => {
                write!(f, "the point belongs to another system: make one for this system")
            }
            AnalysisError::Refused(refused) => refused.fmt(f),
            AnalysisError::Run(error) => error.fmt(f),
            AnalysisError::Hold(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AnalysisError {}

/// Some names for a sentence.
fn quoted(names: &[String]) -> String {
    let most = 12;
    let mut shown: Vec<String> = names.iter().take(most).map(|name| format!("`{name}`")).collect();
    if names.len() > most {
        shown.push(format!("and {} more", names.len() - most));
    }
    shown.join(", ")
}

impl System {
    /// An error of an analysis as diagnostics, which point to the text if they can.
    pub fn explain_analysis(&self, error: &AnalysisError) -> Refused {
        let sources = self.sources().clone();
        let diagnostic = match error {
            AnalysisError::Refused(refused) => return (**refused).clone(),
            AnalysisError::Run(error) => self.explain(error),
            _ => {
                let mut lines = error.to_string();
                let notes = lines.split_off(lines.find('\n').unwrap_or(lines.len()));
                let diagnostic = Diagnostic::error(error.code(), lines);
                let notes = notes.lines().map(str::trim).filter(|line| !line.is_empty());
                notes.fold(diagnostic, |all, note| all.note(note)).maybe_help(error.help())
            }
        };
        Refused { diagnostics: diagnostic.into(), sources }
    }
}
