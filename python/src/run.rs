//! A run in the hands of its caller. One thread at a time uses it; another gets an exception.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superdense::{HoldError, Run, RunError};

use crate::errors::{Lines, raised, wrong};
use crate::system::{Blocks, Patience, stopped, time};
use crate::table::Table;

/// A run that advances, is read and set; nothing is left of it after it is closed.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Held {
    run: Mutex<Option<Run>>,
    about: Arc<About>,
}

/// What a failure is explained by.
pub struct About {
    pub system: superdense::System,
    pub lines: Arc<Lines>,
    pub blocks: Blocks,
}

/// Why something did not go with a run.
enum Wrong {
    /// The run has failed.
    Failed(RunError),
    /// Something was asked for that cannot be; the run is as it was.
    Said(String),
}

impl From<HoldError> for Wrong {
    fn from(error: HoldError) -> Wrong {
        match error {
            HoldError::Run(error) => Wrong::Failed(error),
            other => Wrong::Said(other.to_string()),
        }
    }
}

impl Held {
    pub fn new(run: Run, about: Arc<About>) -> Held {
        Held { run: Mutex::new(Some(run)), about }
    }

    fn locked(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Option<Run>>> {
        let busy = || "the run is in use by another thread".to_owned();
        self.run.try_lock().map_err(|_| wrong(py, "RunError", "run-in-use", busy()))
    }

    /// Does something with the run without Python.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        action: impl FnOnce(&mut Run) -> Result<T, Wrong> + Send,
    ) -> PyResult<T> {
        let mut guard = self.locked(py)?;
        let run = guard.as_mut().ok_or_else(|| closed(py))?;
        let About { blocks, .. } = &*self.about;
        blocks.take();
        let done = py.detach(|| action(run));
        let error = match (blocks.raised(py, "RunError", Some(run.time())), done) {
            (None, Ok(done)) => return Ok(done),
            (None, Err(Wrong::Said(message))) => {
                return Err(wrong(py, "RunError", "run-failed", message));
            }
            (None, Err(Wrong::Failed(error))) => self.failed(py, run, &error)?,
            (Some(error), _) => error,
        };
        let table = Table::of(run.trace().clone(), None, "failed".to_owned());
        error.value(py).setattr("table", Bound::new(py, table)?)?;
        Err(error)
    }

    /// The exception for a run that has failed.
    fn failed(&self, py: Python<'_>, run: &Run, error: &RunError) -> PyResult<PyErr> {
        let About { system, lines, .. } = &*self.about;
        let why = system.explain_with(error, &run.inputs_of(error)).into();
        Ok(PyErr::from_value(raised(py, "RunError", &why, system.sources(), lines)?))
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

#[pymethods]
impl Held {
    /// Advances to a time given as text; returns why the run has ended, if it has.
    fn advance_to(&self, py: Python<'_>, until: &str) -> PyResult<Option<String>> {
        let until = time(py, until)?;
        let mut patience = Patience::new(None, self.about.blocks.clone());
        let done = self.with(py, |run| {
            let reason = run.advance_to_while(until, |run| patience.goes_on(run));
            Ok(reason.map_err(Wrong::Failed)?.as_ref().map(stopped))
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
            let own = run.get(&handle?)?;
            Ok(own.map(<[f64]>::to_vec))
        })
    }

    /// Sets an input, or else a tunable parameter, at the present time.
    fn set(&self, py: Python<'_>, name: &str, value: Vec<f64>) -> PyResult<()> {
        self.with(py, |run| match run.set_input(name, &value) {
            Err(unknown @ HoldError::Unknown { .. }) => match run.set_parameter(name, &value) {
                Err(HoldError::Unknown { .. }) => Err(unknown.into()),
                other => Ok(other?),
            },
            other => Ok(other?),
        })
    }

    /// A second run from this point on.
    fn fork(&self, py: Python<'_>) -> PyResult<Held> {
        self.with(py, |run| Ok(Held::new(run.fork(), self.about.clone())))
    }

    /// Everything that changes, as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(
            py,
            &self.with(py, |run| {
                run.unsaved().map_or_else(|| Ok(run.save()), |why| Err(Wrong::Said(why)))
            })?,
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
