//! Checks what native code relies on, before it is compiled. The invariants:
//! 1. offsets into the buffer fit in 32 bits with a sign;
//! 2. tapes are well formed over the buffer ([`Tape::verify`]);
//! 3. arrays that replace parts of the buffer are in it, no two share a slot, and those of inputs
//!    are not written;
//! 4. a step has its states, as many rates, and time in the buffer, and its tableau is right;
//! 5. a word has units that there are, their outputs and guards are in the buffer, and the bits
//!    that a change sets are those of units that there are.
//!
//! Native code checks none of this when it runs: it would read or write beyond the buffer. The
//! lengths of the buffer and of the arrays are checked in every call, against those of the plan.
//! What the interpreter does for native code is checked by the interpreter.

use ir::{Instr, Slot, SlotRange, Tape};

use crate::error::PlanError;
use crate::routine::Plan;
use crate::slots::{Slots, writes};
use crate::step::StepPlan;
use crate::units::{OutputPlan, UnitsPlan, WORD};

/// The longest buffer: offsets are counted in bytes, in 32 bits with a sign.
const MOST_SLOTS: usize = i32::MAX as usize / 8;

/// Checks the plan of a tape.
pub(crate) fn routine(plan: &Plan) -> Result<(), PlanError> {
    buffer(plan.slots)?;
    let windows = || plan.inputs.iter().chain(&plan.outputs).filter(|window| !window.is_empty());
    let shared =
        |a: &SlotRange| windows().filter(|b| a.first < b.end() && b.first < a.end()).count() > 1;
    if windows().any(|window| !is_inside(*window, plan.slots) || shared(window)) {
        return Err(PlanError::Window);
    }
    tape(plan.tape, plan.slots)?;
    let is_input = |slot: Slot| plan.inputs.iter().any(|input| input.contains(slot));
    let writes_input = |instr: &Instr| {
        writes(plan.tape.extra(), instr).into_iter().flat_map(Slots::iter).any(is_input)
    };
    match plan.tape.code().iter().position(writes_input) {
        Some(instruction) => Err(PlanError::Input { instruction }),
        None => Ok(()),
    }
}

/// Checks the plan of a step.
pub(crate) fn step(plan: &StepPlan) -> Result<(), PlanError> {
    buffer(plan.slots)?;
    let inside = is_inside(plan.state, plan.slots)
        && is_inside(plan.rate, plan.slots)
        && plan.time.index() < plan.slots;
    if !inside || plan.state.len() != plan.rate.len() {
        return Err(PlanError::State);
    }
    plan.tableau.check().map_err(PlanError::Tableau)?;
    tape(plan.tape, plan.slots)
}

/// Checks the plan of the units of a tick.
pub(crate) fn units(plan: &UnitsPlan) -> Result<(), PlanError> {
    buffer(plan.slots)?;
    for word in &plan.words {
        let first = word.index * WORD;
        if word.units.len() > WORD || first + word.units.len() > plan.count {
            return Err(PlanError::Word { word: word.index });
        }
        for (unit, own) in word.units.iter().enumerate() {
            let Some(own) = own else { continue };
            tape(own.tape, plan.slots)?;
            let fits = |output: &OutputPlan| is_right(output, plan);
            if let Some(output) = own.outputs.iter().position(|output| !fits(output)) {
                return Err(PlanError::Output { unit: first + unit, output });
            }
        }
    }
    Ok(())
}

/// Whether an output has its numbers and its guard in the buffer and sets bits of units alone.
fn is_right(output: &OutputPlan, plan: &UnitsPlan) -> bool {
    let [from, to] = [output.from, output.to].map(|slot| Slots::row(slot, output.length));
    let guard = output.guard.is_none_or(|guard| Slots::one(guard).is_below(plan.slots));
    let is_unit = |(word, bits): &(u32, u64)| {
        let units = plan.count.saturating_sub(*word as usize * WORD);
        units >= WORD || *bits >> units == 0 && units > 0
    };
    from.is_below(plan.slots)
        && to.is_below(plan.slots)
        && guard
        && output.reader_words.iter().all(is_unit)
}

fn buffer(slots: usize) -> Result<(), PlanError> {
    if slots > MOST_SLOTS { Err(PlanError::BufferTooLong) } else { Ok(()) }
}

fn is_inside(range: SlotRange, slots: usize) -> bool {
    range.indices().end <= slots
}

/// Checks the instructions of a tape over a buffer of this length.
fn tape(tape: &Tape, slots: usize) -> Result<(), PlanError> {
    tape.verify(slots).map_err(PlanError::Tape)
}

#[cfg(test)]
mod tests;
