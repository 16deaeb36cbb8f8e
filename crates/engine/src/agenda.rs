//! The agenda: when each timer wakes next.
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeSet, BinaryHeap};

use base::{ExactTime, Table, Time, clone_reusing};
use program::{FragmentId, Profile, Program, TimerId, events_before};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;

/// When each timer wakes next, and how often it has woken.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Agenda {
    /// Times of wakings and their timers, earliest on top. An entry whose fragment has stopped
    /// since is stale, and is removed when it comes to the top.
    entries: BinaryHeap<Reverse<(Time, TimerId)>>,
    /// How often each timer has woken.
    pub wakings: Table<TimerId, u64>,
    /// When timers whose times are states wake next, in the time of their fragments.
    alarms: Table<TimerId, Option<ExactTime>>,
}

clone_reusing!(Agenda { entries, wakings, alarms });

impl Agenda {
    /// The agenda before the start; writes how often timers have woken until then to the buffer.
    pub fn new(program: &Program, start: Time, slots: &mut [f64]) -> Agenda {
        let mut agenda =
            Agenda { entries: BinaryHeap::new(), wakings: Table::new(), alarms: Table::new() };
        for (id, timer) in program.timers.entries() {
            let dwell = program.fragments[timer.fragment].dwell;
            let past = if dwell { 0 } else { events_before(&*timer.timer, start) };
            slots[program.tracked(timer.wakings).slot.index()] = past as f64;
            // An alarm wakes when its diagram begins.
            let first = timer.alarm.map(|_| start);
            agenda.alarms.push(first.map(ExactTime::from));
            if let Some(time) = first.or_else(|| timer.timer.time(past))
                && timer.fragment == FragmentId::ROOT
            {
                agenda.add(time, id);
            }
            agenda.wakings.push(past);
        }
        agenda
    }

    /// Adds a waking of a timer.
    pub fn add(&mut self, time: Time, timer: TimerId) {
        self.entries.push(Reverse((time, timer)));
    }

    /// Replaces the first entry by a later waking of its timer. Where that comes first again, as a
    /// fast clock among slow ones does, the other entries are not moved.
    fn replace_first(&mut self, next: Option<Time>) {
        match (self.entries.peek_mut(), next) {
            (Some(mut first), Some(next)) => first.0.0 = next,
            (Some(first), None) => drop(PeekMut::pop(first)),
            (None, _) => {}
        }
    }

    /// The first entry, which may be stale.
    pub fn first(&self) -> Option<(Time, TimerId)> {
        self.entries.peek().map(|Reverse(entry)| *entry)
    }
}

impl Engine<'_> {
    /// When a timer wakes next; never while its fragment does not run.
    pub fn wakes(&self, timer: TimerId) -> Option<Time> {
        let own = &self.program.timers[timer];
        if own.alarm.is_some() {
            return self.wakes_at_alarm(timer);
        }
        if own.fragment == FragmentId::ROOT {
            return own.timer.time(self.state.agenda.wakings[timer]);
        }
        if !self.runs(own.fragment) {
            return None;
        }
        let clock = &self.state.machines.clocks[own.fragment];
        Some((own.timer.exact(self.state.agenda.wakings[timer])? + clock.origin).time())
    }

    fn wakes_at_alarm(&self, timer: TimerId) -> Option<Time> {
        let fragment = self.program.timers[timer].fragment;
        let runs = fragment == FragmentId::ROOT || self.runs(fragment);
        let time = self.state.agenda.alarms[timer].filter(|_| runs)?;
        Some((time + self.state.machines.clocks[fragment].origin).time())
    }

    /// Sets an alarm to a time.
    pub fn wake_at(&mut self, timer: TimerId, time: Time) {
        let fragment = self.program.timers[timer].fragment;
        let origin = self.state.machines.clocks[fragment].origin;
        self.state.agenda.alarms[timer] = Some(ExactTime::from(time) - origin);
        self.state.agenda.add(time, timer);
    }

    /// Takes the time of an alarm from its state.
    pub fn set_alarm(&mut self, timer: TimerId) {
        let own = &self.program.timers[timer];
        let Some(state) = own.alarm else { return };
        let seconds = self.values(self.program.states[state].tracked)[0];
        let now = self.state.now - self.state.machines.clocks[own.fragment].origin;
        let time = match seconds.is_nan() || seconds == f64::INFINITY {
            true => None,
            // A time that is past has come.
            false => ExactTime::from_decimal(seconds).filter(|time| *time > now).or(Some(now)),
        };
        self.state.agenda.alarms[timer] = time;
        if let Some(time) = self.wakes_at_alarm(timer) {
            self.state.agenda.add(time, timer);
        }
    }

    /// The first time on the agenda, without stale entries.
    pub fn next_event(&mut self) -> Time {
        if self.state.agenda.entries.len() > 2 * self.program.timers.len() + 64 {
            self.remove_stale();
        }
        while let Some((time, timer)) = self.state.agenda.first() {
            if self.is_fresh(time, timer) || self.is_kept(time) {
                return time;
            }
            self.state.agenda.entries.pop();
        }
        Time::MAX
    }

    /// Whether a stale entry counts: in Ptolemy II what a diagram has asked for before it stopped is
    /// a breakpoint of the one around it, at which nothing else happens.
    fn is_kept(&self, time: Time) -> bool {
        let now = self.state.tag.time;
        let coming = time > now || time == now && self.state.tick.is_some();
        self.options.profile == Profile::Ptolemy && coming
    }

    /// Whether an entry is not stale.
    fn is_fresh(&self, time: Time, timer: TimerId) -> bool {
        let own = &self.program.timers[timer];
        let always = own.fragment == FragmentId::ROOT && own.alarm.is_none();
        always || self.wakes(timer) == Some(time)
    }

    /// Removes all stale entries, so that the agenda does not grow with the number of switches.
    #[cold]
    fn remove_stale(&mut self) {
        let fresh = |(time, timer): &(Time, TimerId)| self.is_fresh(*time, *timer);
        let entries = self.state.agenda.entries.iter();
        let kept: BTreeSet<(Time, TimerId)> = entries.map(|entry| entry.0).filter(fresh).collect();
        self.state.agenda.entries = kept.into_iter().map(Reverse).collect();
    }

    /// Takes the timers that are due at a time off the agenda and adds their next wakings; they are
    /// in `woken` until the next call.
    pub fn take_due(&mut self, time: Time, sink: &mut dyn Sink) {
        self.scratch.woken.clear();
        while self.next_event() <= time {
            let Some((at, timer)) = self.state.agenda.first() else { break };
            if !self.is_fresh(at, timer) {
                self.state.agenda.entries.pop();
                if let Some(tick) = &mut self.state.tick {
                    tick.asked = tick.asked.max(1);
                }
                continue;
            }
            self.take_cause(timer);
            self.state.agenda.wakings[timer] += 1;
            self.state.agenda.alarms[timer] = None;
            let block = self.program.timers[timer].block;
            if sink.listens() {
                sink.event(Event::Woken { time, block: self.name(block) });
            }
            let next = self.wakes(timer);
            self.state.agenda.replace_first(next);
            if let Some(next) = next.filter(|_| sink.listens()) {
                sink.event(Event::Agenda { time, block: self.name(block), next });
            }
            self.scratch.woken.push(timer);
        }
    }

    /// The same where nobody listens, all timers always run, and nothing adds to the exact time of
    /// the tick.
    #[inline]
    pub fn take_due_plainly(&mut self, time: Time) {
        self.scratch.woken.clear();
        while let Some((_, timer)) = self.state.agenda.first().filter(|first| first.0 <= time) {
            let wakings = &mut self.state.agenda.wakings[timer];
            *wakings += 1;
            let next = self.program.timers[timer].timer.time(*wakings);
            self.state.agenda.replace_first(next);
            self.scratch.woken.push(timer);
        }
    }

    /// A timer that is due gives the exact time of this tick, if something adds to it.
    #[inline]
    fn take_cause(&mut self, timer: TimerId) {
        if self.program.lines.is_empty() && self.program.machines.is_empty() {
            return;
        }
        let own = &self.program.timers[timer];
        let origin = self.state.machines.clocks[own.fragment].origin;
        let alarm = self.state.agenda.alarms[timer];
        let instant = alarm.or_else(|| own.timer.exact(self.state.agenda.wakings[timer]));
        if let Some(instant) = instant {
            self.state.now = self.state.now.meet(instant + origin);
        }
    }

    /// Makes the timers that were due wake at the coming microstep.
    pub fn wake(&mut self) {
        let program = self.program;
        for index in 0..self.scratch.woken.len() {
            let timer = self.scratch.woken[index];
            let own = &program.timers[timer];
            self.state.slots[program.tracked(own.wakings).slot.index()] =
                self.state.agenda.wakings[timer] as f64;
            self.mark_next(own.wakings);
            self.state.slots[program.tracked(own.woken).slot.index()] = 1.0;
            self.pulse(own.woken);
            if let Some(tick) = &mut self.state.tick
                && self.options.profile == Profile::Ptolemy
            {
                tick.asked = tick.asked.max(1);
            }
        }
    }
}
