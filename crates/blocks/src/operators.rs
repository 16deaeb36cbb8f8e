//! The operators of expressions on signals: value, presence and impulses together.

use base::{Diagnostic, Elem, Shape, Span, Type};
use ir::{Binary, Graph, NodeId, Unary};

use crate::{Context, Signal};

const NONLINEAR: &str = "an impulse reaches a nonlinear function, which has no meaning";
const APART: &str = "an impulse is multiplied by a signal that jumps at another microstep of the \
    same instant: the result depends on the order of the microsteps";
const INVERSE: &str = "a division by an impulse: the inverse of an impulse has no meaning";
const CONDITION: &str = "an impulse reaches a condition: on which side it is has no meaning";

impl Context<'_> {
    /// `-a`, part by part.
    pub fn negate(&mut self, a: &Signal) -> Signal {
        let impulses = a.impulses.iter().map(|i| self.graph.neg(*i)).collect();
        Signal { value: self.graph.neg(a.value), present: a.present, impulses }
    }

    /// `a + b` or `a - b`: linear, part by part; absent if an operand is.
    pub fn add(&mut self, a: &Signal, b: &Signal, op: Binary) -> Signal {
        let value = self.graph.binary(op, a.value, b.value);
        let present = self.graph.and(a.present, b.present);
        let impulses = self.sum_of_impulses(a, b, op);
        let impulses = self.carried(present, impulses);
        Signal { value, present, impulses }
    }

    /// The sum of whichever of the two signals are present; absent if both are absent.
    pub fn add_present(&mut self, a: &Signal, b: &Signal) -> Signal {
        let impulses = self.sum_of_impulses(a, b, Binary::Add);
        let g = &mut self.graph;
        let both = g.add(a.value, b.value);
        let without_b = g.select(b.present, both, a.value);
        let value = g.select(a.present, without_b, b.value);
        Signal { value, present: g.or(a.present, b.present), impulses }
    }

    fn sum_of_impulses(&mut self, a: &Signal, b: &Signal, op: Binary) -> Vec<NodeId> {
        let g = &mut self.graph;
        let orders = a.impulses.len().max(b.impulses.len());
        (0..orders)
            .map(|i| match (a.impulses.get(i), b.impulses.get(i)) {
                (Some(a), Some(b)) => g.binary(op, *a, *b),
                (Some(a), None) => *a,
                (None, Some(b)) if op == Binary::Sub => g.neg(*b),
                (None, Some(b)) => *b,
                (None, None) => unreachable!("an order below the greater number of orders"),
            })
            .collect()
    }

    /// The impulses of a result that is present under a condition: an absent signal carries none.
    fn carried(&mut self, present: NodeId, impulses: Vec<NodeId>) -> Vec<NodeId> {
        let carried = |impulse| {
            let zero = self.graph.filled(self.graph.ty(impulse), 0.0);
            self.graph.select(present, impulse, zero)
        };
        impulses.into_iter().map(carried).collect()
    }

    /// `a * b`, absent if a factor is. If one factor carries an impulse, the other scales it, and
    /// must neither jump at that microstep nor carry an impulse itself.
    pub fn multiply(&mut self, a: &Signal, b: &Signal) -> Result<Signal, String> {
        let value = self.product(a.value, b.value);
        let present = self.graph.and(a.present, b.present);
        let impulses = match (a.impulses.is_empty(), b.impulses.is_empty()) {
            (true, true) => Vec::new(),
            (false, true) => self.scale_impulses(a, b, false)?,
            (true, false) => self.scale_impulses(b, a, true)?,
            (false, false) => self.product_of_impulses(a, b)?,
        };
        let impulses = self.carried(present, impulses);
        Ok(Signal { value, present, impulses })
    }

    /// Two factors of a product or a quotient, each replaced by `one` of its type if it is absent
    /// and the other is not; both are absent if both were.
    pub fn or_one(
        &mut self,
        a: &Signal,
        b: &Signal,
        one: fn(&mut Graph, Type) -> NodeId,
    ) -> [Signal; 2] {
        let present = self.graph.or(a.present, b.present);
        [a, b].map(|signal| {
            let ty = self.graph.ty(signal.value);
            let one = one(&mut self.graph, ty);
            let value = self.graph.select(signal.present, signal.value, one);
            Signal { value, present, impulses: signal.impulses.clone() }
        })
    }

    fn product_of_impulses(&mut self, a: &Signal, b: &Signal) -> Result<Vec<NodeId>, String> {
        let (mut any_a, mut any_b) = (self.graph.bool(false), self.graph.bool(false));
        for i in &a.impulses {
            let some = self.nonzero(*i);
            any_a = self.graph.or(any_a, some);
        }
        for i in &b.impulses {
            let some = self.nonzero(*i);
            any_b = self.graph.or(any_b, some);
        }
        let both = self.graph.and(any_a, any_b);
        self.refuse_where(both, "the product of two impulses has no meaning");
        let first = self.scale_impulses(a, b, false)?;
        let second = self.scale_impulses(b, a, true)?;
        let longest = first.len().max(second.len());
        let sum = |i| match (first.get(i), second.get(i)) {
            (Some(x), Some(y)) => self.graph.add(*x, *y),
            (x, y) => *x.or(y).expect("one of the two is long enough"),
        };
        Ok((0..longest).map(sum).collect())
    }

    fn scale_impulses(
        &mut self,
        carrier: &Signal,
        factor: &Signal,
        swapped: bool,
    ) -> Result<Vec<NodeId>, String> {
        let orders = carrier.impulses.len();
        let constant = self.graph.is_fixed(factor.value);
        let mut derivatives = vec![factor.value];
        if !constant {
            derivatives.extend(self.derivatives(factor.value, orders as u32 - 1));
            self.refuse_jumps(&derivatives, &carrier.impulses);
        }
        let mut impulses: Vec<Option<NodeId>> = vec![None; orders];
        for (i, coefficient) in carrier.impulses.iter().enumerate() {
            for (k, derivative) in derivatives.iter().enumerate().take(i + 1) {
                // f delta^(i) = sum over k of (-1)^k C(i, k) f^(k) delta^(i - k)
                let product = match swapped {
                    true => self.product(*derivative, *coefficient),
                    false => self.product(*coefficient, *derivative),
                };
                let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
                let factor = self.graph.real(sign * binomial(i, k));
                let term = self.graph.mul(factor, product);
                let sum = &mut impulses[i - k];
                *sum = Some(sum.map_or(term, |sum| self.graph.add(sum, term)));
            }
        }
        Ok(impulses.into_iter().map(|sum| sum.expect("every order has a term")).collect())
    }

    /// Makes it an error if an impulse of order i meets a factor whose value or one of whose first
    /// i derivatives jumps at the same microstep.
    fn refuse_jumps(&mut self, derivatives: &[NodeId], impulses: &[NodeId]) {
        for (k, derivative) in derivatives.iter().enumerate() {
            let (now, present) = (*derivative, self.graph.bool(true));
            let signal = Signal { value: now, present, impulses: Vec::new() };
            let before = self.just_before(&signal);
            let change = self.graph.sub(now, before.value);
            let jumps = self.nonzero(change);
            let mut hit = self.graph.bool(false);
            for impulse in &impulses[k..] {
                let some = self.nonzero(*impulse);
                hit = self.graph.or(hit, some);
            }
            let both = self.graph.and(jumps, hit);
            if !self.remembers(now) {
                self.warn_apart(hit, jumps, APART);
            }
            self.refuse_where(
                both,
                match k {
                    0 => "an impulse is multiplied by a signal that jumps at the same microstep",
                    _ => {
                        "an impulse is multiplied by a signal with a derivative that jumps at the \
                          same microstep"
                    }
                },
            );
        }
    }

    /// The matrix product if the left factor is a matrix and the right one a matrix or a vector,
    /// otherwise the elementwise product.
    pub(crate) fn product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.graph.ty(a).shape, self.graph.ty(b).shape) {
            (Shape::Matrix(..), Shape::Matrix(..) | Shape::Vector(_)) => self.graph.matmul(a, b),
            _ => self.graph.mul(a, b),
        }
    }

    /// `a / b`, absent if an operand is. It scales the impulses of a; b must not carry any.
    pub fn divide(&mut self, a: &Signal, b: &Signal) -> Result<Signal, String> {
        self.refuse_impulses(b, INVERSE);
        let value = self.graph.div(a.value, b.value);
        let present = self.graph.and(a.present, b.present);
        let impulses = if a.impulses.is_empty() {
            Vec::new()
        } else {
            let one = self.graph.real(1.0);
            let inverse = self.graph.div(one, b.value);
            let inverse = Signal { value: inverse, present: b.present, impulses: Vec::new() };
            let impulses = self.scale_impulses(a, &inverse, false)?;
            self.carried(present, impulses)
        };
        Ok(Signal { value, present, impulses })
    }

    /// A function of one operand that must not carry impulses.
    pub fn map(&mut self, op: Unary, a: &Signal) -> Signal {
        self.refuse_impulses(a, NONLINEAR);
        Signal { value: self.graph.unary(op, a.value), present: a.present, impulses: vec![] }
    }

    /// A function of operands that must not carry impulses; absent if any operand is.
    pub fn strict(
        &mut self,
        operands: &[Signal],
        f: impl FnOnce(&mut Graph, &[NodeId]) -> NodeId,
    ) -> Signal {
        let mut present = self.graph.bool(true);
        for operand in operands {
            self.refuse_impulses(operand, NONLINEAR);
            present = self.graph.and(present, operand.present);
        }
        let values: Vec<NodeId> = operands.iter().map(|operand| operand.value).collect();
        Signal { value: f(&mut self.graph, &values), present, impulses: Vec::new() }
    }

    /// One of two signals. The condition must be present, and so must the chosen signal. An
    /// elementwise condition needs both.
    pub fn choose(&mut self, condition: &Signal, a: &Signal, b: &Signal) -> Signal {
        self.refuse_impulses(condition, CONDITION);
        let shape = self.graph.ty(condition.value).shape;
        let [a, b] = &[a, b].map(|signal| self.spread(signal, shape));
        let impulses = self.chosen_impulses(condition, a, b);
        let impulses = self.carried(condition.present, impulses);
        let g = &mut self.graph;
        let value = g.select(condition.value, a.value, b.value);
        let chosen = match shape {
            Shape::Scalar => g.select(condition.value, a.present, b.present),
            _ => g.and(a.present, b.present),
        };
        Signal { value, present: g.and(condition.present, chosen), impulses }
    }

    /// Extends a scalar signal to all elements of a shape.
    fn spread(&mut self, signal: &Signal, shape: Shape) -> Signal {
        let mut whole = |node: NodeId| match self.graph.ty(node).is_scalar() {
            true => self.graph.splat(node, shape),
            false => node,
        };
        let impulses = signal.impulses.iter().map(|impulse| whole(*impulse)).collect();
        Signal { value: whole(signal.value), present: signal.present, impulses }
    }

    /// The impulses of the chosen signal; when the choice changes, neither may carry one.
    fn chosen_impulses(&mut self, condition: &Signal, a: &Signal, b: &Signal) -> Vec<NodeId> {
        let orders = a.impulses.len().max(b.impulses.len());
        if orders == 0 {
            return Vec::new();
        }
        let before = self.just_before(condition);
        let same = self.graph.binary(Binary::Equal, condition.value, before.value);
        let switches = self.graph.not(same);
        let switches = self.nonzero(switches);
        for impulse in a.impulses.iter().chain(&b.impulses) {
            let hit = self.nonzero(*impulse);
            let both = self.graph.and(hit, switches);
            self.refuse_where(both, "a choice between signals changes where one has an impulse");
        }
        let ty = self.graph.ty(a.value).with_elem(Elem::Real);
        let zero = self.graph.filled(ty, 0.0);
        let part = |signal: &Signal, i: usize| signal.impulses.get(i).copied().unwrap_or(zero);
        (0..orders).map(|i| self.graph.select(condition.value, part(a, i), part(b, i))).collect()
    }

    /// `a < b` and the like, as a reading of the side of a - b.
    pub fn compare(&mut self, a: &Signal, b: &Signal, holds: [bool; 3]) -> Signal {
        self.refuse_impulses(a, CONDITION);
        self.refuse_impulses(b, CONDITION);
        let value = |signal: &Signal| Signal { impulses: Vec::new(), ..signal.clone() };
        self.strict(&[value(a), value(b)], |g, v| {
            let side = g.frozen_sign(v[0], v[1]);
            read_side(g, side, holds)
        })
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

/// Whether a side is one of those for which the comparison holds: negative, zero, positive.
pub(crate) fn read_side(g: &mut Graph, side: NodeId, holds: [bool; 3]) -> NodeId {
    let zero = g.constant(Type::INT, &[0.0]);
    match holds {
        [true, false, false] => g.binary(Binary::Less, side, zero),
        [true, true, false] => g.binary(Binary::LessEqual, side, zero),
        [false, false, true] => g.binary(Binary::Less, zero, side),
        [false, true, true] => g.binary(Binary::LessEqual, zero, side),
        other => unreachable!("no operator holds for {other:?}"),
    }
}

/// The shape of an elementwise operation, or why there is none.
pub(crate) fn common_shape(a: Type, b: Type, span: Span) -> Result<(), Diagnostic> {
    let fits = a.shape == b.shape || a.is_scalar() || b.is_scalar();
    if fits {
        return Ok(());
    }
    Err(Diagnostic::error(
        "size-mismatch",
        format!("{} and {} do not fit together", a.with_article(), b.with_article()),
    )
    .at(span, "both sides need the same size, or one must be a scalar"))
}

/// Refuses truth values if numbers are required.
pub(crate) fn number(ty: Type, span: Span, what: &str) -> Result<(), Diagnostic> {
    if ty.elem != Elem::Bool {
        return Ok(());
    }
    Err(Diagnostic::error("type-mismatch", format!("{what} needs numbers, and this is a boolean"))
        .at(span, "this is a boolean")
        .help("choose numbers with `if ... then 1 else 0`"))
}

/// Refuses numbers if truth values are required.
pub(crate) fn truth(ty: Type, span: Span, what: &str) -> Result<(), Diagnostic> {
    if ty.elem == Elem::Bool {
        return Ok(());
    }
    let message = format!("{what} needs booleans, and this is {}", ty.with_article());
    Err(Diagnostic::error("type-mismatch", message)
        .at(span, format!("this is {}", ty.with_article()))
        .help("compare it with something, such as `x != 0`"))
}
