//! A signal as a distribution: the value <S, phi> of its pairing with a test function.
//!
//! The regular part is the integral of the signal times the test function. At a jump, rows of one
//! time have different values, and each limit counts on its own side. An impulse of order i and
//! weight a at the time tau contributes a (-1)^i phi^(i)(tau).

mod bump;
mod curve;

use std::fmt;

use base::Time;

use crate::Trace;
pub use bump::Bump;
use curve::Curve;

/// A smooth function that is zero outside an interval.
pub trait TestFunction {
    /// The interval outside which it is zero \[s\].
    fn support(&self) -> (f64, f64);

    /// Its derivative of some order; order 0 is the function itself.
    fn derivative(&self, order: usize, time: f64) -> f64;
}

/// The derivative of a test function, which is itself a test function.
#[derive(Clone, Copy, Debug)]
pub struct DerivativeOf<T>(pub T, pub usize);

impl<T: TestFunction> TestFunction for DerivativeOf<T> {
    fn support(&self) -> (f64, f64) {
        self.0.support()
    }

    fn derivative(&self, order: usize, time: f64) -> f64 {
        self.0.derivative(self.1 + order, time)
    }
}

/// Why a signal cannot be paired.
#[derive(Clone, PartialEq, Debug)]
pub enum PairError {
    /// The trace has no such signal; the list has those that it has.
    NoSignal(String, Vec<String>),
    /// The signal is present only at events, so there is nothing to integrate.
    OnlyEvents(String),
    /// The signal is the state of a machine: labels cannot be integrated.
    Names(String),
    /// A value or an impulse of the signal within the support of the test function is not finite.
    NotFinite(String),
    /// An instant within the support of the test function, at this time \[s\], has a row but no
    /// left limit.
    NoLeftLimit(String, f64),
    /// The support of the test function extends beyond the trace, or to times at which the signal
    /// is absent \[s\].
    Unknown(String, f64, f64),
}

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PairError::NoSignal(name, names) => {
                write!(f, "there is no signal `{name}`; there is: {}", names.join(", "))
            }
            PairError::OnlyEvents(name) => {
                write!(f, "`{name}` is present at events only, and has no integral")
            }
            PairError::Names(name) => {
                write!(f, "`{name}` holds names of states, and has no integral")
            }
            PairError::NotFinite(name) => {
                write!(f, "`{name}` is not finite where the test function is")
            }
            PairError::NoLeftLimit(name, time) => {
                write!(f, "the left limit of `{name}` at {time} is not in the trace; ")?;
                write!(
                    f,
                    "run with `rows: microsteps` under `simulate`, or with `--rows microsteps`"
                )
            }
            PairError::Unknown(name, from, to) => {
                write!(f, "`{name}` is not known from {from} to {to}, where the test function is")
            }
        }
    }
}

impl std::error::Error for PairError {}

/// Pairs a signal of a trace with a test function. If the column is a vector or a matrix, the
/// signal is one of its elements, such as `x[2]`.
///
/// Between rows the signal is the polynomial through the nearest rows on the same side of every
/// event. If the rows are a hundredth of the time scale of the signal apart, the result has about
/// ten digits.
pub fn pair(trace: &Trace, signal: &str, phi: &impl TestFunction) -> Result<f64, PairError> {
    let (column, element) = find(trace, signal)?;
    if trace.is_discrete(column) {
        return Err(PairError::OnlyEvents(signal.to_owned()));
    }
    if !trace.schema().labels(column).is_empty() {
        return Err(PairError::Names(signal.to_owned()));
    }
    let (from, to) = phi.support();
    let curve = Curve::of(trace, column, element);
    if let Some(time) = curve.lost_limit(from, to) {
        return Err(PairError::NoLeftLimit(signal.to_owned(), time));
    }
    if let Some((from, to)) = curve.gap(from, to) {
        return Err(PairError::Unknown(signal.to_owned(), from, to));
    }
    let regular = curve.integral(from, to, &|t| phi.derivative(0, t));
    let own = trace.impulses().iter().filter(|impulse| impulse.column == column);
    let impulses: f64 = own
        .map(|impulse| {
            let sign = if impulse.order % 2 == 0 { 1.0 } else { -1.0 };
            let tau = Time::seconds(impulse.tag.time);
            sign * impulse.weight[element] * phi.derivative(impulse.order, tau)
        })
        .sum();
    let number = regular + impulses;
    if number.is_finite() { Ok(number) } else { Err(PairError::NotFinite(signal.to_owned())) }
}

fn find(trace: &Trace, signal: &str) -> Result<(usize, usize), PairError> {
    for (index, column) in trace.columns().iter().enumerate() {
        if let Some(element) = column.element_names().iter().position(|name| name == signal) {
            return Ok((index, element));
        }
    }
    let names = trace.columns().iter().flat_map(crate::Column::element_names).collect();
    Err(PairError::NoSignal(signal.to_owned(), names))
}
