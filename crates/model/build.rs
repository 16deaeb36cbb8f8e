//! Lists the files of the standard library, so that they are embedded in the program.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let library = here.join("../../library");
    println!("cargo::rerun-if-changed={}", library.display());
    let mut files = Vec::new();
    collect(&library, &mut files)?;
    files.sort();
    let mut list = String::from("static FILES: &[StandardFile] = &[\n");
    for (name, path) in files {
        let category = path.parent().and_then(Path::file_name).unwrap_or_default();
        let shown = format!("library/{}/{name}.yaml", category.to_string_lossy());
        let text = path.canonicalize()?;
        list += &format!(
            "    StandardFile {{ name: {name:?}, path: {shown:?}, text: include_str!({text:?}) }},\n"
        );
    }
    list += "];\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("standard.rs"), list)
}

/// The model files in a folder and in those inside it, by name.
fn collect(folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        println!("cargo::rerun-if-changed={}", path.display());
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, path));
        }
    }
    Ok(())
}
