//! Actors that choose, compare and combine what they have at once.

use super::actor::{Actor, any_present, grouped};
use crate::Problem;
use crate::yaml::Yaml;

/// The greatest number of signals or levels among which an actor may choose.
const MOST: usize = 1000;

/// Translates an actor by its class; any other class is not supported.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "EventFilter" => {
            let input = actor.signal("input");
            actor.expression(&format!("when({input}, {input})"));
            Ok(())
        }
        "IsPresent" => is_present(actor),
        "LogicFunction" | "LogicGate" => gate(actor),
        "Equals" => equals(actor),
        "Switch" => switch(actor),
        "Select" => select(actor),
        "BooleanSwitch" => boolean_switch(actor),
        "BooleanSelect" => boolean_select(actor),
        "Quantizer" => quantizer(actor),
        "DB" => decibels(actor),
        "Round" => round(actor),
        "DotProduct" => {
            let (a, b) = (actor.signal("input1"), actor.signal("input2"));
            actor.expression(&format!("dot({a}, {b})"));
            Ok(())
        }
        "VectorAssembler" | "ElementsToArray" => {
            let inputs = actor.inputs("input");
            actor.expression(&format!("[{}]", inputs.join(", ")));
            Ok(())
        }
        "VectorDisassembler" | "ArrayToElements" => elements(actor),
        "ArrayElement" => {
            let (input, index) = (actor.signal("input"), actor.port_parameter("index", "0")?);
            actor.expression(&format!("{input}[{index}]"));
            Ok(())
        }
        "ArraySum" => {
            let input = actor.signal("input");
            actor.expression(&format!("sum({input})"));
            Ok(())
        }
        "StringConst" => {
            let value = crate::expression::code(&actor.word("value", "")).to_string();
            let text = actor.triggered(&value);
            actor.expression(&text);
            Ok(())
        }
        _ => super::values::translate(actor),
    }
}

fn is_present(actor: &mut Actor) -> Result<(), Problem> {
    for channel in 0..actor.width("input") {
        let (input, output) = (actor.channel("input", channel), actor.output("output", channel));
        let text = match actor.frame.events {
            true => format!("when({}, present({input}))", any_present(&actor.inputs("input"))),
            false => actor.triggered(&format!("present({input})")),
        };
        actor.named(&output, &text);
    }
    Ok(())
}

/// A gate combines the inputs that are present.
fn gate(actor: &mut Actor) -> Result<(), Problem> {
    let word = match actor.own.kind() {
        "LogicGate" => actor.word("logic", "and"),
        _ => actor.word("function", "and"),
    };
    let inputs = actor.inputs("input");
    let (neutral, negated) = match word.as_str() {
        "and" => ("true", false),
        "nand" => ("true", true),
        "or" | "xor" => ("false", false),
        "nor" | "xnor" => ("false", true),
        _ => return Err(actor.unsupported(format!("the function `{word}`"))),
    };
    let joint = match word.as_str() {
        "and" | "nand" => " and ",
        "or" | "nor" => " or ",
        _ => " != ",
    };
    let mut terms = Vec::new();
    for input in &inputs {
        let term = actor.part("term");
        actor.named(&term, &format!("if present({input}) then {input} else {neutral}"));
        terms.push(term);
    }
    let Some(first) = terms.first().cloned() else {
        actor.expression("absent");
        return Ok(());
    };
    let rest = terms.iter().skip(1);
    let all = rest.fold(first, |all, term| format!("({all}{joint}{term})"));
    let all = if negated { format!("not {all}") } else { all };
    actor.expression(&format!("when({}, {all})", any_present(&inputs)));
    Ok(())
}

fn equals(actor: &mut Actor) -> Result<(), Problem> {
    let mut inputs = actor.inputs("input");
    if actor.frame.events || actor.frame.tick().is_some() {
        inputs = actor.together(&inputs);
    }
    let tolerance = actor.number("tolerance", "0").unwrap_or(0.0);
    let Some((first, others)) = inputs.split_first().filter(|(_, others)| !others.is_empty())
    else {
        return Err(actor.unsupported("fewer than two inputs"));
    };
    let same = |other: &String| match tolerance > 0.0 {
        true => format!("abs({first} - {other}) <= {tolerance}"),
        false => format!("{first} == {other}"),
    };
    let all: Vec<String> = others.iter().map(same).collect();
    actor.expression(&all.join(" and "));
    Ok(())
}

/// A value that is kept once it has come.
pub fn kept(actor: &mut Actor, port: &str, initial: &str) -> String {
    let Some(signal) = actor.input(port) else { return initial.to_owned() };
    let held = actor.part(port);
    let event = format!("when(present({signal}), {signal})");
    let fields = vec![("input", Yaml::Text(event)), ("initial", Yaml::text(initial))];
    actor.block(&held, "ZeroOrderHold", fields);
    held
}

fn switch(actor: &mut Actor) -> Result<(), Problem> {
    let (input, control) = (actor.signal("input"), kept(actor, "control", "0"));
    for channel in 0..actor.width("output").min(MOST) {
        let output = actor.output("output", channel);
        actor.named(&output, &format!("when({control} == {channel}, {input})"));
    }
    Ok(())
}

fn select(actor: &mut Actor) -> Result<(), Problem> {
    let control = kept(actor, "control", "0");
    let width = actor.width("input");
    if width > MOST {
        return Err(actor.unsupported(format!("more than {MOST} inputs")));
    }
    let mut rest = "absent".to_owned();
    for channel in (0..width).rev() {
        let name = actor.part("chosen");
        let input = actor.channel("input", channel);
        actor.named(&name, &format!("if {control} == {channel} then {input} else {rest}"));
        rest = name;
    }
    actor.expression(&rest);
    Ok(())
}

fn boolean_switch(actor: &mut Actor) -> Result<(), Problem> {
    let (input, control) = (actor.signal("input"), kept(actor, "control", "false"));
    let (yes, no) = (actor.output("trueOutput", 0), actor.output("falseOutput", 0));
    actor.named(&yes, &format!("when({control}, {input})"));
    actor.named(&no, &format!("when(not {control}, {input})"));
    Ok(())
}

fn boolean_select(actor: &mut Actor) -> Result<(), Problem> {
    let control = kept(actor, "control", "false");
    let (yes, no) = (actor.signal("trueInput"), actor.signal("falseInput"));
    actor.expression(&format!("if {control} then {yes} else {no}"));
    Ok(())
}

/// The level that is nearest to the input.
fn quantizer(actor: &mut Actor) -> Result<(), Problem> {
    let levels = actor.numbers("levels", "{-1.0, 1.0}").filter(|own| !own.is_empty());
    let levels = levels.filter(|own| own.len() <= MOST);
    let levels =
        levels.ok_or_else(|| actor.unsupported("`levels` is not an array of constants"))?;
    let input = grouped(&actor.signal("input"));
    let mut index = Vec::new();
    for pair in levels.windows(2) {
        index.push(format!("(if {input} > {} then 1 else 0)", (pair[0] + pair[1]) / 2.0));
    }
    let list: Vec<String> = levels.iter().map(f64::to_string).collect();
    match index.is_empty() {
        true => actor.expression(&format!("0 * {input} + {}", list[0])),
        false => actor.expression(&format!("[{}][{}]", list.join(", "), index.join(" + "))),
    }
    Ok(())
}

fn decibels(actor: &mut Actor) -> Result<(), Problem> {
    let factor = if actor.flag("inputIsPower", false) { 10 } else { 20 };
    let (input, least) = (actor.signal("input"), actor.parameter("min", "-100.0")?);
    let value = format!("max({factor} * log10({input}), {least})");
    actor.expression(&format!("if {input} > 0 then {value} else {least}"));
    Ok(())
}

fn round(actor: &mut Actor) -> Result<(), Problem> {
    let input = actor.signal("input");
    let text = match actor.word("function", "round").as_str() {
        "ceil" => format!("ceil({input})"),
        "floor" => format!("floor({input})"),
        // Java rounds a half up.
        "round" => format!("floor({input} + 0.5)"),
        "truncate" => format!("sign({input}) * floor(abs({input}))"),
        word => return Err(actor.unsupported(format!("the function `{word}`"))),
    };
    actor.expression(&text);
    Ok(())
}

fn elements(actor: &mut Actor) -> Result<(), Problem> {
    let input = actor.signal("input");
    for channel in 0..actor.width("output") {
        let output = actor.output("output", channel);
        actor.named(&output, &format!("{input}[{channel}]"));
    }
    Ok(())
}
