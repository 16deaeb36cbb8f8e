//! Steady states and linear models.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superdense::{
    AnalysisError, Delays, Linearization, Linearize, Matrix, NamedValue, OperatingPoint, Side,
    SignalRole, SwitchAtPoint, Trim, Trimmed,
};

use crate::errors::refused;
use crate::run::Held;
use crate::system::{System, time};

/// Names with the elements of their values.
type Values = Vec<(String, Vec<f64>)>;

/// A system whose points are looked at.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Analysis(superdense::System);

/// A point of a system.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Point(OperatingPoint);

impl Analysis {
    fn explained(&self, py: Python<'_>, error: &AnalysisError) -> PyErr {
        refused(py, &self.0.explain_analysis(error))
    }
}

#[pymethods]
impl Analysis {
    /// A system that also sees some signals, given as expressions.
    #[new]
    fn new(py: Python<'_>, system: &System, seen: Vec<String>) -> PyResult<Analysis> {
        let own = system.compiled_system();
        let observing = py.detach(|| own.observing(&seen));
        observing.map(Analysis).map_err(|error| refused(py, &own.explain_analysis(&error)))
    }

    /// What a name stands for: a state, an input or an output; None if it is no signal.
    fn role(&self, name: &str) -> Option<&'static str> {
        self.0.role(name).map(|role| match role {
            SignalRole::State => "state",
            SignalRole::Input => "input",
            SignalRole::Output => "output",
        })
    }

    /// The point that a run reaches at a time given as text, with some inputs held at values.
    fn point(&self, py: Python<'_>, at: Option<&str>, inputs: Values) -> PyResult<Point> {
        let at = at.map(|text| time(py, text)).transpose()?;
        let found = py.detach(|| self.0.operating_point(at, &inputs));
        found.map(Point).map_err(|error| self.explained(py, &error))
    }

    /// The point that a held run has reached.
    fn point_of(&self, py: Python<'_>, held: &Held) -> PyResult<Point> {
        held.point(py)?.map(Point).map_err(|error| self.explained(py, &error))
    }

    /// The steady state near a point: what was found as a dictionary, and its point.
    #[allow(clippy::too_many_arguments)]
    fn trim<'py>(
        &self,
        py: Python<'py>,
        point: &Point,
        states: Values,
        inputs: Values,
        outputs: Values,
        rates: Values,
        moving: Vec<String>,
        free: Vec<String>,
        fixed: Vec<String>,
        guess: Values,
        bounds: Vec<(String, f64, f64)>,
    ) -> PyResult<(Bound<'py, PyDict>, Point)> {
        let about = Trim { states, inputs, outputs, rates, moving, free, fixed, guess, bounds };
        let found = py.detach(|| self.0.trim(&point.0, &about));
        let found = found.map_err(|error| self.explained(py, &error))?;
        Ok((steady(py, &found)?, Point(found.point)))
    }

    /// The linear model near a point as a dictionary.
    fn linearize<'py>(
        &self,
        py: Python<'py>,
        point: &Point,
        inputs: Option<Vec<String>>,
        outputs: Option<Vec<String>>,
        delays: Option<usize>,
        side: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let side = match side {
            None => None,
            Some("above") => Some(Side::Above),
            Some("below") => Some(Side::Below),
            Some(other) => {
                let message = format!("`side` is \"above\" or \"below\", not \"{other}\"");
                return Err(PyValueError::new_err(message));
            }
        };
        let delays = delays.map_or(Delays::Refuse, Delays::Pade);
        let about = Linearize { inputs, outputs, delays, side };
        let found = py.detach(|| self.0.linearize(&point.0, &about));
        linear(py, &found.map_err(|error| self.explained(py, &error))?)
    }
}

fn steady<'py>(py: Python<'py>, found: &Trimmed) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("time", found.time.seconds())?;
    let groups = [
        ("states", &found.states),
        ("inputs", &found.inputs),
        ("outputs", &found.outputs),
        ("rates", &found.rates),
    ];
    for (name, values) in groups {
        dict.set_item(name, numbers(py, values)?)?;
    }
    dict.set_item("units", units(py, &[&found.states, &found.inputs, &found.outputs])?)?;
    dict.set_item("free", &found.free)?;
    dict.set_item("at_bounds", &found.at_bounds)?;
    dict.set_item("open", &found.open)?;
    dict.set_item("open_directions", found.open_directions)?;
    dict.set_item("steps", found.steps)?;
    about(&dict, &found.held, &found.depend_on_time, &found.switches)?;
    Ok(dict)
}

fn linear<'py>(py: Python<'py>, found: &Linearization) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("time", found.time.seconds())?;
    let system = &found.system;
    for (name, matrix) in [("A", &system.a), ("B", &system.b), ("C", &system.c), ("D", &system.d)] {
        dict.set_item(name, array(matrix))?;
    }
    let groups = [
        ("states", &found.states),
        ("inputs", &found.inputs),
        ("outputs", &found.outputs),
        ("rates", &found.rates),
    ];
    for (name, values) in groups {
        dict.set_item(name, numbers(py, values)?)?;
    }
    dict.set_item("units", units(py, &[&found.states, &found.inputs, &found.outputs])?)?;
    about(&dict, &found.held, &found.depend_on_time, &found.switches)?;
    Ok(dict)
}

/// What a reader should know about a point.
fn about(
    dict: &Bound<'_, PyDict>,
    held: &[(String, String)],
    depend_on_time: &[String],
    switches: &[SwitchAtPoint],
) -> PyResult<()> {
    let side = |side: Side| if side == Side::Above { "above" } else { "below" };
    let switches: Vec<(&str, &str, bool)> =
        switches.iter().map(|own| (&own.block[..], side(own.side), own.jumps)).collect();
    dict.set_item("held", held.to_vec())?;
    dict.set_item("depend_on_time", depend_on_time.to_vec())?;
    dict.set_item("switches", switches)
}

/// Values by their names, in order.
fn numbers<'py>(py: Python<'py>, values: &[NamedValue]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    values.iter().try_for_each(|own| dict.set_item(&own.name, own.value))?;
    Ok(dict)
}

fn units<'py>(py: Python<'py>, groups: &[&[NamedValue]]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for own in groups.iter().flat_map(|group| group.iter()) {
        if let Some(unit) = &own.unit {
            dict.set_item(&own.name, unit)?;
        }
    }
    Ok(dict)
}

/// The rows of a matrix, with its shape.
fn array(matrix: &Matrix) -> (usize, usize, Vec<f64>) {
    (matrix.rows(), matrix.columns(), matrix.data().to_vec())
}
