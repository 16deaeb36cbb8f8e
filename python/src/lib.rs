//! The compiled half of the Python package: thin classes over the public API, which the typed
//! classes in `superdense/` wrap. Everything that can go wrong is an exception.

mod errors;
mod run;
mod sweep;
mod system;
mod table;

use pyo3::prelude::*;

#[pymodule]
mod _superdense {
    use std::ffi::OsString;

    use pyo3::prelude::*;

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

    /// The keys of all settings of a run.
    #[pyfunction]
    fn settings() -> Vec<&'static str> {
        superdense::RunSetting::ALL.iter().map(|setting| setting.key()).collect()
    }
}
