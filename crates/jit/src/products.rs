//! Matrix products over memory.
//!
//! An element is a sum from first to last, whose additions wait for each other. So the elements of
//! several rows are summed side by side, each in its own order: the bits are those of one after the
//! other.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use ir::{Extra, Instr};

use crate::emit::Emitter;

/// How many rows are summed side by side.
const ROWS: u32 = 8;

/// A product: its instruction and its sizes.
#[derive(Clone, Copy)]
struct Product<'a> {
    instr: &'a Instr,
    inner: u32,
    columns: u32,
}

impl Emitter<'_, '_, '_> {
    /// Writes a matrix product.
    pub fn product(&mut self, instr: &Instr) {
        let Extra::MatMul { rows, inner, columns } = self.tape.extra()[instr.extra()] else {
            return;
        };
        let product = Product { instr, inner, columns };
        let even = rows / ROWS * ROWS;
        self.range(0, even, i64::from(ROWS), &mut |e, row| e.rows(product, row, ROWS));
        if rows > even {
            let row = self.builder.ins().iconst(types::I64, i64::from(even));
            self.rows(product, row, rows - even);
        }
    }

    /// The elements of `count` rows from `row` on, column by column.
    fn rows(&mut self, product: Product, row: Value, count: u32) {
        self.range(0, product.columns, 1, &mut |e, column| {
            let totals = e.totals(product, (row, column), count);
            let at = e.builder.ins().imul_imm_s(row, i64::from(product.columns));
            let at = e.builder.ins().iadd(at, column);
            for (next, total) in (0..count).zip(totals) {
                e.store_at(product.instr.dst + next * product.columns, at, 1, total);
            }
        });
    }

    /// The sums of one column in `count` rows from `row` on.
    fn totals(
        &mut self,
        product: Product,
        (row, column): (Value, Value),
        count: u32,
    ) -> Vec<Value> {
        let Product { instr, inner, columns } = product;
        let zero = self.builder.ins().f64const(0.0);
        if inner == 0 {
            return vec![zero; count as usize];
        }
        let first = self.builder.ins().imul_imm_s(row, i64::from(inner));
        let (head, after) = (self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(head, types::I64);
        for _ in 0..count {
            self.builder.append_block_param(head, types::F64);
            self.builder.append_block_param(after, types::F64);
        }
        let start = self.builder.ins().iconst(types::I64, 0);
        let zeros = (0..count).map(|_| zero.into());
        let arguments: Vec<BlockArg> = [start.into()].into_iter().chain(zeros).collect();
        self.builder.ins().jump(head, &arguments);
        self.builder.switch_to_block(head);
        let own = self.builder.block_params(head).to_vec();
        let (k, totals) = (own[0], &own[1..]);
        let here = self.builder.ins().imul_imm_s(k, i64::from(columns));
        let here = self.builder.ins().iadd(here, column);
        let right = self.load_at(instr.b, here, 1, types::F64);
        let at = self.builder.ins().iadd(first, k);
        let mut sums: Vec<BlockArg> = Vec::with_capacity(totals.len());
        for (next, total) in (0..count).zip(totals) {
            let left = self.load_at(instr.a + next * inner, at, 1, types::F64);
            let term = self.builder.ins().fmul(left, right);
            sums.push(self.builder.ins().fadd(*total, term).into());
        }
        let next = self.builder.ins().iadd_imm_s(k, 1);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(inner));
        let again: Vec<BlockArg> = [next.into()].into_iter().chain(sums.iter().copied()).collect();
        self.builder.ins().brif(more, head, &again, after, &sums);
        self.builder.switch_to_block(after);
        self.builder.block_params(after).to_vec()
    }
}
