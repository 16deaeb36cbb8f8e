//! A region between events, as the solver sees it.

use base::Time;
use ir::{Slot, run};
use program::{Line, Program, RegionProgram};
use solver::System;

use crate::history::History;

/// The smooth functions of a region over the buffer.
pub(crate) struct Flow<'a> {
    pub program: &'a RegionProgram,
    pub slots: &'a mut [f64],
    pub time: Slot,
    /// The start of the phase, and the same \[s\].
    pub start: Time,
    pub origin: f64,
    lines: &'a [Line],
    history: &'a mut History,
}

impl<'a> Flow<'a> {
    pub fn new(
        program: &'a Program,
        region: usize,
        slots: &'a mut [f64],
        start: Time,
        history: &'a mut History,
    ) -> Self {
        let (time, origin, lines) = (program.time, start.seconds(), &program.lines);
        Flow { program: &program.regions[region], slots, time, start, origin, lines, history }
    }

    /// Puts time, state and delayed signals in their places.
    pub fn place(&mut self, t: f64, x: &[f64]) {
        self.place_with(t, x, false);
    }

    fn place_with(&mut self, t: f64, x: &[f64], slopes: bool) {
        self.slots[self.time as usize] = self.origin + t;
        let from = self.program.state as usize;
        self.slots[from..from + x.len()].copy_from_slice(x);
        self.history.place(self.program, self.lines, self.start, t, self.slots, slopes);
    }
}

impl System for Flow<'_> {
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        self.place(t, x);
        run(&self.program.derivative, self.slots);
        let from = self.program.rate as usize;
        dx.copy_from_slice(&self.slots[from..from + dx.len()]);
        if dx.iter().any(|rate| !rate.is_finite()) && !self.program.live.derivative.is_empty() {
            run(&self.program.live.derivative, self.slots);
            dx.copy_from_slice(&self.slots[from..from + dx.len()]);
        }
    }

    fn jacobian(&mut self, t: f64, x: &[f64], jacobian: &mut [f64]) {
        self.place(t, x);
        let n = x.len();
        let (seed, column) = (self.program.seed as usize, self.program.column as usize);
        self.slots[seed..seed + n].fill(0.0);
        for j in 0..n {
            self.slots[seed + j] = 1.0;
            run(&self.program.tangent, self.slots);
            self.slots[seed + j] = 0.0;
            for i in 0..n {
                jacobian[i * n + j] = self.slots[column + i];
            }
        }
    }

    fn crossings(&mut self, t: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        self.place_with(t, x, true);
        let from = self.program.rate as usize;
        self.slots[from..from + dx.len()].copy_from_slice(dx);
        run(&self.program.crossings, self.slots);
        let value = self.program.g as usize;
        if self.slots[value..value + g.len()].iter().any(|x| x.is_nan()) {
            run(&self.program.live.crossings, self.slots);
        }
        let (values, slopes) = (self.program.g as usize, self.program.g_rate as usize);
        g.copy_from_slice(&self.slots[values..values + g.len()]);
        rate.copy_from_slice(&self.slots[slopes..slopes + rate.len()]);
    }
}
