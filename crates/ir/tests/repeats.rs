//! Expressions that repeat become loops, and a tape with loops is bit-identical to the graph.

use base::Type;
use proptest::prelude::*;
use std::collections::HashMap;
use superdense_ir::{
    Binary, Graph, Guards, Jet, Layout, NodeId, Op, Opaque, Partial, Scalar, Slot, Tape, Unary, run,
};

const LEAVES: u32 = 40;

/// The value of every node of a graph of scalars, one by one.
fn plainly<T: Scalar>(g: &Graph, leaf: &dyn Fn(u32) -> T) -> Vec<T> {
    let mut values: Vec<T> = Vec::new();
    for node in g.nodes() {
        let arg = |i: usize| values[node.args[i].index()];
        let value = match &node.op {
            Op::Const(bits) => T::constant(f64::from_bits(bits[0])),
            Op::Leaf(key) => leaf(*key),
            Op::Unary(op) => T::unary(*op, arg(0)),
            Op::Binary(op) => T::binary(*op, arg(0), arg(1)),
            Op::Select => T::select(arg(0), arg(1), arg(2)),
            Op::SignOutside => T::sign_outside(arg(0), arg(1), arg(2)),
            Op::FloorOutside => T::floor_outside(arg(0), arg(1), arg(2)),
            Op::Choose(_) => arg(1 + arg(0).primal() as usize),
            op => unreachable!("{op:?}"),
        };
        values.push(value);
    }
    values
}

/// One operation of a form: what it does and where its arguments are, counted back from itself.
#[derive(Clone, Debug)]
struct Step {
    op: u8,
    args: [usize; 3],
    constant: i8,
    /// Whether the constant is another one in each iteration.
    own: bool,
}

/// A form written out again and again, reading a window of what was made before.
#[derive(Clone, Debug)]
struct Layer {
    count: usize,
    from: usize,
    apart: usize,
    steps: Vec<Step>,
    /// Which of its nodes become roots, every how many places, and whether they go backwards.
    root: Option<(u8, bool)>,
    arm: u32,
}

fn step() -> impl Strategy<Value = Step> {
    (0u8..13, [0usize..9, 0..9, 0..9], -3i8..4, any::<bool>())
        .prop_map(|(op, args, constant, own)| Step { op, args, constant, own })
}

fn layer() -> impl Strategy<Value = Layer> {
    let root = proptest::option::of((1u8..4, any::<bool>()));
    let steps = proptest::collection::vec(step(), 1..6);
    (1usize..150, 0usize..40, 0usize..3, steps, root, 0u32..3).prop_map(
        |(count, from, apart, steps, root, arm)| Layer { count, from, apart, steps, root, arm },
    )
}

fn operation(g: &mut Graph, step: &Step, i: usize, at: impl Fn(usize) -> NodeId) -> NodeId {
    let [a, b, c] = step.args.map(at);
    let shift = if step.own { i as f64 * 0.25 } else { 0.0 };
    let constant = g.real(f64::from(step.constant) + shift);
    match step.op {
        0 => g.add(a, b),
        1 => g.sub(a, b),
        2 => g.mul(a, b),
        3 => g.div(a, b),
        4 => g.mul(a, constant),
        5 => g.add(constant, a),
        6 => g.unary(Unary::Sin, a),
        7 => g.neg(a),
        8 => g.binary(Binary::Less, a, b),
        9 => g.select(a, b, c),
        10 => g.sign_outside(a, b, c),
        11 => g.floor_outside(a, b, c),
        _ => g.sub(constant, a),
    }
}

struct Case {
    graph: Graph,
    roots: Vec<(NodeId, Slot, u32)>,
    guards: Guards,
    layout: Layout,
    leaves: Slot,
    index: Slot,
}

impl Case {
    fn tape(&mut self) -> Tape {
        let (leaves, index) = (self.leaves, self.index);
        let leaf = |key: u32| if key == LEAVES { index } else { leaves + key };
        let given = Default::default();
        let Case { graph, roots, guards, layout, .. } = self;
        Tape::compile_guarded(graph, roots, &given, guards, layout, &leaf)
    }
}

/// Leaf 0 is the number of the arm that is chosen; the others are real.
fn build(layers: &[Layer]) -> Case {
    let mut g = Graph::new();
    let mut layout = Layout::default();
    let (leaves, index) = (layout.reserve(LEAVES as usize), layout.reserve(1));
    let truth = layout.reserve(2);
    let mut guards = Guards::default();
    let arms = [guards.add(truth, 0), guards.add(truth + 1, 0)];
    let which = g.leaf(LEAVES, Type::INT);
    let mut pool: Vec<NodeId> = (0..LEAVES).map(|leaf| g.leaf(leaf, Type::REAL)).collect();
    let mut roots = Vec::new();
    // What only one arm needs.
    let mut aside: [Vec<NodeId>; 2] = [Vec::new(), Vec::new()];
    for layer in layers {
        let mut made = Vec::new();
        for i in 0..layer.count {
            let mut local: Vec<NodeId> =
                (0..4).map(|k| pool[(layer.from + k + i * layer.apart) % pool.len()]).collect();
            for step in &layer.steps {
                let top = local.len();
                let node = operation(&mut g, step, i, |back| local[top - 1 - back % top]);
                local.push(node);
            }
            made.push(local[local.len() - 1]);
        }
        match layer.arm {
            0 => pool.extend(&made),
            arm => aside[arm as usize - 1].extend(&made),
        }
        if let Some((apart, backwards)) = layer.root {
            let place = layout.reserve(made.len() * apart as usize);
            for (i, node) in made.iter().enumerate() {
                let i = if backwards { made.len() - 1 - i } else { i };
                let guard = if layer.arm == 0 { 0 } else { arms[layer.arm as usize - 1] };
                roots.push((*node, place.plus(i * usize::from(apart)), guard));
            }
        }
    }
    let pairs = aside[0].iter().zip(&aside[1]);
    let mut chosen: Vec<NodeId> = pairs.map(|(a, b)| g.choose(which, &[*a, *b], &arms)).collect();
    chosen.push(pool[pool.len() - 1]);
    let place = layout.reserve(chosen.len());
    roots.extend(chosen.iter().enumerate().map(|(i, node)| (*node, place.plus(i), 0)));
    Case { graph: g, roots, guards, layout, leaves, index }
}

fn compare<T: Scalar>(
    case: &Case,
    tape: &Tape,
    arm: usize,
    of: fn(f64, u32) -> T,
    same: fn(T, T) -> bool,
) {
    let mut slots: Vec<T> = case.layout.image().iter().map(|x| T::constant(*x)).collect();
    let value = |leaf: u32| match leaf {
        LEAVES => T::constant(arm as f64),
        _ => of(f64::from(leaf * 7 % 11) * 0.3 - 1.1, leaf),
    };
    (0..LEAVES).for_each(|leaf| slots[(case.leaves + leaf).index()] = value(leaf));
    slots[case.index.index()] = value(LEAVES);
    slots[case.index.index() + 1 + arm] = T::constant(1.0);
    run(tape, &mut slots);
    let plain = plainly(&case.graph, &value);
    let mut expected: HashMap<Slot, NodeId> = HashMap::new();
    let active = |guard: u32| guard == 0 || guard as usize == arm + 1;
    expected
        .extend(case.roots.iter().filter(|r| active(r.2)).map(|(node, slot, _)| (*slot, *node)));
    for (slot, node) in expected {
        assert!(same(slots[slot.index()], plain[node.index()]), "{node:?} at {slot:?}: {tape:?}");
    }
}

/// A NaN equals any other, whatever its sign.
fn same_float(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Four models side by side: one number of each in every slot of the buffer.
#[derive(Clone, Copy, Debug)]
struct Lanes([f64; 4]);

impl Lanes {
    fn each(of: impl Fn(usize) -> f64) -> Lanes {
        Lanes(std::array::from_fn(of))
    }
}

impl Scalar for Lanes {
    const EXTRA_NEWTON_STEPS: usize = 0;

    fn constant(value: f64) -> Self {
        Lanes([value; 4])
    }

    fn unknown() -> Self {
        Lanes([f64::NAN; 4])
    }

    fn primal(self) -> f64 {
        self.0[0]
    }

    fn unary(op: Unary, a: Self) -> Self {
        Lanes::each(|i| f64::unary(op, a.0[i]))
    }

    fn binary(op: Binary, a: Self, b: Self) -> Self {
        Lanes::each(|i| f64::binary(op, a.0[i], b.0[i]))
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        Lanes::each(|i| f64::select(condition.0[i], a.0[i], b.0[i]))
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        Lanes::each(|i| f64::sign_outside(d.0[i], side.0[i], residual.0[i]))
    }

    fn floor_outside(x: Self, cell: Self, residual: Self) -> Self {
        Lanes::each(|i| f64::floor_outside(x.0[i], cell.0[i], residual.0[i]))
    }

    fn index(row: &[Self], position: Self) -> Self {
        Lanes::each(|i| {
            let own: Vec<f64> = row.iter().map(|x| x.0[i]).collect();
            f64::index(&own, position.0[i])
        })
    }

    fn call(_: &dyn Opaque, _: &[&[Self]], _: &mut [Self]) {
        unreachable!("the graphs of this test call nothing");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// The same tape on four models at once is bit-identical to the run of each.
    #[test]
    fn lanes_have_the_bits_of_their_own_runs(layers in proptest::collection::vec(layer(), 1..5)) {
        let mut case = build(&layers);
        let tape = case.tape();
        let (leaves, index) = (case.leaves, case.index);
        let image = case.layout.image();
        let mut buffers: Vec<Vec<f64>> = vec![image.to_vec(); 4];
        for (lane, buffer) in buffers.iter_mut().enumerate() {
            for leaf in 0..LEAVES as usize {
                buffer[leaves.index() + leaf] = (leaf * 5 % 13) as f64 * 0.2 - 0.3 * lane as f64;
            }
            buffer[index.index() + 1] = 1.0;
        }
        let gather = |slot: usize| Lanes::each(|lane| buffers[lane][slot]);
        let mut together: Vec<Lanes> = (0..image.len()).map(gather).collect();
        run(&tape, &mut together);
        for (lane, buffer) in buffers.iter_mut().enumerate() {
            run(&tape, buffer);
            for (slot, value) in buffer.iter().enumerate() {
                prop_assert!(same_float(together[slot].0[lane], *value));
            }
        }
    }

    #[test]
    fn loops_have_the_bits_of_the_graph(layers in proptest::collection::vec(layer(), 1..6)) {
        let mut case = build(&layers);
        let tape = case.tape();
        for arm in 0..2 {
            compare::<f64>(&case, &tape, arm, |x, _| x, same_float);
            let jet = |x: f64, leaf: u32| if leaf.is_multiple_of(3) { Jet::time(x) } else { Jet::constant(x) };
            let all = |a: Jet, b: Jet| a.0.iter().zip(b.0).all(|(a, b)| same_float(*a, b));
            compare::<Jet>(&case, &tape, arm, jet, all);
            let partial = |x: f64, leaf: u32| match leaf % 5 {
                0 => Partial::unknown(),
                _ => Partial::constant(x),
            };
            let both = |a: Partial, b: Partial| a.known == b.known && same_float(a.value, b.value);
            compare::<Partial>(&case, &tape, arm, partial, both);
        }
    }
}

/// A chain of springs between masses: two loops, whatever its length, with the ends apart.
#[test]
fn a_chain_is_two_loops() {
    let mut lengths = Vec::new();
    for n in [100u32, 1000] {
        let mut g = Graph::new();
        let x: Vec<NodeId> = (0..n).map(|i| g.leaf(i, Type::REAL)).collect();
        let forces: Vec<NodeId> = (0..n as usize - 1)
            .map(|i| {
                let stretch = g.sub(x[i + 1], x[i]);
                let stiffness = g.real(2.0);
                g.mul(stiffness, stretch)
            })
            .collect();
        let mut layout = Layout::default();
        let (input, out) = (layout.reserve(n as usize), layout.reserve(n as usize));
        let roots: Vec<(NodeId, Slot)> = (1..n as usize - 1)
            .map(|i| {
                let mass = g.real(1.0 + i as f64);
                let force = g.sub(forces[i], forces[i - 1]);
                (g.div(force, mass), out.plus(i))
            })
            .collect();
        let tape = Tape::compile(&g, &roots, &mut layout, &|leaf| input + leaf);
        let mut slots = layout.image().to_vec();
        (0..n as usize).for_each(|i| slots[input.index() + i] = (i as f64).sin());
        run(&tape, &mut slots);
        for i in 1..n as usize - 1 {
            let x = |i: usize| slots[input.index() + i];
            let force = 2.0 * (x(i + 1) - x(i)) - 2.0 * (x(i) - x(i - 1));
            assert_eq!(slots[out.index() + i], force / (1.0 + i as f64));
        }
        lengths.push(tape.len());
    }
    // The forces at the ends have one use each and belong to what the end masses compute.
    assert_eq!(lengths, [8, 8]);
}
