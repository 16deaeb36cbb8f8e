//! Constant values: parameters, initial states, recorded samples.

use std::fmt;
use std::ops::Deref;

use num_traits::ToPrimitive;

use crate::{Elem, Rational, Shape, Time, Type};

crate::typed_id! {
    /// A value that is computed from the parameters of a model when a run starts.
    ParameterId
}

/// A value of some type, with the exact fraction beside it if it is a real scalar whose expression
/// gave one.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    ty: Type,
    data: Elements,
    exact: Option<Rational>,
    open: Option<ParameterId>,
}

/// The elements of a value. Most values have one, which needs no memory of its own, so that a run
/// can be given another parameter without allocating.
#[derive(Clone, PartialEq, Debug)]
enum Elements {
    One([f64; 1]),
    /// None, or more than one.
    Many(Vec<f64>),
}

impl From<Vec<f64>> for Elements {
    fn from(data: Vec<f64>) -> Elements {
        match data[..] {
            [one] => Elements::One([one]),
            _ => Elements::Many(data),
        }
    }
}

impl Deref for Elements {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Elements::One(one) => one,
            Elements::Many(all) => all,
        }
    }
}

impl Value {
    /// A value of any type from its elements in row-major order.
    ///
    /// # Panics
    /// If the number of elements does not match the type.
    pub fn new(ty: Type, data: Vec<f64>) -> Self {
        assert_eq!(ty.len(), data.len(), "a {ty} has {} elements", ty.len());
        Value { ty, data: data.into(), exact: None, open: None }
    }

    /// The same from elements that are computed one by one; a scalar needs no memory.
    ///
    /// # Panics
    /// If the number of elements does not match the type.
    pub fn from_elements(ty: Type, elements: impl IntoIterator<Item = f64>) -> Self {
        let mut elements = elements.into_iter();
        match (ty.len(), elements.next()) {
            (1, Some(one)) if elements.next().is_none() => {
                Value { ty, data: Elements::One([one]), exact: None, open: None }
            }
            (_, first) => Value::new(ty, first.into_iter().chain(elements).collect()),
        }
    }

    /// A real number. An exact time that is made of it, such as the period of a clock, is that of the
    /// float: 0.3 is not three tenths. [`Value::rational`] is, and so is a number in a text.
    pub fn real(value: f64) -> Self {
        Value { ty: Type::REAL, data: Elements::One([value]), exact: None, open: None }
    }

    /// A real number that is known as an exact fraction.
    pub fn rational(exact: Rational) -> Self {
        let elem = if exact.is_integer() { Type::INT } else { Type::REAL };
        let data = Elements::One([exact.to_f64().unwrap_or(f64::NAN)]);
        Value { ty: elem, data, exact: Some(exact), open: None }
    }

    /// An integer.
    pub fn int(value: i64) -> Self {
        Value::rational(Rational::from_integer(value.into()))
    }

    /// A truth value.
    pub fn bool(value: bool) -> Self {
        Value { ty: Type::BOOL, data: Elements::One([f64::from(value)]), exact: None, open: None }
    }

    /// A vector of reals.
    pub fn vector(data: Vec<f64>) -> Self {
        let length = u32::try_from(data.len()).expect("a vector has fewer than 2^32 elements");
        Value { ty: Type::vector(length), data: data.into(), exact: None, open: None }
    }

    /// The type.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The elements in row-major order.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// The only element, if there is exactly one.
    pub fn as_f64(&self) -> Option<f64> {
        self.ty.is_scalar().then(|| self.data[0])
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        (self.ty == Type::BOOL).then(|| self.data[0] != 0.0)
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        let value = self.as_f64()?;
        (self.ty.elem != Elem::Bool && value.fract() == 0.0 && value.abs() < 9.0e15)
            .then_some(value as i64)
    }

    /// The exact fraction: the one that the expression gave, otherwise the exact value of the
    /// float.
    pub fn as_rational(&self) -> Option<Rational> {
        self.exact.or_else(|| Time::rational_of(self.as_f64()?))
    }

    /// The exact fraction that the expression gave, if any.
    pub fn exact(&self) -> Option<Rational> {
        self.exact
    }

    /// The same elements as reals; integers are reals too.
    pub fn to_real(mut self) -> Self {
        self.ty = self.ty.with_elem(Elem::Real);
        self
    }

    /// The parameter that every run computes it from; none if it is the same in all runs.
    pub fn open(&self) -> Option<ParameterId> {
        self.open
    }

    /// The same value, computed from a parameter in every run. Numbers are real then, because the
    /// next run may have another one.
    pub fn opened(mut self, id: ParameterId) -> Self {
        if self.ty.elem != Elem::Bool {
            self.ty = self.ty.with_elem(Elem::Real);
        }
        self.open = Some(id);
        self
    }

    /// The same value in all runs.
    pub fn closed(mut self) -> Self {
        self.open = None;
        self
    }

    /// The same value for a type of another shape: a scalar fills it.
    ///
    /// # Panics
    /// If the number of elements does not match the type.
    pub fn filling(&self, ty: Type) -> Self {
        let data = match self.data[..] {
            [one] => vec![one; ty.len()],
            _ => self.data.to_vec(),
        };
        Value { open: self.open, ..Value::new(ty, data) }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = |x: f64| match self.ty.elem {
            Elem::Bool => (x != 0.0).to_string(),
            _ => crate::shown(x),
        };
        let row = |row: &[f64]| row.iter().map(|x| element(*x)).collect::<Vec<_>>().join(", ");
        match self.ty.shape {
            Shape::Scalar => f.write_str(&element(self.data[0])),
            Shape::Vector(_) => write!(f, "[{}]", row(&self.data)),
            Shape::Matrix(_, columns) => {
                let rows: Vec<_> = self.data.chunks(columns.max(1) as usize).map(row).collect();
                write!(f, "[{}]", rows.join("; "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_decimal;

    #[test]
    fn a_literal_is_the_nearest_float() {
        for text in ["0.1", "9.81", "1e-8", "0.3", "123456.789", "2.2250738585072014e-10"] {
            let value = Value::rational(parse_decimal(text).unwrap());
            assert_eq!(value.as_f64(), text.parse().ok(), "{text}");
        }
    }
}
