//! The JSON Schema of model files, made from the blocks themselves, so that editors complete names
//! and show what they mean.

use blocks::{Count, Info, Kind, Library};
use model::{Field, FieldKind, MODAL_FIELDS, STATE_FIELDS, TRANSITION_FIELDS};
use serde_json::{Map, Value as Json, json};

use crate::pages::MODAL_SUMMARY;

/// The schema of model files with the blocks of a library. It knows names and shapes; what an
/// expression means is for `superdense check` to say.
pub fn schema(library: &Library) -> Json {
    let names: Vec<&str> = library.names().chain(["Modal"]).collect();
    let kinds = library.iter().map(|block| when(&block.info())).chain([modal()]);
    let kinds: Vec<Json> = kinds.collect();
    let diagram = |extra: Json| {
        let mut properties = json!({
            "description": {"type": "string"},
            "parameters": parameters(),
            "blocks": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/block"}},
            "solve": solve(),
        });
        merge(&mut properties, extra);
        properties
    };
    let main = diagram(json!({
        "superdense": {"const": 1, "description": "The version of the format."},
        "name": {"type": "string"},
        "import": {
            "description": "Files whose diagrams can be used.",
            "anyOf": [
                {"type": "array", "items": {"type": "string"}},
                {"type": "object", "additionalProperties": {"type": "string"}},
            ],
        },
        "diagrams": {"type": "object", "additionalProperties": {"$ref": "#/$defs/diagram"}},
        "record": {
            "description": "Signals or expressions to record.",
            "anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/expression"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/expression"}},
                {"type": "null"},
            ],
        },
        "simulate": simulate(),
    }));
    let inner = diagram(json!({
        "inputs": {"type": "array", "items": {"type": "string"}},
        "outputs": outputs(),
    }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Superdense model",
        "type": "object",
        "required": ["superdense"],
        "properties": main,
        "additionalProperties": false,
        "$defs": {
            "expression": {
                "description": "A number, an expression over parameters and signals, or a list.",
                "type": ["number", "string", "boolean", "array"],
            },
            "state": {
                "type": ["object", "null"],
                "properties": fields(&STATE_FIELDS),
                "additionalProperties": false,
            },
            "transition": {
                "type": "object",
                "properties": fields(&TRANSITION_FIELDS),
                "required": ["to"],
                "additionalProperties": false,
            },
            "diagram": {"type": "object", "properties": inner, "additionalProperties": false},
            "block": {
                "type": "object",
                "required": ["type"],
                "properties": {
                    "type": {
                        "description": "A block of the library, `Modal`, or a diagram.",
                        "anyOf": [{"enum": names}, {"type": "string"}],
                    },
                },
                "allOf": kinds,
            },
        },
    })
}

fn merge(into: &mut Json, extra: Json) {
    if let (Json::Object(into), Json::Object(extra)) = (into, extra) {
        into.extend(extra);
    }
}

fn parameters() -> Json {
    json!({
        "description": "Constants: expressions over each other, in any order.",
        "type": "object",
        "additionalProperties": {
            "anyOf": [{"$ref": "#/$defs/expression"}, {"type": "null"}],
        },
    })
}

fn outputs() -> Json {
    json!({
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/expression"}},
        ],
    })
}

fn solve() -> Json {
    json!({
        "description": "Algebraic loops to solve: all, those through signals, or with guesses.",
        "anyOf": [
            {"type": "boolean"},
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/expression"}},
        ],
    })
}

fn simulate() -> Json {
    let methods = solver::Method::all();
    let methods: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    let expression = json!({"$ref": "#/$defs/expression"});
    let mut properties = Map::new();
    for key in model::SIMULATE_KEYS {
        let value = match key {
            "solver" => json!({"enum": methods}),
            "zeno" => json!({"enum": ["error", "stop"]}),
            _ => expression.clone(),
        };
        properties.insert(key.to_owned(), value);
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// What a state machine may have.
fn modal() -> Json {
    json!({
        "if": {"properties": {"type": {"const": "Modal"}}, "required": ["type"]},
        "then": {
            "properties": fields(&MODAL_FIELDS),
            "required": ["states"],
            "additionalProperties": false,
        },
    })
}

/// The properties of a part of a state machine.
fn fields(fields: &[Field]) -> Json {
    let mut properties = Map::new();
    for field in fields {
        let mut value = match (field.kind, field.name) {
            (_, "type") => json!({}),
            (FieldKind::AsInDiagrams, "parameters") => parameters(),
            (FieldKind::AsInDiagrams, "outputs") => outputs(),
            (FieldKind::AsInDiagrams, "solve") => solve(),
            (FieldKind::AsInDiagrams, _) => json!({
                "type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/block"},
            }),
            (FieldKind::Text | FieldKind::State, _) => json!({"type": "string"}),
            (FieldKind::Flag, _) => json!({"type": "boolean"}),
            (FieldKind::Expression, _) => json!({"anyOf": [{"$ref": "#/$defs/expression"}]}),
            (FieldKind::Actions, _) => json!({
                "type": "object", "additionalProperties": {"$ref": "#/$defs/expression"},
            }),
            (FieldKind::Names, _) => json!({"type": "array", "items": {"type": "string"}}),
            (FieldKind::States, _) => json!({
                "type": "object", "additionalProperties": {"$ref": "#/$defs/state"},
            }),
            (FieldKind::Transitions, _) => json!({
                "type": "array", "items": {"$ref": "#/$defs/transition"},
            }),
        };
        let about = if field.name == "type" { MODAL_SUMMARY } else { field.about };
        merge(&mut value, json!({"description": about}));
        properties.insert(field.name.to_owned(), value);
    }
    Json::Object(properties)
}

/// What a block of one kind may have: its own inputs and parameters, and nothing else.
fn when(info: &Info) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    properties.insert("type".to_owned(), json!({"description": info.summary}));
    for input in info.inputs {
        let value = json!({
            "description": input.about,
            "anyOf": [{"$ref": "#/$defs/expression"}],
        });
        properties.insert(input.name.to_owned(), value);
        if input.count != Count::Optional {
            required.push(input.name);
        }
    }
    for parameter in info.parameters {
        let mut value = match parameter.kind {
            Kind::Word(words) => json!({"enum": words}),
            _ => json!({"anyOf": [{"$ref": "#/$defs/expression"}]}),
        };
        merge(&mut value, json!({"description": parameter.about}));
        match parameter.default {
            Some(default) => merge(&mut value, json!({"default": default})),
            None => required.push(parameter.name),
        }
        properties.insert(parameter.name.to_owned(), value);
    }
    json!({
        "if": {"properties": {"type": {"const": info.name}}, "required": ["type"]},
        "then": {
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        },
    })
}
