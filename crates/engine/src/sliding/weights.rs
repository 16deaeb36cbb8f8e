//! The weights of surfaces, from the slopes of their functions: pure arithmetic.
//!
//! With `c` and `m` (row after row) the slopes are `c + m w`. A motion on all surfaces has slopes of
//! zero. Where several surfaces meet, each is either kept, with a weight between 0 and 1, or left: to
//! the side below with weight 0 and a slope that is not positive, to the side above with weight 1 and
//! a slope that is not negative.

use program::tape::{Dual, Jet, Scalar};

/// What a motion does at a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// It leaves to the side on which the function is negative.
    Below,
    /// It slides.
    Slides,
    /// It leaves to the side on which the function is positive.
    Above,
}

impl Status {
    /// The side.
    pub fn side(self) -> f64 {
        match self {
            Status::Below => -1.0,
            Status::Slides => 0.0,
            Status::Above => 1.0,
        }
    }
}

/// Why there is no motion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unclear {
    /// There are several, or none.
    NotUnique,
    /// More surfaces meet than can be decided.
    TooMany,
}

/// Up to this many surfaces all cases are tried.
const FEW: usize = 6;
/// The largest number of changes of status in a search among more surfaces.
const MOST_CHANGES: usize = 20_000;
/// Rounding of a weight or of a relative slope.
const ROUNDING: f64 = 1e-10;

/// Solves `m x = b` for `k` unknowns, in place; `b` becomes the solution. Returns whether there is
/// one. Both are overwritten.
pub(crate) fn solve(m: &mut [f64], b: &mut [f64]) -> bool {
    let k = b.len();
    for column in 0..k {
        let size = |row: usize, m: &[f64]| m[row * k + column].abs();
        let pivot = (column..k).max_by(|a, b| size(*a, m).total_cmp(&size(*b, m)));
        let Some(pivot) = pivot.filter(|row| size(*row, m) > 0.0 && size(*row, m).is_finite())
        else {
            return false;
        };
        if pivot != column {
            (0..k).for_each(|i| m.swap(pivot * k + i, column * k + i));
            b.swap(pivot, column);
        }
        for row in column + 1..k {
            let factor = m[row * k + column] / m[column * k + column];
            if factor != 0.0 {
                (column..k).for_each(|i| m[row * k + i] -= factor * m[column * k + i]);
                b[row] -= factor * b[column];
            }
        }
    }
    for row in (0..k).rev() {
        let rest: f64 = (row + 1..k).map(|i| m[row * k + i] * b[i]).sum();
        b[row] = (b[row] - rest) / m[row * k + row];
    }
    b.iter().all(|x| x.is_finite())
}

/// The solution of `m x = -c` and its time derivative, which solves `m x' = -(c' + m' x)`; NaN if
/// there is none.
pub(crate) fn solve_moving(c: &[Dual], m: &[Dual]) -> Vec<Dual> {
    let k = c.len();
    let plain = || m.iter().map(|own| own.0[0]).collect::<Vec<f64>>();
    let mut x: Vec<f64> = c.iter().map(|own| -own.0[0]).collect();
    let mut known = solve(&mut plain(), &mut x);
    let moved = |row: usize| {
        let terms = (0..k).map(|column| m[row * k + column].0[1] * x[column]);
        -(c[row].0[1] + terms.sum::<f64>())
    };
    let mut rates: Vec<f64> = (0..k).map(moved).collect();
    known &= solve(&mut plain(), &mut rates);
    let pair = |(x, rate)| if known { Jet([x, rate]) } else { Dual::constant(f64::NAN) };
    x.into_iter().zip(rates).map(pair).collect()
}

/// What a motion does at surfaces that meet; some are decided already.
pub(crate) fn decide(
    c: &[f64],
    m: &[f64],
    given: &[Option<Status>],
) -> Result<Vec<Status>, Unclear> {
    let open: Vec<usize> = (0..c.len()).filter(|i| given[*i].is_none()).collect();
    let mut statuses: Vec<Status> =
        given.iter().map(|status| status.unwrap_or(Status::Slides)).collect();
    let problem = Problem { c, m };
    match open.len() <= FEW {
        true => problem.try_all(&open, &mut statuses)?,
        false => problem.search(&open, &mut statuses)?,
    }
    Ok(statuses)
}

struct Problem<'a> {
    c: &'a [f64],
    m: &'a [f64],
}

impl Problem<'_> {
    fn of(&self, row: usize, column: usize) -> f64 {
        self.m[row * self.c.len() + column]
    }

    /// Weights and slopes under given statuses, if there are any.
    fn weigh(&self, statuses: &[Status]) -> Option<(Vec<f64>, Vec<f64>)> {
        let k = self.c.len();
        let mut w: Vec<f64> =
            statuses.iter().map(|status| f64::from(*status == Status::Above)).collect();
        let sliding: Vec<usize> = (0..k).filter(|i| statuses[*i] == Status::Slides).collect();
        let slope = |row: usize, w: &[f64]| {
            self.c[row] + (0..k).map(|column| self.of(row, column) * w[column]).sum::<f64>()
        };
        let mut b: Vec<f64> = sliding.iter().map(|row| -slope(*row, &w)).collect();
        let entries = sliding.iter().flat_map(|row| sliding.iter().map(|i| self.of(*row, *i)));
        if !solve(&mut entries.collect::<Vec<f64>>(), &mut b) {
            return None;
        }
        sliding.iter().zip(b).for_each(|(i, weight)| w[*i] = weight);
        let slopes = (0..k).map(|row| slope(row, &w)).collect();
        Some((w, slopes))
    }

    /// How large the terms of a slope are, for its rounding.
    fn size(&self, row: usize) -> f64 {
        let terms = (0..self.c.len()).map(|column| self.of(row, column).abs());
        terms.fold(self.c[row].abs(), f64::max)
    }

    /// The status that a surface must have instead, if weight or slope contradict the one it has.
    fn contradicted(&self, i: usize, status: Status, w: f64, slope: f64) -> Option<Status> {
        let rounding = ROUNDING * self.size(i);
        match status {
            Status::Slides if w < -ROUNDING => Some(Status::Below),
            Status::Slides if w > 1.0 + ROUNDING => Some(Status::Above),
            Status::Below if slope > rounding => Some(Status::Slides),
            Status::Above if slope < -rounding => Some(Status::Slides),
            _ => None,
        }
    }

    /// Tries all cases; exactly one motion must be possible.
    fn try_all(&self, open: &[usize], statuses: &mut [Status]) -> Result<(), Unclear> {
        let mut found: Option<(Vec<Status>, Vec<f64>)> = None;
        for case in 0..3usize.pow(open.len() as u32) {
            let mut rest = case;
            for i in open {
                // Sliding comes first: on the edge between two cases it is the more general one.
                statuses[*i] = [Status::Slides, Status::Below, Status::Above][rest % 3];
                rest /= 3;
            }
            let Some((w, slopes)) = self.weigh(statuses) else { continue };
            let fits = |i: &usize| self.contradicted(*i, statuses[*i], w[*i], slopes[*i]).is_none();
            if !open.iter().all(fits) {
                continue;
            }
            let same = |known: &[f64]| known.iter().zip(&w).all(|(a, b)| (a - b).abs() < 1e-6);
            match &found {
                Some((_, known)) if !same(known) => return Err(Unclear::NotUnique),
                Some(_) => {}
                None => found = Some((statuses.to_vec(), w)),
            }
        }
        let (known, _) = found.ok_or(Unclear::NotUnique)?;
        statuses.copy_from_slice(&known);
        Ok(())
    }

    /// Changes the first surface whose status is contradicted, until none is. It ends if every
    /// principal minor of -m is positive (K. G. Murty, Linear Complementarity, Linear and Nonlinear
    /// Programming, 1988, chapter 4), which holds and makes the motion unique if the symmetric part of
    /// -m is positive definite.
    fn search(&self, open: &[usize], statuses: &mut [Status]) -> Result<(), Unclear> {
        if !self.is_definite(open) {
            return Err(Unclear::TooMany);
        }
        for _ in 0..MOST_CHANGES {
            let Some((w, slopes)) = self.weigh(statuses) else { return Err(Unclear::NotUnique) };
            let changed = open.iter().find_map(|i| {
                self.contradicted(*i, statuses[*i], w[*i], slopes[*i]).map(|new| (*i, new))
            });
            match changed {
                None => return Ok(()),
                Some((i, new)) => statuses[i] = new,
            }
        }
        Err(Unclear::TooMany)
    }

    /// Whether the symmetric part of -m is positive definite, rows scaled by their diagonals: by the
    /// elimination of Cholesky.
    fn is_definite(&self, open: &[usize]) -> bool {
        let k = open.len();
        let entry =
            |i: usize, j: usize| -self.of(open[i], open[j]) / self.of(open[i], open[i]).abs();
        let mut a: Vec<f64> =
            (0..k * k).map(|n| 0.5 * (entry(n / k, n % k) + entry(n % k, n / k))).collect();
        for column in 0..k {
            let pivot = a[column * k + column];
            if pivot.is_nan() || pivot <= ROUNDING {
                return false;
            }
            for row in column + 1..k {
                let factor = a[row * k + column] / pivot;
                (column..k).for_each(|i| a[row * k + i] -= factor * a[column * k + i]);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status::{Above, Below, Slides};

    #[test]
    fn linear_systems_are_solved() {
        let mut b = [5.0, 10.0, 8.0];
        assert!(solve(&mut [0.0, 1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0], &mut b));
        let rest = [b[1] + b[2] - 5.0, 2.0 * b[0] + b[1] + 2.0 * b[2] - 10.0];
        assert!(rest.iter().all(|x| x.abs() < 1e-12), "{b:?}");
        assert!(!solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }

    /// Two relays that do not know each other, in every combination of drifts.
    #[test]
    fn independent_surfaces_are_decided_one_by_one() {
        let expected = |drift: f64| match drift {
            drift if drift > 1.0 => Above,
            drift if drift < -1.0 => Below,
            _ => Slides,
        };
        for a in [-3.0, -0.5, 0.5, 3.0] {
            for b in [-3.0, -0.5, 0.5, 3.0] {
                // g_i' = drift_i + 1 below and drift_i - 1 above.
                let decided = decide(&[a + 1.0, b + 1.0], &[-2.0, 0.0, 0.0, -2.0], &[None; 2]);
                assert_eq!(decided, Ok(vec![expected(a), expected(b)]), "{a} {b}");
            }
        }
    }

    /// Repelling surfaces have several motions.
    #[test]
    fn motions_that_are_not_unique_are_refused() {
        assert_eq!(
            decide(&[-1.0, 1.0], &[2.0, 0.0, 0.0, -2.0], &[None; 2]),
            Err(Unclear::NotUnique)
        );
    }

    /// A chain of friction contacts at rest under one force: the search finds what the trial of all
    /// cases finds.
    #[test]
    fn many_surfaces_are_decided_as_few() {
        let chain = |k: usize, force: f64| {
            let mut m = vec![0.0; k * k];
            let mut c = vec![0.0; k];
            for i in 0..k {
                m[i * k + i] = -4.0;
                if i + 1 < k {
                    m[i * k + i + 1] = 2.0;
                    m[(i + 1) * k + i] = 2.0;
                }
            }
            (0..k).for_each(|i| c[i] = -m[i * k..(i + 1) * k].iter().sum::<f64>() / 2.0);
            c[0] += force;
            (c, m)
        };
        for force in [-30.0, -3.0, -0.5, 0.0, 0.7, 2.5, 40.0] {
            let (c, m) = chain(6, force);
            let few = decide(&c, &m, &[None; 6]).expect("one motion");
            let mut statuses = vec![Slides; 6];
            let open: Vec<usize> = (0..6).collect();
            Problem { c: &c, m: &m }.search(&open, &mut statuses).expect("one motion");
            assert_eq!(statuses, few, "{force}");
            let (c, m) = chain(20, force);
            assert!(decide(&c, &m, &[None; 20]).is_ok(), "{force}");
        }
    }
}
