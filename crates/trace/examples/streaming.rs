//! What recording costs: rows per second, bytes per row and memory while ten signals stream to
//! disk.
//!
//!     cargo run --release -p superdense-trace --example streaming [ROWS] [FOLDER]
//!
//! With 20 million rows it shows that memory does not grow with the length of a run.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use base::{Tag, Time, Type};
use superdense_trace::{Column, Header, Schema, Writer};

const SIGNALS: usize = 10;

/// Ten oscillators, each moved by a rotation: a step costs some twenty nanoseconds.
struct Model {
    time: i128,
    cosine: [f64; SIGNALS],
    sine: [f64; SIGNALS],
}

impl Model {
    fn new() -> Model {
        Model { time: 0, cosine: [1.0; SIGNALS], sine: [0.0; SIGNALS] }
    }

    fn step(&mut self) {
        // About a millisecond, uneven as the steps of a solver are.
        self.time += 1_000_000_000_000_000 + (self.time % 1_000_003) * 7919;
        for k in 0..SIGNALS {
            let angle = 1e-3 * (1.0 + k as f64);
            let (c, s) = (self.cosine[k], self.sine[k]);
            let half = 0.5 * angle * angle;
            self.cosine[k] = c - angle * s - half * c;
            self.sine[k] = s + angle * c - half * s;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments.next().map_or(Ok(2_000_000), |rows| rows.parse())?;
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let bare = seconds_of(|| {
        let mut model = Model::new();
        for _ in 0..rows {
            model.step();
            black_box(&model.cosine);
        }
        Ok(())
    })?;
    println!("{rows} rows of {SIGNALS} signals; without recording {:.3} us a row", bare.per(rows));
    for name in ["streaming.csv", "streaming.parquet", "streaming.json"] {
        let path = folder.join(name);
        let spent = seconds_of(|| record(&path, rows))?;
        let bytes = std::fs::metadata(&path)?.len();
        std::fs::remove_file(&path)?;
        println!(
            "{name:<18} {:.3} us CPU a row more ({:.2} M rows/s of wall time), {:.1} bytes a row, \
             peak memory so far {:.1} MB",
            spent.per(rows) - bare.per(rows),
            rows as f64 / spent.wall / 1e6,
            bytes as f64 / rows as f64,
            peak_megabytes(),
        );
    }
    Ok(())
}

fn record(path: &Path, rows: u64) -> Result<(), Box<dyn std::error::Error>> {
    let column = |k| Column { name: format!("x{k}"), ty: Type::REAL };
    let schema = Schema::new((0..SIGNALS).map(column).collect());
    let mut writer = Writer::create(path, &schema, &Header::default())?;
    let mut model = Model::new();
    for _ in 0..rows {
        model.step();
        let tag = Tag::new(Time::from_attoseconds(model.time), 0);
        let values = &model.cosine;
        writer.push(tag, |column| Some(&values[column..=column]), |_, _| None)?;
    }
    Ok(writer.finish()?)
}

struct Spent {
    cpu: f64,
    wall: f64,
}

impl Spent {
    /// Microseconds of processor time for each row.
    fn per(&self, rows: u64) -> f64 {
        self.cpu * 1e6 / rows as f64
    }
}

fn seconds_of(
    work: impl FnOnce() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<Spent, Box<dyn std::error::Error>> {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    work()?;
    Ok(Spent { cpu: cpu_seconds() - cpu, wall: wall.elapsed().as_secs_f64() })
}

/// User and system time of this process \[s\], which other processes do not stretch; zero where
/// there is no `/proc`.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

/// The most memory that this process has had \[MB\].
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1e3
}
