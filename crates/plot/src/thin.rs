//! Reduces the number of marks if many share a pixel, without losing the minimum and the maximum.
//!
//! Everything here takes marks from left to right and works column by column. A column is half a
//! pixel wide, so that an image of twice the size is as sharp as possible. A column with few marks
//! keeps all of them.

use std::fmt::Write;

/// The width of a column \[px\].
const COLUMN: f64 = 0.5;
/// How many marks a column keeps unchanged.
const KEPT: usize = 8;

fn column(x: f64) -> i64 {
    (x / COLUMN).floor() as i64
}

/// Writes a coordinate with two decimals; a hundredth of a pixel is not visible.
pub(crate) fn coordinate(out: &mut String, value: f64) {
    let hundredths = (value * 100.0).round();
    // The addition turns negative zero into zero.
    write!(out, "{}", (hundredths + 0.0) / 100.0).expect("a string takes all text");
}

/// One step of a pen.
#[derive(Clone, Copy, Debug)]
struct Step {
    line: bool,
    x: f64,
    y: f64,
}

/// The maximum number of strokes that are kept apart in a full column.
const STROKES: usize = 8;
/// Strokes closer than this, which is the width of a line, look like one \[px\].
const TOUCH: f64 = 1.6;

/// Builds the path of a line. Of each stroke in a full column it keeps the first, the lowest, the
/// highest and the last point (Jugel et al., M4, VLDB 2014), which gives the same raster image as
/// all of them. The gap that a jump leaves between two strokes remains, however many points share
/// the column.
#[derive(Debug, Default)]
pub(crate) struct Pen {
    path: Path,
    column: i64,
    kept: Vec<Step>,
    count: usize,
    strokes: Vec<Stroke>,
}

impl Pen {
    /// Moves without drawing a line.
    pub fn move_to(&mut self, x: f64, y: f64) {
        self.step(Step { line: false, x, y });
    }

    /// Draws a line from the last position.
    pub fn line_to(&mut self, x: f64, y: f64) {
        self.step(Step { line: true, x, y });
    }

    /// The finished path.
    pub fn finish(mut self) -> Path {
        self.flush();
        self.path.end();
        self.path
    }

    fn step(&mut self, step: Step) {
        let column = column(step.x);
        if column != self.column || self.count == 0 {
            self.flush();
            self.column = column;
        }
        if self.count < KEPT {
            self.kept.push(step);
        }
        self.count += 1;
        match self.strokes.last_mut() {
            Some(stroke) if step.line => stroke.extend(step),
            _ => {
                self.merge_last();
                self.strokes.push(Stroke::new(step));
            }
        }
    }

    /// Merges the last stroke with the nearest one before it, if they touch or there are too many.
    fn merge_last(&mut self) {
        let crowded = self.strokes.len() >= STROKES;
        let Some((last, earlier)) = self.strokes.split_last_mut() else { return };
        let nearest = earlier.iter_mut().map(|stroke| (stroke.distance(last), stroke));
        let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((distance, stroke)) = nearest
            && (crowded || distance < TOUCH)
        {
            stroke.merge(last);
            self.strokes.pop();
        }
    }

    fn flush(&mut self) {
        if self.count <= KEPT {
            self.kept.drain(..).for_each(|step| self.path.step(step, true));
            self.strokes.clear();
        } else {
            // The last stroke is never merged, so that the line goes on from its end.
            self.strokes.drain(..).for_each(|stroke| stroke.draw(&mut self.path));
            self.kept.clear();
        }
        self.count = 0;
    }
}

/// What is kept of a stroke in a full column, or of several that look like one.
#[derive(Clone, Copy, Debug)]
struct Stroke {
    first: Step,
    /// The lowest and the highest point, each with its index.
    least: (usize, f64, f64),
    greatest: (usize, f64, f64),
    last: (f64, f64),
    count: usize,
    merged: bool,
}

impl Stroke {
    fn new(first: Step) -> Stroke {
        let (point, last) = ((0, first.x, first.y), (first.x, first.y));
        Stroke { first, least: point, greatest: point, last, count: 1, merged: false }
    }

    fn extend(&mut self, step: Step) {
        if step.y < self.least.2 {
            self.least = (self.count, step.x, step.y);
        }
        if step.y > self.greatest.2 {
            self.greatest = (self.count, step.x, step.y);
        }
        self.last = (step.x, step.y);
        self.count += 1;
    }

    /// How far two strokes are apart vertically.
    fn distance(&self, other: &Stroke) -> f64 {
        (other.least.2 - self.greatest.2).max(self.least.2 - other.greatest.2)
    }

    fn merge(&mut self, later: &Stroke) {
        if later.least.2 < self.least.2 {
            self.least = later.least;
        }
        if later.greatest.2 > self.greatest.2 {
            self.greatest = later.greatest;
        }
        self.last = later.last;
        self.count += later.count;
        self.merged = true;
    }

    fn draw(self, path: &mut Path) {
        let (low, high, (right, _)) = (self.least, self.greatest, self.last);
        let left = self.first.x;
        if !self.merged {
            path.step(self.first, true);
            let (a, b) = if low.0 < high.0 { (low, high) } else { (high, low) };
            if self.count > 1 {
                for (x, y) in [(a.1, a.2), (b.1, b.2), self.last] {
                    path.step(Step { line: true, x, y }, false);
                }
            }
            return;
        }
        if self.first.line {
            path.step(self.first, false);
        }
        if left == right {
            // Values that last for no time are isolated points.
            path.dots.extend([(left, low.2), (left, high.2)]);
            return;
        }
        // A bar as high and as wide as the strokes, so that many small jumps leave a line of full
        // strength; the gaps in it are narrower than a pixel.
        let corners =
            [(left, low.2), (right, low.2), (right, high.2), (left, high.2), (left, low.2)];
        let count = if low.2 == high.2 { 2 } else { corners.len() };
        for (place, (x, y)) in corners.into_iter().take(count).enumerate() {
            path.step(Step { line: place > 0, x, y }, false);
        }
    }
}

/// The text of a path, and the points that no line reaches.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Path {
    /// The content of `d`.
    pub data: String,
    /// The isolated points.
    pub dots: Vec<(f64, f64)>,
    start: Option<(f64, f64, bool)>,
}

impl Path {
    fn step(&mut self, step: Step, dotted: bool) {
        if step.line {
            self.line_to(step.x, step.y);
        } else {
            self.end();
            self.start = Some((step.x, step.y, dotted));
        }
    }

    /// Starts a stroke.
    pub fn move_to(&mut self, x: f64, y: f64) {
        self.step(Step { line: false, x, y }, true);
    }

    /// Continues a stroke.
    pub fn line_to(&mut self, x: f64, y: f64) {
        if let Some((x, y, _)) = self.start.take() {
            self.point('M', x, y);
        }
        self.point('L', x, y);
    }

    /// Ends the last stroke.
    pub fn end(&mut self) {
        if let Some((x, y, true)) = self.start.take() {
            self.dots.push((x, y));
        }
    }

    fn point(&mut self, letter: char, x: f64, y: f64) {
        self.data.push(letter);
        coordinate(&mut self.data, x);
        self.data.push(' ');
        coordinate(&mut self.data, y);
    }
}

/// Keeps the lowest and the highest mark of each full column.
#[derive(Debug)]
pub(crate) struct Peaks<T> {
    column: i64,
    few: Vec<(f64, T)>,
    many: Option<[(f64, T); 2]>,
    out: Vec<T>,
}

impl<T: Copy> Peaks<T> {
    /// An empty collection.
    pub fn new() -> Peaks<T> {
        Peaks { column: i64::MIN, few: Vec::new(), many: None, out: Vec::new() }
    }

    /// Adds a mark.
    pub fn push(&mut self, x: f64, height: f64, mark: T) {
        if column(x) != self.column {
            self.flush();
            self.column = column(x);
        }
        if let Some([least, greatest]) = &mut self.many {
            if height < least.0 {
                *least = (height, mark);
            } else if height > greatest.0 {
                *greatest = (height, mark);
            }
            return;
        }
        self.few.push((height, mark));
        if self.few.len() > KEPT {
            let least = self.few.iter().min_by(|a, b| a.0.total_cmp(&b.0));
            let greatest = self.few.iter().max_by(|a, b| a.0.total_cmp(&b.0));
            self.many = least.zip(greatest).map(|(a, b)| [*a, *b]);
        }
    }

    /// The remaining marks.
    pub fn finish(mut self) -> Vec<T> {
        self.flush();
        self.out
    }

    fn flush(&mut self) {
        match self.many.take() {
            Some(two) => self.out.extend(two.map(|(_, mark)| mark)),
            None => self.out.extend(self.few.iter().map(|(_, mark)| *mark)),
        }
        self.few.clear();
    }
}

/// Builds the path of vertical strokes; those of a full column become one.
#[derive(Debug, Default)]
pub(crate) struct Verticals {
    column: i64,
    kept: Vec<(f64, f64, f64)>,
    path: Path,
}

impl Verticals {
    /// Adds a stroke.
    pub fn push(&mut self, x: f64, from: f64, to: f64) {
        if column(x) != self.column {
            self.flush();
            self.column = column(x);
        }
        if self.kept.len() < KEPT {
            self.kept.push((x, from, to));
        } else {
            let one =
                self.kept.drain(..).fold((x, from.min(to), from.max(to)), |all, (_, a, b)| {
                    (x, all.1.min(a.min(b)), all.2.max(a.max(b)))
                });
            // A full column keeps a single stroke, which later ones extend.
            self.kept.extend(std::iter::repeat_n(one, KEPT));
        }
    }

    /// The path.
    pub fn finish(mut self) -> Path {
        self.flush();
        self.path
    }

    fn flush(&mut self) {
        self.kept.dedup();
        for (x, from, to) in self.kept.drain(..) {
            self.path.move_to(x, from);
            self.path.line_to(x, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The y coordinates of a path.
    fn heights(path: &Path) -> Vec<f64> {
        let points = path.data.split(['M', 'L']).filter(|point| !point.is_empty());
        points.map(|point| point.split_once(' ').unwrap().1.parse().unwrap()).collect()
    }

    #[test]
    fn a_single_peak_among_a_million_points_is_kept() {
        for peak in [0, 1, 499_999, 777_777, 999_998, 999_999] {
            let mut pen = Pen::default();
            for k in 0..1_000_000 {
                let y = if k == peak { 90.0 } else { (f64::from(k) * 0.01).sin() };
                let x = f64::from(k) * 5e-4;
                if k == 0 { pen.move_to(x, y) } else { pen.line_to(x, y) }
            }
            let path = pen.finish();
            assert!(heights(&path).contains(&90.0), "{peak}");
            assert!(path.data.len() < 100_000, "{}", path.data.len());
        }
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let mut pen = Pen::default();
        pen.move_to(0.0, 1.0);
        pen.line_to(0.1, 2.0);
        pen.move_to(7.0, -0.001);
        pen.line_to(9.0, 3.125);
        assert_eq!(pen.finish().data, "M0 1L0.1 2M7 0L9 3.13");
    }

    #[test]
    fn lone_points_are_dots() {
        let mut pen = Pen::default();
        pen.move_to(0.0, 1.0);
        pen.move_to(5.0, 2.0);
        pen.line_to(6.0, 2.0);
        pen.move_to(8.0, 3.0);
        assert_eq!(pen.finish().dots, [(0.0, 1.0), (8.0, 3.0)]);
    }

    #[test]
    fn a_full_column_of_small_jumps_is_a_bar() {
        let mut pen = Pen::default();
        for k in 0..1000 {
            pen.move_to(f64::from(k) * 1e-4, f64::from(k % 2));
            pen.line_to(f64::from(k) * 1e-4 + 5e-5, f64::from(k % 2));
        }
        let path = pen.finish();
        assert_eq!(path.data, "M0 0L0.1 0L0.1 1L0 1L0 0M0.1 1L0.1 1L0.1 1L0.1 1");
        assert!(path.dots.is_empty());
    }

    #[test]
    fn a_large_jump_in_a_full_column_is_a_gap() {
        for jumps in [1, 2, 7, 200] {
            let mut pen = Pen::default();
            pen.move_to(-3.0, 0.0);
            for k in 0..1000 {
                let (x, level) =
                    (f64::from(k) * 4e-4, f64::from(k * (jumps + 1) / 1000 % 2) * 90.0);
                let before = f64::from((k - 1).max(0) * (jumps + 1) / 1000 % 2) * 90.0;
                pen.line_to(x, before);
                if level != before {
                    pen.move_to(x, level);
                }
            }
            pen.line_to(5.0, f64::from(jumps % 2) * 90.0);
            let path = pen.finish();
            assert!(path.data.len() < 400, "{}", path.data.len());
            for stroke in path.data.split('M').skip(1) {
                let heights: Vec<&str> =
                    stroke.split('L').map(|point| point.split_once(' ').unwrap().1).collect();
                assert!(heights.iter().all(|y| *y == heights[0]), "{jumps}: {}", path.data);
            }
        }
    }

    #[test]
    fn microsteps_in_a_full_column_are_dots() {
        let mut pen = Pen::default();
        pen.move_to(-3.0, 0.0);
        (0..20).for_each(|k| pen.line_to(f64::from(k) * 0.01, 0.0));
        [40.0, 80.0, 0.0].into_iter().for_each(|y| pen.move_to(0.2, y));
        (21..40).for_each(|k| pen.line_to(f64::from(k) * 0.01, 0.0));
        assert_eq!(pen.finish().dots, [(0.2, 40.0), (0.2, 80.0)]);
    }

    #[test]
    fn peaks_of_stems_are_kept() {
        let mut peaks = Peaks::new();
        for k in 0..1_000_000 {
            let height = match k {
                123_456 => 50.0,
                654_321 => -50.0,
                _ => 1.0,
            };
            peaks.push(f64::from(k) * 5e-4, height, height);
        }
        let kept = peaks.finish();
        assert!(kept.contains(&50.0) && kept.contains(&-50.0));
        assert!(kept.len() <= 2100, "{}", kept.len());
    }

    #[test]
    fn verticals_of_a_full_column_become_their_hull() {
        let mut verticals = Verticals::default();
        (0..100).for_each(|k| verticals.push(1.0, f64::from(k), f64::from(-k)));
        verticals.push(3.0, 0.0, 1.0);
        assert_eq!(verticals.finish().data, "M1 -99L1 99M3 0L3 1");
    }
}
