//! Whether a function is zero up to rounding, and to which side it leaves zero.

use base::Time;
use program::tape::{JET_ORDER, Jet, Rounded, run};
use program::{CrossingId, CrossingKind, Profile, RegionId, RegionProgram, Source, Terms, WatchId};

use super::sign;
use crate::engine::Engine;
use crate::smooth::flow::{counted, room, states};
use crate::smooth::region::RegionState;

impl Engine<'_> {
    /// Whether a crossing with a value is at zero or at an edge of a floor, up to its residual and
    /// rounding.
    pub(crate) fn is_on_level(&mut self, watch: WatchId, id: CrossingId, value: f64) -> bool {
        let program = self.program;
        if self.options.profile == Profile::Ptolemy {
            // Values are taken as they are there.
            return value == 0.0;
        }
        let residual = program.regions[watch.region].residual.index() + watch.index;
        let crossing = &program.crossings[id];
        if crossing.kind == CrossingKind::Sign {
            return self.is_zero(watch, value, residual);
        }
        let room = self.state.slots[residual].max(self.state.slots[residual + 1]);
        self.state.slots[residual] = room;
        let on_edge = self.is_zero(watch, value - value.round(), residual);
        let room = std::mem::replace(&mut self.state.slots[residual], room);
        self.state.slots[crossing.residual.index()] = room;
        on_edge
    }

    /// Whether a value is zero, up to its residual and rounding. If only rounding explains the
    /// value, its error bound becomes the residual.
    fn is_zero(&mut self, watch: WatchId, value: f64, residual: usize) -> bool {
        let program = self.program;
        if value.is_infinite() {
            return false;
        }
        if value == 0.0 || value.abs() <= self.state.slots[residual] {
            return true;
        }
        let function = &program.regions[watch.region].functions[watch.index];
        if value.abs() > self.quick_noise(watch.region, function.terms.as_ref()) {
            return false;
        }
        let [rounded, _] = self.rounded(watch);
        if value.abs() > rounded.error {
            return false;
        }
        self.state.slots[residual] = rounded.error;
        true
    }

    /// Whether rounding moves a function by more than 1/2, so that its floor is indeterminate.
    pub(crate) fn is_blurred(&mut self, watch: WatchId) -> bool {
        let program = self.program;
        let terms = program.regions[watch.region].functions[watch.index].terms.as_ref();
        self.quick_noise(watch.region, terms) > 0.5 && self.rounded(watch)[0].error > 0.5
    }

    /// A bound of the rounding of an affine function at this tick; infinite if there is none.
    #[inline]
    pub(crate) fn quick_noise(&self, region: RegionId, terms: Option<&Terms>) -> f64 {
        let Some(terms) = terms else { return f64::INFINITY };
        let slots = &self.state.slots;
        let time = slots[self.program.time.index()];
        let drift = self.state.regions[region].solver.largest_drift();
        terms.noise(|place| slots[place.index()], time, drift)
    }

    /// A watched function and its time derivative at this tick, with their roundings.
    pub(crate) fn rounded(&mut self, watch: WatchId) -> [Rounded; 2] {
        self.rounded_with(watch, true)
    }

    /// The same with the rounding of this instant alone, without what steps have accumulated: how
    /// fine the grid is on which states and time move.
    pub(crate) fn rounded_now(&mut self, watch: WatchId) -> [Rounded; 2] {
        self.rounded_with(watch, false)
    }

    fn rounded_with(&mut self, watch: WatchId, gathered: bool) -> [Rounded; 2] {
        let region = watch.region;
        let (state, code) = (&self.state.regions[region], &self.program.regions[region]);
        let slots = &self.state.slots;
        let drift = Gathered::new(code, state, self.tick_time(), slots);
        let time = slots[self.program.time.index()];
        let at = |slot: usize| Rounded::entering(slots[slot], 0.0);
        let room = room(&mut self.scratch.functions[region], code, watch.index);
        self.program.follow(watch, room, |source| match source {
            Source::Time if gathered => Rounded::entering(time, 0.0),
            Source::Time => Rounded::moved(time),
            Source::Frozen(slot) => at(slot.index()),
            Source::Rate(i) => at(code.rate.index() + i),
            Source::State(i) if gathered => {
                Rounded::entering(slots[code.state.index() + i], drift.of(i))
            }
            Source::State(i) => Rounded::moved(slots[code.state.index() + i]),
        })
    }

    /// The sign of the first nonzero time derivative of a watched function, up to rounding.
    pub(crate) fn direction(&mut self, watch: WatchId) -> f64 {
        let code = &self.program.regions[watch.region];
        let slope = self.state.slots[code.g_rate.index() + watch.index];
        let terms = code.functions[watch.index].rate_terms.as_ref();
        if slope.abs() > self.quick_noise(watch.region, terms) {
            return sign(slope);
        }
        if slope != 0.0 {
            let [_, rounded] = self.rounded(watch);
            if slope.abs() > rounded.error {
                return sign(slope);
            }
        }
        self.higher_direction(watch)
    }

    /// The same from the second derivative on, by Taylor coefficients of the solution: the k-th
    /// coefficient of the rates gives the next one of the states.
    #[cold]
    pub(crate) fn higher_direction(&mut self, watch: WatchId) -> f64 {
        let region = watch.region;
        let program = &self.program.regions[region];
        let entering = |x: f64| Rounded::entering(x, 0.0);
        self.scratch.jets.clear();
        self.scratch.jets.extend(self.state.slots.iter().map(|x| Jet::still(entering(*x))));
        let time = self.program.time.index();
        self.scratch.jets[time] = Jet::time(entering(self.state.slots[time]));
        for index in &program.lines {
            let line = &self.program.lines[*index];
            let (Some(track), Some(zero)) = (&line.track, self.line_zero(*index)) else { continue };
            if line.reading.is_some() {
                continue;
            }
            let past = self.state.tag.time - zero.time() - line.delay.time();
            for i in 0..track.width {
                let mut jet = self.state.regions[region].history.jet_after(past, track, i);
                jet.0[0] = self.state.slots[track.place.index() + i];
                self.scratch.jets[track.place.index() + i] = Jet(jet.0.map(entering));
            }
        }
        let (state, rate) = (program.state.index(), program.rate.index());
        let drift = Gathered::new(
            program,
            &self.state.regions[region],
            self.tick_time(),
            &self.state.slots,
        );
        for place in 0..program.dimension {
            self.scratch.jets[state + place].0[0].error += drift.of(place);
        }
        for k in 0..JET_ORDER {
            self.read_jets(region);
            let program = &self.program.regions[region];
            run(&program.derivative, &mut self.scratch.jets);
            for i in 0..program.dimension {
                let coefficient = self.scratch.jets[rate + i].0[k];
                self.scratch.jets[state + i].0[k + 1] = coefficient.scaled_down((k + 1) as f64);
            }
        }
        self.read_jets(region);
        let program = &self.program.regions[region];
        run(&program.crossings, &mut self.scratch.jets);
        self.scratch.jets[program.g.index() + watch.index].leading_sign(1)
    }

    /// Reads the past with delays that are signals, as far as the Taylor coefficients of those are
    /// known.
    fn read_jets(&mut self, region: RegionId) {
        let program = self.program;
        for stage in &program.regions[region].readings {
            run(&stage.tape, &mut self.scratch.jets);
            for (id, _) in &stage.lines {
                let line = &program.lines[*id];
                let (Some(track), Some(reading)) = (&line.track, line.reading) else { continue };
                let Some(zero) = self.line_zero(*id) else { continue };
                let now = (self.state.now - zero).time();
                let bounds = self.state.delays.lines[*id].bounds();
                let delay = Jet(self.scratch.jets[reading.read.index()].0.map(|x| x.value));
                for i in 0..track.width {
                    let history = &self.state.regions[region].history;
                    let mut jet = history.jet_at(now, bounds, delay, track, i);
                    jet.0[0] = self.state.slots[track.place.index() + i];
                    self.scratch.jets[track.place.index() + i] =
                        Jet(jet.0.map(|x| Rounded::entering(x, 0.0)));
                }
            }
        }
    }
}

/// The rounding that steps have accumulated in the states of a region.
struct Gathered<'a> {
    state: &'a RegionState,
    /// The states of the region in the buffer.
    own: &'a [f64],
    /// Whether the solver is at the time of the tick, so that a state with another value has been
    /// set.
    here: bool,
}

impl<'a> Gathered<'a> {
    fn new(
        code: &RegionProgram,
        state: &'a RegionState,
        tick: Option<Time>,
        slots: &'a [f64],
    ) -> Gathered<'a> {
        let here = tick == Some(state.reached);
        let from = code.state.index();
        Gathered { state, own: &slots[from..from + code.dimension], here }
    }

    /// The rounding of a state, by its index in the region; zero if this tick has set it.
    fn of(&self, place: usize) -> f64 {
        let Some(number) = counted(states(&self.state.ranges), place) else { return 0.0 };
        let solver = &self.state.solver;
        let set = self.here && self.own[place].to_bits() != solver.state()[number].to_bits();
        if set { 0.0 } else { solver.drift(number) }
    }
}
