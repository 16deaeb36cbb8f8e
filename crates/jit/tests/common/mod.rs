//! Random graphs.

use std::sync::Arc;

use base::{Shape, Type};
use ir::{Binary, Body, Graph, Guards, Layout, NodeId, Opaque, Slot, SlotRange, Tape, Unary};
use proptest::prelude::*;

/// A graph as choices: each makes a node from earlier ones.
#[derive(Clone, Debug)]
pub struct Case {
    choices: Vec<[u16; 4]>,
    /// Whether some of it is needed only under conditions.
    guarded: bool,
}

pub fn cases() -> impl Strategy<Value = Case> {
    (prop::collection::vec(any::<[u16; 4]>(), 5..120), any::<bool>())
        .prop_map(|(choices, guarded)| Case { choices, guarded })
}

/// Numbers of all sizes, and the odd ones.
pub fn numbers() -> impl Strategy<Value = Vec<f64>> {
    let odd = prop::sample::select(vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        1e300,
    ]);
    let number = prop_oneof![3 => -4.0..4.0f64, 2 => odd, 1 => any::<f64>()];
    prop::collection::vec(number, 64)
}

/// What a case has become.
pub struct Built {
    pub tape: Tape,
    pub layout: Layout,
    pub input: SlotRange,
    pub output: SlotRange,
    chosen: Slot,
    active: Slot,
}

impl Built {
    /// Puts which arm is chosen in the buffer.
    pub fn set_conditions(&self, slots: &mut [f64], numbers: &[f64]) {
        let arm = usize::from(numbers[0] > 0.0);
        slots[self.chosen.index()] = arm as f64;
        slots[self.active.index() + arm] = 1.0;
    }
}

/// Equal bit for bit, except for what kind of a number that is none.
pub fn same_bits(expected: &[f64], found: &[f64], tape: &Tape) {
    for (i, (a, b)) in expected.iter().zip(found).enumerate() {
        let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        assert!(same, "output {i} is {b:e} instead of {a:e} in {tape:#?}");
    }
}

const UNARY: [Unary; 21] = [
    Unary::Neg,
    Unary::Not,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Asin,
    Unary::Acos,
    Unary::Atan,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Tanh,
    Unary::Asinh,
    Unary::Acosh,
    Unary::Atanh,
    Unary::Exp,
    Unary::Log,
    Unary::Log10,
    Unary::Log2,
    Unary::Sqrt,
    Unary::Sign,
    Unary::Floor,
];

const BINARY: [Binary; 12] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Pow,
    Binary::Atan2,
    Binary::Hypot,
    Binary::And,
    Binary::Or,
    Binary::Equal,
    Binary::Less,
    Binary::LessEqual,
];

#[derive(Debug)]
struct Twist;

impl Opaque for Twist {
    fn name(&self) -> &str {
        "twist"
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result[0] = args[0][0] * 3.0 - args[1][0];
    }
}

/// u^3 + u = p, which has one solution.
fn body() -> Arc<Body> {
    let mut g = Graph::new();
    let u = g.leaf(0, Type::vector(1));
    let p = g.leaf(1, Type::REAL);
    let square = g.mul(u, u);
    let cube = g.mul(square, u);
    let sum = g.add(cube, u);
    let p = g.splat(p, Shape::Vector(1));
    let residual = g.sub(sum, p);
    Arc::new(Body::new(g, u, residual))
}

struct Maker {
    g: Graph,
    nodes: Vec<NodeId>,
    arms: [u32; 2],
    chosen: Slot,
}

impl Case {
    /// The tape of the graph over a buffer with its inputs and outputs.
    pub fn build(&self) -> Built {
        let mut layout = Layout::default();
        let lengths = [1, 1, 1, 3, 12, 12, 9, 5];
        let shapes = [
            Shape::Scalar,
            Shape::Scalar,
            Shape::Scalar,
            Shape::Vector(3),
            Shape::Vector(12),
            Shape::Vector(12),
            Shape::Matrix(3, 3),
            Shape::Vector(5),
        ];
        let total: usize = lengths.iter().sum();
        let input = layout.reserve(total);
        let (chosen, active) = (layout.reserve(1), layout.reserve(2));
        let mut guards = Guards::default();
        let arms = match self.guarded {
            true => [guards.add(active, 0), guards.add(active + 1, 0)],
            false => [0, 0],
        };
        let mut maker = Maker { g: Graph::new(), nodes: Vec::new(), arms, chosen };
        let mut from = input;
        for (length, shape) in lengths.iter().zip(shapes) {
            let ty = Type { shape, ..Type::REAL };
            maker.nodes.push(maker.g.leaf(from.0, ty));
            from = from.plus(*length);
        }
        self.choices.iter().for_each(|choice| maker.add(*choice));
        ir::verify(&maker.g, false).unwrap();
        let picked: Vec<NodeId> = maker.nodes.iter().rev().step_by(3).take(12).copied().collect();
        let width: usize = picked.iter().map(|node| maker.g.ty(*node).len()).sum();
        let out = layout.reserve(width);
        let mut roots = Vec::new();
        let mut at = out;
        for (i, node) in picked.iter().enumerate() {
            let guard = if i % 3 == 1 { arms[i % 2] } else { 0 };
            roots.push((*node, at, guard));
            at = at.plus(maker.g.ty(*node).len());
        }
        let none = Default::default();
        let tape = Tape::compile_guarded(&maker.g, &roots, &none, &guards, &mut layout, &Slot);
        Built { tape, layout, input: input.slots(total), output: out.slots(width), chosen, active }
    }
}

impl Maker {
    fn pick(&self, choice: u16) -> NodeId {
        // Late ones more often than early ones.
        let n = self.nodes.len();
        let back = usize::from(choice) % (n.min(9) + usize::from(choice >> 13) * n / 8 + 1);
        self.nodes[n - 1 - back.min(n - 1)]
    }

    /// One of the nodes with the shape of another.
    fn alike(&mut self, like: NodeId, choice: u16) -> NodeId {
        let shape = self.g.ty(like).shape;
        let own: Vec<NodeId> =
            self.nodes.iter().copied().filter(|node| self.g.ty(*node).shape == shape).collect();
        own[usize::from(choice) % own.len()]
    }

    fn scalar(&mut self, choice: u16) -> NodeId {
        let node = self.pick(choice);
        let length = self.g.ty(node).len();
        self.g.extract(node, usize::from(choice >> 8) % length, Shape::Scalar)
    }

    fn real(&self, node: NodeId) -> Type {
        Type { shape: self.g.ty(node).shape, ..Type::REAL }
    }

    fn add(&mut self, [kind, x, y, z]: [u16; 4]) {
        let a = self.pick(x);
        let b = self.alike(a, y);
        let c = self.alike(a, z);
        let node = match kind % 20 {
            0..=2 => self.g.unary(UNARY[usize::from(y) % UNARY.len()], a),
            3..=8 => self.g.binary(BINARY[usize::from(z) % 4], a, b),
            9 => self.g.binary(BINARY[usize::from(z) % BINARY.len()], a, b),
            10 => self.g.select(a, b, c),
            11 => {
                let condition = self.scalar(y);
                self.g.select(condition, a, c)
            }
            12 => self.g.sign_outside(a, b, c),
            13 => self.g.floor_outside(a, b, c),
            14 => {
                let (position, row) = (self.scalar(y), a);
                self.g.index(row, position)
            }
            15 => self.g.sum(a),
            16 => {
                let number = self.scalar(x);
                let shape = [Shape::Vector(3), Shape::Vector(12), Shape::Matrix(3, 3)];
                self.g.splat(number, shape[usize::from(y) % 3])
            }
            17 => {
                let index = self.g.leaf(self.chosen.0, Type::INT);
                let arms = self.arms;
                self.g.choose(index, &[a, b], &arms)
            }
            18 => {
                let parts = [self.scalar(x), self.scalar(y), self.scalar(z)];
                self.g.stack(&parts, Shape::Vector(3))
            }
            _ => self.rare(x, y, z),
        };
        let constant = kind.is_multiple_of(37);
        let node = match constant {
            true => {
                let ty = self.real(node);
                let data: Vec<f64> =
                    (0..ty.len()).map(|i| f64::from(kind) * 0.01 - i as f64).collect();
                let number = self.g.constant(ty, &data);
                self.g.add(node, number)
            }
            false => node,
        };
        self.nodes.push(node);
    }

    /// What the interpreter is called for.
    fn rare(&mut self, x: u16, y: u16, z: u16) -> NodeId {
        let of = |maker: &Maker, shape: Shape, choice: u16| {
            let own = maker.nodes.iter().copied().filter(|n| maker.g.ty(*n).shape == shape);
            let own: Vec<NodeId> = own.collect();
            own[usize::from(choice) % own.len()]
        };
        let matrix = of(self, Shape::Matrix(3, 3), x);
        let vector = of(self, Shape::Vector(3), y);
        match z % 6 {
            0 => self.g.matmul(matrix, vector),
            1 => self.g.transpose(matrix),
            2 => self.g.linear_solve(matrix, vector),
            3 => {
                let args = [self.scalar(x), self.scalar(y)];
                self.g.call(Arc::new(Twist), &args, Type::REAL)
            }
            4 => {
                let other = of(self, Shape::Matrix(3, 3), y);
                self.g.matmul(matrix, other)
            }
            _ => {
                let p = self.scalar(y);
                let guess = self.g.constant(Type::vector(1), &[0.5]);
                let solution = self.g.solve(body(), [guess, guess], &[p]);
                self.g.sum(solution)
            }
        }
    }
}
