//! Charts of a sweep: of its table, or of the curves of its runs.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use superdense::plots::{Chart, ChartContent, charts_png, charts_svg};
use superdense::sweeps::Row;
use superdense::traces::{Cell, FlatKind};
use superdense::{Sweep, SweepTarget, Time, did_you_mean};

use super::{PictureFormat, check_picture, picture_format};
use crate::report::write_file;

/// The most rows that charts keep; of more, every second one is left out, again and again.
const MOST_ROWS: usize = 100_000;
/// The most runs that a fan is made of, and that are drawn over each other.
const MOST_CURVES: u64 = 1000;
const MOST_OVERLAID: u64 = 200;
/// How many times a curve has.
const TIMES: i32 = 400;

/// The charts of a sweep.
pub struct Charts {
    wanted: Vec<Wanted>,
    /// The columns that they need, and their numbers.
    columns: Vec<usize>,
    rows: Vec<Vec<f64>>,
    /// Every how many rows one is kept, and how many have come.
    every: u64,
    come: u64,
}

struct Wanted {
    kind: Kind,
    /// The names in parentheses.
    names: Vec<String>,
    /// The columns with these names, among those that are kept.
    places: Vec<usize>,
    file: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Histogram,
    Scatter,
    Heat,
    Fan,
    Overlay,
}

const KINDS: [(&str, Kind); 5] = [
    ("histogram", Kind::Histogram),
    ("scatter", Kind::Scatter),
    ("heat", Kind::Heat),
    ("fan", Kind::Fan),
    ("overlay", Kind::Overlay),
];

impl Charts {
    /// The charts of the option `--plot`.
    pub fn new(options: &[String], sweep: &Sweep) -> Result<Charts> {
        let mut charts =
            Charts { wanted: Vec::new(), columns: Vec::new(), rows: Vec::new(), every: 1, come: 0 };
        for option in options {
            let wanted = charts.read(option, sweep)?;
            charts.wanted.push(wanted);
        }
        Ok(charts)
    }

    fn read(&mut self, option: &str, sweep: &Sweep) -> Result<Wanted> {
        let form = "write a chart such as `--plot \"heat(e, g, top)=heat.svg\"`";
        let Some((chart, file)) = option.rsplit_once('=') else {
            bail!("`--plot {option}`: {form}")
        };
        let file = PathBuf::from(file.trim());
        check_picture(&file)?;
        let inside = chart.trim().strip_suffix(')').and_then(|chart| chart.split_once('('));
        let Some((word, inside)) = inside else { bail!("`--plot {option}`: {form}") };
        let Some((_, kind)) = KINDS.into_iter().find(|(name, _)| *name == word.trim()) else {
            let help = did_you_mean(word, KINDS.map(|(name, _)| name)).unwrap_or(form.to_owned());
            bail!("there is no chart `{word}`; {help}");
        };
        let names = names(inside);
        let fits = match kind {
            Kind::Histogram | Kind::Fan | Kind::Overlay => names.len() == 1,
            Kind::Scatter => (2..=8).contains(&names.len()),
            Kind::Heat => names.len() == 3,
        };
        if !fits {
            bail!(
                "`{chart}` has {} names: histogram, fan and overlay take 1, scatter 2 to 8, heat 3",
                names.len()
            );
        }
        if matches!(kind, Kind::Fan | Kind::Overlay) {
            let schema = sweep.system().schema();
            let known = schema.columns().iter().flat_map(|column| column.element_names());
            let known: Vec<String> = known.collect();
            if !known.contains(&names[0]) {
                let help = did_you_mean(&names[0], known.iter().map(String::as_str));
                bail!("`{}` is no recorded signal; {}", names[0], help.unwrap_or(known.join(", ")));
            }
            return Ok(Wanted { kind, names, places: Vec::new(), file });
        }
        let places = names.iter().map(|name| self.place(name, sweep)).collect::<Result<_>>()?;
        Ok(Wanted { kind, names, places, file })
    }

    /// The place of a column among those that are kept.
    fn place(&mut self, name: &str, sweep: &Sweep) -> Result<usize> {
        let columns = sweep.columns();
        let found = columns.iter().position(|own| own.name == name && own.kind != FlatKind::Text);
        let Some(index) = found else {
            let known = columns.iter().filter(|own| own.kind != FlatKind::Text);
            let known: Vec<&str> = known.map(|own| own.name.as_str()).collect();
            let help = did_you_mean(name, known.iter().copied());
            let help = help.unwrap_or_else(|| format!("there are {}", known.join(", ")));
            bail!("the table has no column `{name}` of numbers; {help}");
        };
        if let Some(place) = self.columns.iter().position(|own| *own == index) {
            return Ok(place);
        }
        self.columns.push(index);
        Ok(self.columns.len() - 1)
    }

    /// Keeps what is needed of a row.
    pub fn take(&mut self, row: &Row) {
        if self.columns.is_empty() {
            return;
        }
        let is_due = self.come.is_multiple_of(self.every);
        self.come += 1;
        if !is_due {
            return;
        }
        let number = |index: &usize| match &row.cells[*index] {
            Cell::Number(number) => *number,
            Cell::Integer(number) => *number as f64,
            Cell::Truth(truth) => f64::from(*truth),
            Cell::Missing | Cell::Text(_) => f64::NAN,
        };
        self.rows.push(self.columns.iter().map(number).collect());
        if self.rows.len() > MOST_ROWS {
            let mut keep = false;
            self.rows.retain(|_| {
                keep = !keep;
                keep
            });
            self.every *= 2;
        }
    }

    /// Draws all charts.
    pub fn draw(&self, sweep: &Sweep, target: &SweepTarget) -> Result<()> {
        for wanted in &self.wanted {
            let rows = self.charts(wanted, sweep, target);
            let runs = target.runs.end - target.runs.start;
            let title = format!("{}: {runs} runs", sweep.system().name());
            let bytes = match picture_format(&wanted.file)? {
                PictureFormat::Svg => charts_svg(&rows, &title).into_bytes(),
                PictureFormat::Png => charts_png(&rows, &title)?,
            };
            write_file(&wanted.file, &bytes)?;
        }
        Ok(())
    }

    fn charts(&self, wanted: &Wanted, sweep: &Sweep, target: &SweepTarget) -> Vec<Vec<Chart>> {
        let (names, places) = (&wanted.names, &wanted.places);
        let one = |content, x: &str, y: &str| {
            vec![vec![Chart { x: x.to_owned(), y: y.to_owned(), content }]]
        };
        match wanted.kind {
            Kind::Histogram => {
                one(ChartContent::Histogram(self.column(places[0])), &names[0], "runs")
            }
            Kind::Scatter if names.len() == 2 => {
                one(self.points(places[0], places[1]), &names[0], &names[1])
            }
            Kind::Scatter => self.matrix(wanted),
            Kind::Heat => one(self.heat(wanted), &names[0], &names[1]),
            Kind::Fan => one(fan(sweep, target, &names[0]), "time (s)", &names[0]),
            Kind::Overlay => one(overlay(sweep, target, &names[0]), "time (s)", &names[0]),
        }
    }

    fn column(&self, place: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[place]).collect()
    }

    fn points(&self, x: usize, y: usize) -> ChartContent {
        ChartContent::Scatter(self.rows.iter().map(|row| (row[x], row[y])).collect())
    }

    /// All pairs, with a histogram of each on the diagonal.
    fn matrix(&self, wanted: &Wanted) -> Vec<Vec<Chart>> {
        let all = wanted.names.iter().zip(&wanted.places);
        let chart =
            |(y, row): (&String, &usize), (x, column): (&String, &usize)| match row == column {
                true => Chart {
                    x: x.clone(),
                    y: "runs".to_owned(),
                    content: ChartContent::Histogram(self.column(*row)),
                },
                false => Chart { x: x.clone(), y: y.clone(), content: self.points(*column, *row) },
            };
        all.clone().map(|row| all.clone().map(|column| chart(row, column)).collect()).collect()
    }

    /// The mean of all rows at each pair of coordinates.
    fn heat(&self, wanted: &Wanted) -> ChartContent {
        let [x, y, z] = wanted.places[..] else { panic!("a heat map has three columns") };
        let values = |place: usize| {
            let mut all: Vec<f64> = self.column(place);
            all.retain(|value| value.is_finite());
            all.sort_by(f64::total_cmp);
            all.dedup();
            centres(all)
        };
        let (across, up) = (values(x), values(y));
        let mut sums = vec![(0.0, 0u32); across.len() * up.len()];
        let place = |all: &[f64], value: f64| {
            let nearest =
                |a: &usize, b: &usize| (all[*a] - value).abs().total_cmp(&(all[*b] - value).abs());
            let after = all.partition_point(|own| *own < value);
            let near = [after.saturating_sub(1), after.min(all.len().saturating_sub(1))];
            near.into_iter().filter(|_| value.is_finite()).min_by(nearest)
        };
        for row in self.rows.iter().filter(|row| row[z].is_finite()) {
            if let (Some(column), Some(line)) = (place(&across, row[x]), place(&up, row[y])) {
                let cell = &mut sums[line * across.len() + column];
                *cell = (cell.0 + row[z], cell.1 + 1);
            }
        }
        let mean = |(sum, count): (f64, u32)| match count {
            0 => f64::NAN,
            count => sum / f64::from(count),
        };
        let z = sums.into_iter().map(mean).collect();
        ChartContent::Heat { x: across, y: up, z, name: wanted.names[2].clone() }
    }
}

/// The most different coordinates that have cells of their own.
const MOST_CELLS: usize = 200;
/// How many intervals more of them are gathered in.
const INTERVALS: usize = 40;

/// Different coordinates in order, or the centres of intervals if there are too many.
fn centres(all: Vec<f64>) -> Vec<f64> {
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return all };
    if all.len() <= MOST_CELLS {
        return all;
    }
    let step = (last - first) / INTERVALS as f64;
    (0..INTERVALS).map(|k| first + step * (k as f64 + 0.5)).collect()
}

/// The names between commas that are not inside parentheses.
fn names(text: &str) -> Vec<String> {
    let (mut names, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            ',' if depth == 0 => names.push(String::new()),
            _ => {
                depth += i32::from("([".contains(c)) - i32::from(")]".contains(c));
                names.last_mut().expect("there is one").push(c);
            }
        }
    }
    names.into_iter().map(|name| name.trim().to_owned()).collect()
}

/// The curves of evenly spaced runs, at most so many.
fn curves(
    sweep: &Sweep,
    target: &SweepTarget,
    signal: &str,
    most: u64,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = target.runs.end - target.runs.start;
    let shown = count.min(most);
    let run =
        |k: u64| target.runs.start + (u128::from(k) * u128::from(count) / u128::from(shown)) as u64;
    let runs: Vec<u64> = (0..shown).map(run).collect();
    let (start, stop) = (sweep.system().settings().start.time(), sweep.system().settings().stop);
    let span = stop.since(start);
    let time = |k: i32| start.offset(span * f64::from(k) / f64::from(TIMES));
    let mut times: Vec<Time> = (0..TIMES).filter_map(time).collect();
    times.push(stop);
    let found = sweep.curves(signal, &runs, &times, target.threads, &AtomicBool::new(false));
    let seconds = times.iter().map(|time| time.seconds()).collect();
    (seconds, found.unwrap_or_default())
}

/// Quantiles over all runs at each time: the middle half, the middle nine tenths, and the median.
fn fan(sweep: &Sweep, target: &SweepTarget, signal: &str) -> ChartContent {
    let (x, curves) = curves(sweep, target, signal, MOST_CURVES);
    let sorted: Vec<Vec<f64>> = (0..x.len())
        .map(|at| {
            let mut all: Vec<f64> = curves.iter().map(|curve| curve[at]).collect();
            all.retain(|value| value.is_finite());
            all.sort_by(f64::total_cmp);
            all
        })
        .collect();
    let quantile = |part: f64| -> Vec<f64> {
        let of = |all: &Vec<f64>| match all.len() {
            0 => f64::NAN,
            count => {
                let place = part * (count - 1) as f64;
                let (low, rest) = (place.floor() as usize, place.fract());
                let high = (low + 1).min(count - 1);
                all[low] + rest * (all[high] - all[low])
            }
        };
        sorted.iter().map(of).collect()
    };
    let bands = vec![(quantile(0.05), quantile(0.95)), (quantile(0.25), quantile(0.75))];
    ChartContent::Curves { x, bands, lines: vec![(quantile(0.5), true)] }
}

fn overlay(sweep: &Sweep, target: &SweepTarget, signal: &str) -> ChartContent {
    let (x, curves) = curves(sweep, target, signal, MOST_OVERLAID);
    let lines = curves.into_iter().map(|curve| (curve, false)).collect();
    ChartContent::Curves { x, bands: Vec::new(), lines }
}
