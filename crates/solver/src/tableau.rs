//! The coefficients of the explicit methods; those of others are in files of their own.
//!
//! Every tableau is written so that its last stage is the end of the step: the last row is
//! the row of weights and the last slope is the derivative at the end, which is the first
//! slope of the next step. For Bogacki-Shampine and Dormand-Prince that is how the pair is
//! made; for the others it costs nothing, because the next step needs that slope anyway and
//! the dense output needs it now.

pub(crate) mod rodas5p;
pub(crate) mod trbdf2;

/// An explicit method as constants, so that the stage loop is compiled for each of them.
pub(crate) trait Tableau {
    /// The nodes c, from 0 at the first stage to 1 at the last.
    const NODES: &'static [f64];
    /// For each stage the slopes that enter it, as pairs of slope and coefficient; zeros are
    /// left out.
    const ROWS: &'static [&'static [(usize, f64)]];
    /// The difference between the solution and the embedded one; empty without a pair.
    const ERROR: &'static [(usize, f64)];
}

/// Explicit Euler. The estimate is its distance to Heun's result, whose second slope is the
/// derivative at Euler's end.
pub(crate) struct Euler;

impl Tableau for Euler {
    const NODES: &'static [f64] = &[0.0, 1.0];
    const ROWS: &'static [&'static [(usize, f64)]] = &[&[], &[(0, 1.0)]];
    const ERROR: &'static [(usize, f64)] = &[(0, 0.5), (1, -0.5)];
}

/// K. Heun, "Neue Methoden zur approximativen Integration der Differentialgleichungen einer
/// unabhängigen Veränderlichen", Z. Math. Phys. 45 (1900).
pub(crate) struct Heun;

impl Tableau for Heun {
    const NODES: &'static [f64] = &[0.0, 1.0, 1.0];
    const ROWS: &'static [&'static [(usize, f64)]] = &[&[], &[(0, 1.0)], &[(0, 0.5), (1, 0.5)]];
    const ERROR: &'static [(usize, f64)] = &[];
}

/// W. Kutta, "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen",
/// Z. Math. Phys. 46 (1901).
pub(crate) struct ClassicalRk4;

impl Tableau for ClassicalRk4 {
    const NODES: &'static [f64] = &[0.0, 0.5, 0.5, 1.0, 1.0];
    const ROWS: &'static [&'static [(usize, f64)]] = &[
        &[],
        &[(0, 0.5)],
        &[(1, 0.5)],
        &[(2, 1.0)],
        &[(0, 1.0 / 6.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 1.0 / 6.0)],
    ];
    const ERROR: &'static [(usize, f64)] = &[];
}

/// P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas", Appl. Math. Lett. 2
/// (1989).
pub(crate) struct BogackiShampine;

impl Tableau for BogackiShampine {
    const NODES: &'static [f64] = &[0.0, 0.5, 0.75, 1.0];
    const ROWS: &'static [&'static [(usize, f64)]] =
        &[&[], &[(0, 0.5)], &[(1, 0.75)], &[(0, 2.0 / 9.0), (1, 1.0 / 3.0), (2, 4.0 / 9.0)]];
    const ERROR: &'static [(usize, f64)] = &[
        (0, 2.0 / 9.0 - 7.0 / 24.0),
        (1, 1.0 / 3.0 - 1.0 / 4.0),
        (2, 4.0 / 9.0 - 1.0 / 3.0),
        (3, -1.0 / 8.0),
    ];
}

/// J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comp. Appl.
/// Math. 6 (1980).
pub(crate) struct DormandPrince;

impl DormandPrince {
    /// The slopes' shares in the quartic term of the continuous extension: E. Hairer,
    /// S. P. Nørsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., II.6,
    /// in the form of the code DOPRI5.
    pub(crate) const EXTENSION: [(usize, f64); 6] = [
        (0, -12_715_105_075.0 / 11_282_082_432.0),
        (2, 87_487_479_700.0 / 32_700_410_799.0),
        (3, -10_690_763_975.0 / 1_880_347_072.0),
        (4, 701_980_252_875.0 / 199_316_789_632.0),
        (5, -1_453_857_185.0 / 822_651_844.0),
        (6, 69_997_945.0 / 29_380_423.0),
    ];
}

impl Tableau for DormandPrince {
    const NODES: &'static [f64] = &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
    const ROWS: &'static [&'static [(usize, f64)]] = &[
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
    ];
    const ERROR: &'static [(usize, f64)] = &[
        (0, 71.0 / 57600.0),
        (2, -71.0 / 16695.0),
        (3, 71.0 / 1920.0),
        (4, -17253.0 / 339200.0),
        (5, 22.0 / 525.0),
        (6, -1.0 / 40.0),
    ];
}

#[cfg(test)]
mod tests;
