//! The value of an expression over signals.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input, Role};

/// The value of an expression over signals.
#[derive(Debug)]
pub struct Expression;

impl Block for Expression {
    fn info(&self) -> Info {
        function("Expression", "Evaluates an expression over signals.")
            .aliases(["Formula", "Equation", "RealExpression"])
            .equations("y = expression")
            .absence("The result of an operator is absent when an operand that it uses is absent; constants and signals that are always present do not count. An operator on event signals that are not known to be present at the same tags is an error.")
            .impulses("Operators follow the rules of Sum, Gain, Product and Divide; every other function requires inputs without impulses.")
            .input(Input::one(
                "expression",
                "The expression; it may use any signal of the diagram.",
            ))
            .output("output", "The value.")
            .example(
                r#"superdense: 1
name: expression
blocks:
  s: {type: Sine}
  y: {type: Expression, expression: 'if s > 0 then s else 0'}
record: [s, y]
simulate: {stop: 2}"#,
            )
    }

    fn role(&self) -> Role {
        Role::NamedExpression
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("expression");
        cx.output("output", input);
        Ok(())
    }
}
