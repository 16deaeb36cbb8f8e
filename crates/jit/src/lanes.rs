//! All stages of an explicit step of several runs side by side.
//!
//! What one run does with a number, the code does with a pair of numbers of two runs, and the stages
//! of several pairs take turns, so that the processor has something to do while one of them waits
//! for itself. The arithmetic of each run is that of [`crate::StepRoutine`], from the same
//! [`crate::step::Writer`]; what is no instruction on pairs, such as a sine, is called for each
//! number by itself.

use std::sync::Arc;

use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_module::FuncId;
use ir::{Code, Instr, Slot};
use rustc_hash::FxHashSet;
use solver::{Arithmetic, LANES, LaneLayout, LaneRow, LaneTrials, StepRules, StepTaken};

use crate::NativeError;
use crate::code::{Maker, Memory, Order};
use crate::emit::{Emitter, Store, trusted};
use crate::kept::{SMALL, Way, way};
use crate::loops::PAIR;
use crate::pool::Pool;
use crate::slots::{Slots, reads, writes};
use crate::step::{Array, StepPlan, Writer, fits};
use crate::verify;
use crate::windows::Windows;

/// How many pairs of runs there are.
const PAIRS: usize = LANES / 2;

/// The bytes of a row: the numbers of one kind of all runs.
const ROW: i32 = size_of::<LaneRow>() as i32;

/// The most instructions of a function in which several pairs take turns, in those of one stage: a
/// long function takes long to compile, and a long stage has enough to do for the processor.
const TOGETHER: usize = 400;

type Function = unsafe extern "C" fn(*mut f64, *const [f64; 2]) -> f64;

/// A trial step of several runs as native code.
#[derive(Debug)]
pub struct LaneRoutine {
    function: Function,
    layout: LaneLayout,
    inputs: Vec<Slot>,
    /// The constants of the code.
    constants: Vec<[f64; 2]>,
    /// How many pairs one call computes.
    together: usize,
    /// Holds the code.
    _memory: Arc<Memory>,
}

impl LaneRoutine {
    /// The slots whose numbers must be among the inputs of each lane, in this order.
    pub fn inputs(&self) -> &[Slot] {
        &self.inputs
    }

    /// How many states and slopes a lane has.
    pub fn layout(&self) -> LaneLayout {
        self.layout
    }

    /// Computes slopes, states and errors of the trials of all lanes. The error is NaN if the plan
    /// watches the rates and one is not finite.
    #[inline]
    pub fn run(&self, trials: &mut LaneTrials) {
        assert!(trials.layout() == self.layout, "lanes run over the rows that they were made for");
        let rows = trials.rows_mut().as_mut_ptr().cast::<f64>();
        for pair in (0..PAIRS).step_by(self.together) {
            // SAFETY: the code was made by this crate for this signature; it uses the pairs from
            // this one on, of the rows of the layout, which has just been checked, and its constants
            // and its memory live as long as this routine.
            unsafe { (self.function)(rows.add(2 * pair), self.constants.as_ptr()) };
        }
    }
}

/// Compiles a trial step of several runs; none if the steps of one run are not computed whole.
pub fn compile_lanes(plan: &StepPlan) -> Result<Option<LaneRoutine>, NativeError> {
    verify::step(plan)?;
    let has = |instr: &Instr| match instr.code {
        Code::Skip => true,
        Code::Choose => instr.n <= SMALL,
        _ => way(instr) == Way::Single,
    };
    let Some(rules) = plan.rules.filter(|_| fits(plan, has)) else { return Ok(None) };
    let (inputs, together) = (inputs(plan), together(plan));
    let (states, slopes) = (plan.state.len(), plan.tableau.nodes.len());
    let layout = LaneLayout { states, slopes, inputs: inputs.len() };
    let mut maker = Maker::new(Order::Written)?;
    let mut constants = Vec::new();
    let id = function(&mut maker, plan, rules, (layout, &inputs, together), &mut constants)?;
    let (addresses, memory) = maker.finish(&[id])?;
    Ok(Some(LaneRoutine {
        // SAFETY: this function was made with this signature.
        function: unsafe { std::mem::transmute::<*const u8, Function>(addresses[0]) },
        layout,
        inputs,
        constants,
        together,
        _memory: Arc::new(memory),
    }))
}

/// How many pairs take turns in one function.
fn together(plan: &StepPlan) -> usize {
    let weights: usize = plan.tableau.rows.iter().map(|row| 2 * row.len() + 2).sum();
    let stages = plan.tableau.nodes.len().max(2) - 1;
    let stage = plan.tape.len() + plan.state.len() * weights / stages;
    [4, 2, 1].into_iter().find(|pairs| pairs * stage <= TOGETHER).unwrap_or(1)
}

/// The slots that the rates read and do not compute, apart from states and time.
fn inputs(plan: &StepPlan) -> Vec<Slot> {
    let mut known: FxHashSet<Slot> = plan.state.iter().chain([plan.time]).collect();
    let mut inputs = Vec::new();
    let mut ask = |slot: Slot, known: &mut FxHashSet<Slot>| {
        if known.insert(slot) {
            inputs.push(slot);
        }
    };
    for instr in plan.tape.code().iter().filter(|instr| instr.code != Code::Skip) {
        let extra = plan.tape.extra();
        for slot in reads(extra, instr).into_iter().flat_map(Slots::iter) {
            ask(slot, &mut known);
        }
        known.extend(writes(extra, instr).into_iter().flat_map(Slots::iter));
    }
    plan.rate.iter().for_each(|slot| ask(slot, &mut known));
    inputs
}

/// The numbers of a pair of runs in the rows.
#[derive(Clone, Copy)]
struct PairRows {
    rows: Value,
    at: i32,
}

impl PairRows {
    fn get(self, e: &mut Emitter, row: usize) -> Value {
        e.builder.ins().load(PAIR, trusted(), self.rows, ROW * row as i32 + self.at)
    }

    fn put(self, e: &mut Emitter, row: usize, value: Value) {
        e.builder.ins().store(trusted(), value, self.rows, ROW * row as i32 + self.at);
    }

    /// Decides whether a trial is a plain step, and prepares the one after it.
    fn follow(self, e: &mut Emitter, rules: &StepRules, [start, end, error]: [Value; 3]) {
        let [wanted, previous, most, left, horizon, before, longest] = [
            LaneLayout::WANTED,
            LaneLayout::PREVIOUS,
            LaneLayout::GROWTH,
            LaneLayout::LEFT,
            LaneLayout::HORIZON,
            LaneLayout::BEFORE,
            LaneLayout::LONGEST,
        ]
        .map(|row| self.get(e, row));
        let step =
            StepTaken { start, end, error, wanted, previous, most, horizon, before, longest };
        let next = rules.follow(e, &step);
        let one = e.constant(1.0);
        let more = e.less(one, left);
        let plain = e.and(next.plain, more);
        self.put(e, LaneLayout::PLAIN, plain);
        let rest = e.sub(left, one);
        let growth = e.constant(rules.growth);
        let replaced = [end, next.end, next.wanted, next.previous, rest, growth];
        for (row, value) in (LaneLayout::NEXT..).zip(replaced) {
            self.put(e, row, value);
        }
    }
}

fn function(
    maker: &mut Maker,
    plan: &StepPlan,
    rules: StepRules,
    (layout, inputs, together): (LaneLayout, &[Slot], usize),
    constants: &mut Vec<[f64; 2]>,
) -> Result<FuncId, NativeError> {
    let windows = Windows::default();
    maker.function(2, true, |builder, calls| {
        let block = builder.current_block().expect("a function has its first block");
        let [rows, pool] = builder.block_params(block)[..] else { return };
        let mut e = Emitter::new(builder, calls, plan.tape, &windows, vec![rows], Store::Nowhere);
        (e.ty, e.unit, e.from) = (PAIR, ROW, ROW * layout.input() as i32);
        e.inputs = Some(inputs);
        e.pool = Some(Pool::new(pool));
        let array = |row: usize| Array { base: rows, first: ROW * row as i32 };
        let mut writer = Writer {
            e,
            plan,
            frame: rows,
            x0: array(layout.x0()),
            x1: array(layout.x1()),
            slopes: (0..layout.slopes).map(|stage| array(layout.slope(stage))).collect(),
            origin: array(LaneLayout::ORIGIN),
            relative: array(LaneLayout::RELATIVE),
            absolute: array(LaneLayout::ABSOLUTE),
            unit: ROW,
            at: 0,
            length: Some(array(LaneLayout::LENGTH)),
        };
        let steps: Vec<(i32, [Value; 2])> = (0..together as i32)
            .map(|pair| {
                let at = 16 * pair;
                let pair = PairRows { rows, at };
                let ends = [LaneLayout::START, LaneLayout::END];
                (at, ends.map(|row| pair.get(&mut writer.e, row)))
            })
            .collect();
        let errors = writer.steps(&steps);
        for ((at, [start, end]), error) in steps.into_iter().zip(errors) {
            let pair = PairRows { rows, at };
            pair.put(&mut writer.e, LaneLayout::ERROR, error);
            pair.follow(&mut writer.e, &rules, [start, end, error]);
        }
        constants.extend(writer.e.pool.take().map(Pool::into_values).unwrap_or_default());
        let done = writer.e.builder.ins().f64const(0.0);
        writer.e.builder.ins().return_(&[done]);
    })
}
