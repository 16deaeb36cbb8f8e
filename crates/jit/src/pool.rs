//! Constants in memory, for a function that uses many of them.
//!
//! The code generator computes a constant once and keeps it: in a long function it puts most of them
//! on the stack and takes them from there. A load of a constant where it is used is part of the
//! instruction that uses it.

use cranelift_codegen::ir::{InstBuilder, Type, Value};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

use crate::emit::trusted;

/// Pairs of equal numbers behind a pointer that the function is given.
pub(crate) struct Pool {
    base: Value,
    values: Vec<[f64; 2]>,
    places: FxHashMap<u64, usize>,
}

impl Pool {
    /// No constants yet, behind this pointer.
    pub fn new(base: Value) -> Pool {
        Pool { base, values: Vec::new(), places: FxHashMap::default() }
    }

    /// Loads a pair with these bits.
    pub fn load(&mut self, builder: &mut FunctionBuilder, bits: u64, ty: Type) -> Value {
        let place = *self.places.entry(bits).or_insert(self.values.len());
        if place == self.values.len() {
            self.values.push([f64::from_bits(bits); 2]);
        }
        let offset = (size_of::<[f64; 2]>() * place) as i32;
        builder.ins().load(ty, trusted(), self.base, offset)
    }

    /// What the pointer has to point to.
    pub fn into_values(self) -> Vec<[f64; 2]> {
        self.values
    }
}
