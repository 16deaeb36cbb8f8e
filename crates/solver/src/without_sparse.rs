//! No sparse elimination: this program was built without the feature `sparse`, and every matrix is
//! dense.

use crate::pattern::Pattern;

/// A sparse matrix, of which there is none.
#[derive(Debug)]
pub(crate) enum Sparse {}

impl Sparse {
    /// Every pattern is to be eliminated as a dense one.
    pub fn of(_: &Pattern) -> Option<Sparse> {
        None
    }

    pub fn factor(&mut self, _: f64, _: f64, _: &[f64]) -> bool {
        match *self {}
    }

    pub fn solve(&mut self, _: &mut [f64]) {
        match *self {}
    }
}
