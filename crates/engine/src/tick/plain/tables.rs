//! What follows a change at a plain tick, from the program: flat tables, in the order in which ticks
//! read them.

use program::tape::Slot;
use program::{Next, Program, RegionId, TrackedId, UnitWord};

use super::bits;

/// What reads a tracked number, and where that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub slot: Slot,
    /// The regions whose smooth functions read it, as bits.
    pub regions: u64,
    /// Its readers among [`Tables::words`].
    words: (u32, u32),
}

/// A new value of a state that a unit leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commit {
    pub from: Slot,
    pub length: usize,
    pub state: TrackedId,
}

/// The tables of a program.
#[derive(Debug)]
pub(super) struct Tables {
    /// By tracked number.
    reads: Vec<Read>,
    words: Vec<UnitWord>,
    /// By unit, among `commits`.
    commits_of: Vec<(u32, u32)>,
    commits: Vec<Commit>,
    /// For each timer, the regions that it may reach, as bits.
    pub timers: Vec<u64>,
}

impl Tables {
    pub fn new(program: &Program) -> Tables {
        let mut words = Vec::new();
        let mut reads = Vec::new();
        for tracked in program.tracked.iter() {
            let first = words.len() as u32;
            words.extend_from_slice(&tracked.reader_words);
            let regions = bits(tracked.regions.iter().copied());
            reads.push(Read { slot: tracked.slot, regions, words: (first, words.len() as u32) });
        }
        let (mut commits, mut commits_of) = (Vec::new(), Vec::new());
        for unit in program.units.iter() {
            let first = commits.len() as u32;
            commits.extend(unit.nexts.iter().map(|Next { from, state }| {
                let state = program.states[*state].tracked;
                Commit { from: *from, length: program.tracked(state).length, state }
            }));
            commits_of.push((first, commits.len() as u32));
        }
        let reached = |regions: &Vec<RegionId>| bits(regions.iter().copied());
        let timers = program.influence.timers.iter().map(reached).collect();
        Tables { reads, words, commits_of, commits, timers }
    }

    #[inline]
    pub fn read(&self, tracked: TrackedId) -> Read {
        self.reads[tracked.index()]
    }

    /// The units that read a tracked number.
    #[inline]
    pub fn words(&self, read: Read) -> &[UnitWord] {
        &self.words[read.words.0 as usize..read.words.1 as usize]
    }

    /// The new values that a unit leaves.
    #[inline]
    pub fn commits(&self, unit: usize) -> &[Commit] {
        let (first, end) = self.commits_of[unit];
        &self.commits[first as usize..end as usize]
    }
}
