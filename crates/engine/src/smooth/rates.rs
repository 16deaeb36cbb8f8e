//! The rates of a region and the slopes of its crossing functions, at a tick.

use program::RegionId;
use program::tape::{Slot, run};

use crate::engine::Engine;
use crate::native::code;
use crate::smooth::flow::all_finite;

/// The number of instructions that the interpreter executes in the time that it takes to copy
/// values to compiled code and back.
const WORTH_CALLING: usize = 16;

impl Engine<'_> {
    /// Computes the rates of a region's states and the slopes of its crossing functions from the
    /// states in the buffer; with `values`, the functions too.
    pub(crate) fn compute_rates(&mut self, region: RegionId, values: bool) {
        let program = &self.program.regions[region];
        if !program.prelude.is_empty() {
            run(&program.prelude, &mut self.state.slots);
        }
        let slides = !self.state.regions[region].surfaces.is_empty();
        if !slides && self.compute_compiled_rates(region, values) {
            return;
        }
        let program = &self.program.regions[region];
        match slides {
            true => self.combine_rates(region),
            false => run(&program.derivative, &mut self.state.slots),
        }
        let bad = |slots: &[f64], from: Slot, n: usize| {
            slots[from.range(n)].iter().any(|x| !x.is_finite())
        };
        let (n, watches) = (program.dimension, program.watches.len());
        if bad(&self.state.slots, program.rate, n) && !program.live.derivative.is_empty() {
            run(&program.live.derivative, &mut self.state.slots);
        }
        run(if values { &program.crossings } else { &program.slopes }, &mut self.state.slots);
        if bad(&self.state.slots, program.g_rate, watches) && values {
            run(&program.live.crossings, &mut self.state.slots);
        }
    }

    /// The same by compiled code, if there is any and the whole region runs. Returns whether the
    /// results are finite; otherwise the interpreter has other functions for them. Without
    /// `values`, the values that ticks have given the functions stay unchanged.
    fn compute_compiled_rates(&mut self, region: RegionId, values: bool) -> bool {
        let program = &self.program.regions[region];
        let long = program.derivative.len() + program.slopes.len() > WORTH_CALLING;
        let Some(code) = code(self.native, region).filter(|_| long && program.is_whole()) else {
            return false;
        };
        let (n, watches) = (program.dimension, program.watches.len());
        self.scratch.numbers.resize(2 * (n + watches), 0.0);
        let (x, made) = self.scratch.numbers.split_at_mut(n);
        let (dx, functions) = made.split_at_mut(n);
        let (g, slopes) = functions.split_at_mut(watches);
        let slots = &mut self.state.slots[..];
        let place = |from: Slot, length: usize| from.range(length);
        x.copy_from_slice(&slots[place(program.state, n)]);
        code.derivative(slots, x, dx);
        slots[place(program.rate, n)].copy_from_slice(dx);
        if !values {
            run(&program.slopes, slots);
            return all_finite(dx);
        }
        code.crossings(slots, x, dx, g, slopes);
        slots[place(program.g, watches)].copy_from_slice(g);
        slots[place(program.g_rate, watches)].copy_from_slice(slopes);
        all_finite(dx) && all_finite(slopes)
    }
}
