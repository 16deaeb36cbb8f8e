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
