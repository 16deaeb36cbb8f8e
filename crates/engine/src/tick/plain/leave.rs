//! The way from a plain tick to the usual path.

use base::Tag;

use super::{PlainTicks, bit};
use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::tick::marks::narrow_units;

impl Engine<'_> {
    /// Makes a tick of what has been done so far, before a microstep; `marked` says whether its marks
    /// are those of this microstep and not of the one that is going on.
    #[cold]
    pub(super) fn make_tick(&mut self, own: &mut PlainTicks, first: Tag, marked: bool) {
        let mut tick = self.scratch.spare_tick.take().unwrap_or_default();
        tick.begin(first, self.program);
        let marks = if marked { &mut own.marks } else { &mut own.next };
        tick.dirty.clone_from(marks);
        marks.clear();
        tick.pulses.extend_from_slice(&own.pulses);
        tick.present = own.present;
        // Whether a microstep has had its row.
        tick.spoke = first.microstep > if marked { 1 } else { 2 };
        for region in self.program.regions.ids() {
            let has = |bits: u64| bits & bit(region) != 0;
            // What does not move has no left limits, but counts as looked at for a row.
            let row = own.joined
                && self.scratch.covered.records(region)
                && self.program.regions[region].recorded;
            let evaluated = has(own.evaluated) || !has(own.moving) && (row || has(own.touched));
            if evaluated || has(own.touched | own.disturbed | own.unsettled) {
                let inside = tick.involve(region);
                (inside.placed, inside.evaluated) = (evaluated, evaluated);
                inside.touched = has(own.touched);
                (inside.changed, inside.stale) = (has(own.disturbed), has(own.stale));
                inside.unsettled = has(own.unsettled);
            }
            if has(own.touched) {
                for word in narrow_units(&self.program.regions[region]) {
                    tick.held[word.index as usize] &= !word.bits;
                }
            }
        }
        tick.unsettled = own.to_settle;
        self.scratch.plain_time = None;
        self.state.tick = Some(tick);
    }

    /// The state in which a failing tick is left.
    #[cold]
    pub(super) fn fail_plainly(
        &mut self,
        own: &mut PlainTicks,
        next: Tag,
        error: RunError,
    ) -> RunError {
        if self.state.tick.is_none() {
            self.make_tick(own, next, false);
            own.marks.clear();
        }
        error
    }

    /// Goes on with a microstep at a unit that is not plain, as with any other.
    #[cold]
    pub(super) fn go_on(
        &mut self,
        own: &mut PlainTicks,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.end_rows(own);
        self.make_tick(own, Tag::new(tag.time, tag.microstep + 1), false);
        let marked = &mut self.scratch.units.marked;
        // Beside those that have misread a crossing.
        marked.join(&own.marks);
        own.marks.clear();
        self.scratch.fading.clone_from(&own.fading);
        self.run_and_check(tag, sink)?;
        self.conclude(tag, false, sink)
    }
}
