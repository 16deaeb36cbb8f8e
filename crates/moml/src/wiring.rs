//! Links, relations and vertices in, channels of ports out.
//!
//! Relations that are linked to each other are one net. A port has a channel for each net that it
//! is linked to, in the order of the links; a net with a width has that many channels.

use std::collections::HashMap;

use crate::Problem;
use crate::tree::{Component, Link, Relation};

/// The port of an entity in a composite, or of the composite itself, seen from inside.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct End {
    /// The entity; none for the composite itself.
    pub entity: Option<String>,
    pub port: String,
}

/// One channel of a net.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    pub net: usize,
    pub index: usize,
}

/// The connections inside one composite.
#[derive(Debug, Default)]
pub struct Wiring {
    /// The channels of each port, in order.
    channels: HashMap<End, Vec<Channel>>,
    /// The ports on each channel, each with the number of the channel at the port.
    ends: HashMap<Channel, Vec<(End, usize)>>,
}

impl Wiring {
    /// The connections of a composite; `width` evaluates the width of a relation.
    pub fn of(
        composite: &Component,
        width: &mut dyn FnMut(&Relation) -> Result<usize, Problem>,
    ) -> Result<Wiring, Problem> {
        let mut nets = Nets::of(composite, width)?;
        let mut wiring = Wiring::default();
        for link in &composite.links {
            let Link::Port { port, relation, line } = link else { continue };
            let end = end(composite, port, *line)?;
            let (net, width) = nets.find(composite, relation, *line)?;
            let own = wiring.channels.entry(end.clone()).or_default();
            for index in 0..width {
                let channel = Channel { net, index };
                wiring.ends.entry(channel).or_default().push((end.clone(), own.len()));
                own.push(channel);
            }
        }
        Ok(wiring)
    }

    /// The channels of a port.
    pub fn channels(&self, entity: Option<&str>, port: &str) -> &[Channel] {
        let end = End { entity: entity.map(str::to_owned), port: port.to_owned() };
        self.channels.get(&end).map_or(&[], Vec::as_slice)
    }

    /// The ports on a channel, each with the number of the channel at the port.
    pub fn ends(&self, channel: Channel) -> &[(End, usize)] {
        self.ends.get(&channel).map_or(&[], Vec::as_slice)
    }

    /// The ports of an entity that are linked to something.
    pub fn linked(&self, entity: &str) -> Vec<&str> {
        let of_it = |end: &&End| end.entity.as_deref() == Some(entity);
        let mut linked: Vec<&str> =
            self.channels.keys().filter(of_it).map(|end| end.port.as_str()).collect();
        linked.sort_unstable();
        linked
    }
}

fn end(composite: &Component, port: &str, line: u32) -> Result<End, Problem> {
    let subject = || format!("link in {}", composite.path);
    match port.rsplit_once('.') {
        None => {
            if composite.port(port).is_none() && composite.property(port).is_none() {
                let reason = format!("there is no port `{port}`");
                return Err(Problem::wrong(&composite.file, line, &subject(), reason));
            }
            Ok(End { entity: None, port: port.to_owned() })
        }
        Some((entity, port)) => {
            if composite.entity(entity).is_none() {
                let reason = format!("there is no entity `{entity}`");
                return Err(Problem::wrong(&composite.file, line, &subject(), reason));
            }
            Ok(End { entity: Some(entity.to_owned()), port: port.to_owned() })
        }
    }
}

/// Relations joined to nets.
struct Nets {
    of: HashMap<String, usize>,
    parent: Vec<usize>,
    width: Vec<usize>,
}

impl Nets {
    fn of(
        composite: &Component,
        width: &mut dyn FnMut(&Relation) -> Result<usize, Problem>,
    ) -> Result<Nets, Problem> {
        let mut nets = Nets { of: HashMap::new(), parent: Vec::new(), width: Vec::new() };
        for relation in &composite.relations {
            nets.of.insert(relation.name.clone(), nets.parent.len());
            nets.parent.push(nets.parent.len());
            nets.width.push(width(relation)?);
        }
        for link in &composite.links {
            let Link::Relations(a, b) = link else { continue };
            let (a, _) = nets.find(composite, a, composite.line)?;
            let (b, _) = nets.find(composite, b, composite.line)?;
            nets.parent[b] = a;
            nets.width[a] = nets.width[a].max(nets.width[b]);
        }
        Ok(nets)
    }

    fn find(
        &mut self,
        composite: &Component,
        relation: &str,
        line: u32,
    ) -> Result<(usize, usize), Problem> {
        let Some(mut at) = self.of.get(relation).copied() else {
            let subject = format!("link in {}", composite.path);
            let reason = format!("there is no relation `{relation}`");
            return Err(Problem::wrong(&composite.file, line, &subject, reason));
        };
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        Ok((at, self.width[at]))
    }
}
