//! Actors that compute from what they have at once: tables, remainders, arrays, choices by an index.

use super::actor::{Actor, any_present, grouped};
use crate::Problem;
use crate::yaml::Yaml;

/// The greatest number of signals among which an actor may choose.
const MOST: usize = 1000;

/// Translates an actor by its class; any other class is not supported.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "Multiplexor" => multiplexor(actor),
        "BooleanMultiplexor" => {
            let (yes, no) = (actor.signal("trueInput"), actor.signal("falseInput"));
            let (select, name) =
                (super::logic::kept(actor, "select", "false"), actor.part("chosen"));
            actor.named(&name, &format!("if {select} then {yes} else {no}"));
            chosen(actor, &name);
            Ok(())
        }
        "LookupTable" => lookup(actor),
        "Remainder" => remainder(actor),
        "Wire" | "AnythingToDouble" | "LongToDouble" | "FloatToDouble" => {
            let input = actor.signal("input");
            actor.expression(&input);
            Ok(())
        }
        "RoundDoubleToFix" => Err(actor.unsupported("numbers with a fixed point")),
        "ArrayLength" => of_array(actor, |array| format!("length({array})")),
        "ArrayMaximum" => extreme(actor, "max"),
        "ArrayMinimum" => extreme(actor, "min"),
        "ArrayAverage" => of_array(actor, |array| format!("sum({array}) / length({array})")),
        "ArrayExtract" => extract(actor),
        "Synchronizer" => synchronizer(actor),
        "FIR" => filter(actor),
        "IIR" => recursive_filter(actor),
        "Sinewave" => sine(actor),
        _ => super::random::translate(actor),
    }
}

fn of_array(actor: &mut Actor, text: impl Fn(&str) -> String) -> Result<(), Problem> {
    let input = actor.signal("input");
    actor.expression(&text(&grouped(&input)));
    Ok(())
}

fn multiplexor(actor: &mut Actor) -> Result<(), Problem> {
    let width = actor.width("input");
    if width > MOST {
        return Err(actor.unsupported(format!("more than {MOST} inputs")));
    }
    let select = super::logic::kept(actor, "select", "0");
    let mut rest = "absent".to_owned();
    for channel in (0..width).rev() {
        let (name, input) = (actor.part("chosen"), actor.channel("input", channel));
        actor.named(&name, &format!("if {select} == {channel} then {input} else {rest}"));
        rest = name;
    }
    chosen(actor, &rest);
    Ok(())
}

/// What has been chosen comes with the signal that chooses.
fn chosen(actor: &mut Actor, value: &str) {
    let select = actor.signal("select");
    actor.expression(&format!("when(present({select}), {value})"));
}

/// The element of a table at an index; none if it is outside.
fn lookup(actor: &mut Actor) -> Result<(), Problem> {
    let table = actor.elements("table", "{0.0}")?;
    if table.is_empty() {
        return Err(actor.unsupported("`table` is not an array that is written out"));
    }
    let (input, last) = (grouped(&actor.signal("input")), table.len() - 1);
    let value = format!("[{}][min(max({input}, 0), {last})]", table.join(", "));
    actor.expression(&format!("when({input} >= 0 and {input} <= {last}, {value})"));
    Ok(())
}

/// The remainder of IEEE 754: the quotient is rounded to the nearest integer, a half to an even one.
fn remainder(actor: &mut Actor) -> Result<(), Problem> {
    let (input, divisor) = (grouped(&actor.signal("input")), actor.factor("divisor", "1.0")?);
    let [quotient, up] = ["quotient", "up"].map(|part| actor.part(part));
    actor.named(&quotient, &format!("{input} / {divisor}"));
    actor.named(&up, &format!("floor({quotient} + 0.5)"));
    let odd = format!("{quotient} + 0.5 == {up} and mod({up}, 2) == 1");
    actor.expression(&format!("{input} - {divisor} * (if {odd} then {up} - 1 else {up})"));
    Ok(())
}

fn extreme(actor: &mut Actor, function: &str) -> Result<(), Problem> {
    let input = actor.signal("input");
    let index = actor.output("index", 0);
    if actor.frame.wiring.linked(&actor.own.name).contains(&"index") {
        return Err(actor.unsupported(format!("a connected port `{index}`")));
    }
    actor.expression(&format!("{function}({input})"));
    Ok(())
}

/// Some elements of an array, in an array of zeros.
fn extract(actor: &mut Actor) -> Result<(), Problem> {
    let number = |name: &str, usual: &str| {
        if actor.input(name).is_some() {
            return Err(actor.unsupported(format!("a connected port `{name}`")));
        }
        let own = actor.number(name, usual).filter(|own| (0.0..1e6).contains(own));
        let reason = || actor.unsupported(format!("`{name}` is not a constant number"));
        own.map(|own| own as usize).ok_or_else(reason)
    };
    let (source, length) = (number("sourcePosition", "0")?, number("extractLength", "1")?);
    let (to, size) = (number("destinationPosition", "0")?, number("outputArrayLength", "1")?);
    if to + length > size {
        return Err(actor.unsupported("more elements than the output has"));
    }
    let input = actor.signal("input");
    let element = |at: usize| match (to..to + length).contains(&at) {
        true => format!("{input}[{}]", at - to + source),
        false => "0".to_owned(),
    };
    let all: Vec<String> = (0..size).map(element).collect();
    actor.expression(&format!("[{}]", all.join(", ")));
    Ok(())
}

/// The inputs at the tags at which all of them come.
fn synchronizer(actor: &mut Actor) -> Result<(), Problem> {
    let inputs = actor.inputs("input");
    let all: Vec<String> = inputs.iter().map(|own| format!("present({own})")).collect();
    let all = all.join(" and ");
    for channel in 0..actor.width("input") {
        let (input, output) = (actor.channel("input", channel), actor.output("output", channel));
        actor.named(&output, &format!("when({all}, {input})"));
    }
    Ok(())
}

fn filter(actor: &mut Actor) -> Result<(), Problem> {
    for name in ["decimation", "interpolation"] {
        if actor.number(name, "1") != Some(1.0) {
            return Err(actor.unsupported(format!("a `{name}` other than 1")));
        }
    }
    actor.refuse_port("newTaps")?;
    let (input, taps) = (actor.signal("input"), actor.parameter("taps", "{1.0}")?);
    let mut fields = vec![("input", Yaml::Text(input)), ("coefficients", Yaml::Text(taps))];
    if let Some((_, tick)) = actor.frame.tick() {
        fields.push(("trigger", Yaml::Text(tick)));
    }
    actor.block(&actor.name.clone(), "FIR", fields);
    Ok(())
}

/// A filter with feedback; both lists begin with the newest sample, and the shorter one ends with
/// zeros.
fn recursive_filter(actor: &mut Actor) -> Result<(), Problem> {
    let lists = [actor.elements("numerator", "{1.0}")?, actor.elements("denominator", "{1.0}")?];
    let length = lists[0].len().max(lists[1].len());
    if lists.iter().any(Vec::is_empty) {
        return Err(actor.unsupported("coefficients that are not arrays written out"));
    }
    let [numerator, denominator] = lists.map(|mut list| {
        list.resize(length, "0".to_owned());
        Yaml::list(list)
    });
    let input = ("input", Yaml::Text(actor.signal("input")));
    let mut fields = vec![input, ("numerator", numerator), ("denominator", denominator)];
    if let Some((_, tick)) = actor.frame.tick() {
        fields.push(("trigger", Yaml::Text(tick)));
    }
    actor.block(&actor.name.clone(), "DiscreteTransferFunction", fields);
    Ok(())
}

/// A sine whose angle grows with each firing.
fn sine(actor: &mut Actor) -> Result<(), Problem> {
    ["frequency", "phase"].iter().try_for_each(|port| actor.refuse_port(port))?;
    let (rate, frequency) =
        (actor.factor("samplingFrequency", "8000.0")?, actor.factor("frequency", "440.0")?);
    let phase = actor.factor("phase", "0.0")?;
    let event = actor.firing()?;
    let count = super::events::firings(actor, event);
    let step = format!("{frequency} * 2 * pi / {rate}");
    actor.expression(&format!("sin({phase} + ({step}) * {count})"));
    Ok(())
}

/// The greatest or least of the signals that are there, and the number of its channel.
pub fn extremes(actor: &mut Actor, function: &str, port: &str) -> Result<(), Problem> {
    let (name, inputs) = (actor.output(port, 0), actor.inputs("input"));
    let linked = actor.frame.wiring.linked(&actor.own.name);
    let numbered = linked.contains(&"channelNumber");
    if inputs.is_empty() || inputs.len() > MOST {
        return Err(actor.unsupported("no inputs, or too many"));
    }
    // Events may come apart: then those that come count.
    let apart = actor.frame.events && inputs.len() > 1;
    let most = "1.7976931348623157e308";
    let (none, sign) = match function {
        "max" => (format!("-{most}"), ">"),
        _ => (most.to_owned(), "<"),
    };
    let mut values = inputs.clone();
    if apart {
        for (value, input) in values.iter_mut().zip(&inputs) {
            *value = actor.part("value");
            actor.named(value, &format!("if present({input}) then {input} else {none}"));
        }
    }
    let extreme = format!("{function}({})", values.join(", "));
    let fired = any_present(&inputs);
    let gate = |text: String| if apart { format!("when({fired}, {text})") } else { text };
    actor.named(&name, &gate(extreme));
    if numbered {
        let (mut best, mut number) = (values[0].clone(), "0".to_owned());
        for (channel, value) in values.iter().enumerate().skip(1) {
            let [own, index] = ["best", "index"].map(|part| actor.part(part));
            actor.named(&index, &format!("if {value} {sign} {best} then {channel} else {number}"));
            actor.named(&own, &format!("{function}({best}, {value})"));
            (best, number) = (own, index);
        }
        let text = if values.len() == 1 { format!("0 * {best}") } else { number };
        let output = actor.output("channelNumber", 0);
        actor.named(&output, &gate(text));
    }
    Ok(())
}
