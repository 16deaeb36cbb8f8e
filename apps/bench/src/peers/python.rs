//! Peers from PyPI, in a separate environment.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::{Place, debian, step};

/// SciPy.
pub(super) fn scipy(place: &Place) -> Result<Command> {
    install(place, &["scipy==1.17.1"])?;
    Ok(program(place, "scipy_peer.py"))
}

/// PathSim.
pub(super) fn pathsim(place: &Place) -> Result<Command> {
    install(place, &["pathsim==0.27.1"])?;
    Ok(program(place, "pathsim_peer.py"))
}

/// numbalsoda, whose sources need a Fortran compiler.
pub(super) fn numbalsoda(place: &Place) -> Result<Command> {
    let fortran = debian::fortran(place)?;
    install(place, &["numba==0.68.1", "numpy==2.4.6"])?;
    let mut pip = pip(place);
    step(pip.env("FC", fortran).args(["install", "--quiet", "numbalsoda==0.3.4"]))?;
    // What pip has cached may have been built for another location of the libraries.
    let mut program = program(place, "numbalsoda_peer.py");
    program.env("LD_LIBRARY_PATH", debian::libraries(place));
    Ok(program)
}

fn environment(place: &Place) -> PathBuf {
    place.folder.join("python")
}

fn pip(place: &Place) -> Command {
    let mut pip = Command::new(environment(place).join("bin/python"));
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}

fn install(place: &Place, packages: &[&str]) -> Result<()> {
    if !environment(place).exists() {
        step(Command::new("python3").args(["-m", "venv"]).arg(environment(place)))?;
    }
    step(pip(place).args(["install", "--quiet"]).args(packages))
}

fn program(place: &Place, name: &str) -> Command {
    let mut python = Command::new(environment(place).join("bin/python"));
    python.arg("-B").arg(place.programs.join(name));
    python
}
