//! Typed indices: the index of a block cannot be used as the index of a wire.

/// An index into a table of one kind of entries; [`typed_id!`](crate::typed_id) defines such types.
pub trait TypedId: Copy {
    /// The id of the `index`-th entry of a table.
    fn new(index: usize) -> Self;

    /// The position in the table that this id belongs to.
    fn index(self) -> usize;
}

/// Defines an index type over `u32` with conversions both ways, so that indices into different
/// tables cannot be mixed up.
#[macro_export]
macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug,
            ::serde::Serialize, ::serde::Deserialize,
        )]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the `index`-th entry of a table.
            #[inline]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table has fewer than 2^32 entries"))
            }

            /// The position in the table that this id belongs to.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the entry that comes `offset` entries after this one.
            #[inline]
            pub fn plus(self, offset: usize) -> Self {
                Self::new(self.index() + offset)
            }

            /// The ids of `count` consecutive entries, of which this is the first.
            pub fn run(self, count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
                (self.index()..self.index() + count).map(Self::new)
            }
        }

        impl $crate::TypedId for $name {
            #[inline]
            fn new(index: usize) -> Self {
                $name::new(index)
            }

            #[inline]
            fn index(self) -> usize {
                $name::index(self)
            }
        }
    };
}
