//! Functions between events, and the tapes of a tick, that somebody else has compiled.
//!
//! A run starts on the interpreter of tapes. Whoever made code from the tapes of the program hands
//! it over between two advances; it gives the same bits, so that it does not matter when. It is no
//! part of a snapshot.

use std::fmt::Debug;

use solver::Trial;

/// The functions of a region as code over the buffer. Where the whole region always runs
/// ([`program::RegionProgram::is_whole`]), states, rates and watched functions are in the arrays
/// that are given, and what is in the buffer at their places is not looked at; otherwise these
/// arrays are empty, and all is in the buffer.
pub trait RegionCode: Debug + Send + Sync {
    /// The rates of the states.
    fn derivative(&self, slots: &mut [f64], x: &[f64], dx: &mut [f64]);

    /// The watched functions and their time derivatives.
    fn crossings(&self, slots: &mut [f64], x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]);

    /// The left limits; states are in the buffer.
    fn left(&self, slots: &mut [f64]);

    /// The derivatives of the rates by the states and by time, where the program has them; states
    /// are in the buffer.
    fn jacobian(&self, slots: &mut [f64]);

    /// A whole trial step, where there is code for it; times count from `origin` \[s\]. It is not a
    /// number where a rate is not finite and the region has functions for that.
    fn trial(&self, slots: &mut [f64], origin: f64, trial: &mut Trial) -> Option<f64>;
}

/// How many units there are in a word of bits.
const WORD: usize = 64;

/// What is told to the code of units, and by it.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The units that the engine runs itself, as bits.
    pub held: u64,
    /// How many events are present.
    pub present: u64,
    /// Which units have run, by their numbers in the word.
    pub ran: [u32; WORD],
    /// How many of these there are.
    pub count: usize,
}

impl Default for Pass {
    fn default() -> Pass {
        Pass { held: 0, present: 0, ran: [0; WORD], count: 0 }
    }
}

/// The units of a tick as code over the buffer.
pub trait UnitCode: Debug + Send + Sync {
    /// The units of each word that there is code for, as bits.
    fn known(&self) -> &[u64];

    /// Runs the units whose bits are set in a word, the lowest first, puts what they have made in
    /// its cells, and sets the bits of those that read what has changed. Where a bit is left, the
    /// lowest is that of a unit that the engine has to run: one that is held, one that made
    /// something that is not finite, or any other.
    fn run(&self, slots: &mut [f64], dirty: &mut [u64], word: usize, pass: &mut Pass);
}

/// Code for the regions of a program, none for those without functions, and for its units.
#[derive(Debug, Default)]
pub struct Routines {
    /// Region by region.
    pub regions: Vec<Option<Box<dyn RegionCode>>>,
    /// The units of a tick, where there is code for them.
    pub units: Option<Box<dyn UnitCode>>,
}

/// The code of a region, if there is any.
pub(crate) fn code(native: Option<&Routines>, region: usize) -> Option<&dyn RegionCode> {
    native?.regions.get(region)?.as_deref()
}
