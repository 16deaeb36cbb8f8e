//! A tape as a function that can be called.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::FuncId;
use ir::{Code, Slot, Tape};

use crate::NativeError;
use crate::code::{Calls, Maker, Memory};
use crate::emit::{Emitter, Store, trusted};
use crate::functions::Callback;
use crate::kept::{Kept, Way, reads, way, writes};
use crate::repeat;
use crate::step::{self, StepPlan, StepRoutine};
use crate::units::{self, UnitsPlan, UnitsRoutine};
use crate::windows::{WINDOWS, Windows};

/// A tape to be compiled. Numbers at the places of `inputs` and `outputs` are not in the buffer but
/// in arrays that the caller brings; an empty range stands for none.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// What it does.
    pub tape: &'a Tape,
    /// The length of the buffer.
    pub slots: usize,
    /// Places that are only read.
    pub inputs: [Range<Slot>; 2],
    /// Places that are written.
    pub outputs: [Range<Slot>; 2],
}

/// What has been compiled, in the order of the plans.
#[derive(Debug)]
pub struct Compiled {
    /// One for each tape.
    pub routines: Vec<Routine>,
    /// One for each step; none where it would not pay.
    pub steps: Vec<Option<StepRoutine>>,
    /// The tapes of a tick, where they were asked for.
    pub units: Option<UnitsRoutine>,
}

/// A part of a tape: the buffer, the inputs, the outputs, and what is called back.
type Piece =
    unsafe extern "C" fn(*mut f64, *const f64, *const f64, *mut f64, *mut f64, *const Callback);

/// A tape as native code.
#[derive(Debug)]
pub struct Routine {
    pieces: Vec<Piece>,
    /// The only piece, where it works on everything where it is and calls nothing back.
    whole: Option<Piece>,
    /// The lengths of the buffer, the inputs and the outputs.
    lengths: [usize; 5],
    inputs: [Range<Slot>; 2],
    outputs: [Range<Slot>; 2],
    /// Whether inputs and outputs are used where they are; otherwise they go through the buffer.
    direct: bool,
    callback: Option<Box<Callback>>,
    /// Holds the code.
    _memory: Arc<Memory>,
}

impl Routine {
    fn new(plan: &Plan, pieces: Vec<Piece>, memory: Arc<Memory>) -> Routine {
        let [input, other_input] = plan.inputs.clone();
        let [output, other_output] = plan.outputs.clone();
        let (direct, callback) = (is_direct(plan), callback(plan.tape));
        let whole = match pieces[..] {
            [piece] if direct && callback.is_none() => Some(piece),
            _ => None,
        };
        let ranges = [&input, &other_input, &output, &other_output].map(|range| range.len());
        let [a, b, c, d] = ranges;
        let lengths = [plan.slots, a, b, c, d];
        let (inputs, outputs) = ([input, other_input], [output, other_output]);
        Routine { pieces, whole, lengths, inputs, outputs, direct, callback, _memory: memory }
    }

    /// Runs the tape. Inputs and outputs must be as long as the plan has said.
    #[inline(always)]
    pub fn run(&self, slots: &mut [f64], inputs: [&[f64]; 2], outputs: [&mut [f64]; 2]) {
        let [input, other_input] = inputs;
        let [output, other_output] = outputs;
        let lengths =
            [slots.len(), input.len(), other_input.len(), output.len(), other_output.len()];
        // One after the other: comparing the arrays would call a function for it.
        let fits =
            lengths.iter().zip(&self.lengths).fold(true, |fits, (own, of)| fits & (own == of));
        assert!(fits, "a routine runs over the buffer that it was made for");
        match self.whole {
            Some(piece) => {
                call(piece, slots, inputs, [output, other_output], std::ptr::null());
            }
            None => self.run_pieces(slots, inputs, [output, other_output]),
        }
    }

    fn run_pieces(&self, slots: &mut [f64], inputs: [&[f64]; 2], outputs: [&mut [f64]; 2]) {
        let [output, other_output] = outputs;
        if !self.direct {
            slots[places(&self.inputs[0])].copy_from_slice(inputs[0]);
            slots[places(&self.inputs[1])].copy_from_slice(inputs[1]);
        }
        let callback = self.callback.as_deref().map_or(std::ptr::null(), |own| own as *const _);
        for piece in &self.pieces {
            call(*piece, slots, inputs, [output, other_output], callback);
        }
        if let Some(callback) = &self.callback {
            callback.resume();
        }
        if !self.direct {
            output.copy_from_slice(&slots[places(&self.outputs[0])]);
            other_output.copy_from_slice(&slots[places(&self.outputs[1])]);
        }
    }
}

/// Calls a piece of a routine whose lengths have been checked.
#[inline(always)]
fn call(
    piece: Piece,
    slots: &mut [f64],
    inputs: [&[f64]; 2],
    [output, other_output]: [&mut [f64]; 2],
    callback: *const Callback,
) {
    // SAFETY: the code was made by this crate for this signature and touches only the places of its
    // tape, which are below the lengths that have been checked; the routine that has the piece
    // holds the memory of its code.
    unsafe {
        piece(
            slots.as_mut_ptr(),
            inputs[0].as_ptr(),
            inputs[1].as_ptr(),
            output.as_mut_ptr(),
            other_output.as_mut_ptr(),
            callback,
        );
    }
}

impl Callback {
    /// Goes on with a panic that was caught.
    fn resume(&self) {
        let panic = self.panic.lock().ok().and_then(|mut kept| kept.take());
        if let Some(panic) = panic {
            std::panic::resume_unwind(panic);
        }
    }
}

fn places(range: &Range<Slot>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Compiles tapes, steps and the units of ticks.
pub fn compile(
    plans: &[Plan],
    steps: &[StepPlan],
    ticks: Option<&UnitsPlan>,
) -> Result<Compiled, NativeError> {
    let mut maker = Maker::new()?;
    let mut functions = Vec::new();
    let mut made = Vec::new();
    for plan in plans {
        let own = routine(&mut maker, plan)?;
        made.push((functions.len()..functions.len() + own.len(), plan));
        functions.extend(own);
    }
    let mut fused = Vec::new();
    for plan in steps {
        let own = step::function(&mut maker, plan)?;
        fused.push((own.map(|_| functions.len()), plan));
        functions.extend(own);
    }
    let words = functions.len();
    if let Some(plan) = ticks {
        functions.extend(units::functions(&mut maker, plan)?);
    }
    let (addresses, memory) = maker.finish(&functions)?;
    let memory = Arc::new(memory);
    let routines = made.into_iter().map(|(range, plan)| {
        // SAFETY: these functions were made with the signature of a piece.
        let piece =
            |address: &*const u8| unsafe { std::mem::transmute::<*const u8, Piece>(*address) };
        Routine::new(plan, addresses[range].iter().map(piece).collect(), memory.clone())
    });
    let routines = routines.collect();
    let steps = fused.into_iter().map(|(index, plan)| {
        index.map(|index| StepRoutine::new(addresses[index], plan, memory.clone()))
    });
    let steps = steps.collect();
    let units = ticks.map(|plan| UnitsRoutine::new(plan, &addresses[words..], memory.clone()));
    Ok(Compiled { routines, steps, units })
}

/// What the interpreter needs, where it is called back.
fn callback(tape: &Tape) -> Option<Box<Callback>> {
    let asked = tape.code().iter().any(|instr| way(instr) == Way::Interpreter);
    asked.then(|| Box::new(Callback { tape: tape.clone(), panic: Mutex::new(None) }))
}

fn windows(plan: &Plan) -> Windows {
    let [a, b] = plan.inputs.clone();
    let [c, d] = plan.outputs.clone();
    Windows([a, b, c, d])
}

/// Whether inputs and outputs can be used where they are: the interpreter is not called, which
/// knows the buffer alone, and no vector is partly in the buffer.
fn is_direct(plan: &Plan) -> bool {
    let windows = windows(plan);
    plan.tape.code().iter().all(|instr| {
        let ranges = reads(plan.tape, instr).into_iter().chain(writes(plan.tape, instr));
        let mut all = ranges.chain(spans(plan.tape, instr));
        way(instr) != Way::Interpreter
            && all.all(|range| windows.holds(range.start, range.len() as u32))
    })
}

/// Everything between the first and the last number of those that lie apart and are reached from
/// the first.
fn spans(tape: &Tape, instr: &ir::Instr) -> Vec<Range<Slot>> {
    match instr.code {
        Code::Repeat => match &tape.extra()[instr.c as usize] {
            ir::Extra::Repeat(body) => {
                let loads = body.loads.iter().map(|(from, stride)| (*from, *stride));
                let all = loads.chain(body.stores.iter().map(|(_, to, stride)| (*to, *stride)));
                all.map(|(from, stride)| repeat::span(from, stride, body.count)).collect()
            }
            _ => Vec::new(),
        },
        Code::CopyApart if way(instr) == Way::Memory => {
            let span = |from: Slot, stride: Slot| from..from + (instr.n - 1) * stride + 1;
            vec![span(instr.dst, instr.b), span(instr.a, instr.c)]
        }
        _ => Vec::new(),
    }
}

/// The instructions of one function at most: the time to compile grows faster than a function.
const LONGEST: usize = 1500;

/// A condition on the instructions up to a place.
#[derive(Clone, Copy)]
struct Condition {
    truth: Slot,
    end: usize,
}

fn routine(maker: &mut Maker, plan: &Plan) -> Result<Vec<FuncId>, NativeError> {
    let code = plan.tape.code();
    let mut starts = vec![false; code.len()];
    let mut conditions: Vec<Option<Condition>> = vec![None; code.len()];
    for (at, instr) in code.iter().enumerate().filter(|(_, instr)| instr.code == Code::Skip) {
        let end = at + 1 + instr.n as usize;
        starts[at] = true;
        let condition = Condition { truth: instr.a, end };
        conditions[at + 1..end].fill(Some(condition));
        [at + 1, end].into_iter().filter(|at| *at < code.len()).for_each(|at| starts[at] = true);
    }
    (0..code.len()).step_by(LONGEST).for_each(|at| starts[at] = true);
    let kept = Kept::find(plan.tape, &starts);
    let windows = if is_direct(plan) { windows(plan) } else { Windows::default() };
    (0..code.len())
        .step_by(LONGEST)
        .map(|from| {
            let range = from..code.len().min(from + LONGEST);
            maker.function(WINDOWS + 2, false, |builder, calls| {
                piece(builder, calls, plan, (&windows, &kept), (range, &conditions));
            })
        })
        .collect()
}

/// Writes a part of a tape.
fn piece(
    builder: &mut FunctionBuilder,
    calls: &mut Calls,
    plan: &Plan,
    (windows, kept): (&Windows, &Kept),
    (range, conditions): (Range<usize>, &[Option<Condition>]),
) {
    let block = builder.current_block().expect("a function has its first block");
    let parameters = builder.block_params(block).to_vec();
    let (arrays, callback) = (parameters[..=WINDOWS].to_vec(), parameters[WINDOWS + 1]);
    let mut e = Emitter::new(builder, calls, plan.tape, windows, arrays, Store::Arrays(kept));
    // The block after the instructions that are under a condition, and where it begins.
    let mut after: Option<(Block, usize)> = None;
    for at in range.clone() {
        e.at = at;
        after = close(&mut e, after, at);
        let instr = &plan.tape.code()[at];
        match way(instr) {
            Way::Condition => e.forget(),
            _ => {
                if after.is_none()
                    && let Some(condition) = conditions[at]
                {
                    after = Some((open(&mut e, condition), condition.end));
                }
                match way(instr) {
                    Way::Single => e.single(instr),
                    Way::Memory => e.memory(instr),
                    _ => e.interpreted(callback, plan.slots as i64),
                }
            }
        }
    }
    close(&mut e, after, after.map_or(0, |after| after.1));
    builder.ins().return_(&[]);
}

/// Makes what follows run only where a condition holds; the block after it.
fn open(e: &mut Emitter, condition: Condition) -> Block {
    e.forget();
    let (array, offset) = e.address(condition.truth);
    let truth: Value = e.builder.ins().load(types::F64, trusted(), array, offset);
    let zero = e.builder.ins().f64const(0.0);
    let skipped = e.builder.ins().fcmp(FloatCC::Equal, truth, zero);
    let (own, after) = (e.builder.create_block(), e.builder.create_block());
    e.builder.ins().brif(skipped, after, &[], own, &[]);
    e.builder.switch_to_block(own);
    after
}

/// Ends what is under a condition, where that is here.
fn close(e: &mut Emitter, after: Option<(Block, usize)>, at: usize) -> Option<(Block, usize)> {
    match after {
        Some((block, end)) if at >= end => {
            e.builder.ins().jump(block, &[]);
            e.builder.switch_to_block(block);
            e.forget();
            None
        }
        other => other,
    }
}
