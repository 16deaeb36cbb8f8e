//! Everything that is compiled for a program, in one go.

use std::sync::Arc;

use cranelift_module::FuncId;

use crate::NativeError;
use crate::code::{Maker, Order};
use crate::pieces;
use crate::routine::{Piece, Plan, Routine};
use crate::step::{self, StepPlan, StepRoutine};
use crate::units::{self, UnitsPlan, WordRoutine};
use crate::verify;

/// What has been compiled, in the order of the plans.
#[derive(Debug)]
pub struct Compiled {
    /// One for each tape.
    pub routines: Vec<Routine>,
    /// One for each step; none if it would not pay.
    pub steps: Vec<Option<StepRoutine>>,
    /// One for each word of the units of a tick.
    pub words: Vec<WordRoutine>,
}

/// Compiles tapes, steps and the units of ticks, after it has verified that the code will use
/// nothing beyond the buffer and the arrays of the plans.
pub fn compile(
    plans: &[Plan],
    steps: &[StepPlan],
    ticks: Option<&UnitsPlan>,
) -> Result<Compiled, NativeError> {
    plans.iter().try_for_each(verify::routine)?;
    steps.iter().try_for_each(verify::step)?;
    ticks.map_or(Ok(()), verify::units)?;
    let mut maker = Maker::new(Order::Free)?;
    let mut functions = Vec::new();
    let mut made = Vec::new();
    for plan in plans {
        let own = pieces::functions(&mut maker, plan)?;
        made.push((functions.len()..functions.len() + own.len(), plan));
        functions.extend(own);
    }
    let words = functions.len();
    for word in ticks.iter().flat_map(|plan| &plan.words) {
        functions.push(units::function(&mut maker, word)?);
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
    let planned = ticks.iter().flat_map(|plan| plan.words.iter().map(move |word| (plan, word)));
    let words = planned.zip(&addresses[words..]);
    let words =
        words.map(|((plan, word), address)| WordRoutine::new(plan, word, *address, memory.clone()));
    let words = words.collect();
    Ok(Compiled { routines, steps: whole_steps(steps)?, words })
}

fn whole_steps(plans: &[StepPlan]) -> Result<Vec<Option<StepRoutine>>, NativeError> {
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let mut maker = Maker::new(Order::Written)?;
    let made = plans.iter().map(|plan| step::function(&mut maker, plan));
    let made: Vec<Option<FuncId>> = made.collect::<Result<_, NativeError>>()?;
    let functions: Vec<FuncId> = made.iter().copied().flatten().collect();
    let (addresses, memory) = maker.finish(&functions)?;
    let (mut addresses, memory) = (addresses.into_iter(), Arc::new(memory));
    let routine = |(plan, made): (&StepPlan, Option<FuncId>)| {
        let address = made.and_then(|_| addresses.next())?;
        Some(StepRoutine::new(address, plan, memory.clone()))
    };
    Ok(plans.iter().zip(made).map(routine).collect())
}
