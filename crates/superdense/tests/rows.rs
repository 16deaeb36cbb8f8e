//! Which rows a result has where something happens: one for each microstep, or one for an instant.

use std::fs;
use std::path::PathBuf;

use superdense::traces::{PairError, pair};
use superdense::{
    Backend, Library, Outcome, RowsPer, Settings, Stage, System, Tag, Tolerance, Trace, Writer,
    compare, read, traces,
};

use crate::common;
use crate::common::{at, bits, compile, exact, failure, gallery, refusal, simulate, tag, times};

/// A ball that falls 1 m with g = 8 m/s^2 and rebounds with half of its speed, the force of the
/// floor an impulse. It hits after 0.5, 1 and 1.25 s, with 4, 2 and 1 m/s.
fn ball(rows: &str) -> String {
    format!(
        "
blocks:
  hit: {{type: LevelCrossing, input: y, direction: falling}}
  count: {{type: Counter, increment: hit}}
  hits: {{type: ZeroOrderHold, input: count}}
  blow: {{type: Derivative, input: hits}}
  force: {{type: Expression, expression: -1.5 * previous(v) * blow}}
  v: {{type: Integrator, input: force - 8}}
  y: {{type: Integrator, input: v, initial: 1}}
record: [y, v, force, hit, count]
simulate: {{stop: 1.3, tolerance: 1e-10, {rows}}}
"
    )
}

/// At 1 s two clocks tick, an event goes on through two more microsteps, an impulse of 3 is there
/// at microsteps 1 and 2, and one that takes itself back.
fn meeting(rows: &str) -> String {
    format!(
        "
blocks:
  a: {{type: Clock, period: 1, offset: 1}}
  b: {{type: Clock, period: 1/2, offset: 1/2}}
  later: {{type: MicrostepDelay, input: a}}
  last: {{type: MicrostepDelay, input: later}}
  both: {{type: Merge, inputs: [10 * a, 20 * later]}}
  push: {{type: ImpulseSource, times: [1], weight: 3}}
  again: {{type: MicrostepDelay, input: push}}
  force: {{type: Expression, expression: push + again}}
  shake: {{type: Expression, expression: push - again}}
  v: {{type: Integrator, input: force}}
  x: {{type: Integrator, input: -x, initial: 1}}
record: [a, b, later, last, both, force, shake, v, x]
simulate: {{stop: 1.5, tolerance: 1e-10, {rows}}}
"
    )
}

/// The tags of the rows, of which no two may have one time.
#[track_caller]
fn instants(trace: &Trace) -> &[Tag] {
    for pair in trace.tags().windows(2) {
        assert!(pair[0].time < pair[1].time, "rows at {} and {}", pair[0], pair[1]);
    }
    trace.tags()
}

#[test]
fn a_bounce_has_one_row() {
    let Outcome { trace, rows, .. } = simulate(&ball("every: 0.3"));
    let tags = instants(&trace);
    assert_eq!(rows, tags.len() as u64);
    let expected = [0.0, 0.3, 0.5, 0.6, 0.9, 1.0, 1.2, 1.25, 1.3];
    assert_eq!(tags.len(), expected.len(), "{tags:?}");
    for (tag, time) in tags.iter().zip(expected) {
        common::assert_near(tag.time.seconds(), time, 1e-9);
    }
    let hits = [(2, 2.0, 6.0, 1.0), (5, 1.0, 3.0, 2.0), (7, 0.5, 1.5, 3.0)];
    for (row, speed, _, number) in hits {
        assert!(tags[row].microstep > 1, "the last microstep, and not {}", tags[row]);
        let value = |name| at(&trace, name, tags[row]).expect("present");
        common::assert_near(value("y"), 0.0, 1e-9);
        common::assert_near(value("v"), speed, 1e-9);
        assert_eq!((value("hit"), value("count")), (-1.0, number));
    }
    let impulses = trace.impulses();
    assert_eq!(impulses.len(), hits.len());
    for (impulse, (row, _, momentum, _)) in impulses.iter().zip(hits) {
        assert_eq!((impulse.tag, impulse.order), (tags[row], 0));
        common::assert_near(impulse.weight[0], momentum, 1e-9);
    }
    let grid: Vec<usize> = (0..tags.len()).filter(|row| tags[*row].microstep == 0).collect();
    assert_eq!(grid, [0, 1, 3, 4, 6, 8]);
    assert_eq!(times(&trace, "hit").len(), 3);
}

#[test]
fn what_happens_at_one_instant_is_in_one_row() {
    let trace = simulate(&meeting("every: 1/2")).trace;
    let tags = instants(&trace);
    let all = simulate(&meeting("every: 1/2, rows: microsteps")).trace;
    let last = *all.tags().iter().rfind(|tag| tag.time == exact("1", 0).time).expect("a row");
    assert!(last.microstep >= 4, "{last}");
    assert_eq!((tags.len(), tags[0], tags[2]), (4, exact("0", 0), last));
    // Each event was there at a microstep of its own, and the later of two values counts.
    let value = |name| at(&trace, name, last);
    let [a, b, later, end, both] = ["a", "b", "later", "last", "both"].map(value);
    assert_eq!((a, b, later, end, both), (Some(1.0), Some(1.0), Some(1.0), Some(1.0), Some(20.0)));
    assert_eq!(at(&trace, "a", tags[1]), None);
    assert_eq!(at(&trace, "b", tags[1]), Some(1.0));
    assert_eq!(value("v"), Some(6.0));
    assert_eq!(value("x"), at(&all, "x", last));
    // The impulses of both microsteps; what takes itself back leaves nothing.
    let impulses = trace.impulses();
    assert_eq!(impulses.len(), 1, "{impulses:?}");
    let force = trace.column("force").expect("a column");
    assert_eq!((impulses[0].tag, impulses[0].column), (last, force));
    assert_eq!(impulses[0].weight, [6.0]);
}

#[test]
fn rows_of_microsteps_are_as_they_were() {
    let plain = simulate(&ball("times: [0, 0.3, 0.6, 0.9, 1.2]")).trace;
    let every = simulate(&ball("every: 0.3, rows: microsteps")).trace;
    assert_eq!(plain.tags(), every.tags(), "`times` has rows of microsteps");
    assert!(common::bits(&plain, 0) == common::bits(&every, 0));
    assert_eq!(plain.impulses(), every.impulses());
    let count = |microstep| every.tags().iter().filter(|tag| tag.microstep == microstep).count();
    assert_eq!((count(0), count(1)), (9, 3));
    let first = every.tags()[every.tags().iter().position(|tag| tag.microstep == 1).unwrap()];
    common::assert_near(at(&every, "v", Tag::new(first.time, 0)).unwrap(), -4.0, 1e-9);
    common::assert_near(at(&every, "v", first).unwrap(), 2.0, 1e-9);
}

#[test]
fn instants_may_be_asked_for_without_even_rows() {
    let steps = simulate(&ball("rows: microsteps")).trace;
    let trace = simulate(&ball("rows: instants")).trace;
    let mut times: Vec<_> = steps.tags().iter().map(|tag| tag.time).collect();
    times.dedup();
    assert_eq!(instants(&trace).iter().map(|tag| tag.time).collect::<Vec<_>>(), times);
    assert!(trace.len() < steps.len());
}

/// Merging is what one would do with the rows of microsteps.
#[test]
fn merged_rows_are_those_of_the_microsteps() {
    for text in [ball, meeting] {
        let all = simulate(&text("every: 0.3, rows: microsteps")).trace;
        let trace = simulate(&text("every: 0.3")).trace;
        let mut groups = all.tags().chunk_by(|a, b| a.time == b.time);
        let mut end = 0;
        for (row, tag) in instants(&trace).iter().enumerate() {
            let group = groups.next().expect("as many instants");
            let rows = end..end + group.len();
            end = rows.end;
            assert_eq!(Some(tag), group.last());
            for column in 0..trace.columns().len() {
                let last = rows.clone().rev().find_map(|row| all.get(row, column));
                assert_eq!(trace.get(row, column), last, "column {column} at {tag}");
            }
        }
        assert_eq!(groups.next(), None);
    }
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rows").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The models have regions that step apart, so that Parquet and JSON have tables.
#[test]
fn every_format_has_the_same_rows() {
    let folder = scratch("formats");
    for (name, text) in [("ball", ball("every: 0.3")), ("meeting", meeting("every: 1/2"))] {
        let system = compile(&text);
        let kept = system.simulate().expect("a good model").trace;
        for ending in ["csv", "json", "parquet"] {
            let path = folder.join(format!("{name}.{ending}"));
            let mut run = system.begin();
            run.record_to(Writer::create(&path, &system.schema(), &system.header()).unwrap());
            let outcome = run.finish().expect("a good model");
            assert!(outcome.write_error.is_none());
            let read = traces::read(&path).expect("a whole file");
            assert_eq!(read.tags(), kept.tags(), "{name}.{ending}");
            assert_eq!(outcome.rows, kept.len() as u64);
            let compared = compare(&kept, &read, Tolerance::EXACT);
            assert!(compared.agrees(), "{name}.{ending}: {compared:?}");
            assert_eq!(read.impulses(), kept.impulses(), "{name}.{ending}");
        }
    }
    let tables = traces::read_tables(&folder.join("meeting.parquet")).expect("a whole file");
    assert!(tables.len() > 2, "{:?}", tables.iter().map(|(name, _)| name).collect::<Vec<_>>());
    for (_, table) in &tables {
        instants(table);
    }
}

#[test]
fn a_run_by_fixed_steps_has_one_row_an_instant() {
    let stepped = "impulses: stepped, step: 0.1";
    let all = simulate(&meeting(&format!("{stepped}, every: 1/2, rows: microsteps"))).trace;
    assert!(all.tags().iter().any(|tag| tag.microstep > 0));
    let trace = simulate(&meeting(&format!("{stepped}, every: 1/2"))).trace;
    let tags = instants(&trace);
    let row = tags.iter().find(|tag| tag.time == exact("1", 0).time).expect("a row");
    assert_eq!((row.microstep, at(&trace, "a", *row)), (1, Some(1.0)));
    assert_eq!(at(&trace, "b", *row), Some(1.0));
}

/// What was said of the instant in which a run fails is kept.
#[test]
fn a_run_that_fails_has_the_row_of_its_last_instant() {
    let text = |rows: &str| {
        format!(
            "
blocks:
  clock: {{type: Clock, period: 1, offset: 1}}
  count: {{type: Counter, increment: clock}}
  held: {{type: ZeroOrderHold, input: count}}
  y: {{type: Expression, expression: 1 / (1 - held)}}
record: [held, y]
simulate: {{stop: 2, every: 0.4{rows}}}
"
        )
    };
    let all = failure(&text(", rows: microsteps"));
    let failed = failure(&text(""));
    let tags = instants(&failed.trace);
    assert_eq!(tags.last(), all.trace.tags().last());
    assert_eq!(failed.rows, tags.len() as u64);
    assert_eq!(tags.last().map(|tag| tag.time), Some(tag(1.0, 0).time));
}

#[test]
fn a_word_that_is_none_is_told() {
    let refused = refusal(&ball("rows: instant"));
    assert_eq!(common::codes(&refused), ["unknown-word"]);
    let text = refused.to_string();
    assert!(text.contains("`rows` cannot be `instant`"), "{text}");
    assert!(text.contains("did you mean `instants`?"), "{text}");
    let text = refusal(&ball("rows: 3")).to_string();
    assert!(text.contains("there is: instants, microsteps"), "{text}");
}

/// An integral needs the left limits.
#[test]
fn a_pairing_across_an_instant_without_its_left_limit_is_refused() {
    let bump = traces::Bump::new(0.5, 0.2).expect("a bump");
    let before = traces::Bump::new(0.2, 0.15).expect("a bump");
    let merged = simulate(&ball("every: 0.01")).trace;
    let all = simulate(&ball("every: 0.01, rows: microsteps")).trace;
    assert!(pair(&all, "v", &bump).is_ok());
    let Err(PairError::NoLeftLimit(name, time)) = pair(&merged, "v", &bump) else {
        panic!("a number without a left limit");
    };
    assert_eq!(name, "v");
    common::assert_near(time, 0.5, 1e-9);
    assert_eq!(pair(&merged, "v", &before), pair(&all, "v", &before));
}

/// A row that was begun for the tables of a file goes on in a table that joins them, without holes.
#[test]
fn a_row_begun_for_tables_goes_on_joined() {
    let system = compile(&meeting("every: 0.4"));
    let path = scratch("begun").join("begun.parquet");
    let whole = system.simulate().expect("a good model").trace;
    let mut run = system.begin();
    run.record_to(Writer::create(&path, &system.schema(), &system.header()).unwrap());
    let (mut resumed, mut inside) = (0, 0);
    while run.advance().expect("a good model").is_none() {
        let rest = system.resume(&run.save()).expect("bytes that were just saved");
        let rest = rest.finish().expect("a good model").trace;
        let x = rest.column("x").expect("a column");
        assert!((0..rest.len()).all(|row| rest.get(row, x).is_some()), "at {}", run.tag());
        let from = whole.len() - rest.len();
        assert_eq!(instants(&rest), &whole.tags()[from..], "at {}", run.tag());
        resumed += 1;
        inside += usize::from(run.tag().microstep > 0);
    }
    assert!(resumed > 5 && inside > 2, "{inside} of {resumed}");
}

/// Rows beside the result change nothing of it, and are those of a run with these rows alone.
#[test]
fn rows_beside_the_result_are_those_of_another_run() {
    let mut tried = 0;
    for path in gallery() {
        let model = read(&path).unwrap();
        let system = System::compile(&model, &Library::standard()).unwrap();
        if system.settings().impulses.steps() {
            let rows = &system.settings().rows;
            assert_eq!(system.begin().record_beside(rows), None, "{}", path.display());
            continue;
        }
        let smooth = |rows: RowsPer, smooth| {
            let settings = Settings { smooth: Some(smooth), ..Settings::default().rows(rows) };
            system.with(&settings).unwrap()
        };
        let others = [smooth(RowsPer::Microstep, 70), smooth(RowsPer::Instant, 0)];
        let mut plain = system.begin();
        let end = plain.advance_to_end().map_err(|error| error.to_string());
        let mut run = system.begin();
        let tables = others.each_ref().map(|own| run.record_beside(&own.settings().rows).unwrap());
        let same = run.advance_to_end().map_err(|error| error.to_string());
        assert_eq!(end, same, "{}", path.display());
        assert_eq!(bits(run.trace(), 0), bits(plain.trace(), 0), "{}", path.display());
        assert_eq!(run.counters(), plain.counters(), "{}", path.display());
        for (own, table) in others.iter().zip(tables) {
            let mut alone = own.begin();
            let _ = alone.advance_to_end();
            let (beside, alone) = (run.beside(table), alone.trace());
            assert_eq!(beside.tags(), alone.tags(), "{}", path.display());
            // The solution of a loop begins at the row before, and others have other rows.
            let solved = system.print(Stage::Schedule).contains("solve");
            let far = |row: usize| {
                let value = |trace: &Trace, column| trace.get(row, column).map(<[f64]>::to_vec);
                (0..alone.columns().len()).any(|column| match solved {
                    false => value(beside, column) != value(alone, column),
                    true => {
                        let all = value(beside, column).into_iter().zip(value(alone, column));
                        let mut pairs = all.flat_map(|(a, b)| a.into_iter().zip(b));
                        pairs.any(|(a, b)| (a - b).abs() > 1e-12 * (1.0 + b.abs()))
                    }
                })
            };
            let other = (0..alone.len()).find(|row| far(*row));
            assert_eq!(other, None, "{}", path.display());
            assert_eq!(beside.impulses().len(), alone.impulses().len(), "{}", path.display());
        }
        tried += 1;
    }
    assert!(tried > 30, "{tried} models");
}

/// A run takes several steps at once and writes their rows afterwards. They are those of single
/// steps, also if one of them has a value that is not finite: the run fails there.
#[test]
fn rows_of_steps_in_a_row_are_those_of_single_steps() {
    let lorenz = "
blocks:
  x: {type: Integrator, input: 10 * (y - x), initial: 1}
  y: {type: Integrator, input: x * (28 - z) - y, initial: 1}
  z: {type: Integrator, input: x * y - 8/3 * z, initial: 1}
  p: {type: Expression, expression: sin(x) * y}
  clock: {type: Clock, period: 1.7}
  n: {type: Counter, increment: clock}
record: [x, z, p, n]
simulate: {stop: 5, solver: SOLVER, step: 0.01, tolerance: 1e-6, ROWS}
";
    let root = "
blocks:
  x: {type: Integrator, input: -1 - 0.3 * sin(10 * time), initial: 1}
  y: {type: Expression, expression: sqrt(x)}
record: [x, y]
simulate: {stop: 3, solver: SOLVER, step: 0.01, tolerance: 1e-6, ROWS}
";
    for (text, fails) in [(lorenz, false), (root, true)] {
        for solver in ["rk45", "rk4", "rk23", "auto", "rodas5p"] {
            for rows in ["rows: microsteps", "rows: instants"] {
                let system = compile(&text.replace("SOLVER", solver).replace("ROWS", rows));
                for backend in [Backend::Interpreter, Backend::Native] {
                    let [mut whole, mut single] = [(); 2].map(|()| system.begin());
                    whole.set_backend(backend).unwrap();
                    single.set_backend(backend).unwrap();
                    let end = whole.advance_to_end().map_err(|error| error.to_string());
                    let other = loop {
                        match single.advance() {
                            Ok(None) => {}
                            Ok(Some(stop)) => break Ok(stop),
                            Err(error) => break Err(error.to_string()),
                        }
                    };
                    assert_eq!((end.is_err(), &end), (fails, &other), "{solver}");
                    assert_eq!(bits(whole.trace(), 0), bits(single.trace(), 0), "{solver}");
                    assert_eq!(whole.counters(), single.counters(), "{solver}");
                    assert!(whole.trace().len() > 8, "{solver}");
                }
            }
        }
    }
}
