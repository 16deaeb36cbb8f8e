//! Typed indices: the index of a block cannot be used as the index of a wire.

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
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table has fewer than 2^32 entries"))
            }

            /// The position in the table that this id belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
