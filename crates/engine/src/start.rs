//! The start of a run: states, sides and cells, without an event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{ExactTime, Tag, Time};
use blocks::events_before;
use diagram::{BlockId, FragmentId};
use ir::run;
use program::{CrossingKind, FragmentProgram, Program};
use solver::Solver;

use crate::crossings::ROUNDS;
use crate::delay::DelayLineState;
use crate::flow::{Flow, Places, gather, states, watches};
use crate::history::RegionHistory;
use crate::native::code;
use crate::pace::Pace;
use crate::rows::Sink;
use crate::simulation::{Simulation, standing};
use crate::snapshot::{ActiveSlice, Clock, Counters, RegionState, Snapshot};
use crate::warning::HazardSeen;
use crate::zeno::Accumulation;
use crate::{Options, RunError};

/// The unit of model time \[s\].
const ATTOSECOND: f64 = 1e-18;

impl Snapshot {
    pub(crate) fn new(program: &Program, options: &Options) -> Snapshot {
        let start = options.start.time();
        let mut slots = program.image.clone();
        let mut agenda = BinaryHeap::new();
        let mut wakings = Vec::new();
        for (index, timer) in program.timers.iter().enumerate() {
            let dwell = program.fragments[timer.fragment.index()].dwell;
            let past = if dwell { 0 } else { events_before(&*timer.timer, start) };
            slots[program.tracked(timer.wakings).slot as usize] = past as f64;
            if let Some(time) = timer.timer.time(past)
                && timer.fragment == FragmentId::ROOT
            {
                agenda.push(Reverse((time, index as u32)));
            }
            wakings.push(past);
        }
        let regions = program.regions.iter().map(|region| {
            let watches = region.watches.len();
            // Everything runs until the start says what does.
            let all = ActiveSlice { state: 0, states: region.dimension, watch: 0, watches };
            // A diagram with a tolerance of its own tightens that of the part that it steps with, and
            // loosens it where everything in that part asks for less.
            let mut own = options.solver;
            let asked = region.slices.iter().filter_map(|span| span.tolerance);
            if let Some(least) = asked.min_by(f64::total_cmp) {
                let common = region.slices.iter().any(|span| span.common);
                let within = |run: f64| if common { least.min(run) } else { least };
                own.relative_tolerance = within(own.relative_tolerance);
                own.absolute_tolerance = within(own.absolute_tolerance);
            }
            RegionState {
                solver: Solver::new(own, region.dimension, watches),
                ranges: vec![all],
                origin: start,
                origin_seconds: start.seconds(),
                reached: start,
                crossing: false,
                last_row: None,
                sides: vec![0.0; watches],
                residuals: vec![0.0; watches],
            }
        });
        let clock = |fragment: &FragmentProgram| {
            let origin = if fragment.dwell { options.start } else { ExactTime::default() };
            let (due, located) = (Vec::new(), Vec::new());
            Clock { origin, stopped: options.start, ran: false, due, located }
        };
        let history = |region| RegionHistory::new(region, &program.lines, start);
        let lines = DelayLineState::all(program, &mut slots);
        Snapshot {
            histories: program.regions.iter().map(history).collect(),
            lines,
            coming: Vec::new(),
            regions: regions.collect(),
            fragments: program.fragments.iter().map(clock).collect(),
            draws: vec![0; program.machines.len()],
            slots,
            agenda,
            wakings,
            tick: None,
            waiting: BinaryHeap::new(),
            on_grid: 0,
            on_list: 0,
            accumulations: vec![Accumulation::default(); program.crossings.len()],
            met: vec![HazardSeen::default(); program.hazards.len()],
            warnings: Vec::new(),
            switches: Vec::new(),
            firings: vec![0; program.units.len()],
            counters: Counters::default(),
            tag: Tag::new(start, 0),
            now: options.start,
            recoveries: (start, 0),
            pace: Pace::new(start),
            crowd: (start, 0),
            started: false,
            finished: false,
        }
    }
}

impl Simulation {
    /// The tag (start, 0): sides are set without an event, memories are filled, and the events of
    /// the start time wait for microstep 1.
    pub(crate) fn start(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let start = self.options.start.time();
        self.check_bounds()?;
        self.state.slots[self.program.time as usize] = start.seconds();
        self.start_machines();
        while let Err(error) = self.settle_start() {
            let way = self.way_out(&error, &[]).ok_or(error)?;
            self.recover_at_start(way, sink)?;
        }
        self.follow_solutions();
        self.start_lines();
        let due = self.next_event() <= start;
        if due || !self.program.machines.is_empty() {
            let program = self.program.clone();
            return self.tick_or_recover(&program, start, sink);
        }
        self.cover_all();
        self.write_row(Tag::new(start, 0), sink);
        Ok(())
    }

    /// Refuses blocks that ask for steps below the resolution of time, such as a sine of 1e20 Hz.
    fn check_bounds(&self) -> Result<(), RunError> {
        let start = self.options.start.time();
        let least = (f64::EPSILON * self.options.stop.since(start)).max(ATTOSECOND);
        // What a span of a region asks for is the least of what its blocks ask for.
        let mut spans = self.program.regions.iter().flat_map(|region| &region.slices);
        if spans.all(|span| span.maximum_step >= least) {
            return Ok(());
        }
        let blocks = &self.diagram.blocks;
        let Some(found) = blocks.iter().position(|own| own.definition.maximum_step < least) else {
            return Ok(());
        };
        let id = BlockId::new(found);
        let (tag, block) = (Tag::new(start, 0), self.path(id));
        Err(RunError::StepTooSmall { tag, block, id: Some(id) })
    }

    /// Computes everything at the start from the initial values of the states.
    fn settle_start(&mut self) -> Result<(), RunError> {
        let start = self.options.start.time();
        self.set_sides()?;
        run(&self.program.still, &mut self.state.slots);
        for region in 0..self.state.regions.len() {
            let program = self.program.clone();
            run(&program.regions[region].left, &mut self.state.slots);
            self.commit_memories(region);
            if program.regions[region].moves {
                self.restart(region, start, start.seconds());
                self.check_known(region, start)?;
            }
        }
        // What depends on memories has its value only now.
        run(&self.program.still, &mut self.state.slots);
        for region in 0..self.state.regions.len() {
            self.evaluate(region, start)?;
        }
        self.check_all_finite(Tag::new(start, 0))
    }

    /// Sets every side and cell from its value, and where that is zero from its derivatives, until
    /// nothing changes.
    fn set_sides(&mut self) -> Result<(), RunError> {
        let program = self.program.clone();
        for crossing in &program.crossings {
            if let (CrossingKind::Floor, Some((region, watch))) = (crossing.kind, crossing.watch) {
                let side = program.regions[region.index()].side as usize + watch;
                (self.state.slots[side], self.state.slots[side + 1]) = (1.0, -1.0);
            }
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            run(&program.still, &mut self.state.slots);
            changed |= self.set_unlocated(&program.unlocated);
            let mut found = Vec::new();
            for (region, code) in program.regions.iter().enumerate() {
                if !code.watches.is_empty() {
                    self.compute_rates(region, true);
                    self.look_at_sides(&program, region, false, &mut found)?;
                }
            }
            for (index, new) in found {
                let slot = program.tracked(program.crossings[index].frozen).slot as usize;
                changed |= std::mem::replace(&mut self.state.slots[slot], new) != new;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Starts a smooth phase of a region, at a time that is also told in seconds, from the states in
    /// the buffer.
    pub(crate) fn restart(&mut self, region: usize, time: Time, seconds: f64) {
        if !self.program.regions[region].lines.is_empty() {
            self.split_history(region, time);
        }
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        if program.slices.iter().any(|span| span.fragment != FragmentId::ROOT) {
            let runs = |index: usize| {
                let fragment = program.slices[index].fragment.index();
                self.state.slots[self.program.fragments[fragment].active as usize] != 0.0
            };
            if state.take_ranges(program, &runs) {
                let count = |places: Places| places.map(|(_, length)| length).sum();
                let watched = count(watches(&state.ranges));
                state.solver.resize(count(states(&state.ranges)), watched);
                state.sides.resize(watched, 0.0);
                state.residuals.resize(watched, 0.0);
            }
            let longest = |index: usize| program.slices[index].maximum_step;
            let longest = (0..program.slices.len()).filter(|i| runs(*i)).map(longest);
            state.solver.limit_step(longest.fold(f64::INFINITY, f64::min));
        } else if let Some(span) = program.slices.first() {
            state.solver.limit_step(span.maximum_step);
        }
        gather(&self.state.slots, program.side, watches(&state.ranges), &mut state.sides);
        gather(&self.state.slots, program.residual, watches(&state.ranges), &mut state.residuals);
        (state.origin, state.origin_seconds) = (time, seconds);
        state.reached = time;
        state.crossing = false;
        self.race.moved(region, standing(state));
        let history = &mut self.state.histories[region];
        if !program.lines.is_empty() {
            history.truncate(time);
            history.begin_phase(program, &self.program.lines, time);
        }
        if !program.prelude.is_empty() {
            run(&program.prelude, &mut self.state.slots);
        }
        self.scratch.resize(state.solver.state().len(), 0.0);
        gather(&self.state.slots, program.state, states(&state.ranges), &mut self.scratch);
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let active = &mut self.active[region];
        active.find(program, ranges, slots);
        let code = code(&self.native, region);
        let past = (history, &mut self.functions[region]);
        let mut flow =
            Flow::new(&self.program, region, ranges, active, slots, (time, seconds), past)
                .with(code);
        flow.slots[flow.time as usize] = flow.origin;
        state.solver.restart(&mut flow, 0.0, &self.scratch);
    }
}
