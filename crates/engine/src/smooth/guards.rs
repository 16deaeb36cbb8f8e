//! Guards at the end of a step that has been tried, by the rules of Ptolemy II.
//!
//! ```text
//! for each machine that runs, from the inside out:
//!   something inside its state refuses the step?     its guards are not looked at
//!   the transitions that are enabled at the end:     of their comparisons whose truth has changed,
//!                                                    the one that is furthest past its change
//!   further than the tolerance?                      the step is refused
//! ```

use program::tape::run;
use program::{FragmentId, MachineProgram, Transition};
use solver::GuardTrial;

use crate::sides::sign;
use crate::smooth::flow::{Flow, counted, gather, scatter, states, watches};

/// The distances of a comparison to its change, at the start and at the end of a step.
#[derive(Clone, Copy, Default)]
struct Passed {
    last: f64,
    now: f64,
}

impl Flow<'_> {
    /// The step to try instead because a guard decides something too late; infinity if none does.
    pub(super) fn step_for_guards(&mut self, trial: &GuardTrial) -> f64 {
        let whole = self.whole_program;
        if whole.machines.is_empty() {
            return f64::INFINITY;
        }
        let mut refusing = self.refusing(trial);
        let mut wanted = f64::INFINITY;
        let mut sides = None;
        for machine in whole.machines.iter().rev().filter(|machine| !machine.states.is_empty()) {
            let Some(state) = self.state_of(machine) else { continue };
            let inside = |inner: &FragmentId| {
                state.content.is_some_and(|content| whole.origins.is_inside(*inner, content))
            };
            if refusing.iter().any(inside) {
                continue;
            }
            if sides.is_none() {
                sides = Some(self.look_at_end(trial));
            }
            let mut furthest = Passed::default();
            for transition in state.transitions.iter().filter(|own| !own.error) {
                if !transition.guards.is_empty() && self.is_enabled(transition) {
                    furthest = self.furthest(transition, trial, furthest);
                }
            }
            if furthest.now >= trial.tolerance {
                wanted = wanted.min(trial.step_to(furthest.last, furthest.now, trial.tolerance));
                refusing.push(machine.fragment);
            }
        }
        if let Some(sides) = sides {
            scatter(self.slots, self.program.side, watches(self.ranges), &sides);
            run(&self.program.prelude, self.slots);
        }
        wanted
    }

    /// The fragments whose states or events refuse a step.
    fn refusing(&self, trial: &GuardTrial) -> Vec<FragmentId> {
        let slices = self.program.slices.iter();
        let refuses = |own: &&program::FragmentSlice| {
            let state = |at: usize| counted(states(self.ranges), own.state + at);
            let watch = |at: usize| counted(watches(self.ranges), own.watch + at);
            (0..own.states).filter_map(state).any(|state| trial.refused[state])
                || (0..own.watches).filter_map(watch).any(|watch| trial.missed[watch])
        };
        if !trial.refused.contains(&true) && !trial.missed.contains(&true) {
            return Vec::new();
        }
        slices.filter(refuses).map(|own| own.fragment).collect()
    }

    /// The current state of a machine that runs.
    fn state_of<'p>(&self, machine: &'p MachineProgram) -> Option<&'p program::StateProgram> {
        let program = self.whole_program;
        let active = program.fragments[machine.fragment].active;
        let runs = machine.fragment == FragmentId::ROOT || self.slots[active.index()] != 0.0;
        let current = program.tracked(program.states[machine.current].tracked).slot;
        runs.then(|| &machine.states[self.slots[current.index()] as usize])
    }

    /// Computes what guards read at the end of a step, with the sides that the functions have there.
    /// Returns the sides at its start.
    fn look_at_end(&mut self, trial: &GuardTrial) -> Vec<f64> {
        self.place(trial.t, trial.x);
        let mut before = vec![0.0; trial.now.len()];
        gather(self.slots, self.program.side, watches(self.ranges), &mut before);
        let there: Vec<f64> = trial.now.iter().map(|value| sign(*value)).collect();
        scatter(self.slots, self.program.side, watches(self.ranges), &there);
        run(&self.program.prelude, self.slots);
        self.compute_left();
        before
    }

    /// Whether all guards of a transition hold, by what is in the buffer.
    fn is_enabled(&mut self, transition: &Transition) -> bool {
        transition.guards.iter().all(|guard| {
            run(&guard.tape, self.slots);
            self.slots[guard.present.index()] != 0.0 && self.slots[guard.value.index()] != 0.0
        })
    }

    /// The comparison of a transition's guards that is furthest past its change, if it is further
    /// than another one.
    fn furthest(&self, transition: &Transition, trial: &GuardTrial, than: Passed) -> Passed {
        let crossings = &self.whole_program.crossings;
        let mut furthest = than;
        for (index, watch) in self.program.watches.iter().enumerate() {
            let crossing = &crossings[watch.crossing];
            let own = transition.guards.iter().any(|guard| guard.block == crossing.block);
            if !own || !crossing.compared {
                continue;
            }
            let Some(number) = counted(watches(self.ranges), index) else { continue };
            let (last, now) = (trial.last[number], trial.now[number]);
            // One that was zero was not past its change yet.
            let changed = last * now < 0.0 || last == 0.0 && now != 0.0;
            if changed && now.abs() > furthest.now {
                furthest = Passed { last: last.abs(), now: now.abs() };
            }
        }
        furthest
    }
}
