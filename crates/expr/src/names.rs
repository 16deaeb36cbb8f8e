//! Traversal of an expression without recursion.

use base::Span;

use crate::{Expr, ExprKind};

/// Whether a name has a fixed value or meaning in every expression.
pub fn is_named_value(name: &str) -> bool {
    matches!(name, "time" | "pi" | "inf" | "absent")
}

impl Expr {
    /// The name, if the expression is nothing more than a name: a word such as `falling`.
    pub fn as_word(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The direct subexpressions, in source order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        let (boxed, listed): ([Option<&Expr>; 2], &[Expr]) = match &self.kind {
            ExprKind::Literal(_) | ExprKind::Name(_) => ([None, None], &[]),
            ExprKind::Unary(_, operand) => ([Some(operand), None], &[]),
            ExprKind::Binary(_, left, right) => ([Some(left), Some(right)], &[]),
            ExprKind::Conditional(parts) => ([None, None], &parts[..]),
            ExprKind::Call(_, arguments) => ([None, None], arguments),
            ExprKind::Vector(items) => ([None, None], items),
            ExprKind::Index(operand, indices) => ([Some(operand), None], indices),
        };
        boxed.into_iter().flatten().chain(listed)
    }

    /// The same expression with its direct subexpressions replaced.
    pub fn with_children(&self, each: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut boxed = |child: &Expr| Box::new(each(child));
        let kind = match &self.kind {
            ExprKind::Literal(_) | ExprKind::Name(_) => self.kind.clone(),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, boxed(operand)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left), boxed(right)),
            ExprKind::Conditional(parts) => {
                ExprKind::Conditional(Box::new([0, 1, 2].map(|i| each(&parts[i]))))
            }
            ExprKind::Call(function, arguments) => {
                ExprKind::Call(function.clone(), arguments.iter().map(each).collect())
            }
            ExprKind::Vector(items) => ExprKind::Vector(items.iter().map(each).collect()),
            ExprKind::Index(operand, indices) => {
                let operand = boxed(operand);
                ExprKind::Index(operand, indices.iter().map(each).collect())
            }
        };
        Expr { kind, span: self.span }
    }

    /// Every expression in the tree, this one first, in source order.
    pub fn descendants(&self) -> impl Iterator<Item = &Expr> {
        let mut ahead = vec![self];
        std::iter::from_fn(move || {
            let next = ahead.pop()?;
            ahead.extend(next.children().rev());
            Some(next)
        })
    }

    /// The height of the tree; a leaf has height 1.
    pub(crate) fn height(&self) -> usize {
        let mut ahead = vec![(self, 1)];
        let mut highest = 0;
        while let Some((next, height)) = ahead.pop() {
            highest = highest.max(height);
            ahead.extend(next.children().map(|child| (child, height + 1)));
        }
        highest
    }

    /// Every name in the tree with its span; a name that is used twice occurs twice.
    pub fn names(&self) -> impl Iterator<Item = (&str, Span)> {
        self.descendants().filter_map(|expr| Some((expr.as_word()?, expr.span)))
    }
}
