//! The section `plots`: what is read from it, and what is refused.

use crate::common::{model, refused};
use superdense_model::{PlotContent, PlotMark, PlotShade, PlotTime};

#[test]
fn figures_are_read() {
    let model = model(
        "\
superdense: 1
plots:
  short: [[x, y], z]
  phase-plot:
    title: 'One: two'
    from: 1
    to: 2 * T
    open: [1, 3 / 2]
    time: min
    shade: m.state
    panels:
      - {phase: [x, y], x: {label: a, unit: m}, y: {range: [-1, 1]}, equal: true, height: 100}
      - {phase: [[x, y], [x, z]], title: both}
      - signals: [{name: \"v[0]\", label: first, unit: V, mark: dots}, w]
        steps: true
",
    );
    let [short, phase] = &model.plots[..] else { panic!("two figures") };
    assert_eq!((short.name.value.as_str(), short.panels.len()), ("short", 2));
    let PlotContent::Time { signals, steps } = &short.panels[0].content else { panic!("time") };
    let names: Vec<_> = signals.iter().map(|signal| signal.name.value.as_str()).collect();
    assert_eq!((names, *steps), (vec!["x", "y"], false));
    assert_eq!(phase.title.as_deref(), Some("One: two"));
    let texts =
        [&phase.from, &phase.to, &phase.open].map(|expr| expr.as_ref().map(|e| e.to_string()));
    assert_eq!(texts.map(Option::unwrap), ["1", "2 * T", "[1, 3 / 2]"]);
    assert_eq!((short.time, phase.time), (None, Some(PlotTime::Minute)));
    assert!(matches!(short.shade, PlotShade::First));
    assert!(matches!(&phase.shade, PlotShade::By(name) if name.value == "m.state"));
    let [first, second, third] = &phase.panels[..] else { panic!("three panels") };
    let PlotContent::Phase { pairs, equal } = &first.content else { panic!("a phase plot") };
    assert_eq!((pairs.len(), *equal), (1, true));
    assert_eq!((first.x.label.as_deref(), first.x.unit.as_deref()), (Some("a"), Some("m")));
    assert_eq!(first.y.range.as_ref().unwrap().to_string(), "[-1, 1]");
    let PlotContent::Phase { pairs, .. } = &second.content else { panic!("a phase plot") };
    assert_eq!((pairs.len(), pairs[1][1].value.as_str()), (2, "z"));
    let PlotContent::Time { signals, steps } = &third.content else { panic!("time") };
    assert!(*steps);
    assert_eq!((signals[0].name.value.as_str(), signals[0].mark), ("v[0]", Some(PlotMark::Dots)));
}

/// Every mistake in the section, one or more to a figure.
const MISTAKES: &str = "\
superdense: 1
plots:
  a: {panel: [x]}
  b: {panels: [{titel: t, signals: x}, {phase: x}, {title: t}, {signals: x, phase: [x, y]}]}
  c: [{signals: [{mark: dots}, {name: x, mark: dot}], steps: 1}]
  d: {time: hour, shade: false, panels: [x]}
";

/// Their messages.
const MESSAGES: &str = r"
error[unknown-field]: a figure has no field `panel`
 --> model.yaml:3:7
  |
3 |   a: {panel: [x]}
  |       ^^^^^
  |
  = help: did you mean `panels`?

error[missing-field]: figure `a` has no panels
 --> model.yaml:3:3
  |
3 |   a: {panel: [x]}
  |   ^
  |
  = help: say what it shows, as in `panels: [[x, y], z]`

error[unknown-field]: a panel over time has no field `titel`
 --> model.yaml:4:17
  |
4 |   b: {panels: [{titel: t, signals: x}, {phase: x}, {title: t}, {signals: x, phase: [x, y]}]}
  |                 ^^^^^
  |
  = help: did you mean `title`?

error[wrong-kind]: `phase` is a pair of signals, the horizontal one first, or a list of pairs, not a single value
 --> model.yaml:4:48
  |
4 |   b: {panels: [{titel: t, signals: x}, {phase: x}, {title: t}, {signals: x, phase: [x, y]}]}
  |                                                ^
  |
  = help: write it like `phase: [x, y]`

error[missing-field]: a panel says what it shows, with `signals` or `phase`
 --> model.yaml:4:53
  |
4 |   b: {panels: [{titel: t, signals: x}, {phase: x}, {title: t}, {signals: x, phase: [x, y]}]}
  |                                                     ^^^^^ in this panel
  |
  = help: write `signals: [x, y]`, or `phase: [x, y]` for y over x

error[missing-field]: a panel has `signals` or `phase`, not both
 --> model.yaml:4:65
  |
4 |   b: {panels: [{titel: t, signals: x}, {phase: x}, {title: t}, {signals: x, phase: [x, y]}]}
  |                                                                 ^^^^^^^ in this panel
  |
  = help: write `signals: [x, y]`, or `phase: [x, y]` for y over x

error[missing-field]: a signal of a panel has no name
 --> model.yaml:5:19
  |
5 |   c: [{signals: [{mark: dots}, {name: x, mark: dot}], steps: 1}]
  |                   ^^^^
  |
  = help: write `{name: x, label: position, unit: m}`

error[unknown-word]: `mark` cannot be `dot`
 --> model.yaml:5:48
  |
5 |   c: [{signals: [{mark: dots}, {name: x, mark: dot}], steps: 1}]
  |                                                ^^^
  |
  = help: did you mean `dots`?

error[unknown-word]: `steps` cannot be `1`
 --> model.yaml:5:62
  |
5 |   c: [{signals: [{mark: dots}, {name: x, mark: dot}], steps: 1}]
  |                                                              ^
  |
  = help: there is: true, false

error[unknown-word]: `time` cannot be `hour`
 --> model.yaml:6:13
  |
6 |   d: {time: hour, shade: false, panels: [x]}
  |             ^^^^
  |
  = help: did you mean `h`?";

#[test]
fn mistakes_are_refused() {
    refused(MISTAKES, MESSAGES);
}
