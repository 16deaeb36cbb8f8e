//! Settings that override those of a model: the same keys, written elsewhere.

use superdense::{Library, Rational, RowsPer, Settings, System, Time};

use crate::common::{codes, compile, compile_with};

const DECAY: &str = "superdense: 1
parameters: {T: 2, k: 1}
blocks:
  x: {type: Integrator, input: -k * x, initial: 1}
  y: {type: Integrator, input: x}
record: [x, y]
simulate: {stop: T, absolute_tolerance: 1e-9, times: [1]}
";

fn over(overrides: &Settings) -> System {
    compile_with(DECAY, &Library::standard(), overrides).unwrap_or_else(|why| panic!("{why}"))
}

/// Numbers, exact times and texts are the same setting.
#[test]
fn a_setting_in_several_forms() {
    let third = Rational::new(1, 3);
    let stop = |overrides: Settings| over(&overrides).settings().stop;
    let none = Settings::default;
    assert_eq!(stop(none()), Time::from_f64(2.0).unwrap());
    for overrides in [none().stop(5), none().stop(5.0), none().stop("5"), none().stop("2.5 * T")] {
        assert_eq!(stop(overrides), Time::from_f64(5.0).unwrap());
    }
    let time = Time::from_rational(third).expect("a time");
    assert_eq!(stop(none().stop(third)), stop(none().stop("1/3")));
    assert_eq!(stop(none().stop(time)), time);
    assert_eq!(over(&none().seed(u64::MAX)).settings().seed, u64::MAX);
    let rows = over(&none().every(third).rows(RowsPer::Microstep)).settings().rows.clone();
    assert_eq!((rows.every, rows.per), (Some(third), RowsPer::Microstep));
    assert!(rows.times.is_empty(), "`every` overrides `times`");
}

/// What comes later overrides what came before, whether the model is compiled again or not.
#[test]
fn later_overrides_win() {
    let tolerances = |system: &System| {
        let run = system.settings();
        (run.relative_tolerance, run.absolute_tolerance)
    };
    let system = compile(DECAY);
    assert_eq!(tolerances(&system), (1e-6, 1e-9));
    let tolerance = Settings::default().tolerance(1e-4);
    let both = system.with(&tolerance).expect("a good setting");
    assert_eq!(tolerances(&both), (1e-4, 1e-4));
    assert!(both.is_same_program(&system));
    let one = both.with(&Settings::default().relative_tolerance(1e-5)).expect("a good setting");
    assert_eq!(tolerances(&one), (1e-5, 1e-4));
    assert_eq!(tolerances(&one.with(&tolerance).expect("a good setting")), (1e-4, 1e-4));
    let stepped = system.with(&Settings::default().impulses("stepped").step(0.5));
    assert!(!stepped.expect("a good setting").is_same_program(&system));
}

/// A mistake shows what was given, also if nothing is compiled again.
#[test]
fn mistakes_are_shown() {
    let system = compile(DECAY).with(&Settings::default().stop("3 * T")).expect("a good setting");
    for (overrides, code, shown) in [
        (Settings::default().stop("3 * Q"), "unknown-name", "1 | stop: 3 * Q"),
        (Settings::default().stop(-1), "bad-setting", "1 | stop: -1"),
        (Settings::default().solver("rk54"), "unknown-solver", "1 | solver: rk54"),
        (Settings::default().zeno("stopp"), "unknown-word", "1 | zeno: stopp"),
        (Settings::default().every(f64::NAN), "bad-setting", "1 | every: NaN"),
        (Settings::default().maximum_blocks(1), "too-large", "y: {type: Integrator"),
    ] {
        let refused = system.with(&overrides).expect_err("a mistake");
        assert_eq!(codes(&refused)[0], code, "{refused}");
        assert!(refused.to_string().contains(shown), "{refused}");
    }
}

/// A saved run belongs to the model and its settings, however these were given.
#[test]
fn a_saved_run_fits_equal_settings() {
    let given = over(&Settings::default().tolerance(1e-3));
    let saved = given.begin().save();
    let again = over(&Settings::default().tolerance("1 / 1000"));
    assert!(again.resume(&saved).is_ok(), "the same settings, written in another way");
    assert!(compile(DECAY).resume(&saved).is_err(), "other settings");
}
