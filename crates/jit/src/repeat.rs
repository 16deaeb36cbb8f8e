//! Loops of a tape as loops, with the values of an iteration in registers; two iterations side by
//! side if every operation of the loop can.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use ir::{Binary, Code, Repeat, RepeatOp, Slot, Unary};

use crate::emit::Emitter;
use crate::loops::PAIR;

/// Whether two iterations can run side by side.
fn has_lanes(op: &RepeatOp) -> bool {
    match op {
        RepeatOp::Unary(op, _) => {
            matches!(op, Unary::Neg | Unary::Not | Unary::Sqrt | Unary::Floor | Unary::Sign)
        }
        RepeatOp::Binary(op, ..) => !matches!(op, Binary::Pow | Binary::Atan2 | Binary::Hypot),
        RepeatOp::Select(..) => true,
        RepeatOp::SignOutside(..) | RepeatOp::FloorOutside(..) => false,
    }
}

impl Emitter<'_, '_, '_> {
    /// Writes a loop.
    pub fn repeat(&mut self, body: &Repeat) {
        let lanes = body.ops.iter().all(has_lanes);
        let still: Vec<Option<[Value; 2]>> = body
            .loads
            .iter()
            .map(|(slot, stride)| (*stride == 0).then(|| self.still(*slot, lanes)))
            .collect();
        self.each(body.count, lanes, |e, i, ty| {
            let paired = usize::from(ty == PAIR);
            let mut values: Vec<Value> = Vec::with_capacity(body.loads.len() + body.ops.len());
            for ((slot, stride), still) in body.loads.iter().zip(&still) {
                values.push(match still {
                    Some(still) => still[paired],
                    None => e.gather(*slot, i, i64::from(*stride), ty),
                });
            }
            for op in &body.ops {
                let value = e.repeated(*op, &values);
                values.push(value);
            }
            for (value, slot, stride) in &body.stores {
                e.scatter(*slot, i, i64::from(*stride), (values[*value as usize], ty));
            }
        });
    }

    /// A number that is the same for all iterations, and twice side by side.
    fn still(&mut self, slot: Slot, lanes: bool) -> [Value; 2] {
        let one = self.read(slot);
        [one, if lanes { self.builder.ins().splat(PAIR, one) } else { one }]
    }

    /// The number of an iteration, or those of two.
    fn gather(&mut self, slot: Slot, i: Value, stride: i64, ty: Type) -> Value {
        if ty == types::F64 || stride == 1 {
            return self.load_at(slot, i, stride, ty);
        }
        let first = self.load_at(slot, i, stride, types::F64);
        let next = slot.moved(stride);
        let second = self.load_at(next, i, stride, types::F64);
        let pair = self.builder.ins().scalar_to_vector(PAIR, first);
        self.builder.ins().insertlane(pair, second, 1)
    }

    fn scatter(&mut self, slot: Slot, i: Value, stride: i64, (value, ty): (Value, Type)) {
        if ty == types::F64 || stride == 1 {
            return self.store_at(slot, i, stride, value);
        }
        let [first, second] = [0, 1].map(|lane| self.builder.ins().extractlane(value, lane));
        self.store_at(slot, i, stride, first);
        self.store_at(slot.moved(stride), i, stride, second);
    }

    fn repeated(&mut self, op: RepeatOp, values: &[Value]) -> Value {
        let [a, b, c] = op.reads().map(|index| values[index as usize]);
        match op {
            RepeatOp::Unary(op, _) => self.unary(op, a),
            RepeatOp::Binary(op, ..) => self.binary(op, a, b),
            RepeatOp::Select(..) => self.three(Code::Select, [a, b, c]),
            RepeatOp::SignOutside(..) => self.three(Code::SignOutside, [a, b, c]),
            RepeatOp::FloorOutside(..) => self.three(Code::FloorOutside, [a, b, c]),
        }
    }
}
