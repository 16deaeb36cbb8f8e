//! Instantiated components in, the text of a model file and the expectations of its tests out.

mod actor;
mod actors;
mod ahead;
mod case;
mod clocks;
mod composite;
mod director;
mod events;
mod integers;
mod lifted;
mod logic;
mod modal;
mod names;
mod random;
mod reading;
mod records;
mod scope;
mod settle;
mod sources;
mod tests;
mod values;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::instantiate::Instantiation;
use crate::tree::Component;
use crate::yaml::{self, Yaml};
use crate::{Classes, Problem};

pub use tests::{Expectation, Reference};

/// A model of Ptolemy II in our format.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its name.
    pub name: String,
    /// The text of the model file.
    pub text: String,
    /// Whether it is a Continuous model inside another domain, which takes each step before it is
    /// known to be wanted, and so one beyond the stop time.
    pub speculates: bool,
    /// What its test actors expect.
    pub expectations: Vec<Expectation>,
    /// Classes that have no meaning here, such as plotters, and were left out.
    pub skipped: Vec<String>,
}

/// Reads a MoML file and translates it. Classes in other files are found under the root of
/// `classes`.
pub fn import(path: &Path, text: &str, classes: &Classes) -> Result<Imported, Problem> {
    let file = path.display().to_string();
    let mut model = Instantiation::new(classes).file(&file, text)?;
    lifted::lift(&mut model);
    random::share_seed(&mut model);
    if !model.is_composite() {
        let (line, subject) = (model.line, format!("entity {}", model.path));
        let reason = format!("a `{}` is no model that can be run by itself", model.base);
        return Err(Problem::unsupported(&file, line, &subject, reason));
    }
    Translation::default().model(&model)
}

/// What grows while a model is translated.
#[derive(Default)]
struct Translation {
    /// Diagrams by name.
    diagrams: Vec<(String, Yaml)>,
    expectations: Vec<Expectation>,
    skipped: BTreeSet<String>,
    /// The tolerance of the director of the model.
    tolerance: Option<f64>,
    /// Whether the directors around what is being translated are Continuous ones, the outermost first.
    directors: Vec<bool>,
    /// Whether a test sees something that moves between events, so that each step has a row.
    sees_motion: bool,
    /// The inputs of the composite that is translated next whose values are integers.
    integers: BTreeSet<(String, usize)>,
    /// By how much the clock of the composite that is translated next is ahead \[s\].
    start: f64,
    /// The longest steps that directors inside the model ask for \[s\].
    longest: Vec<f64>,
    /// How many levels of composites and machines are being translated.
    depth: usize,
    /// How many of them have been.
    work: usize,
    /// Whether a transition that says nothing about it resumes the diagram that it enters, as in
    /// models of versions up to 9.0.
    resumes: bool,
}

/// What a diagram, a state or the model consists of.
#[derive(Default)]
struct Content {
    /// Names that are taken.
    used: BTreeSet<String>,
    /// Parameters with their values; without one, the user of the diagram gives it.
    parameters: Vec<(String, Option<String>)>,
    blocks: Vec<(String, Yaml)>,
    /// The names of the blocks of entities, by the paths of these.
    placed: BTreeMap<String, String>,
    /// The tolerance of its integrators, if it is not that of the model.
    tolerance: Option<String>,
    /// Columns of test actors inside, with their signals.
    tests: Vec<(String, String)>,
}

impl Translation {
    fn model(mut self, model: &Component) -> Result<Imported, Problem> {
        self.resumes = model.value("_createdBy").is_some_and(is_old);
        let (mut content, simulate) = self.top(model)?;
        self.step_anyway(model, &mut content);
        let mut file: Vec<(String, Yaml)> = vec![
            ("superdense".to_owned(), Yaml::text("1")),
            ("name".to_owned(), Yaml::text(names::file_name(&model.name))),
        ];
        if !content.parameters.is_empty() {
            file.push(("parameters".to_owned(), parameters(&content.parameters)));
        }
        if !self.diagrams.is_empty() {
            file.push(("diagrams".to_owned(), Yaml::Map(std::mem::take(&mut self.diagrams))));
        }
        file.push(("blocks".to_owned(), Yaml::Map(content.blocks)));
        if !content.tests.is_empty() {
            file.push(("record".to_owned(), Yaml::map(content.tests)));
        }
        file.push(("simulate".to_owned(), Yaml::map(simulate)));
        let text = yaml::write(&file);
        Ok(Imported {
            name: names::file_name(&model.name),
            speculates: director::speculates(model),
            text: model::format("imported", &text).unwrap_or(text),
            expectations: self.expectations,
            skipped: self.skipped.into_iter().collect(),
        })
    }
}

impl Translation {
    /// Tests see each step of a Continuous director, also those that change nothing that they see:
    /// time itself is then recorded.
    fn step_anyway(&self, model: &Component, content: &mut Content) {
        if director::is_timed(model) && !(moves(model) && self.sees_motion) {
            let name = names::fresh("steps", &mut content.used);
            content.blocks.push((name.clone(), composite::expression_block("time")));
            content.tests.push((name.clone(), name));
        }
    }
}

/// Whether a version of Ptolemy II is 9.0 or an earlier one.
fn is_old(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), minor) => (major, minor.unwrap_or(0)) <= (9, 0),
        (None, _) => false,
    }
}

/// Whether something in a composite moves between events.
fn moves(own: &Component) -> bool {
    own.entities.iter().any(|inner| is_moving(own, inner) || moves(inner))
}

/// Whether an entity of a composite moves between events by itself.
fn is_moving(own: &Component, inner: &Component) -> bool {
    match inner.kind() {
        "CurrentTime" => !own.links.iter().any(|link| is_trigger(link, &inner.name)),
        kind => matches!(
            kind,
            "Integrator"
                | "Waveform"
                | "ContinuousTransferFunction"
                | "DifferentialSystem"
                | "LinearStateSpace"
                | "BandlimitedNoise"
        ),
    }
}

fn is_trigger(link: &crate::tree::Link, entity: &str) -> bool {
    let crate::tree::Link::Port { port, .. } = link else { return false };
    port.strip_suffix(".trigger") == Some(entity)
}

fn parameters(parameters: &[(String, Option<String>)]) -> Yaml {
    let value = |value: &Option<String>| value.clone().map_or(Yaml::Nothing, Yaml::Text);
    Yaml::Map(parameters.iter().map(|(name, own)| (name.clone(), value(own))).collect())
}

/// The texts of signals, by port and channel.
type Signals = BTreeMap<(String, usize), String>;
