//! Pairs: two numbers side by side. Truths about them are masks of all ones or all zeros.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::emit::Emitter;
use crate::loops::PAIR;

impl Emitter<'_, '_, '_> {
    /// In each place the number of the first if the mask is set, else that of the second.
    pub fn choice(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let mask = self.builder.ins().bitcast(PAIR, MemFlagsData::new(), mask);
        self.builder.ins().bitselect(mask, a, b)
    }

    /// In each place 1 if the mask is set, else 0.
    pub fn numbers(&mut self, mask: Value) -> Value {
        let one = self.twice(1.0);
        let mask = self.builder.ins().bitcast(PAIR, MemFlagsData::new(), mask);
        self.builder.ins().band(mask, one)
    }
}
