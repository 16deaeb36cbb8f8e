//! What `--plot` asks for: which figures are written to which files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use superdense::plots::{Content, Figure};
use superdense::{System, Trace, did_you_mean, plots};

use super::{check_picture, plot_to};

/// A figure to write.
pub struct Picture {
    /// The figure that the model defines; if missing, all signals are plotted.
    figure: Option<Figure>,
    path: PathBuf,
}

impl Picture {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it shows the steps of the solver, which extra rows between steps would hide.
    pub fn shows_steps(&self) -> bool {
        let panels = self.figure.iter().flat_map(|figure| &figure.panels);
        panels
            .into_iter()
            .any(|panel| matches!(panel.content, Content::Time { solver_steps: true, .. }))
    }

    /// Draws it.
    pub fn draw(&self, trace: &Trace, title: &str) -> Result<()> {
        match &self.figure {
            Some(figure) => plot_to(trace, figure, &self.path),
            None => plot_to(trace, &plots::Figure::of(trace).title(title), &self.path),
        }
    }
}

/// The figures of all `--plot` options: `FILE` for the first figure, `NAME=FILE` for another one,
/// `FOLDER/` for all. Mistakes are found here, before the run.
pub fn pictures(options: &[PathBuf], system: &System) -> Result<Vec<Picture>> {
    let mut found = Vec::new();
    for option in options {
        let named = option.to_str().and_then(|text| text.split_once('='));
        let named = named.filter(|(name, _)| !name.contains(['/', '\\']));
        match named {
            Some((name, path)) => found.push(one(system, name, Path::new(path))?),
            None if is_folder(option) => found.extend(all(system, option)?),
            None => {
                let figure = system.figures().first().map(|(_, figure)| figure.clone());
                found.push(Picture { figure, path: option.clone() });
            }
        }
    }
    for Picture { path, .. } in &found {
        check_picture(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
        }
    }
    Ok(found)
}

fn one(system: &System, name: &str, path: &Path) -> Result<Picture> {
    let found = system.figures().iter().find(|(known, _)| known == name);
    let Some((_, figure)) = found else {
        let names = system.figures().iter().map(|(known, _)| known.as_str());
        let help = did_you_mean(name, names);
        let help = help.unwrap_or_else(|| "the model has none under `plots`".to_owned());
        bail!("there is no figure `{name}`; {help}");
    };
    Ok(Picture { figure: Some(figure.clone()), path: path.to_owned() })
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// Every figure, written under its name.
fn all(system: &System, folder: &Path) -> Result<Vec<Picture>> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let picture = |name: &str, figure: Option<&Figure>| Picture {
        figure: figure.cloned(),
        path: folder.join(format!("{name}.svg")),
    };
    if system.figures().is_empty() {
        return Ok(vec![picture(system.name(), None)]);
    }
    Ok(system.figures().iter().map(|(name, figure)| picture(name, Some(figure))).collect())
}
