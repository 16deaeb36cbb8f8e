//! The rows of a result as arrays.

use std::path::PathBuf;

use numpy::ndarray::ArrayView2;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superdense::plots::{self, Figure};
use superdense::{
    Elem, ExactTime, Interpolation, Samples, SamplesError, Shape, Time, Trace, traces,
};

use crate::errors::wrong;

/// Rows of recorded signals, which never change.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct Table {
    trace: Trace,
    system: Option<superdense::System>,
    stop: String,
}

/// A column: name, element, shape, labels, and whether it consists only of events.
type Described = (String, &'static str, Vec<u32>, Vec<String>, bool);

/// Times \[s\], microsteps, and the elements of a value at each.
type Events = (Vec<f64>, Vec<u32>, Vec<Vec<f64>>);

impl Table {
    pub fn of(trace: Trace, system: Option<superdense::System>, stop: String) -> Table {
        Table { trace, system, stop }
    }

    fn checked(&self, column: usize) -> PyResult<usize> {
        let known = column < self.trace.columns().len();
        known.then_some(column).ok_or_else(|| PyIndexError::new_err("no such column"))
    }
}

#[pymethods]
impl Table {
    /// The columns: name, element (`real`, `integer` or `boolean`), shape, labels, and whether the
    /// signal consists only of events.
    #[getter]
    fn columns(&self) -> Vec<Described> {
        let own = self.trace.columns().iter().enumerate();
        own.map(|(index, column)| {
            let element = match column.ty.elem {
                Elem::Real => "real",
                Elem::Int => "integer",
                Elem::Bool => "boolean",
            };
            let shape = match column.ty.shape {
                Shape::Scalar => Vec::new(),
                Shape::Vector(n) => vec![n],
                Shape::Matrix(rows, columns) => vec![rows, columns],
            };
            let labels = self.trace.schema().labels(index).to_vec();
            (column.name.clone(), element, shape, labels, self.trace.is_discrete(index))
        })
        .collect()
    }

    /// Why the run has ended.
    #[getter]
    fn stop(&self) -> &str {
        &self.stop
    }

    fn __len__(&self) -> usize {
        self.trace.len()
    }

    /// All elements, row after row, without a copy: a view of the table, which it keeps alive.
    fn values<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let trace = &slf.get().trace;
        let view = ArrayView2::from_shape((trace.len(), trace.width()), trace.values())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        // SAFETY: the class is frozen and nothing changes its table, so that the numbers stay where
        // they are as long as the object lives; the array holds a reference to it, and is made
        // unwritable before anybody has it.
        #[allow(unsafe_code)]
        let array = unsafe { PyArray2::borrow_from_array(&view, slf.clone().into_any()) };
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    /// Where the elements of a column begin in a row.
    fn offset(&self, column: usize) -> PyResult<usize> {
        Ok(self.trace.offset(self.checked(column)?))
    }

    /// Whether a column is present, row by row.
    fn presence<'py>(
        &self,
        py: Python<'py>,
        column: usize,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (column, columns) = (self.checked(column)?, self.trace.columns().len());
        let own = self.trace.presence().iter().skip(column).step_by(columns).copied();
        Ok(PyArray1::from_iter(py, own))
    }

    /// The times of the rows \[s\].
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.trace.tags().iter().map(|tag| tag.time.seconds()))
    }

    /// The exact times of the rows \[as\].
    fn attoseconds(&self) -> Vec<i128> {
        self.trace.tags().iter().map(|tag| tag.time.attoseconds()).collect()
    }

    /// The microsteps of the rows.
    fn microsteps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_iter(py, self.trace.tags().iter().map(|tag| tag.microstep))
    }

    /// The impulses of a column: times, microsteps, orders and weights.
    fn impulses(&self, column: usize) -> PyResult<(Events, Vec<usize>)> {
        let column = self.checked(column)?;
        let own = || self.trace.impulses().iter().filter(move |own| own.column == column);
        let times = own().map(|own| own.tag.time.seconds()).collect();
        let microsteps = own().map(|own| own.tag.microstep).collect();
        let weights = own().map(|own| own.weight.clone()).collect();
        Ok(((times, microsteps, weights), own().map(|own| own.order).collect()))
    }

    /// The same table with one row for each instant.
    fn instants(&self) -> Table {
        let trace = superdense::instants(&self.trace);
        Table { trace, system: self.system.clone(), stop: self.stop.clone() }
    }

    /// The elements of a column at times \[s\] between its rows: to the right of a jump at such a
    /// time, or to the left. NaN before the first and after the last row.
    fn at(
        &self,
        py: Python<'_>,
        column: usize,
        times: Vec<f64>,
        left: bool,
    ) -> PyResult<Vec<Vec<f64>>> {
        let column = self.checked(column)?;
        let own = &self.trace.columns()[column];
        let width = own.ty.len();
        let schema = self.trace.schema();
        let table = schema.table_of(column).map(|table| schema.tables()[table].as_str());
        let moves = own.ty.elem == Elem::Real && !matches!(table, Some("held" | "steps"));
        let by = if moves { Interpolation::Cubic } else { Interpolation::Hold };
        let segments = segments(&self.trace, column)
            .map_err(|error| wrong(py, "RunError", "no-samples", error.to_string()))?;
        Ok(times.iter().map(|time| value(&segments, *time, (left, by, width))).collect())
    }

    /// Writes the rows to a file in the format of its extension.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = py.detach(|| traces::write(&self.trace, &path));
        written.map_err(|error| wrong(py, "RunError", "not-written", error.to_string()))
    }

    /// Reads a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
        let trace = py.detach(|| traces::read(&path));
        let trace = trace.map_err(|error| wrong(py, "RunError", "not-read", error.to_string()))?;
        Ok(Table::of(trace, None, "read from a file".to_owned()))
    }

    /// The figure of the model, or of all signals, as SVG.
    fn figure(&self, py: Python<'_>) -> PyResult<String> {
        let own = self.system.as_ref().and_then(|system| system.figures().first());
        let figure = own.map_or_else(|| Figure::of(&self.trace), |(_, figure)| figure.clone());
        let svg = plots::svg(&figure, &self.trace);
        svg.map_err(|error| wrong(py, "RunError", "not-drawn", error.to_string()))
    }

    /// The table as bytes for [`Table::unpacked`].
    fn packed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &superdense::packed(&self.trace))
    }

    /// The table of packed bytes.
    #[staticmethod]
    fn unpacked(py: Python<'_>, bytes: &[u8], stop: String) -> PyResult<Table> {
        let trace = superdense::unpacked(bytes);
        let trace = trace.map_err(|error| wrong(py, "RunError", "damaged", error.to_string()))?;
        Ok(Table::of(trace, None, stop))
    }
}

/// A stretch of a signal without events: its rows, and their times \[s\].
struct Segment {
    samples: Samples,
    known: Vec<f64>,
}

/// Whether something recorded is not the same in a row and the one before it.
fn changes(trace: &Trace, row: usize) -> bool {
    let column = |index| {
        let (a, b) = (trace.get(row - 1, index), trace.get(row, index));
        a.map(|own| own.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            != b.map(|own| own.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
    };
    (0..trace.columns().len()).any(column)
}

/// The stretches of a signal between the instants at which something recorded changes, where it may
/// jump or have a kink: the last row of an instant begins one, the first row ends one.
fn segments(trace: &Trace, column: usize) -> Result<Vec<Segment>, SamplesError> {
    let width = trace.columns()[column].ty.len();
    let mut stretches: Vec<(Vec<ExactTime>, Vec<f64>)> = Vec::new();
    let mut last: Option<Time> = None;
    for row in 0..trace.len() {
        let Some(own) = trace.get(row, column) else { continue };
        let time = trace.tags()[row].time;
        if last == Some(time) && !changes(trace, row) {
            continue;
        }
        if last == Some(time) {
            match stretches.last_mut() {
                // Between the first and the last row of an instant nothing lasts.
                Some((times, values)) if times.len() == 1 && values.len() == width => {
                    values.clear()
                }
                _ => stretches.push((vec![time.into()], Vec::new())),
            }
        } else if let Some((times, _)) = stretches.last_mut() {
            times.push(time.into());
        } else {
            stretches.push((vec![time.into()], Vec::new()));
        }
        if let Some((_, values)) = stretches.last_mut() {
            values.extend(own);
        }
        last = Some(time);
    }
    let segment = |(times, values): (Vec<ExactTime>, Vec<f64>)| {
        let known = times.iter().map(|time| time.time().seconds()).collect();
        Ok(Segment { samples: Samples::new(times, values, width)?, known })
    };
    stretches.into_iter().map(segment).collect()
}

/// The value of a signal at a time \[s\]; NaN before its first and after its last row.
fn value(
    segments: &[Segment],
    time: f64,
    (left, by, width): (bool, Interpolation, usize),
) -> Vec<f64> {
    let reached = |own: &f64| if left { *own < time } else { *own <= time };
    let index = segments.partition_point(|own| reached(&own.known[0])).saturating_sub(1);
    let outside = |own: &&Segment| !(own.known[0]..=own.known[own.known.len() - 1]).contains(&time);
    let Some(Segment { samples, known }) = segments.get(index).filter(|own| !outside(own)) else {
        return vec![f64::NAN; width];
    };
    let index = known.partition_point(reached).saturating_sub(1);
    let since = time - known[index];
    let piece = samples.piece(index, by);
    let element = |at: usize| piece.iter().rev().fold(0.0, |sum, own| sum * since + own[at]);
    (0..width).map(element).collect()
}
