//! A tape as a function that can be called.

use std::sync::{Arc, Mutex};

use ir::{SlotRange, Tape};

use crate::code::Memory;
use crate::functions::Callback;
use crate::kept::{Way, way};
use crate::pieces::is_direct;

/// A tape to be compiled. The numbers of the slots of `inputs` and `outputs` are not in the buffer
/// but in arrays that the caller brings; there is no array for an empty range.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The instructions.
    pub tape: &'a Tape,
    /// The length of the buffer.
    pub slots: usize,
    /// Slots that are only read.
    pub inputs: [SlotRange; 2],
    /// Slots that are written.
    pub outputs: [SlotRange; 2],
}

/// A part of a tape: the buffer, the inputs, the outputs, and what is called back.
pub(crate) type Piece =
    unsafe extern "C" fn(*mut f64, *const f64, *const f64, *mut f64, *mut f64, *const Callback);

/// A tape as native code.
#[derive(Debug)]
pub struct Routine {
    pieces: Vec<Piece>,
    /// The only piece, if there is one that uses the arrays directly and calls nothing back.
    whole: Option<Piece>,
    /// The lengths of the buffer, the inputs and the outputs.
    lengths: [usize; 5],
    inputs: [SlotRange; 2],
    outputs: [SlotRange; 2],
    /// Whether the arrays of the caller are used directly; otherwise their numbers are copied to
    /// the buffer and back.
    direct: bool,
    callback: Option<Box<Callback>>,
    /// Holds the code.
    _memory: Arc<Memory>,
}

impl Routine {
    pub(crate) fn new(plan: &Plan, pieces: Vec<Piece>, memory: Arc<Memory>) -> Routine {
        let [input, other_input] = plan.inputs;
        let [output, other_output] = plan.outputs;
        let (direct, callback) = (is_direct(plan), callback(plan.tape));
        let whole = match pieces[..] {
            [piece] if direct && callback.is_none() => Some(piece),
            _ => None,
        };
        let ranges = [input, other_input, output, other_output].map(SlotRange::len);
        let [a, b, c, d] = ranges;
        let lengths = [plan.slots, a, b, c, d];
        let (inputs, outputs) = ([input, other_input], [output, other_output]);
        Routine { pieces, whole, lengths, inputs, outputs, direct, callback, _memory: memory }
    }

    /// Runs the tape. Inputs and outputs must be as long as in the plan.
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
            slots[self.inputs[0].indices()].copy_from_slice(inputs[0]);
            slots[self.inputs[1].indices()].copy_from_slice(inputs[1]);
        }
        let callback = self.callback.as_deref().map_or(std::ptr::null(), |own| own as *const _);
        for piece in &self.pieces {
            call(*piece, slots, inputs, [output, other_output], callback);
        }
        if let Some(callback) = &self.callback {
            callback.resume();
        }
        if !self.direct {
            output.copy_from_slice(&slots[self.outputs[0].indices()]);
            other_output.copy_from_slice(&slots[self.outputs[1].indices()]);
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
    // SAFETY: the code was made by this crate for this signature and uses only the slots of its
    // tape, which were verified to be below the lengths that have been checked; the routine that
    // has the piece holds the memory of its code.
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

/// The tape for the interpreter, if that is called back.
fn callback(tape: &Tape) -> Option<Box<Callback>> {
    let asked = tape.code().iter().any(|instr| way(instr) == Way::Interpreter);
    asked.then(|| Box::new(Callback { tape: tape.clone(), panic: Mutex::new(None) }))
}
