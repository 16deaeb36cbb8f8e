//! Small models of Ptolemy II with machines: which transition is taken, what transitions set, how
//! machines fail and end; and clocks that are driven.

use superdense::ptolemy::Conformity;

use crate::ptolemy_actors::{
    CT, LIB, entity, events, first, found, machine, modal, passes, ports, properties, property,
    refinement, state, test, transition, whole, wires,
};

/// A machine in a model of static order or synchronous reactions whose inputs are 0, 1, 2, ...
fn fired(director: &str, controller: &str, refinements: &str, (count, values): (&str, &str)) {
    let ramp = entity("C", &format!("{LIB}.Ramp"), &[]);
    let machine = machine("M", "ModalModel", controller, refinements);
    let links = wires(&["C.output M.in", "M.out T.input"]);
    let parts = [ramp, machine, test("T", values), links];
    passes("Fired", director, &[("iterations", count)], &parts);
}

#[test]
fn default_transitions_come_after_the_others() {
    let ways = |more: &str| {
        [
            first("a", &[]),
            transition(
                "t1",
                ("a", "a"),
                &[("guardExpression", "in == 2"), ("outputActions", "out = 100")],
            ),
            transition(
                "t2",
                ("a", "a"),
                &[
                    ("guardExpression", "in_isPresent"),
                    ("defaultTransition", "true"),
                    ("outputActions", more),
                ],
            ),
        ]
        .concat()
    };
    fired("SDF", &ways("out = in"), "", ("4", "{0, 1, 100, 3}"));
    fired("SR", &ways("out = in"), "", ("4", "{0, 1, 100, 3}"));
    modal(&ways("out = in"), "", "{1, 100, 3, 4, 5, 6}");
    // On entry only the immediate ones count, of which the default one is the only one here.
    let entered = [
        first("a", &[]),
        state("b", &[]),
        state("c", &[]),
        transition("t1", ("a", "b"), &[("outputActions", "out = 1")]),
        transition(
            "t2",
            ("b", "c"),
            &[("immediate", "true"), ("defaultTransition", "true"), ("outputActions", "out = 3")],
        ),
        transition("t3", ("b", "b"), &[("outputActions", "out = 2")]),
        transition("t4", ("c", "c"), &[("outputActions", "out = 4")]),
    ];
    fired("SDF", &entered.concat(), "", ("2", "{3, 4}"));
}

#[test]
fn preemptive_transitions_come_before_the_others() {
    let first_of_all = [("preemptive", "true"), ("guardExpression", "in == 1")];
    let controller = [
        first("a", &[]),
        state("b", &[]),
        transition("t1", ("a", "b"), &first_of_all),
        transition("t2", ("a", "a"), &[("outputActions", "out = in + 10")]),
        transition("t3", ("b", "a"), &[("outputActions", "out = in + 20")]),
    ];
    // At 1 the first one is taken, which says nothing.
    let text = |values: &str| {
        let ramp = entity("C", &format!("{LIB}.Ramp"), &[]);
        let machine = machine("M", "ModalModel", &controller.concat(), "");
        let test = entity("T", &format!("{LIB}.NonStrictTest"), &[("correctValues", values)]);
        [ramp, machine, test, wires(&["C.output M.in", "M.out T.input"])]
    };
    passes("Preempted", "SR", &[("iterations", "4")], &text("{10, 22, 13}"));
}

#[test]
fn a_machine_is_the_refinement_of_a_state() {
    let inner = [
        property("n", "1"),
        first("one", &[]),
        state("more", &[]),
        transition(
            "t1",
            ("one", "more"),
            &[
                ("guardExpression", "in_isPresent"),
                ("outputActions", "out = in"),
                ("setActions", "n = 1"),
            ],
        ),
        transition(
            "t2",
            ("more", "more"),
            &[
                ("guardExpression", "in_isPresent"),
                ("outputActions", "out = 10 * n"),
                ("setActions", "n = n + 1"),
            ],
        ),
    ];
    let ports = ports(&[("in", "input"), ("out", "output")]);
    let class = "ptolemy.domains.modal.modal.ModalController";
    let inner = format!("<entity name=\"r\" class=\"{class}\">{ports}{}</entity>", inner.concat());
    let again = [("guardExpression", "in == 3"), ("reset", "true")];
    let outer = [first("a", &[("refinementName", "r")]), transition("t", ("a", "a"), &again)];
    modal(&outer.concat(), &inner, "{1, 10, 20, 4, 10, 20}");
}

#[test]
fn a_state_that_fails_is_left_and_a_final_one_ends_the_model() {
    let inner = [
        entity("S", &format!("{LIB}.Sequence"), &[("values", "{false, false, true}")]),
        entity("X", &format!("{LIB}.ThrowException"), &[]),
        entity("K", &format!("{LIB}.Const"), &[("value", "1")]),
        wires(&["S.output X.input K.trigger", "K.output out"]),
    ];
    let inner = refinement("r", &inner.concat()).replace("de.kernel.DE", "sdf.kernel.SDF");
    let controller = [
        first("a", &[("refinementName", "r")]),
        state("b", &[]),
        state("c", &[("isFinalState", "true")]),
        transition("t1", ("a", "b"), &[("error", "true"), ("outputActions", "out = 2")]),
        transition("t2", ("b", "c"), &[("outputActions", "out = 3")]),
    ];
    fired("SDF", &controller.concat(), &inner, ("UNBOUNDED", "{1, 1, 2, 3}"));
}

#[test]
fn a_machine_without_inputs_speaks_at_the_start() {
    let controller = [
        first("a", &[]),
        state("b", &[]),
        transition("t1", ("a", "b"), &[("outputActions", "out = 1")]),
        transition(
            "t2",
            ("b", "b"),
            &[("guardExpression", "in_isPresent"), ("outputActions", "out = in + 1")],
        ),
    ];
    let delay = entity("D", &format!("{LIB}.TimeDelay"), &[("delay", "1.0")]);
    let machine = machine("M", "ModalModel", &controller.concat(), "");
    let links = wires(&["D.output M.in", "M.out D.input T.input"]);
    let parts = [delay, machine, test("T", "{1, 2, 3, 4}"), links];
    passes("Source", "DE", &[("stopTime", "3.0")], &parts);
}

/// A transition sets parameters of actors deep inside a refinement.
#[test]
fn a_transition_sets_a_parameter_of_an_actor() {
    let scale = entity("S", &format!("{LIB}.Scale"), &[("factor", "2")]);
    let sum = entity("A", &format!("{LIB}.AddSubtract"), &[]);
    let more = entity("K", &format!("{LIB}.Const"), &[("value", "0")]);
    let inner = ports(&[("in", "input"), ("out", "output")]) + &scale;
    let inner = format!(
        "<entity name=\"G\" class=\"ptolemy.actor.TypedCompositeActor\">{inner}{}</entity>",
        wires(&["in S.input", "out S.output"])
    );
    let links = wires(&["in G.in K.trigger", "G.out A.plus", "K.output A.plus", "A.output out"]);
    let content = [inner, sum, more, links].concat();
    let set = "r.G.S.factor = 10; r.K.value = in + 0.5";
    let controller = [
        first("a", &[("refinementName", "r")]),
        transition(
            "t",
            ("a", "a"),
            &[("guardExpression", "in == 2"), ("setActions", set), ("history", "true")],
        ),
    ];
    let inner = refinement("r", &content);
    modal(&controller.concat(), &inner, "{2, 4, 32.5, 42.5, 52.5, 62.5}");
}

#[test]
fn a_case_fires_the_refinement_that_its_control_names() {
    let branch = |name: &str, actor: &str| {
        let content = actor.to_owned() + &wires(&["in S.input", "out S.output"]);
        refinement(name, &content)
            .replace("modal.modal.Refinement", "hoc.Refinement")
            .replace("de.kernel.DE", "sdf.kernel.SDF")
    };
    let scale = |factor: &str| entity("S", &format!("{LIB}.Scale"), &[("factor", factor)]);
    let sum = entity("S", &format!("{LIB}.Accumulator"), &[]);
    let branches =
        [branch("0", &scale("10")), branch("1", &sum), branch("default", &scale("-1"))].concat();
    let sides = ports(&[("in", "input"), ("out", "output")]);
    let case = format!("<entity name=\"W\" class=\"{LIB}.hoc.Case\">{sides}{branches}</entity>");
    let ramp = entity("R", &format!("{LIB}.Ramp"), &[]);
    let control =
        entity("Q", &format!("{LIB}.Sequence"), &[("values", "{0, 1, 2, 1}"), ("repeat", "true")]);
    let links = wires(&["R.output W.in", "Q.output W.control", "W.out T.input"]);
    let parts = [ramp, control, case, test("T", "{0, 1, -2, 4, 40, 9}"), links];
    passes("Cases", "SDF", &[("iterations", "6")], &parts);
}

fn clock(parameters: &[(&str, &str)]) -> String {
    entity("K", &format!("{LIB}.DiscreteClock"), parameters)
}

#[test]
fn signals_start_a_clock_and_change_its_period() {
    let times =
        |text: &str| [entity("N", &format!("{LIB}.CurrentTime"), &[]), test("T", text)].concat();
    let read = "N.output T.input";
    let values = [("offsets", "{0.5, 1.0}"), ("values", "{1, 2}"), ("period", "2.0")];
    let start = events("B", "{1.0, 6.25}", "{1, 1}");
    let seen = test("U", "{1, 2, 1, 2, 1, 2, 1, 2}");
    let links = wires(&["B.output K.start", "K.output N.trigger U.input", read]);
    let parts = [start, clock(&values), times("{1.5, 2, 3.5, 4, 5.5, 6, 6.75, 7.25}"), seen, links];
    passes("Started", "DE", &[("stopTime", "8.0")], &parts);
    let longer = events("B", "{1.5, 4.5}", "{2, 0.5}");
    let links = wires(&["B.output K.period", "K.output N.trigger", read]);
    let parts = [longer, clock(&[]), times("{0, 1, 2, 4, 6, 6.5, 7}"), links];
    passes("Lengthened", "DE", &[("stopTime", "7.2")], &parts);
}

#[test]
fn a_variable_that_is_set_counts_from_the_next_microstep_on() {
    let source = events("C", "{1.0, 2.0, 3.0}", "{10, 20, 30}");
    let set = entity("V", &format!("{LIB}.SetVariable"), &[("variableName", "p")]);
    let gain = entity("S", &format!("{LIB}.Scale"), &[("factor", "p")]);
    let links = wires(&["C.output V.input S.input", "S.output T.input"]);
    let parts = [property("p", "1"), source, set, gain, test("T", "{10, 200, 600}"), links];
    passes("Variable", "DE", &[("stopTime", "4.0")], &parts);
}

#[test]
fn ports_with_default_values_keep_their_last_ones() {
    let given = |name: &str, kind: &str, value: &str| {
        let value = property("defaultValue", value);
        format!(
            "<port name=\"{name}\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"{kind}\"/>\
             {value}</port>"
        )
    };
    let inner = [
        "<property name=\"D\" class=\"ptolemy.domains.de.kernel.DEDirector\"/>".to_owned(),
        given("a", "input", "7"),
        ports(&[("b", "input"), ("x", "output")]),
        given("y", "output", "4"),
        wires(&["a x"]),
    ];
    let class = "ptolemy.actor.TypedCompositeActor";
    let inner = format!("<entity name=\"G\" class=\"{class}\">{}</entity>", inner.concat());
    let sources = [events("A", "{2.0}", "{5}"), events("B", "{1.0, 2.0, 3.0}", "{0, 0, 0}")];
    let tests = [test("T", "{7, 5, 5}"), test("U", "{4, 4, 4}")].concat();
    let links = wires(&["A.output G.a", "B.output G.b", "G.x T.input", "G.y U.input"]);
    let parts = [sources.concat(), inner, tests, links];
    passes("Kept", "DE", &[("stopTime", "4.0")], &parts);
}

#[test]
fn a_model_inside_has_a_clock_of_its_own() {
    let parts = |director: &str| {
        let inner = [
            format!(
                "<property name=\"D\" class=\"ptolemy.domains.de.kernel.DEDirector\">{director}\
                 </property>"
            ),
            clock(&[]),
            entity("N", &format!("{LIB}.CurrentTime"), &[]),
            test("T", "{2, 3, 4, 5}"),
            wires(&["K.output N.trigger", "N.output T.input"]),
        ];
        let class = "ptolemy.actor.TypedCompositeActor";
        [format!("<entity name=\"G\" class=\"{class}\">{}</entity>", inner.concat())]
    };
    let ahead = parts(&property("startTime", "2.0"));
    passes("Ahead", "DE", &[("stopTime", "3.0")], &ahead);
    let rate = properties(&[("clockRate", "0.5")]);
    let slow = parts(&format!("<property name=\"localClock\">{rate}</property>"));
    let text = whole("Slow", "DE", &[("stopTime", "3.0")], &slow);
    let Conformity::Unsupported(reason) = found("Slow", &text) else { panic!("{text}") };
    assert!(reason.contains("clockRate"), "{reason}");
}

#[test]
fn a_director_inside_takes_part_in_every_second_firing() {
    let period = property("period", "1.0");
    let inner = [
        format!(
            "<property name=\"D\" class=\"ptolemy.domains.sr.kernel.SRDirector\">{period}</property>"
        ),
        ports(&[("in", "input"), ("out", "output")]),
        entity("A", &format!("{LIB}.Accumulator"), &[]),
        wires(&["in A.input", "out A.output"]),
    ];
    let class = "ptolemy.actor.TypedCompositeActor";
    let inner = format!("<entity name=\"G\" class=\"{class}\">{}</entity>", inner.concat());
    let ramp = entity("R", &format!("{LIB}.Ramp"), &[]);
    let seen = [("correctValues", "{0, 2, 6, 12}")];
    let seen = entity("T", &format!("{LIB}.NonStrictTest"), &seen);
    let links = wires(&["R.output G.in", "G.out T.input"]);
    let settings = [("iterations", "8"), ("period", "0.5")];
    passes("Slower", "SR", &settings, &[ramp, inner, seen, links]);
}

#[test]
fn a_wave_with_jumps_is_a_sawtooth() {
    let wave = [("period", "2.0"), ("offsets", "{1.0, 1.0}"), ("values", "{1, -1}")];
    let wave = entity("W", &format!("{CT}.Waveform"), &wave);
    let sampler = entity("S", &format!("{CT}.PeriodicSampler"), &[("samplePeriod", "0.5")]);
    let values = "{0, 0.5, 1, -0.5, 0, 0.5, 1, -0.5, 0}";
    let test = entity("T", &format!("{LIB}.NonStrictTest"), &[("correctValues", values)]);
    let links = wires(&["W.output S.input", "S.output T.input"]);
    passes("Saw", "Continuous", &[("stopTime", "4.0")], &[wave, sampler, test, links]);
}
