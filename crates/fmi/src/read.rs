//! Descriptions of FMUs of other tools: modelDescription.xml of FMI 2.0 and 3.0, read and checked.
//!
//! A description that no importer could use is an error. Other mistakes are listed beside it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use roxmltree::{Document, Node, ParsingOptions};

use crate::description::{
    Abilities, Causality, Description, Experiment, Initial, Start, Structure, Unknown, Variability,
    Variable, VariableType, Version,
};

/// The maximum number of elements of a description.
const MAX_NODES: u32 = 5_000_000;

/// The maximum number of elements of one array.
const MAX_ELEMENTS: usize = 1_000_000;

/// Why a description cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescriptionError {
    /// The line of the element, counted from 1; 0 if there is none.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for DescriptionError {}

type Result<T> = std::result::Result<T, DescriptionError>;

fn wrong<T>(node: Node<'_, '_>, message: String) -> Result<T> {
    let line = node.document().text_pos_at(node.range().start).row;
    Err(DescriptionError { line, message })
}

/// Reads a description, and lists what is wrong with it and does not prevent its use.
pub fn read(bytes: &[u8]) -> Result<(Description, Vec<String>)> {
    let plain = |message: String| DescriptionError { line: 0, message };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| plain(format!("it is not UTF-8 (byte {})", error.valid_up_to())))?;
    // A byte order mark is allowed.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Definitions of entities are refused, so that none can expand without bound.
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| DescriptionError { line: error.pos().row, message: error.to_string() })?;
    let root = document.root_element();
    if root.tag_name().name() != "fmiModelDescription" {
        let name = root.tag_name().name();
        return wrong(root, format!("the root is `{name}`, not `fmiModelDescription`"));
    }
    let version = version(root)?;
    let mut reading = Reading { version, mistakes: Vec::new(), types: types(root) };
    let description = reading.description(root)?;
    reading.check(&description);
    Ok((description, reading.mistakes))
}

fn version(root: Node<'_, '_>) -> Result<Version> {
    match root.attribute("fmiVersion") {
        Some(version) if version.starts_with("2.") => Ok(Version::Two),
        Some(version) if version.starts_with("3.") => Ok(Version::Three),
        Some("1.0") => wrong(
            root,
            "it is an FMU of FMI 1.0, which has neither directional derivatives nor states that \
             can be gone back to; export it as FMI 2.0 or 3.0"
                .to_owned(),
        ),
        Some(other) => {
            wrong(root, format!("the version `{other}` of FMI is not known; 2.0 and 3.0 are"))
        }
        None => wrong(root, "`fmiVersion` is missing".to_owned()),
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|own| own.has_tag_name(name))
}

fn elements<'a, 'i>(node: Option<Node<'a, 'i>>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.into_iter().flat_map(|own| own.children()).filter(Node::is_element)
}

fn required<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str> {
    match node.attribute(name) {
        Some(text) => Ok(text),
        None => wrong(node, format!("`{name}` is missing at `{}`", node.tag_name().name())),
    }
}

fn number<T: std::str::FromStr>(node: Node<'_, '_>, name: &str) -> Result<Option<T>> {
    match node.attribute(name).map(|text| (text, text.trim().parse())) {
        None => Ok(None),
        Some((_, Ok(value))) => Ok(Some(value)),
        Some((text, Err(_))) => wrong(node, format!("`{name}=\"{text}\"` is not a number")),
    }
}

fn flag(node: Node<'_, '_>, name: &str) -> bool {
    node.attribute(name).is_some_and(|text| matches!(text.trim(), "true" | "1"))
}

/// One of the names of a table.
fn named<T: Copy>(node: Node<'_, '_>, name: &str, all: &[(T, &str)]) -> Result<Option<T>> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    match all.iter().find(|(_, own)| *own == text) {
        Some((value, _)) => Ok(Some(*value)),
        None => wrong(node, format!("`{name}=\"{text}\"` is not known")),
    }
}

struct Reading {
    version: Version,
    mistakes: Vec<String>,
    /// The attributes of the types that variables name.
    types: HashMap<String, Vec<(String, String)>>,
}

impl Reading {
    fn description(&mut self, root: Node<'_, '_>) -> Result<Description> {
        let two = self.version == Version::Two;
        let token = required(root, if two { "guid" } else { "instantiationToken" })?;
        let text = |name: &str| root.attribute(name).map(str::to_owned);
        let kind = |name: &str| child(root, name).map(|own| self.abilities(own)).transpose();
        let (co_simulation, model_exchange) = (kind("CoSimulation")?, kind("ModelExchange")?);
        if co_simulation.is_none() && model_exchange.is_none() {
            return wrong(
                root,
                "it is neither for Co-Simulation nor for Model Exchange".to_owned(),
            );
        }
        let experiment = match child(root, "DefaultExperiment") {
            Some(own) => Experiment {
                start: number(own, "startTime")?,
                stop: number(own, "stopTime")?,
                tolerance: number(own, "tolerance")?,
                step: number(own, "stepSize")?,
            },
            None => Experiment::default(),
        };
        let (variables, structure) = match two {
            true => self.variables_two(root)?,
            false => self.variables_three(root)?,
        };
        Ok(Description {
            version: self.version,
            name: required(root, "modelName")?.to_owned(),
            token: token.to_owned(),
            description: text("description"),
            tool: text("generationTool"),
            made: text("generationDateAndTime"),
            categories: elements(child(root, "LogCategories"))
                .filter_map(|own| own.attribute("name").map(str::to_owned))
                .collect(),
            co_simulation,
            model_exchange,
            indicators: match two {
                true => number(root, "numberOfEventIndicators")?.unwrap_or(0),
                false => structure.indicators.len(),
            },
            experiment,
            variables,
            structure,
        })
    }

    fn abilities(&self, own: Node<'_, '_>) -> Result<Abilities> {
        let two = self.version == Version::Two;
        let identifier = required(own, "modelIdentifier")?.to_owned();
        // It becomes the name of a file.
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '+');
        if identifier.is_empty() || !identifier.chars().all(plain) || identifier.starts_with('.') {
            return wrong(own, format!("the identifier `{identifier}` is not a name"));
        }
        let of =
            |two_name: &str, three_name: &str| flag(own, if two { two_name } else { three_name });
        Ok(Abilities {
            identifier,
            needs_tool: flag(own, "needsExecutionTool"),
            only_one: flag(own, "canBeInstantiatedOnlyOncePerProcess"),
            keeps_state: of("canGetAndSetFMUstate", "canGetAndSetFMUState"),
            serialises_state: of("canSerializeFMUstate", "canSerializeFMUState"),
            directional: of("providesDirectionalDerivative", "providesDirectionalDerivatives"),
            variable_steps: flag(own, "canHandleVariableCommunicationStepSize"),
            event_mode: flag(own, "hasEventMode"),
            early_return: flag(own, "mightReturnEarlyFromDoStep"),
            intermediate_update: flag(own, "providesIntermediateUpdate"),
            input_derivatives: flag(own, "canInterpolateInputs"),
            needs_no_completed_steps: match two {
                true => flag(own, "completedIntegratorStepNotNeeded"),
                false => !flag(own, "needsCompletedIntegratorStep"),
            },
        })
    }

    fn variables_two(&mut self, root: Node<'_, '_>) -> Result<(Vec<Variable>, Structure)> {
        let mut variables = Vec::new();
        let mut derivatives: Vec<(usize, usize)> = Vec::new();
        for own in elements(child(root, "ModelVariables")) {
            let inner = elements(Some(own)).find(|own| {
                matches!(
                    own.tag_name().name(),
                    "Real" | "Integer" | "Boolean" | "String" | "Enumeration"
                )
            });
            let Some(inner) = inner else {
                let name = own.attribute("name").unwrap_or("");
                return wrong(own, format!("the variable `{name}` has no type"));
            };
            let ty = match inner.tag_name().name() {
                "Real" => VariableType::Float64,
                "Integer" => VariableType::Int32,
                "Boolean" => VariableType::Boolean,
                "String" => VariableType::String,
                _ => VariableType::Enumeration,
            };
            if let Some(state) = number::<usize>(inner, "derivative")? {
                derivatives.push((variables.len(), state));
            }
            variables.push(self.variable(own, inner, ty)?);
        }
        let references: Vec<u32> = variables.iter().map(|own| own.reference).collect();
        let place = |index: usize| index.checked_sub(1).and_then(|at| references.get(at)).copied();
        for (index, state) in derivatives {
            match place(state) {
                Some(reference) => variables[index].derivative_of = Some(reference),
                None => {
                    let name = &variables[index].name;
                    let message = format!(
                        "`{name}` is the derivative of variable {state}, which there is not"
                    );
                    return wrong(root, message);
                }
            }
        }
        Ok((variables, structure_two(root, &place)?))
    }

    fn variables_three(&mut self, root: Node<'_, '_>) -> Result<(Vec<Variable>, Structure)> {
        let mut variables = Vec::new();
        let mut sized: Vec<(usize, Vec<Length>)> = Vec::new();
        for own in elements(child(root, "ModelVariables")) {
            let name = own.tag_name().name();
            let ty = VariableType::ALL.iter().find(|(_, own)| *own == name);
            let Some((ty, _)) = ty else {
                return wrong(own, format!("`{name}` is not a type of variables"));
            };
            let mut variable = self.variable(own, own, *ty)?;
            variable.derivative_of = number(own, "derivative")?;
            let lengths = elements(Some(own)).filter(|own| own.has_tag_name("Dimension"));
            let lengths: Vec<Length> = lengths.map(length).collect::<Result<_>>()?;
            sized.push((variables.len(), lengths));
            variables.push(variable);
        }
        resolve_dimensions(root, &mut variables, &sized)?;
        let own = child(root, "ModelStructure");
        let list = |name: &str| -> Result<Vec<Unknown>> {
            elements(own).filter(|own| own.has_tag_name(name)).map(unknown).collect()
        };
        let structure = Structure {
            outputs: list("Output")?,
            derivatives: list("ContinuousStateDerivative")?,
            initial: list("InitialUnknown")?,
            indicators: list("EventIndicator")?,
        };
        Ok((variables, structure))
    }

    /// The attributes of a variable; `inner` is the element of its type.
    fn variable(
        &mut self,
        own: Node<'_, '_>,
        inner: Node<'_, '_>,
        ty: VariableType,
    ) -> Result<Variable> {
        let name = required(own, "name")?.to_owned();
        let Some(reference) = number(own, "valueReference")? else {
            return wrong(own, format!("the variable `{name}` has no value reference"));
        };
        let causality = named(own, "causality", &Causality::ALL)?.unwrap_or(Causality::Local);
        // What an element lacks is taken from the type that it names.
        let declared = inner.attribute("declaredType").and_then(|own| self.types.get(own));
        let attribute = |name: &str| {
            let declared = declared.and_then(|own| own.iter().find(|(own, _)| own == name));
            inner.attribute(name).or(declared.map(|(_, value)| value.as_str()))
        };
        let by_default = match causality {
            Causality::Parameter
            | Causality::CalculatedParameter
            | Causality::StructuralParameter => Variability::Fixed,
            _ if ty.is_real() => Variability::Continuous,
            _ => Variability::Discrete,
        };
        Ok(Variable {
            start: start(inner, ty)?,
            variability: named(own, "variability", &Variability::ALL)?.unwrap_or(by_default),
            initial: named(own, "initial", &Initial::ALL)?,
            unit: attribute("unit").map(str::to_owned),
            nominal: match attribute("nominal") {
                Some(text) => match text.trim().parse() {
                    Ok(nominal) => Some(nominal),
                    Err(_) => return wrong(inner, format!("`nominal=\"{text}\"` is not a number")),
                },
                None => None,
            },
            description: own.attribute("description").map(str::to_owned),
            reinit: flag(inner, "reinit"),
            derivative_of: None,
            dimensions: Vec::new(),
            name,
            reference,
            ty,
            causality,
        })
    }

    /// Lists what is wrong and does not prevent the use of a description.
    fn check(&mut self, own: &Description) {
        let mut names = HashSet::new();
        for variable in &own.variables {
            if !names.insert(variable.name.as_str()) {
                self.mistakes.push(format!("there are two variables `{}`", variable.name));
            }
            let needs_start = matches!(variable.causality, Causality::Input | Causality::Parameter);
            if needs_start && variable.start.is_none() && variable.ty.is_number() {
                self.mistakes.push(format!("`{}` has no start value", variable.name));
            }
            if variable.variability == Variability::Continuous && !variable.ty.is_real() {
                let name = &variable.name;
                self.mistakes.push(format!("`{name}` is continuous and no real number"));
            }
        }
        let references: HashSet<u32> = own.variables.iter().map(|own| own.reference).collect();
        let listed: HashSet<u32> = own.structure.outputs.iter().map(|own| own.reference).collect();
        for variable in own.of(Causality::Output).filter(|own| !listed.contains(&own.reference)) {
            let name = &variable.name;
            self.mistakes.push(format!("the output `{name}` is not listed in the model structure"));
        }
        let structure = &own.structure;
        let all = structure.outputs.iter().chain(&structure.derivatives).chain(&structure.initial);
        for unknown in all.chain(&structure.indicators) {
            if !references.contains(&unknown.reference) {
                let reference = unknown.reference;
                self.mistakes
                    .push(format!("the model structure names {reference}, which is no variable"));
            }
        }
    }
}

/// The attributes of the types of a description by their names. FMI 2.0 has them in an element inside.
fn types(root: Node<'_, '_>) -> HashMap<String, Vec<(String, String)>> {
    let one = |own: Node<'_, '_>| {
        let inner = elements(Some(own)).find(|_| own.has_tag_name("SimpleType"));
        let all = inner.unwrap_or(own).attributes();
        let all = all.map(|own| (own.name().to_owned(), own.value().to_owned())).collect();
        Some((own.attribute("name")?.to_owned(), all))
    };
    elements(child(root, "TypeDefinitions")).filter_map(one).collect()
}

/// A length of an array: a number, or the reference of a structural parameter.
enum Length {
    Number(usize),
    Of(u32),
}

fn length(own: Node<'_, '_>) -> Result<Length> {
    match (number(own, "start")?, number(own, "valueReference")?) {
        (Some(length), _) => Ok(Length::Number(length)),
        (None, Some(reference)) => Ok(Length::Of(reference)),
        (None, None) => wrong(own, "a dimension has no length".to_owned()),
    }
}

fn unknown(own: Node<'_, '_>) -> Result<Unknown> {
    let Some(reference) = number(own, "valueReference")? else {
        return wrong(own, "an unknown has no value reference".to_owned());
    };
    let from = own.attribute("dependencies");
    let dependencies =
        from.map(|text| text.split_whitespace().filter_map(|own| own.parse().ok()).collect());
    Ok(Unknown { reference, dependencies })
}

/// Gives arrays their lengths, some of which are start values of structural parameters.
fn resolve_dimensions(
    root: Node<'_, '_>,
    variables: &mut [Variable],
    sized: &[(usize, Vec<Length>)],
) -> Result<()> {
    let structural = variables.iter().filter_map(|own| match &own.start {
        Some(Start::Numbers(numbers)) if own.causality == Causality::StructuralParameter => {
            Some((own.reference, *numbers.first()? as usize))
        }
        _ => None,
    });
    let structural: HashMap<u32, usize> = structural.collect();
    for (index, lengths) in sized {
        let mut total = 1usize;
        for length in lengths {
            let length = match length {
                Length::Number(length) => *length,
                Length::Of(reference) => match structural.get(reference) {
                    Some(length) => *length,
                    None => {
                        let name = &variables[*index].name;
                        return wrong(root, format!("the length of `{name}` is not known"));
                    }
                },
            };
            total = total.saturating_mul(length);
            if total > MAX_ELEMENTS {
                let name = &variables[*index].name;
                return wrong(root, format!("`{name}` has more than {MAX_ELEMENTS} elements"));
            }
            variables[*index].dimensions.push(length);
        }
    }
    Ok(())
}

/// The start value of a variable.
fn start(inner: Node<'_, '_>, ty: VariableType) -> Result<Option<Start>> {
    if matches!(ty, VariableType::String | VariableType::Binary) {
        let nested = elements(Some(inner)).find(|own| own.has_tag_name("Start"));
        let text = inner.attribute("start").or(nested.and_then(|own| own.attribute("value")));
        return Ok(text.map(|text| Start::Text(text.to_owned())));
    }
    let Some(text) = inner.attribute("start") else { return Ok(None) };
    let parse = |word: &str| match word {
        "true" => Some(1.0),
        "false" => Some(0.0),
        "INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        word => word.parse::<f64>().ok(),
    };
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(parse).collect();
    match numbers {
        Some(numbers) => Ok(Some(Start::Numbers(numbers))),
        None => wrong(inner, format!("`start=\"{text}\"` is not a number")),
    }
}

/// What depends on what in a description of FMI 2.0, whose variables have numbers; `place` has their
/// references.
fn structure_two(root: Node<'_, '_>, place: &dyn Fn(usize) -> Option<u32>) -> Result<Structure> {
    let structure = child(root, "ModelStructure");
    let unknown = |own: Node<'_, '_>| {
        let index: usize = number(own, "index")?.unwrap_or(0);
        let Some(reference) = place(index) else {
            return wrong(own, format!("there is no variable {index}"));
        };
        let dependencies = own.attribute("dependencies").map(|text| {
            text.split_whitespace().filter_map(|own| place(own.parse().ok()?)).collect()
        });
        Ok(Unknown { reference, dependencies })
    };
    let list = |name: &str| -> Result<Vec<Unknown>> {
        elements(structure.and_then(|own| child(own, name))).map(unknown).collect()
    };
    Ok(Structure {
        outputs: list("Outputs")?,
        derivatives: list("Derivatives")?,
        initial: list("InitialUnknowns")?,
        indicators: Vec::new(),
    })
}
