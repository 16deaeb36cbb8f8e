//! A run in the hands of its caller. One thread at a time uses it; another gets an exception.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superdense::{HoldError, Run};

use crate::errors::wrong;
use crate::system::{Blocks, Patience, stopped, time};
use crate::table::Table;

/// A run that advances, is read and set; nothing is left of it after it is closed.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Held {
    run: Mutex<Option<Run>>,
    blocks: Blocks,
}

impl Held {
    pub fn new(run: Run, blocks: Blocks) -> Held {
        Held { run: Mutex::new(Some(run)), blocks }
    }

    fn locked(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Option<Run>>> {
        let busy = || "the run is in use by another thread".to_owned();
        self.run.try_lock().map_err(|_| wrong(py, "RunError", "run-in-use", busy()))
    }

    /// Does something with the run without Python.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        action: impl FnOnce(&mut Run) -> Result<T, String> + Send,
    ) -> PyResult<T> {
        let mut guard = self.locked(py)?;
        let run = guard.as_mut().ok_or_else(|| closed(py))?;
        self.blocks.take();
        let done = py.detach(|| action(run));
        if let Some(error) = self.blocks.raised(py, "RunError", Some(run.time())) {
            return Err(error);
        }
        done.map_err(|message| wrong(py, "RunError", "run-failed", message))
    }

    /// Takes the run to its caller; it is closed here.
    pub fn take(&self, py: Python<'_>) -> PyResult<Run> {
        self.locked(py)?.take().ok_or_else(|| closed(py))
    }
}

impl Held {
    /// The point that the run has reached.
    pub fn point(
        &self,
        py: Python<'_>,
    ) -> PyResult<Result<superdense::OperatingPoint, superdense::AnalysisError>> {
        self.with(py, |run| Ok(run.operating_point()))
    }
}

fn closed(py: Python<'_>) -> PyErr {
    wrong(py, "RunError", "run-closed", "the run is closed".to_owned())
}

fn said(error: HoldError) -> String {
    error.to_string()
}

#[pymethods]
impl Held {
    /// Advances to a time given as text; returns why the run has ended, if it has.
    fn advance_to(&self, py: Python<'_>, until: &str) -> PyResult<Option<String>> {
        let until = time(py, until)?;
        let mut patience = Patience::new(None, self.blocks.clone());
        let done = self.with(py, |run| {
            let reason = run.advance_to_while(until, |run| patience.goes_on(run));
            Ok(reason.map_err(|error| error.to_string())?.as_ref().map(stopped))
        });
        patience.interrupt.map_or(done, Err)
    }

    /// The time that the run has reached \[s\].
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |run| Ok(run.time().seconds()))
    }

    /// The elements of a recorded signal at the present time; none if it is absent.
    fn get(
        &self,
        py: Python<'_>,
        system: &crate::system::System,
        name: &str,
    ) -> PyResult<Option<Vec<f64>>> {
        let handle = system.signal(name);
        self.with(py, |run| {
            let handle = handle.map_err(said)?;
            Ok(run.get(&handle).map_err(said)?.map(<[f64]>::to_vec))
        })
    }

    /// Sets an input, or else a tunable parameter, at the present time.
    fn set(&self, py: Python<'_>, name: &str, value: Vec<f64>) -> PyResult<()> {
        self.with(py, |run| match run.set_input(name, &value) {
            Err(unknown @ HoldError::Unknown { .. }) => match run.set_parameter(name, &value) {
                Err(HoldError::Unknown { .. }) => Err(said(unknown)),
                other => other.map_err(said),
            },
            other => other.map_err(said),
        })
    }

    /// A second run from this point on.
    fn fork(&self, py: Python<'_>) -> PyResult<Held> {
        self.with(py, |run| Ok(Held::new(run.fork(), self.blocks.clone())))
    }

    /// Everything that changes, as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(
            py,
            &self.with(py, |run| run.unsaved().map_or_else(|| Ok(run.save()), Err))?,
        ))
    }

    /// The rows so far.
    fn rows(&self, py: Python<'_>) -> PyResult<Table> {
        self.with(py, |run| Ok(Table::of(run.trace().clone(), None, "not ended".to_owned())))
    }

    /// Frees the run.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.locked(py)?.take();
        Ok(())
    }
}
