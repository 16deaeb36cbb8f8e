//! Blocks of a user, through the public trait.

use std::sync::Arc;

use crate::common::{assert_near, codes, compile_with, exact, tags};
use superdense::{
    Accepts, Block, Context, Count, Diagnostic, Info, Input, Kind, Library, Opaque, Output,
    Overrides, Parameter, Time, Timer, Trace, Type,
};

const PLAIN: Info = Info {
    name: "",
    shelf: "User",
    summary: "A block of a test.",
    equations: "",
    absence: "Absent where the input is.",
    impulses: "An impulse at the input is an error.",
    inputs: &[Input {
        name: "input",
        about: "The signal.",
        count: Count::One,
        presence: Accepts::Any,
    }],
    outputs: &[Output { name: "output", about: "The result." }],
    parameters: &[],
    example: "",
};

/// y = u^2 + offset, in the graph.
#[derive(Debug)]
struct Square;

impl Block for Square {
    fn info(&self) -> Info {
        let parameter = &[Parameter {
            name: "offset",
            about: "What is added.",
            kind: Kind::Real,
            default: Some("0"),
        }];
        Info { name: "Square", parameters: parameter, ..PLAIN }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.refuse_impulses(&input, "the square of an impulse has no meaning");
        let offset = cx.constant("offset");
        let square = cx.graph.mul(input.value, input.value);
        let value = cx.graph.add(square, offset);
        let signal = cx.event(value, input.present);
        cx.output("output", signal);
        Ok(())
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
        Info { name: "CubeRoot", ..PLAIN }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let value = cx.graph.call(Arc::new(Cbrt), &[input.value], Type::REAL);
        let signal = cx.event(value, input.present);
        cx.output("output", signal);
        Ok(())
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
        Info { name: "SquareTimes", ..PLAIN }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let (woken, _) = cx.timer(Arc::new(Squares));
        let zero = superdense::parse_value("0").expect("a number");
        let sum = cx.state("sum", zero.with_real_elements());
        let more = cx.graph.add(sum, input.value);
        let next = cx.graph.select(woken, more, sum);
        cx.next(sum, next);
        let signal = cx.event(more, woken);
        cx.output("output", signal);
        Ok(())
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
    let blocks: [Arc<dyn Block>; 3] = [Arc::new(Square), Arc::new(CubeRoot), Arc::new(SquareTimes)];
    let library = blocks.into_iter().fold(Library::standard(), Library::with);
    let system = compile_with(text, &library, &Overrides::default())
        .unwrap_or_else(|refused| panic!("{refused}"));
    system.simulate().unwrap_or_else(|failure| panic!("{failure}")).trace
}

#[test]
fn a_block_in_the_graph_moves_and_ticks() {
    // x' = 1 + x^2 is tan.
    let trace = trace(
        "
superdense: 1
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
superdense: 1
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
        Info { name: "KnownRoot", ..PLAIN }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let value = cx.graph.call(Arc::new(KnownCbrt), &[input.value], Type::REAL);
        let signal = cx.event(value, input.present);
        cx.output("output", signal);
        Ok(())
    }
}

#[test]
fn the_derivative_of_an_opaque_function_is_its_own_or_refused() {
    let text = |root: &str, more: &str| {
        format!(
            "
superdense: 1
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
    let compiled = |text: &str| compile_with(text, &library, &Overrides::default());
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
superdense: 1
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
superdense: 1
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
