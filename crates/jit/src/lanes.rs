//! Operations on two numbers side by side. Truths are masks of all ones or all zeros.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use ir::{Binary, Unary};

use crate::emit::Emitter;
use crate::loops::LANES;

impl Emitter<'_, '_, '_> {
    /// One operand each.
    pub fn paired_unary(&mut self, op: Unary, a: Value) -> Value {
        match op {
            Unary::Neg => self.builder.ins().fneg(a),
            Unary::Sqrt => self.builder.ins().sqrt(a),
            Unary::Floor => self.builder.ins().floor(a),
            Unary::Not => {
                let zero = self.both(0.0);
                let mask = self.builder.ins().fcmp(FloatCC::Equal, a, zero);
                self.numbers(mask)
            }
            Unary::Sign => {
                let [zero, one, least, none] =
                    [0.0, 1.0, -1.0, f64::NAN].map(|value| self.both(value));
                let cases = [
                    (FloatCC::Equal, zero),
                    (FloatCC::LessThan, least),
                    (FloatCC::GreaterThan, one),
                ];
                cases.into_iter().fold(none, |others, (condition, own)| {
                    let mask = self.builder.ins().fcmp(condition, a, zero);
                    self.choice(mask, own, others)
                })
            }
            op => unreachable!("{op:?} is a function of one number"),
        }
    }

    /// Two operands each.
    pub fn paired_binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let condition = match op {
            Binary::Equal => FloatCC::Equal,
            Binary::Less => FloatCC::LessThan,
            Binary::LessEqual => FloatCC::LessThanOrEqual,
            Binary::And | Binary::Or => {
                let (a, b) = (self.mask(a), self.mask(b));
                let ins = self.builder.ins();
                let mask = if op == Binary::And { ins.band(a, b) } else { ins.bor(a, b) };
                return self.numbers(mask);
            }
            op => return self.binary(op, a, b),
        };
        let mask = self.builder.ins().fcmp(condition, a, b);
        self.numbers(mask)
    }

    /// Which of two numbers are not zero.
    pub fn mask(&mut self, a: Value) -> Value {
        let zero = self.both(0.0);
        self.builder.ins().fcmp(FloatCC::NotEqual, a, zero)
    }

    /// In each lane the number of the first if the mask is set, else that of the second.
    pub fn choice(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let mask = self.builder.ins().bitcast(LANES, MemFlagsData::new(), mask);
        self.builder.ins().bitselect(mask, a, b)
    }

    /// In each lane 1 if the mask is set, else 0.
    fn numbers(&mut self, mask: Value) -> Value {
        let one = self.both(1.0);
        let mask = self.builder.ins().bitcast(LANES, MemFlagsData::new(), mask);
        self.builder.ins().band(mask, one)
    }

    fn both(&mut self, value: f64) -> Value {
        let value = self.builder.ins().f64const(value);
        self.builder.ins().splat(LANES, value)
    }
}
