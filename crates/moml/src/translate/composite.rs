//! Composites: the model, diagrams, and contents of states.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::scope::Scope;
use super::settle::{
    define_parameters, define_special, inline_parameters, instance_parameters, is_int,
    settle_parameters, value_around,
};
use super::tests::longer_column;
use super::{Content, Signals, Translation, names, parameters};
use crate::Problem;
use crate::expression::Name;
use crate::tree::{Component, Property, Relation, find};
use crate::wiring::{Channel, Wiring};
use crate::yaml::Yaml;

/// How deep composites and machines may be nested.
const DEEPEST: usize = 60;
/// How many of them may be translated; refinements that states share are translated for each.
const MOST: usize = 20_000;

/// A composite whose entities are being translated.
pub struct Frame<'a> {
    pub component: &'a Component,
    pub wiring: Wiring,
    /// The names of the blocks of its entities.
    pub names: HashMap<String, String>,
    /// The signals at its own input ports, seen from inside.
    pub inputs: Signals,
    /// Those of them whose values are integers.
    pub integers: BTreeSet<(String, usize)>,
    pub scope: Rc<Scope>,
    /// Inside a state its own time stops while the state is not active: the name of a signal that is
    /// the time of the model, once something asks for it.
    pub inside: Option<Inside>,
    /// By how much its clock is ahead of that of the model \[s\].
    pub start: f64,
    /// Whether its director is one of discrete events.
    pub events: bool,
}

/// The state that contains a frame.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The signal that is the time of the model.
    pub now: String,
    /// The time of the state when it is entered.
    pub start: f64,
}

/// The port at which the content of a composite that fires as a whole sees its firings.
pub fn tick_port() -> (String, usize) {
    ("_tick".to_owned(), 0)
}

impl Frame<'_> {
    /// The firings of the composite, if it fires as a whole, as one more of its inputs.
    pub fn tick(&self) -> Option<((String, usize), String)> {
        self.inputs.get(&tick_port()).map(|own| (tick_port(), own.clone()))
    }

    /// The signals at an input port of an entity, one for each channel; none for a channel without
    /// a source.
    pub fn sources(&self, entity: &str, port: &str) -> Vec<Option<String>> {
        let channels = self.wiring.channels(Some(entity), port);
        channels.iter().map(|channel| self.source(*channel)).collect()
    }

    /// The signal on a channel.
    pub fn source(&self, channel: Channel) -> Option<String> {
        self.wiring.ends(channel).iter().find_map(|(end, number)| match &end.entity {
            None => self.inputs.get(&(end.port.clone(), *number)).cloned(),
            Some(entity) => {
                let entity = self.component.entity(entity)?;
                let is_output = super::actor::outputs(entity).contains(&end.port);
                is_output.then(|| self.output(entity, &end.port, *number))
            }
        })
    }

    /// The name of the signal at an output port of an entity.
    pub fn output(&self, entity: &Component, port: &str, channel: usize) -> String {
        let name = &self.names[&entity.name];
        let outputs = super::actor::outputs(entity);
        let suffix = if channel > 0 { format!("_{channel}") } else { String::new() };
        let port_name = names::plain(port);
        match () {
            () if super::actor::has_ports(entity) && self.is_inlined(entity) => {
                format!("{name}_{port_name}{suffix}_out")
            }
            () if super::actor::has_ports(entity) => format!("{name}.{port_name}{suffix}"),
            () if entity.kind() == "Derivative" => match port {
                "impulse" => format!("{name}.jump"),
                _ => format!("{name}.output"),
            },
            () if outputs.first().is_some_and(|first| first == port) => format!("{name}{suffix}"),
            () => format!("{name}_{port_name}{suffix}"),
        }
    }

    /// Whether the blocks of a composite become blocks of this one: in a state, transitions may set
    /// what is inside.
    pub fn is_inlined(&self, entity: &Component) -> bool {
        self.inside.is_some() && entity.is_composite()
    }
}

impl Translation {
    /// The model itself: its content and the settings of its director.
    pub fn top(&mut self, model: &Component) -> Result<(Content, Vec<(String, String)>), Problem> {
        let scope = Rc::new(Scope::default());
        let mut content = Content::default();
        self.own_parameters(model, &scope, &mut content)?;
        let tolerance = super::director::tolerance(model, &scope)?;
        self.tolerance = tolerance.and_then(|text| scope.constant(&text)).or(Some(1e-4));
        let mut inputs = Signals::new();
        if model.director().is_some_and(super::director::fires) {
            let (name, block) = super::director::ticks(model, &scope, &mut content)?;
            content.blocks.push((name.clone(), block));
            inputs.insert(tick_port(), name);
        }
        let tick = inputs.get(&tick_port()).cloned();
        self.fill(model, &scope, inputs, None, "", &mut content)?;
        if let Some(tick) = tick {
            let placed = content.placed.clone();
            let named = |own: &Component| placed.get(&own.path).cloned();
            super::director::end_with_machines(model, named, &tick, &mut content);
        }
        let simulate = super::director::settings(model, &scope, &self.longest)?;
        settle_parameters(model, &scope, &mut content)?;
        Ok((content, simulate))
    }

    /// Makes the parameters of a composite known in its scope.
    pub fn own_parameters(
        &mut self,
        own: &Component,
        scope: &Rc<Scope>,
        content: &mut Content,
    ) -> Result<(), Problem> {
        content.used.extend(scope.visible());
        for parameter in own.properties.iter().filter(|own| own.is_parameter()) {
            let Some(text) = parameter.text() else { continue };
            if define_special(scope, parameter, text) {
                continue;
            }
            let name = names::fresh(&parameter.name, &mut content.used);
            scope.define_raw(&parameter.name, text);
            let int = is_int(text, scope, &parameter.name);
            scope.define(&parameter.name, Ok(Name::Text(name, int)));
        }
        Ok(())
    }

    /// Goes one level down, unless the model is too deep or too large.
    pub fn enter(&mut self, component: &Component) -> Result<(), Problem> {
        (self.depth, self.work) = (self.depth + 1, self.work + 1);
        let reason = match () {
            () if self.depth > DEEPEST => format!("composites are nested more than {DEEPEST} deep"),
            () if self.work > MOST => format!("there are more than {MOST} composites and machines"),
            () => return Ok(()),
        };
        let subject = format!("entity {}", component.path);
        Err(Problem::unsupported(&component.file, component.line, &subject, reason))
    }

    /// Comes one level up.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Translates the entities of a composite into a content. Returns the signals at its output
    /// ports.
    pub fn fill(
        &mut self,
        component: &Component,
        scope: &Rc<Scope>,
        inputs: Signals,
        inside: Option<Inside>,
        prefix: &str,
        content: &mut Content,
    ) -> Result<Signals, Problem> {
        let integers = std::mem::take(&mut self.integers);
        let start = std::mem::take(&mut self.start);
        self.enter(component)?;
        if let Some(director) = component.director() {
            self.directors.push(director.class.ends_with("ContinuousDirector"));
        }
        content.used.extend(scope.visible());
        let wiring = Wiring::of(component, &mut |relation| width(relation, component, scope))?;
        let mut block_names = HashMap::new();
        let linked = |own: &&Component| !wiring.linked(&own.name).is_empty();
        let mut others = component.entities.iter().filter(|own| !super::actor::is_block(own));
        if let Some(own) = others.find(linked) {
            let (subject, reason) = (format!("entity {}", own.path), "it is no actor");
            return Err(Problem::wrong(&own.file, own.line, &subject, reason));
        }
        for entity in component.entities.iter().filter(|own| super::actor::is_block(own)) {
            let wanted = format!("{prefix}{}", names::plain(&entity.name));
            let name = names::fresh(&wanted, &mut content.used);
            content.placed.insert(entity.path.clone(), name.clone());
            block_names.insert(entity.name.clone(), name);
        }
        let names = block_names;
        let scope = scope.clone();
        let events = component.director().is_some_and(|own| own.class.ends_with("DEDirector"));
        let frame =
            Frame { component, wiring, names, inputs, integers, scope, inside, start, events };
        super::variables::set(&frame, content)?;
        for entity in &component.entities {
            self.entity(&frame, entity, content)?;
        }
        let mut outputs = Signals::new();
        for port in component.ports.iter().filter(|port| port.output) {
            let channels = frame.wiring.channels(None, &port.name);
            for (number, channel) in channels.iter().enumerate() {
                if let Some(signal) = frame.source(*channel) {
                    outputs.insert((port.name.clone(), number), signal);
                }
            }
        }
        if component.director().is_some() {
            self.directors.pop();
        }
        self.leave();
        Ok(outputs)
    }

    /// A composite as an instance of a diagram, or inlined in a state.
    pub fn composite(
        &mut self,
        frame: &Frame,
        own: &Component,
        content: &mut Content,
    ) -> Result<(), Problem> {
        super::director::check(own)?;
        match frame.is_inlined(own) {
            true => self.inlined(frame, own, content),
            false => self.instance(frame, own, content),
        }
    }

    fn inlined(
        &mut self,
        frame: &Frame,
        own: &Component,
        content: &mut Content,
    ) -> Result<(), Problem> {
        let name = frame.names[&own.name].clone();
        let scope = Scope::within(&frame.scope, false);
        let mut inputs = self.connected(frame, own);
        let firing = self.firings(frame, own, &inputs);
        super::director::pace(frame, own, firing, &mut inputs, content)?;
        let prefix = format!("{name}_");
        for parameter in own.properties.iter().filter(|_| frame.events) {
            let (true, Some(text)) = (parameter.is_parameter(), parameter.text()) else { continue };
            if let Some(signal) = inputs.get_mut(&(parameter.name.clone(), 0)) {
                let initial = value_around(own, parameter, text, &frame.scope)?;
                *signal = Translation::kept(&parameter.name, signal, &initial, content);
            }
        }
        inline_parameters(own, &scope, &inputs)?;
        let enable = inputs.get(&("enable".to_owned(), 0)).cloned();
        self.integers = integers(frame, own);
        self.start = frame.start;
        let mut outputs = self.fill(own, &scope, inputs, frame.inside.clone(), &prefix, content)?;
        if own.kind() == "EnabledComposite" {
            let enable = enabled(own, enable)?;
            for signal in outputs.values_mut() {
                *signal = format!("when({enable}, {signal})");
            }
        }
        for ((port, channel), signal) in outputs {
            let output = frame.output(own, &port, channel);
            content.used.insert(output.clone());
            content.blocks.push((output, expression_block(&signal)));
        }
        Ok(())
    }

    /// The firings of a composite inside another one, if it fires as a whole: with the one around it,
    /// or when all its inputs have come.
    pub fn firings(
        &self,
        frame: &Frame,
        own: &Component,
        inputs: &Signals,
    ) -> Option<((String, usize), String)> {
        let fires = own.director().is_some_and(super::director::fires);
        if frame.tick().is_some() && (fires || own.director().is_none()) {
            return frame.tick();
        }
        let reacts = own.director().is_some_and(super::director::reacts);
        let joint = match (fires, reacts) {
            (true, false) => " and ",
            (true, true) if self.directors.last() != Some(&true) => " or ",
            _ => return None,
        };
        let all: Vec<String> = inputs.values().map(|own| format!("present({own})")).collect();
        let all = Some(all.join(joint)).filter(|all| !all.is_empty())?;
        Some((tick_port(), format!("when({all}, 1)")))
    }

    /// The signals at the input ports of an entity, seen from inside it, by the names that they have
    /// outside.
    pub fn connected(&self, frame: &Frame, own: &Component) -> Signals {
        let mut inputs = Signals::new();
        // A PortParameter is a port even if the file has no element for that.
        let parameters = own.properties.iter().filter(|own| own.class.ends_with("PortParameter"));
        let ports = own.ports.iter().filter(|port| port.input).map(|port| &port.name);
        for port in ports.chain(parameters.map(|own| &own.name)) {
            let sources = frame.sources(&own.name, port);
            for (number, source) in sources.into_iter().enumerate() {
                if let Some(signal) = source {
                    inputs.insert((port.clone(), number), signal);
                }
            }
        }
        inputs
    }

    /// What a parameter is that events at its port change, and its value before them.
    pub fn kept(parameter: &str, signal: &str, initial: &str, content: &mut Content) -> String {
        let held = names::fresh(&format!("{}_held", names::plain(parameter)), &mut content.used);
        let block = [("type", "ZeroOrderHold"), ("input", signal), ("initial", initial)];
        let block = block.map(|(key, text)| (key.to_owned(), text.to_owned()));
        content.blocks.push((held.clone(), Yaml::map(block)));
        held
    }

    fn instance(
        &mut self,
        frame: &Frame,
        own: &Component,
        content: &mut Content,
    ) -> Result<(), Problem> {
        let scope = Scope::within(&frame.scope, true);
        let mut inner = Content::default();
        // What the diagram needs from around it keeps its name.
        inner.used.extend(frame.scope.visible());
        let mut connected = self.connected(frame, own);
        // What remembers something stands still as a whole while it is disabled.
        let stops = own.kind() == "EnabledComposite" && remembers(own).is_some();
        let switch = stops.then(|| connected.remove(&("enable".to_owned(), 0))).flatten();
        if stops && switch.is_none() {
            let subject = format!("entity {}", own.path);
            let reason = "the port `enable` is not connected";
            return Err(Problem::unsupported(&own.file, own.line, &subject, reason));
        }
        let firing = self.firings(frame, own, &connected);
        super::director::pace(frame, own, firing, &mut connected, content)?;
        super::variables::kept_inputs(frame, own, &mut connected, content)?;
        let mut inputs = named_inside(&connected, &mut inner);
        let signals = connected.values().cloned();
        let mut fields: Vec<(String, String)> = inputs.values().cloned().zip(signals).collect();
        let input_names = inputs.values().cloned().collect();
        fields.extend(define_parameters(frame, own, &scope, &inputs, &mut inner)?);
        let enable = inputs.get(&("enable".to_owned(), 0)).cloned();
        let waiting = super::ahead::waiting(frame, own, &mut inputs, &mut inner);
        inner.tolerance = self.tolerance_of(own, &scope)?;
        self.longest.extend(super::director::longest_step(own, &scope));
        self.begin(own, &mut inner);
        self.integers = integers(frame, own);
        self.start = super::director::started(own, frame.start)?;
        let seen = inputs.clone();
        let mut outputs = self.fill(own, &scope, inputs, None, "", &mut inner)?;
        super::variables::kept_outputs(frame, (own, &scope), &seen, &mut outputs, &mut inner)?;
        super::ahead::blocks(own, &waiting, &mut inner);
        if own.kind() == "EnabledComposite" && !stops {
            let enable = enabled(own, enable)?;
            for signal in outputs.values_mut() {
                *signal = format!("when({enable}, {signal})");
            }
        }
        super::variables::silent_outputs(frame, own, &mut outputs);
        fields.extend(instance_parameters(own, &scope, &mut inner)?);
        for (name, text) in scope.needs() {
            inner.parameters.push((name.clone(), None));
            fields.push((name, text));
        }
        let name = frame.names[&own.name].clone();
        let shown = self.shown((own, &name), &outputs, std::mem::take(&mut inner.tests), content);
        fields.extend(switch.map(|signal| ("enabled".to_owned(), signal)));
        let kind = self.diagram(own, input_names, &shown, inner);
        let mut block = vec![("type".to_owned(), Yaml::text(kind))];
        block.extend(fields.into_iter().map(|(name, text)| (name, Yaml::Text(text))));
        content.blocks.push((name, Yaml::Map(block)));
        Ok(())
    }

    /// A microstep at the start, which an SR model inside another one needs.
    fn begin(&self, own: &Component, inner: &mut Content) {
        if own.director().is_some_and(|own| own.class.ends_with("SRDirector"))
            && self.directors.last() == Some(&true)
        {
            let begin = names::fresh("begin", &mut inner.used);
            inner.blocks.push((begin.clone(), once_at_the_start()));
            inner.tests.push((begin.clone(), begin));
        }
    }

    /// The outputs of an instance, those of the tests inside it included, whose columns get names of
    /// their own.
    fn shown(
        &mut self,
        (own, name): (&Component, &str),
        outputs: &Signals,
        tests: Vec<(String, String)>,
        content: &mut Content,
    ) -> Vec<(String, String)> {
        let mut shown: Vec<(String, String)> = outputs
            .iter()
            .map(|((port, channel), signal)| {
                let suffix = if *channel > 0 { format!("_{channel}") } else { String::new() };
                (format!("{}{suffix}", names::plain(port)), signal.clone())
            })
            .collect();
        let mut taken: BTreeSet<String> = shown.iter().map(|(name, _)| name.clone()).collect();
        let mut renamed = BTreeMap::new();
        for (column, signal) in tests {
            let output = names::fresh(&format!("test_{column}"), &mut taken);
            shown.push((output.clone(), signal));
            let longer = longer_column(&own.name, &column, content);
            renamed.insert(column, longer.clone());
            content.tests.push((longer, format!("{name}.{output}")));
        }
        self.rename_columns(&own.path, &renamed);
        shown
    }

    /// The tolerance of the director of a composite if it is not that of the whole model.
    pub fn tolerance_of(&self, own: &Component, scope: &Scope) -> Result<Option<String>, Problem> {
        let tolerance = super::director::tolerance(own, scope)?;
        let same = |text: &String| {
            let number = scope.constant(text);
            number.is_some() && number == self.tolerance
        };
        Ok(tolerance.filter(|text| !same(text)))
    }

    /// Adds a diagram, or finds one that is the same. Returns its name.
    fn diagram(
        &mut self,
        own: &Component,
        inputs: Vec<String>,
        outputs: &[(String, String)],
        inner: Content,
    ) -> String {
        let mut entries = Vec::new();
        if !inner.parameters.is_empty() {
            entries.push(("parameters".to_owned(), parameters(&inner.parameters)));
        }
        entries.extend(inner.tolerance.map(|own| ("tolerance".to_owned(), Yaml::Text(own))));
        if !inputs.is_empty() {
            entries.push(("inputs".to_owned(), Yaml::list(inputs)));
        }
        if !outputs.is_empty() {
            entries.push(("outputs".to_owned(), Yaml::map(outputs.iter().cloned())));
        }
        if !inner.blocks.is_empty() {
            entries.push(("blocks".to_owned(), Yaml::Map(inner.blocks)));
        }
        let diagram = Yaml::Map(entries);
        if let Some((name, _)) = self.diagrams.iter().find(|(_, other)| *other == diagram) {
            return name.clone();
        }
        let class = own.class.rsplit('.').next().unwrap_or_default();
        let wanted = match own.class == own.base {
            true => names::plain(&own.name),
            false => names::plain(class),
        };
        let mut used: BTreeSet<String> =
            self.diagrams.iter().map(|(name, _)| name.clone()).collect();
        let name = names::fresh(&capital(&wanted), &mut used);
        self.diagrams.push((name.clone(), diagram));
        name
    }
}

/// The inputs of a diagram, named like the ports at which they come.
fn named_inside(connected: &Signals, inner: &mut Content) -> Signals {
    let mut inputs = Signals::new();
    for (port, channel) in connected.keys() {
        let suffix = if *channel > 0 { format!("_{channel}") } else { String::new() };
        let name = names::fresh(&format!("{port}{suffix}"), &mut inner.used);
        inputs.insert((port.clone(), *channel), name);
    }
    inputs
}

/// The inputs of a composite whose values are integers.
fn integers(frame: &Frame, own: &Component) -> BTreeSet<(String, usize)> {
    let ports = own.ports.iter().filter(|port| port.input).map(|port| &port.name);
    let channels = ports.flat_map(|port| {
        let width = frame.wiring.channels(Some(&own.name), port).len();
        (0..width).map(move |channel| (port.clone(), channel))
    });
    let is = |(port, channel): &(String, usize)| {
        super::integers::at_port(frame, &own.name, port, *channel)
    };
    channels.filter(is).collect()
}

/// The condition under which a composite is enabled. What is inside does not run otherwise, which
/// is the same as not seeing its outputs if it has no memory.
fn enabled(own: &Component, enable: Option<String>) -> Result<String, Problem> {
    let memory = remembers(own);
    let subject = format!("entity {}", own.path);
    if let Some(inner) = memory {
        let reason = format!("`{}` inside a composite that can be disabled", inner.name);
        return Err(Problem::unsupported(&own.file, own.line, &subject, reason));
    }
    enable.ok_or_else(|| {
        let reason = "the port `enable` is not connected";
        Problem::unsupported(&own.file, own.line, &subject, reason)
    })
}

/// Something inside a composite that may remember what it has seen.
fn remembers(own: &Component) -> Option<&Component> {
    own.entities.iter().find(|inner| {
        !matches!(
            inner.kind(),
            "Const"
                | "Expression"
                | "Scale"
                | "AddSubtract"
                | "MultiplyDivide"
                | "AbsoluteValue"
                | "TrigFunction"
                | "MathFunction"
                | "Sampler"
                | "TrueGate"
                | "Default"
        )
    })
}

/// One event at the start.
pub fn once_at_the_start() -> Yaml {
    Yaml::Map(vec![
        ("type".to_owned(), Yaml::text("EventSource")),
        ("offsets".to_owned(), Yaml::list(["0".to_owned()])),
        ("repeat".to_owned(), Yaml::text("once")),
    ])
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// A block that is an expression.
pub fn expression_block(text: &str) -> Yaml {
    Yaml::map([
        ("type".to_owned(), "Expression".to_owned()),
        ("expression".to_owned(), text.to_owned()),
    ])
}

/// The width of a relation: 1, unless it says more.
fn width(relation: &Relation, own: &Component, scope: &Scope) -> Result<usize, Problem> {
    let text = find(&relation.properties, "width").and_then(Property::text);
    let Some(text) = text.filter(|text| *text != "Auto") else { return Ok(1) };
    match scope.constant(text) {
        Some(width) if (2.0..=10_000.0).contains(&width) => Ok(width as usize),
        Some(_) => Ok(1),
        None => {
            let subject = format!("relation {}.{}", own.path, relation.name);
            let reason = format!("the width `{text}` is not a number");
            Err(Problem::unsupported(&own.file, relation.line, &subject, reason))
        }
    }
}
