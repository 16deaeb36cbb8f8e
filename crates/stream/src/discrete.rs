//! What is not continuous, between two evaluations.

use base::Time;
use blocks::events_before;
use program::Program;

/// Everything of a diagram that is not continuous, as it stands after an evaluation. Plain data,
/// so that it can be the value of a stream.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Discrete {
    /// The states that do not flow, one after the other.
    pub states: Vec<f64>,
    /// How often each timer has woken.
    pub counts: Vec<u64>,
    /// Ticks that may have to be taken back, the latest last.
    pub ticks: Vec<Tick>,
    /// The sides and cells of comparisons, as they were read last.
    pub sides: Vec<f64>,
}

/// A tick, and what was there before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tick {
    time: Time,
    /// The evaluation that has seen it first.
    e: usize,
    states: Vec<f64>,
    counts: Vec<u64>,
}

impl Discrete {
    /// As it is before the first evaluation, with these states.
    pub fn new(program: &Program, states: Vec<f64>, start: Time) -> Discrete {
        let past = |timer: &program::TimerCells| events_before(&*timer.timer, start);
        let counts = program.timers.iter().map(past).collect();
        Discrete { states, counts, ticks: Vec::new(), sides: vec![0.0; program.crossings.len()] }
    }

    /// The same with the ticks taken back that lie after a time, and those that a rejected step,
    /// from the evaluation `rejected` on, has seen: the states that ticks change, and the counts,
    /// are as they were before. The other states are those of the evaluation before.
    pub fn taken_back(mut self, time: f64, rejected: Option<usize>, ticked: &[bool]) -> Discrete {
        let undone = |tick: &Tick| {
            tick.time.seconds() > time || rejected.is_some_and(|since| tick.e >= since)
        };
        while self.ticks.last().is_some_and(undone)
            && let Some(tick) = self.ticks.pop()
        {
            self.take(&tick.states, ticked);
            self.counts = tick.counts;
        }
        self
    }

    /// Takes over the states that ticks change.
    pub fn take(&mut self, states: &[f64], ticked: &[bool]) {
        for ((own, new), _) in
            self.states.iter_mut().zip(states).zip(ticked).filter(|(_, ticked)| **ticked)
        {
            *own = *new;
        }
    }

    /// Counts a tick of some timers, which evaluation `e` sees first.
    pub fn tick(&mut self, time: Time, e: usize, timers: &[usize]) {
        let (states, counts) = (self.states.clone(), self.counts.clone());
        self.ticks.push(Tick { time, e, states, counts });
        timers.iter().for_each(|timer| self.counts[*timer] += 1);
    }

    /// Forgets the ticks up to a time, which time will not recede past.
    pub fn forget(&mut self, time: f64) {
        self.ticks.retain(|tick| tick.time.seconds() > time);
    }

    /// The next tick up to a time: when it is and the timers that wake.
    pub fn due(&self, program: &Program, time: f64) -> Option<(Time, Vec<usize>)> {
        let next = |timer: usize| program.timers[timer].timer.time(self.counts[timer]);
        let first = (0..self.counts.len()).filter_map(next).min()?;
        let woken = (0..self.counts.len()).filter(|timer| next(*timer) == Some(first)).collect();
        (first.seconds() <= time).then_some((first, woken))
    }
}
