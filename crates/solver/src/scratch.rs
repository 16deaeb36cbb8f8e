//! Working space that is no part of a solver's memory.

/// Space that is written before it is read in every step.
///
/// It is left out of saved memory, of copies and of comparison, and made again on first use, so
/// that a snapshot holds only what the future depends on.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T>(pub T);

impl<T: Default> Clone for Scratch<T> {
    fn clone(&self) -> Scratch<T> {
        Scratch::default()
    }
}

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Scratch<T>) -> bool {
        true
    }
}
