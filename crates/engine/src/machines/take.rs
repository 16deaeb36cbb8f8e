//! Taking a transition: its values are computed, the old diagram stops, the new one starts.

use program::tape::{Slot, run};
use program::{MachineId, MachineOutput, StateId, TrackedId, Transition, TransitionValue};

use super::Chosen;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::{Event, RunError};

/// States that transitions have set at this microstep, each with the machine.
pub(super) type Written = Vec<(StateId, MachineId)>;

impl Engine<'_> {
    /// Takes transitions whose values have been computed, and the immediate ones that follow them.
    pub(crate) fn take_all(
        &mut self,
        chosen: &[Chosen],
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let mut written = std::mem::take(&mut self.scratch.machines.written);
        written.clear();
        for first in chosen {
            self.take_chain(*first, &mut written, sink)?;
        }
        self.scratch.machines.written = written;
        Ok(())
    }

    fn take_chain(
        &mut self,
        Chosen { machine, transition: first }: Chosen,
        written: &mut Written,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let mut visited = std::mem::take(&mut self.scratch.machines.visited);
        visited.clear();
        visited.push(self.current(machine));
        let mut next = Some(first);
        while let Some(transition) = next {
            self.take(machine, transition, written, sink)?;
            let current = self.current(machine);
            if visited[1..].contains(&current) {
                visited.push(current);
                let names = &self.program.origins.machine(machine);
                let name = |state: &usize| names.states[*state].clone();
                return Err(RunError::ImmediateCycle {
                    tag: self.state.tag,
                    block: names.path.clone(),
                    states: visited[1..].iter().map(name).collect(),
                });
            }
            visited.push(current);
            next = self.immediate(machine)?;
            if let Some(transition) = next {
                self.prepare(Chosen { machine, transition })?;
            }
        }
        self.scratch.machines.visited = visited;
        Ok(())
    }

    /// Computes the values that a transition sets and emits, in the state that it leaves.
    pub(crate) fn prepare(
        &mut self,
        Chosen { machine, transition }: Chosen,
    ) -> Result<(), RunError> {
        let program = self.program;
        let code = &program.machines[machine];
        for region in &code.regions {
            self.touch(*region)?;
        }
        let transition = &code.states[self.current(machine)].transitions[transition];
        for set in &transition.sets {
            self.compute(&set.value)?;
        }
        for (_, said) in &transition.says {
            self.compute(said)?;
        }
        Ok(())
    }

    /// Computes a value in its slots; it must be finite unless it is absent.
    pub(super) fn compute(&mut self, tested: &TransitionValue) -> Result<(), RunError> {
        run(&tested.tape, &mut self.state.slots);
        let from = tested.value.index();
        let value = &self.state.slots[from..from + tested.length];
        if self.is_there(tested) && value.iter().any(|x| !x.is_finite()) {
            return Err(self
                .not_finite(self.state.tag, self.program.origins.block(tested.block).outputs[0]));
        }
        Ok(())
    }

    pub(super) fn is_there(&self, tested: &TransitionValue) -> bool {
        self.state.slots[tested.present.index()] != 0.0
    }

    /// Performs the actions of a transition with the values that were computed for it. An absent
    /// value is neither set nor emitted.
    fn take(
        &mut self,
        machine: MachineId,
        transition: usize,
        written: &mut Written,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let program = self.program;
        let code = &program.machines[machine];
        let from = self.current(machine);
        let transition = &code.states[from].transitions[transition];
        self.check_written(machine, transition, written)?;
        let is_parameter = |state: StateId| program.states[state].wire.is_some();
        self.assign(transition, &is_parameter);
        let (old, new) = (&code.states[from], &code.states[transition.to]);
        // A diagram that was silenced is stopped only for the sake of what was due in it.
        let same = transition.history && old.content == new.content;
        let stays = same && !transition.preemptive;
        self.leave(old.dwell);
        let speaks = old.content.filter(|_| !stays).is_some_and(|content| self.leave(content));
        if speaks && !same {
            self.listen_to(machine, from);
        }
        self.set_state(code.current, &[transition.to as f64]);
        if sink.listens() {
            let states = &program.origins.machine(machine).states;
            let (from, to) = (states[from].clone(), states[transition.to].clone());
            let (tag, block) = (self.state.tag, self.name(program.states[code.current].block));
            sink.event(Event::Moved { tag, block, from, to });
        }
        let mut entered = std::mem::take(&mut self.scratch.machines.entered);
        entered.clear();
        if let Some(content) = new.content.filter(|_| !stays) {
            self.enter(content, !transition.history, &mut entered);
        }
        if let Some(content) = new.content.filter(|_| transition.history) {
            // The guards restart, but their inputs do not.
            let same = code.sharing[&content].iter();
            same.for_each(|state| self.bring_located(code.states[*state].dwell));
        }
        self.enter(new.dwell, true, &mut entered);
        self.start_states(&entered)?;
        self.assign(transition, &|state| !is_parameter(state));
        self.initialise(&entered)?;
        self.scratch.machines.entered = entered;
        if let Some(tick) = &mut self.state.tick {
            tick.entered.push(machine);
            // A diagram that resumes asks for another microstep there.
            let resumes = transition.history && new.content.is_some();
            tick.asked = tick.asked.max(if resumes { 2 } else { 1 });
        }
        self.emit(&code.outputs, &transition.says);
        Ok(())
    }

    /// Emits those of a transition's values that are present.
    fn emit(&mut self, outputs: &[MachineOutput], values: &[(usize, TransitionValue)]) {
        let program = self.program;
        for (output, said) in values {
            if self.is_there(said) {
                let MachineOutput { says, word, .. } = &outputs[*output];
                self.set_from(program.states[*word].tracked, said.value);
                self.set_state(*says, &[1.0]);
                self.pulse(program.states[*says].tracked);
            }
        }
    }

    /// If two machines set the same target at one microstep, the result would depend on their
    /// order.
    fn check_written(
        &self,
        machine: MachineId,
        transition: &Transition,
        written: &mut Written,
    ) -> Result<(), RunError> {
        for set in transition.sets.iter().filter(|set| self.is_there(&set.value)) {
            let by_another =
                |(state, other): &&(StateId, MachineId)| *state == set.state && *other != machine;
            if let Some((_, other)) = written.iter().find(by_another) {
                let path = |machine: MachineId| self.program.origins.machine(machine).path.clone();
                let target = self.path(self.program.states[set.state].block);
                let mut machines = [path(*other), path(machine)];
                machines.sort();
                return Err(RunError::SetTwice { tag: self.state.tag, target, machines });
            }
            written.push((set.state, machine));
        }
        Ok(())
    }

    /// Performs the assignments of a transition to the selected states.
    fn assign(&mut self, transition: &Transition, selected: &dyn Fn(StateId) -> bool) {
        let program = self.program;
        for set in transition.sets.iter().filter(|set| selected(set.state)) {
            if self.is_there(&set.value) {
                let state = &program.states[set.state];
                for tracked in [Some(state.tracked), state.wire].into_iter().flatten() {
                    self.set_from(tracked, set.value.value);
                }
            }
        }
    }

    /// Gives a state a new value, and the wire that shows it, as a commit does.
    pub(crate) fn set_state(&mut self, state: StateId, value: &[f64]) {
        let state = &self.program.states[state];
        for tracked in [Some(state.tracked), state.wire].into_iter().flatten() {
            self.set_tracked(tracked, value);
        }
    }

    pub(super) fn set_tracked(&mut self, tracked: TrackedId, value: &[f64]) {
        let from = self.program.tracked(tracked).slot.index();
        let place = &mut self.state.slots[from..from + value.len()];
        let same = place.iter().zip(value).all(|(a, b)| a.to_bits() == b.to_bits());
        if !same {
            place.copy_from_slice(value);
            self.mark_changed(tracked);
        }
    }

    pub(super) fn set_from(&mut self, tracked: TrackedId, from: Slot) {
        if self.write(from, tracked) {
            self.mark_changed(tracked);
        }
    }

    fn mark_changed(&mut self, tracked: TrackedId) {
        if let Some(tick) = &mut self.state.tick {
            tick.mark(self.program.tracked(tracked));
        }
    }
}
