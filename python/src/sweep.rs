//! Many runs of one model.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use superdense::sweeps::{Flow, Method, Row};
use superdense::traces::{Cell, FlatKind};
use superdense::{Diagnostic, SweepError, SweepRequest, WriteError};

use crate::errors::refused;
use crate::system::{System, Texts};

/// A sweep over the parameters of a model.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Sweep {
    sweep: superdense::Sweep,
}

/// Why the rows of a sweep ended: an exception of what watches it, or a trace that was not written.
enum Ended {
    Raised(PyErr),
    Unwritten(WriteError),
}

impl From<WriteError> for Ended {
    fn from(error: WriteError) -> Self {
        Ended::Unwritten(error)
    }
}

#[pymethods]
impl Sweep {
    /// The sweep over a model with its settings.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        system: &System,
        parameters: Texts,
        sets: Option<PathBuf>,
        samples: Option<u64>,
        method: Option<&str>,
        repeats: Option<u64>,
        measures: Vec<String>,
        traces: Option<PathBuf>,
    ) -> PyResult<Sweep> {
        let known = |word: &str| {
            let all = Method::ALL.map(Method::name).join(", ");
            let message = format!("there is no method `{word}`; there are {all}");
            Method::named(word).ok_or_else(|| PyValueError::new_err(message))
        };
        let method = method.map(known).transpose()?;
        let seed = None;
        let request = SweepRequest { parameters, sets, samples, method, repeats, seed, measures };
        let (model, overrides, blocks) = system.parts();
        let own = SweepRequest::of(model).map_err(|error| refused(py, &error))?;
        let request = own.then(&request);
        let library = blocks.library();
        let sweep = py.detach(|| superdense::Sweep::new(model, &library, overrides, &request));
        if let Some(error) = blocks.raised(py, "ModelError", None) {
            return Err(error);
        }
        let mut sweep = sweep.map_err(|error| refused(py, &error))?;
        if let Some(folder) = traces {
            let unwritten = |error: SweepError| unwritten(&error.diagnostic());
            sweep = sweep.write_traces_to(folder).map_err(unwritten)?;
        }
        let blocks = blocks.clone();
        Ok(Sweep { sweep: sweep.ask_for_failures(move || blocks.failure()) })
    }

    /// The number of runs.
    #[getter]
    fn count(&self) -> u64 {
        self.sweep.count()
    }

    /// A number that differs between sweeps.
    #[getter]
    fn identity(&self) -> u64 {
        self.sweep.identity()
    }

    /// The names of all columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.sweep.columns().iter().map(|column| column.name.clone()).collect()
    }

    /// The dimensions of the product that the runs are, the last varying fastest.
    #[getter]
    fn dimensions(&self) -> Vec<(String, u64)> {
        self.sweep.plan().dimensions()
    }

    /// The columns of some runs. `watch` is called with the number of runs done now and then, and an
    /// exception of it, such as an interrupt, ends the sweep.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        end: u64,
        threads: usize,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        if start > end || end > self.sweep.count() {
            return Err(PyValueError::new_err(format!("there are no runs {start} to {end}")));
        }
        let stop = AtomicBool::new(false);
        let mut all: Vec<Row> = Vec::new();
        let ended = py.detach(|| {
            self.sweep.rows(start..end, threads, &stop, |from, rows| {
                let done = from - start + rows.len() as u64;
                all.extend(rows);
                let asked: PyResult<()> = Python::attach(|py| {
                    py.check_signals()?;
                    watch.as_ref().map_or(Ok(()), |own| own.call1(py, (done,)).map(drop))
                });
                // A run that is still going on ends, too.
                stop.fetch_or(asked.is_err(), Ordering::Relaxed);
                asked.map(|()| Flow::On).map_err(Ended::Raised)
            })
        });
        match ended {
            Ok(_) => {}
            Err(Ended::Raised(error)) => return Err(error),
            Err(Ended::Unwritten(error)) => return Err(unwritten(&error.diagnostic())),
        }
        let columns = self.sweep.columns().iter().enumerate();
        columns.map(|(index, column)| list(py, &all, index, column.kind)).collect()
    }
}

/// The exception for a file that cannot be written.
fn unwritten(error: &Diagnostic) -> PyErr {
    let help = error.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    PyOSError::new_err(format!("{}{help}", error.message))
}

/// The cells of a column.
fn list<'py>(
    py: Python<'py>,
    rows: &[Row],
    index: usize,
    kind: FlatKind,
) -> PyResult<Bound<'py, PyList>> {
    let cells = rows.iter().map(|row| &row.cells[index]);
    match kind {
        FlatKind::Number => PyList::new(
            py,
            cells.map(|cell| match cell {
                Cell::Number(number) => *number,
                _ => f64::NAN,
            }),
        ),
        FlatKind::Integer => PyList::new(
            py,
            cells.map(|cell| match cell {
                Cell::Integer(number) => Some(*number),
                _ => None,
            }),
        ),
        FlatKind::Truth => PyList::new(
            py,
            cells.map(|cell| match cell {
                Cell::Truth(truth) => Some(*truth),
                _ => None,
            }),
        ),
        FlatKind::Text => PyList::new(
            py,
            cells.map(|cell| match cell {
                Cell::Text(text) => Some(text.as_str()),
                _ => None,
            }),
        ),
    }
}
