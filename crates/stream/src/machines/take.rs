//! Taking a transition: its values are computed, the old diagram stops, the new one starts.

use base::{ExactTime, Table};
use diagram::FragmentId;
use ir::run;
use program::{MachineId, Program, StateId, StateProgram, Transition, TransitionValue};

use super::decide::Chosen;
use super::instant;
use crate::StreamError;
use crate::discrete::{Changed, Discrete};
use crate::point::{Evaluated, Evaluator, Place};

/// Machines that change state after an evaluation.
pub(super) struct Moving<'a> {
    pub evaluator: &'a Evaluator,
    pub place: Place<'a>,
    /// The values of the evaluation, and of the entered fragments.
    pub slots: Vec<f64>,
    /// The fragments that ran at the evaluation.
    pub running: Table<FragmentId, bool>,
    silenced: Vec<FragmentId>,
    pub now: &'a mut Discrete,
    tick: Option<ExactTime>,
    /// When the machine changes state.
    pub when: ExactTime,
    /// The changes that the current machine has made.
    pub changed: Changed,
    /// States that transitions have set, each with the machine.
    written: Vec<(StateId, MachineId)>,
    /// States by which machines have just begun to emit values.
    pub said: Vec<StateId>,
}

impl<'a> Moving<'a> {
    pub fn new(
        evaluator: &'a Evaluator,
        place: Place<'a>,
        evaluated: Evaluated,
        now: &'a mut Discrete,
        tick: Option<ExactTime>,
    ) -> Moving<'a> {
        let Evaluated { mut slots, running, silenced, .. } = evaluated;
        evaluator.fill_states(&mut slots, &now.kept.states);
        let (when, changed) = (instant(place.time), Changed::default());
        let (written, said) = (Vec::new(), Vec::new());
        Moving {
            evaluator,
            place,
            slots,
            running,
            silenced,
            now,
            tick,
            when,
            changed,
            written,
            said,
        }
    }

    pub fn program(&self) -> &'a Program {
        &self.evaluator.program
    }

    /// The index of a machine's current state.
    pub fn current(&self, machine: MachineId) -> usize {
        self.evaluator.current(&self.now.kept, machine)
    }

    /// The current state of a machine.
    pub fn state(&self, machine: MachineId) -> &'a StateProgram {
        &self.program().machines[machine].states[self.current(machine)]
    }

    pub fn is_silenced(&self, fragment: FragmentId) -> bool {
        self.evaluator.is_silenced(&self.silenced, fragment)
    }

    /// Takes a transition whose values have been computed, and the immediate ones that follow it.
    /// Whatever depends on a tick happens at its time and is taken back with it; everything else
    /// persists.
    pub fn take_chain(&mut self, chosen: Chosen) -> Result<(), StreamError> {
        let Chosen { machine, transition } = chosen;
        let timed = self.evaluator.timed[machine][self.current(machine)][transition];
        let tick = self.tick.filter(|_| timed);
        self.when = tick.unwrap_or_else(|| instant(self.place.time));
        let moves = self.now.kept.moves[machine];
        self.follow(chosen)?;
        let changed = std::mem::take(&mut self.changed);
        if tick.is_none() {
            self.now.persist(&changed, machine, moves);
        }
        Ok(())
    }

    fn follow(&mut self, Chosen { machine, transition: first }: Chosen) -> Result<(), StreamError> {
        let mut visited = vec![self.current(machine)];
        let mut next = Some(first);
        while let Some(transition) = next {
            self.take(machine, transition)?;
            let current = self.current(machine);
            let again = visited[1..].contains(&current);
            visited.push(current);
            if again {
                let names = &self.evaluator.diagram.modes.machines[machine];
                let name = |state: &usize| names.states[*state].name.clone();
                let states = visited[1..].iter().map(name).collect();
                let (Place { e, time, .. }, block) = (self.place, names.path.clone());
                return Err(StreamError::ImmediateCycle { e, time, block, states });
            }
            next = self.immediate(machine)?;
            if let Some(transition) = next {
                self.prepare(Chosen { machine, transition })?;
            }
        }
        Ok(())
    }

    /// Computes the values that a transition sets and emits, in the state that it leaves.
    pub fn prepare(&mut self, Chosen { machine, transition }: Chosen) -> Result<(), StreamError> {
        let transition = &self.state(machine).transitions[transition];
        let sets = transition.sets.iter().map(|set| &set.value);
        for tested in sets.chain(transition.says.iter().map(|(_, said)| said)) {
            self.compute(tested)?;
        }
        Ok(())
    }

    /// Computes a value in its slots; it must be finite unless it is absent.
    pub fn compute(&mut self, tested: &TransitionValue) -> Result<(), StreamError> {
        run(&tested.tape, &mut self.slots);
        let finite = self.value(tested).iter().all(|x| x.is_finite());
        match finite || !self.is_there(tested) {
            true => Ok(()),
            false => {
                let (Place { e, time, .. }, block) = (self.place, tested.block);
                Err(StreamError::NotFinite { e, time, block: self.evaluator.path(block) })
            }
        }
    }

    pub fn is_there(&self, tested: &TransitionValue) -> bool {
        self.slots[tested.present.index()] != 0.0
    }

    pub fn value(&self, tested: &TransitionValue) -> &[f64] {
        let from = tested.value.index();
        &self.slots[from..from + tested.length]
    }

    /// Performs the actions of a transition with the values that were computed for it. An absent
    /// value is neither set nor emitted.
    fn take(&mut self, machine: MachineId, transition: usize) -> Result<(), StreamError> {
        let code = &self.program().machines[machine];
        let (from, old) = (self.current(machine), self.state(machine));
        let transition = &old.transitions[transition];
        let new = &code.states[transition.to];
        self.check_written(machine, transition)?;
        self.assign(transition, true);
        // A diagram that continues is neither left nor entered.
        let stays = transition.history && old.content == new.content;
        let speaks = old.content.filter(|_| !stays).is_some_and(|content| self.leave(content));
        if speaks {
            self.listen_to(machine, from);
        }
        self.set_state(code.current, &[transition.to as f64]);
        self.count_move(machine);
        let mut entered = Vec::new();
        if let Some(content) = new.content.filter(|_| !stays) {
            self.enter(content, !transition.history, &mut entered);
        }
        self.enter(new.dwell, true, &mut entered);
        self.place_clocks();
        self.start_states(&entered)?;
        self.assign(transition, false);
        self.initialise(&entered);
        for (output, said) in &transition.says {
            if self.is_there(said) {
                let output = &code.outputs[*output];
                self.set_from(output.word, said);
                self.set_state(output.says, &[1.0]);
                self.said.extend([output.says, output.word]);
            }
        }
        Ok(())
    }

    pub fn count_move(&mut self, machine: MachineId) {
        self.now.kept.moves[machine] += 1;
        self.changed.machines.push(machine);
    }

    /// If two machines set the same target, the result would depend on their order.
    fn check_written(
        &mut self,
        machine: MachineId,
        transition: &Transition,
    ) -> Result<(), StreamError> {
        for set in &transition.sets {
            if !self.is_there(&set.value) {
                continue;
            }
            let by_another =
                |(state, other): &&(StateId, MachineId)| *state == set.state && *other != machine;
            if let Some((_, other)) = self.written.iter().find(by_another) {
                let path = |machine: MachineId| {
                    self.evaluator.diagram.modes.machines[machine].path.clone()
                };
                let mut machines = [path(*other), path(machine)];
                machines.sort();
                let target = self.evaluator.path(self.program().states[set.state].block);
                let Place { e, time, .. } = self.place;
                return Err(StreamError::SetTwice { e, time, target, machines });
            }
            self.written.push((set.state, machine));
        }
        Ok(())
    }

    /// Performs the assignments of a transition: to parameters, or to the states of the target
    /// diagram.
    fn assign(&mut self, transition: &Transition, parameters: bool) {
        for set in &transition.sets {
            let is_parameter = self.program().states[set.state].wire.is_some();
            if is_parameter == parameters && self.is_there(&set.value) {
                self.set_from(set.state, &set.value);
            }
        }
    }

    pub fn set_from(&mut self, state: StateId, tested: &TransitionValue) {
        let value = self.value(tested).to_vec();
        self.set_state(state, &value);
    }

    /// Gives a discrete state a new value, and the wire that shows it.
    pub fn set_state(&mut self, state: StateId, value: &[f64]) {
        let elements = self.evaluator.elements(state);
        self.changed.states.extend(elements.clone());
        self.now.kept.states[elements].copy_from_slice(value);
        let state = &self.program().states[state];
        for tracked in [Some(state.tracked), state.wire].into_iter().flatten() {
            let from = self.program().tracked(tracked).slot.index();
            self.slots[from..from + value.len()].copy_from_slice(value);
        }
    }
}
