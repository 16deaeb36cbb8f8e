//! Sides and floors in a run by fixed steps: where they change, and their values after a point.

use base::Time;
use program::{CrossingId, CrossingKind};

use super::point::Piled;
use super::{FixedStepSimulation, Pile};
use crate::sides::sign;

/// The length of the trial step that shows where a function that is zero at the start moves, as a
/// fraction of the step.
const TRIAL: f64 = 1.0 / 1_048_576.0;

/// How many times the resolution a change may be away and still be crossed from the current point.
/// Two steps do not end exactly where one would, so that after the first the bracket is slightly
/// further away.
const NEAR: i128 = 16;

impl FixedStepSimulation {
    /// Whether the pass in the buffer has moved a located function across its side.
    pub(super) fn crosses(&self) -> bool {
        self.program.crossings.ids().any(|id| self.change(id).is_some())
    }

    /// The located crossings that the pass in the buffer has crossed, and by how much.
    pub(super) fn changes(&self) -> Vec<(CrossingId, f64)> {
        let all = self.program.crossings.ids();
        all.filter_map(|id| Some((id, self.change(id)?))).collect()
    }

    fn change(&self, id: CrossingId) -> Option<f64> {
        self.program.crossings[id].watch?;
        let change = self.side_of_value(id)? - self.frozen(id);
        (change != 0.0).then_some(change)
    }

    fn frozen(&self, id: CrossingId) -> f64 {
        self.number(self.program.crossings[id].frozen)
    }

    /// The side or floor of a crossing's value; none if the value is exactly zero, which is on
    /// neither side: the next step decides.
    fn side_of_value(&self, id: CrossingId) -> Option<f64> {
        let crossing = &self.program.crossings[id];
        let value = self.state.slots[crossing.value.index()];
        match crossing.kind {
            CrossingKind::Floor => Some(value.floor()).filter(|floor| floor.is_finite()),
            CrossingKind::Sign => Some(sign(value)).filter(|side| *side != 0.0),
        }
    }

    /// Halves the step until it brackets the change within the resolution of time: the point before
    /// it, unless the run is already there, and the point after it.
    pub(super) fn bracket(&mut self, to: Time) -> (Option<Time>, Time) {
        let from = self.state.time;
        let (mut low, mut high) = (from, to);
        let size = to.seconds().abs().max(to.since(from));
        let resolution = Time::from_f64(4.0 * f64::EPSILON * size).unwrap_or(Time::ZERO);
        let resolution = resolution.max(Time::from_attoseconds(1));
        while high - low > resolution {
            let middle = (low.attoseconds() + high.attoseconds()) / 2;
            let middle = Time::from_attoseconds(middle);
            self.quiet(middle, middle.since(from));
            if self.crosses() { high = middle } else { low = middle }
        }
        let near = Time::from_attoseconds(NEAR * resolution.attoseconds());
        (Some(low).filter(|low| *low - from > near), high)
    }

    /// Sets sides from values after a commit; the event of a change waits for the next point.
    pub(super) fn settle_sides(&mut self) {
        let program = self.program.clone();
        for (id, crossing) in program.crossings.entries() {
            let Some(side) = self.side_of_value(id) else { continue };
            let slot = program.tracked(crossing.frozen).slot.index();
            let change = side - std::mem::replace(&mut self.state.slots[slot], side);
            if change != 0.0 && crossing.crossed.is_some() {
                self.state.waiting.push((id, change));
            }
        }
    }

    /// Sets every side from its value, or from a trial step if the value is zero, without an event;
    /// returns whether one has changed.
    pub(super) fn set_sides(&mut self) -> bool {
        let program = self.program.clone();
        let ids = program.crossings.ids();
        let mut sides: Vec<Option<f64>> = ids.clone().map(|id| self.side_of_value(id)).collect();
        if sides.contains(&None) {
            let kept = self.state.slots.clone();
            let length = TRIAL * self.step_length();
            let (start, moved) = (self.state.time, self.state.time.offset(length));
            self.quiet(moved.unwrap_or(start), length);
            for (id, side) in ids.zip(&mut sides) {
                *side = side.or_else(|| self.side_of_value(id));
            }
            self.state.slots = kept;
        }
        let mut changed = false;
        for (crossing, side) in program.crossings.iter().zip(sides) {
            let slot = program.tracked(crossing.frozen).slot.index();
            let side = side.unwrap_or(0.0);
            changed |= std::mem::replace(&mut self.state.slots[slot], side) != side;
        }
        changed
    }

    pub(super) fn step_length(&self) -> f64 {
        Time::from_rational(self.options.grid).map_or(0.0, Time::seconds)
    }

    /// Watches for events that accumulate, and for sides that change twice in one direction within
    /// a step, so that the motion in between is unknown.
    pub(super) fn watch(&mut self, time: Time, changes: &[(CrossingId, f64)]) -> Piled {
        let mut piled = None;
        for (id, change) in changes {
            let end = self.state.accumulations[*id].event(time).map(Pile::At);
            let last = self.state.last[*id].replace((time, *change));
            let again = last.is_some_and(|(last, before)| {
                before * change > 0.0 && time.since(last) < self.step_length()
            });
            let side = self.program.crossings[*id].kind == CrossingKind::Sign;
            let pile = end.or((again && side).then_some(Pile::TooFast));
            piled = piled.or(pile.map(|pile| (*id, pile)));
        }
        piled
    }
}
