//! Instructions of a tape as instructions of the code generator, number by number.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use ir::{Binary, Code, Instr, Slot, Tape, Unary};
use rustc_hash::FxHashMap;

use crate::code::Calls;
use crate::kept::{Kept, REACH};
use crate::windows::Windows;

/// How memory is used: it is there, which [`crate::verify`] has made sure of, and nothing is known
/// about what else uses it.
pub(crate) fn trusted() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// A value in a register, and when it was last used.
#[derive(Clone, Copy)]
struct Known {
    value: Value,
    touched: usize,
}

/// What becomes of the values of a tape.
pub(crate) enum Store<'a> {
    /// They are stored in the arrays, except those that stay in registers.
    Arrays(&'a Kept),
    /// They are not stored: all are kept in registers, for the whole function.
    Nowhere,
}

/// Writes the instructions of one function.
pub(crate) struct Emitter<'a, 'f, 'c> {
    pub builder: &'a mut FunctionBuilder<'f>,
    pub calls: &'a mut Calls<'c>,
    pub tape: &'a Tape,
    pub windows: &'a Windows,
    /// The buffer, then the windows.
    pub arrays: Vec<Value>,
    pub store: Store<'a>,
    known: FxHashMap<Slot, Known>,
    /// Numbers that were made from truths.
    truths: FxHashMap<Value, Value>,
    /// The instruction that is being written.
    pub at: usize,
}

impl<'a, 'f, 'c> Emitter<'a, 'f, 'c> {
    pub fn new(
        builder: &'a mut FunctionBuilder<'f>,
        calls: &'a mut Calls<'c>,
        tape: &'a Tape,
        windows: &'a Windows,
        arrays: Vec<Value>,
        store: Store<'a>,
    ) -> Self {
        let (known, truths) = (FxHashMap::default(), FxHashMap::default());
        Emitter { builder, calls, tape, windows, arrays, store, known, truths, at: 0 }
    }

    /// Forgets what is in registers: what follows may be reached by another path.
    pub fn forget(&mut self) {
        self.known.clear();
        self.truths.clear();
    }

    /// Makes a value known without storing it.
    pub fn know(&mut self, slot: Slot, value: Value) {
        self.known.insert(slot, Known { value, touched: self.at });
    }

    /// The array and the offset \[bytes\] of a slot.
    pub fn address(&self, slot: Slot) -> (Value, i32) {
        let location = self.windows.locate(slot);
        (self.arrays[location.array], 8 * location.index as i32)
    }

    /// The number of a slot.
    pub fn read(&mut self, slot: Slot) -> Value {
        let (at, forever) = (self.at, matches!(self.store, Store::Nowhere));
        if let Some(known) = self.known.get_mut(&slot)
            && (forever || at - known.touched <= REACH)
        {
            known.touched = at;
            return known.value;
        }
        let (array, offset) = self.address(slot);
        let value = self.builder.ins().load(types::F64, trusted(), array, offset);
        self.know(slot, value);
        value
    }

    /// Gives a slot its number, which is element `element` of those that the instruction makes.
    pub fn write(&mut self, slot: Slot, element: usize, value: Value) {
        self.know(slot, value);
        let stored = match &self.store {
            Store::Arrays(kept) => kept.is_stored(self.at, element),
            Store::Nowhere => false,
        };
        if stored {
            let (array, offset) = self.address(slot);
            self.builder.ins().store(trusted(), value, array, offset);
        }
    }

    /// Forgets the value of a slot that was written to memory in another way.
    pub fn written(&mut self, slot: Slot) {
        self.known.remove(&slot);
    }

    /// Writes an instruction number by number.
    pub fn single(&mut self, instr: &Instr) {
        let Instr { dst, a, b, c, n, .. } = *instr;
        match instr.code {
            Code::Add => self.two(Binary::Add, dst, a, b),
            Code::Sub => self.two(Binary::Sub, dst, a, b),
            Code::Mul => self.two(Binary::Mul, dst, a, b),
            Code::Div => self.two(Binary::Div, dst, a, b),
            Code::Pair(pair) => {
                let [a, b, c] = [a, b, c].map(|slot| self.read(slot));
                let (first, second, at) = pair.parts();
                let inner = self.binary(first, a, b);
                let value = match at {
                    0 => self.binary(second, inner, c),
                    _ => self.binary(second, c, inner),
                };
                self.write(dst, 0, value);
            }
            Code::Sum => {
                let zero = self.builder.ins().f64const(0.0);
                let total = (0..n).fold(zero, |total, i| {
                    let term = self.read(a + i);
                    self.builder.ins().fadd(total, term)
                });
                self.write(dst, 0, total);
            }
            Code::CopyApart => {
                let [to, from] = instr.strides();
                (0..n).for_each(|i| {
                    let value = self.read(a + i * from);
                    self.write(dst + i * to, i as usize, value);
                });
            }
            _ => (0..n).for_each(|i| {
                let value = self.element(instr, i);
                self.write(dst + i, i as usize, value);
            }),
        }
    }

    fn two(&mut self, op: Binary, dst: Slot, a: Slot, b: Slot) {
        let (a, b) = (self.read(a), self.read(b));
        let value = self.binary(op, a, b);
        self.write(dst, 0, value);
    }

    /// One element of an operation on each.
    fn element(&mut self, instr: &Instr, i: u32) -> Value {
        let Instr { a, b, c, .. } = *instr;
        let all = if instr.code == Code::SelectAll { 0 } else { i };
        match instr.code {
            Code::Copy | Code::CopyEach => self.read(a + i),
            Code::Splat => self.read(a),
            Code::Unknown => self.builder.ins().f64const(f64::NAN),
            Code::Neg => {
                let a = self.read(a);
                self.unary(Unary::Neg, a)
            }
            Code::Unary(op) => {
                let a = self.read(a + i);
                self.unary(op, a)
            }
            Code::Binary(op) => {
                let (a, b) = (self.read(a + i), self.read(b + i));
                self.binary(op, a, b)
            }
            _ => {
                let arguments = [self.read(a + all), self.read(b + i), self.read(c + i)];
                self.three(instr.code, arguments)
            }
        }
    }

    /// A choice between two numbers, or the reading of a crossing.
    pub fn three(&mut self, code: Code, [a, b, c]: [Value; 3]) -> Value {
        match code {
            Code::SignOutside => self.call("SignOutside", &[a, b, c]),
            Code::FloorOutside => self.call("FloorOutside", &[a, b, c]),
            _ => {
                let condition = self.truth(a);
                self.builder.ins().select(condition, b, c)
            }
        }
    }

    /// Calls a function of numbers.
    pub fn call(&mut self, name: &str, arguments: &[Value]) -> Value {
        let function = self.calls.get(self.builder, name);
        let call = self.builder.ins().call(function, arguments);
        self.builder.inst_results(call)[0]
    }

    /// One operand.
    pub fn unary(&mut self, op: Unary, a: Value) -> Value {
        match op {
            Unary::Neg => self.builder.ins().fneg(a),
            Unary::Sqrt => self.builder.ins().sqrt(a),
            Unary::Floor => self.builder.ins().floor(a),
            Unary::Not => {
                let zero = self.builder.ins().f64const(0.0);
                let truth = self.builder.ins().fcmp(FloatCC::Equal, a, zero);
                self.number(truth)
            }
            Unary::Sign => self.sign(a),
            op => {
                let name = format!("{op:?}");
                self.call(&name, &[a])
            }
        }
    }

    fn sign(&mut self, a: Value) -> Value {
        let [zero, one, least, none] =
            [0.0, 1.0, -1.0, f64::NAN].map(|x| self.builder.ins().f64const(x));
        let ins = |e: &mut Self, condition, yes, no| {
            let truth = e.builder.ins().fcmp(condition, a, zero);
            e.builder.ins().select(truth, yes, no)
        };
        let value = ins(self, FloatCC::Equal, zero, none);
        let value = ins(self, FloatCC::LessThan, least, value);
        ins(self, FloatCC::GreaterThan, one, value)
    }

    /// Two operands.
    pub fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        match op {
            Binary::Add => self.builder.ins().fadd(a, b),
            Binary::Sub => self.builder.ins().fsub(a, b),
            Binary::Mul => self.builder.ins().fmul(a, b),
            Binary::Div => self.builder.ins().fdiv(a, b),
            Binary::And | Binary::Or => {
                let (a, b) = (self.truth(a), self.truth(b));
                let both = op == Binary::And;
                let ins = self.builder.ins();
                let truth = if both { ins.band(a, b) } else { ins.bor(a, b) };
                self.number(truth)
            }
            Binary::Equal => self.compare(FloatCC::Equal, a, b),
            Binary::Less => self.compare(FloatCC::LessThan, a, b),
            Binary::LessEqual => self.compare(FloatCC::LessThanOrEqual, a, b),
            op @ (Binary::Pow | Binary::Atan2 | Binary::Hypot) => {
                let name = format!("{op:?}");
                self.call(&name, &[a, b])
            }
        }
    }

    fn compare(&mut self, condition: FloatCC, a: Value, b: Value) -> Value {
        let truth = self.builder.ins().fcmp(condition, a, b);
        self.number(truth)
    }

    /// Whether a number is not zero.
    pub fn truth(&mut self, a: Value) -> Value {
        if let Some(truth) = self.truths.get(&a) {
            return *truth;
        }
        let zero = self.builder.ins().f64const(0.0);
        self.builder.ins().fcmp(FloatCC::NotEqual, a, zero)
    }

    /// 1 or 0.
    fn number(&mut self, truth: Value) -> Value {
        let wide = self.builder.ins().uextend(types::I64, truth);
        let value = self.builder.ins().fcvt_from_sint(types::F64, wide);
        self.truths.insert(value, truth);
        value
    }
}
