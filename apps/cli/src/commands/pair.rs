//! `pair`: the pairing of a signal of a saved trace with a test function.

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use superdense::{Bump, DerivativeOf, parse_value, traces};

use crate::arguments::{Format, PairArguments};
use crate::report::{refused, show, unread};

/// The maximum order of the derivative of the test function.
const MOST: usize = 32;

pub fn pair(arguments: &PairArguments) -> Result<()> {
    let bump = bump(&arguments.bump)?;
    if arguments.derivative > MOST {
        bail!("`--derivative {}` is more than {MOST}", arguments.derivative);
    }
    let trace = traces::read(&arguments.trace).map_err(unread)?;
    let phi = DerivativeOf(bump, arguments.derivative);
    let number = traces::pair(&trace, &arguments.signal, &phi).map_err(|error| anyhow!(error))?;
    show(&match arguments.format {
        Format::Text => format!("{number}\n"),
        Format::Json => {
            format!("{}\n", json!({"signal": arguments.signal, "pairing": number}))
        }
    })
}

fn bump(text: &str) -> Result<Bump> {
    let wrong = || format!("`--bump {text}` is no time and positive radius: write CENTER,RADIUS");
    let (center, radius) = text.split_once(',').with_context(wrong)?;
    let number = |text: &str| {
        let value = parse_value(text.trim()).map_err(refused)?;
        value.as_f64().with_context(wrong)
    };
    Bump::new(number(center)?, number(radius)?).with_context(wrong)
}
