//! Runs of one program whose smooth phases go on side by side, in lanes.
//!
//! A run enters a lane between two advances, if the next things that it would do are steps that
//! nobody observes. There it goes on with the others, each with its own step and its own end, and is
//! bit-identical to a run by itself: the solver decides about each trial as it always does. It
//! leaves at the next time of its agenda, at a crossing, where a row is due, and before any step of
//! which something is rare; then it is advanced by itself, and may come back.

use std::fmt;
use std::sync::Arc;

use base::Time;
use program::{Profile, Program, RegionId};
use solver::{Advance, LANES, LaneEvents, LaneSet, LaneSteps, Method, Sides, StepError, StepLimit};

use crate::Options;
use crate::engine::Engine;
use crate::native::{LaneCode, code};
use crate::simulation::Simulation;
use crate::smooth::flow::Flow;

/// Why the runs of a program go on one by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneRefusal {
    /// The model goes from point to point by a fixed step.
    FixedSteps,
    /// Its method has a fixed step, or is implicit or chosen while the model runs.
    Method(Method),
    /// Nothing moves between events.
    Still,
    /// Its parts move apart from each other, each with its own steps.
    Regions(usize),
    /// States of a state machine have continuous states or guards of their own, or clocks that are
    /// read between events.
    Fragments,
    /// It delays continuous signals.
    Delays,
    /// Something outside of the model, such as an FMU, follows its steps.
    Foreign,
    /// Every step has a row.
    Rows,
    /// Its profile is that of Ptolemy II.
    Profile,
    /// Its equations are too long, or have loops or tables, so that their steps are not compiled
    /// whole.
    Equations,
    /// The runs are so few, or so short, that compiling for them would take longer.
    Short,
}

impl fmt::Display for LaneRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LaneRefusal::FixedSteps => "the model goes from point to point",
            LaneRefusal::Method(method) => {
                return write!(f, "`{}` has no explicit steps of variable length", method.name());
            }
            LaneRefusal::Still => "nothing moves between events",
            LaneRefusal::Regions(count) => {
                return write!(f, "{count} parts of the model move apart from each other");
            }
            LaneRefusal::Fragments => {
                "states of a state machine have integrators, guards or clocks of their own"
            }
            LaneRefusal::Delays => "continuous signals are delayed",
            LaneRefusal::Foreign => "an FMU follows each step",
            LaneRefusal::Rows => "each step has a row",
            LaneRefusal::Profile => "the profile is that of Ptolemy II",
            LaneRefusal::Equations => "the equations are long, or have loops or tables",
            LaneRefusal::Short => "they are few or short",
        })
    }
}

/// The region whose steps lanes take, in runs of a program with these options; or why there is none.
pub fn region_in_lanes(program: &Program, options: &Options) -> Result<RegionId, LaneRefusal> {
    let method = options.solver.method;
    let explicit = method.tableau().is_some_and(|tableau| tableau.embedded.is_some());
    if options.profile != Profile::Native {
        return Err(LaneRefusal::Profile);
    }
    if !explicit || method == Method::Auto {
        return Err(LaneRefusal::Method(method));
    }
    let moving: Vec<RegionId> =
        program.regions.ids().filter(|region| program.regions[*region].moves).collect();
    let [id] = moving[..] else {
        return Err(match moving.len() {
            0 => LaneRefusal::Still,
            count => LaneRefusal::Regions(count),
        });
    };
    let region = &program.regions[id];
    match () {
        () if region.dimension == 0 => Err(LaneRefusal::Still),
        () if !region.is_whole() || !region.clocks.is_empty() => Err(LaneRefusal::Fragments),
        () if !region.lines.is_empty() => Err(LaneRefusal::Delays),
        () if !region.completions.is_empty() => Err(LaneRefusal::Foreign),
        () if region.recorded && (options.rows.steps || region.watched) => Err(LaneRefusal::Rows),
        () => Ok(id),
    }
}

/// How many steps must fit before the end of a lane for a run to enter it: it takes as long as about
/// one step.
const WORTH: f64 = 3.0;

/// Runs by the number of their lane.
pub trait LaneRuns {
    /// The run that has entered a lane.
    fn run(&mut self, lane: usize) -> &mut Simulation;
}

/// How far a run goes in its lane.
#[derive(Clone, Copy, Debug)]
struct Way {
    region: RegionId,
    /// Its own horizon, and that of everything.
    own: Time,
    horizon: Time,
    limit: StepLimit,
}

/// Lanes, and how far the runs in them go.
#[derive(Debug)]
pub struct Lanes {
    code: Arc<dyn LaneCode>,
    steps: LaneSteps,
    ways: [Option<Way>; LANES],
}

impl Lanes {
    /// How many runs there is room for.
    pub const COUNT: usize = LANES;

    /// Free lanes for runs of the program that the code was made from.
    pub fn new(code: Arc<dyn LaneCode>) -> Lanes {
        let steps = LaneSteps::new(code.layout());
        Lanes { code, steps, ways: [None; LANES] }
    }

    /// Whether a run is in a lane.
    pub fn is_taken(&self, lane: usize) -> bool {
        self.ways[lane].is_some()
    }

    /// Takes a run into a free lane, if the next things that it would do are steps for a lane.
    /// Until it has left, nobody else may change it.
    pub fn enter(&mut self, lane: usize, run: &mut Simulation) -> bool {
        let mut engine = run.engine();
        let Some(way) = engine.way_in_lane() else { return false };
        let (slots, state) = (&engine.state.slots, &mut engine.state.regions[way.region]);
        let inputs = self.code.inputs().iter().map(|slot| slots[slot.index()]);
        let (solver, origin) = (&mut state.solver, state.origin_seconds);
        let entered = self.steps.enter(lane, solver, way.limit, origin, inputs);
        self.ways[lane] = entered.then_some(way);
        entered
    }

    /// Goes on with the runs in all lanes, by so many trials at most. Returns the lanes that runs
    /// have left, and which are to be advanced by themselves.
    pub fn advance(&mut self, most: u32, runs: &mut dyn LaneRuns) -> LaneSet {
        let code = self.code.clone();
        let LaneEvents { taken, odd } = self.steps.advance(most, &mut |trials| code.trial(trials));
        let mut left = 0;
        for lane in 0..LANES {
            let bit = 1 << lane;
            if taken & bit != 0 && self.look(lane, runs.run(lane)) {
                continue;
            }
            if odd & bit != 0 {
                self.put_back(lane, runs.run(lane));
            }
            if (taken | odd) & bit != 0 {
                left |= bit;
            }
        }
        left
    }

    /// Takes the run of a lane out of it.
    pub fn leave(&mut self, lane: usize, run: &mut Simulation) {
        if self.is_taken(lane) {
            self.put_back(lane, run);
        }
    }

    /// Looks at a step that a run has taken; returns whether it goes on in its lane.
    fn look(&mut self, lane: usize, run: &mut Simulation) -> bool {
        let Some(way) = self.ways[lane] else { return false };
        let mut engine = run.engine();
        let region = way.region;
        let (end, taken) = (self.steps.end(lane), self.steps.taken(lane));
        let searched = !engine.program.regions[region].watches.is_empty();
        let state = &mut engine.state.regions[region];
        if searched {
            self.steps.show(lane, &mut state.solver);
        }
        let found = match searched {
            true => engine.search_lane(&way),
            false => Ok(Advance::Reached),
        };
        let on = found == Ok(Advance::Reached) && engine.goes_on(&way, end, taken as u32);
        if on {
            let most = u64::from(engine.state.watch.pace.left);
            self.steps.go_on(lane, StepLimit { most, ..way.limit });
            return true;
        }
        if !searched {
            self.steps.show(lane, &mut engine.state.regions[region].solver);
        }
        engine.end_in_lane(&way, found);
        self.free(lane);
        false
    }

    /// Puts a run back to the start of its present step.
    fn put_back(&mut self, lane: usize, run: &mut Simulation) {
        let Some(way) = self.ways[lane] else { return };
        let mut engine = run.engine();
        let taken = self.steps.taken(lane);
        self.steps.put_back(lane, &mut engine.state.regions[way.region].solver);
        if taken > 0 {
            engine.state.watch.pace.spend(taken as u32);
            engine.reach_in_lane(&way, engine.state.regions[way.region].solver.time());
        }
        self.free(lane);
    }

    fn free(&mut self, lane: usize) {
        self.steps.leave(lane);
        self.ways[lane] = None;
    }
}

impl Engine<'_> {
    /// How far the run may go in a lane; none if it has something else to do first.
    fn way_in_lane(&mut self) -> Option<Way> {
        let region = self.mover()?;
        let idle = self.state.started
            && self.state.tick.is_none()
            && self.state.ended.is_none()
            && !self.state.finished
            && self.state.rows.waiting.is_empty()
            && self.state.watch.pace.left > 0
            && self.scratch.failed_lane.is_none();
        let program = &self.program.regions[region];
        let state = &self.state.regions[region];
        let plain = program.is_whole()
            && self.options.profile == Profile::Native
            && self.scratch.rounds.is_none()
            && !state.is_held()
            && !state.crossing;
        if !idle || !plain || !self.is_quiet(region) {
            return None;
        }
        let reached = state.reached;
        let next = self.next_event().min(self.next_delayed()).min(self.state.inputs.next());
        let horizon = next.min(self.options.stop);
        if reached >= horizon {
            return None;
        }
        let own = self.own_horizon(region);
        let origin = self.state.regions[region].origin;
        let whole = own.since(origin);
        let last = self.last_start(horizon);
        let before = if last == own { whole } else { last.since(origin) };
        let solver = &self.state.regions[region].solver;
        let rest = before - solver.time();
        if solver.next_step().is_none_or(|step| WORTH * step > rest) {
            return None;
        }
        let most = u64::from(self.state.watch.pace.left);
        let limit = StepLimit { horizon: whole, before, most, keep: false };
        Some(Way { region, own, horizon, limit })
    }

    /// Searches the step that the run has just taken in its lane.
    fn search_lane(&mut self, way: &Way) -> Result<Advance, StepError> {
        let region = way.region;
        let state = &mut self.state.regions[region];
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let active = &mut self.scratch.active[region];
        if !active.known {
            let compiled = code(self.native, region).is_some();
            active.find(&self.program.regions[region], ranges, slots, compiled);
        }
        let gain = std::mem::take(&mut active.gains);
        let past = (&mut state.history, &mut self.scratch.functions[region]);
        let origin = (state.origin, state.origin_seconds);
        let mut flow = Flow::new(self.program, region, ranges, active, slots, origin, past)
            .with(code(self.native, region));
        let sides = Sides { side: &state.sides, residual: &mut state.residuals, gain: &gain };
        let found = state.solver.search_lane(&mut flow, way.limit.horizon, sides);
        self.scratch.active[region].gains = gain;
        found
    }

    /// Counts steps that ended without a crossing; returns whether more of them may follow.
    fn goes_on(&mut self, way: &Way, end: f64, taken: u32) -> bool {
        self.state.watch.pace.spend(taken);
        self.reach_in_lane(way, end);
        let reached = self.state.regions[way.region].reached;
        if end >= way.limit.before || reached >= way.horizon {
            return false;
        }
        if self.state.watch.pace.left == 0 {
            // A run that never ends is stopped by itself.
            let mut pace = self.state.watch.pace;
            if pace.look(reached.min(way.horizon), self.options.stop).is_some() {
                return false;
            }
            self.state.watch.pace = pace;
        }
        true
    }

    fn reach_in_lane(&mut self, way: &Way, end: f64) {
        let state = &mut self.state.regions[way.region];
        state.reached = state.time_at(end, way.limit.horizon, way.own);
    }

    /// Ends the last step of a run in its lane as any other.
    fn end_in_lane(&mut self, way: &Way, found: Result<Advance, StepError>) {
        match found {
            Ok(Advance::Reached) => {}
            Ok(Advance::Crossing) => {
                self.state.watch.pace.spend(1);
                self.reach_in_lane(way, self.state.regions[way.region].solver.time());
                // Without delays, nothing is recorded that could fail.
                let taken = self.take_step(way.region, Advance::Crossing, way.own);
                debug_assert!(taken.is_ok());
            }
            Err(error) => {
                self.state.watch.pace.spend(1);
                self.scratch.failed_lane = Some(error);
            }
        }
    }
}
