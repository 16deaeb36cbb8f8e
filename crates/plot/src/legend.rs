//! The legend: which curve is which, beside the data and never over them.

use crate::canvas::{Anchor, Canvas, Frame, Stroke, Text};
use crate::curve::Curve;
use crate::draw::{arrow_head, symbol};
use crate::lettering::Letters;
use crate::plan::{Body, PanelPlan};
use crate::shade::{self, Label};
use crate::{Dash, Figure, Legend, Mark, Part};

/// The font size \[px\].
pub(crate) const SIZE: f64 = 12.0;
/// The distance between lines \[px\].
const LINE: f64 = 16.0;
/// The width of a sample and the space after it \[px\].
const SAMPLE: f64 = 24.0;
/// The space between two entries in a line, and between the panel and the legend \[px\].
const SPACE: f64 = 16.0;
/// Past this many entries, the legend only says how many more there are.
const MOST: usize = 21;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sample {
    Line,
    Stem,
    Dot,
    Arrow,
    Patch,
    Nothing,
}

#[derive(Clone, PartialEq, Debug)]
struct Entry {
    label: String,
    color: String,
    dash: Dash,
    place: usize,
    sample: Sample,
}

/// The legend of a panel, with its position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    entries: Vec<Entry>,
    widths: Vec<f64>,
    side: Side,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Right,
    Top,
}

/// The legends of the panels; `None` if the axis already names the only curve.
pub(crate) fn plan_all(
    figure: &Figure,
    panels: &[PanelPlan],
    letters: &Letters,
) -> Vec<Option<Plan>> {
    let groups = groups(panels);
    let one = |(place, panel): (usize, &PanelPlan)| match panel.strips() {
        [] => plan(figure, panel, letters),
        _ => strips(figure, &groups, place, letters),
    };
    panels.iter().enumerate().map(one).collect()
}

fn plan(figure: &Figure, panel: &PanelPlan, letters: &Letters) -> Option<Plan> {
    let named = match &panel.body {
        Body::Time { curves, .. } => curves.iter().any(|curve| curve.lane.is_some()),
        Body::Phase { .. } => false,
    };
    let entries = entries(&panel.body);
    if entries.len() < 2 || named || figure.legend == Legend::Hidden {
        return None;
    }
    let widths: Vec<f64> =
        entries.iter().map(|entry| SAMPLE + letters.width(&entry.label, SIZE)).collect();
    let widest = widths.iter().copied().fold(0.0, f64::max);
    let tall = entries.len() as f64 * LINE > panel.height + 4.0;
    let side = match figure.legend {
        Legend::Right => Side::Right,
        Legend::Auto if widest <= 0.2 * figure.width && !tall => Side::Right,
        _ => Side::Top,
    };
    Some(Plan { entries, widths, side })
}

/// Strips of a figure that have the same labels, and therefore the same colours.
struct Group<'a> {
    /// The panel of the first of them.
    place: usize,
    curves: Vec<&'a Curve>,
}

/// The groups of all strips of a figure.
fn groups(panels: &[PanelPlan]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (place, panel) in panels.iter().enumerate() {
        for curve in panel.strips() {
            match groups.iter_mut().find(|group| group.takes(curve)) {
                Some(group) => group.curves.push(curve),
                None => groups.push(Group { place, curves: vec![curve] }),
            }
        }
    }
    groups
}

impl Group<'_> {
    fn takes(&self, curve: &Curve) -> bool {
        let own = self.curves[0].labels.iter().map(|label| &label.name);
        own.eq(curve.labels.iter().map(|label| &label.name))
    }

    /// The names of its strips.
    fn owners(&self) -> String {
        let names: Vec<&str> = self.curves.iter().map(|curve| curve.label.as_str()).collect();
        match names.as_slice() {
            [first, _, _, .., last] => format!("{first} … {last}"),
            names => names.join(", "),
        }
    }

    /// The visible labels, each where it lasts longest.
    fn labels(&self) -> impl Iterator<Item = &Label> {
        let longest = |place: usize| {
            let all = self.curves.iter().map(move |curve| &curve.labels[place]);
            let seen = all.filter_map(|label| Some((label.share?, label)));
            seen.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, label)| label)
        };
        (0..self.curves[0].labels.len()).filter_map(longest)
    }
}

/// The labels of the groups that begin in a panel, if some of them do not fit into any strip: all
/// visible ones, so that none is missing.
fn strips(figure: &Figure, groups: &[Group<'_>], place: usize, letters: &Letters) -> Option<Plan> {
    // The frame is not known yet; it is hardly ever narrower than this.
    let width = 0.72 * figure.width;
    let seen = |group: &Group<'_>| {
        let name = if groups.len() > 1 { group.owners() + " " } else { String::new() };
        let entry = |label: &Label| (format!("{name}{}", label.name), label.clone());
        group.labels().map(entry).collect::<Vec<_>>()
    };
    let own = groups.iter().filter(|group| group.place == place);
    let all: Vec<(String, Label)> = own.flat_map(seen).collect();
    let fits = all.iter().all(|(_, label)| shade::has_room(label, letters, width));
    if fits || figure.legend == Legend::Hidden {
        return None;
    }
    let entry = |(label, own): (String, Label)| {
        let (color, dash, place) = (own.color.css(), Dash::Solid, 0);
        Entry { label, color, dash, place, sample: Sample::Patch }
    };
    let entries: Vec<Entry> = all.into_iter().map(entry).collect();
    let widths = entries.iter().map(|entry| SAMPLE + letters.width(&entry.label, SIZE)).collect();
    Some(Plan { entries, widths, side: Side::Top })
}

fn entries(body: &Body) -> Vec<Entry> {
    let mut entries: Vec<Entry> = match body {
        Body::Time { curves, .. } => curves
            .iter()
            .map(|curve| {
                let sample = match (curve.part, curve.mark) {
                    (Part::Impulses, _) => Sample::Arrow,
                    (_, Mark::Line) => Sample::Line,
                    (_, Mark::Stems) => Sample::Stem,
                    (_, Mark::Dots) => Sample::Dot,
                };
                let absent = if curve.never { " (never present)" } else { "" };
                let label = format!("{}{absent}", curve.label);
                let (color, dash) = (curve.color.css(), curve.dash);
                Entry { label, color, dash, place: curve.place, sample }
            })
            .collect(),
        Body::Phase { orbits, .. } => orbits
            .iter()
            .map(|orbit| {
                let (label, color, dash) = (orbit.label.clone(), orbit.color.css(), orbit.dash);
                Entry { label, color, dash, place: 0, sample: Sample::Line }
            })
            .collect(),
    };
    if entries.len() > MOST {
        let label = format!("… and {} more", entries.len() - MOST + 1);
        entries.truncate(MOST - 1);
        let (color, dash) = (String::new(), Dash::Solid);
        entries.push(Entry { label, color, dash, place: 0, sample: Sample::Nothing });
    }
    entries
}

impl Plan {
    /// The space that it takes to the right of the panel \[px\].
    pub fn width(&self) -> f64 {
        match self.side {
            Side::Right => SPACE + self.widths.iter().copied().fold(0.0, f64::max),
            Side::Top => 0.0,
        }
    }

    /// The space that it takes above a panel of this width \[px\].
    pub fn height(&self, width: f64) -> f64 {
        match self.side {
            Side::Right => 0.0,
            Side::Top => self.places(width).last().map_or(0.0, |(_, line)| line + LINE + 4.0),
        }
    }

    /// The positions of the entries of a legend above a panel.
    fn places(&self, width: f64) -> Vec<(f64, f64)> {
        let (mut x, mut y) = (0.0, 0.0);
        let mut places = Vec::new();
        for own in &self.widths {
            if x > 0.0 && x + own > width {
                (x, y) = (0.0, y + LINE);
            }
            places.push((x, y));
            x += own + SPACE;
        }
        places
    }

    /// Draws it beside the frame of the panel, or above it from `top` down.
    pub fn draw(&self, canvas: &mut Canvas, frame: Frame, top: f64) {
        let places: Vec<(f64, f64)> = match self.side {
            Side::Right => (0..self.entries.len())
                .map(|k| (frame.right() + SPACE, frame.top + LINE * k as f64))
                .collect(),
            Side::Top => {
                let places = self.places(frame.width).into_iter();
                places.map(|(x, y)| (frame.left + x, top + y)).collect()
            }
        };
        for (entry, (x, y)) in self.entries.iter().zip(places) {
            entry.draw(canvas, x, y + LINE / 2.0);
        }
    }
}

impl Entry {
    fn draw(&self, canvas: &mut Canvas, x: f64, middle: f64) {
        let color = self.color.as_str();
        match self.sample {
            Sample::Line => {
                let stroke = Stroke::new(color, 1.8).dashed(self.dash);
                canvas.line((x, middle), (x + 18.0, middle), stroke);
            }
            Sample::Stem => {
                canvas.line(
                    (x + 9.0, middle + 6.0),
                    (x + 9.0, middle - 3.0),
                    Stroke::new(color, 1.2),
                );
                canvas.fill(&symbol(self.place, x + 9.0, middle - 3.0, 1.0), color);
            }
            Sample::Dot => canvas.fill(&symbol(self.place, x + 9.0, middle, 1.0), color),
            Sample::Arrow => {
                canvas.line((x + 9.0, middle + 6.0), (x + 9.0, middle), Stroke::new(color, 1.6));
                canvas.fill(&arrow_head(x + 9.0, middle - 6.0, 7.0), color);
            }
            Sample::Patch => {
                let frame = Frame { left: x + 2.0, top: middle - 5.0, width: 16.0, height: 10.0 };
                canvas.rectangle(frame, color);
            }
            Sample::Nothing => {}
        }
        canvas.text(Text::new(&self.label, x + SAMPLE, middle + 4.0, SIZE, Anchor::Start));
    }
}
