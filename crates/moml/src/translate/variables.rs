//! Parameters that actors set while a model runs, and ports that keep their last value.

use super::actor::{any_present, outputs};
use super::composite::{Frame, expression_block};
use super::{Content, Signals, names};
use crate::Problem;
use crate::tree::{Component, Port, find};
use crate::yaml::Yaml;

/// Makes the parameters of a composite that a `SetVariable` beside them sets signals: a value that is
/// set counts from the next microstep on.
pub fn set(frame: &Frame, content: &mut Content) -> Result<(), Problem> {
    for own in frame.component.entities.iter().filter(|own| own.kind() == "SetVariable") {
        let subject = format!("entity {}", own.path);
        let failed = |reason: String| Problem::unsupported(&own.file, own.line, &subject, reason);
        let name = own.value("variableName").unwrap_or("parameter");
        let parameter = find(&frame.component.properties, name).filter(|own| own.is_parameter());
        let Some(text) = parameter.and_then(|own| own.text()) else {
            return Err(failed(format!("`{name}` is no parameter of the composite around it")));
        };
        if own.value("delayed") == Some("false") {
            return Err(failed("a parameter that is set at once".to_owned()));
        }
        if frame.wiring.linked(&own.name).iter().any(|port| *port != "input") {
            return Err(failed("a connected port other than `input`".to_owned()));
        }
        let others = &frame.component.entities;
        let same = |other: &&Component| {
            other.kind() == "SetVariable" && other.value("variableName").unwrap_or_default() == name
        };
        if others.iter().filter(same).count() > 1 {
            return Err(failed(format!("`{name}` is set by several actors")));
        }
        let sources = frame.sources(&own.name, "input");
        let Some(signal) = sources.into_iter().flatten().next() else { continue };
        let initial = frame.scope.print(text, Some(name)).map_err(failed)?.text;
        let set = names::fresh(&format!("{}_set", names::plain(name)), &mut content.used);
        let fields = [("type", "MicrostepDelay"), ("input", &signal), ("between", "absent")];
        content.blocks.push((set.clone(), fields_of(fields)));
        let held = held(name, &set, &initial, content);
        frame.scope.define_input(name, &held);
    }
    Ok(())
}

/// Whether a composite keeps the last values of ports that have default values: it fires with its
/// inputs alone.
pub fn keeps(frame: &Frame, own: &Component) -> bool {
    frame.events && own.is_composite() && !frame.is_inlined(own) && own.entities.is_empty()
}

fn usual(port: &Port) -> Option<&str> {
    port.usual.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// Gives the inputs of a composite that have default values their last ones whenever it fires.
pub fn kept_inputs(
    frame: &Frame,
    own: &Component,
    connected: &mut Signals,
    content: &mut Content,
) -> Result<(), Problem> {
    if !keeps(frame, own) {
        return Ok(());
    }
    let fired = any_present(&connected.values().cloned().collect::<Vec<_>>());
    for port in own.ports.iter().filter(|port| port.input) {
        let Some(text) = usual(port) else { continue };
        let subject = format!("entity {}", own.path);
        let failed = |reason: String| Problem::unsupported(&own.file, own.line, &subject, reason);
        let initial = frame.scope.print(text, None).map_err(failed)?.text;
        let Some(signal) = connected.get_mut(&(port.name.clone(), 0)) else { continue };
        *signal = fires_with(&port.name, &fired, (signal, &initial), content);
    }
    Ok(())
}

/// The same for its outputs, seen from inside; `inputs` are its inputs there.
pub fn kept_outputs(
    frame: &Frame,
    (own, scope): (&Component, &super::scope::Scope),
    inputs: &Signals,
    outputs_of: &mut Signals,
    content: &mut Content,
) -> Result<(), Problem> {
    if !keeps(frame, own) {
        return Ok(());
    }
    let fired = any_present(&inputs.values().cloned().collect::<Vec<_>>());
    for name in outputs(own) {
        let Some(text) = own.port(&name).and_then(usual) else { continue };
        let subject = format!("entity {}", own.path);
        let failed = |reason: String| Problem::unsupported(&own.file, own.line, &subject, reason);
        let initial = scope.print(text, None).map_err(failed)?.text;
        let key = (name.clone(), 0);
        let signal = outputs_of.get(&key).cloned().unwrap_or_else(|| "absent".to_owned());
        outputs_of.insert(key, fires_with(&name, &fired, (&signal, &initial), content));
    }
    Ok(())
}

/// Makes the outputs of a composite that nothing inside gives a value absent: something around it
/// may read them.
pub fn silent_outputs(frame: &Frame, own: &Component, outputs_of: &mut Signals) {
    let linked = |port: &String| !frame.wiring.channels(Some(&own.name), port).is_empty();
    for port in outputs(own).into_iter().filter(linked) {
        outputs_of.entry((port, 0)).or_insert_with(|| "absent".to_owned());
    }
}

/// The last value of a signal at each firing.
fn fires_with(
    name: &str,
    fired: &str,
    (signal, initial): (&str, &str),
    content: &mut Content,
) -> String {
    let held = match signal {
        "absent" => initial.to_owned(),
        signal => held(name, signal, initial, content),
    };
    let fires = names::fresh(&format!("{}_kept", names::plain(name)), &mut content.used);
    content.blocks.push((fires.clone(), expression_block(&format!("when({fired}, {held})"))));
    fires
}

/// A block that holds the last value of a signal.
fn held(name: &str, signal: &str, initial: &str, content: &mut Content) -> String {
    let held = names::fresh(&format!("{}_held", names::plain(name)), &mut content.used);
    let fields = [("type", "ZeroOrderHold"), ("input", signal), ("initial", initial)];
    content.blocks.push((held.clone(), fields_of(fields)));
    held
}

fn fields_of(fields: [(&str, &str); 3]) -> Yaml {
    Yaml::map(fields.map(|(key, text)| (key.to_owned(), text.to_owned())))
}
