//! The function `delta`: Dirac impulses at times given by the expression.

use std::sync::Arc;

use base::{Diagnostic, Span, Value};
use expr::Expr;

use super::{Formula, Operand};
use crate::{Context, Impulses, Instants, Signal};

impl Formula {
    /// A Dirac impulse of some order at the time at which an argument linear in time passes zero:
    /// delta^(i)(a (t - t0)) = delta^(i)(t - t0) / (|a| a^i).
    pub(super) fn delta(
        &self,
        cx: &mut Context,
        args: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let wrong = |message: &str, at: Span| {
            Diagnostic::error("impulse-undefined", message).at(at, "write delta(time - t0)")
        };
        let at = |time: i64| self.constant_at(cx, &args[0], time);
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
            [_, order] => match self.constant_at(cx, order, 0)?.as_int() {
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
    fn constant_at(&self, cx: &Context, expr: &Expr, time: i64) -> Result<Value, Diagnostic> {
        expr::evaluate(expr, &mut |name, at| match self.operands.get(name) {
            Some(Operand::Constant(value)) => {
                cx.finds_at_start(value);
                Ok(value.clone().closed())
            }
            None if name == "time" => Ok(Value::int(time)),
            _ => {
                let message = "the time of an impulse must be constant";
                Err(Diagnostic::error("not-constant", message).at(at, "this is a signal"))
            }
        })
    }
}
