//! `blocks`: what a model can be made of.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::{Library, Page, did_you_mean, pages};

use crate::report::show;

/// Shows one page, or writes all, or lists the blocks.
pub fn blocks(name: Option<&str>, folder: Option<&Path>) -> Result<()> {
    let pages = pages(&Library::standard());
    match (folder, name) {
        (Some(folder), _) => write_pages(&pages, folder),
        (None, Some(name)) => show_page(&pages, name),
        (None, None) => show(&list(pages)),
    }
}

fn write_pages(pages: &[Page], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for page in pages {
        let path = folder.join(format!("{}.md", page.name));
        fs::write(&path, &page.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn show_page(pages: &[Page], name: &str) -> Result<()> {
    let Some(page) = pages.iter().find(|page| page.name == name) else {
        let help = did_you_mean(name, pages.iter().map(|page| page.name.as_str()));
        bail!("there is no block `{name}`{}", help.map_or(String::new(), |h| format!("; {h}")));
    };
    show(&page.text)
}

fn list(mut pages: Vec<Page>) -> String {
    let (mut shelf, mut out) = ("", String::new());
    pages.sort_by(|a, b| a.shelf.cmp(&b.shelf));
    for page in &pages {
        if page.shelf != shelf {
            out += &format!("{}\n", page.shelf);
            shelf = &page.shelf;
        }
        out += &format!("  {:<16} {}\n", page.name, page.summary);
    }
    out
}
