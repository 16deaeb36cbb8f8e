//! Sides and cells: taken from the value, and where that is zero from the derivatives.

use ir::{JET_ORDER, Jet, Rounded, Slot, run};
use program::{
    Crossing, CrossingKind, Program, RegionProgram, Source, Terms, TrackedId, UnitEffects, UnitId,
};

use base::Tag;

use crate::flow::{all_finite, counted, numbered, room, states, watches};
use crate::native::code;
use crate::rows::Sink;
use crate::simulation::Simulation;
use crate::snapshot::{RegionState, Tick};
use crate::{Event, RunError};

/// How often sides are set again, when a diagram starts, because they depend on each other.
pub(crate) const ROUNDS: usize = 32;

/// The instructions that an interpreter has done by the time that numbers are brought to compiled
/// code and back.
const WORTH_CALLING: usize = 16;

impl Simulation {
    /// Computes the rates of a region's states and the slopes of its crossing functions from the
    /// states in the buffer; with `values`, the functions too.
    pub(crate) fn compute_rates(&mut self, region: usize, values: bool) {
        let program = &self.program.regions[region];
        if !program.prelude.is_empty() {
            run(&program.prelude, &mut self.state.slots);
        }
        if self.compute_compiled_rates(region, values) {
            return;
        }
        let program = &self.program.regions[region];
        run(&program.derivative, &mut self.state.slots);
        let bad = |slots: &[f64], from: u32, n: usize| {
            slots[from as usize..from as usize + n].iter().any(|x| !x.is_finite())
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

    /// The same by compiled code, where there is some and the whole region runs; says whether that
    /// has given numbers, for the interpreter has other functions where it has not. Where the
    /// functions are not wanted, what ticks have made of them stays as it is.
    fn compute_compiled_rates(&mut self, region: usize, values: bool) -> bool {
        let program = &self.program.regions[region];
        let long = program.derivative.len() + program.slopes.len() > WORTH_CALLING;
        let Some(code) = code(&self.native, region).filter(|_| long && program.is_whole()) else {
            return false;
        };
        let (n, watches) = (program.dimension, program.watches.len());
        self.scratch.resize(2 * (n + watches), 0.0);
        let (x, made) = self.scratch.split_at_mut(n);
        let (dx, functions) = made.split_at_mut(n);
        let (g, slopes) = functions.split_at_mut(watches);
        let slots = &mut self.state.slots[..];
        let place = |from: Slot, length: usize| from as usize..from as usize + length;
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

    /// The sides and cells that the crossings of a region take from what is in the buffer, where they
    /// are others than the frozen ones, added to `found`. Nothing is written: all regions look before
    /// one of them changes. Where a tick begins a function may have leapt over zero.
    pub(crate) fn look_at_sides(
        &mut self,
        program: &Program,
        region: usize,
        begins: bool,
        found: &mut Vec<(usize, f64)>,
    ) -> Result<(), RunError> {
        let code = &program.regions[region];
        let leaps = begins && self.state.regions[region].leaps();
        for span in code.slices.iter().filter(|span| span.watches > 0) {
            if !self.runs(span.fragment) || self.is_silenced(span.fragment) {
                continue;
            }
            for watch in span.watch..span.watch + span.watches {
                if !leaps && self.keeps_its_side(code, region, watch) {
                    continue;
                }
                let index = code.watches[watch].crossing;
                // A cell has two watches, and is looked at once.
                if program.crossings[index].watch.is_some_and(|(_, first)| first == watch) {
                    let leap = if leaps { self.leap(region, watch) } else { None };
                    let new = match leap {
                        Some(side) if program.crossings[index].kind == CrossingKind::Sign => side,
                        _ => self.new_frozen(program, region, index)?,
                    };
                    let frozen = program.tracked(program.crossings[index].frozen).slot as usize;
                    if self.state.slots[frozen] != new {
                        found.push((index, new));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a function is on its side by more than a quick bound of its rounding. Most are, and
    /// all of them are looked at.
    #[inline]
    fn keeps_its_side(&self, code: &RegionProgram, region: usize, watch: usize) -> bool {
        let at = |from: Slot| self.state.slots[from as usize + watch];
        let value = at(code.g) * at(code.side);
        code.watches[watch].side
            && value > at(code.residual)
            && value > self.quick_noise(region, code.functions[watch].terms.as_ref())
    }

    /// Sets the sides of some units that are asked for their changes but do not move between events.
    pub(crate) fn set_unlocated(&mut self, units: &[UnitId]) -> bool {
        let program = self.program.clone();
        let mut changed = false;
        for unit in units.iter().map(|unit| &program.units[unit.index()]) {
            let unlocated = |index: usize| program.crossings[index].watch.is_none();
            if !self.runs(unit.fragment) {
                continue;
            }
            if !unit.crossings.iter().any(|(_, index)| unlocated(*index)) {
                continue;
            }
            run(&unit.tape, &mut self.state.slots);
            for (from, index) in unit.crossings.iter().filter(|(_, index)| unlocated(*index)) {
                let crossing = &program.crossings[*index];
                let value = self.state.slots[*from as usize];
                self.state.slots[crossing.value as usize] = value;
                let side = program.tracked(crossing.frozen).slot as usize;
                let new = sign(value);
                changed |= std::mem::replace(&mut self.state.slots[side], new) != new;
            }
        }
        changed
    }

    /// The side or cell that a crossing of a region takes from what is in the buffer.
    pub(crate) fn new_frozen(
        &mut self,
        program: &Program,
        region: usize,
        index: usize,
    ) -> Result<f64, RunError> {
        let crossing = &program.crossings[index];
        let (kind, block) = (crossing.kind, crossing.block);
        let value = self.state.slots[crossing.value as usize];
        let Some((_, watch)) = crossing.watch else { return Ok(sign(value)) };
        if value.is_nan() {
            let tag = Tag { time: self.state.tag.time, microstep: self.state.tag.microstep };
            return Err(RunError::NotFinite { tag, block: self.path(block), id: Some(block) });
        }
        match kind {
            CrossingKind::Sign => {
                let zero = self.is_on_level(program, (region, watch), index, value);
                Ok(if zero { self.direction(region, watch) } else { sign(value) })
            }
            CrossingKind::Floor => {
                if self.is_blurred(program, region, watch) {
                    let tag =
                        Tag { time: self.state.tag.time, microstep: self.state.tag.microstep };
                    return Err(RunError::StepTooSmall {
                        tag,
                        block: self.path(block),
                        id: Some(block),
                    });
                }
                // Next to an edge the value is at it, and goes to the cell that it moves to.
                // Cells have no negative zero, which the sum takes away.
                let edge = value.round() + 0.0;
                Ok(match self.is_on_level(program, (region, watch), index, value) {
                    true if self.direction(region, watch) < 0.0 => edge - 1.0,
                    true => edge,
                    false => value.floor() + 0.0,
                })
            }
        }
    }

    /// Whether a crossing with a value is at zero or at an edge of a cell, but for its residual and
    /// for rounding.
    fn is_on_level(
        &mut self,
        program: &Program,
        (region, watch): (usize, usize),
        index: usize,
        value: f64,
    ) -> bool {
        let residual = program.regions[region].residual as usize + watch;
        let crossing = &program.crossings[index];
        if crossing.kind == CrossingKind::Sign {
            return self.is_zero(program, (region, watch), value, residual);
        }
        let room = self.state.slots[residual].max(self.state.slots[residual + 1]);
        self.state.slots[residual] = room;
        let on_edge = self.is_zero(program, (region, watch), value - value.round(), residual);
        let room = std::mem::replace(&mut self.state.slots[residual], room);
        self.state.slots[crossing.residual as usize] = room;
        on_edge
    }

    /// Looks at what the units of a microstep have read by its value, because that is another than
    /// the frozen one. Where it is a zero but for rounding it gets a residual, and the unit is asked
    /// for again; says whether any is.
    pub(crate) fn read_by_side(&mut self, program: &Program) -> bool {
        let mut again = false;
        for place in 0..self.ran.len() {
            let number = self.ran[place] as usize;
            if !program.effects[number].have(UnitEffects::CROSSINGS) {
                continue;
            }
            for (from, index) in &program.units[number].crossings {
                let crossing = &program.crossings[*index];
                let value = self.state.slots[*from as usize];
                let frozen = self.state.slots[program.tracked(crossing.frozen).slot as usize];
                if !is_read_as(crossing.kind, value, frozen)
                    && self.is_misread(program, (*index, crossing), value, frozen)
                {
                    self.asked[number / 64] |= 1 << (number % 64);
                    again = true;
                }
            }
        }
        again
    }

    /// Whether a value that is not that of the frozen side or cell is at its level all the same.
    #[cold]
    fn is_misread(
        &mut self,
        program: &Program,
        (index, crossing): (usize, &Crossing),
        value: f64,
        frozen: f64,
    ) -> bool {
        let Some((region, watch)) = crossing.watch else { return false };
        let (beyond, next_to_it) = match crossing.kind {
            CrossingKind::Sign => (value.abs(), true),
            CrossingKind::Floor => {
                let edge = value.round();
                ((value - edge).abs(), [frozen, frozen + 1.0].contains(&edge))
            }
        };
        next_to_it
            && beyond > self.state.slots[crossing.residual as usize]
            && self.is_on_level(program, (region.index(), watch), index, value)
    }

    /// Whether a value is zero, but for its residual and for rounding; what rounding may have made
    /// of a zero becomes its residual.
    fn is_zero(
        &mut self,
        program: &Program,
        (region, watch): (usize, usize),
        value: f64,
        residual: usize,
    ) -> bool {
        if value == 0.0 || value.abs() <= self.state.slots[residual] {
            return true;
        }
        let function = &program.regions[region].functions[watch];
        if value.abs() > self.quick_noise(region, function.terms.as_ref()) {
            return false;
        }
        let [rounded, _] = self.rounded(region, watch);
        if value.abs() > rounded.error {
            return false;
        }
        self.state.slots[residual] = rounded.error;
        true
    }

    /// Whether rounding moves a function by more than half a cell, so that none can be told.
    fn is_blurred(&mut self, program: &Program, region: usize, watch: usize) -> bool {
        let terms = program.regions[region].functions[watch].terms.as_ref();
        self.quick_noise(region, terms) > 0.5 && self.rounded(region, watch)[0].error > 0.5
    }

    /// A bound of the rounding of an affine function at this tick, infinite where there is none.
    #[inline]
    fn quick_noise(&self, region: usize, terms: Option<&Terms>) -> f64 {
        let Some(terms) = terms else { return f64::INFINITY };
        let slots = &self.state.slots;
        let time = slots[self.program.time as usize];
        let drift = self.state.regions[region].solver.largest_drift();
        terms.noise(|place| slots[place as usize], time, drift)
    }

    /// A watched function and its time derivative at this tick, with their roundings.
    pub(crate) fn rounded(&mut self, region: usize, watch: usize) -> [Rounded; 2] {
        self.rounded_with(region, watch, true)
    }

    /// The same with the rounding of this instant alone, without what steps have gathered.
    pub(crate) fn rounded_now(&mut self, region: usize, watch: usize) -> [Rounded; 2] {
        self.rounded_with(region, watch, false)
    }

    fn rounded_with(&mut self, region: usize, watch: usize, gathered: bool) -> [Rounded; 2] {
        let (state, code) = (&self.state.regions[region], &self.program.regions[region]);
        let slots = &self.state.slots;
        let drift = Gathered::new(code, state, self.state.tick.as_deref(), slots);
        let time = slots[self.program.time as usize];
        let at = |slot: usize| Rounded::entering(slots[slot], 0.0);
        let room = room(&mut self.functions[region], code, watch);
        self.program.round((region, watch), room, |source| match source {
            Source::Time => Rounded::entering(time, 0.0),
            Source::Frozen(slot) => at(slot as usize),
            Source::Rate(i) => at(code.rate as usize + i),
            Source::State(i) => {
                let drift = if gathered { drift.of(i) } else { 0.0 };
                Rounded::entering(slots[code.state as usize + i], drift)
            }
        })
    }

    /// The sign of the first time derivative of a watched function that does not vanish, but for
    /// rounding.
    fn direction(&mut self, region: usize, watch: usize) -> f64 {
        let code = &self.program.regions[region];
        let slope = self.state.slots[code.g_rate as usize + watch];
        let terms = code.functions[watch].rate_terms.as_ref();
        if slope.abs() > self.quick_noise(region, terms) {
            return sign(slope);
        }
        if slope != 0.0 {
            let [_, rounded] = self.rounded(region, watch);
            if slope.abs() > rounded.error {
                return sign(slope);
            }
        }
        self.higher_direction(region, watch)
    }

    /// The same from the second derivative on, by Taylor coefficients of the solution: the k-th
    /// coefficient of the rates gives the next of the states.
    #[cold]
    fn higher_direction(&mut self, region: usize, watch: usize) -> f64 {
        let program = &self.program.regions[region];
        let entering = |x: f64| Rounded::entering(x, 0.0);
        self.jets.clear();
        self.jets.extend(self.state.slots.iter().map(|x| Jet::still(entering(*x))));
        let time = self.program.time as usize;
        self.jets[time] = Jet::time(entering(self.state.slots[time]));
        for index in &program.lines {
            let line = &self.program.lines[*index];
            let (Some(track), Some(zero)) = (&line.track, self.line_zero(*index)) else { continue };
            let past = self.state.tag.time - zero.time() - line.delay.time();
            for i in 0..track.width {
                let mut jet = self.state.histories[region].jet_after(past, track, i);
                jet.0[0] = self.state.slots[track.place as usize + i];
                self.jets[track.place as usize + i] = Jet(jet.0.map(entering));
            }
        }
        let (state, rate) = (program.state as usize, program.rate as usize);
        let tick = self.state.tick.as_deref();
        let drift = Gathered::new(program, &self.state.regions[region], tick, &self.state.slots);
        for place in 0..program.dimension {
            self.jets[state + place].0[0].error += drift.of(place);
        }
        for k in 0..JET_ORDER {
            run(&program.derivative, &mut self.jets);
            for i in 0..program.dimension {
                let coefficient = self.jets[rate + i].0[k];
                self.jets[state + i].0[k + 1] = coefficient.scaled_down((k + 1) as f64);
            }
        }
        run(&program.crossings, &mut self.jets);
        self.jets[program.g as usize + watch].leading_sign(1)
    }

    /// Updates the sides and cells of the regions that a tick has touched, after the commit of a
    /// microstep; a change asks for the next one.
    #[inline]
    pub(crate) fn settle_sides(
        &mut self,
        program: &Program,
        microstep: u32,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let unsettled = |tick: &mut Box<Tick>| std::mem::replace(&mut tick.unsettled, false);
        match self.state.tick.as_mut().is_some_and(unsettled) {
            true => self.settle(program, microstep, sink),
            false => Ok(()),
        }
    }

    /// Whether a region has to take its sides anew.
    #[inline]
    fn is_unsettled(&self, program: &Program, region: usize) -> bool {
        let touched = self.state.tick.as_ref().map(|tick| tick.region(region));
        touched.is_some_and(|touched| touched.touched && touched.unsettled)
            && !program.regions[region].watches.is_empty()
    }

    #[inline(never)]
    fn settle(
        &mut self,
        program: &Program,
        microstep: u32,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.looked.clear();
        for place in 0..self.state.tick.as_mut().map_or(0, |tick| tick.order_involved()) {
            let Some(tick) = &mut self.state.tick else { return Ok(()) };
            let region = tick.involved(place);
            if !self.is_unsettled(program, region) {
                continue;
            }
            let Some(tick) = &mut self.state.tick else { return Ok(()) };
            let touched = tick.involve(region);
            touched.unsettled = false;
            let stale = std::mem::replace(&mut touched.stale, false);
            if microstep == 0 || stale {
                self.compute_rates(region, microstep == 0);
            }
            if microstep == 0 {
                self.count_located_as_zero(region);
            }
            self.looked.push(region);
            self.look_at_sides(program, region, microstep == 0, &mut found)?;
        }
        self.look_behind_kinks(program, microstep, &mut found)?;
        for (index, new) in &found {
            self.freeze(program, *index, *new, microstep, sink);
        }
        self.found = found;
        Ok(())
    }

    /// Where a kink has changed its side, everything else that is zero goes the way that it has under
    /// the new one: `floor(max(0, x))` stays at 0 where x falls through zero. The value of what a
    /// kink selects does not jump, so that this cannot go in circles as with other comparisons.
    fn look_behind_kinks(
        &mut self,
        program: &Program,
        microstep: u32,
        found: &mut Vec<(usize, f64)>,
    ) -> Result<(), RunError> {
        let is_kink = |(index, _): &(usize, f64)| program.crossings[*index].kink;
        if !found.iter().any(is_kink) {
            return Ok(());
        }
        found.retain(is_kink);
        let place = |index: usize| program.tracked(program.crossings[index].frozen).slot as usize;
        let kinks: Vec<(usize, f64, f64)> = found
            .iter()
            .map(|(index, new)| (*index, self.state.slots[place(*index)], *new))
            .collect();
        kinks.iter().for_each(|(index, _, new)| self.state.slots[place(*index)] = *new);
        let mut again = Vec::new();
        for at in 0..self.looked.len() {
            self.compute_rates(self.looked[at], microstep == 0);
            self.look_at_sides(program, self.looked[at], microstep == 0, &mut again)?;
        }
        kinks.iter().for_each(|(index, old, _)| self.state.slots[place(*index)] = *old);
        again.retain(|crossing| !is_kink(crossing));
        found.append(&mut again);
        Ok(())
    }

    /// A function that was located at this time counts as zero. The solver has seen it at an offset
    /// from the start of the phase, and here it is a function of the time itself, whose last places
    /// are coarser; the residual takes the difference in.
    fn count_located_as_zero(&mut self, region: usize) {
        let (state, code) = (&self.state.regions[region], &self.program.regions[region]);
        let here = self.state.tick.as_ref().is_some_and(|tick| tick.time == state.reached);
        if !state.crossing || !here {
            return;
        }
        for located in state.solver.crossed().iter().filter(|located| located.leap == 0.0) {
            let watch = numbered(watches(&state.ranges), located.function);
            let g = self.state.slots[code.g as usize + watch].abs();
            let residual = &mut self.state.slots[code.residual as usize + watch];
            if *residual < g && g.is_finite() {
                *residual = g;
            }
        }
    }

    /// Gives a crossing its new side or cell, and an event where that is another one.
    pub(crate) fn freeze(
        &mut self,
        program: &Program,
        index: usize,
        new: f64,
        microstep: u32,
        sink: &mut dyn Sink,
    ) {
        let crossing = &program.crossings[index];
        let slot = program.tracked(crossing.frozen).slot as usize;
        let old = std::mem::replace(&mut self.state.slots[slot], new);
        if old == new {
            return;
        }
        self.mark_next(program, crossing.frozen);
        if sink.listens() {
            let (tag, block) = (self.state.tag, crossing.block);
            sink.event(Event::Side { tag, block, from: old, to: new });
        }
        // To become zero is no crossing yet; to leave zero is one.
        if let Some(crossed) = crossing.crossed.filter(|_| new != 0.0) {
            self.state.slots[program.tracked(crossed).slot as usize] = new - old;
            self.pulse(program, crossed);
        }
        if microstep == 0
            && let Some(tick) = &self.state.tick
        {
            let time = tick.time;
            self.watch_accumulation(program, index, new, time);
        }
    }

    /// Makes a cell go back to zero after the coming microstep.
    pub(crate) fn pulse(&mut self, program: &Program, cell: TrackedId) {
        self.mark_next(program, cell);
        if let Some(tick) = &mut self.state.tick {
            tick.pulses.push(cell);
        }
    }
}

/// The rounding that steps have gathered in the states of a region.
struct Gathered<'a> {
    state: &'a RegionState,
    /// The states of the region in the buffer.
    own: &'a [f64],
    /// Whether the solver stands where the tick is, so that what has another value now was set.
    here: bool,
}

impl<'a> Gathered<'a> {
    fn new(
        code: &RegionProgram,
        state: &'a RegionState,
        tick: Option<&Tick>,
        slots: &'a [f64],
    ) -> Gathered<'a> {
        let here = tick.is_some_and(|tick| tick.time == state.reached);
        let from = code.state as usize;
        Gathered { state, own: &slots[from..from + code.dimension], here }
    }

    /// That of a state, by its number in the region; none where this tick has set it.
    fn of(&self, place: usize) -> f64 {
        let Some(number) = counted(states(&self.state.ranges), place) else { return 0.0 };
        let solver = &self.state.solver;
        let set = self.here && self.own[place].to_bits() != solver.state()[number].to_bits();
        if set { 0.0 } else { solver.drift(number) }
    }
}

/// Whether a value is that of a side or cell.
#[inline]
fn is_read_as(kind: CrossingKind, value: f64, frozen: f64) -> bool {
    match kind {
        CrossingKind::Sign => value * frozen > 0.0,
        CrossingKind::Floor => value.floor() == frozen,
    }
}

pub(crate) fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}
