//! Messages as JSON for tools: one object per line, on standard error.

use serde_json::{Value, json};
use superdense::{
    BackendUsed, BlockWork, Diagnostic, Diagnostics, Extreme, Invariant, MainParameter,
    ParameterKind, RegionWork, SolverSwitch, SourceMap, System, Work,
};

use crate::report::Problem;

/// The lines for an error: one for each diagnostic, or one for an error without diagnostics.
pub fn lines(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Problem>() {
        Some(Problem { diagnostics, sources, .. }) => objects(diagnostics, sources),
        None => format!("{}\n", message("error", &format!("{error:#}"))),
    }
}

/// A line for each diagnostic.
pub fn objects(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    diagnostics.0.iter().map(|diagnostic| format!("{}\n", object(diagnostic, sources))).collect()
}

/// A parameter of the model: what it is now, and whether a run can set it.
pub fn parameter(own: &MainParameter) -> Value {
    let (kind, reason) = match &own.kind {
        ParameterKind::Structural(why) => ("structural", Some(why)),
        ParameterKind::Fixed => ("fixed", None),
        ParameterKind::Tunable => ("tunable", None),
    };
    let elements: Vec<f64> = own.value.data().to_vec();
    json!({
        "name": own.name, "value": own.shown(), "words": own.words, "elements": elements,
        "type": own.value.ty().to_string(), "unit": own.about.unit,
        "description": own.about.description, "kind": kind, "reason": reason,
    })
}

/// An object without a code and without a place in a text.
pub fn message(severity: &str, message: &str) -> Value {
    json!({
        "severity": severity, "code": null, "message": message, "file": null, "line": null,
        "column": null, "block": null, "notes": [], "help": null,
    })
}

/// The line with the backends that evaluated the model between events, unless that was the
/// interpreter alone.
pub fn backend(ran: BackendUsed) -> String {
    let backends = match ran {
        BackendUsed::Interpreter => return String::new(),
        BackendUsed::Native => json!(["native"]),
        BackendUsed::Both => json!(["interpreter", "native"]),
    };
    let mut object = message("note", &format!("evaluated by {ran}"));
    object["backends"] = backends;
    format!("{object}\n")
}

/// The line with the work of each region and block and the size of the model, if there are several
/// regions or a region switched to another solver.
pub fn work(work: &Work, system: &System, peak_memory: Option<u64>) -> String {
    let switched = work.parts.iter().any(|part| !part.switches.is_empty());
    if work.parts.len() < 2 && !switched {
        return String::new();
    }
    let switch = |switch: &SolverSwitch| json!({"time": switch.time.decimal(), "solver": switch.solver.name()});
    let part = |part: &RegionWork| {
        json!({
            "name": part.name, "steps": part.steps, "rejected": part.rejected,
            "evaluations": part.evaluations,
            "switches": part.switches.iter().map(switch).collect::<Vec<_>>(),
        })
    };
    let block = |block: &BlockWork| json!({"name": block.name, "firings": block.firings});
    let parts = work.parts.len();
    let text = match (parts, switched) {
        (1, _) => "the solver changed during the run".to_owned(),
        (_, true) => format!("{parts} regions, and a solver changed during the run"),
        (_, false) => format!("{parts} regions with steps of their own"),
    };
    let mut object = message("note", &text);
    object["parts"] = work.parts.iter().map(part).collect();
    object["blocks"] = work.blocks.iter().map(block).collect();
    object["states"] = json!(system.state_count());
    object["instructions"] = json!(system.instruction_count());
    object["peak_memory"] = json!(peak_memory);
    format!("{object}\n")
}

/// The line with the drift of each invariant, if the model has any.
pub fn invariants(all: &[Invariant]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let change = |own: &Invariant, change: Extreme| {
        json!({
            "size": change.size, "relative": own.relative_to_magnitude(change),
            "time": change.tag.map(|tag| tag.time.decimal()),
            "microstep": change.tag.map(|tag| tag.microstep),
        })
    };
    let one = |own: &Invariant| {
        json!({
            "name": own.name, "first": own.first, "last": own.last, "magnitude": own.magnitude,
            "smooth": change(own, own.smooth), "drift": own.drift, "tick": change(own, own.tick),
            "between_microsteps": change(own, own.microstep), "breaks": own.breaks,
        })
    };
    let mut object = message("note", "how well the invariants were kept");
    object["invariants"] = all.iter().map(one).collect();
    format!("{object}\n")
}

/// Lines and columns count from 1; columns count characters.
fn object(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = diagnostic.labels.first().map(|label| label.span);
    let position = place.map(|span| sources.position(span));
    json!({
        "severity": format!("{:?}", diagnostic.severity).to_lowercase(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": place.map(|span| sources.name(span.file)),
        "line": position.map(|position| position.0),
        "column": position.map(|position| position.1),
        "block": Some(&diagnostic.path).filter(|path| !path.is_empty()),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}
