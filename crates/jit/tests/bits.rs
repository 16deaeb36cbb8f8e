//! Random graphs over all operations: native code gives the bits of the interpreter.

use crate::common::{self, Case, same_bits};
use base::{Elem, Shape, Type};
use ir::{Layout, SlotRange, Tape};
use jit::{Compiled, Plan, compile};
use proptest::prelude::*;

/// Runs a case in both ways and compares every number that lives on.
fn check(case: &Case, inputs: &[Vec<f64>]) {
    let built = case.build();
    let slots = built.layout.image().len();
    let (input, output, none) = (built.input, built.output, SlotRange::default());
    let in_buffer = Plan { tape: &built.tape, slots, inputs: [none; 2], outputs: [none; 2] };
    let apart = Plan { inputs: [input, none], outputs: [output, none], ..in_buffer.clone() };
    let compiled = compile(&[in_buffer, apart], &[], None).expect("this machine has native code");
    for numbers in inputs {
        let mut expected = built.layout.image().to_vec();
        expected[input.indices()].copy_from_slice(&numbers[..input.len()]);
        expected[output.indices()].fill(-7.0);
        built.set_conditions(&mut expected, numbers);
        let mut native = expected.clone();
        let mut other = expected.clone();
        other[input.indices()].fill(f64::NAN);
        ir::run(&built.tape, &mut expected);
        compiled.routines[0].run(&mut native, [&[], &[]], [&mut [], &mut []]);
        let mut out = vec![-7.0; output.len()];
        let x = &numbers[..input.len()];
        compiled.routines[1].run(&mut other, [x, &[]], [&mut out, &mut []]);
        same_bits(&expected[output.indices()], &native[output.indices()], &built.tape);
        same_bits(&expected[output.indices()], &out, &built.tape);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    #[test]
    fn native_code_has_the_bits_of_the_interpreter(
        case in common::cases(),
        inputs in prop::collection::vec(common::numbers(), 4),
    ) {
        check(&case, &inputs);
    }
}

/// Native code of one tape whose operands and results are apart from its buffer.
fn compiled(tape: &Tape, layout: &Layout, input: SlotRange, output: SlotRange) -> Compiled {
    let (slots, none) = (layout.image().len(), SlotRange::default());
    let (inputs, outputs) = ([input, none], [output, none]);
    compile(&[Plan { tape, slots, inputs, outputs }], &[], None).unwrap()
}

/// A tape longer than one function: values cross from one to the next through the buffer.
#[test]
fn long_tapes_are_cut() {
    let mut g = ir::Graph::new();
    let mut nodes: Vec<ir::NodeId> = (0..4).map(|leaf| g.leaf(leaf, Type::REAL)).collect();
    for i in 0..15000 {
        let (a, b) = (nodes[nodes.len() - 1 - i % 3], nodes[(i * 7919) % nodes.len()]);
        let node = match i % 4 {
            0 => g.add(a, b),
            1 => g.sub(a, b),
            2 => {
                let half = g.real(0.37);
                g.mul(a, half)
            }
            _ => g.unary(ir::Unary::Sin, a),
        };
        nodes.push(node);
    }
    let mut layout = Layout::default();
    let (input, out) = (layout.reserve(4), layout.reserve(8));
    let last = &nodes[nodes.len() - 8..];
    let roots: Vec<(ir::NodeId, ir::Slot)> =
        last.iter().copied().zip(out.slots(8).iter()).collect();
    let tape = Tape::compile(&g, &roots, &mut layout, &|leaf| input + leaf);
    assert!(tape.len() > 4000, "{}", tape.len());
    let compiled = compiled(&tape, &layout, input.slots(4), out.slots(8));
    let x = [0.1, -0.7, 1.3, 2.9];
    let mut expected = layout.image().to_vec();
    let mut native = expected.clone();
    expected[input.range(4)].copy_from_slice(&x);
    ir::run(&tape, &mut expected);
    let mut found = [0.0; 8];
    compiled.routines[0].run(&mut native, [&x, &[]], [&mut found, &mut []]);
    same_bits(&expected[out.range(8)], &found, &tape);
}

/// A function of the user that panics does so in native code too, and the routine is as good as
/// before.
#[test]
fn a_panic_passes_through() {
    #[derive(Debug)]
    struct Picky;
    impl ir::Opaque for Picky {
        fn name(&self) -> &str {
            "picky"
        }
        fn call(&self, args: &[&[f64]], result: &mut [f64]) {
            assert!(args[0][0] > 0.0, "only positive numbers");
            result[0] = args[0][0].sqrt();
        }
    }
    let mut g = ir::Graph::new();
    let x = g.leaf(0, Type::REAL);
    let root = g.call(std::sync::Arc::new(Picky), &[x], Type::REAL);
    let mut layout = Layout::default();
    let (input, out) = (layout.reserve(1), layout.reserve(1));
    let tape = Tape::compile(&g, &[(root, out)], &mut layout, &|_| input);
    let compiled = compiled(&tape, &layout, input.slots(1), out.slots(1));
    let call = |x: f64| {
        let (mut buffer, mut result) = (layout.image().to_vec(), [0.0]);
        compiled.routines[0].run(&mut buffer, [&[x], &[]], [&mut result, &mut []]);
        result[0]
    };
    assert_eq!(call(9.0), 3.0);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call(-1.0)));
    let words = caught.unwrap_err();
    assert_eq!(words.downcast_ref::<&str>(), Some(&"only positive numbers"));
    assert_eq!(call(16.0), 4.0);
}

/// One of three expressions: the first two run side by side, the last calls functions.
fn of_three(g: &mut ir::Graph, [k, x, y]: [ir::NodeId; 3], kind: u32) -> ir::NodeId {
    use ir::{Binary, Unary};
    let difference = g.sub(x, y);
    let scaled = g.mul(k, difference);
    match kind {
        0 => {
            let root = g.unary(Unary::Sqrt, scaled);
            g.div(root, x)
        }
        1 => {
            let less = g.binary(Binary::Less, x, y);
            let sign = g.unary(Unary::Sign, scaled);
            let floor = g.unary(Unary::Floor, x);
            let picked = g.select(less, sign, floor);
            let not = g.not(picked);
            let both = g.or(not, less);
            g.add(picked, both)
        }
        _ => {
            let sine = g.unary(Unary::Sin, scaled);
            g.sign_outside(sine, x, y)
        }
    }
}

/// Expressions whose slots are evenly apart are loops, two iterations at a time if every
/// operation can; odd numbers and distances other than one leave some over.
#[test]
fn loops_have_the_bits_of_the_interpreter() {
    for (count, stride, kind) in
        [(9u32, 1u32, 0), (40, 2, 0), (33, 3, 1), (64, 1, 1), (17, 2, 2), (31, 1, 2)]
    {
        let mut g = ir::Graph::new();
        let k = g.leaf(0, Type::REAL);
        let mut layout = Layout::default();
        let input = layout.reserve(1 + (count * stride) as usize + 2);
        let out = layout.reserve((count * stride) as usize);
        let mut roots = Vec::new();
        for i in 0..count {
            let x = g.leaf(1 + i * stride, Type::REAL);
            let y = g.leaf(2 + i * stride, Type::REAL);
            let node = of_three(&mut g, [k, x, y], kind);
            roots.push((node, out + i * stride));
        }
        let tape = Tape::compile(&g, &roots, &mut layout, &|leaf| input + leaf);
        assert!(tape.len() < 9, "no loop in {tape:?}");
        let slots = layout.image().len();
        let (length, none) = ((count * stride) as usize, SlotRange::default());
        let inputs = [input.slots(length + 3), none];
        let outputs = [out.slots(length), none];
        let plan = Plan { tape: &tape, slots, inputs, outputs };
        let compiled = compile(&[plan], &[], None).unwrap();
        let x: Vec<f64> = (0..count * stride + 3)
            .map(|i| match i % 11 {
                7 => f64::NAN,
                5 => -0.0,
                3 => f64::INFINITY,
                _ => (f64::from(i) * 0.7).sin() * 3.0,
            })
            .collect();
        let mut expected = layout.image().to_vec();
        let mut native = expected.clone();
        expected[input.range(x.len())].copy_from_slice(&x);
        ir::run(&tape, &mut expected);
        let mut found = vec![0.0; (count * stride) as usize];
        compiled.routines[0].run(&mut native, [&x, &[]], [&mut found, &mut []]);
        same_bits(&expected[out.range(found.len())], &found, &tape);
    }
}

/// A loop may begin and end in the buffer and read an array of the caller in between.
#[test]
fn loops_over_an_array_in_the_middle_have_the_bits_of_the_interpreter() {
    let (count, stride, window) = (9u32, 3u32, 10u32..20);
    let (mut g, mut layout) = (ir::Graph::new(), Layout::default());
    let input = layout.reserve(1 + (count * stride) as usize + 2);
    let out = layout.reserve(count as usize);
    let k = g.leaf(0, Type::REAL);
    let mut roots = Vec::new();
    for i in 0..count {
        let [x, y] = [1, 2].map(|leaf| g.leaf(leaf + i * stride, Type::REAL));
        roots.push((of_three(&mut g, [k, x, y], 0), out + i));
    }
    let tape = Tape::compile(&g, &roots, &mut layout, &|leaf| input + leaf);
    assert!(tape.len() < 9, "no loop in {tape:?}");
    let slots = layout.image().len();
    let none = SlotRange::default();
    let inputs = [(input + window.start).slots(window.len()), none];
    let plan = Plan { tape: &tape, slots, inputs, outputs: [none; 2] };
    let compiled = compile(&[plan], &[], None).unwrap();
    let mut expected = layout.image().to_vec();
    let all = input.index()..out.index();
    expected[all.clone()].iter_mut().enumerate().for_each(|(i, x)| *x = (i as f64).sin());
    let mut native = expected.clone();
    let inner = window.start as usize..window.end as usize;
    let own = expected[all.clone()][inner.clone()].to_vec();
    native[all][inner].fill(f64::NAN);
    ir::run(&tape, &mut expected);
    compiled.routines[0].run(&mut native, [&own, &[]], [&mut [], &mut []]);
    let output = out.range(count as usize);
    same_bits(&expected[output.clone()], &native[output], &tape);
}

/// A product of two matrices that are inputs, of any size, in the buffer and in arrays apart.
fn product(rows: u32, inner: u32, columns: u32) -> (Tape, Vec<f64>, SlotRange, SlotRange) {
    let mut g = ir::Graph::new();
    let matrix = |rows, columns| Type { elem: Elem::Real, shape: Shape::Matrix(rows, columns) };
    let a = g.leaf(0, matrix(rows, inner));
    let b = match columns {
        1 => g.leaf(1, Type::vector(inner)),
        _ => g.leaf(1, matrix(inner, columns)),
    };
    let root = g.matmul(a, b);
    let mut layout = Layout::default();
    let (left, length) = (rows * inner, rows * inner + inner * columns);
    let input = layout.reserve(length as usize);
    let output = layout.reserve((rows * columns) as usize);
    let leaf = |key: u32| if key == 0 { input } else { input + left };
    let tape = Tape::compile(&g, &[(root, output)], &mut layout, &leaf);
    (
        tape,
        layout.image().to_vec(),
        input.slots(length as usize),
        output.slots((rows * columns) as usize),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    #[test]
    fn products_have_the_bits_of_the_interpreter(
        (rows, inner, columns) in (1u32..21, 1u32..14, 1u32..5),
        numbers in prop::collection::vec(prop::num::f64::ANY, 400),
    ) {
        let (tape, image, input, output) = product(rows, inner, columns);
        let slots = image.len();
        let none = SlotRange::default();
        let in_buffer = Plan { tape: &tape, slots, inputs: [none; 2], outputs: [none; 2] };
        let apart = Plan { inputs: [input, none], outputs: [output, none], ..in_buffer.clone() };
        let compiled = compile(&[in_buffer, apart], &[], None).expect("native code");
        let mut expected = image.clone();
        expected[input.indices()].copy_from_slice(&numbers[..input.len()]);
        let (mut native, mut other) = (expected.clone(), image);
        ir::run(&tape, &mut expected);
        compiled.routines[0].run(&mut native, [&[], &[]], [&mut [], &mut []]);
        let mut out = vec![0.0; output.len()];
        let x = &numbers[..input.len()];
        compiled.routines[1].run(&mut other, [x, &[]], [&mut out, &mut []]);
        same_bits(&expected[output.indices()], &native[output.indices()], &tape);
        same_bits(&expected[output.indices()], &out, &tape);
    }
}
