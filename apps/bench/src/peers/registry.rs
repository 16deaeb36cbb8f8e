//! Peers from crates.io, as small separate packages.

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::{Place, step};

const DIFFSOL: &str = "[package]
name = \"diffsol_peer\"
version = \"0.0.0\"
edition = \"2024\"

[workspace]

[dependencies]
diffsol = { version = \"=0.18.0\", default-features = false, features = [\"nalgebra\"] }
";

/// diffsol.
pub(super) fn diffsol(place: &Place) -> Result<Command> {
    let package = place.folder.join("diffsol");
    fs::create_dir_all(package.join("src"))?;
    fs::write(package.join("Cargo.toml"), DIFFSOL)?;
    fs::copy(place.programs.join("diffsol.rs"), package.join("src/main.rs"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.current_dir(&package).args(["build", "--quiet", "--release", "--target-dir", "target"]);
    step(&mut build)?;
    Ok(Command::new(package.join("target/release/diffsol_peer")))
}
