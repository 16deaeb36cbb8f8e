//! The arrows of impulses on the page, with their coefficients.

use trace::Trace;

use crate::canvas::{Anchor, Canvas, Frame, Stroke, Text};
use crate::curve::Curve;
use crate::draw::arrow_head;
use crate::impulses::{Arrow, arrows, label};
use crate::scale::{Linear, TimeScale};
use crate::thin::{Path, Peaks};

/// The width of shafts, and the length of heads \[px\].
const SHAFT: f64 = 1.6;
const HEAD: f64 = 8.0;
/// The distance between arrows that would otherwise hide each other \[px\].
const APART: f64 = 7.0;
/// The font size \[px\].
const LETTERS: f64 = 11.0;
/// The maximum number of coefficients that are written; there would not be room for more anyway.
const MOST: usize = 200;

/// An arrow on the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shot<'a> {
    curve: &'a Curve,
    arrow: Arrow,
    x: f64,
    ground: f64,
    tip: f64,
    /// Its rank among the arrows beside it, and their number.
    rank: usize,
    crowd: usize,
}

/// The arrows of the curves of a panel, thinned to what pixels can resolve.
pub(crate) fn shots<'a>(
    trace: &Trace,
    curves: &'a [Curve],
    time: &TimeScale,
    y: &Linear,
) -> Vec<Shot<'a>> {
    let mut shots: Vec<Shot<'a>> = Vec::new();
    for curve in curves.iter().filter(|curve| curve.shows_impulses()) {
        let mut peaks = Peaks::new();
        for arrow in arrows(trace, &curve.source, time) {
            let x = time.place(arrow.tag);
            let (ground, tip) = (y.at(y.clamp(0.0)), y.at(arrow.weight));
            peaks.push(x, tip, Shot { curve, arrow, x, ground, tip, rank: 0, crowd: 1 });
        }
        shots.extend(peaks.finish());
    }
    // The sort is stable: at one tag the order of the curves and of the derivatives is kept.
    shots.sort_by_key(|shot| (shot.arrow.tag, shot.arrow.weight < 0.0));
    let beside = |a: &Shot<'_>, b: &Shot<'_>| {
        a.arrow.tag == b.arrow.tag && (a.arrow.weight < 0.0) == (b.arrow.weight < 0.0)
    };
    for crowd in shots.chunk_by_mut(beside) {
        let (count, middle) = (crowd.len(), (crowd.len() - 1) as f64 / 2.0);
        for (rank, shot) in crowd.iter_mut().enumerate() {
            (shot.rank, shot.crowd) = (rank, count);
            shot.x += APART * (rank as f64 - middle);
        }
    }
    shots
}

impl Shot<'_> {
    /// Draws the arrow: one head for the impulse and one more for each derivative, as far as they
    /// fit on the shaft.
    pub fn draw(&self, canvas: &mut Canvas) {
        let color = self.curve.color.css();
        // A short arrow has a short head.
        let length = (self.ground - self.tip).clamp(-HEAD, HEAD);
        let mut shaft = Path::default();
        shaft.move_to(self.x, self.ground);
        shaft.line_to(self.x, self.tip + 0.7 * length);
        canvas.path(&shaft.data, Stroke::new(&color, SHAFT));
        let room = ((self.ground - self.tip) / length).max(1.0) as usize;
        let heads = (self.arrow.order + 1).min(room).min(4);
        let head = |k: usize| arrow_head(self.x, self.tip + 0.75 * length * k as f64, length);
        canvas.fill(&(0..heads).map(head).collect::<String>(), &color);
    }

    /// The area that the arrow itself occupies.
    fn body(&self) -> Frame {
        let (top, height) = (self.tip.min(self.ground), (self.tip - self.ground).abs());
        Frame { left: self.x - 3.5, top, width: 7.0, height }
    }

    /// Possible positions of a label of this width, the best one first.
    fn places(&self, width: f64, panel: Frame) -> Vec<Frame> {
        let up = self.arrow.weight > 0.0;
        let width = width + 4.0;
        let left = (self.x - width / 2.0).clamp(panel.left + 1.0, panel.right() - width + 2.0);
        let top = if up { self.tip - LETTERS - 3.0 } else { self.tip + 3.0 };
        let height = LETTERS;
        let beyond = Frame { left, top, width, height };
        let top = if up { self.tip - 2.0 } else { self.tip - LETTERS + 2.0 };
        let before = Frame { left: self.x - 5.0 - width, top, width, height };
        let after = Frame { left: self.x + 5.0, top, width, height };
        match self.rank {
            _ if self.crowd == 1 => vec![beyond, after, before],
            0 => vec![before, beyond],
            rank if rank + 1 == self.crowd => vec![after, beyond],
            _ => vec![beyond],
        }
    }
}

/// Writes coefficients at the tips. No label touches another one or an arrow; if there is not
/// enough room for all, the larger coefficients win.
pub(crate) fn draw_labels(canvas: &mut Canvas, shots: &[Shot<'_>], panel: Frame) {
    let mut order: Vec<usize> = (0..shots.len()).collect();
    order.sort_by(|a, b| shots[*b].arrow.weight.abs().total_cmp(&shots[*a].arrow.weight.abs()));
    let mut taken: Vec<Frame> = Vec::new();
    for index in order.into_iter().take(MOST) {
        let shot = &shots[index];
        if shot.tip < panel.top - 1.0 || shot.tip > panel.bottom() + 1.0 {
            continue;
        }
        let words = label(&shot.arrow);
        let width = canvas.letters().width(&words, LETTERS);
        let free = |place: &Frame| {
            let others = shots.iter().enumerate().filter(|(other, _)| *other != index);
            place.left >= panel.left
                && place.right() <= panel.right() + 4.0
                && !taken.iter().any(|other| touch(other, place))
                && !others.into_iter().any(|(_, other)| touch(&other.body(), place))
        };
        if let Some(place) = shot.places(width, panel).into_iter().find(free) {
            let (x, y) = (place.left + 2.0, place.top + LETTERS - 1.5);
            let text = Text::new(&words, x, y, LETTERS, Anchor::Start);
            canvas.text(Text { fill: &shot.curve.color.css(), ..text });
            taken.push(place);
        }
    }
}

fn touch(a: &Frame, b: &Frame) -> bool {
    a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom()
}
