//! Crossings that follow each other faster than time can resolve.

use base::{Tag, Time};
use program::{RegionId, WatchId};

use crate::RunError;
use crate::engine::Engine;
use crate::smooth::flow::{numbered, watches};

impl Engine<'_> {
    /// Rejects crossings that follow each other faster than time can resolve: the run would never
    /// advance.
    pub(crate) fn check_crowd(&mut self, region: RegionId, time: Time) -> Result<(), RunError> {
        // A float of time has 53 bits, and a location leaves the last few uncertain.
        let room = 4 + (time.attoseconds().abs() >> 48);
        let (last, count) = &mut self.state.watch.crowd;
        let interval = time - *last;
        let near = interval.attoseconds() <= room;
        (*last, *count) = (time, if near { *count + 1 } else { 0 });
        if *count <= self.options.microsteps {
            return Ok(());
        }
        let state = &self.state.regions[region];
        let watched = &self.program.regions[region].watches;
        let first = state.solver.crossed().first();
        let numbered = |located: &solver::Located| WatchId {
            region,
            index: numbered(watches(&state.ranges), located.function),
        };
        let watch = first.map(numbered);
        let id = watch.map(|watch| self.program.crossings[watched[watch.index].crossing].block);
        // States are finer than time: the run continues if they resolve the crossings.
        if watch.is_some_and(|watch| self.resolves(watch, interval.seconds())) {
            self.state.watch.crowd.1 = 0;
            return Ok(());
        }
        let block = self.name_or_model(id);
        Err(RunError::StepTooSmall { tag: Tag::new(time, 0), block })
    }
}
