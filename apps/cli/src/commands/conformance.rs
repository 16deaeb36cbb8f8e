//! `conformance`: runs models of Ptolemy II and compares them with the values that they expect.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use superdense::Settings;
use superdense::ptolemy::{Conformity, conform};

use crate::arguments::ConformanceArguments;
use crate::report::show;

/// The result of one model.
struct Checked {
    /// The path relative to the folder.
    name: String,
    verdict: Conformity,
    seconds: f64,
}

pub fn conformance(arguments: &ConformanceArguments) -> Result<()> {
    let files = files(arguments)?;
    if files.is_empty() {
        bail!("there is no MoML file that expects values below `{}`", arguments.path.display());
    }
    let checked = check_all(&files, arguments);
    if let Some(path) = &arguments.junit {
        write(path, &junit(&checked))?;
    }
    let passed =
        checked.iter().filter(|own| matches!(own.verdict, Conformity::Pass { .. })).count();
    let failed = checked.len() - passed;
    let mut text = match &arguments.json {
        Some(path) => {
            let json = json(&checked);
            match path == Path::new("-") {
                true => json,
                false => {
                    write(path, &json)?;
                    table(&checked)
                }
            }
        }
        None => table(&checked),
    };
    text += &counts(&checked);
    text += &format!("{passed} passed, {failed} failed\n");
    show(&text)?;
    match failed {
        0 => Ok(()),
        _ => std::process::exit(1),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// The files to run, with the names to show.
fn files(arguments: &ConformanceArguments) -> Result<Vec<(PathBuf, String)>> {
    let base = &arguments.path;
    if let Some(list) = &arguments.list {
        let text = std::fs::read_to_string(list)
            .with_context(|| format!("cannot read `{}`", list.display()))?;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        return Ok(lines.map(|line| (base.join(line), line.to_owned())).collect());
    }
    if base.is_file() {
        return Ok(vec![(base.clone(), base.display().to_string())]);
    }
    let mut found = Vec::new();
    below(base, &mut found)?;
    found.sort();
    let name = |path: &PathBuf| path.strip_prefix(base).unwrap_or(path).display().to_string();
    Ok(found.into_iter().map(|path| (path.clone(), name(&path))).collect())
}

/// MoML files below a folder that have a test actor; others expect nothing.
fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            below(&path, found)?;
        } else if superdense::ptolemy::is_moml(&path) {
            let text = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            if text.contains("Test\"") || text.contains("TestExceptionHandler") {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn check_all(files: &[(PathBuf, String)], arguments: &ConformanceArguments) -> Vec<Checked> {
    let threads = arguments.threads.or(std::thread::available_parallelism().ok().map(usize::from));
    let threads = threads.unwrap_or(1).clamp(1, files.len());
    let bar = ProgressBar::new(files.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let settings = arguments.settings.given.clone();
    let settings = Settings { settings, ..Settings::default() };
    let limit = Duration::try_from_secs_f64(arguments.limit).unwrap_or(Duration::MAX);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((path, name)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    bar.set_message(name.clone());
                    let begun = Instant::now();
                    let mut going = || begun.elapsed() < limit;
                    let root = arguments.ptolemy.as_deref();
                    let verdict = conform(path, root, &settings, &mut going);
                    let seconds = begun.elapsed().as_secs_f64();
                    bar.inc(1);
                    if let Ok(mut done) = done.lock() {
                        done.push(Checked { name: name.clone(), verdict, seconds });
                    }
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by(|a, b| a.name.cmp(&b.name));
    done
}

/// A word for a verdict, and what is said about it.
fn words(verdict: &Conformity) -> (&'static str, String) {
    match verdict {
        Conformity::Pass { values } => ("pass", format!("{values} values")),
        Conformity::Differs { test, iteration, expected, found } => {
            ("differs", format!("{test}, value {iteration}: expected {expected}, found {found}"))
        }
        Conformity::Unsupported(what) => ("unsupported", what.clone()),
        Conformity::Error(error) => ("error", error.clone()),
        Conformity::TimedOut => ("time-limit", "the run did not end in time".to_owned()),
    }
}

fn table(checked: &[Checked]) -> String {
    let width = checked.iter().map(|own| own.name.chars().count()).max().unwrap_or(0);
    let line = |own: &Checked| {
        let (word, about) = words(&own.verdict);
        let about = about.replace('\n', " ");
        format!("{:width$}  {word:11}  {:7.2} s  {about}\n", own.name, own.seconds)
    };
    checked.iter().map(line).collect()
}

fn counts(checked: &[Checked]) -> String {
    let count = |word: &str| checked.iter().filter(|own| words(&own.verdict).0 == word).count();
    let kinds = ["pass", "differs", "unsupported", "error", "time-limit"];
    let parts: Vec<String> = kinds.iter().map(|word| format!("{word} {}", count(word))).collect();
    format!("{}\n", parts.join(", "))
}

fn json(checked: &[Checked]) -> String {
    let one = |own: &Checked| {
        let (word, about) = words(&own.verdict);
        let mut object = serde_json::json!({
            "model": own.name, "verdict": word, "seconds": own.seconds, "about": about,
        });
        match &own.verdict {
            Conformity::Pass { values } => object["values"] = (*values).into(),
            Conformity::Differs { test, iteration, expected, found } => {
                object["test"] = test.as_str().into();
                object["iteration"] = (*iteration).into();
                object["expected"] = expected.as_str().into();
                object["found"] = found.as_str().into();
            }
            _ => {}
        }
        object
    };
    let all: Vec<serde_json::Value> = checked.iter().map(one).collect();
    format!("{:#}\n", serde_json::Value::Array(all))
}

fn junit(checked: &[Checked]) -> String {
    let escaped = |text: &str| {
        let legal = |c: &char| !c.is_control() || c.is_whitespace();
        let text: String = text.chars().filter(legal).collect();
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let case = |own: &Checked| {
        let (word, about) = words(&own.verdict);
        let head =
            format!("  <testcase name=\"{}\" time=\"{:.3}\"", escaped(&own.name), own.seconds);
        let about = escaped(&about);
        match word {
            "pass" => format!("{head}/>\n"),
            "error" => format!("{head}><error message=\"{about}\"/></testcase>\n"),
            _ => format!("{head}><failure type=\"{word}\" message=\"{about}\"/></testcase>\n"),
        }
    };
    let failures = checked.iter().filter(|own| !matches!(words(&own.verdict).0, "pass" | "error"));
    let errors = checked.iter().filter(|own| words(&own.verdict).0 == "error");
    let cases: String = checked.iter().map(case).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"conformance\" tests=\"{}\" \
         failures=\"{}\" errors=\"{}\">\n{cases}</testsuite>\n",
        checked.len(),
        failures.count(),
        errors.count()
    )
}
