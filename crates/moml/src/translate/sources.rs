//! Actors with time: clocks, events, waves and time itself.

use super::actor::{Actor, any_present};
use crate::Problem;
use crate::causality::Causality;
use crate::expression::{self, Name};
use crate::yaml::Yaml;

/// Translates a source by its class; any other class is not supported.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "Const" => constant(actor),
        "CurrentTime" => {
            // Inside a state `time` stands still while the state is not active.
            let local = actor.flag("useLocalTime", false);
            let now = actor.frame.inside.as_ref().filter(|_| !local);
            let own = match actor.start() {
                0.0 => "time".to_owned(),
                start => format!("(time + {start})"),
            };
            let now = now.map_or(own, |inside| inside.now.clone());
            let text = actor.triggered(&now);
            actor.expression(&text);
            Ok(())
        }
        "CurrentMicrostep" | "GetCurrentMicrostep" => {
            let trigger = actor.signal("trigger");
            let fields = vec![("signal", Yaml::Text(trigger))];
            actor.block(&actor.name.clone(), "CurrentMicrostep", fields);
            Ok(())
        }
        "DiscreteClock" | "Clock" | "EventSource" => clock(actor),
        "SingleEvent" => {
            let (time, value) =
                (actor.parameter("time", "0.0")?, actor.parameter("value", "true")?);
            let offset = match actor.start() {
                0.0 => time,
                start => format!("{time} - {start}"),
            };
            // What is over when the state begins never comes.
            if actor.number("time", "0.0").is_some_and(|time| time < actor.start()) {
                actor.expression("absent");
                return Ok(());
            }
            let fields = vec![
                ("offsets", Yaml::list([offset])),
                ("values", Yaml::list([value])),
                ("repeat", Yaml::text("once")),
            ];
            actor.block(&actor.name.clone(), "EventSource", fields);
            Ok(())
        }
        "Waveform" => {
            ["period", "trigger", "start"].iter().try_for_each(|port| actor.refuse_port(port))?;
            stoppable(actor, waveform)
        }
        "Queue" => queue(actor),
        "Ramp" => ramp(actor),
        "DifferentialSystem" => differential_system(actor),
        "LinearStateSpace" => state_space(actor),
        "ContinuousTransferFunction" => transfer_function(actor),
        "GetCausalityInterface" => causality(actor),
        _ => super::events::translate(actor),
    }
}

/// Texts about the dependencies of the composite around an actor, or of an entity beside it.
fn causality(actor: &mut Actor) -> Result<(), Problem> {
    let name = actor.word("actorName", "");
    let around = actor.frame.component;
    let of = match name.as_str() {
        "" => around,
        name => around
            .entity(name)
            .ok_or_else(|| actor.unsupported(format!("there is no entity `{name}`")))?,
    };
    let found = Causality::of(of, &super::actor::outputs);
    let texts = [
        ("output", found.dependencies()),
        ("dependents", found.dependents()),
        ("equivalences", found.equivalences()),
    ];
    for (port, text) in texts {
        let value = actor.triggered(&expression::code(&text).to_string());
        actor.named(&actor.output(port, 0), &value);
    }
    Ok(())
}

fn constant(actor: &mut Actor) -> Result<(), Problem> {
    // A function has no signal: those who call it know it.
    let text = actor.own.value("value").unwrap_or("1");
    if matches!(expression::parse(text), Ok(expression::Node::Function(..))) {
        return Ok(());
    }
    if super::records::makes(actor.own) {
        return super::records::computed(actor, &mut |actor, node| {
            let value = actor.print_parsed(node, Some("value"), &mut |_| None)?;
            Ok(actor.triggered(&value.text))
        });
    }
    let value = actor.parameter("value", "1")?;
    match actor.fired().is_none() && actor.frame.inside.is_none() {
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
    if super::clocks::is_driven(actor)? {
        let usual = match actor.own.kind() {
            "Clock" => ["{0.0, 1.0}", "{1, 0}", "2.0"],
            _ => ["{0.0}", "{1}", "1.0"],
        };
        return super::clocks::driven(actor, usual);
    }
    actor.refuse_port("trigger")?;
    stoppable(actor, pattern_of_events)
}

/// A source that a signal at its port `stop` ends.
fn stoppable(
    actor: &mut Actor,
    source: impl FnOnce(&mut Actor) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let Some(stop) = actor.input("stop") else { return source(actor) };
    let name = actor.name.clone();
    actor.name = actor.part("unstopped");
    source(actor)?;
    let unstopped = std::mem::replace(&mut actor.name, name);
    let stopped = actor.part("stopped");
    let fields = vec![
        ("input", Yaml::Text(format!("when(present({stop}), true)"))),
        ("initial", Yaml::text("false")),
    ];
    actor.block(&stopped, "ZeroOrderHold", fields);
    actor.expression(&format!("when(not {stopped}, {unstopped})"));
    Ok(())
}

fn pattern_of_events(actor: &mut Actor) -> Result<(), Problem> {
    let (offsets, values, period) = match actor.own.kind() {
        "Clock" => ("{0.0, 1.0}", "{1, 0}", "2.0"),
        "EventSource" => ("{0.0}", "{1.0}", "2.0"),
        _ => ("{0.0}", "{1}", "1.0"),
    };
    let times = actor.numbers("offsets", offsets).unwrap_or_default();
    if times.windows(2).any(|pair| pair[0] == pair[1]) {
        return repeated(actor, &times, (offsets, values, period));
    }
    let mut fields = timing(actor, offsets, period, "offsets")?;
    // In a state a transition may set the value.
    let text = actor.parameter("values", values)?;
    let single = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let single = single.filter(|text| actor.frame.inside.is_some() && !text.contains([',', '[']));
    let single = single.map(str::to_owned);
    if single.is_none() {
        fields.insert(1, ("values", Yaml::Text(text)));
    }
    let cycles = actor.parameter("numberOfCycles", "-1")?;
    if actor.number("numberOfCycles", "-1").is_some_and(|cycles| cycles > 0.0) {
        let offsets = actor.parameter("offsets", offsets)?;
        fields.push(("count", Yaml::Text(format!("{cycles} * length({offsets})"))));
    }
    if actor.number("stopTime", "Infinity").is_none_or(f64::is_finite)
        && let Some(stop) = actor.optional("stopTime")?
    {
        fields.push(("stop", Yaml::list([stop])));
    }
    if let Some(value) = single {
        let clock = actor.part("clock");
        actor.block(&clock, "EventSource", fields);
        actor.expression(&format!("when(present({clock}), {value})"));
        return Ok(());
    }
    actor.block(&actor.name.clone(), "EventSource", fields);
    Ok(())
}

/// A clock with equal offsets: the second event of a time comes one microstep later, and so on.
fn repeated(
    actor: &mut Actor,
    times: &[f64],
    (offsets, values, period): (&str, &str, &str),
) -> Result<(), Problem> {
    let (offsets, values) =
        (actor.elements("offsets", offsets)?, actor.elements("values", values)?);
    if offsets.len() != times.len() || values.len() != times.len() {
        return Err(actor.unsupported("equal offsets that are not written out"));
    }
    let cycles = actor.number("numberOfCycles", "-1").ok_or_else(|| {
        actor.unsupported("equal offsets with a number of cycles that can change")
    })?;
    let later = |at: usize| times[..at].iter().rev().take_while(|own| **own == times[at]).count();
    let deepest = (0..times.len()).map(later).max().unwrap_or(0);
    let mut signals = Vec::new();
    for depth in 0..=deepest {
        let of = |all: &[String]| -> Vec<String> {
            (0..times.len()).filter(|at| later(*at) == depth).map(|at| all[at].clone()).collect()
        };
        let mut fields =
            vec![("offsets", Yaml::list(of(&offsets))), ("values", Yaml::list(of(&values)))];
        let once = actor.number("period", period).is_some_and(f64::is_infinite) || cycles == 1.0;
        match once {
            true => fields.push(("repeat", Yaml::text("once"))),
            false => fields.push(("period", Yaml::Text(actor.parameter("period", period)?))),
        }
        if !once && cycles > 0.0 {
            let count = cycles * of(&offsets).len() as f64;
            fields.push(("count", Yaml::Text(count.to_string())));
        }
        let mut signal = actor.part(&format!("event{depth}"));
        actor.block(&signal, "EventSource", fields);
        for microstep in 0..depth {
            let delayed = actor.part(&format!("event{depth}_{microstep}"));
            actor.block(&delayed, "MicrostepDelay", vec![("input", Yaml::Text(signal))]);
            signal = delayed;
        }
        signals.push(signal);
    }
    let name = actor.name.clone();
    actor.block(&name, "Merge", vec![("inputs", Yaml::list(signals))]);
    Ok(())
}

/// The offsets and the period of a pattern. An offset may be as long as the period; the pattern then
/// begins at its first offset.
fn timing(
    actor: &Actor,
    offsets: &str,
    period: &str,
    field: &'static str,
) -> Result<Vec<(&'static str, Yaml)>, Problem> {
    let length = actor.number("period", period);
    let once = length.is_some_and(f64::is_infinite);
    let times = actor.numbers("offsets", offsets).unwrap_or_default();
    let first = times.first().copied().unwrap_or(0.0);
    let last = times.last().copied().unwrap_or(0.0);
    let late = length.is_some_and(|length| last >= length) && first > 0.0;
    let offsets = pattern(actor, "offsets", offsets)?;
    let mut fields = Vec::new();
    match (late && !once, offsets) {
        (true, Yaml::Text(text)) => {
            let shifted = times.iter().map(|time| format!("{time} - {first}"));
            let _ = text;
            fields.push((field, Yaml::list(shifted)));
            fields.push(("start", Yaml::Text(first.to_string())));
        }
        (_, offsets) => fields.push((field, offsets)),
    }
    match once {
        true => fields.push(("repeat", Yaml::text("once"))),
        false => fields.push(("period", Yaml::Text(actor.parameter("period", period)?))),
    }
    Ok(fields)
}

/// A wave whose first sample comes after the start is one of an earlier cycle until then: there the
/// interpolation begins at the last sample, a period earlier. So its first cycle begins a period
/// before the others.
fn begin_before(actor: &Actor, fields: &mut Vec<(&'static str, Yaml)>) {
    let first = actor.numbers("offsets", "{0.0, 1.0}").and_then(|times| times.first().copied());
    let length = actor.number("period", "2.0").filter(|length| length.is_finite());
    let (Some(first), Some(length)) = (first.filter(|first| *first > 0.0), length) else { return };
    let shifted = fields.iter().position(|(name, _)| *name == "start");
    let start = shifted.map_or(0.0, |_| first) - length;
    fields.retain(|(name, _)| *name != "start");
    fields.insert(1, ("start", Yaml::Text(start.to_string())));
}

/// A wave with jumps, where two samples have one time: each event begins a line to the next one.
fn jumping(actor: &mut Actor, times: &[f64], values: &[f64]) -> Result<(), Problem> {
    let period = actor.number("period", "2.0").filter(|period| period.is_finite());
    let (Some(period), true) = (period, values.len() == times.len()) else {
        return Err(actor.unsupported("a wave with jumps that does not repeat"));
    };
    let mut points: Vec<(f64, f64, f64)> = Vec::new();
    for (time, value) in times.iter().zip(values) {
        match points.last_mut().filter(|(last, ..)| last == time) {
            Some((.., after)) => *after = *value,
            None => points.push((*time, *value, *value)),
        }
    }
    let (first, last) = (points[0], points[points.len() - 1]);
    if last.0 >= period || actor.word("interpolation", "linear") != "linear" {
        return Err(actor.unsupported("a wave with jumps of this kind"));
    }
    let next = points.iter().skip(1).copied().chain([(first.0 + period, first.1, first.2)]);
    let slopes: Vec<String> = points
        .iter()
        .zip(next)
        .map(|((t, _, from), (u, to, _))| number((to - from) / (u - t)))
        .collect();
    let [clock, at, since] = ["clock", "at", "since"].map(|part| actor.part(part));
    let list = |of: &dyn Fn(usize) -> String| Yaml::list((0..points.len()).map(of));
    let fields = vec![
        ("offsets", list(&|own| points[own].0.to_string())),
        ("values", list(&|own| own.to_string())),
        ("period", Yaml::Text(period.to_string())),
    ];
    actor.block(&clock, "EventSource", fields);
    let hold = |input: String, initial: f64| {
        vec![("input", Yaml::Text(input)), ("initial", Yaml::Text(initial.to_string()))]
    };
    let begin = format!("when(present({clock}), time)");
    actor.block(&since, "ZeroOrderHold", hold(begin, last.0 - period));
    actor.block(&at, "ZeroOrderHold", hold(clock, (points.len() - 1) as f64));
    let from: Vec<String> = points.iter().map(|(.., from)| number(*from)).collect();
    let (from, slopes) = (from.join(", "), slopes.join(", "));
    actor.expression(&format!("[{from}][{at}] + [{slopes}][{at}] * (time - {since})"));
    Ok(())
}

fn waveform(actor: &mut Actor) -> Result<(), Problem> {
    let times = actor.numbers("offsets", "{0.0, 1.0}").unwrap_or_default();
    if times.windows(2).any(|pair| pair[0] == pair[1]) {
        let values = actor.numbers("values", "{1, -1}").unwrap_or_default();
        return jumping(actor, &times, &values);
    }
    let mut fields = timing(actor, "{0.0, 1.0}", "2.0", "times")?;
    let interpolation = actor.word("interpolation", "linear");
    let line = line_from_start(actor).filter(|_| interpolation == "linear");
    if line.is_none() {
        begin_before(actor, &mut fields);
    }
    fields.insert(1, ("values", pattern(actor, "values", "{1, -1}")?));
    fields.push(("interpolation", Yaml::Text(interpolation)));
    let Some((first, line)) = line else {
        actor.block(&actor.name.clone(), "Waveform", fields);
        return Ok(());
    };
    let wave = actor.part("wave");
    actor.block(&wave, "Waveform", fields);
    actor.expression(&format!("if time < {first} then {line} else {wave}"));
    Ok(())
}

/// The time of the first sample of a wave and the line that leads there, if a sample of an earlier
/// cycle would come at the start itself, where there is none in Ptolemy II.
fn line_from_start(actor: &Actor) -> Option<(f64, String)> {
    let times = actor.numbers("offsets", "{0.0, 1.0}")?;
    let (first, last) = (*times.first()?, *times.last()?);
    if first <= 0.0 || actor.number("period", "2.0") != Some(last) {
        return None;
    }
    let values = actor.numbers("values", "{1, -1}")?;
    let (from, to) = (*values.last()?, *values.first()?);
    Some((first, format!("{} + {} * time", number(from), number((to - from) / first))))
}

/// A queue; a trigger that finds it empty is kept if the actor says so.
fn queue(actor: &mut Actor) -> Result<(), Problem> {
    let mut fields = vec![
        ("input", Yaml::Text(actor.signal("input"))),
        ("trigger", Yaml::Text(actor.signal("trigger"))),
    ];
    if let Some(capacity) = actor.number("capacity", "0").filter(|own| *own > 0.0) {
        fields.push(("capacity", Yaml::Text(capacity.to_string())));
        fields.push(("full", Yaml::text("drop")));
    } else {
        fields.push(("capacity", Yaml::text("10000")));
    }
    if actor.flag("persistentTrigger", false) {
        fields.push(("empty", Yaml::text("wait")));
    }
    let (queue, size) = (actor.name.clone(), actor.output("size", 0));
    actor.block(&queue, "Queue", fields);
    // The size is a value of the firings only.
    let fired = any_present(&[actor.signal("input"), actor.signal("trigger")]);
    actor.named(&size, &format!("when({fired}, {queue}.size)"));
    Ok(())
}

/// A ramp counts its firings, which are events if it has a trigger.
fn ramp(actor: &mut Actor) -> Result<(), Problem> {
    actor.refuse_port("init")?;
    let event = actor.firing()?;
    if let Some(step) = actor.input("step") {
        return growing(actor, &event, step);
    }
    let (init, step) = (actor.factor("init", "0")?, actor.factor("step", "1")?);
    let count = actor.part("count");
    let fields = vec![("increment", Yaml::Text(event)), ("initial", Yaml::text("-1"))];
    actor.block(&count, "Counter", fields);
    let text = format!("{init} + {step} * {count}");
    match actor.number("firingCountLimit", "0").filter(|limit| *limit > 0.0) {
        Some(limit) => actor.expression(&format!("when({count} < {limit}, {text})")),
        None => actor.expression(&text),
    }
    Ok(())
}

/// A ramp whose step is a signal: the step of a firing leads to the next value.
fn growing(actor: &mut Actor, event: &str, step: String) -> Result<(), Problem> {
    let (init, usual) = (actor.parameter("init", "0")?, actor.parameter("step", "1")?);
    let [held, next] = ["step", "next"].map(|part| actor.part(part));
    let fields = vec![("input", Yaml::Text(step)), ("initial", Yaml::Text(usual))];
    actor.block(&held, "ZeroOrderHold", fields);
    let name = actor.name.clone();
    actor.named(&next, &format!("{name} + {held}"));
    actor.expression(&format!("when(present({event}), last({next}, {init}))"));
    Ok(())
}

/// A transfer function is a chain of integrators with feedback: with d = b[0] / a[0], the first one
/// integrates u - sum a[i+1] / a[0] x[i], each other one the one before it, and the output is
/// d u + sum (b[i+1] - d a[i+1]) / a[0] x[i].
fn transfer_function(actor: &mut Actor) -> Result<(), Problem> {
    let coefficients = |name: &str| {
        let own = actor.numbers(name, "{1.0}").filter(|own| !own.is_empty());
        own.ok_or_else(|| actor.unsupported(format!("`{name}` is not an array of constants")))
    };
    let (numerator, a) = (coefficients("numerator")?, coefficients("denominator")?);
    let Some(missing) = a.len().checked_sub(numerator.len()) else {
        return Err(actor.unsupported("a numerator of higher order than the denominator"));
    };
    let b: Vec<f64> = std::iter::repeat_n(0.0, missing).chain(numerator).collect();
    let (input, d) = (actor.signal("input"), b[0] / a[0]);
    let states: Vec<String> = (1..a.len()).map(|at| actor.part(&format!("x{at}"))).collect();
    let feedback =
        states.iter().zip(&a[1..]).map(|(x, own)| format!("{} * {x}", number(-own / a[0])));
    let rate: Vec<String> = std::iter::once(input.clone()).chain(feedback).collect();
    for (at, state) in states.iter().enumerate() {
        let rate = if at == 0 { rate.join(" + ") } else { states[at - 1].clone() };
        actor.block(state, "Integrator", vec![("input", Yaml::Text(rate))]);
    }
    let forward = states.iter().zip(a[1..].iter().zip(&b[1..]));
    let mut terms: Vec<String> =
        forward.map(|(x, (a1, b1))| format!("{} * {x}", number((b1 - d * a1) / a[0]))).collect();
    if d != 0.0 {
        terms.push(format!("{} * {input}", number(d)));
    }
    actor.expression(&terms.join(" + "));
    Ok(())
}

/// A linear system: an integrator for each state, with constant gains.
fn state_space(actor: &mut Actor) -> Result<(), Problem> {
    let of = |name: &str, default: &str| {
        let own = actor.matrix(name, default);
        own.ok_or_else(|| actor.unsupported(format!("`{name}` is not a matrix of constants")))
    };
    let (a, b, c) = (of("A", "[1.0]")?, of("B", "[1.0]")?, of("C", "[1.0]")?);
    let d = of("D", "[0.0]")?;
    // A row, a column or an array.
    let initial = match actor.matrix("initialStates", "{0.0}") {
        Some(rows) => rows.concat(),
        None => actor
            .numbers("initialStates", "{0.0}")
            .ok_or_else(|| actor.unsupported("`initialStates` is not a matrix of constants"))?,
    };
    let inputs: Vec<String> =
        (0..actor.width("input")).map(|k| actor.channel("input", k)).collect();
    let states: Vec<String> = (0..a.len()).map(|at| actor.part(&format!("x{at}"))).collect();
    let fits = |matrix: &[Vec<f64>], rows: usize, columns: usize| {
        matrix.len() == rows && matrix.iter().all(|row| row.len() == columns)
    };
    let (n, m, p) = (states.len(), inputs.len(), c.len());
    if !fits(&a, n, n) || !fits(&b, n, m) || !fits(&c, p, n) || !fits(&d, p, m) {
        return Err(actor.unsupported("matrices whose sizes do not fit each other and the inputs"));
    }
    let combined = |gains: &[f64], more: &[f64]| {
        let all = gains.iter().zip(&states).chain(more.iter().zip(&inputs));
        let terms: Vec<String> = all
            .filter(|(gain, _)| **gain != 0.0)
            .map(|(gain, signal)| format!("{} * {signal}", number(*gain)))
            .collect();
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    };
    for (at, state) in states.iter().enumerate() {
        let start = initial.get(at).copied().unwrap_or(0.0).to_string();
        let rate = combined(&a[at], &b[at]);
        let fields = vec![("input", Yaml::Text(rate)), ("initial", Yaml::Text(start))];
        actor.block(state, "Integrator", fields);
        actor.named(&actor.output("stateOutput", at), state);
    }
    for row in 0..p {
        actor.named(&actor.output("output", row), &combined(&c[row], &d[row]));
    }
    Ok(())
}

fn number(value: f64) -> String {
    if value < 0.0 { format!("({value})") } else { value.to_string() }
}

/// A system of differential equations: an integrator for each state, an expression for each output.
fn differential_system(actor: &mut Actor) -> Result<(), Problem> {
    let names = actor.own.value("stateVariableNames").unwrap_or("{}").to_owned();
    let names: Vec<String> = names
        .trim_matches(['{', '}', ' '])
        .split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let blocks: Vec<String> = names.iter().map(|name| actor.part(name)).collect();
    let time = actor.own.value("t").map_or("t", |own| own).to_owned();
    let inputs: Vec<(String, String)> = actor
        .own
        .ports
        .iter()
        .filter(|port| port.input)
        .map(|port| (port.name.clone(), actor.signal(&port.name)))
        .collect();
    let resolve = |name: &str| {
        let text = |text: &str| Some(Name::Text(text.to_owned(), false));
        if let Some(at) = names.iter().position(|own| own == name) {
            return text(&blocks[at]);
        }
        if let Some((_, signal)) = inputs.iter().find(|(own, _)| own == name) {
            return text(signal);
        }
        if name == time { text("time") } else { None }
    };
    for (at, name) in names.iter().enumerate() {
        let rate = actor.own.value(&format!("{name}_dot")).unwrap_or("0").to_owned();
        let rate = actor.print(&rate, None, &mut { resolve })?.text;
        let initial = match (actor.own.value(name), actor.own.value("initialStates")) {
            (Some(_), _) => actor.parameter(name, "0.0")?,
            (None, Some(_)) => format!("{}[0, {at}]", actor.parameter("initialStates", "")?),
            (None, None) => "0".to_owned(),
        };
        let fields = vec![("input", Yaml::Text(rate)), ("initial", Yaml::Text(initial))];
        actor.block(&blocks[at].clone(), "Integrator", fields);
    }
    for port in super::actor::outputs(actor.own) {
        let name = actor.output(&port, 0);
        let text = match actor.own.value(&port) {
            Some(text) => actor.print(text, None, &mut { resolve })?.text,
            None => resolve(&port).map_or("absent".to_owned(), |own| match own {
                Name::Text(text, _) => text,
                Name::Function(..) => "absent".to_owned(),
            }),
        };
        actor.named(&name, &text);
    }
    Ok(())
}
