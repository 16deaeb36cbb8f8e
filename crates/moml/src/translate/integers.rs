//! Which signals have integers as values, as far as the actors of one composite and the inputs of
//! those inside it show: the quotient of integers is one.

use super::composite::Frame;
use super::settle::is_int;
use crate::expression::{self, Name, Node};
use crate::tree::Component;

/// How many actors are followed.
const DEEPEST: usize = 40;

/// Whether what comes at a channel of a port of an entity are integers.
pub fn at_port(frame: &Frame, entity: &str, port: &str, channel: usize) -> bool {
    from(frame, (entity, port, channel), 0)
}

fn from(frame: &Frame, (entity, port, channel): (&str, &str, usize), depth: usize) -> bool {
    if let Some(given) = frame.component.entity(entity).and_then(|own| declared(own, port)) {
        return given;
    }
    let channels = frame.wiring.channels(Some(entity), port);
    let Some(net) = channels.get(channel).filter(|_| depth < DEEPEST) else { return false };
    frame.wiring.ends(*net).iter().any(|(end, number)| match &end.entity {
        None => frame.integers.contains(&(end.port.clone(), *number)),
        Some(name) => frame.component.entity(name).is_some_and(|source| {
            super::actor::outputs(source).contains(&end.port)
                && declared(source, &end.port).unwrap_or_else(|| makes(frame, source, depth + 1))
        }),
    })
}

/// Whether the type of a port is that of integers, if the file gives it one.
fn declared(own: &Component, port: &str) -> Option<bool> {
    let ty = own.port(port)?.ty.as_deref()?.trim();
    (ty != "unknown" && ty != "general" && !ty.is_empty())
        .then_some(matches!(ty, "int" | "long" | "short" | "unsignedByte"))
}

/// Whether an actor makes integers.
// One arm for each class of actors: a table, and so longer than a function should otherwise be.
fn makes(frame: &Frame, own: &Component, depth: usize) -> bool {
    let inputs = |ports: &[&str]| {
        let channels = ports.iter().flat_map(|port| {
            let width = frame.wiring.channels(Some(&own.name), port).len();
            (0..width).map(move |channel| (*port, channel))
        });
        let mut any = false;
        let all = channels.into_iter().all(|(port, channel)| {
            any = true;
            from(frame, (&own.name, port, channel), depth)
        });
        all && any
    };
    let given =
        |name: &str, usual: &str| is_int(own.value(name).unwrap_or(usual), &frame.scope, name);
    let listed = |name: &str, usual: &str| {
        let node = expression::parse(own.value(name).unwrap_or(usual));
        let Ok(Node::Array(elements)) = node else { return false };
        let mut quiet = |name: &str| frame.scope.peek(name, None);
        elements.iter().all(|own| expression::print(own, &mut quiet).is_ok_and(|own| own.int))
    };
    match own.kind() {
        "Const" => given("value", "1"),
        "SingleEvent" => given("value", "true"),
        "DiscreteClock" | "Sequence" => listed("values", "{1}"),
        "Clock" | "Pulse" | "PoissonClock" => listed("values", "{1, 0}"),
        "Counter" | "CurrentMicrostep" | "GetCurrentMicrostep" => true,
        "Ramp" => given("init", "0") && given("step", "1") && !inputs(&["init", "step"]),
        "Accumulator" => given("init", "0") && given("lowpass", "1") && inputs(&["input"]),
        "AddSubtract" => inputs(&["plus", "minus"]),
        "Scale" => given("factor", "1") && inputs(&["input"]),
        "MultiplyDivide" => inputs(&["multiply", "divide"]),
        "SampleDelay" => listed("initialOutputs", "{0}") && inputs(&["input"]),
        "Default" => inputs(&["preferred", "alternate"]),
        "BooleanSelect" | "BooleanMultiplexor" => inputs(&["trueInput", "falseInput"]),
        "TimeDelay" | "TimedDelay" | "VariableDelay" | "MicrostepDelay" | "Sampler"
        | "Register" | "Previous" | "Pre" | "NonStrictDelay" | "MostRecent"
        | "SamplerWithDefault" | "Merge" | "Queue" | "Server" | "When" | "Inhibit" | "TrueGate"
        | "EventFilter" | "ZeroOrderHold" | "AbsoluteValue" | "Minimum" | "Maximum" | "Switch"
        | "Select" | "BooleanSwitch" | "Multiplexor" | "Synchronizer" | "Differential"
        | "PeriodicSampler" => inputs(&["input"]),
        "Expression" => {
            let Ok(node) = expression::parse(own.value("expression").unwrap_or("0")) else {
                return false;
            };
            let printed = expression::print(&node, &mut |name| {
                if own.port(name).is_some() {
                    let int = from(frame, (&own.name, name, 0), depth);
                    return Ok(Name::Text(name.to_owned(), int));
                }
                let text = own.property(name).and_then(|own| own.text());
                match text.and_then(|text| expression::parse(text).ok()) {
                    Some(Node::Function(names, body)) => Ok(Name::Function(names, *body)),
                    Some(_) => Ok(Name::Text(name.to_owned(), given(name, ""))),
                    None => frame.scope.peek(name, None),
                }
            });
            printed.is_ok_and(|own| own.int)
        }
        _ => false,
    }
}
