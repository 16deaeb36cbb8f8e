//! State machines: which transition is taken when a microstep is committed, and what that switches
//! on and off.

mod decide;
mod fragments;
mod recover;
mod silence;
mod speech;
mod take;

use std::cmp::Reverse;

use base::Time;
use diagram::FragmentId;
use program::StateProgram;

use crate::simulation::Simulation;
pub(crate) use silence::Before;

/// A transition of the state in which a machine is: the machine and the number of the transition.
pub(crate) type Chosen = (usize, usize);

impl Simulation {
    /// Whether a fragment runs.
    pub(crate) fn runs(&self, fragment: FragmentId) -> bool {
        fragment == FragmentId::ROOT
            || self.state.slots[self.program.fragments[fragment.index()].active as usize] != 0.0
    }

    /// When a timer wakes next; never while its fragment does not run.
    pub(crate) fn wakes(&self, timer: usize) -> Option<Time> {
        let cells = &self.program.timers[timer];
        if cells.fragment == FragmentId::ROOT {
            return cells.timer.time(self.state.wakings[timer]);
        }
        if !self.runs(cells.fragment) {
            return None;
        }
        let clock = &self.state.fragments[cells.fragment.index()];
        Some((cells.timer.exact(self.state.wakings[timer])? + clock.origin).time())
    }

    /// The first time on the agenda; what was put there by fragments that do not run any more is
    /// taken off.
    pub(crate) fn next_event(&mut self) -> Time {
        if self.state.agenda.len() > 2 * self.program.timers.len() + 64 {
            self.clear_agenda();
        }
        while let Some(Reverse((time, timer))) = self.state.agenda.peek().copied() {
            let always = self.program.timers[timer as usize].fragment == FragmentId::ROOT;
            if always || self.wakes(timer as usize) == Some(time) {
                return time;
            }
            self.state.agenda.pop();
        }
        Time::MAX
    }

    /// Takes everything off the agenda that fragments have put there and that does not hold any
    /// more, so that it does not grow with the number of switches.
    #[cold]
    fn clear_agenda(&mut self) {
        let holds = |(time, timer): &(Time, u32)| {
            let always = self.program.timers[*timer as usize].fragment == FragmentId::ROOT;
            always || self.wakes(*timer as usize) == Some(*time)
        };
        let kept = self.state.agenda.iter().map(|entry| entry.0).filter(holds);
        let kept: std::collections::BTreeSet<(Time, u32)> = kept.collect();
        self.state.agenda = kept.into_iter().map(Reverse).collect();
    }

    /// The number of the state that a machine is in.
    fn mode(&self, machine: usize) -> usize {
        let state = &self.program.states[self.program.machines[machine].mode];
        self.state.slots[self.program.tracked(state.cell).slot as usize] as usize
    }

    /// The state that a machine is in.
    fn state_of(&self, machine: usize) -> &StateProgram {
        &self.program.machines[machine].states[self.mode(machine)]
    }
}
