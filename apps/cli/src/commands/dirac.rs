//! `dirac`: symbolic and numeric impulses compared.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use superdense::{
    AtStep, Impulses, Library, Rational, Study, StudyError, System, Time, Verdict, read, study,
};

use super::pictures::{check_picture, draw_study};
use crate::arguments::{DiracArguments, Format};
use crate::inputs::refuse_files;
use crate::model::{duration, overrides};
use crate::report::{Problem, refused, show, warn_of_long_run};

/// How many rows make a curve of the exact run look smooth.
const ROWS_OF_A_CURVE: u32 = 1000;

pub fn dirac(arguments: &DiracArguments) -> Result<()> {
    if let Some(path) = &arguments.plot {
        check_picture(path)?;
    }
    let steps = steps(&arguments.steps)?;
    refuse_files(&arguments.model.inputs, "dirac")?;
    let model = read(&arguments.model.model).map_err(refused)?;
    let mut overrides = overrides(&arguments.model, &model)?;
    overrides.smooth = arguments.plot.is_some().then_some(ROWS_OF_A_CURVE);
    let numeric = overrides.clone().impulses(Impulses::Numeric.name());
    let longest = steps.iter().min().map_or(numeric.clone(), |step| numeric.step(*step));
    // The study itself reports a model that cannot be compiled.
    if let Ok(system) = System::compile_with(&model, &Library::standard(), &longest) {
        warn_of_long_run(&system, Time::MAX, arguments.format);
    }
    let study = study(&model, &Library::standard(), &overrides, &steps).map_err(failed)?;
    show(&match arguments.format {
        Format::Text => text(&study),
        Format::Json => format!("{}\n", object(&model.name, &study)),
    })?;
    match &arguments.plot {
        Some(path) => draw_study(&model.name, &study, path),
        None => Ok(()),
    }
}

fn steps(texts: &[String]) -> Result<Vec<Rational>> {
    let mut steps = Vec::new();
    for text in texts {
        steps.extend(duration(Some(text), "--steps")?);
    }
    Ok(steps)
}

fn failed(error: StudyError) -> anyhow::Error {
    match error {
        StudyError::Refused(why) => refused(why),
        StudyError::Failed(system, failure) => {
            Problem::new(system.explain(&failure.error), system.sources()).into()
        }
    }
}

fn text(study: &Study) -> String {
    let exact = match study.verdict {
        Verdict::Meaningless => "refused".to_owned(),
        _ => format!("{:.1?}", study.exact_time),
    };
    let mut out = format!("symbolic, exact      {exact}\n");
    for step in &study.steps {
        out += &listed(step);
    }
    out + &format!("\nsuits the model      {}\n", wrapped(study.verdict.words()))
}

/// The results of one step size, a line for each quantity.
fn listed(step: &AtStep) -> String {
    let mut out = format!("\nh = {} s\n", step.step);
    let mut line = |name: &str, words: String| out += &format!("  {name:<18} {words}\n");
    if let Some(error) = &step.broken {
        line("numeric", format!("ends early: {error}"));
    }
    match (&step.difference, step.relative, &step.refused) {
        (_, _, Some(error)) => {
            line("symbolic", format!("refused: {error}"));
            line("largest magnitude", format!("{:.6e}", step.magnitude));
            return out;
        }
        (Some((most, _)), _, _) if *most == 0.0 => line("largest difference", "none".to_owned()),
        (Some((most, signal)), Some(relative), _) => {
            let words = format!("{most:.3e} in {signal}, {relative:.1e} of its size");
            line("largest difference", words);
        }
        _ => {}
    }
    if let Some((mean, signal)) = &step.from_exact {
        line("from exact, mean", format!("{mean:.3e} in {signal}"));
    }
    match step.order {
        Some(order) => {
            line("highest order", order.to_string());
            let (steps, late) = (step.delay, step.delay as f64 * step.step);
            line("delay", format!("{steps} steps, {late} s"));
        }
        None => line("impulses", "none".to_owned()),
    }
    let (met, predicted) = (step.magnitude, step.predicted);
    line("largest magnitude", format!("{met:.6e}, predicted {predicted:.6e}"));
    line("shortest step", format!("{:.3e} s", step.shortest_step));
    line("overflow in f32", overflow(step.overflow.f32, step));
    line("overflow in f64", overflow(step.overflow.f64, step));
    let (numeric, stepped) = (step.runs.numeric_time, step.runs.stepped_time);
    line("time", format!("numeric {numeric:.1?}, symbolic with the same formulas {stepped:.1?}"));
    out
}

fn overflow(limit: f64, step: &AtStep) -> String {
    match step.shortest_step < limit {
        _ if limit == 0.0 => "never".to_owned(),
        true => format!("below {limit:.2e} s: here"),
        false => format!("below {limit:.2e} s"),
    }
}

/// Wrapped text whose lines are aligned below the first word.
fn wrapped(words: &str) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in words.split_whitespace() {
        if length + word.len() > 58 {
            out += &format!("\n{:21}", "");
            length = 0;
        }
        if length > 0 {
            out.push(' ');
        }
        out += word;
        length += word.len() + 1;
    }
    out
}

fn object(model: &str, study: &Study) -> Value {
    let seconds = |time: Duration| time.as_secs_f64();
    let steps: Vec<Value> = study
        .steps
        .iter()
        .map(|step| {
            json!({
                "step": step.step,
                "shortest_step": step.shortest_step,
                "difference": step.difference.as_ref().map(|found| found.0),
                "difference_in": step.difference.as_ref().map(|found| &found.1),
                "relative_difference": step.relative,
                "mean_difference_from_exact": step.from_exact.as_ref().map(|found| found.0),
                "mean_difference_in": step.from_exact.as_ref().map(|found| &found.1),
                "order": step.order,
                "delay_steps": step.delay,
                "magnitude": step.magnitude,
                "predicted_magnitude": step.predicted,
                "overflow_below_step_f32": step.overflow.f32,
                "overflow_below_step_f64": step.overflow.f64,
                "numeric_seconds": seconds(step.runs.numeric_time),
                "stepped_seconds": seconds(step.runs.stepped_time),
                "refused": step.refused.as_ref().map(ToString::to_string),
                "broken": step.broken.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    json!({
        "model": model,
        "exact_seconds": seconds(study.exact_time),
        "steps": steps,
        "verdict": study.verdict.name(),
        "words": study.verdict.words(),
    })
}
