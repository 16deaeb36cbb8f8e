//! Pointers of the importer as slices and texts.
//!
//! The standard guarantees that a pointer with a count refers to so many elements, that texts end
//! with a zero, and that nothing else changes them during a call. A count of zero may come with a
//! null pointer, and any other null pointer is a mistake of the importer, which is reported.

use std::ffi::{CStr, c_char};

/// What an importer gave instead of an array.
#[derive(Debug)]
pub struct Null;

/// An array of the importer to read.
///
/// # Safety
/// `pointer` is null or refers to `count` elements that do not change during the call.
pub unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Null> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(Null),
        // SAFETY: the caller guarantees it.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
    }
}

/// An array of the importer to write.
///
/// # Safety
/// `pointer` is null or refers to `count` elements that nothing else uses during the call.
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, count: usize) -> Result<&'a mut [T], Null> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&mut []),
        (_, true) => Err(Null),
        // SAFETY: the caller guarantees it.
        _ => Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) }),
    }
}

/// Writes a result, unless the importer does not want it.
///
/// # Safety
/// `pointer` is null or refers to a value that nothing else uses during the call.
pub unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: the caller guarantees it.
        unsafe { pointer.write(value) }
    }
}

/// A text of the importer; empty if there is none.
///
/// # Safety
/// `pointer` is null or refers to a text that ends with a zero.
pub unsafe fn text(pointer: *const c_char) -> String {
    match pointer.is_null() {
        true => String::new(),
        // SAFETY: the caller guarantees it.
        false => unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned(),
    }
}

/// Texts of the importer.
///
/// # Safety
/// `pointer` is null or refers to `count` texts, each null or ending with a zero.
pub unsafe fn texts(pointer: *const *const c_char, count: usize) -> Result<Vec<String>, Null> {
    // SAFETY: the caller guarantees it.
    unsafe { Ok(slice(pointer, count)?.iter().map(|own| text(*own)).collect()) }
}
