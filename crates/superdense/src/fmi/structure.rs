//! Which variables of a model are what, and what they depend on.

use std::collections::HashMap;

use ::fmi::{Causality, Structure, Unknown, Variable, Version};
use base::ParameterId;
use program::{Dependencies, InputId, Instant, Known, dependencies};

use super::interface::{Interface, Port, Role};
use crate::pipeline::Code;

/// The structure of a model for a description. FMI 2.0 lists every element of an array, FMI 3.0 each
/// array once.
pub(crate) fn structure(interface: &Interface, version: Version, all: &[Variable]) -> Structure {
    let finder = Finder::new(interface, version);
    let of = |wanted: fn(&Role) -> bool, when: Instant| -> Vec<Unknown> {
        let own = interface.ports.iter().filter(|own| wanted(&own.role) && !own.ty.is_empty());
        own.flat_map(|port| finder.unknowns(port, when)).collect()
    };
    let is_output = |role: &Role| matches!(role, Role::Signal { output: true, .. });
    let is_state = |role: &Role| matches!(role, Role::State(_));
    let is_rate = |role: &Role| matches!(role, Role::Derivative(_));
    let outputs = of(is_output, Instant::Any);
    debug_assert!(all.iter().all(|own| own.causality != Causality::Output
        || outputs.iter().any(|listed| listed.reference == own.reference)));
    Structure {
        outputs,
        derivatives: of(is_rate, Instant::Any),
        initial: [is_output, is_state, is_rate]
            .into_iter()
            .flat_map(|wanted| of(wanted, Instant::Start))
            .collect(),
        indicators: match version {
            Version::Two => Vec::new(),
            Version::Three => of(|role| matches!(role, Role::Indicator(_)), Instant::Any),
        },
    }
}

/// Finds what variables depend on.
struct Finder<'i> {
    version: Version,
    /// In and between events, and at the start.
    found: [Option<Dependencies>; 2],
    /// For each value of a run, the references of the parameters that it follows from.
    parameters: Vec<Vec<u32>>,
    /// The parameters that decide what is built.
    structural: Vec<u32>,
    /// The references of the states, and the variables of signals from outside.
    states: Vec<u32>,
    inputs: HashMap<InputId, &'i Port>,
}

impl<'i> Finder<'i> {
    fn new(interface: &'i Interface, version: Version) -> Finder<'i> {
        let system = &interface.system;
        let found = [Instant::Any, Instant::Start].map(|when| match &system.code {
            Code::Exact(program) => dependencies(&system.diagram, &system.schedule, program, when),
            Code::FixedStep(_) => None,
        });
        let own = &system.diagram.parameters;
        let mut finder = Finder {
            version,
            found,
            parameters: vec![Vec::new(); own.values().len()],
            structural: Vec::new(),
            states: Vec::new(),
            inputs: HashMap::default(),
        };
        for port in &interface.ports {
            match &port.role {
                Role::State(_) => finder.states.push(port.first as u32),
                Role::Input(input) | Role::Parameter(Some(input)) => {
                    finder.inputs.insert(input.id(), port);
                }
                _ => {}
            }
        }
        let fixed = interface.ports.iter().filter(|own| matches!(own.role, Role::Parameter(None)));
        for port in fixed {
            let references = finder.references(port);
            let declared = own.main().iter().find(|own| own.name == port.name);
            let following: Vec<ParameterId> =
                declared.and_then(|own| own.id()).map_or(Vec::new(), |id| own.following(id));
            if following.is_empty() || following.iter().any(|id| own.is_pinned(*id)) {
                finder.structural.extend(&references);
            }
            for id in following {
                finder.parameters[id.index()].extend(&references);
            }
        }
        finder
    }

    /// The references of the elements of a variable, or that of the array.
    fn references(&self, port: &Port) -> Vec<u32> {
        match self.version {
            Version::Two => port.range().map(|own| own as u32).collect(),
            Version::Three => vec![port.first as u32],
        }
    }

    /// The unknowns of a variable.
    fn unknowns(&self, port: &Port, when: Instant) -> Vec<Unknown> {
        let found = self.found[usize::from(when == Instant::Start)].as_ref();
        let lists = found.map(|found| lists(found, &port.role));
        let references = self.references(port);
        let unknown = |(element, reference): (usize, &u32)| Unknown {
            reference: *reference,
            dependencies: lists.as_ref().map(|lists| {
                let lists = match references.len() == lists.len() {
                    true => &lists[element..=element],
                    false => &lists[..],
                };
                self.listed(lists.iter().copied().flatten(), when)
            }),
        };
        references.iter().enumerate().map(unknown).collect()
    }

    /// The references of what a list names.
    fn listed<'k>(&self, known: impl Iterator<Item = &'k Known>, when: Instant) -> Vec<u32> {
        let mut all: Vec<u32> = known.flat_map(|own| self.of(*own, when)).collect();
        if when == Instant::Start {
            all.extend(&self.structural);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn of(&self, known: Known, when: Instant) -> Vec<u32> {
        match known {
            Known::Time => vec![0],
            Known::Parameter(id) => self.parameters[id.index()].clone(),
            Known::State(index) => self.states.get(index).copied().into_iter().collect(),
            Known::Input(id, element) => match (self.inputs.get(&id), self.version) {
                // FMI 2.0 has tunable parameters among the knowns of the start only.
                (Some(Port { role: Role::Parameter(_), .. }), Version::Two)
                    if when == Instant::Any =>
                {
                    Vec::new()
                }
                (Some(port), Version::Two) => vec![(port.first + element) as u32],
                (Some(port), Version::Three) => vec![port.first as u32],
                (None, _) => Vec::new(),
            },
        }
    }
}

/// The lists of the elements of a variable.
fn lists<'d>(found: &'d Dependencies, role: &Role) -> Vec<&'d Vec<Known>> {
    match role {
        Role::Signal { signal, .. } => found.records[signal.column()].iter().collect(),
        Role::State(index) => vec![&found.states[*index]],
        Role::Derivative(index) => vec![&found.rates[*index]],
        Role::Indicator(index) => vec![&found.watches[*index]],
        _ => Vec::new(),
    }
}
