//! Blocks whose functions are written in Python, or are native functions that Python names.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyTuple};
use superdense::{
    Block, Context, Diagnostic, Elem, Info, Input, NodeId, Opaque, Parameter, Setting, Shape,
    Signal, Type, Value,
};

use crate::native::{Form, MOST, Native};
use crate::sampled::Sampling;

/// The exceptions that functions have raised, by the thread of the run. A function that has raised
/// is not called again in that run, which ends.
#[derive(Default, Debug)]
pub struct Failures {
    any: AtomicBool,
    raised: Mutex<HashMap<ThreadId, (String, PyErr)>>,
}

impl Failures {
    fn raised(&self) -> MutexGuard<'_, HashMap<ThreadId, (String, PyErr)>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a function has raised in a run of this thread.
    pub fn failed(&self) -> bool {
        self.any.load(Ordering::Relaxed) && self.raised().contains_key(&thread::current().id())
    }

    fn keep(&self, name: &str, error: PyErr) {
        self.any.store(true, Ordering::Relaxed);
        self.raised().entry(thread::current().id()).or_insert_with(|| (name.to_owned(), error));
    }

    /// The exception of a run of this thread with the name of its block, which is forgotten.
    pub fn take(&self) -> Option<(String, PyErr)> {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        let mut raised = self.raised();
        let own = raised.remove(&thread::current().id());
        self.any.store(!raised.is_empty(), Ordering::Relaxed);
        own
    }
}

/// What computes the outputs.
#[derive(Debug)]
pub enum Body {
    /// A callable that takes one object for each argument and returns a number if there is one
    /// scalar result, and otherwise a list of all elements.
    Python(Py<PyAny>),
    /// A native function, with the object that owns its code.
    Native(Native, Py<PyAny>),
}

/// The derivatives of the outputs.
#[derive(Debug)]
pub enum Slope {
    /// Not known: good enough differences to locate events, and nothing else.
    Unknown,
    /// A difference may be the value of a signal.
    Difference,
    /// A callable that takes the arguments and then the direction.
    Python(Py<PyAny>),
    /// For each argument a native function: the partial derivative of the one scalar result.
    Native(Vec<Native>),
}

/// The functions of a kind of block.
#[derive(Debug)]
pub struct Functions {
    pub name: String,
    pub body: Body,
    pub slope: Slope,
    pub failures: Arc<Failures>,
}

/// A call of the functions with arguments of some types.
#[derive(Debug)]
pub struct Call {
    pub functions: Arc<Functions>,
    pub arguments: Vec<Type>,
    pub result: Type,
    /// Whether the first argument says whether to call at all.
    pub gated: bool,
}

impl Call {
    /// Calls a Python function unless one has failed; what it returns are the numbers of the result.
    fn python(&self, function: &Py<PyAny>, rows: &[&[&[f64]]], result: &mut [f64]) {
        let failures = &self.functions.failures;
        if failures.failed() {
            return result.fill(f64::NAN);
        }
        let done = Python::attach(|py| self.fill(py, function, rows, result));
        if let Err(error) = done {
            result.fill(f64::NAN);
            failures.keep(&self.functions.name, error);
        }
    }

    fn fill(
        &self,
        py: Python<'_>,
        function: &Py<PyAny>,
        rows: &[&[&[f64]]],
        result: &mut [f64],
    ) -> PyResult<()> {
        let objects = rows.iter().flat_map(|row| self.arguments.iter().zip(*row));
        let objects: Vec<_> = objects
            .skip(usize::from(self.gated))
            .map(|(ty, values)| object(py, *ty, values))
            .collect::<PyResult<_>>()?;
        let returned = function.bind(py).call1(PyTuple::new(py, objects)?)?;
        if self.result.is_scalar() {
            result[0] = returned.extract().map_err(|error| {
                let name = &self.functions.name;
                let shown = returned.repr().map_or_else(|_| String::new(), |own| own.to_string());
                let shown: String = shown.chars().take(80).collect();
                let own = PyTypeError::new_err(format!("{name} has returned {shown}, no number"));
                own.set_cause(py, Some(error));
                own
            })?;
            return Ok(());
        }
        let values: Vec<f64> = returned.extract()?;
        if values.len() != result.len() {
            let message = format!("{} elements instead of {}", values.len(), result.len());
            return Err(PyValueError::new_err(message));
        }
        result.copy_from_slice(&values);
        Ok(())
    }
}

/// An argument as an object: a float, a bool or an array.
fn object<'py>(py: Python<'py>, ty: Type, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let array = || PyArray1::from_slice(py, values);
    Ok(match (ty.shape, ty.elem) {
        (Shape::Scalar, Elem::Bool) => PyBool::new(py, values[0] != 0.0).to_owned().into_any(),
        (Shape::Scalar, _) => PyFloat::new(py, values[0]).into_any(),
        (Shape::Vector(_), _) => array().into_any(),
        (Shape::Matrix(rows, columns), _) => {
            array().reshape([rows as usize, columns as usize])?.into_any()
        }
    })
}

impl Opaque for Call {
    fn name(&self) -> &str {
        &self.functions.name
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        if self.gated && args[0][0] == 0.0 {
            return result.fill(0.0);
        }
        match &self.functions.body {
            Body::Native(native, _) => native.call(args, result),
            Body::Python(function) => self.python(function, &[args], result),
        }
    }

    fn has_tangent(&self) -> bool {
        !matches!(self.functions.slope, Slope::Unknown)
    }

    fn tangent(&self, args: &[&[f64]], tangents: &[&[f64]], result: &mut [f64]) {
        match &self.functions.slope {
            Slope::Unknown | Slope::Difference => difference(self, args, tangents, result),
            Slope::Python(function) => self.python(function, &[args, tangents], result),
            Slope::Native(partials) => {
                result[0] = 0.0;
                for (partial, tangent) in partials.iter().zip(tangents) {
                    let mut slope = [0.0];
                    partial.call(args, &mut slope);
                    result[0] += slope[0] * tangent[0];
                }
            }
        }
    }
}

/// The central difference of the trait.
fn difference(call: &Call, args: &[&[f64]], tangents: &[&[f64]], result: &mut [f64]) {
    #[derive(Debug)]
    struct Plain<'a>(&'a Call);
    impl Opaque for Plain<'_> {
        fn name(&self) -> &str {
            self.0.name()
        }
        fn call(&self, args: &[&[f64]], result: &mut [f64]) {
            self.0.call(args, result);
        }
    }
    Plain(call).tangent(args, tangents, result);
}

/// A name with the shape of its values.
pub type Shaped = (String, Vec<u32>);

/// The type of reals of a shape.
pub fn real(shape: &[u32]) -> Type {
    match *shape {
        [] => Type::REAL,
        [length] => Type::vector(length),
        [rows, columns, ..] => Type { elem: Elem::Real, shape: Shape::Matrix(rows, columns) },
    }
}

/// The type of all results together: that of the only one, or a vector of all elements.
pub fn together(all: &[Type]) -> Type {
    match all {
        [only] if only.is_scalar() => *only,
        _ => Type::vector(all.iter().map(|ty| ty.len() as u32).sum()),
    }
}

/// What a kind of block is, besides its functions.
#[derive(Debug)]
pub struct Kind {
    pub summary: String,
    pub inputs: Vec<String>,
    /// Parameters with their defaults.
    pub parameters: Vec<(String, Option<String>)>,
    pub outputs: Vec<Shaped>,
    pub functions: Arc<Functions>,
    /// For a block with state, when it is called and what it remembers.
    pub sampling: Option<Sampling>,
}

/// A kind of block as the library takes it.
#[derive(Clone, Debug)]
pub struct ForeignBlock(pub Arc<Kind>);

impl Block for ForeignBlock {
    fn info(&self) -> Info {
        let kind = &*self.0;
        let info = Info::new(kind.functions.name.clone(), "User", kind.summary.clone())
            .absence("Absent if an input is.")
            .impulses("An impulse at an input is an error.");
        let inputs = kind.inputs.iter().map(|name| Input::one(name.clone(), ""));
        let info = inputs.fold(info, Info::input);
        let info = kind.parameters.iter().fold(info, |info, (name, default)| {
            let own = Parameter::value(name.clone(), "");
            info.parameter(match default {
                Some(value) => own.default(value.clone()),
                None => own,
            })
        });
        let outputs = kind.outputs.iter();
        let info = outputs.fold(info, |info, (name, _)| info.output(name.clone(), ""));
        kind.sampling.iter().fold(info, |info, sampling| sampling.describe(info))
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        match &self.0.sampling {
            Some(sampling) => sampling.define(&self.0, cx),
            None => self.0.define(cx),
        }
    }

    fn promise(&self, _: &BTreeMap<String, Setting>) -> Option<Type> {
        self.0.outputs.first().map(|(_, shape)| real(shape))
    }
}

impl Kind {
    /// A function without state: all outputs follow from the inputs at each evaluation.
    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let inputs: Vec<Signal> = self.inputs.iter().map(|name| cx.input(name)).collect();
        let names = self.parameters.iter();
        let parameters: Vec<NodeId> = names.map(|(name, _)| cx.constant(name)).collect();
        let outputs: Vec<Type> = self.outputs.iter().map(|(_, shape)| real(shape)).collect();
        let mut failed = None;
        let whole = cx.strict(&inputs, |graph, values| {
            let args = [values, &parameters].concat();
            let arguments: Vec<Type> = args.iter().map(|node| graph.ty(*node)).collect();
            failed = self.mismatch(&arguments);
            let (functions, result) = (self.functions.clone(), together(&outputs));
            let call = Call { functions, arguments, result, gated: false };
            graph.call(Arc::new(call), &args, result)
        });
        let mut offset = 0;
        for ((name, _), ty) in self.outputs.iter().zip(&outputs) {
            let value = cx.graph.extract(whole.value, offset, ty.shape);
            offset += ty.len();
            let signal = cx.event(value, whole.present);
            cx.output(name, signal);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Why a native function of scalars cannot take these arguments.
    fn mismatch(&self, arguments: &[Type]) -> Option<Diagnostic> {
        let Body::Native(native, _) = &self.functions.body else { return None };
        let scalars = native.form() == Form::Scalars;
        let array = arguments.iter().find(|ty| scalars && !ty.is_scalar())?;
        let message = format!(
            "the native function `{}` takes numbers, and it is given {}",
            self.functions.name,
            array.with_article()
        );
        Some(Diagnostic::error("type-mismatch", message))
    }
}

/// A kind of block in the hands of Python.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Foreign(pub ForeignBlock);

impl Foreign {
    /// The exceptions of its functions.
    pub fn failures(&self) -> &Arc<Failures> {
        &self.0.0.functions.failures
    }
}

/// Names of parameters with the texts of their defaults.
type Parameters = Vec<(String, Option<String>)>;

/// A native function: its address, whether it takes arrays, and the object that owns it.
type Pointer = (usize, bool, Py<PyAny>);

fn native(address: usize, arrays: bool) -> PyResult<Native> {
    let form = if arrays { Form::Arrays } else { Form::Scalars };
    Native::new(address, form).ok_or_else(|| PyValueError::new_err("the address is 0"))
}

#[pymethods]
impl Foreign {
    /// A block without state. `body` is a callable or a native function; `slope` is `None`,
    /// `"difference"`, a callable, or a list of addresses.
    #[staticmethod]
    fn function(
        heading: (String, String),
        inputs: Vec<String>,
        parameters: Parameters,
        outputs: Vec<Shaped>,
        body: Bound<'_, PyAny>,
        slope: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Foreign> {
        let (name, summary) = heading;
        let body = match body.extract::<Pointer>() {
            Ok((address, arrays, owner)) => Body::Native(native(address, arrays)?, owner),
            Err(_) => Body::Python(body.unbind()),
        };
        if matches!(&body, Body::Native(own, _) if own.form() == Form::Scalars) {
            let count = inputs.len() + parameters.len();
            if count > MOST || outputs.len() != 1 || !outputs[0].1.is_empty() {
                let message =
                    format!("a native function of numbers has at most {MOST} and one result");
                return Err(PyValueError::new_err(message));
            }
        }
        let slope = match slope {
            None => Slope::Unknown,
            Some(own) => match own.extract::<Vec<usize>>() {
                Ok(all) => Slope::Native(
                    all.into_iter()
                        .map(|address| native(address, false))
                        .collect::<PyResult<_>>()?,
                ),
                Err(_) if own.is_callable() => Slope::Python(own.unbind()),
                Err(_) => Slope::Difference,
            },
        };
        let functions = Arc::new(Functions { name, body, slope, failures: Arc::default() });
        let kind = Kind { summary, inputs, parameters, outputs, functions, sampling: None };
        Ok(Foreign(ForeignBlock(Arc::new(kind))))
    }

    /// A block with state that is called at events. `states` and `held` are initial values, by
    /// element; `period` is a default, and without one the block has an input `trigger`.
    // Each is an argument of one call, in `superdense/_foreign.py`.
    #[allow(clippy::too_many_arguments)]
    #[staticmethod]
    fn sampled(
        heading: (String, String),
        inputs: Vec<String>,
        parameters: Parameters,
        outputs: Vec<Shaped>,
        body: Py<PyAny>,
        states: Vec<(String, Vec<u32>, Vec<f64>)>,
        period: Option<String>,
        held: Option<Vec<Vec<f64>>>,
    ) -> Foreign {
        let (name, summary) = heading;
        let state = |(name, shape, data): (String, Vec<u32>, Vec<f64>)| {
            (name, Value::new(real(&shape), data))
        };
        let hold = held.map(|all| {
            all.into_iter().zip(&outputs).map(|(own, (_, shape))| Value::new(real(shape), own))
        });
        let sampling = Some(Sampling {
            states: states.into_iter().map(state).collect(),
            period,
            hold: hold.map(Iterator::collect),
        });
        let (body, slope) = (Body::Python(body), Slope::Unknown);
        let functions = Arc::new(Functions { name, body, slope, failures: Arc::default() });
        let kind = Kind { summary, inputs, parameters, outputs, functions, sampling };
        Foreign(ForeignBlock(Arc::new(kind)))
    }
}
