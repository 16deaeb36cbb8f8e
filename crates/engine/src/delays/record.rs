//! The history of a region grows by the inputs of its delay lines, step by step.

use base::{Tag, Time};
use program::RegionId;
use program::tape::run;

use crate::delays::polynomial::{CHECKS, NODES, fit, value};
use crate::engine::Engine;
use crate::exchange::OutsideStep;
use crate::smooth::flow::states;
use crate::{Options, RunError};

/// The fraction of a step below which a piece is accepted as it is: a signal that is not smooth
/// between events must not demand pieces without end.
const SHORTEST: f64 = 1.0 / 1024.0;

/// What gives the states within a step.
#[derive(Clone, Copy)]
pub(crate) enum Dense<'a> {
    /// The solver of the region, in its last step.
    Solver,
    /// A step of somebody else, who has the states.
    Outside(&'a OutsideStep<'a>),
}

/// Whether a piece matches the signal at the checks within the tolerance of the run, with a margin,
/// or within rounding.
fn fits(samples: &[f64], width: usize, options: &Options) -> bool {
    let nodes = NODES.len() * width;
    let (coefficients, rest) = samples.split_at(nodes);
    let (checks, values) = rest.split_at(CHECKS.len() * width);
    (0..width).all(|i| {
        let size = (0..NODES.len()).fold(0.0f64, |size, k| size.max(values[k * width + i].abs()));
        let solver = &options.solver;
        let allowed = 0.01 * (solver.absolute_tolerance + solver.relative_tolerance * size);
        let room = allowed.max(64.0 * f64::EPSILON * size);
        CHECKS
            .iter()
            .enumerate()
            .all(|(k, x)| (value(coefficients, width, i, *x) - checks[k * width + i]).abs() <= room)
    })
}

impl Engine<'_> {
    /// Appends the step that a region has just taken to its history.
    pub(crate) fn record_step(&mut self, region: RegionId) -> Result<(), RunError> {
        let program = self.program;
        let code = &program.regions[region];
        let Some(longest) = code.lines.iter().map(|line| program.lines[*line].delay.time()).max()
        else {
            return Ok(());
        };
        let begin = self.state.regions[region].history.end();
        if begin == Time::MAX {
            return Ok(());
        }
        self.record_to(region, self.state.regions[region].reached, Dense::Solver)?;
        if !code.readings.is_empty() {
            let state = &mut self.state.regions[region];
            let solver = &state.solver;
            state.history.measure_reach(begin, &|value| solver.allowed(value));
        }
        // This region was the last of all: no time before its old end is needed any more.
        self.state.regions[region].history.forget(begin - longest);
        Ok(())
    }

    /// Cuts the history of a region at a time inside its last step, at which an event happens, so
    /// that it can end there. The pieces on both sides are made again, so that there is no gap
    /// between them. This must be done before any of their inputs has changed.
    pub(crate) fn split_history(&mut self, region: RegionId, time: Time) {
        let program = self.program;
        let code = &program.regions[region];
        let end = self.state.regions[region].history.end();
        if code.lines.is_empty() || end <= time || self.state.regions[region].history.is_cut(time) {
            return;
        }
        self.state.regions[region].history.truncate(time);
        // Sampling uses the slots of the states.
        let tracks = code.lines.iter().filter_map(|line| program.lines[*line].track);
        let places = tracks.map(|track| (track.place.index(), track.width));
        let readings = code.lines.iter().filter_map(|line| program.lines[*line].reading);
        let places = places
            .chain(readings.map(|own| (own.read.index(), 1)))
            .chain([(code.state.index(), code.dimension), (program.time.index(), 1)]);
        let mut kept = std::mem::take(&mut self.scratch.kept);
        kept.clear();
        for (from, length) in places.clone() {
            kept.extend_from_slice(&self.state.slots[from..from + length]);
        }
        // Samples of the same step were finite before.
        let recorded = self
            .record_to(region, time, Dense::Solver)
            .and_then(|()| self.record_to(region, end, Dense::Solver));
        debug_assert!(recorded.is_ok());
        let mut rest = &kept[..];
        for (from, length) in places {
            let (own, others) = rest.split_at(length);
            self.state.slots[from..from + length].copy_from_slice(own);
            rest = others;
        }
        self.scratch.kept = kept;
    }

    /// Appends the last step of a region, up to a time, to its history.
    pub(crate) fn record_to(
        &mut self,
        region: RegionId,
        end: Time,
        dense: Dense<'_>,
    ) -> Result<(), RunError> {
        let program = self.program;
        let code = &program.regions[region];
        let begin = self.state.regions[region].history.end();
        let mut samples = std::mem::take(&mut self.scratch.samples);
        let mut from = begin;
        let mut length = (end - from).seconds();
        let shortest = SHORTEST * length;
        let mut result = Ok(());
        while from < end {
            let rest = (end - from).seconds();
            let to = match from.offset(length) {
                Some(to) if length < rest && from < to => to.min(end),
                _ => end,
            };
            result = self.sample_piece(region, (from, to), dense, &mut samples);
            if result.is_err() {
                break;
            }
            if length > shortest && !fits(&samples, code.sample_width, self.options) {
                length = 0.5 * length.min(rest);
                continue;
            }
            let coefficients = &samples[..NODES.len() * code.sample_width];
            self.state.regions[region].history.push(code, from, to, coefficients);
            from = to;
            length *= 2.0;
        }
        self.scratch.samples = samples;
        result
    }

    /// Samples at the nodes, converted to coefficients, and then at the checks.
    fn sample_piece(
        &mut self,
        region: RegionId,
        (from, to): (Time, Time),
        dense: Dense<'_>,
        samples: &mut Vec<f64>,
    ) -> Result<(), RunError> {
        samples.clear();
        let width = self.program.regions[region].sample_width;
        let start = (from - self.state.regions[region].origin).seconds();
        let length = (to - from).seconds();
        for x in NODES.iter().chain(&CHECKS) {
            self.sample(region, start + x * length, dense)?;
            let at = self.program.regions[region].samples.index();
            samples.extend_from_slice(&self.state.slots[at..at + width]);
        }
        // The coefficients replace the samples, whose copies follow the checks.
        samples.extend_from_within(..NODES.len() * width);
        fit(&mut samples[..NODES.len() * width], width);
        Ok(())
    }

    /// Samples the inputs of the delay lines at an offset in the last step.
    fn sample(&mut self, region: RegionId, t: f64, dense: Dense<'_>) -> Result<(), RunError> {
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        match dense {
            Dense::Solver => {
                let inside = t.max(state.solver.step_start()).min(state.solver.step_end());
                self.scratch.numbers.resize(state.solver.state().len(), 0.0);
                state.solver.interpolate(inside, &mut self.scratch.numbers);
                crate::smooth::flow::scatter(
                    &mut self.state.slots,
                    program.state,
                    states(&state.ranges),
                    &self.scratch.numbers,
                );
                let start = (state.origin, state.origin.seconds());
                self.program.set_time_after(program, &mut self.state.slots, start, t);
            }
            Dense::Outside(step) => {
                let time = state.origin.seconds() + t;
                self.place_between(step, time);
            }
        }
        let state = &mut self.state.regions[region];
        state.history.place(
            program,
            &self.program.lines,
            state.origin,
            t,
            &mut self.state.slots,
            false,
        );
        run(&program.sample, &mut self.state.slots);
        let at = program.samples.index();
        let finite =
            |slots: &[f64]| slots[at..at + program.sample_width].iter().all(|x| x.is_finite());
        if !finite(&self.state.slots) {
            // A side that is about to change may lead out of the domain of a function.
            run(&program.live.sample, &mut self.state.slots);
        }
        if finite(&self.state.slots) {
            return Ok(());
        }
        let time = state.origin.offset(t).unwrap_or(state.reached);
        let blamed = self.program.blame(region, &self.state.slots);
        let block = blamed.unwrap_or(self.program.lines[program.lines[0]].block);
        Err(self.not_finite(Tag::new(time, 0), self.program.origins.block(block).outputs[0]))
    }
}
