//! The parameters of a block, checked against the declarations of the block.

use base::{Diagnostic, ExactTime, Shape, Span, Value, did_you_mean};
use blocks::{Kind, Parameter, Setting};
use expr::{Expr, ExprKind, Place, parse};

/// A parameter's setting from its expression. `evaluate` knows the names.
pub(crate) fn setting(
    parameter: &Parameter,
    expr: &Expr,
    evaluate: &dyn Fn(&Expr) -> Result<Value, Diagnostic>,
) -> Result<Setting, Diagnostic> {
    let name = &*parameter.name;
    let wrong = |message: String, span: Span| {
        Err(Diagnostic::error("bad-parameter", message).at(span, &*parameter.about))
    };
    match &parameter.kind {
        Kind::Word(words) => match expr.as_word() {
            Some(word) if words.iter().any(|known| known == word) => {
                Ok(Setting::Word(word.to_owned()))
            }
            _ => {
                let written = expr.as_word().unwrap_or("");
                let message = format!("`{name}` must be one of {}", words.join(", "));
                Err(Diagnostic::error("bad-parameter", message)
                    .at(expr.span, "not one of them")
                    .maybe_help(did_you_mean(written, words.iter().map(|word| &**word))))
            }
        },
        Kind::Value => {
            let value = evaluate(expr)?;
            if value.data().iter().any(|x| !x.is_finite()) {
                return wrong(format!("`{name}` must be finite"), expr.span);
            }
            Ok(Setting::Value(value))
        }
        Kind::Real => {
            let value = evaluate(expr)?;
            match value.as_f64() {
                Some(x) if x.is_finite() && value.as_bool().is_none() => {
                    Ok(Setting::Value(value.to_real()))
                }
                _ => wrong(format!("`{name}` must be a finite real number"), expr.span),
            }
        }
        Kind::Time => Ok(Setting::Time(time(name, expr, evaluate)?)),
        Kind::Times => {
            let times = match &expr.kind {
                ExprKind::Vector(parts) => {
                    parts.iter().map(|part| time(name, part, evaluate)).collect::<Result<_, _>>()?
                }
                _ => {
                    let value = evaluate(expr)?;
                    match value.ty().shape {
                        Shape::Vector(_) => elements(name, &value, expr.span)?,
                        _ => vec![time(name, expr, evaluate)?],
                    }
                }
            };
            Ok(Setting::Times(times))
        }
    }
}

/// The elements of a vector as times, each the decimal that its float stands for.
fn elements(name: &str, value: &Value, span: Span) -> Result<Vec<Value>, Diagnostic> {
    let exact =
        |x: &f64| ExactTime::from_decimal(*x).map(|time| Value::rational(time.to_rational()));
    let times: Option<Vec<Value>> = value.data().iter().map(exact).collect();
    times.ok_or_else(|| {
        Diagnostic::error("bad-parameter", format!("`{name}` must be times in seconds"))
            .at(span, "not finite real numbers")
    })
}

fn time(
    name: &str,
    expr: &Expr,
    evaluate: &dyn Fn(&Expr) -> Result<Value, Diagnostic>,
) -> Result<Value, Diagnostic> {
    let value = evaluate(expr)?;
    let number = value.as_bool().is_none() && value.as_f64().is_some_and(f64::is_finite);
    match value.as_rational() {
        Some(_) if number => Ok(value),
        _ => Err(Diagnostic::error("bad-parameter", format!("`{name}` must be a time in seconds"))
            .at(expr.span, "not a finite real number")),
    }
}

/// The setting of a parameter that was not given.
pub(crate) fn default(parameter: &Parameter, span: Span) -> Result<Setting, Diagnostic> {
    let Some(text) = &parameter.default else {
        let message = format!("parameter `{}` is missing", parameter.name);
        return Err(Diagnostic::error("missing-parameter", message).at(span, &*parameter.about));
    };
    let expr = parse(text, Place::Whole(span))?;
    setting(parameter, &expr, &|expr| {
        expr::evaluate(expr, &mut |name, span| {
            Err(Diagnostic::error("unknown-name", format!("no `{name}`")).at(span, ""))
        })
    })
}
