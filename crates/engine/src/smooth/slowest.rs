//! Which region has advanced least, and which have located a crossing.

use base::Time;
use program::RegionId;

use crate::engine::Engine;
use crate::smooth::race::Race;
use crate::smooth::region::RegionState;

/// How far a region has advanced; one with a crossing precedes one that merely steps.
pub(crate) fn standing(state: &RegionState) -> (Time, bool) {
    (state.reached, !state.crossing)
}

impl Engine<'_> {
    /// The region whose solution has advanced least; a crossing precedes a mere step.
    pub(crate) fn slowest(&mut self) -> Option<RegionId> {
        // If only one region moves there is no race.
        if self.scratch.mover.is_some() {
            return self.scratch.mover;
        }
        self.run_race().slowest()
    }

    /// The race between the moving regions, up to date.
    fn run_race(&mut self) -> &Race<RegionId> {
        let (program, regions) = (self.program, &self.state.regions);
        let at =
            |region: RegionId| program.regions[region].moves.then(|| standing(&regions[region]));
        if self.scratch.race.is_over() {
            self.scratch.race.start(program.regions.ids().map(at));
        } else {
            debug_assert!(self.scratch.race.is_at(at), "every move is recorded");
        }
        &self.scratch.race
    }

    /// Adds the regions with a crossing that was located up to a time to a list, in order.
    pub(crate) fn crossings_up_to(&mut self, time: Time, found: &mut Vec<RegionId>) {
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

    /// The region that moves, if no other does.
    pub(crate) fn mover(&self) -> Option<RegionId> {
        self.scratch.mover
    }
}
