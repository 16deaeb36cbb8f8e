//! Larger edits: what a model does before and after them.

use serde_json::{Value as Json, json};

use crate::common::{BALL, Tab, served};

/// The rows of a run, without its number.
fn rows(tab: &mut Tab, text: &str) -> (Json, Vec<u64>) {
    let found = tab.check(text);
    assert_eq!(found["ok"], true, "{found}\n{text}");
    let (ended, head, numbers) = tab.run(1, &json!([]), &json!("3"));
    assert_eq!(ended["how"], "finished", "{ended}");
    (head["names"].clone(), numbers.iter().map(|own| own.to_bits()).collect())
}

#[test]
fn a_group_of_blocks_does_what_they_did() {
    let own = served();
    let mut tab = own.tab();
    let before = rows(&mut tab, BALL);
    for names in [&["v", "y"][..], &["hit", "kick"], &["v", "y", "hit", "kick"], &["y"]] {
        let all: Vec<Json> = names.iter().map(|name| json!({"node": name})).collect();
        let group = json!({"edit": "group", "all": all, "diagram": "Part", "instance": "part"});
        let grouped = tab.edit(BALL, &group).expect("grouped");
        assert!(grouped.contains("\n  Part:\n"), "{grouped}");
        assert_eq!(rows(&mut tab, &grouped), before, "{grouped}");
        let ungroup = json!({"edit": "ungroup", "at": {"node": "part"}});
        let back = tab.edit(&grouped, &ungroup).expect("ungrouped");
        assert!(!back.contains("Part"), "{back}");
        assert_eq!(rows(&mut tab, &back), before, "{back}");
    }
    let nothing = json!({"edit": "group", "all": [], "diagram": "Part", "instance": "part"});
    assert!(tab.edit(BALL, &nothing).is_err());
}

/// Fixed steps, so that the order of the states decides nothing.
const MOTORS: &str = "\
superdense: 1
parameters: {n: 3}
diagrams:
  Motor:
    parameters: {k: 2}
    inputs: [u]
    outputs: {speed: w, power: k * w * u, smooth: low}
    blocks:
      w: {type: Integrator, input: k * u - w}
      low: {type: LowPass, input: w, cutoff: 3}
blocks:
  motors: {type: Motor, for: {i: n}, u: sin(time + i)}
record: {a: motors.speed, b: \"motors.power[n - 1]\", c: motors.smooth, d: sum(motors.power)}
simulate: {stop: 3, solver: rk4, step: 0.01}
";

#[test]
fn an_array_of_diagrams_does_what_arrays_of_blocks_do() {
    let own = served();
    let mut tab = own.tab();
    let before = rows(&mut tab, MOTORS);
    let ungroup = json!({"edit": "ungroup", "at": {"node": "motors[0]"}});
    let after = edit(&mut tab, MOTORS, &ungroup).expect("ungrouped");
    assert!(!after.contains("Motor"), "{after}");
    assert_eq!(rows(&mut tab, &after), before, "{after}");
    let enabled = MOTORS.replace("for: {i: n}, u: sin(time + i)", "u: 1, enabled: time > 1");
    let error = edit(&mut tab, &enabled, &ungroup).expect_err("a condition");
    assert!(error.contains("`enabled`"), "{error}");
}

#[test]
fn a_signal_is_recorded_and_drawn() {
    let own = served();
    let mut tab = own.tab();
    let text = "superdense: 1\nblocks:\n  x: {type: Integrator, input: v, initial: 1}\n  \
                v: {type: Integrator, input: -x}\n  e: {type: Expression, expression: x * v}\n";
    let record = |panel: usize| json!({"edit": "record", "name": "e", "panel": panel});
    // (the sections, the panel, the sections afterwards)
    for (before, panel, after) in [
        ("record: [x]\n", 0, "record: [x, e]\n"),
        ("record: [x, e]\n", 0, "record: [x, e]\n"),
        ("record:\n  - x  # first\n", 0, "record:\n  - x  # first\n  - e\n"),
        ("record: {position: x}\n", 0, "record: {position: x, e: e}\n"),
        ("", 0, ""),
        (
            "record: [x]\nplots: {way: [[x], x]}\n",
            1,
            "record: [x, e]\nplots: {way: [[x], [x, e]]}\n",
        ),
        (
            "record: {x: x, area: e}\nplots: {way: {panels: [{phase: [x, area]}, {signals: [x]}]}}\n",
            0,
            "record: {x: x, area: e}\nplots: {way: {panels: [{phase: [x, area]}, {signals: [x, area]}]}}\n",
        ),
        (
            "record: [x, e]\nplots: {way: [[x, {name: e}]]}\n",
            0,
            "record: [x, e]\nplots: {way: [[x, {name: e}]]}\n",
        ),
    ] {
        let text = format!("{text}{before}");
        let found = edit(&mut tab, &text, &record(panel)).expect("recorded");
        assert_eq!(found[text.len() - before.len()..], *after, "{before}");
        let answer = tab.check(&found);
        assert_eq!(answer["ok"], true, "{answer}\n{found}");
    }
}

/// Whatever the palette offers is added as a valid block, so that it is drawn and can be connected.
#[test]
fn every_block_is_added_to_a_valid_model() {
    let own = served();
    let mut tab = own.tab();
    tab.send(&json!({"do": "hello"}));
    let library = tab.wait("library");
    let blocks = library["blocks"].as_array().expect("blocks");
    let kinds = blocks.iter().map(|own| own["name"].as_str().expect("a name"));
    let text = "superdense: 1\nblocks:\n  t: {type: Ramp}\n";
    let mut wrong = Vec::new();
    for kind in kinds.chain(["Modal", "DifferentialSystem"]) {
        let add = json!({"edit": "add_block", "within": "", "name": "own", "kind": kind});
        let after = edit(&mut tab, text, &add).expect("added");
        let found = tab.check(&after);
        if found["ok"] != true {
            wrong.push(format!("{after}{}", found["diagnostics"][0]["message"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unknown = json!({"edit": "add_block", "within": "", "name": "own", "kind": "Scope"});
    assert!(edit(&mut tab, text, &unknown).is_err());
}

/// Outputs that nothing reads yet can be connected, too.
#[test]
fn an_unread_output_has_a_name() {
    let own = served();
    let mut tab = own.tab();
    let text = "superdense: 1\ndiagrams:\n  D:\n    inputs: [u]\n    outputs: {a: x, b: 2 * x}\n    \
                blocks: {x: {type: Integrator, input: u}}\nblocks:\n  d: {type: D, u: 1}\n  \
                g: {type: Gain, input: d.b, gain: 1}\n  \
                s: {type: DifferentialSystem, states: {x: 1, v: 2}}\n  \
                m: {type: Modal, states: {on: {outputs: {q: 1}}}}\n";
    let found = tab.check(text);
    let unread = |path: &str| {
        let nodes = found["scene"]["nodes"].as_array().expect("nodes");
        let node = nodes.iter().find(|own| own["path"] == path).expect("a node");
        node["unread"].clone()
    };
    assert_eq!(unread("d"), json!(["a"]));
    assert_eq!(unread("g"), json!([]));
    assert_eq!(unread("s"), json!(["x", "v"]));
    assert!(unread("m").as_array().expect("names").contains(&json!("q")), "{}", unread("m"));
}

const LAMP: &str = "\
superdense: 1
blocks:
  t: {type: Ramp}
  lamp:
    type: Modal
    initial: off
    states:
      off: {outputs: {light: 0}, transitions: [{to: on, after: 1}]}
      on: {outputs: {light: 1}}
record: [lamp.light]
simulate: {stop: 4}
";

#[test]
fn a_machine_is_edited_as_a_chart() {
    let own = served();
    let mut tab = own.tab();
    let found = tab.check(LAMP);
    let chart = &found["scene"]["charts"][0];
    let machine = json!({"byte": chart["place"][0]});
    let arrow = chart["arrows"][1]["place"][0].clone();
    let mut text = LAMP.to_owned();
    for change in [
        json!({"edit": "set", "at": {"byte": arrow}, "field": "after", "value": "2"}),
        json!({"edit": "add_state", "machine": machine, "name": "broken", "from": "on"}),
        json!({"edit": "add_transition", "machine": machine, "from": "broken", "to": "off"}),
        json!({
            "edit": "set", "at": {"path": ["blocks", "lamp", "states", "on", "transitions", "0"]},
            "field": "when", "value": "t > 3",
        }),
        json!({"edit": "rename", "at": {"path": ["blocks", "lamp", "states", "broken"]}, "to": "dark"}),
    ] {
        text = tab.edit(&text, &change).expect("edited");
    }
    assert!(
        text.contains("on: {outputs: {light: 1}, transitions: [{to: dark, when: t > 3}]}"),
        "{text}"
    );
    assert!(text.contains("after: 2"), "{text}");
    assert!(text.contains("dark: {transitions: [{to: off, when: false}]}"), "{text}");
    let (_, bits) = rows(&mut tab, &text);
    assert!(bits.contains(&2f64.to_bits()), "the lamp goes on at 2");
    // The state goes with the transitions into it.
    let remove = json!({"edit": "remove_state", "machine": machine, "name": "dark"});
    let after = tab.edit(&text, &remove).expect("removed");
    assert!(!after.contains("dark"), "{after}");
    rows(&mut tab, &after);
    // Another state is the first one then.
    let remove = json!({"edit": "remove_state", "machine": machine, "name": "off"});
    let after = tab.edit(LAMP, &remove).expect("removed");
    assert!(after.contains("initial: on"), "{after}");
    rows(&mut tab, &after);
    // A block inside a state.
    let add = json!({
        "edit": "add", "within": "lamp.on", "name": "x",
        "value": "{type: Integrator, input: 1}",
    });
    let after = tab.edit(LAMP, &add).expect("added");
    rows(&mut tab, &after);
}

#[test]
fn an_expression_is_checked_before_it_is_written() {
    let own = served();
    let mut tab = own.tab();
    tab.check(BALL);
    let mut tried = |field: &str, value: &str| {
        let edit = json!({"edit": "set", "at": {"node": "v"}, "field": field, "value": value});
        tab.send(&json!({
            "do": "try", "id": 9, "path": "ball.yaml", "text": BALL, "edit": edit, "node": "v",
        }));
        tab.wait("tried")
    };
    let fine = tried("input", "-g * y");
    assert_eq!(fine["error"], Json::Null, "{fine}");
    assert_eq!(fine["inputs"][0], json!({"name": "input", "reads": "real, continuous"}));
    let unknown = tried("input", "-g * why");
    assert!(unknown["error"].as_str().is_some_and(|own| own.contains("why")), "{unknown}");
    assert!(tried("input", "1 +")["error"].is_string());
    assert!(tried("initial", "[1, 2]")["error"].is_string());
}

#[test]
fn a_sweep_has_points() {
    let own = served();
    let mut tab = own.tab();
    let text = format!("{}sweep: {{parameters: {{e: 0.5:0.9:0.01}}}}\n", BALL);
    assert_eq!(tab.check(&text)["sweeps"], true);
    tab.send(&json!({"do": "sweep", "id": 5, "most": 5}));
    let found = tab.wait("sweep");
    assert_eq!(found["runs"], 41, "{found}");
    let values: Vec<f64> = found["points"]
        .as_array()
        .expect("points")
        .iter()
        .map(|own| own[0][1].as_str().expect("a text").parse().expect("a number"))
        .collect();
    assert_eq!(values, [0.5, 0.6, 0.7, 0.8, 0.9]);
}

/// Every model is drawn, and of any blocks of it: the edit is refused, or the run stays the same to the bit.
#[test]
fn groups_in_all_models_change_nothing() {
    let own = served();
    let mut tab = own.tab();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut compared, mut refused) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let Ok(text) = std::fs::read_to_string(entry.path().join("model.yaml")) else { continue };
        let found = tab.check(&text);
        // Models that read files beside them, and large ones, are left out.
        if found["ok"] != true || found["settings"]["blocks"].as_u64() > Some(60) {
            continue;
        }
        let nodes = found["scene"]["nodes"].as_array().expect("nodes");
        let names: Vec<&str> = nodes
            .iter()
            .filter(|own| own["figure"] != "expression")
            .filter_map(|own| own["path"].as_str())
            .collect();
        let (name, half) = (entry.file_name(), names.len().div_ceil(2));
        let all: Vec<Json> = names[..half].iter().map(|own| json!({"node": own})).collect();
        let group = json!({"edit": "group", "all": all, "diagram": "Part", "instance": "part"});
        let after = match tab.edit(&text, &group) {
            Ok(after) => after,
            Err(error) => {
                refused.push(format!("{name:?} {:?}: {error}", &names[..half]));
                continue;
            }
        };
        let run = |tab: &mut Tab, text: &str| {
            assert_eq!(tab.check(text)["ok"], true, "{name:?}\n{text}");
            let (_, head, numbers) = tab.run(1, &json!([]), &json!("0.2"));
            let bits: Vec<u64> = numbers.iter().map(|own| own.to_bits()).collect();
            (head["names"].clone(), bits)
        };
        let (names, bits) = run(&mut tab, &text);
        let (now, after_bits) = run(&mut tab, &after);
        // Without a `record`, what is recorded is what is in the main diagram; and the draws of a
        // block belong to its path.
        let alike =
            text.contains("\nrecord:") && !text.contains("Random") && !text.contains("seed");
        assert!(!alike || (names == now && bits == after_bits), "{name:?}\n{after}");
        compared += u32::from(alike);
    }
    assert!(compared > 20, "{compared} compared; refused: {refused:#?}");
}
