//! The tapes of a tick as functions, one for each word of 64 of them.
//!
//! Such a function does what the engine does with the bits of a word: it takes the lowest, runs its
//! tape, stores the outputs, and sets the bits of the units that read what has changed, until no
//! bit is left. It counts how often each has run. What is rare is left to the caller: a unit that it holds back, one without code,
//! and one with an output that is not finite, of which nothing has been stored then.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use cranelift_module::FuncId;
use ir::{Slot, Tape};

use crate::NativeError;
use crate::code::{Calls, Maker, Memory};
use crate::emit::{Emitter, Store, trusted};
use crate::frame::{UnitsFrame, offset};
use crate::kept::{Kept, SMALL, Way, way};
use crate::windows::Windows;

/// How many units there are in a word.
pub const WORD: usize = 64;

/// The most instructions of a unit that has code; longer ones gain little.
const INSTRUCTIONS: usize = 40;

/// A unit to be compiled.
#[derive(Clone, Debug)]
pub struct UnitPlan<'a> {
    /// The instructions.
    pub tape: &'a Tape,
    /// Its results.
    pub outputs: Vec<OutputPlan>,
}

/// Numbers that a unit makes, and the slots that they are copied to.
#[derive(Clone, Debug)]
pub struct OutputPlan {
    /// The first slot that the tape leaves them in.
    pub from: Slot,
    /// The first slot that they are copied to.
    pub to: Slot,
    /// How many they are.
    pub length: u32,
    /// The slot of a number; if that is zero, nothing is copied.
    pub guard: Option<Slot>,
    /// The bits of units that are set if a number changes: the index of a word, and its bits.
    pub reader_words: Vec<(u32, u64)>,
    /// Whether it is a truth value, which is always finite.
    pub truth: bool,
    /// Whether a change adds one to the events that are present, or takes one away if the new
    /// number is zero.
    pub event: bool,
}

/// Units of a tick to be compiled, some words of them.
#[derive(Clone, Debug)]
pub struct UnitsPlan<'a> {
    /// The words.
    pub words: Vec<WordPlan<'a>>,
    /// How many units there are in all.
    pub count: usize,
    /// The length of the buffer.
    pub slots: usize,
}

/// The units of a word to be compiled, in their order; nothing for those that the caller runs.
#[derive(Clone, Debug)]
pub struct WordPlan<'a> {
    /// Which word it is.
    pub index: usize,
    /// The units, at most as many as a word has.
    pub units: Vec<Option<UnitPlan<'a>>>,
}

/// The code of a word: the buffer, the bits of all words, the frame, and how often each unit has
/// run.
type Word = unsafe extern "C" fn(*mut f64, *mut u64, *mut UnitsFrame, *mut u64);

/// A word of the units of a tick as native code.
#[derive(Debug)]
pub struct WordRoutine {
    function: Word,
    /// The units that have code, as bits.
    known: u64,
    slots: usize,
    /// How many units there are in all.
    units: usize,
    /// Holds the code.
    _memory: Arc<Memory>,
}

impl WordRoutine {
    pub(crate) fn new(
        plan: &UnitsPlan,
        word: &WordPlan,
        address: *const u8,
        memory: Arc<Memory>,
    ) -> Self {
        let bit = |(index, unit): (usize, &Option<UnitPlan>)| {
            u64::from(unit.as_ref().is_some_and(is_compiled)) << index
        };
        WordRoutine {
            // SAFETY: this function was made with this signature.
            function: unsafe { std::mem::transmute::<*const u8, Word>(address) },
            known: word.units.iter().enumerate().map(bit).sum(),
            slots: plan.slots,
            units: plan.count,
            _memory: memory,
        }
    }

    /// The units that have code, as bits.
    pub fn known(&self) -> u64 {
        self.known
    }

    /// Runs the units whose bits are set in this word, and counts the runs of each; the frame says
    /// which have run. If a bit is left, the lowest is that of a unit for the caller.
    #[inline]
    pub fn run(
        &self,
        slots: &mut [f64],
        dirty: &mut [u64],
        frame: &mut UnitsFrame,
        runs: &mut [u64],
    ) {
        let fits = slots.len() == self.slots
            && dirty.len() == self.units.div_ceil(WORD)
            && runs.len() == self.units;
        assert!(fits && frame.count == 0, "units run over the buffer that they were made for");
        // SAFETY: the code was made by this crate for this signature. It uses the slots of its
        // tapes, the words of their outputs, which were verified to be below the lengths that
        // have just been checked, and the counts of its units; the memory that holds it lives as
        // long as this.
        unsafe {
            (self.function)(slots.as_mut_ptr(), dirty.as_mut_ptr(), frame, runs.as_mut_ptr());
        }
    }
}

/// Makes the function of a word.
pub(crate) fn function(maker: &mut Maker, word: &WordPlan) -> Result<FuncId, NativeError> {
    maker.function(4, false, |builder, calls| {
        Writer::new(builder, word.index).all(calls, &word.units);
    })
}

/// Whether there is code for a unit.
fn is_compiled(unit: &UnitPlan) -> bool {
    let plain = |instr| matches!(way(instr), Way::Single | Way::Memory);
    unit.tape.len() <= INSTRUCTIONS
        && unit.tape.code().iter().all(plain)
        && unit.outputs.iter().all(|output| output.length <= SMALL)
}

/// From this many units with code on, a word looks for the next marked unit by its lowest bit; in a
/// shorter one each unit asks in its turn whether it is marked, which is cheaper where most are.
const MANY: usize = 24;

/// Writes the function of a word. The bits that are left, how many units have run and how many
/// events are present stay in registers on the way.
struct Writer<'a, 'f> {
    builder: &'a mut FunctionBuilder<'f>,
    slots: Value,
    dirty: Value,
    frame: Value,
    runs: Value,
    /// Which word it is.
    word: usize,
    bits: Variable,
    count: Variable,
    ran: Variable,
    present: Variable,
    /// The units that the caller runs itself, as bits.
    held: Value,
    head: Block,
    end: Block,
}

impl<'a, 'f> Writer<'a, 'f> {
    fn new(builder: &'a mut FunctionBuilder<'f>, word: usize) -> Self {
        let block = builder.current_block().expect("a function has its first block");
        let parameters = builder.block_params(block);
        let [slots, dirty, frame, runs] = std::array::from_fn(|i| parameters[i]);
        let (head, end) = (builder.create_block(), builder.create_block());
        let [bits, count, ran, present] = [(); 4].map(|()| builder.declare_var(types::I64));
        Writer {
            builder,
            slots,
            dirty,
            frame,
            runs,
            word,
            bits,
            count,
            ran,
            present,
            held: frame,
            head,
            end,
        }
    }

    fn all(mut self, calls: &mut Calls, units: &[Option<UnitPlan>]) {
        let plans = units.iter().enumerate();
        let compiled: Vec<(usize, &UnitPlan)> = plans
            .filter_map(|(at, plan)| Some((at, plan.as_ref().filter(|own| is_compiled(own))?)))
            .collect();
        self.begin();
        let bodies: Vec<Block> = compiled.iter().map(|_| self.builder.create_block()).collect();
        self.builder.ins().jump(self.head, &[]);
        self.builder.switch_to_block(self.head);
        let unit = self.lowest();
        let mut switch = Switch::new();
        for ((at, _), body) in compiled.iter().zip(&bodies) {
            switch.set_entry(*at as u128, *body);
        }
        switch.emit(self.builder, unit, self.end);
        for (place, (at, plan)) in compiled.iter().enumerate() {
            self.builder.switch_to_block(bodies[place]);
            self.unit(calls, plan, *at);
            if compiled.len() >= MANY {
                self.builder.ins().jump(self.head, &[]);
            } else {
                self.pass_on(&compiled[place + 1..], &bodies[place + 1..]);
            }
        }
        self.builder.switch_to_block(self.end);
        self.finish();
    }

    /// Takes what the caller has: the marks of this word, and the units that it runs itself.
    fn begin(&mut self) {
        let own = self.own();
        let bits = self.load(self.dirty, own);
        self.builder.def_var(self.bits, bits);
        let count = self.load(self.frame, offset!(UnitsFrame, count));
        self.builder.def_var(self.count, count);
        let ran = self.load(self.frame, offset!(UnitsFrame, ran));
        self.builder.def_var(self.ran, ran);
        let present = self.load(self.frame, offset!(UnitsFrame, present));
        self.builder.def_var(self.present, present);
        self.held = self.load(self.frame, offset!(UnitsFrame, held));
    }

    /// Gives the caller what is left.
    fn finish(&mut self) {
        let (own, bits) = (self.own(), self.builder.use_var(self.bits));
        self.builder.ins().store(trusted(), bits, self.dirty, own);
        let count = self.builder.use_var(self.count);
        self.builder.ins().store(trusted(), count, self.frame, offset!(UnitsFrame, count));
        let ran = self.builder.use_var(self.ran);
        self.builder.ins().store(trusted(), ran, self.frame, offset!(UnitsFrame, ran));
        let present = self.builder.use_var(self.present);
        self.builder.ins().store(trusted(), present, self.frame, offset!(UnitsFrame, present));
        self.builder.ins().return_(&[]);
    }

    /// Goes on with the next marked one of the units that follow, if there is one.
    fn pass_on(&mut self, rest: &[(usize, &UnitPlan)], bodies: &[Block]) {
        for ((at, _), body) in rest.iter().zip(bodies) {
            let next = self.builder.create_block();
            let bits = self.builder.use_var(self.bits);
            let own = self.builder.ins().band_imm_s(bits, (1u64 << at) as i64);
            self.builder.ins().brif(own, *body, &[], next, &[]);
            self.builder.switch_to_block(next);
        }
        self.builder.ins().jump(self.end, &[]);
    }

    /// The offset of the bits of this word \[bytes\].
    fn own(&self) -> i32 {
        8 * self.word as i32
    }

    fn load(&mut self, array: Value, offset: i32) -> Value {
        self.builder.ins().load(types::I64, trusted(), array, offset)
    }

    /// The lowest unit whose bit is set; ends if there is none.
    fn lowest(&mut self) -> Value {
        let found = self.builder.create_block();
        let bits = self.builder.use_var(self.bits);
        self.builder.ins().brif(bits, found, &[], self.end, &[]);
        self.builder.switch_to_block(found);
        self.builder.ins().ctz(bits)
    }

    /// Runs one unit, unless it is held back or one before it is marked.
    fn unit(&mut self, calls: &mut Calls, plan: &UnitPlan, at: usize) {
        let bits = self.builder.use_var(self.bits);
        let own = self.builder.ins().band_imm_s(self.held, (1u64 << at) as i64);
        let first = self.builder.ins().bor_imm_s(own, ((1u64 << at) - 1) as i64);
        let waits = self.builder.ins().band(bits, first);
        let free = self.builder.create_block();
        self.builder.ins().brif(waits, self.end, &[], free, &[]);
        self.builder.switch_to_block(free);
        let values = self.tape(calls, plan);
        let numbers = plan.outputs.iter().zip(&values).filter(|(output, _)| !output.truth);
        let all: Vec<Value> = numbers.flat_map(|(_, values)| values).copied().collect();
        self.leave_unless_finite(&all);
        let rest = self.builder.ins().band_imm_s(bits, !(1u64 << at) as i64);
        self.builder.def_var(self.bits, rest);
        self.enter(at);
        for (output, values) in plan.outputs.iter().zip(&values) {
            self.put(output, values);
        }
    }

    /// Runs the tape of a unit; the numbers of its outputs.
    fn tape(&mut self, calls: &mut Calls, plan: &UnitPlan) -> Vec<Vec<Value>> {
        let (windows, arrays) = (Windows::default(), vec![self.slots]);
        let kept = Kept::find(plan.tape, &vec![false; plan.tape.len()]);
        let store = Store::Arrays(&kept);
        let mut e = Emitter::new(self.builder, calls, plan.tape, &windows, arrays, store);
        for (at, instr) in plan.tape.code().iter().enumerate() {
            e.at = at;
            match way(instr) {
                Way::Single => e.single(instr),
                _ => e.memory(instr),
            }
        }
        let mut values = |output: &OutputPlan| {
            output.from.slots(output.length as usize).iter().map(|slot| e.read(slot)).collect()
        };
        plan.outputs.iter().map(&mut values).collect()
    }

    /// Leaves a unit to the caller if one of its outputs is not finite: the product with zero is
    /// then NaN.
    fn leave_unless_finite(&mut self, values: &[Value]) {
        if values.is_empty() {
            return;
        }
        let zero = self.builder.ins().f64const(0.0);
        let mut sum = zero;
        for value in values {
            let none = self.builder.ins().fmul(*value, zero);
            sum = self.builder.ins().fadd(sum, none);
        }
        let wrong = self.builder.ins().fcmp(FloatCC::Unordered, sum, sum);
        let right = self.builder.create_block();
        self.builder.ins().brif(wrong, self.end, &[], right, &[]);
        self.builder.switch_to_block(right);
    }

    /// Counts a unit that has run.
    fn enter(&mut self, at: usize) {
        let place = 8 * (self.word * WORD + at) as i32;
        let runs = self.load(self.runs, place);
        let runs = self.builder.ins().iadd_imm_s(runs, 1);
        self.builder.ins().store(trusted(), runs, self.runs, place);
        let ran = self.builder.use_var(self.ran);
        let ran = self.builder.ins().bor_imm_s(ran, (1u64 << at) as i64);
        self.builder.def_var(self.ran, ran);
        let count = self.builder.use_var(self.count);
        let count = self.builder.ins().iadd_imm_s(count, 1);
        self.builder.def_var(self.count, count);
    }

    /// Stores an output, and follows a change of it.
    fn put(&mut self, output: &OutputPlan, values: &[Value]) {
        let after = self.builder.create_block();
        if let Some(guard) = output.guard {
            let present = self.builder.create_block();
            let offset = 8 * guard.0 as i32;
            let number = self.builder.ins().load(types::F64, trusted(), self.slots, offset);
            let zero = self.builder.ins().f64const(0.0);
            let absent = self.builder.ins().fcmp(FloatCC::Equal, number, zero);
            self.builder.ins().brif(absent, after, &[], present, &[]);
            self.builder.switch_to_block(present);
        }
        let followed = output.event || !output.reader_words.is_empty();
        let mut changed = None;
        for (i, value) in values.iter().enumerate() {
            let offset = 8 * output.to.plus(i).0 as i32;
            if followed {
                let old = self.load(self.slots, offset);
                let new = self.builder.ins().bitcast(types::I64, MemFlagsData::new(), *value);
                let other = self.builder.ins().bxor(old, new);
                let join = |changed| self.builder.ins().bor(changed, other);
                changed = Some(changed.map_or(other, join));
            }
            self.builder.ins().store(trusted(), *value, self.slots, offset);
        }
        if let Some(changed) = changed {
            let follow = self.builder.create_block();
            self.builder.ins().brif(changed, follow, &[], after, &[]);
            self.builder.switch_to_block(follow);
            self.follow(output, values[0]);
        }
        self.builder.ins().jump(after, &[]);
        self.builder.switch_to_block(after);
    }

    /// Sets the bits of the units that read a change, and counts events.
    fn follow(&mut self, output: &OutputPlan, value: Value) {
        for (word, mask) in &output.reader_words {
            if *word as usize == self.word {
                let bits = self.builder.use_var(self.bits);
                let bits = self.builder.ins().bor_imm_s(bits, *mask as i64);
                self.builder.def_var(self.bits, bits);
                continue;
            }
            let offset = 8 * *word as i32;
            let bits = self.load(self.dirty, offset);
            let bits = self.builder.ins().bor_imm_s(bits, *mask as i64);
            self.builder.ins().store(trusted(), bits, self.dirty, offset);
        }
        if output.event {
            let present = self.builder.use_var(self.present);
            let more = self.builder.ins().iadd_imm_s(present, 1);
            let some = self.builder.ins().icmp_imm_s(IntCC::NotEqual, present, 0);
            let some = self.builder.ins().uextend(types::I64, some);
            let less = self.builder.ins().isub(present, some);
            let zero = self.builder.ins().f64const(0.0);
            let there = self.builder.ins().fcmp(FloatCC::NotEqual, value, zero);
            let present = self.builder.ins().select(there, more, less);
            self.builder.def_var(self.present, present);
        }
    }
}
