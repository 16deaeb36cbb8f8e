//! Inputs, tunable parameters and a run in the hands of its caller, against closed forms.

use std::sync::{Arc, Mutex};

use superdense::{Event, HoldError, Library, RecordedRow, RunError, System, Tag, Time, read};

use crate::common::{at, bits, compile, gallery, refusal, tag};

const LAG: &str = "name: lag
inputs: {u: {kind: held, initial: 0, unit: V}}
blocks: {x: {type: Integrator, input: u - x}}
record: [x, u]
simulate: {stop: 4, tolerance: 1e-10}
";

fn seconds(t: f64) -> Time {
    Time::from_f64(t).unwrap()
}

#[test]
fn a_held_input_jumps_where_it_is_set() {
    let system = compile(LAG);
    let (x, u) = (system.signal("x").unwrap(), system.input("u").unwrap());
    assert_eq!(u.unit(), Some("V"));
    let mut run = system.begin();
    run.advance_to(seconds(1.0)).unwrap();
    assert_eq!(run.get(&x).unwrap(), Some(&[0.0][..]));
    run.set(&u, &[2.0]).unwrap();
    run.advance_to(seconds(2.5)).unwrap();
    let expected = 2.0 * (1.0 - (-1.5f64).exp());
    assert!((run.get(&x).unwrap().unwrap()[0] - expected).abs() < 1e-8);
    let outcome = run.finish().unwrap();
    // The left limit at microstep 0, the new value from microstep 1 on.
    assert_eq!(at(&outcome.trace, "u", tag(1.0, 0)), Some(0.0));
    assert_eq!(at(&outcome.trace, "u", tag(1.0, 1)), Some(2.0));
    let end = outcome.trace.last("x").unwrap();
    assert!((end - 2.0 * (1.0 - (-3f64).exp())).abs() < 1e-8, "{end}");
}

#[test]
fn signals_have_the_units_of_outputs_and_inputs() {
    let system = compile(
        "name: lag
inputs: {u: {kind: held, initial: 0, unit: V}}
outputs:
  charge: {value: 2 * x, unit: C, description: What has been gathered.}
  plain: x
blocks: {x: {type: Integrator, input: u - x}}
record: [x, u]
",
    );
    let unit = |name: &str| system.signal(name).unwrap().unit().map(str::to_owned);
    assert_eq!(unit("charge").as_deref(), Some("C"));
    assert_eq!(unit("u").as_deref(), Some("V"));
    assert_eq!((unit("x"), unit("plain")), (None, None));
}

/// Reading and advancing change no bit of any model of the gallery, wherever they stop.
#[test]
fn looking_changes_nothing() {
    let mut tried = 0;
    for path in gallery() {
        let model = read(&path).unwrap();
        let system = System::compile(&model, &Library::standard()).unwrap();
        let Ok(plain) = system.simulate() else { continue };
        let settings = system.settings();
        if settings.impulses.steps() {
            continue;
        }
        let (start, stop) = (settings.start.seconds(), settings.stop.seconds());
        let mut run = system.begin();
        let signal = system.signal(&system.schema().columns()[0].name).unwrap();
        for part in 0..37 {
            run.advance_to(seconds(start + (stop - start) * f64::from(part) / 37.3)).unwrap();
            run.get(&signal).unwrap();
        }
        let looked = run.finish().unwrap();
        assert_eq!(bits(&looked.trace, 0), bits(&plain.trace, 0), "{}", path.display());
        assert_eq!(looked.counters, plain.counters, "{}", path.display());
        tried += 1;
    }
    assert!(tried > 20, "{tried} models");
}

/// A run that is reset has the bits of a new one, wherever it was: in a tick, after a failure, or
/// cancelled.
#[test]
fn a_run_that_is_reset_begins_anew() {
    let fails = "name: fails\nblocks:\n  x: {type: Integrator, input: 1 / (0.5 - time)}\n  c: {type: Clock, period: 0.1}\n  n: {type: Counter, increment: c}\nsimulate: {stop: 1}\n";
    let ball = include_str!("../../../models/bouncing-ball/model.yaml");
    let modal = include_str!("../../../models/modal-ball/model.yaml");
    for text in [LAG, fails, ball, modal] {
        let system = compile(text);
        let plain = match system.simulate() {
            Ok(outcome) => bits(&outcome.trace, 0),
            Err(failure) => bits(&failure.trace, 0),
        };
        let mut run = system.begin();
        for steps in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
            (0..steps).for_each(|_| drop(run.advance()));
            run.reset();
        }
        drop(run.advance_to_end());
        run.reset();
        run.canceller().cancel();
        assert!(matches!(run.advance(), Err(RunError::Cancelled { .. })));
        run.reset();
        drop(run.advance_to_end());
        drop(run.close());
        assert_eq!(bits(run.trace(), 0), plain, "{text}");
    }
}

/// A value of a run is checked as one in the file is.
#[test]
fn a_clock_that_a_run_makes_uncountable_is_refused() {
    let system = compile(
        "name: count\nparameters: {T: 1}\nblocks: {c: {type: Clock, period: T}, n: {type: Counter, increment: c}}\nsimulate: {stop: 2}\n",
    );
    let late = |start: &str, stop: &str, period: &str| {
        let parameters = vec![("T".to_owned(), superdense::parse_value(period).unwrap())];
        let settings = superdense::Settings { parameters, ..Default::default() };
        system.with(&settings.start(start).stop(stop))
    };
    assert!(late("1e6", "1e6 + 2", "1").is_ok());
    for (start, period) in [("1e17", "1"), ("100", "1e-16")] {
        let error = late(start, &format!("{start} + 1e-3"), period).map(drop).unwrap_err();
        assert!(error.to_string().contains("too often before the start"), "{error}");
    }
}

#[test]
fn polynomials_are_integrated_exactly() {
    let system = compile(
        "name: cubic
inputs: [u]
blocks: {x: {type: Integrator, input: u}}
record: [x, u]
simulate: {stop: 3, tolerance: 1e-12}
",
    );
    let u = system.input("u").unwrap();
    let mut run = system.begin();
    // 1 + 2 s + 3 s^2 + 4 s^3 up to 1, then a kink and the constant -1.
    run.feed(&u, Time::ZERO, &[&[1.0], &[2.0], &[3.0], &[4.0]]).unwrap();
    run.feed(&u, seconds(1.0), &[&[-1.0]]).unwrap();
    let outcome = run.finish().unwrap();
    assert!((outcome.trace.last("x").unwrap() - (4.0 - 2.0)).abs() < 1e-11);
    assert_eq!(at(&outcome.trace, "u", tag(1.0, 1)), Some(-1.0));
    assert!((at(&outcome.trace, "u", tag(1.0, 0)).unwrap() - 10.0).abs() < 1e-12);
}

#[test]
fn an_event_input_has_several_values_at_one_time() {
    let system = compile(
        "name: events
inputs: {e: {kind: event, initial: 0}}
blocks:
  n: {type: Counter, increment: e}
  h: {type: ZeroOrderHold, input: e}
record: [e, n, h]
simulate: {stop: 2}
",
    );
    let e = system.input("e").unwrap();
    let mut run = system.begin();
    run.advance_to(seconds(1.0)).unwrap();
    for value in [5.0, 6.0, 7.0] {
        run.set(&e, &[value]).unwrap();
    }
    let trace = run.finish().unwrap().trace;
    for (microstep, value) in [(1, 5.0), (2, 6.0), (3, 7.0)] {
        assert_eq!(at(&trace, "e", tag(1.0, microstep)), Some(value));
        assert_eq!(at(&trace, "n", tag(1.0, microstep)), Some(f64::from(microstep)));
    }
    assert_eq!(at(&trace, "e", tag(1.0, 0)), None);
    assert_eq!((trace.last("h"), trace.last("n")), (Some(7.0), Some(3.0)));
}

#[test]
fn a_tunable_parameter_is_a_signal_that_jumps() {
    let text = "name: tuned
parameters: {k: {value: 1, tunable: true}, c: 0.5}
blocks:
  x: {type: Integrator, input: -k * x, initial: 1}
  low: {type: LevelCrossing, input: x - c * k, level: 0, direction: falling}
record: [x, low]
simulate: {stop: 2, tolerance: 1e-11}
";
    let system = compile(text);
    let mut run = system.begin();
    run.advance_to(seconds(0.25)).unwrap();
    // x is about 0.78, which the level 0.5 * 2 passes by the jump.
    run.set_parameter("k", &[2.0]).unwrap();
    let trace = run.finish().unwrap().trace;
    let expected = (-0.25f64 - 2.0 * 1.75).exp();
    assert!((trace.last("x").unwrap() - expected).abs() < 1e-9);
    assert_eq!(at(&trace, "low", tag(0.25, 2)), Some(-1.0));
    let mut run = system.begin();
    let error = run.set_parameter("c", &[1.0]).unwrap_err();
    assert!(error.to_string().contains("tunable: true"), "{error}");
    // A run may start with another value of it, without compiling.
    let other = system.with(&superdense::Settings {
        parameters: vec![("k".to_owned(), superdense::Value::real(3.0))],
        ..Default::default()
    });
    let other = other.unwrap();
    assert!(other.is_same_program(&system));
    let end = other.simulate().unwrap().trace.last("x").unwrap();
    assert!((end - (-6f64).exp()).abs() < 1e-9);
}

#[test]
fn a_tunable_parameter_is_refused_where_constants_are_needed() {
    for (field, what) in
        [("period: k", "must be constant"), ("period: 1, offset: k", "must be constant")]
    {
        let refused = refusal(&format!(
            "name: no\nparameters: {{k: {{value: 1, tunable: true}}}}\nblocks: {{c: {{type: Clock, {field}}}}}\n"
        ));
        assert!(refused.to_string().contains(what), "{refused}");
    }
}

#[test]
fn a_fork_goes_its_own_way() {
    let system = compile(LAG);
    let u = system.input("u").unwrap();
    let mut run = system.begin();
    run.set(&u, &[1.0]).unwrap();
    run.advance_to(seconds(2.0)).unwrap();
    let mut fork = run.fork();
    fork.set(&u, &[0.0]).unwrap();
    let (kept, forked) = (run.finish().unwrap(), fork.finish().unwrap());
    let at_two = 1.0 - (-2f64).exp();
    assert!((kept.trace.last("x").unwrap() - (1.0 - (-4f64).exp())).abs() < 1e-8);
    assert!((forked.trace.last("x").unwrap() - at_two * (-2f64).exp()).abs() < 1e-8);
}

#[test]
fn a_saved_run_remembers_what_was_fed() {
    let system = compile(LAG);
    let u = system.input("u").unwrap();
    let feed = |run: &mut superdense::Run| {
        for (time, value) in [(0.5, 1.0), (1.5, -1.0), (3.0, 2.0)] {
            run.feed(&u, seconds(time), &[&[value]]).unwrap();
        }
    };
    let mut whole = system.begin();
    feed(&mut whole);
    let whole = whole.finish().unwrap();
    let mut first = system.begin();
    feed(&mut first);
    first.advance_to(seconds(1.0)).unwrap();
    let second = system.resume(&first.save()).unwrap().finish().unwrap();
    assert_eq!(second.trace.last("x").map(f64::to_bits), whole.trace.last("x").map(f64::to_bits));
}

#[test]
fn a_run_is_cancelled_from_another_thread() {
    let system = compile(
        "name: long\nblocks: {c: {type: Clock, period: 1e-6}, n: {type: Counter, increment: c}}\nsimulate: {stop: 1e9}\n",
    );
    let mut run = system.begin();
    run.record_nothing();
    let canceller = run.canceller();
    let thread = std::thread::spawn(move || run.finish());
    canceller.cancel();
    let failure = thread.join().unwrap().unwrap_err();
    assert!(matches!(failure.error, RunError::Cancelled { .. }), "{failure}");
}

#[test]
fn rows_are_taken_in_parts() {
    let system = compile(LAG);
    let whole = system.simulate().unwrap().trace;
    let mut run = system.begin();
    let mut tags: Vec<Tag> = Vec::new();
    let mut t = 0.0;
    while run.advance_to(seconds(t)).unwrap().is_none() {
        tags.extend(run.take_trace().tags());
        t += 0.5;
    }
    tags.extend(run.take_trace().tags());
    assert_eq!(tags, whole.tags());
}

/// A function that is handed the rows sees what the table of the run would hold, impulses included.
#[test]
fn rows_are_handed_over_as_they_are_recorded() {
    let mut impulses = 0;
    for path in gallery() {
        let model = read(&path).unwrap();
        let system = System::compile(&model, &Library::standard()).unwrap();
        let Ok(plain) = system.simulate() else { continue };
        let columns = system.schema().columns().len();
        let handed = Arc::new(Mutex::new((Vec::new(), Vec::new())));
        let mut run = system.begin();
        let to = handed.clone();
        run.hand_rows_to(Box::new(move |row: &RecordedRow| {
            let (rows, weights) = &mut *to.lock().unwrap();
            for column in 0..columns {
                rows.push((row.tag(), row.value(column).map(<[f64]>::to_vec)));
                for order in 0..4 {
                    let weight = row.impulse(column, order).map(<[f64]>::to_vec);
                    weights.extend(weight.map(|weight| (row.tag(), column, order, weight)));
                }
            }
        }));
        let outcome = run.finish().unwrap();
        assert_eq!((outcome.rows, outcome.trace.len()), (plain.rows, 0), "{}", path.display());
        let kept = plain.trace.tags().iter().enumerate().flat_map(|(row, tag)| {
            let value = |column| (*tag, plain.trace.get(row, column).map(<[f64]>::to_vec));
            (0..columns).map(value).collect::<Vec<_>>()
        });
        let (rows, weights) = &*handed.lock().unwrap();
        assert_eq!(*rows, kept.collect::<Vec<_>>(), "{}", path.display());
        let own = plain.trace.impulses().iter();
        let own: Vec<_> = own.map(|i| (i.tag, i.column, i.order, i.weight.clone())).collect();
        assert_eq!(*weights, own, "{}", path.display());
        impulses += own.len();
    }
    assert!(impulses > 10, "{impulses} impulses");
}

/// Events name blocks, wires and states as the model does.
#[test]
fn events_carry_names() {
    let system = compile(include_str!("../../../models/modal-ball/model.yaml"));
    let seen = Arc::new(Mutex::new((Vec::new(), Vec::new())));
    let mut run = system.begin();
    let to = seen.clone();
    run.listen(Box::new(move |event: &Event| match event {
        Event::Fired { block, changes, .. } => {
            let wires = changes.iter().map(|change| change.wire.clone());
            to.lock().unwrap().0.extend(wires.chain([block.to_string()]));
        }
        Event::Moved { block, from, to: into, .. } => {
            to.lock().unwrap().1.push(format!("{}: {from} -> {into}", block.path()));
        }
        _ => {}
    }));
    run.finish().unwrap();
    let (names, moves) = &*seen.lock().unwrap();
    assert_eq!(moves[0], "ball: free -> free");
    assert_eq!(moves.last().unwrap(), "ball: free -> rest");
    assert!(names.iter().any(|name| name == "ball.y"), "{names:?}");
}

#[test]
fn what_cannot_be_set_is_refused_and_changes_nothing() {
    let (system, other) = (compile(LAG), compile(LAG));
    let u = system.input("u").unwrap();
    let mut run = system.begin();
    run.advance_to(seconds(1.0)).unwrap();
    let said = |error: HoldError, words: &str| {
        assert!(error.to_string().contains(words), "{error}");
    };
    said(run.set_input("v", &[1.0]).unwrap_err(), "there is: u");
    said(run.set(&u, &[1.0, 2.0]).unwrap_err(), "2 numbers");
    said(run.set(&u, &[f64::NAN]).unwrap_err(), "not finite");
    said(run.feed(&u, seconds(0.5), &[&[1.0]]).unwrap_err(), "in the past");
    said(run.feed(&u, seconds(2.0), &[&[1.0], &[2.0]]).unwrap_err(), "coefficients");
    said(run.set(&other.input("u").unwrap(), &[1.0]).unwrap_err(), "another system");
    said(system.signal("y").unwrap_err(), "recorded signal");
    said(run.get(&other.signal("x").unwrap()).unwrap_err(), "another system");
    said(run.set_parameter("k", &[1.0]).unwrap_err(), "no parameter `k`");
    let two = superdense::Samples::new(vec![seconds(2.0).into()], vec![1.0, 2.0], 2).unwrap();
    let hold = superdense::Interpolation::Hold;
    said(run.feed_samples(&u, &two, hold).unwrap_err(), "2 numbers");
    let foreign =
        compile("name: w\ninputs: [a, b, c]\nblocks: {x: {type: Integrator, input: a + b + c}}\n");
    let one = superdense::Samples::new(vec![seconds(2.0).into()], vec![1.0], 1).unwrap();
    said(run.feed_samples(&foreign.input("c").unwrap(), &one, hold).unwrap_err(), "another system");
    let finished = run.finish().unwrap();
    assert_eq!(finished.trace.last("x"), Some(0.0));
}

#[test]
fn an_input_without_an_initial_value_must_be_given() {
    let system = compile("name: must\ninputs: [u]\nblocks: {x: {type: Integrator, input: u}}\n");
    let failure = system.simulate().unwrap_err();
    assert!(matches!(&failure.error, RunError::MissingInput { block, .. } if block == "u"));
    let mut run = system.begin();
    run.set_input("u", &[1.0]).unwrap();
    assert!((run.finish().unwrap().trace.last("x").unwrap() - 1.0).abs() < 1e-12);
}

/// An input that is fed the values of a clock is bit for bit the same as the clock.
#[test]
fn events_from_outside_are_events() {
    let by = |head: &str| -> System {
        compile(&format!(
            "name: same\n{head}  x: {{type: Integrator, input: -x, initial: 1, reset: h + e}}\n  h: {{type: ZeroOrderHold, input: e}}\nrecord: [x, e]\nsimulate: {{stop: 2.05, tolerance: 1e-9}}\n"
        ))
    };
    let inside = by("blocks:\n  e: {type: Clock, period: 1/3, offset: 1/3, value: 0.5}\n");
    let outside = by("inputs: {e: {kind: event, initial: 0}}\nblocks:\n");
    let mut run = outside.begin();
    let e = outside.input("e").unwrap();
    for k in 1..=6 {
        let exact = superdense::ExactTime::from_rational(superdense::Rational::new(k, 3)).unwrap();
        run.feed(&e, exact, &[&[0.5]]).unwrap();
    }
    let (inside, outside) = (inside.simulate().unwrap(), run.finish().unwrap());
    assert_eq!(bits(&inside.trace, 0), bits(&outside.trace, 0));
}

#[test]
fn a_saved_run_goes_on_past_its_stop() {
    let system = compile(LAG);
    let mut run = system.begin();
    run.set_input("u", &[1.0]).unwrap();
    while run.advance().unwrap().is_none() {}
    let saved = run.save();
    let longer = superdense::Settings::default().stop(6);
    let longer = system.with(&longer).unwrap();
    let outcome = longer.resume(&saved).unwrap().finish().unwrap();
    assert!((outcome.trace.last("x").unwrap() - (1.0 - (-6f64).exp())).abs() < 1e-8);
    // With the same stop there is nothing left to do.
    assert_eq!(system.resume(&saved).unwrap().finish().unwrap().counters.ticks, 0);
}

#[test]
fn samples_become_pieces_with_exact_times() {
    use superdense::{Interpolation, Samples};
    let system = compile(
        "name: data\ninputs: [u]\nblocks: {x: {type: Integrator, input: u}}\nrecord: [x, u]\nsimulate: {stop: 3, tolerance: 1e-12}\n",
    );
    let u = system.input("u").unwrap();
    let times = [0, 1, 3].map(|t| superdense::ExactTime::from(seconds(f64::from(t) * 0.5)));
    // u = t^2 at 0, 0.5 and 1.5: the cubic through them is the parabola itself.
    let samples = Samples::new(times.to_vec(), vec![0.0, 0.25, 2.25], 1).unwrap();
    let end = |by: Interpolation| {
        let mut run = system.begin();
        run.feed_samples(&u, &samples, by).unwrap();
        run.finish().unwrap().trace.last("x").unwrap()
    };
    let after = 1.5 * 2.25;
    assert!((end(Interpolation::Hold) - (0.25 + after)).abs() < 1e-10);
    assert!((end(Interpolation::Linear) - (0.0625 + 1.25 + after)).abs() < 1e-10);
    assert!((end(Interpolation::Cubic) - (1.125 + after)).abs() < 1e-10);
    // From the middle of a piece on, the rest of it.
    let mut run = system.begin();
    run.set(&u, &[0.0]).unwrap();
    run.advance_to(seconds(1.0)).unwrap();
    run.feed_samples(&u, &samples, Interpolation::Cubic).unwrap();
    let end = run.finish().unwrap().trace.last("x").unwrap();
    let expected = (1.5f64.powi(3) - 1.0) / 3.0 + after;
    assert!((end - expected).abs() < 1e-10, "{end} {expected}");
}

#[test]
fn an_input_that_is_given_before_the_start_has_its_value_there() {
    let system = compile(
        "name: first\ninputs: {u: {initial: 7}}\nblocks: {d: {type: Derivative, input: u}, x: {type: Integrator, input: d}}\nrecord: [u, x]\nsimulate: {stop: 1}\n",
    );
    let mut run = system.begin();
    run.set_input("u", &[5.0]).unwrap();
    let outcome = run.finish().unwrap();
    assert_eq!(at(&outcome.trace, "u", tag(0.0, 0)), Some(5.0));
    assert_eq!((outcome.counters.ticks, outcome.trace.last("x")), (0, Some(0.0)));
}

#[test]
fn a_table_is_continuous_to_the_last_bit() {
    use superdense::{ExactTime, Interpolation, Samples};
    // The product of an impulse and a signal that jumps is undefined.
    let system = compile(
        "name: bits\ninputs: [u]\nblocks:\n  hit: {type: ImpulseSource, times: [0.3, 0.7]}\n  y: {type: Integrator, input: u * hit}\nrecord: [y]\nsimulate: {stop: 1}\n",
    );
    let u = system.input("u").unwrap();
    let times = ["0", "0.3", "0.7", "1.1"].map(|t| {
        let exact = superdense::parse_value(t).unwrap().as_rational().unwrap();
        ExactTime::from_rational(exact).unwrap()
    });
    let samples = Samples::new(times.to_vec(), vec![0.1, 0.7, 0.2, 0.9], 1).unwrap();
    for by in [Interpolation::Linear, Interpolation::Cubic] {
        let mut run = system.begin();
        run.feed_samples(&u, &samples, by).unwrap();
        let end = run.finish().unwrap().trace.last("y").unwrap();
        assert!((end - 0.9).abs() < 1e-12, "{end}");
    }
}

#[test]
fn the_result_of_a_run_drives_another_one() {
    use superdense::{Interpolation, Samples, traces};
    let source = compile(
        "name: source\nblocks:\n  c: {type: Clock, period: 0.25}\n  m: {type: MicrostepDelay, input: c}\n  e: {type: Merge, inputs: [c, m]}\n  s: {type: Step, time: 0.6, before: 1, after: 4}\nrecord: [e, s]\nsimulate: {stop: 1}\n",
    );
    let trace = source.simulate().unwrap().trace;
    let driven = compile(
        "name: driven\ninputs: {e: {kind: event}, s: {}}\nblocks: {n: {type: Counter, increment: e}, x: {type: Integrator, input: s}}\nrecord: [n, x]\nsimulate: {stop: 1, tolerance: 1e-10}\n",
    );
    for file in ["drive.csv", "drive.parquet", "drive.json"] {
        let path = std::env::temp_dir().join(format!("superdense-{}-{file}", std::process::id()));
        traces::write(&trace, &path).unwrap();
        let column = |name: &str| vec![name.to_owned()];
        let mut run = driven.begin();
        let events = Samples::read(&path, &column("e"), true).unwrap();
        run.feed_samples(&driven.input("e").unwrap(), &events, Interpolation::Hold).unwrap();
        let steps = Samples::read(&path, &column("s"), false).unwrap();
        run.feed_samples(&driven.input("s").unwrap(), &steps, Interpolation::Linear).unwrap();
        let end = run.finish().unwrap().trace;
        std::fs::remove_file(&path).unwrap();
        assert_eq!(end.last("n"), trace_count(&trace), "{file}");
        assert!((end.last("x").unwrap() - (0.6 + 4.0 * 0.4)).abs() < 1e-9, "{file}");
    }
}

/// How many rows have an event of `e`.
fn trace_count(trace: &superdense::Trace) -> Option<f64> {
    let column = trace.column("e")?;
    Some((0..trace.len()).filter(|row| trace.get(*row, column).is_some()).count() as f64)
}
