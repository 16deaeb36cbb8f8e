//! Rate transitions: how clocks, which tick in time, act on evaluations.
//!
//! A clock is there at an evaluation as the number of its ticks up to the time of that evaluation,
//! as in the paper's (17). Where that number grows, the clock's event is present. Where time recedes
//! past a tick, the tick is taken back with all that it has changed, and where a step is rejected
//! all ticks in it are: the evaluations that try the step again see them anew.

use crate::StreamError;
use crate::discrete::Discrete;
use crate::point::{Machine, Place, Point, Reading};

/// The greatest number of ticks between two evaluations.
const MOST_TICKS: usize = 1000;

/// An evaluation and what it leaves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Arrival {
    pub point: Point,
    pub after: Discrete,
    /// Whether a comparison or a clock would have switched and was held back.
    pub switching: bool,
}

impl Machine {
    /// Evaluates with comparisons read from values and with the ticks up to this time. Ticks that
    /// lie further back than `memory` \[s\] cannot be taken back any more.
    pub fn arrive(
        &self,
        place: Place,
        before: &Discrete,
        memory: f64,
    ) -> Result<Arrival, StreamError> {
        let mut now = before.clone().taken_back(place.time, place.rejected, &self.ticked);
        let mut due = now.due(&self.program, place.time);
        for _ in 0..MOST_TICKS {
            let mut woken = Vec::new();
            if let Some((time, timers)) = due {
                now.tick(time, place.e, &timers);
                woken = timers;
            }
            let point = self.evaluate(place, &now, &woken, Reading::Values)?;
            due = now.due(&self.program, place.time);
            if due.is_none() {
                let (states, sides) = (point.states.clone(), point.sides.clone());
                now.forget(place.time - memory);
                let after = Discrete { states, sides, ..now };
                return Ok(Arrival { point, after, switching: false });
            }
            // More than one tick since the last evaluation: they follow one another here.
            now.take(&point.states, &self.ticked);
        }
        let timer = due.map_or(0, |(_, timers)| timers[0]);
        let Place { e, time, .. } = place;
        Err(StreamError::TooManyTicks { e, time, block: self.timer(timer) })
    }

    /// Evaluates with comparisons and clocks held as they were: the model 'lies' to the solver, and
    /// tells whether it has had to. Where a comparison that is held leads out of the domain of a
    /// function, as in `sqrt(max(h, 0))`, it is read from its values after all.
    pub fn hold(&self, place: Place, before: &Discrete) -> Result<Arrival, StreamError> {
        let point = match self.evaluate(place, before, &[], Reading::Held) {
            Err(StreamError::NotFinite { .. }) => {
                self.evaluate(place, before, &[], Reading::Values)?
            }
            other => other?,
        };
        let due = before.due(&self.program, place.time).is_some();
        let switching = due || point.sides != before.sides;
        let after = Discrete { states: point.states.clone(), ..before.clone() };
        Ok(Arrival { point, after, switching })
    }
}
