//! A small tableau that the solver does not name; the tests of native code include it too.

use super::{Embedded, Tableau};

/// Heun's method with Euler's for the error.
pub static HEUN_EULER: Tableau = Tableau {
    name: "heun-euler",
    order: 2,
    nodes: &[0.0, 1.0, 1.0],
    rows: &[&[], &[(0, 1.0)], &[(0, 0.5), (1, 0.5)]],
    embedded: Some(Embedded { order: 1, error: &[(0, -0.5), (1, 0.5)] }),
    extension: &[],
};
