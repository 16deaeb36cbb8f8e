//! Copies that reuse the memory of the copy before.

/// Implements `Clone` for plain data that is copied again and again: `clone_from` reuses the
/// allocations of the copy, which the derived one does not.
#[macro_export]
macro_rules! clone_reusing {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl ::std::clone::Clone for $name {
            fn clone(&self) -> $name {
                $name { $($field: self.$field.clone()),* }
            }

            fn clone_from(&mut self, other: &$name) {
                let $name { $($field),* } = other;
                $(self.$field.clone_from($field);)*
            }
        }
    };
}
