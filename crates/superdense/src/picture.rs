//! Drawings of the block diagram of a model.

use blocks::Library;
use diagram::{Diagram, Phase, Settings};
use graph::{Anchor, Move, Options, Order, Outline};
use model::{Model, Refused};
use schedule::{PartRef, Schedule, refused_loops, schedule};

use crate::{Exploration, ExplorationPoint, LeadsTo, System};

/// What the drawing of a diagram shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawing {
    /// How many levels of the hierarchy to expand; `None` expands all.
    pub depth: Option<usize>,
    /// Whether every element of an array of blocks is drawn, instead of one box for the whole
    /// array.
    pub open_arrays: bool,
    /// Whether expressions are written on wires instead of being drawn as nodes.
    pub fold_expressions: bool,
    /// Whether blocks are numbered in order of evaluation between events.
    pub order: bool,
    /// Whether the output is Graphviz text instead of SVG.
    pub dot: bool,
}

/// Converts the SVG drawing of a diagram to a PNG image, without using fonts of the machine.
pub fn diagram_png(svg: &str) -> Result<Vec<u8>, plot::Error> {
    const PIXEL_RATIO: f64 = 2.0;
    let outlines = graph::relettered(svg, |words| {
        let before = match words.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
        plot::outlined(&words.text, words.at, before, words.size, words.bold, words.fill)
    });
    plot::raster(&outlines, PIXEL_RATIO)
}

/// The most situations that a figure of an exploration has, the most values that it writes at an
/// outcome, and the most characters of one.
const MOST_POINTS: usize = 150;
const MOST_VALUES: usize = 6;
const MOST_LETTERS: usize = 40;

/// The situations and outcomes of an exploration, with their probabilities, as SVG; none if there
/// are too many situations for a figure.
pub fn draw_exploration(found: &Exploration, name: &str) -> Option<String> {
    if found.points.len() > MOST_POINTS {
        return None;
    }
    // A situation without a choice is drawn as what it leads to.
    let drawn = |point: &ExplorationPoint| point.choice.is_some() || point.next.len() != 1;
    let mut places = Vec::new();
    let mut first = 0;
    for (index, point) in found.points.iter().enumerate() {
        let own = index == 0 || drawn(point);
        places.push(own.then_some(first));
        first += usize::from(own);
    }
    let mut outline = Outline { title: "choices and outcomes".to_owned(), ..Outline::default() };
    let place = |point: &ExplorationPoint| match &point.choice {
        Some(choice) => format!("{} in {} at {}", choice.machine, choice.from, choice.tag),
        None => "no choice".to_owned(),
    };
    let points = || found.points.iter().zip(&places).filter(|(_, own)| own.is_some());
    outline.states.extend(points().map(|(point, _)| (place(point), false)));
    for (number, outcome) in found.outcomes.iter().enumerate() {
        let probability = shown_probability(outcome.probability);
        outline.states.push((format!("outcome {}: {probability}", number + 1), true));
    }
    let unknown = outline.states.len();
    let mut labelled = vec![false; found.outcomes.len()];
    for (from, (point, _)) in points().enumerate() {
        let part = shown_probability(point.probability / point.next.len() as f64);
        for (option, next) in point.next.iter().enumerate() {
            let mut words = match &point.choice {
                Some(choice) => vec![format!("{}: {part}", choice.to[option])],
                None => vec![part.clone()],
            };
            let to = match passed(found, &places, *next) {
                LeadsTo::Point(to) => places[to].unwrap_or(unknown),
                LeadsTo::Outcome(to) => {
                    if !std::mem::replace(&mut labelled[to], true) {
                        words.extend(values(found, to));
                    }
                    first + to
                }
                LeadsTo::Unknown => unknown,
            };
            outline.moves.push(Move { from, to, words, ..Move::default() });
        }
    }
    if outline.moves.iter().any(|own| own.to == unknown) {
        outline
            .states
            .push((format!("not followed: {}", shown_probability(found.unexplored())), true));
    }
    Some(graph::svg(&graph::chart_alone(name, &outline)))
}

/// Where a situation leads in the end, past those that are not drawn.
fn passed(found: &Exploration, places: &[Option<usize>], mut next: LeadsTo) -> LeadsTo {
    while let LeadsTo::Point(to) = next
        && places[to].is_none()
    {
        next = found.points[to].next[0];
    }
    next
}

fn shown_probability(probability: f64) -> String {
    let short: f64 = format!("{probability:.3e}").parse().unwrap_or(probability);
    format!("{short}")
}

/// The values of an outcome, by name if they have names.
fn values(found: &Exploration, outcome: usize) -> Vec<String> {
    let outcome = &found.outcomes[outcome];
    let own = outcome.values.iter().enumerate().map(|(index, (name, _))| {
        let text = format!("{name} = {}", found.shown_value(outcome, index, 4));
        match text.chars().count() > MOST_LETTERS {
            true => text.chars().take(MOST_LETTERS - 1).chain(['…']).collect(),
            false => text,
        }
    });
    let mut lines: Vec<String> = own.take(MOST_VALUES).collect();
    if outcome.values.len() > MOST_VALUES {
        lines.push("...".to_owned());
    }
    lines
}

/// The charts of the state machines of a model as SVG, each with the path of its machine.
pub fn draw_machines(
    model: &Model,
    library: &Library,
    overrides: &Settings,
) -> Result<Vec<(String, String)>, Refused> {
    let model = overrides.applied(model)?;
    let refused = |diagnostics| Refused { diagnostics, sources: model.sources.clone() };
    let library = crate::foreign::library(&model, library).map_err(refused)?;
    let diagram = diagram::flatten(&model, &library, overrides).map_err(refused)?;
    let chart = |machine| graph::svg(&graph::machine_alone(&diagram, machine));
    Ok(diagram.modes.machines.iter().map(|own| (own.path.clone(), chart(own))).collect())
}

impl System {
    /// The diagram of this system as SVG or DOT.
    pub fn draw(&self, drawing: Drawing) -> String {
        written(&self.diagram, drawing, &[], drawing.order.then_some(&*self.schedule))
    }
}

/// The diagram of a model as SVG or DOT. A model that is refused because of a causality loop is
/// drawn with the loop in red.
pub fn draw(
    model: &Model,
    library: &Library,
    overrides: &Settings,
    drawing: Drawing,
) -> Result<String, Refused> {
    let model = overrides.applied(model)?;
    let refused = |diagnostics| Refused { diagnostics, sources: model.sources.clone() };
    let library = crate::foreign::library(&model, library).map_err(refused)?;
    let diagram = diagram::flatten(&model, &library, overrides).map_err(refused)?;
    let loops = refused_loops(&diagram);
    let order = if drawing.order { schedule(&diagram).ok() } else { None };
    Ok(written(&diagram, drawing, &loops, order.as_ref()))
}

fn written(
    diagram: &Diagram,
    drawing: Drawing,
    loops: &[Vec<PartRef>],
    order: Option<&Schedule>,
) -> String {
    let options = Options {
        depth: drawing.depth,
        open_arrays: drawing.open_arrays,
        fold_expressions: drawing.fold_expressions,
        order: order.map(|schedule| Order { schedule, phase: Phase::Smooth }),
        loops,
        ..Options::default()
    };
    match drawing.dot {
        true => graph::dot(diagram, &options),
        false => graph::svg(&graph::layout(diagram, &options)),
    }
}
