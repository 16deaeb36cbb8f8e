//! Native functions that Python names by their addresses, such as those that Numba compiles or that
//! ctypes and cffi load. They run without Python. This is the only module of the package that calls
//! through a pointer.

/// The most arguments of a function of scalars.
pub const MOST: usize = 8;

/// How a native function takes its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `double f(double, ..., double)`.
    Scalars,
    /// `void f(const double *arguments, double *result)`, all elements one after the other.
    Arrays,
}

/// A native function.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    address: usize,
    form: Form,
}

impl Native {
    /// The function at an address, which must not be null.
    pub fn new(address: usize, form: Form) -> Option<Native> {
        (address != 0).then_some(Native { address, form })
    }

    /// How it takes its arguments.
    pub fn form(self) -> Form {
        self.form
    }

    /// Calls it. With [`Form::Scalars`] there is one element for each argument, at most [`MOST`],
    /// and one for the result.
    pub fn call(self, arguments: &[&[f64]], result: &mut [f64]) {
        match self.form {
            Form::Scalars => {
                let mut own = [0.0; MOST];
                own.iter_mut().zip(arguments).for_each(|(to, from)| *to = from[0]);
                result[0] = self.scalar(&own[..arguments.len()]);
            }
            Form::Arrays => {
                let all: Vec<f64> = arguments.iter().flat_map(|own| own.iter().copied()).collect();
                // SAFETY: whoever made the block has declared that a function of this form is at
                // the address, which reads as many elements as the arguments have and writes as many
                // as the outputs have; the object that owns its code is kept by the block.
                #[allow(unsafe_code)]
                unsafe {
                    let f = std::mem::transmute::<usize, extern "C" fn(*const f64, *mut f64)>(
                        self.address,
                    );
                    f(all.as_ptr(), result.as_mut_ptr());
                }
            }
        }
    }

    fn scalar(self, a: &[f64]) -> f64 {
        type D = f64;
        macro_rules! call {
            ($($ty:ty),*; $($value:expr),*) => {{
                // SAFETY: as above; the number of arguments was compared with the declared one.
                #[allow(unsafe_code)]
                let f = unsafe {
                    std::mem::transmute::<usize, extern "C" fn($($ty),*) -> D>(self.address)
                };
                f($($value),*)
            }};
        }
        match *a {
            [] => call!(;),
            [a] => call!(D; a),
            [a, b] => call!(D, D; a, b),
            [a, b, c] => call!(D, D, D; a, b, c),
            [a, b, c, d] => call!(D, D, D, D; a, b, c, d),
            [a, b, c, d, e] => call!(D, D, D, D, D; a, b, c, d, e),
            [a, b, c, d, e, f] => call!(D, D, D, D, D, D; a, b, c, d, e, f),
            [a, b, c, d, e, f, g] => call!(D, D, D, D, D, D, D; a, b, c, d, e, f, g),
            [a, b, c, d, e, f, g, h] => call!(D, D, D, D, D, D, D, D; a, b, c, d, e, f, g, h),
            _ => f64::NAN,
        }
    }
}
