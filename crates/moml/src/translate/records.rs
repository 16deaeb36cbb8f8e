//! Records, which no signal of ours is: each field is a signal of its own, from the actor that makes
//! the record to those beside it that read it.

use super::actor::Actor;
use super::composite::Frame;
use super::names;
use crate::Problem;
use crate::expression::{self, Node};
use crate::tree::Component;

/// The fields of the record that an actor makes: their names, and their values if it computes them.
fn fields(own: &Component) -> Option<Vec<(String, Option<Node>)>> {
    let text = match own.kind() {
        "RecordAssembler" => {
            let ports = own.ports.iter().filter(|port| port.name != "output");
            return Some(ports.map(|port| (port.name.clone(), None)).collect());
        }
        "Expression" => own.value("expression")?,
        "Const" => own.value("value")?,
        _ => return None,
    };
    match expression::parse(text).ok()? {
        Node::Record(fields) => {
            Some(fields.into_iter().map(|(name, value)| (name, Some(value))).collect())
        }
        _ => None,
    }
}

/// The signal of a field of the record that an entity makes.
fn signal(frame: &Frame, entity: &Component, field: &str) -> String {
    format!("{}_{}", frame.names[&entity.name], names::plain(field))
}

/// The fields of the record at an input port of an entity, with their signals, if it is one.
pub fn at_port(frame: &Frame, entity: &str, port: &str) -> Option<Vec<(String, String)>> {
    let channel = frame.wiring.channels(Some(entity), port).first()?;
    let mut ends = frame.wiring.ends(*channel).iter();
    ends.find_map(|(end, _)| {
        let source = frame.component.entity(end.entity.as_ref()?)?;
        let fields = fields(source).filter(|_| source.name != entity && end.port == "output")?;
        Some(fields.iter().map(|(name, _)| (name.clone(), signal(frame, source, name))).collect())
    })
}

/// Whether an actor makes a record.
pub fn makes(own: &Component) -> bool {
    fields(own).is_some()
}

/// The signals of a record that an actor computes; `print` prints the value of a field.
pub fn computed(
    actor: &mut Actor,
    print: &mut dyn FnMut(&Actor, &Node) -> Result<String, Problem>,
) -> Result<(), Problem> {
    for (field, value) in fields(actor.own).unwrap_or_default() {
        let Some(value) = value else { continue };
        let text = print(actor, &value)?;
        actor.named(&signal(actor.frame, actor.own, &field), &text);
    }
    Ok(())
}

/// A record of what comes at the ports, once all have come.
pub fn assembler(actor: &mut Actor) -> Result<(), Problem> {
    let ports: Vec<String> =
        fields(actor.own).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
    let inputs: Vec<String> = ports.iter().map(|port| actor.signal(port)).collect();
    let all: Vec<String> = inputs.iter().map(|own| format!("present({own})")).collect();
    for (port, input) in ports.iter().zip(&inputs) {
        let text = format!("when({}, {input})", all.join(" and "));
        actor.named(&signal(actor.frame, actor.own, port), &text);
    }
    Ok(())
}

/// The fields of a record at ports of their names.
pub fn disassembler(actor: &mut Actor) -> Result<(), Problem> {
    let Some(fields) = actor.record("input") else {
        return Err(actor.unsupported("a record that does not come from an actor beside it"));
    };
    for port in super::actor::outputs(actor.own) {
        let found = fields.iter().find(|(name, _)| *name == port);
        let Some((_, field)) = found else {
            return Err(actor.unsupported(format!("the record has no field `{port}`")));
        };
        let field = field.clone();
        actor.named(&actor.output(&port, 0), &field);
    }
    Ok(())
}
