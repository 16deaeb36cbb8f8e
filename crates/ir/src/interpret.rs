//! The reference interpreter: runs a tape on a buffer.

use smallvec::SmallVec;

use crate::linear::eliminate;
use crate::newton::newton;
use crate::tape::{CHUNK, Code, Extra, Instr, Pair, Repeat, RepeatOp, Tape};
use crate::{Binary, Scalar, Slot, Unary};

/// Runs every instruction in order. Allocates nothing, unless an opaque function with many
/// arguments is called.
pub fn run<T: Scalar>(tape: &Tape, slots: &mut [T]) {
    if tape.guarded {
        return run_guarded(tape, slots);
    }
    for instr in &tape.code {
        step(tape, instr, slots);
    }
}

/// The instructions of a tape that run, as ranges: what its conditions skip is left out. They stay
/// right while no condition changes.
#[derive(Clone, Debug, Default)]
pub struct Active(Vec<std::ops::Range<usize>>);

impl Active {
    /// Finds what runs under the conditions in a buffer.
    pub fn find(&mut self, tape: &Tape, slots: &[f64]) {
        self.0.clear();
        if !tape.guarded {
            self.0.push(0..tape.code.len());
            return;
        }
        let (mut from, mut at) = (0, 0);
        while at < tape.code.len() {
            let instr = &tape.code[at];
            at += 1;
            if instr.code == Code::Skip {
                if from < at - 1 {
                    self.0.push(from..at - 1);
                }
                if slots[instr.a.index()] == 0.0 {
                    at += instr.n as usize;
                }
                from = at;
            }
        }
        if from < at {
            self.0.push(from..at);
        }
    }
}

/// Runs what is active of a tape.
pub fn run_active<T: Scalar>(tape: &Tape, active: &Active, slots: &mut [T]) {
    for range in &active.0 {
        for instr in &tape.code[range.clone()] {
            step(tape, instr, slots);
        }
    }
}

/// Runs one instruction of a tape, for code that does the others itself.
pub fn run_one(tape: &Tape, index: usize, slots: &mut [f64]) {
    step(tape, &tape.code[index], slots);
}

/// The same if some instructions are skipped.
fn run_guarded<T: Scalar>(tape: &Tape, slots: &mut [T]) {
    let mut rest = tape.code.iter();
    while let Some(instr) = rest.next() {
        if instr.code != Code::Skip {
            step(tape, instr, slots);
        } else if slots[instr.a.index()].primal() == 0.0 {
            rest = rest.as_slice()[instr.n as usize..].iter();
        }
    }
}

#[inline(always)]
fn step<T: Scalar>(tape: &Tape, instr: &Instr, s: &mut [T]) {
    let (d, a, b, c) = (instr.dst.index(), instr.a.index(), instr.b.index(), instr.c.index());
    let n = instr.n as usize;
    match instr.code {
        Code::Add => s[d] = T::binary(Binary::Add, s[a], s[b]),
        Code::Sub => s[d] = T::binary(Binary::Sub, s[a], s[b]),
        Code::Mul => s[d] = T::binary(Binary::Mul, s[a], s[b]),
        Code::Div => s[d] = T::binary(Binary::Div, s[a], s[b]),
        Code::Neg => s[d] = T::unary(Unary::Neg, s[a]),
        Code::Copy => s[d] = s[a],
        Code::Select => s[d] = T::select(s[a], s[b], s[c]),
        Code::Pair(pair) => s[d] = both(pair, s[a], s[b], s[c]),
        // Most tapes of ticks are about single numbers, for which slices would cost more than the
        // operations.
        Code::Unary(op) if n == 1 => s[d] = T::unary(op, s[a]),
        Code::Binary(op) if n == 1 => s[d] = T::binary(op, s[a], s[b]),
        Code::SignOutside if n == 1 => s[d] = T::sign_outside(s[a], s[b], s[c]),
        Code::Unary(op) => each_of_one(op, s, (d, a), n),
        Code::Binary(op) => each_of_two(op, s, (d, a, b), n),
        Code::CopyEach => s.copy_within(a..a + n, d),
        Code::CopyApart => (0..n).for_each(|i| s[d + i * b] = s[a + i * c]),
        Code::SelectEach => each_of_three(s, (d, a, b, c), n, T::select),
        Code::SelectAll => {
            (0..n).for_each(|i| s[d + i] = T::select(s[a], s[b + i], s[c + i]));
        }
        Code::SignOutside => each_of_three(s, (d, a, b, c), n, T::sign_outside),
        Code::FloorOutside => each_of_three(s, (d, a, b, c), n, T::floor_outside),
        Code::Splat => {
            let value = s[a];
            s[d..d + n].fill(value);
        }
        Code::Index => s[d] = T::index(&s[a..a + n], s[b]),
        Code::Sum => {
            let total =
                s[a..a + n].iter().fold(T::constant(0.0), |t, x| T::binary(Binary::Add, t, *x));
            s[d] = total;
        }
        Code::Unknown => s[d..d + n].fill(T::unknown()),
        Code::Skip => {}
        Code::Choose => {
            if let Extra::Choose(arms) = &tape.extra[c] {
                let from = arms[s[a].primal() as usize].index();
                s.copy_within(from..from + n, d);
            }
        }
        Code::Repeat => {
            if let Extra::Repeat(body) = &tape.extra[c] {
                repeat(body, s);
            }
        }
        Code::Product => {
            if let Extra::MatMul { rows, inner, columns } = tape.extra[c] {
                product(s, (d, a, b), [rows, inner, columns].map(|size| size as usize));
            }
        }
        Code::Extra => extra(&tape.extra[c], s, (d, a, b), n),
    }
}

/// The iterations of a loop, a chunk at a time, each operation over the whole chunk.
fn repeat<T: Scalar>(body: &Repeat, s: &mut [T]) {
    let (rows, count) = (&body.rows, body.count as usize);
    for (row, from) in &rows.fills {
        let value = s[from.index()];
        s[row.index()..row.index() + count.min(CHUNK)].fill(value);
    }
    for start in (0..count).step_by(CHUNK) {
        let n = CHUNK.min(count - start);
        let moved = |slot: Slot, apart: i32, i: usize| {
            (i64::from(slot.0) + i64::from(apart) * (start + i) as i64) as usize
        };
        for (row, from, apart) in &rows.gathers {
            (0..n).for_each(|i| s[row.index() + i] = s[moved(*from, *apart, i)]);
        }
        for (op, to, from) in &rows.steps {
            let (d, [a, b, c]) = (to.at(start), from.map(|row| row.at(start)));
            match op {
                RepeatOp::Unary(op, _) => each_of_one(*op, s, (d, a), n),
                RepeatOp::Binary(op, ..) => each_of_two(*op, s, (d, a, b), n),
                RepeatOp::Select(..) => each_of_three(s, (d, a, b, c), n, T::select),
                RepeatOp::SignOutside(..) => each_of_three(s, (d, a, b, c), n, T::sign_outside),
                RepeatOp::FloorOutside(..) => each_of_three(s, (d, a, b, c), n, T::floor_outside),
            }
        }
        for (row, to, apart) in &rows.scatters {
            let from = row.at(start);
            (0..n).for_each(|i| s[moved(*to, *apart, i)] = s[from + i]);
        }
    }
}

/// Two operations, each rounded on its own.
#[inline(always)]
fn both<T: Scalar>(pair: Pair, a: T, b: T, c: T) -> T {
    let add = |x, y| T::binary(Binary::Add, x, y);
    let sub = |x, y| T::binary(Binary::Sub, x, y);
    let mul = |x, y| T::binary(Binary::Mul, x, y);
    match pair {
        Pair::AddAddC => add(add(a, b), c),
        Pair::SubAddC => add(sub(a, b), c),
        Pair::MulAddC => add(mul(a, b), c),
        Pair::AddSubC => sub(add(a, b), c),
        Pair::SubSubC => sub(sub(a, b), c),
        Pair::MulSubC => sub(mul(a, b), c),
        Pair::AddMulC => mul(add(a, b), c),
        Pair::SubMulC => mul(sub(a, b), c),
        Pair::MulMulC => mul(mul(a, b), c),
        Pair::CAddAdd => add(c, add(a, b)),
        Pair::CAddSub => add(c, sub(a, b)),
        Pair::CAddMul => add(c, mul(a, b)),
        Pair::CSubAdd => sub(c, add(a, b)),
        Pair::CSubSub => sub(c, sub(a, b)),
        Pair::CSubMul => sub(c, mul(a, b)),
        Pair::CMulAdd => mul(c, add(a, b)),
        Pair::CMulSub => mul(c, sub(a, b)),
        Pair::CMulMul => mul(c, mul(a, b)),
    }
}

/// The elements that an instruction writes, and a view of the others: an instruction never reads
/// what it writes, and loops over slices that cannot overlap become vector instructions.
#[inline(always)]
fn apart<'a, T>(s: &'a mut [T], d: usize, n: usize) -> (&'a mut [T], impl Fn(usize) -> &'a [T]) {
    let (before, rest) = s.split_at_mut(d);
    let (written, after) = rest.split_at_mut(n);
    let (before, after) = (&*before, &*after);
    let read = move |from: usize| match from < d {
        true => &before[from..from + n],
        false => &after[from - d - n..from - d],
    };
    (written, read)
}

fn each_of_one<T: Scalar>(op: Unary, s: &mut [T], (d, a): (usize, usize), n: usize) {
    let (out, read) = apart(s, d, n);
    let a = read(a);
    match op {
        Unary::Neg => out.iter_mut().zip(a).for_each(|(out, a)| *out = T::unary(Unary::Neg, *a)),
        op => out.iter_mut().zip(a).for_each(|(out, a)| *out = T::unary(op, *a)),
    }
}

/// One loop for each frequent operator, so that it is chosen once and not for every element.
fn each_of_two<T: Scalar>(op: Binary, s: &mut [T], (d, a, b): (usize, usize, usize), n: usize) {
    let (out, read) = apart(s, d, n);
    let (a, b) = (read(a), read(b));
    let all = out.iter_mut().zip(a.iter().zip(b));
    match op {
        Binary::Add => all.for_each(|(out, (a, b))| *out = T::binary(Binary::Add, *a, *b)),
        Binary::Sub => all.for_each(|(out, (a, b))| *out = T::binary(Binary::Sub, *a, *b)),
        Binary::Mul => all.for_each(|(out, (a, b))| *out = T::binary(Binary::Mul, *a, *b)),
        Binary::Div => all.for_each(|(out, (a, b))| *out = T::binary(Binary::Div, *a, *b)),
        op => all.for_each(|(out, (a, b))| *out = T::binary(op, *a, *b)),
    }
}

fn each_of_three<T: Scalar>(
    s: &mut [T],
    (d, a, b, c): (usize, usize, usize, usize),
    n: usize,
    of: impl Fn(T, T, T) -> T,
) {
    let (out, read) = apart(s, d, n);
    let (a, b, c) = (read(a), read(b), read(c));
    for (i, out) in out.iter_mut().enumerate() {
        *out = of(a[i], b[i], c[i]);
    }
}

/// A matrix product; each element is summed from first to last.
fn product<T: Scalar>(
    s: &mut [T],
    (d, a, b): (usize, usize, usize),
    [rows, inner, columns]: [usize; 3],
) {
    for i in 0..rows {
        for j in 0..columns {
            let term =
                |k: usize| T::binary(Binary::Mul, s[a + i * inner + k], s[b + k * columns + j]);
            let total =
                (0..inner).fold(T::constant(0.0), |t, k| T::binary(Binary::Add, t, term(k)));
            s[d + i * columns + j] = total;
        }
    }
}

#[cold]
fn extra<T: Scalar>(extra: &Extra, s: &mut [T], (d, a, b): (usize, usize, usize), n: usize) {
    match extra {
        Extra::Transpose { rows, columns } => {
            let (rows, columns) = (*rows as usize, *columns as usize);
            for i in 0..rows {
                for j in 0..columns {
                    s[d + j * rows + i] = s[a + i * columns + j];
                }
            }
        }
        Extra::LinearSolve { n, work } => {
            let (n, work) = (*n as usize, work.index());
            s.copy_within(a..a + n * n, work);
            s.copy_within(b..b + n, d);
            eliminate(s, work, d, n);
        }
        Extra::Solve(code) => newton(code, s, d),
        Extra::MatMul { .. } | Extra::Choose(_) | Extra::Repeat(_) => {
            unreachable!("it has its own code")
        }
        Extra::Call { function, args } => {
            let mut out: SmallVec<[T; 16]> = SmallVec::from_elem(T::constant(0.0), n);
            let rows: SmallVec<[&[T]; 8]> =
                args.iter().map(|(slot, length)| &s[slot.range(*length as usize)]).collect();
            T::call(&**function, &rows, &mut out);
            drop(rows);
            s[d..d + n].copy_from_slice(&out);
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Type;
    use std::sync::Arc;

    use super::*;
    use crate::{Body, Graph, Jet, Layout, jacobian, tangents, verify};

    /// u^2 = p solved from a guess of 1, with its tangent along p' = 1.
    #[test]
    fn a_loop_is_solved_and_differentiated() {
        let mut inner = Graph::new();
        let u = inner.leaf(0, Type::vector(1));
        let p = inner.leaf(1, Type::REAL);
        let square = inner.mul(u, u);
        let residual = inner.sub(square, p);
        let body = Arc::new(Body::new(inner, u, residual));
        let mut g = Graph::new();
        let p = g.leaf(0, Type::REAL);
        let guess = g.constant(Type::vector(1), &[1.0]);
        let root = g.solve(body, [guess, guess], &[p]);
        let root = g.sum(root);
        let one = g.real(1.0);
        let seeds = [(p, one)].into_iter().collect();
        let slope = tangents(&mut g, &seeds, &[root])[0].unwrap();
        verify(&g, false).unwrap();
        let mut layout = Layout::default();
        let input = layout.reserve(1);
        let out = layout.reserve(2);
        let tape = Tape::compile(&g, &[(root, out), (slope, out + 1)], &mut layout, &|_| input);
        let mut slots = layout.image().to_vec();
        slots[input.index()] = 9.0;
        run(&tape, &mut slots);
        assert_eq!(&slots[out.range(2)], &[3.0, 1.0 / 6.0]);
        let mut jets: Vec<Jet> = layout.image().iter().map(|x| Jet::constant(*x)).collect();
        jets[input.index()] = Jet::time(9.0);
        run(&tape, &mut jets);
        let jet = jets[out.index()].0;
        // sqrt(9 + t) = 3 + t/6 - t^2/216 + t^3/3888 - ...
        for (k, expected) in [3.0, 1.0 / 6.0, -1.0 / 216.0, 1.0 / 3888.0].iter().enumerate() {
            assert!((jet[k] - expected).abs() < 1e-12, "{jet:?}");
        }
        slots[input.index()] = -1.0;
        run(&tape, &mut slots);
        assert!(slots[out.index()].is_nan());
    }

    #[test]
    fn jacobians_are_exact() {
        let mut g = Graph::new();
        let x = g.leaf(0, Type::vector(2));
        let (a, b) = (g.extract(x, 0, base::Shape::Scalar), g.extract(x, 1, base::Shape::Scalar));
        let product = g.mul(a, b);
        let sine = g.unary(Unary::Sin, a);
        let f = g.stack(&[product, sine], base::Shape::Vector(2));
        let j = jacobian(&mut g, x, f);
        let mut layout = Layout::default();
        let (input, out) = (layout.reserve(2), layout.reserve(4));
        let tape = Tape::compile(&g, &[(j, out)], &mut layout, &|_| input);
        let mut slots = layout.image().to_vec();
        slots[input.range(2)].copy_from_slice(&[0.5, 2.0]);
        run(&tape, &mut slots);
        let expected = [2.0, 0.5, 0.5f64.cos(), 0.0];
        assert_eq!(&slots[out.range(4)], &expected);
    }
}
