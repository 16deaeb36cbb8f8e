//! What the models from practice must do beyond the figures of their `expected.yaml`: recursions on
//! recorded draws, and runs compared with each other.

use std::fs;

use crate::common::figures::{Point, Table, number, run, series, values};
use crate::common::{repository, scratch};

/// The value of a signal after all that happens at a time.
fn settled(series: &[Point], time: f64) -> f64 {
    let found = series.iter().rev().find(|row| number(&row.0) == time);
    found.unwrap_or_else(|| panic!("no row at {time}")).2
}

/// The temperatures at the scans obey a recursion: the valve is held for a second, and the dead time
/// is 15 of them.
#[test]
fn process_control_follows_its_draws() {
    for further in [&[][..], &["--seed", "7"], &["-p", "noise=0"]] {
        let table = run("process-control", further);
        let noise = values(&table, "draw");
        assert_eq!(noise.len(), 501);
        for (clamping, suffix) in [(true, ""), (false, "_wound")] {
            let temperatures = series(&table, &format!("T{suffix}"));
            let valves = series(&table, &format!("valve{suffix}"));
            let kp = 50.0 / (0.8 * 30.0);
            let ki = kp / 50.0;
            let decay = (-1.0f64 / 50.0).exp();
            let (mut temperature, mut integral, mut valve) = (40.0, 25.0, Vec::new());
            for (scan, noise) in noise.iter().enumerate() {
                let error = 90.0 - (temperature + noise);
                let raw = kp * error + integral;
                let stays = raw > 100.0 && error > 0.0 || raw < 0.0 && error < 0.0;
                if !(clamping && stays) {
                    integral += ki * error;
                }
                valve.push(raw.clamp(0.0, 100.0));
                let time = scan as f64;
                let off = (settled(&temperatures, time) - temperature).abs();
                assert!(off < 1e-8, "{further:?} T{suffix} at {time}: off by {off:e}");
                let off = (settled(&valves, time) - valve[scan]).abs();
                assert!(off < 1e-7, "{further:?} valve{suffix} at {time}: off by {off:e}");
                let late = if scan < 15 { 25.0 } else { valve[scan - 15] };
                let inflow = if scan < 300 { 20.0 } else { 15.0 };
                temperature = decay * temperature + (1.0 - decay) * (inflow + 0.8 * late);
            }
        }
    }
}

/// The same cycle from a file with a row each second takes the place of the one that the model
/// names, and the result is the same.
#[test]
fn drive_cycle_takes_another_file() {
    let folder = scratch("practice-cycle");
    let corners = repository().join("models/drive-cycle/cycle.csv");
    let corners = fs::read_to_string(corners).expect("a file");
    let rows: Vec<(f64, f64)> = corners
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','))
        .map(|(time, speed)| (number(time), number(speed)))
        .collect();
    let at = |time: f64| {
        let next = rows.iter().position(|row| row.0 >= time).expect("a corner").max(1);
        let ((t0, v0), (t1, v1)) = (rows[next - 1], rows[next]);
        v0 + (v1 - v0) * (time - t0) / (t1 - t0)
    };
    let lines: Vec<String> = (0..=195).map(|t| format!("{t},{}", at(f64::from(t)))).collect();
    let path = folder.join("each-second.csv");
    fs::write(&path, format!("time,wanted\n{}\n", lines.join("\n"))).expect("a file");
    let input = format!("speed={}:wanted", path.to_str().expect("paths are UTF-8"));
    let (own, other) = (run("drive-cycle", &[]), run("drive-cycle", &["--input", &input]));
    for name in ["fuel", "distance", "v"] {
        let end = |table: &Table| *values(table, name).last().expect("a row");
        let off = (end(&own) - end(&other)).abs();
        assert!(off < 1e-8, "{name}: off by {off:e}");
    }
}

/// A job leaves when the machine has been up for its size since it came or the one before left.
#[test]
fn server_with_breakdowns_follows_its_draws() {
    for seed in ["0", "5"] {
        let table = run("server-with-breakdowns", &["--seed", seed]);
        // When the machine fails and is repaired, in turn, and the up time until then.
        let changes = table.changes("condition").expect("a column");
        let times: Vec<f64> = changes.iter().skip(1).map(|change| number(&change.0)).collect();
        let mut departures = series(&table, "stay").into_iter();
        let (mut free, mut left, mut total) = (0.0f64, 0, 0.0);
        let jobs = series(&table, "job");
        assert!(jobs.len() > 3000, "only {} jobs", jobs.len());
        for (arrival, _, size) in &jobs {
            let arrival = number(arrival);
            let (mut now, mut work) = (arrival.max(free), *size);
            let mut next = times.partition_point(|time| *time <= now);
            loop {
                let up = next % 2 == 0;
                let end = times.get(next).copied().unwrap_or(f64::INFINITY);
                if up && now + work <= end {
                    now += work;
                    break;
                }
                work -= if up { end - now } else { 0.0 };
                now = end;
                next += 1;
                if now.is_infinite() {
                    break;
                }
            }
            free = now;
            match departures.next() {
                Some((time, _, stay)) => {
                    let off = (number(&time) - free).abs().max((stay - (free - arrival)).abs());
                    assert!(off < 1e-7, "seed {seed}, departure at {time}: off by {off:e}");
                    left += 1;
                    total += stay;
                }
                None => assert!(free >= 40000.0, "seed {seed}: one leaves at {free}"),
            }
        }
        assert!(departures.next().is_none(), "seed {seed}: more leave than came");
        // Little's law, with those that are still inside.
        let inside = jobs[left..].iter().map(|job| 40000.0 - number(&job.0)).sum::<f64>();
        let mean = *values(&table, "mean_inside").last().expect("a row");
        assert!((mean - (total + inside) / 40000.0).abs() < 1e-8, "seed {seed}: {mean} inside");
    }
}
