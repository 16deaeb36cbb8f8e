//! The functions that an expression may call.

/// A function of the expression language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // Each has the meaning of its name; `Function::table` says the rest.
pub enum Function {
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
    Abs,
    Sign,
    Floor,
    Ceil,
    Round,
    Mod,
    Min,
    Max,
    Atan2,
    Hypot,
    Sum,
    Prod,
    Dot,
    Cross,
    Norm,
    Length,
    Rows,
    Columns,
    Transpose,
    Inverse,
    Det,
    Solve,
    Identity,
    Zeros,
    Ones,
    /// Whether a signal is present at this tag.
    Present,
    /// The value at microstep 0 of this instant.
    Left,
    /// The value one microstep ago.
    Previous,
    /// The latest value of an event signal strictly before this tag.
    Last,
    /// A signal that is present only if a condition holds.
    When,
    /// A Dirac impulse, or a derivative of one, at the instants at which its argument crosses zero.
    Delta,
}

/// How many arguments a function takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// This many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
}

impl Function {
    /// Every function with its name, its number of arguments and what it does, in the order of the
    /// documentation.
    pub fn table() -> &'static [(Function, &'static str, Arity, &'static str)] {
        use Arity::{AtLeast, Exactly};
        use Function::*;
        &[
            (Sin, "sin", Exactly(1), "sine of an angle in radians"),
            (Cos, "cos", Exactly(1), "cosine"),
            (Tan, "tan", Exactly(1), "tangent"),
            (Asin, "asin", Exactly(1), "inverse sine"),
            (Acos, "acos", Exactly(1), "inverse cosine"),
            (Atan, "atan", Exactly(1), "inverse tangent"),
            (Atan2, "atan2", Exactly(2), "angle of the point (x, y), called as atan2(y, x)"),
            (Sinh, "sinh", Exactly(1), "hyperbolic sine"),
            (Cosh, "cosh", Exactly(1), "hyperbolic cosine"),
            (Tanh, "tanh", Exactly(1), "hyperbolic tangent"),
            (Asinh, "asinh", Exactly(1), "inverse hyperbolic sine"),
            (Acosh, "acosh", Exactly(1), "inverse hyperbolic cosine"),
            (Atanh, "atanh", Exactly(1), "inverse hyperbolic tangent"),
            (Exp, "exp", Exactly(1), "e to the power"),
            (Log, "log", Exactly(1), "natural logarithm"),
            (Log10, "log10", Exactly(1), "logarithm to base 10"),
            (Log2, "log2", Exactly(1), "logarithm to base 2"),
            (Sqrt, "sqrt", Exactly(1), "square root"),
            (Hypot, "hypot", Exactly(2), "sqrt(x^2 + y^2)"),
            (Abs, "abs", Exactly(1), "magnitude; its kink at 0 is located as an event"),
            (Sign, "sign", Exactly(1), "-1, 0 or 1; its jump is located as an event"),
            (Floor, "floor", Exactly(1), "greatest whole number not above; jumps are events"),
            (Ceil, "ceil", Exactly(1), "least whole number not below; jumps are events"),
            (Round, "round", Exactly(1), "nearest whole number, halves up; jumps are events"),
            (Mod, "mod", Exactly(2), "x - y*floor(x/y), of the sign of y; jumps are events"),
            (Min, "min", AtLeast(1), "least argument, or least element of one; changes are events"),
            (Max, "max", AtLeast(1), "greatest argument, or greatest element of one"),
            (Sum, "sum", Exactly(1), "sum of all elements"),
            (Prod, "prod", Exactly(1), "product of all elements"),
            (Dot, "dot", Exactly(2), "inner product of two vectors; otherwise, their product"),
            (Cross, "cross", Exactly(2), "cross product of two vectors of three elements"),
            (Norm, "norm", Exactly(1), "square root of the sum of squares"),
            (Length, "length", Exactly(1), "number of elements"),
            (Rows, "rows", Exactly(1), "number of rows of a matrix"),
            (Columns, "columns", Exactly(1), "number of columns of a matrix"),
            (Transpose, "transpose", Exactly(1), "rows and columns exchanged"),
            (Inverse, "inverse", Exactly(1), "inverse of a square matrix"),
            (Det, "det", Exactly(1), "determinant of a square matrix"),
            (Solve, "solve", Exactly(2), "solve(A, b): the x of A*x = b, for a square matrix A"),
            (Identity, "identity", Exactly(1), "unit matrix of a constant size"),
            (Zeros, "zeros", AtLeast(1), "zeros(n) or zeros(rows, columns), constant sizes"),
            (Ones, "ones", AtLeast(1), "ones(n) or ones(rows, columns), constant sizes"),
            (Present, "present", Exactly(1), "whether a signal is present at this tag"),
            (Left, "left", Exactly(1), "value at microstep 0 of this instant"),
            (Previous, "previous", Exactly(1), "value one microstep ago"),
            (Last, "last", Exactly(2), "latest value of an event signal before this tag"),
            (When, "when", Exactly(2), "when(c, s): s, present only if c holds"),
            (Delta, "delta", AtLeast(1), "impulse: delta(time - t0), or delta(time - t0, order)"),
        ]
    }

    /// Whether it asks about a signal at a tag, so that it has no value in a constant.
    pub fn asks_about_signals(self) -> bool {
        use Function::{Delta, Last, Left, Present, Previous, When};
        matches!(self, Present | Left | Previous | Last | When | Delta)
    }

    /// Whether it asks for nothing but the size of its argument.
    pub fn asks_for_a_size(self) -> bool {
        matches!(self, Function::Length | Function::Rows | Function::Columns)
    }

    /// Whether it remembers a signal from one tag to the next.
    pub fn remembers(self) -> bool {
        matches!(self, Function::Left | Function::Previous | Function::Last)
    }

    /// Its name in expressions.
    pub fn name(self) -> &'static str {
        Function::table().iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The function with a name.
    pub fn named(name: &str) -> Option<Function> {
        Function::table().iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> Arity {
        Function::table().iter().find(|row| row.0 == self).map_or(Arity::Exactly(1), |row| row.2)
    }
}
