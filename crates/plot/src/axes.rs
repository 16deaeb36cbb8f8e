//! Axes, grid lines and their text.

use base::Time;

use crate::canvas::{Anchor, Canvas, Frame, GRID, INK, PALE, SHADE, Stroke, Text};
use crate::lettering::Letters;
use crate::plan::{AxisPlan, TimePlan};
use crate::scale::{Linear, TimeScale};
use crate::ticks::{Ticks, unit_ticks};

/// The font size of the numbers at ticks \[px\].
pub(crate) const NUMBERS: f64 = 11.5;
/// The font size of the names of axes \[px\].
pub(crate) const NAMES: f64 = 12.5;
/// The smallest font size of a name that is too long for its panel, and the distance between its
/// lines \[px\].
const SMALL_NAMES: f64 = 10.0;
const NAME_LINE: f64 = 12.0;
/// How far a name may reach beyond either end of its panel: less than half of the space between two
/// panels \[px\].
const BEYOND: f64 = 5.0;
/// The length of a tick \[px\].
const TICK: f64 = 4.0;

/// The name of a vertical axis, as long as its panel at most.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Name {
    lines: Vec<String>,
    /// The font size \[px\].
    size: f64,
}

impl Name {
    /// Fits a name beside a panel of this height. A name that is too long is written smaller, then
    /// in two lines, and then shortened.
    pub fn fit(name: &str, height: f64, letters: &Letters) -> Name {
        let room = height + 2.0 * BEYOND;
        let full = letters.width(name, NAMES);
        // A tenth of a pixel is not visible.
        let size = (10.0 * NAMES * (room / full).min(1.0)).floor() / 10.0;
        if size >= SMALL_NAMES || full == 0.0 {
            return Name { lines: vec![name.to_owned()], size: size.min(NAMES) };
        }
        let size = SMALL_NAMES;
        let width = |text: &str| letters.width(text, size);
        let halves = |at: usize| (name[..at].trim_end(), name[at..].trim_start());
        let breaks: Vec<usize> = name
            .char_indices()
            .map(|(at, c)| (at + c.len_utf8(), c))
            .filter(|(at, c)| " ._/".contains(*c) && *at < name.len())
            .map(|(at, _)| at)
            .collect();
        // The first line takes what fits; without a place to break, there is only one line.
        let fits = |at: &&usize| width(halves(**at).0) <= room;
        let longest = |at: &&usize| {
            let (first, second) = halves(**at);
            width(first).max(width(second))
        };
        let even = breaks.iter().min_by(|a, b| longest(a).total_cmp(&longest(b)));
        let at = even.filter(|at| longest(at) <= room).or(breaks.iter().rfind(fits));
        let lines = match at {
            Some(at) => vec![halves(*at).0, halves(*at).1],
            None => vec![name],
        };
        let lines = lines.into_iter().map(|line| letters.shortened(line, size, room)).collect();
        Name { lines, size }
    }

    /// The width of the column that it needs, with the space to the numbers \[px\].
    pub fn width(&self) -> f64 {
        NAMES + 8.0 + NAME_LINE * (self.lines.len() - 1) as f64
    }
}

/// The ticks of a horizontal axis with their pixels.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Placed {
    /// The ticks.
    pub ticks: Ticks,
    /// The pixel of each.
    pub at: Vec<f64>,
}

/// The ticks of the time axis. None lies inside an opened instant, and none is so close that its
/// number would touch that of a microstep.
pub(crate) fn time_ticks(time: &TimePlan, scale: &TimeScale, width: f64) -> Placed {
    let written = |time_of: Time| time_of.seconds() * time.per_second;
    let (from, to) = (written(time.range.0), written(time.range.1));
    let all = unit_ticks(from, to, width / 75.0, time.steps);
    let linear = Linear::new((from, to), 0.0, 1.0);
    let span = time.range.1 - time.range.0;
    let mut placed = Placed { ticks: Ticks { note: all.note, ..Ticks::default() }, at: Vec::new() };
    for (value, label) in all.values.into_iter().zip(all.labels) {
        let part = linear.at(value) * span.attoseconds() as f64;
        let x = scale.at(time.range.0 + Time::from_attoseconds(part as i128));
        let near = |(left, right): (f64, f64)| left - 12.0 < x && x < right + 12.0;
        if !bands(scale).any(near) {
            placed.ticks.values.push(value);
            placed.ticks.labels.push(label);
            placed.at.push(x);
        }
    }
    placed
}

/// The ticks of a horizontal axis of values.
pub(crate) fn value_ticks(axis: &AxisPlan, scale: &Linear) -> Placed {
    let at = axis.ticks.values.iter().map(|value| scale.at(*value)).collect();
    Placed { ticks: axis.ticks.clone(), at }
}

/// The left and right ends of opened instants.
fn bands(scale: &TimeScale) -> impl Iterator<Item = (f64, f64)> {
    scale.bands().iter().filter_map(|band| {
        let cell = |microstep: &u32| scale.cell(base::Tag::new(band.time, *microstep));
        let (first, last) = (band.microsteps.first()?, band.microsteps.last()?);
        Some((cell(first)?.0, cell(last)?.1))
    })
}

/// Draws the shading behind opened instants, with their times above the frame if `headed`.
pub(crate) fn draw_bands(canvas: &mut Canvas, frame: Frame, scale: &TimeScale, headed: bool) {
    for ((left, right), band) in bands(scale).zip(scale.bands()) {
        canvas.rectangle(Frame { left, width: right - left, ..frame }, SHADE);
        for &microstep in &band.microsteps {
            let cell = scale.cell(base::Tag::new(band.time, microstep));
            if let Some((x, _)) = cell.filter(|(from, to)| *from > left && to - from > 4.0) {
                let stroke = Stroke::new("#ffffff", 1.0);
                canvas.line((x, frame.top), (x, frame.bottom()), stroke);
            }
        }
        if headed {
            let head = format!("microsteps at t = {} s", band.time);
            let half = canvas.letters().width(&head, 11.0) / 2.0;
            let middle = ((left + right) / 2.0).min(frame.right() - half).max(frame.left + half);
            let text = Text::new(&head, middle, frame.top - 5.0, 11.0, Anchor::Middle);
            canvas.text(Text { fill: PALE, ..text });
        }
    }
}

/// Draws the numbers of microsteps below the frame.
pub(crate) fn draw_microsteps(canvas: &mut Canvas, frame: Frame, scale: &TimeScale) {
    for band in scale.bands() {
        for microstep in &band.microsteps {
            let cell = scale.cell(base::Tag::new(band.time, *microstep));
            let Some((left, right)) = cell.filter(|(left, right)| right - left >= 9.0) else {
                continue;
            };
            let (number, x) = (microstep.to_string(), (left + right) / 2.0);
            let text = Text::new(&number, x, frame.bottom() + 14.0, 10.0, Anchor::Middle);
            canvas.text(Text { fill: PALE, ..text });
        }
    }
}

/// Draws the vertical grid lines.
pub(crate) fn draw_columns(canvas: &mut Canvas, frame: Frame, placed: &Placed) {
    for &x in &placed.at {
        canvas.line((x, frame.top), (x, frame.bottom()), Stroke::new(GRID, 0.8));
    }
}

/// Draws the horizontal grid lines, the ticks and numbers of the vertical axis, and its name at
/// `name`.
pub(crate) fn draw_vertical(
    canvas: &mut Canvas,
    frame: Frame,
    axis: &AxisPlan,
    scale: &Linear,
    name: f64,
) {
    for (value, label) in axis.ticks.values.iter().zip(&axis.ticks.labels) {
        let y = scale.at(*value);
        canvas.line((frame.left, y), (frame.right(), y), Stroke::new(GRID, 0.8));
        canvas.line((frame.left - TICK, y), (frame.left, y), Stroke::new(INK, 0.9));
        let (x, y) = (frame.left - TICK - 4.0, y + 4.0);
        canvas.text(Text::new(label, x, y, NUMBERS, Anchor::End));
    }
    if let Some(note) = &axis.ticks.note {
        let text = Text::new(note, frame.left, frame.top - 5.0, 11.0, Anchor::Start);
        canvas.text(text);
    }
    if let Some(label) = &axis.label {
        let middle = frame.top + frame.height / 2.0;
        let fitted = Name::fit(label, frame.height, canvas.letters());
        // A letter or two need not be rotated.
        let upright = canvas.letters().width(label, NAMES) > NAMES;
        for (line, words) in fitted.lines.iter().enumerate() {
            let x = name + NAME_LINE * line as f64;
            let (x, y) = if upright { (x, middle) } else { (x - 4.0, middle + 4.0) };
            canvas.text(Text { upright, ..Text::new(words, x, y, fitted.size, Anchor::Middle) });
        }
    }
}

/// Draws the two lines of the axes.
pub(crate) fn draw_lines(canvas: &mut Canvas, frame: Frame) {
    let corner = (frame.left, frame.bottom());
    canvas.line((frame.left, frame.top), corner, Stroke::new(INK, 0.9));
    canvas.line(corner, (frame.right(), frame.bottom()), Stroke::new(INK, 0.9));
}

/// Draws the ticks of the horizontal axis, with numbers and name if `written`.
pub(crate) fn draw_horizontal(
    canvas: &mut Canvas,
    frame: Frame,
    placed: &Placed,
    name: Option<&str>,
    written: bool,
) {
    let bottom = frame.bottom();
    for (&x, label) in placed.at.iter().zip(&placed.ticks.labels) {
        canvas.line((x, bottom), (x, bottom + TICK), Stroke::new(INK, 0.9));
        if written {
            canvas.text(Text::new(label, x, bottom + 16.0, NUMBERS, Anchor::Middle));
        }
    }
    if !written {
        return;
    }
    if let Some(name) = name {
        let middle = frame.left + frame.width / 2.0;
        canvas.text(Text::new(name, middle, bottom + 32.0, NAMES, Anchor::Middle));
    }
    if let Some(note) = &placed.ticks.note {
        canvas.text(Text::new(note, frame.right(), bottom + 32.0, 11.0, Anchor::End));
    }
}
