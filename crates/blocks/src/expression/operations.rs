//! Operators and conditionals: the checks on their operands, and their signals.

use base::{Diagnostic, Elem, Shape, Span, Type};
use expr::{BinaryOp, Expr, UnaryOp};
use ir::{Binary, Unary};

use super::{Formula, decide, impulse_error};
use crate::operators::{common_shape, number, truth};
use crate::{Context, Signal};

impl Formula {
    pub(super) fn unary(
        &self,
        cx: &mut Context,
        op: UnaryOp,
        a: &Expr,
    ) -> Result<Signal, Diagnostic> {
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

    pub(super) fn binary(
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
        check_operands(op, (ta, left.span), (tb, right.span))?;
        if op == BinaryOp::Power {
            decide(cx, b.value, "an exponent");
        }
        match op {
            BinaryOp::Multiply => product_shape(ta, tb, span)?,
            _ => common_shape(ta, tb, span)?,
        }
        operate(cx, op, &a, &b).map_err(|reason| impulse_error(reason, span))
    }

    pub(super) fn conditional(
        &self,
        cx: &mut Context,
        [condition, then, otherwise]: &[Expr; 3],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let test = self.lower(cx, condition)?;
        decide(cx, test.value, "which branch of a conditional exists");
        // Of a condition that is known only the branch that is taken counts: the other one may not
        // even fit, as the inner product of a matrix does not.
        if cx.graph.ty(test.value) == Type::BOOL
            && let Some(known) = cx.graph.constant_of(test.value)
        {
            return self.lower(cx, if known[0] != 0.0 { then } else { otherwise });
        }
        let mut branch = |value: bool, branch: &Expr| {
            cx.under(test.value, value, |cx| {
                let signal = self.lower(cx, branch)?;
                cx.join("if", &[(&test, condition.span), (&signal, branch.span)]);
                Ok(signal)
            })
        };
        let (mut a, mut b) = (branch(true, then)?, branch(false, otherwise)?);
        // `absent` has the type of the other branch.
        match (is_absent(then), is_absent(otherwise)) {
            (true, false) => a.value = cx.graph.filled(cx.graph.ty(b.value), 0.0),
            (false, true) => b.value = cx.graph.filled(cx.graph.ty(a.value), 0.0),
            _ => {}
        }
        truth(cx.graph.ty(test.value), condition.span, "a condition")?;
        let (ta, tb) = (cx.graph.ty(a.value), cx.graph.ty(b.value));
        common_shape(ta, tb, span)?;
        let tt = cx.graph.ty(test.value);
        if !tt.is_scalar() {
            common_shape(tt, ta, span)?;
            common_shape(tt, tb, span)?;
        }
        if (ta.elem == Elem::Bool) != (tb.elem == Elem::Bool) {
            number(ta, then.span, "this conditional")?;
            number(tb, otherwise.span, "this conditional")?;
        }
        Ok(cx.choose(&test, &a, &b))
    }
}

fn is_absent(expr: &Expr) -> bool {
    expr.as_word() == Some("absent")
}

/// Refuses truth values if an operator takes numbers, and numbers if it takes truth values.
fn check_operands(
    op: BinaryOp,
    (left, left_span): (Type, Span),
    (right, right_span): (Type, Span),
) -> Result<(), Diagnostic> {
    let what = format!("`{}`", op.symbol());
    let both = |check: fn(Type, Span, &str) -> Result<(), Diagnostic>| {
        check(left, left_span, &what).and_then(|()| check(right, right_span, &what))
    };
    match op {
        BinaryOp::And | BinaryOp::Or => both(truth),
        BinaryOp::Equal | BinaryOp::NotEqual
            if (left.elem == Elem::Bool) == (right.elem == Elem::Bool) =>
        {
            Ok(())
        }
        _ => both(number),
    }
}

/// The signal of an operator whose operands fit, or why impulses make it undefined.
fn operate(cx: &mut Context, op: BinaryOp, a: &Signal, b: &Signal) -> Result<Signal, String> {
    let direct = |cx: &mut Context, op: Binary| {
        cx.strict(&[a.clone(), b.clone()], |g, v| g.binary(op, v[0], v[1]))
    };
    Ok(match op {
        BinaryOp::Add => cx.add(a, b, Binary::Add),
        BinaryOp::Subtract => cx.add(a, b, Binary::Sub),
        BinaryOp::Multiply => return cx.multiply(a, b),
        BinaryOp::Divide => return cx.divide(a, b),
        BinaryOp::Power => direct(cx, Binary::Pow),
        BinaryOp::And => direct(cx, Binary::And),
        BinaryOp::Or => direct(cx, Binary::Or),
        BinaryOp::Equal => direct(cx, Binary::Equal),
        BinaryOp::NotEqual => {
            let equal = direct(cx, Binary::Equal);
            cx.map(Unary::Not, &equal)
        }
        BinaryOp::Less => cx.compare(a, b, [true, false, false]),
        BinaryOp::LessEqual => cx.compare(a, b, [true, true, false]),
        BinaryOp::Greater => cx.compare(a, b, [false, false, true]),
        BinaryOp::GreaterEqual => cx.compare(a, b, [false, true, true]),
    })
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
