//! Variables set and read.

use super::{Calls, Instance};
use crate::description::{VariableType, Version};
use crate::import::message::{FmuError, Port};
use std::ffi::c_int;

/// Sets or reads variables of one type of C.
macro_rules! transfer {
    ($self:ident, set $name:expr, $ty:ty, $ports:expr, $values:expr) => {{
        let references: Vec<u32> = $ports.iter().map(|own| own.reference).collect();
        let values: Vec<$ty> = $values.map(|x| x as $ty).collect();
        let (first, count, place) = (references.as_ptr(), references.len(), values.as_ptr());
        match $self.version {
            Version::Two => {
                call!($self, $name, (*const u32, usize, *const $ty), first, count, place)
            }
            Version::Three => call!(
                $self,
                $name,
                (*const u32, usize, *const $ty, usize),
                first,
                count,
                place,
                values.len()
            ),
        }
    }};
    ($self:ident, get $name:expr, $ty:ty, $ports:expr, $result:expr) => {{
        let references: Vec<u32> = $ports.iter().map(|own| own.reference).collect();
        let mut values = vec![<$ty>::default(); $ports.iter().map(|own| own.len).sum()];
        let (first, count, place) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        let done = match $self.version {
            Version::Two => {
                call!($self, $name, (*const u32, usize, *mut $ty), first, count, place)
            }
            Version::Three => call!(
                $self,
                $name,
                (*const u32, usize, *mut $ty, usize),
                first,
                count,
                place,
                values.len()
            ),
        };
        done.map(|()| $result.extend(values.iter().map(|x| Number::number(*x))))
    }};
}

/// A number of C as one of ours.
trait Number: Copy {
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(impl Number for $ty {
        fn number(self) -> f64 {
            self as f64
        }
    })* };
}

numbers!(f64, f32, i8, u8, i16, u16, i32, u32, i64, u64);

impl Calls {
    /// Sets variables; neighbours of one type are set together.
    pub fn set(&mut self, ports: &[Port], values: &[f64]) -> Result<(), FmuError> {
        let mut rest = values;
        for group in ports.chunk_by(|a, b| a.ty == b.ty) {
            let length: usize = group.iter().map(|own| own.len).sum();
            let (own, after) = rest.split_at_checked(length).ok_or(FmuError::OutOfOrder)?;
            check_values(group, own)?;
            rest = after;
            self.set_group(group, own)?;
        }
        Ok(())
    }

    /// Sets the first derivatives of continuous inputs (FMI 2.0).
    pub fn set_slopes(&mut self, ports: &[Port], slopes: &[f64]) -> Result<(), FmuError> {
        let moving = ports.iter().filter(|own| own.continuous);
        let references: Vec<u32> = moving.map(|own| own.reference).collect();
        if references.len() != slopes.len() {
            return Err(FmuError::OutOfOrder);
        }
        let orders = vec![1; references.len()];
        let (first, count) = (references.as_ptr(), references.len());
        let (order, value) = (orders.as_ptr(), slopes.as_ptr());
        call!(
            self,
            "SetRealInputDerivatives",
            (*const u32, usize, *const c_int, *const f64),
            first,
            count,
            order,
            value
        )
    }

    fn set_group(&mut self, group: &[Port], own: &[f64]) -> Result<(), FmuError> {
        use VariableType as T;
        let values = own.iter().copied();
        let truth = own.iter().map(|x| u8::from(*x != 0.0));
        match (self.version, group[0].ty) {
            (Version::Two, T::Float64) => transfer!(self, set "SetReal", f64, group, values),
            (Version::Two, T::Boolean) => transfer!(self, set "SetBoolean", i32, group, truth),
            (Version::Two, _) => transfer!(self, set "SetInteger", i32, group, values),
            (_, T::Float64) => transfer!(self, set "SetFloat64", f64, group, values),
            (_, T::Float32) => transfer!(self, set "SetFloat32", f32, group, values),
            (_, T::Int8) => transfer!(self, set "SetInt8", i8, group, values),
            (_, T::UInt8) => transfer!(self, set "SetUInt8", u8, group, values),
            (_, T::Int16) => transfer!(self, set "SetInt16", i16, group, values),
            (_, T::UInt16) => transfer!(self, set "SetUInt16", u16, group, values),
            (_, T::Int32) => transfer!(self, set "SetInt32", i32, group, values),
            (_, T::UInt32) => transfer!(self, set "SetUInt32", u32, group, values),
            (_, T::Int64 | T::Enumeration) => {
                transfer!(self, set "SetInt64", i64, group, values)
            }
            (_, T::UInt64) => transfer!(self, set "SetUInt64", u64, group, values),
            // A truth value of C is a byte that is 0 or 1.
            (_, T::Boolean) => transfer!(self, set "SetBoolean", u8, group, truth),
            (_, T::String | T::Binary | T::Clock) => Err(FmuError::NoNumber(group[0].name.clone())),
        }
    }

    /// The values of variables; neighbours of one type are read together.
    pub fn get(&mut self, ports: &[Port]) -> Result<Vec<f64>, FmuError> {
        let mut result = Vec::new();
        for group in ports.chunk_by(|a, b| a.ty == b.ty) {
            self.get_group(group, &mut result)?;
        }
        Ok(result)
    }

    fn get_group(&mut self, group: &[Port], result: &mut Vec<f64>) -> Result<(), FmuError> {
        use VariableType as T;
        match (self.version, group[0].ty) {
            (Version::Two, T::Float64) => transfer!(self, get "GetReal", f64, group, result),
            (Version::Two, T::Boolean) => transfer!(self, get "GetBoolean", i32, group, result),
            (Version::Two, _) => transfer!(self, get "GetInteger", i32, group, result),
            (_, T::Float64) => transfer!(self, get "GetFloat64", f64, group, result),
            (_, T::Float32) => transfer!(self, get "GetFloat32", f32, group, result),
            (_, T::Int8) => transfer!(self, get "GetInt8", i8, group, result),
            (_, T::UInt8) => transfer!(self, get "GetUInt8", u8, group, result),
            (_, T::Int16) => transfer!(self, get "GetInt16", i16, group, result),
            (_, T::UInt16) => transfer!(self, get "GetUInt16", u16, group, result),
            (_, T::Int32) => transfer!(self, get "GetInt32", i32, group, result),
            (_, T::UInt32) => transfer!(self, get "GetUInt32", u32, group, result),
            (_, T::Int64 | T::Enumeration) => {
                transfer!(self, get "GetInt64", i64, group, result)
            }
            (_, T::UInt64) => transfer!(self, get "GetUInt64", u64, group, result),
            (_, T::Boolean) => transfer!(self, get "GetBoolean", u8, group, result),
            (_, T::String | T::Binary | T::Clock) => Err(FmuError::NoNumber(group[0].name.clone())),
        }
    }
}

/// Refuses values that an integer cannot have.
fn check_values(group: &[Port], values: &[f64]) -> Result<(), FmuError> {
    let ty = group[0].ty;
    if ty.is_real() || ty == VariableType::Boolean {
        return Ok(());
    }
    let (least, most) = ty.range();
    let bad = |x: &f64| x.fract() != 0.0 || *x < least || *x > most;
    match values.iter().position(|x| x.is_nan() || bad(x)) {
        Some(index) => {
            let mut before = 0;
            let owner = group.iter().find(|own| {
                before += own.len;
                index < before
            });
            let name = owner.map_or(String::new(), |own| own.name.clone());
            Err(FmuError::NoValue(name, values[index]))
        }
        None => Ok(()),
    }
}
