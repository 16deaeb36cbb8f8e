//! Which outputs of an entity depend on which of its inputs at the same instant, as Ptolemy II
//! describes it in text.
//!
//! An output of a composite depends on an input if a path leads from one to the other through
//! actors none of which has its output delayed. Two inputs are equivalent if they reach inputs of
//! one actor that it needs together.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::Component;
use crate::wiring::{End, Wiring};

/// How deep composites are followed.
const DEEPEST: usize = 60;

/// The dependencies between the ports of an entity.
#[derive(Debug, Default)]
pub struct Causality {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// Pairs of an input and an output that depends on it.
    direct: BTreeSet<(String, String)>,
    /// The number of the class of each input.
    class: BTreeMap<String, usize>,
}

/// What an output says that is delayed: the class of an actor, its input, and its output.
const DELAYED: [(&str, &str, &str); 7] = [
    ("Integrator", "derivative", "state"),
    ("LevelCrossingDetector", "trigger", "output"),
    ("ZeroCrossingDetector", "trigger", "output"),
    ("MicrostepDelay", "input", "output"),
    ("TimeDelay", "input", "output"),
    ("TimedDelay", "input", "output"),
    ("PeriodicSampler", "input", "output"),
];

impl Causality {
    /// The dependencies of a composite whose relations all have one channel, or more that all lead to the
    /// same ports.
    pub fn of(composite: &Component, outputs_of: &dyn Fn(&Component) -> Vec<String>) -> Causality {
        Causality::deep(composite, outputs_of, 0)
    }

    fn deep(
        composite: &Component,
        outputs_of: &dyn Fn(&Component) -> Vec<String>,
        depth: usize,
    ) -> Causality {
        let ports = |input: bool| {
            let own =
                composite.ports.iter().filter(|port| if input { port.input } else { port.output });
            own.map(|port| port.name.clone()).collect::<Vec<_>>()
        };
        let mut own =
            Causality { inputs: ports(true), outputs: ports(false), ..Causality::default() };
        let wiring = Wiring::of(composite, &mut |_| Ok(1)).unwrap_or_default();
        let inner: BTreeMap<&str, Causality> = composite
            .entities
            .iter()
            .map(|entity| (entity.name.as_str(), inside(entity, &wiring, outputs_of, depth)))
            .collect();
        // What each input reaches: classes of inputs of entities, and outputs.
        let mut reached: Vec<BTreeSet<(String, String)>> = Vec::new();
        for input in &own.inputs {
            let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
            let mut marks = BTreeSet::new();
            let mut open = vec![End { entity: None, port: input.clone() }];
            while let Some(from) = open.pop() {
                for end in sinks(&wiring, &from, &inner) {
                    let Some(entity) = &end.entity else {
                        if own.outputs.contains(&end.port) {
                            own.direct.insert((input.clone(), end.port.clone()));
                            marks.insert((String::new(), end.port.clone()));
                        }
                        continue;
                    };
                    let of = &inner[entity.as_str()];
                    let class = of.class.get(&end.port).copied().unwrap_or_default();
                    marks.insert((entity.clone(), class.to_string()));
                    for (_, output) in of.direct.iter().filter(|(port, _)| *port == end.port) {
                        if seen.insert((entity.clone(), output.clone())) {
                            open.push(End { entity: end.entity.clone(), port: output.clone() });
                        }
                    }
                }
            }
            reached.push(marks);
        }
        own.classify(&reached);
        own
    }

    /// Puts inputs that reach the same into one class.
    fn classify(&mut self, reached: &[BTreeSet<(String, String)>]) {
        let mut class: Vec<usize> = (0..self.inputs.len()).collect();
        for a in 0..reached.len() {
            for b in 0..a {
                if !reached[a].is_disjoint(&reached[b]) && class[a] != class[b] {
                    let (from, to) = (class[a], class[b]);
                    class.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
                }
            }
        }
        self.class = self.inputs.iter().cloned().zip(class).collect();
    }

    /// For each input, whether each output depends on it.
    pub fn dependencies(&self) -> String {
        let mut text = String::new();
        for input in &self.inputs {
            text += &format!("{input} has output dependencies as follows:\n");
            for output in &self.outputs {
                let depends = self.direct.contains(&(input.clone(), output.clone()));
                text += &format!("   {output}: BooleanDependency({depends})\n");
            }
        }
        text
    }

    /// Whether an output depends on an input.
    pub fn is_direct(&self) -> bool {
        !self.direct.is_empty()
    }

    /// For each port, the ports on the other side that depend on it or on which it depends.
    pub fn dependents(&self) -> String {
        let mut text = String::new();
        for input in &self.inputs {
            let on_it = self.direct.iter().filter(|(own, _)| own == input).map(|(_, port)| port);
            text += &listed(input, "has output port dependencies", on_it);
        }
        for output in &self.outputs {
            let of_it = self.direct.iter().filter(|(_, own)| own == output).map(|(port, _)| port);
            text += &listed(output, "has input port dependencies", of_it);
        }
        text
    }

    /// For each input, those of its class.
    pub fn equivalences(&self) -> String {
        let class = |input: &String| self.class.get(input);
        let like = |input: &String| {
            let all = self.inputs.iter().filter(|other| class(other) == class(input));
            listed(input, "has equivalent input ports", all)
        };
        self.inputs.iter().map(like).collect()
    }
}

/// Whether what an entity of a composite emits reaches another one at the same instant.
pub fn reaches(
    composite: &Component,
    outputs_of: &dyn Fn(&Component) -> Vec<String>,
    from: &str,
    to: &str,
) -> bool {
    let wiring = Wiring::of(composite, &mut |_| Ok(1)).unwrap_or_default();
    let inner: BTreeMap<&str, Causality> = composite
        .entities
        .iter()
        .map(|entity| (entity.name.as_str(), inside(entity, &wiring, outputs_of, 0)))
        .collect();
    let port = |port: &String| End { entity: Some(from.to_owned()), port: port.clone() };
    let mut open: Vec<End> =
        inner.get(from).map(|own| own.outputs.iter().map(port).collect()).unwrap_or_default();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    while let Some(at) = open.pop() {
        for end in sinks(&wiring, &at, &inner) {
            let Some(entity) = &end.entity else { continue };
            if entity == to {
                return true;
            }
            let direct = inner[entity.as_str()].direct.iter();
            for (_, output) in direct.filter(|(port, _)| *port == end.port) {
                if seen.insert((entity.clone(), output.clone())) {
                    open.push(End { entity: end.entity.clone(), port: output.clone() });
                }
            }
        }
    }
    false
}

/// The dependencies of an entity inside a composite.
fn inside(
    entity: &Component,
    wiring: &Wiring,
    outputs_of: &dyn Fn(&Component) -> Vec<String>,
    depth: usize,
) -> Causality {
    if entity.is_composite() && depth < DEEPEST {
        return Causality::deep(entity, outputs_of, depth + 1);
    }
    let outputs = outputs_of(entity);
    let linked = wiring.linked(&entity.name);
    let inputs: Vec<String> = linked
        .into_iter()
        .filter(|port| !outputs.iter().any(|own| own == port))
        .map(str::to_owned)
        .collect();
    let delayed = |input: &str, output: &str| DELAYED.contains(&(entity.kind(), input, output));
    let pairs = inputs.iter().flat_map(|input| outputs.iter().map(move |output| (input, output)));
    let direct: BTreeSet<(String, String)> = pairs
        .filter(|(input, output)| !delayed(input, output))
        .map(|(input, output)| (input.clone(), output.clone()))
        .collect();
    let class = inputs.iter().map(|input| (input.clone(), 0)).collect();
    Causality { inputs, outputs, direct, class }
}

/// The ports that a port sends to: inputs of entities, and ports of the composite.
fn sinks(wiring: &Wiring, from: &End, inner: &BTreeMap<&str, Causality>) -> Vec<End> {
    let channels = wiring.channels(from.entity.as_deref(), &from.port);
    let ends = channels.iter().flat_map(|channel| wiring.ends(*channel)).map(|(end, _)| end);
    let takes = |end: &&End| match &end.entity {
        None => end.port != from.port || from.entity.is_some(),
        Some(entity) => {
            inner.get(entity.as_str()).is_some_and(|own| own.inputs.contains(&end.port))
        }
    };
    ends.filter(takes).cloned().collect()
}

fn listed<'a>(port: &str, what: &str, others: impl Iterator<Item = &'a String>) -> String {
    let mut names: Vec<&str> = others.map(String::as_str).collect();
    names.sort_unstable();
    match names.is_empty() {
        true => String::new(),
        false => {
            let lines: String = names.iter().map(|name| format!("  {name}\n")).collect();
            format!("{port} {what}:\n{lines}")
        }
    }
}
