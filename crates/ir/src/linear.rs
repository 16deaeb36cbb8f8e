//! Small dense linear systems inside the buffer.

use crate::{Binary, Scalar};

/// Solves A x = b by elimination with row pivoting; `a` is destroyed and `b` becomes x. A singular
/// matrix gives values that are not finite.
pub(crate) fn eliminate<T: Scalar>(slots: &mut [T], a: usize, b: usize, n: usize) {
    let div = |x, y| T::binary(Binary::Div, x, y);
    let mul_sub = |x, y, z| T::binary(Binary::Sub, x, T::binary(Binary::Mul, y, z));
    for k in 0..n {
        let size = |slots: &[T], i: usize| slots[a + i * n + k].primal().abs();
        let pivot =
            (k..n).fold(k, |best, i| if size(slots, i) > size(slots, best) { i } else { best });
        if pivot != k {
            (0..n).for_each(|j| slots.swap(a + k * n + j, a + pivot * n + j));
            slots.swap(b + k, b + pivot);
        }
        for i in k + 1..n {
            let factor = div(slots[a + i * n + k], slots[a + k * n + k]);
            if factor.primal() == 0.0 && T::EXTRA_NEWTON_STEPS == 0 {
                continue;
            }
            // Rows lie apart, so that the loop becomes vector instructions.
            let (upper, lower) = slots[a..a + n * n].split_at_mut(i * n);
            let (pivots, row) = (&upper[k * n + k + 1..k * n + n], &mut lower[k + 1..n]);
            row.iter_mut().zip(pivots).for_each(|(x, pivot)| *x = mul_sub(*x, factor, *pivot));
            slots[b + i] = mul_sub(slots[b + i], factor, slots[b + k]);
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            slots[b + k] = mul_sub(slots[b + k], slots[a + k * n + j], slots[b + j]);
        }
        slots[b + k] = div(slots[b + k], slots[a + k * n + k]);
    }
}
