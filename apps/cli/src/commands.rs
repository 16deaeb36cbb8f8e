//! What the commands do.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, anyhow, bail};
use superdense::{
    Counters, Diagnostic, Drawing, Instant, Library, Listener, Overrides, ReadError, Refused,
    SourceMap, Stage, StopReason, System, Time, Tolerance, Trace, WriteError, page, parse_value,
    plots, read, traces, write_csv,
};

use crate::arguments::{CheckArguments, Command, ModelArguments, RunArguments};

/// Does what the command line says.
pub fn run(command: Command) -> Result<()> {
    match command {
        Command::Run(arguments) => run_model(&arguments),
        Command::Check(arguments) => check(&arguments),
        Command::Plot { trace, output, signals } => plot(&trace, &output, &signals),
        Command::Compare { first, second, absolute, relative, time } => {
            compare(&first, &second, Tolerance { absolute, relative, time })
        }
        Command::Graph { model, output, depth, fold, order } => {
            let drawing = Drawing { depth, fold_expressions: fold, order, dot: false };
            graph(&model, &output, drawing)
        }
        Command::Explain { model, instant } => explain(&model, &instant),
        Command::Blocks { name, write } => blocks(name.as_deref(), write.as_deref()),
    }
}

fn colour() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A message that is about no text.
fn told(diagnostic: &Diagnostic) -> anyhow::Error {
    anyhow!("{}", diagnostic.render(&SourceMap::default(), colour()))
}

fn unwritten(error: WriteError) -> anyhow::Error {
    told(&error.diagnostic())
}

fn unread(error: ReadError) -> anyhow::Error {
    told(&error.diagnostic())
}

fn refused(refused: Refused) -> anyhow::Error {
    anyhow!("{}", refused.render(colour()))
}

fn compile(arguments: &ModelArguments, smooth: Option<u32>) -> Result<System> {
    let model = read(&arguments.model).map_err(refused)?;
    let overrides = Overrides { smooth, ..overrides(arguments)? };
    System::compile(&model, &Library::standard(), &overrides).map_err(refused)
}

fn overrides(arguments: &ModelArguments) -> Result<Overrides> {
    let mut overrides = Overrides {
        solver: arguments.solver.clone(),
        tolerance: arguments.tolerance,
        seed: arguments.seed,
        ..Overrides::default()
    };
    for text in &arguments.parameters {
        let Some((name, value)) = text.split_once('=') else {
            bail!("`-p {text}` has no `=`: write `-p name=value`");
        };
        let value = parse_value(value).map_err(refused)?;
        overrides.parameters.push((name.trim().to_owned(), value));
    }
    overrides.start = time(arguments.start.as_deref(), "--start")?;
    if let Some(text) = &arguments.every {
        let every = parse_value(text).map_err(refused)?.as_rational();
        overrides.every = every.filter(|every| *every.numer() > 0);
        if overrides.every.is_none() {
            bail!("`--every {text}` is no positive time in seconds");
        }
    }
    overrides.stop = time(arguments.stop.as_deref(), "--stop")?;
    Ok(overrides)
}

fn time(text: Option<&str>, option: &str) -> Result<Option<Time>> {
    let Some(text) = text else { return Ok(None) };
    let value = parse_value(text).map_err(refused)?;
    match value.as_rational().and_then(Time::from_rational) {
        Some(time) => Ok(Some(time)),
        None => bail!("`{option} {text}` is no time in seconds"),
    }
}

fn run_model(arguments: &RunArguments) -> Result<()> {
    let begin = std::time::Instant::now();
    let smooth = arguments.plot.as_ref().map(|_| ROWS_OF_A_CURVE);
    let system = compile(&arguments.model, smooth)?;
    let compiled = begin.elapsed();
    let mut run = system.start();
    if let Some(path) = &arguments.log {
        run.listen(log(&system, path)?);
    }
    // Files are opened before the run, so that a mistake in a name costs no run. A long result
    // goes to its file as it comes; a plot needs it whole.
    let output = arguments.output.as_deref().filter(|path| path.as_os_str() != "-");
    let streams = output.filter(|_| arguments.plot.is_none());
    if let Some(path) = output {
        let writer =
            traces::Writer::create(path, &system.schema(), &system.header()).map_err(unwritten)?;
        if streams.is_some() {
            run.record_to(writer);
        }
    }
    if let Some(path) = &arguments.plot {
        picture_format(path)?;
    }
    let begin = std::time::Instant::now();
    let result = run.finish();
    let elapsed = begin.elapsed();
    let (trace, counters, rows, write_error) = match &result {
        Ok(o) => (&o.trace, o.counters, o.rows, &o.write_error),
        Err(f) => (&f.trace, f.counters, f.rows, &f.write_error),
    };
    if let Some(error) = write_error {
        return Err(told(&error.diagnostic()));
    }
    if let Some(path) = output.filter(|_| streams.is_none()) {
        traces::write(trace, path).map_err(unwritten)?;
    } else if arguments.output.is_some() && output.is_none() {
        write_to_stdout(trace)?;
    }
    if let Some(path) = &arguments.plot {
        plot_to(trace, &plots::Figure::of(trace).title(system.name()), path)?;
    }
    if !arguments.quiet {
        let mut text = summary(&system, trace, counters, rows);
        text += &format!("time       {elapsed:.1?} to run, {compiled:.1?} to compile\n");
        for path in output.into_iter().chain(arguments.plot.as_deref()) {
            text += &format!("result     {}\n", path.display());
        }
        tell(&text);
    }
    match result {
        Ok(outcome) => {
            if let StopReason::Zeno(time) = outcome.stop {
                tell(&format!("stopped where events accumulate, at t = {time}\n"));
            }
            Ok(())
        }
        Err(failure) => {
            let message = system.explain(&failure.error).render(system.sources(), colour());
            if arguments.output.is_some() {
                bail!("{message}\nThe result up to there has been written.");
            }
            bail!("{message}");
        }
    }
}

/// How many rows make a curve look smooth.
const ROWS_OF_A_CURVE: u32 = 1000;

enum PictureFormat {
    Svg,
    Png,
}

fn picture_format(path: &Path) -> Result<PictureFormat> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        _ => bail!("{}: the name of a picture ends in .svg or .png", path.display()),
    }
}

fn plot_to(trace: &Trace, figure: &plots::Figure, path: &Path) -> Result<()> {
    let bytes = match picture_format(path)? {
        PictureFormat::Svg => plots::svg(figure, trace)?.into_bytes(),
        PictureFormat::Png => plots::png(figure, trace)?,
    };
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn plot(trace: &Path, output: &Path, signals: &[String]) -> Result<()> {
    let trace = traces::read(trace).map_err(unread)?;
    let figure = match signals {
        [] => plots::Figure::of(&trace),
        names => plots::Figure::of_signals(&trace, names.iter().cloned())?,
    };
    plot_to(&trace, &figure, output)
}

fn compare(first: &Path, second: &Path, tolerance: Tolerance) -> Result<()> {
    let read = |path: &Path| traces::read(path).map_err(unread);
    let (first, second) = (read(first)?, read(second)?);
    let comparison = traces::compare(&first, &second, tolerance);
    show(&format!("{comparison}\n"))?;
    if !comparison.agrees() {
        bail!("the traces differ");
    }
    Ok(())
}

fn graph(arguments: &ModelArguments, output: &Path, mut drawing: Drawing) -> Result<()> {
    drawing.dot = match output.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => false,
        Some("dot" | "gv") => true,
        _ => bail!("{}: the name of the picture ends in .svg or .dot", output.display()),
    };
    let model = read(&arguments.model).map_err(refused)?;
    let text = superdense::draw(&model, &Library::standard(), &overrides(arguments)?, drawing);
    let text = text.map_err(refused)?;
    fs::write(output, text).with_context(|| format!("cannot write {}", output.display()))
}

fn write_to_stdout(trace: &Trace) -> Result<()> {
    match write_csv(trace, BufWriter::new(io::stdout().lock())) {
        // A reader such as `head` may have had enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// A listener that writes every event to a file.
fn log(system: &System, path: &Path) -> Result<Listener> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let (mut out, system) = (BufWriter::new(file), system.clone());
    Ok(Box::new(move |event| {
        // A full disk must not end the run; what is missing from the log is seen at its end.
        let _ = writeln!(out, "{}", system.event_json(event));
    }))
}

fn explain(arguments: &ModelArguments, instant: &str) -> Result<()> {
    let (at, microstep) = match instant.split_once(',') {
        Some((at, n)) => {
            let n = n.trim().parse().with_context(|| format!("`{n}` is no microstep"))?;
            (at, Some(n))
        }
        None => (instant, None),
    };
    let at = parse_value(at).map_err(refused)?.as_f64().context("the instant is no time")?;
    let system = compile(arguments, None)?;
    let gathered = Rc::new(RefCell::new(Instant::near(at)));
    let mut run = system.start();
    let listener = gathered.clone();
    run.listen(Box::new(move |event| listener.borrow_mut().take(event)));
    let result = run.finish();
    let events = gathered.take().events(microstep);
    show(&system.tell(&events))?;
    if let Err(failure) = result {
        let message = system.explain(&failure.error).render(system.sources(), colour());
        tell(&format!("{message}\n"));
    }
    Ok(())
}

/// Writes to standard error; where nobody reads it there is nobody to tell.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes to standard output; a reader such as `head` may have had enough.
fn show(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn summary(system: &System, trace: &Trace, counters: Counters, rows: u64) -> String {
    let end = trace.tags().last().map_or_else(String::new, |tag| format!(" to t = {}", tag.time));
    let mut out = format!("rows       {rows}{end}\n");
    out += &format!("steps      {} accepted, {} rejected\n", counters.steps, counters.rejected);
    out += &format!("ticks      {} with {} microsteps\n", counters.ticks, counters.microsteps);
    out += &format!("firings    {} of {} blocks\n", counters.firings, system.block_count());
    for (index, column) in trace.columns().iter().enumerate().take(8) {
        let last = (0..trace.len()).rev().find_map(|row| Some((row, trace.get(row, index)?)));
        if let Some((row, value)) = last {
            let mut text = value.iter().take(4).map(f64::to_string).collect::<Vec<_>>().join(", ");
            if value.len() > 4 {
                text += &format!(", ... ({} elements)", value.len());
            }
            out += &format!("{:<10} {text} at {}\n", column.name, trace.tags()[row]);
        }
    }
    out
}

fn check(arguments: &CheckArguments) -> Result<()> {
    let system = compile(&arguments.model, None)?;
    match arguments.print.as_deref() {
        None => {
            let blocks = count(system.block_count(), "block");
            let states = count(system.state_count(), "state");
            let model = arguments.model.model.display();
            show(&format!("{model}: {blocks}, {states}, no errors\n"))?;
        }
        Some("diagram") => show(&system.print(Stage::Diagram))?,
        Some("schedule") => show(&system.print(Stage::Schedule))?,
        Some("program") => show(&system.print(Stage::Program))?,
        Some(other) => bail!("there is no stage `{other}`: diagram, schedule or program"),
    }
    Ok(())
}

fn blocks(name: Option<&str>, folder: Option<&Path>) -> Result<()> {
    let library = Library::standard();
    if let Some(folder) = folder {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for block in library.iter() {
            let info = block.info();
            let path = folder.join(format!("{}.md", info.name));
            fs::write(&path, page(&info))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        return Ok(());
    }
    match name {
        Some(name) => match library.get(name) {
            Some(block) => show(&page(&block.info()))?,
            None => {
                let help = superdense::did_you_mean(name, library.names());
                bail!(
                    "there is no block `{name}`{}",
                    help.map_or(String::new(), |h| format!("; {h}"))
                );
            }
        },
        None => {
            let (mut shelf, mut out) = ("", String::new());
            let mut infos: Vec<_> = library.iter().map(|block| block.info()).collect();
            infos.sort_by_key(|info| info.shelf);
            for info in infos {
                if info.shelf != shelf {
                    out += &format!("{}\n", info.shelf);
                    shelf = info.shelf;
                }
                out += &format!("  {:<16} {}\n", info.name, info.summary);
            }
            show(&out)?;
        }
    }
    Ok(())
}
