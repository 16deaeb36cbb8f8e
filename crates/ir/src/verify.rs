//! Checks that a graph is well formed. The invariants:
//! 1. arguments come before the node that uses them;
//! 2. elementwise operations have operands of one shape, and the result has it;
//! 3. stacks and extracts have as many elements as their type has;
//! 4. the shapes of products and of linear systems fit;
//! 5. sides, crossings and floors occur only in graphs for which the caller allows them.

use std::fmt;

use base::Shape;

use crate::{Graph, NodeId, Op};

/// A node that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The node.
    pub node: NodeId,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}: {}", self.node.index(), self.reason)
    }
}

impl std::error::Error for VerifyError {}

/// Checks every node; `sides` is true for a block's function, which may have sides, and false for a
/// composed program, in which they have been decided.
pub fn verify(graph: &Graph, sides: bool) -> Result<(), VerifyError> {
    for (index, _) in graph.nodes().iter().enumerate() {
        let node = NodeId::new(index);
        check(graph, node, sides).map_err(|reason| VerifyError { node, reason })?;
    }
    Ok(())
}

/// This is one table, and so longer than a function should otherwise be: each operation with the
/// condition on its arguments. Split, it would no longer show at a glance that every operation is
/// checked.
fn check(graph: &Graph, id: NodeId, sides: bool) -> Result<(), &'static str> {
    let node = graph.node(id);
    if node.args.iter().any(|arg| arg.index() >= id.index()) {
        return Err("an argument comes after its user");
    }
    let shape = |i: usize| graph.ty(node.args[i]).shape;
    let count = |n: usize| if node.args.len() == n { Ok(()) } else { Err("number of arguments") };
    let same = |n: usize| {
        count(n)?;
        let fits = (0..n).all(|i| shape(i) == node.ty.shape);
        if fits { Ok(()) } else { Err("operands of different shapes") }
    };
    match &node.op {
        Op::Const(bits) | Op::Parameter(_, bits) if bits.len() != node.ty.len() => {
            Err("number of elements of a constant")
        }
        Op::Const(_) | Op::Parameter(..) | Op::Leaf(_) | Op::Unknown => count(0),
        Op::Unary(_) => same(1),
        Op::Binary(_) => same(2),
        Op::FrozenSign | Op::Crossed | Op::FrozenFloor if !sides => {
            Err("a side that nobody decided")
        }
        Op::FrozenSign | Op::Crossed | Op::FrozenFloor => same(1),
        Op::Observed(_) => count(2),
        Op::SignOutside | Op::FloorOutside => same(3),
        Op::Select => {
            count(3)?;
            let condition = shape(0) == Shape::Scalar || shape(0) == node.ty.shape;
            let branches = shape(1) == node.ty.shape && shape(2) == node.ty.shape;
            if condition && branches { Ok(()) } else { Err("shapes of a conditional") }
        }
        Op::Choose(arms) => {
            count(arms.len() + 1)?;
            let fits = (1..node.args.len()).all(|i| shape(i) == node.ty.shape);
            if fits && shape(0) == Shape::Scalar { Ok(()) } else { Err("shapes of a choice") }
        }
        Op::Splat => match (count(1), shape(0)) {
            (Ok(()), Shape::Scalar) => Ok(()),
            _ => Err("only a scalar is repeated"),
        },
        Op::Stack => {
            let total: usize = (0..node.args.len()).map(|i| shape(i).len()).sum();
            if total == node.ty.len() { Ok(()) } else { Err("number of elements of a stack") }
        }
        Op::Extract(offset) => {
            count(1)?;
            let inside = *offset as usize + node.ty.len() <= shape(0).len();
            if inside { Ok(()) } else { Err("an extract outside its argument") }
        }
        Op::Index => count(2),
        Op::Sum | Op::Transpose => count(1),
        Op::MatMul => match (count(2), shape(0), shape(1)) {
            (Ok(()), Shape::Matrix(_, a), Shape::Vector(b) | Shape::Matrix(b, _)) if a == b => {
                Ok(())
            }
            (Ok(()), Shape::Vector(a), Shape::Vector(b)) if a == b => Ok(()),
            _ => Err("shapes of a product"),
        },
        Op::LinearSolve => match (count(2), shape(0), shape(1)) {
            (Ok(()), Shape::Matrix(a, b), Shape::Vector(c)) if a == b && b == c => Ok(()),
            _ => Err("shapes of a linear system"),
        },
        Op::Solve(_) if node.args.len() < 2 => Err("a loop without guesses"),
        Op::Solve(_) | Op::Call(_) => Ok(()),
    }
}
