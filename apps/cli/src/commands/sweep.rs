//! `sweep`: a model run many times, and a table with a row for each run.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use superdense::sweeps::{Method, Row};
use superdense::{
    Diagnostic, Diagnostics, Library, Settings, SourceMap, Sweep, SweepError, SweepProgress,
    SweepRequest, SweepSummary, SweepTarget, did_you_mean,
};

use super::pictures::Charts;
use super::run::interrupt;
use super::run::progress::Counting;
use crate::arguments::{Format, SweepArguments};
use crate::inputs::{override_inputs, refuse_files};
use crate::report::{Interrupted, Problem, notify, refused, warn};

/// How often an interrupt is looked for.
const PATIENCE: Duration = Duration::from_millis(10);

pub fn sweep(arguments: &SweepArguments) -> Result<()> {
    refuse_files(&arguments.inputs, "sweep")?;
    let own = request(arguments)?;
    let begin = Instant::now();
    let model = superdense::read(&arguments.model).map_err(refused)?;
    let mut overrides =
        Settings { settings: arguments.settings.given.clone(), ..Settings::default() };
    override_inputs(&arguments.inputs, &mut overrides)?;
    let own = SweepRequest::of(&model).map_err(refused)?.then(&own);
    let mut sweep = Sweep::new(&model, &Library::standard(), &overrides, &own).map_err(refused)?;
    warn(&Diagnostics(sweep.notes().to_vec()), sweep.system().sources(), arguments.format);
    let compiled = begin.elapsed();
    if let Some(folder) = &arguments.traces {
        sweep = sweep.write_traces_to(folder).map_err(unfinished)?;
    }
    let mut charts = Charts::new(&arguments.plot, &sweep)?;
    let runs = part(arguments, sweep.count())?;
    let threads = arguments.threads.unwrap_or_else(processors).max(1);
    let target =
        SweepTarget { table: arguments.output.clone(), runs, threads, resume: arguments.resume };
    let begin = Instant::now();
    let summary = compute(arguments, &sweep, &target, &mut charts)?;
    if summary.complete {
        charts.draw(&sweep, &target)?;
    }
    if !arguments.quiet && arguments.format == Format::Text {
        notify(&summary_text(&sweep, &summary, &target, (begin.elapsed(), compiled)));
    }
    warn(&Diagnostics(failures(&summary)), &SourceMap::default(), arguments.format);
    match summary.complete {
        true => Ok(()),
        false => Err(interrupted(&summary)),
    }
}

/// Runs the sweep while a thread looks for interrupts.
fn compute(
    arguments: &SweepArguments,
    sweep: &Sweep,
    target: &SweepTarget,
    charts: &mut Charts,
) -> Result<SweepSummary> {
    let (stop, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let quiet = arguments.quiet || arguments.format == Format::Json;
    let mut counting = Counting::new(target.runs.end - target.runs.start, quiet);
    interrupt::note_run(true);
    let found = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Relaxed) {
                stop.fetch_or(interrupt::asked(), Relaxed);
                thread::sleep(PATIENCE);
            }
        });
        let _over = Over(&over);
        let each = |row: &Row| charts.take(row);
        sweep.write(target, &stop, each, |progress: SweepProgress| {
            counting.at(progress.done, progress.before);
            !interrupt::asked()
        })
    });
    interrupt::note_run(false);
    drop(counting);
    found.map_err(unfinished)
}

fn unfinished(error: SweepError) -> anyhow::Error {
    Problem::new(error.diagnostic(), &SourceMap::default()).into()
}

/// Ends the thread that looks for interrupts, also after a panic.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// What the command line asks for.
fn request(arguments: &SweepArguments) -> Result<SweepRequest> {
    let mut parameters = Vec::new();
    for text in &arguments.parameters {
        let Some((name, values)) = text.split_once('=') else {
            bail!("`-p {text}` has no `=`: write `-p name=values`");
        };
        parameters.push((name.trim().to_owned(), values.to_owned()));
    }
    let method = arguments.method.as_deref().map(method).transpose()?;
    Ok(SweepRequest {
        parameters,
        sets: arguments.sets.clone(),
        samples: arguments.samples,
        method,
        repeats: arguments.repeats,
        seed: None,
        measures: arguments.measures.clone(),
    })
}

fn method(word: &str) -> Result<Method> {
    let names = Method::ALL.map(Method::name);
    match Method::named(word) {
        Some(method) => Ok(method),
        None => {
            let help = did_you_mean(word, names)
                .unwrap_or_else(|| format!("write one of {}", names.join(", ")));
            let message = format!("there is no method `{word}`");
            let error = Diagnostic::error("bad-sweep", message).help(help);
            Err(Problem::new(error, &SourceMap::default()).into())
        }
    }
}

/// The runs of a part such as `2/8`.
fn part(arguments: &SweepArguments, count: u64) -> Result<Range<u64>> {
    let Some(text) = &arguments.part else { return Ok(0..count) };
    let numbers = text.split_once('/').and_then(|(part, of)| {
        Some((part.trim().parse::<u64>().ok()?, of.trim().parse::<u64>().ok()?))
    });
    match numbers {
        Some((part, of)) if 1 <= part && part <= of => {
            let bound = |k: u64| (u128::from(count) * u128::from(k) / u128::from(of)) as u64;
            Ok(bound(part - 1)..bound(part))
        }
        _ => bail!("`--part {text}` is no part: write `--part 2/8` for the second of eight"),
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn summary_text(
    sweep: &Sweep,
    summary: &SweepSummary,
    target: &SweepTarget,
    (elapsed, compiled): (Duration, Duration),
) -> String {
    let SweepProgress { done, before, of, failed } = summary.progress;
    let mut out = format!("runs       {done} of {of}");
    if target.runs != (0..sweep.count()) {
        out += &format!(", the part from {} on of {}", target.runs.start, sweep.count());
    }
    if before > 0 {
        out += &format!(", {before} of them before");
    }
    out += &format!(", {failed} failed\n");
    let dimensions: Vec<String> = sweep
        .plan()
        .dimensions()
        .iter()
        .map(|(name, count)| format!("{count} of {name}"))
        .collect();
    if !dimensions.is_empty() {
        out += &format!("points     {}\n", dimensions.join(" * "));
    }
    let each = match (done - before, target.threads) {
        (0, _) => String::new(),
        (runs, threads) => {
            let one = elapsed.div_f64(runs as f64);
            let s = if threads == 1 { "" } else { "s" };
            format!(", {one:.1?} a run on {threads} thread{s}")
        }
    };
    out += &format!("time       {elapsed:.1?} to run{each}, {compiled:.1?} to compile\n");
    out += &match summary.one_by_one {
        None => "steps      of several runs side by side\n".to_owned(),
        Some(why) => format!("steps      of one run after the other: {why}\n"),
    };
    if summary.complete {
        out += &format!("result     {}\n", target.table.display());
    }
    out
}

/// A warning for each kind of failure.
fn failures(summary: &SweepSummary) -> Vec<Diagnostic> {
    let warning = |(code, message, count, first): &(String, String, u64, u64)| {
        let runs = if *count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
        Diagnostic::warning("run-failed", format!("{runs} failed with `{code}`"))
            .note(format!("run {first}: {message}"))
            .help("the columns `code` and `message` say which and why")
    };
    summary.failures.iter().map(warning).collect()
}

fn interrupted(summary: &SweepSummary) -> anyhow::Error {
    let SweepProgress { done, of, .. } = summary.progress;
    Interrupted::sweep(done, of).into()
}
