//! Steady states and linear models as JSON.

use serde_json::{Map, Value, json};
use superdense::{Linearization, Matrix, NamedValue, Side, SwitchAtPoint, Trimmed};

pub fn trimmed(found: &Trimmed) -> Value {
    json!({
        "time": found.time.decimal(),
        "states": values(&found.states),
        "inputs": values(&found.inputs),
        "outputs": values(&found.outputs),
        "rates": values(&found.rates),
        "units": units(&[&found.states, &found.inputs, &found.outputs]),
        "free": found.free,
        "at_bounds": found.at_bounds,
        "open": found.open,
        "open_directions": found.open_directions,
        "held": held(&found.held),
        "depend_on_time": found.depend_on_time,
        "switches": switches(&found.switches),
        "steps": found.steps,
    })
}

pub fn linear(found: &Linearization, steady: Option<&Trimmed>) -> Value {
    let names = |of: &[NamedValue]| of.iter().map(|own| own.name.clone()).collect::<Vec<_>>();
    let system = &found.system;
    let poles =
        system.poles().map(|all| all.iter().map(|own| json!([own.re, own.im])).collect::<Vec<_>>());
    json!({
        "time": found.time.decimal(),
        "states": names(&found.states),
        "inputs": names(&found.inputs),
        "outputs": names(&found.outputs),
        "a": rows(&system.a),
        "b": rows(&system.b),
        "c": rows(&system.c),
        "d": rows(&system.d),
        "poles": poles,
        "values": values(&[&found.states[..], &found.inputs, &found.outputs].concat()),
        "rates": values(&found.rates),
        "units": units(&[&found.states, &found.inputs, &found.outputs]),
        "held": held(&found.held),
        "depend_on_time": found.depend_on_time,
        "switches": switches(&found.switches),
        "steady": steady.map(trimmed),
    })
}

fn values(of: &[NamedValue]) -> Map<String, Value> {
    of.iter().map(|own| (own.name.clone(), json!(own.value))).collect()
}

fn units(of: &[&[NamedValue]]) -> Map<String, Value> {
    let all = of.iter().flat_map(|own| own.iter());
    all.filter_map(|own| Some((own.name.clone(), json!(own.unit.as_ref()?)))).collect()
}

fn held(of: &[(String, String)]) -> Map<String, Value> {
    of.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
}

fn switches(of: &[SwitchAtPoint]) -> Vec<Value> {
    let one = |own: &SwitchAtPoint| {
        let side = if own.side == Side::Above { "above" } else { "below" };
        json!({"block": own.block, "side": side, "jumps": own.jumps})
    };
    of.iter().map(one).collect()
}

fn rows(matrix: &Matrix) -> Vec<&[f64]> {
    (0..matrix.rows()).map(|i| matrix.row(i)).collect()
}
