//! What is written in a figure: names, numbers, units and legends.

use super::*;

#[test]
fn a_vertical_axis_has_at_least_four_ticks() {
    for panels in 1..=5 {
        for (low, high) in [(0.0, 1.0), (-0.3, 2.4), (19.0, 21.0), (0.0, 5.5), (-7e-4, 1e-4)] {
            let rows = [(0.0, 0, Some(low)), (1.0, 0, Some(high))];
            let trace = one(&rows);
            let text = svg(&Figure::new(vec![Panel::over_time(["x"]); panels]), &trace).unwrap();
            let document = Document::parse(&text).unwrap();
            let ends = |node: &resvg::usvg::roxmltree::Node| {
                node.has_tag_name("text") && node.attribute("text-anchor") == Some("end")
            };
            let ticks = document.descendants().filter(ends).count();
            assert!(ticks >= 4 * panels, "{ticks} in {panels} from {low} to {high}");
        }
    }
}

#[test]
fn names_are_escaped() {
    let name = "a<b & \"c\" ]]> 'd'\u{1}";
    let mut trace = table(&[(name, Type::REAL)]);
    trace.push(Tag::new(time(0.0), 0), |_| Some(&[1.0][..]));
    trace.push(Tag::new(time(1.0), 0), |_| Some(&[2.0][..]));
    let figure = Figure::of(&trace).title("<script>alert(1)</script>");
    let text = svg(&figure, &trace).unwrap();
    let words = words(&text);
    assert!(words.contains(&"a<b & \"c\" ]]> 'd'\u{fffd}".to_owned()), "{words:?}");
    assert!(words.contains(&"<script>alert(1)</script>".to_owned()));
    assert!(!text.contains("<script"));
    assert!(png(&figure, &trace).is_ok());
}

#[test]
fn units_and_labels_are_written() {
    let trace = square_wave(4);
    let signal = Signal::new("x").label("voltage").unit("V");
    let figure = Figure::new([Panel::over_time([signal]).title("Source")]).title("All");
    let words = words(&svg(&figure, &trace).unwrap());
    for text in ["voltage [V]", "Source", "All", "time [s]"] {
        assert!(words.contains(&text.to_owned()), "{text} is not in {words:?}");
    }
}

#[test]
fn legends_stand_outside_the_data() {
    let mut trace = table(&[("alpha", Type::REAL), ("beta", Type::REAL)]);
    for k in 0..10 {
        let row = [[f64::from(k)], [-f64::from(k)]];
        trace.push(Tag::new(time(f64::from(k)), 0), |column| Some(&row[column][..]));
    }
    let place = |legend: Legend| {
        let text = svg(&Figure { legend, ..Figure::of(&trace) }, &trace).unwrap();
        let document = Document::parse(&text).unwrap();
        let found = document.descendants().find(|node| node.text() == Some("beta"));
        let number = |name: &str| found?.attribute(name)?.parse::<f64>().ok();
        let data = strokes(&text).remove(0).1;
        let right = data.iter().map(|line| line[1].0).fold(0.0, f64::max);
        let top = data.iter().map(|line| line[1].1).fold(1e9, f64::min);
        number("x").zip(number("y")).map(|(x, y)| (x > right, y < top))
    };
    assert_eq!(place(Legend::Auto), Some((true, false)));
    assert_eq!(place(Legend::Right), Some((true, false)));
    assert_eq!(place(Legend::Top), Some((false, true)));
    assert_eq!(place(Legend::Hidden), None);
}

/// The rotated texts of a picture: their horizontal position, their middle and their length, which
/// is estimated from below.
fn upright(svg: &str) -> Vec<(String, f64, f64, f64)> {
    let document = Document::parse(svg).unwrap();
    let turned = document.descendants().filter(|node| node.attribute("transform").is_some());
    let number = |value: Option<&str>| value.unwrap().parse::<f64>().unwrap();
    let one = |node: resvg::usvg::roxmltree::Node| {
        let words = node.text().unwrap().to_owned();
        let length = 0.4 * words.chars().count() as f64 * number(node.attribute("font-size"));
        (words, number(node.attribute("x")), number(node.attribute("y")), length)
    };
    turned.map(one).collect()
}

#[test]
fn long_names_of_axes_never_overlap() {
    let trace = one(&[(0.0, 0, Some(1.0)), (1.0, 0, Some(2.0))]);
    let names = [
        "flow through the upper valve of the second tank",
        "plant.controller.integrator.saturated_output_of_the_inner_loop",
        "unbreakable".repeat(8).leak(),
        "short",
    ];
    for height in [30.0, 60.0, 120.0] {
        for name in names {
            let panel = Panel::over_time(["x"]).y(Axis::new(name).unit("V")).height(height);
            let picture = svg(&Figure::new(vec![panel; 3]), &trace).unwrap();
            let all = upright(&picture);
            assert!(all.len() >= 3, "{name}: {all:?}");
            for (k, (words, x, middle, length)) in all.iter().enumerate() {
                assert!(*length <= height + 12.0, "{words} is {length} long in {height}");
                for (other, other_x, other_middle, other_length) in &all[..k] {
                    let beside = (x - other_x).abs() >= 10.0;
                    let apart = (middle - other_middle).abs() - (length + other_length) / 2.0;
                    assert!(beside || apart > 2.0, "{words} and {other}");
                }
            }
            // The numbers are beside it.
            let document = Document::parse(&picture).unwrap();
            let ends = document.descendants().filter(|n| n.attribute("text-anchor") == Some("end"));
            let widest = ends.map(|node| {
                let x: f64 = node.attribute("x").unwrap().parse().unwrap();
                x - 6.5 * node.text().unwrap().chars().count() as f64
            });
            let right = all.iter().map(|own| own.1).fold(0.0, f64::max);
            assert!(widest.fold(f64::INFINITY, f64::min) > right, "{name}");
        }
    }
    let panel = Panel::over_time(["x"]).y(Axis::new(names[0]).unit("m³/s")).height(60.0);
    let all = upright(&svg(&Figure::new([panel]), &trace).unwrap());
    assert_eq!(all.len(), 2);
    assert!(all[1].0.ends_with("… [m³/s]"), "{all:?}");
}

#[test]
fn times_are_shown_in_the_requested_unit() {
    let ticks = |stop: f64, unit: TimeUnit| {
        let trace = one(&[(0.0, 0, Some(1.0)), (stop, 0, Some(2.0))]);
        let mut figure = Figure::new([Panel::over_time(["x"]).y(Axis::new("value"))]);
        figure.time.shown_in = Some(unit);
        let text = svg(&figure, &trace).unwrap();
        let document = Document::parse(&text).unwrap();
        let middle =
            document.descendants().filter(|n| n.attribute("text-anchor") == Some("middle"));
        let level = middle.filter(|node| node.attribute("transform").is_none());
        let all: Vec<(f64, String)> = level
            .map(|n| (n.attribute("x").unwrap().parse().unwrap(), n.text().unwrap().to_owned()))
            .collect();
        let (name, ticks) = all.split_last().unwrap();
        // Ticks are where their numbers say.
        let (first, last) = (&ticks[0], &ticks[ticks.len() - 1]);
        let value = |tick: &(f64, String)| tick.1.parse::<f64>().unwrap();
        for tick in ticks {
            let part = (tick.0 - first.0) / (last.0 - first.0);
            assert!(
                (value(first) + part * (value(last) - value(first)) - value(tick)).abs() < 1e-2
            );
        }
        (name.1.clone(), ticks.iter().map(|tick| tick.1.clone()).collect::<Vec<_>>().join(" "))
    };
    let expect = |stop: f64, unit: TimeUnit, name: &str, expected: &str| {
        assert_eq!(ticks(stop, unit), (name.to_owned(), expected.to_owned()));
    };
    expect(43200.0, TimeUnit::Hour, "time [h]", "0 2 4 6 8 10 12");
    expect(86400.0, TimeUnit::Hour, "time [h]", "0 6 12 18 24");
    expect(7200.0, TimeUnit::Minute, "time [min]", "0 30 60 90 120");
    expect(90.0, TimeUnit::Minute, "time [min]", "0.0 0.2 0.4 0.6 0.8 1.0 1.2 1.4");
    expect(864000.0, TimeUnit::Day, "time [d]", "0 2 4 6 8 10");
    expect(0.02, TimeUnit::Millisecond, "time [ms]", "0 5 10 15 20");
    expect(0.02, TimeUnit::Second, "time [s]", "0.000 0.005 0.010 0.015 0.020");
    expect(2e-4, TimeUnit::Microsecond, "time [µs]", "0 50 100 150 200");
}
