//! Values that a machine emits at the microstep at which the surrounding diagram stops: they are
//! heard at the next one nevertheless. The units that pass them on run once more there, and the
//! machine around the diagram listens to the state that it has left.

use program::{FragmentId, MachineId};

use crate::engine::Engine;

impl Engine<'_> {
    /// Whether a machine directly inside a fragment emits a value at the coming microstep, or
    /// passes on one from a diagram that it has left.
    pub(super) fn is_heard(&self, fragment: FragmentId) -> bool {
        let program = self.program;
        let speech = &program.fragments[fragment].speech;
        speech.iter().any(|tracked| self.state.slots[program.tracked(*tracked).slot.index()] != 0.0)
    }

    /// Lets a machine pass on values emitted in the diagram of a state that it has left.
    pub(super) fn listen_to(&mut self, machine: MachineId, state: usize) {
        let program = self.program;
        for output in &program.machines[machine].outputs {
            if let Some(left) = output.left.filter(|_| output.passes[state]) {
                self.set_state(left, &[(state + 1) as f64]);
                self.pulse(program.states[left].tracked);
            }
        }
    }

    /// Ends the values emitted at this microstep in fragments that have stopped.
    pub(crate) fn end_speeches(&mut self) {
        if self.scratch.machines.speaking.is_empty() {
            return;
        }
        let _program = self.program;
        for place in 0..self.scratch.machines.speaking.len() {
            let fragment = self.scratch.machines.speaking[place];
            if !self.runs(fragment) {
                self.end_events(fragment);
            }
        }
        self.scratch.machines.speaking.clear();
    }
}
