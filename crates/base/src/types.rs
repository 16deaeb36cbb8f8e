//! Types of values: an element and a shape.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What one element of a value is. All elements are stored as `f64`; integers are whole numbers
/// and booleans are 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Elem {
    /// False or true.
    Bool,
    /// A whole number.
    Int,
    /// A real number.
    Real,
}

/// How many elements a value has and how they are arranged (matrices row by row).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// One element.
    Scalar,
    /// A column of elements.
    Vector(u32),
    /// Rows and columns.
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

    /// Whether there are no elements at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The type of a signal or of a node of the intermediate representation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Type {
    /// What each element is.
    pub elem: Elem,
    /// How the elements are arranged.
    pub shape: Shape,
}

impl Type {
    /// A real number.
    pub const REAL: Type = Type::scalar(Elem::Real);
    /// A whole number.
    pub const INT: Type = Type::scalar(Elem::Int);
    /// A truth value.
    pub const BOOL: Type = Type::scalar(Elem::Bool);

    /// One element.
    pub const fn scalar(elem: Elem) -> Self {
        Type { elem, shape: Shape::Scalar }
    }

    /// A vector of reals.
    pub const fn vector(length: u32) -> Self {
        Type { elem: Elem::Real, shape: Shape::Vector(length) }
    }

    /// The same arrangement of another kind of element.
    pub const fn with_elem(self, elem: Elem) -> Self {
        Type { elem, shape: self.shape }
    }

    /// The number of elements.
    pub fn len(self) -> usize {
        self.shape.len()
    }

    /// The type in a sentence: `a real`, `an integer vector of 3`.
    pub fn with_article(self) -> String {
        let article = if self.elem == Elem::Int { "an" } else { "a" };
        format!("{article} {self}")
    }

    /// Whether there are no elements at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether there is exactly one element, outside any vector.
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
