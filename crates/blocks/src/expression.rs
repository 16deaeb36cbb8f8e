//! An expression over signals as a block of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, Elem, Shape, Span, Type, Value};
use expr::{BinaryOp, Expr, ExprKind, Function, UnaryOp};
use ir::{Binary, NodeId, Unary};

use crate::operators::{common_shape, number, read_side, truth};
use crate::{
    Accepts, Block, Context, Count, Impulses, Info, Input, Instants, Output, Setting, Signal,
};

/// What a name in an expression means.
#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    /// A parameter.
    Constant(Value),
    /// The signal at the port of this number.
    Port(usize),
}

/// An expression whose names have been resolved.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The expression.
    pub expr: Expr,
    /// Its names.
    pub operands: BTreeMap<String, Operand>,
}

impl Block for Formula {
    fn info(&self) -> Info {
        Info {
            name: "expression",
            shelf: "Mathematics",
            summary: "An expression over signals.",
            equations: "",
            absence: "",
            impulses: "",
            inputs: &[Input {
                name: "operands",
                about: "The signals that the expression names.",
                count: Count::Many,
                presence: Accepts::Any,
            }],
            outputs: &[Output { name: "output", about: "The value of the expression." }],
            parameters: &[],
            example: "",
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let signal = self.lower(cx, &self.expr)?;
        cx.output("output", signal);
        Ok(())
    }

    fn why_not_finite(&self, inputs: &[Option<Value>]) -> Option<Diagnostic> {
        // A position is rounded from a signal that stands at the edge of a cell; rounding may have
        // left it on the other side.
        let hair = |value: &Value, by: f64| {
            let moved = value.data().iter().map(|x| x + by * x.abs().max(1.0)).collect();
            if value.ty().elem == Elem::Real {
                Value::new(value.ty(), moved)
            } else {
                value.clone()
            }
        };
        let outside = |expr: &Expr, by: f64| {
            let found = expr::evaluate(expr, &mut |name, span| {
                let unknown = || Diagnostic::error("unknown-name", name).at(span, "");
                match self.operands.get(name).ok_or_else(unknown)? {
                    Operand::Constant(value) => Ok(value.clone()),
                    Operand::Port(port) => {
                        let value = inputs.get(*port).and_then(Option::as_ref);
                        value.map(|value| hair(value, by)).ok_or_else(unknown)
                    }
                }
            });
            found.err().filter(|error| error.code == "index-out-of-range")
        };
        let indexed = |expr: &&Expr| matches!(expr.kind, ExprKind::Index(..));
        let mut all = self.expr.descendants().filter(indexed);
        all.find_map(|expr| [0.0, 1e-12, -1e-12].into_iter().find_map(|by| outside(expr, by)))
    }

    fn named_types(&self, _settings: &BTreeMap<String, Setting>) -> Vec<Type> {
        let mut types = Vec::new();
        let mut open = vec![&self.expr];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Vector(items) => types.push(Type::vector(items.len() as u32)),
                ExprKind::Name(name) => {
                    if let Some(Operand::Constant(value)) = self.operands.get(name) {
                        types.push(value.ty());
                    }
                }
                _ => {}
            }
            open.extend(expr.children().rev());
        }
        types
    }
}

impl Formula {
    fn lower(&self, cx: &mut Context, expr: &Expr) -> Result<Signal, Diagnostic> {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(constant(cx, value)),
            ExprKind::Name(name) => self.name(cx, name, expr.span),
            ExprKind::Unary(op, a) => self.unary(cx, *op, a),
            ExprKind::Binary(op, a, b) => {
                let signal = self.binary(cx, *op, a, b, expr.span)?;
                Ok(self.exactly(cx, expr, signal))
            }
            ExprKind::Conditional(parts) => self.conditional(cx, parts, expr.span),
            ExprKind::Call(function, args) => self.call(cx, function.value, args, expr.span),
            ExprKind::Vector(parts) => self.vector(cx, parts, expr.span),
            ExprKind::Index(base, positions) => self.index(cx, base, positions, expr.span),
        }
    }

    /// The same signal, where it is a constant that is known exactly rounded once: `0.3 - 0.1 - 0.2`
    /// is 0, as it is in a parameter.
    fn exactly(&self, cx: &mut Context, expr: &Expr, signal: Signal) -> Signal {
        let is_real = cx.graph.ty(signal.value) == Type::REAL;
        if !is_real || cx.graph.constant_of(signal.value).is_none() {
            return signal;
        }
        let mut lookup = |name: &str, span: Span| match self.operands.get(name) {
            Some(Operand::Constant(value)) => Ok(value.clone()),
            _ => Err(Diagnostic::error("unknown-name", "not a constant").at(span, "")),
        };
        match expr::evaluate(expr, &mut lookup) {
            Ok(value) if value.exact().is_some() => {
                Signal { value: cx.graph.value(&value.to_real()), ..signal }
            }
            _ => signal,
        }
    }

    fn name(&self, cx: &mut Context, name: &str, span: Span) -> Result<Signal, Diagnostic> {
        match (self.operands.get(name), name) {
            (Some(Operand::Constant(value)), _) => Ok(constant(cx, value)),
            (Some(Operand::Port(port)), _) => Ok(cx.port(*port)),
            (None, "time") => {
                let now = cx.now();
                Ok(cx.always(now))
            }
            (None, "pi") => Ok(constant(cx, &Value::real(std::f64::consts::PI))),
            (None, "inf") => Ok(constant(cx, &Value::real(f64::INFINITY))),
            (None, _) => {
                Err(Diagnostic::error("unknown-name", format!("there is no signal `{name}`"))
                    .at(span, "not found"))
            }
        }
    }

    fn unary(&self, cx: &mut Context, op: UnaryOp, a: &Expr) -> Result<Signal, Diagnostic> {
        let signal = self.lower(cx, a)?;
        let ty = cx.graph.ty(signal.value);
        match op {
            UnaryOp::Negate => {
                number(ty, a.span, "`-`")?;
                Ok(cx.negate(&signal))
            }
            UnaryOp::Not => {
                truth(ty, a.span, "`not`")?;
                Ok(cx.map(Unary::Not, &signal))
            }
        }
    }

    fn binary(
        &self,
        cx: &mut Context,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let (a, b) = (self.lower(cx, left)?, self.lower(cx, right)?);
        let (ta, tb) = (cx.graph.ty(a.value), cx.graph.ty(b.value));
        cx.join(op.symbol(), &[(&a, left.span), (&b, right.span)]);
        let what = format!("`{}`", op.symbol());
        let both = |check: fn(Type, Span, &str) -> Result<(), Diagnostic>| {
            check(ta, left.span, &what).and_then(|()| check(tb, right.span, &what))
        };
        match op {
            BinaryOp::And | BinaryOp::Or => both(truth)?,
            BinaryOp::Equal | BinaryOp::NotEqual => {
                if (ta.elem == base::Elem::Bool) != (tb.elem == base::Elem::Bool) {
                    both(number)?;
                }
            }
            _ => both(number)?,
        }
        if op == BinaryOp::Multiply {
            product_shape(ta, tb, span)?;
            return cx.multiply(&a, &b).map_err(|reason| impulse_error(reason, span));
        }
        common_shape(ta, tb, span)?;
        let direct = |cx: &mut Context, op: Binary| {
            cx.strict(&[a.clone(), b.clone()], |g, v| g.binary(op, v[0], v[1]))
        };
        Ok(match op {
            BinaryOp::Add => cx.add(&a, &b, Binary::Add),
            BinaryOp::Subtract => cx.add(&a, &b, Binary::Sub),
            BinaryOp::Divide => {
                return cx.divide(&a, &b).map_err(|reason| impulse_error(reason, span));
            }
            BinaryOp::Power => direct(cx, Binary::Pow),
            BinaryOp::And => direct(cx, Binary::And),
            BinaryOp::Or => direct(cx, Binary::Or),
            BinaryOp::Equal => direct(cx, Binary::Equal),
            BinaryOp::NotEqual => {
                let equal = direct(cx, Binary::Equal);
                cx.map(Unary::Not, &equal)
            }
            BinaryOp::Less => cx.compare(&a, &b, [true, false, false]),
            BinaryOp::LessEqual => cx.compare(&a, &b, [true, true, false]),
            BinaryOp::Greater => cx.compare(&a, &b, [false, false, true]),
            BinaryOp::GreaterEqual => cx.compare(&a, &b, [false, true, true]),
            BinaryOp::Multiply => unreachable!("done above"),
        })
    }

    fn conditional(
        &self,
        cx: &mut Context,
        [condition, then, otherwise]: &[Expr; 3],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let test = self.lower(cx, condition)?;
        let mut branch = |value: bool, branch: &Expr| {
            cx.under(test.value, value, |cx| {
                let signal = self.lower(cx, branch)?;
                cx.join("if", &[(&test, condition.span), (&signal, branch.span)]);
                Ok(signal)
            })
        };
        let (a, b) = (branch(true, then)?, branch(false, otherwise)?);
        truth(cx.graph.ty(test.value), condition.span, "a condition")?;
        let (ta, tb) = (cx.graph.ty(a.value), cx.graph.ty(b.value));
        common_shape(ta, tb, span)?;
        let tt = cx.graph.ty(test.value);
        if !tt.is_scalar() {
            common_shape(tt, ta, span)?;
            common_shape(tt, tb, span)?;
        }
        if (ta.elem == base::Elem::Bool) != (tb.elem == base::Elem::Bool) {
            number(ta, then.span, "this conditional")?;
            number(tb, otherwise.span, "this conditional")?;
        }
        Ok(cx.choose(&test, &a, &b))
    }

    fn vector(&self, cx: &mut Context, parts: &[Expr], span: Span) -> Result<Signal, Diagnostic> {
        let signals: Vec<Signal> =
            parts.iter().map(|part| self.lower(cx, part)).collect::<Result<_, _>>()?;
        join_all(cx, "[...]", signals.iter().zip(parts));
        let types: Vec<Type> = signals.iter().map(|s| cx.graph.ty(s.value)).collect();
        let first = types.first().map_or(Shape::Scalar, |ty| ty.shape);
        if let Some(odd) = types.iter().position(|ty| ty.shape != first) {
            let message =
                format!("a row of {first} and one of {} make no matrix", types[odd].shape);
            return Err(Diagnostic::error("size-mismatch", message).at(parts[odd].span, "this one"));
        }
        let rows = signals.len() as u32;
        let shape = match first {
            Shape::Scalar => Shape::Vector(rows),
            Shape::Vector(columns) => Shape::Matrix(rows, columns),
            Shape::Matrix(..) => {
                return Err(Diagnostic::error("size-mismatch", "a list of matrices")
                    .at(span, "a vector holds scalars, a matrix holds rows"));
            }
        };
        let orders = signals.iter().map(|s| s.impulses.len()).max().unwrap_or(0);
        let impulses = (0..orders)
            .map(|order| {
                let part = |cx: &mut Context, s: &Signal| match s.impulses.get(order) {
                    Some(impulse) => *impulse,
                    None => cx.graph.filled(cx.graph.ty(s.value), 0.0),
                };
                let parts: Vec<NodeId> = signals.iter().map(|s| part(cx, s)).collect();
                cx.graph.stack(&parts, shape)
            })
            .collect();
        let bare: Vec<Signal> =
            signals.iter().map(|s| Signal { impulses: Vec::new(), ..s.clone() }).collect();
        let stacked = cx.strict(&bare, |g, values| g.stack(values, shape));
        Ok(Signal { impulses, ..stacked })
    }

    fn index(
        &self,
        cx: &mut Context,
        base: &Expr,
        positions: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let signal = self.lower(cx, base)?;
        let at: Vec<Signal> =
            positions.iter().map(|p| self.lower(cx, p)).collect::<Result<_, _>>()?;
        let named = std::iter::once((&signal, base)).chain(at.iter().zip(positions));
        join_all(cx, "[]", named);
        let shape = cx.graph.ty(signal.value).shape;
        let sizes: Vec<u32> = match (shape, at.len()) {
            (Shape::Vector(n), 1) => vec![n],
            (Shape::Matrix(rows, columns), 2) => vec![rows, columns],
            (Shape::Matrix(rows, columns), 1) => {
                return self.row(cx, &signal, &at[0], rows, columns, span);
            }
            _ => {
                let message = format!("a {shape} cannot be indexed with {} positions", at.len());
                return Err(Diagnostic::error("size-mismatch", message).at(span, ""));
            }
        };
        for ((position, size), written) in at.iter().zip(&sizes).zip(positions) {
            within(cx, position, *size, written.span)?;
        }
        let columns = f64::from(*sizes.last().unwrap_or(&1));
        let impulses = match (cx.graph.constant_of(at[0].value), at.len()) {
            (Some(k), 1) => {
                let pick = |i: &NodeId| cx.graph.extract(*i, k[0] as usize, Shape::Scalar);
                signal.impulses.iter().map(pick).collect()
            }
            _ => {
                cx.refuse_impulses(&signal, "an impulse reaches an element chosen by a signal");
                Vec::new()
            }
        };
        let operands: Vec<Signal> =
            std::iter::once(Signal { impulses: vec![], ..signal }).chain(at).collect();
        let element = cx.strict(&operands, |g, v| {
            let position = match v.len() {
                2 => v[1],
                _ => {
                    let width = g.constant(Type::INT, &[columns]);
                    let row = g.mul(v[1], width);
                    g.add(row, v[2])
                }
            };
            g.index(v[0], position)
        });
        Ok(Signal { impulses, ..element })
    }

    fn row(
        &self,
        cx: &mut Context,
        matrix: &Signal,
        at: &Signal,
        rows: u32,
        columns: u32,
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        within(cx, at, rows, span)?;
        let Some(row) = cx.graph.constant_of(at.value) else {
            return Err(Diagnostic::error("size-mismatch", "the row of a matrix must be constant")
                .at(span, "index both row and column with signals instead"));
        };
        let offset = row[0] as usize * columns as usize;
        let shape = Shape::Vector(columns);
        let value = cx.graph.extract(matrix.value, offset, shape);
        let impulses =
            matrix.impulses.iter().map(|i| cx.graph.extract(*i, offset, shape)).collect();
        Ok(Signal { value, present: matrix.present, impulses })
    }

    /// A Dirac impulse of some order where an argument that is linear in time passes zero:
    /// delta^(i)(a (t - t0)) = delta^(i)(t - t0) / (|a| a^i).
    fn delta(&self, cx: &mut Context, args: &[Expr], span: Span) -> Result<Signal, Diagnostic> {
        let wrong = |message: &str, at: Span| {
            Diagnostic::error("impulse-undefined", message).at(at, "write delta(time - t0)")
        };
        let at = |time: i64| self.constant_at(&args[0], time);
        let (zero, one, two) = (at(0)?, at(1)?, at(2)?);
        let exact = |value: &Value| value.as_rational();
        let (Some(c0), Some(c1), Some(c2)) = (exact(&zero), exact(&one), exact(&two)) else {
            return Err(wrong("the argument of an impulse must be a number", args[0].span));
        };
        let slopes = base::checked_difference(c1, c0).zip(base::checked_difference(c2, c1));
        let Some((slope, _)) = slopes.filter(|(a, b)| a == b && *a.numer() != 0) else {
            return Err(wrong("the argument of an impulse must be linear in time", args[0].span));
        };
        let order = match args {
            [_] => 0,
            [_, order] => match self.constant_at(order, 0)?.as_int() {
                Some(order @ 0..=8) => order as usize,
                _ => return Err(wrong("the order of an impulse is 0 to 8", order.span)),
            },
            _ => return Err(wrong("an impulse has a time and an order", span)),
        };
        let zero = base::checked_difference(base::Rational::from_integer(0), c0);
        let zero = zero.and_then(|zero| base::checked_quotient(zero, slope));
        let Some(time) = zero.and_then(base::ExactTime::from_rational) else {
            return Err(wrong("the impulse is outside the range of model time", args[0].span));
        };
        let a = Value::rational(slope).as_f64().unwrap_or(1.0);
        let (woken, _) = cx.timer(Arc::new(Instants(vec![time])));
        let none = cx.graph.real(0.0);
        let weight = cx.graph.real(1.0 / (a.abs() * a.powi(order as i32)));
        let jump = cx.graph.select(woken, weight, none);
        if cx.impulses() == Impulses::Numeric {
            return Ok(cx.pulse(jump, order));
        }
        let mut impulses = vec![none; order];
        impulses.push(jump);
        let present = cx.graph.bool(true);
        Ok(Signal { value: none, present, impulses })
    }

    /// The value of an expression over parameters and time at some time.
    fn constant_at(&self, expr: &Expr, time: i64) -> Result<Value, Diagnostic> {
        expr::evaluate(expr, &mut |name, at| match self.operands.get(name) {
            Some(Operand::Constant(value)) => Ok(value.clone()),
            None if name == "time" => Ok(Value::int(time)),
            _ => {
                let message = "the time of an impulse must be constant";
                Err(Diagnostic::error("not-constant", message).at(at, "this is a signal"))
            }
        })
    }

    fn call(
        &self,
        cx: &mut Context,
        function: Function,
        args: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        if function == Function::Delta {
            return self.delta(cx, args, span);
        }
        let a: Vec<Signal> =
            args.iter().map(|arg| self.lower(cx, arg)).collect::<Result<_, _>>()?;
        join_all(cx, function.name(), a.iter().zip(args));
        let ty = |cx: &Context, i: usize| cx.graph.ty(a[i].value);
        match function {
            Function::Present => return Ok(cx.always(a[0].present)),
            Function::Left => return Ok(cx.left(&a[0])),
            Function::Previous => return Ok(cx.previous(&a[0])),
            _ => {}
        }
        let what = format!("`{}`", function.name());
        for (i, arg) in args.iter().enumerate() {
            number(ty(cx, i), arg.span, &what)?;
        }
        if let Some(op) = elementary(function) {
            return Ok(cx.map(op, &a[0]));
        }
        match function {
            Function::Sum => Ok(linear(cx, &a[0], |g, node| g.sum(node))),
            Function::Transpose => Ok(linear(cx, &a[0], |g, node| g.transpose(node))),
            Function::Identity | Function::Zeros | Function::Ones => {
                let value = expr::evaluate(
                    &Expr {
                        kind: ExprKind::Call(base::Spanned::new(function, span), args.to_vec()),
                        span,
                    },
                    &mut |name, at| match self.operands.get(name) {
                        Some(Operand::Constant(value)) => Ok(value.clone()),
                        _ => Err(Diagnostic::error("not-constant", "a size must be constant")
                            .at(at, "this is a signal")),
                    },
                )?;
                Ok(constant(cx, &value))
            }
            Function::Dot => {
                let (ta, tb) = (ty(cx, 0), ty(cx, 1));
                if ta.shape != tb.shape {
                    let message = format!(
                        "the inner product of {} and {}",
                        ta.with_article(),
                        tb.with_article()
                    );
                    return Err(
                        Diagnostic::error("size-mismatch", message).at(span, "sizes differ")
                    );
                }
                Ok(cx.strict(&a, |g, v| {
                    let products = g.mul(v[0], v[1]);
                    g.sum(products)
                }))
            }
            Function::Norm => Ok(cx.strict(&a, |g, v| {
                let squares = g.mul(v[0], v[0]);
                let sum = g.sum(squares);
                g.unary(Unary::Sqrt, sum)
            })),
            _ => {
                for i in 1..a.len() {
                    common_shape(ty(cx, 0), ty(cx, i), span)?;
                }
                Ok(cx.strict(&a, |g, v| piecewise(g, function, v)))
            }
        }
    }
}

/// Functions that are one operation of the graph.
fn elementary(function: Function) -> Option<Unary> {
    Some(match function {
        Function::Sin => Unary::Sin,
        Function::Cos => Unary::Cos,
        Function::Tan => Unary::Tan,
        Function::Asin => Unary::Asin,
        Function::Acos => Unary::Acos,
        Function::Atan => Unary::Atan,
        Function::Sinh => Unary::Sinh,
        Function::Cosh => Unary::Cosh,
        Function::Tanh => Unary::Tanh,
        Function::Asinh => Unary::Asinh,
        Function::Acosh => Unary::Acosh,
        Function::Atanh => Unary::Atanh,
        Function::Exp => Unary::Exp,
        Function::Log => Unary::Log,
        Function::Log10 => Unary::Log10,
        Function::Log2 => Unary::Log2,
        Function::Sqrt => Unary::Sqrt,
        _ => return None,
    })
}

/// Functions with kinks and jumps, whose sides and cells are frozen between events; and those of
/// two operands.
fn piecewise(g: &mut ir::Graph, function: Function, v: &[NodeId]) -> NodeId {
    let zero = g.constant(Type::INT, &[0.0]);
    match function {
        Function::Abs => {
            let side = g.frozen_sign(v[0], zero);
            let negative = read_side(g, side, [true, false, false]);
            let opposite = g.neg(v[0]);
            let by_side = g.select(negative, opposite, v[0]);
            let below = g.binary(Binary::Less, v[0], opposite);
            let by_value = g.select(below, opposite, v[0]);
            g.observed(by_side, by_value, 1)
        }
        Function::Sign => g.frozen_sign(v[0], zero),
        Function::Floor => g.frozen_floor(v[0]),
        Function::Ceil => {
            let opposite = g.neg(v[0]);
            let cell = g.frozen_floor(opposite);
            g.neg(cell)
        }
        Function::Round => {
            let half = g.real(0.5);
            let moved = g.add(v[0], half);
            g.frozen_floor(moved)
        }
        Function::Mod => {
            let quotient = g.div(v[0], v[1]);
            let cell = g.frozen_floor(quotient);
            let whole = g.mul(v[1], cell);
            g.sub(v[0], whole)
        }
        Function::Min | Function::Max => {
            let least = function == Function::Min;
            let holds = if least { [true, true, false] } else { [false, true, true] };
            let by_side = v[1..].iter().fold(v[0], |best, next| {
                let side = g.frozen_sign(best, *next);
                let keep = read_side(g, side, holds);
                g.select(keep, best, *next)
            });
            let by_value = v[1..].iter().fold(v[0], |best, next| {
                let (low, high) = if least { (best, *next) } else { (*next, best) };
                let keep = g.binary(Binary::LessEqual, low, high);
                g.select(keep, best, *next)
            });
            g.observed(by_side, by_value, v.len() as u32 - 1)
        }
        Function::Atan2 => g.binary(Binary::Atan2, v[0], v[1]),
        Function::Hypot => g.binary(Binary::Hypot, v[0], v[1]),
        other => unreachable!("{} is handled elsewhere", other.name()),
    }
}

/// Notes that an operator needs its operands, each with its expression, at the same tags.
fn join_all<'o>(
    cx: &mut Context,
    operator: &'static str,
    operands: impl Iterator<Item = (&'o Signal, &'o Expr)>,
) {
    let operands: Vec<(&Signal, Span)> = operands.map(|(s, expr)| (s, expr.span)).collect();
    cx.join(operator, &operands);
}

fn constant(cx: &mut Context, value: &Value) -> Signal {
    let node = cx.graph.value(value);
    cx.always(node)
}

fn linear(cx: &mut Context, a: &Signal, f: impl Fn(&mut ir::Graph, NodeId) -> NodeId) -> Signal {
    let impulses = a.impulses.iter().map(|i| f(&mut cx.graph, *i)).collect();
    Signal { value: f(&mut cx.graph, a.value), present: a.present, impulses }
}

fn product_shape(a: Type, b: Type, span: Span) -> Result<(), Diagnostic> {
    match (a.shape, b.shape) {
        (Shape::Matrix(_, inner), Shape::Vector(rows) | Shape::Matrix(rows, _)) => {
            if inner == rows {
                return Ok(());
            }
            let message =
                format!("{} cannot be multiplied by {}", a.with_article(), b.with_article());
            Err(Diagnostic::error("size-mismatch", message)
                .at(span, format!("the left has {inner} columns, the right {rows} rows")))
        }
        _ => common_shape(a, b, span),
    }
}

fn within(cx: &Context, position: &Signal, size: u32, span: Span) -> Result<(), Diagnostic> {
    if !cx.graph.ty(position.value).is_scalar() {
        return Err(Diagnostic::error("size-mismatch", "a position must be a scalar").at(span, ""));
    }
    if size == 0 {
        let message = "what is empty has no positions";
        return Err(Diagnostic::error("index-outside", message).at(span, ""));
    }
    if let Some(at) = cx.graph.constant_of(position.value)
        && !(at[0] >= 0.0 && at[0] < f64::from(size) && at[0].fract() == 0.0)
    {
        let message = format!("position {} is outside 0 to {}", at[0], size - 1);
        return Err(Diagnostic::error("index-outside", message).at(span, "positions count from 0"));
    }
    Ok(())
}

fn impulse_error(reason: String, span: Span) -> Diagnostic {
    Diagnostic::error("impulse-undefined", reason).at(span, "here")
}
