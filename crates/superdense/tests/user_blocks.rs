//! Blocks of a user, through the public trait.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::common::{assert_near, codes, compile_with, exact, tags};
use superdense::{
    Block, Context, Diagnostic, Event, Info, Input, Library, NodeId, Opaque, Parameter, Settings,
    Time, Timer, Trace, Type, Value,
};

/// What the blocks of these tests have in common.
fn plain(name: &'static str) -> Info {
    Info::new(name, "User", "A block of a test.")
        .absence("Absent where the input is.")
        .impulses("An impulse at the input is an error.")
        .input(Input::one("input", "The signal."))
        .output("output", "The result.")
}

/// Gives the one output a value while a condition holds.
fn emit(cx: &mut Context, value: NodeId, present: NodeId) -> Result<(), Diagnostic> {
    let signal = cx.event(value, present);
    cx.output("output", signal);
    Ok(())
}

/// y = u^2 + offset, in the graph.
#[derive(Debug)]
struct Square;

impl Block for Square {
    fn info(&self) -> Info {
        plain("Square").parameter(Parameter::real("offset", "What is added.").default("0"))
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.refuse_impulses(&input, "the square of an impulse has no meaning");
        let offset = cx.constant("offset");
        let square = cx.graph.mul(input.value, input.value);
        let value = cx.graph.add(square, offset);
        emit(cx, value, input.present)
    }
}

/// y = the cube root of u, in Rust.
#[derive(Debug)]
struct CubeRoot;

#[derive(Debug)]
struct Cbrt;

impl Opaque for Cbrt {
    fn name(&self) -> &str {
        "cbrt"
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result[0] = args[0][0].cbrt();
    }
}

impl Block for CubeRoot {
    fn info(&self) -> Info {
        plain("CubeRoot")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let value = cx.graph.call(Arc::new(Cbrt), &[input.value], Type::REAL);
        emit(cx, value, input.present)
    }
}

/// Events at the squares of whole numbers, with the sum of the input at them.
#[derive(Debug)]
struct SquareTimes;

#[derive(Debug)]
struct Squares;

impl Timer for Squares {
    fn time(&self, index: u64) -> Option<Time> {
        Time::from_f64(((index + 1) * (index + 1)) as f64)
    }
}

impl Block for SquareTimes {
    fn info(&self) -> Info {
        plain("SquareTimes")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let (woken, _) = cx.timer(Arc::new(Squares));
        let zero = superdense::parse_value("0").expect("a number");
        let sum = cx.state("sum", zero.with_real_elements());
        let more = cx.graph.add(sum, input.value);
        let next = cx.graph.select(woken, more, sum);
        cx.next(sum, next);
        emit(cx, more, woken)
    }
}

/// Wakes at the start and then at times that it reads from its input, as long as these are to come.
#[derive(Debug)]
struct Wakes;

impl Block for Wakes {
    fn info(&self) -> Info {
        plain("Wakes")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let (time, woken) = cx.alarm("next");
        let next = cx.graph.select(woken, input.value, time);
        cx.next(time, next);
        let now = cx.now();
        emit(cx, now, woken)
    }
}

/// A number that is a real one whatever it was written as.
trait Real {
    fn with_real_elements(self) -> Self;
}

impl Real for superdense::Value {
    fn with_real_elements(self) -> Self {
        superdense::Value::new(Type::REAL, vec![self.as_f64().expect("a number")])
    }
}

fn trace(text: &str) -> Trace {
    let blocks: [Arc<dyn Block>; 4] =
        [Arc::new(Square), Arc::new(CubeRoot), Arc::new(SquareTimes), Arc::new(Wakes)];
    let library = blocks.into_iter().fold(Library::standard(), Library::with);
    let system = compile_with(text, &library, &Settings::default())
        .unwrap_or_else(|refused| panic!("{refused}"));
    system.simulate().unwrap_or_else(|failure| panic!("{failure}")).trace
}

/// A time that a block finds while it runs is on the agenda: 0.3, which three steps of 0.1 are not as
/// floats, meets a clock. A block in a state wakes first when the state is entered, and then in the
/// time of the state.
#[test]
fn a_block_chooses_when_it_wakes() {
    let trace = trace(
        "
blocks:
  w: {type: Wakes, input: \"if time < 0.05 then 0.1 else if time < 0.2 then 0.3 else 100\"}
  c: {type: Clock, period: 0.1}
  x: {type: Integrator, input: 1}
  m:
    type: Modal
    initial: a
    states:
      a: {outputs: {y: 0}, transitions: [{to: b, when: time > 0.4}]}
      b:
        blocks: {v: {type: Wakes, input: \"if time < 0.2 then 0.25 else 100\"}}
        outputs: {y: v}
record: [w, c, x, m.y]
simulate: {stop: 1}",
    );
    let times = |name: &str| -> Vec<f64> {
        let all = trace.series(name);
        all.iter().map(|(tag, _)| tag.time.seconds()).collect()
    };
    assert_eq!(times("w"), [0.0, 0.1, 0.3]);
    let clock = trace.series("c");
    assert!(trace.series("w").iter().all(|(tag, _)| clock.iter().any(|(own, _)| own == tag)));
    let late: Vec<f64> = times("m.y").into_iter().filter(|time| *time > 0.4).collect();
    assert_eq!(late, [0.65]);
}

#[test]
fn a_block_in_the_graph_moves_and_ticks() {
    // x' = 1 + x^2 is tan.
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: q}
  q: {type: Square, input: x, offset: 1}
  c: {type: Clock, period: 0.25, value: 3}
  d: {type: Square, input: c}
record: [x, d]
simulate: {stop: 1, tolerance: 1e-11}
",
    );
    assert_near(trace.last("x").unwrap(), 1.0f64.tan(), 1e-8);
    assert_eq!(tags(&trace, "d").len(), 5);
    assert_eq!(trace.last("d"), Some(9.0));
}

#[test]
fn an_opaque_function_moves_and_is_located() {
    // x' = -cbrt(x) from 1: x = (1 - 2 t / 3)^1.5.
    for solver in ["rk45", "trapezoidal", "rodas5p", "tr-bdf2"] {
        let trace = trace(&format!(
            "
blocks:
  x: {{type: Integrator, input: -r, initial: 1}}
  r: {{type: CubeRoot, input: x}}
  half: {{type: LevelCrossing, input: r, level: 0.5}}
record: [x, half]
simulate: {{stop: 1.3, tolerance: 1e-10, solver: {solver}, step: 1/4096}}
"
        ));
        let tolerance = if matches!(solver, "rk45" | "rodas5p") { 1e-8 } else { 1e-6 };
        for (tag, x) in trace.series("x") {
            assert_near(x, (1.0 - 2.0 * tag.time.seconds() / 3.0).powf(1.5), tolerance);
        }
        // r = sqrt(1 - 2 t / 3) = 1/2 at t = 9/8.
        let found = tags(&trace, "half");
        assert_eq!(found.len(), 1);
        assert_near(found[0].time.seconds(), 1.125, 100.0 * tolerance);
    }
}

/// The same function with its derivative.
#[derive(Debug)]
struct KnownRoot;

#[derive(Debug)]
struct KnownCbrt;

impl Opaque for KnownCbrt {
    fn name(&self) -> &str {
        "known cbrt"
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result[0] = args[0][0].cbrt();
    }

    fn has_tangent(&self) -> bool {
        true
    }

    fn tangent(&self, args: &[&[f64]], tangents: &[&[f64]], result: &mut [f64]) {
        result[0] = tangents[0][0] / (3.0 * args[0][0].cbrt().powi(2));
    }
}

impl Block for KnownRoot {
    fn info(&self) -> Info {
        plain("KnownRoot")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let value = cx.graph.call(Arc::new(KnownCbrt), &[input.value], Type::REAL);
        emit(cx, value, input.present)
    }
}

#[test]
fn the_derivative_of_an_opaque_function_is_its_own_or_refused() {
    let text = |root: &str, more: &str| {
        format!(
            "
blocks:
  x: {{type: Integrator, input: 1, initial: 1}}
  r: {{type: {root}, input: x}}
  d: {{type: Derivative, input: r}}
  {more}
record: [d]
simulate: {{stop: 1}}
"
        )
    };
    let library = Library::standard().with(Arc::new(CubeRoot)).with(Arc::new(KnownRoot));
    let compiled = |text: &str| compile_with(text, &library, &Settings::default());
    let run = compiled(&text("KnownRoot", "")).expect("a model").simulate().expect("a run");
    assert_near(run.trace.last("d").unwrap(), 1.0 / (3.0 * 2f64.powf(2.0 / 3.0)), 1e-12);
    let twice = "e: {type: Derivative, input: d}";
    for text in [text("CubeRoot", ""), text("KnownRoot", twice)] {
        let refused = compiled(&text).expect_err("no derivative is known");
        assert_eq!(codes(&refused), ["opaque-derivative"]);
    }
}

#[test]
fn an_opaque_function_in_a_solved_loop() {
    // z = 10 - cbrt(z) at z = 8.
    let trace = trace(
        "
blocks:
  z: {type: Expression, expression: 10 - r}
  r: {type: CubeRoot, input: z}
solve: {z: 5, r: 1}
record: [z]
simulate: {stop: 1}
",
    );
    assert_near(trace.last("z").unwrap(), 8.0, 1e-9);
}

#[test]
fn a_block_with_its_own_timer_and_state() {
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: 1}
  s: {type: SquareTimes, input: x}
record: [s]
simulate: {stop: 10}
",
    );
    let found: Vec<f64> = trace.series("s").into_iter().map(|(_, value)| value).collect();
    assert_eq!(found.len(), 3);
    for (value, truth) in found.iter().zip([1.0, 5.0, 14.0]) {
        assert_near(*value, truth, 1e-12);
    }
    assert_eq!(tags(&trace, "s"), ["1", "4", "9"].map(|time| exact(time, 1)));
}

/// A block whose names and texts are known only when it is made, as those of a file are.
#[derive(Debug)]
struct Made {
    name: String,
    outputs: Vec<String>,
}

impl Block for Made {
    fn info(&self) -> Info {
        let about = |name: &String| format!("The count of events, if `way` is {name}.");
        let info = Info::new(self.name.clone(), "User", format!("{} outputs.", self.outputs.len()))
            .input(Input::one("input", "Events.").discrete())
            .parameter(
                Parameter::word("way", "The output that counts.", self.outputs.clone())
                    .default(self.outputs[0].clone()),
            );
        self.outputs.iter().fold(info, |info, name| info.output(name.clone(), about(name)))
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let (way, one) = (cx.word("way").to_owned(), cx.graph.real(1.0));
        for name in &self.outputs {
            let count = cx.state(format!("count of {name}"), Value::real(0.0));
            let more = cx.graph.add(count, one);
            let next = cx.graph.select(input.present, more, count);
            cx.next(count, if *name == way { next } else { count });
            let signal = cx.always(if *name == way { next } else { count });
            cx.output(name, signal);
        }
        Ok(())
    }
}

#[test]
fn a_block_that_is_known_only_at_run_time() {
    let outputs: Vec<String> = (0..3).map(|n| format!("y{n}")).collect();
    let made = Made { name: format!("Made{}", outputs.len()), outputs };
    let library = Library::standard().with(Arc::new(made));
    let text = |way: &str| {
        format!(
            "
superdense: 1
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  m: {{type: Made3, input: c{way}}}
record: {{y0: m, y1: m.y1, y2: m.y2}}
simulate: {{stop: 4.5}}
"
        )
    };
    let cases = [("", "y0", [4.0, 0.0, 0.0]), (", way: y2", "y2", [0.0, 0.0, 4.0])];
    for (way, counting, counts) in cases {
        let system =
            compile_with(&text(way), &library, &Settings::default()).expect("a model that runs");
        let trace = system.simulate().expect("a run").trace;
        assert_eq!(["y0", "y1", "y2"].map(|name| trace.last(name)), counts.map(Some));
        let names = Arc::new(Mutex::new(BTreeSet::new()));
        let (heard, mut run) = (names.clone(), system.begin());
        run.listen(Box::new(move |event| {
            if let Event::Committed { state, .. } = event {
                heard.lock().expect("no listener panics").insert(state.to_string());
            }
        }));
        while run.advance().expect("a run").is_none() {}
        assert_eq!(
            *names.lock().expect("no listener panics"),
            BTreeSet::from([format!("count of {counting}")])
        );
    }
    let refused = compile_with(&text(", way: y4"), &library, &Settings::default());
    assert_eq!(codes(&refused.expect_err("no such way")), ["bad-parameter"]);
}
