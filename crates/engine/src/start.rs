//! The start of a run: states, sides and floors, without an event.

use base::Tag;
use program::CrossingKind;
use program::tape::run;

use crate::RunError;
use crate::engine::Engine;
use crate::rows::{NoSink, Sink};
use crate::sides::ROUNDS;

/// The unit of model time \[s\].
const ATTOSECOND: f64 = 1e-18;

impl Engine<'_> {
    /// The tag (start, 0): sides are set without an event, memories are filled, and the events of
    /// the start time wait for microstep 1.
    pub(crate) fn start(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let start = self.options.start.time();
        self.check_inputs()?;
        self.check_bounds()?;
        self.program.set_time(&mut self.state.slots, start, start.seconds());
        self.start_machines();
        while let Err(error) = self.settle_start() {
            let way = self.way_out(&error, &[]).ok_or(error)?;
            self.recover_at_start(way, sink)?;
        }
        self.rest_at_start()?;
        self.follow_solutions();
        self.start_lines();
        // Phases that read between changes know of that at the start only now.
        for region in self.program.influence.readers.iter().copied() {
            self.restart(region, start, start.seconds());
        }
        let due = self.next_event().min(self.state.inputs.next()) <= start;
        if due || !self.program.machines.is_empty() || self.passes_at_start() {
            let _program = self.program;
            return self.begin_tick_or_recover(start, sink);
        }
        self.cover_all();
        self.write_row(Tag::new(start, 0), sink);
        Ok(())
    }

    /// Refuses to start without an input that the run must be given.
    fn check_inputs(&self) -> Result<(), RunError> {
        let given = &self.state.inputs.given;
        let mut inputs = self.program.inputs.entries();
        let Some((_, own)) = inputs.find(|(id, own)| own.required && !given[*id]) else {
            return Ok(());
        };
        Err(RunError::MissingInput { block: self.name(own.block) })
    }

    /// Refuses blocks that need steps below the resolution of time, such as a sine of 1e20 Hz.
    fn check_bounds(&self) -> Result<(), RunError> {
        let start = self.options.start.time();
        let least = (f64::EPSILON * self.options.stop.since(start)).max(ATTOSECOND);
        // The limit of a slice is the smallest among its blocks.
        let limits = &self.program.limits;
        if limits.slices.iter().flatten().all(|(_, limit)| *limit >= least) {
            return Ok(());
        }
        let mut blocks = limits.blocks.entries();
        let Some((id, _)) = blocks.find(|(_, limit)| **limit < least) else { return Ok(()) };
        let (tag, block) = (Tag::new(start, 0), self.name(id));
        Err(RunError::StepTooSmall { tag, block })
    }

    /// Computes everything at the start from the initial values of the states.
    fn settle_start(&mut self) -> Result<(), RunError> {
        self.set_sides()?;
        self.settle_values()
    }

    /// Computes everything at the start from the initial values of the states and from the sides.
    pub(crate) fn settle_values(&mut self) -> Result<(), RunError> {
        let start = self.options.start.time();
        run(&self.program.still, &mut self.state.slots);
        for region in self.program.regions.ids() {
            let program = self.program;
            self.run_left(region);
            self.commit_memories(region);
            if program.regions[region].moves {
                self.restart(region, start, start.seconds());
                self.check_known(region, start)?;
            }
        }
        // Signals that depend on memories have their values only now.
        run(&self.program.still, &mut self.state.slots);
        for region in self.program.regions.ids() {
            self.evaluate(region, start)?;
        }
        self.check_all_finite(Tag::new(start, 0))
    }

    /// Sets every side and floor from its value, or from its derivatives if the value is zero,
    /// until nothing changes.
    fn set_sides(&mut self) -> Result<(), RunError> {
        let program = self.program;
        for crossing in &program.crossings {
            if let (CrossingKind::Floor, Some(watch)) = (crossing.kind, crossing.watch) {
                let side = program.regions[watch.region].side.index() + watch.index;
                (self.state.slots[side], self.state.slots[side + 1]) = (1.0, -1.0);
            }
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            run(&program.still, &mut self.state.slots);
            changed |= self.set_unlocated(&program.unlocated);
            let mut found = std::mem::take(&mut self.scratch.found);
            found.clear();
            for (region, code) in program.regions.entries() {
                if !code.watches.is_empty() {
                    self.compute_rates(region, true);
                    self.scratch.decided.clear();
                    changed |= self.decide_sliding(region, false, &mut found, &mut NoSink)?;
                    self.look_at_sides(region, false, &mut found)?;
                }
            }
            for (index, new) in &found {
                let slot = program.tracked(program.crossings[*index].frozen).slot.index();
                changed |= std::mem::replace(&mut self.state.slots[slot], *new) != *new;
            }
            self.scratch.found = found;
            if !changed {
                break;
            }
        }
        Ok(())
    }
}
