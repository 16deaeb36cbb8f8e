//! Small models for the tests.

use std::path::Path;

use superdense_moml::{Classes, Imported, Problem, import};

/// Translates a text that has no other files.
pub fn translate(text: &str) -> Result<Imported, Problem> {
    import(Path::new("model.xml"), text, &Classes::default())
}

/// A model with a Continuous director and this content.
pub fn model(content: &str) -> String {
    format!(
        "<?xml version=\"1.0\" standalone=\"no\"?>\n\
         <!DOCTYPE entity PUBLIC \"-//UC Berkeley//DTD MoML 1//EN\"\n\
         \x20   \"http://ptolemy.eecs.berkeley.edu/xml/dtd/MoML_1.dtd\">\n\
         <entity name=\"M\" class=\"ptolemy.actor.TypedCompositeActor\">\n\
         <property name=\"D\" class=\"ptolemy.domains.continuous.kernel.ContinuousDirector\">\n\
         <property name=\"stopTime\" class=\"ptolemy.data.expr.Parameter\" value=\"5\"/></property>\n\
         {content}\n</entity>\n"
    )
}

/// An entity of a class with properties.
pub fn entity(name: &str, class: &str, properties: &[(&str, &str)]) -> String {
    let property = |(name, value): &(&str, &str)| {
        format!(
            "<property name=\"{name}\" class=\"ptolemy.data.expr.Parameter\" value=\"{value}\"/>"
        )
    };
    let properties: String = properties.iter().map(property).collect();
    format!("<entity name=\"{name}\" class=\"{class}\">{properties}</entity>\n")
}

/// A relation with links to these ports.
pub fn wire(relation: &str, ports: &[&str]) -> String {
    let link = |port: &&str| format!("<link port=\"{port}\" relation=\"{relation}\"/>\n");
    let links: String = ports.iter().map(link).collect();
    format!("<relation name=\"{relation}\" class=\"ptolemy.actor.TypedIORelation\"/>\n{links}")
}

/// An integrator of a constant, with a test.
pub fn ramp(value: &str) -> String {
    model(
        &[
            entity("Const", "ptolemy.actor.lib.Const", &[("value", value)]),
            entity("Integrator", "ptolemy.domains.continuous.lib.Integrator", &[]),
            entity(
                "Test",
                "ptolemy.actor.lib.NonStrictTest",
                &[("correctValues", "{0.0, 0.1, 0.6}")],
            ),
            wire("r1", &["Const.output", "Integrator.derivative"]),
            wire("r2", &["Integrator.state", "Test.input"]),
        ]
        .concat(),
    )
}
