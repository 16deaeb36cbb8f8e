//! State machines: which transition is taken when a microstep is committed, and what that switches
//! on and off.

use std::cmp::Reverse;

use base::Time;
use blocks::events_before;
use diagram::FragmentId;
use ir::run;
use program::{CellId, Program, Tested, Transition};

use crate::crossings::sign;
use crate::rows::Sink;
use crate::simulation::Simulation;
use crate::{Event, RunError};

/// How often the sides of a fragment are set again when it starts, because they depend on each
/// other.
const ROUNDS: usize = 32;

/// A transition of a machine, by number.
type Chosen = (usize, usize);

/// The diagram of a state of a machine.
fn program_content(program: &Program, machine: usize, state: usize) -> Option<FragmentId> {
    program.machines[machine].states[state].content
}

impl Simulation {
    /// Whether a fragment runs.
    pub(crate) fn runs(&self, fragment: FragmentId) -> bool {
        fragment == FragmentId::ROOT
            || self.s.slots[self.program.fragments[fragment.index()].active as usize] != 0.0
    }

    /// When a timer wakes next; never while its fragment does not run.
    pub(crate) fn wakes(&self, timer: usize) -> Option<Time> {
        let cells = &self.program.timers[timer];
        if cells.fragment == FragmentId::ROOT {
            return cells.timer.time(self.s.wakings[timer]);
        }
        if !self.runs(cells.fragment) {
            return None;
        }
        let clock = &self.s.fragments[cells.fragment.index()];
        Some(cells.timer.time(self.s.wakings[timer])? + clock.origin)
    }

    /// The first time on the agenda; what was put there by fragments that do not run any more is
    /// taken off.
    pub(crate) fn next_event(&mut self) -> Time {
        while let Some(Reverse((time, timer))) = self.s.agenda.peek().copied() {
            let always = self.program.timers[timer as usize].fragment == FragmentId::ROOT;
            if always || self.wakes(timer as usize) == Some(time) {
                return time;
            }
            self.s.agenda.pop();
        }
        Time::MAX
    }

    /// The number of the state that a machine is in.
    fn mode(&self, machine: usize) -> usize {
        let state = &self.program.states[self.program.machines[machine].mode];
        self.s.slots[self.program.cell(state.cell).slot as usize] as usize
    }

    /// Puts every machine in its first state, before anything is evaluated.
    pub(crate) fn start_machines(&mut self) {
        let program = self.program.clone();
        self.s.slots[program.fragments[0].active as usize] = 1.0;
        let start = self.options.start;
        let mut open = vec![FragmentId::ROOT];
        while let Some(fragment) = open.pop() {
            for machine in &program.fragments[fragment.index()].machines {
                let state = &program.machines[*machine].states[program.machines[*machine].initial];
                for inner in [Some(state.dwell), state.content].into_iter().flatten() {
                    self.run_fragment(inner, start);
                    open.push(inner);
                }
            }
        }
    }

    /// Finds the fragments that preemptive transitions silence at this microstep.
    pub(crate) fn silence(&mut self) {
        self.silenced.clear();
        for machine in 0..self.program.machines.len() {
            let code = &self.program.machines[machine];
            if !self.runs(code.fragment) {
                continue;
            }
            let state = &code.states[self.mode(machine)];
            let met = |[present, value]: [u32; 2]| {
                self.s.slots[present as usize] != 0.0 && self.s.slots[value as usize] != 0.0
            };
            if state.transitions.iter().filter_map(|t| t.early).any(met) {
                self.silenced.extend(state.content);
            }
        }
    }

    /// Whether a fragment, or one that it is in, is silenced at this microstep.
    pub(crate) fn is_silenced(&self, fragment: FragmentId) -> bool {
        let inside = |outer: &FragmentId| self.diagram.modes.is_inside(fragment, *outer);
        !self.silenced.is_empty() && self.silenced.iter().any(inside)
    }

    /// Decides, after a commit, which transitions are taken: preemptive ones from the outside in,
    /// then the others from the inside out.
    pub(crate) fn decide(&mut self, microstep: u32, sink: &mut dyn Sink) -> Result<(), RunError> {
        if self.program.machines.is_empty() {
            return Ok(());
        }
        let Some(tick) = &mut self.s.tick else { return Ok(()) };
        let mut pending = std::mem::take(&mut tick.pending);
        if self.s.tag.time == self.options.start && microstep == 0 {
            pending.extend(0..self.program.machines.len() as u32);
        }
        pending.sort_unstable();
        pending.dedup();
        if microstep == 0 {
            self.silenced.clear();
        }
        let mut chosen: Vec<Chosen> = Vec::new();
        if let Some((machine, transition)) = self.forced.take() {
            chosen.push((machine, transition));
            self.silenced.extend(program_content(&self.program, machine, self.mode(machine)));
        }
        for machine in pending.iter().map(|machine| *machine as usize) {
            let code = &self.program.machines[machine];
            let forced = chosen.iter().any(|(other, _)| *other == machine);
            if forced || !self.runs(code.fragment) || self.is_silenced(code.fragment) {
                continue;
            }
            if let Some(transition) = self.enabled(machine, Some(microstep))? {
                chosen.push((machine, transition));
                self.silenced.extend(program_content(&self.program, machine, self.mode(machine)));
            }
        }
        for machine in pending.iter().rev().map(|machine| *machine as usize) {
            let code = &self.program.machines[machine];
            let early = chosen.iter().any(|(other, _)| *other == machine);
            if early || !self.runs(code.fragment) || self.is_silenced(code.fragment) {
                continue;
            }
            if let Some(transition) = self.enabled(machine, None)? {
                chosen.push((machine, transition));
            }
        }
        self.silenced.clear();
        chosen.sort_unstable_by_key(|(machine, _)| Reverse(*machine));
        for (machine, transition) in chosen {
            self.take_chain(machine, transition, sink)?;
        }
        if let Some(tick) = &mut self.s.tick {
            tick.pending.clear();
        }
        Ok(())
    }

    /// One microstep; where the diagram of a state fails and the state has a way out for that, the
    /// way is taken instead, and the microstep is done again in the other state.
    pub(crate) fn microstep_or_recover(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        if !self.program.machines.iter().any(|machine| machine.recovers) {
            return self.microstep(sink);
        }
        let before = self.s.clone();
        let Err(error) = self.microstep(sink) else { return Ok(()) };
        let rows: Vec<_> = self.s.regions.iter().map(|region| region.last_row).collect();
        let after = std::mem::replace(&mut self.s, before);
        let Some((machine, transition)) = self.handler(&error) else {
            self.s = after;
            return Err(error);
        };
        for (region, row) in self.s.regions.iter_mut().zip(rows) {
            region.last_row = row;
        }
        self.take_chain(machine, transition, sink)
    }

    /// The innermost transition for the failure of a state's diagram.
    pub(crate) fn handler(&self, error: &RunError) -> Option<Chosen> {
        use RunError::{NoSolution, NotConstructive, NotFinite, StepTooSmall, Undefined};
        if !matches!(
            error,
            NotFinite { .. }
                | StepTooSmall { .. }
                | NoSolution { .. }
                | Undefined { .. }
                | NotConstructive { .. }
        ) {
            return None;
        }
        let failed = self.diagram.blocks.iter().find(|block| block.path == error.block())?;
        let modes = &self.diagram.modes;
        for (machine, code) in self.program.machines.iter().enumerate().rev() {
            let state = &code.states[self.mode(machine)];
            let content =
                state.content.filter(|content| modes.is_inside(failed.fragment, *content));
            if content.is_some_and(|content| self.runs(content))
                && let Some(index) = state.transitions.iter().position(|t| t.error)
            {
                return Some((machine, index));
            }
        }
        None
    }

    /// The transition of a machine's state that is taken: of the preemptive ones, which at
    /// microsteps from 1 on are those that have silenced the diagram, or of the others.
    fn enabled(&mut self, machine: usize, early: Option<u32>) -> Result<Option<usize>, RunError> {
        let program = self.program.clone();
        let state = &program.machines[machine].states[self.mode(machine)];
        let mut found: Vec<usize> = Vec::new();
        for (index, transition) in state.transitions.iter().enumerate() {
            if transition.error
                || transition.default
                || transition.early.is_some() != early.is_some()
            {
                continue;
            }
            let met = match (transition.early, early) {
                (Some([present, value]), Some(1..)) => {
                    self.s.slots[present as usize] != 0.0 && self.s.slots[value as usize] != 0.0
                }
                _ => self.all_met(transition),
            };
            if met {
                found.push(index);
            }
        }
        if found.is_empty() && early.is_none() {
            for (index, transition) in state.transitions.iter().enumerate() {
                if transition.default && self.all_met(transition) {
                    found.push(index);
                }
            }
        }
        self.one_of(machine, &found)
    }

    fn all_met(&mut self, transition: &Transition) -> bool {
        transition.guards.iter().all(|guard| {
            run(&guard.tape, &mut self.s.slots);
            let at = |slot: u32| self.s.slots[slot as usize] != 0.0;
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

    /// Takes a transition and the immediate ones that follow it.
    fn take_chain(
        &mut self,
        machine: usize,
        transition: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let mut visited = vec![self.mode(machine)];
        let mut next = Some(transition);
        while let Some(transition) = next {
            self.take(machine, transition, sink)?;
            let mode = self.mode(machine);
            if visited[1..].contains(&mode) {
                visited.push(mode);
                let names = &self.diagram.modes.machines[machine];
                let name = |state: &usize| names.states[*state].name.clone();
                return Err(RunError::ImmediateCycle {
                    tag: self.s.tag,
                    block: names.path.clone(),
                    states: visited[1..].iter().map(name).collect(),
                });
            }
            visited.push(mode);
            next = self.immediate(machine)?;
        }
        Ok(())
    }

    /// An immediate transition of the state that was just entered.
    fn immediate(&mut self, machine: usize) -> Result<Option<usize>, RunError> {
        let program = self.program.clone();
        let state = &program.machines[machine].states[self.mode(machine)];
        let mut found = Vec::new();
        for (index, transition) in state.transitions.iter().enumerate() {
            if transition.immediate && !transition.default && self.all_met(transition) {
                found.push(index);
            }
        }
        self.one_of(machine, &found)
    }

    /// What an action computes, which must be there and finite.
    fn compute(&mut self, tested: &Tested) -> Result<Option<Vec<f64>>, RunError> {
        run(&tested.tape, &mut self.s.slots);
        if self.s.slots[tested.present as usize] == 0.0 {
            return Ok(None);
        }
        let from = tested.value as usize;
        let value = self.s.slots[from..from + tested.length].to_vec();
        if value.iter().any(|x| !x.is_finite()) {
            return Err(self.not_finite(self.s.tag, self.diagram.block(tested.block).outputs[0]));
        }
        Ok(Some(value))
    }

    fn take(
        &mut self,
        machine: usize,
        transition: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let program = self.program.clone();
        let code = &program.machines[machine];
        let from = self.mode(machine);
        let transition = &code.states[from].transitions[transition];
        for region in &code.regions {
            self.touch(region.index())?;
        }
        let mut sets = Vec::new();
        for set in &transition.sets {
            sets.extend(self.compute(&set.value)?.map(|value| (set, value)));
        }
        let mut says = Vec::new();
        for (output, said) in &transition.says {
            says.extend(self.compute(said)?.map(|value| (*output, value)));
        }
        for (set, value) in sets.iter().filter(|(set, _)| set.wire.is_some()) {
            self.set_state(set.state, value);
            if let Some(wire) = set.wire {
                self.set_cell(wire, value);
            }
        }
        let (old, new) = (&code.states[from], &code.states[transition.to]);
        let stays = transition.history && old.content == new.content;
        self.leave(old.dwell);
        if let Some(content) = old.content.filter(|_| !stays) {
            self.leave(content);
        }
        self.set_state(code.mode, &[transition.to as f64]);
        if sink.listens() {
            let (tag, block) = (self.s.tag, program.states[code.mode].block);
            sink.event(Event::Moved { tag, block, from, to: transition.to });
        }
        let mut entered = Vec::new();
        if let Some(content) = new.content.filter(|_| !stays) {
            self.enter(content, !transition.history, &mut entered)?;
        }
        for (set, value) in sets.iter().filter(|(set, _)| set.wire.is_none()) {
            self.set_state(set.state, value);
        }
        for (fragment, reset) in entered {
            self.initialise(fragment, reset)?;
        }
        let mut guards = Vec::new();
        self.enter(new.dwell, true, &mut guards)?;
        self.initialise(new.dwell, true)?;
        if let Some(tick) = &mut self.s.tick {
            tick.entered.push(machine as u32);
        }
        for (output, value) in says {
            let [said, word] = code.outputs[output];
            self.set_state(word, &value);
            self.set_state(said, &[1.0]);
            self.pulse(program.states[said].cell);
        }
        Ok(())
    }

    /// Gives a state a new value, as a commit does.
    fn set_state(&mut self, state: usize, value: &[f64]) {
        self.set_cell(self.program.states[state].cell, value);
    }

    fn set_cell(&mut self, cell: CellId, value: &[f64]) {
        let place = self.program.cell(cell);
        let from = place.slot as usize;
        let (length, old) = (place.length, self.s.slots[from..from + place.length].to_vec());
        // One number fills a vector.
        for i in 0..length {
            self.s.slots[from + i] = if value.len() == 1 { value[0] } else { value[i] };
        }
        let same = old.iter().zip(&self.s.slots[from..]).all(|(a, b)| a.to_bits() == b.to_bits());
        if !same {
            self.mark_next(cell);
        }
    }

    /// Marks a fragment as running and puts its timers on the agenda.
    fn run_fragment(&mut self, fragment: FragmentId, now: Time) {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        self.s.slots[code.active as usize] = 1.0;
        self.s.slots[code.origin as usize] = self.s.fragments[fragment.index()].origin.seconds();
        for timer in &code.timers {
            if let Some(time) = self.wakes(*timer) {
                self.s.agenda.push(Reverse((time.max(now), *timer as u32)));
            }
        }
    }

    /// Switches a fragment on: anew, or where it was. What is inside it is switched on too and added
    /// to `entered`, to be initialised when everything has its state.
    fn enter(
        &mut self,
        fragment: FragmentId,
        reset: bool,
        entered: &mut Vec<(FragmentId, bool)>,
    ) -> Result<(), RunError> {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        let now = self.s.tag.time;
        let clock = &mut self.s.fragments[fragment.index()];
        clock.origin = match (code.dwell, reset) {
            (true, true) => now,
            (false, true) => now - self.options.start,
            (_, false) => clock.origin + (now - clock.stopped),
        };
        if reset {
            for state in &code.states {
                let initial = program.states[*state].initial.clone();
                self.set_state(*state, &initial);
            }
            for start in &code.starts {
                if let Some(value) = self.compute(&start.value)? {
                    self.set_state(start.state, &value);
                }
            }
            for timer in &code.timers {
                let cells = &program.timers[*timer];
                let start = self.options.start;
                let past = if code.dwell { 0 } else { events_before(&*cells.timer, start) };
                self.s.wakings[*timer] = past;
                self.set_cell(cells.wakings, &[past as f64]);
            }
        }
        self.run_fragment(fragment, now);
        entered.push((fragment, reset));
        for machine in &code.machines {
            let inner = &program.machines[*machine];
            let state = &inner.states[self.mode(*machine)];
            self.enter(state.dwell, reset, entered)?;
            if let Some(content) = state.content {
                self.enter(content, reset, entered)?;
            }
            if let Some(tick) = &mut self.s.tick {
                tick.entered.push(*machine as u32);
            }
        }
        Ok(())
    }

    /// Gives a fragment that was switched on its wires and, where it starts anew, its sides and
    /// memories, without an event; its units run at the next microstep.
    fn initialise(&mut self, fragment: FragmentId, reset: bool) -> Result<(), RunError> {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        for _ in 0..ROUNDS {
            run(&code.entry, &mut self.s.slots);
            if !reset || !self.set_sides_of(fragment)? {
                break;
            }
        }
        if reset {
            for (from, state) in &code.memories {
                let cell = program.cell(program.states[*state].cell);
                let from = *from as usize;
                self.s.slots.copy_within(from..from + cell.length, cell.slot as usize);
            }
        }
        let Some(tick) = &mut self.s.tick else { return Ok(()) };
        for unit in code.units.iter().chain(&code.readers) {
            tick.dirty[unit.index() / 64] |= 1 << (unit.index() % 64);
        }
        for region in &code.regions {
            tick.regions[region.index()].change();
        }
        Ok(())
    }

    /// Sets the sides and cells of a fragment from their values; says whether one changed.
    fn set_sides_of(&mut self, fragment: FragmentId) -> Result<bool, RunError> {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        if code.crossings.is_empty() {
            return Ok(false);
        }
        for region in &code.regions {
            if !program.regions[region.index()].watches.is_empty() {
                self.compute_rates(region.index(), true);
            }
        }
        self.share_location(fragment);
        let mut changed = false;
        for index in &code.crossings {
            let crossing = &program.crossings[*index];
            let new = match crossing.watch {
                Some((region, _)) => self.new_frozen(region.index(), *index)?,
                None => self.unlocated(fragment, *index),
            };
            let slot = program.cell(crossing.frozen).slot as usize;
            changed |= std::mem::replace(&mut self.s.slots[slot], new) != new;
        }
        Ok(changed)
    }

    /// A function that is as small as one that was located at this time counts as zero too: the
    /// guard of the other state often asks for the same crossing the other way round.
    fn share_location(&mut self, fragment: FragmentId) {
        let program = self.program.clone();
        for index in &program.fragments[fragment.index()].crossings {
            let Some((region, watch)) = program.crossings[*index].watch else { continue };
            let code = &program.regions[region.index()];
            let from = code.residual as usize;
            let residuals = &mut self.s.slots[from..from + code.watches.len()];
            let most = residuals.iter().fold(0.0f64, |most, residual| most.max(*residual));
            let g = self.s.slots[code.g as usize + watch].abs();
            let own = &mut self.s.slots[from + watch];
            if g <= most && *own < g {
                *own = g;
            }
        }
    }

    /// The side of a function that does not move between events.
    fn unlocated(&mut self, fragment: FragmentId, index: usize) -> f64 {
        let program = self.program.clone();
        for unit in &program.fragments[fragment.index()].units {
            let unit = &program.units[unit.index()];
            if let Some((from, _)) = unit.crossings.iter().find(|(_, other)| *other == index) {
                run(&unit.tape, &mut self.s.slots);
                let value = self.s.slots[*from as usize];
                self.s.slots[program.crossings[index].value as usize] = value;
                return sign(value);
            }
        }
        0.0
    }

    /// Switches a fragment off, and what is inside it.
    fn leave(&mut self, fragment: FragmentId) {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        self.s.slots[code.active as usize] = 0.0;
        self.s.fragments[fragment.index()].stopped = self.s.tag.time;
        for timer in &code.timers {
            // What was due and not seen is due when the fragment goes on.
            let cells = &program.timers[*timer];
            let woken = program.cell(cells.woken).slot as usize;
            if std::mem::replace(&mut self.s.slots[woken], 0.0) != 0.0 {
                self.s.wakings[*timer] -= 1;
                let wakings = program.cell(cells.wakings).slot as usize;
                self.s.slots[wakings] = self.s.wakings[*timer] as f64;
            }
        }
        let Some(tick) = &mut self.s.tick else { return };
        for event in &code.events {
            let present = &mut self.s.slots[program.cell(*event).slot as usize];
            if std::mem::replace(present, 0.0) != 0.0 {
                tick.present = tick.present.saturating_sub(1);
            }
        }
        for unit in &code.readers {
            tick.dirty[unit.index() / 64] |= 1 << (unit.index() % 64);
        }
        for region in &code.regions {
            tick.regions[region.index()].change();
        }
        for machine in &code.machines {
            let state = &program.machines[*machine].states[self.mode(*machine)];
            self.leave(state.dwell);
            if let Some(content) = state.content {
                self.leave(content);
            }
        }
    }
}
