//! Derivatives against differences in 400 bits, on random expressions of two states and an input.

use std::cell::RefCell;

use astro_float_num::{BigFloat, Consts, RoundingMode};
use proptest::prelude::*;

use super::linear;
use crate::common::compile;

const BITS: usize = 400;
const TO_NEAREST: RoundingMode = RoundingMode::ToEven;

thread_local! {
    static CONSTANTS: RefCell<Consts> = RefCell::new(Consts::new().expect("constants"));
}

/// An expression over x, z and u.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(usize),
    Number(i32),
    Of(&'static str, Box<Tree>),
    Two(&'static str, Box<Tree>, Box<Tree>),
}

const LEAVES: [&str; 3] = ["x", "z", "u"];

impl Tree {
    /// The text for a model. Divisors, roots and logarithms are kept away from their poles.
    fn text(&self) -> String {
        match self {
            Tree::Leaf(index) => LEAVES[*index].to_owned(),
            Tree::Number(value) => format!("({value} / 8)"),
            Tree::Of("root", a) => format!("sqrt(1 + ({})^2)", a.text()),
            Tree::Of("log", a) => format!("log(2 + ({})^2)", a.text()),
            Tree::Of(op, a) => format!("{op}({})", a.text()),
            Tree::Two("/", a, b) => format!("({}) / (3 + ({})^2)", a.text(), b.text()),
            Tree::Two(op, a, b) => format!("(({}) {op} ({}))", a.text(), b.text()),
        }
    }

    fn value(&self, leaves: &[BigFloat; 3]) -> BigFloat {
        let number = |value: f64| BigFloat::from_f64(value, BITS);
        let square = |a: &BigFloat| a.mul(a, BITS, TO_NEAREST);
        let with = |f: &dyn Fn(&mut Consts) -> BigFloat| CONSTANTS.with_borrow_mut(|own| f(own));
        match self {
            Tree::Leaf(index) => leaves[*index].clone(),
            Tree::Number(value) => number(f64::from(*value) / 8.0),
            Tree::Of(op, a) => {
                let a = a.value(leaves);
                let above = |by: f64| number(by).add(&square(&a), BITS, TO_NEAREST);
                match *op {
                    "root" => above(1.0).sqrt(BITS, TO_NEAREST),
                    "log" => with(&|own| above(2.0).ln(BITS, TO_NEAREST, own)),
                    "sin" => with(&|own| a.sin(BITS, TO_NEAREST, own)),
                    "cos" => with(&|own| a.cos(BITS, TO_NEAREST, own)),
                    "tanh" => with(&|own| a.tanh(BITS, TO_NEAREST, own)),
                    "atan" => with(&|own| a.atan(BITS, TO_NEAREST, own)),
                    _ => unreachable!("{op}"),
                }
            }
            Tree::Two(op, a, b) => {
                let (a, b) = (a.value(leaves), b.value(leaves));
                match *op {
                    "+" => a.add(&b, BITS, TO_NEAREST),
                    "-" => a.sub(&b, BITS, TO_NEAREST),
                    "*" => a.mul(&b, BITS, TO_NEAREST),
                    _ => {
                        let down = number(3.0).add(&square(&b), BITS, TO_NEAREST);
                        a.div(&down, BITS, TO_NEAREST)
                    }
                }
            }
        }
    }

    /// The derivative by a leaf: a central difference over 2^-130, whose error is far below that of
    /// a float.
    fn slope(&self, at: [f64; 3], leaf: usize) -> f64 {
        let step = BigFloat::from_f64(2f64.powi(-130), BITS);
        let moved = |up: bool| {
            let mut leaves = at.map(|value| BigFloat::from_f64(value, BITS));
            leaves[leaf] = match up {
                true => leaves[leaf].add(&step, BITS, TO_NEAREST),
                false => leaves[leaf].sub(&step, BITS, TO_NEAREST),
            };
            self.value(&leaves)
        };
        let difference = moved(true).sub(&moved(false), BITS, TO_NEAREST);
        let twice = step.add(&step, BITS, TO_NEAREST);
        difference.div(&twice, BITS, TO_NEAREST).to_string().parse().expect("a number")
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => (0..3usize).prop_map(Tree::Leaf),
        1 => (-20..20i32).prop_map(Tree::Number),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let one = prop::sample::select(vec!["root", "log", "sin", "cos", "tanh", "atan"]);
        let two = prop::sample::select(vec!["+", "-", "*", "/"]);
        prop_oneof![
            (one, inner.clone()).prop_map(|(op, a)| Tree::Of(op, Box::new(a))),
            (two, inner.clone(), inner).prop_map(|(op, a, b)| Tree::Two(
                op,
                Box::new(a),
                Box::new(b)
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn derivatives_are_exact_to_rounding(
        rate in tree(),
        output in tree(),
        at in prop::array::uniform3(-2.0f64..2.0),
    ) {
        let text = format!(
            "inputs: {{u: {{initial: {}}}}}
blocks:
  x: {{type: Integrator, input: '{}', initial: {}}}
  z: {{type: Integrator, input: -z, initial: {}}}
  y: {{type: Expression, expression: '{} + 0 * x'}}
record: [x, z, y]
",
            at[2], rate.text(), at[0], at[1], output.text(),
        );
        let system = compile(&text);
        let found = linear(&system, &["u"], &["y"]);
        let own = &found.system;
        for (tree, row) in [
            (&rate, [own.a.get(0, 0), own.a.get(0, 1), own.b.get(0, 0)]),
            (&output, [own.c.get(0, 0), own.c.get(0, 1), own.d.get(0, 0)]),
        ] {
            for (leaf, value) in row.into_iter().enumerate() {
                let expected = tree.slope(at, leaf);
                // Rounding of intermediate values, which are larger than the result where it cancels.
                let allowed = 1e-11 * expected.abs().max(1.0);
                prop_assert!(
                    (value - expected).abs() < allowed,
                    "by {}: {value} is not {expected} in\n{text}",
                    LEAVES[leaf]
                );
            }
        }
    }
}
