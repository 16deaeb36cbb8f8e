//! Rate transitions: how clocks, which tick in time, act on evaluations.
//!
//! At an evaluation a clock is represented by the number of its ticks up to the time of that
//! evaluation, as in the paper's (17). If that number grows, the clock's event is present. If time
//! recedes past a tick, the tick is taken back with everything that it has changed, and if a step
//! is rejected all ticks in it are: the evaluations that try the step again see them again.

use base::{ExactTime, Time};
use diagram::FragmentId;
use program::TimerId;

use crate::StreamError;
use crate::discrete::{Discrete, Kept};
use crate::machines::Moment;
use crate::point::{Evaluated, Evaluator, Place, Point, Reading};

/// The greatest number of ticks between two evaluations.
const MOST_TICKS: usize = 1000;

/// An evaluation and the discrete part that it leaves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Arrival {
    pub point: Point,
    pub after: Discrete,
    /// Whether a comparison, a clock or a state machine would have switched and was held back.
    pub switching: bool,
}

/// A tick that is due.
struct Due {
    time: Time,
    instant: ExactTime,
    timers: Vec<TimerId>,
}

impl Evaluator {
    /// Evaluates with comparisons read from values and with the ticks up to this time. Ticks that
    /// are older than `memory` \[s\] can no longer be taken back. With `located`, a state machine
    /// that changes state gives the rates of its new state, since the next step begins with them.
    pub fn arrive(
        &self,
        place: Place,
        before: &Discrete,
        memory: f64,
        located: bool,
    ) -> Result<Arrival, StreamError> {
        let mut now = before.clone().taken_back(place.time, place.rejected, &self.ticked);
        self.recede(&mut now.kept, place.time);
        for _ in 0..MOST_TICKS {
            let due = self.due(&now.kept, place.time);
            if let Some(due) = &due {
                now.tick(due.time, place.e, &due.timers);
            }
            let woken = due.as_ref().map_or(&[][..], |due| &due.timers);
            let evaluated = self.evaluate(place, &now, woken, Reading::Values)?;
            if let Some(due) = &due
                && let Some(between) = self.between(place, &evaluated, &now, due)?
            {
                now = between;
                continue;
            }
            let point = evaluated.point.clone();
            let (mut after, moved) = self.end(place, evaluated, &now, due.as_ref(), true)?;
            after.forget(place.time - memory);
            after.time = place.time;
            let mut arrival = Arrival { point, after, switching: false };
            if located && moved {
                let new = self.evaluate(place, &arrival.after, &[], Reading::Values)?;
                arrival.point.rates = new.point.rates;
            }
            return Ok(arrival);
        }
        let due = self.due(&now.kept, place.time);
        let timer = due.map_or(TimerId(0), |due| due.timers[0]);
        let Place { e, time, .. } = place;
        Err(StreamError::TooManyTicks { e, time, block: self.timer(timer) })
    }

    /// The discrete part after a tick, if several ticks lie between two evaluations: they follow
    /// one another at the second evaluation.
    fn between(
        &self,
        place: Place,
        evaluated: &Evaluated,
        now: &Discrete,
        due: &Due,
    ) -> Result<Option<Discrete>, StreamError> {
        let (between, _) = self.end(place, evaluated.clone(), now, Some(due), false)?;
        // Whatever begins with the state that a tick leads to waits for the next evaluation, unless
        // the previous one could have seen it.
        let seen = self.program.machines.is_empty() || due.time.seconds() <= now.time;
        let follows = |next: &Due| seen || next.time > due.time;
        Ok(self.due(&between.kept, place.time).filter(follows).map(|_| between))
    }

    /// The discrete part that an evaluation leaves, and whether a state machine changes state.
    fn end(
        &self,
        place: Place,
        mut evaluated: Evaluated,
        before: &Discrete,
        due: Option<&Due>,
        last: bool,
    ) -> Result<(Discrete, bool), StreamError> {
        let mut now = before.clone();
        let states = std::mem::take(&mut evaluated.states);
        match last {
            true => now.kept.states = states,
            false => now.take(&states, &self.ticked),
        }
        now.sides = std::mem::take(&mut evaluated.sides);
        if self.program.machines.is_empty() {
            return Ok((now, false));
        }
        let settled = due.is_none().then_some(&before.kept);
        self.fade(&evaluated, &mut now, settled);
        // Ticks that are due in a silenced diagram come when it resumes.
        for timer in due.iter().flat_map(|due| &due.timers) {
            if self.is_silenced(&evaluated.silenced, self.program.timers[*timer].fragment) {
                now.kept.counts[*timer] -= 1;
            }
        }
        let moment = Moment { tick: due.map(|due| due.instant), last };
        let moved = self.decide(place, evaluated, &mut now, moment)?;
        Ok((now, moved))
    }

    /// Evaluates with comparisons, clocks and state machines held as they were: the model 'lies' to
    /// the solver, and reports whether it has had to. If a held comparison leads out of the domain
    /// of a function, as in `sqrt(max(h, 0))`, it is read from its values after all.
    pub fn hold(&self, place: Place, before: &Discrete) -> Result<Arrival, StreamError> {
        let mut after = before.clone();
        self.recede(&mut after.kept, place.time);
        let evaluated = match self.evaluate(place, &after, &[], Reading::Held) {
            Err(StreamError::NotFinite { .. }) => {
                self.evaluate(place, &after, &[], Reading::Values)?
            }
            other => other?,
        };
        let due = self.due(&after.kept, place.time).is_some();
        let moving = self.is_moving(&evaluated, &after.kept);
        let switching = due || moving || evaluated.sides != before.sides;
        after.kept.states.clone_from(&evaluated.states);
        self.fade(&evaluated, &mut after, Some(&before.kept));
        after.time = place.time;
        Ok(Arrival { point: evaluated.point, after, switching })
    }

    /// The next tick up to a time in a running fragment.
    fn due(&self, kept: &Kept, time: f64) -> Option<Due> {
        let (running, origins) = (self.running(kept), self.origins(kept));
        let next = |timer: TimerId| {
            let own = &self.program.timers[timer];
            let instant = own.timer.exact(kept.counts[timer])? + origins[own.fragment];
            match own.fragment {
                FragmentId::ROOT => Some((own.timer.time(kept.counts[timer])?, instant)),
                _ => running[own.fragment].then_some((instant.time(), instant)),
            }
        };
        let all = || kept.counts.ids().filter_map(|timer| Some((next(timer)?, timer)));
        let ((time_of_first, instant), _) = all().min_by_key(|((time, _), _)| *time)?;
        if time_of_first.seconds() > time {
            return None;
        }
        let woken = all().filter(|((time, _), _)| *time == time_of_first);
        let meet =
            |met: ExactTime, ((_, other), _): &((Time, ExactTime), TimerId)| met.meet(*other);
        let instant = woken.clone().fold(instant, |met, other| meet(met, &other));
        Some(Due { time: time_of_first, instant, timers: woken.map(|(_, timer)| timer).collect() })
    }
}
