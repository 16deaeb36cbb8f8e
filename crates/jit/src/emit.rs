//! Instructions of a tape as instructions of the code generator, number by number.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use ir::{Binary, Code, Extra, Instr, Slot, Tape, Unary};
use rustc_hash::FxHashMap;

use crate::code::Calls;
use crate::kept::{Kept, REACH};
use crate::loops::PAIR;
use crate::pool::Pool;
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
    /// The slots that have a place in the first array, if only some have: the index is the place.
    pub inputs: Option<&'a [Slot]>,
    /// The type of the number of a slot: one, or a pair of two runs.
    pub ty: Type,
    /// The distance of the numbers of two neighbouring slots, and the offset of the first
    /// \[bytes\].
    pub unit: i32,
    pub from: i32,
    pub store: Store<'a>,
    /// Where constants are, if not in the code.
    pub pool: Option<Pool>,
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
        Emitter {
            builder,
            calls,
            tape,
            windows,
            arrays,
            inputs: None,
            ty: types::F64,
            unit: 8,
            from: 0,
            store,
            pool: None,
            known: FxHashMap::default(),
            truths: FxHashMap::default(),
            at: 0,
        }
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
        if let Some(inputs) = self.inputs {
            let place =
                inputs.iter().position(|own| *own == slot).expect("every input has a place");
            return (self.arrays[0], self.from + self.unit * place as i32);
        }
        let location = self.windows.locate(slot);
        (self.arrays[location.array], self.from + self.unit * location.index as i32)
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
        let value = self.builder.ins().load(self.ty, trusted(), array, offset);
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
                let zero = self.constant(0.0);
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
            Code::Unknown => self.constant(f64::NAN),
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
                self.either(condition, b, c)
            }
        }
    }

    /// A constant, for each number of the type.
    pub fn constant(&mut self, value: f64) -> Value {
        if self.ty == PAIR { self.twice(value) } else { self.builder.ins().f64const(value) }
    }

    /// A pair of a constant, which the processor takes straight from memory.
    pub fn twice(&mut self, value: f64) -> Value {
        self.both(value.to_bits(), PAIR)
    }

    /// A pair of numbers with the same bits.
    pub fn both(&mut self, bits: u64, ty: Type) -> Value {
        if let Some(pool) = &mut self.pool {
            return pool.load(self.builder, bits, ty);
        }
        let bytes = [bits.to_le_bytes(); 2].concat();
        let both = self.builder.func.dfg.constants.insert(bytes.into());
        self.builder.ins().vconst(ty, both)
    }

    /// Whether a value is a pair.
    pub fn is_pair(&self, value: Value) -> bool {
        self.builder.func.dfg.value_type(value).is_vector()
    }

    /// The first value if a condition holds, else the second; of pairs each by itself.
    pub fn either(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        match self.is_pair(yes) {
            true => self.choice(condition, yes, no),
            false => self.builder.ins().select(condition, yes, no),
        }
    }

    /// Takes each number of an instruction that chooses from the arm that its first operand says, or
    /// from the last one.
    pub fn chosen(&mut self, instr: &Instr) {
        let Extra::Choose(arms) = &self.tape.extra()[instr.extra()] else { return };
        let Some((last, others)) = arms.split_last() else { return };
        let number = self.read(instr.a);
        for i in 0..instr.n {
            let mut value = self.read(*last + i);
            for (place, arm) in others.iter().enumerate().rev() {
                // What is below the next number, or no number at all, is rounded down to this one.
                let next = self.same((place + 1) as f64, number);
                let own = self.builder.ins().fcmp(FloatCC::UnorderedOrLessThan, number, next);
                let arm = self.read(*arm + i);
                value = self.either(own, arm, value);
            }
            self.write(instr.dst + i, i as usize, value);
        }
    }

    /// Calls a function of numbers, for pairs twice.
    pub fn call(&mut self, name: &str, arguments: &[Value]) -> Value {
        if self.is_pair(arguments[0]) {
            let [first, second] = [0, 1].map(|lane| {
                let own = |pair: &Value| self.builder.ins().extractlane(*pair, lane);
                let own: Vec<Value> = arguments.iter().map(own).collect();
                self.call(name, &own)
            });
            let pair = self.builder.ins().scalar_to_vector(PAIR, first);
            return self.builder.ins().insertlane(pair, second, 1);
        }
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
                let zero = self.same(0.0, a);
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
        let [zero, one, least, none] = [0.0, 1.0, -1.0, f64::NAN].map(|x| self.same(x, a));
        let cases =
            [(FloatCC::Equal, zero), (FloatCC::LessThan, least), (FloatCC::GreaterThan, one)];
        cases.into_iter().fold(none, |others, (condition, own)| {
            let truth = self.builder.ins().fcmp(condition, a, zero);
            self.either(truth, own, others)
        })
    }

    /// A constant of the type of a value.
    fn same(&mut self, constant: f64, value: Value) -> Value {
        match self.is_pair(value) {
            true => self.twice(constant),
            false => self.builder.ins().f64const(constant),
        }
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

    /// Whether a number is not zero: a truth, or for a pair two masks.
    pub fn truth(&mut self, a: Value) -> Value {
        if let Some(truth) = self.truths.get(&a) {
            return *truth;
        }
        let zero = self.same(0.0, a);
        self.builder.ins().fcmp(FloatCC::NotEqual, a, zero)
    }

    /// 1 or 0.
    fn number(&mut self, truth: Value) -> Value {
        let value = match self.is_pair(truth) {
            true => self.numbers(truth),
            false => {
                let wide = self.builder.ins().uextend(types::I64, truth);
                self.builder.ins().fcvt_from_sint(types::F64, wide)
            }
        };
        self.truths.insert(value, truth);
        value
    }
}
