//! The discrete part of a diagram, between two evaluations.

use base::{ExactTime, Table, Time};
use program::{CrossingId, FragmentId, MachineId, TimerId};

/// Everything in a diagram that is not continuous, as it is after an evaluation. It is plain data,
/// so that it can be the value of a stream.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Discrete {
    /// The part that ticks and transitions change.
    pub kept: Kept,
    /// Ticks that may have to be taken back, latest last.
    pub ticks: Vec<Tick>,
    /// The sides and floors of comparisons, as last read.
    pub sides: Table<CrossingId, f64>,
    /// The time of the evaluation \[s\].
    pub time: f64,
}

/// The part that ticks and transitions change.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Kept {
    /// The discrete states, contiguous; those of state machines are among them.
    pub states: Vec<f64>,
    /// How often each timer has woken.
    pub counts: Table<TimerId, u64>,
    /// The clocks of the fragments that state machines switch on and off.
    pub clocks: Table<FragmentId, Clock>,
    /// For each machine, how often it has changed state or been switched on.
    pub moves: Table<MachineId, u64>,
    /// How often each machine has drawn a transition at random.
    pub draws: Table<MachineId, u64>,
}

/// The clock of a fragment. All times are those of the clock of the surrounding fragment, so that
/// everything inside a fragment stops with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Clock {
    /// Whether the fragment has run since the surrounding one restarted.
    pub ran: bool,
    /// When it showed 0.
    pub origin: ExactTime,
    /// When it was last switched on.
    pub entered: ExactTime,
    /// When it was last switched off.
    pub stopped: ExactTime,
    /// Whether a value that a machine in it has emitted is still passed on, although it was
    /// switched off.
    pub speaking: bool,
}

/// A tick, and the state before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tick {
    time: Time,
    /// The first evaluation that saw it.
    e: usize,
    before: Kept,
}

impl Discrete {
    /// Takes back the ticks after a time, and those that a rejected step, from the evaluation
    /// `rejected` on, has seen: the states that ticks change, the counts and the clocks revert to
    /// their values before these ticks. The other states are those of the previous evaluation.
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

    /// Adopts the states that ticks change.
    pub fn take(&mut self, states: &[f64], ticked: &[bool]) {
        for ((own, new), _) in
            self.kept.states.iter_mut().zip(states).zip(ticked).filter(|(_, ticked)| **ticked)
        {
            *own = *new;
        }
    }

    /// Counts a tick of some timers, first seen by evaluation `e`.
    pub fn tick(&mut self, time: Time, e: usize, timers: &[TimerId]) {
        self.ticks.push(Tick { time, e, before: self.kept.clone() });
        timers.iter().for_each(|timer| self.kept.counts[*timer] += 1);
    }

    /// Forgets the ticks up to a time; time will not recede past it.
    pub fn forget(&mut self, time: f64) {
        self.ticks.retain(|tick| tick.time.seconds() > time);
    }

    /// Writes a change that depends on no tick into the states before the ticks too, so that it
    /// persists when they are taken back. It goes back as far as the machine was in the state
    /// before the change: as long as its count of moves was `moves`.
    pub fn persist(&mut self, changed: &Changed, machine: MachineId, moves: u64) {
        self.persist_while(changed, |before| before.moves[machine] == moves);
    }

    /// The same, as far back as a condition holds.
    pub fn persist_while(&mut self, changed: &Changed, holds: impl Fn(&Kept) -> bool) {
        let since = self.ticks.iter_mut().rev();
        for tick in since.take_while(|tick| holds(&tick.before)) {
            changed.copy(&self.kept, &mut tick.before);
        }
    }
}

/// The parts of [`Kept`] that a transition has changed.
#[derive(Clone, Default, Debug)]
pub(crate) struct Changed {
    /// Elements of states.
    pub states: Vec<usize>,
    /// Timers.
    pub counts: Vec<TimerId>,
    /// Fragments.
    pub clocks: Vec<FragmentId>,
    /// Machines.
    pub machines: Vec<MachineId>,
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
