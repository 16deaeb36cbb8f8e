//! Crossings inside a step.
//!
//! A segment and the sides of all crossing functions come in; out comes the time of the first
//! change of side, if there is one, and the functions that change there. A function g with
//! side s is looked at as u = s g, so that a change is always a fall of u through zero.
//!
//! - A start with |g| within its residual counts as zero: such a function is *fresh* and must
//!   be seen on its side before it can fall, or else it changes at once.
//! - One that is fresh and flat cannot fall before it has been seen on its side, unless it ends
//!   beyond zero: its side comes from derivatives of high order, which the dense output does not
//!   have, so that a dip right at the start is an error of the latter.
//! - A zero at the end of a step is no change. It is the fresh start of the next step.
//! - A wrong sign within the function's rounding is a zero.
//! - The search goes from left to right over intervals that are split only if a function
//!   may dip between two looks, so the first change is found and not just any. Whether it may is
//!   known of a function that is affine in the states, which is a polynomial over a step
//!   (`polynomial`), and of one that can be enclosed (`enclosed`); of others it is judged by the
//!   cubic through the looks (`interval`).
//! - Most functions are far from zero over most steps, and are passed over in one sweep without
//!   branches. Only the others, the *suspects*, are searched for.

mod enclosed;
mod interval;
mod level;
mod located;
mod polynomial;
mod refine;
mod search;
mod suspects;

use base::clone_reusing;
use serde::{Deserialize, Serialize};

use crate::scratch::{Forget, Scratch};
use interval::Suspect;
pub(crate) use level::{Level, Probe, Seen};
pub use located::Located;
use suspects::Way;

/// The sides of all crossing functions and how far from zero each still counts as zero.
#[derive(Debug)]
pub struct Sides<'a> {
    /// The side of each function: -1, 0 or 1.
    pub side: &'a [f64],
    /// For each function the size up to which a value at a start counts as zero.
    ///
    /// The search writes it: at a located crossing it becomes the size of the value there with
    /// a small margin, at a step's end that is zero but for rounding it grows to that value,
    /// and at the end of a step that is clear of zero it is set back to 0.
    pub residual: &'a mut [f64],
    /// What the search may rely on for each function. A finite number says that the function is
    /// affine in time and in the states, and is the sum of the absolute values of its coefficients
    /// of states. Infinity says that [`crate::System::enclose`] bounds it. NaN says that neither
    /// holds; an empty slice says so of all.
    pub gain: &'a [f64],
}

impl Sides<'_> {
    /// What the search may rely on for one function.
    #[inline(always)]
    fn gain(&self, k: usize) -> f64 {
        if self.gain.is_empty() { f64::NAN } else { self.gain[k] }
    }
}

/// Looks at different times that can be kept at once.
const LEVELS: usize = 160;
/// Those that there is room for from the start.
const FIRST_LEVELS: usize = 3;
/// Looks inside one step before the search takes the intervals of functions that cannot be enclosed
/// as they are.
const BUDGET: usize = 96;
/// Enclosures in one step before the search gives up.
const ENCLOSURES: usize = 100_000;
/// The most that rounding may move a located time, relative to it: 64 units in its last place.
const MOST_UNCERTAIN: f64 = 64.0 * f64::EPSILON;
/// The rounding of a function in units of its last place.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The resolution of a location: crossings closer than this share one time.
pub(crate) fn resolution(t: f64, h: f64) -> f64 {
    16.0 * f64::EPSILON * greater(t.abs(), h)
}

/// The width of a final bracket at `t` in a step of length `h`: the last places of time, and
/// near time 0, at which floats are finer than needed, a part of the step.
fn finest(t: f64, h: f64) -> f64 {
    2.0 * f64::EPSILON * greater(t.abs(), f64::EPSILON * h)
}

/// The lesser of two numbers, by one instruction; the second if one is NaN.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers, by one instruction; the second if one is NaN.
#[inline(always)]
pub(crate) fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The part of a function's size below which its change over a step is flat.
const FLAT: f64 = 1e-6;

/// What is remembered about crossings, and the space to search them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Search {
    /// The functions at the current point; the left end of the interval being searched.
    pub here: Level,
    /// The functions that changed at the located point.
    pub crossed: Vec<Located>,
    #[serde(skip)]
    space: Scratch<Space>,
}

clone_reusing!(Search { here, crossed, space });

/// Working space.
#[derive(Clone, Debug, Default)]
struct Space {
    /// How many functions it is made for.
    functions: usize,
    /// Right ends of intervals still to be searched, the nearest last; the first `open` count.
    levels: Vec<Level>,
    open: usize,
    /// For each level and function: how far the cubic over the interval that ends there may be off;
    /// infinite if not measured. It is known of suspects alone.
    doubts: Vec<f64>,
    /// The functions that are searched for, by rising number.
    suspects: Vec<Suspect>,
    /// The indices among them of those that fall in the bracket.
    falling: Vec<usize>,
    /// The step.
    step: Extent,
    /// The largest coefficient of θ⁴ in the dense output of a state.
    quartic: f64,
    /// How far rates lead up to the first level.
    way: Way,
    /// Enclosures that may still be asked for in this step.
    enclosures: usize,
}

/// The start and the width of a step.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    start: f64,
    width: f64,
}

impl Search {
    pub fn new(crossings: usize) -> Search {
        let here = Level::new(crossings);
        Search { here, crossed: Vec::new(), space: Scratch::default() }
    }

    /// Makes room for another number of functions, which are looked at before they are searched.
    pub fn resize(&mut self, crossings: usize) {
        if self.here.len() != crossings {
            self.here.resize(crossings);
            self.crossed.clear();
        }
    }

    /// Makes the working space if it is missing, or is for another number of functions.
    #[inline]
    pub fn prepare(&mut self) {
        if self.space.0.functions != self.here.len() {
            self.make();
        }
    }

    #[cold]
    fn make(&mut self) {
        let (m, room) = (self.here.len(), self.here.room());
        let space = &mut self.space.0;
        space.functions = m;
        space.levels.iter_mut().for_each(|level| level.resize(m));
        if space.levels.is_empty() {
            space.levels.reserve(LEVELS);
            space.levels.extend((0..FIRST_LEVELS).map(|_| Level::with_room(m, room)));
        }
        space.doubts.resize(space.levels.len() * m, 0.0);
        space.suspects.reserve(m.saturating_sub(space.suspects.len()));
        space.falling.reserve(m.saturating_sub(space.falling.len()));
        self.crossed.reserve(m.saturating_sub(self.crossed.len()));
    }
}

impl Forget for Space {
    fn forget(&mut self) {}
}

impl Space {
    /// Makes sure that there is room for one look more than are open. A search that goes deeper
    /// than any before allocates; that happens a few times in a run at most.
    fn make_room(&mut self) {
        if self.levels.len() <= self.open {
            let (m, room) = (self.levels[0].len(), self.levels[0].room());
            self.levels.push(Level::with_room(m, room));
            self.doubts.resize(self.levels.len() * m, 0.0);
        }
    }
}
