//! `run`: a model in, its recorded signals out.

pub mod drive;
pub mod interrupt;
mod log;
pub mod progress;

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use superdense::{
    Audit, AuditError, BackendUsed, BlockWork, Diagnostic, Diagnostics, Elem, Extreme, Invariant,
    RegionWork, Run, SolverSwitch, StopReason, System, Time, Trace, Work, Writer, shown, traces,
    write_csv,
};

use self::drive::{Driven, End, Outputs, drive};
use self::log::Log;
use self::progress::Progress;
use super::pictures::{Picture, pictures};
use crate::arguments::{Format, RunArguments};
use crate::inputs::feed_inputs;
use crate::json;
use crate::memory::peak_memory;
use crate::model::{compile, pictured};
use crate::report::{
    Interrupted, Problem, notify, unless_broken, unread, unwritten, warn, warn_of_long_run,
};

/// How many rows make a curve look smooth.
const ROWS_OF_A_CURVE: u32 = 1000;

/// The maximum number of signals, regions or blocks in a list of the summary.
const SHOWN: usize = 8;

pub fn run(arguments: &RunArguments) -> Result<()> {
    let begin = Instant::now();
    // The extra rows of a figure are only for the figure and are not written to a result.
    let alone = !arguments.plot.is_empty() && arguments.output.is_none();
    let mut system = compile(&arguments.model)?;
    let pictures = pictures(&arguments.plot, &system)?;
    let smooth = alone && !pictures.iter().all(Picture::shows_steps);
    if alone {
        system = pictured(&system, smooth.then_some(ROWS_OF_A_CURVE))?;
    }
    let compiled = begin.elapsed();
    let mut run = start(arguments, &system)?;
    let rows = (alone, smooth);
    let tables = tables(&mut run, &system, &pictures, rows)?;
    let (outputs, log) = open(arguments, &system)?;
    warn_of_long_run(&system, Time::MAX, arguments.format);
    interrupt::note_run(true);
    let begin = Instant::now();
    let mut progress = Progress::new(system.settings(), !is_chatty(arguments));
    let driven = drive(run, outputs, &mut progress);
    interrupt::note_run(false);
    drop(progress);
    let elapsed = begin.elapsed();
    let logged = log.map_or(Ok(()), Log::finish);
    if let End::Unwritten(error) = driven.end {
        return Err(unwritten(error));
    }
    if arguments.output.is_some() && file_of(arguments).is_none() {
        unless_broken(write_csv(driven.run.trace(), BufWriter::new(io::stdout().lock())))?;
    }
    for (picture, table) in pictures.iter().zip(tables) {
        plot(arguments, &system, &driven, (picture, table))?;
    }
    if is_chatty(arguments) {
        notify(&summary(&system, &driven));
        notify(&size(&system));
        notify(&ending(arguments, &pictures, driven.run.ran(), (elapsed, compiled)));
    }
    if !arguments.quiet && arguments.format == Format::Json {
        notify(&json::backend(driven.run.ran()));
        notify(&json::work(&driven.run.work(), &system, peak_memory()));
        notify(&json::invariants(&driven.run.invariants()));
    }
    let found = driven.run.warnings().iter().map(|warning| system.explain_warning(warning));
    let invariants = driven.run.invariants();
    let broken = invariants.iter().filter_map(|own| system.explain_invariant(own));
    let found = system.unused().0.into_iter().chain(found).chain(broken);
    warn(&Diagnostics(found.collect()), system.sources(), arguments.format);
    // The outcome of the run matters more than a failure to write the log.
    conclude(arguments, &system, driven.end).and(logged)?;
    if arguments.audit { audit(arguments, &system) } else { Ok(()) }
}

/// Reports signals that are not piecewise continuous.
fn audit(arguments: &RunArguments, system: &System) -> Result<()> {
    let audit = match system.audit(|system| start(arguments, system))? {
        Ok(audit) => audit,
        Err(AuditError::FixedStep) => bail!("a fixed-step run has no microsteps to audit"),
        Err(AuditError::Refused(refused)) => return Err(refused.into()),
        Err(AuditError::Failed(error)) => {
            return Err(Problem::new(system.explain(&error), system.sources()).into());
        }
    };
    let Audit { signals, points, runs, findings } = &audit;
    if is_chatty(arguments) {
        let verdict = match findings.len() {
            0 => "piecewise continuous".to_owned(),
            1 => "1 is not piecewise continuous".to_owned(),
            found => format!("{found} faults of piecewise continuity"),
        };
        notify(&format!(
            "audit      {signals} signals at {points} points, {runs} runs: {verdict}\n"
        ));
    }
    let found: Vec<_> = findings.iter().map(|own| system.explain_finding(own)).collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(Problem::all(Diagnostics(found), system.sources()).into())
}

/// A run with the selected backend.
fn start(arguments: &RunArguments, system: &System) -> Result<Run> {
    let mut run = system.begin();
    feed_inputs(&arguments.model.inputs, system, &mut run)?;
    if let Some(error) = run.missing_input() {
        return Err(Problem::new(system.explain(&error), system.sources()).into());
    }
    run.set_backend(arguments.backend.into()).map_err(|error| {
        let diagnostic = Diagnostic::error("no-native-code", error.to_string())
            .help("leave `--backend` out: the interpreter gives the same result");
        Problem::new(diagnostic, system.sources())
    })?;
    Ok(run)
}

/// Whether a summary is wanted.
fn is_chatty(arguments: &RunArguments) -> bool {
    !arguments.quiet && arguments.format == Format::Text
}

fn file_of(arguments: &RunArguments) -> Option<&Path> {
    arguments.output.as_deref().filter(|path| path.as_os_str() != "-")
}

/// Opens files before the run, so that a wrong file name does not waste a run. Results are written
/// to their file as they are produced.
fn open(arguments: &RunArguments, system: &System) -> Result<(Outputs, Option<Log>)> {
    if arguments.log.is_some() && system.settings().impulses.steps() {
        bail!("a fixed-step run has no log: nothing but its steps happens in it");
    }
    let is_dash = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    if is_dash(&arguments.log) && is_dash(&arguments.output) {
        bail!("`--log -` and `--output -` cannot both go to standard output");
    }
    let log = arguments.log.as_deref().map(Log::create).transpose()?;
    let writer = file_of(arguments)
        .map(|path| Writer::create(path, &system.schema(), &system.header()).map_err(unwritten))
        .transpose()?;
    Ok((Outputs { listener: log.as_ref().map(|log| log.listener(system)), writer }, log))
}

/// The rows that a figure is plotted from.
#[derive(Clone, Copy)]
enum Table {
    /// Those of the result.
    Result,
    /// Those that the run keeps beside the result.
    Beside(usize),
    /// Those of another run: a fixed-step run has no rows beside its own.
    Again,
}

/// Makes a run keep the rows of all figures. Figures that need the same rows share them; they are
/// those of the result if that is `alone`, which then has rows between steps if it is `smooth`.
fn tables(
    run: &mut Run,
    system: &System,
    pictures: &[Picture],
    (alone, smooth): (bool, bool),
) -> Result<Vec<Table>> {
    let mut kept: [Option<Table>; 2] = [None; 2];
    let mut table = |picture: &Picture| {
        let steps = picture.shows_steps();
        if alone && smooth != steps {
            return Ok(Table::Result);
        }
        if let Some(known) = kept[usize::from(steps)] {
            return Ok(known);
        }
        let beside = run.record_beside(&as_pictured(system, picture)?.settings().rows);
        let table = beside.map_or(Table::Again, Table::Beside);
        kept[usize::from(steps)] = Some(table);
        Ok(table)
    };
    pictures.iter().map(&mut table).collect()
}

/// The same system with the rows of a figure.
fn as_pictured(system: &System, picture: &Picture) -> Result<System> {
    pictured(system, (!picture.shows_steps()).then_some(ROWS_OF_A_CURVE))
}

/// Plots a figure of the run.
fn plot(
    arguments: &RunArguments,
    system: &System,
    driven: &Driven,
    (picture, table): (&Picture, Table),
) -> Result<()> {
    let draw = |trace: &Trace| picture.draw(trace, system.name());
    match (table, file_of(arguments), &driven.end) {
        (Table::Beside(index), ..) => draw(driven.run.beside(index)),
        (Table::Result, ..) | (_, None, End::Interrupted(_)) => draw(driven.run.trace()),
        (_, Some(file), End::Interrupted(_)) => draw(&traces::read(file).map_err(unread)?),
        (Table::Again, ..) => {
            let system = as_pictured(system, picture)?;
            let mut progress = Progress::new(system.settings(), true);
            let outputs = Outputs { listener: None, writer: None };
            let run = start(arguments, &system)?;
            draw(drive(run, outputs, &mut progress).run.trace())
        }
    }
}

fn summary(system: &System, driven: &Driven) -> String {
    let (trace, counters, rows) = (driven.run.trace(), driven.run.counters(), driven.run.rows());
    let end = trace.tags().last().map_or_else(String::new, |tag| format!(" to t = {}", tag.time));
    let mut out = format!("rows       {rows}{end}\n");
    out += &format!("steps      {} accepted, {} rejected\n", counters.steps, counters.rejected);
    out += &switches(&driven.run.work());
    out += &format!("ticks      {} with {} microsteps\n", counters.ticks, counters.microsteps);
    out += &format!(
        "blocks     {} with {} evaluations at ticks\n",
        system.block_count(),
        counters.firings
    );
    out += &regions(&driven.run.work());
    out += &list("invariants", driven.run.invariants().iter().map(invariant));
    let lines: Vec<String> = (0..trace.columns().len()).filter_map(|c| last(trace, c)).collect();
    out.extend(lines.iter().take(SHOWN).map(String::as_str));
    if lines.len() > SHOWN {
        out += &format!("{:<10} and {} more signals\n", "", lines.len() - SHOWN);
    }
    out
}

/// How well an invariant was kept: its first value, its greatest drift along smooth motion and that
/// at the end, and its greatest change by a tick.
fn invariant(own: &Invariant) -> String {
    let Some(first) = &own.first else { return format!("{} was absent all the time", own.name) };
    let first = first.iter().map(|x| shown(*x)).collect::<Vec<_>>().join(", ");
    let change = |change: Extreme| match change.tag {
        None => "0".to_owned(),
        Some(tag) => {
            let relative = own.relative_to_magnitude(change);
            format!("{:.2e} ({relative:.1e} relative) at {tag}", change.size)
        }
    };
    let (mut smooth, tick) = (change(own.smooth), change(own.tick));
    if own.drift != own.smooth.size {
        smooth += &format!(" and {:.2e} at the end", own.drift);
    }
    let mut text = format!("{} = {first} at first, drift {smooth}, by ticks {tick}", own.name);
    if own.microstep.size > own.tick.size {
        text += &format!(", by microsteps {}", change(own.microstep));
    }
    text
}

/// When regions switched to another solver.
fn switches(work: &Work) -> String {
    let alone = work.parts.len() < 2;
    let line = |part: &RegionWork, switch: &SolverSwitch| {
        let of = if alone { String::new() } else { format!(" for {}", part.name) };
        format!("switched to {}{of} at t = {}", switch.solver.name(), switch.time)
    };
    let found = work.parts.iter().flat_map(|part| part.switches.iter().map(|s| line(part, s)));
    list("solver", found.collect::<Vec<_>>().into_iter())
}

/// A line with the last value of a column, if it has one.
fn last(trace: &Trace, column: usize) -> Option<String> {
    let present = |row: usize| Some((row, trace.get(row, column)?));
    let (row, value) = (0..trace.len()).rev().find_map(present)?;
    let is_truth = trace.columns()[column].ty.elem == Elem::Bool;
    let one = |x: &f64| match trace.label_of(column, *x) {
        Some(name) => name.to_owned(),
        None if is_truth => (*x != 0.0).to_string(),
        None => shown(*x),
    };
    let mut text = value.iter().take(4).map(one).collect::<Vec<_>>().join(", ");
    if value.len() > 4 {
        text += &format!(", ... ({} elements)", value.len());
    }
    Some(format!("{:<10} {text} at {}\n", trace.columns()[column].name, trace.tags()[row]))
}

/// The size of the model and the peak memory of the process.
fn size(system: &System) -> String {
    let memory = peak_memory()
        .map_or_else(String::new, |bytes| format!(", {:.1} MB peak memory", bytes as f64 / 1e6));
    format!(
        "size       {} blocks, {} states, {} instructions{memory}\n",
        system.block_count(),
        system.state_count(),
        system.instruction_count()
    )
}

/// The steps of each region and the blocks evaluated most often, if there are several regions.
fn regions(work: &Work) -> String {
    if work.parts.len() < 2 {
        return String::new();
    }
    let steps = |part: &RegionWork| {
        format!("{} with {} steps, {} rejected", part.name, part.steps, part.rejected)
    };
    let mut blocks: Vec<&BlockWork> = work.blocks.iter().filter(|b| b.firings > 0).collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.firings));
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let evaluated = |block: &&BlockWork| format!("{} {}", block.name, times(block.firings));
    list("regions", work.parts.iter().map(steps)) + &list("evaluated", blocks.iter().map(evaluated))
}

/// A line for each entry, up to a maximum, with the word before the first.
fn list(word: &str, entries: impl ExactSizeIterator<Item = String>) -> String {
    let rest = entries.len().saturating_sub(SHOWN);
    let more = (rest > 0).then(|| format!("and {rest} more"));
    let lines = entries.take(SHOWN).chain(more).enumerate();
    lines.map(|(index, e)| format!("{:<10} {e}\n", if index == 0 { word } else { "" })).collect()
}

fn ending(
    arguments: &RunArguments,
    pictures: &[Picture],
    ran: BackendUsed,
    (elapsed, compiled): (Duration, Duration),
) -> String {
    let mut out = format!("time       {elapsed:.1?} to run on {ran}, {compiled:.1?} to compile\n");
    let drawn = pictures.iter().map(Picture::path);
    for path in file_of(arguments).into_iter().chain(drawn) {
        out += &format!("result     {}\n", path.display());
    }
    out
}

/// Reports something that is no mistake.
fn note(arguments: &RunArguments, words: &str) -> Result<()> {
    notify(&match arguments.format {
        Format::Text => format!("{words}\n"),
        Format::Json => format!("{}\n", json::message("note", words)),
    });
    Ok(())
}

/// Reports how the run ended, if it did not reach the stop time.
fn conclude(arguments: &RunArguments, system: &System, end: End) -> Result<()> {
    let written = "The result up to that point has been written.";
    let outcome = arguments.output.as_ref().map(|_| written);
    match end {
        End::Reached(StopReason::Stopped) => Ok(()),
        End::Reached(StopReason::Zeno(time)) => {
            note(arguments, &format!("stopped where events accumulate, at t = {time}"))
        }
        End::Reached(StopReason::Ended(block)) => note(arguments, &format!("ended by `{block}`")),
        End::Interrupted(tag) => Err(Interrupted::run(tag, outcome).into()),
        End::Unwritten(error) => Err(unwritten(error)),
        End::Failed(error, inputs) => {
            let problem = Problem::new(system.explain_with(&error, &inputs), system.sources());
            Err(Problem { outcome, ..problem }.into())
        }
    }
}
