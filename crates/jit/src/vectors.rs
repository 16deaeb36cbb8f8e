//! Instructions over memory: long vectors, rows that are indexed, choices, and what the
//! interpreter does itself.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use ir::{Binary, Code, Extra, Instr, Slot, Unary};

use crate::emit::{Emitter, trusted};
use crate::functions::{INDEX, INTERPRET};
use crate::slots::{Slots, writes};

impl Emitter<'_, '_, '_> {
    /// Writes an instruction over memory.
    pub fn memory(&mut self, instr: &Instr) {
        let Instr { dst, a, b, n, .. } = *instr;
        match instr.code {
            Code::Index => self.index(instr),
            Code::Choose => self.choose(instr),
            Code::Repeat => {
                let tape = self.tape;
                if let Extra::Repeat(body) = &tape.extra()[instr.extra()] {
                    self.repeat(body);
                }
            }
            Code::Product => self.product(instr),
            Code::Sum => self.sum(dst, a, n),
            Code::CopyApart => {
                let [to, from] = instr.strides().map(i64::from);
                self.each(n, false, |e, i, ty| {
                    let value = e.load_at(a, i, from, ty);
                    e.store_at(dst, i, to, value);
                });
            }
            Code::Splat => {
                let value = self.read(a);
                self.each(n, false, |e, i, _| e.store_at(dst, i, 1, value));
            }
            Code::Unknown => {
                let value = self.builder.ins().f64const(f64::NAN);
                self.each(n, false, |e, i, _| e.store_at(dst, i, 1, value));
            }
            Code::CopyEach => self.each(n, true, |e, i, ty| {
                let value = e.load_at(a, i, 1, ty);
                e.store_at(dst, i, 1, value);
            }),
            Code::Unary(op) => self.each(n, op == Unary::Neg, |e, i, ty| {
                let value = e.load_at(a, i, 1, ty);
                let value = e.unary(op, value);
                e.store_at(dst, i, 1, value);
            }),
            Code::Binary(op) => self.each(n, has_lanes(op), |e, i, ty| {
                let (x, y) = (e.load_at(a, i, 1, ty), e.load_at(b, i, 1, ty));
                let value = e.binary(op, x, y);
                e.store_at(dst, i, 1, value);
            }),
            code => self.select(code, instr),
        }
        let written = writes(self.tape.extra(), instr).into_iter().flat_map(Slots::iter);
        written.for_each(|slot| self.written(slot));
    }

    fn select(&mut self, code: Code, instr: &Instr) {
        let Instr { dst, a, b, c, n, .. } = *instr;
        let all = (code == Code::SelectAll).then(|| self.read(a));
        self.each(n, false, |e, i, ty: Type| {
            let first = all.unwrap_or_else(|| e.load_at(a, i, 1, ty));
            let arguments = [first, e.load_at(b, i, 1, ty), e.load_at(c, i, 1, ty)];
            let value = e.three(code, arguments);
            e.store_at(dst, i, 1, value);
        });
    }

    /// The sum from first to last, in a register.
    fn sum(&mut self, dst: Slot, a: Slot, n: u32) {
        let zero = self.builder.ins().f64const(0.0);
        let (head, after) = (self.builder.create_block(), self.builder.create_block());
        let start = self.builder.ins().iconst(types::I64, 0);
        self.builder.append_block_param(head, types::I64);
        self.builder.append_block_param(head, types::F64);
        self.builder.append_block_param(after, types::F64);
        self.builder.ins().jump(head, &[start.into(), zero.into()]);
        self.builder.switch_to_block(head);
        let (i, total) = (self.builder.block_params(head)[0], self.builder.block_params(head)[1]);
        let term = self.load_at(a, i, 1, types::F64);
        let total = self.builder.ins().fadd(total, term);
        let next = self.builder.ins().iadd_imm_s(i, 1);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(n));
        self.builder.ins().brif(more, head, &[next.into(), total.into()], after, &[total.into()]);
        self.builder.switch_to_block(after);
        let total = self.builder.block_params(after)[0];
        self.store_number(dst, total);
    }

    fn store_number(&mut self, dst: Slot, value: Value) {
        let (array, offset) = self.address(dst);
        self.builder.ins().store(trusted(), value, array, offset);
    }

    fn index(&mut self, instr: &Instr) {
        let position = self.read(instr.b);
        let (array, offset) = self.address(instr.a);
        let row = self.builder.ins().iadd_imm_s(array, i64::from(offset));
        let length = self.builder.ins().iconst(types::I64, i64::from(instr.n));
        let value = self.call(INDEX, &[row, length, position]);
        self.store_number(instr.dst, value);
    }

    /// Copies from the arm that a number chooses; from the last one if there are fewer arms.
    fn choose(&mut self, instr: &Instr) {
        let Extra::Choose(arms) = &self.tape.extra()[instr.extra()] else { return };
        let chosen = self.read(instr.a);
        let chosen = self.builder.ins().fcvt_to_uint_sat(types::I64, chosen);
        let mut from: Option<Value> = None;
        for (number, arm) in arms.iter().enumerate().rev() {
            let (array, offset) = self.address(*arm);
            let own = self.builder.ins().iadd_imm_s(array, i64::from(offset));
            from = Some(match from {
                None => own,
                Some(others) => {
                    let this = self.builder.ins().icmp_imm_u(IntCC::Equal, chosen, number as i64);
                    self.builder.ins().select(this, own, others)
                }
            });
        }
        let Some(from) = from else { return };
        let dst = instr.dst;
        self.each(instr.n, false, |e, i, ty| {
            let bytes = e.builder.ins().imul_imm_s(i, 8);
            let address = e.builder.ins().iadd(from, bytes);
            let value = e.builder.ins().load(ty, trusted(), address, 0);
            e.store_at(dst, i, 1, value);
        });
    }

    /// Hands an instruction to the interpreter, which reads and writes the buffer.
    pub fn interpreted(&mut self, callback: Value, slots: i64) {
        let instruction = self.builder.ins().iconst(types::I64, self.at as i64);
        let length = self.builder.ins().iconst(types::I64, slots);
        let function = self.calls.get(self.builder, INTERPRET);
        let buffer = self.arrays[0];
        self.builder.ins().call(function, &[callback, instruction, buffer, length]);
        self.forget();
    }
}

/// Whether an operation on two numbers side by side is one instruction.
fn has_lanes(op: Binary) -> bool {
    matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div)
}
