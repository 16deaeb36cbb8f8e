//! Why a figure cannot be drawn.

use std::fmt;

/// Why a figure cannot be drawn. None of these leaves anything half done: correct the figure and
/// draw it again.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The trace has no such signal.
    UnknownSignal {
        /// The name in the figure.
        name: String,
        /// A help line with the nearest name, if there is one.
        help: Option<String>,
    },
    /// The signal has no such element.
    UnknownElement {
        /// The name in the figure, such as `x[7]`.
        name: String,
        /// What the signal is.
        ty: base::Type,
    },
    /// A phase plot needs one value per axis, but the signal has several.
    NotScalar {
        /// The name in the figure.
        name: String,
        /// What the signal is.
        ty: base::Type,
    },
    /// Panels are to be shaded by a signal whose values have no labels.
    NoStates {
        /// The name in the figure.
        name: String,
    },
    /// A range that is empty, reversed or not finite.
    BadRange {
        /// Which axis.
        axis: String,
        /// Its lower end as given.
        from: f64,
        /// Its upper end as given.
        to: f64,
    },
    /// An instant is to be opened, but no instant in view has more than one microstep.
    NoMicrosteps {
        /// The requested time.
        time: base::Time,
    },
    /// A width, a height or a pixel ratio that is not a positive number.
    BadSize {
        /// What it is the size of.
        what: &'static str,
        /// The size as given.
        size: f64,
    },
    /// A figure made elsewhere is not valid SVG.
    BadPicture {
        /// What is wrong with it.
        reason: String,
    },
    /// The image would have too many pixels.
    TooLarge {
        /// Its width \[px\].
        width: f64,
        /// Its height \[px\].
        height: f64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownSignal { name, help } => {
                write!(f, "the trace has no signal `{name}`")?;
                help.iter().try_for_each(|help| write!(f, "; {help}"))
            }
            Error::UnknownElement { name, ty } => {
                write!(f, "there is no element `{name}`: the signal is a {ty}")
            }
            Error::NotScalar { name, ty } => write!(
                f,
                "a phase plot needs one number for each axis, and `{name}` is a {ty}; \
                 name an element, such as `{name}[0]`"
            ),
            Error::NoStates { name } => write!(
                f,
                "panels cannot be shaded by `{name}`, whose values have no names; choose the state \
                 of a machine"
            ),
            Error::BadRange { axis, from, to } => write!(
                f,
                "the range of {axis} goes from {from} to {to}; it must go up, and its ends must \
                 be finite"
            ),
            Error::NoMicrosteps { time } => write!(
                f,
                "the instant {time} cannot be opened: no instant in view has more than one \
                 microstep"
            ),
            Error::BadSize { what, size } => {
                write!(f, "the {what} is {size}; it must be a positive number")
            }
            Error::BadPicture { reason } => write!(f, "the picture is no sound SVG: {reason}"),
            Error::TooLarge { width, height } => write!(
                f,
                "an image of {width} by {height} pixels is too large; draw fewer panels or a \
                 smaller pixel ratio"
            ),
        }
    }
}

impl std::error::Error for Error {}
