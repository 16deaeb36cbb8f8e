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
use ir::{Slot, SlotRange, Tape};
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

/// Compiles a step, if that pays.
pub(crate) fn function(maker: &mut Maker, plan: &StepPlan) -> Result<Option<FuncId>, NativeError> {
    let single = plan.tape.code().iter().all(|instr| way(instr) == Way::Single);
    let (states, length, slopes) = (plan.state.len(), plan.tape.len(), plan.tableau.nodes.len());
    let fits = slopes <= SLOPES
        && (1..=STATES).contains(&states)
        && length <= INSTRUCTIONS
        && length * (slopes - 1) <= INSTRUCTIONS_OF_STEP;
    if !single || !fits {
        return Ok(None);
    }
    let id = maker.function(2, true, |builder, calls| {
        let block = builder.current_block().expect("a function has its first block");
        let [slots, frame] = builder.block_params(block)[..] else { return };
        let windows = Windows::default();
        let e = Emitter::new(builder, calls, plan.tape, &windows, vec![slots], Store::Nowhere);
        let mut writer =
            Writer { e, plan, frame, x0: frame, x1: frame, slopes: Vec::new(), h: frame };
        writer.write();
    })?;
    Ok(Some(id))
}

/// The rates of the stage that has just been computed; none before the first.
struct Latest {
    stage: usize,
    values: Vec<Value>,
}

/// Writes the stages.
pub(crate) struct Writer<'w, 'a, 'f, 'c> {
    pub e: Emitter<'a, 'f, 'c>,
    plan: &'w StepPlan<'a>,
    frame: Value,
    /// Pointers to the arrays of the frame.
    x0: Value,
    pub x1: Value,
    pub slopes: Vec<Value>,
    /// The length of the step.
    pub h: Value,
}

impl Writer<'_, '_, '_, '_> {
    fn write(&mut self) {
        let pointers = [offset!(StepFrame, x0), offset!(StepFrame, x1)];
        [self.x0, self.x1] = pointers.map(|offset| self.word(offset));
        let slope = |stage: usize| offset!(StepFrame, slopes) + 8 * stage as i32;
        let stages = 0..self.plan.tableau.nodes.len();
        self.slopes = stages.map(|stage| self.word(slope(stage))).collect();
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
        let tableau = self.plan.tableau;
        let n = self.states();
        self.h = self.e.builder.ins().fsub(end, start);
        let last = tableau.nodes.len() - 1;
        let mut x1 = Vec::new();
        let mut latest = Latest { stage: 0, values: Vec::new() };
        for stage in 1..=last {
            let time = if stage == last { end } else { self.time(start, tableau.nodes[stage]) };
            x1 = (0..n).map(|i| self.argument(&latest, tableau.rows[stage], i)).collect();
            let values = self.rates(time, &x1);
            self.store(self.slopes[stage], &values);
            latest = Latest { stage, values };
        }
        self.store(self.x1, &x1);
        self.error(&x1, &latest)
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
                self.e.builder.ins().store(trusted(), value, to, 8 * i as i32);
            }
        }
    }

    /// The time of a stage.
    fn time(&mut self, start: Value, node: f64) -> Value {
        let node = self.constant(node);
        let passed = self.e.builder.ins().fmul(node, self.h);
        self.e.builder.ins().fadd(start, passed)
    }

    /// x0 + h times the slopes by their weights, for one state.
    fn argument(&mut self, latest: &Latest, row: &[Weight], i: usize) -> Value {
        let sum = self.weighed(latest, row, i);
        let rise = self.e.builder.ins().fmul(self.h, sum);
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
        sum.unwrap_or_else(|| self.e.builder.ins().f64const(0.0))
    }

    /// The rates at a time and a state: the tape once.
    fn rates(&mut self, time: Value, x: &[Value]) -> Vec<Value> {
        let origin = self.number(offset!(StepFrame, origin));
        let now = self.e.builder.ins().fadd(origin, time);
        self.e.forget();
        self.e.know(self.plan.time, now);
        for (slot, x) in self.plan.state.iter().zip(x) {
            self.e.know(slot, *x);
        }
        for (at, instr) in self.plan.tape.code().iter().enumerate() {
            self.e.at = at;
            self.e.single(instr);
        }
        self.plan.rate.iter().map(|slot| self.e.read(slot)).collect()
    }

    /// The mean square of the error over its tolerance, in the order in which the solver sums it:
    /// by lanes, then the rest.
    fn error(&mut self, x1: &[Value], latest: &Latest) -> Value {
        let n = x1.len();
        let zero = self.e.builder.ins().f64const(0.0);
        let mut error = zero;
        if !self.plan.tableau.error().is_empty() {
            let terms: Vec<Value> = (0..n).map(|i| self.term(x1, latest, i)).collect();
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

    fn term(&mut self, x1: &[Value], latest: &Latest, i: usize) -> Value {
        let sum = self.weighed(latest, self.plan.tableau.error(), i);
        let x0 = self.load(self.x0, i);
        let [relative, absolute] = [offset!(StepFrame, relative), offset!(StepFrame, absolute)]
            .map(|offset| self.number(offset));
        let zero = self.e.builder.ins().f64const(0.0);
        let b = &mut self.e.builder;
        let (before, after) = (b.ins().fabs(x0), b.ins().fabs(x1[i]));
        let less = b.ins().fcmp(FloatCC::LessThan, before, after);
        let size = b.ins().select(less, after, before);
        let share = b.ins().fmul(relative, size);
        let scale = b.ins().fadd(absolute, share);
        let rise = b.ins().fmul(self.h, sum);
        let (x, slope) = (b.ins().fmul(x1[i], zero), b.ins().fmul(latest.values[i], zero));
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
        self.e.builder.ins().f64const(value)
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.plan.state.len()
    }

    pub(crate) fn load(&mut self, array: Value, index: usize) -> Value {
        self.e.builder.ins().load(types::F64, trusted(), array, 8 * index as i32)
    }

    fn store(&mut self, array: Value, values: &[Value]) {
        for (i, value) in values.iter().enumerate() {
            self.e.builder.ins().store(trusted(), *value, array, 8 * i as i32);
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
