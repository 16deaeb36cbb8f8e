//! All stages of an explicit step as one function.
//!
//! The states and slopes of a small system fit in registers, or nearly, and a call for each stage
//! with copies to the buffer and back costs more than the stage. The function does what
//! `solver::explicit` does, operation by operation in the same order.

use std::ops::Range;
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_module::FuncId;
use ir::{Slot, Tape};

use crate::NativeError;
use crate::code::{Maker, Memory};
use crate::emit::{Emitter, Store, trusted};
use crate::kept::{Way, way};
use crate::step_batch::{StepBatch, StepRules};
use crate::windows::Windows;

/// The most states, and the most instructions, of a system whose steps are made whole.
const STATES: usize = 24;
const INSTRUCTIONS: usize = 300;

/// An explicit method whose last stage is the end of the step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tableau {
    /// The nodes, from 0 to 1.
    pub nodes: &'static [f64],
    /// For each stage the slopes that enter it, with their weights.
    pub rows: &'static [&'static [(usize, f64)]],
    /// The weights of the error; empty where none is estimated.
    pub error: &'static [(usize, f64)],
}

/// A step to be compiled.
#[derive(Clone, Debug)]
pub struct StepPlan<'a> {
    /// The rates of the states.
    pub tape: &'a Tape,
    /// The length of the buffer.
    pub slots: usize,
    /// Where the states are.
    pub state: Range<Slot>,
    /// Where their rates are.
    pub rate: Range<Slot>,
    /// Where time is.
    pub time: Slot,
    /// The method.
    pub tableau: Tableau,
    /// How one step follows another; none where each is asked for by itself.
    pub follow: Option<StepRules>,
    /// Whether a rate that is not finite, at any stage, is to be told.
    pub watched: bool,
}

/// What a step is computed from, and where its results go.
#[derive(Debug)]
pub struct StepArguments<'a> {
    /// What the times of the step count from.
    pub origin: f64,
    /// The start of the step; in the end of that which was computed last.
    pub start: f64,
    /// Its end; in the end of that which was computed last.
    pub end: f64,
    /// The relative tolerance.
    pub relative: f64,
    /// The absolute tolerance.
    pub absolute: f64,
    /// How far steps may follow each other, for plans that say how.
    pub batch: StepBatch,
    /// The states at the start.
    pub x0: &'a mut [f64],
    /// The states at the end.
    pub x1: &'a mut [f64],
    /// The slopes; the first is given.
    pub slopes: &'a mut [Vec<f64>],
}

/// The most slopes of a method.
const SLOPES: usize = 8;

/// The same as native code sees it.
#[repr(C)]
struct Frame {
    origin: f64,
    start: f64,
    end: f64,
    relative: f64,
    absolute: f64,
    x0: *mut f64,
    x1: *mut f64,
    slopes: [*mut f64; SLOPES],
    batch: StepBatch,
}

/// Places in a [`Frame`], counted in numbers of 8 bytes.
pub(crate) const START: i32 = 1;
pub(crate) const END: i32 = 2;
const X0: i32 = 5;
const X1: i32 = 6;
pub(crate) const FIRST_SLOPE: i32 = 7;
pub(crate) const STRETCH: i32 = FIRST_SLOPE + SLOPES as i32;

type Function = unsafe extern "C" fn(*mut f64, *mut Frame) -> f64;

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

    /// Computes slopes, the states at the end, and the mean square of the error in units of the
    /// tolerance; 0 where the method estimates none. Not a number where the plan watches the rates and one is
    /// not finite. Where the plan says how steps follow each other it takes as many of them as the
    /// batch has room for, and all is that of the last one, which is only tried.
    #[inline]
    pub fn run(&self, slots: &mut [f64], arguments: &mut StepArguments) -> f64 {
        let StepArguments { origin, start, end, relative, absolute, batch, x0, x1, slopes } =
            arguments;
        let fits = slots.len() == self.slots
            && x0.len() == self.states
            && x1.len() == self.states
            && slopes.len() == self.slopes
            && slopes.iter().all(|slope| slope.len() == self.states);
        assert!(fits, "a step runs over the buffer that it was made for");
        let mut pointers = [std::ptr::null_mut(); SLOPES];
        for (pointer, slope) in pointers.iter_mut().zip(slopes.iter_mut()) {
            *pointer = slope.as_mut_ptr();
        }
        let mut frame = Frame {
            origin: *origin,
            start: *start,
            end: *end,
            relative: *relative,
            absolute: *absolute,
            x0: x0.as_mut_ptr(),
            x1: x1.as_mut_ptr(),
            slopes: pointers,
            batch: *batch,
        };
        // SAFETY: the code was made by this crate for this signature; it reads the buffer at the
        // places of its tape and the arrays up to the lengths that have just been checked, and its
        // memory lives as long as this routine.
        let error = unsafe { (self.function)(slots.as_mut_ptr(), &mut frame) };
        (*start, *end, *batch) = (frame.start, frame.end, frame.batch);
        error
    }
}

/// Compiles a step, where that pays.
pub(crate) fn function(maker: &mut Maker, plan: &StepPlan) -> Result<Option<FuncId>, NativeError> {
    let single = plan.tape.code().iter().all(|instr| way(instr) == Way::Single);
    let (states, length) = (plan.state.len(), plan.tape.len());
    let fits = plan.tableau.nodes.len() <= SLOPES && (1..=STATES).contains(&states);
    if !single || !fits || length > INSTRUCTIONS {
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

/// Writes the stages.
pub(crate) struct Writer<'w, 'a, 'f, 'c> {
    pub e: Emitter<'a, 'f, 'c>,
    plan: &'w StepPlan<'a>,
    frame: Value,
    /// Where the arrays are.
    x0: Value,
    x1: Value,
    pub slopes: Vec<Value>,
    /// The length of the step.
    pub h: Value,
}

impl Writer<'_, '_, '_, '_> {
    fn write(&mut self) {
        (self.x0, self.x1) = (self.pointer(X0), self.pointer(X1));
        let slopes = 0..self.plan.tableau.nodes.len() as i32;
        self.slopes = slopes.map(|slope| self.pointer(FIRST_SLOPE + slope)).collect();
        let (start, end) = (self.number(START), self.number(END));
        match self.plan.follow {
            Some(follow) => self.batch(start, end, &follow),
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
        let x0: Vec<Value> = (0..n).map(|i| self.load(self.x0, i)).collect();
        let mut slopes = vec![(0..n).map(|i| self.load(self.slopes[0], i)).collect::<Vec<Value>>()];
        let last = tableau.nodes.len() - 1;
        let mut x1 = Vec::new();
        for stage in 1..=last {
            let time = if stage == last { end } else { self.time(start, tableau.nodes[stage]) };
            x1 = (0..n).map(|i| self.argument(&x0, &slopes, tableau.rows[stage], i)).collect();
            let slope = self.rates(time, &x1);
            self.store(self.slopes[stage], &slope);
            slopes.push(slope);
        }
        self.store(self.x1, &x1);
        self.error(&x0, &x1, &slopes)
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
    fn argument(
        &mut self,
        x0: &[Value],
        slopes: &[Vec<Value>],
        row: &[(usize, f64)],
        i: usize,
    ) -> Value {
        let sum = self.weighed(slopes, row, i);
        let rise = self.e.builder.ins().fmul(self.h, sum);
        self.e.builder.ins().fadd(x0[i], rise)
    }

    fn weighed(&mut self, slopes: &[Vec<Value>], row: &[(usize, f64)], i: usize) -> Value {
        let mut sum: Option<Value> = None;
        for (slope, weight) in row {
            let weight = self.constant(*weight);
            let term = self.e.builder.ins().fmul(slopes[*slope][i], weight);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.e.builder.ins().fadd(sum, term),
            });
        }
        sum.unwrap_or_else(|| self.e.builder.ins().f64const(0.0))
    }

    /// The rates at a time and a state: the tape once.
    fn rates(&mut self, time: Value, x: &[Value]) -> Vec<Value> {
        let origin = self.number(0);
        let now = self.e.builder.ins().fadd(origin, time);
        self.e.forget();
        self.e.know(self.plan.time, now);
        for (slot, x) in self.plan.state.clone().zip(x) {
            self.e.know(slot, *x);
        }
        for (at, instr) in self.plan.tape.code().iter().enumerate() {
            self.e.at = at;
            self.e.single(instr);
        }
        self.plan.rate.clone().map(|slot| self.e.read(slot)).collect()
    }

    /// The mean square of the error over its tolerance, as the solver sums it: every fourth
    /// term by itself, then the rest.
    fn error(&mut self, x0: &[Value], x1: &[Value], slopes: &[Vec<Value>]) -> Value {
        let n = x0.len();
        let zero = self.e.builder.ins().f64const(0.0);
        let mut error = zero;
        if !self.plan.tableau.error.is_empty() {
            let terms: Vec<Value> = (0..n).map(|i| self.term(x0, x1, slopes, i)).collect();
            let whole = n - n % 4;
            let lane = |lane: usize| terms[..whole].iter().skip(lane).step_by(4).copied();
            let lanes: Vec<Vec<Value>> = (0..4).map(|l| lane(l).collect()).collect();
            let sums: Vec<Value> = lanes.iter().filter_map(|lane| self.sum(lane)).collect();
            let parts: Vec<Value> =
                [self.sum(&sums), self.sum(&terms[whole..])].into_iter().flatten().collect();
            let total = self.sum(&parts).unwrap_or(zero);
            let part = self.constant(1.0 / n as f64);
            error = self.e.builder.ins().fmul(total, part);
        }
        if self.plan.watched {
            for rate in slopes.iter().flatten() {
                let part = self.e.builder.ins().fmul(*rate, zero);
                error = self.e.builder.ins().fadd(error, part);
            }
        }
        error
    }

    fn term(&mut self, x0: &[Value], x1: &[Value], slopes: &[Vec<Value>], i: usize) -> Value {
        let sum = self.weighed(slopes, self.plan.tableau.error, i);
        let (relative, absolute) = (self.number(3), self.number(4));
        let zero = self.e.builder.ins().f64const(0.0);
        let last = slopes.len() - 1;
        let b = &mut self.e.builder;
        let (before, after) = (b.ins().fabs(x0[i]), b.ins().fabs(x1[i]));
        let less = b.ins().fcmp(FloatCC::LessThan, before, after);
        let size = b.ins().select(less, after, before);
        let share = b.ins().fmul(relative, size);
        let scale = b.ins().fadd(absolute, share);
        let rise = b.ins().fmul(self.h, sum);
        let (x, slope) = (b.ins().fmul(x1[i], zero), b.ins().fmul(slopes[last][i], zero));
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

    /// A number of the frame.
    pub(crate) fn number(&mut self, place: i32) -> Value {
        self.e.builder.ins().load(types::F64, trusted(), self.frame, 8 * place)
    }

    /// A pointer or a count of the frame.
    pub(crate) fn pointer(&mut self, place: i32) -> Value {
        self.e.builder.ins().load(types::I64, trusted(), self.frame, 8 * place)
    }

    /// Gives the frame a number or a count.
    pub(crate) fn put(&mut self, place: i32, value: Value) {
        self.e.builder.ins().store(trusted(), value, self.frame, 8 * place);
    }
}
