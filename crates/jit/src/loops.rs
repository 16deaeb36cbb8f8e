//! Loops over elements in memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use ir::Slot;

use crate::emit::{Emitter, trusted};

/// Two numbers side by side.
pub(crate) const PAIR: Type = types::F64X2;

impl Emitter<'_, '_, '_> {
    /// Does something for elements 0 to `count`, one at a time or, with `lanes`, two: `body` gets
    /// the index of the element and the type that it computes with.
    pub fn each(&mut self, count: u32, lanes: bool, mut body: impl FnMut(&mut Self, Value, Type)) {
        let paired = if lanes { count / 2 * 2 } else { 0 };
        self.range(0, paired, 2, &mut |e, i| body(e, i, PAIR));
        self.range(paired, count, 1, &mut |e, i| body(e, i, types::F64));
    }

    /// Does something for `from`, `from + step` and so on, below `to`.
    pub fn range(&mut self, from: u32, to: u32, step: i64, body: &mut dyn FnMut(&mut Self, Value)) {
        if from >= to {
            return;
        }
        let start = self.builder.ins().iconst(types::I64, i64::from(from));
        if from + step as u32 >= to {
            return body(self, start);
        }
        let (head, after) = (self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(head, types::I64);
        self.builder.ins().jump(head, &[start.into()]);
        self.builder.switch_to_block(head);
        let i = self.builder.block_params(head)[0];
        body(self, i);
        let next = self.builder.ins().iadd_imm_s(i, step);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(to));
        self.builder.ins().brif(more, head, &[next.into()], after, &[]);
        self.builder.switch_to_block(after);
    }

    /// The number `stride` times `i` slots after a slot, or two of them.
    pub fn load_at(&mut self, from: Slot, i: Value, stride: i64, ty: Type) -> Value {
        let (address, offset) = self.at_index(from, i, stride);
        self.builder.ins().load(ty, trusted(), address, offset)
    }

    /// Stores there.
    pub fn store_at(&mut self, to: Slot, i: Value, stride: i64, value: Value) {
        let (address, offset) = self.at_index(to, i, stride);
        self.builder.ins().store(trusted(), value, address, offset);
    }

    fn at_index(&mut self, slot: Slot, i: Value, stride: i64) -> (Value, i32) {
        let (array, offset) = self.address(slot);
        let bytes = self.builder.ins().imul_imm_s(i, 8 * stride);
        (self.builder.ins().iadd(array, bytes), offset)
    }
}
