//! State machines on streams: the current state is a memory from one evaluation to the next.
//!
//! The input is an evaluation with all its values and the discrete part so far; the output is the
//! discrete part for the next evaluation. Guards are decided with the values of the evaluation, and
//! the new state takes effect at the next one. Nothing is located here, and no continuous state is
//! ever written.

mod decide;
mod enter;
mod take;
mod timed;

use base::{ExactTime, Table, Time};
use diagram::FragmentId;
use program::MachineId;

use crate::discrete::{Changed, Clock, Discrete, Kept};
use crate::point::{Evaluated, Evaluator};

pub(crate) use decide::Moment;
pub(crate) use timed::{hearing, timed};

impl Evaluator {
    /// The clocks of fragments before the first evaluation.
    pub(crate) fn first_clocks(&self, start: ExactTime, kept: &Kept) -> Table<FragmentId, Clock> {
        let running = self.running(kept);
        let clock = |(id, running): (FragmentId, &bool)| {
            let dwell = self.program.fragments[id].dwell;
            let origin = if dwell { start } else { ExactTime::default() };
            Clock { ran: *running, origin, entered: start, stopped: start, speaking: false }
        };
        running.entries().map(clock).collect()
    }

    /// The index of a machine's current state.
    pub(crate) fn current(&self, kept: &Kept, machine: MachineId) -> usize {
        let at = self.elements(self.program.machines[machine].current).start;
        kept.states[at] as usize
    }

    /// For each fragment, whether it runs.
    pub(crate) fn running(&self, kept: &Kept) -> Table<FragmentId, bool> {
        let mut running = Table::filled(false, self.program.fragments.len());
        running[FragmentId::ROOT] = true;
        // A machine comes after the one that it is inside.
        for (id, machine) in self.program.machines.entries() {
            if running[machine.fragment] {
                let state = &machine.states[self.current(kept, id)];
                for inner in [Some(state.dwell), state.content].into_iter().flatten() {
                    running[inner] = true;
                }
            }
        }
        running
    }

    /// For each fragment, the time at which its clock showed 0.
    pub(crate) fn origins(&self, kept: &Kept) -> Table<FragmentId, ExactTime> {
        let mut origins = Table::filled(ExactTime::default(), kept.clocks.len());
        // Parents come before their children.
        for (id, clock) in kept.clocks.entries().skip(1) {
            let parent = self.diagram.modes.fragments[id.index()].parent;
            origins[id] = origins[parent] + clock.origin;
        }
        origins
    }

    /// What the clock of a fragment shows at a time.
    fn shown(&self, kept: &Kept, fragment: FragmentId, time: ExactTime) -> ExactTime {
        time - self.origins(kept)[fragment]
    }

    /// If time has receded past the entry of a state that stays, the state counts as entered now,
    /// so that its clocks never run backwards.
    pub(crate) fn recede(&self, kept: &mut Kept, time: f64) {
        let (running, time) = (self.running(kept), instant(time));
        for id in kept.clocks.ids().skip(1).filter(|id| running[*id]) {
            let now = self.shown(kept, self.diagram.modes.fragments[id.index()].parent, time);
            let clock = &mut kept.clocks[id];
            if clock.entered > now {
                clock.origin = clock.origin + now - clock.entered;
                clock.entered = now;
            }
        }
    }

    /// Ends the values that transitions have emitted, if they were heard at an evaluation. A value
    /// that a diagram has not heard because it was silenced is kept until the diagram resumes.
    ///
    /// At an evaluation without a tick this persists, together with everything that hearing the
    /// value has changed, unless the transition itself depends on a tick. `before` is the discrete
    /// part before the evaluation.
    pub(crate) fn fade(&self, evaluated: &Evaluated, now: &mut Discrete, before: Option<&Kept>) {
        let mut changed = Changed::default();
        for machine in &self.program.machines {
            let own = machine.fragment;
            let heard = evaluated.running[own] || now.kept.clocks[own].speaking;
            if !heard || self.is_silenced(&evaluated.silenced, machine.fragment) {
                continue;
            }
            for output in &machine.outputs {
                for state in [Some(output.says), output.left].into_iter().flatten() {
                    let at = self.elements(state).start;
                    if std::mem::replace(&mut now.kept.states[at], 0.0) != 0.0 {
                        changed.states.push(at);
                    }
                }
            }
        }
        for id in now.kept.clocks.ids() {
            if std::mem::replace(&mut now.kept.clocks[id].speaking, false) {
                changed.clocks.push(id);
            }
        }
        if let Some(before) = before.filter(|_| !changed.states.is_empty()) {
            let said: Vec<usize> = changed.states.clone();
            changed.states.extend((0..self.hears.len()).filter(|at| self.hears[*at]));
            now.persist_while(&changed, |tick| {
                said.iter().all(|at| tick.states[*at] == before.states[*at])
            });
        }
    }
}

/// The time of an evaluation.
pub(crate) fn instant(time: f64) -> ExactTime {
    Time::from_f64(time).unwrap_or(Time::MAX).into()
}
