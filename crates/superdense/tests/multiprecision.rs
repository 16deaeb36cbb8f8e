//! Exact derivatives to order 8, against an independent Taylor arithmetic in 300 bits, on random
//! programs over every function of the expression language.
//!
//! The model differentiates its graph, order after order. Here the Taylor coefficients of the same
//! program are found by the recurrences of power series (Griewank and Walther, Evaluating
//! Derivatives, chapter 13), and the largest term of all sums of an order is the scale of its error.

use std::cell::RefCell;

use crate::common::compile;
use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use proptest::prelude::*;

const BITS: usize = 300;
const ORDER: usize = 8;
const TO_NEAREST: RoundingMode = RoundingMode::ToEven;

thread_local! {
    static CONSTANTS: RefCell<Consts> = RefCell::new(Consts::new().expect("constants"));
    /// The largest term of the sums of each order.
    static LARGEST: RefCell<[f64; ORDER + 1]> = const { RefCell::new([0.0; ORDER + 1]) };
}

/// A number of many digits.
#[derive(Clone)]
struct Big(BigFloat);

impl Big {
    fn new(value: f64) -> Big {
        Big(BigFloat::from_f64(value, BITS))
    }

    fn add(&self, other: &Big) -> Big {
        Big(self.0.add(&other.0, BITS, TO_NEAREST))
    }

    fn sub(&self, other: &Big) -> Big {
        Big(self.0.sub(&other.0, BITS, TO_NEAREST))
    }

    fn mul(&self, other: &Big) -> Big {
        Big(self.0.mul(&other.0, BITS, TO_NEAREST))
    }

    fn div(&self, other: &Big) -> Big {
        Big(self.0.div(&other.0, BITS, TO_NEAREST))
    }

    /// A function that needs constants.
    fn map(&self, f: fn(&BigFloat, usize, RoundingMode, &mut Consts) -> BigFloat) -> Big {
        CONSTANTS.with_borrow_mut(|constants| Big(f(&self.0, BITS, TO_NEAREST, constants)))
    }

    fn float(&self) -> f64 {
        self.0.to_string().parse().expect("a number")
    }

    fn is_negative(&self) -> bool {
        self.0.sign() == Some(Sign::Neg) && !self.0.is_zero()
    }
}

/// The Taylor coefficients of a function of time.
type Series = Vec<Big>;

fn constant(value: f64) -> Series {
    (0..=ORDER).map(|k| Big::new(if k == 0 { value } else { 0.0 })).collect()
}

/// Adds up terms of an order, and keeps the largest.
fn sum(order: usize, terms: impl Iterator<Item = Big>) -> Big {
    let mut total = Big::new(0.0);
    for term in terms {
        let size = term.float().abs();
        LARGEST.with_borrow_mut(|largest| largest[order] = largest[order].max(size));
        total = total.add(&term);
    }
    total
}

fn add(a: &Series, b: &Series) -> Series {
    (0..=ORDER).map(|k| sum(k, [a[k].clone(), b[k].clone()].into_iter())).collect()
}

fn sub(a: &Series, b: &Series) -> Series {
    let negative = |x: &Big| Big::new(0.0).sub(x);
    (0..=ORDER).map(|k| sum(k, [a[k].clone(), negative(&b[k])].into_iter())).collect()
}

fn mul(a: &Series, b: &Series) -> Series {
    (0..=ORDER).map(|k| sum(k, (0..=k).map(|i| a[i].mul(&b[k - i])))).collect()
}

fn div(a: &Series, b: &Series) -> Series {
    let mut c: Series = Vec::new();
    for k in 0..=ORDER {
        let rest = sum(k, (1..=k).map(|i| b[i].mul(&c[k - i])));
        c.push(a[k].sub(&rest).div(&b[0]));
    }
    c
}

fn sqrt(a: &Series) -> Series {
    let mut c = vec![Big(a[0].0.sqrt(BITS, TO_NEAREST))];
    for k in 1..=ORDER {
        let rest = sum(k, (1..k).map(|i| c[i].mul(&c[k - i])));
        c.push(a[k].sub(&rest).div(&c[0].add(&c[0])));
    }
    c
}

/// The series of f(u) with the given value at the start, where `slope` is the series of f'(u).
fn integrate(value: Big, u: &Series, slope: &Series) -> Series {
    let mut c = vec![value];
    for k in 1..=ORDER {
        let terms = (1..=k).map(|j| Big::new(j as f64).mul(&u[j]).mul(&slope[k - j]));
        c.push(sum(k, terms).div(&Big::new(k as f64)));
    }
    c
}

fn exp(u: &Series) -> Series {
    let mut c = vec![u[0].map(BigFloat::exp)];
    for k in 1..=ORDER {
        let terms = (1..=k).map(|j| Big::new(j as f64).mul(&u[j]).mul(&c[k - j]));
        c.push(sum(k, terms).div(&Big::new(k as f64)));
    }
    c
}

/// Sine and cosine, or with `sign` 1 their hyperbolic kin.
fn pair(u: &Series, first: Big, second: Big, sign: f64) -> (Series, Series) {
    let (mut s, mut c) = (vec![first], vec![second]);
    for k in 1..=ORDER {
        let part = |of: &Series| {
            let terms = (1..=k).map(|j| Big::new(j as f64).mul(&u[j]).mul(&of[k - j]));
            sum(k, terms).div(&Big::new(k as f64))
        };
        let (next_s, next_c) = (part(&c), part(&s).mul(&Big::new(sign)));
        s.push(next_s);
        c.push(next_c);
    }
    (s, c)
}

fn sine(u: &Series) -> (Series, Series) {
    pair(u, u[0].map(BigFloat::sin), u[0].map(BigFloat::cos), -1.0)
}

fn hyperbolic(u: &Series) -> (Series, Series) {
    pair(u, u[0].map(BigFloat::sinh), u[0].map(BigFloat::cosh), 1.0)
}

/// One over the square root of a + b u^2, or with `root` false one over it.
fn below(u: &Series, a: f64, b: f64, root: bool) -> Series {
    let inside = add(&constant(a), &mul(&constant(b), &mul(u, u)));
    div(&constant(1.0), &if root { sqrt(&inside) } else { inside })
}

/// A program: what the model is given as text, and what is computed here.
#[derive(Clone, Debug)]
enum Tree {
    Time,
    State,
    Eighths(i8),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
}

use Tree::{Binary, Unary};

/// Functions of one number, each with a text in which its operand is inside its domain.
const UNARY: [(&str, &str); 24] = [
    ("sin", "sin(U)"),
    ("cos", "cos(U)"),
    ("tan", "tan(U)"),
    ("asin", "asin(sin(U) / 2)"),
    ("acos", "acos(sin(U) / 2)"),
    ("atan", "atan(U)"),
    ("sinh", "sinh(U)"),
    ("cosh", "cosh(U)"),
    ("tanh", "tanh(U)"),
    ("asinh", "asinh(U)"),
    ("acosh", "acosh(2 + sin(U))"),
    ("atanh", "atanh(sin(U) / 2)"),
    ("exp", "exp(U)"),
    ("log", "log(2 + sin(U))"),
    ("log10", "log10(2 + sin(U))"),
    ("log2", "log2(2 + sin(U))"),
    ("sqrt", "sqrt(2 + sin(U))"),
    ("abs", "abs(U)"),
    ("sign", "sign(U) * U"),
    ("floor", "(floor(U) + 1) * U"),
    ("ceil", "(ceil(U) + 1) * U"),
    ("round", "(round(U) + 1) * U"),
    ("neg", "-(U)"),
    ("cube", "(U)^3"),
];

const BINARY: [(&str, &str); 14] = [
    ("add", "(U + V)"),
    ("sub", "(U - V)"),
    ("mul", "(U) * (V)"),
    ("div", "(U) / (2 + sin(V))"),
    ("pow", "(2 + sin(U))^(V)"),
    ("atan2", "atan2(U, 2 + sin(V))"),
    ("hypot", "hypot(U, 2 + sin(V))"),
    ("min", "min(U, V)"),
    ("max", "max(U, V)"),
    ("mod", "mod(U, 3) * (V)"),
    ("sum", "sum([U, V, U])"),
    ("dot", "dot([U, V], [V, 2])"),
    ("norm", "norm([U, 2 + sin(V)])"),
    ("choice", "(if U < V then V * U else U - V)"),
];

impl Tree {
    fn text(&self) -> String {
        let entry = |table: &[(&'static str, &'static str)], name: &str| {
            table.iter().find(|entry| entry.0 == name).expect("a function").1
        };
        match self {
            Tree::Time => "time".to_owned(),
            Tree::State => "x".to_owned(),
            Tree::Eighths(n) => format!("({} / 8)", n),
            Unary(name, u) => entry(&UNARY, name).replace('U', &u.text()),
            Binary(name, u, v) => {
                let text = entry(&BINARY, name).replace('V', "\u{1}");
                text.replace('U', &u.text()).replace('\u{1}', &v.text())
            }
        }
    }

    fn series(&self, time: &Series, state: &Series) -> Series {
        match self {
            Tree::Time => time.clone(),
            Tree::State => state.clone(),
            Tree::Eighths(n) => constant(f64::from(*n) / 8.0),
            Unary(name, u) => unary(name, &u.series(time, state)),
            Binary(name, u, v) => binary(name, &u.series(time, state), &v.series(time, state)),
        }
    }
}

/// 2 + sin(u), and sin(u) / 2.
fn wrapped(u: &Series) -> (Series, Series) {
    let s = sine(u).0;
    (add(&constant(2.0), &s), mul(&constant(0.5), &s))
}

fn log(u: &Series) -> Series {
    integrate(u[0].map(BigFloat::ln), u, &div(&constant(1.0), u))
}

fn scaled_log(u: &Series, base: f64) -> Series {
    let base = Big::new(base).map(BigFloat::ln);
    log(u).iter().map(|c| c.div(&base)).collect()
}

/// A piecewise constant function of the value, times u.
fn times_u(u: &Series, factor: impl Fn(f64) -> f64) -> Series {
    mul(&constant(factor(u[0].float())), u)
}

fn sign_of(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

fn unary(name: &str, u: &Series) -> Series {
    let (two, half) = wrapped(u);
    let at = |u: &Series, f| u[0].map(f);
    match name {
        "sin" => sine(u).0,
        "cos" => sine(u).1,
        "tan" => {
            let (s, c) = sine(u);
            div(&s, &c)
        }
        "asin" => integrate(at(&half, BigFloat::asin), &half, &below(&half, 1.0, -1.0, true)),
        "acos" => {
            let slope = sub(&constant(0.0), &below(&half, 1.0, -1.0, true));
            integrate(at(&half, BigFloat::acos), &half, &slope)
        }
        "atan" => integrate(at(u, BigFloat::atan), u, &below(u, 1.0, 1.0, false)),
        "sinh" => hyperbolic(u).0,
        "cosh" => hyperbolic(u).1,
        "tanh" => {
            let (s, c) = hyperbolic(u);
            div(&s, &c)
        }
        "asinh" => integrate(at(u, BigFloat::asinh), u, &below(u, 1.0, 1.0, true)),
        "acosh" => integrate(at(&two, BigFloat::acosh), &two, &below(&two, -1.0, 1.0, true)),
        "atanh" => integrate(at(&half, BigFloat::atanh), &half, &below(&half, 1.0, -1.0, false)),
        "exp" => exp(u),
        "log" => log(&two),
        "log10" => scaled_log(&two, 10.0),
        "log2" => scaled_log(&two, 2.0),
        "sqrt" => sqrt(&two),
        "abs" | "sign" => times_u(u, sign_of),
        "floor" => times_u(u, |x| x.floor() + 1.0),
        "ceil" => times_u(u, |x| x.ceil() + 1.0),
        "round" => times_u(u, |x| (x + 0.5).floor() + 1.0),
        "neg" => sub(&constant(0.0), u),
        "cube" => mul(u, &mul(u, u)),
        other => unreachable!("{other} is no function"),
    }
}

fn binary(name: &str, u: &Series, v: &Series) -> Series {
    let above = wrapped(v).0;
    let hypot = |a: &Series, b: &Series| sqrt(&add(&mul(a, a), &mul(b, b)));
    let less = u[0].sub(&v[0]).is_negative();
    match name {
        "add" => add(u, v),
        "sub" => sub(u, v),
        "mul" => mul(u, v),
        "div" => div(u, &above),
        "pow" => exp(&mul(v, &log(&wrapped(u).0))),
        "atan2" => {
            // The second operand is positive.
            let quotient = div(u, &above);
            let value = quotient[0].map(BigFloat::atan);
            integrate(value, &quotient, &below(&quotient, 1.0, 1.0, false))
        }
        "hypot" | "norm" => hypot(u, &above),
        "min" => if less { u } else { v }.clone(),
        "max" => if less { v } else { u }.clone(),
        "mod" => {
            let cell = (u[0].float() / 3.0).floor();
            mul(&sub(u, &constant(3.0 * cell)), v)
        }
        "sum" => add(&add(u, v), u),
        "dot" => add(&mul(u, v), &mul(v, &constant(2.0))),
        "choice" => {
            if less {
                mul(v, u)
            } else {
                sub(u, v)
            }
        }
        other => unreachable!("{other} is no function"),
    }
}

fn tree(depth: u32) -> BoxedStrategy<Tree> {
    let leaf = prop_oneof![
        3 => Just(Tree::Time),
        3 => Just(Tree::State),
        1 => (-12..12i8).prop_map(Tree::Eighths),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || tree(depth - 1);
    prop_oneof![
        1 => leaf,
        4 => (0..UNARY.len(), inner()).prop_map(|(i, u)| Unary(UNARY[i].0, Box::new(u))),
        4 => (0..BINARY.len(), inner(), inner())
            .prop_map(|(i, u, v)| Binary(BINARY[i].0, Box::new(u), Box::new(v))),
    ]
    .boxed()
}

/// The derivatives of y = g(x, t) at the start, of order 1 to 8, where x' = f(x, t).
fn of_the_model(f: &Tree, g: &Tree, start: f64, x: f64) -> Option<Vec<f64>> {
    let mut text = format!(
        "blocks:\n  x:\n    type: Integrator\n    initial: {x}\n    input: {}\n  \
         d0:\n    type: Expression\n    expression: {}\n",
        f.text(),
        g.text()
    );
    for k in 1..=ORDER {
        text += &format!("  d{k}: {{type: Derivative, input: d{}}}\n", k - 1);
    }
    let names: Vec<String> = (0..=ORDER).map(|k| format!("d{k}")).collect();
    text += &format!(
        "record: [{}]\nsimulate: {{start: {start}, stop: {start} + 1 / 1024}}\n",
        names.join(", ")
    );
    let trace = compile(&text).simulate().ok()?.trace;
    names.iter().map(|name| trace.get(0, trace.column(name)?).map(|value| value[0])).collect()
}

/// The same from Taylor coefficients, with the largest term of each order.
fn by_series(f: &Tree, g: &Tree, start: f64, x: f64) -> (Vec<f64>, Vec<f64>) {
    LARGEST.with_borrow_mut(|largest| largest.fill(0.0));
    let mut time = constant(start);
    time[1] = Big::new(1.0);
    let mut state = constant(x);
    // Each round makes one more coefficient of the state right.
    for k in 0..ORDER {
        state[k + 1] = f.series(&time, &state)[k].div(&Big::new((k + 1) as f64));
    }
    let series = g.series(&time, &state);
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let values = (0..=ORDER).map(|k| series[k].float() * factorial(k)).collect();
    let largest = LARGEST.with_borrow(|largest| {
        (0..=ORDER).map(|k| largest[k] * factorial(k)).collect::<Vec<f64>>()
    });
    (values, largest)
}

/// A shift of time and state that is small, and large beside roundings.
const SHIFT: f64 = 1e-9;

fn check(f: &Tree, g: &Tree, start: f64, x: f64) -> Result<(), TestCaseError> {
    // A program that overflows or leaves a domain says nothing; another is drawn for it.
    let Some(found) = of_the_model(f, g, start, x) else {
        return Err(TestCaseError::reject("no value at the start"));
    };
    let (truth, largest) = by_series(f, g, start, x);
    let moved = [by_series(f, g, start + SHIFT, x).0, by_series(f, g, start, x + SHIFT).0];
    for k in 0..=ORDER {
        let scale = largest[..=k].iter().fold(truth[k].abs().max(1.0), |a, b| a.max(*b));
        // Next to a pole the rounding of an argument is a large change of the derivatives.
        let change = moved.iter().map(|moved| (moved[k] - truth[k]).abs()).fold(0.0, f64::max);
        let rounding = 64.0 * f64::EPSILON / SHIFT * change;
        prop_assert!(
            (found[k] - truth[k]).abs() <= 1e-12 * scale + rounding,
            "order {k} of {} with x' = {}, at t = {start}, x = {x}: {} is not {}, of terms to {scale:e}",
            g.text(),
            f.text(),
            found[k],
            truth[k]
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_of_random_programs_to_order_eight(
        f in tree(1),
        g in tree(2),
        start in (-10..10i8).prop_map(|n| f64::from(n) / 4.0 + 0.0625),
        x in (-10..10i8).prop_map(|n| f64::from(n) / 8.0 + 0.03125),
    ) {
        check(&f, &g, start, x)?;
    }
}

/// Every function by itself, of a signal that moves along the flow.
#[test]
fn derivatives_of_every_function_to_order_eight() {
    let flow = Unary("sin", Box::new(Tree::State));
    let (u, v) = (
        Box::new(Tree::State),
        Box::new(Binary("add", Box::new(Tree::Time), Box::new(Tree::Eighths(3)))),
    );
    let unary = UNARY.iter().map(|(name, _)| Unary(name, u.clone()));
    let binary = BINARY.iter().map(|(name, _)| Binary(name, u.clone(), v.clone()));
    for tree in unary.chain(binary) {
        for (start, x) in [(0.3125, 0.71875), (-1.1875, 1.40625), (2.0625, -0.53125)] {
            assert!(of_the_model(&flow, &tree, start, x).is_some(), "{}", tree.text());
            check(&flow, &tree, start, x).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
