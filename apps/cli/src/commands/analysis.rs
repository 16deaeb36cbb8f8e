//! `trim` and `linearize`: steady states and linear models, as text or as one JSON object.

mod object;
mod words;

use anyhow::{Result, bail};
use superdense::{
    AnalysisError, Delays, Linearize, OperatingPoint, Side, System, Trim, Trimmed, parse_value,
};

use crate::arguments::studies::{SideOption, TrimOptions};
use crate::arguments::{Format, LinearizeArguments, ModelArguments, TrimArguments};
use crate::inputs::refuse_files;
use crate::model::{compile_given, time};
use crate::report::{Problem, refused, show};

pub fn trim(arguments: &TrimArguments) -> Result<()> {
    let given = Given::of(&arguments.model, "trim")?;
    let (system, about) = given.conditions(&arguments.model, &arguments.steady, &[])?;
    let point = given.point(&system, arguments.at.as_deref(), &about)?;
    let found = steady(&system, &point, &about)?;
    show(&match arguments.format {
        Format::Text => words::trimmed(&found),
        Format::Json => format!("{}\n", object::trimmed(&found)),
    })
}

pub fn linearize(arguments: &LinearizeArguments) -> Result<()> {
    let LinearizeArguments { model, steady: options, trim, .. } = arguments;
    if !trim && options.is_asked() {
        bail!("conditions of a steady state need `--trim`, which searches for it");
    }
    let given = Given::of(model, "linearize")?;
    let (system, about) = given.conditions(model, options, &arguments.to)?;
    let point = given.point(&system, arguments.at.as_deref(), &about)?;
    let found = match trim {
        true => Some(steady(&system, &point, &about)?),
        false => None,
    };
    let named = |names: &[String]| (!names.is_empty()).then(|| names.to_vec());
    let about = Linearize {
        inputs: named(&arguments.from),
        outputs: named(&arguments.to),
        delays: arguments.delays.map_or(Delays::Refuse, Delays::Pade),
        side: arguments.side.map(|side| match side {
            SideOption::Above => Side::Above,
            SideOption::Below => Side::Below,
        }),
    };
    let at = found.as_ref().map_or(&point, |found| &found.point);
    let linear = system.linearize(at, &about).map_err(|error| failed(&system, &error))?;
    show(&match arguments.format {
        Format::Text => words::linear(&linear, found.as_ref()),
        Format::Json => format!("{}\n", object::linear(&linear, found.as_ref())),
    })
}

fn steady(system: &System, point: &OperatingPoint, about: &Trim) -> Result<Trimmed> {
    system.trim(point, about).map_err(|error| failed(system, &error))
}

fn failed(system: &System, error: &AnalysisError) -> anyhow::Error {
    let superdense::Refused { diagnostics, sources } = system.explain_analysis(error);
    Problem::all(diagnostics, &sources).into()
}

/// The inputs of the command line: numbers, which stay inputs, and functions of time.
struct Given {
    numbers: Vec<(String, Vec<f64>)>,
    functions: Vec<String>,
}

impl Given {
    fn of(model: &ModelArguments, command: &str) -> Result<Given> {
        refuse_files(&model.inputs, command)?;
        let mut given = Given { numbers: Vec::new(), functions: Vec::new() };
        for text in &model.inputs {
            let number = text.split_once('=').and_then(|(name, value)| {
                let value = parse_value(value).ok()?;
                Some((name.trim().to_owned(), value.data().to_vec()))
            });
            match number {
                Some(number) => given.numbers.push(number),
                None => given.functions.push(text.clone()),
            }
        }
        Ok(given)
    }

    /// The model, which sees everything that is asked for, and the conditions of a steady state.
    fn conditions(
        &self,
        model: &ModelArguments,
        options: &TrimOptions,
        seen: &[String],
    ) -> Result<(System, Trim)> {
        let system = compile_given(model, &self.functions)?;
        let mut about = options.read()?;
        let wanted: Vec<String> =
            options.named()?.into_iter().map(|own| own.0).chain(seen.iter().cloned()).collect();
        let system = system.observing(&wanted).map_err(|error| failed(&system, &error))?;
        for (name, values) in options.named()? {
            let place = match system.role(&name) {
                Some(superdense::SignalRole::State) => &mut about.states,
                Some(superdense::SignalRole::Input) => &mut about.inputs,
                _ => &mut about.outputs,
            };
            place.push((name, values));
        }
        about.inputs.extend(self.numbers.iter().cloned());
        Ok((system, about))
    }

    /// The point of a run with the inputs that are given.
    fn point(&self, system: &System, at: Option<&str>, about: &Trim) -> Result<OperatingPoint> {
        let at = time(at, "--at")?;
        let mut inputs = self.numbers.clone();
        let outside = system.inputs();
        let own = about.inputs.iter().filter(|(name, _)| {
            let given = inputs.iter().any(|(other, _)| other == name);
            !given && outside.iter().any(|input| input.name() == name)
        });
        inputs.extend(own.cloned().collect::<Vec<_>>());
        system.operating_point(at, &inputs).map_err(|error| failed(system, &error))
    }
}

impl TrimOptions {
    /// Whether anything is asked for.
    fn is_asked(&self) -> bool {
        let lists = [&self.conditions, &self.rates, &self.moving, &self.free, &self.fixed];
        lists.into_iter().chain([&self.guesses, &self.bounds]).any(|list| !list.is_empty())
    }

    /// The names with values of `--where`.
    fn named(&self) -> Result<Vec<(String, Vec<f64>)>> {
        self.conditions.iter().map(|text| pair(text, "--where")).collect()
    }

    /// Everything but these.
    fn read(&self) -> Result<Trim> {
        let pairs = |texts: &[String], option: &str| {
            texts.iter().map(|text| pair(text, option)).collect::<Result<Vec<_>>>()
        };
        Ok(Trim {
            rates: pairs(&self.rates, "--rate")?,
            moving: self.moving.clone(),
            free: self.free.clone(),
            fixed: self.fixed.clone(),
            guess: pairs(&self.guesses, "--guess")?,
            bounds: self.bounds.iter().map(|text| bound(text)).collect::<Result<_>>()?,
            ..Trim::default()
        })
    }
}

/// A name with the elements of its value.
fn pair(text: &str, option: &str) -> Result<(String, Vec<f64>)> {
    let Some((name, value)) = text.rsplit_once('=') else {
        bail!("`{option} {text}` has no `=`: write `{option} NAME=VALUE`");
    };
    let value = parse_value(value).map_err(refused)?;
    Ok((name.trim().to_owned(), value.data().to_vec()))
}

/// A name with its lowest and highest value.
fn bound(text: &str) -> Result<(String, f64, f64)> {
    let parts = text.rsplit_once('=').and_then(|(name, range)| {
        let (low, high) = range.split_once(':')?;
        Some((name, low, high))
    });
    let Some((name, low, high)) = parts else {
        bail!("`--bound {text}` is not of the form NAME=LOW:HIGH, such as `u=0:inf`");
    };
    let number = |text: &str| -> Result<f64> {
        match parse_value(text).map_err(refused)?.as_f64() {
            Some(number) => Ok(number),
            None => bail!("`{text}` is no number"),
        }
    };
    Ok((name.trim().to_owned(), number(low)?, number(high)?))
}
