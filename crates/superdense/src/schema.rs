//! The JSON Schema of model files, made from the blocks themselves, so that editors complete names
//! and show what they mean. A library of blocks comes in, a JSON document goes out.

use blocks::{Count, Info, Kind, Library};
use model::{
    DIFFERENTIAL_SYSTEM, FMU, FMU_FIELDS, FORMS, Field, FieldKind, Form, MODAL, MODAL_FIELDS,
    RATE_FIELDS, RunSetting, STATE_FIELDS, SYSTEM_FIELDS, SettingKind, TRANSITION_FIELDS,
};
use serde_json::{Map, Value as Json, json};

use crate::pages::descriptions;

/// The schema of model files with the blocks of a library. It covers names and shapes; expressions
/// are checked by `superdense check`.
pub fn schema(library: &Library) -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Superdense model",
        "type": "object",
        "required": ["superdense"],
        "properties": diagram(main_fields()),
        "additionalProperties": false,
        "$defs": definitions(library),
    })
}

/// The properties that every diagram has, and those that one kind of diagram has besides.
fn diagram(extra: Json) -> Json {
    let mut properties = json!({
        "description": {"type": "string"},
        "parameters": parameters(),
        "blocks": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/block"}},
        "solve": solve(),
    });
    merge(&mut properties, extra);
    properties
}

/// What only the main diagram has.
fn main_fields() -> Json {
    json!({
        "superdense": {"const": 1, "description": "The version of the format."},
        "name": {"type": "string"},
        "import": {
            "description": "Files whose diagrams can be used.",
            "anyOf": [
                {"type": "array", "items": {"type": "string"}},
                {"type": "object", "additionalProperties": {"type": "string"}},
            ],
        },
        "functions": {
            "description": "Functions for the expressions of this file, such as `f(x, y): x^2 + y`.",
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/expression"},
        },
        "diagrams": {"type": "object", "additionalProperties": {"$ref": "#/$defs/diagram"}},
        "invariants": {
            "description": "Quantities that should be conserved, by name.",
            "type": ["object", "null"],
            "additionalProperties": {"anyOf": [{"$ref": "#/$defs/expression"}, invariant()]},
        },
        "record": {
            "description": "Signals or expressions to record.",
            "anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/expression"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/expression"}},
                {"type": "null"},
            ],
        },
        "inputs": outside_inputs(),
        "outputs": outputs(),
        "simulate": simulate(),
        "sweep": sweep(),
        "plots": {
            "description": "Figures by name.",
            "type": ["object", "null"],
            "additionalProperties": {"$ref": "#/$defs/figure"},
        },
    })
}

/// Which runs a sweep makes.
fn sweep() -> Json {
    let values = json!({"type": ["string", "number", "boolean", "array"]});
    let count = |about: &str| json!({"description": about, "type": "integer", "minimum": 1});
    json!({
        "description": "Which runs `superdense sweep` makes.",
        "type": ["object", "null"],
        "additionalProperties": false,
        "properties": {
            "parameters": {
                "description": "Parameters with their values: a list, a range such as 0.5:0.9:0.1, or a distribution such as normal(1, 0.1).",
                "type": "object",
                "additionalProperties": values,
            },
            "sets": {"description": "A table of parameter sets.", "type": "string"},
            "samples": count("How many samples are drawn."),
            "method": {
                "description": "How samples are spread.",
                "enum": ["random", "latin", "sobol"],
            },
            "repeats": count("How often each run is repeated, with other seeds."),
            "measures": {
                "description": "Measures by name, such as max(y).",
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
        },
    })
}

/// An invariant that is written as a mapping.
fn invariant() -> Json {
    json!({
        "type": "object",
        "required": ["value"],
        "additionalProperties": false,
        "properties": {
            "value": expression("What should not change."),
            "within": expression("By how much a tick may change it without a warning."),
            "relative": {
                "description": "Whether that is relative to its magnitude.",
                "type": "boolean",
            },
        },
    })
}

/// What only a diagram that is used in others has.
fn inner_fields() -> Json {
    json!({
        "category": {"description": "Where a user would look for it.", "type": "string"},
        "aliases": {
            "description": "Names under which users of other tools know it.",
            "type": "array",
            "items": {"type": "string"},
        },
        "equations": {"description": "Its equations, for its page.", "type": "string"},
        "absence": {"description": "What happens to absent inputs.", "type": "string"},
        "impulses": {"description": "What happens to impulses.", "type": "string"},
        "inputs": inner_inputs(),
        "require": {
            "description": "Conditions on its parameters.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["check", "message"],
                "additionalProperties": false,
                "properties": {
                    "check": expression("What must hold, an expression over parameters."),
                    "message": {"description": "What is wrong otherwise.", "type": "string"},
                },
            },
        },
        "outputs": outputs(),
        "tolerance": tolerance(),
        "domain": domain(),
    })
}

/// The parts that the schema refers to by name.
fn definitions(library: &Library) -> Json {
    let inner = diagram(inner_fields());
    json!({
        "expression": {
            "description": "A number, an expression over parameters and signals, or a list.",
            "type": ["number", "string", "boolean", "array"],
        },
        "state": {
            "type": ["object", "null"],
            "properties": fields(&STATE_FIELDS),
            "additionalProperties": false,
        },
        "rate": {
            "type": "object",
            "properties": fields(&RATE_FIELDS),
            "required": ["rate"],
            "additionalProperties": false,
        },
        "transition": {
            "type": "object",
            "properties": fields(&TRANSITION_FIELDS),
            "required": ["to"],
            "additionalProperties": false,
        },
        "diagram": {"type": "object", "properties": inner, "additionalProperties": false},
        "figure": figure(),
        "panel": panel(),
        "plot-signal": plot_signal(),
        "plot-axis": plot_axis(),
        "block": block(library),
    })
}

/// A block of the library, a state machine or an instance of a diagram.
fn block(library: &Library) -> Json {
    let all = descriptions(library);
    let names = all.iter().map(|info| &*info.name).chain(FORMS.map(|form| form.name));
    let names: Vec<&str> = names.collect();
    let kinds = all.iter().map(when).chain([
        form(MODAL, &MODAL_FIELDS, "states", false),
        form(DIFFERENTIAL_SYSTEM, &SYSTEM_FIELDS, "states", false),
        // Its other fields are the variables that the file describes.
        form(FMU, &FMU_FIELDS, "file", true),
    ]);
    let kinds: Vec<Json> = kinds.collect();
    json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {
                "description": "A block of the library or of the language, or a diagram.",
                "anyOf": [{"enum": names}, {"type": "string"}],
            },
            "for": {
                "description": "Indices and their counts: the block is an array of blocks.",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"$ref": "#/$defs/expression"},
            },
            "pass": {
                "description": "Inputs and parameters that have the same name around the block.",
                "type": "array",
                "items": {"type": "string"},
            },
            "sliding": {
                "description": RunSetting::Sliding.about(),
                "enum": ["error", "filippov"],
            },
        },
        "allOf": kinds,
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
            "anyOf": [
                {"$ref": "#/$defs/expression"},
                {"type": "null"},
                {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "value": {
                            "description": "An expression over other parameters.",
                            "anyOf": [{"$ref": "#/$defs/expression"}, {"type": "null"}],
                        },
                        "unit": {"description": "Its unit, such as m/s.", "type": "string"},
                        "description": {"description": "What it is.", "type": "string"},
                        "tunable": {
                            "description": "Whether its value may change during a run.",
                            "type": "boolean",
                        },
                        "words": {
                            "description": "The words that it may be, if it is a word.",
                            "type": "array",
                            "items": {"type": "string"},
                        },
                    },
                },
            ],
        },
    })
}

fn outputs() -> Json {
    let own = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "value": expression("An expression; by default, the signal of the same name."),
            "unit": {"description": "Its unit, such as m/s.", "type": "string"},
            "description": {"description": "What it is.", "type": "string"},
        },
    });
    json!({
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {
                "type": "object",
                "additionalProperties": {"anyOf": [{"$ref": "#/$defs/expression"}, own]},
            },
        ],
    })
}

/// The inputs of a diagram that is used in others.
fn inner_inputs() -> Json {
    json!({
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {
                "type": "object",
                "additionalProperties": {
                    "type": ["object", "null"],
                    "additionalProperties": false,
                    "properties": {
                        "default": expression("What it is if it is not given."),
                        "unit": {"description": "Its unit, such as m/s.", "type": "string"},
                        "description": {"description": "What it is.", "type": "string"},
                    },
                },
            },
        ],
    })
}

/// The inputs of the main diagram.
fn outside_inputs() -> Json {
    let text = |about: &str| json!({"description": about, "type": "string"});
    let kinds = blocks::InputKind::ALL.map(blocks::InputKind::name);
    json!({
        "description": "Signals from outside the model.",
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {
                "type": "object",
                "additionalProperties": {
                    "type": ["object", "null"],
                    "additionalProperties": false,
                    "properties": {
                        "kind": {
                            "description": "How it goes on between the times at which it is given.",
                            "enum": kinds,
                        },
                        "type": text("real or boolean, with a size such as real[3]."),
                        "initial": expression("Its value until it is given."),
                        "file": text("A table with its data, relative to the model file."),
                        "column": text("The column of the table; by default, its own name."),
                        "interpolation": {
                            "description": "How it goes on between the rows.",
                            "enum": trace::Interpolation::ALL.map(trace::Interpolation::name),
                        },
                        "unit": text("Its unit, such as m/s."),
                        "description": text("What it is."),
                    },
                },
            },
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

fn figure() -> Json {
    let panels = json!({"type": "array", "items": {"$ref": "#/$defs/panel"}});
    let fields = object(&model::FIGURE_KEYS, |key| match key {
        "title" => json!({"type": "string"}),
        "panels" => panels.clone(),
        "time" => json!({"description": "The unit of the time axis.", "enum": model::PLOT_TIMES}),
        "shade" => json!({
            "description": "The state that shades the panels over time, or whether the first one in the figure does.",
            "anyOf": [{"type": "boolean"}, {"type": "string"}],
        }),
        "open" => expression("Instants whose microsteps stand side by side."),
        _ => expression("An end of the time axis [s]."),
    });
    let mut figure = fields;
    merge(&mut figure, json!({"required": ["panels"]}));
    json!({"description": "Panels one above the other.", "anyOf": [panels, figure]})
}

fn panel() -> Json {
    let signal = json!({"$ref": "#/$defs/plot-signal"});
    let signals = json!({"anyOf": [signal, {"type": "array", "items": signal}]});
    let pair = json!({
        "type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2,
    });
    let field = |key: &str| match key {
        "signals" => signals.clone(),
        "phase" => json!({
            "description": "Two signals, the horizontal one first, or a list of such pairs.",
            "anyOf": [pair, {"type": "array", "items": pair}],
        }),
        "x" | "y" => json!({"$ref": "#/$defs/plot-axis"}),
        "height" => expression("The height between the axes, in pixels."),
        "title" => json!({"type": "string"}),
        _ => json!({"type": "boolean"}),
    };
    let mut over_time = object(&model::TIME_PANEL_KEYS, field);
    merge(&mut over_time, json!({"required": ["signals"]}));
    let mut phase = object(&model::PHASE_PANEL_KEYS, field);
    merge(&mut phase, json!({"required": ["phase"]}));
    json!({"anyOf": [{"type": "string"}, {"type": "array", "items": signal}, over_time, phase]})
}

fn plot_signal() -> Json {
    let mut fields = object(&model::PLOT_SIGNAL_KEYS, |key| match key {
        "mark" => json!({"enum": model::PLOT_MARKS}),
        "change" => json!({"type": "boolean"}),
        _ => json!({"type": "string"}),
    });
    merge(&mut fields, json!({"required": ["name"]}));
    json!({"description": "A recorded column or an element of one.",
        "anyOf": [{"type": "string"}, fields]})
}

fn plot_axis() -> Json {
    object(&model::PLOT_AXIS_KEYS, |key| match key {
        "range" => expression("The lower and the upper end, a list of two numbers."),
        "log" => json!({"type": "boolean", "description": "Whether it is logarithmic."}),
        _ => json!({"type": "string"}),
    })
}

/// An object with these keys and no others.
fn object(keys: &[&str], field: impl Fn(&str) -> Json) -> Json {
    let fields: Map<String, Json> =
        keys.iter().map(|key| ((*key).to_owned(), field(key))).collect();
    json!({"type": "object", "properties": fields, "additionalProperties": false})
}

fn expression(about: &str) -> Json {
    json!({"description": about, "anyOf": [{"$ref": "#/$defs/expression"}]})
}

fn simulate() -> Json {
    let methods = solver::Method::all().map(|method| method.name());
    let mut properties = Map::new();
    for setting in RunSetting::ALL {
        let mut value = match setting.kind() {
            SettingKind::Solver => json!({"enum": methods}),
            SettingKind::Words(words) => json!({"enum": words}),
            _ => json!({"anyOf": [{"$ref": "#/$defs/expression"}]}),
        };
        merge(&mut value, json!({"description": setting.about()}));
        properties.insert(setting.key().to_owned(), value);
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// What a block of the language may have, which of it must be there, and whether there may be other
/// fields.
fn form(form: Form, own: &[Field], required: &str, others: bool) -> Json {
    let mut properties = fields(own);
    merge(&mut properties, json!({"type": {"description": form.summary}}));
    json!({
        "if": {"properties": {"type": {"const": form.name}}, "required": ["type"]},
        "then": {
            "properties": properties,
            "required": [required],
            "additionalProperties": others,
        },
    })
}

fn tolerance() -> Json {
    json!({
        "anyOf": [{"$ref": "#/$defs/expression"}],
        "description": "The tolerance of the states in it.",
    })
}

fn domain() -> Json {
    json!({
        "enum": ["continuous", "discrete"],
        "description": "Whether everything in it happens at events.",
    })
}

/// The properties of a part of a state machine.
fn fields(fields: &[Field]) -> Json {
    let mut properties = Map::new();
    // A name with a blank describes fields whose names are only known from a file.
    for field in fields.iter().filter(|field| !field.name.contains(' ')) {
        let mut value = match (field.kind, field.name) {
            (_, "type") => json!({}),
            (FieldKind::AsInDiagrams, "parameters") => parameters(),
            (FieldKind::AsInDiagrams, "outputs") => outputs(),
            (FieldKind::AsInDiagrams, "solve") => solve(),
            (FieldKind::AsInDiagrams, "tolerance") => tolerance(),
            (FieldKind::AsInDiagrams, "domain") => domain(),
            (FieldKind::AsInDiagrams, _) => json!({
                "type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/block"},
            }),
            (FieldKind::Text | FieldKind::State, _) => json!({"type": "string"}),
            (FieldKind::Flag, _) => json!({"type": "boolean"}),
            (FieldKind::Expression, _) => json!({"anyOf": [{"$ref": "#/$defs/expression"}]}),
            (FieldKind::Actions, _) => json!({
                "type": "object", "additionalProperties": {"$ref": "#/$defs/expression"},
            }),
            (FieldKind::Held, _) => json!({"anyOf": [
                {"type": "boolean"},
                {"type": "array", "items": {"type": "string"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/expression"}},
            ]}),
            (FieldKind::Names, _) => json!({"type": "array", "items": {"type": "string"}}),
            (FieldKind::States, _) => json!({
                "type": "object", "additionalProperties": {"$ref": "#/$defs/state"},
            }),
            (FieldKind::Rates, _) => json!({
                "type": "object",
                "additionalProperties": {"anyOf": [
                    {"$ref": "#/$defs/expression"},
                    {"$ref": "#/$defs/rate"},
                ]},
            }),
            (FieldKind::Transitions, _) => json!({
                "type": "array", "items": {"$ref": "#/$defs/transition"},
            }),
        };
        merge(&mut value, json!({"description": field.about}));
        properties.insert(field.name.to_owned(), value);
    }
    Json::Object(properties)
}

/// What a block of one kind may have: its own inputs and parameters, and nothing else.
fn when(info: &Info) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    properties.insert("type".to_owned(), json!({"description": info.summary}));
    properties.insert("for".to_owned(), json!({}));
    properties.insert("pass".to_owned(), json!({}));
    properties.insert("sliding".to_owned(), json!({}));
    for input in &info.inputs {
        let value = json!({
            "description": input.about,
            "anyOf": [{"$ref": "#/$defs/expression"}],
        });
        properties.insert(input.name.to_string(), value);
        if input.count != Count::Optional {
            required.push(&input.name);
        }
    }
    for parameter in &info.parameters {
        let mut value = match &parameter.kind {
            Kind::Word(words) => json!({"enum": words}),
            _ => json!({"anyOf": [{"$ref": "#/$defs/expression"}]}),
        };
        merge(&mut value, json!({"description": parameter.about}));
        match &parameter.default {
            Some(default) => merge(&mut value, json!({"default": default})),
            None => required.push(&parameter.name),
        }
        properties.insert(parameter.name.to_string(), value);
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
