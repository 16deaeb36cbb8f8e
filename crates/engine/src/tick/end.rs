//! The end of a tick: regions that it has changed start a new smooth phase.

use base::{Tag, Time};
use program::tape::{Partial, Scalar, Slot, run};
use program::{Profile, RegionId, WireId, Zeno};

use crate::RunError;
use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;

impl Engine<'_> {
    /// Ends the tick if nothing requires another microstep: regions that something happened to
    /// start a new smooth phase.
    #[inline]
    pub(crate) fn end_if_quiet(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        let Some(tick) = &self.state.tick else { return Ok(()) };
        let asked = self.options.profile == Profile::Ptolemy && tick.asked > 0;
        let more = asked || tick.present > 0 || !tick.dirty.is_empty();
        // In Ptolemy II a microstep is an iteration, and a model stops after the present one.
        let over = self.options.profile == Profile::Ptolemy && self.state.ended.is_some();
        match !over && (more || self.more_comes() || self.more_inputs()) {
            true => Ok(()),
            false if self.scratch.turns.is_some() && self.begin_turn(sink)? => {
                self.end_if_quiet(sink)
            }
            false => {
                self.combine_signals(sink)?;
                self.end_tick(sink)
            }
        }
    }

    #[inline(never)]
    fn end_tick(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        let Some(tick) = &self.state.tick else { return Ok(()) };
        let (time, seconds) = (tick.time, tick.seconds);
        for place in 0..self.state.tick.as_mut().map_or(0, |tick| tick.order_involved()) {
            let Some(tick) = &mut self.state.tick else { break };
            let region = tick.involved(place);
            let anew = self.options.profile == Profile::Ptolemy;
            let touched = tick.region(region);
            let at_crossing =
                self.state.regions[region].crossing && self.state.regions[region].reached == time;
            if self.program.regions[region].moves && (touched.changed || at_crossing || anew) {
                self.look_at(region)?;
                if at_crossing {
                    if self.options.zeno == Zeno::Rest {
                        self.remember_jumps(region, time);
                    }
                    self.look_for_rest(region, time);
                }
                if !self.state.watch.resting.is_empty() {
                    self.begin_rests(region, sink)?;
                }
                // The changes between which delays that are signals read must be known first.
                if !self.program.regions[region].lines.is_empty() {
                    self.record_kink(region);
                }
                let step = self.state.regions[region].solver.next_step();
                self.restart(region, time, seconds);
                if anew && !self.state.tick.as_ref().is_some_and(|tick| tick.spoke) {
                    // Nothing happened that Ptolemy II would have a tick for.
                    self.state.regions[region].solver.set_next_step(step);
                }
                if sink.listens() {
                    sink.event(Event::Restarted { time, region });
                }
                if self.program.regions[region].may_be_unknown {
                    self.check_known(region, time)?;
                }
            }
        }
        self.scratch.spare_tick = self.state.tick.take();
        Ok(())
    }

    /// The same check as for units, for the smooth functions of a region when a phase starts.
    pub(crate) fn check_known(&mut self, region: RegionId, time: Time) -> Result<(), RunError> {
        let program = self.program;
        let code = &program.regions[region];
        if !code.may_be_unknown {
            return Ok(());
        }
        self.scratch.partial.clear();
        self.scratch.partial.extend(self.state.slots.iter().map(|x| Partial::constant(*x)));
        run(&code.prelude, &mut self.scratch.partial);
        run(&code.derivative, &mut self.scratch.partial);
        run(&code.crossings, &mut self.scratch.partial);
        run(&code.left, &mut self.scratch.partial);
        let range = |from: Slot, n: usize| from.range(n);
        let rates = self.scratch.partial[range(code.rate, code.dimension)].iter();
        let functions = self.scratch.partial[range(code.g, code.watches.len())].iter();
        let known = |wire: &&WireId| {
            let tracked = program.tracked(program.wires[**wire].value);
            self.scratch.partial[range(tracked.slot, tracked.length)].iter().all(|x| x.known)
        };
        let unknown = code.wires.iter().find(|wire| !known(wire));
        if unknown.is_none() && rates.chain(functions).all(|x| x.known) {
            return Ok(());
        }
        let source = unknown.map(|wire| self.program.origins.source(*wire));
        let block = self.program.origins.name_or_model(source);
        let blocks = self.program.origins.paths_in(region);
        Err(RunError::NotConstructive { tag: Tag::new(time, 0), blocks, block })
    }
}
