//! Where the parts of a float are, for arithmetic that takes numbers apart.

/// The bits of the square root of a half: mantissas around 1 have the smallest logarithms.
pub const LEAST_MANTISSA: u64 = 0x3FE6_A09E_667F_3BCD;
/// The bits of 1.
pub const ONE: u64 = 0x3FF0_0000_0000_0000;
/// The bits of the mantissa of a float, and how many they are.
pub const MANTISSA: u64 = (1 << MANTISSA_BITS) - 1;
/// How many bits the mantissa of a float has.
pub const MANTISSA_BITS: u32 = 52;
/// A number to which an integer is added to be rounded, or to get it out of the low bits.
pub const WHOLE: f64 = 6_755_399_441_055_744.0;
/// The exponent of 1 as floats have it.
pub const BIAS: u64 = 1023;
/// A float whose low bits count by 1: one with the exponent `e + BIAS` in them is less by
/// [`EXPONENT_AT_ZERO`] than `e` is.
pub const COUNTING: u64 = 0x4330_0000_0000_0000;
/// The value of [`COUNTING`] with the exponent of 1 in its low bits.
pub const EXPONENT_AT_ZERO: f64 = 4_503_599_627_370_496.0 + BIAS as f64;
