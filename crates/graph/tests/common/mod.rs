//! Models for the tests, and what must hold of every picture.

#![allow(dead_code)]

use diagram::Diagram;
use proptest::prelude::*;
use superdense_graph::{Figure, Layout, Line, Point, Rect};

/// The flat diagram of a model text.
pub fn flat(text: &str) -> Diagram {
    let model = model::parse("test.yaml", text, &mut |_| Err("no files".to_owned()));
    let model = model.unwrap_or_else(|refused| panic!("{:?}\n{text}", refused.diagnostics));
    let library = blocks::Library::standard();
    diagram::flatten(&model, &library, &diagram::Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// One block of a random model: which kind, and which signals it reads.
pub type Choice = (u8, usize, usize, usize);

/// Random choices for up to so many blocks.
pub fn choices(count: usize) -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec((0u8..16, 0usize..1000, 0usize..1000, 0usize..1000), 1..count)
}

/// A model in which anything may read anything: loops, self loops and lone blocks included.
pub fn model(choices: &[Choice]) -> String {
    let mut text = String::from(
        "superdense: 1\nname: random\ndiagrams:\n  Inner:\n    inputs: [u, w]\n    \
         outputs: {y: x, z: 2 * x}\n    blocks:\n      x: {type: Integrator, input: u - x}\n      \
         e: {type: LevelCrossing, input: w}\n  Outer:\n    inputs: [u]\n    outputs: {y: one.y, z: \
         two.z}\n    blocks:\n      one: {type: Inner, u: u, w: two.y}\n      two: {type: Inner, u: \
         one.y, w: 2 * u}\n      lone: {type: Constant, value: 1}\nblocks:\n",
    );
    // Signals that are there between events, and events; the first of each always exists.
    let (mut smooth, mut events) = (vec!["s".to_owned()], vec!["c".to_owned()]);
    for (index, (kind, ..)) in choices.iter().enumerate() {
        match kind {
            4 | 5 => smooth.extend([format!("b{index}.y"), format!("b{index}.z")]),
            7..=9 => events.push(format!("b{index}")),
            _ => smooth.push(format!("b{index}")),
        }
    }
    text.push_str("  s: {type: Sine}\n  c: {type: Clock, period: 1}\n");
    for (index, (kind, a, b, c)) in choices.iter().enumerate() {
        let pick = |from: &Vec<String>, at: usize| from[at % from.len()].clone();
        let (x, y, z) = (pick(&smooth, *a), pick(&smooth, *b), pick(&smooth, *c));
        // A signal that needs itself to be there is refused, so events come from earlier blocks.
        let earlier = |event: &&String| event[1..].parse().is_ok_and(|at: usize| at < index);
        let known: Vec<String> =
            events.iter().filter(|e| *e == "c" || earlier(e)).cloned().collect();
        let (e, f) = (pick(&known, *a), pick(&known, *c));
        let body = match kind {
            0 => format!("Integrator, input: {x}"),
            1 => format!("Integrator, input: {x} * {y} - {z}, impulse: {e}"),
            2 => format!("Sum, inputs: [{x}, {y}, -{z}]"),
            3 => format!("Gain, input: {x}, gain: 2"),
            4 => format!("Inner, u: {x}, w: {y}"),
            5 => format!("Outer, u: {x} + {y}"),
            6 => format!("ZeroOrderHold, input: {e}"),
            7 => format!("Sample, input: if {x} < {y} then {x} else {z}, trigger: {f}"),
            8 => format!("LevelCrossing, input: {x}"),
            9 => format!("Merge, inputs: [{e}, {f}]"),
            10 => "Constant, value: 3".to_owned(),
            11 => format!("Expression, expression: {x} - 2 * {y}"),
            _ => {
                let (array, element) = array(*kind, &format!("a{index}"), [&x, &y, &z]);
                text.push_str(&format!("  a{index}: {{type: {array}}}\n"));
                format!("Expression, expression: \"{element} - {x}\"")
            }
        };
        text.push_str(&format!("  b{index}: {{type: {body}}}\n"));
    }
    text
}

/// An array of blocks that read others and each other, and one of its elements.
fn array(kind: u8, name: &str, [x, y, z]: [&String; 3]) -> (String, String) {
    let before = |port: &str| format!("if i > 0 then {name}{port}[i - 1] else {x}");
    let array = match kind {
        12 => format!("Integrator, for: {{i: 3}}, input: \"{}\"", before("")),
        13 => format!("Sum, for: {{i: 3}}, inputs: [\"{} + {y}\", {z}, {y}]", before("")),
        14 => format!(
            "Inner, for: {{i: 2, j: 2}}, u: \"{name}.z[1 - i, j]\", w: \"if i > j then \
             {name}.y[j, i] else {x} * {y}\""
        ),
        _ => format!("Outer, for: {{i: 3}}, u: \"{}\"", before(".z")),
    };
    let element = match kind {
        12 | 13 => format!("{name}[2]"),
        14 => format!("{name}.y[1, 0]"),
        _ => format!("sum({name}.z)"),
    };
    (array, element)
}

/// Checks a picture: nothing on top of anything else.
pub fn check(layout: &Layout) {
    let sheet = Rect { x: 0, y: 0, width: layout.width, height: layout.height };
    for (index, node) in layout.nodes.iter().enumerate() {
        assert!(holds(&sheet, &node.area), "{} is on the sheet", node.path);
        for other in &layout.nodes[index + 1..] {
            assert!(!overlap(&node.area, &other.area), "{} is on {}", node.path, other.path);
        }
        for frame in &layout.frames {
            let apart = !overlap(&frame.area, &node.area);
            assert!(apart || holds(&frame.area, &node.area), "{} / {}", frame.path, node.path);
            // An expression at a port of an instance may stand on either side.
            if !matches!(node.figure, Figure::Expression(_)) {
                let inside = node.path.starts_with(&format!("{}.", frame.path));
                assert_eq!(!apart, inside, "{} / {}", frame.path, node.path);
            }
        }
    }
    for line in &layout.lines {
        check_line(layout, line);
    }
    for (index, line) in layout.lines.iter().enumerate() {
        for other in layout.lines[index + 1..].iter().filter(|other| other.wire != line.wire) {
            assert!(!along(line, other), "{} lies on {}", line.name, other.name);
        }
    }
}

fn check_line(layout: &Layout, line: &Line) {
    assert!(line.points.len() >= 2);
    for pair in line.points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        assert!((a.x == b.x) != (a.y == b.y), "{} runs along an axis", line.name);
        let piece = piece(a, b);
        for node in &layout.nodes {
            assert!(!overlap(&piece, &node.body), "{} runs through {}", line.name, node.path);
        }
        for frame in &layout.frames {
            check_frame(&frame.area, line, (a, b), &frame.path);
        }
    }
}

fn piece(a: Point, b: Point) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect { x, y, width: (a.x - b.x).abs(), height: (a.y - b.y).abs() }
}

/// A wire meets the edge of a box at its own ends only.
fn check_frame(area: &Rect, line: &Line, (a, b): (Point, Point), path: &str) {
    let strictly =
        |p: Point| area.x < p.x && p.x < area.right() && area.y < p.y && p.y < area.bottom();
    let inside = strictly(a) || strictly(b) || overlap(&piece(a, b), area);
    let outside =
        |p: Point| p.x < area.x || p.x > area.right() || p.y < area.y || p.y > area.bottom();
    assert!(!(inside && (outside(a) || outside(b))), "{} breaks through {path}", line.name);
}

/// Whether two rectangles share more than an edge; one without width or height is a piece of line.
fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

fn holds(outer: &Rect, inner: &Rect) -> bool {
    outer.x <= inner.x
        && inner.right() <= outer.right()
        && outer.y <= inner.y
        && inner.bottom() <= outer.bottom()
}

/// Whether two wires run on each other for a while.
fn along(a: &Line, b: &Line) -> bool {
    let shared = |a0: i64, a1: i64, b0: i64, b1: i64| {
        a0.max(a1).min(b0.max(b1)) > a0.min(a1).max(b0.min(b1))
    };
    a.points.windows(2).any(|p| {
        b.points.windows(2).any(|q| {
            let level = p[0].y == p[1].y && q[0].y == q[1].y && p[0].y == q[0].y;
            let upright = p[0].x == p[1].x && q[0].x == q[1].x && p[0].x == q[0].x;
            (level && shared(p[0].x, p[1].x, q[0].x, q[1].x))
                || (upright && shared(p[0].y, p[1].y, q[0].y, q[1].y))
        })
    })
}
