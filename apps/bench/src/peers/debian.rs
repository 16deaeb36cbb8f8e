//! Peers from Debian packages, unpacked into a folder without being installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Place, step};

const SUNDIALS: [&str; 6] = [
    "libsundials-dev",
    "libsundials-arkode5",
    "libsundials-cvode6",
    "libsundials-nvecserial6",
    "libsundials-sunlinsol3",
    "libsundials-sunmatrix4",
];

const LIBRARIES: [&str; 6] = [
    "-lsundials_arkode",
    "-lsundials_cvode",
    "-lsundials_nvecserial",
    "-lsundials_sunlinsoldense",
    "-lsundials_sunmatrixdense",
    "-lm",
];

/// SUNDIALS; its program is compiled with the C compiler of the machine.
pub(super) fn sundials(place: &Place) -> Result<Command> {
    let root = unpack(place, &SUNDIALS)?;
    let (program, libraries) = (place.folder.join("sundials_peer"), library_folder(&root));
    let mut compiler = Command::new("cc");
    compiler.arg("-O3").arg(place.programs.join("sundials.c")).arg("-o").arg(&program);
    compiler.arg("-I").arg(root.join("usr/include")).arg("-L").arg(&libraries);
    compiler.arg(format!("-Wl,-rpath,{}", libraries.display())).args(LIBRARIES);
    step(&mut compiler)?;
    Ok(Command::new(program))
}

/// A Fortran compiler, as a script that knows where its components are. It has the version of the
/// machine's C compiler, and uses components of it.
pub(super) fn fortran(place: &Place) -> Result<PathBuf> {
    let root =
        unpack(place, &["gfortran-12", "libgfortran-12-dev", "libgfortran5", "libquadmath0"])?;
    let own = root.join("usr/lib/gcc/x86_64-linux-gnu/12");
    let compiler = root.join("usr/bin/x86_64-linux-gnu-gfortran-12");
    let c = Command::new("gcc").arg("-print-prog-name=cc1").output().context("cannot start gcc")?;
    let c = PathBuf::from(String::from_utf8_lossy(&c.stdout).trim());
    let c = c.parent().context("gcc does not say where its parts are")?;
    let libraries = library_folder(&root);
    let script = place.folder.join("gfortran");
    let (own, c, libraries) = (own.display(), c.display(), libraries.display());
    fs::write(
        &script,
        format!(
            "#!/bin/sh\nexec {} -B{own} -B{c} -L{c} -L{own} -L{libraries} -Wl,-rpath,{libraries} \"$@\"\n",
            compiler.display()
        ),
    )?;
    step(Command::new("chmod").arg("+x").arg(&script))?;
    Ok(script)
}

/// The folder of the libraries that programs made by these compilers load.
pub(super) fn libraries(place: &Place) -> PathBuf {
    library_folder(&root(place))
}

fn root(place: &Place) -> PathBuf {
    place.folder.join("debian/root")
}

fn library_folder(root: &Path) -> PathBuf {
    root.join("usr/lib/x86_64-linux-gnu")
}

/// Downloads packages that are missing and unpacks them into one folder.
fn unpack(place: &Place, packages: &[&str]) -> Result<PathBuf> {
    let (folder, root) = (place.folder.join("debian"), root(place));
    fs::create_dir_all(&root)?;
    for package in packages {
        if find(&folder, package)?.is_none() {
            let mut fetch = Command::new("apt-get");
            // By default apt downloads as a user who cannot write into the folder.
            fetch.args(["download", "-qq", "-o", "APT::Sandbox::User=root", package]);
            step(fetch.current_dir(&folder)).with_context(|| format!("cannot fetch {package}"))?;
        }
        let file = find(&folder, package)?;
        let file = file.with_context(|| format!("{package} was not fetched"))?;
        step(Command::new("dpkg").arg("-x").arg(file).arg(&root))?;
    }
    ensure!(root.join("usr").exists(), "nothing was unpacked");
    Ok(root)
}

fn find(folder: &Path, package: &str) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(&format!("{package}_")) && name.ends_with(".deb") {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
