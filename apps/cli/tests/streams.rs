//! `stream` and `energy` through the binary, and the page of the documentation about them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{messages, repository, scratch, superdense};

fn model(name: &str) -> String {
    let path = repository().join("models").join(name).join("model.yaml");
    path.to_str().expect("paths are UTF-8").to_owned()
}

fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = superdense(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", messages(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn bad(folder: &Path, arguments: &[&str]) -> String {
    let output = superdense(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", messages(&output));
    messages(&output)
}

#[test]
fn a_table_has_every_evaluation() {
    let folder = scratch("stream-table");
    let ball = model("pulled-ball");
    let shown = good(&folder, &["stream", &ball, "-o", "-"]);
    good(&folder, &["stream", &ball, "-o", "ball.csv", "-q"]);
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
    let folder = scratch("stream-names");
    let text = "superdense: 1\nblocks:\n  h: {type: Integrator, input: 1 - h}\n  p: {type: Gain, input: h, gain: 2}\n";
    fs::write(folder.join("model.yaml"), text).expect("a model");
    let shown = good(&folder, &["stream", "model.yaml", "-o", "-", "-q"]);
    let columns = "e,time,stage,h,p,error,contribution(h),error(h),signal(h),signal(p)";
    assert_eq!(shown.lines().next(), Some(columns));
    let picture = ["stream", "model.yaml", "--plot", "h.svg", "-q", "--signal", "signal(h)"];
    good(&folder, &picture);
    assert!(fs::read_to_string(folder.join("h.svg")).expect("a picture").contains("signal(h)"));
}

#[test]
fn what_streams_cannot_express_is_named() {
    let folder = scratch("stream-refused");
    let said = bad(&folder, &["stream", &model("bouncing-ball")]);
    let told =
        ["error[not-a-stream]", "`hit` is an event", "the state of `v` jumps", "model.yaml:"];
    assert!(told.iter().all(|part| said.contains(part)), "{said}");
}

/// The states of machines are there by their names, in the table and in pictures.
#[test]
fn a_machine_has_its_states_by_name() {
    let folder = scratch("stream-machine");
    let text = "superdense: 1\nblocks:\n  x: {type: Integrator, input: m.rate}\n  m: {type: Modal, initial: up, states: {up: {outputs: {rate: 1}, transitions: [{to: down, when: x > 0.5}]}, down: {outputs: {rate: -1}}}}\nrecord: [x, m.state]\nsimulate: {stop: 1}\n";
    fs::write(folder.join("model.yaml"), text).expect("a model");
    let shown = good(&folder, &["stream", "model.yaml", "-o", "-", "-q"]);
    let states: Vec<&str> =
        shown.lines().skip(1).filter_map(|row| row.rsplit(',').next()).collect();
    let turn = states.iter().position(|state| *state == "down").expect("it turns");
    assert!(turn > 90 && states[..turn].iter().all(|state| *state == "up"), "{states:?}");
    assert!(states[turn..].iter().all(|state| *state == "down"), "{states:?}");
    good(&folder, &["stream", "model.yaml", "--plot", "machine.svg", "-q"]);
    let picture = fs::read_to_string(folder.join("machine.svg")).expect("a picture");
    assert!(picture.contains(">down<") && picture.contains(">up<"), "the names of states");
}

#[test]
fn bad_arguments_are_told() {
    let folder = scratch("stream-arguments");
    let ball = model("pulled-ball");
    let cases: [(&[&str], &str); 8] = [
        (&["--step", "0"], "`--step 0` is no positive time in seconds"),
        (&["--hold", "-1"], "`hold` must be a positive number of seconds"),
        (&["--hold=-1"], "`hold` must be a positive number of seconds"),
        (&["-o", "ball.parquet"], "the table of evaluations is a .csv file"),
        (&["--plot", "ball.gif"], "ends in .svg or .png"),
        (&["--plot", "b.svg", "--signal", "contakt"], "did you mean `contact`?"),
        (&["--plot", "b.svg", "--from", "9", "--to", "9"], "a close-up needs two evaluations"),
        (&["--limit", "100"], "error[too-many-evaluations]"),
    ];
    for (options, expected) in cases {
        let arguments = [&["stream", ball.as_str()][..], options].concat();
        let output = superdense(&folder, &arguments);
        assert!(!output.status.success(), "{options:?}");
        assert!(messages(&output).contains(expected), "{options:?}: {}", messages(&output));
    }
    let said = bad(&folder, &["stream", &ball, "--limit", "100", "-o", "part.csv"]);
    assert!(said.contains("The evaluations up to that point have been written."), "{said}");
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
        let shown = good(&folder, &["energy", &oscillator, "--stop", stop]);
        let change = |solver: &str| -> f64 {
            let line = shown.lines().find(|line| line.starts_with(solver)).expect("a line");
            line.split_whitespace().last().and_then(|last| last.parse().ok()).expect("a number")
        };
        let (lost, expected) = (-change("rk45"), 2.5e-5 * stop.parse::<f64>().expect("a number"));
        assert!((0.8 * expected..1.2 * expected).contains(&lost), "{stop}: {lost}");
        assert!(change("trapezoidal").abs() < 1e-12);
    }
    let result = good(&folder, &["run", &oscillator, "-o", "-", "-q"]);
    let energies = result.lines().skip(1).map(|line| line.split(',').nth(4).expect("an energy"));
    let energies: Vec<f64> = energies.map(|energy| energy.parse().expect("a number")).collect();
    assert!(energies.windows(2).all(|pair| pair[1] <= pair[0]), "{energies:?}");
}

#[test]
fn an_energy_is_an_expression() {
    let folder = scratch("energy-arguments");
    let oscillator = model("ideal-oscillator");
    let cases: [(&[&str], &str); 5] = [
        (&["--energy", "p^2 + s"], "error[unknown-name]"),
        (&["--energy", "p +"], "error[expression-syntax]"),
        (&["--energy", "[p, q]"], "an energy is one number"),
        (&["--solvers", "rk54"], "error[unknown-solver]"),
        (&["-o", "energy.gif"], "ends in .svg or .png"),
    ];
    for (options, expected) in cases {
        let said = bad(&folder, &[&["energy", oscillator.as_str()][..], options].concat());
        assert!(said.contains(expected), "{options:?}: {said}");
    }
    let shown = good(&folder, &["energy", &model("pendulum"), "--solvers", "rk45"]);
    assert!(shown.contains("rk45"), "a recorded column is an energy too: {shown}");
    let all = ["--solvers", "euler,heun,rk4,rk23,rk45,trapezoidal,stream", "--stop", "2"];
    let own = ["--tolerance", "1e-2", "--energy", "(p^2 + q^2) / 2", "-o", "all.svg"];
    let shown = good(&folder, &[&["energy", oscillator.as_str()][..], &all, &own].concat());
    assert_eq!(shown.lines().count(), 8, "{shown}");
    let picture = fs::read_to_string(folder.join("all.svg")).expect("a picture");
    assert!(picture.contains(">stream<") && picture.contains(">trapezoidal<"));
}

/// Runs a line of the page as a shell does, in a folder beside the models.
fn shell(folder: &Path, line: &str) -> Output {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_superdense"));
    let mut paths = vec![binary.parent().expect("a folder").to_owned()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).expect("paths can be joined"))
        .output()
        .expect("a shell can be started")
}

/// The commands of the page run, give what is shown, and draw the pictures that are shown.
#[test]
fn the_page_about_streams_is_true() {
    let folder = scratch("stream-page");
    for name in ["pulled-ball", "ideal-oscillator"] {
        let own = folder.join("models").join(name);
        fs::create_dir_all(&own).expect("a folder");
        fs::copy(model(name), own.join("model.yaml")).expect("a model");
    }
    let page = fs::read_to_string(repository().join("docs/streams.md")).expect("the page");
    let mut lines = page.lines();
    let mut pictures = 0;
    while let Some(line) = lines.next() {
        let session = line.strip_prefix("$ ");
        if let Some(command) = session.or(line.starts_with("superdense ").then_some(line)) {
            let output = shell(&folder, command);
            assert!(output.status.success(), "{command}: {}", messages(&output));
            if session.is_some() {
                let shown: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                let said = String::from_utf8(output.stdout).expect("text");
                assert_eq!(said.lines().collect::<Vec<_>>(), shown, "{command}");
            }
        }
        for path in line.split("](pictures/").skip(1).filter_map(|rest| rest.split(')').next()) {
            let name = Path::new(path).file_name().expect("a name");
            let drawn = fs::read(folder.join(name)).expect("a picture that the page has drawn");
            let kept = repository().join("docs/pictures").join(path);
            assert!(fs::read(&kept).is_ok_and(|kept| kept == drawn), "{path} is old");
            pictures += 1;
        }
    }
    assert_eq!(pictures, 6);
}
