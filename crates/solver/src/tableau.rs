//! The explicit methods, each as a table of coefficients; those of others are in files of their
//! own.
//!
//! Every tableau is written so that its last stage is the end of the step: the last row is
//! the row of weights and the last slope is the derivative at the end, which is the first
//! slope of the next step. For Bogacki-Shampine and Dormand-Prince that is how the pair is
//! made; for the others it costs nothing, because the next step needs that slope anyway and
//! the dense output needs it now.
//!
//! A tableau is all that the solver and native code need to know about an explicit method. To add
//! one, write it here with its paper, and give it a line in [`crate::Method`].

mod check;
pub(crate) mod rodas5p;
pub(crate) mod trbdf2;

pub use check::TableauError;

use std::hash::{Hash, Hasher};

/// A slope, by the index of its stage, and its weight in a sum.
pub type Weight = (usize, f64);

/// An explicit method. [`Tableau::check`] lists what must hold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tableau {
    /// The name in a model file.
    pub name: &'static str,
    /// The order p of the solution at the ends of steps: the global error is O(h^p).
    pub order: u32,
    /// The nodes c, from 0 at the first stage to 1 at the last.
    pub nodes: &'static [f64],
    /// For each stage the slopes that enter it, in the order of summation; zeros are left out.
    pub rows: &'static [&'static [Weight]],
    /// The embedded solution, by which the error of a step is estimated. A method without one has
    /// fixed steps.
    pub embedded: Option<Embedded>,
    /// The weights d of the quartic term h θ² (1 - θ)² Σ d_j k_j that a continuous extension of
    /// order 4 adds to Hermite's cubic. They begin with that of the first slope and end with that
    /// of the last, even if one of these is zero, because the cubic adds to both.
    ///
    /// A method without an extension has an empty slice here. Its dense output is Hermite's cubic
    /// through the values and the slopes at both ends, of order 3 at most, so that values inside a
    /// step of a method of higher order are less accurate than those at its ends. For a method of
    /// order 1 it is the chord, on which every point is the end of a shorter step of Euler's
    /// method: a located crossing is then what a shorter step would have given.
    pub extension: &'static [Weight],
}

/// A second solution from the same slopes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Embedded {
    /// The order q of the less accurate of the two solutions: the error of a step is O(h^(q+1)),
    /// which sets the exponent of step control.
    pub order: u32,
    /// The weights of the solution less those of the embedded one.
    pub error: &'static [Weight],
}

impl Tableau {
    /// The weights of the error estimate; empty for a method with fixed steps.
    pub const fn error(&self) -> &'static [Weight] {
        match self.embedded {
            Some(embedded) => embedded.error,
            None => &[],
        }
    }

    /// The order q of the dense output: inside one step its error is O(h^(q+1)).
    pub const fn dense_order(&self) -> u32 {
        match self.extension {
            [] if self.order < 3 => self.order,
            [] => 3,
            _ => 4,
        }
    }
}

/// Coefficients are finite, so that every tableau equals itself.
impl Eq for Tableau {}

impl Hash for Tableau {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Explicit Euler with a fixed step.
pub(crate) static EULER: Tableau = Tableau { name: "euler", embedded: None, ..EULER_ADAPTIVE };

/// Explicit Euler. The error estimate is its distance to Heun's result, whose second slope is the
/// derivative at Euler's end.
pub(crate) static EULER_ADAPTIVE: Tableau = Tableau {
    name: "euler-adaptive",
    order: 1,
    nodes: &[0.0, 1.0],
    rows: &[&[], &[(0, 1.0)]],
    embedded: Some(Embedded { order: 1, error: &[(0, 0.5), (1, -0.5)] }),
    extension: &[],
};

/// K. Heun, "Neue Methoden zur approximativen Integration der Differentialgleichungen einer
/// unabhängigen Veränderlichen", Z. Math. Phys. 45 (1900).
pub(crate) static HEUN: Tableau = Tableau {
    name: "heun",
    order: 2,
    nodes: &[0.0, 1.0, 1.0],
    rows: &[&[], &[(0, 1.0)], &[(0, 0.5), (1, 0.5)]],
    embedded: None,
    extension: &[],
};

/// W. Kutta, "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen",
/// Z. Math. Phys. 46 (1901).
pub(crate) static CLASSICAL_RK4: Tableau = Tableau {
    name: "rk4",
    order: 4,
    nodes: &[0.0, 0.5, 0.5, 1.0, 1.0],
    rows: &[
        &[],
        &[(0, 0.5)],
        &[(1, 0.5)],
        &[(2, 1.0)],
        &[(0, 1.0 / 6.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 1.0 / 6.0)],
    ],
    embedded: None,
    extension: &[],
};

/// P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas", Appl. Math. Lett. 2
/// (1989).
pub(crate) static BOGACKI_SHAMPINE: Tableau = Tableau {
    name: "rk23",
    order: 3,
    nodes: &[0.0, 0.5, 0.75, 1.0],
    rows: &[&[], &[(0, 0.5)], &[(1, 0.75)], &[(0, 2.0 / 9.0), (1, 1.0 / 3.0), (2, 4.0 / 9.0)]],
    embedded: Some(Embedded {
        order: 2,
        error: &[
            (0, 2.0 / 9.0 - 7.0 / 24.0),
            (1, 1.0 / 3.0 - 1.0 / 4.0),
            (2, 4.0 / 9.0 - 1.0 / 3.0),
            (3, -1.0 / 8.0),
        ],
    }),
    extension: &[],
};

/// J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comp. Appl.
/// Math. 6 (1980). The extension: E. Hairer, S. P. Nørsett, G. Wanner, "Solving Ordinary
/// Differential Equations I", 2nd ed., II.6, in the form of the code DOPRI5.
pub(crate) static DORMAND_PRINCE: Tableau = Tableau {
    name: "rk45",
    order: 5,
    nodes: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    rows: &[
        &[],
        &[(0, 0.2)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)],
        &[
            (0, 19372.0 / 6561.0),
            (1, -25360.0 / 2187.0),
            (2, 64448.0 / 6561.0),
            (3, -212.0 / 729.0),
        ],
        &[
            (0, 9017.0 / 3168.0),
            (1, -355.0 / 33.0),
            (2, 46732.0 / 5247.0),
            (3, 49.0 / 176.0),
            (4, -5103.0 / 18656.0),
        ],
        &[
            (0, 35.0 / 384.0),
            (2, 500.0 / 1113.0),
            (3, 125.0 / 192.0),
            (4, -2187.0 / 6784.0),
            (5, 11.0 / 84.0),
        ],
    ],
    embedded: Some(Embedded {
        order: 4,
        error: &[
            (0, 71.0 / 57600.0),
            (2, -71.0 / 16695.0),
            (3, 71.0 / 1920.0),
            (4, -17253.0 / 339200.0),
            (5, 22.0 / 525.0),
            (6, -1.0 / 40.0),
        ],
    }),
    extension: &[
        (0, -12_715_105_075.0 / 11_282_082_432.0),
        (2, 87_487_479_700.0 / 32_700_410_799.0),
        (3, -10_690_763_975.0 / 1_880_347_072.0),
        (4, 701_980_252_875.0 / 199_316_789_632.0),
        (5, -1_453_857_185.0 / 822_651_844.0),
        (6, 69_997_945.0 / 29_380_423.0),
    ],
};

/// J. R. Cash, A. H. Karp, "A variable order Runge-Kutta method for initial value problems with
/// rapidly varying right-hand sides", ACM Trans. Math. Softw. 16 (1990).
///
/// The paper has no continuous extension. The conditions of order 4 leave one weight free, here that
/// of node 7/8, which is chosen for small terms of order 5. With a cubic instead, a signal that is
/// delayed would be far less accurate than the tolerance.
pub(crate) static CASH_KARP: Tableau = Tableau {
    name: "cash-karp",
    order: 5,
    nodes: &[0.0, 0.2, 0.3, 0.6, 1.0, 0.875, 1.0],
    rows: &[
        &[],
        &[(0, 0.2)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 0.3), (1, -0.9), (2, 1.2)],
        &[(0, -11.0 / 54.0), (1, 5.0 / 2.0), (2, -70.0 / 27.0), (3, 35.0 / 27.0)],
        &[
            (0, 1631.0 / 55296.0),
            (1, 175.0 / 512.0),
            (2, 575.0 / 13824.0),
            (3, 44275.0 / 110592.0),
            (4, 253.0 / 4096.0),
        ],
        &[(0, 37.0 / 378.0), (2, 250.0 / 621.0), (3, 125.0 / 594.0), (5, 512.0 / 1771.0)],
    ],
    embedded: Some(Embedded {
        order: 4,
        error: &[
            (0, 37.0 / 378.0 - 2825.0 / 27648.0),
            (2, 250.0 / 621.0 - 18575.0 / 48384.0),
            (3, 125.0 / 594.0 - 13525.0 / 55296.0),
            (4, -277.0 / 14336.0),
            (5, 512.0 / 1771.0 - 1.0 / 4.0),
        ],
    }),
    extension: &[
        (0, -449.0 / 384.0),
        (2, 675.0 / 224.0),
        (3, -1325.0 / 768.0),
        (4, -1109.0 / 1792.0),
        (5, -2.0),
        (6, 5.0 / 2.0),
    ],
};

#[cfg(test)]
mod tests;
