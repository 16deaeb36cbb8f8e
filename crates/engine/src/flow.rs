//! A region between events, as the solver sees it.

use base::Time;
use ir::{Active, Slot, run, run_active};
use program::{Line, Program, RegionProgram};
use solver::{System, Trial};

use crate::history::History;
use crate::native::RegionCode;
use crate::snapshot::{Range, RegionState};

/// What of the tapes of a region runs; found anew when a phase starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveTapes {
    pub derivative: Active,
    pub crossings: Active,
    pub known: bool,
}

impl ActiveTapes {
    /// Finds what runs under the conditions in the buffer.
    pub fn find(&mut self, program: &RegionProgram, slots: &[f64]) {
        self.derivative.find(&program.derivative, slots);
        self.crossings.find(&program.crossings, slots);
        self.known = true;
    }
}

/// The smooth functions of a region over the buffer.
pub(crate) struct Flow<'a> {
    pub program: &'a RegionProgram,
    /// What of it runs.
    pub ranges: &'a [Range],
    /// The same of its tapes.
    pub active: &'a ActiveTapes,
    pub slots: &'a mut [f64],
    pub time: Slot,
    /// The start of the phase, and the same \[s\].
    pub start: Time,
    pub origin: f64,
    lines: &'a [Line],
    history: &'a mut History,
    code: Option<&'a dyn RegionCode>,
    /// Whether the solver's states are all of the region.
    whole: bool,
}

/// Copies numbers of the solver to the places of those that run, from a place on.
pub(crate) fn scatter(slots: &mut [f64], from: Slot, places: Places, x: &[f64]) {
    let mut rest = x;
    for (offset, length) in places {
        let (own, others) = rest.split_at(length);
        let from = from as usize + offset;
        slots[from..from + length].copy_from_slice(own);
        rest = others;
    }
}

/// Copies the numbers of those that run, from a place on, to the solver.
pub(crate) fn gather(slots: &[f64], from: Slot, places: Places, x: &mut [f64]) {
    let mut rest = x;
    for (offset, length) in places {
        let (own, others) = rest.split_at_mut(length);
        let from = from as usize + offset;
        own.copy_from_slice(&slots[from..from + length]);
        rest = others;
    }
}

/// Offsets and lengths of numbers that lie together.
pub(crate) type Places<'a> =
    std::iter::Map<std::slice::Iter<'a, Range>, fn(&Range) -> (usize, usize)>;

/// Where the states that run are among those of a region.
pub(crate) fn states(ranges: &[Range]) -> Places<'_> {
    ranges.iter().map(|range| (range.state, range.states))
}

/// Where the watched functions that run are.
pub(crate) fn watches(ranges: &[Range]) -> Places<'_> {
    ranges.iter().map(|range| (range.watch, range.watches))
}

/// The number among those of the region of one that the solver counts.
pub(crate) fn numbered(places: Places, mut index: usize) -> usize {
    for (offset, length) in places {
        if index < length {
            return offset + index;
        }
        index -= length;
    }
    index
}

impl RegionState {
    /// What of the region runs, from the conditions in the buffer; says whether that is something
    /// else than before.
    pub fn take_ranges(&mut self, program: &RegionProgram, active: &dyn Fn(usize) -> bool) -> bool {
        let mut ranges: Vec<Range> = Vec::with_capacity(self.ranges.len());
        for (index, span) in program.spans.iter().enumerate() {
            if !active(index) {
                continue;
            }
            match ranges.last_mut() {
                Some(last)
                    if last.state + last.states == span.state
                        && last.watch + last.watches == span.watch =>
                {
                    last.states += span.states;
                    last.watches += span.watches;
                }
                _ => ranges.push(Range {
                    state: span.state,
                    states: span.states,
                    watch: span.watch,
                    watches: span.watches,
                }),
            }
        }
        let changed = ranges != self.ranges;
        self.ranges = ranges;
        changed
    }
}

impl<'a> Flow<'a> {
    pub fn new(
        program: &'a Program,
        region: usize,
        ranges: &'a [Range],
        active: &'a ActiveTapes,
        slots: &'a mut [f64],
        start: Time,
        history: &'a mut History,
    ) -> Self {
        let (time, origin, lines) = (program.time, start.seconds(), &program.lines);
        let program = &program.regions[region];
        let whole = program.is_whole();
        let code = None;
        Flow { program, ranges, active, slots, time, start, origin, lines, history, code, whole }
    }

    /// The same functions, by compiled code where there is some.
    pub fn with(self, code: Option<&'a dyn RegionCode>) -> Self {
        Flow { code, ..self }
    }

    /// Puts time, state and delayed signals in their places.
    pub fn place(&mut self, t: f64, x: &[f64]) {
        self.place_with(t, x, false);
    }

    fn place_with(&mut self, t: f64, x: &[f64], slopes: bool) {
        self.place_time(t, slopes);
        scatter(self.slots, self.program.state, states(self.ranges), x);
    }

    /// Puts time and delayed signals in their places.
    fn place_time(&mut self, t: f64, slopes: bool) {
        self.slots[self.time as usize] = self.origin + t;
        if !self.program.lines.is_empty() {
            self.history.place(self.program, self.lines, self.start, t, self.slots, slopes);
        }
    }

    /// The rates by compiled code; says whether they are what the interpreter would give, which
    /// has other functions where they are not finite.
    fn compiled_rates(&mut self, code: &dyn RegionCode, t: f64, x: &[f64], dx: &mut [f64]) -> bool {
        self.place_time(t, false);
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
    fn compiled_crossings(
        &mut self,
        code: &dyn RegionCode,
        (t, x, dx): (f64, &[f64], &[f64]),
        g: &mut [f64],
        rate: &mut [f64],
    ) -> bool {
        self.place_time(t, true);
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

/// Whether all numbers are finite, looked at side by side.
fn all_finite(x: &[f64]) -> bool {
    x.iter().fold(true, |finite, x| finite & x.is_finite())
}

impl System for Flow<'_> {
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        if let Some(code) = self.code
            && self.compiled_rates(code, t, x, dx)
        {
            return;
        }
        self.place(t, x);
        run_active(&self.program.derivative, &self.active.derivative, self.slots);
        gather(self.slots, self.program.rate, states(self.ranges), dx);
        if !self.program.live.derivative.is_empty() && !all_finite(dx) {
            run(&self.program.live.derivative, self.slots);
            gather(self.slots, self.program.rate, states(self.ranges), dx);
        }
    }

    fn jacobian(&mut self, t: f64, x: &[f64], jacobian: &mut [f64]) {
        self.place(t, x);
        let n = x.len();
        let (seed, column) = (self.program.seed as usize, self.program.column as usize);
        self.slots[seed..seed + self.program.dimension].fill(0.0);
        for j in 0..n {
            let own = seed + numbered(states(self.ranges), j);
            self.slots[own] = 1.0;
            run(&self.program.tangent, self.slots);
            self.slots[own] = 0.0;
            for i in 0..n {
                jacobian[i * n + j] = self.slots[column + numbered(states(self.ranges), i)];
            }
        }
    }

    fn trial(&mut self, mut trial: Trial) -> Option<f64> {
        let code = self.code.filter(|_| self.whole && self.program.lines.is_empty())?;
        let error = code.trial(self.slots, self.origin, &mut trial)?;
        (self.program.live.derivative.is_empty() || !error.is_nan()).then_some(error)
    }

    fn stand_at(&mut self, t: f64, x: &[f64]) {
        self.place(t, x);
    }

    fn crossings(&mut self, t: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        if let Some(code) = self.code
            && self.compiled_crossings(code, (t, x, dx), g, rate)
        {
            return;
        }
        self.place_with(t, x, true);
        scatter(self.slots, self.program.rate, states(self.ranges), dx);
        run_active(&self.program.crossings, &self.active.crossings, self.slots);
        gather(self.slots, self.program.g, watches(self.ranges), g);
        if g.iter().any(|x| x.is_nan()) {
            run(&self.program.live.crossings, self.slots);
            gather(self.slots, self.program.g, watches(self.ranges), g);
        }
        gather(self.slots, self.program.g_rate, watches(self.ranges), rate);
    }
}
