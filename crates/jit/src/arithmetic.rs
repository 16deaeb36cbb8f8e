//! Arithmetic in native code that is written elsewhere, for floats and for native code alike.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use solver::Arithmetic;
use solver::bits::{
    BIAS, COUNTING, EXPONENT_AT_ZERO, LEAST_MANTISSA, MANTISSA, MANTISSA_BITS, ONE,
};

use crate::emit::Emitter;

impl Emitter<'_, '_, '_> {
    /// The bits of a number, or of each of a pair.
    fn bits(&mut self, a: Value) -> Value {
        let ty = if self.is_pair(a) { types::I64X2 } else { types::I64 };
        self.builder.ins().bitcast(ty, MemFlagsData::new(), a)
    }

    /// The number with these bits.
    fn of_bits(&mut self, bits: Value) -> Value {
        let ty = if self.is_pair(bits) { types::F64X2 } else { types::F64 };
        self.builder.ins().bitcast(ty, MemFlagsData::new(), bits)
    }

    /// Bits beside others, for each of a pair the same.
    fn bits_beside(&mut self, bits: u64, other: Value) -> Value {
        let ty: Type = self.builder.func.dfg.value_type(other);
        if !ty.is_vector() {
            return self.builder.ins().iconst(types::I64, bits.cast_signed());
        }
        self.both(bits, ty)
    }
}

impl Arithmetic for Emitter<'_, '_, '_> {
    type Number = Value;
    type Truth = Value;

    fn constant(&mut self, value: f64) -> Value {
        Emitter::constant(self, value)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fadd(a, b)
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fsub(a, b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fmul(a, b)
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fdiv(a, b)
    }

    fn abs(&mut self, a: Value) -> Value {
        self.builder.ins().fabs(a)
    }

    fn less(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fcmp(FloatCC::LessThan, a, b)
    }

    fn at_most(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fcmp(FloatCC::LessThanOrEqual, a, b)
    }

    fn and(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().band(a, b)
    }

    fn or(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().bor(a, b)
    }

    fn select(&mut self, truth: Value, a: Value, b: Value) -> Value {
        self.either(truth, a, b)
    }

    fn split(&mut self, a: Value) -> [Value; 2] {
        let bits = self.bits(a);
        let [shift, mask, least, counting] =
            [ONE - LEAST_MANTISSA, MANTISSA, LEAST_MANTISSA, COUNTING]
                .map(|own| self.bits_beside(own, bits));
        let b = &mut self.builder;
        let bits = b.ins().iadd(bits, shift);
        let mantissa = b.ins().band(bits, mask);
        let mantissa = b.ins().iadd(mantissa, least);
        let exponent = b.ins().ushr_imm_u(bits, i64::from(MANTISSA_BITS));
        let exponent = b.ins().bor(exponent, counting);
        let [mantissa, exponent] = [mantissa, exponent].map(|bits| self.of_bits(bits));
        let zero = self.constant(EXPONENT_AT_ZERO);
        [mantissa, self.builder.ins().fsub(exponent, zero)]
    }

    fn whole_power(&mut self, a: Value) -> Value {
        let bits = self.bits(a);
        let bias = self.bits_beside(BIAS, bits);
        let bits = self.builder.ins().iadd(bits, bias);
        let bits = self.builder.ins().ishl_imm_u(bits, i64::from(MANTISSA_BITS));
        self.of_bits(bits)
    }
}
