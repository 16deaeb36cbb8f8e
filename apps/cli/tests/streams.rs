//! `stream` and `energy` through the binary.

use std::fs;
use std::path::Path;

use crate::common::{accepted, messages, model, refused, scratch, superdense, with_model};

#[test]
fn a_table_has_every_evaluation() {
    let folder = scratch("stream-table");
    let ball = model("pulled-ball");
    let shown = accepted(&folder, &["stream", &ball, "-o", "-"]);
    accepted(&folder, &["stream", &ball, "-o", "ball.csv", "-q"]);
    assert_eq!(fs::read_to_string(folder.join("ball.csv")).expect("a table"), shown);
    let mut lines = shown.lines();
    let own = "e,time,stage,h,p,error,contribution(x),contribution(v),error(x),error(v)";
    let columns = format!("{own},x,v,floor_force,contact,pull");
    assert_eq!(lines.next(), Some(columns.as_str()));
    let numbers = lines.map(|line| line.split(',').next().expect("a field").parse::<usize>());
    assert!(numbers.enumerate().all(|(e, number)| number == Ok(e)));
    assert_eq!(shown.lines().count(), 1399);
}

/// A signal that is called like a column of the solver keeps a column of its own.
#[test]
fn names_do_not_collide() {
    let text = "superdense: 1\nblocks:\n  h: {type: Integrator, input: 1 - h}\n  p: {type: Gain, input: h, gain: 2}\n";
    let folder = with_model("stream-names", text);
    let shown = accepted(&folder, &["stream", "model.yaml", "-o", "-", "-q"]);
    let columns = "e,time,stage,h,p,error,contribution(h),error(h),signal(h),signal(p)";
    assert_eq!(shown.lines().next(), Some(columns));
    let picture = ["stream", "model.yaml", "--plot", "h.svg", "-q", "--signal", "signal(h)"];
    accepted(&folder, &picture);
    assert!(fs::read_to_string(folder.join("h.svg")).expect("a picture").contains("signal(h)"));
}

#[test]
fn what_streams_cannot_express_is_named() {
    let folder = scratch("stream-refused");
    let expected =
        ["error[not-a-stream]", "`hit` is an event", "the state of `v` jumps", "model.yaml:"];
    refused(&folder, &["stream", &model("bouncing-ball")], &expected);
}

/// The states of machines are there by their names, in the table and in pictures.
#[test]
fn a_machine_has_its_states_by_name() {
    let text = "superdense: 1\nblocks:\n  x: {type: Integrator, input: m.rate}\n  m: {type: Modal, initial: up, states: {up: {outputs: {rate: 1}, transitions: [{to: down, when: x > 0.5}]}, down: {outputs: {rate: -1}}}}\nrecord: [x, m.state]\nsimulate: {stop: 1}\n";
    let folder = with_model("stream-machine", text);
    let shown = accepted(&folder, &["stream", "model.yaml", "-o", "-", "-q"]);
    let states: Vec<&str> =
        shown.lines().skip(1).filter_map(|row| row.rsplit(',').next()).collect();
    let turn = states.iter().position(|state| *state == "down").expect("it turns");
    assert!(turn > 90 && states[..turn].iter().all(|state| *state == "up"), "{states:?}");
    assert!(states[turn..].iter().all(|state| *state == "down"), "{states:?}");
    accepted(&folder, &["stream", "model.yaml", "--plot", "machine.svg", "-q"]);
    let picture = fs::read_to_string(folder.join("machine.svg")).expect("a picture");
    assert!(picture.contains(">down<") && picture.contains(">up<"), "the names of states");
}

/// Each of some options of a command is refused with its message.
fn refused_each(folder: &Path, command: [&str; 2], cases: &[(&[&str], &str)]) {
    for (options, expected) in cases {
        refused(folder, &[&command, *options].concat(), &[expected]);
    }
}

#[test]
fn bad_arguments_are_told() {
    let folder = scratch("stream-arguments");
    let ball = model("pulled-ball");
    let cases: [(&[&str], _); 8] = [
        (&["--step", "0"], "`--step 0` is not a positive time in seconds"),
        (&["--hold", "-1"], "`hold` must be a positive number of seconds"),
        (&["--hold=-1"], "`hold` must be a positive number of seconds"),
        (&["-o", "ball.parquet"], "the table of evaluations is a .csv file"),
        (&["--plot", "ball.gif"], "ends in .svg or .png"),
        (&["--plot", "b.svg", "--signal", "contakt"], "did you mean `contact`?"),
        (&["--plot", "b.svg", "--from", "9", "--to", "9"], "a close-up needs two evaluations"),
        (&["--limit", "100"], "error[too-many-evaluations]"),
    ];
    refused_each(&folder, ["stream", &ball], &cases);
    let part = ["stream", &ball, "--limit", "100", "-o", "part.csv"];
    refused(&folder, &part, &["The evaluations up to that point have been written."]);
    assert_eq!(fs::read_to_string(folder.join("part.csv")).expect("a table").lines().count(), 101);
}

/// A model with a memory that only streams have is drawn without the native run.
#[test]
fn a_model_for_streams_alone_is_drawn_too() {
    let folder = scratch("stream-alone");
    let text = "superdense: 1\nblocks:\n  room: {type: Integrator, input: 20 * on - room, initial: 0}\n  on: {type: Expression, expression: if room < 9 then 1 else (if room > 11 then 0 else previous(on))}\nsimulate: {stop: 3, tolerance: 0.1}\n";
    fs::write(folder.join("room.yaml"), text).expect("a model");
    let output = superdense(&folder, &["stream", "room.yaml", "--plot", "room.svg", "-q"]);
    assert!(output.status.success(), "{}", messages(&output));
    assert!(messages(&output).contains("is not drawn"), "{}", messages(&output));
    let picture = fs::read_to_string(folder.join("room.svg")).expect("a picture");
    assert!(picture.contains(">room<") && !picture.contains("rk45"));
}

/// Figure 1 of the paper: energy is lost by one solver at every step, and kept by the other.
#[test]
fn energy_is_lost_or_kept() {
    let folder = scratch("energy");
    let oscillator = model("ideal-oscillator");
    for stop in ["100", "1000"] {
        let shown = accepted(&folder, &["energy", &oscillator, "--stop", stop]);
        let change = |solver: &str| -> f64 {
            let line = shown.lines().find(|line| line.starts_with(solver)).expect("a line");
            line.split_whitespace().last().and_then(|last| last.parse().ok()).expect("a number")
        };
        let (lost, expected) = (-change("rk45"), 2.5e-5 * stop.parse::<f64>().expect("a number"));
        assert!((0.8 * expected..1.2 * expected).contains(&lost), "{stop}: {lost}");
        assert!(change("trapezoidal").abs() < 1e-12);
    }
    let result = accepted(&folder, &["run", &oscillator, "-o", "-", "-q"]);
    let energies = result.lines().skip(1).map(|line| line.split(',').nth(4).expect("an energy"));
    let energies: Vec<f64> = energies.map(|energy| energy.parse().expect("a number")).collect();
    assert!(energies.windows(2).all(|pair| pair[1] <= pair[0]), "{energies:?}");
}

#[test]
fn an_energy_is_an_expression() {
    let folder = scratch("energy-arguments");
    let oscillator = model("ideal-oscillator");
    let cases: [(&[&str], _); 5] = [
        (&["--energy", "p^2 + s"], "error[unknown-name]"),
        (&["--energy", "p +"], "error[expression-syntax]"),
        (&["--energy", "[p, q]"], "an energy is one number"),
        (&["--solvers", "rk54"], "error[unknown-solver]"),
        (&["-o", "energy.gif"], "ends in .svg or .png"),
    ];
    refused_each(&folder, ["energy", &oscillator], &cases);
    let shown = accepted(&folder, &["energy", &model("pendulum"), "--solvers", "rk45"]);
    assert!(shown.contains("rk45"), "a recorded column is an energy too: {shown}");
    let all = ["--solvers", "euler,heun,rk4,rk23,rk45,trapezoidal,stream", "--stop", "2"];
    let own = ["--tolerance", "1e-2", "--energy", "(p^2 + q^2) / 2", "-o", "all.svg"];
    let shown = accepted(&folder, &[&["energy", oscillator.as_str()][..], &all, &own].concat());
    assert_eq!(shown.lines().count(), 8, "{shown}");
    let picture = fs::read_to_string(folder.join("all.svg")).expect("a picture");
    assert!(picture.contains(">stream<") && picture.contains(">trapezoidal<"));
}
