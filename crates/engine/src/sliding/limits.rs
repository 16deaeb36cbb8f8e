//! The signals of a region that slides: combinations of their values on both sides.

use program::tape::{Dual, Jet, run};
use program::{Profile, RegionId, Source, WatchId};

use super::weights::{solve, solve_moving};
use super::{Surface, put_all};
use crate::RunError;
use crate::engine::Engine;
use crate::native::code;
use crate::rows::Sink;
use crate::smooth::flow::room;

impl Engine<'_> {
    /// Runs the left tape of a region. While it slides, numbers are combined from those on both
    /// sides; truth values are those on the surface itself.
    #[inline]
    pub(crate) fn run_left(&mut self, region: RegionId) {
        match self.state.regions[region].surfaces.is_empty() {
            true => self.run_left_once(region),
            false => self.combine_left(region),
        }
    }

    #[cold]
    fn combine_left(&mut self, region: RegionId) {
        let (sides, combined) = {
            let code = &self.program.regions[region];
            (code.side, &code.combined)
        };
        let weights = self.weights_here(region);
        let surfaces = std::mem::take(&mut self.state.regions[region].surfaces);
        let gather = |slots: &[f64]| -> Vec<f64> {
            combined.iter().flat_map(|(from, length)| slots[from.range(*length)].to_vec()).collect()
        };
        put_all(&surfaces, &mut self.state.slots, sides, -1.0);
        self.run_left_once(region);
        let below = gather(&self.state.slots);
        let mut sum = below.clone();
        for (surface, weight) in surfaces.iter().zip(weights) {
            surface.put(&mut self.state.slots, sides, 1.0);
            self.run_left_once(region);
            let above = gather(&self.state.slots);
            surface.put(&mut self.state.slots, sides, -1.0);
            for ((sum, above), below) in sum.iter_mut().zip(above).zip(&below) {
                *sum += weight * (above - below);
            }
        }
        put_all(&surfaces, &mut self.state.slots, sides, 0.0);
        self.run_left_once(region);
        let mut rest = &sum[..];
        for (from, length) in combined {
            let (own, others) = rest.split_at(*length);
            self.state.slots[from.range(*length)].copy_from_slice(own);
            rest = others;
        }
        self.state.regions[region].surfaces = surfaces;
    }

    #[inline]
    fn run_left_once(&mut self, region: RegionId) {
        let live = &self.program.regions[region].live.left;
        if self.options.profile == Profile::Ptolemy && !live.is_empty() {
            return run(live, &mut self.state.slots);
        }
        match code(self.native, region) {
            Some(code) => code.left(&mut self.state.slots),
            None => run(&self.program.regions[region].left, &mut self.state.slots),
        }
    }

    /// The slope of a watched function along the flow, with states and sides in the buffer.
    fn slope_here(&mut self, watch: WatchId) -> f64 {
        let (slots, code) = (&self.state.slots, &self.program.regions[watch.region]);
        let room = room(&mut self.scratch.functions[watch.region], code, watch.index);
        let [_, slope] = self.program.follow(watch, room, |source| match source {
            Source::Time => slots[self.program.time.index()],
            Source::State(i) => slots[code.state.index() + i],
            Source::Rate(i) => slots[code.rate.index() + i],
            Source::Frozen(slot) => slots[slot.index()],
        });
        slope
    }

    /// The weights of the surfaces of a region at the states in the buffer; NaN if there are none.
    fn weights_here(&mut self, region: RegionId) -> Vec<f64> {
        let sides = self.program.regions[region].side;
        let surfaces = std::mem::take(&mut self.state.regions[region].surfaces);
        let k = surfaces.len();
        put_all(&surfaces, &mut self.state.slots, sides, -1.0);
        let watch = |index: usize| WatchId { region, index };
        let below: Vec<f64> =
            surfaces.iter().map(|surface| self.slope_here(watch(surface.watch()))).collect();
        let mut matrix = vec![0.0; k * k];
        for (column, surface) in surfaces.iter().enumerate() {
            surface.put(&mut self.state.slots, sides, 1.0);
            for (row, other) in surfaces.iter().enumerate() {
                let above = self.slope_here(watch(other.watch()));
                matrix[row * k + column] = above - below[row];
            }
            surface.put(&mut self.state.slots, sides, -1.0);
        }
        put_all(&surfaces, &mut self.state.slots, sides, 0.0);
        self.state.regions[region].surfaces = surfaces;
        let mut weights: Vec<f64> = below.iter().map(|slope| -slope).collect();
        if !solve(&mut matrix, &mut weights) {
            weights.fill(f64::NAN);
        }
        weights
    }

    /// The weights of the surfaces of a region and how they move along the combined rates.
    pub(crate) fn moving_weights(&mut self, region: RegionId) -> Vec<Dual> {
        self.combine_rates(region);
        let surfaces = std::mem::take(&mut self.state.regions[region].surfaces);
        let (k, sides) = (surfaces.len(), self.program.regions[region].side);
        let watch = |surface: &Surface| WatchId { region, index: surface.watch() };
        put_all(&surfaces, &mut self.state.slots, sides, -1.0);
        let below: Vec<Dual> =
            surfaces.iter().map(|surface| self.moving_slope(watch(surface))).collect();
        let mut matrix = vec![Dual::still(0.0); k * k];
        for (column, surface) in surfaces.iter().enumerate() {
            surface.put(&mut self.state.slots, sides, 1.0);
            for (row, other) in surfaces.iter().enumerate() {
                let above = self.moving_slope(watch(other));
                let change = std::array::from_fn(|i| above.0[i] - below[row].0[i]);
                matrix[row * k + column] = Jet(change);
            }
            surface.put(&mut self.state.slots, sides, -1.0);
        }
        put_all(&surfaces, &mut self.state.slots, sides, 0.0);
        self.state.regions[region].surfaces = surfaces;
        solve_moving(&below, &matrix)
    }

    /// The slope of a watched function along the flow, and how it moves along the rates in the
    /// buffer.
    fn moving_slope(&mut self, watch: WatchId) -> Dual {
        let (slots, code) = (&self.state.slots, &self.program.regions[watch.region]);
        let room = room(&mut self.scratch.functions[watch.region], code, watch.index);
        let [_, slope] = self.program.follow(watch, room, |source| match source {
            Source::Time => Dual::time(slots[self.program.time.index()]),
            Source::State(i) => Jet([slots[code.state.index() + i], slots[code.rate.index() + i]]),
            Source::Rate(i) => Dual::still(slots[code.rate.index() + i]),
            Source::Frozen(slot) => Dual::still(slots[slot.index()]),
        });
        slope
    }

    /// Computes the combined rates of a region that slides, from the states in the buffer, to the
    /// slots of rates.
    pub(crate) fn combine_rates(&mut self, region: RegionId) {
        let weights = self.weights_here(region);
        let code = &self.program.regions[region];
        let (sides, rates) = (code.side, code.rate.range(code.dimension));
        let surfaces = std::mem::take(&mut self.state.regions[region].surfaces);
        let slots = &mut self.state.slots;
        put_all(&surfaces, slots, sides, -1.0);
        run(&code.derivative, slots);
        let below = slots[rates.clone()].to_vec();
        let mut sum = below.clone();
        for (surface, weight) in surfaces.iter().zip(weights) {
            surface.put(slots, sides, 1.0);
            run(&code.derivative, slots);
            surface.put(slots, sides, -1.0);
            for ((sum, above), below) in sum.iter_mut().zip(&slots[rates.clone()]).zip(&below) {
                *sum += weight * (above - below);
            }
        }
        put_all(&surfaces, slots, sides, 0.0);
        slots[rates].copy_from_slice(&sum);
        self.state.regions[region].surfaces = surfaces;
    }

    /// At the end of a tick, the last microstep of regions that slide: their signals become the
    /// combinations under the new state. It has a row if that changes any of them.
    #[inline]
    pub(crate) fn combine_signals(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let Some(tick) = &self.state.tick else { return Ok(()) };
        let slides = |region: &RegionId| !self.state.regions[*region].surfaces.is_empty();
        match tick.all_involved().iter().any(slides) {
            true => self.combine_changed(sink),
            false => Ok(()),
        }
    }

    #[cold]
    fn combine_changed(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let tag = base::Tag::new(tick.time, tick.microstep);
        let mut changed = false;
        for place in 0..tick.order_involved() {
            let Some(tick) = &mut self.state.tick else { break };
            let region = tick.involved(place);
            let own = tick.region(region);
            if !own.changed || self.state.regions[region].surfaces.is_empty() {
                continue;
            }
            let code = &self.program.regions[region];
            let bits = |slots: &[f64]| -> Vec<u64> {
                let of = |(from, length): &(program::tape::Slot, usize)| {
                    slots[from.range(*length)].iter().map(|x| x.to_bits()).collect::<Vec<_>>()
                };
                code.combined.iter().flat_map(of).collect()
            };
            let before = bits(&self.state.slots);
            self.run_left(region);
            self.check_finite(region, tag)?;
            changed |= before != bits(&self.state.slots);
        }
        if !changed {
            return Ok(());
        }
        if let Some(tick) = &mut self.state.tick {
            tick.microstep += 1;
        }
        self.state.counters.microsteps += 1;
        self.cover_touched(sink);
        self.write_row(tag, sink);
        Ok(())
    }
}
