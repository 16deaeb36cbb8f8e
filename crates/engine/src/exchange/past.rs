//! Delays in runs whose states are in the hands of somebody else: the past of a region grows by the
//! steps that its owner completes.
//!
//! Of a completed step the owner gives both ends. The rates there and their derivatives along the
//! motion are known, so that a polynomial of degree 5 meets all of them; delayed signals are sampled
//! on it. It may be further from the motion than the owner's own dense output, if its steps are
//! long. So its rates are compared with those of the equations at a point in between, and the owner
//! is asked to come to an event before its next step becomes too long for that, or longer than a
//! delay.

use base::Time;
use program::RegionId;
use program::tape::Slot;
use serde::{Deserialize, Serialize};

use crate::delays::record::Dense;
use crate::engine::Engine;
use crate::exchange::{Direction, Outside};
use crate::{RunError, Simulation};

/// Where a polynomial is compared with the equations, as a fraction of the step.
const CHECK: f64 = 0.21;
/// How far the polynomial is from the motion in the middle, relative to the length of the step and
/// the difference of rates at the check: the quotient of (s (s - 1))^3 and of its derivative.
const DISTANCE: f64 = 0.33;
/// The fraction of the shortest delay after which the first event is asked for, and the least one.
const FIRST: f64 = 0.125;
const LEAST: f64 = 1.0 / 64.0;

/// A point at which a step of the owner ends and the next one begins.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct OutsidePoint {
    time: f64,
    states: Vec<f64>,
    inputs: Vec<Vec<f64>>,
}

impl OutsidePoint {
    /// A point of the owner.
    pub fn of(at: &Outside<'_>) -> OutsidePoint {
        let inputs = at.inputs.iter().map(|(_, values)| values.clone()).collect();
        OutsidePoint { time: at.time, states: at.states.to_vec(), inputs }
    }
}

/// A step of the owner, as a polynomial.
#[derive(Debug)]
pub(crate) struct OutsideStep<'a> {
    ends: [&'a OutsidePoint; 2],
    /// The rates at both ends, and their derivatives along the motion.
    rates: [Vec<f64>; 2],
    curves: [Vec<f64>; 2],
    at: &'a Outside<'a>,
}

impl OutsideStep<'_> {
    fn length(&self) -> f64 {
        self.ends[1].time - self.ends[0].time
    }

    /// The states and their rates at a fraction of the step.
    fn interpolated(&self, s: f64) -> (Vec<f64>, Vec<f64>) {
        let h = self.length();
        let (s2, s3, s4, s5) = (s * s, s * s * s, s.powi(4), s.powi(5));
        let up = 10.0 * s3 - 15.0 * s4 + 6.0 * s5;
        let up_rate = 30.0 * s2 - 60.0 * s3 + 30.0 * s4;
        let first = [s - 6.0 * s3 + 8.0 * s4 - 3.0 * s5, -4.0 * s3 + 7.0 * s4 - 3.0 * s5];
        let first_rate =
            [1.0 - 18.0 * s2 + 32.0 * s3 - 15.0 * s4, -12.0 * s2 + 28.0 * s3 - 15.0 * s4];
        let second = [0.5 * s2 - 1.5 * s3 + 1.5 * s4 - 0.5 * s5, 0.5 * s3 - s4 + 0.5 * s5];
        let second_rate = [s - 4.5 * s2 + 6.0 * s3 - 2.5 * s4, 1.5 * s2 - 4.0 * s3 + 2.5 * s4];
        let (mut states, mut rates) = (Vec::new(), Vec::new());
        for i in 0..self.ends[0].states.len() {
            let [x0, x1] = self.ends.map(|end| end.states[i]);
            let ([d0, d1], [mut c0, mut c1]) =
                ([self.rates[0][i], self.rates[1][i]], [self.curves[0][i], self.curves[1][i]]);
            if !(c0.is_finite() && c1.is_finite()) {
                // A cubic polynomial meets the states and the rates.
                let slope = 6.0 * (x1 - x0) / h;
                (c0, c1) = ((slope - 4.0 * d0 - 2.0 * d1) / h, (2.0 * d0 + 4.0 * d1 - slope) / h);
            }
            let along = first[0] * d0 + first[1] * d1;
            let bent = second[0] * c0 + second[1] * c1;
            states.push(x0 + up * (x1 - x0) + h * (along + h * bent));
            let along = first_rate[0] * d0 + first_rate[1] * d1;
            let bent = second_rate[0] * c0 + second_rate[1] * c1;
            rates.push(up_rate * (x1 - x0) / h + along + h * bent);
        }
        (states, rates)
    }

    /// Acts on the point at a time \[s\].
    fn with<R>(&self, time: f64, act: impl FnOnce(&Outside<'_>) -> R) -> R {
        let s = ((time - self.ends[0].time) / self.length()).clamp(0.0, 1.0);
        let (states, _) = self.interpolated(s);
        let [before, after] = self.ends;
        let between = |(index, (id, _)): (usize, &(program::InputId, Vec<f64>))| {
            let both = before.inputs[index].iter().zip(&after.inputs[index]);
            (*id, both.map(|(a, b)| a + s * (b - a)).collect())
        };
        let inputs: Vec<_> = self.at.inputs.iter().enumerate().map(between).collect();
        act(&Outside { time, states: &states, inputs: &inputs })
    }
}

impl Simulation {
    /// Whether steps of the owner have to be recorded.
    pub fn records_steps(&self) -> bool {
        self.program().regions.iter().any(|region| !region.lines.is_empty())
    }

    /// The longest time to the first event after the start or a change \[s\].
    pub fn first_reach(&self) -> f64 {
        self.shortest() * FIRST
    }

    fn shortest(&self) -> f64 {
        let lines = self.program().lines.iter().filter(|line| line.track.is_some());
        lines.map(|line| line.delay.time().seconds()).fold(f64::INFINITY, f64::min)
    }

    /// The owner has come from one point to another, whose exact time is `end`. Returns how long its
    /// next steps may be \[s\].
    pub fn record_outside(
        &mut self,
        from: &OutsidePoint,
        at: &Outside<'_>,
        end: Time,
    ) -> Result<f64, RunError> {
        let to = OutsidePoint::of(at);
        let (length, shortest) = (to.time - from.time, self.shortest());
        let alike = from.inputs.len() == to.inputs.len() && from.states.len() == to.states.len();
        if !(length > 0.0 && alike) {
            return Ok(shortest * FIRST);
        }
        let slopes = from.inputs.iter().zip(&to.inputs);
        let slopes = slopes.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (b - a) / length).collect());
        let slopes: Vec<Vec<f64>> = slopes.collect();
        let mut engine = self.engine();
        let (mut rates, mut curves) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for (place, point) in [from, &to].into_iter().enumerate() {
            let inputs: Vec<_> =
                at.inputs.iter().map(|(id, _)| *id).zip(point.inputs.iter().cloned()).collect();
            let here = Outside { time: point.time, states: &point.states, inputs: &inputs };
            rates[place] = engine.rates_at(&here);
            let direction =
                Direction { time: 1.0, states: rates[place].clone(), inputs: slopes.clone() };
            engine.place_outside(&here);
            curves[place] = engine.differentiate(&here, &direction).0;
        }
        let step = OutsideStep { ends: [from, &to], rates, curves, at };
        let reach = engine.measured(&step);
        for region in engine.program.regions.ids() {
            engine.record_outside(region, &step, end)?;
        }
        Ok(reach.clamp(LEAST * shortest, shortest))
    }
}

impl Engine<'_> {
    fn rates_at(&mut self, at: &Outside<'_>) -> Vec<f64> {
        self.place_outside(at);
        let (mut rates, mut unused) = (Vec::new(), Vec::new());
        for region in self.program.regions.ids() {
            self.rates_outside(region, &mut rates, &mut unused);
        }
        rates
    }

    /// How long a step may be, by how well the polynomial of one meets the equations \[s\].
    fn measured(&mut self, step: &OutsideStep<'_>) -> f64 {
        let (states, slopes) = step.interpolated(CHECK);
        let time = step.ends[0].time + CHECK * step.length();
        let rates = step.with(time, |at| self.rates_at(at));
        let solver = &self.options.solver;
        let part = |i: usize| {
            let allowed = solver.absolute_tolerance + solver.relative_tolerance * states[i].abs();
            DISTANCE * step.length() * (slopes[i] - rates[i]).abs() / (10.0 * allowed)
        };
        let worst = (0..states.len()).map(part).filter(|x| x.is_finite()).fold(1e-12, f64::max);
        step.length() * (0.9 * worst.powf(-1.0 / 6.0)).clamp(0.2, 5.0)
    }

    fn record_outside(
        &mut self,
        region: RegionId,
        step: &OutsideStep<'_>,
        end: Time,
    ) -> Result<(), RunError> {
        let program = self.program;
        let lines = program.regions[region].lines.iter();
        let Some(longest) = lines.map(|line| program.lines[*line].delay.time()).max() else {
            return Ok(());
        };
        let begin = self.state.regions[region].history.end();
        if begin == Time::MAX || begin >= end {
            return Ok(());
        }
        self.record_to(region, end, Dense::Outside(step))?;
        self.state.regions[region].history.forget(begin - longest);
        Ok(())
    }

    /// Writes the states and inputs of the owner at a time \[s\], without delayed signals.
    pub(crate) fn place_between(&mut self, step: &OutsideStep<'_>, time: f64) {
        step.with(time, |at| self.place_given(at));
    }

    /// Writes the delayed signals of all regions at a time \[s\], with their slopes.
    pub(crate) fn place_delayed(&mut self, time: f64) {
        let program = self.program;
        for (id, code) in program.regions.entries().filter(|(_, code)| !code.lines.is_empty()) {
            let state = &mut self.state.regions[id];
            let (origin, t) = (state.origin, time - state.origin_seconds);
            let slots = &mut self.state.slots;
            state.history.place(code, &program.lines, origin, t, slots, true);
        }
    }

    /// Ends the past of a region at a time that its owner rounds, and reads there what was before
    /// it: what comes again at this time is a change after the left limit.
    pub(crate) fn look_back(&mut self, region: RegionId, time: Time) {
        let (code, lines) = (&self.program.regions[region], &self.program.lines);
        self.state.regions[region].history.look_back(code, lines, time);
    }

    /// The slopes of delayed signals, as pairs of slots of values and slopes.
    pub(crate) fn delayed_slopes(&self) -> Vec<(Slot, Slot)> {
        let tracks = self.program.lines.iter().filter_map(|line| line.track);
        let pairs = |track: program::DelayTrack| {
            (0..track.width).map(move |i| (track.place.plus(i), track.slope.plus(i)))
        };
        tracks.flat_map(pairs).collect()
    }
}
