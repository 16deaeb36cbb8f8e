//! Arrays of blocks: one box for all elements, whatever the sizes.

use crate::common::{check, flat};
use superdense_graph::{Figure, Layout, Node, Options, Side, dot, layout, svg};

/// Blocks in a chain, read by element, as a whole and by other arrays.
fn chain(n: usize) -> String {
    format!(
        "superdense: 1\nname: chain\nblocks:\n  u: {{type: Sine}}\n  \
         x: {{type: Integrator, for: {{i: {n}}}, input: \"if i > 0 then x[i - 1] else u\"}}\n  \
         y: {{type: Integrator, for: {{i: {n}}}, input: \"if i > 0 then y[i - 1] else 0\"}}\n  \
         z: {{type: Gain, for: {{i: {n}}}, input: \"x[i]\", gain: i}}\n  \
         total: {{type: Expression, expression: \"sum(x) + y[1]\"}}\n  \
         last: {{type: Gain, input: \"x[2]\", gain: 3}}\n"
    )
}

/// Instances in a grid, with neighbours that are there, and others that are themselves at the edge.
fn plate(n: usize) -> String {
    format!(
        "superdense: 1\nname: plate\nparameters: {{n: {n}}}\ndiagrams:\n  Cell:\n    \
         inputs: [west, east, source]\n    outputs: [T]\n    blocks:\n      \
         T: {{type: Integrator, input: west + east - 2 * T + source}}\nblocks:\n  s: {{type: Sine}}\n  \
         cell:\n    type: Cell\n    for: {{i: n, j: n}}\n    \
         west: \"if i > 0 then cell[i - 1, j] else 0\"\n    east: \"cell[i, max(j - 1, 0)]\"\n    \
         source: s\n  mean: {{type: Expression, expression: sum(cell) / n^2}}\n"
    )
}

/// An array whose elements have arrays of different sizes inside.
fn nested(n: usize) -> String {
    format!(
        "superdense: 1\nname: nested\ndiagrams:\n  Rod:\n    parameters: {{m:}}\n    \
         inputs: [west]\n    outputs: {{end: \"T[m - 1]\", all: T}}\n    blocks:\n      \
         T: {{type: Integrator, for: {{j: m}}, \
         input: \"(if j > 0 then T[j - 1] else west) - T[j]\"}}\nblocks:\n  \
         rod: {{type: Rod, for: {{i: {n}}}, m: i + 2, \
         west: \"if i > 0 then rod.end[i - 1] else 1\"}}\n  \
         first: {{type: Expression, expression: \"sum(rod.all[0])\"}}\n"
    )
}

/// A state machine in each element.
fn rooms(n: usize) -> String {
    format!(
        "superdense: 1\nname: rooms\ndiagrams:\n  Room:\n    inputs: [around]\n    \
         outputs: [T]\n    blocks:\n      T: {{type: Integrator, input: around - T + m.power}}\n      \
         m:\n        type: Modal\n        initial: off\n        states:\n          \
         off: {{outputs: {{power: 0}}, transitions: [{{to: on, when: T < 1}}]}}\n          \
         on: {{outputs: {{power: 3}}, transitions: [{{to: off, when: T > 2}}]}}\nblocks:\n  \
         room: {{type: Room, for: {{i: {n}}}, around: \"if i > 0 then room[i - 1] else 0\"}}\n"
    )
}

const MODELS: [fn(usize) -> String; 4] = [chain, plate, nested, rooms];

fn variants() -> [Options<'static>; 4] {
    let plain = Options::default();
    [
        plain,
        Options { fold_expressions: true, ..plain },
        Options { depth: Some(0), ..plain },
        Options { open_arrays: true, ..plain },
    ]
}

fn named<'l>(layout: &'l Layout, name: &str) -> &'l Node {
    let found = layout.nodes.iter().find(|node| node.name == name || node.text == [name]);
    found.unwrap_or_else(|| panic!("{name} is drawn"))
}

#[test]
fn nothing_is_drawn_on_anything_else() {
    for model in MODELS {
        let diagram = flat(&model(4));
        variants().iter().for_each(|options| check(&layout(&diagram, options)));
    }
}

#[test]
fn the_same_diagram_gives_the_same_bytes() {
    for model in MODELS {
        let (one, two) = (flat(&model(4)), flat(&model(4)));
        for options in variants() {
            assert_eq!(svg(&layout(&one, &options)), svg(&layout(&two, &options)));
            assert_eq!(dot(&one, &options), dot(&two, &options));
        }
    }
}

#[test]
fn sizes_make_no_difference_to_what_is_drawn() {
    for model in MODELS {
        for options in &variants()[..3] {
            let drawn = |n: usize| {
                let diagram = flat(&model(n));
                let layout = layout(&diagram, options);
                let edges = dot(&diagram, options).matches(" -> ").count();
                let counts = [layout.nodes.len(), layout.frames.len(), layout.lines.len()];
                (counts, layout.charts.len(), edges)
            };
            assert_eq!(drawn(3), drawn(9), "{}", model(3));
        }
        let open = Options { open_arrays: true, ..Options::default() };
        let nodes = |n: usize| layout(&flat(&model(n)), &open).nodes.len();
        assert!(nodes(9) >= nodes(3) + 6);
    }
}

#[test]
fn an_array_is_a_stack_with_its_sizes() {
    let layout = layout(&flat(&chain(5)), &Options::default());
    let mut stacks: Vec<&str> =
        layout.nodes.iter().filter(|n| n.stacked).map(|n| &*n.name).collect();
    stacks.sort_unstable();
    // One is what is written at the input of y, where some elements read a number.
    assert_eq!(stacks, ["", "x[5]", "y[5]", "z[5]"]);
    let labels = |name: &str| -> Vec<&str> {
        named(&layout, name).labels.iter().map(|label| label.text.as_str()).collect()
    };
    assert_eq!(labels("last"), ["x[2]"]);
    assert_eq!(labels("z[5]"), ["x[i]"]);
    assert_eq!(labels("x[5]"), ["if i > 0 then x[i - 1] else u"]);
    assert!(labels("y[5]").is_empty());
    assert!(matches!(
        named(&layout, "if i > 0 then y[i - 1] else 0").figure,
        Figure::Expression(_)
    ));
    // The whole is the array itself, not a node between.
    let readers = layout.lines.iter().filter(|line| line.name == "x[5]");
    assert!(readers.count() >= 4);
    assert!(!layout.nodes.iter().any(|node| node.path == "x"));
    let text = dot(&flat(&chain(5)), &Options::default());
    assert!(text.contains("x[5]\\nIntegrator") && text.contains("label=\"x[2]\""), "{text}");
}

#[test]
fn wires_between_elements_leave_the_box_and_come_back() {
    let layout = layout(&flat(&plate(4)), &Options::default());
    let [frame] = &layout.frames[..] else { panic!("one frame") };
    assert_eq!((frame.name.as_str(), frame.stacked), ("cell[4, 4]: Cell", true));
    let ports = |side: Side| {
        let ports = frame.ports.iter().filter(|port| port.side == side);
        let mut names: Vec<&str> = ports.map(|port| port.name.as_str()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(ports(Side::Left), ["east", "source", "west"]);
    assert_eq!(ports(Side::Right), ["T"]);
    // What is written at the inputs stands outside, and reads the box.
    for text in ["if i > 0 then cell[i - 1, j] else 0", "cell[i, max(j - 1, 0)]"] {
        let node = named(&layout, text);
        assert!(node.stacked && node.area.right() < frame.area.x, "{text}");
        assert_eq!(node.ports.iter().filter(|port| port.side == Side::Left).count(), 1);
    }
}

#[test]
fn closed_instances_count_the_blocks_of_one_element_around_them() {
    let text = "superdense: 1\nname: deep\ndiagrams:\n  Leaf:\n    inputs: [a]\n    \
                outputs: [y]\n    blocks: {y: {type: Integrator, input: a}}\n  Pair:\n    \
                inputs: [u]\n    outputs: {y: inner.y}\n    blocks:\n      \
                inner: {type: Leaf, a: u}\n      many: {type: Leaf, for: {k: 5}, a: u}\nblocks:\n  \
                s: {type: Sine}\n  p: {type: Pair, for: {i: 2, j: 3}, u: s}\n";
    let diagram = flat(text);
    let kind = |depth: usize, name: &str| {
        let layout = layout(&diagram, &Options { depth: Some(depth), ..Options::default() });
        named(&layout, name).kind.clone()
    };
    assert_eq!(kind(1, "inner"), "1 blocks");
    assert_eq!(kind(1, "many[5]"), "Leaf, 5 blocks");
    assert_eq!(kind(0, "p[2, 3]"), "Pair, 36 blocks");
}

#[test]
fn a_refused_loop_through_elements_is_red() {
    let text = "superdense: 1\nname: loop\ndiagrams:\n  Twice:\n    inputs: [u]\n    \
                outputs: [y]\n    blocks: {y: {type: Gain, input: u, gain: 2}}\nblocks:\n  \
                s: {type: Sine}\n  \
                h: {type: Gain, for: {i: 3}, input: \"h[mod(i + 1, 3)]\", gain: 2}\n  \
                t: {type: Twice, for: {i: 3}, u: \"t[mod(i + 1, 3)]\"}\n";
    let diagram = flat(text);
    let loops = schedule::refused_loops(&diagram);
    let layout = layout(&diagram, &Options { loops: &loops, ..Options::default() });
    check(&layout);
    let mut red: Vec<&str> = layout.nodes.iter().filter(|n| n.looped).map(|n| &*n.path).collect();
    red.sort_unstable();
    assert_eq!(red, ["h[3]", "t[3].u", "t[3].y"]);
    let plain = layout.lines.iter().filter(|line| !line.looped).count();
    assert_eq!(plain, 0, "all wires are part of a loop");
}
