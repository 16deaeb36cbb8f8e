//! `superdense sweep`: rows against closed forms, the same bytes on any number of threads and after
//! any interruption, and what is refused.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{accepted, messages, superdense, with_model};

const BALL: &str = "superdense: 1
name: ball
parameters: {e: 0.8, g: 9.81, h: 10}
blocks:
  v: {type: Integrator, input: -g, initial: 0, impulse: kick}
  y: {type: Integrator, input: v, initial: h}
  hit: {type: LevelCrossing, input: y, level: 0, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
record: [y, v, kick]
simulate: {stop: 4, tolerance: 1e-9}
";

const DECAY: &str = "superdense: 1
name: decay
parameters: {rate: 1, n: {value: 2}, up: false}
blocks:
  x: {type: Integrator, input: -rate * x, initial: ones(n)}
  s: {type: Integrator, input: 'if up then 1 else -1', initial: 0}
  q: {type: Integrator, input: sqrt(1 - rate), initial: 0}
record: [x, s]
simulate: {stop: 1, tolerance: 1e-10}
";

/// The rows of a CSV table as fields.
fn rows(folder: &Path, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join(name)).expect("a table");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<f64> {
    let at = rows[0].iter().position(|own| own == name).expect(name);
    let number =
        |text: &str| if text.is_empty() { f64::NAN } else { text.parse().expect("a number") };
    rows[1..].iter().map(|row| number(&row[at])).collect()
}

fn near(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}

/// A ball that falls from h with restitution e hits the floor at t1, t1 + 2 e t1, ... and rises to
/// e^2 h.
#[test]
fn rows_have_the_closed_forms_of_a_ball() {
    let folder = with_model("sweep-ball", BALL);
    let measures = [
        "second=time(hit, 2)",
        "high=max(y)",
        "n=count(hit)",
        "area=integral(y)",
        "fast=min(v)",
        "v0=initial(v)",
        "t1=time(kick)",
        "speed=mean(abs(v))",
        "half=at(y, 0.5)",
    ];
    let mut arguments = vec!["sweep", "model.yaml", "-o", "a.csv", "--stop", "2.5"];
    arguments.extend(["-p", "e=0.5:0.9:0.1", "-p", "h=5, 10"]);
    arguments.extend(measures.iter().flat_map(|measure| ["-m", *measure]));
    accepted(&folder, &arguments);
    let rows = rows(&folder, "a.csv");
    assert_eq!(rows.len(), 11);
    let get = |name| column(&rows, name);
    for run in 0..10 {
        let (e, h, g) = (get("e")[run], get("h")[run], 9.81);
        near(e, 0.5 + 0.1 * (run / 2) as f64, 1e-15);
        let t1 = f64::sqrt(2.0 * h / g);
        near(get("t1")[run], t1, 1e-8);
        match t1 + 2.0 * e * t1 {
            second if second < 2.5 => near(get("second")[run], second, 1e-7),
            _ => assert!(get("second")[run].is_nan()),
        }
        near(get("high")[run], h, 1e-12);
        near(get("fast")[run], -g * t1, 1e-7);
        near(get("half")[run], h - g / 8.0, 1e-9);
        near(get("v0")[run], 0.0, 0.0);
        let mut hits = vec![t1];
        let mut bounce = 2.0 * e * t1;
        while hits[hits.len() - 1] + bounce < 2.5 {
            hits.push(hits[hits.len() - 1] + bounce);
            bounce *= e;
        }
        assert_eq!(get("n")[run], hits.len() as f64);
        // The area and the mean speed, flight by flight.
        let flight = |v: f64, d: f64| v * d * d / 2.0 - g * d * d * d / 6.0;
        let mut area = h * t1 - g * t1.powi(3) / 6.0;
        let mut path = h;
        let mut v = e * g * t1;
        for (k, t) in hits.iter().enumerate() {
            let until = hits.get(k + 1).copied().unwrap_or(2.5) - t;
            area += flight(v, until);
            let up = until.min(v / g);
            let y = |d: f64| v * d - g * d * d / 2.0;
            path += y(up) + (y(up) - y(until));
            v *= e;
        }
        near(get("area")[run], area, 1e-6);
        // The kinks of the absolute value lie between rows.
        near(get("speed")[run], path / 2.5, 1e-5);
    }
}

/// The integral of a signal contains its impulses.
#[test]
fn integrals_contain_impulses() {
    let folder = with_model(
        "sweep-impulses",
        "superdense: 1
parameters: {a: 1}
blocks:
  d: {type: ImpulseSource, times: [1, 2], weight: a}
  x: {type: Integrator, input: d + 1, initial: 0}
record: [d, x]
simulate: {stop: 4}
",
    );
    let measures = ["-m", "sum=integral(d + 1)", "-m", "mean=mean(d)", "-m", "rms=rms(d)"];
    let call = ["sweep", "model.yaml", "-o", "a.csv", "-p", "a=0, 3, -0.5", "-m", "end=x"];
    accepted(&folder, &[&call[..], &measures].concat());
    let rows = rows(&folder, "a.csv");
    for (name, expected) in
        [("sum", [4.0, 10.0, 3.0]), ("end", [4.0, 10.0, 3.0]), ("mean", [0.0, 1.5, -0.25])]
    {
        column(&rows, name).into_iter().zip(expected).for_each(|(a, b)| near(a, b, 1e-9));
    }
    assert_eq!(column(&rows, "rms"), [0.0, f64::INFINITY, f64::INFINITY]);
}

/// The row of a run is what the run itself gives, and the trace of a run is that of the run.
#[test]
fn rows_and_traces_are_those_of_single_runs() {
    let folder = with_model("sweep-same", BALL);
    let options =
        ["-p", "e=0.7, 0.8", "-p", "g=normal(9.81, 0.2)", "--samples", "3", "--seed", "5"];
    let traced = ["sweep", "model.yaml", "-o", "a.csv", "--traces", "traces"];
    accepted(&folder, &[&traced[..], &options[..]].concat());
    accepted(&folder, &[&["sweep", "model.yaml", "-o", "b.csv"], &options[..]].concat());
    let table = rows(&folder, "a.csv");
    assert_eq!(table, rows(&folder, "b.csv"));
    for run in 0..6 {
        let (e, g) = (column(&table, "e")[run], column(&table, "g")[run]);
        let (e, g) = (format!("e={e}"), format!("g={g}"));
        accepted(
            &folder,
            &["run", "model.yaml", "-q", "-p", &e, "-p", &g, "-o", "one.csv", "--seed", "5"],
        );
        let one = rows(&folder, "one.csv");
        let last = one.last().expect("a row");
        for name in ["y", "v"] {
            let at = one[0].iter().position(|own| own == name).expect("a column");
            assert_eq!(last[at].parse::<f64>().expect("a number"), column(&table, name)[run]);
        }
        let trace = format!("traces/run={run}/trace.parquet");
        accepted(&folder, &["compare", "one.csv", &trace]);
    }
    let again = superdense(
        &folder,
        &["sweep", "model.yaml", "-o", "c.csv", "--traces", "traces", "-p", "e=0.5"],
    );
    assert!(messages(&again).contains("holds other results"), "{}", messages(&again));
}

const MANY: [&str; 14] = [
    "sweep",
    "model.yaml",
    "-p",
    "e=0.55:0.9:0.05",
    "-p",
    "g=normal(9.81, 0.5)",
    "--samples",
    "300",
    "-m",
    "n=count(hit)",
    "-m",
    "high=max(y)",
    "-m",
    "t=time(hit, 9)",
];

fn started(folder: &Path, options: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(folder)
        .args(MANY)
        .args(options)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary can be started")
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = with_model("sweep-threads", BALL);
    let bytes = |threads: &str, method: &str, name: &str| {
        let options = ["--threads", threads, "--method", method, "-o", name];
        accepted(&folder, &[&MANY[..], &options[..]].concat());
        fs::read(folder.join(name)).expect("a table")
    };
    for (method, name) in [("random", "a.csv"), ("latin", "a.parquet"), ("sobol", "a.json")] {
        let one = bytes("1", method, name);
        assert!(one.len() > 10_000);
        assert!(bytes("2", method, name) == one && bytes("7", method, name) == one, "{name}");
    }
}

/// Kills a sweep again and again, after a time that grows, until it is through.
#[test]
fn a_sweep_that_is_killed_goes_on_to_the_same_bytes() {
    let folder = with_model("sweep-kill", BALL);
    for name in ["a.csv", "b.parquet"] {
        accepted(&folder, &[&MANY[..], &["-o", name, "--threads", "1"]].concat());
        let whole = fs::read(folder.join(name)).expect("a table");
        fs::remove_file(folder.join(name)).expect("a table");
        let journal = folder.join(format!(".{name}.sweep"));
        let (mut kills, mut last) = (0, 0);
        for delay in 1.. {
            let mut child = started(&folder, &["-o", name, "--resume", "--threads", "2"]);
            sleep(Duration::from_millis(20 + 20 * delay));
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            child.kill().expect("SIGKILL");
            child.wait().expect("a child");
            if !journal.exists() && folder.join(name).exists() {
                // It was killed when its work was done.
                break;
            }
            let length = fs::metadata(&journal).map_or(0, |found| found.len());
            assert!(length + 20_000 > last, "rows were lost: {length} after {last}");
            last = length;
            kills += 1;
        }
        assert!(kills > 1, "{kills}");
        assert!(fs::read(folder.join(name)).expect("a table") == whole, "{name}");
        assert!(!journal.exists());
    }
}

#[test]
fn parts_make_the_whole() {
    let folder = with_model("sweep-parts", BALL);
    accepted(&folder, &[&MANY[..], &["-o", "all.csv"]].concat());
    let mut text = String::new();
    for part in 1..=3 {
        let (part, name) = (format!("{part}/3"), format!("{part}.csv"));
        accepted(&folder, &[&MANY[..], &["-o", &name, "--part", &part]].concat());
        let own = fs::read_to_string(folder.join(name)).expect("a table");
        let (head, rows) = own.split_once('\n').expect("a line of names");
        if text.is_empty() {
            text += &format!("{head}\n");
        }
        text += rows;
    }
    assert!(text == fs::read_to_string(folder.join("all.csv")).expect("a table"));
}

/// Runs that fail are rows, structural parameters compile, and truth values may be drawn.
#[test]
fn runs_that_fail_do_not_stop_the_others() {
    let folder = with_model("sweep-fail", DECAY);
    let options =
        ["-p", "rate=0.5, 2, 1", "-p", "n=1:3", "-p", "up=bernoulli(0.5)", "--samples", "8"];
    let call = ["sweep", "model.yaml", "-o", "a.csv", "-m", "s", "-m", "end=x[0]"];
    let output = superdense(&folder, &[&call[..], &options[..]].concat());
    let said = messages(&output);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("`n` is structural").count(), 1, "{said}");
    assert!(said.contains("72 of 72, 24 failed"), "{said}");
    let table = rows(&folder, "a.csv");
    let at = |name: &str| table[0].iter().position(|own| own == name).expect(name);
    let mut ups = 0;
    for row in &table[1..] {
        let rate: f64 = row[at("rate")].parse().expect("a number");
        if rate > 1.0 {
            assert_eq!((row[at("ended")].as_str(), row[at("end")].as_str()), ("failed", ""));
            assert!(!row[at("code")].is_empty() && !row[at("message")].is_empty());
            continue;
        }
        assert_eq!((row[at("ended")].as_str(), row[at("code")].as_str()), ("stop time", ""));
        near(row[at("end")].parse().expect("a number"), (-rate).exp(), 1e-9);
        let s: f64 = row[at("s")].parse().expect("a number");
        near(s, if row[at("up")] == "true" { 1.0 } else { -1.0 }, 1e-9);
        ups += usize::from(row[at("up")] == "true");
    }
    assert!(ups > 0 && ups < 48);
}

#[test]
fn sets_of_a_table() {
    let folder = with_model("sweep-sets", BALL);
    fs::write(folder.join("sets.csv"), "e,h\n0.5,4\n0.25,9\n").expect("a table");
    accepted(
        &folder,
        &[
            "sweep",
            "model.yaml",
            "--sets",
            "sets.csv",
            "--repeats",
            "2",
            "-m",
            "top=max(y)",
            "-o",
            "a.csv",
            "--stop",
            "1.5",
        ],
    );
    let table = rows(&folder, "a.csv");
    assert_eq!(column(&table, "e"), [0.5, 0.5, 0.25, 0.25]);
    assert_eq!(column(&table, "seed"), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(column(&table, "top"), [4.0, 4.0, 9.0, 9.0]);
    // A table of a sweep in Parquet is a table of parameter sets again, but for its other columns.
    fs::write(folder.join("bad.csv"), "e,q\n0.5,4\n").expect("a table");
    fs::write(folder.join("text.csv"), "e\nlow\n").expect("a table");
    for (name, why) in
        [("bad.csv", "no parameter `q`"), ("text.csv", "`low`"), ("none.csv", "none.csv")]
    {
        let output = superdense(&folder, &["sweep", "model.yaml", "--sets", name, "-o", "b.csv"]);
        assert!(
            !output.status.success() && messages(&output).contains(why),
            "{}",
            messages(&output)
        );
    }
}

#[test]
fn what_cannot_be_is_refused_before_anything_runs() {
    let folder = with_model("sweep-bad", BALL);
    let refused = |options: &[&str], why: &str| {
        let output = superdense(&folder, &[&["sweep", "model.yaml"], options].concat());
        let said = messages(&output);
        assert!(!output.status.success() && said.contains(why), "{options:?}: {said}");
        assert!(!folder.join("x.csv").exists() && !folder.join(".x.csv.sweep").exists());
    };
    let x = ["-o", "x.csv"];
    refused(
        &[&x[..], &["-p", "e=normal(1, -0.1)", "--samples", "3"]].concat(),
        "positive deviation",
    );
    refused(&[&x[..], &["-p", "e=normal(1, 0.1)"]].concat(), "how many samples");
    refused(&[&x[..], &["-p", "e=1:0:0.1"]].concat(), "leads away");
    refused(&[&x[..], &["-p", "y=1, 2"]].concat(), "recorded signal");
    refused(&[&x[..], &["-p", "tolerance=1e-3, 1e-6"]].concat(), "is a setting");
    refused(&[&x[..], &["-p", "E=1, 2"]].concat(), "no parameter `E`");
    refused(&[&x[..], &["-p", "e=true"]].concat(), "is a boolean");
    refused(&[&x[..], &["-p", "e=[1, 2]"]].concat(), "vector");
    refused(&[&x[..], &["-p", "e"]].concat(), "no `=`");
    refused(&[&x[..], &["-p", "e=1", "-p", "e=2"]].concat(), "given twice");
    refused(&[&x[..], &["-m", "count(y)"]].concat(), "neither an event nor a condition");
    refused(&[&x[..], &["-m", "max(z)"]].concat(), "z");
    refused(&[&x[..], &["-m", "mean(kick)"]].concat(), "consists of events");
    refused(&[&x[..], &["-m", "at(y, 100)"]].concat(), "outside the run");
    refused(&[&x[..], &["--method", "sobbol"]].concat(), "sobol");
    refused(&[&x[..], &["--part", "3/2"]].concat(), "no part");
    let grid = "linspace(0.1, 0.9, 1000000)";
    let (e, g, h) = (format!("e={grid}"), format!("g={grid}"), "h=linspace(1, 2, 1000)");
    refused(&[&x[..], &["-p", &e, "-p", &g, "-p", h]].concat(), "1000000000000000 runs");
    refused(&["-o", "x.txt"], "");
    refused(&["-o", "nowhere/x.csv"], "nowhere");
}

/// A journal is not mixed with that of another sweep, nor overwritten without a word.
#[test]
fn an_interrupted_sweep_is_not_lost() {
    let folder = with_model("sweep-other", BALL);
    let long = ["-p", "e=0.55:0.9:0.01", "-p", "g=normal(9.81, 0.5)", "--samples", "3000"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(&folder)
        .args(["sweep", "model.yaml", "-o", "a.csv", "--threads", "1"])
        .args(long)
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary can be started");
    while fs::metadata(folder.join(".a.csv.sweep")).map_or(0, |found| found.len()) < 5000 {
        sleep(Duration::from_millis(5));
        assert!(child.try_wait().expect("a child").is_none(), "it was not interrupted in time");
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("a child");
    let again = |options: &[&str]| {
        let call = ["sweep", "model.yaml", "-o", "a.csv"];
        messages(&superdense(&folder, &[&call[..], options].concat()))
    };
    assert!(again(&["-p", "e=0.5"]).contains("sweep-unfinished"));
    assert!(again(&["-p", "e=0.5", "--resume"]).contains("another sweep"));
    let other = fs::read_to_string(folder.join("model.yaml")).expect("a model");
    fs::write(folder.join("model.yaml"), other.replace("9.81", "1.62")).expect("a model");
    let options = [&long[..], &["--resume"]].concat();
    assert!(again(&options).contains("another sweep"), "{}", again(&options));
}
