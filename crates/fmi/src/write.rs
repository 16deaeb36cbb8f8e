//! The text of a description, modelDescription.xml.

use std::collections::HashMap;
use std::fmt::Write;

use crate::description::{
    Abilities, Causality, Description, Initial, Start, Unknown, Variability, Variable,
    VariableType, Version,
};

/// Writes a description as the XML of its version.
pub fn write(description: &Description) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    text += &head(description);
    kinds(&mut text, description);
    units(&mut text, description);
    categories(&mut text, description);
    experiment(&mut text, description);
    text += "  <ModelVariables>\n";
    let mut indices = HashMap::new();
    for own in &description.variables {
        match description.version {
            Version::Two => variables_two(&mut text, own, &mut indices, description),
            Version::Three => variable_three(&mut text, own),
        }
    }
    text += "  </ModelVariables>\n";
    match description.version {
        Version::Two => structure_two(&mut text, description, &indices),
        Version::Three => structure_three(&mut text, description),
    }
    text + "</fmiModelDescription>\n"
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\r' | '\t' => out.push(' '),
            c if c < ' ' => {}
            c => out.push(c),
        }
    }
    out
}

/// A number as xs:double; the shortest text that is read back as the same bits.
fn number(x: f64) -> String {
    match x {
        x if x.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "INF".to_owned(),
        f64::NEG_INFINITY => "-INF".to_owned(),
        x if x != 0.0 && (x.abs() < 1e-5 || x.abs() >= 1e16) => format!("{x:e}"),
        x => format!("{x}"),
    }
}

/// The name of one value in a table of names.
fn named<T: Copy + PartialEq>(all: &[(T, &'static str)], own: T) -> &'static str {
    all.iter().find(|(other, _)| *other == own).map_or("", |(_, name)| name)
}

fn attribute(text: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        let _ = write!(text, " {name}=\"{}\"", escaped(value));
    }
}

fn head(own: &Description) -> String {
    let mut text = "<fmiModelDescription".to_owned();
    attribute(&mut text, "fmiVersion", Some(&own.version.to_string()));
    attribute(&mut text, "modelName", Some(&own.name));
    let token = if own.version == Version::Two { "guid" } else { "instantiationToken" };
    attribute(&mut text, token, Some(&own.token));
    attribute(&mut text, "description", own.description.as_deref());
    attribute(&mut text, "generationTool", own.tool.as_deref());
    attribute(&mut text, "generationDateAndTime", own.made.as_deref());
    attribute(&mut text, "variableNamingConvention", Some("flat"));
    if own.version == Version::Two && own.model_exchange.is_some() {
        attribute(&mut text, "numberOfEventIndicators", Some(&own.indicators.to_string()));
    }
    text + ">\n"
}

fn kinds(text: &mut String, own: &Description) {
    if let Some(abilities) = &own.model_exchange {
        *text += "  <ModelExchange";
        common(text, abilities, own.version);
        let completed = match own.version {
            Version::Two => {
                ("completedIntegratorStepNotNeeded", abilities.needs_no_completed_steps)
            }
            Version::Three => ("needsCompletedIntegratorStep", !abilities.needs_no_completed_steps),
        };
        attribute(text, completed.0, Some(if completed.1 { "true" } else { "false" }));
        *text += "/>\n";
    }
    if let Some(abilities) = &own.co_simulation {
        *text += "  <CoSimulation";
        common(text, abilities, own.version);
        let mut flag = |name: &str, value: bool| {
            attribute(text, name, value.then_some("true"));
        };
        flag("canHandleVariableCommunicationStepSize", abilities.variable_steps);
        if own.version == Version::Two {
            flag("canInterpolateInputs", abilities.input_derivatives);
        } else {
            flag("hasEventMode", abilities.event_mode);
            flag("mightReturnEarlyFromDoStep", abilities.early_return);
            flag("providesIntermediateUpdate", abilities.intermediate_update);
            flag("canReturnEarlyAfterIntermediateUpdate", abilities.intermediate_update);
        }
        *text += "/>\n";
    }
}

fn common(text: &mut String, own: &Abilities, version: Version) {
    let (keeps, serialises, directional) = match version {
        Version::Two => {
            ("canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative")
        }
        Version::Three => {
            ("canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives")
        }
    };
    attribute(text, "modelIdentifier", Some(&own.identifier));
    let mut flag = |name: &str, value: bool| attribute(text, name, value.then_some("true"));
    flag("needsExecutionTool", own.needs_tool);
    flag("canBeInstantiatedOnlyOncePerProcess", own.only_one);
    flag(keeps, own.keeps_state);
    flag(serialises, own.serialises_state);
    flag(directional, own.directional);
}

fn units(text: &mut String, own: &Description) {
    let mut units: Vec<&String> =
        own.variables.iter().filter_map(|own| own.unit.as_ref()).collect();
    units.sort();
    units.dedup();
    if !units.is_empty() {
        *text += "  <UnitDefinitions>\n";
        for unit in units {
            let _ = writeln!(text, "    <Unit name=\"{}\"/>", escaped(unit));
        }
        *text += "  </UnitDefinitions>\n";
    }
}

fn categories(text: &mut String, own: &Description) {
    if !own.categories.is_empty() {
        *text += "  <LogCategories>\n";
        for name in &own.categories {
            let _ = writeln!(text, "    <Category name=\"{}\"/>", escaped(name));
        }
        *text += "  </LogCategories>\n";
    }
}

fn experiment(text: &mut String, own: &Description) {
    let all = [
        ("startTime", own.experiment.start),
        ("stopTime", own.experiment.stop),
        ("tolerance", own.experiment.tolerance),
        ("stepSize", own.experiment.step),
    ];
    if all.iter().any(|(_, value)| value.is_some()) {
        *text += "  <DefaultExperiment";
        for (name, value) in all {
            attribute(text, name, value.map(number).as_deref());
        }
        *text += "/>\n";
    }
}

/// The attributes of a variable that both versions have.
fn shared(text: &mut String, own: &Variable, name: &str, reference: u32) {
    attribute(text, "name", Some(name));
    attribute(text, "valueReference", Some(&reference.to_string()));
    attribute(text, "description", own.description.as_deref());
    attribute(text, "causality", Some(named(&Causality::ALL, own.causality)));
    attribute(text, "variability", Some(named(&Variability::ALL, own.variability)));
    if own.causality != Causality::Input && own.causality != Causality::Independent {
        attribute(text, "initial", own.initial.map(|own| named(&Initial::ALL, own)));
    }
}

/// The value of an element as its type writes it.
fn element(ty: VariableType, x: f64) -> String {
    match ty {
        VariableType::Boolean => if x == 0.0 { "false" } else { "true" }.to_owned(),
        ty if ty.is_real() => number(x),
        _ => format!("{}", x as i64),
    }
}

/// The names of the elements of a variable, of which FMI 2.0 makes a variable each: those of the
/// columns of a result.
fn element_names(own: &Variable) -> Vec<String> {
    match own.dimensions[..] {
        [] => vec![own.name.clone()],
        [n] => (0..n).map(|i| format!("{}[{i}]", own.name)).collect(),
        [rows, columns] => (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| format!("{}[{i},{j}]", own.name))
            .collect(),
        _ => (0..own.len()).map(|i| format!("{}[{i}]", own.name)).collect(),
    }
}

/// A variable in FMI 2.0: one for each element. `indices` receives the index of each reference,
/// counted from 1, by which that version names variables.
fn variables_two(
    text: &mut String,
    own: &Variable,
    indices: &mut HashMap<u32, usize>,
    all: &Description,
) {
    let kind = match own.ty {
        ty if ty.is_real() => "Real",
        VariableType::Boolean => "Boolean",
        VariableType::String => "String",
        _ => "Integer",
    };
    for (i, name) in element_names(own).iter().enumerate() {
        let reference = own.reference + i as u32;
        indices.insert(reference, indices.len() + 1);
        *text += "    <ScalarVariable";
        shared(text, own, name, reference);
        let _ = write!(text, ">\n      <{kind}");
        if kind == "Real" {
            attribute(text, "unit", own.unit.as_deref());
            let state = own.derivative_of.map(|state| state + i as u32);
            let index = state.and_then(|state| indices.get(&state)).map(usize::to_string);
            attribute(text, "derivative", index.as_deref());
            if own.reinit && all.model_exchange.is_some() {
                attribute(text, "reinit", Some("true"));
            }
        }
        let start = match &own.start {
            Some(Start::Numbers(numbers)) => numbers.get(i).map(|x| element(own.ty, *x)),
            Some(Start::Text(text)) => Some(text.clone()),
            None => None,
        };
        attribute(text, "start", start.as_deref());
        *text += "/>\n    </ScalarVariable>\n";
    }
}

fn variable_three(text: &mut String, own: &Variable) {
    let _ = write!(text, "    <{}", own.ty.name());
    shared(text, own, &own.name, own.reference);
    if own.ty.is_real() {
        attribute(text, "unit", own.unit.as_deref());
        attribute(text, "derivative", own.derivative_of.map(|own| own.to_string()).as_deref());
        attribute(text, "reinit", own.reinit.then_some("true"));
    }
    if let Some(Start::Numbers(numbers)) = &own.start {
        let all: Vec<String> = numbers.iter().map(|x| element(own.ty, *x)).collect();
        attribute(text, "start", Some(&all.join(" ")));
    }
    if own.dimensions.is_empty() {
        *text += "/>\n";
        return;
    }
    *text += ">\n";
    for length in &own.dimensions {
        let _ = writeln!(text, "      <Dimension start=\"{length}\"/>");
    }
    let _ = writeln!(text, "    </{}>", own.ty.name());
}

fn structure_two(text: &mut String, own: &Description, indices: &HashMap<u32, usize>) {
    *text += "  <ModelStructure>\n";
    let mut list = |name: &str, all: &[Unknown]| {
        if all.is_empty() {
            return;
        }
        let _ = writeln!(text, "    <{name}>");
        let index = |reference: &u32| indices.get(reference).copied();
        let mut lines: Vec<(usize, &Unknown)> =
            all.iter().filter_map(|own| Some((index(&own.reference)?, own))).collect();
        // Initial unknowns are sorted by the standard; the order of outputs and states is ours.
        if name == "InitialUnknowns" {
            lines.sort_by_key(|(index, _)| *index);
        }
        for (place, unknown) in lines {
            let _ = write!(text, "      <Unknown index=\"{place}\"");
            if let Some(from) = &unknown.dependencies {
                let mut each: Vec<usize> = from.iter().filter_map(index).collect();
                each.sort_unstable();
                let each: Vec<String> = each.iter().map(usize::to_string).collect();
                let _ = write!(text, " dependencies=\"{}\"", each.join(" "));
            }
            *text += "/>\n";
        }
        let _ = writeln!(text, "    </{name}>");
    };
    list("Outputs", &own.structure.outputs);
    list("Derivatives", &own.structure.derivatives);
    list("InitialUnknowns", &own.structure.initial);
    *text += "  </ModelStructure>\n";
}

fn structure_three(text: &mut String, own: &Description) {
    *text += "  <ModelStructure>\n";
    let mut list = |name: &str, all: &[Unknown]| {
        for unknown in all {
            let _ = write!(text, "    <{name} valueReference=\"{}\"", unknown.reference);
            if let Some(from) = &unknown.dependencies {
                let each: Vec<String> = from.iter().map(u32::to_string).collect();
                let _ = write!(text, " dependencies=\"{}\"", each.join(" "));
            }
            *text += "/>\n";
        }
    };
    list("Output", &own.structure.outputs);
    list("ContinuousStateDerivative", &own.structure.derivatives);
    list("InitialUnknown", &own.structure.initial);
    list("EventIndicator", &own.structure.indicators);
    *text += "  </ModelStructure>\n";
}
