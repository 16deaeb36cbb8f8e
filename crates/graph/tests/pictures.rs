//! What must hold of pictures, on random diagrams and on ones that are hard in a known way.

use crate::common;
use crate::common::{check, choices, flat, model};
use proptest::prelude::*;
use superdense_graph::{Figure, Node, Options, Order, Side, dot, layout, svg};

/// Every set of options that changes the layout.
fn variants() -> [Options<'static>; 5] {
    let plain = Options::default();
    [
        plain,
        Options { fold_expressions: true, ..plain },
        Options { depth: Some(0), ..plain },
        Options { depth: Some(1), open_arrays: true, ..plain },
        Options { depth: Some(1), fold_expressions: true, legend: false, ..plain },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_drawn_on_anything_else(choices in choices(30)) {
        let diagram = flat(&model(&choices));
        for options in variants() {
            check(&layout(&diagram, &options));
        }
    }

    #[test]
    fn the_same_diagram_gives_the_same_bytes(choices in choices(20)) {
        let text = model(&choices);
        let (one, two) = (flat(&text), flat(&text));
        for options in variants() {
            prop_assert_eq!(svg(&layout(&one, &options)), svg(&layout(&two, &options)));
            prop_assert_eq!(dot(&one, &options), dot(&two, &options));
        }
    }
}

fn blocks(text: &str) -> diagram::Diagram {
    flat(&format!("superdense: 1\nname: test\nblocks:\n{text}"))
}

#[test]
fn feedback_runs_around_the_blocks() {
    let diagram = blocks(
        "  a: {type: Integrator, input: c}\n  b: {type: Integrator, input: a}\n  \
         c: {type: Integrator, input: b}\n",
    );
    let layout = layout(&diagram, &Options::default());
    check(&layout);
    let back: Vec<_> = layout.lines.iter().filter(|line| line.feedback).collect();
    assert_eq!(back.len(), 1);
    // It leaves to the right of all blocks, enters from the left of all, and passes below or above.
    let xs = || back[0].points.iter().map(|p| p.x);
    let left = layout.nodes.iter().map(|node| node.area.x).min();
    let right = layout.nodes.iter().map(|node| node.area.right()).max();
    assert!(xs().min() < left && xs().max() > right);
    let top = layout.nodes.iter().map(|node| node.area.y).min();
    let bottom = layout.nodes.iter().map(|node| node.area.bottom()).max();
    assert!(back[0].points.iter().any(|p| Some(p.y) < top || Some(p.y) > bottom));
    let first = layout.nodes.iter().min_by_key(|node| node.area.x).map(|node| node.name.as_str());
    assert_eq!(first, Some("a"));
}

#[test]
fn a_chain_is_a_straight_line() {
    let diagram = blocks(
        "  u: {type: Step, time: 1}\n  a: {type: Integrator, input: u}\n  \
         b: {type: Gain, input: a, gain: 3}\n  c: {type: Integrator, input: b}\n",
    );
    let layout = layout(&diagram, &Options::default());
    assert!(layout.lines.iter().all(|line| line.points.len() == 2));
}

#[test]
fn a_block_may_read_itself() {
    let diagram = blocks("  x: {type: Integrator, input: x}\n");
    let layout = layout(&diagram, &Options::default());
    check(&layout);
    assert!(layout.lines[0].feedback);
}

#[test]
fn parts_that_are_not_connected_stand_apart() {
    let mut text = String::new();
    for index in 0..40 {
        text.push_str(&format!("  u{index}: {{type: Constant, value: {index}}}\n"));
        text.push_str(&format!("  x{index}: {{type: Integrator, input: u{index}}}\n"));
    }
    let layout = layout(&blocks(&text), &Options::default());
    check(&layout);
    assert!(layout.width < 4 * layout.height && layout.height < 4 * layout.width);
}

#[test]
fn instances_are_nested_boxes_with_named_ports() {
    let diagram = flat(&model(&[(5, 0, 0, 0), (4, 1, 2, 0)]));
    let layout = layout(&diagram, &Options::default());
    check(&layout);
    let paths: Vec<&str> = layout.frames.iter().map(|frame| frame.path.as_str()).collect();
    assert_eq!(paths, ["b0", "b0.one", "b0.two", "b1"]);
    let one = &layout.frames[1];
    let mut inputs: Vec<&str> =
        one.ports.iter().filter(|p| p.side == Side::Left).map(|p| p.name.as_str()).collect();
    inputs.sort_unstable();
    assert_eq!(inputs, ["u", "w"]);
    // The name is that of the declaration, `outputs: {y: x}`, though nobody in the same level reads it.
    assert!(one.ports.iter().any(|port| port.side == Side::Right && port.name == "y"));
}

#[test]
fn a_closed_instance_hides_its_inside() {
    let diagram = flat(&model(&[(5, 0, 0, 0)]));
    let closed = layout(&diagram, &Options { depth: Some(0), ..Options::default() });
    assert!(closed.frames.is_empty());
    assert!(closed.nodes.iter().any(|node| node.path == "b0" && node.figure == Figure::Closed(9)));
    let half = layout(&diagram, &Options { depth: Some(1), ..Options::default() });
    assert_eq!(half.frames.len(), 1);
    assert!(half.nodes.iter().any(|node| node.path == "b0.one"));
}

#[test]
fn expressions_are_nodes_or_labels() {
    let diagram = blocks(
        "  s: {type: Sine}\n  x: {type: Integrator, input: if s < 1 then s else -x}\n  \
         y: {type: Expression, expression: x - 3}\n",
    );
    let nodes = layout(&diagram, &Options::default());
    let written = |node: &&Node| matches!(node.figure, Figure::Expression(_));
    let expressions: Vec<_> = nodes.nodes.iter().filter(written).collect();
    assert_eq!(expressions.len(), 1);
    assert_eq!(expressions[0].text, ["if s < 1 then s else -x"]);
    assert!(svg(&nodes).contains("if s &lt; 1 then s else -x"));
    // The block that names an expression shows it.
    let named = nodes.nodes.iter().find(|node| node.name == "y").expect("it is drawn");
    assert_eq!(named.text, ["x - 3"]);
    let folded = layout(&diagram, &Options { fold_expressions: true, ..Options::default() });
    check(&folded);
    assert!(!folded.nodes.iter().any(|node| written(&node)));
    let host = folded.nodes.iter().find(|node| node.name == "x").expect("it is drawn");
    assert_eq!(host.labels[0].text, "if s < 1 then s else -x");
}

#[test]
fn a_refused_loop_is_red() {
    let diagram = blocks(
        "  s: {type: Sine}\n  a: {type: Sum, inputs: [s, c]}\n  b: {type: Gain, input: a, gain: \
         2}\n  c: {type: Gain, input: b, gain: 2}\n  d: {type: Gain, input: c, gain: 2}\n",
    );
    let loops = schedule::refused_loops(&diagram);
    assert_eq!(loops.len(), 1);
    let layout = layout(&diagram, &Options { loops: &loops, ..Options::default() });
    let mut red: Vec<&str> =
        layout.lines.iter().filter(|line| line.looped).map(|line| line.name.as_str()).collect();
    red.sort_unstable();
    assert_eq!(red, ["a", "b", "c"]);
    let nodes = layout.nodes.iter().filter(|node| node.looped).map(|node| node.name.as_str());
    assert_eq!(nodes.collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(svg(&layout).contains("causality loop"));
    let red = Options { loops: &loops, ..Options::default() };
    assert_eq!(dot(&diagram, &red).matches("-> b").count(), 5);
}

#[test]
fn blocks_are_numbered_in_the_order_of_evaluation() {
    let diagram = blocks(
        "  c: {type: Gain, input: b, gain: 2}\n  s: {type: Sine}\n  \
         b: {type: Gain, input: s, gain: 2}\n",
    );
    let schedule = schedule::schedule(&diagram).expect("no loops");
    let order = Some(Order { schedule: &schedule, phase: diagram::Phase::Smooth });
    let layout = layout(&diagram, &Options { order, ..Options::default() });
    let number = |name: &str| {
        let node = layout.nodes.iter().find(|node| node.name == name).expect("it is drawn");
        node.order.parse::<usize>().expect("a number")
    };
    assert!(number("s") < number("b") && number("b") < number("c"));
    assert!(svg(&layout).contains("order between events"));
}

/// Numbers that look random and are the same in every run.
fn scattered(count: usize, near: usize) -> Vec<common::Choice> {
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let choice = |index: usize| {
        let mut signal = || index.saturating_sub(near / 2) + next(near);
        let (a, b, c) = (signal(), signal(), signal());
        ([0, 2, 3, 11, 10][next(5)], a, b, c)
    };
    (0..count).map(choice).collect()
}

#[test]
fn the_models_of_the_gallery_are_drawn() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut drawn = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of models") {
        let path = entry.expect("an entry").path().join("model.yaml");
        if path.exists() {
            let model = model::read(&path).expect("a model that can be read");
            let (library, overrides) = (::blocks::Library::standard(), Default::default());
            let diagram = diagram::flatten(&model, &library, &overrides).expect("no mistakes");
            let closed = variants().into_iter().filter(|options| !options.open_arrays);
            closed.for_each(|options| check(&layout(&diagram, &options)));
            drawn += 1;
        }
    }
    assert!(drawn > 5);
}

#[test]
fn two_thousand_blocks_are_drawn() {
    let diagram = flat(&model(&scattered(2000, 30)));
    let layout = layout(&diagram, &Options::default());
    assert!(layout.nodes.len() >= 2000);
    // Each is near the next ones, so the picture is long and not high.
    assert!(layout.height < layout.width);
    assert!(layout.lines.iter().all(|line| line.points.len() >= 2));
}

#[test]
fn a_machine_is_a_chart_of_its_states() {
    let diagram = blocks(
        "  x: {type: Integrator, input: 1}\n  m:\n    type: Modal\n    initial: b\n    states:\n      \
         a: {final: true}\n      b:\n        blocks: {y: {type: Integrator, input: 1}}\n        \
         outputs: [y]\n        transitions:\n          \
         - {to: b, when: y < 2 and x > 1, set: {y: 3}, output: {said: 7 * y}, history: true}\n          \
         - {to: a, after: 5}\n",
    );
    let layout = layout(&diagram, &Options::default());
    let [chart] = &layout.charts[..] else { panic!("one machine, one chart") };
    let [a, b] = &chart.states[..] else { panic!("two states") };
    assert_eq!((a.name.as_str(), a.last, b.name.as_str(), b.last), ("a", true, "b", false));
    // The first arrow leads into the initial state; each ends at the left edge of its state.
    // A transition of a state to itself comes last.
    let [start, end, bounce] = &chart.arrows[..] else { panic!("a start and two transitions") };
    let ends_at = |arrow: &superdense_graph::Arrow| {
        let end = arrow.points.last().unwrap();
        let at = |s: &&superdense_graph::StateBox| {
            end.x == s.area.x && (s.area.y..s.area.bottom()).contains(&end.y)
        };
        chart.states.iter().find(at).map(|state| state.name.as_str())
    };
    assert_eq!([start, end].map(ends_at), [Some("b"), Some("a")]);
    assert_eq!(bounce.words, ["y < 2 and x > 1", "/ y = 3", "/ said ! 7 * y", "(history)"]);
    assert_eq!(
        (bounce.history, end.history, &end.words[..]),
        (true, false, &["after 5".into()][..])
    );
    // What the chart tells is not drawn again: the state, guards and actions.
    let drawn: Vec<&str> = layout.nodes.iter().map(|node| node.path.as_str()).collect();
    for path in ["x", "m.y", "m.said", "m.b.y"] {
        assert!(drawn.contains(&path), "{path} in {drawn:?}");
    }
    assert!(drawn.iter().all(|path| *path != "m" && !path.contains("when")), "{drawn:?}");
    assert!(
        drawn.iter().all(|path| !path.contains("set") && !path.contains("output")),
        "{drawn:?}"
    );
    // States stand apart, inside the chart, which is below the blocks.
    let inside = |state: &superdense_graph::StateBox| {
        let (s, c) = (state.area, chart.area);
        s.x > c.x && s.y > c.y && s.right() < c.right() && s.bottom() < c.bottom()
    };
    assert!(chart.states.iter().all(inside) && chart.area.bottom() < layout.height);
    assert!(a.area.x > b.area.right() || b.area.x > a.area.right() || a.area.y > b.area.bottom());
    let nodes = layout.nodes.iter().map(|node| node.area.bottom());
    assert!(nodes.max().unwrap() < chart.area.y);
    assert!(svg(&layout).contains("states of m"));

    let text = dot(&diagram, &Options::default());
    assert!(
        text.contains("m0s0 [label=\"a\", shape=box, style=rounded, peripheries=2];"),
        "{text}"
    );
    assert!(text.contains("m0i -> m0s1;") && text.contains("m0s1 -> m0s0 [label=\"after 5\"];"));
    assert!(text.contains("(history)\", style=dashed];"), "{text}");
}

const THERMOSTAT: &str = "\
superdense: 1
name: thermostat
blocks:
  room: {type: Integrator, input: heater.target - room}
  heater:
    type: Modal
    initial: heating
    states:
      heating:
        outputs: {target: 30}
        transitions: [{to: cooling, when: room > 21}, {to: heating, when: room < -5, history: true}]
      cooling: {outputs: {target: 10}, transitions: [{to: heating, when: room < 19, after: 3}]}
";

#[test]
fn what_guards_read_leads_to_their_machine() {
    let diagram = flat(THERMOSTAT);
    for options in [Options::default(), Options { depth: Some(0), ..Options::default() }] {
        let layout = layout(&diagram, &options);
        check(&layout);
        // The loop is closed: from the room into the machine, and from the machine on.
        let into = layout.lines.iter().filter(|line| line.name == "room").count();
        assert!(into >= 2, "{into}");
    }
    let layout = layout(&diagram, &Options::default());
    let state = layout.nodes.iter().find(|node| node.path == "heater.state").expect("the machine");
    assert_eq!((state.name.as_str(), state.kind.as_str()), ("state", "Modal"));
    let ends = |line: &&superdense_graph::Line| {
        let last = line.points.last().expect("a way");
        line.arrow
            && last.x == state.body.x
            && (state.body.y..state.body.bottom()).contains(&last.y)
    };
    assert_eq!(layout.lines.iter().filter(ends).count(), 1);
    assert!(dot(&diagram, &Options::default()).contains("-> b"));
}

#[test]
fn a_transition_of_a_state_to_itself_is_a_small_loop() {
    let layout = layout(&flat(THERMOSTAT), &Options::default());
    let chart = &layout.charts[0];
    let state = &chart.states[0];
    let own = chart.arrows.iter().find(|arrow| arrow.words[..] == ["room < -5", "(history)"]);
    let own = own.expect("a loop");
    assert!(own.history && own.points.len() == 4);
    assert!(own.points.iter().all(|p| state.area.x < p.x && p.x < state.area.right()));
    assert!(own.points.iter().all(|p| p.y <= state.area.y && p.y > state.area.y - 30));
    assert!(own.at.y < state.area.y && own.at.y > chart.area.y);
}

#[test]
fn gains_show_their_value_sums_their_signs_and_instances_their_type() {
    let diagram = flat(
        "superdense: 1\nname: test\ndiagrams:\n  Lag:\n    inputs: [u]\n    outputs: {y: x}\n    \
         blocks:\n      x: {type: Integrator, input: u - x}\nblocks:\n  a: {type: Sine}\n  \
         g: {type: Gain, input: a, gain: 5 / 2}\n  s: {type: Sum, inputs: [g, -a, 2 * a]}\n  \
         one: {type: Lag, u: s}\n",
    );
    let open = layout(&diagram, &Options::default());
    check(&open);
    let node = |name: &str| open.nodes.iter().find(|node| node.name == name).expect("a node");
    assert_eq!(node("g").kind, "Gain 2.5");
    let signs: Vec<&str> = node("s")
        .ports
        .iter()
        .filter(|port| port.side == Side::Left)
        .map(|p| p.name.as_str())
        .collect();
    assert_eq!(signs, ["+", "\u{2212}", "+"]);
    assert!(!open.nodes.iter().any(|node| node.text == ["-a"]), "the sign stands for it");
    assert_eq!(open.frames[0].name, "one: Lag");
    let closed = layout(&diagram, &Options { depth: Some(0), ..Options::default() });
    let one = closed.nodes.iter().find(|node| node.name == "one").expect("an instance");
    assert_eq!(one.kind, "Lag, 2 blocks");
}

#[test]
fn a_long_diagram_goes_on_in_a_second_line() {
    let mut text = String::from("  b0: {type: Integrator, input: b24 - b7}\n");
    for k in 1..=24 {
        text += &format!("  b{k}: {{type: Integrator, input: b{}}}\n", k - 1);
    }
    let layout = layout(&blocks(&text), &Options::default());
    check(&layout);
    assert!(layout.width < 1500, "{}", layout.width);
    let tops: std::collections::BTreeSet<i64> =
        layout.nodes.iter().map(|node| node.area.y / 40).collect();
    assert!(tops.len() > 1);
    // Every block still reads what it read.
    assert_eq!(layout.lines.iter().filter(|line| line.arrow).count(), 24 + 3);
}
