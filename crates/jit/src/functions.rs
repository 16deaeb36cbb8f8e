//! Functions that native code calls: the very ones of the interpreter.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use ir::{Binary, Scalar, Tape, Unary};

/// A function of one, two or three numbers.
pub(crate) struct Named {
    pub name: &'static str,
    pub address: *const u8,
    pub arguments: usize,
}

macro_rules! one {
    ($op:ident) => {{
        extern "C" fn apply(a: f64) -> f64 {
            f64::unary(Unary::$op, a)
        }
        Named { name: stringify!($op), address: apply as *const u8, arguments: 1 }
    }};
}

macro_rules! two {
    ($op:ident) => {{
        extern "C" fn apply(a: f64, b: f64) -> f64 {
            f64::binary(Binary::$op, a, b)
        }
        Named { name: stringify!($op), address: apply as *const u8, arguments: 2 }
    }};
}

macro_rules! three {
    ($name:literal, $function:path) => {{
        extern "C" fn apply(a: f64, b: f64, c: f64) -> f64 {
            $function(a, b, c)
        }
        Named { name: $name, address: apply as *const u8, arguments: 3 }
    }};
}

/// Every function of numbers that is called. Those that are one or a few instructions of the
/// processor are not among them.
pub(crate) fn all() -> Vec<Named> {
    vec![
        one!(Sin),
        one!(Cos),
        one!(Tan),
        one!(Asin),
        one!(Acos),
        one!(Atan),
        one!(Sinh),
        one!(Cosh),
        one!(Tanh),
        one!(Asinh),
        one!(Acosh),
        one!(Atanh),
        one!(Exp),
        one!(Log),
        one!(Log10),
        one!(Log2),
        two!(Pow),
        two!(Atan2),
        two!(Hypot),
        three!("SignOutside", f64::sign_outside),
        three!("FloorOutside", f64::floor_outside),
    ]
}

/// The name of [`index`].
pub(crate) const INDEX: &str = "Index";

/// The element of a row at a position.
///
/// # Safety
/// `row` must point to `length` numbers.
pub(crate) unsafe extern "C" fn index(row: *const f64, length: u64, position: f64) -> f64 {
    // SAFETY: the caller's promise; the slots of the row were checked before the code was made.
    let row = unsafe { std::slice::from_raw_parts(row, length as usize) };
    f64::index(row, position)
}

/// The name of [`interpret`].
pub(crate) const INTERPRET: &str = "Interpret";

/// What native code hands back to the interpreter: the tape, and a panic in a function of the
/// user, which must not unwind through code that knows nothing of unwinding.
#[derive(Debug)]
pub(crate) struct Callback {
    pub tape: Tape,
    pub panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Runs one instruction of a tape by the interpreter.
///
/// # Safety
/// `callback` must be what the routine was made with, `slots` must point to `length` numbers that
/// nobody else uses meanwhile.
pub(crate) unsafe extern "C" fn interpret(
    callback: *const Callback,
    instruction: u64,
    slots: *mut f64,
    length: u64,
) {
    // SAFETY: the caller's promise; the routine holds the callback and the buffer during the call.
    let (callback, slots) =
        unsafe { (&*callback, std::slice::from_raw_parts_mut(slots, length as usize)) };
    let run = AssertUnwindSafe(|| ir::run_one(&callback.tape, instruction as usize, slots));
    if let Err(panic) = catch_unwind(run)
        && let Ok(mut kept) = callback.panic.lock()
    {
        kept.get_or_insert(panic);
    }
}
