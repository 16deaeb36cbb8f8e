//! Which transitions are taken when a microstep is committed.

use std::cmp::Reverse;

use program::tape::{Slot, run};
use program::{Asked, MachineId, RegionId, Transition};

use super::Chosen;
use crate::RunError;
use crate::engine::Engine;
use crate::machines::choices::Choice;
use crate::rows::Sink;

impl Engine<'_> {
    /// When a tick begins, updates the memories of guards of signals that do not move, and has
    /// their machines examined.
    pub(crate) fn look_at_memories(&mut self) -> Result<(), RunError> {
        let program = self.program;
        for machine in &program.remembering {
            if self.runs(program.machines[*machine].fragment) {
                self.touch(RegionId::STILL)?;
                if let Some(tick) = &mut self.state.tick {
                    tick.pending.push(*machine);
                }
            }
        }
        Ok(())
    }

    /// Decides, after a commit, which transitions are taken, and takes them. The values that all of
    /// them set and emit are computed first, so that none sees the effects of another.
    pub(crate) fn decide(&mut self, microstep: u32, sink: &mut dyn Sink) -> Result<(), RunError> {
        if self.program.machines.is_empty() {
            return Ok(());
        }
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let mut pending = std::mem::take(&mut self.scratch.machines.pending);
        pending.clear();
        pending.append(&mut tick.pending);
        if self.state.tag.time == self.options.start.time() && microstep == 0 {
            pending.extend(self.program.machines.ids());
        }
        pending.sort_unstable();
        pending.dedup();
        let mut chosen = self.choose(microstep, &pending)?;
        self.scratch.machines.pending = pending;
        self.scratch.machines.silenced.clear();
        if !chosen.is_empty() {
            self.prepare_all(&mut chosen)?;
            chosen.sort_unstable_by_key(|one| Reverse(one.machine));
            self.take_all(&chosen, sink)?;
        }
        self.scratch.machines.chosen = chosen;
        if let Some(tick) = &mut self.state.tick {
            // Guards that read values set by a transition of this microstep are examined at the
            // commit of the next one.
            tick.entered.append(&mut tick.pending);
        }
        Ok(())
    }

    /// The enabled transitions: preemptive ones from the outside in, then the others from the
    /// inside out.
    fn choose(&mut self, microstep: u32, pending: &[MachineId]) -> Result<Vec<Chosen>, RunError> {
        if microstep == 0 {
            self.scratch.machines.silenced.clear();
        }
        let mut chosen = std::mem::take(&mut self.scratch.machines.chosen);
        chosen.clear();
        if let Some(forced) = self.scratch.machines.forced.take() {
            chosen.push(forced);
            self.scratch.machines.silenced.extend(self.state_of(forced.machine).content);
        }
        for machine in pending.iter().copied() {
            if self.is_asked(machine, &chosen)
                && let Some(transition) = self.enabled(machine, Asked::Preemptive, microstep)?
            {
                chosen.push(Chosen { machine, transition });
                self.scratch.machines.silenced.extend(self.state_of(machine).content);
            }
        }
        for machine in pending.iter().rev().copied() {
            if self.is_asked(machine, &chosen)
                && let Some(transition) = self.enabled(machine, Asked::Ordinary, microstep)?
            {
                chosen.push(Chosen { machine, transition });
            }
        }
        Ok(chosen)
    }

    /// Whether a machine runs, is not silenced, and has no chosen transition yet.
    fn is_asked(&self, machine: MachineId, chosen: &[Chosen]) -> bool {
        let fragment = self.program.machines[machine].fragment;
        let taken = chosen.iter().any(|other| other.machine == machine);
        !taken && self.runs(fragment) && !self.is_silenced(fragment)
    }

    /// An immediate transition of the state that was just entered.
    pub(super) fn immediate(&mut self, machine: MachineId) -> Result<Option<usize>, RunError> {
        self.enabled(machine, Asked::Immediate, 0)
    }

    /// The transition of a machine's current state that is taken.
    fn enabled(
        &mut self,
        machine: MachineId,
        asked: Asked,
        microstep: u32,
    ) -> Result<Option<usize>, RunError> {
        let program = self.program;
        let state = &program.machines[machine].states[self.current(machine)];
        // From microstep 1 on a preemptive transition has silenced the diagram already, by its
        // guards before the commit.
        let before = asked == Asked::Preemptive && microstep > 0;
        let mut found = std::mem::take(&mut self.scratch.machines.enabled);
        state.enabled(asked, &mut found, |_, transition| match before {
            true => transition.is_met(&self.state.slots),
            false => self.all_met(transition),
        });
        let one = self.one_of(machine, &found);
        self.scratch.machines.enabled = found;
        one
    }

    /// Whether all guards are present and true after the commit.
    fn all_met(&mut self, transition: &Transition) -> bool {
        transition.guards.iter().all(|guard| {
            run(&guard.tape, &mut self.state.slots);
            let at = |slot: Slot| self.state.slots[slot.index()] != 0.0;
            at(guard.present) && at(guard.value)
        })
    }

    /// The only enabled transition, or one of them drawn at random.
    fn one_of(&mut self, machine: MachineId, found: &[usize]) -> Result<Option<usize>, RunError> {
        let current = self.current(machine);
        let state = &self.program.machines[machine].states[current];
        match found {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several if state.may_be_drawn(several) && self.state.machines.choices.is_some() => {
                Ok(Some(self.choose_by_script(machine, several)))
            }
            several if state.may_be_drawn(several) => {
                let path = &self.program.origins.machine(machine).path;
                let draw = self.state.machines.draws[machine];
                self.state.machines.draws[machine] += 1;
                let drawn = base::random(self.options.seed, path, draw);
                Ok(Some(several[(drawn % several.len() as u64) as usize]))
            }
            several => {
                let names = &self.program.origins.machine(machine);
                let name = |state: usize| names.states[state].clone();
                Err(RunError::Ambiguous {
                    tag: self.state.tag,
                    block: names.path.clone(),
                    state: name(current),
                    to: several.iter().map(|index| name(state.transitions[*index].to)).collect(),
                })
            }
        }
    }

    /// The transition that the script chooses.
    #[cold]
    fn choose_by_script(&mut self, machine: MachineId, several: &[usize]) -> usize {
        let current = self.current(machine);
        let names = self.program.origins.machine(machine);
        let transitions = &self.program.machines[machine].states[current].transitions;
        let to = |index: &usize| names.states[transitions[*index].to].clone();
        let (tag, choices) = (self.state.tag, &mut self.state.machines.choices);
        let choices = choices.get_or_insert_default();
        let taken = choices.next(several.len());
        choices.made.push(Choice {
            tag,
            machine: names.path.clone(),
            from: names.states[current].clone(),
            to: several.iter().map(to).collect(),
            taken,
        });
        several[taken]
    }
}
