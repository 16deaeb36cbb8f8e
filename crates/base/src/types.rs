//! Types of values: an element and a shape.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of one element of a value. All elements are stored as `f64`: integers as whole numbers,
/// booleans as 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Elem {
    /// False or true.
    Bool,
    /// An integer.
    Int,
    /// A real number.
    Real,
}

/// How many elements a value has and how they are arranged (matrices in row-major order).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// One element.
    Scalar,
    /// A column vector with this many elements.
    Vector(u32),
    /// A matrix with this many rows and columns.
    Matrix(u32, u32),
}

impl Shape {
    /// The number of elements.
    pub fn len(self) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Vector(n) => n as usize,
            Shape::Matrix(rows, columns) => rows as usize * columns as usize,
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The type of a signal or of a node of the intermediate representation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Type {
    /// The type of each element.
    pub elem: Elem,
    /// How the elements are arranged.
    pub shape: Shape,
}

impl Type {
    /// A real number.
    pub const REAL: Type = Type::scalar(Elem::Real);
    /// An integer.
    pub const INT: Type = Type::scalar(Elem::Int);
    /// A truth value.
    pub const BOOL: Type = Type::scalar(Elem::Bool);

    /// A scalar of this element type.
    pub const fn scalar(elem: Elem) -> Self {
        Type { elem, shape: Shape::Scalar }
    }

    /// A vector of reals.
    pub const fn vector(length: u32) -> Self {
        Type { elem: Elem::Real, shape: Shape::Vector(length) }
    }

    /// The same shape with another element type.
    pub const fn with_elem(self, elem: Elem) -> Self {
        Type { elem, shape: self.shape }
    }

    /// The number of elements.
    pub fn len(self) -> usize {
        self.shape.len()
    }

    /// The type for use in a sentence: `a real`, `an integer vector of 3`.
    pub fn with_article(self) -> String {
        let article = if self.elem == Elem::Int { "an" } else { "a" };
        format!("{article} {self}")
    }

    /// Whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether it is a scalar; a vector with one element is not.
    pub fn is_scalar(self) -> bool {
        self.shape == Shape::Scalar
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Elem::Bool => "boolean",
            Elem::Int => "integer",
            Elem::Real => "real",
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Scalar => f.write_str("scalar"),
            Shape::Vector(n) => write!(f, "vector of {n}"),
            Shape::Matrix(rows, columns) => write!(f, "{rows}x{columns} matrix"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            Shape::Scalar => write!(f, "{}", self.elem),
            Shape::Vector(n) => write!(f, "{} vector of {n}", self.elem),
            Shape::Matrix(rows, columns) => write!(f, "{} {rows}x{columns} matrix", self.elem),
        }
    }
}
