//! Working space that is no part of a solver's memory.

/// Space that is written before it is read in every step.
///
/// It is left out of saved memory, of copies and of comparison, and made again on first use, so
/// that a snapshot holds only what the future depends on. What is copied over keeps its space.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T>(pub T);

/// Working space that may know something about the system that it was made for.
pub(crate) trait Forget {
    /// Forgets that, because another system may come.
    fn forget(&mut self);
}

impl<T: Default + Forget> Clone for Scratch<T> {
    fn clone(&self) -> Scratch<T> {
        Scratch::default()
    }

    fn clone_from(&mut self, _: &Scratch<T>) {
        self.0.forget();
    }
}

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Scratch<T>) -> bool {
        true
    }
}
