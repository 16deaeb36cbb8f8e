//! Clocks meet at exact tags, without any tolerance.

use crate::common::{assert_near, at, bits, compile, exact, has_row, simulate, tags};
use proptest::prelude::*;
use superdense::{Rational, Tag, Time};

fn met(a: &str, b: &str, stop: &str) -> (u64, u64, u64) {
    let trace = simulate(&format!(
        "
blocks:
  a: {{type: Clock, period: {a}}}
  b: {{type: Clock, period: {b}}}
  both: {{type: Sample, input: b, trigger: a}}
  na: {{type: Counter, increment: a}}
  nb: {{type: Counter, increment: b}}
  nboth: {{type: Counter, increment: both}}
record: [na, nb, nboth]
simulate: {{stop: {stop}}}
"
    ))
    .trace;
    let count = |name: &str| trace.last(name).unwrap() as u64;
    (count("na"), count("nb"), count("nboth"))
}

#[test]
fn a_tenth_and_one_meet_at_every_tenth_tick() {
    assert_eq!(met("0.1", "1.0", "10_000"), (100_001, 10_001, 10_001));
}

#[test]
fn a_third_and_one_meet_at_every_third_tick() {
    assert_eq!(met("1/3", "1", "1000"), (3001, 1001, 1001));
}

#[test]
fn other_ways_to_write_a_period_meet() {
    assert_eq!(met("0.1 * 3", "0.3", "300"), (1001, 1001, 1001));
    assert_eq!(met("1/7", "3/7", "300"), (2101, 701, 701));
    assert_eq!(met("2^-3", "0.1 + 0.15", "100"), (801, 401, 401));
}

#[test]
fn presence_shows_the_meeting() {
    let trace = simulate(
        "
blocks:
  a: {type: Clock, period: 0.1}
  b: {type: Clock, period: 0.25}
record: {a: a, b: b, both: present(a) and present(b)}
simulate: {stop: 2}
",
    )
    .trace;
    let meetings: Vec<_> =
        trace.series("both").into_iter().filter(|(_, both)| *both != 0.0).collect();
    let meetings: Vec<_> = meetings.into_iter().map(|(tag, _)| tag).collect();
    let expected = ["0", "0.5", "1", "1.5", "2"].map(|time| exact(time, 1));
    assert_eq!(meetings, expected);
}

/// Holds: closed form and jump of Clock; jump and absence of MicrostepDelay.
#[test]
fn an_event_is_there_at_microstep_one_only() {
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 1/3, offset: 1/7, value: 5}
  d: {type: MicrostepDelay, input: c}
record: [c, d]
simulate: {stop: 1}
",
    )
    .trace;
    let third = 333_333_333_333_333_333i128;
    let seventh = 142_857_142_857_142_857i128;
    // offset + k period is rounded once: 1/7 + 2/3 = 17/21.
    let expected = [seventh, 476_190_476_190_476_190, 809_523_809_523_809_524];
    assert_eq!(seventh + third, expected[1]);
    let ticks = tags(&trace, "c");
    let found: Vec<_> = ticks.iter().map(|tag| tag.time.attoseconds()).collect();
    assert_eq!(found, expected);
    for tick in ticks {
        let step = |n| superdense::Tag::new(tick.time, n);
        assert_eq!(at(&trace, "c", step(0)), None);
        assert_eq!(at(&trace, "c", step(1)), Some(5.0));
        assert_eq!(at(&trace, "c", step(2)), None);
        assert_eq!(at(&trace, "d", step(1)), None);
        assert_eq!(at(&trace, "d", step(2)), Some(5.0));
        assert!(!has_row(&trace, step(4)));
    }
}

#[test]
fn an_event_at_the_stop_time_happens() {
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 0.1}
  x: {type: Integrator, input: 0, impulse: c}
record: [c, x]
simulate: {stop: 1}
",
    )
    .trace;
    assert_eq!(tags(&trace, "c").len(), 11);
    assert_eq!(trace.last("x"), Some(11.0));
}

/// The tag of an exact time: rounded once.
fn rounded(time: Rational, microstep: u32) -> Tag {
    Tag::new(Time::from_rational(time).unwrap(), microstep)
}

#[test]
fn three_delays_of_a_third_meet_a_clock_of_one() {
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 1}
  a: {type: EventDelay, input: c, delay: 1/3}
  b: {type: TransportDelay, input: a, delay: 1/3}
  d: {type: EventDelay, input: b, delay: 1/3}
  both: {type: Sample, input: c, trigger: d}
record: [a, b, d, both]
simulate: {stop: 100}
",
    )
    .trace;
    let expected = |k: i128, thirds| rounded(Rational::new(3 * k + thirds, 3), 1);
    for (name, thirds, count) in [("a", 1, 100), ("b", 2, 100), ("d", 3, 100), ("both", 3, 100)] {
        let ticks: Vec<Tag> = (0..count).map(|k| expected(k, thirds)).collect();
        assert_eq!(tags(&trace, name), ticks, "{name}");
    }
}

#[test]
fn a_loop_of_delays_does_not_drift() {
    let trace = simulate(
        "
blocks:
  once: {type: Clock, period: 1e6, offset: 1/7}
  all: {type: Merge, inputs: [once, again]}
  again: {type: EventDelay, input: all, delay: 1/3}
record: [all]
simulate: {stop: 10_000}
",
    )
    .trace;
    let found = tags(&trace, "all");
    assert_eq!(found.len(), 30_000);
    for (k, tag) in found.iter().enumerate() {
        assert_eq!(*tag, rounded(Rational::new(7 * k as i128 + 3, 21), 1));
    }
}

#[test]
fn a_machine_that_waits_a_third_meets_a_clock_of_one() {
    // Around the machine another one that waits a seventh first, so that nothing begins at 0.
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 1, offset: 1/7}
  outer:
    type: Modal
    initial: idle
    states:
      idle: {transitions: [{to: busy, after: 1/7}]}
      busy:
        blocks:
          m:
            type: Modal
            initial: a
            states:
              a: {transitions: [{to: b, after: 1/3, output: {said: 1}}]}
              b: {transitions: [{to: c, after: 1/3, output: {said: 2}}]}
              c: {transitions: [{to: a, after: 1/3, output: {said: 3}}]}
        outputs: {said: m.said}
  both: {type: Sample, input: c, trigger: outer.said}
record: [outer.said, both]
simulate: {stop: 1000}
",
    )
    .trace;
    let said = trace.series("outer.said");
    assert_eq!(said.len(), 2999);
    for (k, (tag, value)) in (1..).zip(&said) {
        assert_eq!(*tag, rounded(Rational::new(7 * k + 3, 21), 1));
        assert_eq!(*value, ((k - 1) % 3 + 1) as f64);
    }
    let met: Vec<Tag> = (1..1000).map(|k| rounded(Rational::new(7 * k + 1, 7), 1)).collect();
    assert_eq!(tags(&trace, "both"), met);
}

#[test]
fn a_start_is_as_exact_as_a_delay() {
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 1}
  m:
    type: Modal
    initial: a
    states:
      a: {transitions: [{to: b, after: 2/3, output: {said: 1}}]}
      b: {}
  both: {type: Sample, input: c, trigger: m.said}
record: {both: both, third: 3 * time}
simulate: {start: 1/3, stop: 2, every: 1/3, rows: microsteps}
",
    )
    .trace;
    assert_eq!(tags(&trace, "both"), [exact("1", 1)]);
    let rows: Vec<Tag> = (1..=6).map(|k| rounded(Rational::new(k, 3), 0)).collect();
    assert!(rows.iter().all(|row| has_row(&trace, *row)), "{:?}", trace.tags());
}

#[test]
fn a_delayed_crossing_comes_whole_seconds_later() {
    // The crossing is a whole number of attoseconds, whatever it is; three thirds are a second.
    let trace = simulate(
        "
blocks:
  x: {type: Integrator, input: 1}
  hit: {type: LevelCrossing, input: x^2, level: 0.3}
  a: {type: EventDelay, input: hit, delay: 1/3}
  b: {type: EventDelay, input: a, delay: 1/3}
  d: {type: EventDelay, input: b, delay: 1/3}
record: [hit, d]
simulate: {stop: 2}
",
    )
    .trace;
    let (hit, last) = (tags(&trace, "hit")[0], tags(&trace, "d")[0]);
    assert_eq!(last.time - hit.time, exact("1", 0).time);
    assert_eq!(last.microstep, hit.microstep);
}

#[test]
fn delayed_jumps_keep_their_limits_at_small_scales() {
    // Delays and times are far from whole attoseconds, and steps are as short as roundings of them
    // are long.
    for (delay, scale) in [("1/3", 1e0), ("1e-6/3", 1e-6), ("1e-13/7", 1e-13), ("2e-15/3", 1e-15)] {
        let trace = simulate(&format!(
            "
parameters: {{d: {delay}}}
blocks:
  hit: {{type: ImpulseSource, times: [d, 3*d/2, 2*d, 7*d/3]}}
  x: {{type: Integrator, input: 0.01 / d + hit}}
  y: {{type: TransportDelay, input: x, delay: d}}
  z: {{type: TransportDelay, input: y, delay: d * 2/3}}
record: [x, y, z]
simulate: {{stop: 5*d, maximum_step: d/4}}
"
        ))
        .trace;
        let jumps = |name: &str| -> Vec<(Tag, f64)> {
            let series = trace.series(name);
            let jump = |pair: &[(Tag, f64)]| (pair[1].0, pair[1].1 - pair[0].1);
            let all = series.windows(2).map(jump).collect::<Vec<_>>();
            all.into_iter().filter(|(_, jump)| *jump > 0.5).collect()
        };
        let (x, y, z) = (jumps("x"), jumps("y"), jumps("z"));
        assert_eq!((x.len(), y.len(), z.len()), (4, 4, 4), "{scale}");
        for ((own, _), (tag, jump)) in x.iter().zip(y.iter()).chain(x.iter().zip(z.iter())) {
            assert_eq!((tag.microstep, own.microstep), (1, 1));
            // The slope over an attosecond or two.
            assert_near(*jump, 1.0, 1e-9 + 0.1e-18 / scale);
        }
    }
}

/// A small fraction as text and as a number.
fn fraction() -> impl Strategy<Value = Rational> {
    let denominators = prop::sample::select(vec![1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13]);
    (1i128..12, denominators).prop_map(|(n, d)| Rational::new(n, d))
}

/// A source of events: what it is made from, and its period or delay.
#[derive(Clone, Debug)]
enum Source {
    Clock {
        offset: Rational,
        period: Rational,
    },
    /// One delay after an earlier source.
    Delay {
        of: usize,
        delay: Rational,
    },
    /// An event that comes again and again by a delay of its own.
    Loop {
        first: Rational,
        delay: Rational,
    },
    /// A machine that says something whenever it goes to its other state.
    Machine {
        waits: [Rational; 2],
    },
    /// A clock in a state that is left and entered again with its history.
    Local {
        waits: [Rational; 2],
        period: Rational,
    },
}

fn source(earlier: usize) -> impl Strategy<Value = Source> {
    let pair = || (fraction(), fraction());
    prop_oneof![
        pair().prop_map(|(offset, period)| Source::Clock { offset, period }),
        (0..earlier, fraction()).prop_map(|(of, delay)| Source::Delay { of, delay }),
        (0..earlier, fraction()).prop_map(|(of, delay)| Source::Delay { of, delay }),
        pair().prop_map(|(first, delay)| Source::Loop { first, delay }),
        pair().prop_map(|(a, b)| Source::Machine { waits: [a, b] }),
        (pair(), fraction()).prop_map(|((a, b), period)| Source::Local { waits: [a, b], period }),
    ]
}

fn sources() -> impl Strategy<Value = Vec<Source>> {
    let first = (fraction(), fraction());
    let first = first.prop_map(|(offset, period)| Source::Clock { offset, period });
    (first, prop::collection::vec(source(1), 5), any::<u64>()).prop_map(|(first, rest, seed)| {
        let mut all = vec![first];
        for (index, mut source) in rest.into_iter().enumerate() {
            if let Source::Delay { of, .. } = &mut source {
                *of = (seed >> (8 * index)) as usize % (index + 1);
            }
            all.push(source);
        }
        all
    })
}

impl Source {
    fn text(&self, i: usize) -> String {
        match self {
            Source::Clock { offset, period } => {
                format!("  s{i}: {{type: Clock, offset: {offset}, period: {period}}}\n")
            }
            Source::Delay { of, delay } => {
                let of = format!("s{of}");
                format!("  s{i}: {{type: EventDelay, input: {of}, delay: {delay}}}\n")
            }
            Source::Loop { first, delay } => format!(
                "  once{i}: {{type: Clock, offset: {first}, period: 1e9}}
  s{i}: {{type: Merge, inputs: [once{i}, again{i}]}}
  again{i}: {{type: EventDelay, input: s{i}, delay: {delay}}}
"
            ),
            Source::Machine { waits: [a, b] } => format!(
                "  m{i}:
    type: Modal
    initial: a
    states:
      a: {{transitions: [{{to: b, after: {a}, output: {{said: 1}}}}]}}
      b: {{transitions: [{{to: a, after: {b}, output: {{said: 1}}}}]}}
  s{i}: {{type: Gain, input: m{i}.said}}
"
            ),
            Source::Local { waits: [a, b], period } => format!(
                "  m{i}:
    type: Modal
    initial: a
    states:
      a:
        blocks: {{c: {{type: Clock, offset: {period}, period: {period}}}}}
        outputs: {{c: c}}
        transitions: [{{to: b, after: {a}}}]
      b: {{transitions: [{{to: a, after: {b}, history: true}}]}}
  s{i}: {{type: Gain, input: m{i}.c}}
"
            ),
        }
    }

    /// The exact times of its events up to a time.
    fn times(&self, all: &[Vec<Rational>], stop: Rational) -> Vec<Rational> {
        let every = |first: Rational, step: Rational| {
            let from = move |k: i128| first + step * k;
            (0..).map(from).take_while(|time| *time <= stop).collect::<Vec<_>>()
        };
        match self {
            Source::Clock { offset, period } => every(*offset, *period),
            Source::Delay { of, delay } => {
                all[*of].iter().map(|time| *time + *delay).filter(|time| *time <= stop).collect()
            }
            Source::Loop { first, delay } => every(*first, *delay),
            Source::Machine { waits: [a, b] } => {
                let mut times = [every(*a, *a + *b), every(*a + *b, *a + *b)].concat();
                times.sort();
                times
            }
            Source::Local { waits: [a, b], period } => {
                let local = (1..).map(|k: i128| *period * k);
                // At the instant at which the state is left a tick waits for the next entry.
                let around = |time: Rational| time + *b * (time / *a).floor();
                local.map(around).take_while(|time| *time <= stop).collect()
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// Clocks, delays, loops of delays, `after` and clocks in states, against exact fractions:
    /// every event is at the rounding of its exact time, so that events that are due at the same
    /// time meet, and nothing drifts.
    #[test]
    fn every_event_is_at_the_rounding_of_its_exact_time(
        sources in sources(),
        saved in 0usize..400,
    ) {
        let stop = Rational::from_integer(40);
        let mut times: Vec<Vec<Rational>> = Vec::new();
        for source in &sources {
            let own = source.times(&times, stop);
            times.push(own);
        }
        let blocks: String = sources.iter().enumerate().map(|(i, s)| s.text(i)).collect();
        let names: Vec<String> = (0..sources.len()).map(|i| format!("s{i}")).collect();
        let model = format!(
            "blocks:\n{blocks}record: [{}]\nsimulate: {{stop: 40}}\n",
            names.join(", ")
        );
        let system = compile(&model);
        let trace = simulate(&model).trace;
        for (name, times) in names.iter().zip(&times) {
            let found: Vec<Time> = tags(&trace, name).iter().map(|tag| tag.time).collect();
            let mut expected: Vec<Time> = times.iter().map(|t| rounded(*t, 1).time).collect();
            expected.dedup();
            prop_assert_eq!(found, expected, "{} of\n{}", name, model);
        }
        // A run that was saved and resumed goes on with the same fractions.
        let mut run = system.begin();
        for _ in 0..saved {
            if run.advance().unwrap().is_some() {
                return Ok(());
            }
        }
        let from = run.trace().len();
        let rest = system.resume(&run.save()).unwrap().finish().unwrap().trace;
        prop_assert!(bits(&rest, 0) == bits(&trace, from));
    }
}
