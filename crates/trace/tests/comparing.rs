//! Two traces are compared in superdense time: events by order, smooth parts between them.

use base::{Tag, Time, Type};
use superdense_trace::{
    Column, Impulse, Reason, RowDifference, Schema, Side, Tolerance, Trace, compare,
};

const LOOSE: Tolerance = Tolerance { absolute: 1e-6, relative: 1e-6, time: 1e-6 };

fn at(time: f64, microstep: u32) -> Tag {
    Tag::new(Time::from_f64(time).unwrap(), microstep)
}

fn columns() -> Vec<Column> {
    let column = |name: &str, ty| Column { name: name.to_owned(), ty };
    vec![column("y", Type::REAL), column("hit", Type::BOOL)]
}

/// `y` rises with slope 1 from 0, falls to 0 at each event, and `hit` tells the events.
fn sawtooth(events: &[f64], step: f64, end: f64) -> Trace {
    let mut trace = Trace::new(columns());
    let mut last = 0.0;
    let mut events = events.iter().copied().peekable();
    for k in 0.. {
        let time = f64::from(k) * step;
        while let Some(event) = events.next_if(|event| *event <= time) {
            let limits = [event - last, 0.0];
            for (microstep, hit) in [(0, false), (1, true), (2, false)] {
                let y = &limits[usize::from(microstep > 0)..][..1];
                let value = |c| if c == 0 { Some(y) } else { hit.then_some(&[1.0][..]) };
                trace.push(at(event, microstep), value);
            }
            last = event;
        }
        if time > end {
            return trace;
        }
        if trace.tags().last().is_none_or(|tag| *tag < at(time, 0)) && time != last || k == 0 {
            let y = [time - last];
            trace.push(at(time, 0), |c| (c == 0).then_some(&y[..]));
        }
    }
    unreachable!("the steps reach the end")
}

#[test]
fn equal_traces_agree_exactly() {
    let trace = sawtooth(&[1.0, 2.5], 0.25, 4.0);
    let comparison = compare(&trace, &trace, Tolerance::EXACT);
    assert!(comparison.agrees());
    assert!(comparison.columns.iter().all(|column| column.largest.is_none()));
    assert!(comparison.to_string().starts_with("the traces agree\n"), "{comparison}");
}

#[test]
fn other_steps_agree_for_lines() {
    let (a, b) = (sawtooth(&[1.0, 2.5], 0.25, 4.0), sawtooth(&[1.0, 2.5], 0.1, 4.0));
    let comparison = compare(&a, &b, LOOSE);
    assert!(comparison.agrees(), "{comparison}");
    assert_ne!(a.len(), b.len());
}

#[test]
fn an_event_within_the_tolerance_is_the_same() {
    let (a, b) = (sawtooth(&[1.0, 2.5], 0.25, 4.0), sawtooth(&[1.0 + 1e-7, 2.5], 0.1, 4.0));
    let comparison = compare(&a, &b, LOOSE);
    assert!(comparison.agrees(), "{comparison}");
    let largest = comparison.columns[0].largest.unwrap().size();
    assert!((5e-8..2e-7).contains(&largest), "{largest}");
}

#[test]
fn a_shifted_event_is_told() {
    let (a, b) = (sawtooth(&[1.0, 2.5], 0.25, 4.0), sawtooth(&[1.0, 2.6], 0.25, 4.0));
    let comparison = compare(&a, &b, LOOSE);
    let moved = RowDifference::Moved { first: at(2.5, 0).time, second: at(2.6, 0).time };
    assert_eq!(comparison.rows, [moved]);
    let first = comparison.first.as_ref().unwrap();
    assert_eq!(first.tag, at(2.5, 1));
    assert_eq!(first.reason, Reason::Rows(moved));
    assert!(comparison.to_string().contains("(+1.000e-1 s)"), "{comparison}");
    // Between the two the one has fallen and the other not yet.
    assert!((comparison.columns[0].largest.unwrap().size() - 1.5).abs() < 0.2);
}

#[test]
fn a_missing_event_is_told() {
    let (a, b) = (sawtooth(&[1.0, 2.5], 0.25, 4.0), sawtooth(&[1.0], 0.25, 4.0));
    for (a, b, side) in [(&a, &b, Side::First), (&b, &a, Side::Second)] {
        let comparison = compare(a, b, LOOSE);
        let lone = RowDifference::Lone { tag: at(2.5, 1), side };
        assert_eq!(comparison.rows, [lone]);
        assert_eq!(comparison.first.as_ref().unwrap().reason, Reason::Rows(lone));
        // The left limits agree and the right limits do not.
        assert_eq!(comparison.columns[0].beyond.unwrap().tag, at(2.5, 2));
    }
}

#[test]
fn limits_are_not_mixed() {
    let make = |left: f64, right: f64| {
        let mut trace = Trace::new(columns());
        for (tag, y) in
            [(at(0.0, 0), 0.0), (at(1.0, 0), left), (at(1.0, 1), right), (at(2.0, 0), right)]
        {
            trace.push(tag, |c| (c == 0).then_some(std::slice::from_ref(&y)));
        }
        trace
    };
    let place = |a: &Trace, b: &Trace| compare(a, b, LOOSE).first.map(|first| first.tag);
    assert_eq!(place(&make(1.0, 5.0), &make(1.0, 5.0)), None);
    assert_eq!(place(&make(1.0, 5.0), &make(1.1, 5.0)), Some(at(1.0, 0)));
    assert_eq!(place(&make(1.0, 5.0), &make(1.0, 5.1)), Some(at(1.0, 1)));
}

#[test]
fn a_microstep_too_many_is_told() {
    let (a, mut b) = (Trace::new(columns()), Trace::new(columns()));
    let mut a = a;
    for microstep in 0..3 {
        b.push(at(1.0, microstep), |c| (c == 0).then_some(&[1.0][..]));
        if microstep < 2 {
            a.push(at(1.0, microstep), |c| (c == 0).then_some(&[1.0][..]));
        }
    }
    let comparison = compare(&a, &b, LOOSE);
    assert_eq!(comparison.rows, [RowDifference::Lone { tag: at(1.0, 2), side: Side::Second }]);
}

#[test]
fn presence_and_columns_are_compared() {
    let mut a = Trace::new(columns());
    let mut b = Trace::new(vec![columns()[0].clone(), Column { name: "z".into(), ty: Type::REAL }]);
    a.push(at(0.0, 0), |_| Some(&[1.0]));
    b.push(at(0.0, 0), |_| None);
    let comparison = compare(&a, &b, LOOSE);
    let missing = [("hit".to_owned(), Side::First), ("z".to_owned(), Side::Second)];
    assert_eq!(comparison.missing, missing);
    assert_eq!(comparison.columns[0].lone, Some((at(0.0, 0), Side::First)));
    assert!(!comparison.agrees());
    let text = comparison.to_string();
    assert!(text.contains("only the first has `hit`"), "{text}");
    assert!(text.contains("only the first has a value of `y`"), "{text}");
}

#[test]
fn a_missing_impulse_weighs_zero() {
    let mut a = sawtooth(&[1.0], 0.5, 2.0);
    let b = a.clone();
    let mut impulse = Impulse { tag: at(1.0, 1), column: 0, order: 0, weight: vec![1e-9] };
    a.push_impulse(impulse.clone());
    assert!(compare(&a, &b, LOOSE).agrees());
    impulse.weight[0] = 2.0;
    a.push_impulse(Impulse { order: 1, ..impulse });
    let comparison = compare(&b, &a, LOOSE);
    let beyond = comparison.columns[0].beyond.unwrap();
    assert_eq!((beyond.tag, beyond.order, beyond.second), (at(1.0, 1), Some(1), 2.0));
}

#[test]
fn numbers_that_are_none_are_alike() {
    let make = |y: f64| {
        let mut trace = Trace::new(columns());
        trace.push(at(0.0, 0), |_| Some(std::slice::from_ref(&y)));
        trace
    };
    let agree = |a, b| compare(&make(a), &make(b), LOOSE).agrees();
    assert!(agree(f64::NAN, f64::NAN) && agree(f64::INFINITY, f64::INFINITY));
    assert!(!agree(f64::NAN, 0.0) && !agree(f64::INFINITY, f64::NEG_INFINITY));
    assert!(!agree(f64::INFINITY, 1.0));
}

#[test]
fn another_end_is_told() {
    let (a, b) = (sawtooth(&[1.0], 0.5, 2.0), sawtooth(&[1.0], 0.5, 3.0));
    let comparison = compare(&a, &b, LOOSE);
    let end = RowDifference::End { first: at(2.0, 0).time, second: at(3.0, 0).time };
    assert_eq!(comparison.rows, [end]);
    let empty = compare(&Trace::new(columns()), &b, LOOSE);
    assert_eq!(empty.rows[0], RowDifference::Lone { tag: at(0.0, 0), side: Side::Second });
    assert!(compare(&Trace::default(), &Trace::default(), LOOSE).agrees());
}

fn machine(labels: &[&str], states: &[f64]) -> Trace {
    let column = Column { name: "m.state".into(), ty: Type::INT };
    let labels = labels.iter().map(|label| (*label).to_owned()).collect();
    let mut trace = Trace::with_schema(Schema::new(vec![column]).with_labels(0, labels));
    for (k, state) in states.iter().enumerate() {
        trace.push(at(k as f64, 0), |_| Some(std::slice::from_ref(state)));
    }
    trace
}

#[test]
fn names_are_compared_and_not_their_numbers() {
    let first = machine(&["free", "rest"], &[0.0, 0.0, 1.0]);
    let other_order = machine(&["rest", "free"], &[1.0, 1.0, 0.0]);
    let comparison = compare(&first, &other_order, Tolerance::EXACT);
    assert!(comparison.agrees() && comparison.columns[0].largest.is_none(), "{comparison}");

    let other = machine(&["rest", "flying", "free"], &[2.0, 1.0, 0.0]);
    // However far apart numbers may be, another name is another name.
    let loose = Tolerance { absolute: 10.0, ..LOOSE };
    let comparison = compare(&first, &other, loose);
    assert_eq!(comparison.columns[0].beyond.unwrap().tag, at(1.0, 0));
    let text = comparison.to_string();
    assert!(text.contains("`m.state`, free and flying"), "{text}");
    assert!(text.contains("other names; first at (1, 0): free and flying"), "{text}");

    let numbers = machine(&[], &[0.0, 0.0, 1.0]);
    assert!(compare(&first, &numbers, Tolerance::EXACT).agrees(), "an old file has numbers");
}
