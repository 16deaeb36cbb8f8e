//! Actors without time: functions, gates and the like. Each becomes a block or an expression.

use super::actor::{Actor, any_present, grouped};
use super::sources;
use crate::Problem;
use crate::expression::{self, Name};
use crate::yaml::Yaml;

/// Translates an actor by its class.
// One arm for each class of actors: a table, and so longer than a function should otherwise be.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "AddSubtract" => sum(actor),
        "Scale" => {
            let text =
                format!("{} * {}", actor.factor("factor", "1")?, grouped(&actor.signal("input")));
            actor.expression(&text);
        }
        "MultiplyDivide" => product(actor),
        "Expression" => return super::reading::translate(actor),
        "Integrator" => return integrator(actor),
        "LevelCrossingDetector" => return level_crossing(actor),
        "ZeroOrderHold" => return hold(actor),
        "PeriodicSampler" => return periodic_sampler(actor),
        "Sampler" => sampler(actor),
        "MicrostepDelay" => {
            let input = actor.signal("input");
            let fields = vec![("input", Yaml::Text(input)), ("between", Yaml::text("absent"))];
            actor.block(&actor.name.clone(), "MicrostepDelay", fields);
        }
        "TimeDelay" | "TimedDelay" if actor.input("delay").is_some() => {
            return super::events::variable_delay(actor);
        }
        "TimeDelay" | "TimedDelay" => {
            let (input, delay) = (actor.signal("input"), actor.parameter("delay", "1.0")?);
            let fields = vec![("input", Yaml::Text(input)), ("delay", Yaml::Text(delay))];
            actor.block(&actor.name.clone(), "EventDelay", fields);
        }
        "Default" => {
            let (first, other) = (actor.signal("preferred"), actor.signal("alternate"));
            actor.expression(&format!("if present({first}) then {first} else {other}"));
        }
        "Merge" if actor.frame.events && !actor.flag("discardEvents", false) => {
            let inputs = Yaml::list(actor.inputs("input"));
            let fields = vec![("inputs", inputs), ("simultaneous", Yaml::text("all"))];
            actor.block(&actor.name.clone(), "Merge", fields);
        }
        "ContinuousMerge" | "Merge" => {
            let inputs = actor.inputs("input");
            let last = inputs.last().cloned().unwrap_or_else(|| "absent".to_owned());
            let choose = |rest: String, own: &String| {
                format!("if present({own}) then {own} else {}", grouped(&rest))
            };
            let text = inputs.iter().rev().skip(1).fold(last, choose);
            actor.expression(&text);
        }
        "TrueGate" => {
            let input = actor.signal("input");
            actor.expression(&format!("when({input}, {input})"));
        }
        "Inhibit" => {
            let (input, inhibit) = (actor.signal("input"), actor.signal("inhibit"));
            actor.expression(&format!("when(not present({inhibit}), {input})"));
        }
        "When" => {
            let (input, control) = (actor.signal("input"), actor.signal("control"));
            actor.expression(&format!("when({control}, {input})"));
        }
        "Absent" => actor.expression("absent"),
        "AbsoluteValue" => unary(actor, "abs"),
        "LogicalNot" => {
            let input = actor.signal("input");
            actor.expression(&format!("not {}", grouped(&input)));
        }
        "TrigFunction" => {
            let word = actor.word("function", "sin");
            function(actor, &word, &["sin", "cos", "tan", "asin", "acos", "atan"])?;
        }
        "UnaryMathFunction" | "MathFunction" => math(actor)?,
        "Limiter" => {
            let (low, high) =
                (actor.port_parameter("bottom", "-1.0")?, actor.port_parameter("top", "1.0")?);
            let input = actor.signal("input");
            actor.expression(&format!("min(max({input}, {low}), {high})"));
        }
        "Minimum" => super::values::extremes(actor, "min", "minimumValue")?,
        "Maximum" => super::values::extremes(actor, "max", "maximumValue")?,
        "BooleanToAnything" => {
            let yes = actor.parameter("trueValue", "true")?;
            let no = actor.parameter("falseValue", "false")?;
            let input = actor.signal("input");
            actor.expression(&format!("if {input} then {yes} else {no}"));
        }
        "Comparator" => comparator(actor)?,
        "PolarToCartesian" => {
            let (r, angle) = (actor.signal("magnitude"), actor.signal("angle"));
            let (x, y) = (actor.output("x", 0), actor.output("y", 0));
            actor.named(&x, &format!("{r} * cos({angle})"));
            actor.named(&y, &format!("{r} * sin({angle})"));
        }
        "CartesianToPolar" => {
            let (x, y) = (actor.signal("x"), actor.signal("y"));
            let (r, angle) = (actor.output("magnitude", 0), actor.output("angle", 0));
            actor.named(&r, &format!("hypot({x}, {y})"));
            actor.named(&angle, &format!("atan2({y}, {x})"));
        }
        "RecordAssembler" => return super::records::assembler(actor),
        "RecordDisassembler" => return super::records::disassembler(actor),
        "MostRecent" | "SamplerWithDefault" | "Latch" => return most_recent(actor),
        "Derivative" => {
            let input = actor.signal("input");
            actor.block(&actor.name.clone(), "Derivative", vec![("input", Yaml::Text(input))]);
        }
        _ => return sources::translate(actor),
    }
    Ok(())
}

fn unary(actor: &mut Actor, function: &str) {
    let input = actor.signal("input");
    actor.expression(&format!("{function}({input})"));
}

fn function(actor: &mut Actor, word: &str, known: &[&str]) -> Result<(), Problem> {
    match known.contains(&word) {
        true => {
            unary(actor, word);
            Ok(())
        }
        false => Err(actor.unsupported(format!("the function `{word}`"))),
    }
}

fn math(actor: &mut Actor) -> Result<(), Problem> {
    let word = actor.word("function", "exp");
    let port = if actor.own.kind() == "MathFunction" { "firstOperand" } else { "input" };
    let first = actor.signal(port);
    let text = match word.as_str() {
        "exp" | "log" | "sqrt" | "abs" | "floor" => format!("{word}({first})"),
        "ceiling" => format!("ceil({first})"),
        "sign" => format!("sign({first})"),
        "square" => format!("{0} * {0}", grouped(&first)),
        "round" => format!("round({first})"),
        "modulo" if port == "firstOperand" => {
            let second = actor.signal("secondOperand");
            format!("sign({first}) * mod(abs({first}), abs({second}))")
        }
        _ => return Err(actor.unsupported(format!("the function `{word}`"))),
    };
    actor.expression(&text);
    Ok(())
}

fn sum(actor: &mut Actor) {
    let minus = actor.inputs("minus").into_iter().map(|input| format!("-{}", grouped(&input)));
    let inputs = actor.inputs("plus").into_iter().chain(minus);
    let inputs = Yaml::list(inputs);
    let empty = matches!(&inputs, Yaml::List(items) if items.is_empty());
    match empty {
        true => actor.expression("absent"),
        false => actor.block(&actor.name.clone(), "Sum", vec![("inputs", inputs)]),
    }
}

fn product(actor: &mut Actor) {
    let (factors, divisors) = (actor.inputs("multiply"), actor.inputs("divide"));
    let skip = || ("absent", Yaml::text("skip"));
    let ints = |port: &str, all: &[String]| {
        let own = &actor.own.name;
        (0..all.len()).all(|at| super::integers::at_port(actor.frame, own, port, at))
    };
    let cut = !divisors.is_empty() && ints("multiply", &factors) && ints("divide", &divisors);
    let mut name = actor.name.clone();
    if cut {
        // The quotient of integers is cut off.
        name = actor.part("quotient");
        actor.expression(&format!("sign({name}) * floor(abs({name}))"));
    }
    if divisors.is_empty() {
        return actor.block(&name, "Product", vec![("inputs", Yaml::list(factors)), skip()]);
    }
    let numerator = match factors.as_slice() {
        [] => "1".to_owned(),
        [one] => one.clone(),
        _ => {
            let part = actor.part("numerator");
            actor.block(&part, "Product", vec![("inputs", Yaml::list(factors)), skip()]);
            part
        }
    };
    let denominator = match divisors.as_slice() {
        [one] => one.clone(),
        _ => {
            let part = actor.part("denominator");
            actor.block(&part, "Product", vec![("inputs", Yaml::list(divisors)), skip()]);
            part
        }
    };
    let fields = vec![
        ("numerator", Yaml::Text(numerator)),
        ("denominator", Yaml::Text(denominator)),
        skip(),
    ];
    actor.block(&name, "Divide", fields);
}

fn integrator(actor: &mut Actor) -> Result<(), Problem> {
    let rate = actor.input("derivative").unwrap_or_else(|| "0".to_owned());
    let initial = actor.parameter("initialState", "0.0")?;
    let mut fields = vec![("input", Yaml::Text(rate)), ("initial", Yaml::Text(initial))];
    if let Some(impulse) = actor.input("impulse") {
        fields.push(("impulse", Yaml::Text(impulse)));
    }
    if let Some(reset) = actor.input("initialState") {
        fields.push(("reset", Yaml::Text(reset)));
    }
    actor.block(&actor.name.clone(), "Integrator", fields);
    Ok(())
}

fn level_crossing(actor: &mut Actor) -> Result<(), Problem> {
    let level = actor.parameter("level", "0.0")?;
    let value = actor.optional("value")?;
    let value = match value {
        Some(value) => value,
        None => actor.optional("defaultEventValue")?.unwrap_or_else(|| level.clone()),
    };
    let (mut input, mut direction) = (actor.signal("trigger"), actor.word("direction", "both"));
    let mut level = level;
    if let Some(set) = set_direction(actor) {
        // What rises through the level with the sign of the direction passes it as it should.
        let sign = actor.part("sign");
        let falling = expression::code("falling");
        actor.named(&sign, &format!("if {set} == {falling} then -1.0 else 1.0"));
        (input, level) = (format!("{sign} * {input}"), format!("{sign} * {level}"));
        direction = "rising".to_owned();
    }
    let tolerance = actor.parameter("errorTolerance", "1e-4")?;
    let part = actor.part("crossing");
    let fields = vec![
        ("input", Yaml::Text(input)),
        ("level", Yaml::Text(level)),
        ("direction", Yaml::Text(direction)),
        ("tolerance", Yaml::Text(tolerance)),
    ];
    let trigger = actor.signal("trigger");
    actor.block(&part, "LevelCrossing", fields);
    if !begins_late(actor) {
        actor.expression(&format!("when(present({part}), {value})"));
        return Ok(());
    }
    // The first value of its input crosses nothing: it must have had one before that.
    let [before, earlier] = ["before", "earlier"].map(|part| actor.part(part));
    let there = Yaml::Text(format!("present({trigger})"));
    actor.block(&before, "MicrostepDelay", vec![("input", there)]);
    actor.block(&earlier, "MicrostepDelay", vec![("input", Yaml::text(before))]);
    actor.expression(&format!("when(present({part}) and {earlier}, {value})"));
    Ok(())
}

/// The signal of the direction of a level crossing detector, if transitions set it.
fn set_direction(actor: &Actor) -> Option<String> {
    let name = actor.own.value("direction")?.strip_prefix('$')?;
    let scope = &actor.frame.scope;
    match (scope.string(name), scope.find(name, None)) {
        (None, Ok(Name::Text(signal, _))) if scope.is_input(&signal) => Some(signal),
        _ => None,
    }
}

/// Whether the input of a level crossing detector has no value at first.
fn begins_late(actor: &Actor) -> bool {
    let wiring = &actor.frame.wiring;
    let channels = wiring.channels(Some(&actor.own.name), "trigger");
    let mut ends = channels.iter().flat_map(|channel| wiring.ends(*channel));
    ends.any(|(end, _)| {
        let entity = end.entity.as_ref().and_then(|name| actor.frame.component.entity(name));
        entity.is_some_and(|own| {
            own.kind() == "ZeroOrderHold"
                && end.port == "output"
                && own.value("defaultValue").is_none()
        })
    })
}

fn hold(actor: &mut Actor) -> Result<(), Problem> {
    let input = actor.signal("input");
    match actor.optional("defaultValue")? {
        Some(initial) => {
            let fields = vec![("input", Yaml::Text(input)), ("initial", Yaml::Text(initial))];
            actor.block(&actor.name.clone(), "ZeroOrderHold", fields);
        }
        None => {
            let held = actor.part("held");
            actor.block(&held, "ZeroOrderHold", vec![("input", Yaml::Text(input.clone()))]);
            let seen = came(actor, &input);
            actor.expression(&format!("when({seen}, {held})"));
        }
    }
    Ok(())
}

/// A block that is true once a signal has come.
fn came(actor: &mut Actor, input: &str) -> String {
    let seen = actor.part("seen");
    let fields = vec![
        ("input", Yaml::Text(format!("when(present({input}), true)"))),
        ("initial", Yaml::text("false")),
    ];
    actor.block(&seen, "ZeroOrderHold", fields);
    seen
}

fn most_recent(actor: &mut Actor) -> Result<(), Problem> {
    for channel in 0..actor.width("input") {
        let (input, trigger) = (actor.channel("input", channel), actor.inputs("trigger"));
        let held = actor.part("held");
        let mut fields = vec![("input", Yaml::Text(input.clone()))];
        let mut fired = any_present(&trigger);
        let initial = actor.optional("initialValue")?;
        let usual = (actor.own.kind() == "SamplerWithDefault").then(|| "0".to_owned());
        match initial.or(usual) {
            Some(initial) => fields.push(("initial", Yaml::Text(initial))),
            None => fired = format!("({fired}) and {}", came(actor, &input)),
        }
        actor.block(&held, "ZeroOrderHold", fields);
        let output = actor.output("output", channel);
        actor.named(&output, &format!("when({fired}, {held})"));
    }
    Ok(())
}

fn periodic_sampler(actor: &mut Actor) -> Result<(), Problem> {
    actor.refuse_port("samplePeriod")?;
    let period = actor.parameter("samplePeriod", "0.1")?;
    let microstep = actor.parameter("microstep", "0")?;
    for channel in 0..actor.width("input") {
        let input = actor.channel("input", channel);
        let name = actor.output("output", channel);
        let mut fields = vec![("input", Yaml::Text(input)), ("period", Yaml::text(period.clone()))];
        if microstep != "0" {
            fields.push(("microstep", Yaml::text(microstep.clone())));
        }
        actor.block(&name, "PeriodicSampler", fields);
    }
    Ok(())
}

fn sampler(actor: &mut Actor) {
    let trigger = actor.signal("trigger");
    for channel in 0..actor.width("input") {
        let input = actor.channel("input", channel);
        let name = actor.output("output", channel);
        actor.named(&name, &format!("when(present({trigger}), {input})"));
    }
}

fn comparator(actor: &mut Actor) -> Result<(), Problem> {
    let sign = match actor.word("comparison", ">").as_str() {
        own @ (">" | ">=" | "<" | "<=" | "==") => own.to_owned(),
        other => return Err(actor.unsupported(format!("the comparison `{other}`"))),
    };
    let (mut left, mut right) = (actor.signal("left"), actor.signal("right"));
    if actor.frame.events && left != right {
        let values = actor.together(&[left, right]);
        [left, right] = [values[0].clone(), values[1].clone()];
    }
    actor.expression(&format!("{left} {sign} {right}"));
    Ok(())
}
