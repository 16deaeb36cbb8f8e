//! `fmt`: model files in canonical form.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use superdense::{format, read_text};

use crate::report::{notify, refused, show, write_file};

/// What happened to a file.
#[derive(PartialEq, Eq)]
enum Found {
    Canonical,
    Otherwise,
}

/// Formats files, or only checks whether they are formatted. A file that cannot be formatted does
/// not prevent the others from being formatted.
pub fn fmt(files: &[PathBuf], check: bool) -> Result<()> {
    let (mut failures, mut otherwise) = (Vec::new(), Vec::new());
    for file in files {
        let found = if file.as_os_str() == "-" { input(check) } else { one(file, check) };
        match found {
            Ok(Found::Canonical) => {}
            Ok(Found::Otherwise) => otherwise.push(file.display().to_string()),
            Err(error) => failures.push(error),
        }
    }
    let last = failures.pop();
    failures.iter().for_each(|error| notify(&crate::words(error)));
    if check && !otherwise.is_empty() {
        last.iter().for_each(|error| notify(&crate::words(error)));
        let them = if otherwise.len() == 1 { "it" } else { "them" };
        bail!("not formatted: {}\n`superdense fmt` formats {them}", otherwise.join(", "));
    }
    otherwise
        .iter()
        .filter(|name| *name != "-")
        .for_each(|name| notify(&format!("formatted {name}\n")));
    last.map_or(Ok(()), Err)
}

fn one(path: &Path, check: bool) -> Result<Found> {
    let text = read_text(path).map_err(refused)?;
    let written = format(&path.to_string_lossy(), &text).map_err(refused)?;
    if written == text {
        return Ok(Found::Canonical);
    }
    if !check {
        write_file(path, written.as_bytes())?;
    }
    Ok(Found::Otherwise)
}

fn input(check: bool) -> Result<Found> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    let written = format("standard input", &text).map_err(refused)?;
    if !check {
        show(&written)?;
    }
    Ok(if written == text { Found::Canonical } else { Found::Otherwise })
}
