//! `blocks`: what a model can be made of.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::{Library, did_you_mean, page};

use crate::report::show;

/// Shows one page, or writes all, or lists the blocks.
pub fn blocks(name: Option<&str>, folder: Option<&Path>) -> Result<()> {
    let library = Library::standard();
    match (folder, name) {
        (Some(folder), _) => write_pages(&library, folder),
        (None, Some(name)) => show_page(&library, name),
        (None, None) => show(&list(&library)),
    }
}

fn write_pages(library: &Library, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for block in library.iter() {
        let info = block.info();
        let path = folder.join(format!("{}.md", info.name));
        fs::write(&path, page(&info))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn show_page(library: &Library, name: &str) -> Result<()> {
    let Some(block) = library.get(name) else {
        let help = did_you_mean(name, library.names());
        bail!("there is no block `{name}`{}", help.map_or(String::new(), |h| format!("; {h}")));
    };
    show(&page(&block.info()))
}

fn list(library: &Library) -> String {
    let (mut shelf, mut out) = ("", String::new());
    let mut infos: Vec<_> = library.iter().map(|block| block.info()).collect();
    infos.sort_by_key(|info| info.shelf);
    for info in infos {
        if info.shelf != shelf {
            out += &format!("{}\n", info.shelf);
            shelf = info.shelf;
        }
        out += &format!("  {:<16} {}\n", info.name, info.summary);
    }
    out
}
