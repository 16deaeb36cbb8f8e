//! Piecewise polynomials through points.

use ir::{Graph, NodeId};

use super::cells::vector;

/// A polynomial of degree 3 in the distance from the origin of each cell; the cells are those of
/// the breakpoints, with one below the first and one from the last on.
pub(super) struct Pieces {
    /// The breakpoints.
    pub breaks: Vec<f64>,
    /// For each cell, where distances are measured from.
    pub origins: Vec<f64>,
    /// For each power, from 0 to 3, the coefficients of all cells.
    pub coefficients: [Vec<f64>; 4],
}

impl Pieces {
    /// The value at x, which is in a cell, by Horner's rule.
    pub fn value(&self, g: &mut Graph, x: NodeId, cell: NodeId) -> NodeId {
        let pick = |g: &mut Graph, numbers: &[f64]| {
            let table = vector(g, numbers);
            g.index(table, cell)
        };
        let occurs = |power: &usize| self.coefficients[*power].iter().any(|c| *c != 0.0);
        let degree = (0..4).rev().find(occurs).unwrap_or(0);
        let mut value = pick(g, &self.coefficients[degree]);
        if degree > 0 {
            let origin = pick(g, &self.origins);
            let distance = g.sub(x, origin);
            for power in (0..degree).rev() {
                value = g.mul(value, distance);
                if occurs(&power) {
                    let coefficient = pick(g, &self.coefficients[power]);
                    value = g.add(value, coefficient);
                }
            }
        }
        value
    }
}

/// The value and the slope with which a table goes on beyond its ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Hold,
    Linear,
}

impl Beyond {
    /// The one that an extrapolation of this name has up to the ends of the table.
    pub fn named(word: &str) -> Beyond {
        if word == "linear" { Beyond::Linear } else { Beyond::Hold }
    }
}

/// How values between points are found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    Linear,
    Nearest,
    Previous,
    Cubic,
    Spline,
}

impl Interpolation {
    /// The one with this name in model files.
    pub fn named(word: &str) -> Interpolation {
        match word {
            "linear" => Interpolation::Linear,
            "nearest" => Interpolation::Nearest,
            "previous" => Interpolation::Previous,
            "cubic" => Interpolation::Cubic,
            "spline" => Interpolation::Spline,
            other => panic!("there is no interpolation `{other}`"),
        }
    }

    /// The function through points.
    pub fn pieces(self, x: &[f64], y: &[f64], beyond: Beyond) -> Pieces {
        match self {
            Interpolation::Linear => linear(x, y, beyond),
            Interpolation::Nearest => nearest(x, y),
            Interpolation::Previous => previous(x, y),
            Interpolation::Cubic => hermite(x, y, &of_parabolas(x, y), beyond),
            Interpolation::Spline => hermite(x, y, &of_spline(x, y), beyond),
        }
    }
}

/// The value of the nearest point; halfway between two, that of the upper one.
fn nearest(x: &[f64], y: &[f64]) -> Pieces {
    let middle = |pair: &[f64]| pair[0] + (pair[1] - pair[0]) / 2.0;
    steps(x.windows(2).map(middle).collect(), y)
}

/// The value of the last point at or below; below the first point, that of the first.
fn previous(x: &[f64], y: &[f64]) -> Pieces {
    steps(x[1..].to_vec(), y)
}

fn steps(breaks: Vec<f64>, y: &[f64]) -> Pieces {
    let zeros = vec![0.0; y.len()];
    let coefficients = [y.to_vec(), zeros.clone(), zeros.clone(), zeros.clone()];
    Pieces { breaks, origins: zeros, coefficients }
}

/// Straight lines from point to point.
fn linear(x: &[f64], y: &[f64], beyond: Beyond) -> Pieces {
    let mut pieces = points(x, y);
    for (i, slope) in secants(x, y).into_iter().enumerate() {
        pieces.coefficients[1][i + 1] = slope;
    }
    let slopes = &mut pieces.coefficients[1];
    let last = x.len() - 1;
    (slopes[0], slopes[last + 1]) = match beyond {
        Beyond::Hold => (0.0, 0.0),
        Beyond::Linear => (slopes[1], slopes[last]),
    };
    pieces
}

/// Cubics that have given slopes at the points.
fn hermite(x: &[f64], y: &[f64], slopes: &[f64], beyond: Beyond) -> Pieces {
    let mut pieces = points(x, y);
    for (i, secant) in secants(x, y).into_iter().enumerate() {
        let (h, from, to) = (x[i + 1] - x[i], slopes[i], slopes[i + 1]);
        pieces.coefficients[1][i + 1] = from;
        pieces.coefficients[2][i + 1] = (3.0 * secant - 2.0 * from - to) / h;
        pieces.coefficients[3][i + 1] = (from + to - 2.0 * secant) / (h * h);
    }
    if beyond == Beyond::Linear {
        let last = x.len() - 1;
        pieces.coefficients[1][0] = slopes[0];
        pieces.coefficients[1][last + 1] = slopes[last];
    }
    pieces
}

/// Constant pieces through the points: cell i + 1 begins at point i, and cell 0 ends at point 0.
fn points(x: &[f64], y: &[f64]) -> Pieces {
    let from_first = |numbers: &[f64]| {
        let mut cells = vec![numbers[0]];
        cells.extend_from_slice(numbers);
        cells
    };
    let zeros = vec![0.0; x.len() + 1];
    let coefficients = [from_first(y), zeros.clone(), zeros.clone(), zeros];
    Pieces { breaks: x.to_vec(), origins: from_first(x), coefficients }
}

/// The slopes of the straight lines from point to point.
fn secants(x: &[f64], y: &[f64]) -> Vec<f64> {
    (1..x.len()).map(|i| (y[i] - y[i - 1]) / (x[i] - x[i - 1])).collect()
}

/// At each point, the slope of the parabola through the point and its neighbours; at the ends, that
/// of the parabola through the three points there.
fn of_parabolas(x: &[f64], y: &[f64]) -> Vec<f64> {
    let d = secants(x, y);
    let n = x.len();
    if n == 2 {
        return vec![d[0]; 2];
    }
    let h = |i: usize| x[i + 1] - x[i];
    let end = |d0: f64, h0: f64, d1: f64, h1: f64| ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    (0..n)
        .map(|i| match i {
            0 => end(d[0], h(0), d[1], h(1)),
            _ if i == n - 1 => end(d[n - 2], h(n - 2), d[n - 3], h(n - 3)),
            _ => (h(i) * d[i - 1] + h(i - 1) * d[i]) / (h(i - 1) + h(i)),
        })
        .collect()
}

/// The slopes of the cubic spline with continuous second derivatives whose third derivative is
/// continuous too at the second and at the last but one point ("not-a-knot"; de Boor, A Practical
/// Guide to Splines, chapter IV). With three points it is a parabola, with two a straight line.
fn of_spline(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    if n < 4 {
        return of_parabolas(x, y);
    }
    let d = secants(x, y);
    let h = |i: usize| x[i + 1] - x[i];
    let end = |d0: f64, h0: f64, d1: f64, h1: f64| {
        ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1)
    };
    // Rows of a tridiagonal system: below, on and above the diagonal, and the right-hand side. The
    // pivots are positive, so it is eliminated without exchanges.
    let row = |i: usize| match i {
        0 => [0.0, h(1), h(0) + h(1), end(d[0], h(0), d[1], h(1))],
        _ if i == n - 1 => {
            let (near, far) = (h(n - 2), h(n - 3));
            [near + far, far, 0.0, end(d[n - 2], near, d[n - 3], far)]
        }
        _ => {
            let right = 3.0 * (h(i) * d[i - 1] + h(i - 1) * d[i]);
            [h(i), 2.0 * (h(i - 1) + h(i)), h(i - 1), right]
        }
    };
    let mut above = vec![0.0; n];
    let mut slopes = vec![0.0; n];
    for i in 0..n {
        let [low, diagonal, high, right] = row(i);
        let (last_above, last) = if i == 0 { (0.0, 0.0) } else { (above[i - 1], slopes[i - 1]) };
        let pivot = diagonal - low * last_above;
        above[i] = high / pivot;
        slopes[i] = (right - low * last) / pivot;
    }
    for i in (0..n - 1).rev() {
        slopes[i] -= above[i] * slopes[i + 1];
    }
    slopes
}
