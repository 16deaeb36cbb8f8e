//! An expression over signals as a separate block: its names resolved, and lowered to a graph of
//! signals operator by operator.

mod arrays;
mod functions;
mod impulse;
mod matrices;
mod operations;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, Elem, ParameterId, Span, Type, Value};
use expr::{Expr, ExprKind};
use ir::NodeId;

use crate::{Block, Context, Info, Input, Role, Setting, Signal};

/// What a name in an expression refers to.
#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    /// A parameter.
    Constant(Value),
    /// The signal at the port with this index.
    Port(usize),
}

/// An expression whose names have been resolved.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The expression.
    pub expr: Expr,
    /// Its names.
    pub operands: BTreeMap<String, Operand>,
    /// Its largest parts that are made of parameters alone, some of them open, and their values.
    pub open: Vec<(Expr, Value)>,
}

impl Block for Formula {
    fn info(&self) -> Info {
        Info::new("expression", "Mathematics", "An expression over signals.")
            .input(Input::many("operands", "The signals that the expression names."))
            .output("output", "The value of the expression.")
    }

    fn role(&self) -> Role {
        Role::Formula
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let signal = self.lower(cx, &self.expr)?;
        cx.output("output", signal);
        Ok(())
    }

    fn why_not_finite(&self, inputs: &[Option<Value>]) -> Option<Diagnostic> {
        // A position is rounded from a signal that lies at the edge of a cell; rounding may have
        // moved it to the other side.
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

    fn with_values(&self, of: &dyn Fn(ParameterId) -> Value) -> Option<Arc<dyn Block>> {
        let renewed = |value: &Value| value.open().map_or_else(|| value.clone(), of);
        let operand = |(name, operand): (&String, &Operand)| match operand {
            Operand::Constant(value) => (name.clone(), Operand::Constant(renewed(value))),
            Operand::Port(_) => (name.clone(), operand.clone()),
        };
        Some(Arc::new(Formula {
            expr: self.expr.clone(),
            operands: self.operands.iter().map(operand).collect(),
            open: self.open.iter().map(|(expr, value)| (expr.clone(), renewed(value))).collect(),
        }))
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
        if let Some((_, value)) = self.open.iter().find(|(open, _)| open == expr) {
            return Ok(constant(cx, value));
        }
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

    /// The same signal; but a constant that is known exactly is rounded once: `0.3 - 0.1 - 0.2` is
    /// 0, as it is in a parameter.
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
            (None, "absent") => {
                let (zero, never) = (cx.graph.real(0.0), cx.graph.bool(false));
                Ok(cx.event(zero, never))
            }
            (None, "pi") => Ok(constant(cx, &Value::real(std::f64::consts::PI))),
            (None, "inf") => Ok(constant(cx, &Value::real(f64::INFINITY))),
            (None, _) => {
                Err(Diagnostic::error("unknown-name", format!("there is no signal `{name}`"))
                    .at(span, "not found"))
            }
        }
    }
}

impl Formula {
    /// The value of an operand that must be made of parameters; open if one of them is.
    fn constant_operand(&self, expr: &Expr, what: &str) -> Result<Value, Diagnostic> {
        if let Some((_, value)) = self.open.iter().find(|(open, _)| open == expr) {
            return Ok(value.clone());
        }
        expr::evaluate(expr, &mut |name, span| match self.operands.get(name) {
            Some(Operand::Constant(value)) => Ok(value.clone()),
            _ => Err(Diagnostic::error("not-constant", format!("{what} must be constant"))
                .at(span, "this is a signal")),
        })
    }
}

/// Records that an operator needs its operands, each with its expression, at the same tags.
fn join_all<'o>(
    cx: &mut Context,
    operator: &'static str,
    operands: impl Iterator<Item = (&'o Signal, &'o Expr)>,
) {
    let operands: Vec<(&Signal, Span)> = operands.map(|(s, expr)| (s, expr.span)).collect();
    cx.join(operator, &operands);
}

/// Makes the parameters of a node structural if the node is made of parameters alone: its value
/// decides which operations there are.
fn decide(cx: &Context, node: NodeId, what: &str) {
    if cx.graph.is_fixed(node) {
        let parameters = cx.graph.parameters_of(node);
        parameters.into_iter().for_each(|id| cx.decides(id, format!("it decides {what}")));
    }
}

fn constant(cx: &mut Context, value: &Value) -> Signal {
    let node = cx.graph.value(value);
    cx.always(node)
}

fn impulse_error(reason: String, span: Span) -> Diagnostic {
    Diagnostic::error("impulse-undefined", reason).at(span, "here")
}
