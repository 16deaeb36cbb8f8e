//! Error transitions: leaving a state whose diagram fails.
//!
//! Whatever has failed is done again in the target state, from a copy of everything made before it.
//! Rows and events of the failed attempt are never seen.

use base::{Table, Tag, Time};
use program::tape::run;
use program::{MachineId, RegionId, UnitId};

use crate::engine::Engine;
use crate::machines::Chosen;
use crate::rows::{Row, Sink};
use crate::snapshot::Snapshot;
use crate::{Event, RunError};

/// Holds back what an attempt writes until it has succeeded.
struct Attempt<'s> {
    sink: &'s mut dyn Sink,
    kept: Vec<Kept>,
}

enum Kept {
    Row { tag: Tag, slots: Vec<f64>, covered: Table<RegionId, bool>, fired: Vec<UnitId> },
    NoRow(Tag),
    Beside { tag: Tag, slots: Vec<f64>, covered: Table<RegionId, bool>, wanted: u64 },
    Event(Event),
}

impl Sink for Attempt<'_> {
    fn row(&mut self, row: Row<'_>) {
        let (slots, covered) = row.all();
        let (slots, covered) = (slots.to_vec(), covered.clone());
        let fired = row.fired().to_vec();
        self.kept.push(Kept::Row { tag: row.tag, slots, covered, fired });
    }

    fn no_row(&mut self, tag: Tag) {
        self.kept.push(Kept::NoRow(tag));
    }

    fn beside(&mut self, row: Row<'_>, wanted: u64) {
        let (slots, covered) = row.all();
        let (slots, covered) = (slots.to_vec(), covered.clone());
        self.kept.push(Kept::Beside { tag: row.tag, slots, covered, wanted });
    }

    fn is_joined(&self) -> bool {
        self.sink.is_joined()
    }

    fn listens(&self) -> bool {
        self.sink.listens()
    }

    fn event(&mut self, event: Event) {
        self.kept.push(Kept::Event(event));
    }
}

impl Engine<'_> {
    /// One microstep. If the diagram of a state fails and the state has an error transition, that
    /// is taken instead, and the microstep is done again in the target state.
    pub(crate) fn microstep_or_recover(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        if program.recovering.is_empty() || !self.recovers() {
            return self.microstep(sink);
        }
        match self.attempt(sink, |simulation, sink| simulation.microstep(sink))? {
            None => Ok(()),
            Some(way) => self.take_way_out(way, sink),
        }
    }

    /// The start of a tick, in the same way.
    pub(crate) fn begin_tick_or_recover(
        &mut self,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let _program = self.program;
        while self.recovers() {
            let begin = |simulation: &mut Engine<'_>, sink: &mut dyn Sink| {
                simulation.begin_tick(time, sink)
            };
            let Some(way) = self.attempt(sink, begin)? else { return Ok(()) };
            self.recover_at(time, way, sink)?;
        }
        self.begin_tick(time, sink)
    }

    /// Continues after a failure between events: the point at which it was found is computed again
    /// in the target state.
    pub(crate) fn recover_between(
        &mut self,
        error: RunError,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let (Some(tag), Some(way)) = (error.tag(), self.way_out(&error, &[])) else {
            return Err(error);
        };
        self.recover_at(tag.time, way, sink)?;
        let _program = self.program;
        self.begin_tick_or_recover(tag.time, sink)
    }

    /// Takes an error transition at microstep 0 of a time. The tick has begun, and its left limits
    /// are still to be computed in the new state.
    pub(crate) fn recover_at(
        &mut self,
        time: Time,
        way: Chosen,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.open_tick(time);
        self.take_way_out(way, sink)?;
        // Signals that do not move are as if the machine had been in its new state before.
        run(&self.program.still, &mut self.state.slots);
        let regions = &self.program.machines[way.machine].regions;
        if let Some(tick) = &mut self.state.tick {
            for region in regions {
                tick.involve(*region).evaluated = false;
                tick.unsettle(*region);
            }
        }
        Ok(())
    }

    /// The same at the start, where no solution exists yet that could give left limits.
    pub(crate) fn recover_at_start(
        &mut self,
        way: Chosen,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.open_tick(self.options.start.time());
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        for region in self.program.regions.ids() {
            let region = tick.involve(region);
            (region.placed, region.evaluated) = (true, true);
            (region.touched, region.unsettled) = (true, true);
        }
        tick.unsettled = true;
        tick.held.fill(0);
        self.take_way_out(way, sink)
    }

    fn take_way_out(&mut self, way: Chosen, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        for region in &program.machines[way.machine].regions {
            // A left limit that fails is that of the state being left.
            let _ = self.touch(*region);
        }
        self.prepare(way)?;
        self.take_all(&[way], sink)
    }

    /// Runs a function on a copy of everything. If it fails and a state has an error transition,
    /// all changes are undone and the transition is returned.
    fn attempt(
        &mut self,
        sink: &mut dyn Sink,
        what: impl Fn(&mut Engine<'_>, &mut dyn Sink) -> Result<(), RunError>,
    ) -> Result<Option<Chosen>, RunError> {
        let mut before = self
            .scratch
            .spare_snapshot
            .take()
            .unwrap_or_else(|| Box::new(Snapshot::clone(self.state)));
        before.as_mut().clone_from(self.state);
        let mut attempt = Attempt { sink, kept: Vec::new() };
        let result = what(self, &mut attempt);
        let kept = attempt.kept;
        if let Err(error) = result {
            std::mem::swap(self.state, before.as_mut());
            if let Some(way) = self.way_out(&error, &[]) {
                self.scratch.spare_snapshot = Some(before);
                self.forget_attempt();
                return Ok(Some(way));
            }
            std::mem::swap(self.state, before.as_mut());
            self.release(kept, sink);
            return Err(error);
        }
        self.scratch.spare_snapshot = Some(before);
        self.release(kept, sink);
        Ok(None)
    }

    /// Discards what an attempt has computed outside the snapshot, so that it is computed again.
    pub(crate) fn forget_attempt(&mut self) {
        self.scratch.race.end();
        self.scratch.dues.end();
        self.scratch.active.iter_mut().for_each(|active| active.known = false);
        self.scratch.machines.failures.clear();
        self.scratch.machines.speaking.clear();
        (self.scratch.machines.forced, self.scratch.zeno) = (None, None);
    }

    fn release(&self, kept: Vec<Kept>, sink: &mut dyn Sink) {
        for kept in kept {
            match kept {
                Kept::Row { tag, slots, covered, fired } => {
                    let row = Row::new(tag, &slots, &self.program.records, &covered);
                    sink.row(row.with_fired(&fired));
                }
                Kept::NoRow(tag) => sink.no_row(tag),
                Kept::Beside { tag, slots, covered, wanted } => {
                    sink.beside(Row::new(tag, &slots, &self.program.records, &covered), wanted);
                }
                Kept::Event(event) => sink.event(event),
            }
        }
    }

    /// Whether a running state has an error transition.
    pub(crate) fn recovers(&self) -> bool {
        self.program.recovering.iter().any(|machine| {
            self.runs(self.program.machines[*machine].fragment)
                && self.state_of(*machine).transitions.iter().any(|transition| transition.error)
        })
    }

    /// The innermost error transition for the failure of a state: of its diagram, of a guard or of
    /// a value that a transition sets. There is none for machines whose error transition has been
    /// tried, or after more failures at one time than the limit of microsteps.
    pub(crate) fn way_out(&mut self, error: &RunError, tried: &[Chosen]) -> Option<Chosen> {
        let failed = self.program.origins.block(error.failed()?).fragment;
        let modes = &self.program.origins;
        let way = |machine: MachineId| {
            let state = self.state_of(machine);
            let own = modes.is_inside(failed, state.dwell)
                || state.content.is_some_and(|content| modes.is_inside(failed, content));
            let runs = self.runs(self.program.machines[machine].fragment);
            let ways = state.transitions.iter().enumerate().filter(|(_, way)| way.error);
            let (transition, _) = ways.min_by_key(|(_, way)| way.priority)?;
            let chosen = Chosen { machine, transition };
            (own && runs && !tried.contains(&chosen)).then_some(chosen)
        };
        // Inner machines come after outer ones.
        let found = self.program.recovering.iter().rev().find_map(|machine| way(*machine))?;
        let time = error.tag().map_or(self.state.tag.time, |tag| tag.time);
        self.count_recovery(time).then_some(found)
    }

    /// Counts the failures at one time; returns whether another one is allowed.
    fn count_recovery(&mut self, time: Time) -> bool {
        let (last, count) = &mut self.state.machines.recoveries;
        if *last != time {
            (*last, *count) = (time, 0);
        }
        *count += 1;
        *count <= self.options.microsteps
    }

    /// Computes the values of all chosen transitions. If that fails, the error transition of the
    /// failed state replaces its own transition and those inside it.
    pub(super) fn prepare_all(&mut self, chosen: &mut Vec<Chosen>) -> Result<(), RunError> {
        let mut done = 0;
        while done < chosen.len() {
            let Err(error) = self.prepare(chosen[done]) else {
                done += 1;
                continue;
            };
            let way = self.way_out(&error, chosen).ok_or(error)?;
            let content = self.state_of(way.machine).content;
            let inside = |machine: MachineId| {
                let fragment = self.program.machines[machine].fragment;
                content.is_some_and(|content| self.program.origins.is_inside(fragment, content))
            };
            chosen.retain(|one| one.machine != way.machine && !inside(one.machine));
            chosen.push(way);
            done = 0;
        }
        Ok(())
    }
}
