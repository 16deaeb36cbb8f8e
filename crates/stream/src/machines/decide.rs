//! Which transitions are taken after an evaluation.

use std::cmp::Reverse;

use base::ExactTime;
use program::{Asked, MachineId, Transition};

use super::take::Moving;
use crate::StreamError;
use crate::discrete::{Discrete, Kept};
use crate::point::{Evaluated, Evaluator, Place};

/// A transition of a machine's current state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub machine: MachineId,
    /// The index of the transition among those of the state.
    pub transition: usize,
}

/// When transitions are decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The tick that the evaluation sees.
    pub tick: Option<ExactTime>,
    /// Whether no other tick follows at the same evaluation. Before the last one, the only
    /// transitions taken are those that depend on ticks, and those that keep a diagram from seeing
    /// one.
    pub last: bool,
}

impl Evaluator {
    /// Takes the transitions that are enabled at an evaluation; returns whether there were any. The
    /// values that all of them set and emit are computed first, so that none sees the effects of
    /// another.
    pub(crate) fn decide(
        &self,
        place: Place,
        evaluated: Evaluated,
        now: &mut Discrete,
        moment: Moment,
    ) -> Result<bool, StreamError> {
        let mut moving = Moving::new(self, place, evaluated, now, moment.tick);
        let mut chosen = moving.choose(moment)?;
        for one in &chosen {
            moving.prepare(*one)?;
        }
        // Inner machines change state first.
        chosen.sort_unstable_by_key(|one| Reverse(one.machine));
        for one in &chosen {
            moving.take_chain(*one)?;
        }
        Ok(!chosen.is_empty())
    }

    /// Whether a transition is enabled at an evaluation.
    pub(crate) fn is_moving(&self, evaluated: &Evaluated, kept: &Kept) -> bool {
        let met =
            |transition: &Transition| !transition.error && transition.is_met(&evaluated.slots);
        self.program.machines.entries().any(|(id, machine)| {
            let state = &machine.states[self.current(kept, id)];
            evaluated.running[machine.fragment] && state.transitions.iter().any(met)
        })
    }
}

impl Moving<'_> {
    /// The enabled transitions: preemptive ones from the outside in, then the others from the
    /// inside out.
    fn choose(&mut self, moment: Moment) -> Result<Vec<Chosen>, StreamError> {
        let machines = self.evaluator.program.machines.ids();
        let outside_in = machines.clone().map(|machine| (machine, Asked::Preemptive));
        let inside_out = machines.rev().map(|machine| (machine, Asked::Ordinary));
        let mut chosen: Vec<Chosen> = Vec::new();
        for (machine, asked) in outside_in.chain(inside_out) {
            let fragment = self.evaluator.program.machines[machine].fragment;
            let taken = chosen.iter().any(|other| other.machine == machine);
            if taken || !self.running[fragment] || self.is_silenced(fragment) {
                continue;
            }
            let timed = &self.evaluator.timed[machine][self.current(machine)];
            let mut found = Vec::new();
            self.state(machine).enabled(asked, &mut found, |index, transition| {
                let now = moment.last || timed[index] || asked == Asked::Preemptive;
                now && transition.is_met(&self.slots)
            });
            let one = self.one_of(machine, &found)?;
            chosen.extend(one.map(|transition| Chosen { machine, transition }));
        }
        Ok(chosen)
    }

    /// An immediate transition of the state that was just entered.
    pub(super) fn immediate(&mut self, machine: MachineId) -> Result<Option<usize>, StreamError> {
        let state = self.state(machine);
        let slots = &mut self.slots;
        let mut found = Vec::new();
        state.enabled(Asked::Immediate, &mut found, |_, transition| {
            transition.guards.iter().all(|guard| {
                ir::run(&guard.tape, slots);
                slots[guard.present.index()] != 0.0 && slots[guard.value.index()] != 0.0
            })
        });
        self.one_of(machine, &found)
    }

    /// The only enabled transition, or one of them drawn at random.
    fn one_of(
        &mut self,
        machine: MachineId,
        found: &[usize],
    ) -> Result<Option<usize>, StreamError> {
        let (diagram, state) = (&self.evaluator.diagram, self.state(machine));
        let names = &diagram.modes.machines[machine];
        match found {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several if state.may_be_drawn(several) => {
                let draw = &mut self.now.kept.draws[machine];
                let drawn = base::random(diagram.run.seed, &names.path, *draw);
                *draw += 1;
                Ok(Some(several[(drawn % several.len() as u64) as usize]))
            }
            several => {
                let name = |state: usize| names.states[state].name.clone();
                let to = several.iter().map(|index| name(state.transitions[*index].to)).collect();
                let Place { e, time, .. } = self.place;
                let (block, state) = (names.path.clone(), name(self.current(machine)));
                Err(StreamError::Ambiguous { e, time, block, state, to })
            }
        }
    }
}
