//! Tables whose entries are found by ids of one type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use crate::TypedId;

/// A vector that is indexed by ids. There is deliberately no access by `usize`; whatever needs the
/// entries as a plain slice asks for it with [`Table::as_slice`].
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Table<I, T> {
    entries: Vec<T>,
    #[serde(skip)]
    id: PhantomData<fn(I) -> I>,
}

impl<I, T> Table<I, T> {
    /// A table without entries.
    pub const fn new() -> Self {
        Table { entries: Vec::new(), id: PhantomData }
    }

    /// A table of `count` equal entries.
    pub fn filled(entry: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![entry; count].into()
    }

    /// The number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, in the order of their ids.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }

    /// The entries, in the order of their ids.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// The entries, in the order of their ids.
    #[inline]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<I: TypedId, T> Table<I, T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) -> I {
        let id = self.next_id();
        self.entries.push(entry);
        id
    }

    /// The id that the next entry gets.
    pub fn next_id(&self) -> I {
        I::new(self.entries.len())
    }

    /// The ids of all entries, in order.
    #[inline]
    pub fn ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        (0..self.entries.len()).map(I::new)
    }

    /// The entries with their ids, in order.
    #[inline]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.entries.iter().enumerate().map(|(index, entry)| (I::new(index), entry))
    }

    /// The entry of an id, if there is one.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }
}

impl<I: TypedId, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: TypedId, T> IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Table::new()
    }
}

impl<I, T: Clone> Clone for Table<I, T> {
    fn clone(&self) -> Self {
        self.entries.clone().into()
    }

    fn clone_from(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
    }
}

impl<I, T: PartialEq> PartialEq for Table<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl<I, T> From<Vec<T>> for Table<I, T> {
    fn from(entries: Vec<T>) -> Self {
        Table { entries, id: PhantomData }
    }
}

impl<I, T> FromIterator<T> for Table<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(entries: A) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<I, T> Extend<T> for Table<I, T> {
    fn extend<A: IntoIterator<Item = T>>(&mut self, entries: A) {
        self.entries.extend(entries);
    }
}

impl<I, T> IntoIterator for Table<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a Table<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut Table<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::typed_id! {
        /// A letter.
        LetterId
    }

    #[test]
    fn an_id_finds_the_entry_that_it_was_made_for() {
        let mut letters: Table<LetterId, char> = Table::new();
        let [a, b] = ['a', 'b'].map(|letter| letters.push(letter));
        assert_eq!((letters[a], letters[b]), ('a', 'b'));
        assert_eq!(letters.ids().collect::<Vec<_>>(), [a, b]);
        assert_eq!(letters.entries().next_back(), Some((b, &'b')));
        assert_eq!(letters.get(letters.next_id()), None);
        assert_eq!(a.run(2).collect::<Vec<_>>(), [a, a.plus(1)]);
    }
}
