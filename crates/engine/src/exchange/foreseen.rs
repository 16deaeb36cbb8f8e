//! Crossings that time alone brings, in runs whose states are in the hands of somebody else.
//!
//! Whoever tests indicators at the ends of steps misses one that changes twice in a step, such as
//! that of a carrier that is faster than the states. If only time moves the function, the first
//! change is found here, and becomes an event at a known time. The function is enclosed over
//! intervals of time, which are divided until it has one sign, or rises or falls with different
//! signs at both ends.

use base::Interval;
use program::{Source, WatchId};

use crate::Simulation;
use crate::engine::Engine;
use crate::exchange::Outside;
use crate::smooth::flow::room;

/// The shortest interval that is divided further, as a fraction of the time that is searched.
const SHORTEST: f64 = 1.0 / 1024.0;
/// The most enclosures of one search.
const MOST: usize = 20_000;

impl Simulation {
    /// The first time at which a function that time alone moves may leave its side, or the end of
    /// the time that was searched, which is `span` \[s\] long; none if there are no such functions.
    pub fn foreseen(&mut self, at: &Outside<'_>, span: f64) -> Option<f64> {
        let mut first = None;
        self.beside(|engine| {
            engine.place_outside(at);
            engine.scratch.outside = at.inputs.iter().map(|(input, _)| *input).collect();
            let mut left = MOST;
            for watch in engine.of_time() {
                let end = first.unwrap_or(at.time + span);
                first = Some(engine.first_change(watch, (at.time, end), &mut left).unwrap_or(end));
            }
        });
        first
    }
}

impl Engine<'_> {
    /// The running functions that time alone moves.
    fn of_time(&self) -> Vec<WatchId> {
        let mut found = Vec::new();
        for (region, code) in self.program.regions.entries() {
            if self.moves_unknown(region) {
                continue;
            }
            for slice in code.slices.iter().filter(|slice| self.runs_in(slice.fragment)) {
                let own = slice.watch..slice.watch + slice.watches;
                let own = own.filter(|index| code.functions[*index].of_time);
                found.extend(own.map(|index| WatchId { region, index }));
            }
        }
        found
    }

    /// A function of time and its slope over an interval.
    fn enclosed(&mut self, watch: WatchId, time: Interval) -> [Interval; 2] {
        let (slots, code) = (&self.state.slots, &self.program.regions[watch.region]);
        let room = room(&mut self.scratch.functions[watch.region], code, watch.index);
        let still = |slot: usize| Interval::point(slots[slot]);
        self.program.follow(watch, room, |source| match source {
            Source::Time => time,
            Source::Frozen(slot) => still(slot.index()),
            Source::State(i) => still(code.state.index() + i),
            Source::Rate(i) => still(code.rate.index() + i),
        })
    }

    /// The first time in an interval at which a function may have left its side.
    fn first_change(
        &mut self,
        watch: WatchId,
        (from, to): (f64, f64),
        left: &mut usize,
    ) -> Option<f64> {
        let code = &self.program.regions[watch.region];
        let side = self.state.slots[code.side.index() + watch.index];
        let sign = if side < 0.0 { -1.0 } else { 1.0 };
        let mut open = vec![(from, to)];
        while let Some((a, b)) = open.pop() {
            if *left == 0 {
                return Some(b);
            }
            *left -= 1;
            let [g, slope] = self.enclosed(watch, Interval::between(a, b));
            let (g, slope) = (signed(g, sign), signed(slope, sign));
            // On its side, or moving away from the zero at which it begins.
            let still = side == 0.0 && g.is_point() && slope.is_point();
            if still || side != 0.0 && (g.low > 0.0 || a == from && slope.low >= 0.0) {
                continue;
            }
            let ends = [a, b].map(|t| signed(self.enclosed(watch, Interval::point(t))[0], sign));
            if side != 0.0 && slope.high < 0.0 && ends[0].low > 0.0 {
                if ends[1].high < 0.0 {
                    return Some(self.zero_between(watch, sign, (a, b)));
                }
                if ends[1].low > 0.0 {
                    continue;
                }
            }
            if b - a <= SHORTEST * (to - from) {
                return Some(b);
            }
            let middle = a + 0.5 * (b - a);
            open.extend([(middle, b), (a, middle)]);
        }
        None
    }

    /// The first time at which a falling function is negative beyond its rounding, so that its
    /// indicator says so too.
    fn zero_between(&mut self, watch: WatchId, sign: f64, (mut a, mut b): (f64, f64)) -> f64 {
        let code = &self.program.regions[watch.region];
        let residual = self.state.slots[code.residual.index() + watch.index];
        let noise = self.rounded(watch)[0].error;
        let clear = 2.0 * residual + if noise.is_finite() { 4.0 * noise } else { 0.0 };
        loop {
            let middle = a + 0.5 * (b - a);
            if middle <= a || middle >= b {
                return b;
            }
            let g = signed(self.enclosed(watch, Interval::point(middle))[0], sign);
            if g.high < -clear { b = middle } else { a = middle }
        }
    }
}

/// An interval, or the one on the other side of zero.
fn signed(own: Interval, sign: f64) -> Interval {
    if sign < 0.0 { Interval::between(-own.high, -own.low) } else { own }
}
