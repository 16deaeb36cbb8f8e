//! The compiled half of the Python package: thin classes over the public API, which the typed
//! classes in `superdense/` wrap. Everything that can go wrong is an exception.

mod analysis;
mod describe;
mod errors;
mod foreign;
mod native;
mod run;
mod sampled;
mod sweep;
mod system;
mod table;

use pyo3::prelude::*;

#[pymodule]
mod _superdense {
    use std::ffi::OsString;

    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    #[pymodule_export]
    use crate::analysis::{Analysis, Point};
    #[pymodule_export]
    use crate::foreign::Foreign;
    #[pymodule_export]
    use crate::run::Held;
    #[pymodule_export]
    use crate::sweep::Sweep;
    #[pymodule_export]
    use crate::system::System;
    #[pymodule_export]
    use crate::table::Table;

    /// Executes a command line, the name of the program first, and returns its exit code.
    #[pyfunction]
    fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| superdense_cli::run(arguments))
    }

    /// Every block and diagram of the library, described.
    #[pyfunction]
    fn blocks(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
        crate::describe::blocks(py)
    }

    /// The functions of expressions, each with what it does.
    #[pyfunction]
    fn functions() -> Vec<(String, String)> {
        crate::describe::functions()
    }

    /// The canonical form of the text of a model file.
    #[pyfunction]
    fn canonical(py: Python<'_>, name: &str, text: &str) -> PyResult<String> {
        crate::describe::canonical(py, name, text)
    }

    /// The keys of all settings of a run.
    #[pyfunction]
    fn settings() -> Vec<&'static str> {
        superdense::RunSetting::ALL.iter().map(|setting| setting.key()).collect()
    }
}
