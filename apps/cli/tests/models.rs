//! Every model of the repository runs through the binary and gives its figures.
//!
//! The figures of a model are in its `expected.yaml`, one to a line. Values and times are
//! expressions, so that a closed form can stand there as it is.

use std::fs;

use crate::common::figures::{Table, figures, number, series, values};
use crate::common::{folders, messages, repository, scratch, superdense};

/// Runs a model of the repository, and gives its result and what it said.
fn run(model: &str) -> (Table, String) {
    let folder = scratch(&format!("model-{model}"));
    let path = repository().join("models").join(model).join("model.yaml");
    let path = path.to_str().expect("paths are UTF-8");
    let output = superdense(&folder, &["run", path, "-o", "result.csv"]);
    assert!(output.status.success(), "{model}: {}", messages(&output));
    (Table::read(&folder.join("result.csv")), messages(&output))
}

#[test]
fn every_model_gives_its_figures() {
    let models = folders(&repository().join("models"));
    assert!(models.len() >= 14, "only {models:?}");
    for model in models {
        let folder = repository().join("models").join(&model);
        assert!(folder.join("README.md").exists(), "{model} has no README.md");
        let text = fs::read_to_string(folder.join("expected.yaml"))
            .unwrap_or_else(|error| panic!("{model}/expected.yaml: {error}"));
        let figures = figures(&text);
        assert!(!figures.is_empty(), "{model} has no figures");
        let (table, _) = run(&model);
        for figure in figures {
            figure.check(&table).unwrap_or_else(|wrong| panic!("{model}: {wrong}"));
        }
    }
}

/// The names that folders, model files and their `name` fields give must be the same.
#[test]
fn models_are_called_like_their_folders() {
    for model in folders(&repository().join("models")) {
        let text = fs::read_to_string(repository().join("models").join(&model).join("model.yaml"));
        let text = text.unwrap_or_else(|error| panic!("{model}: {error}"));
        assert!(text.lines().any(|line| line == format!("name: {model}")), "{model}");
    }
}

#[test]
fn the_cradle_passes_the_hit_on_microstep_by_microstep() {
    let (table, _) = run("newtons-cradle");
    let (at, _, _) = series(&table, "hit12")[0].clone();
    let velocities = |microstep: u32| {
        ["v1", "v2", "v3"].map(|name| {
            let series = series(&table, name);
            series.iter().find(|row| row.0 == at && row.1 == microstep).expect("a row").2
        })
    };
    assert_eq!(velocities(0), [1.0, 0.0, 0.0]);
    assert_eq!(velocities(1), [0.0, 1.0, 0.0]);
    assert_eq!(velocities(2), [0.0, 0.0, 1.0]);
    let pushes = |name: &str| values(&table, name).iter().filter(|push| **push != 0.0).count();
    assert_eq!((pushes("hit12"), pushes("hit23")), (1, 1), "each pair swaps its velocities once");
}

#[test]
fn the_zeno_ball_says_where_it_stops() {
    let (_, messages) = run("zeno-ball");
    let said = messages
        .lines()
        .find_map(|line| line.strip_prefix("stopped where events accumulate, at t = "));
    let time: f64 = said.expect("a line about it").parse().expect("a time");
    assert!((time - 3.0 * (20.0f64 / 9.81).sqrt()).abs() < 1e-6, "{time}");
}

#[test]
fn the_ball_that_runs_past_its_zeno_time_is_an_error_by_default() {
    let folder = scratch("zeno-error");
    let model = repository().join("models/bouncing-ball/model.yaml");
    let model = model.to_str().expect("paths are UTF-8");
    let output = superdense(&folder, &["run", model, "-p", "e=0.5", "--stop", "30", "-o", "b.csv"]);
    assert_eq!(output.status.code(), Some(1));
    let messages = messages(&output);
    assert!(messages.contains("error[zeno]"), "{messages}");
    assert!(messages.contains("the events of hit accumulate at t = 4.28352"), "{messages}");
    assert!(messages.contains("zeno: stop"), "{messages}");
    let table = Table::read(&folder.join("b.csv"));
    assert!(values(&table, "y").iter().all(|y| *y > -1e-9), "the ball fell through");
}

#[test]
fn the_ball_never_falls_through() {
    let (table, _) = run("bouncing-ball");
    assert!(values(&table, "y").iter().all(|y| *y > -1e-9));
}

#[test]
fn the_room_stays_between_the_levels() {
    let (table, _) = run("thermostat");
    let room = values(&table, "room");
    let warm = room.iter().position(|room| *room >= 20.0).expect("it gets warm");
    assert!(room[warm..].iter().all(|room| (19.0 - 1e-9..=21.0 + 1e-9).contains(room)));
}

#[test]
fn the_pendulum_keeps_its_energy() {
    let (table, _) = run("pendulum");
    assert!(values(&table, "energy").iter().all(|energy| energy.abs() < 1e-6));
}

#[test]
fn the_loop_is_solved_at_every_row() {
    let (table, _) = run("algebraic-loop");
    let (sources, voltages) = (values(&table, "source"), values(&table, "voltage"));
    assert!(sources.len() > 10);
    for (source, voltage) in sources.into_iter().zip(voltages) {
        let truth = 2.0f64.sqrt() * ((source / 2.0f64.sqrt()).asinh() / 3.0).sinh();
        assert!((voltage - truth).abs() < 1e-9, "{source}: {voltage}, not {truth}");
    }
}

#[test]
fn the_triangle_follows_the_wave() {
    let (table, _) = run("square-wave-integrator");
    for (time, _, triangle) in series(&table, "triangle") {
        let phase = number(&time) % 2.0;
        let truth = if phase < 1.0 { phase } else { 2.0 - phase };
        assert!((triangle - truth).abs() < 1e-13, "{time}: {triangle}, not {truth}");
    }
}

/// A result does not depend on the steps by which it was reached.
#[test]
fn other_solvers_give_the_same_figures() {
    let folder = scratch("solvers");
    let model = repository().join("models/impulse-response/model.yaml");
    let model = model.to_str().expect("paths are UTF-8");
    for (solver, within) in [("euler", 1e-2), ("heun", 1e-4), ("trapezoidal", 1e-4), ("rk4", 1e-8)]
    {
        let output =
            superdense(&folder, &["run", model, "--solver", solver, "-o", "x.csv", "--quiet"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", messages(&output));
        let end = *values(&Table::read(&folder.join("x.csv")), "x").last().expect("a value");
        assert!((end - (-2.0f64).exp()).abs() < within, "{solver}: {end}");
    }
}

/// The string takes the energy of the motion along it, and nothing else takes any.
#[test]
fn the_slack_pendulum_loses_what_the_string_takes() {
    let (table, _) = run("slack-pendulum");
    let pulls = series(&table, "p.pull");
    let mut expected = 6.5f64.powi(2) / 2.0 - 9.81;
    let mut caught = pulls.iter().peekable();
    for (time, microstep, energy) in series(&table, "p.energy") {
        while let Some((.., pull)) = caught.next_if(|pull| (&pull.0, pull.1) == (&time, microstep))
        {
            expected -= pull * pull / 2.0;
        }
        assert!((energy - expected).abs() < 1e-7, "({time}, {microstep}): {energy}, {expected}");
    }
    assert_eq!((pulls.len(), caught.next()), (3, None));
}
