//! The start of a run: states, sides and cells, without an event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{Tag, Time};
use blocks::events_before;
use ir::run;
use program::{CrossingKind, Program};
use solver::Solver;

use crate::delay::LineState;
use crate::flow::Flow;
use crate::history::History;
use crate::simulation::{Simulation, Sink};
use crate::snapshot::{Counters, RegionState, Snapshot};
use crate::warning::Met;
use crate::zeno::Accumulation;
use crate::{Options, RunError};

/// How often sides are set again at the start because they depend on each other.
const ROUNDS: usize = 32;

impl Snapshot {
    pub(crate) fn new(program: &Program, options: &Options, blocks: usize) -> Snapshot {
        let mut slots = program.image.clone();
        for state in &program.states {
            let from = program.cell(state.cell).slot as usize;
            slots[from..from + state.initial.len()].copy_from_slice(&state.initial);
        }
        let mut agenda = BinaryHeap::new();
        let mut wakings = Vec::new();
        for (index, timer) in program.timers.iter().enumerate() {
            let past = events_before(&*timer.timer, options.start);
            slots[program.cell(timer.wakings).slot as usize] = past as f64;
            if let Some(time) = timer.timer.time(past) {
                agenda.push(Reverse((time, index as u32)));
            }
            wakings.push(past);
        }
        let regions = program.regions.iter().map(|region| {
            let watches = region.watches.len();
            let mut solver = Solver::new(options.solver, region.dimension, watches);
            solver.limit_step(region.maximum_step);
            RegionState {
                solver,
                origin: options.start,
                reached: options.start,
                crossing: false,
                sides: vec![0.0; watches],
                residuals: vec![0.0; watches],
            }
        });
        let history = |region| History::new(region, &program.lines, options.start);
        let lines = LineState::all(program, &mut slots);
        Snapshot {
            histories: program.regions.iter().map(history).collect(),
            lines,
            regions: regions.collect(),
            slots,
            agenda,
            wakings,
            tick: None,
            waiting: Vec::new(),
            on_grid: 0,
            on_list: 0,
            last_row: None,
            accumulations: vec![Accumulation::default(); program.crossings.len()],
            met: vec![Met::default(); program.meetings.len()],
            warnings: Vec::new(),
            firings: vec![0; blocks],
            counters: Counters::default(),
            tag: Tag::new(options.start, 0),
            started: false,
            finished: false,
        }
    }
}

impl Simulation {
    /// The tag (start, 0): sides are set without an event, memories are filled, and the events of
    /// the start time wait for microstep 1.
    pub(crate) fn start(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let start = self.options.start;
        self.s.slots[self.program.time as usize] = start.seconds();
        self.set_sides()?;
        run(&self.program.still, &mut self.s.slots);
        for region in 0..self.s.regions.len() {
            let program = self.program.clone();
            run(&program.regions[region].left, &mut self.s.slots);
            self.commit_memories(region);
            if program.regions[region].moves {
                self.restart(region, start);
                self.check_known(region, start)?;
            }
        }
        // What depends on memories has its value only now.
        run(&self.program.still, &mut self.s.slots);
        for region in 0..self.s.regions.len() {
            self.evaluate(region, start)?;
        }
        self.check_all_finite(Tag::new(start, 0))?;
        self.follow_solutions();
        self.start_lines();
        let due = self.s.agenda.peek().is_some_and(|event| event.0.0 <= start);
        if due {
            return self.begin_tick(start, sink);
        }
        self.write_row(Tag::new(start, 0), sink);
        Ok(())
    }

    /// Sets every side and cell from its value, and where that is zero from its derivatives, until
    /// nothing changes.
    fn set_sides(&mut self) -> Result<(), RunError> {
        let program = self.program.clone();
        for crossing in &program.crossings {
            if let (CrossingKind::Cell, Some((region, watch))) = (crossing.kind, crossing.watch) {
                let side = program.regions[region.index()].side as usize + watch;
                (self.s.slots[side], self.s.slots[side + 1]) = (1.0, -1.0);
            }
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            run(&program.still, &mut self.s.slots);
            changed |= self.set_unlocated();
            let mut found = Vec::new();
            for (region, code) in program.regions.iter().enumerate() {
                if !code.watches.is_empty() {
                    self.compute_rates(region, true);
                    self.look_at_sides(region, &mut found)?;
                }
            }
            for (index, new) in found {
                let slot = program.cell(program.crossings[index].frozen).slot as usize;
                changed |= std::mem::replace(&mut self.s.slots[slot], new) != new;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Starts a smooth phase of a region from the states in the buffer.
    pub(crate) fn restart(&mut self, region: usize, time: Time) {
        self.split_history(region, time);
        let program = &self.program.regions[region];
        let state = &mut self.s.regions[region];
        let (side, residual) = (program.side as usize, program.residual as usize);
        let watches = program.watches.len();
        state.sides.copy_from_slice(&self.s.slots[side..side + watches]);
        state.residuals.copy_from_slice(&self.s.slots[residual..residual + watches]);
        state.origin = time;
        state.reached = time;
        state.crossing = false;
        self.s.slots[self.program.time as usize] = time.seconds();
        let history = &mut self.s.histories[region];
        history.truncate(time);
        history.begin_phase(program, &self.program.lines, time);
        run(&program.prelude, &mut self.s.slots);
        let from = program.state as usize;
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.s.slots[from..from + program.dimension]);
        let mut flow = Flow::new(&self.program, region, &mut self.s.slots, time, history);
        state.solver.restart(&mut flow, 0.0, &self.scratch);
    }
}
