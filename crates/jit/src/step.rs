//! All stages of an explicit step as one function.
//!
//! The states and slopes of a small system fit in registers, or nearly, and a call for each stage
//! with copies to the buffer and back costs more than the stage. The function does the arithmetic
//! of `crates/solver/src/explicit.rs`, operation by operation in the same order, from the same
//! [`Tableau`].

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_module::FuncId;
use ir::{Code, Instr, Slot, SlotRange, Tape};
use solver::{ERROR_LANES, StepRules, Tableau, Trial, Weight};

use crate::NativeError;
use crate::code::{Maker, Memory};
use crate::emit::{Emitter, Store, trusted};
use crate::frame::{SLOPES, StepFrame, offset};
use crate::kept::{Way, way};
use crate::windows::Windows;

/// The most states, and the most instructions of the rates, of a system whose steps are computed
/// whole; and the most instructions of all stages, so that methods with many stages do not take
/// long to compile.
const STATES: usize = 24;
const INSTRUCTIONS: usize = 300;
const INSTRUCTIONS_OF_STEP: usize = 6 * INSTRUCTIONS;

/// A step to be compiled.
#[derive(Clone, Debug)]
pub struct StepPlan<'a> {
    /// The rates of the states.
    pub tape: &'a Tape,
    /// The length of the buffer.
    pub slots: usize,
    /// The slots of the states.
    pub state: SlotRange,
    /// The slots of their rates.
    pub rate: SlotRange,
    /// The slot of time.
    pub time: Slot,
    /// The method.
    pub tableau: &'static Tableau,
    /// How one step follows another; none if the solver asks for each.
    pub rules: Option<StepRules>,
    /// Whether the error is NaN if the rate at any stage is not finite.
    pub watched: bool,
}

type Function = unsafe extern "C" fn(*mut f64, *mut StepFrame) -> f64;

/// All stages of a step as native code.
#[derive(Debug)]
pub struct StepRoutine {
    function: Function,
    slots: usize,
    states: usize,
    slopes: usize,
    /// Holds the code.
    _memory: Arc<Memory>,
}

impl StepRoutine {
    pub(crate) fn new(address: *const u8, plan: &StepPlan, memory: Arc<Memory>) -> StepRoutine {
        StepRoutine {
            // SAFETY: this function was made with this signature.
            function: unsafe { std::mem::transmute::<*const u8, Function>(address) },
            slots: plan.slots,
            states: plan.state.len(),
            slopes: plan.tableau.nodes.len(),
            _memory: memory,
        }
    }

    /// Computes slopes and states of a trial, whose times count from `origin`; returns the mean
    /// square of the error in units of the tolerance, or 0 for a method that estimates none. It is
    /// NaN if the plan watches the rates and one is not finite. With rules in the plan and a batch
    /// in the trial it takes as many steps as the batch has room for; the trial is then the one
    /// after them, which is not accepted yet.
    #[inline]
    pub fn run(&self, slots: &mut [f64], origin: f64, trial: &mut Trial) -> f64 {
        let fits = slots.len() == self.slots
            && trial.x0.len() == self.states
            && trial.x1.len() == self.states
            && trial.slopes.len() == self.slopes
            && trial.slopes.iter().all(|slope| slope.len() == self.states)
            && (trial.passed.is_empty() || self.has_room(trial));
        assert!(fits, "a step runs over the buffer that it was made for");
        let mut frame = StepFrame::new(origin, trial);
        // SAFETY: the code was made by this crate for this signature; it uses slots below the
        // length of the buffer and arrays up to their lengths, which have just been checked, and
        // its memory lives as long as this routine.
        let error = unsafe { (self.function)(slots.as_mut_ptr(), &mut frame) };
        (trial.start, trial.end) = (frame.start, frame.end);
        if let Some(batch) = trial.batch.as_deref_mut() {
            *batch = frame.batch;
        }
        error
    }
}

impl StepRoutine {
    /// Whether all points between the steps that a trial may take have their places.
    #[cold]
    fn has_room(&self, trial: &Trial) -> bool {
        let most = trial.batch.as_deref().map_or(0, |batch| batch.most);
        (trial.passed.len() / (1 + self.states)) as u64 >= most
    }
}

/// Whether all stages of a step are short enough to be one function, of instructions that one can
/// have.
pub(crate) fn fits(plan: &StepPlan, has: impl Fn(&Instr) -> bool) -> bool {
    let single = plan.tape.code().iter().all(has);
    let (states, length, slopes) = (plan.state.len(), plan.tape.len(), plan.tableau.nodes.len());
    single
        && slopes <= SLOPES
        && (1..=STATES).contains(&states)
        && length <= INSTRUCTIONS
        && length * (slopes - 1) <= INSTRUCTIONS_OF_STEP
}

/// Compiles a step, if that pays.
pub(crate) fn function(maker: &mut Maker, plan: &StepPlan) -> Result<Option<FuncId>, NativeError> {
    if !fits(plan, |instr| way(instr) == Way::Single) {
        return Ok(None);
    }
    let id = maker.function(2, true, |builder, calls| {
        let block = builder.current_block().expect("a function has its first block");
        let [slots, frame] = builder.block_params(block)[..] else { return };
        let windows = Windows::default();
        let e = Emitter::new(builder, calls, plan.tape, &windows, vec![slots], Store::Nowhere);
        Writer::over_frame(e, plan, frame).write();
    })?;
    Ok(Some(id))
}

/// Numbers in memory, one for each state: a pointer, and the offset of the first \[bytes\].
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub base: Value,
    pub first: i32,
}

/// The rates of the stage that has just been computed; none before the first.
struct Latest {
    stage: usize,
    values: Vec<Value>,
}

/// Writes the stages, of one step or of several side by side.
pub(crate) struct Writer<'w, 'a, 'f, 'c> {
    pub e: Emitter<'a, 'f, 'c>,
    pub plan: &'w StepPlan<'a>,
    pub frame: Value,
    pub x0: Array,
    pub x1: Array,
    pub slopes: Vec<Array>,
    /// What the times count from, and the tolerances.
    pub origin: Array,
    pub relative: Array,
    pub absolute: Array,
    /// The distance from the number of one state to that of the next \[bytes\].
    pub unit: i32,
    /// The offset of the numbers of the present step from those of the first \[bytes\].
    pub at: i32,
    /// Where the length of a step is, if several steps take turns. Then nothing stays in registers
    /// from one turn to the next, of which there are too few; the processor takes what it needs
    /// from memory.
    pub length: Option<Array>,
}

/// A step in the making.
struct Making {
    /// The offset of its numbers from those of the first step \[bytes\].
    at: i32,
    start: Value,
    end: Value,
    h: Value,
    latest: Latest,
    x1: Vec<Value>,
}

impl<'w, 'a, 'f, 'c> Writer<'w, 'a, 'f, 'c> {
    /// One that writes a single step over a [`StepFrame`].
    fn over_frame(e: Emitter<'a, 'f, 'c>, plan: &'w StepPlan<'a>, frame: Value) -> Self {
        let mut array = |offset: i32| {
            let base = e.builder.ins().load(types::I64, trusted(), frame, offset);
            Array { base, first: 0 }
        };
        let [x0, x1] = [offset!(StepFrame, x0), offset!(StepFrame, x1)].map(&mut array);
        let slope = |stage: usize| offset!(StepFrame, slopes) + 8 * stage as i32;
        let slopes = (0..plan.tableau.nodes.len()).map(|stage| array(slope(stage))).collect();
        let [origin, relative, absolute] = [
            offset!(StepFrame, origin),
            offset!(StepFrame, relative),
            offset!(StepFrame, absolute),
        ]
        .map(|first| Array { base: frame, first });
        let (unit, at, length) = (8, 0, None);
        Writer { e, plan, frame, x0, x1, slopes, origin, relative, absolute, unit, at, length }
    }
}

impl Writer<'_, '_, '_, '_> {
    fn write(&mut self) {
        let [start, end] =
            [offset!(StepFrame, start), offset!(StepFrame, end)].map(|offset| self.number(offset));
        match self.plan.rules {
            Some(rules) => self.batch(start, end, &rules),
            None => {
                let error = self.step(start, end);
                self.e.builder.ins().return_(&[error]);
            }
        }
    }

    /// All stages of a step from the states and the slope in their arrays; the error.
    pub(crate) fn step(&mut self, start: Value, end: Value) -> Value {
        let errors = self.steps(&[(0, [start, end])]);
        errors[0]
    }

    /// All stages of some steps, each with the offset of its numbers; their errors. The stages take
    /// turns: a step waits for itself most of the time, and the processor goes on with another.
    pub(crate) fn steps(&mut self, steps: &[(i32, [Value; 2])]) -> Vec<Value> {
        let begin = |(at, [start, end]): &(i32, [Value; 2])| {
            let h = self.e.builder.ins().fsub(*end, *start);
            let latest = Latest { stage: 0, values: Vec::new() };
            let step = Making { at: *at, start: *start, end: *end, h, latest, x1: Vec::new() };
            if let Some(length) = self.length {
                self.turn(&step);
                self.put_in(length, 0, h);
            }
            step
        };
        let mut steps: Vec<Making> = steps.iter().map(begin).collect();
        for stage in 1..self.plan.tableau.nodes.len() {
            for step in &mut steps {
                self.turn(step);
                self.stage(step, stage);
            }
        }
        let mut errors = Vec::with_capacity(steps.len());
        for step in &steps {
            self.turn(step);
            if self.length.is_none() {
                self.store(self.x1, &step.x1);
            }
            errors.push(self.error(step));
        }
        errors
    }

    /// Goes on with a step.
    fn turn(&mut self, step: &Making) {
        self.e.from += step.at - self.at;
        self.at = step.at;
    }

    fn stage(&mut self, step: &mut Making, stage: usize) {
        let tableau = self.plan.tableau;
        let last = stage == tableau.nodes.len() - 1;
        let time = if last { step.end } else { self.time(step, tableau.nodes[stage]) };
        let states = 0..self.states();
        step.x1 = states.map(|i| self.argument(step, tableau.rows[stage], i)).collect();
        let mut values = self.rates(time, &step.x1);
        self.store(self.slopes[stage], &values);
        if self.length.is_some() {
            values.clear();
            let x1 = std::mem::take(&mut step.x1);
            if last {
                self.store(self.x1, &x1);
            }
        }
        step.latest = Latest { stage, values };
    }

    /// The length of a step.
    fn h(&mut self, step: &Making) -> Value {
        self.length.map_or(step.h, |length| self.load(length, 0))
    }

    /// A state at the end of a step.
    fn end_state(&mut self, step: &Making, i: usize) -> Value {
        step.x1.get(i).copied().unwrap_or_else(|| self.load(self.x1, i))
    }

    /// The slope of a state at a stage. Only the latest is in a register: a step waits for it. The
    /// others are in their arrays anyway, and would have to be stored and loaded once more for lack
    /// of registers, the latest among them.
    fn slope(&mut self, latest: &Latest, stage: usize, i: usize) -> Value {
        match stage == latest.stage && !latest.values.is_empty() {
            true => latest.values[i],
            false => self.load(self.slopes[stage], i),
        }
    }

    /// Makes the end of a step the start of the next.
    pub(crate) fn pass(&mut self) {
        let last = self.slopes.len() - 1;
        for i in 0..self.plan.state.len() {
            for (from, to) in [(self.x1, self.x0), (self.slopes[last], self.slopes[0])] {
                let value = self.load(from, i);
                self.put_in(to, i, value);
            }
        }
    }

    /// The time of a stage.
    fn time(&mut self, step: &Making, node: f64) -> Value {
        let node = self.constant(node);
        let h = self.h(step);
        let passed = self.e.builder.ins().fmul(node, h);
        self.e.builder.ins().fadd(step.start, passed)
    }

    /// x0 + h times the slopes by their weights, for one state.
    fn argument(&mut self, step: &Making, row: &[Weight], i: usize) -> Value {
        let sum = self.weighed(&step.latest, row, i);
        let h = self.h(step);
        let rise = self.e.builder.ins().fmul(h, sum);
        let x0 = self.load(self.x0, i);
        self.e.builder.ins().fadd(x0, rise)
    }

    fn weighed(&mut self, latest: &Latest, row: &[Weight], i: usize) -> Value {
        let mut sum: Option<Value> = None;
        for (stage, weight) in row {
            let (slope, weight) = (self.slope(latest, *stage, i), self.constant(*weight));
            let term = self.e.builder.ins().fmul(slope, weight);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.e.builder.ins().fadd(sum, term),
            });
        }
        sum.unwrap_or_else(|| self.constant(0.0))
    }

    /// The rates at a time and a state: the tape once.
    fn rates(&mut self, time: Value, x: &[Value]) -> Vec<Value> {
        let origin = self.load(self.origin, 0);
        let now = self.e.builder.ins().fadd(origin, time);
        self.e.forget();
        self.e.know(self.plan.time, now);
        for (slot, x) in self.plan.state.iter().zip(x) {
            self.e.know(slot, *x);
        }
        for (at, instr) in self.plan.tape.code().iter().enumerate() {
            self.e.at = at;
            match instr.code {
                // What is not needed in one of several runs may be needed in another.
                Code::Skip => {}
                Code::Choose => self.e.chosen(instr),
                _ => self.e.single(instr),
            }
        }
        self.plan.rate.iter().map(|slot| self.e.read(slot)).collect()
    }

    /// The mean square of the error over its tolerance, in the order in which the solver sums it:
    /// by lanes, then the rest.
    fn error(&mut self, step: &Making) -> Value {
        let (n, latest) = (self.states(), &step.latest);
        let zero = self.constant(0.0);
        let mut error = zero;
        if !self.plan.tableau.error().is_empty() {
            let terms: Vec<Value> = (0..n).map(|i| self.term(step, i)).collect();
            let (lanes, rest) = terms.split_at(n - n % ERROR_LANES);
            let lane = |lane: usize| lanes.iter().skip(lane).step_by(ERROR_LANES).copied();
            let lanes: Vec<Vec<Value>> = (0..ERROR_LANES).map(|l| lane(l).collect()).collect();
            let sums: Vec<Value> = lanes.iter().filter_map(|lane| self.sum(lane)).collect();
            let parts: Vec<Value> =
                [self.sum(&sums), self.sum(rest)].into_iter().flatten().collect();
            let total = self.sum(&parts).unwrap_or(zero);
            let part = self.constant(1.0 / n as f64);
            error = self.e.builder.ins().fmul(total, part);
        }
        if self.plan.watched {
            for stage in 0..=latest.stage {
                for i in 0..n {
                    let rate = self.slope(latest, stage, i);
                    let part = self.e.builder.ins().fmul(rate, zero);
                    error = self.e.builder.ins().fadd(error, part);
                }
            }
        }
        error
    }

    fn term(&mut self, step: &Making, i: usize) -> Value {
        let latest = &step.latest;
        let sum = self.weighed(latest, self.plan.tableau.error(), i);
        let (h, x1, slope) =
            (self.h(step), self.end_state(step, i), self.slope(latest, latest.stage, i));
        let x0 = self.load(self.x0, i);
        let [relative, absolute] = [self.relative, self.absolute].map(|array| self.load(array, 0));
        let zero = self.constant(0.0);
        let b = &mut self.e.builder;
        let (before, after) = (b.ins().fabs(x0), b.ins().fabs(x1));
        let less = b.ins().fcmp(FloatCC::LessThan, before, after);
        let size = self.e.either(less, after, before);
        let b = &mut self.e.builder;
        let share = b.ins().fmul(relative, size);
        let scale = b.ins().fadd(absolute, share);
        let rise = b.ins().fmul(h, sum);
        let (x, slope) = (b.ins().fmul(x1, zero), b.ins().fmul(slope, zero));
        let finite = b.ins().fadd(x, slope);
        let scale = b.ins().fadd(scale, finite);
        let ratio = b.ins().fdiv(rise, scale);
        b.ins().fmul(ratio, ratio)
    }

    fn sum(&mut self, terms: &[Value]) -> Option<Value> {
        let (first, rest) = terms.split_first()?;
        Some(rest.iter().fold(*first, |sum, term| self.e.builder.ins().fadd(sum, *term)))
    }

    /// A constant, which the processor takes straight from memory.
    pub(crate) fn constant(&mut self, value: f64) -> Value {
        self.e.constant(value)
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.plan.state.len()
    }

    /// The number of a state, of the present step.
    pub(crate) fn load(&mut self, array: Array, index: usize) -> Value {
        let offset = array.first + self.unit * index as i32 + self.at;
        self.e.builder.ins().load(self.e.ty, trusted(), array.base, offset)
    }

    fn put_in(&mut self, array: Array, index: usize, value: Value) {
        let offset = array.first + self.unit * index as i32 + self.at;
        self.e.builder.ins().store(trusted(), value, array.base, offset);
    }

    fn store(&mut self, array: Array, values: &[Value]) {
        for (i, value) in values.iter().enumerate() {
            self.put_in(array, i, *value);
        }
    }

    /// A number of the frame, by its offset.
    pub(crate) fn number(&mut self, offset: i32) -> Value {
        self.e.builder.ins().load(types::F64, trusted(), self.frame, offset)
    }

    /// A pointer or a count of the frame, by its offset.
    pub(crate) fn word(&mut self, offset: i32) -> Value {
        self.e.builder.ins().load(types::I64, trusted(), self.frame, offset)
    }

    /// Stores a number or a count in the frame.
    pub(crate) fn put(&mut self, offset: i32, value: Value) {
        self.e.builder.ins().store(trusted(), value, self.frame, offset);
    }
}
