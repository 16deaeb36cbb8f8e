//! Lists the files of `models/`, so that the binary holds them: a constant for `examples.rs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let models = own.join("../../models").canonicalize()?;
    println!("cargo::rerun-if-changed={}", models.display());
    let mut list = String::from("&[\n");
    for folder in sorted(&models)?.into_iter().filter(|path| path.join("model.yaml").is_file()) {
        writeln!(list, "Example {{ name: {:?}, files: &[", name(&folder)).expect("memory");
        for file in sorted(&folder)?.into_iter().filter(|path| path.is_file()) {
            writeln!(list, "({:?}, include_str!({file:?})),", name(&file)).expect("memory");
        }
        list += "] },\n";
    }
    list += "]\n";
    fs::write(Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("examples.rs"), list)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.retain(|path| !name(path).starts_with('.'));
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("names in models/ are UTF-8")
}
