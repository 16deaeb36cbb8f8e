//! Functions that are at rest on their levels when a run starts.

use base::Tag;
use program::{CrossingKind, MaySlide, WatchId, Zeno};

use crate::Warning;
use crate::engine::Engine;

impl Engine<'_> {
    /// Warns of functions with events that start at rest on their levels. Rest needs the direction in
    /// which events throw a function back, and no event has happened yet: a ball that lies on the
    /// floor at the start falls.
    pub(crate) fn warn_of_rest_at_start(&mut self) {
        if self.options.zeno != Zeno::Rest {
            return;
        }
        let (program, tag) = (self.program, Tag::new(self.options.start.time(), 0));
        for (region, code) in program.regions.entries() {
            for (index, own) in code.watches.iter().enumerate() {
                let crossing = &program.crossings[own.crossing];
                let watched = crossing.crossed.is_some()
                    && crossing.kind == CrossingKind::Sign
                    && crossing.sliding != MaySlide::Yes
                    && crossing.watch.is_some_and(|first| first.index == index);
                if !watched || !self.is_at_rest_now(WatchId { region, index }) {
                    continue;
                }
                let block = self.path(crossing.block);
                self.warn(Warning::RestAtStart { tag, block });
            }
        }
    }

    /// Whether a function and its slope are zero but for rounding, and something moves it.
    fn is_at_rest_now(&mut self, watch: WatchId) -> bool {
        let [value, slope] = self.rounded(watch);
        value.is_zero() && slope.is_zero() && self.higher_direction(watch) != 0.0
    }
}
