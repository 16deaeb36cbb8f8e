//! Causes of one instant that take turns: for studies of whether their order matters.
//!
//! ```text
//! (t, 0)   the causes: timers that are due, functions that cross zero, delayed events that come
//!          those whose turn comes later are held back: a timer does not wake, a side stays
//! (t, n)   what the others cause, until nothing requires (t, n + 1)
//!          then the next turn, at (t, n + 1), as if it came an instant later
//! ```
//!
//! A run without turns pays for one look at an option. Nothing here is part of a snapshot: whoever
//! studies an instant forks a run before it, and drops the fork after it.

use std::collections::VecDeque;

use program::{CrossingId, LineId, MaySlide, RegionId, TimerId, WatchId};

use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::sliding::same::{factor, sampled};
use crate::smooth::flow::room;

/// Something that begins at an instant and not because of anything else that happens there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cause {
    /// The path of the block whose timer, crossing or delayed event it is.
    pub block: String,
    what: Vec<Part>,
}

/// A part of a cause. Functions that are equal up to a factor are zero for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Timer(TimerId),
    Crossing(CrossingId),
    Line(LineId),
}

/// The causes of a tick, and those whose turn comes later.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The causes that the tick has at microstep 0.
    pub causes: Vec<Cause>,
    /// What has changed its side at microstep 0.
    crossings: Vec<CrossingId>,
    /// What comes later, one after the other.
    later: VecDeque<Vec<Part>>,
    /// What is held back in this tick.
    held: Vec<Part>,
}

impl Turns {
    /// Turns of causes after all others.
    pub fn new(later: &[Vec<Cause>]) -> Turns {
        let parts = |turn: &Vec<Cause>| turn.iter().flat_map(|cause| cause.what.clone()).collect();
        Turns { later: later.iter().map(parts).collect(), ..Turns::default() }
    }

    fn waits(&self, part: Part) -> bool {
        self.later.iter().flatten().any(|own| *own == part)
    }
}

impl Engine<'_> {
    /// Notes the causes of a tick that begins, and holds back those whose turn comes later.
    #[cold]
    pub(crate) fn look_at_causes(&mut self) {
        let Some(mut turns) = self.scratch.turns.take() else { return };
        let timers = self.scratch.woken.iter().map(|timer| Part::Timer(*timer));
        let crossings = std::mem::take(&mut turns.crossings).into_iter().map(Part::Crossing);
        let lines = self.state.delays.coming.iter().filter(|line| self.brings_events(**line));
        let lines = lines.map(|line| Part::Line(*line));
        let parts: Vec<Part> = timers.chain(crossings).chain(lines).collect();
        turns.causes = self.gathered(&parts);
        turns.held = parts.into_iter().filter(|part| turns.waits(*part)).collect();
        let held = |part: Part| turns.held.contains(&part);
        self.scratch.woken.retain(|timer| !held(Part::Timer(*timer)));
        self.state.delays.coming.retain(|line| !held(Part::Line(*line)));
        self.scratch.turns = Some(turns);
    }

    /// Sides do not change as long as their turn has not come; those that would at microstep 0 are
    /// causes.
    #[cold]
    pub(crate) fn keep_waiting(&mut self, microstep: u32, found: &mut Vec<(CrossingId, f64)>) {
        let Some(mut turns) = self.scratch.turns.take() else { return };
        if microstep == 0 {
            let crossings = found.iter().filter(|(id, side)| self.is_cause(*id) && *side != 0.0);
            turns.crossings = crossings.map(|(id, _)| *id).collect();
        }
        found.retain(|(id, _)| !turns.waits(Part::Crossing(*id)));
        self.scratch.turns = Some(turns);
    }

    /// Lets the next turn begin, if something has waited for the end of the tick. Returns whether
    /// there was one.
    #[cold]
    pub(crate) fn begin_turn(&mut self, sink: &mut dyn Sink) -> Result<bool, RunError> {
        let (next, tag) =
            (self.state.tick.as_ref().map_or(1, |tick| tick.microstep), self.state.tag);
        let turn = self.scratch.turns.as_mut().and_then(|turns| turns.later.pop_front());
        let (Some(turn), Some(turns)) = (turn, &mut self.scratch.turns) else { return Ok(false) };
        let (due, rest) =
            std::mem::take(&mut turns.held).into_iter().partition(|p| turn.contains(p));
        turns.held = rest;
        self.scratch.woken.clear();
        for part in due {
            match part {
                Part::Timer(timer) => self.scratch.woken.push(timer),
                Part::Line(line) => self.release_line(line, next),
                Part::Crossing(_) => {}
            }
        }
        self.wake();
        for part in turn {
            if let Part::Crossing(id) = part
                && let Some(watch) = self.program.crossings[id].watch
            {
                self.unsettle(watch.region);
            }
        }
        self.settle_sides(tag.microstep.max(1), sink)?;
        self.decide(tag.microstep.max(1), sink)?;
        Ok(true)
    }

    fn unsettle(&mut self, region: RegionId) {
        if let Some(tick) = &mut self.state.tick {
            let touched = tick.involve(region);
            (touched.stale, touched.unsettled, tick.unsettled) = (true, true, true);
        }
    }

    /// Whether the crossing of a function is a happening of its own: kinks are not, and surfaces
    /// along which the motion slides are decided about together.
    fn is_cause(&self, id: CrossingId) -> bool {
        let crossing = &self.program.crossings[id];
        let slides = crossing.watch.is_some_and(|watch| self.state.regions[watch.region].is_held());
        !(crossing.kink || slides && crossing.sliding == MaySlide::Yes)
    }

    /// Whether a delay line brings events, and not a continuous signal.
    fn brings_events(&self, line: LineId) -> bool {
        let coming = self.state.delays.lines[line].coming.as_ref();
        self.program.lines[line].track.is_none()
            && self.line_zero(line).is_some()
            && coming.is_some_and(|(change, done)| *done < change.entries.len())
    }

    /// The causes that parts belong to.
    fn gathered(&mut self, parts: &[Part]) -> Vec<Cause> {
        let mut causes: Vec<(Cause, Option<[f64; 8]>)> = Vec::new();
        for part in parts.iter().copied() {
            let (block, samples) = match part {
                Part::Timer(timer) => (self.program.timers[timer].block, None),
                Part::Line(line) => (self.program.lines[line].block, None),
                Part::Crossing(id) => (self.program.crossings[id].block, self.samples(id)),
            };
            let same = |own: &&mut (Cause, Option<[f64; 8]>)| match (&own.1, &samples) {
                (Some(own), Some(samples)) => factor(own, samples).is_some(),
                _ => false,
            };
            match causes.iter_mut().find(same) {
                Some((cause, _)) => cause.what.push(part),
                None => {
                    let block = self.name(block).path().to_owned();
                    causes.push((Cause { block, what: vec![part] }, samples));
                }
            }
        }
        causes.into_iter().map(|(cause, _)| cause).collect()
    }

    /// A function at scattered points.
    fn samples(&mut self, id: CrossingId) -> Option<[f64; 8]> {
        let program = self.program;
        let WatchId { region, index } = program.crossings[id].watch?;
        let code = &program.regions[region];
        let room = room(&mut self.scratch.functions[region], code, index);
        Some(sampled(program, (WatchId { region, index }, code), room, &self.state.slots))
    }
}
