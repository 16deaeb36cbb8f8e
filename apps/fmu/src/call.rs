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
