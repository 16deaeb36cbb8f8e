//! What the variables of an exported model depend on.

use std::path::Path;
use std::sync::Arc;

use superdense::fmi::{
    Description, Instance, Interface, Kind, Role, Unknown, Variable, Version, export,
};
use superdense::{InputKind, Library, System, read};

use crate::common::{compile, gallery};

fn described(system: &System, version: Version) -> Description {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = path.join(format!("dependencies-{}-{version}.fmu", system.name()));
    let made = export(system, version, &[], &path).expect("it can be exported");
    std::fs::remove_file(path).expect("an archive");
    made.description
}

const LISTED: &str = "superdense: 1
parameters: {k: {value: 2, tunable: true}, from: 3, whole: 4, apart: 5}
inputs:
  u: {initial: 1}
  gate: {kind: held, initial: 0}
outputs: {y: through, x: x, n: count, held: 10 * gate, side: \"if x > u then 1 else 2\", z: z, both: pair}
blocks:
  clock: {type: Clock, period: 0.25}
  x: {type: Integrator, input: -k * x + u, initial: from}
  z: {type: Integrator, input: z * apart, initial: 1}
  through: {type: Expression, expression: x + u * whole}
  count: {type: Counter, increment: clock}
  pair: {type: Expression, expression: \"[x, z]\"}
";

/// The lists of a small model, in both versions.
#[test]
fn dependencies_are_those_of_the_equations() {
    let system = compile(LISTED);
    for version in [Version::Two, Version::Three] {
        let own = described(&system, version);
        let name = |reference: &u32| {
            let of = |own: &&Variable| {
                (own.reference..own.reference + own.len() as u32).contains(reference)
            };
            own.variables.iter().find(of).expect("a variable").name.clone()
        };
        let listed = |of: &[Unknown]| -> Vec<String> {
            let each = of.iter().map(|own| {
                let from = own.dependencies.as_ref().expect("a list");
                let from: Vec<String> = from.iter().map(name).collect();
                format!("{}: {}", name(&own.reference), from.join(" "))
            });
            each.collect()
        };
        let two = version == Version::Two;
        let tunable = if two { "" } else { "k " };
        let mut outputs =
            vec!["y: u x.state", "x: x.state", "n: time", "held: gate", "side: u x.state"];
        outputs.push("z: z.state");
        outputs.extend(if two {
            &["both: x.state", "both: z.state"][..]
        } else {
            &["both: x.state z.state"]
        });
        assert_eq!(listed(&own.structure.outputs), outputs);
        let rate = format!("der(x.state): {tunable}u x.state");
        assert_eq!(listed(&own.structure.derivatives), [rate.as_str(), "der(z.state): z.state"]);
        let initial = listed(&own.structure.initial);
        for expected in [
            "y: from whole u",
            "n: time",
            "held: gate",
            "side: from u",
            "z: ",
            "x.state: from",
            "z.state: ",
            "der(x.state): k from u",
            "der(z.state): apart",
        ] {
            assert!(initial.iter().any(|own| own == expected), "{expected} in {initial:?}");
        }
    }
}

/// What is not listed changes nothing: every state and continuous input of every model is moved.
#[test]
fn what_is_not_listed_changes_nothing() {
    let mut tried = 0;
    for path in gallery() {
        let name = path.display().to_string();
        let Ok(system) = System::compile(&read(&path).expect("a model"), &Library::standard())
        else {
            continue;
        };
        let Ok(interface) = Interface::new(&system).map(Arc::new) else { continue };
        let Ok(mut instance) = Instance::new(&interface, Kind::ModelExchange) else { continue };
        if interface.state_count() > 60 {
            continue;
        }
        let own = described(&system, Version::Three);
        instance.set_up(0.0, None, None).expect("set up");
        instance.enter_initialization().expect("entered");
        instance.exit_initialization().expect("initialised");
        while instance.update_discrete().expect("an iteration").again {}
        instance.enter_continuous().expect("between events");
        let unknowns = own.structure.outputs.iter().chain(&own.structure.derivatives);
        tried += moved(&name, &interface, &mut instance, &unknowns.collect::<Vec<_>>());
    }
    assert!(tried > 1000, "{tried}");
}

/// Moves each state and input; returns how many unknowns were compared.
fn moved(
    name: &str,
    interface: &Interface,
    instance: &mut Instance,
    unknowns: &[&Unknown],
) -> usize {
    let mut states = vec![0.0; interface.state_count()];
    instance.states(&mut states).expect("states");
    let read = |instance: &mut Instance| -> Option<Vec<Vec<u64>>> {
        let each = unknowns.iter().map(|own| {
            let port = interface.port_at(own.reference as usize).expect("a variable");
            let values = instance.get(own.reference, port.ty.len()).ok()?;
            Some(values.iter().map(|x| x.to_bits()).collect())
        });
        each.collect()
    };
    let Some(before) = read(instance) else { return 0 };
    let mut compared = 0;
    let mut compare = |known: u32, after: Vec<Vec<u64>>| {
        for (unknown, (a, b)) in unknowns.iter().zip(before.iter().zip(&after)) {
            let listed = unknown.dependencies.as_ref().expect("a list").contains(&known);
            compared += usize::from(!listed);
            assert!(listed || a == b, "{name}: {} moves with {known}", unknown.reference);
        }
    };
    for port in interface.ports() {
        if let Role::State(index) = port.role {
            let mut other = states.clone();
            other[index] += 0.01 * other[index].abs().max(0.1);
            instance.set_states(&other).expect("states");
            read(instance).into_iter().for_each(|after| compare(port.first as u32, after));
            instance.set_states(&states).expect("states");
        }
        let continuous = matches!(&port.role, Role::Input(own)
            if own.kind() == InputKind::Continuous);
        if continuous {
            let own = instance.get(port.first as u32, port.ty.len()).expect("a value").to_vec();
            let other: Vec<f64> = own.iter().map(|x| x + 0.01).collect();
            instance.set(port.first as u32, &other).expect("set");
            read(instance).into_iter().for_each(|after| compare(port.first as u32, after));
            instance.set(port.first as u32, &own).expect("set");
        }
    }
    compared
}
