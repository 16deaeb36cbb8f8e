//! A running model: the program, the options of the run, and everything that changes.

use std::sync::Arc;

use base::{ExactTime, Time, Value};
use program::{
    BlockId, BlockName, InitialPart, InputId, InputKind, LineId, Program, RegionId, Rows, StateId,
    fill,
};

use crate::engine::Engine;
use crate::log::Switch;
use crate::machines::choices::{Choice, Choices};
use crate::native::Routines;
use crate::rows::{Beside, Sink};
use crate::scratch::Scratch;
use crate::smooth::rounds::{Round, Rounds};
use crate::snapshot::{Counters, Snapshot};
use crate::turns::{Cause, Turns};
use crate::{Options, RunError, Warning};

/// The result of an advance.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// There is more to do.
    Going,
    /// Everything up to the time that was asked for is done.
    Reached,
    /// The run has ended.
    Done(StopReason),
}

/// Why a run has ended.
#[derive(Clone, PartialEq, Debug)]
pub enum StopReason {
    /// The stop time was reached.
    Stopped,
    /// Events accumulate at this time \[s\], and the model specifies to stop there.
    Zeno(f64),
    /// A block of the model has ended the run.
    Ended(BlockName),
}

/// A running model. Constants (program and options), the state and scratch space are kept apart.
#[derive(Debug)]
pub struct Simulation {
    program: Arc<Program>,
    options: Options,
    state: Snapshot,
    scratch: Scratch,
    /// Compiled code, if there is any.
    native: Option<Arc<Routines>>,
    /// The state before the start, once it has been needed again.
    first: Option<Box<Snapshot>>,
}

impl Simulation {
    /// A run before its start.
    pub fn new(program: Arc<Program>, options: Options) -> Simulation {
        let state = Snapshot::new(&program, &options);
        Simulation::resume(program, options, state)
    }

    /// A run that continues from a snapshot of the same program and options, or with a later stop.
    pub fn resume(program: Arc<Program>, options: Options, mut state: Snapshot) -> Simulation {
        let reached = state.tag.time >= state.stop;
        state.finished &= !(reached && options.stop > state.stop);
        state.stop = options.stop;
        let scratch = Scratch::new(&program);
        Simulation { program, options, state, scratch, native: None, first: None }
    }

    /// Runs to the end.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<StopReason, RunError> {
        loop {
            if let Progress::Done(reason) = self.advance(sink)? {
                return Ok(reason);
            }
        }
    }

    /// Does one thing: the start, one step of one region, or one microstep.
    pub fn advance(&mut self, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        self.advance_by(1, sink)
    }

    /// Does one thing; or up to `most` steps of a region if nothing can happen between them, and
    /// the tick of the crossing that they lead to; or up to `most` microsteps; or up to `most`
    /// microsteps and steps between them if all ticks are those of clocks.
    pub fn advance_by(&mut self, most: u32, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        self.engine().advance(most, sink)
    }

    /// Does one thing, as [`Simulation::advance_by`], unless everything up to a time has been done.
    /// Steps may go beyond that time; rows and ticks do not.
    pub fn advance_to(
        &mut self,
        limit: Time,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<Progress, RunError> {
        self.engine().advance_to(limit, most, sink)
    }

    /// Gives a signal from outside a value from a time on: the elements of the value, or for a
    /// continuous signal those of all coefficients of a polynomial in the time since then \[s\].
    /// The time must not be before the time that has been reached.
    pub fn feed(&mut self, input: InputId, time: ExactTime, values: Vec<f64>) {
        let own = self.program.inputs[input];
        if !self.state.started
            && time.time() <= self.options.start.time()
            && own.kind != InputKind::Event
        {
            return self.begin_with(input, time, &values);
        }
        self.state.inputs.add(input, time, values);
        // What has ended at the stop time goes on.
        self.state.finished &= time.time() > self.options.stop;
    }

    /// Asks for rows beside those of the result, by rules of their own, before the start: see
    /// [`Sink::beside`], which names them by the bit of the number that this returns.
    pub fn record_beside(&mut self, rows: Rows) -> usize {
        self.scratch.besides.push(Beside::new(rows));
        self.scratch.besides.len() - 1
    }

    /// Keeps what is recorded at every evaluation in the profile of Ptolemy II, up to a number of
    /// evaluations, for [`Simulation::rounds`]; must be called before the start. A run that
    /// `speculates` ends with a step beyond the stop time, after which it cannot be continued.
    pub fn follow_rounds(&mut self, most: usize, speculates: bool) {
        self.scratch.rounds = Some(Rounds { most, speculates, all: Vec::new() });
    }

    /// What was recorded at each evaluation since the start.
    pub fn rounds(&self) -> &[Round] {
        self.scratch.rounds.as_ref().map_or(&[], |rounds| &rounds.all)
    }

    /// Takes back what has been fed of a signal from outside and is still to come.
    pub fn forget(&mut self, input: InputId) {
        self.state.inputs.forget(input);
    }

    /// Lets a script choose between transitions that are enabled at once, instead of the seed: the
    /// indices that it lists, one after the other, and then 0. Choices so far are forgotten.
    pub fn choose(&mut self, script: Vec<usize>) {
        self.state.machines.choices = Some(Box::new(Choices { script, made: Vec::new() }));
    }

    /// The choices since [`Simulation::choose`].
    pub fn choices(&self) -> &[Choice] {
        self.state.machines.choices.as_ref().map_or(&[], |choices| &choices.made)
    }

    /// Notes the causes of each tick from now on, and lets some of those of the next one wait until
    /// nothing of the others is left to happen at that time: a list of turns, one after the other.
    pub fn take_turns(&mut self, later: &[Vec<Cause>]) {
        self.scratch.turns = Some(Box::new(Turns::new(later)));
    }

    /// The causes of the tick that is going on, if they are noted.
    pub fn causes(&self) -> &[Cause] {
        match (&self.state.tick, &self.scratch.turns) {
            (Some(_), Some(turns)) => &turns.causes,
            _ => &[],
        }
    }

    /// The delayed events that are still to come: for each delay line with some its block, and their
    /// times and values.
    pub fn delayed_events(&self) -> Vec<(BlockName, Vec<f64>)> {
        let pending = |line: LineId| {
            let changes = &self.state.delays.lines[line].pending;
            let entries = changes.iter().flat_map(|change| {
                let due = change.due.time().seconds();
                change.entries.iter().flat_map(move |e| [due].into_iter().chain(e.parts.clone()))
            });
            let block = self.program.origins.name(self.program.lines[line].block);
            (block, entries.collect::<Vec<f64>>())
        };
        let events = self.program.lines.entries().filter(|(_, line)| line.track.is_none());
        events.map(|(id, _)| pending(id)).filter(|(_, values)| !values.is_empty()).collect()
    }

    /// Whether a tick is going on.
    pub fn is_in_tick(&self) -> bool {
        self.state.tick.is_some()
    }

    /// Gives parts of the buffer another initial value, before the start; a scalar fills a part.
    /// Signals from outside that have been given a value keep it, except one that is `anyway`.
    pub fn begin_from(&mut self, parts: &[InitialPart], value: &Value, anyway: Option<InputId>) {
        let program = Arc::make_mut(&mut self.program);
        for InitialPart { range, state } in parts {
            fill(&mut program.image[range.clone()], value);
            if let Some(first) = &mut self.first {
                fill(&mut first.slots[range.clone()], value);
            }
            let input = state.and_then(|state| program.input_of(state));
            if input.is_none_or(|input| Some(input) == anyway || !self.state.inputs.given[input]) {
                fill(&mut self.state.slots[range.clone()], value);
            }
        }
    }

    /// Goes back to before the start with another program of the same structure and other options,
    /// keeping what signals from outside have been given.
    pub fn begin_again(&mut self, program: Arc<Program>, options: Options) {
        let mut state = Snapshot::new(&program, &options);
        std::mem::swap(&mut state.inputs, &mut self.state.inputs);
        for (_, own) in program.inputs.entries().filter(|(id, _)| state.inputs.given[*id]) {
            for written in own.states() {
                let range = program.tracked(program.states[written].tracked).range();
                state.slots[range.clone()].copy_from_slice(&self.state.slots[range]);
            }
        }
        let (native, besides) = (self.native.take(), std::mem::take(&mut self.scratch.besides));
        *self = Simulation { native, ..Simulation::resume(program, options, state) };
        self.scratch.besides = besides;
    }

    /// Goes back to before the start, keeping the memory that the run has taken.
    pub fn reset(&mut self) {
        self.engine().keep_changes();
        let Simulation { program, options, first, .. } = self;
        let first = first.get_or_insert_with(|| Box::new(Snapshot::new(program, options)));
        self.state.clone_from(first);
        self.scratch.besides.iter_mut().for_each(Beside::reset);
        self.engine().forget_attempt();
    }

    /// Writes a state between two advances: the number by which a block names what is outside of the
    /// model.
    pub fn write_state(&mut self, state: StateId, values: &[f64]) {
        let range = self.program.tracked(self.program.states[state].tracked).range();
        self.state.slots[range].copy_from_slice(values);
    }

    /// A second run that continues from the state of this one.
    pub fn fork(&self) -> Simulation {
        let state = self.state.clone();
        let copy = Simulation::resume(self.program.clone(), self.options.clone(), state);
        Simulation { native: self.native.clone(), ..copy }
    }

    /// Whether the run has started: its tag (start, 0) has been computed.
    pub fn has_started(&self) -> bool {
        self.state.started
    }

    /// Gives a signal from outside its value at the start, before the run has started.
    fn begin_with(&mut self, input: InputId, time: ExactTime, values: &[f64]) {
        let own = self.program.inputs[input];
        let mut write = |state: StateId, values: &[f64]| {
            let tracked = self.program.tracked(self.program.states[state].tracked);
            self.state.slots[tracked.slot.range(values.len())].copy_from_slice(values);
        };
        if let Some(origin) = own.origin() {
            write(origin, &[time.time().seconds()]);
        }
        for (order, values) in values.chunks(own.length.max(1)).enumerate() {
            write(own.value(order), values);
        }
        self.state.inputs.given[input] = true;
    }

    /// Takes a signal from outside as given, even if it has no values.
    pub fn mark_given(&mut self, input: InputId) {
        self.state.inputs.given[input] = true;
    }

    /// Whether a signal from outside has been given a value.
    pub fn is_given(&self, input: InputId) -> bool {
        self.state.inputs.given[input]
    }

    /// Computes all recorded signals at a time that has been reached, for [`Simulation::value`].
    /// Nothing of the run changes.
    pub fn look(&mut self, time: Time) -> Result<(), RunError> {
        self.scratch.looked_at.clone_from(&self.state.slots);
        let looked = self.engine().look(time);
        std::mem::swap(&mut self.scratch.looked_at, &mut self.state.slots);
        looked
    }

    /// The whole buffer at a time that has been reached. Nothing of the run changes.
    pub fn buffer_at(&mut self, time: Time) -> Result<Vec<f64>, RunError> {
        let before = self.state.slots.clone();
        let looked = self.engine().look_everywhere(time);
        let found = std::mem::replace(&mut self.state.slots, before);
        looked.map(|()| found)
    }

    /// The blocks whose comparisons hold the motion on their surfaces at present: by sliding, or at
    /// rest after an accumulation of events.
    pub fn holding(&self) -> Vec<BlockId> {
        let entries = self.state.regions.entries();
        let watches = entries.flat_map(|(id, region)| {
            let surfaces = region.surfaces.iter().map(|own| own.watch());
            let rests = region.rests.iter().map(|own| own.watch);
            surfaces.chain(rests).map(move |watch| (id, watch))
        });
        let crossing = |(id, watch): (RegionId, usize)| {
            self.program.crossings[self.program.regions[id].watches[watch].crossing].block
        };
        watches.map(crossing).collect()
    }

    /// The value of a recorded signal, by its index, as [`Simulation::look`] has found it; none if
    /// the signal is absent.
    pub fn value(&self, record: usize) -> Option<&[f64]> {
        let own = &self.program.records[record];
        let slots = match self.scratch.looked_at.is_empty() {
            true => &self.state.slots,
            false => &self.scratch.looked_at,
        };
        (slots[own.present.index()] != 0.0).then(|| &slots[own.value.range(own.ty.len())])
    }

    /// Computes something in a copy of the buffer, which [`Simulation::value`] reads then.
    pub(crate) fn beside(&mut self, act: impl FnOnce(&mut Engine<'_>)) {
        self.scratch.looked_at.clone_from(&self.state.slots);
        act(&mut self.engine());
        std::mem::swap(&mut self.scratch.looked_at, &mut self.state.slots);
    }

    pub(crate) fn slots(&self) -> &[f64] {
        &self.state.slots
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn engine(&mut self) -> Engine<'_> {
        let Simulation { program, options, state, scratch, native, .. } = self;
        Engine { program, options, native: native.as_deref(), state, scratch }
    }

    /// Continues with compiled code, made from the program that this simulation runs.
    pub fn take_routines(&mut self, routines: Arc<Routines>) {
        self.native = Some(routines);
    }

    /// Continues with the interpreter.
    pub fn drop_routines(&mut self) {
        self.native = None;
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Everything that changes.
    pub fn snapshot(&self) -> &Snapshot {
        &self.state
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.state.counters;
        for region in self.state.regions.ids() {
            let own = self.region_counters(region);
            counters.steps += own.steps;
            counters.rejected += own.rejected;
            counters.evaluations += own.evaluations;
        }
        counters
    }

    /// The work of all evaluations of rates and of crossing functions, in instructions on single
    /// numbers. An evaluation is one of a single region, so that their number means little for a
    /// program with many regions.
    pub fn executed(&self) -> u64 {
        let regions = self.state.regions.iter().zip(&self.program.regions);
        let executed = regions.map(|(state, region)| {
            let counters = state.solver.counters();
            counters.evaluations * region.derivative.work()
                + counters.crossing_evaluations * region.crossings.work()
        });
        executed.sum()
    }

    /// The work of one region between events.
    pub fn region_counters(&self, region: RegionId) -> Counters {
        let solver = self.state.regions[region].solver.counters();
        Counters {
            steps: solver.accepted,
            rejected: solver.rejected,
            evaluations: solver.evaluations,
            ..Counters::default()
        }
    }

    /// When regions switched to another method, in order of time.
    pub fn switches(&self) -> &[Switch] {
        &self.state.switches
    }

    /// How often the units of each block have run at ticks.
    pub fn firings(&self) -> Vec<u64> {
        let mut firings = vec![0; self.program.origins.blocks().len()];
        if self.state.counters.firings == 0 {
            return firings;
        }
        for (unit, count) in self.program.units.iter().zip(&self.state.firings) {
            firings[unit.block.index()] += count;
        }
        firings
    }

    /// Warnings for readers of the result.
    pub fn warnings(&self) -> &[Warning] {
        &self.state.warnings
    }
}
