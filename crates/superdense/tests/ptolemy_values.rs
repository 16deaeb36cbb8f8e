//! Small models of Ptolemy II about values: records, arrays, integers, parameters at ports, and
//! Continuous models inside models of discrete events. Their values follow from the rules of each
//! actor.

use superdense::ptolemy::Conformity;

use crate::ptolemy_actors::{
    CT, DE, LIB, THREE, de, entity, events, first, found, machine, passes, ports, properties,
    property, state, test, transition, whole, wires,
};

/// An actor with ports of its own.
fn with_ports(
    name: &str,
    class: &str,
    given: &[(&str, &str)],
    parameters: &[(&str, &str)],
) -> String {
    let class = format!("{LIB}.{class}");
    let inside = [properties(parameters), ports(given)].concat();
    format!("<entity name=\"{name}\" class=\"{class}\">{inside}</entity>")
}

/// An Expression of the input `a`, which comes at 1, 2 and 3 with these values.
fn computes(text: &str, inputs: &str, parameters: &[(&str, &str)], values: &str) {
    let all: Vec<(&str, &str)> =
        [("expression", text)].into_iter().chain(parameters.iter().copied()).collect();
    let parts = [
        events("C", THREE, inputs),
        with_ports("X", "Expression", &[("a", "input"), ("output", "output")], &all),
        test("T", values),
        wires(&["C.output X.a", "X.output T.input"]),
    ];
    passes("Computes", "DE", &[("stopTime", "10.0")], &parts);
}

fn refused(text: &str) -> String {
    match found("Refused", text) {
        Conformity::Unsupported(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_record_is_assembled_and_taken_apart() {
    let two = [("a", "input"), ("b", "input")];
    let parts = [
        events("A", THREE, "{1, 2, 3}"),
        // Without its second field there is no record.
        events("B", "{1.0, 3.0}", "{4, 6}"),
        with_ports("R", "RecordAssembler", &two, &[]),
        with_ports("D", "RecordDisassembler", &[("a", "output"), ("b", "output")], &[]),
        test("T", "{1, 3}"),
        test("U", "{4, 6}"),
        wires(&["A.output R.a", "B.output R.b", "R.output D.input", "D.a T.input", "D.b U.input"]),
    ];
    passes("Records", "DE", &[("stopTime", "10.0")], &parts);
    let both = [("a", "input"), ("output", "output")];
    let parts = [
        events("A", THREE, "{1, 2, 3}"),
        with_ports("X", "Expression", &both, &[("expression", "{x = a, y = 2 * a}")]),
        with_ports("Y", "Expression", &both, &[("expression", "a.x + a.y")]),
        test("T", "{3, 6, 9}"),
        wires(&["A.output X.a", "X.output Y.a", "Y.output T.input"]),
    ];
    passes("Fields", "DE", &[("stopTime", "10.0")], &parts);
}

#[test]
fn a_record_at_an_actor_that_knows_none_is_refused() {
    let parts = [
        events("A", THREE, "{1, 2, 3}"),
        with_ports("R", "RecordAssembler", &[("a", "input")], &[]),
        entity("S", &format!("{LIB}.Scale"), &[]),
        wires(&["A.output R.a", "R.output S.input"]),
    ];
    let reason = refused(&whole("Refused", "DE", &[("stopTime", "1.0")], &parts));
    assert!(
        reason.contains("Refused.S") && reason.contains("a record at the port `input`"),
        "{reason}"
    );
}

#[test]
fn a_connected_port_that_means_nothing_here_is_refused() {
    let parts = [
        events("A", THREE, "{1, 2, 3}"),
        entity("S", &format!("{LIB}.Scale"), &[]),
        wires(&["A.output S.gain"]),
    ];
    let reason = refused(&whole("Refused", "DE", &[("stopTime", "1.0")], &parts));
    assert!(reason.contains("a connected port `gain`"), "{reason}");
}

#[test]
fn actors_that_choose_by_an_index() {
    let two = [("input", THREE, "{1, 2, 3}"), ("input", THREE, "{4, 5, 6}")];
    let by = |values| [two[0], two[1], ("select", "{1.0, 2.0, 3.0}", values)];
    de(&format!("{LIB}.Multiplexor"), &[], &by("{0, 1, 0}"), "{1, 5, 3}");
    let sides = [
        ("trueInput", THREE, "{1, 2, 3}"),
        ("falseInput", THREE, "{4, 5, 6}"),
        ("select", THREE, "{true, false, true}"),
    ];
    de(&format!("{LIB}.logic.BooleanMultiplexor"), &[], &sides, "{1, 5, 3}");
    // An index outside the table has no value.
    let table = [("table", "{10.0, 20.0, 30.0}")];
    let index = ("input", "{1.0, 2.0, 3.0, 4.0}", "{0, 3, 2, -1}");
    de(&format!("{LIB}.LookupTable"), &table, &[index], "{10.0, 30.0}");
    de(&format!("{LIB}.Synchronizer"), &[], &[two[0], ("input", "{2.0}", "{7}")], "{{2}}");
}

#[test]
fn the_greatest_of_what_comes_and_its_channel() {
    let two = [("input", THREE, "{1, 5, 3}"), ("input", "{1.0, 2.0}", "{4, 2}")];
    let parts = [
        events("A", two[0].1, two[0].2),
        events("B", two[1].1, two[1].2),
        entity("S", &format!("{LIB}.Maximum"), &[]),
        test("T", "{4, 5, 3}"),
        test("U", "{1, 0, 0}"),
        wires(&[
            "A.output S.input",
            "B.output S.input",
            "S.maximumValue T.input",
            "S.channelNumber U.input",
        ]),
    ];
    passes("Greatest", "DE", &[("stopTime", "10.0")], &parts);
}

#[test]
fn actors_that_remember_what_came() {
    let input = ("input", THREE, "{1.0, 2.0, 4.0}");
    de(&format!("{LIB}.Accumulator"), &[("lowpass", "0.5")], &[input], "{1.0, 2.5, 5.25}");
    de(&format!("{LIB}.Differential"), &[], &[input], "{1.0, 1.0, 2.0}");
    let reset = ("reset", "{2.0}", "{true}");
    let input = ("input", THREE, "{1.0, 3.0, 8.0}");
    de(&format!("{LIB}.Average"), &[], &[input, reset], "{1.0, 3.0, 5.5}");
    // The step that comes with a firing leads to the next value.
    let step = [("trigger", THREE, "{0, 0, 0}"), ("step", THREE, "{1, 2, 3}")];
    de(&format!("{LIB}.Ramp"), &[], &step, "{0, 1, 3}");
    let waits =
        [("waiter", "{1.0, 2.0, 5.0}", "{1, 1, 1}"), ("waitee", "{3.0, 4.0, 5.5}", "{1, 1, 1}")];
    de(&format!("{DE}.WaitingTime"), &[], &waits, "{2.0, 1.0, 0.5}");
    let trigger = ("trigger", "{0.5, 2.0, 2.5}", "{1, 1, 1}");
    let input = ("input", THREE, "{1, 2, 3}");
    let initial = [("initialValue", "7")];
    de(&format!("{DE}.SamplerWithDefault"), &initial, &[input, trigger], "{7, 2, 2}");
    // Without an initial value there is nothing to sample at first.
    de(&format!("{DE}.MostRecent"), &[], &[input, trigger], "{2, 2}");
}

#[test]
fn arrays_and_remainders() {
    let arrays = ("input", "{1.0, 2.0}", "{{3.0, 1.0, 2.0}, {6.0, 5.0, 4.0}}");
    let lib = |name: &str| format!("{LIB}.{name}");
    de(&lib("ArrayLength"), &[], &[arrays], "{3, 3}");
    de(&lib("ArrayMaximum"), &[], &[arrays], "{3.0, 6.0}");
    de(&lib("ArrayMinimum"), &[], &[arrays], "{1.0, 4.0}");
    de(&lib("ArrayAverage"), &[], &[arrays], "{2.0, 5.0}");
    let part = [("sourcePosition", "1"), ("extractLength", "2"), ("outputArrayLength", "3")];
    let tail = "{{1.0, 2.0, 0.0}, {5.0, 4.0, 0.0}}";
    de(&lib("ArrayExtract"), &part, &[arrays], tail);
    // Of the nearest integer, and of a half the even one: 5 = 2 * 3 - 1, 4.5 = 2 * 3 - 1.5.
    let numbers = ("input", THREE, "{1.0, 5.0, 4.5}");
    de(&lib("Remainder"), &[("divisor", "3.0")], &[numbers], "{1.0, -1.0, -1.5}");
    let points = [("indexes", "{0, 2}"), ("values", "{1.0, 3.0}"), ("period", "0"), ("order", "1")];
    let fire = ("trigger", "{1.0, 2.0, 3.0, 4.0}", "{0, 0, 0, 0}");
    de(&lib("Interpolator"), &points, &[fire], "{1.0, 2.0, 3.0, 0.0}");
    let round = [("indexes", "{1, 3}"), ("values", "{1.0, 3.0}"), ("period", "4"), ("order", "0")];
    de(&lib("Interpolator"), &round, &[fire], "{3.0, 1.0, 1.0, 3.0}");
}

#[test]
fn a_quotient_of_integers_is_one() {
    computes("a / 2", "{1, 2, -3}", &[], "{0, 1, -1}");
    computes("a / 2", "{1.0, 2.0, -3.0}", &[], "{0.5, 1.0, -1.5}");
    computes("truncate(a * 1.5) / 2", "{1.0, 2.0, 4.0}", &[], "{0, 1, 3}");
    // Integers stay integers through a composite, a sum and a delay.
    let inner = [
        with_ports(
            "X",
            "Expression",
            &[("a", "input"), ("output", "output")],
            &[("expression", "a / 2")],
        ),
        wires(&["in X.a", "X.output out"]),
    ];
    let composite = |ty: &str| {
        format!(
            "<entity name=\"M\" class=\"ptolemy.actor.TypedCompositeActor\">{}\
             <port name=\"in\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"input\"/></port>\
             <port name=\"out\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"output\"/></port>\
             </entity><entity name=\"D\" class=\"{DE}.TimedDelay\">\
             <port name=\"input\" class=\"ptolemy.actor.TypedIOPort\">{ty}</port></entity>",
            inner.concat()
        )
    };
    let sum = entity("S", &format!("{LIB}.AddSubtract"), &[]);
    let links = ["C.output S.plus", "S.output D.input", "D.output M.in", "M.out T.input"];
    for (ty, values) in [("", "{0, 1, 1}"), ("double", "{0.5, 1.0, 1.5}")] {
        let ty = if ty.is_empty() { String::new() } else { property("_type", ty) };
        let parts = [
            events("C", THREE, "{1, 2, 3}"),
            sum.clone(),
            composite(&ty),
            test("T", values),
            wires(&links),
        ];
        passes("Integers", "DE", &[("stopTime", "10.0")], &parts);
    }
}

#[test]
fn expressions_of_arrays_and_of_firings() {
    computes("p(a) + p(0)", "{0, 1, 2}", &[("p", "{10, 30, 50}")], "{20, 40, 60}");
    computes("m(0, 1) * a", "{1.0, 2.0, 3.0}", &[("m", "[1.0, 2.0; 3.0, 4.0]")], "{2.0, 4.0, 6.0}");
    computes("iteration * 10", "{1, 1, 1}", &[], "{10, 20, 30}");
    computes(
        "subarray({1.0, 2.0, a}, 1, 2)",
        "{3.0, 4.0, 5.0}",
        &[],
        "{{2.0, 3.0}, {2.0, 4.0}, {2.0, 5.0}}",
    );
    computes("log2(a) + cbrt(a)", "{1.0, 8.0, 64.0}", &[], "{1.0, 5.0, 10.0}");
}

#[test]
fn events_at_a_port_parameter_change_the_parameter() {
    let composite = format!(
        "<entity name=\"M\" class=\"ptolemy.actor.TypedCompositeActor\">\
         <property name=\"k\" class=\"ptolemy.actor.parameters.PortParameter\" value=\"2.0\"/>{}{}{}\
         </entity>",
        ports(&[("in", "input"), ("out", "output")]),
        entity("G", &format!("{LIB}.Scale"), &[("factor", "k")]),
        wires(&["in G.input", "G.output out"]),
    );
    let parts = [
        composite,
        events("C", THREE, "{1.0, 2.0, 3.0}"),
        events("K", "{2.0}", "{7.0}"),
        test("T", "{2.0, 14.0, 21.0}"),
        wires(&["C.output M.in", "K.output M.k", "M.out T.input"]),
    ];
    passes("Changed", "DE", &[("stopTime", "10.0")], &parts);
}

#[test]
fn a_signal_ends_a_clock() {
    let clock = [("period", "1.0"), ("values", "{4}"), ("offsets", "{0.0}")];
    let parts = [
        entity("C", &format!("{LIB}.DiscreteClock"), &clock),
        events("E", "{2.5}", "{true}"),
        test("T", "{4, 4, 4}"),
        wires(&["E.output C.stop", "C.output T.input"]),
    ];
    passes("Ended", "DE", &[("stopTime", "10.0")], &parts);
}

/// A Continuous model in a DE model whose level crossing at 0.15 causes an event that comes back at
/// once. There Ptolemy II has four steps of length zero: the end of the step, the crossing, one that
/// the detector has asked for, and the one with the event; then a step to 0.2.
#[test]
fn an_event_waits_for_the_step_that_a_level_crossing_asks_for() {
    let inner = [
        entity("K", &format!("{LIB}.Const"), &[("value", "1.0")]),
        entity("I", &format!("{CT}.Integrator"), &[]),
        entity("L", &format!("{CT}.LevelCrossingDetector"), &[("level", "0.15")]),
        entity("H", &format!("{CT}.ZeroOrderHold"), &[("defaultValue", "0.0")]),
        entity(
            "T",
            &format!("{LIB}.NonStrictTest"),
            &[("correctValues", "{0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 5.0}")],
        ),
        wires(&[
            "K.output I.derivative",
            "I.state L.trigger",
            "L.output out",
            "in H.input",
            "H.output T.input",
        ]),
    ];
    let composite = format!(
        "<entity name=\"M\" class=\"ptolemy.actor.TypedCompositeActor\">\
         <property name=\"D\" class=\"ptolemy.domains.continuous.kernel.ContinuousDirector\"/>{}{}</entity>",
        ports(&[("in", "input"), ("out", "output")]),
        inner.concat(),
    );
    let parts = [
        composite,
        entity("D", &format!("{DE}.TimedDelay"), &[("delay", "0.0")]),
        with_ports(
            "X",
            "Expression",
            &[("a", "input"), ("output", "output")],
            &[("expression", "5.0 + 0.0 * a")],
        ),
        wires(&["M.out D.input", "D.output X.a", "X.output M.in"]),
    ];
    passes("Ahead", "DE", &[("stopTime", "0.2")], &parts);
}

/// A sample every 0.25 s makes a step end where the guard is zero: it holds just after that.
#[test]
fn a_guard_that_is_zero_at_the_end_of_a_step_is_located_after_it() {
    let refinement = |name: &str, factor: &str| {
        format!(
            "<entity name=\"{name}\" class=\"ptolemy.domains.modal.modal.Refinement\">{}{}{}</entity>",
            ports(&[("in", "input"), ("out", "output")]),
            entity("G", &format!("{LIB}.Scale"), &[("factor", factor)]),
            wires(&["in G.input", "G.output out"]),
        )
    };
    let controller = [
        first("a", &[("refinementName", "ra")]),
        state("b", &[("refinementName", "rb")]),
        transition("t", ("a", "b"), &[("guardExpression", "in > 0.5")]),
    ];
    let refinements = [refinement("ra", "1.0"), refinement("rb", "-1.0")].concat();
    let tests = [("correctValues", "{0.0, 0.25, 0.5, -0.75, -1.0}"), ("tolerance", "1e-9")];
    let parts = [
        entity("K", &format!("{LIB}.Const"), &[("value", "1.0")]),
        entity("I", &format!("{CT}.Integrator"), &[]),
        machine("M", "ModalModel", &controller.concat(), &refinements),
        entity("P", &format!("{CT}.PeriodicSampler"), &[("samplePeriod", "0.25")]),
        entity("T", &format!("{LIB}.NonStrictTest"), &tests),
        wires(&["K.output I.derivative", "I.state M.in", "M.out P.input", "P.output T.input"]),
    ];
    passes("Zero", "Continuous", &[("stopTime", "1.0")], &parts);
}
