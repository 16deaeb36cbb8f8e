//! The code of a tape, cut into functions that are not too long.

use std::ops::Range;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::FuncId;
use ir::{Code, Slot};

use crate::NativeError;
use crate::code::{Calls, Maker};
use crate::emit::{Emitter, Store, trusted};
use crate::kept::{Kept, Way, way};
use crate::routine::Plan;
use crate::slots::{reads, writes};
use crate::windows::{WINDOWS, Windows};

fn windows(plan: &Plan) -> Windows {
    let [a, b] = plan.inputs;
    let [c, d] = plan.outputs;
    Windows([a, b, c, d])
}

/// Whether the arrays of the caller can be used directly: the interpreter is not called, which
/// knows the buffer alone, and no loop over memory goes from one array to another.
pub(crate) fn is_direct(plan: &Plan) -> bool {
    let (windows, extra) = (windows(plan), plan.tape.extra());
    plan.tape.code().iter().all(|instr| match way(instr) {
        Way::Interpreter => false,
        // Each number is found by itself.
        Way::Single | Way::Condition => true,
        Way::Memory => {
            let mut all = reads(extra, instr).into_iter().chain(writes(extra, instr));
            all.all(|slots| windows.have_together(slots))
        }
    })
}

/// The instructions of one function at most: the time to compile grows faster than a function.
const LONGEST: usize = 1500;

/// A condition on the instructions before `end`.
#[derive(Clone, Copy)]
struct Condition {
    truth: Slot,
    end: usize,
}

/// Makes the functions of a tape, to be called one after the other.
pub(crate) fn functions(maker: &mut Maker, plan: &Plan) -> Result<Vec<FuncId>, NativeError> {
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
    // The block after the instructions that are under a condition, and its first instruction.
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

/// Makes what follows run only if a condition holds; the block after it.
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

/// Ends what is under a condition, if the instruction `at` is the first after it.
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
