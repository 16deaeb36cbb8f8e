//! Fewer and larger instructions: pairs of scalar operations, and runs of copies.
//!
//! Dispatch costs more than an addition, so that an instruction that does two is nearly twice as
//! fast. Nothing is reordered or contracted: results have the same bits.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Code, Instr};
use crate::{Binary, Graph, NodeId, Op, Slot};

/// Two scalar operations in one instruction, the second on the result of the first and on `c`. Each
/// rounds on its own, as if they were written one after the other. Names read from the left, with brackets
/// around the first: `CSubMul` is c - (a b).
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // Each is what its name says, read as described above.
pub enum Pair {
    AddAddC,
    SubAddC,
    MulAddC,
    AddSubC,
    SubSubC,
    MulSubC,
    AddMulC,
    SubMulC,
    MulMulC,
    CAddAdd,
    CAddSub,
    CAddMul,
    CSubAdd,
    CSubSub,
    CSubMul,
    CMulAdd,
    CMulSub,
    CMulMul,
}

impl Pair {
    /// The operations of the pair: `first`, then `second`, whose argument number `at` is the
    /// first's result.
    pub fn parts(self) -> (Binary, Binary, usize) {
        const OPERATORS: [Binary; 3] = [Binary::Add, Binary::Sub, Binary::Mul];
        let firsts = OPERATORS.into_iter();
        let all = firsts.flat_map(|first| OPERATORS.map(|second| (first, second)));
        let mut all = all.flat_map(|(first, second)| [0, 1].map(|at| (first, second, at)));
        let own = |(first, second, at): &(Binary, Binary, usize)| {
            Pair::of(*first, *second, *at) == Some(self)
        };
        all.find(own).expect("every pair is made of two operations")
    }

    /// The pair of `first` and then `second`, whose argument number `at` is the first's result.
    pub fn of(first: Binary, second: Binary, at: usize) -> Option<Pair> {
        use Binary::{Add, Mul, Sub};
        Some(match (first, second, at) {
            (Add, Add, 0) => Pair::AddAddC,
            (Sub, Add, 0) => Pair::SubAddC,
            (Mul, Add, 0) => Pair::MulAddC,
            (Add, Sub, 0) => Pair::AddSubC,
            (Sub, Sub, 0) => Pair::SubSubC,
            (Mul, Sub, 0) => Pair::MulSubC,
            (Add, Mul, 0) => Pair::AddMulC,
            (Sub, Mul, 0) => Pair::SubMulC,
            (Mul, Mul, 0) => Pair::MulMulC,
            (Add, Add, 1) => Pair::CAddAdd,
            (Sub, Add, 1) => Pair::CAddSub,
            (Mul, Add, 1) => Pair::CAddMul,
            (Add, Sub, 1) => Pair::CSubAdd,
            (Sub, Sub, 1) => Pair::CSubSub,
            (Mul, Sub, 1) => Pair::CSubMul,
            (Add, Mul, 1) => Pair::CMulAdd,
            (Sub, Mul, 1) => Pair::CMulSub,
            (Mul, Mul, 1) => Pair::CMulMul,
            _ => return None,
        })
    }
}

/// Chooses pairs of scalar operations that become one instruction: the first has no other use, in
/// the order or `elsewhere`. A node is in one pair at most.
pub(super) fn pairs<'a>(
    graph: &'a Graph,
    order: &[NodeId],
    elsewhere: impl Iterator<Item = &'a NodeId>,
) -> FxHashMap<NodeId, usize> {
    let mut uses: FxHashMap<NodeId, usize> = FxHashMap::default();
    let args = order.iter().flat_map(|id| &graph.node(*id).args);
    args.chain(elsewhere).for_each(|id| *uses.entry(*id).or_default() += 1);
    let ours: FxHashSet<NodeId> = order.iter().copied().collect();
    let mut pairs = FxHashMap::default();
    for id in order {
        let node = graph.node(*id);
        let Op::Binary(second) = node.op else { continue };
        if node.ty.len() != 1 {
            continue;
        }
        let fits = |at: &usize| {
            let arg = node.args[*at];
            let Op::Binary(first) = graph.node(arg).op else { return false };
            ours.contains(&arg)
                && uses[&arg] == 1
                && !pairs.contains_key(&arg)
                && Pair::of(first, second, *at).is_some()
        };
        if let Some(at) = [0, 1].into_iter().find(fits) {
            pairs.insert(*id, at);
        }
    }
    pairs
}

/// Joins copies whose slots are evenly spaced, such as those of states that are the rates of others.
pub(super) fn join_copies(code: &[Instr]) -> Vec<Instr> {
    let mut joined: Vec<Instr> = Vec::with_capacity(code.len());
    for instr in code {
        let last = joined.last_mut();
        match last.filter(|last| instr.code == Code::Copy && grows(last, instr)) {
            Some(last) => {
                (last.b, last.c) = match last.code {
                    Code::Copy => (Slot(instr.dst - last.dst), Slot(instr.a - last.a)),
                    _ => (last.b, last.c),
                };
                last.code = Code::CopyApart;
                last.n += 1;
            }
            None => joined.push(*instr),
        }
    }
    joined.iter_mut().for_each(close);
    joined
}

/// Copies that are not apart are one copy of them all, unless one reads what another has written.
fn close(instr: &mut Instr) {
    let Instr { code, dst, a, n, .. } = *instr;
    let elsewhere = a + n <= dst || dst + n <= a;
    if code == Code::CopyApart && instr.strides() == [1, 1] && elsewhere {
        (instr.code, instr.b, instr.c) = (Code::CopyEach, Slot::default(), Slot::default());
    }
}

/// Whether a run of copies goes on with one more.
fn grows(run: &Instr, next: &Instr) -> bool {
    match run.code {
        Code::Copy => next.dst > run.dst && next.a > run.a,
        Code::CopyApart => {
            let [to, from] = run.strides();
            next.dst == run.dst + run.n * to && next.a == run.a + run.n * from
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use base::Type;

    use super::*;
    use crate::{Jet, Layout, Scalar, Tape, run};

    const OPERATORS: [Binary; 3] = [Binary::Add, Binary::Sub, Binary::Mul];

    /// The value of one pair over three leaves, from a tape and from the operations themselves.
    fn both_ways<T: Scalar>(first: Binary, second: Binary, at: usize, x: [T; 3]) -> [T; 2] {
        let mut g = Graph::new();
        let [a, b, c] = [0, 1, 2].map(|leaf| g.leaf(leaf, Type::REAL));
        let inner = g.binary(first, a, b);
        let outer = if at == 0 { g.binary(second, inner, c) } else { g.binary(second, c, inner) };
        let mut layout = Layout::default();
        let (input, out) = (layout.reserve(3), layout.reserve(1));
        let tape = Tape::compile(&g, &[(outer, out)], &mut layout, &|leaf| input + leaf);
        assert_eq!(tape.len(), 1, "{tape:?}");
        let mut slots: Vec<T> = layout.image().iter().map(|x| T::constant(*x)).collect();
        slots[input.range(3)].copy_from_slice(&x);
        run(&tape, &mut slots);
        let inner = T::binary(first, x[0], x[1]);
        let (left, right) = if at == 0 { (inner, x[2]) } else { (x[2], inner) };
        [slots[out.index()], T::binary(second, left, right)]
    }

    #[test]
    fn pairs_have_the_bits_of_their_operations() {
        for (first, second) in OPERATORS.iter().flat_map(|f| OPERATORS.map(|s| (*f, s))) {
            for at in [0, 1] {
                // A fused multiply-add would keep the last places of 0.1 * 0.1.
                let [one, other] = both_ways(first, second, at, [0.1, 0.1, -0.01]);
                assert_eq!(one.to_bits(), other.to_bits(), "{first:?} {second:?} {at}");
                let jets: [Jet; 3] = [Jet::time(0.1), Jet::time(0.3), Jet::constant(-0.01)];
                let [one, other] = both_ways(first, second, at, jets);
                assert_eq!(one.0.map(f64::to_bits), other.0.map(f64::to_bits));
            }
        }
    }

    #[test]
    fn what_is_used_twice_is_computed_once() {
        let mut g = Graph::new();
        let [a, b] = [0, 1].map(|leaf| g.leaf(leaf, Type::REAL));
        let product = g.mul(a, b);
        let (sum, difference) = (g.add(product, a), g.sub(product, b));
        let mut layout = Layout::default();
        let (input, out) = (layout.reserve(2), layout.reserve(2));
        let roots = [(sum, out), (difference, out + 1)];
        let tape = Tape::compile(&g, &roots, &mut layout, &|leaf| input + leaf);
        assert_eq!(tape.len(), 3);
        let mut slots = layout.image().to_vec();
        slots[input.range(2)].copy_from_slice(&[3.0, 5.0]);
        run(&tape, &mut slots);
        assert_eq!(&slots[out.range(2)], &[18.0, 10.0]);
    }

    #[test]
    fn copies_evenly_apart_are_one_instruction() {
        let mut g = Graph::new();
        let leaves: Vec<NodeId> = (0..4).map(|leaf| g.leaf(3 * leaf, Type::REAL)).collect();
        let mut layout = Layout::default();
        let (input, out) = (layout.reserve(12), layout.reserve(8));
        let place = |i: usize| out + [0, 2, 4, 7][i];
        let roots: Vec<(NodeId, Slot)> =
            leaves.iter().enumerate().map(|(i, node)| (*node, place(i))).collect();
        let tape = Tape::compile(&g, &roots, &mut layout, &|leaf| input + leaf);
        assert_eq!(tape.len(), 2, "three copies in a row and one more");
        let mut slots = layout.image().to_vec();
        (0..12).for_each(|i| slots[i] = i as f64);
        run(&tape, &mut slots);
        assert_eq!(&slots[out.index()..], &[0.0, 0.0, 3.0, 0.0, 6.0, 0.0, 0.0, 9.0]);
    }
}
