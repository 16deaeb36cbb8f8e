//! Steps that follow each other without going back to the solver.
//!
//! What decides about a step and chooses the next one is a few dozen instructions; going back for
//! them after every step of a small system, with all states through memory, costs half as much as
//! the step. So native code does it while a step is *plain*: its error is accepted, no rate may
//! have passed a pole in it, no horizon has cut it short, and another one fits behind it. The first
//! step that is anything else is returned as a trial, and the solver decides about it as it does
//! about any other. What decides is [`StepRules::follow`].

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use solver::{Arithmetic, StepRules, StepTaken};

use crate::emit::trusted;
use crate::frame::{StepFrame, offset};
use crate::step::Writer;

/// What the control of steps remembers between them.
#[derive(Clone, Copy)]
struct Memory {
    wanted: Value,
    previous: Value,
    taken: Value,
}

/// A step that has been computed.
struct Step {
    start: Value,
    end: Value,
    error: Value,
}

impl Writer<'_, '_, '_, '_> {
    /// Steps in a loop from the first on.
    pub(crate) fn batch(&mut self, start: Value, end: Value, rules: &StepRules) {
        let taken = self.e.builder.ins().iconst(types::I64, 0);
        let [wanted, previous] =
            [offset!(StepFrame, batch.wanted), offset!(StepFrame, batch.previous)]
                .map(|offset| self.number(offset));
        let again = self.e.builder.create_block();
        for ty in [types::F64, types::F64, types::F64, types::F64, types::I64] {
            self.e.builder.append_block_param(again, ty);
        }
        self.go_on(again, [start, end], Memory { wanted, previous, taken });

        self.e.builder.switch_to_block(again);
        let [start, end, wanted, previous, taken] = self.e.builder.block_params(again)[..] else {
            return;
        };
        let memory = Memory { wanted, previous, taken };
        let error = self.step(start, end);
        let back = self.e.builder.create_block();
        let step = Step { start, end, error };
        let (next, remembered) = self.next(&step, memory, rules, back);
        self.keep_point(end);
        self.pass();
        self.go_on(again, next, remembered);

        self.e.builder.switch_to_block(back);
        self.put(offset!(StepFrame, start), start);
        self.put(offset!(StepFrame, end), end);
        self.put(offset!(StepFrame, batch.wanted), wanted);
        self.put(offset!(StepFrame, batch.previous), previous);
        self.put(offset!(StepFrame, batch.taken), taken);
        self.e.builder.ins().return_(&[error]);
    }

    /// Keeps the end of a step and the states there, if somebody asks for the points between steps.
    fn keep_point(&mut self, end: Value) {
        let [kept, on] = [(); 2].map(|()| self.e.builder.create_block());
        let place = self.word(offset!(StepFrame, passed));
        self.e.builder.ins().brif(place, kept, &[], on, &[]);
        self.e.builder.switch_to_block(kept);
        self.e.builder.ins().store(trusted(), end, place, 0);
        let n = self.states();
        for i in 0..n {
            let value = self.load(self.x1, i);
            self.e.builder.ins().store(trusted(), value, place, 8 * (i as i32 + 1));
        }
        let next = self.e.builder.ins().iadd_imm_s(place, 8 * (n as i64 + 1));
        self.put(offset!(StepFrame, passed), next);
        self.e.builder.ins().jump(on, &[]);
        self.e.builder.switch_to_block(on);
    }

    /// Jumps to the loop with the next step.
    fn go_on(&mut self, again: Block, [start, end]: [Value; 2], memory: Memory) {
        let Memory { wanted, previous, taken } = memory;
        let arguments = [start, end, wanted, previous, taken].map(BlockArg::Value);
        self.e.builder.ins().jump(again, &arguments);
    }

    /// The step after one that is plain; any other leads to the block `back`.
    fn next(
        &mut self,
        step: &Step,
        memory: Memory,
        rules: &StepRules,
        back: Block,
    ) -> ([Value; 2], Memory) {
        let most = self.word(offset!(StepFrame, batch.most));
        let more = self.e.builder.ins().iadd_imm_s(memory.taken, 1);
        let fits = self.e.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, more, most);
        self.stay(fits, back);
        self.stay_without_poles(rules, back);
        let [horizon, before, longest] = [
            offset!(StepFrame, batch.horizon),
            offset!(StepFrame, batch.before),
            offset!(StepFrame, batch.longest),
        ]
        .map(|offset| self.number(offset));
        let Step { start, end, error } = *step;
        let Memory { wanted, previous, .. } = memory;
        let most = self.constant(rules.growth);
        let now = StepTaken { start, end, error, wanted, previous, most, horizon, before, longest };
        let next = rules.follow(&mut self.e, &now);
        self.stay(next.plain, back);
        let remembered = Memory { wanted: next.wanted, previous: next.previous, taken: more };
        ([end, next.end], remembered)
    }

    /// Goes on only if no rate that changes its sign is larger at a stage than at both ends.
    fn stay_without_poles(&mut self, rules: &StepRules, back: Block) {
        let (n, last) = (self.states(), self.slopes.len() - 1);
        let mut signs = self.e.builder.ins().iconst(types::I64, 0);
        for i in 0..n {
            let bits = [0, last].map(|stage| {
                let array = self.slopes[stage];
                let offset = array.first + self.unit * i as i32;
                self.e.builder.ins().load(types::I64, trusted(), array.base, offset)
            });
            let unlike = self.e.builder.ins().bxor(bits[0], bits[1]);
            signs = self.e.builder.ins().bor(signs, unlike);
        }
        let [turned, on] = [(); 2].map(|()| self.e.builder.create_block());
        let some = self.e.builder.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        self.e.builder.ins().brif(some, turned, &[], on, &[]);
        self.e.builder.switch_to_block(turned);
        let suspects: Vec<Value> = (0..n).map(|i| self.suspect(i, rules)).collect();
        let any = suspects.into_iter().reduce(|any, one| self.e.builder.ins().bor(any, one));
        match any {
            Some(any) => self.e.builder.ins().brif(any, back, &[], on, &[]),
            None => self.e.builder.ins().jump(on, &[]),
        };
        self.e.builder.switch_to_block(on);
    }

    /// Whether a rate changes its sign and is larger at a stage than at both ends.
    fn suspect(&mut self, i: usize, rules: &StepRules) -> Value {
        let last = self.slopes.len() - 1;
        let [a, b] = [0, last].map(|stage| self.load(self.slopes[stage], i));
        let zero = self.e.builder.ins().f64const(0.0);
        let mut turns = |from: FloatCC, to: FloatCC| {
            let (from, to) = (self.is(from, a, zero), self.is(to, b, zero));
            self.e.builder.ins().band(from, to)
        };
        let rises = turns(FloatCC::LessThan, FloatCC::GreaterThan);
        let falls = turns(FloatCC::GreaterThan, FloatCC::LessThan);
        let turns = self.e.builder.ins().bor(rises, falls);
        let [a, b] = [a, b].map(|x| self.e.builder.ins().fabs(x));
        let size = self.e.greater(a, b);
        let suspect = self.constant(rules.suspect);
        let most = self.e.builder.ins().fmul(suspect, size);
        let larger = |writer: &mut Self, stage: usize| {
            let slope = writer.load(writer.slopes[stage], i);
            let size = writer.e.builder.ins().fabs(slope);
            writer.is(FloatCC::GreaterThan, size, most)
        };
        let larger: Vec<Value> = (1..last).map(|stage| larger(self, stage)).collect();
        match larger.into_iter().reduce(|any, one| self.e.builder.ins().bor(any, one)) {
            Some(larger) => self.e.builder.ins().band(turns, larger),
            None => turns,
        }
    }

    fn is(&mut self, condition: FloatCC, a: Value, b: Value) -> Value {
        self.e.builder.ins().fcmp(condition, a, b)
    }

    /// Goes on if a condition holds, otherwise leads to `back`.
    fn stay(&mut self, condition: Value, back: Block) {
        let on = self.e.builder.create_block();
        self.e.builder.ins().brif(condition, on, &[], back, &[]);
        self.e.builder.switch_to_block(on);
    }
}
