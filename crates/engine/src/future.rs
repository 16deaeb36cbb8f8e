//! What decides how a run goes on, apart from how it came there.

use program::tape::{Slot, Tape};
use program::{Program, RegionProgram, TransitionValue, Unit};

use crate::simulation::Simulation;
use crate::snapshot::{Counters, Snapshot};

impl Simulation {
    /// Everything that decides how the run goes on, and nothing of how it came there: two runs that
    /// agree in this have the same future. Counters, warnings and results of tapes that are computed
    /// again before anything reads them do not count.
    pub fn future(&self) -> Snapshot {
        let mut state = self.snapshot().clone();
        state.machines.choices = None;
        state.machines.draws.iter_mut().for_each(|draws| *draws = 0);
        state.firings.iter_mut().for_each(|count| *count = 0);
        state.counters = Counters::default();
        state.warnings.clear();
        state.switches.clear();
        if !self.is_in_tick() {
            clear_passing(self.program(), &mut state.slots);
        }
        state
    }
}

/// Clears the slots of numbers that are computed again before anything reads them.
fn clear_passing(program: &Program, slots: &mut [f64]) {
    let mut clear = |from: Slot, length: usize| slots[from.range(length)].fill(0.0);
    for unit in &program.units {
        clear_unit(program, unit, &mut clear);
    }
    for region in &program.regions {
        clear_region(region, &mut clear);
    }
    let states = program.machines.iter().flat_map(|machine| &machine.states);
    for transition in states.flat_map(|state| &state.transitions) {
        let values = transition.sets.iter().map(|set| &set.value);
        let said = transition.says.iter().map(|(_, value)| value);
        for value in transition.guards.iter().chain(values).chain(said) {
            clear_value(value, &mut clear);
        }
    }
}

type Clear<'a> = dyn FnMut(Slot, usize) + 'a;

fn clear_tape(tape: &Tape, clear: &mut Clear) {
    tape.temporaries().iter().for_each(|(from, length)| clear(*from, *length as usize));
}

fn clear_unit(program: &Program, unit: &Unit, clear: &mut Clear) {
    clear_tape(&unit.tape, clear);
    unit.outputs.iter().for_each(|output| clear(output.from, output.length as usize));
    unit.crossings.iter().for_each(|crossing| clear(crossing.from, 1));
    for next in &unit.nexts {
        clear(next.from, program.tracked(program.states[next.state].tracked).length);
    }
}

fn clear_region(region: &RegionProgram, clear: &mut Clear) {
    let tapes = [&region.derivative, &region.crossings, &region.slopes, &region.left];
    tapes.into_iter().for_each(|tape| clear_tape(tape, clear));
    clear(region.rate, region.dimension);
    clear(region.g_rate, region.watches.len());
}

fn clear_value(value: &TransitionValue, clear: &mut Clear) {
    clear_tape(&value.tape, clear);
    clear(value.value, value.length);
    clear(value.present, 1);
}
