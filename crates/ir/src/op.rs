//! The operations of the graph.

use base::{ParameterId, Type};

use crate::graph::{BodyId, CallId};

/// What a node does with its arguments. Operations on vectors and matrices are elementwise unless
/// they say otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// The elements of a constant, as bits so that equal constants are one node.
    Const(Vec<u64>),
    /// A value that every run computes from the parameters of the model, and its elements for those
    /// that are known when the graph is made. It is never folded.
    Parameter(ParameterId, Vec<u64>),
    /// A number that comes from outside; the maker of the graph knows what it is.
    Leaf(u32),
    /// A value that a causality loop leaves undetermined.
    Unknown,
    /// One operand.
    Unary(Unary),
    /// Two operands of the same shape.
    Binary(Binary),
    /// `select(c, a, b)`: a if c is true, else b. The condition is a scalar or has the shape of
    /// the others; it is not strict in the branch that is not taken.
    Select,
    /// `choose(i, x0, x1, ...)`: the x of a number that is frozen. Each arm names the condition
    /// ([`crate::Guards`]) under which it can be the one, so that what the others need is skipped.
    Choose(Vec<u32>),
    /// Sign of the argument as a crossing: frozen while smooth. Only in the functions of blocks;
    /// whoever composes them decides how it is read.
    FrozenSign,
    /// The change of a side (the only argument, a `Side`) at the commit just before this
    /// microstep: its new sign minus its old one. Only in the functions of blocks.
    Crossed,
    /// The greatest whole number not above, frozen while smooth. Only in the functions of blocks.
    FrozenFloor,
    /// `observed(a, b)`: two ways to compute one number, of which a reads frozen sides and b compares
    /// values. Stages of a step and derivatives take a, which goes on smoothly past a kink; what is
    /// observed at accepted points and at ticks is b, which never leaves its range. The number is
    /// the number of selections that a is made of, each in the second argument of the one before: their sides
    /// are kinks, over which the value is continuous.
    Observed(u32),
    /// `sign_outside(d, side, residual)`: the sign of d, but the side while |d| is within the residual.
    SignOutside,
    /// `floor_outside(x, floor, residual)`: the floor of x, but the frozen floor while x is within the
    /// residual of one of its edges.
    FloorOutside,
    /// A scalar repeated to fill a shape.
    Splat,
    /// The elements of all arguments one after the other.
    Stack,
    /// Elements from an offset on.
    Extract(u32),
    /// The element of a vector or matrix at a scalar position (row by row, from 0); NaN
    /// outside.
    Index,
    /// Sum of all elements, from first to last.
    Sum,
    /// Matrix product; a vector is a column.
    MatMul,
    /// Rows and columns exchanged.
    Transpose,
    /// `solve(A, b)` with a square matrix: the x of A x = b.
    LinearSolve,
    /// The unknowns, one vector, at which a body's residuals vanish; the first argument is the
    /// guess, the second another one in case that leads nowhere, the others are the body's outer
    /// values.
    Solve(BodyId),
    /// A function that the graph cannot see into.
    Call(CallId),
}

/// Operations on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // Each is the function of its name.
pub enum Unary {
    Neg,
    Not,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Log,
    Log10,
    Log2,
    Sqrt,
    Sign,
    Floor,
}

/// Operations on two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // Each is the operator of its name.
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Atan2,
    Hypot,
    And,
    Or,
    Equal,
    Less,
    LessEqual,
}

impl Binary {
    /// The type of the elements of the result, given those of the operands.
    pub(crate) fn result(self, a: Type, b: Type) -> Type {
        use base::Elem;
        let elem = match self {
            Binary::Add | Binary::Sub | Binary::Mul if a.elem == b.elem && a.elem == Elem::Int => {
                Elem::Int
            }
            Binary::And | Binary::Or | Binary::Equal | Binary::Less | Binary::LessEqual => {
                Elem::Bool
            }
            _ => Elem::Real,
        };
        Type { elem, shape: a.shape }
    }
}
