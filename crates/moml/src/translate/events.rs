//! Actors that remember events: delays, counters, queues and servers.

use super::actor::{Actor, any_present};
use crate::Problem;
use crate::yaml::Yaml;

/// Translates an actor by its class; any other class is not supported.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "Accumulator" => accumulator(actor),
        "Counter" => counter(actor),
        "Average" => average(actor),
        "Sequence" | "InteractiveShell" => sequence(actor),
        "Pulse" => pulse(actor),
        "Previous" | "Pre" => previous(actor),
        "Differential" => {
            let input = actor.signal("input");
            actor.expression(&format!("{input} - last({input}, 0)"));
            Ok(())
        }
        "NonStrictDelay" => non_strict_delay(actor),
        "SampleDelay" => sample_delay(actor),
        "Register" => register(actor),
        "TimeGap" => time_gap(actor),
        "WaitingTime" => waiting_time(actor),
        "Interpolator" => interpolator(actor),
        "Timer" | "ResettableTimer" => timer(actor),
        "NonInterruptibleTimer" => one_after_another(actor),
        "Server" => server(actor),
        "VariableDelay" => variable_delay(actor),
        "SuppressSimultaneousEvents" => first_of_time(actor),
        "ThrowException" | "ThrowModelError" => {
            // Nothing is divided by zero: the run, or the state around it, fails.
            let inputs = actor.inputs("input");
            let wrong: Vec<String> = inputs.iter().map(|own| format!("when({own}, 1)")).collect();
            let all = actor.part("all");
            actor.block(&all, "Merge", vec![("inputs", Yaml::list(wrong))]);
            let fields = vec![("numerator", Yaml::Text(all)), ("denominator", Yaml::text("0"))];
            actor.block(&actor.name.clone(), "Divide", fields);
            Ok(())
        }
        "Stop" => {
            let inputs = actor.inputs("input");
            let texts = inputs.iter().map(|own| format!("when({own}, 1)")).collect::<Vec<_>>();
            let all = actor.part("all");
            actor.block(&all, "Merge", vec![("inputs", Yaml::list(texts))]);
            actor.block(&actor.name.clone(), "Stop", vec![("input", Yaml::Text(all))]);
            Ok(())
        }
        _ => super::logic::translate(actor),
    }
}

/// The events at which an actor fires that fires when any of its inputs comes.
fn any_input(actor: &Actor, ports: &[&str]) -> String {
    let all: Vec<String> = ports.iter().flat_map(|port| actor.inputs(port)).collect();
    if all.is_empty() { "false".to_owned() } else { any_present(&all) }
}

fn accumulator(actor: &mut Actor) -> Result<(), Problem> {
    let weight = actor.factor("lowpass", "1")?;
    let initial = actor.parameter("init", "0")?;
    let (inputs, name) = (actor.inputs("input"), actor.name.clone());
    let added = actor.part("added");
    actor.block(&added, "Sum", vec![("inputs", Yaml::list(inputs))]);
    let before = format!("last({name}, {initial})");
    let before = if weight == "1" { before } else { format!("{weight} * {before}") };
    let before = match actor.input("reset") {
        None => before,
        Some(reset) => {
            let is_reset = actor.part("is_reset");
            actor.named(&is_reset, &format!("if present({reset}) then {reset} else false"));
            format!("(if {is_reset} then {initial} else {before})")
        }
    };
    let fired = any_input(actor, &["input", "reset"]);
    let more = format!("(if present({added}) then {added} else 0)");
    actor.expression(&format!("when({fired}, {before} + {more})"));
    Ok(())
}

fn counter(actor: &mut Actor) -> Result<(), Problem> {
    let event = |ports: &[&str]| format!("when({}, 1)", any_input(actor, ports));
    let mut fields = vec![("increment", Yaml::Text(event(&["increment"])))];
    for port in ["decrement", "reset"] {
        if actor.input(port).is_some() {
            fields.push((port, Yaml::Text(event(&[port]))));
        }
    }
    actor.block(&actor.name.clone(), "Counter", fields);
    Ok(())
}

/// The mean of the inputs since the last reset.
fn average(actor: &mut Actor) -> Result<(), Problem> {
    let (input, name) = (actor.signal("input"), actor.name.clone());
    let [sum, count] = ["sum", "count"].map(|part| actor.part(part));
    let [mut sum_before, mut count_before] = [&sum, &count].map(|own| format!("last({own}, 0)"));
    if let Some(reset) = actor.input("reset") {
        let [counted, resets, seen] = ["reset", "resets", "seen"].map(|part| actor.part(part));
        let fields = vec![("increment", Yaml::Text(format!("when({reset}, 1)")))];
        actor.block(&counted, "Counter", fields);
        let fields = vec![("input", Yaml::Text(counted)), ("initial", Yaml::text("0"))];
        actor.block(&resets, "ZeroOrderHold", fields);
        actor.named(&seen, &format!("when(present({input}), {resets})"));
        let anew = actor.part("anew");
        actor.named(&anew, &format!("{resets} != last({seen}, 0)"));
        for before in [&mut sum_before, &mut count_before] {
            *before = format!("(if {anew} then 0 else {before})");
        }
    }
    actor.named(&sum, &format!("{sum_before} + {input}"));
    actor.named(&count, &format!("{count_before} + when(present({input}), 1)"));
    actor.named(&name, &format!("{sum} / {count}"));
    Ok(())
}

/// The number of firings before this one, as a block.
pub fn firings(actor: &mut Actor, event: String) -> String {
    let count = actor.part("count");
    let fields = vec![("increment", Yaml::Text(event)), ("initial", Yaml::text("-1"))];
    actor.block(&count, "Counter", fields);
    count
}

fn sequence(actor: &mut Actor) -> Result<(), Problem> {
    let values = actor.elements("values", "{1}")?;
    let length = values.len();
    if length == 0 {
        return Err(actor.unsupported("`values` is not an array that is written out"));
    }
    let mut event = actor.firing()?;
    if let Some(enable) = actor.input("enable") {
        event = format!("when({enable}, {event})");
    }
    let (repeat, hold) = (actor.flag("repeat", false), actor.flag("holdLastOutput", false));
    let count = firings(actor, event);
    let index = match (repeat, hold) {
        (true, _) => format!("mod({count}, {length})"),
        (false, _) => format!("min({count}, {})", length - 1),
    };
    let value = format!("[{}][{index}]", values.join(", "));
    match repeat || hold {
        true => actor.expression(&value),
        false => actor.expression(&format!("when({count} < {length}, {value})")),
    }
    Ok(())
}

/// Values at firings that are listed by their numbers, and zero at the others.
fn pulse(actor: &mut Actor) -> Result<(), Problem> {
    let values = actor.elements("values", "{1, 0}")?;
    let indexes = actor.numbers("indexes", "{0, 1}").unwrap_or_default();
    if values.len() != indexes.len() || values.is_empty() {
        return Err(actor.unsupported("`indexes` and `values` that are not arrays of one length"));
    }
    let event = actor.firing()?;
    let mut count = firings(actor, event);
    if actor.flag("repeat", false) {
        count = format!("mod({count}, {})", indexes.last().copied().unwrap_or(0.0) + 1.0);
    }
    let zero = if matches!(values[0].as_str(), "true" | "false") { "false" } else { "0" };
    let pairs = indexes.iter().zip(&values).rev();
    let text = pairs.fold(zero.to_owned(), |rest, (index, value)| {
        format!("if {count} == {index} then {value} else ({rest})")
    });
    actor.expression(&text);
    Ok(())
}

/// A block that says whether a signal has had an event before.
fn seen(actor: &mut Actor, input: &str) -> String {
    let event = actor.part("event");
    actor.named(&event, &format!("when(present({input}), true)"));
    event
}

fn previous(actor: &mut Actor) -> Result<(), Problem> {
    let input = actor.signal("input");
    match actor.optional("initialValue")? {
        Some(initial) => {
            actor.expression(&format!("when(present({input}), last({input}, {initial}))"));
        }
        None => {
            let event = seen(actor, &input);
            let there = format!("present({input}) and last({event}, false)");
            actor.expression(&format!("when({there}, last({input}, 0))"));
        }
    }
    Ok(())
}

/// What the input was at the firing before.
fn non_strict_delay(actor: &mut Actor) -> Result<(), Problem> {
    let (input, event) = (actor.signal("input"), actor.firing()?);
    let initial = actor.optional("initialValue")?;
    let was = actor.part("was");
    actor.named(&was, &format!("when(present({event}), present({input}))"));
    let (first, initial) = (initial.is_some(), initial.unwrap_or_else(|| "0".to_owned()));
    let there = format!("present({event}) and last({was}, {first})");
    actor.expression(&format!("when({there}, last({input}, {initial}))"));
    Ok(())
}

fn sample_delay(actor: &mut Actor) -> Result<(), Problem> {
    let initial = actor.elements("initialOutputs", "{0}")?;
    if initial.is_empty() {
        return Err(actor.unsupported("`initialOutputs` is not an array that is written out"));
    }
    let mut fields = vec![
        ("input", Yaml::Text(actor.signal("input"))),
        ("samples", Yaml::Text(initial.len().to_string())),
        ("initial", Yaml::list(initial)),
    ];
    if let Some((_, tick)) = actor.frame.tick() {
        fields.push(("trigger", Yaml::Text(tick)));
    }
    actor.block(&actor.name.clone(), "Delay", fields);
    Ok(())
}

/// The value before this instant, at each trigger.
fn register(actor: &mut Actor) -> Result<(), Problem> {
    let triggers = any_present(&actor.inputs("trigger"));
    let initial = actor.optional("initialValue")?;
    for channel in 0..actor.width("input") {
        let (input, output) = (actor.channel("input", channel), actor.output("output", channel));
        let text = match &initial {
            Some(initial) => format!("when({triggers}, last({input}, {initial}))"),
            None => {
                let event = seen(actor, &input);
                format!("when(({triggers}) and last({event}, false), last({input}, 0))")
            }
        };
        actor.named(&output, &text);
    }
    Ok(())
}

fn time_gap(actor: &mut Actor) -> Result<(), Problem> {
    let (input, came) = (actor.signal("input"), actor.part("came"));
    actor.named(&came, &format!("when(present({input}), time)"));
    let event = seen(actor, &input);
    actor.expression(&format!("when(last({event}, false), {came} - last({came}, 0))"));
    Ok(())
}

/// How long each of those who wait has waited when what they wait for comes: a queue of the times at
/// which they came, emptied one by one.
fn waiting_time(actor: &mut Actor) -> Result<(), Problem> {
    let (waiter, waitee) = (actor.signal("waiter"), actor.signal("waitee"));
    let [came, queue, go, again] = ["came", "queue", "go", "again"].map(|part| actor.part(part));
    actor.named(&came, &format!("when(present({waiter}), time)"));
    actor.named(&go, &format!("when(present({waitee}) or present({again}), 1)"));
    let fields = vec![
        ("input", Yaml::Text(came)),
        ("trigger", Yaml::Text(go)),
        ("capacity", Yaml::text("10000")),
    ];
    actor.block(&queue, "Queue", fields);
    let more = format!("when(present({queue}) and {queue}.size > 0, 1)");
    let fields = vec![("input", Yaml::Text(more)), ("between", Yaml::text("absent"))];
    actor.block(&again, "MicrostepDelay", fields);
    actor.expression(&format!("when(present({queue}), time - {queue})"));
    Ok(())
}

/// Values at some firings, with steps or lines between them; zero before the first and after the
/// last, unless they repeat.
fn interpolator(actor: &mut Actor) -> Result<(), Problem> {
    let values = actor.numbers("values", "{1.0, 0.0}").unwrap_or_default();
    let indexes = actor.numbers("indexes", "{0, 1}").unwrap_or_default();
    let grows = indexes.windows(2).all(|pair| pair[0] < pair[1]);
    let (Some(first), Some(last)) = (indexes.first(), indexes.last()) else {
        return Err(actor.unsupported("`indexes` is not an array of constants"));
    };
    if values.len() != indexes.len() || !grows || *first < 0.0 || *last > 1e5 {
        return Err(actor.unsupported("`indexes` and `values` that do not fit each other"));
    }
    let order = actor.number("order", "0");
    let (true, Some(period)) = (matches!(order, Some(0.0 | 1.0)), actor.number("period", "2"))
    else {
        return Err(actor.unsupported("an interpolation of an order above 1"));
    };
    if period != 0.0 && period <= *last {
        return Err(actor.unsupported("a period that is not longer than the indexes"));
    }
    let mut points: Vec<(f64, f64)> = indexes.iter().copied().zip(values.iter().copied()).collect();
    if period > 0.0 {
        points.insert(0, (last - period, values[values.len() - 1]));
        points.push((first + period, values[0]));
    }
    let length = if period > 0.0 { period } else { last + 1.0 };
    let value = |at: f64| {
        let after = points.iter().position(|(index, _)| *index > at).unwrap_or(points.len());
        let (Some(a), b) = (after.checked_sub(1).map(|at| points[at]), points.get(after)) else {
            return 0.0;
        };
        match (order, b) {
            (Some(1.0), Some(b)) => a.1 + (b.1 - a.1) * (at - a.0) / (b.0 - a.0),
            _ => a.1,
        }
    };
    let table: Vec<String> = (0..length as usize).map(|at| value(at as f64).to_string()).collect();
    let event = actor.firing()?;
    let count = firings(actor, event);
    let table = format!("[{}]", table.join(", "));
    match period > 0.0 {
        true => actor.expression(&format!("{table}[mod({count}, {length})]")),
        false => actor
            .expression(&format!("if {count} <= {last} then {table}[min({count}, {last})] else 0")),
    }
    Ok(())
}

fn timer(actor: &mut Actor) -> Result<(), Problem> {
    let resets = actor.own.kind() == "ResettableTimer";
    let mut fields = vec![
        ("start", Yaml::Text(actor.signal("input"))),
        ("value", Yaml::Text(actor.parameter("value", "true")?)),
        ("restart", Yaml::text(if resets { "replace" } else { "keep" })),
    ];
    if let Some(cancel) = actor.input("cancel") {
        fields.push(("cancel", Yaml::Text(cancel)));
    }
    actor.block(&actor.name.clone(), "Timer", fields);
    Ok(())
}

/// Timers that wait for the one before them.
fn one_after_another(actor: &mut Actor) -> Result<(), Problem> {
    let (input, server) = (actor.signal("input"), actor.part("server"));
    let value = actor.parameter("value", "true")?;
    let service = format!("{server}.begun");
    let fields = vec![("input", Yaml::Text(input)), ("service", Yaml::Text(service))];
    actor.block(&server, "Server", fields);
    actor.expression(&format!("when(present({server}.output), {value})"));
    Ok(())
}

fn server(actor: &mut Actor) -> Result<(), Problem> {
    let port = if actor.own.value("serviceTime").is_none() && actor.input("serviceTime").is_none() {
        "newServiceTime"
    } else {
        "serviceTime"
    };
    let service = actor.port_parameter(port, "1.0")?;
    if actor.number("capacity", "0").is_none_or(|own| own > 0.0) {
        return Err(actor.unsupported("a server that discards jobs"));
    }
    let (input, server) = (actor.signal("input"), actor.part("server"));
    let fields = vec![("input", Yaml::Text(input.clone())), ("service", Yaml::Text(service))];
    actor.block(&server, "Server", fields);
    actor.expression(&format!("{server}.output"));
    let size = actor.output("size", 0);
    let fired = format!("present({input}) or present({server}.begun)");
    actor.named(&size, &format!("when({fired}, {server}.waiting)"));
    Ok(())
}

/// A delay that events at a port change.
pub fn variable_delay(actor: &mut Actor) -> Result<(), Problem> {
    let (input, delay) = (actor.signal("input"), actor.port_parameter("delay", "1.0")?);
    let fields = vec![("input", Yaml::Text(input)), ("delay", Yaml::Text(delay))];
    actor.block(&actor.name.clone(), "VariableEventDelay", fields);
    Ok(())
}

/// Of the events of one time only the first.
fn first_of_time(actor: &mut Actor) -> Result<(), Problem> {
    let (input, came) = (actor.signal("input"), actor.part("came"));
    actor.named(&came, &format!("when(present({input}), time)"));
    actor.expression(&format!("when({came} > last({came}, -inf), {input})"));
    Ok(())
}
