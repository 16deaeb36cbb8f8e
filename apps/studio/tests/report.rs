//! Reports: one file that says what a run did and needs nothing else.

use superdense::{Library, System, parse};
use superdense_studio::report;

use crate::common::BALL;

fn system(text: &str) -> System {
    let model = parse("model.yaml", text, &mut |_| Err("no files".to_owned())).expect("a model");
    System::compile(&model, &Library::standard()).expect("a system")
}

#[test]
fn a_report_is_one_whole_file() {
    let page = report(&system(BALL), |_, _| Ok(())).expect("a page");
    assert!(page.starts_with("<!doctype html>"));
    for part in ["<svg", "bouncing-ball", "Parameters", "id=\"data\"", "Events", "LevelCrossing"] {
        assert!(page.contains(part), "{part}");
    }
    // Nothing is loaded: neither a script nor a style nor a picture has an address.
    for address in ["src=\"", "<link", "@import", "url(http"] {
        assert!(!page.contains(address), "{address}");
    }
    let data = page.split("id=\"data\">").nth(1).and_then(|own| own.split("</script>").next());
    let data: serde_json::Value = serde_json::from_str(data.expect("data")).expect("JSON");
    let names = data["names"].as_array().expect("names");
    let y = names.iter().position(|own| own == "y").expect("a signal");
    // The first flight is a parabola.
    let flight = data["times"]
        .as_array()
        .expect("times")
        .iter()
        .zip(data["lanes"][y].as_array().expect("values"));
    for (t, y) in flight.filter_map(|(t, y)| Some((t.as_f64()?, y.as_f64()?))) {
        if t < 1.4 {
            assert!((y - (10.0 - 9.81 / 2.0 * t * t)).abs() < 1e-6, "{t} {y}");
        }
    }
}

#[test]
fn a_report_has_phase_plots() {
    let text = "superdense: 1\nblocks:\n  x: {type: Integrator, input: v, initial: 1}\n  \
                v: {type: Integrator, input: -x}\nrecord: [x, v]\nsimulate: {stop: 7}\n\
                plots: {cycle: {panels: [{phase: [x, v], equal: true, x: {unit: m}}]}}\n";
    let page = report(&system(text), |_, _| Ok(())).expect("a page");
    let data = page.split("id=\"data\">").nth(1).and_then(|own| own.split("</script>").next());
    let data: serde_json::Value = serde_json::from_str(data.expect("data")).expect("JSON");
    let phase = &data["phases"][0];
    assert_eq!(phase["pairs"][0]["label"], "v over x");
    assert_eq!((&phase["x"]["label"], &phase["y"]["label"]), (&"x [m]".into(), &"v".into()));
    assert_eq!(phase["equal"], true);
    // The signals are over time, too.
    assert_eq!(data["panels"].to_string().matches("\"x\"").count(), 1);
}

#[test]
fn a_text_cannot_leave_its_place_in_a_report() {
    let text =
        BALL.replace("name: bouncing-ball", "name: ball # </script><script>alert(1)</script>");
    let page = report(&system(&text), |_, _| Ok(())).expect("a page");
    assert!(!page.contains("<script>alert"));
}

#[test]
fn a_run_that_fails_has_a_report_too() {
    let text = "superdense: 1\nblocks:\n  x: {type: Integrator, input: x^2, initial: 1}\n\
                record: [x]\nsimulate: {stop: 2}\n";
    let page = report(&system(text), |_, _| Ok(())).expect("a page");
    assert!(page.contains("class=\"problem\""));
}
