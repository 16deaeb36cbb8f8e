//! Small models of Ptolemy II, one for each actor, director and kind of transition, with the values
//! that their rules give.

use std::sync::atomic::{AtomicUsize, Ordering};

use superdense::Settings;
use superdense::ptolemy::{Conformity, conform};

pub const LIB: &str = "ptolemy.actor.lib";
pub const DE: &str = "ptolemy.domains.de.lib";
pub const CT: &str = "ptolemy.domains.continuous.lib";

/// A property of an entity.
pub fn property(name: &str, value: &str) -> String {
    format!("<property name=\"{name}\" class=\"ptolemy.data.expr.Parameter\" value=\"{value}\"/>")
}

pub fn properties(all: &[(&str, &str)]) -> String {
    all.iter().map(|(name, value)| property(name, value)).collect()
}

/// An entity of a class, with `name: value` pairs as parameters.
pub fn entity(name: &str, class: &str, parameters: &[(&str, &str)]) -> String {
    format!("<entity name=\"{name}\" class=\"{class}\">{}</entity>", properties(parameters))
}

/// An event at each of these times with each of these values.
pub fn events(name: &str, times: &str, values: &str) -> String {
    let all = [("period", "100.0"), ("offsets", times), ("values", values)];
    entity(name, &format!("{LIB}.DiscreteClock"), &all)
}

pub fn test(name: &str, values: &str) -> String {
    entity(name, &format!("{LIB}.Test"), &[("correctValues", values)])
}

/// A relation for each of these lists of ports.
pub fn wires(all: &[&str]) -> String {
    let wire = |(at, ports): (usize, &&str)| {
        let link = |port: &str| format!("<link port=\"{port}\" relation=\"r{at}\"/>");
        format!("<relation name=\"r{at}\"/>{}", ports.split(' ').map(link).collect::<String>())
    };
    all.iter().enumerate().map(wire).collect()
}

pub fn ports(all: &[(&str, &str)]) -> String {
    let port = |(name, kind): &(&str, &str)| {
        format!(
            "<port name=\"{name}\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"{kind}\"/></port>"
        )
    };
    all.iter().map(port).collect()
}

/// The text of a model with a director.
pub fn whole(name: &str, director: &str, settings: &[(&str, &str)], parts: &[String]) -> String {
    let (kind, settings) = (director.to_lowercase(), properties(settings));
    format!(
        "<entity name=\"{name}\" class=\"ptolemy.actor.TypedCompositeActor\">\
         <property name=\"_createdBy\" value=\"11.0.devel\"/>\
         <property name=\"D\" class=\"ptolemy.domains.{kind}.kernel.{director}Director\">\
         {settings}</property>{}</entity>",
        parts.concat()
    )
}

/// A model passes: all its tests see their values.
pub fn passes(name: &str, director: &str, settings: &[(&str, &str)], parts: &[String]) {
    let text = whole(name, director, settings, parts);
    let found = found(name, &text);
    assert!(matches!(found, Conformity::Pass { values } if values > 0), "{name}: {found:?}");
}

/// What the tests of a model have seen. Tests run side by side, each in files of its own.
pub fn found(name: &str, text: &str) -> Conformity {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = format!("superdense-actors-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.xml"));
    std::fs::write(&path, text).unwrap();
    let found = conform(&path, None, &Settings::default(), &mut || true);
    std::fs::remove_dir_all(&folder).unwrap();
    found
}

/// A model of discrete events: an actor S of a class, its sources, and the values at its output.
pub fn de(class: &str, parameters: &[(&str, &str)], sources: &[(&str, &str, &str)], values: &str) {
    let name = class.rsplit('.').next().unwrap_or_default();
    let mut parts = vec![entity("S", class, parameters), test("T", values)];
    let mut links = vec!["S.output T.input".to_owned()];
    for (at, (port, times, values)) in sources.iter().enumerate() {
        parts.push(events(&format!("C{at}"), times, values));
        links.push(format!("C{at}.output S.{port}"));
    }
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    parts.push(wires(&links));
    passes(name, "DE", &[("stopTime", "10.0")], &parts);
}

pub const THREE: &str = "{1.0, 2.0, 3.0}";

#[test]
fn actors_that_count_and_add() {
    let input = ("input", "{1.0, 2.0, 3.0, 4.0}", "{1, 2, 3, 4}");
    de(&format!("{LIB}.Accumulator"), &[("init", "10")], &[input], "{11, 13, 16, 20}");
    de(&format!("{LIB}.Average"), &[], &[("input", THREE, "{1.0, 2.0, 6.0}")], "{1.0, 1.5, 3.0}");
    let both = [("increment", "{1.0, 2.0, 4.0}", "{1, 2, 3}"), ("decrement", "{3.0}", "{5}")];
    de(&format!("{LIB}.Counter"), &[], &both, "{1, 2, 1, 2}");
    let trigger = ("trigger", THREE, "{1, 2, 3}");
    de(&format!("{LIB}.Ramp"), &[("init", "5"), ("step", "2")], &[trigger], "{5, 7, 9}");
    let values = [("values", "{3, 1}"), ("repeat", "true")];
    de(&format!("{LIB}.Sequence"), &values, &[trigger], "{3, 1, 3}");
    de(&format!("{LIB}.Sequence"), &[("values", "{3, 1}")], &[trigger], "{3, 1}");
    let pulse = [("indexes", "{0, 2}"), ("values", "{3, 1}")];
    de(&format!("{LIB}.Pulse"), &pulse, &[trigger], "{3, 0, 1}");
}

#[test]
fn actors_that_remember_events() {
    let input = ("input", THREE, "{1, 2, 3}");
    let trigger = ("trigger", "{0.5, 2.0, 3.5}", "{0, 0, 0}");
    de(&format!("{DE}.Previous"), &[], &[input], "{1, 2}");
    de(&format!("{DE}.Register"), &[("initialValue", "-1")], &[input, trigger], "{-1, 1, 3}");
    de(&format!("{DE}.MostRecent"), &[("initialValue", "-1")], &[input, trigger], "{-1, 2, 3}");
    de(&format!("{DE}.Sampler"), &[], &[input, trigger], "{2}");
    de(
        &format!("{DE}.Queue"),
        &[],
        &[input, ("trigger", "{1.2, 3.0, 4.0}", "{0, 0, 0}")],
        "{1, 2, 3}",
    );
    let gaps = ("input", "{1.0, 2.5, 3.0}", "{1, 2, 3}");
    de(&format!("{DE}.TimeGap"), &[], &[gaps], "{1.5, 0.5}");
    let both = [("input", "{1.0, 2.0}", "{1, 2}"), ("input", "{2.0, 3.5}", "{5, 6}")];
    de(&format!("{DE}.Merge"), &[], &both, "{1, 2, 5, 6}");
    de(&format!("{DE}.Merge"), &[("discardEvents", "true")], &both, "{1, 2, 6}");
}

/// Delays and timers, by the times at which their outputs come.
#[test]
fn actors_that_wait() {
    let times =
        |class: &str, parameters: &[(&str, &str)], sources: &[(&str, &str, &str)], due: &str| {
            let mut parts = vec![
                entity("S", class, parameters),
                entity("W", &format!("{LIB}.CurrentTime"), &[]),
                test("T", due),
            ];
            let mut links = vec!["S.output W.trigger".to_owned(), "W.output T.input".to_owned()];
            for (at, (port, times, values)) in sources.iter().enumerate() {
                parts.push(events(&format!("C{at}"), times, values));
                links.push(format!("C{at}.output S.{port}"));
            }
            let links: Vec<&str> = links.iter().map(String::as_str).collect();
            parts.push(wires(&links));
            passes("Waiting", "DE", &[("stopTime", "10.0")], &parts);
        };
    let input = ("input", THREE, "{1, 2, 3}");
    times(&format!("{DE}.Server"), &[("serviceTime", "1.5")], &[input], "{2.5, 4.0, 5.5}");
    times(&format!("{DE}.TimedDelay"), &[("delay", "0.0")], &[input], THREE);
    let delay = ("delay", "{0.5, 2.5}", "{0.25, 0.5}");
    times(&format!("{DE}.VariableDelay"), &[], &[input, delay], "{1.25, 2.25, 3.5}");
    let start = ("input", "{1.0, 2.0, 4.0}", "{2.0, 0.5, 1.0}");
    times(&format!("{DE}.Timer"), &[], &[start], "{2.5, 3.0, 5.0}");
    times(&format!("{LIB}.ResettableTimer"), &[], &[start], "{2.5, 5.0}");
    times(&format!("{DE}.NonInterruptibleTimer"), &[], &[start], "{3.0, 3.5, 5.0}");
}

#[test]
fn actors_that_choose_and_compare() {
    let truths = ("input", THREE, "{true, true, false}");
    de(&format!("{DE}.EventFilter"), &[], &[truths], "{true, true}");
    let other = ("input", "{1.0, 2.0}", "{true, false}");
    de(
        &format!("{LIB}.logic.LogicGate"),
        &[("logic", "xor")],
        &[truths, other],
        "{false, true, false}",
    );
    let numbers = [("input", THREE, "{1, 2, 3}"), ("input", THREE, "{1, 5, 3}")];
    de(&format!("{LIB}.logic.Equals"), &[], &numbers, "{true, false, true}");
    let levels = ("input", THREE, "{-0.2, 0.6, 3.0}");
    de(
        &format!("{LIB}.Quantizer"),
        &[("levels", "{-1.0, 0.0, 1.0}")],
        &[levels],
        "{0.0, 1.0, 1.0}",
    );
    de(&format!("{LIB}.DB"), &[], &[("input", "{1.0, 2.0}", "{10.0, 0.0}")], "{20.0, -100.0}");
    let control = ("control", "{0.5, 2.0}", "{0, 1}");
    let (a, b) = (("input", THREE, "{1, 2, 3}"), ("input", THREE, "{10, 20, 30}"));
    de(&format!("{LIB}.Select"), &[], &[a, b, control], "{1, 20, 30}");
    let words = ("control", "{0.5, 2.0}", "{true, false}");
    let (a, b) = (("trueInput", THREE, "{1, 2, 3}"), ("falseInput", THREE, "{10, 20, 30}"));
    de(&format!("{LIB}.BooleanSelect"), &[], &[a, b, words], "{1, 20, 30}");
}

#[test]
fn an_expression_of_events_of_two_sources() {
    let parts = [
        events("A", THREE, "{1, 2, 3}"),
        events("B", THREE, "{1, 5, 3}"),
        format!(
            "<entity name=\"S\" class=\"{LIB}.Expression\">{}{}</entity>",
            property("expression", "a + 2*b"),
            ports(&[("a", "input"), ("b", "input")])
        ),
        test("T", "{3, 12, 9}"),
        wires(&["A.output S.a", "B.output S.b", "S.output T.input"]),
    ];
    passes("Two", "DE", &[("stopTime", "10.0")], &parts);
}

#[test]
fn models_that_fire_as_a_whole() {
    let ramp = |first: &str, step: &str| {
        entity("R", &format!("{LIB}.Ramp"), &[("init", first), ("step", step)])
    };
    let one = entity("K", &format!("{LIB}.Const"), &[("value", "1")]);
    let sum = entity("A", &format!("{LIB}.AddSubtract"), &[]);
    let links = wires(&["R.output A.plus", "K.output A.plus", "A.output T.input"]);
    let parts = [ramp("1", "3"), one.clone(), sum.clone(), test("T", "{2, 5, 8}"), links];
    passes("Static", "SDF", &[("iterations", "3")], &parts);
    let delay =
        entity("Z", "ptolemy.domains.sdf.lib.SampleDelay", &[("initialOutputs", "{10, 20}")]);
    let links = wires(&["Z.output A.plus", "K.output A.plus", "A.output T.input Z.input"]);
    let parts = [delay, one, sum, test("T", "{11, 21, 12, 22, 13}"), links];
    passes("Feedback", "SDF", &[("iterations", "5")], &parts);
    let pre = entity("P", "ptolemy.domains.sr.lib.Pre", &[]);
    let late = entity("N", "ptolemy.domains.sr.lib.NonStrictDelay", &[("initialValue", "9")]);
    let links = wires(&["R.output P.input N.input", "P.output T.input", "N.output U.input"]);
    let parts =
        [ramp("0", "1"), pre, late, test("T", "{0, 1, 2}"), test("U", "{9, 0, 1, 2}"), links];
    passes("Synchronous", "SR", &[("iterations", "4")], &parts);
}

const IO: [(&str, &str); 2] = [("in", "input"), ("out", "output")];

pub fn state(name: &str, parameters: &[(&str, &str)]) -> String {
    entity(name, "ptolemy.domains.modal.kernel.State", parameters)
}

pub fn transition(name: &str, (from, to): (&str, &str), parameters: &[(&str, &str)]) -> String {
    format!(
        "<relation name=\"{name}\" class=\"ptolemy.domains.modal.kernel.Transition\">{}</relation>\
         <link port=\"{from}.outgoingPort\" relation=\"{name}\"/>\
         <link port=\"{to}.incomingPort\" relation=\"{name}\"/>",
        properties(parameters)
    )
}

pub fn machine(name: &str, kind: &str, controller: &str, refinements: &str) -> String {
    format!(
        "<entity name=\"{name}\" class=\"ptolemy.domains.modal.modal.{kind}\">{0}\
         <entity name=\"_Controller\" class=\"ptolemy.domains.modal.modal.ModalController\">\
         {0}{controller}</entity>{refinements}</entity>",
        ports(&IO)
    )
}

pub fn refinement(name: &str, content: &str) -> String {
    format!(
        "<entity name=\"{name}\" class=\"ptolemy.domains.modal.modal.Refinement\">\
         <property name=\"D\" class=\"ptolemy.domains.de.kernel.DEDirector\"/>{}{content}</entity>",
        ports(&IO)
    )
}

/// A machine in a model of discrete events with the inputs 1, 2, ... at these times.
pub fn modal(controller: &str, refinements: &str, values: &str) {
    let source = events("C", "{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}", "{1, 2, 3, 4, 5, 6}");
    let machine = machine("M", "ModalModel", controller, refinements);
    let links = wires(&["C.output M.in", "M.out T.input"]);
    let parts = [source, machine, test("T", values), links];
    passes("Machine", "DE", &[("stopTime", "10.0")], &parts);
}

pub fn first(name: &str, more: &[(&str, &str)]) -> String {
    let all: Vec<(&str, &str)> =
        [("isInitialState", "true")].into_iter().chain(more.iter().copied()).collect();
    state(name, &all)
}

/// Two states that answer with 10 or 20 more than the input in turn.
fn toggle() -> String {
    let answer =
        |more: &'static str| [("guardExpression", "in_isPresent"), ("outputActions", more)];
    [
        first("a", &[]),
        state("b", &[]),
        transition("t1", ("a", "b"), &answer("out = in + 10")),
        transition("t2", ("b", "a"), &answer("out = in + 20")),
    ]
    .concat()
}

#[test]
fn output_actions_come_with_the_input() {
    modal(&toggle(), "", "{11, 22, 13, 24, 15, 26}");
    let ramp = entity("C", &format!("{LIB}.Ramp"), &[]);
    let links = wires(&["C.output M.in", "M.out T.input"]);
    let machine = machine("M", "ModalModel", &toggle(), "");
    let parts = [ramp, machine, test("T", "{10, 21, 12, 23}"), links];
    passes("Turns", "SDF", &[("iterations", "4")], &parts);
}

#[test]
fn a_preemptive_transition_silences_the_refinement() {
    let controller = [
        first("a", &[("refinementName", "ra")]),
        state("b", &[]),
        transition(
            "t1",
            ("a", "b"),
            &[
                ("guardExpression", "in == 2"),
                ("preemptive", "true"),
                ("outputActions", "out = 100"),
            ],
        ),
        transition("t2", ("b", "a"), &[("guardExpression", "in == 3")]),
    ]
    .concat();
    let double = entity("S", &format!("{LIB}.Scale"), &[("factor", "2")]);
    let inner = refinement("ra", &(double + &wires(&["in S.input", "out S.output"])));
    modal(&controller, &inner, "{2, 100, 8, 10, 12}");
}

#[test]
fn a_refinement_goes_on_with_history_and_begins_again_without() {
    for (history, values) in [("true", "{1, 3, 7, 12, 18}"), ("false", "{1, 3, 4, 9, 15}")] {
        let controller = [
            first("a", &[("refinementName", "ra")]),
            state("b", &[]),
            transition("t1", ("a", "b"), &[("guardExpression", "in == 2")]),
            transition("t2", ("b", "a"), &[("guardExpression", "in == 3"), ("history", history)]),
        ]
        .concat();
        let sum = entity("S", &format!("{LIB}.Accumulator"), &[]);
        let inner = refinement("ra", &(sum + &wires(&["in S.input", "out S.output"])));
        modal(&controller, &inner, values);
    }
}

#[test]
fn a_machine_inside_a_state() {
    for (history, values) in [("true", "{11, 22, 13, 26}"), ("false", "{11, 22, 13, 16}")] {
        let controller = [
            first("a", &[("refinementName", "ra")]),
            state("b", &[]),
            transition("t1", ("a", "b"), &[("guardExpression", "in == 3")]),
            transition("t2", ("b", "a"), &[("guardExpression", "in == 5"), ("history", history)]),
        ]
        .concat();
        modal(&controller, &machine("ra", "ModalRefinement", &toggle(), ""), values);
    }
}

#[test]
fn a_termination_transition_waits_for_the_end_of_a_refinement() {
    let ends = [
        first("a", &[]),
        state("b", &[("isFinalState", "true")]),
        transition(
            "t1",
            ("a", "b"),
            &[("guardExpression", "in == 2"), ("outputActions", "out = 50")],
        ),
    ]
    .concat();
    let answer = [("guardExpression", "in_isPresent"), ("outputActions", "out = in")];
    let controller = [
        first("a", &[("refinementName", "ra")]),
        state("b", &[]),
        transition("t1", ("a", "b"), &[("termination", "true")]),
        transition("t2", ("b", "b"), &answer),
    ]
    .concat();
    modal(&controller, &machine("ra", "ModalRefinement", &ends, ""), "{50, 3, 4, 5, 6}");
}

#[test]
fn immediate_default_and_timed_transitions() {
    let immediate = [
        first("a", &[]),
        state("b", &[]),
        state("c", &[]),
        transition(
            "t1",
            ("a", "b"),
            &[("guardExpression", "in_isPresent"), ("outputActions", "out = 1")],
        ),
        transition("t2", ("b", "c"), &[("immediate", "true"), ("outputActions", "out = 2")]),
        transition(
            "t3",
            ("c", "a"),
            &[("guardExpression", "in_isPresent"), ("outputActions", "out = 3")],
        ),
    ];
    modal(&immediate.concat(), "", "{2, 3, 2, 3, 2, 3}");
    let waits = [
        first("a", &[]),
        state("b", &[]),
        transition(
            "t1",
            ("a", "b"),
            &[("guardExpression", "timeout(1.5)"), ("outputActions", "out = 1")],
        ),
        transition(
            "t2",
            ("b", "a"),
            &[("guardExpression", "timeout(3.5)"), ("outputActions", "out = 2")],
        ),
    ];
    modal(&waits.concat(), "", "{1, 2, 1, 2}");
    let counts = [
        property("n", "0"),
        first("a", &[]),
        transition(
            "t1",
            ("a", "a"),
            &[
                ("guardExpression", "in &gt; 2"),
                ("outputActions", "out = n"),
                ("setActions", "n = n + in"),
            ],
        ),
    ];
    modal(&counts.concat(), "", "{0, 3, 7, 12}");
}

/// Functions are values of parameters that transitions set, with what they read of the inputs then.
#[test]
fn a_transition_sets_a_function() {
    let controller = [
        first("a", &[("refinementName", "ra")]),
        transition(
            "t1",
            ("a", "a"),
            &[
                ("guardExpression", "in == 2"),
                ("setActions", "ra.f = function(x: double) x * 10 + in"),
                ("history", "true"),
            ],
        ),
    ]
    .concat();
    let call = format!(
        "{}<entity name=\"S\" class=\"{LIB}.Expression\">{}{}</entity>{}",
        property("f", "function(x: double) x + 1"),
        property("expression", "f(u)"),
        ports(&[("u", "input")]),
        wires(&["in S.u", "out S.output"])
    );
    modal(&controller, &refinement("ra", &call), "{2, 3, 32, 42, 52, 62}");
}

/// x'' = 1 from x = 1: x = 1 + t^2 / 2.
#[test]
fn a_linear_state_space() {
    let matrices = [
        ("A", "[0.0, 1.0; 0.0, 0.0]"),
        ("B", "[0.0; 1.0]"),
        ("C", "[1.0, 0.0]"),
        ("D", "[0.0]"),
        ("initialStates", "{1.0, 0.0}"),
    ];
    let tests =
        entity("T", &format!("{LIB}.NonStrictTest"), &[("correctValues", "{1.0, 1.125, 1.5}")]);
    let parts = [
        entity("K", &format!("{LIB}.Const"), &[("value", "1.0")]),
        entity("S", &format!("{CT}.LinearStateSpace"), &matrices),
        entity("Q", &format!("{CT}.PeriodicSampler"), &[("samplePeriod", "0.5")]),
        tests,
        wires(&["K.output S.input", "S.output Q.input", "Q.output T.input"]),
    ];
    passes("Space", "Continuous", &[("stopTime", "1.0")], &parts);
}

/// The derivative over the last step: 0 at the start, then the slope of the line 3 t.
#[test]
fn a_derivative_is_the_difference_over_the_last_step() {
    let tests = entity(
        "T",
        &format!("{LIB}.NonStrictTest"),
        &[("correctValues", "{0.0, 3.0, 3.0, 3.0}"), ("tolerance", "1e-9")],
    );
    let links = ["K.output S.derivative", "S.state D.input", "D.derivative T.input"];
    let parts = [
        entity("K", &format!("{LIB}.Const"), &[("value", "3.0")]),
        entity("S", &format!("{CT}.Integrator"), &[]),
        entity("D", &format!("{CT}.Derivative"), &[]),
        tests,
        wires(&links),
    ];
    // At 0, 0.1, 0.6 and twice at 1.
    passes("Slope", "Continuous", &[("stopTime", "1.0")], &parts);
}
