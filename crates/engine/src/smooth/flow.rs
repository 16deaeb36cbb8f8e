//! A region between events, as the solver sees it.

use base::{Interval, Table, Time};
use program::tape::{Rounded, Slot, run, run_active};
use program::{
    DelayLine, EventCrossing, LineId, Program, RegionId, RegionProgram, Room, Source, WatchId,
};
use solver::{At, CrossingRole, Enclosure, GuardTrial, Noise, Pattern, System, Trial, wide};

use crate::delays::history::RegionHistory;
use crate::native::RegionCode;
use crate::rest::Rest;
use crate::sliding::Slide;
use crate::smooth::active::ActiveTapes;
use crate::smooth::region::ActiveSlice;
use crate::smooth::rounds::Rounds;

/// The watched functions of a region whose bounds or roundings have been computed.
pub(crate) type Functions = Vec<Room>;

/// The smallest difference of times \[s\]: ticks happen at whole attoseconds.
const ATTOSECOND: f64 = 1e-18;

/// The smooth functions of a region over the buffer.
pub(crate) struct Flow<'a> {
    pub program: &'a RegionProgram,
    pub whole_program: &'a Program,
    pub region: RegionId,
    pub functions: &'a mut Functions,
    /// The slices that run.
    pub ranges: &'a [ActiveSlice],
    /// The tapes that run.
    pub active: &'a ActiveTapes,
    pub slots: &'a mut [f64],
    pub time: Slot,
    /// The start of the phase, and the same \[s\].
    pub start: Time,
    pub origin: f64,
    lines: &'a Table<LineId, DelayLine>,
    history: &'a mut RegionHistory,
    pub code: Option<&'a dyn RegionCode>,
    /// Whether the solver has all states of the region.
    pub whole: bool,
    /// The surfaces along which the region slides.
    pub slide: Option<Slide<'a>>,
    /// The functions at rest.
    pub rests: &'a [Rest],
    /// Whether comparisons are read from their values and not from their frozen sides.
    live: bool,
    /// What is recorded at every evaluation, if that is asked for.
    pub rounds: Option<&'a mut Rounds>,
}

/// Copies values of the solver to the slots of the slices that run, counted from `from`.
pub(crate) fn scatter(slots: &mut [f64], from: Slot, places: Places, x: &[f64]) {
    let mut rest = x;
    for (offset, length) in places {
        let (own, others) = rest.split_at(length);
        let from = from.index() + offset;
        slots[from..from + length].copy_from_slice(own);
        rest = others;
    }
}

/// Copies the values of the slices that run, counted from `from`, to the solver.
pub(crate) fn gather(slots: &[f64], from: Slot, places: Places, x: &mut [f64]) {
    let mut rest = x;
    for (offset, length) in places {
        let (own, others) = rest.split_at_mut(length);
        let from = from.index() + offset;
        own.copy_from_slice(&slots[from..from + length]);
        rest = others;
    }
}

/// Offsets and lengths of contiguous values.
pub(crate) type Places<'a> =
    std::iter::Map<std::slice::Iter<'a, ActiveSlice>, fn(&ActiveSlice) -> (usize, usize)>;

/// The positions of the running states among those of a region.
pub(crate) fn states(ranges: &[ActiveSlice]) -> Places<'_> {
    ranges.iter().map(|range| (range.state, range.states))
}

/// The positions of the running watched functions among those of a region.
pub(crate) fn watches(ranges: &[ActiveSlice]) -> Places<'_> {
    ranges.iter().map(|range| (range.watch, range.watches))
}

/// The index at the solver of an index in the region, if it runs.
pub(crate) fn counted(places: Places, index: usize) -> Option<usize> {
    let mut before = 0;
    for (offset, length) in places {
        if (offset..offset + length).contains(&index) {
            return Some(before + index - offset);
        }
        before += length;
    }
    None
}

/// Space for the values of a watched function.
pub(crate) fn room<'f>(
    functions: &'f mut Functions,
    program: &RegionProgram,
    watch: usize,
) -> &'f mut Room {
    if functions.is_empty() {
        functions.resize_with(program.watches.len(), Room::default);
    }
    &mut functions[watch]
}

/// The index in the region of an index at the solver.
pub(crate) fn numbered(places: Places, mut index: usize) -> usize {
    for (offset, length) in places {
        if index < length {
            return offset + index;
        }
        index -= length;
    }
    index
}

impl<'a> Flow<'a> {
    #[inline(always)]
    pub fn new(
        program: &'a Program,
        region: RegionId,
        ranges: &'a [ActiveSlice],
        active: &'a ActiveTapes,
        slots: &'a mut [f64],
        (start, origin): (Time, f64),
        (history, functions): (&'a mut RegionHistory, &'a mut Functions),
    ) -> Self {
        let whole_program = program;
        let (time, lines) = (program.time, &program.lines);
        let program = &program.regions[region];
        let whole = program.is_whole();
        Flow {
            program,
            whole_program,
            region,
            functions,
            ranges,
            active,
            slots,
            time,
            start,
            origin,
            lines,
            history,
            code: None,
            whole,
            slide: None,
            rests: &[],
            live: false,
            rounds: None,
        }
    }

    /// The same functions with comparisons read from their values, if that is asked for.
    #[inline(always)]
    pub fn living(mut self, live: bool) -> Self {
        self.live = live && !self.program.live.derivative.is_empty();
        self.code = self.code.filter(|_| !self.live);
        self
    }

    /// The index in the region of a function of the solver.
    fn watched(&self, function: usize) -> usize {
        match self.whole {
            true => function,
            false => numbered(watches(self.ranges), function),
        }
    }

    /// The same functions, by compiled code if there is any.
    #[inline(always)]
    pub fn with(mut self, code: Option<&'a dyn RegionCode>) -> Self {
        self.code = code;
        self
    }

    /// Writes time, states and delayed signals to their slots.
    pub fn place(&mut self, t: f64, x: &[f64]) {
        self.place_with(t, x, false);
    }

    fn place_with(&mut self, t: f64, x: &[f64], slopes: bool) {
        match self.whole {
            true => self.slots[self.program.state.range(x.len())].copy_from_slice(x),
            false => scatter(self.slots, self.program.state, states(self.ranges), x),
        }
        self.place_time(t, x, slopes);
    }

    /// Writes time and delayed signals to their slots.
    #[inline(always)]
    fn place_time(&mut self, t: f64, x: &[f64], slopes: bool) {
        let start = (self.start, self.origin);
        self.whole_program.set_time_after(self.program, self.slots, start, t);
        if !self.program.lines.is_empty() {
            // Delays may be functions of the states.
            if !self.program.readings.is_empty() {
                scatter(self.slots, self.program.state, states(self.ranges), x);
            }
            self.history.place(self.program, self.lines, self.start, t, self.slots, slopes);
        }
    }

    /// Computes the rates by compiled code. Returns whether they are what the interpreter would
    /// give, which has other functions for rates that are not finite.
    #[inline(always)]
    fn compiled_rates(&mut self, code: &dyn RegionCode, t: f64, x: &[f64], dx: &mut [f64]) -> bool {
        self.place_time(t, x, false);
        if self.whole {
            code.derivative(self.slots, x, dx);
        } else {
            scatter(self.slots, self.program.state, states(self.ranges), x);
            code.derivative(self.slots, &[], &mut []);
            gather(self.slots, self.program.rate, states(self.ranges), dx);
        }
        self.program.live.derivative.is_empty() || all_finite(dx)
    }

    /// The same for the watched functions.
    #[inline(always)]
    fn compiled_crossings(
        &mut self,
        code: &dyn RegionCode,
        (t, x, dx): (f64, &[f64], &[f64]),
        g: &mut [f64],
        rate: &mut [f64],
    ) -> bool {
        self.place_time(t, x, true);
        if self.whole {
            code.crossings(self.slots, x, dx, g, rate);
        } else {
            scatter(self.slots, self.program.state, states(self.ranges), x);
            scatter(self.slots, self.program.rate, states(self.ranges), dx);
            code.crossings(self.slots, &[], &[], &mut [], &mut []);
            gather(self.slots, self.program.g, watches(self.ranges), g);
            gather(self.slots, self.program.g_rate, watches(self.ranges), rate);
        }
        !g.iter().fold(false, |none, g| none | g.is_nan())
    }
}

/// Whether all values are finite, with no branch per value: a finite value times zero has no bits
/// set but its sign.
pub(crate) fn all_finite(x: &[f64]) -> bool {
    wide(
        x.len(),
        #[inline(always)]
        || x.iter().fold(0, |odd, x| odd | (x * 0.0).abs().to_bits()) == 0,
    )
}

impl System for Flow<'_> {
    #[inline]
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        self.free_rates(t, x, dx);
        if !self.rests.is_empty() {
            self.press(t, x, dx);
        }
    }

    fn pattern(&mut self, n: usize) -> Pattern {
        match self.rests.is_empty() {
            true => self.free_pattern(n),
            false => self.pressed_pattern(n),
        }
    }

    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]) {
        match self.rests.is_empty() {
            true => self.free_jacobian(t, x, values, rate),
            false => self.pressed_jacobian(t, x, values, rate),
        }
    }

    fn trial(&mut self, trial: &mut Trial) -> Option<f64> {
        if self.slide.is_some() || !self.rests.is_empty() {
            return None;
        }
        let code = self.code.filter(|_| self.whole && self.program.lines.is_empty())?;
        let error = code.trial(self.slots, self.origin, trial)?;
        (self.program.live.derivative.is_empty() || !error.is_nan()).then_some(error)
    }

    fn is_timeless(&self) -> bool {
        !self.program.timed && self.program.lines.is_empty()
    }

    fn stand_at(&mut self, t: f64, x: &[f64]) {
        self.place(t, x);
    }

    fn enclose(&mut self, function: usize, span: &solver::StepSpan) -> Enclosure {
        let watch = self.watched(function);
        if let Some(enclosure) = self.enclose_exit(watch, span) {
            return enclosure;
        }
        let (slots, state, ranges) = (&*self.slots, self.program.state, self.ranges);
        let time = Interval::point(self.origin) + span.time();
        let at = WatchId { region: self.region, index: watch };
        let room = room(self.functions, self.program, watch);
        let [value, rate] = self.whole_program.enclose(at, room, |source| match source {
            Source::Time => time,
            Source::Frozen(slot) => Interval::point(slots[slot.index()]),
            Source::State(i) => match counted(states(ranges), i) {
                Some(number) => span.state(number),
                None => Interval::point(slots[state.index() + i]),
            },
            Source::Rate(i) => match counted(states(ranges), i) {
                Some(number) => span.slope(number),
                None => Interval::point(0.0),
            },
        });
        Enclosure { value, rate }
    }

    fn noise(&mut self, function: usize, at: At) -> Option<Noise> {
        let watch = self.watched(function);
        if let Some(noise) = self.exit_noise(watch, at) {
            return noise;
        }
        if self.is_at_rest(watch) {
            return None;
        }
        let (slots, state, ranges) = (&*self.slots, self.program.state, self.ranges);
        let time = self.origin + at.t;
        let own = WatchId { region: self.region, index: watch };
        let room = room(self.functions, self.program, watch);
        let [value, rate] = self.whole_program.follow(own, room, |source| match source {
            Source::Time => Rounded::entering(time, 0.0),
            Source::Frozen(slot) => Rounded::entering(slots[slot.index()], 0.0),
            Source::State(i) => match counted(states(ranges), i) {
                Some(k) => Rounded::entering(at.state(k), at.drift(k)),
                None => Rounded::entering(slots[state.index() + i], 0.0),
            },
            Source::Rate(i) => match counted(states(ranges), i) {
                Some(number) => Rounded::entering(at.slope(number), 0.0),
                None => Rounded::entering(0.0, 0.0),
            },
        });
        Some(Noise { value: value.error, rate: rate.error, torn: value.torn })
    }

    #[inline]
    fn most_noise(&mut self, function: usize, t: f64, largest: f64, drift: f64) -> f64 {
        let watch = self.watched(function);
        let terms = self.program.functions[watch].terms.as_ref();
        let Some(terms) = terms.filter(|_| !self.is_of_surface(watch) && !self.is_at_rest(watch))
        else {
            return f64::INFINITY;
        };
        let (slots, own) = (&*self.slots, self.program.state..self.program.rate);
        let size = |place: Slot| match own.contains(&place) {
            true => largest,
            false => slots[place.index()],
        };
        terms.noise(size, self.origin + t, drift)
    }

    fn time(&self, t: f64) -> f64 {
        self.origin + t
    }

    fn resolution(&self) -> f64 {
        ATTOSECOND
    }

    fn role(&self, function: usize) -> CrossingRole {
        let watch = &self.program.watches[self.watched(function)];
        let crossing = &self.whole_program.crossings[watch.crossing];
        match crossing.event {
            Some(EventCrossing { direction, tolerance }) => {
                CrossingRole::Event { direction, tolerance }
            }
            None => CrossingRole::Branch,
        }
    }

    fn round(&mut self, t: f64, x: &[f64]) {
        self.keep_round(t, x);
    }

    fn follows_rounds(&self) -> bool {
        self.rounds.is_some()
    }

    fn tolerance(&self, state: usize) -> Option<f64> {
        self.program.tolerances[numbered(states(self.ranges), state)]
    }

    fn refine_for_guards(&mut self, trial: &GuardTrial) -> f64 {
        self.step_for_guards(trial)
    }

    #[inline(always)]
    fn crossings(&mut self, t: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        let compiled =
            self.code.is_some_and(|code| self.compiled_crossings(code, (t, x, dx), g, rate));
        if !compiled {
            self.interpreted_crossings((t, x, dx), g, rate);
        }
        if self.slide.is_some() {
            self.watch_exits((t, x, dx), g, rate);
        }
        if !self.rests.is_empty() {
            self.watch_forces((t, x, dx), g, rate);
        }
    }
}

impl Flow<'_> {
    /// Computes the rates without forces at rest.
    #[inline]
    pub fn free_rates(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        match self.slide.is_some() {
            true => self.combined_rates(t, x, dx),
            false => self.plain_rates(t, x, dx),
        }
    }

    /// The derivatives of these rates that may be other than zero.
    pub fn free_pattern(&self, n: usize) -> Pattern {
        let plain = self.plain_pattern(n);
        match &self.slide {
            Some(slide) => self.combined_pattern(&plain, slide),
            None => plain,
        }
    }

    /// Computes the derivatives of these rates.
    pub fn free_jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]) {
        match self.slide.is_some() {
            true => self.combined_jacobian(t, x, values, rate),
            false => self.plain_jacobian(t, x, values, rate),
        }
    }

    /// Computes the rates on the sides in the buffer.
    #[inline]
    pub fn plain_rates(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        let compiled = self.code.is_some_and(|code| self.compiled_rates(code, t, x, dx));
        if !compiled {
            self.interpreted_rates(t, x, dx);
        }
    }

    /// The derivatives of these rates that may be other than zero.
    pub fn plain_pattern(&self, n: usize) -> Pattern {
        match &self.program.jacobian {
            Some(jacobian) => self.active.jacobian.pattern(jacobian),
            None => Pattern::dense(n, true),
        }
    }

    /// Computes the derivatives of these rates.
    pub fn plain_jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]) {
        let Some(jacobian) = &self.program.jacobian else {
            return values.fill(f64::NAN);
        };
        let active = &self.active.jacobian;
        self.place_with(t, x, true);
        match self.code {
            Some(code) => code.jacobian(self.slots),
            None => run_active(&jacobian.tape, &active.tape, self.slots),
        }
        for (value, place) in values.iter_mut().zip(&active.places) {
            *value = self.slots[place.index()];
        }
        rate.fill(0.0);
        for (state, place) in &active.rates {
            rate[*state] = self.slots[place.index()];
        }
    }

    /// Computes what is read of the states at a point, with comparisons read from values.
    pub fn compute_left(&mut self) {
        match self.program.live.left.is_empty() {
            true => run(&self.program.left, self.slots),
            false => run(&self.program.live.left, self.slots),
        }
    }

    /// Computes the rates by the interpreter.
    #[inline(never)]
    fn interpreted_rates(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        self.place(t, x);
        if self.live {
            run(&self.program.live.derivative, self.slots);
            return gather(self.slots, self.program.rate, states(self.ranges), dx);
        }
        match self.active.interpreted {
            true => run_active(&self.program.derivative, &self.active.derivative, self.slots),
            false => run(&self.program.derivative, self.slots),
        }
        gather(self.slots, self.program.rate, states(self.ranges), dx);
        if !self.program.live.derivative.is_empty() && !all_finite(dx) {
            run(&self.program.live.derivative, self.slots);
            gather(self.slots, self.program.rate, states(self.ranges), dx);
        }
    }

    /// Computes the watched functions and their time derivatives by the interpreter.
    #[inline(never)]
    fn interpreted_crossings(
        &mut self,
        (t, x, dx): (f64, &[f64], &[f64]),
        g: &mut [f64],
        rate: &mut [f64],
    ) {
        self.place_with(t, x, true);
        scatter(self.slots, self.program.rate, states(self.ranges), dx);
        match self.active.interpreted {
            _ if self.live => run(&self.program.live.crossings, self.slots),
            true => run_active(&self.program.crossings, &self.active.crossings, self.slots),
            false => run(&self.program.crossings, self.slots),
        }
        gather(self.slots, self.program.g, watches(self.ranges), g);
        if g.iter().any(|x| x.is_nan()) {
            run(&self.program.live.crossings, self.slots);
            gather(self.slots, self.program.g, watches(self.ranges), g);
        }
        gather(self.slots, self.program.g_rate, watches(self.ranges), rate);
    }
}
