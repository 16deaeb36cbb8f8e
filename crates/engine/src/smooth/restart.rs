//! The start of a smooth phase of a region.

use base::Time;
use program::tape::run;
use program::{LineId, Profile, RegionId, Zeno};

use crate::engine::Engine;
use crate::native::code;
use crate::smooth::flow::{Flow, Places, gather, states, watches};
use crate::smooth::slowest::standing;

impl Engine<'_> {
    /// The longest step that the running blocks of a region allow \[s\].
    pub(crate) fn longest_step(&self, region: RegionId) -> f64 {
        let slices = &self.program.regions[region].slices;
        let limits = self.program.limits.slices[region].iter();
        let running = limits.filter(|(slice, _)| self.runs(slices[*slice].fragment));
        running.fold(f64::INFINITY, |least, (_, limit)| least.min(*limit))
    }

    /// Starts a smooth phase of a region, at a time also given in seconds, from the states in the
    /// buffer.
    pub(crate) fn restart(&mut self, region: RegionId, time: Time, seconds: f64) {
        if !self.program.regions[region].lines.is_empty() {
            self.split_history(region, time);
        }
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        if !program.is_whole() && state.take_ranges(program, &self.state.slots) {
            let count = |places: Places| places.map(|(_, length)| length).sum();
            let watched = count(watches(&state.ranges));
            state.solver.resize(count(states(&state.ranges)), watched);
            state.sides.resize(watched, 0.0);
            state.residuals.resize(watched, 0.0);
        }
        let longest = self.longest_step(region);
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        state.solver.limit_step(longest);
        state.take_sides(program, &self.state.slots);
        if !program.sliding.is_empty() || self.options.zeno == Zeno::Rest {
            // Other rates may move with other states.
            state.solver.forget_pattern();
        }
        (state.origin, state.origin_seconds) = (time, seconds);
        state.reached = time;
        state.crossing = false;
        self.scratch.race.moved(region, standing(state));
        if !program.lines.is_empty() {
            self.begin_history(region, time);
        }
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        if !program.prelude.is_empty() {
            run(&program.prelude, &mut self.state.slots);
        }
        if program.is_whole() {
            state
                .solver
                .restart_from(0.0, &self.state.slots[program.state.range(program.dimension)]);
        } else {
            let x = &mut self.scratch.numbers;
            x.resize(state.solver.state().len(), 0.0);
            gather(&self.state.slots, program.state, states(&state.ranges), x);
            state.solver.restart_from(0.0, x);
        }
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let active = &mut self.scratch.active[region];
        let code = code(self.native, region);
        active.find(program, ranges, slots, code.is_some());
        let past = (&mut state.history, &mut self.scratch.functions[region]);
        let mut flow =
            Flow::new(self.program, region, ranges, active, slots, (time, seconds), past)
                .with(code)
                .living(self.options.profile == Profile::Ptolemy)
                .on(&state.surfaces, &mut self.scratch.slides[region]);
        flow.rests = &state.rests;
        flow.slots[flow.time.index()] = flow.origin;
        state.solver.restart_here(&mut flow);
    }

    /// Starts the past of a region's delay lines anew at a time.
    fn begin_history(&mut self, region: RegionId, time: Time) {
        let program = &self.program.regions[region];
        let history = &mut self.state.regions[region].history;
        history.truncate(time);
        let lines = &self.state.delays.lines;
        let bounds = |line: LineId| lines[line].bounds();
        history.begin_phase(program, &self.program.lines, time, &bounds);
        if history.needs_fresh() {
            run(&program.sample, &mut self.state.slots);
            let samples = program.samples.range(program.sample_width);
            history.refresh(program, &self.state.slots[samples]);
        }
    }
}
