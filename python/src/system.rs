//! A compiled model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use superdense::{
    Block, Diagnostics, Drawing, Failure, Given, Library, Model, Outcome, Refused, RunError,
    RunSetting, Settings, StopReason, Time, parse_parameter, parse_value,
};

use crate::errors::{Lines, raised, refused, refused_at, wrong};
use crate::foreign::Foreign;
use crate::run::{About, Held};
use crate::table::Table;

/// How often a run asks whether it is to go on.
const PATIENCE: Duration = Duration::from_millis(50);

/// A compiled model with the settings of its runs.
#[pyclass(frozen, module = "superdense._superdense")]
pub struct System {
    model: Model,
    system: superdense::System,
    overrides: Settings,
    /// For a model made in Python, the lines that made it.
    lines: Arc<Lines>,
    blocks: Blocks,
}

/// The blocks from Python that a model may use.
#[derive(Clone, Default)]
pub struct Blocks(Arc<Vec<Py<Foreign>>>);

impl Blocks {
    pub fn library(&self) -> Library {
        let own = self.0.iter().map(|own| Arc::new(own.get().0.clone()) as Arc<dyn Block>);
        own.fold(Library::standard(), Library::with)
    }

    /// Whether a function has raised in a run of this thread.
    pub fn failed(&self) -> bool {
        self.0.iter().any(|own| own.get().failures().failed())
    }

    /// The exception that a function has raised, with the name of its block; it is forgotten.
    pub fn take(&self) -> Option<(String, PyErr)> {
        self.0.iter().fold(None, |first, own| first.or(own.get().failures().take()))
    }

    /// The same as the code and the message of a run of a sweep.
    pub fn failure(&self) -> Option<(String, String)> {
        let (name, error) = self.take()?;
        let message = format!("the function of `{name}` has raised: {error}");
        Some(("python-exception".to_owned(), message))
    }

    /// The exception for what a function has raised: that itself if it is an interrupt, and
    /// otherwise an error with it as its cause.
    pub fn raised(&self, py: Python<'_>, class: &str, when: Option<Time>) -> Option<PyErr> {
        let (name, error) = self.take()?;
        if !error.is_instance_of::<PyException>(py) {
            return Some(error);
        }
        let when = when.map_or(String::new(), |time| format!(" at t = {time}"));
        let message = format!("the function of `{name}` has raised{when}: {error}");
        let own = wrong(py, class, "python-exception", message);
        own.set_cause(py, Some(error));
        Some(own)
    }
}

impl System {
    fn compiled(
        py: Python<'_>,
        model: Model,
        overrides: Settings,
        lines: Arc<Lines>,
        blocks: Blocks,
    ) -> PyResult<System> {
        let library = blocks.library();
        blocks.take();
        let system = py.detach(|| superdense::System::compile_with(&model, &library, &overrides));
        if let Some(error) = blocks.raised(py, "ModelError", None) {
            return Err(error);
        }
        let system = system.map_err(|error| refused_at(py, &error, &lines))?;
        Ok(System { model, system, overrides, lines, blocks })
    }

    /// An exception or a warning about this model.
    fn raised<'py>(
        &self,
        py: Python<'py>,
        class: &str,
        diagnostics: &Diagnostics,
    ) -> PyResult<Bound<'py, PyAny>> {
        raised(py, class, diagnostics, self.system.sources(), &self.lines)
    }
}

/// Names with the text of a value.
pub type Texts = Vec<(String, String)>;

/// The time of a text \[s\].
pub fn time(py: Python<'_>, text: &str) -> PyResult<Time> {
    let value = parse_value(text).map_err(|error| refused(py, &error))?;
    let found = value.as_rational().and_then(Time::from_rational);
    found.ok_or_else(|| PyValueError::new_err(format!("{text} is no time in seconds")))
}

#[pymethods]
impl System {
    /// Reads and compiles a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, blocks: Vec<Py<Foreign>>) -> PyResult<System> {
        let model = py.detach(|| superdense::read(&path)).map_err(|error| refused(py, &error))?;
        let blocks = Blocks(Arc::new(blocks));
        System::compiled(py, model, Settings::default(), Arc::default(), blocks)
    }

    /// Compiles the text of a model; `files` has the texts that it imports, and `lines` the lines of
    /// Python that made it.
    #[staticmethod]
    fn parse(
        py: Python<'_>,
        name: &str,
        text: &str,
        files: Texts,
        lines: Lines,
        blocks: Vec<Py<Foreign>>,
    ) -> PyResult<System> {
        let blocks = Blocks(Arc::new(blocks));
        let mut find = |wanted: &str| {
            let mut own = files.iter().filter(|(name, _)| name == wanted);
            own.next().map(|(name, text)| (name.clone(), text.clone())).ok_or_else(|| {
                "a model given as text imports nothing; load it from a file".to_owned()
            })
        };
        let model = superdense::parse(name, text, &mut find);
        let model = model.map_err(|error| refused_at(py, &error, &lines))?;
        System::compiled(py, model, Settings::default(), Arc::new(lines), blocks)
    }

    /// The same model with other settings, parameters and inputs, all as text, as the command line
    /// takes them, and with other recorded signals.
    fn with_values(
        &self,
        py: Python<'_>,
        settings: Texts,
        parameters: Texts,
        inputs: Texts,
        record: Option<Vec<String>>,
    ) -> PyResult<System> {
        let mut new = Settings { inputs, ..Settings::default() };
        for (key, text) in settings {
            let setting = RunSetting::ALL.iter().find(|setting| setting.key() == key);
            let setting = setting.ok_or_else(|| {
                wrong(py, "ModelError", "unknown-setting", format!("there is no setting `{key}`"))
            })?;
            new.settings.set(*setting, Given::Option(text));
        }
        for (name, text) in parameters {
            let value = parse_parameter(&self.model, &name, &text);
            new.parameters.push((name, value.map_err(|error| refused(py, &error))?));
        }
        let overrides = self.overrides.then(&new);
        let Some(record) = record else {
            let system = py.detach(|| self.system.with(&new));
            let system = system.map_err(|error| refused_at(py, &error, &self.lines))?;
            let (model, lines) = (self.model.clone(), self.lines.clone());
            return Ok(System { model, system, overrides, lines, blocks: self.blocks.clone() });
        };
        let recorded: Vec<_> = record.iter().map(|name| (name.as_str(), name.as_str())).collect();
        let model = superdense::record_only(&self.model, &recorded);
        let model = model.map_err(|error: Refused| refused(py, &error))?;
        System::compiled(py, model, overrides, self.lines.clone(), self.blocks.clone())
    }

    /// The name of the model.
    #[getter]
    fn name(&self) -> &str {
        self.system.name()
    }

    /// The texts that the model was read from, its own first.
    #[getter]
    fn files(&self) -> Texts {
        let files = self.model.sources.files();
        files.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    /// The parameters of the model with their elements.
    #[getter]
    fn parameters(&self) -> Vec<(String, Vec<f64>)> {
        let all = self.system.parameters().into_iter();
        all.map(|own| (own.name.clone(), own.value.data().to_vec())).collect()
    }

    /// The names of the recorded signals.
    #[getter]
    fn signals(&self) -> Vec<String> {
        self.system.schema().columns().iter().map(|column| column.name.clone()).collect()
    }

    /// The names of the inputs and tunable parameters.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.system.inputs().iter().map(|input| input.name().to_owned()).collect()
    }

    /// The warnings about the model as exceptions that nobody raises.
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.told(py, self.system.unused())
    }

    /// The diagram of the model as SVG.
    fn diagram(&self, py: Python<'_>) -> PyResult<String> {
        let drawing = Drawing::default();
        let svg = superdense::draw(&self.model, &self.blocks.library(), &self.overrides, drawing);
        svg.map_err(|error| refused(py, &error))
    }

    /// The charts of the state machines as SVG, by their paths.
    fn charts(&self, py: Python<'_>) -> PyResult<Texts> {
        let (model, library) = (&self.model, self.blocks.library());
        let found = superdense::draw_machines(model, &library, &self.overrides);
        found.map_err(|error| refused_at(py, &error, &self.lines))
    }

    /// The time at which a run stops \[s\].
    #[getter]
    fn stop(&self) -> f64 {
        self.system.settings().stop.seconds()
    }

    /// Runs to the end: the result, and warnings about it. `watch` is called with the time now and
    /// then, and an exception of it, such as an interrupt, ends the run.
    fn run<'py>(
        &self,
        py: Python<'py>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<(Table, Vec<Bound<'py, PyAny>>)> {
        let run = self.system.begin();
        if let Some(error) = run.missing_input() {
            let why = self.system.explain(&error).into();
            return Err(PyErr::from_value(self.raised(py, "RunError", &why)?));
        }
        self.finished(py, run, watch)
    }

    /// A run in the hands of its caller.
    fn start(&self) -> Held {
        Held::new(self.system.begin(), self.about())
    }

    /// Continues a saved run.
    fn resume(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<Held> {
        let run = self.system.resume(bytes);
        let run = run.map_err(|error| wrong(py, "RunError", "not-resumed", error.to_string()))?;
        Ok(Held::new(run, self.about()))
    }

    /// Runs a held run to its end.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        held: &Held,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<(Table, Vec<Bound<'py, PyAny>>)> {
        let run = held.take(py)?;
        self.finished(py, run, watch)
    }
}

impl System {
    fn about(&self) -> Arc<About> {
        let (system, lines) = (self.system.clone(), self.lines.clone());
        Arc::new(About { system, lines, blocks: self.blocks.clone() })
    }

    fn told<'py>(&self, py: Python<'py>, found: Diagnostics) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let one = |own| self.raised(py, "ModelWarning", &Diagnostics(vec![own]));
        found.0.into_iter().map(one).collect()
    }

    fn finished<'py>(
        &self,
        py: Python<'py>,
        run: superdense::Run,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<(Table, Vec<Bound<'py, PyAny>>)> {
        let mut patience = Patience::new(watch, self.blocks.clone());
        self.blocks.take();
        let ended = py.detach(|| run.finish_while(|run| patience.goes_on(run)));
        let interrupt = patience.interrupt;
        match ended {
            Ok(Outcome { trace, stop, warnings, invariants, .. }) => {
                let found = warnings.iter().map(|own| self.system.explain_warning(own));
                let broken = invariants.iter().filter_map(|own| self.system.explain_invariant(own));
                let told = self.told(py, Diagnostics(found.chain(broken).collect()))?;
                Ok((Table::of(trace, Some(self.system.clone()), stopped(&stop)), told))
            }
            Err(failure) => Err(self.failed(py, failure, interrupt)?),
        }
    }

    /// The exception of a run that failed, with what was computed.
    fn failed(
        &self,
        py: Python<'_>,
        failure: Failure,
        interrupt: Option<PyErr>,
    ) -> PyResult<PyErr> {
        let why = self.system.explain_with(&failure.error, &failure.inputs).into();
        let cancelled = matches!(failure.error, RunError::Cancelled { .. });
        let raised = self.blocks.raised(py, "RunError", failure.error.tag().map(|tag| tag.time));
        let exception = match raised.or(interrupt.filter(|_| cancelled)) {
            Some(error) => error.into_value(py).into_bound(py).into_any(),
            None => self.raised(py, "RunError", &why)?,
        };
        let table = Table::of(failure.trace, Some(self.system.clone()), "failed".to_owned());
        exception.setattr("table", Bound::new(py, table)?)?;
        Ok(PyErr::from_value(exception))
    }
}

/// Asks now and then whether a run is to go on.
pub struct Patience {
    last: Instant,
    watch: Option<Py<PyAny>>,
    blocks: Blocks,
    /// The exception that ends the run, such as an interrupt.
    pub interrupt: Option<PyErr>,
}

impl Patience {
    pub fn new(watch: Option<Py<PyAny>>, blocks: Blocks) -> Patience {
        Patience { last: Instant::now(), watch, blocks, interrupt: None }
    }

    /// Whether a run goes on: no function has raised, nobody has interrupted it.
    pub fn goes_on(&mut self, run: &superdense::Run) -> bool {
        if self.blocks.failed() {
            return false;
        }
        if self.last.elapsed() < PATIENCE {
            return true;
        }
        self.last = Instant::now();
        let seconds = run.time().seconds();
        let asked = Python::attach(|py| {
            py.check_signals()?;
            self.watch.as_ref().map_or(Ok(()), |own| own.call1(py, (seconds,)).map(drop))
        });
        self.interrupt = asked.err();
        self.interrupt.is_none()
    }
}

/// Why a run has ended, in words.
pub fn stopped(stop: &StopReason) -> String {
    match stop {
        StopReason::Stopped => "stop time".to_owned(),
        StopReason::Zeno(time) => format!("events accumulate at {time}"),
        StopReason::Ended(block) => format!("ended by {block}"),
    }
}

impl System {
    /// The model, and what overrides its settings and parameters.
    pub fn parts(&self) -> (&Model, &Settings, &Blocks) {
        (&self.model, &self.overrides, &self.blocks)
    }

    /// The handle of a recorded signal.
    pub fn signal(&self, name: &str) -> Result<superdense::SignalHandle, superdense::HoldError> {
        self.system.signal(name)
    }
    /// The system itself, for analyses.
    pub fn compiled_system(&self) -> &superdense::System {
        &self.system
    }
}
