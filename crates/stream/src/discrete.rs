//! What is not continuous, between two evaluations.

use base::{ExactTime, Time};

/// Everything of a diagram that is not continuous, as it stands after an evaluation. Plain data,
/// so that it can be the value of a stream.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Discrete {
    /// What ticks and transitions change.
    pub kept: Kept,
    /// Ticks that may have to be taken back, the latest last.
    pub ticks: Vec<Tick>,
    /// The sides and cells of comparisons, as they were read last.
    pub sides: Vec<f64>,
    /// The time of the evaluation \[s\].
    pub time: f64,
}

/// What ticks and transitions change.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Kept {
    /// The states that do not flow, one after the other; those of state machines are among them.
    pub states: Vec<f64>,
    /// How often each timer has woken.
    pub counts: Vec<u64>,
    /// The clocks of what state machines switch on and off.
    pub clocks: Vec<Clock>,
    /// For each machine, how often it has moved or been switched on.
    pub moves: Vec<u64>,
    /// How often each machine has drawn a transition.
    pub draws: Vec<u64>,
}

/// The clock of a fragment. All times are those of the clock of the fragment around it, so that
/// what is inside a fragment stands still with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Clock {
    /// Whether the fragment has run since what is around it started anew.
    pub ran: bool,
    /// When it showed 0.
    pub origin: ExactTime,
    /// When it was switched on last.
    pub entered: ExactTime,
    /// When it was switched off last.
    pub stopped: ExactTime,
    /// Whether what a machine in it has said is still passed on, although it was switched off.
    pub speaking: bool,
}

/// A tick, and what was there before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tick {
    time: Time,
    /// The evaluation that has seen it first.
    e: usize,
    before: Kept,
}

impl Discrete {
    /// The same with the ticks taken back that lie after a time, and those that a rejected step,
    /// from the evaluation `rejected` on, has seen: the states that ticks change, the counts and
    /// the clocks are as they were before. The other states are those of the evaluation before.
    pub fn taken_back(mut self, time: f64, rejected: Option<usize>, ticked: &[bool]) -> Discrete {
        let undone = |tick: &Tick| {
            tick.time.seconds() > time || rejected.is_some_and(|since| tick.e >= since)
        };
        while self.ticks.last().is_some_and(undone)
            && let Some(tick) = self.ticks.pop()
        {
            self.take(&tick.before.states, ticked);
            self.kept = Kept { states: self.kept.states, ..tick.before };
        }
        self
    }

    /// Takes over the states that ticks change.
    pub fn take(&mut self, states: &[f64], ticked: &[bool]) {
        for ((own, new), _) in
            self.kept.states.iter_mut().zip(states).zip(ticked).filter(|(_, ticked)| **ticked)
        {
            *own = *new;
        }
    }

    /// Counts a tick of some timers, which evaluation `e` sees first.
    pub fn tick(&mut self, time: Time, e: usize, timers: &[usize]) {
        self.ticks.push(Tick { time, e, before: self.kept.clone() });
        timers.iter().for_each(|timer| self.kept.counts[*timer] += 1);
    }

    /// Forgets the ticks up to a time, which time will not recede past.
    pub fn forget(&mut self, time: f64) {
        self.ticks.retain(|tick| tick.time.seconds() > time);
    }

    /// Enters a change that hangs on no tick in what was before the ticks too, so that it stays
    /// when they are taken back. It goes back as far as the machine has been where it was before
    /// the change, with `moves` of it.
    pub fn persist(&mut self, changed: &Changed, machine: usize, moves: u64) {
        self.persist_while(changed, |before| before.moves[machine] == moves);
    }

    /// The same, as far back as something holds.
    pub fn persist_while(&mut self, changed: &Changed, holds: impl Fn(&Kept) -> bool) {
        let since = self.ticks.iter_mut().rev();
        for tick in since.take_while(|tick| holds(&tick.before)) {
            changed.copy(&self.kept, &mut tick.before);
        }
    }
}

/// Which parts of what is kept a transition has changed.
#[derive(Clone, Default, Debug)]
pub(crate) struct Changed {
    /// Elements of states.
    pub states: Vec<usize>,
    /// Timers.
    pub counts: Vec<usize>,
    /// Fragments.
    pub clocks: Vec<usize>,
    /// Machines.
    pub machines: Vec<usize>,
}

impl Changed {
    fn copy(&self, from: &Kept, to: &mut Kept) {
        self.states.iter().for_each(|i| to.states[*i] = from.states[*i]);
        self.counts.iter().for_each(|i| to.counts[*i] = from.counts[*i]);
        self.clocks.iter().for_each(|i| to.clocks[*i] = from.clocks[*i]);
        for machine in &self.machines {
            to.moves[*machine] = from.moves[*machine];
            to.draws[*machine] = from.draws[*machine];
        }
    }
}
