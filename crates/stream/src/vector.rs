//! Values of several states at one evaluation.

use std::ops::Deref;
use std::rc::Rc;

/// An immutable vector that many streams can share.
#[derive(Clone, PartialEq, Debug)]
pub struct Vector(Rc<[f64]>);

impl Vector {
    /// A vector of zeros.
    pub fn zeros(length: usize) -> Self {
        std::iter::repeat_n(0.0, length).collect()
    }

    /// Each element multiplied by a number.
    pub fn times(&self, factor: f64) -> Self {
        self.iter().map(|x| x * factor).collect()
    }

    /// The sum, element by element.
    pub fn plus(&self, other: &Self) -> Self {
        self.iter().zip(other.iter()).map(|(x, y)| x + y).collect()
    }

    /// The difference, element by element.
    pub fn minus(&self, other: &Self) -> Self {
        self.iter().zip(other.iter()).map(|(x, y)| x - y).collect()
    }

    /// The greatest magnitude; NaN if an element is NaN.
    pub fn greatest(&self) -> f64 {
        let larger = |a: f64, b: f64| if b.is_nan() || b > a { b } else { a };
        self.iter().map(|x| x.abs()).fold(0.0, |a, b| if a.is_nan() { a } else { larger(a, b) })
    }
}

impl FromIterator<f64> for Vector {
    fn from_iter<I: IntoIterator<Item = f64>>(elements: I) -> Self {
        Vector(elements.into_iter().collect())
    }
}

impl From<&[f64]> for Vector {
    fn from(elements: &[f64]) -> Self {
        Vector(elements.into())
    }
}

impl Deref for Vector {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_magnitude_does_not_hide_what_is_no_number() {
        assert_eq!(Vector::from(&[1.0, -3.0, 2.0][..]).greatest(), 3.0);
        assert!(Vector::from(&[f64::NAN, 1.0][..]).greatest().is_nan());
        assert!(Vector::from(&[1.0, f64::NAN, 2.0][..]).greatest().is_nan());
    }
}
