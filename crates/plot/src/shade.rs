//! Signals whose values index labels, such as the state of a machine: coloured strips with the
//! labels in them, and the same colours, paler, behind the other panels.

use trace::Trace;

use crate::Color;
use crate::canvas::{Anchor, Canvas, Frame, Text};
use crate::curve::{Curve, Source};
use crate::scale::TimeScale;
use crate::window::{Step, walk};

/// A label of a signal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Label {
    /// The text.
    pub name: String,
    /// Its colour in a strip.
    pub color: Color,
    /// The longest time that it lasts, as a fraction of the time in view; `None` if it never
    /// occurs.
    pub share: Option<f64>,
}

/// How much of a colour remains in a strip, and behind curves.
const STRIP: f64 = 0.42;
const BEHIND: f64 = 0.13;
/// The font size in a strip, and the space on either side of a label \[px\].
const SIZE: f64 = 11.0;
const ROOM: f64 = 4.0;
/// Anything narrower is merged into what comes before it \[px\].
const NARROW: f64 = 0.15;

/// The labels of a column with their colours. Signals with the same labels share their colours;
/// others do not, until the palette is exhausted.
pub(crate) fn labels(trace: &Trace, column: usize) -> Vec<Label> {
    let first = first_color(trace, column);
    let label = |(place, name): (usize, &String)| {
        let color = Color::nth(first + place).paler(STRIP);
        Label { name: name.clone(), color, share: None }
    };
    trace.schema().labels(column).iter().enumerate().map(label).collect()
}

/// The index of the colour of the first label of a column: the number of labels in the different
/// lists before its own.
fn first_color(trace: &Trace, column: usize) -> usize {
    let own = trace.schema().labels(column);
    let mut lists: Vec<&[String]> = Vec::new();
    for before in (0..column).map(|before| trace.schema().labels(before)) {
        if before == own {
            break;
        }
        if !lists.contains(&before) {
            lists.push(before);
        }
    }
    lists.into_iter().map(<[String]>::len).sum()
}

/// Determines the largest fraction of a scale from 0 to 1 that each label lasts.
pub(crate) fn measure(curve: &mut Curve, trace: &Trace, scale: &TimeScale) {
    for stretch in stretches(trace, &curve.source, scale) {
        if let Some(label) = curve.labels.get_mut(stretch.value as usize) {
            let length = stretch.to - stretch.from;
            label.share = Some(label.share.unwrap_or(0.0).max(length));
        }
    }
}

/// Whether a label fits somewhere in its strip.
pub(crate) fn has_room(label: &Label, letters: &crate::lettering::Letters, width: f64) -> bool {
    let needed = letters.width(&label.name, SIZE) + 2.0 * ROOM;
    label.share.is_none_or(|share| share * width >= needed)
}

/// An interval over which a signal keeps its value, by its ends on the page.
struct Stretch {
    from: f64,
    to: f64,
    value: f64,
}

fn stretches(trace: &Trace, source: &Source, scale: &TimeScale) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let begin = |from, value| Stretch { from, to: from, value };
    walk(trace, source, scale, |step| match (step, found.last_mut()) {
        (Step::Start(x, value), _) => found.push(begin(x, value)),
        (Step::Flow(x, value), Some(last)) if last.value == value => last.to = x,
        (Step::Flow(x, value) | Step::Jump(x, _, value), last) => {
            if let Some(last) = last {
                last.to = x;
            }
            found.push(begin(x, value));
        }
    });
    found
}

/// The visible intervals.
fn visible(trace: &Trace, source: &Source, scale: &TimeScale) -> Vec<Stretch> {
    let mut seen: Vec<Stretch> = Vec::new();
    for stretch in stretches(trace, source, scale) {
        match seen.last_mut() {
            Some(last)
                if last.to == stretch.from
                    && (last.value == stretch.value || stretch.to - stretch.from < NARROW) =>
            {
                last.to = stretch.to;
            }
            _ => seen.push(stretch),
        }
    }
    seen
}

/// Colours the background of a panel by the labels of a signal.
pub(crate) fn draw_behind(
    canvas: &mut Canvas,
    frame: Frame,
    trace: &Trace,
    source: &Source,
    scale: &TimeScale,
) {
    let first = first_color(trace, source.column);
    for Stretch { from, to, value } in visible(trace, source, scale) {
        if value >= 0.0 && value < trace.schema().labels(source.column).len() as f64 {
            let color = Color::nth(first + value as usize).paler(BEHIND).css();
            canvas.rectangle(Frame { left: from, width: to - from, ..frame }, &color);
        }
    }
}

/// Draws the strip of a signal between two heights on the page.
pub(crate) fn draw_strip(
    canvas: &mut Canvas,
    (top, bottom): (f64, f64),
    trace: &Trace,
    curve: &Curve,
    scale: &TimeScale,
) {
    for Stretch { from, to, value } in visible(trace, &curve.source, scale) {
        let Some(label) = curve.labels.get(value as usize).filter(|_| value >= 0.0) else {
            continue;
        };
        let frame = Frame { left: from, top, width: to - from, height: bottom - top };
        canvas.rectangle(frame, &label.color.css());
        if canvas.letters().width(&label.name, SIZE) + 2.0 * ROOM <= to - from {
            let (x, y) = ((from + to) / 2.0, (top + bottom) / 2.0 + 4.0);
            canvas.text(Text::new(&label.name, x, y, SIZE, Anchor::Middle));
        }
    }
}
