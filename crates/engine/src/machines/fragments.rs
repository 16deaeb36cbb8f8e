//! Switching fragments on and off.

use program::tape::{Tape, run};
use program::{
    Begins, CrossingKind, EntryWire, FragmentId, MachineOutput, StateId, WatchId, events_before,
};

use crate::RunError;
use crate::engine::Engine;
use crate::sides::ROUNDS;
use crate::tick::take_memory;

/// A fragment that was switched on, and whether it restarts.
pub(super) type Entered = (FragmentId, bool);

impl Engine<'_> {
    /// Puts every machine in its initial state, before anything is evaluated.
    pub(crate) fn start_machines(&mut self) {
        let program = self.program;
        self.state.slots[program.fragments[FragmentId::ROOT].active.index()] = 1.0;
        let mut open = std::mem::take(&mut self.scratch.machines.open);
        open.clear();
        open.push(FragmentId::ROOT);
        while let Some(fragment) = open.pop() {
            for machine in &program.fragments[fragment].machines {
                let state = &program.machines[*machine].states[program.machines[*machine].initial];
                for inner in [Some(state.dwell), state.content].into_iter().flatten() {
                    self.run_fragment(inner);
                    open.push(inner);
                }
            }
        }
        self.scratch.machines.open = open;
    }

    /// Marks a fragment as running and puts its timers on the agenda.
    fn run_fragment(&mut self, fragment: FragmentId) {
        let program = self.program;
        let code = &program.fragments[fragment];
        self.state.machines.clocks[fragment].ran = true;
        self.state.slots[code.active.index()] = 1.0;
        let origin = self.state.machines.clocks[fragment].origin.time();
        let now = self.state.now.time();
        program.set_clock(&mut self.state.slots, fragment, origin, now);
        for timer in &code.timers {
            if let Some(time) = self.wakes(*timer) {
                self.state.agenda.add(time, *timer);
            }
        }
        if !code.lines.is_empty() {
            self.run_lines(fragment);
        }
    }

    /// Switches a fragment on: from its initial values, or where it stopped, if it ever ran. It and
    /// the fragments inside it, which are switched on too, are added to `entered`, to be
    /// initialised once everything has its state.
    pub(super) fn enter(&mut self, fragment: FragmentId, reset: bool, entered: &mut Vec<Entered>) {
        let program = self.program;
        let code = &program.fragments[fragment];
        let now = self.state.now;
        let clock = &mut self.state.machines.clocks[fragment];
        let reset = reset || !clock.ran;
        clock.origin = match (code.dwell, reset) {
            (true, true) => now,
            (false, true) => now - self.options.start,
            (_, false) => clock.origin + (now - clock.stopped),
        };
        if reset {
            self.forget(fragment);
        }
        self.run_fragment(fragment);
        self.bring_due(fragment);
        entered.push((fragment, reset));
        for machine in &code.machines {
            let state = &program.machines[*machine].states[self.current(*machine)];
            for inner in [state.content, Some(state.dwell)].into_iter().flatten() {
                self.enter(inner, reset, entered);
            }
            if let Some(tick) = &mut self.state.tick {
                tick.entered.push(*machine);
            }
        }
    }

    /// Resets the states and timers of a fragment to their initial values. The machines in it then
    /// have no history.
    fn forget(&mut self, fragment: FragmentId) {
        let program = self.program;
        let code = &program.fragments[fragment];
        let start = self.options.start.time();
        let clock = &mut self.state.machines.clocks[fragment];
        clock.due.clear();
        clock.located.clear();
        if !code.lines.is_empty() {
            self.forget_lines(fragment);
        }
        // A value that a machine in it has just emitted is heard, although the fragment restarts.
        let machines = code.machines.iter().map(|machine| &program.machines[*machine]);
        let heard = |output: &&MachineOutput| {
            self.state.slots[program.tracked(program.states[output.says].tracked).slot.index()]
                != 0.0
        };
        let outputs = machines.flat_map(|machine| &machine.outputs).filter(heard);
        let mut kept = std::mem::take(&mut self.scratch.machines.kept);
        kept.clear();
        kept.extend(outputs.flat_map(|output| [output.says, output.word]));
        let again = |state: &&StateId| program.states[**state].begins == Begins::Initial;
        for state in code.states.iter().filter(again).filter(|state| !kept.contains(state)) {
            let initial = program.tracked(program.states[*state].tracked).range();
            self.set_state(*state, &program.image[initial]);
        }
        self.scratch.machines.kept = kept;
        for timer in &code.timers {
            let own = &program.timers[*timer];
            let past = if code.dwell { 0 } else { events_before(&*own.timer, start) };
            self.state.agenda.wakings[*timer] = past;
            self.set_tracked(own.wakings, &[past as f64]);
            self.set_alarm(*timer);
        }
        let states = code.machines.iter().flat_map(|machine| &program.machines[*machine].states);
        for content in states.filter_map(|state| state.content) {
            self.state.machines.clocks[content].ran = false;
        }
    }

    /// Gives the states of restarted fragments the values of their initial expressions, which
    /// depend on what transitions set.
    pub(super) fn start_states(&mut self, entered: &[Entered]) -> Result<(), RunError> {
        let program = self.program;
        let anew = entered.iter().filter(|(_, reset)| *reset);
        let starts = anew.flat_map(|(fragment, _)| &program.fragments[*fragment].starts);
        if starts.clone().next().is_none() {
            return Ok(());
        }
        self.fill_wires(entered);
        for start in starts {
            self.compute(&start.value)?;
            if self.is_there(&start.value) {
                let tracked = program.states[start.state].tracked;
                self.set_from(tracked, start.value.value);
            }
        }
        Ok(())
    }

    /// Gives fragments that were switched on their wires and, if they restart, their sides and
    /// memories, without an event; their units run at the next microstep.
    pub(super) fn initialise(&mut self, entered: &[Entered]) -> Result<(), RunError> {
        let program = self.program;
        for _ in 0..ROUNDS {
            self.fill_wires(entered);
            let mut changed = false;
            for (fragment, reset) in entered {
                changed |= *reset && self.set_sides_of(*fragment)?;
            }
            if !changed {
                break;
            }
        }
        for (fragment, reset) in entered {
            let code = &program.fragments[*fragment];
            if *reset {
                let memories = code.memories.iter();
                memories.for_each(|memory| take_memory(program, *memory, &mut self.state.slots));
            }
            if *reset && !code.lines.is_empty() {
                self.start_lines_of(*fragment);
            }
            if let Some(tick) = &mut self.state.tick {
                code.units.iter().chain(&code.readers).for_each(|unit| tick.ask(*unit));
                code.regions.iter().for_each(|region| tick.disturb(*region));
            }
        }
        Ok(())
    }

    /// Computes the wires of fragments that were switched on. A fragment and the machines in it
    /// read each other, so this repeats until nothing changes.
    fn fill_wires(&mut self, entered: &[Entered]) {
        let program = self.program;
        let codes = || entered.iter().map(|(fragment, _)| &program.fragments[*fragment]);
        let nested = codes().any(|code| !code.machines.is_empty());
        for _ in 0..ROUNDS + entered.len() {
            let mut changed = false;
            for code in codes() {
                changed |= self.run_entry(&code.entry, if nested { &code.wires } else { &[] });
            }
            if !changed {
                break;
            }
        }
    }

    /// Runs the entry tape of a fragment; returns whether the values of some slots have changed.
    fn run_entry(&mut self, tape: &Tape, watched: &[EntryWire]) -> bool {
        let numbers = |slots: &[f64], to: &mut Vec<f64>| {
            let place = |wire: &EntryWire| wire.from.range(wire.length);
            watched.iter().for_each(|watched| to.extend_from_slice(&slots[place(watched)]));
        };
        self.scratch.numbers.clear();
        numbers(&self.state.slots, &mut self.scratch.numbers);
        let count = self.scratch.numbers.len();
        run(tape, &mut self.state.slots);
        numbers(&self.state.slots, &mut self.scratch.numbers);
        let (before, after) = self.scratch.numbers.split_at(count);
        before.iter().zip(after).any(|(a, b)| a.to_bits() != b.to_bits())
    }

    /// Sets the sides and floors of a fragment from their values; returns whether one has changed.
    fn set_sides_of(&mut self, fragment: FragmentId) -> Result<bool, RunError> {
        let program = self.program;
        let code = &program.fragments[fragment];
        if code.crossings.is_empty() {
            return Ok(false);
        }
        for region in &code.regions {
            if !program.regions[*region].watches.is_empty() {
                self.compute_rates(*region, true);
            }
        }
        self.share_location(fragment);
        let mut changed = self.set_unlocated(&code.units);
        for id in &code.crossings {
            let crossing = &program.crossings[*id];
            if crossing.watch.is_some() {
                let new = self.new_frozen(*id)?;
                let slot = program.tracked(crossing.frozen).slot.index();
                changed |= std::mem::replace(&mut self.state.slots[slot], new) != new;
            }
        }
        Ok(changed)
    }

    /// A function that is as small as one that was located at this time counts as zero too: the
    /// guard of the other state often watches the same crossing in the opposite direction.
    fn share_location(&mut self, fragment: FragmentId) {
        let program = self.program;
        for index in &program.fragments[fragment].crossings {
            let Some(watch) = program.crossings[*index].watch else { continue };
            let code = &program.regions[watch.region];
            let from = code.residual.index();
            let residuals = &mut self.state.slots[from..from + code.watches.len()];
            let most = residuals.iter().fold(0.0f64, |most, residual| most.max(*residual));
            let g = self.state.slots[code.g.index() + watch.index].abs();
            let own = &mut self.state.slots[from + watch.index];
            if g <= most && *own < g {
                *own = g;
            }
        }
    }

    /// What was due when a fragment stopped comes at the first microstep at which it resumes.
    fn bring_due(&mut self, fragment: FragmentId) {
        let program = self.program;
        for place in 0..self.state.machines.clocks[fragment].due.len() {
            let (tracked, value) = self.state.machines.clocks[fragment].due[place];
            self.state.slots[program.tracked(tracked).slot.index()] = value;
            self.pulse(tracked);
        }
        self.state.machines.clocks[fragment].due.clear();
        self.bring_located(fragment);
    }

    /// Functions that were located when a fragment stopped still count as zero when their inputs
    /// resume.
    pub(super) fn bring_located(&mut self, fragment: FragmentId) {
        let program = self.program;
        for (watch, residual) in self.state.machines.clocks[fragment].located.drain(..) {
            let from = program.regions[watch.region].residual.index();
            let own = &mut self.state.slots[from + watch.index];
            *own = own.max(residual);
        }
    }

    /// Switches a fragment off, and the fragments inside it; returns whether values are still
    /// emitted there.
    pub(super) fn leave(&mut self, fragment: FragmentId) -> bool {
        let program = self.program;
        let code = &program.fragments[fragment];
        self.state.slots[code.active.index()] = 0.0;
        self.state.machines.clocks[fragment].stopped = self.state.now;
        let mut speaks = self.is_heard(fragment);
        self.keep_due(fragment, &code.speech);
        for tracked in code.pulses.iter().filter(|tracked| !code.speech.contains(tracked)) {
            self.state.slots[program.tracked(*tracked).slot.index()] = 0.0;
        }
        self.keep_located(fragment);
        if !code.lines.is_empty() {
            self.stop_lines(fragment);
        }
        self.end_events(fragment);
        let Some(tick) = &mut self.state.tick else { return false };
        code.readers.iter().for_each(|unit| tick.ask(*unit));
        code.regions.iter().for_each(|region| tick.disturb(*region));
        for machine in &code.machines {
            let state = &program.machines[*machine].states[self.current(*machine)];
            self.leave(state.dwell);
            speaks |= state.content.is_some_and(|content| self.leave(content));
        }
        if let Some(tick) = self.state.tick.as_mut().filter(|_| speaks) {
            tick.speaking.push(fragment);
        }
        speaks
    }

    /// Keeps what counts as zero in a fragment that stops while a crossing is located; later it
    /// would be taken for the side that it is a rounding away from.
    fn keep_located(&mut self, fragment: FragmentId) {
        let program = self.program;
        let crossings = program.fragments[fragment].crossings.iter();
        for crossing in crossings.map(|index| &program.crossings[*index]) {
            let Some(WatchId { region, index: first }) = crossing.watch else { continue };
            let watches = if crossing.kind == CrossingKind::Floor { 2 } else { 1 };
            for index in first..first + watches {
                let from = program.regions[region].residual.index();
                let residual = self.state.slots[from + index];
                if residual > 0.0 {
                    let located = (WatchId { region, index }, residual);
                    self.state.machines.clocks[fragment].located.push(located);
                }
            }
        }
    }
}
