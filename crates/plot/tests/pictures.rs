//! Whole pictures, read back as XML.

#[path = "pictures/states.rs"]
mod states;
#[path = "pictures/words.rs"]
mod words;

use base::{Tag, Time, Type};
use resvg::usvg::roxmltree::Document;
use superdense_plot::{
    Axis, Error, Figure, Legend, Mark, Pair, Panel, Part, Signal, TimeUnit, png, svg,
};
use trace::{Column, Impulse, Trace};

fn time(seconds: f64) -> Time {
    Time::from_f64(seconds).unwrap()
}

fn table(columns: &[(&str, Type)]) -> Trace {
    let column = |(name, ty): &(&str, Type)| Column { name: (*name).to_owned(), ty: *ty };
    Trace::new(columns.iter().map(column).collect())
}

/// A trace of one real signal.
fn one(rows: &[(f64, u32, Option<f64>)]) -> Trace {
    let mut trace = table(&[("x", Type::REAL)]);
    for (t, n, value) in rows {
        trace.push(Tag::new(time(*t), *n), |_| value.as_ref().map(std::slice::from_ref));
    }
    trace
}

fn square_wave(halves: u32) -> Trace {
    let mut rows = vec![(0.0, 0, Some(1.0))];
    for k in 1..=halves {
        let level = if k % 2 == 0 { 1.0 } else { -1.0 };
        rows.extend([(f64::from(k), 0, Some(-level)), (f64::from(k), 1, Some(level))]);
    }
    one(&rows)
}

/// The first colour of the palette, in which the data of these tests are drawn.
const DATA: &str = "#0072b2";

/// A path: whether it is dashed, and its lines.
type Drawn = (bool, Vec<[(f64, f64); 2]>);

/// The strokes of the data.
fn strokes(svg: &str) -> Vec<Drawn> {
    let document = Document::parse(svg).unwrap();
    let paths = document.descendants().filter(|node| node.attribute("stroke") == Some(DATA));
    paths
        .map(|path| {
            let dashed = path.attribute("stroke-dasharray").is_some();
            (dashed, lines(path.attribute("d").unwrap()))
        })
        .collect()
}

fn lines(data: &str) -> Vec<[(f64, f64); 2]> {
    let mut lines = Vec::new();
    for stroke in data.split('M').skip(1) {
        let point = |text: &str| {
            let (x, y) = text.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        let points: Vec<(f64, f64)> = stroke.split('L').map(point).collect();
        lines.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
    }
    lines
}

/// The words of a picture.
fn words(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|text| text.text().unwrap_or_default().to_owned()).collect()
}

fn default(trace: &Trace) -> String {
    svg(&Figure::of(trace), trace).unwrap()
}

#[test]
fn no_line_is_slanted_across_a_jump() {
    for halves in [1, 8, 500, 20_000] {
        let text = default(&square_wave(halves));
        for (dashed, lines) in strokes(&text) {
            for [from, to] in lines {
                assert!(from.0 == to.0 || from.1 == to.1, "{halves}: {from:?} {to:?}");
                assert!(!dashed || from.0 == to.0, "{halves}: {from:?} {to:?}");
            }
        }
    }
}

#[test]
fn a_jump_is_one_thin_dashed_vertical() {
    let text = default(&square_wave(8));
    let all = strokes(&text);
    let (jumps, flows): (Vec<_>, Vec<_>) = all.into_iter().partition(|(dashed, _)| *dashed);
    assert_eq!((jumps[0].1.len(), flows[0].1.len()), (8, 8));
    assert!(jumps[0].1.iter().all(|[from, to]| from.0 == to.0 && from.1 != to.1));
    assert!(flows[0].1.iter().all(|[from, to]| from.1 == to.1 && from.0 != to.0));
}

#[test]
fn a_jump_looks_the_same_however_dense_the_rows() {
    let jumps_and_flows = |per_half: u32| {
        let mut rows = Vec::new();
        for k in 0..5 * per_half {
            let (t, level) = (f64::from(k) / f64::from(per_half), f64::from(k / per_half % 2));
            if k > 0 && k % per_half == 0 {
                rows.push((t, 0, Some(1.0 - level)));
            }
            rows.push((t, u32::from(k > 0 && k % per_half == 0), Some(level)));
        }
        let all = strokes(&default(&one(&rows)));
        let (jumps, flows): (Vec<_>, Vec<_>) = all.into_iter().partition(|(dashed, _)| *dashed);
        assert!(flows[0].1.iter().all(|[from, to]| from.1 == to.1), "{per_half}: a solid jump");
        jumps[0].1.iter().map(|line| line.map(|(x, y)| (x.round(), y))).collect::<Vec<_>>()
    };
    let sparse = jumps_and_flows(2);
    assert_eq!(sparse.len(), 4);
    for per_half in [1000, 2000, 5000] {
        assert_eq!(jumps_and_flows(per_half).len(), sparse.len(), "{per_half}");
    }
}

#[test]
fn an_absent_signal_leaves_a_gap() {
    let value = |k: u32| (!(4..7).contains(&k)).then_some(f64::from(k));
    let rows: Vec<_> = (0..10).map(|k| (f64::from(k), 0, value(k))).collect();
    let lines: Vec<_> = strokes(&default(&one(&rows))).remove(0).1;
    assert_eq!(lines.len(), 3 + 2);
    let gap = lines.windows(2).filter(|pair| pair[0][1] != pair[1][0]).count();
    assert_eq!(gap, 1);
}

#[test]
fn events_are_stems_from_zero() {
    let mut rows = Vec::new();
    for k in 0..5 {
        rows.extend([(f64::from(k), 0, None), (f64::from(k), 1, Some(f64::from(k) + 1.0))]);
    }
    let stems = strokes(&default(&one(&rows))).remove(0).1;
    assert_eq!(stems.len(), 5);
    let ground = stems[0][0].1;
    for (k, [from, to]) in stems.iter().enumerate() {
        assert_eq!((from.1, from.0), (ground, to.0));
        let height = (ground - to.1) / (ground - stems[0][1].1);
        assert!((height - (k as f64 + 1.0)).abs() < 1e-3, "{height}");
    }
}

fn impulses(orders: &[(usize, f64)]) -> Trace {
    let mut trace = one(&[(0.0, 0, Some(0.0)), (1.0, 0, Some(0.0)), (2.0, 0, Some(0.0))]);
    for &(order, weight) in orders {
        let (tag, weight) = (Tag::new(time(1.0), 1), vec![weight]);
        trace.push_impulse(Impulse { tag, column: 0, order, weight });
    }
    trace
}

#[test]
fn impulses_are_arrows_as_high_as_their_coefficient() {
    let text = default(&impulses(&[(0, 2.5)]));
    assert!(words(&text).contains(&"2.5 δ".to_owned()));
    // The shaft ends within the head, whose tip is at the coefficient.
    let shaft = strokes(&text).pop().unwrap().1[0];
    assert_eq!(shaft[0].0, shaft[1].0);
    let document = Document::parse(&text).unwrap();
    let heads: Vec<&str> = document
        .descendants()
        .filter(|node| node.attribute("fill") == Some(DATA) && node.has_tag_name("path"))
        .filter_map(|node| node.attribute("d"))
        .collect();
    let tip = lines(heads[0].trim_end_matches('Z'))[0][0];
    assert_eq!(tip.0, shaft[0].0);
    let grid = |label: &str| {
        let texts = document.descendants().filter(|node| node.text() == Some(label));
        let heights = texts.filter(|node| node.attribute("text-anchor") == Some("end"));
        heights.map(|node| node.attribute("y").unwrap().parse::<f64>().unwrap()).next().unwrap()
    };
    let unit = (grid("0.0") - grid("2.0")) / 2.0;
    assert!(((shaft[0].1 - tip.1) / unit - 2.5).abs() < 1e-2, "{tip:?} {shaft:?} {unit}");
}

#[test]
fn orders_of_impulses_have_primes_and_stand_side_by_side() {
    let text = default(&impulses(&[(0, 2.0), (1, 2.0), (2, -1.0)]));
    let words = words(&text);
    for label in ["2 δ", "2 δ′", "−δ″"] {
        assert!(words.contains(&label.to_owned()), "{label} is not in {words:?}");
    }
    let shafts: Vec<f64> = strokes(&text)[1..].iter().map(|(_, lines)| lines[0][0].0).collect();
    assert_eq!(shafts.len(), 3);
    assert_ne!(shafts[0], shafts[1]);
}

#[test]
fn an_opened_instant_spreads_its_microsteps() {
    let rows = [
        (0.0, 0, Some(1.0)),
        (1.0, 0, Some(1.0)),
        (1.0, 1, Some(3.0)),
        (1.0, 2, Some(2.0)),
        (2.0, 0, Some(2.0)),
    ];
    let trace = one(&rows);
    let closed = strokes(&default(&trace));
    let places = |all: &[Drawn]| -> Vec<f64> {
        let jumps = all.iter().filter(|(dashed, _)| *dashed);
        jumps.flat_map(|(_, lines)| lines.iter().map(|line| line[0].0)).collect()
    };
    let at = places(&closed);
    assert_eq!((at.len(), at[0]), (2, at[1]));
    let text = svg(&Figure::of(&trace).open(time(0.9)), &trace).unwrap();
    let at = places(&strokes(&text));
    assert_eq!((at.len(), at[1] - at[0]), (2, 30.0));
    assert!(words(&text).contains(&"microsteps at t = 1 s".to_owned()));
    let smooth = one(&[(0.0, 0, Some(1.0)), (1.0, 0, Some(1.0))]);
    let error = svg(&Figure::of(&smooth).open(time(0.5)), &smooth).unwrap_err();
    assert_eq!(error, Error::NoMicrosteps { time: time(0.5) });
}

#[test]
fn solver_steps_are_stems() {
    let rows: Vec<_> = (0..20).map(|k| (f64::from(k), 0, Some(f64::from(k).sin()))).collect();
    let trace = one(&rows);
    let figure = Figure::new([Panel::over_time(["x"]).solver_steps()]);
    let stems = &strokes(&svg(&figure, &trace).unwrap())[0].1;
    // The first value is zero, where a stem has no height but is still there.
    assert_eq!(stems.len(), 20);
    assert!(stems.iter().all(|[from, to]| from.0 == to.0));
}

#[test]
fn a_million_points_keep_their_peak() {
    let mut trace = table(&[("x", Type::REAL)]);
    for k in 0..1_000_000u32 {
        let value = [if k == 314_159 { 7.0 } else { (f64::from(k) * 0.37).sin() }];
        trace.push(Tag::new(Time::from_attoseconds(i128::from(k) * 1_000_000), 0), |_| {
            Some(&value[..])
        });
    }
    let text = default(&trace);
    assert!(text.len() < 200_000, "{}", text.len());
    let highest = strokes(&text).remove(0).1.iter().map(|line| line[0].1).fold(1e9, f64::min);
    let document = Document::parse(&text).unwrap();
    let tick = document.descendants().find(|node| node.text() == Some("6")).unwrap();
    let tick: f64 = tick.attribute("y").unwrap().parse().unwrap();
    assert!(highest < tick - 4.0, "{highest} {tick}");
}

#[test]
fn many_small_jumps_leave_a_line_of_full_strength() {
    // A held signal that follows a curve in ten thousand steps.
    let mut rows = vec![(0.0, 0, Some(1.0))];
    for k in 1..=10_000u32 {
        let before = (-f64::from(k - 1) * 4e-4).exp();
        let after = (-f64::from(k) * 4e-4).exp();
        let t = f64::from(k) * 1e-4;
        rows.extend([(t, 0, Some(before)), (t, 1, Some(after))]);
    }
    let text = default(&one(&rows));
    assert!(text.len() < 400_000, "{}", text.len());
    // Of every pixel from the left to the right end some solid line covers nearly all.
    let solid = strokes(&text).into_iter().filter(|(dashed, _)| !dashed);
    let lines: Vec<[(f64, f64); 2]> = solid.flat_map(|(_, lines)| lines).collect();
    let left = lines.iter().map(|line| line[0].0).fold(f64::INFINITY, f64::min);
    let right = lines.iter().map(|line| line[1].0).fold(0.0, f64::max);
    let mut covered = vec![0.0f64; (right - left) as usize];
    let count = covered.len();
    for [from, to] in lines.iter().filter(|[from, to]| from.1 == to.1) {
        let (from, to) = (from.0.min(to.0), from.0.max(to.0));
        let first = (from - left) as usize;
        for (pixel, sum) in covered.iter_mut().enumerate().take(first + 3).skip(first) {
            let (start, end) = (left + pixel as f64, left + pixel as f64 + 1.0);
            *sum += (to.min(end) - from.max(start)).max(0.0);
        }
    }
    let bare = covered.iter().filter(|sum| **sum < 0.7).count();
    assert!(count > 400 && bare < count / 50, "{bare} of {count}");
}

#[test]
fn a_close_up_is_a_curve_that_stays_between_its_rows() {
    let rows: Vec<_> =
        (0..=12).map(|k| (f64::from(k), 0, Some((f64::from(k) * 0.5).sin()))).collect();
    let trace = one(&rows);
    let figure = Figure::of(&trace).between(time(4.2), time(7.8));
    let lines = strokes(&svg(&figure, &trace).unwrap()).remove(0).1;
    // Four rows are in view, and many points.
    assert!(lines.len() > 100, "{}", lines.len());
    let turns = lines.windows(2).filter(|pair| {
        let slope = |line: &[(f64, f64); 2]| (line[1].1 - line[0].1) / (line[1].0 - line[0].0);
        (slope(&pair[0]) - slope(&pair[1])).abs() > 0.15
    });
    assert_eq!(turns.count(), 0);
    // Held values and whole numbers stay straight.
    let mut whole = table(&[("x", Type::INT)]);
    for k in 0..4 {
        let value = [f64::from(k * k)];
        whole.push(Tag::new(time(f64::from(k)), 0), |_| Some(&value[..]));
    }
    assert_eq!(strokes(&default(&whole)).remove(0).1.len(), 3);
}

#[test]
fn a_logarithmic_axis_has_powers_of_ten() {
    let rows: Vec<_> = (0..=40).map(|k| (f64::from(k), 0, Some((-f64::from(k)).exp()))).collect();
    let trace = one(&rows);
    let figure = Figure::new([Panel::over_time(["x"]).log()]);
    let text = svg(&figure, &trace).unwrap();
    let words = words(&text);
    for label in ["10⁻⁶", "10⁻¹²"] {
        assert!(words.contains(&label.to_owned()), "{label} is not in {words:?}");
    }
    // An exponential is a straight line.
    let lines = strokes(&text).remove(0).1;
    let (first, last) = (lines[0][0], lines[lines.len() - 1][1]);
    let slope = (last.1 - first.1) / (last.0 - first.0);
    for [_, (x, y)] in lines {
        assert!((y - first.1 - slope * (x - first.0)).abs() < 1.5, "{x} {y}");
    }
    assert!(!words.iter().any(|word| word.contains("left out")));
    // What is not positive is left out, and that is said.
    let partly =
        one(&[(0.0, 0, Some(1.0)), (1.0, 0, Some(-1.0)), (2.0, 0, Some(0.0)), (3.0, 0, Some(4.0))]);
    let text = svg(&figure, &partly).unwrap();
    assert!(self::words(&text).contains(&"not positive, left out: x (2)".to_owned()));
    let none = one(&[(0.0, 0, Some(-1.0)), (1.0, 0, Some(-2.0))]);
    assert!(svg(&figure, &none).unwrap().contains("There is no value"));
    let y = Axis { log: true, ..Axis::default().between(0.0, 1.0) };
    assert!(svg(&Figure::new([Panel::over_time(["x"]).y(y)]), &trace).is_err());
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let trace = square_wave(40);
    let figure = Figure::new([Panel::over_time(["x"]), Panel::phase("x", "x")]);
    assert_eq!(svg(&figure, &trace), svg(&figure, &trace));
    assert_eq!(png(&figure, &trace), png(&figure, &trace));
}

#[test]
fn what_cannot_be_drawn_says_so() {
    let message = |trace: &Trace| words(&default(trace));
    let has = |trace: &Trace, text: &str| {
        assert!(message(trace).contains(&text.to_owned()), "{:?}", message(trace));
        assert!(png(&Figure::of(trace), trace).is_ok());
    };
    has(&Trace::default(), "The trace has no rows.");
    has(&table(&[("x", Type::REAL)]), "The trace has no rows.");
    has(&one(&[(0.0, 0, None), (1.0, 0, None)]), "x is never present.");
    let nan = one(&[(0.0, 0, Some(f64::NAN)), (1.0, 0, Some(f64::INFINITY))]);
    has(&nan, "There is no value in this range of time.");
    has(&nan, "values that are not finite: x (2)");
    let partly = one(&[(0.0, 0, Some(1.0)), (1.0, 0, Some(f64::NAN)), (2.0, 0, Some(1.0))]);
    has(&partly, "values that are not finite: x (1)");
}

#[test]
fn mistakes_in_a_figure_are_errors() {
    let trace = square_wave(2);
    let error = |figure: Figure| svg(&figure, &trace).unwrap_err().to_string();
    let unknown = error(Figure::new([Panel::over_time(["X1"])]));
    assert_eq!(unknown, "the trace has no signal `X1`; did you mean `x`?");
    assert!(error(Figure::new([Panel::phase("x", "q")])).contains("no signal `q`"));
    assert!(error(Figure::new([Panel::over_time(["x[0]"])])).contains("no element `x[0]`"));
    let y = Axis::default().between(2.0, 1.0);
    assert!(error(Figure::new([Panel::over_time(["x"]).y(y)])).contains("from 2 to 1"));
    assert!(error(Figure::of(&trace).between(time(1.0), time(1.0))).contains("range of time"));
    assert!(error(Figure { width: f64::NAN, ..Figure::of(&trace) }).contains("width"));
    assert!(error(Figure::new([Panel::over_time(["x"]).height(-1.0)])).contains("height"));
    let huge = Figure { pixel_ratio: 1e4, ..Figure::of(&trace) };
    assert!(matches!(png(&huge, &trace), Err(Error::TooLarge { .. })));
    let none = Figure { pixel_ratio: 0.0, ..Figure::of(&trace) };
    assert!(matches!(png(&none, &trace), Err(Error::BadSize { .. })));
}

/// A generator that needs no crate (Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn value(&mut self) -> f64 {
        let odd =
            [0.0, 1.0, -1.0, 1e308, -1e308, f64::MAX, 5e-324, 1e-300, f64::NAN, f64::INFINITY];
        match self.below(4) {
            0 => odd[self.below(odd.len() as u64) as usize],
            _ => self.below(2000) as f64 / 1000.0 - 1.0,
        }
    }
}

fn random_trace(random: &mut Random) -> Trace {
    let types = [Type::REAL, Type::BOOL, Type::INT, Type::vector(3), Type::vector(0)];
    let columns: Vec<Type> =
        (0..random.below(5)).map(|_| types[random.below(5) as usize]).collect();
    let named: Vec<(String, Type)> =
        columns.iter().enumerate().map(|(k, ty)| (format!("s{k}"), *ty)).collect();
    let mut trace = table(&named.iter().map(|(name, ty)| (name.as_str(), *ty)).collect::<Vec<_>>());
    let mut tag = Tag::new(Time::from_attoseconds(i128::from(random.below(9)) - 4), 0);
    for _ in 0..random.below(60) {
        let row: Vec<Option<Vec<f64>>> = columns
            .iter()
            .map(|ty| {
                (random.below(4) > 0).then(|| (0..ty.len()).map(|_| random.value()).collect())
            })
            .collect();
        trace.push(tag, |column| row[column].as_deref());
        for (column, ty) in columns.iter().enumerate() {
            if random.below(8) == 0 {
                let (order, weight) =
                    (random.below(6) as usize, (0..ty.len()).map(|_| random.value()).collect());
                trace.push_impulse(Impulse { tag, column, order, weight });
            }
        }
        let steps = [1, 1_000_000_000_000, 10i128.pow(18), 10i128.pow(38)];
        tag = match random.below(3) {
            0 => Tag::new(tag.time, tag.microstep + 1),
            _ => {
                let kinds = if random.below(20) == 0 { 4 } else { 3 };
                let step = steps[random.below(kinds) as usize];
                Tag::new(tag.time + Time::from_attoseconds(step), random.below(8) as u32 / 7)
            }
        };
    }
    trace
}

#[test]
fn no_trace_breaks_a_picture() {
    let mut random = Random(7);
    for round in 0..400 {
        let trace = random_trace(&mut random);
        let mut figure = Figure::of(&trace);
        let scalars: Vec<String> = trace
            .columns()
            .iter()
            .filter(|column| column.ty.is_scalar())
            .map(|column| column.name.clone())
            .collect();
        if let [x, .., y] = &scalars[..] {
            figure.panels.push(Panel::phases([Pair::new(x, y), Pair::new(y, x)]).equal_scales());
        }
        for name in &scalars {
            let signals = [Mark::Line, Mark::Stems, Mark::Dots]
                .map(|mark| Signal::new(name.as_str()).mark(mark))
                .into_iter()
                .chain([Signal::new(name.as_str()).part(Part::Impulses)]);
            figure.panels.push(Panel::over_time(signals).solver_steps());
        }
        figure.time.open.extend(trace.tags().iter().skip(3).take(1).map(|tag| tag.time));
        let text = match svg(&figure, &trace) {
            Ok(text) => text,
            Err(Error::NoMicrosteps { .. }) => {
                figure.time.open.clear();
                svg(&figure, &trace).unwrap()
            }
            Err(error) => panic!("round {round}: {error}"),
        };
        Document::parse(&text).unwrap();
        for bad in ["NaN", "inf"] {
            assert!(!text.replace("infinite", "").contains(bad), "round {round}: {bad}");
        }
        if round % 10 == 0 {
            let small = Figure { pixel_ratio: 0.5, ..figure };
            png(&small, &trace).unwrap();
        }
    }
}

#[test]
fn many_dots_are_small() {
    let radius = |count: u32| {
        let value = |k: u32| Some((f64::from(k) * 0.7).sin());
        let rows: Vec<_> = (0..count).map(|k| (f64::from(k), 1, value(k))).collect();
        let trace = one(&rows);
        let signal = Signal::new("x").mark(Mark::Dots);
        let text = svg(&Figure::new([Panel::over_time([signal])]), &trace).unwrap();
        let document = Document::parse(&text).unwrap();
        let paths = document.descendants().filter(|node| node.attribute("fill") == Some(DATA));
        let data = paths.filter_map(|node| node.attribute("d")).next().unwrap();
        let radius = data.split_once('a').unwrap().1.split(' ').next().unwrap();
        radius.parse::<f64>().unwrap()
    };
    assert_eq!(radius(20), 2.8);
    // The discs of a few hundred events still cover less than their share of the axis.
    assert!(radius(200) < 1.3 && radius(200) > 1.0, "{}", radius(200));
    assert!(radius(5000) >= 1.0, "{}", radius(5000));
}

/// A signal far from zero, drawn by its change, has the curve and the ticks of the same signal from
/// zero on.
#[test]
fn a_change_is_drawn_from_the_first_value() {
    let rows = |level: f64| {
        one(&[(0.0, 0, Some(level)), (1.0, 0, Some(level + 0.25)), (2.0, 0, Some(level - 0.5))])
    };
    let change = Signal { change: true, ..Signal::new("x").label("drift") };
    let plain = Signal::new("x").label("drift");
    let drawn = |level: f64, signal: Signal| {
        svg(&Figure::new([Panel::over_time([signal])]), &rows(level)).unwrap()
    };
    assert_eq!(drawn(1024.0, change.clone()), drawn(0.0, plain.clone()));
    assert_ne!(drawn(1024.0, plain), drawn(1024.0, change));
    let named = drawn(1024.0, Signal { change: true, ..Signal::new("x") });
    assert!(named.contains("change of x"));
}
