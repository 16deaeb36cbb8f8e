//! Switching fragments on and off.

use blocks::events_before;
use diagram::FragmentId;
use ir::run;
use program::{CrossingValue, EntryWire, MachineId, MachineOutput, Next};

use super::take::Moving;
use crate::StreamError;
use crate::point::side;

/// A fragment that was switched on, and whether it restarts.
type Entered = (FragmentId, bool);

/// How often the wires of entered fragments and their comparisons may change each other.
const ROUNDS: usize = 32;

impl Moving<'_> {
    /// Switches a fragment off; returns whether values are still emitted in it.
    pub fn leave(&mut self, fragment: FragmentId) -> bool {
        let parent = self.evaluator.diagram.modes.fragments[fragment.index()].parent;
        let stopped = self.evaluator.shown(&self.now.kept, parent, self.when);
        self.now.kept.clocks[fragment].stopped = stopped;
        self.changed.clocks.push(fragment);
        self.speaks(fragment)
    }

    /// Lets fragments pass on values emitted in them although they are switched off.
    fn speaks(&mut self, fragment: FragmentId) -> bool {
        let mut speaks = false;
        for machine in &self.program().fragments[fragment].machines {
            let outputs = &self.program().machines[*machine].outputs;
            let states = |output: &MachineOutput| [Some(output.says), output.left];
            let mut spoken = outputs.iter().flat_map(states).flatten();
            speaks |= spoken.any(|state| self.said.contains(&state));
            speaks |= self.state(*machine).content.is_some_and(|content| self.speaks(content));
        }
        if speaks {
            self.now.kept.clocks[fragment].speaking = true;
            self.changed.clocks.push(fragment);
        }
        speaks
    }

    /// Lets a machine pass on values emitted in the diagram of a state that it has left.
    pub fn listen_to(&mut self, machine: MachineId, state: usize) {
        for output in &self.program().machines[machine].outputs {
            if let Some(left) = output.left.filter(|_| output.passes[state]) {
                self.set_state(left, &[(state + 1) as f64]);
                self.said.push(left);
            }
        }
    }

    /// Switches a fragment on: from its initial values, or where it stopped, if it ever ran. It and
    /// the fragments inside it, which are switched on too, are added to `entered`, to be
    /// initialised once everything has its state.
    pub fn enter(&mut self, fragment: FragmentId, anew: bool, entered: &mut Vec<Entered>) {
        let code = &self.program().fragments[fragment];
        let parent = self.evaluator.diagram.modes.fragments[fragment.index()].parent;
        let now = self.evaluator.shown(&self.now.kept, parent, self.when);
        let clock = &mut self.now.kept.clocks[fragment];
        let anew = anew || !clock.ran;
        clock.origin = match (code.dwell, anew) {
            (true, true) => now,
            (false, true) => now - self.evaluator.start,
            (_, false) => clock.origin + (now - clock.stopped),
        };
        (clock.ran, clock.entered) = (true, now);
        self.changed.clocks.push(fragment);
        entered.push((fragment, anew));
        if anew {
            self.forget(fragment);
        }
        for machine in &code.machines {
            self.count_move(*machine);
            let state = self.state(*machine);
            for inner in [state.content, Some(state.dwell)].into_iter().flatten() {
                match anew {
                    true => self.enter(inner, true, entered),
                    false => self.go_on(inner, entered),
                }
            }
        }
    }

    /// A fragment inside one that resumes does so too, by the same clock.
    fn go_on(&mut self, fragment: FragmentId, entered: &mut Vec<Entered>) {
        entered.push((fragment, false));
        for machine in &self.program().fragments[fragment].machines {
            self.count_move(*machine);
            let state = self.state(*machine);
            for inner in [state.content, Some(state.dwell)].into_iter().flatten() {
                self.go_on(inner, entered);
            }
        }
    }

    /// Resets the states and timers of a fragment to their initial values. The machines in it then
    /// have no history.
    fn forget(&mut self, fragment: FragmentId) {
        let (evaluator, program) = (self.evaluator, self.program());
        let code = &program.fragments[fragment];
        for state in &code.states {
            // A value that a machine in it has just emitted is heard, although the fragment
            // restarts. A continuous state that starts a second time is refused.
            if !program.states[*state].continuous && !self.said.contains(state) {
                let first = evaluator.first[evaluator.elements(*state)].to_vec();
                self.set_state(*state, &first);
            }
        }
        for timer in &code.timers {
            let own = &program.timers[*timer];
            let start = evaluator.start.time();
            let past = if code.dwell { 0 } else { events_before(&*own.timer, start) };
            self.now.kept.counts[*timer] = past;
            self.changed.counts.push(*timer);
            self.slots[program.tracked(own.wakings).slot.index()] = past as f64;
            self.slots[program.tracked(own.woken).slot.index()] = 0.0;
        }
        let states = code.machines.iter().flat_map(|machine| &program.machines[*machine].states);
        for content in states.filter_map(|state| state.content) {
            self.now.kept.clocks[content].ran = false;
            self.changed.clocks.push(content);
        }
    }

    /// Writes the clocks, and which fragments run, to their slots.
    pub fn place_clocks(&mut self) {
        let running = self.evaluator.running(&self.now.kept);
        self.evaluator.fill_clocks(&mut self.slots, &self.now.kept, &running);
    }

    /// Gives the states of restarted fragments the values of their initial expressions, which
    /// depend on what transitions set.
    pub fn start_states(&mut self, entered: &[Entered]) -> Result<(), StreamError> {
        let fragments = &self.program().fragments;
        let anew = entered.iter().filter(|(_, anew)| *anew);
        let starts = anew.flat_map(|(fragment, _)| &fragments[*fragment].starts);
        if starts.clone().next().is_none() {
            return Ok(());
        }
        self.fill_wires(entered);
        for start in starts {
            self.compute(&start.value)?;
            if self.is_there(&start.value) {
                self.set_from(start.state, &start.value);
            }
        }
        Ok(())
    }

    /// Gives fragments that were switched on their wires and sides and, if they restart, their
    /// memories, without an event.
    pub fn initialise(&mut self, entered: &[Entered]) {
        for _ in 0..ROUNDS {
            self.fill_wires(entered);
            let changed = entered.iter().filter(|(fragment, _)| self.take_sides(*fragment));
            if changed.count() == 0 {
                break;
            }
        }
        let program = self.program();
        for (fragment, _) in entered.iter().filter(|(_, anew)| *anew) {
            for Next { from, state } in &program.fragments[*fragment].memories {
                let (from, length) = (from.index(), program.states[*state].initial.len());
                let value = self.slots[from..from + length].to_vec();
                self.set_state(*state, &value);
            }
        }
    }

    /// Computes the wires of fragments that were switched on. A fragment and the machines in it
    /// read each other, so this repeats until nothing changes.
    fn fill_wires(&mut self, entered: &[Entered]) {
        let fragments = &self.program().fragments;
        let codes = || entered.iter().map(|(fragment, _)| &fragments[*fragment]);
        let numbers = |slots: &[f64]| -> Vec<u64> {
            let place = |wire: &EntryWire| wire.from.range(wire.length);
            let wires = codes().flat_map(|code| &code.wires);
            wires.flat_map(|wire| slots[place(wire)].iter().map(|x| x.to_bits())).collect()
        };
        for _ in 0..ROUNDS + entered.len() {
            let before = numbers(&self.slots);
            codes().for_each(|code| run(&code.entry, &mut self.slots));
            if numbers(&self.slots) == before {
                break;
            }
        }
    }

    /// Reads the comparisons of a fragment from their values; returns whether one has changed.
    fn take_sides(&mut self, fragment: FragmentId) -> bool {
        let program = self.program();
        let mut changed = false;
        for unit in &program.fragments[fragment].units {
            let unit = &program.units[*unit];
            if unit.crossings.is_empty() {
                continue;
            }
            run(&unit.tape, &mut self.slots);
            for CrossingValue { from, crossing: id } in &unit.crossings {
                let crossing = &program.crossings[*id];
                let side = side(crossing.kind, self.slots[from.index()]);
                changed |= std::mem::replace(&mut self.now.sides[*id], side) != side;
                self.slots[program.tracked(crossing.frozen).slot.index()] = side;
            }
        }
        changed
    }
}
