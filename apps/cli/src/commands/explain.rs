//! `explain`: what happened at an instant of a run, and why; or what a message code means.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};
use superdense::{Instant, Time, did_you_mean, parse_value};

use super::run::drive::{End, advance};
use super::run::interrupt;
use super::run::progress::Progress;
use crate::arguments::{Format, ModelArguments};
use crate::codes;
use crate::inputs::feed_inputs;
use crate::model::compile;
use crate::report::{Interrupted, Problem, colour, notify, refused, show, warn_of_long_run};

/// Explains an instant of a model or, if none is given, a message code.
pub fn explain(arguments: &ModelArguments, instant: Option<&str>) -> Result<()> {
    match instant {
        Some(instant) => explain_instant(arguments, instant),
        None if arguments.model.exists() => {
            let model = arguments.model.display();
            bail!("the instant is missing: write `superdense explain {model} T`")
        }
        None => explain_code(&arguments.model.to_string_lossy()),
    }
}

fn explain_code(code: &str) -> Result<()> {
    let Some(text) = codes::find(code) else {
        let help = did_you_mean(code, codes::all().map(|(code, _)| code));
        let help = help.map_or(String::new(), |help| format!("; {help}"));
        bail!("`{code}` is neither a file nor the code of a message{help}");
    };
    show(&format!("{code}\n\n{}", wrapped(text)))
}

/// A text wrapped to at most 80 characters per line.
fn wrapped(text: &str) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        match length {
            0 => length = width,
            _ if length + 1 + width > 80 => {
                out.push('\n');
                length = width;
            }
            _ => {
                out.push(' ');
                length += 1 + width;
            }
        }
        out += word;
    }
    out + "\n"
}

/// Explains the instant nearest to `T` or `T,N`.
fn explain_instant(arguments: &ModelArguments, instant: &str) -> Result<()> {
    let (at, microstep) = match instant.split_once(',') {
        Some((at, n)) => {
            let n = n.trim().parse().with_context(|| format!("`{n}` is no microstep"))?;
            (at, Some(n))
        }
        None => (instant, None),
    };
    let at = parse_value(at).map_err(refused)?.as_f64().context("the instant is no time")?;
    let system = compile(arguments)?;
    if system.settings().impulses.steps() {
        bail!("a fixed-step run has no instants to explain; explain it with `--impulses symbolic`");
    }
    let gathered = Arc::new(Mutex::new(Instant::near(at)));
    let mut run = system.begin();
    feed_inputs(&arguments.inputs, &system, &mut run)?;
    if let Some(error) = run.missing_input() {
        return Err(Problem::new(system.explain(&error), system.sources()).into());
    }
    let listener = gathered.clone();
    run.listen(Box::new(move |event| listener.lock().expect("no listener panics").take(event)));
    run.record_nothing();
    warn_of_long_run(&system, Time::from_f64(at).unwrap_or(Time::MAX), Format::Text);
    interrupt::note_run(true);
    let mut progress = Progress::new(system.settings(), false);
    let end = advance(&mut run, &mut progress, |tag| {
        gathered.lock().expect("no listener panics").is_found(tag.time)
    });
    interrupt::note_run(false);
    drop(progress);
    let events =
        std::mem::take(&mut *gathered.lock().expect("no listener panics")).events(microstep);
    show(&system.tell(&events))?;
    match end {
        End::Interrupted(tag) => Err(Interrupted::run(tag, None).into()),
        End::Failed(error, inputs) => {
            let message = system.explain_with(&error, &inputs).render(system.sources(), colour());
            notify(&format!("{message}\n"));
            Ok(())
        }
        End::Reached(_) | End::Unwritten(_) => Ok(()),
    }
}
