//! Actors with time: clocks, events, waves and time itself.

use super::actor::Actor;
use crate::Problem;
use crate::yaml::Yaml;

/// Translates a source by its class; any other class is not supported.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "Const" => constant(actor),
        "CurrentTime" => {
            // Inside a state `time` stands still while the state is not active.
            let local = actor.flag("useLocalTime", false);
            let now = actor.frame.inside.as_ref().filter(|_| !local);
            let now = now.map_or("time".to_owned(), |inside| inside.now.clone());
            let text = actor.triggered(&now);
            actor.expression(&text);
            Ok(())
        }
        "CurrentMicrostep" | "GetCurrentMicrostep" => {
            let trigger = actor.signal("trigger");
            let fields = vec![("trigger", Yaml::Text(trigger))];
            actor.block(&actor.name.clone(), "CurrentMicrostep", fields);
            Ok(())
        }
        "DiscreteClock" | "Clock" | "EventSource" => clock(actor),
        "SingleEvent" => {
            let (time, value) = (actor.parameter("time", "0.0")?, actor.parameter("value", "true")?);
            let fields = vec![
                ("offsets", Yaml::list([time])),
                ("values", Yaml::list([value])),
                ("repeat", Yaml::text("once")),
            ];
            actor.block(&actor.name.clone(), "EventSource", fields);
            Ok(())
        }
        "Waveform" => waveform(actor),
        "Ramp" => ramp(actor),
        "ContinuousTransferFunction" => transfer_function(actor),
        "PoissonClock" | "Bernoulli" | "Gaussian" | "Uniform" | "ColtExponential"
        | "BandlimitedNoise" | "DiscreteRandomSource" | "Rician" => {
            Err(actor.unsupported("random numbers of Java's generators"))
        }
        _ => Err(actor.unsupported(format!("the class `{}`", actor.own.base))),
    }
}

fn constant(actor: &mut Actor) -> Result<(), Problem> {
    let value = actor.parameter("value", "1")?;
    match actor.inputs("trigger").is_empty() {
        true => actor.block(&actor.name.clone(), "Constant", vec![("value", Yaml::Text(value))]),
        false => {
            let text = actor.triggered(&value);
            actor.expression(&text);
        }
    }
    Ok(())
}

/// The offsets or values of a pattern: a list if the array is written out, otherwise an expression.
fn pattern(actor: &Actor, name: &str, default: &str) -> Result<Yaml, Problem> {
    let text = actor.parameter(name, default)?;
    Ok(Yaml::Text(text))
}

fn clock(actor: &mut Actor) -> Result<(), Problem> {
    ["period", "trigger", "start", "stop"].iter().try_for_each(|port| actor.refuse_port(port))?;
    let (offsets, values) = match actor.own.kind() {
        "Clock" => ("{0.0, 1.0}", "{1, 0}"),
        "EventSource" => ("{0.0}", "{1.0}"),
        _ => ("{0.0}", "{1}"),
    };
    let mut fields = vec![
        ("offsets", pattern(actor, "offsets", offsets)?),
        ("values", pattern(actor, "values", values)?),
    ];
    let period = match actor.own.kind() {
        "Clock" => "2.0",
        "EventSource" => "2.0",
        _ => "1.0",
    };
    let period = actor.parameter("period", period)?;
    match period == "inf" {
        true => fields.push(("repeat", Yaml::text("once"))),
        false => fields.push(("period", Yaml::Text(period))),
    }
    let cycles = actor.parameter("numberOfCycles", "-1")?;
    if cycles.parse::<f64>().is_ok_and(|cycles| cycles > 0.0) {
        let offsets = actor.parameter("offsets", offsets)?;
        fields.push(("count", Yaml::Text(format!("{cycles} * length({offsets})"))));
    }
    if let Some(stop) = actor.optional("stopTime")?.filter(|stop| stop != "inf") {
        fields.push(("stop", Yaml::list([stop])));
    }
    actor.block(&actor.name.clone(), "EventSource", fields);
    Ok(())
}

fn waveform(actor: &mut Actor) -> Result<(), Problem> {
    let period = actor.parameter("period", "2.0")?;
    let mut fields = vec![
        ("times", pattern(actor, "offsets", "{0.0, 1.0}")?),
        ("values", pattern(actor, "values", "{1, -1}")?),
        ("interpolation", Yaml::Text(actor.word("interpolation", "linear"))),
    ];
    match period == "inf" {
        true => fields.push(("repeat", Yaml::text("once"))),
        false => fields.push(("period", Yaml::Text(period))),
    }
    actor.block(&actor.name.clone(), "Waveform", fields);
    Ok(())
}

/// A ramp counts its firings, which are events if it has a trigger.
fn ramp(actor: &mut Actor) -> Result<(), Problem> {
    actor.refuse_port("step")?;
    let triggers = actor.inputs("trigger");
    if triggers.is_empty() {
        return Err(actor.unsupported("a ramp without a trigger, which counts the solver's steps"));
    }
    let (init, step) = (actor.factor("init", "0")?, actor.factor("step", "1")?);
    let count = actor.part("count");
    let event = format!("when({}, 1)", super::actor::any_present(&triggers));
    let fields = vec![("increment", Yaml::Text(event)), ("initial", Yaml::text("-1"))];
    actor.block(&count, "Counter", fields);
    actor.expression(&format!("{init} + {step} * {count}"));
    Ok(())
}

fn transfer_function(actor: &mut Actor) -> Result<(), Problem> {
    let numerator = actor.parameter("numerator", "{1.0}")?;
    let denominator = actor.parameter("denominator", "{1.0}")?;
    let input = actor.signal("input");
    let fields = vec![
        ("input", Yaml::Text(input)),
        ("numerator", Yaml::Text(numerator)),
        ("denominator", Yaml::Text(denominator)),
    ];
    actor.block(&actor.name.clone(), "TransferFunction", fields);
    Ok(())
}
