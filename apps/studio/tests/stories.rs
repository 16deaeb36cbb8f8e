//! What a page asks for, and what it gets: numbers against closed forms and against other runs.

use serde_json::{Value as Json, json};

use crate::common::{BALL, served};

/// The lane of a signal among the rows.
fn lane<'n>(head: &Json, numbers: &'n [f64], name: &str) -> &'n [f64] {
    let rows = head["rows"].as_u64().expect("a count") as usize;
    let names = head["names"].as_array().expect("names");
    let index = names.iter().position(|own| own == name).expect("a signal");
    &numbers[(index + 2) * rows..(index + 3) * rows]
}

fn times<'n>(head: &Json, numbers: &'n [f64]) -> &'n [f64] {
    &numbers[..head["rows"].as_u64().expect("a count") as usize]
}

#[test]
fn a_run_streams_the_fall_of_a_ball() {
    let own = served();
    let mut tab = own.tab();
    let found = tab.check(BALL);
    assert_eq!(found["ok"], true, "{found}");
    assert_eq!(found["settings"]["name"], "bouncing-ball");
    let names: Vec<&str> = found["parameters"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|own| own["name"].as_str())
        .collect();
    assert_eq!(names, ["g", "e", "y0"]);
    let (ended, head, numbers) = tab.run(1, &json!([]), &json!("1.2"));
    assert_eq!(ended["how"], "finished", "{ended}");
    let (t, y) = (times(&head, &numbers), lane(&head, &numbers, "y"));
    assert!(t.len() > 100);
    for (t, y) in t.iter().zip(y) {
        assert!((y - (10.0 - 9.81 / 2.0 * t * t)).abs() < 1e-6, "{t} {y}");
    }
    // Another parameter: the same program, another fall.
    let (_, head, numbers) = tab.run(2, &json!([["g", "1.62"]]), &json!("1.2"));
    let (t, y) = (times(&head, &numbers), lane(&head, &numbers, "y"));
    for (t, y) in t.iter().zip(y) {
        assert!((y - (10.0 - 0.81 * t * t)).abs() < 1e-6, "{t} {y}");
    }
    let (ended, ..) = tab.run(3, &json!([["g", "1 +"]]), &json!(null));
    assert_eq!(ended["how"], "refused");
    let (ended, ..) = tab.run(4, &json!([["nothing", "1"]]), &json!(null));
    assert_eq!(ended["how"], "refused");
}

#[test]
fn an_instant_has_its_limits_and_its_story() {
    let own = served();
    let mut tab = own.tab();
    tab.check(BALL);
    tab.run(1, &json!([]), &json!(null));
    let bounce = (2.0f64 * 10.0 / 9.81).sqrt();
    tab.send(&json!({"do": "instant", "id": 7, "time": 1.3}));
    let found = tab.wait("instant");
    assert_eq!(found["id"], 7);
    assert!((found["time"].as_f64().expect("a time") - bounce).abs() < 1e-9, "{found}");
    let columns: Vec<&str> =
        found["columns"].as_array().expect("names").iter().filter_map(Json::as_str).collect();
    let v = columns.iter().position(|own| *own == "v").expect("a column");
    let rows = found["rows"].as_array().expect("rows");
    let speed = |row: &Json| row["values"][v][0].as_f64().expect("a speed");
    let (left, right) = (speed(&rows[0]), speed(rows.last().expect("a row")));
    assert!((left + 9.81 * bounce).abs() < 1e-6, "{left}");
    assert!((right - 0.8 * 9.81 * bounce).abs() < 1e-6, "{right}");
    assert!(
        found["text"].as_str().is_some_and(|own| own.contains("a crossing was located in hit"))
    );
    // The next bounce comes after a flight of 2 e v / g.
    tab.send(&json!({"do": "neighbour", "id": 8, "time": found["time"], "forward": true, "events": true}));
    let next = tab.wait("neighbour")["time"].as_f64().expect("a time");
    assert!((next - bounce - 2.0 * right / 9.81).abs() < 1e-6, "{next}");
}

/// An integrator turns an impulse into a jump of its weight.
#[test]
fn impulses_have_their_weights() {
    let own = served();
    let mut tab = own.tab();
    let found = tab.check(
        "superdense: 1\nblocks:\n  f: {type: Expression, expression: 3 * delta(time - 0.5)}\n  \
         x: {type: Integrator, input: f, initial: 1}\nrecord: [f, x]\nsimulate: {stop: 1}\n",
    );
    assert_eq!(found["ok"], true, "{found}");
    let (_, head, numbers) = tab.run(1, &json!([]), &json!(null));
    let impulses = head["impulses"].as_array().expect("a list");
    assert_eq!(impulses.len(), 1, "{head}");
    assert_eq!(impulses[0], json!([0.5, 1, 0, 0, 3.0]));
    assert_eq!(lane(&head, &numbers, "x").last(), Some(&4.0));
    tab.send(&json!({"do": "instant", "id": 1, "time": 0.4}));
    let found = tab.wait("instant");
    assert_eq!(found["time"], 0.5);
    assert_eq!(found["rows"][1]["impulses"], json!([[0, 0, [3.0]]]), "{found}");
}

#[test]
fn a_run_without_end_stops_when_asked() {
    let own = served();
    let mut tab = own.tab();
    let found = tab.check(
        "superdense: 1\nblocks:\n  x: {type: Integrator, input: sin(1000 * time), initial: 0}\n\
         record: [x]\nsimulate: {stop: 1e9}\n",
    );
    assert_eq!(found["ok"], true, "{found}");
    tab.send(&json!({"do": "run", "run": 1, "parameters": [], "settings": []}));
    let progress = tab.wait("rows")["progress"].as_f64().expect("progress");
    assert!((0.0..0.1).contains(&progress));
    // Text is checked while it runs.
    assert_eq!(tab.check(BALL)["ok"], true);
    tab.send(&json!({"do": "stop"}));
    assert_eq!(tab.wait("ended")["how"], "stopped");
}

#[test]
fn a_mistake_is_underlined_where_it_is() {
    let own = served();
    let mut tab = own.tab();
    let text = "superdense: 1\nname: é𝄞\nblocks:\n  x: {type: Integrator, input: -y}\n";
    let text = text.replace("é𝄞", "a").replace("blocks", "description: é𝄞\nblocks");
    let found = tab.check(&text);
    assert_eq!(found["ok"], false);
    let label = &found["diagnostics"][0]["labels"][0];
    let units: Vec<u16> = text.encode_utf16().collect();
    let range = [&label["from"], &label["to"]].map(|own| own.as_u64().expect("a place") as usize);
    assert_eq!(String::from_utf16_lossy(&units[range[0]..range[1]]), "y", "{found}");
}

#[test]
fn a_causality_loop_is_drawn() {
    let own = served();
    let mut tab = own.tab();
    let found = tab.check(
        "superdense: 1\nblocks:\n  a: {type: Gain, input: b, gain: 2}\n  \
         b: {type: Expression, expression: floor(a) + 1}\nrecord: [a]\nsimulate: {stop: 1}\n",
    );
    assert_eq!(found["ok"], false, "{found}");
    assert_eq!(found["scene"]["looped"], true, "{found}");
}

#[test]
fn the_diagram_edits_the_text() {
    let own = served();
    let mut tab = own.tab();
    let scene = tab.check(BALL)["scene"].clone();
    let nodes = scene["nodes"].as_array().expect("nodes").clone();
    let byte = |name: &str| {
        let node = nodes.iter().find(|own| own["path"] == name).expect("a block");
        node["place"][0].as_u64().expect("a place")
    };
    let add = json!({"edit": "add", "within": null, "name": "speed", "value": "{type: Gain, input: 0, gain: 2}"});
    let text = tab.edit(BALL, &add).expect("added");
    assert!(text.contains("  speed: {type: Gain, input: 0, gain: 2}\nrecord:"), "{text}");
    let connect = json!({"edit": "set", "at": {"node": "speed"}, "field": "input", "value": "v"});
    let text = tab.edit(&text, &connect).expect("connected");
    assert!(text.contains("speed: {type: Gain, input: v, gain: 2}"));
    let rename = json!({"edit": "rename", "at": {"byte": byte("v")}, "to": "velocity"});
    let text = tab.edit(&text, &rename).expect("renamed");
    assert!(text.contains("previous(velocity)") && text.contains("input: velocity,"), "{text}");
    assert_eq!(tab.check(&text)["ok"], true, "{text}");
    let taken = json!({"edit": "rename", "at": {"byte": byte("y")}, "to": "hit"});
    assert!(tab.edit(BALL, &taken).is_err());
    let remove = json!({"edit": "remove", "all": [{"node": "speed"}]});
    let text = tab.edit(&text, &remove).expect("removed");
    let back = json!({"edit": "rename", "at": {"path": ["blocks", "velocity"]}, "to": "v"});
    assert_eq!(tab.edit(&text, &back).expect("renamed"), BALL);
}

#[test]
fn a_file_that_others_change_is_not_lost() {
    let own = served();
    let mut tab = own.tab();
    tab.send(&json!({"do": "open", "path": "ball.yaml"}));
    let opened = tab.wait("opened");
    assert_eq!(opened["text"], BALL);
    tab.send(&json!({"do": "watch", "path": "ball.yaml"}));
    tab.send(&json!({"do": "entry", "id": 1, "text": BALL, "at": {"byte": 0}}));
    tab.wait("entry");
    let path = own.folder.path().join("ball.yaml");
    let theirs = format!("# theirs\n{BALL}");
    std::fs::write(&path, &theirs).expect("a file");
    assert_eq!(tab.wait("changed")["text"], theirs.as_str());
    let mine = format!("# mine\n{BALL}");
    tab.send(&json!({"do": "save", "path": "ball.yaml", "text": mine, "known": opened["known"]}));
    let conflict = tab.wait("conflict");
    assert_eq!(conflict["text"], theirs.as_str());
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), theirs);
    tab.send(&json!({"do": "save", "path": "ball.yaml", "text": mine, "known": conflict["known"]}));
    tab.wait("saved");
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), mine);
}

#[test]
fn two_tabs_do_not_disturb_each_other() {
    let own = served();
    let (mut one, mut two) = (own.tab(), own.tab());
    one.check(BALL);
    two.check(&BALL.replace("y0: 10", "y0: 5"));
    let (_, head, numbers) = one.run(1, &json!([]), &json!("0.5"));
    assert_eq!(lane(&head, &numbers, "y")[0], 10.0);
    let (_, head, numbers) = two.run(1, &json!([]), &json!("0.5"));
    assert_eq!(lane(&head, &numbers, "y")[0], 5.0);
    drop(one);
    assert_eq!(two.check(BALL)["ok"], true);
}

/// Between events a row has the values of all wires, which the model does not record.
#[test]
fn every_wire_has_a_value_at_a_row() {
    let own = served();
    let mut tab = own.tab();
    tab.check(
        "superdense: 1\nblocks:\n  x: {type: Integrator, input: 2, initial: 1}\n  \
         twice: {type: Gain, input: x, gain: 3}\n  y: {type: Integrator, input: twice}\n\
         record: [y]\nsimulate: {stop: 1}\n",
    );
    tab.run(1, &json!([]), &json!(null));
    tab.send(&json!({"do": "neighbour", "id": 1, "time": 2.0, "forward": false, "events": false}));
    let time = tab.wait("neighbour")["time"].as_f64().expect("a time");
    tab.send(&json!({"do": "row", "id": 2, "time": time}));
    let found = tab.wait("instant");
    let values = &found["wires"][0]["values"];
    let x = values["x"][0].as_f64().expect("a value");
    assert!((x - (1.0 + 2.0 * time)).abs() < 1e-9, "{found}");
    assert!((values["twice"][0].as_f64().expect("a value") - 3.0 * x).abs() < 1e-9, "{found}");
}

/// An example runs with the data that come with it, and takes them along when it is saved.
#[test]
fn an_example_has_its_data() {
    let own = served();
    let mut tab = own.tab();
    tab.send(&json!({"do": "example", "name": "data"}));
    let text = tab.wait("opened")["text"].as_str().expect("a text").to_owned();
    let check = |text: &str, path: &str| json!({"do": "text", "version": 1, "path": path, "text": text, "opened": []});
    tab.send(&check(&text, "data.yaml"));
    let found = tab.wait("checked");
    assert_eq!(found["ok"], true, "{found}");
    tab.send(&json!({"do": "save", "path": "mine.yaml", "text": text, "known": null}));
    tab.wait("saved");
    assert!(own.folder.path().join("u.csv").exists());
    tab.send(&check(&text, "mine.yaml"));
    assert_eq!(tab.wait("checked")["ok"], true);
}
