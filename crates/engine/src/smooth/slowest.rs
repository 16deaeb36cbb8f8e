//! Which region reaches least far, and which have located a crossing.

use base::Time;

use crate::engine::Engine;
use crate::smooth::race::Race;
use crate::smooth::region::RegionState;

/// How far a region reaches; one with a crossing goes before one that merely steps.
pub(crate) fn standing(state: &RegionState) -> (Time, bool) {
    (state.reached, !state.crossing)
}

impl Engine<'_> {
    /// The region whose solution reaches least far; a crossing goes before a mere step.
    pub(crate) fn slowest(&mut self) -> Option<usize> {
        // Where one moves alone there is no race.
        if self.scratch.mover.is_some() {
            return self.scratch.mover;
        }
        self.run_race().slowest()
    }

    /// The race between the regions that move, as they stand.
    fn run_race(&mut self) -> &Race {
        let regions = self.state.regions.iter().zip(&self.program.regions);
        let standings = regions.map(|(state, own)| own.moves.then(|| standing(state)));
        if self.scratch.race.is_over() {
            self.scratch.race.start(standings);
        } else {
            debug_assert!(self.scratch.race.is_at(standings), "every move is told");
        }
        &self.scratch.race
    }

    /// The regions with a crossing that was located up to a time, in their order, added to a list.
    pub(crate) fn crossings_up_to(&mut self, time: Time, found: &mut Vec<usize>) {
        let located = |state: &RegionState| state.crossing && state.reached <= time;
        match self.scratch.mover {
            Some(region) => found.extend(located(&self.state.regions[region]).then_some(region)),
            None => {
                self.run_race().up_to((time, false), found);
                found.retain(|region| located(&self.state.regions[*region]));
                found.sort_unstable();
            }
        }
    }

    /// The region that moves, where no other does.
    pub(crate) fn mover(&self) -> Option<usize> {
        self.scratch.mover
    }
}
