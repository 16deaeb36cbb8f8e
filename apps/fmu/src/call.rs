//! The way from a function in C to the instance: no panic leaves, and every failure is a status.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::component::{Component, Failure, Status};

/// Does something with the component behind a pointer.
///
/// # Safety
/// `pointer` is null or comes from an instantiate function and has not been freed; no other call
/// uses it at the same time.
pub unsafe fn with(
    pointer: *mut Component,
    act: impl FnOnce(&mut Component) -> Result<Status, Failure>,
) -> Status {
    // SAFETY: the caller guarantees it.
    let Some(component) = (unsafe { pointer.as_mut() }) else { return Status::Error };
    match catch_unwind(AssertUnwindSafe(|| act(component))) {
        Ok(result) => component.status(result),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied());
            component.panicked(text.unwrap_or("a panic"));
            Status::Fatal
        }
    }
}

/// Functions that do something with a component and return a status.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($component:ident $(, $argument:ident: $ty:ty)* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The arguments are those that the standard requires.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                component: *mut crate::component::Component,
                $($argument: $ty),*
            ) -> crate::component::Status {
                // SAFETY: the importer calls the function as the standard requires.
                unsafe { crate::call::with(component, |$component| $body) }
            }
        )*
    };
}

/// The functions that keep the state of an instance, by their names in a version of the standard.
macro_rules! state_functions {
    (
        $keep:ident $go_back:ident $forget:ident
        $size:ident $write:ident $read:ident
    ) => {
        functions! {
            /// Keeps the state.
            fn $keep(component, state: *mut *mut superdense::fmi::SavedInstance) {
                crate::component::keep(component, state.as_mut())
            }

            /// Goes back to a state.
            fn $go_back(component, state: *const superdense::fmi::SavedInstance) {
                crate::component::go_back(component, state.as_ref())
            }

            /// Frees a state.
            fn $forget(_component, state: *mut *mut superdense::fmi::SavedInstance) {
                crate::component::forget(state.as_mut())
            }

            /// The size of a state as bytes.
            fn $size(component, state: *const superdense::fmi::SavedInstance, size: *mut usize) {
                crate::memory::put(size, component.bytes_of(state.as_ref())?.len());
                Ok(crate::component::Status::Ok)
            }

            /// A state as bytes.
            fn $write(
                component, state: *const superdense::fmi::SavedInstance, bytes: *mut u8, size: usize,
            ) {
                crate::component::serialise(component, state.as_ref(), crate::memory::slice_mut(bytes, size)?)
            }

            /// A state from bytes.
            fn $read(
                component, bytes: *const u8, size: usize, state: *mut *mut superdense::fmi::SavedInstance,
            ) {
                crate::component::deserialise(component, crate::memory::slice(bytes, size)?, state.as_mut())
            }
        }
    };
}
