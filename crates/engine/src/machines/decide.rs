//! Which transitions are taken when a microstep is committed.

use std::cmp::Reverse;

use ir::{Slot, run};
use program::Transition;

use super::Chosen;
use crate::RunError;
use crate::rows::Sink;
use crate::simulation::Simulation;

/// Which transitions of a state are asked for.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    /// Those that come before what the diagram does, at a microstep.
    Preemptive(u32),
    /// The others.
    Ordinary,
    /// Those that are tried when the state has just been entered.
    Immediate,
}

impl Simulation {
    /// Brings what guards remember of signals that do not move up to date when a tick begins, and
    /// has their machines looked at.
    pub(crate) fn look_at_memories(&mut self) -> Result<(), RunError> {
        let program = self.program.clone();
        for machine in &program.remembering {
            if self.runs(program.machines[*machine].fragment) {
                // Region 0 holds what never moves.
                self.touch(0)?;
                if let Some(tick) = &mut self.s.tick {
                    tick.pending.push(*machine as u32);
                }
            }
        }
        Ok(())
    }

    /// Decides, after a commit, which transitions are taken, and takes them. What all of them set
    /// and say is computed first, so that none sees what another one does.
    pub(crate) fn decide(&mut self, microstep: u32, sink: &mut dyn Sink) -> Result<(), RunError> {
        if self.program.machines.is_empty() {
            return Ok(());
        }
        let Some(tick) = &mut self.s.tick else { return Ok(()) };
        let mut pending = std::mem::take(&mut tick.pending);
        if self.s.tag.time == self.options.start.time() && microstep == 0 {
            pending.extend(0..self.program.machines.len() as u32);
        }
        pending.sort_unstable();
        pending.dedup();
        let chosen = self.choose(microstep, &pending)?;
        self.silenced.clear();
        if !chosen.is_empty() {
            let mut chosen = self.prepare_all(chosen)?;
            chosen.sort_unstable_by_key(|(machine, _)| Reverse(*machine));
            self.take_all(&chosen, sink)?;
        }
        if let Some(tick) = &mut self.s.tick {
            // Guards over what a transition has just set are looked at when the next microstep is
            // committed.
            tick.entered.append(&mut tick.pending);
        }
        Ok(())
    }

    /// The transitions that are met: preemptive ones from the outside in, then the others from the
    /// inside out.
    fn choose(&mut self, microstep: u32, pending: &[u32]) -> Result<Vec<Chosen>, RunError> {
        if microstep == 0 {
            self.silenced.clear();
        }
        let mut chosen: Vec<Chosen> = Vec::new();
        if let Some(forced) = self.forced.take() {
            chosen.push(forced);
            self.silenced.extend(self.state_of(forced.0).content);
        }
        for machine in pending.iter().map(|machine| *machine as usize) {
            if self.is_asked(machine, &chosen)
                && let Some(transition) = self.enabled(machine, Asked::Preemptive(microstep))?
            {
                chosen.push((machine, transition));
                self.silenced.extend(self.state_of(machine).content);
            }
        }
        for machine in pending.iter().rev().map(|machine| *machine as usize) {
            if self.is_asked(machine, &chosen)
                && let Some(transition) = self.enabled(machine, Asked::Ordinary)?
            {
                chosen.push((machine, transition));
            }
        }
        Ok(chosen)
    }

    /// Whether a machine runs, is not silenced, and has no transition yet.
    fn is_asked(&self, machine: usize, chosen: &[Chosen]) -> bool {
        let fragment = self.program.machines[machine].fragment;
        let taken = chosen.iter().any(|(other, _)| *other == machine);
        !taken && self.runs(fragment) && !self.is_silenced(fragment)
    }

    /// An immediate transition of the state that was just entered.
    pub(super) fn immediate(&mut self, machine: usize) -> Result<Option<usize>, RunError> {
        self.enabled(machine, Asked::Immediate)
    }

    /// The transition of a machine's state that is taken: preemptive ones come before others, and
    /// of each kind a default one is taken where no other is.
    fn enabled(&mut self, machine: usize, asked: Asked) -> Result<Option<usize>, RunError> {
        let kinds: &[bool] = match asked {
            Asked::Preemptive(_) => &[true],
            Asked::Ordinary => &[false],
            Asked::Immediate => &[true, false],
        };
        for (preemptive, default) in kinds.iter().flat_map(|kind| [(*kind, false), (*kind, true)]) {
            let found = self.first_met(machine, asked, |transition| {
                transition.preemptive == preemptive && transition.default == default
            });
            if !found.is_empty() {
                return self.one_of(machine, &found);
            }
        }
        Ok(None)
    }

    /// Of the transitions of one kind that are met, those that come first by their priorities.
    fn first_met(
        &mut self,
        machine: usize,
        asked: Asked,
        kind: impl Fn(&Transition) -> bool,
    ) -> Vec<usize> {
        let program = self.program.clone();
        let state = &program.machines[machine].states[self.mode(machine)];
        let mut found: Vec<usize> = Vec::new();
        for (index, transition) in state.transitions.iter().enumerate() {
            let tried = asked != Asked::Immediate || transition.immediate;
            if transition.error || !tried || !kind(transition) {
                continue;
            }
            // From microstep 1 on a preemptive one has silenced the diagram already, by what its
            // guards were before the commit.
            let met = match asked {
                Asked::Preemptive(1..) => self.early(transition),
                _ => self.all_met(transition),
            };
            if met {
                found.push(index);
            }
        }
        let priority = |index: &usize| state.transitions[*index].priority;
        let first = found.iter().map(priority).min();
        found.retain(|index| Some(priority(index)) == first);
        found
    }

    /// Whether all guards of a transition are there and true among the wires of this microstep.
    pub(super) fn early(&self, transition: &Transition) -> bool {
        let at = |slot: Slot| self.s.slots[slot as usize] != 0.0;
        transition.guards.iter().all(|guard| guard.wire.iter().all(|slot| at(*slot)))
    }

    /// Whether they are there and true after the commit.
    fn all_met(&mut self, transition: &Transition) -> bool {
        transition.guards.iter().all(|guard| {
            run(&guard.tape, &mut self.s.slots);
            let at = |slot: Slot| self.s.slots[slot as usize] != 0.0;
            at(guard.present) && at(guard.value)
        })
    }

    /// The only one of some enabled transitions, or one that is drawn.
    fn one_of(&mut self, machine: usize, found: &[usize]) -> Result<Option<usize>, RunError> {
        let mode = self.mode(machine);
        let transitions = &self.program.machines[machine].states[mode].transitions;
        match found {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several if several.iter().all(|index| transitions[*index].nondeterministic) => {
                let path = &self.diagram.modes.machines[machine].path;
                let draw = self.s.draws[machine];
                self.s.draws[machine] += 1;
                let drawn = base::random(self.options.seed, path, draw);
                Ok(Some(several[(drawn % several.len() as u64) as usize]))
            }
            several => {
                let names = &self.diagram.modes.machines[machine];
                let name = |state: usize| names.states[state].name.clone();
                Err(RunError::Ambiguous {
                    tag: self.s.tag,
                    block: names.path.clone(),
                    state: name(mode),
                    to: several.iter().map(|index| name(transitions[*index].to)).collect(),
                })
            }
        }
    }
}
