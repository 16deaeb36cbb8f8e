//! Functions that the graph cannot see into.

use std::fmt;
use std::sync::Arc;

/// A pure function written in Rust, for what the graph cannot express. The same arguments must
/// always give the same result: it is called speculatively.
pub trait Opaque: fmt::Debug + Send + Sync {
    /// What it is called in messages.
    fn name(&self) -> &str;

    /// Computes the result from the arguments.
    fn call(&self, args: &[&[f64]], result: &mut [f64]);

    /// Whether [`Opaque::tangent`] may be the value of a signal. By default it may not: a difference
    /// is good enough to find a crossing or a solution, and not to be shown as a derivative. A
    /// function that declares this gets the difference.
    fn has_tangent(&self) -> bool {
        false
    }

    /// Whether the result may be the value of a signal.
    fn is_exact(&self) -> bool {
        true
    }

    /// Computes the derivative of the result in the direction `tangents`. The default takes a
    /// central difference, good to about six digits.
    fn tangent(&self, args: &[&[f64]], tangents: &[&[f64]], result: &mut [f64]) {
        let scale = |rows: &[&[f64]]| {
            rows.iter().flat_map(|r| r.iter()).fold(0.0f64, |m, x| m.max(x.abs()))
        };
        let length = scale(tangents);
        result.fill(0.0);
        if length == 0.0 {
            return;
        }
        let h = 6.0e-6 * scale(args).max(1.0) / length;
        let moved = |sign: f64| -> Vec<Vec<f64>> {
            let row = |(a, d): (&&[f64], &&[f64])| {
                a.iter().zip(d.iter()).map(|(a, d)| a + sign * h * d).collect()
            };
            args.iter().zip(tangents).map(row).collect()
        };
        let (ahead, behind) = (moved(1.0), moved(-1.0));
        let mut low = vec![0.0; result.len()];
        self.call(&ahead.iter().map(Vec::as_slice).collect::<Vec<_>>(), result);
        self.call(&behind.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut low);
        result.iter_mut().zip(&low).for_each(|(r, l)| *r = (*r - l) / (2.0 * h));
    }
}

/// The directional derivative of an opaque function as a function of its own: arguments, then
/// tangents.
#[derive(Debug)]
pub(crate) struct Tangent(pub Arc<dyn Opaque>);

impl Opaque for Tangent {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn is_exact(&self) -> bool {
        self.0.has_tangent()
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        let (values, tangents) = args.split_at(args.len() / 2);
        self.0.tangent(values, tangents, result);
    }
}
