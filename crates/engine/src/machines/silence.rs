//! Silencing by preemptive transitions: nothing in the diagram changes at that microstep, the
//! actions see the values before it, and whatever was due in the diagram comes when it resumes.

use program::{FragmentId, RegionId, TrackedId, Transition};

use crate::RunError;
use crate::engine::Engine;

/// Wires of diagrams that may be silenced at a microstep, as they were before it.
#[derive(Debug, Default)]
pub(crate) struct Before {
    contents: Vec<FragmentId>,
    /// The values of their wires, one diagram after the other.
    values: Vec<f64>,
}

impl Before {
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }
}

impl Engine<'_> {
    /// Saves, before a microstep, the values that preemptive transitions may need.
    pub(crate) fn look_before(&mut self) {
        let program = self.program;
        self.scratch.machines.before.contents.clear();
        self.scratch.machines.before.values.clear();
        for machine in &program.preempted {
            if !self.runs(program.machines[*machine].fragment) {
                continue;
            }
            let state = &program.machines[*machine].states[self.current(*machine)];
            let acts = |transition: &Transition| {
                transition.preemptive && !(transition.sets.is_empty() && transition.says.is_empty())
            };
            let content = state.content.filter(|_| state.transitions.iter().any(acts));
            let Some(content) = content else { continue };
            self.scratch.machines.before.contents.push(content);
            for wire in &program.fragments[content].wires {
                let from = wire.from.index();
                let values = &self.state.slots[from..from + wire.length];
                self.scratch.machines.before.values.extend_from_slice(values);
            }
        }
    }

    /// A region becomes part of the tick in the middle of a microstep: the previous values of its
    /// wires are the left limits, which are in the buffer now.
    #[cold]
    pub(crate) fn remember_region(&mut self, region: RegionId) {
        let Engine { program, state, scratch, .. } = self;
        let before = &mut scratch.machines.before;
        let contents = before.contents.iter();
        let wires = contents.flat_map(|content| &program.fragments[*content].wires);
        let mut at = 0;
        for wire in wires {
            if wire.region == region {
                let from = wire.from.index();
                let values = &state.slots[from..from + wire.length];
                before.values[at..at + wire.length].copy_from_slice(values);
            }
            at += wire.length;
        }
    }

    /// Finds the fragments that preemptive transitions silence at this microstep. The machines of
    /// these transitions are examined at its commit.
    pub(crate) fn silence(&mut self) {
        self.scratch.machines.silenced.clear();
        let program = self.program;
        for machine in &program.preempted {
            if !self.runs(program.machines[*machine].fragment) {
                continue;
            }
            let state = self.state_of(*machine);
            let met = |transition: &Transition| {
                transition.preemptive && transition.is_met(&self.state.slots)
            };
            let silenced = state.content.filter(|_| state.transitions.iter().any(met));
            if let (Some(content), Some(tick)) = (silenced, &mut self.state.tick) {
                self.scratch.machines.silenced.push(content);
                tick.pending.push(*machine);
            }
        }
        if !self.scratch.machines.silenced.is_empty() {
            self.put_back();
            for content in self.scratch.machines.silenced.clone() {
                self.keep_inside(content);
            }
        }
    }

    /// Restores the wires of silenced diagrams to their values before the microstep. Events of an
    /// earlier microstep are over, and those of this one have not happened.
    fn put_back(&mut self) {
        let program = self.program;
        let before = std::mem::take(&mut self.scratch.machines.before);
        let mut at = 0;
        for content in &before.contents {
            let code = &program.fragments[*content];
            let silenced = self.is_silenced(*content);
            if silenced {
                self.end_events(*content);
            }
            for wire in &code.wires {
                if silenced {
                    let values = &before.values[at..at + wire.length];
                    let from = wire.from.index();
                    self.state.slots[from..from + wire.length].copy_from_slice(values);
                }
                at += wire.length;
            }
            for event in code.events.iter().filter(|_| silenced) {
                self.state.slots[program.tracked(*event).slot.index()] = 0.0;
            }
        }
        self.scratch.machines.before = before;
    }

    /// Keeps whatever is due at this microstep in a silenced fragment and in the running fragments
    /// inside it.
    fn keep_inside(&mut self, fragment: FragmentId) {
        let program = self.program;
        // A value that was emitted before the diagram restarted is heard now.
        let heard = self.scratch.machines.speaking.contains(&fragment);
        let speech = &program.fragments[fragment].speech;
        self.keep_due(fragment, if heard { speech } else { &[] });
        for machine in &program.fragments[fragment].machines {
            let state = &program.machines[*machine].states[self.current(*machine)];
            for inner in [Some(state.dwell), state.content].into_iter().flatten() {
                self.keep_inside(inner);
            }
        }
    }

    /// Keeps whatever is due in a fragment, except for the signals in `but`, until it resumes.
    pub(super) fn keep_due(&mut self, fragment: FragmentId, but: &[TrackedId]) {
        let program = self.program;
        let pulses = program.fragments[fragment].pulses.iter();
        for tracked in pulses.filter(|tracked| !but.contains(tracked)) {
            let value = self.state.slots[program.tracked(*tracked).slot.index()];
            let due = &mut self.state.machines.clocks[fragment].due;
            if value != 0.0 && !due.iter().any(|(known, _)| known == tracked) {
                due.push((*tracked, value));
            }
        }
    }

    /// Ends the events of a fragment that stops or is silenced.
    pub(super) fn end_events(&mut self, fragment: FragmentId) {
        let program = self.program;
        let Some(tick) = &mut self.state.tick else { return };
        for event in &program.fragments[fragment].events {
            let present = &mut self.state.slots[program.tracked(*event).slot.index()];
            if std::mem::replace(present, 0.0) != 0.0 {
                tick.present = tick.present.saturating_sub(1);
            }
        }
    }

    /// Whether a fragment, or one around it, is silenced at this microstep.
    #[inline]
    pub(crate) fn is_silenced(&self, fragment: FragmentId) -> bool {
        !self.scratch.machines.silenced.is_empty() && self.is_in_silenced(fragment)
    }

    #[cold]
    fn is_in_silenced(&self, fragment: FragmentId) -> bool {
        let inside = |outer: &FragmentId| self.program.origins.is_inside(fragment, *outer);
        self.scratch.machines.silenced.iter().any(inside)
    }

    /// Keeps the failure of a fragment that a preemptive transition may still silence at this
    /// microstep, and returns any other.
    pub(crate) fn keep_failure(
        &mut self,
        fragment: FragmentId,
        error: RunError,
    ) -> Result<(), RunError> {
        if fragment == FragmentId::ROOT || self.program.preempted.is_empty() {
            return Err(error);
        }
        self.scratch.machines.failures.push((fragment, error));
        Ok(())
    }

    /// Returns the first kept failure that is not silenced.
    pub(crate) fn check_failures(&mut self) -> Result<(), RunError> {
        let failures = std::mem::take(&mut self.scratch.machines.failures);
        let mut audible = failures.into_iter().filter(|(fragment, _)| !self.is_silenced(*fragment));
        audible.next().map_or(Ok(()), |(_, error)| Err(error))
    }
}
