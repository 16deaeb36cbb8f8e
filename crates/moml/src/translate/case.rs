//! The actor Case: of its refinements the one fires that its control input names. The others see
//! nothing meanwhile, and keep what they remember.

use std::rc::Rc;

use super::composite::{Frame, expression_block, tick_port};
use super::scope::Scope;
use super::settle::inline_parameters;
use super::{Content, Signals, Translation, director, names};
use crate::Problem;
use crate::expression;
use crate::tree::Component;
use crate::yaml::Yaml;

impl Translation {
    /// Translates a Case.
    pub fn case(
        &mut self,
        frame: &Frame,
        own: &Component,
        content: &mut Content,
    ) -> Result<(), Problem> {
        let subject = format!("entity {}", own.path);
        let failed = |reason: &str| Problem::unsupported(&own.file, own.line, &subject, reason);
        let control = frame.sources(&own.name, "control").into_iter().flatten().next();
        let control = control.ok_or_else(|| failed("the port `control` is not connected"))?;
        if !frame.events && frame.tick().is_none() {
            return Err(failed("a Case between events"));
        }
        let mut inputs = self.connected(frame, own);
        inputs.retain(|(port, _), _| port != "control");
        let refinements: Vec<&Component> =
            own.entities.iter().filter(|own| own.is_composite()).collect();
        let chosen = conditions(frame, own, (&control, &refinements), content);
        let scope = Scope::within(&frame.scope, false);
        inline_parameters(own, &scope, &inputs)?;
        let mut all = Vec::new();
        for (refinement, condition) in refinements.iter().zip(&chosen) {
            director::check(refinement)?;
            all.push(self.branch(frame, refinement, (&inputs, &scope, condition), content)?);
        }
        for port in own.ports.iter().filter(|port| port.output) {
            let key = (port.name.clone(), 0);
            let signals: Vec<&String> = all.iter().filter_map(|own| own.get(&key)).collect();
            let text = signals.iter().rev().fold("absent".to_owned(), |rest, signal| {
                format!("if present({signal}) then {signal} else ({rest})")
            });
            let output = frame.output(own, &port.name, 0);
            content.used.insert(output.clone());
            content.blocks.push((output, expression_block(&text)));
        }
        Ok(())
    }

    /// One refinement, which fires if a condition holds; the signals at its outputs.
    fn branch(
        &mut self,
        frame: &Frame,
        own: &Component,
        (inputs, around, condition): (&Signals, &Rc<Scope>, &str),
        content: &mut Content,
    ) -> Result<Signals, Problem> {
        let mut gated = Signals::new();
        for ((port, channel), signal) in
            inputs.iter().chain(frame.tick().iter().map(|(a, b)| (a, b)))
        {
            let name =
                names::fresh(&format!("{condition}_{}", names::plain(port)), &mut content.used);
            let text = format!("when({condition}, {signal})");
            content.blocks.push((name.clone(), expression_block(&text)));
            gated.insert((port.clone(), *channel), name);
        }
        if !gated.contains_key(&tick_port()) {
            gated.extend(self.firings(frame, own, &gated));
        }
        let scope = Scope::within(around, false);
        inline_parameters(own, &scope, &gated)?;
        self.start = frame.start;
        self.fill(own, &scope, gated, frame.inside.clone(), &format!("{condition}_"), content)
    }
}

/// The conditions under which the refinements of a Case fire: blocks, one for each.
fn conditions(
    frame: &Frame,
    own: &Component,
    (control, refinements): (&str, &[&Component]),
    content: &mut Content,
) -> Vec<String> {
    let name = &frame.names[&own.name];
    let truths = refinements.iter().any(|own| matches!(&*own.name, "true" | "false"));
    let held = names::fresh(&format!("{name}_control"), &mut content.used);
    let initial = if truths { "false" } else { "-1" };
    let fields = [("type", "ZeroOrderHold"), ("input", control), ("initial", initial)];
    let fields = fields.map(|(key, text)| (key.to_owned(), text.to_owned()));
    content.blocks.push((held.clone(), Yaml::map(fields)));
    let condition = |own: &str| match own {
        "true" => held.clone(),
        "false" => format!("not {held}"),
        own if own.parse::<f64>().is_ok() => format!("{held} == {own}"),
        own => format!("{held} == {}", expression::code(own)),
    };
    let named = refinements.iter().map(|own| own.name.as_str()).filter(|own| *own != "default");
    let others: Vec<String> = named.map(condition).collect();
    let mut all = Vec::new();
    for own in refinements {
        let text = match &*own.name {
            "default" if others.is_empty() => "true".to_owned(),
            "default" => format!("not ({})", others.join(" or ")),
            own => condition(own),
        };
        let block = names::fresh(&format!("{name}_{}", names::plain(&own.name)), &mut content.used);
        content.blocks.push((block.clone(), expression_block(&text)));
        all.push(block);
    }
    all
}
