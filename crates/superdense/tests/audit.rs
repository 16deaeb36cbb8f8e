//! Audits: piecewise continuity of every signal, and models that violate it.

use std::convert::Infallible;
use std::sync::Arc;

use crate::common::{compile, gallery, try_parse};
use superdense::{
    Audit, AuditError, Block, Context, Diagnostic, Fault, Finding, Info, Input, Library, Opaque,
    Settings, System, Type, read,
};

/// y = a function of u in Rust that says nothing of its jump.
#[derive(Debug)]
struct Hidden(fn(f64) -> f64);

impl Opaque for Hidden {
    fn name(&self) -> &str {
        "hidden"
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result[0] = self.0(args[0][0]);
    }
}

#[derive(Debug)]
struct Foreign(fn(f64) -> f64);

impl Block for Foreign {
    fn info(&self) -> Info {
        Info::new("Foreign", "User", "A function.")
            .equations("y = f(u)")
            .absence("Absent if the input is.")
            .impulses("An impulse is an error.")
            .input(Input::one("input", "The signal."))
            .output("output", "Its value.")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.refuse_impulses(&input, "no meaning");
        let value = cx.graph.call(Arc::new(Hidden(self.0)), &[input.value], Type::REAL);
        let signal = cx.event(value, input.present);
        cx.output("output", signal);
        Ok(())
    }
}

fn audit(system: &System) -> Result<Audit, AuditError> {
    let begun = system.audit(|system| Ok::<_, Infallible>(system.begin()));
    begun.unwrap_or_else(|never| match never {})
}

fn with_foreign(f: fn(f64) -> f64, text: &str) -> Audit {
    let model = try_parse(text).expect("a model");
    let library = Library::standard().with(Arc::new(Foreign(f)));
    let system = System::compile(&model, &library).expect("compiles");
    audit(&system).expect("runs")
}

/// A jump inside a function in Rust is no event. It is found where it is, between ticks and at one,
/// on its way through other blocks too; a steep function and a kink are none.
#[test]
fn a_jump_without_an_event_is_found() {
    let text = "
blocks:
  x: {type: Integrator, input: 0.5, initial: 0.1}
  f: {type: Foreign, input: x}
  twice: {type: Gain, input: f, gain: 2}
  sum: {type: Integrator, input: f}
record: [x]
simulate: {stop: 2, tolerance: 1e-6}
";
    let step: fn(f64) -> f64 = |x| if x > 0.6 { 3.0 } else { 1.0 };
    let found = with_foreign(step, text).findings;
    let named: Vec<&str> = found.iter().map(|own| own.signal.as_str()).collect();
    assert_eq!(named, ["f.output", "twice.output"]);
    for (Finding { tag, fault, block, .. }, factor) in found.iter().zip([1.0, 2.0]) {
        assert!((tag.time.seconds() - 1.0).abs() < 1e-9, "{tag}");
        let (from, to) = (Some(vec![factor]), Some(vec![3.0 * factor]));
        assert_eq!(*fault, Fault::Jump { from, to });
        assert!(["f", "twice"].contains(&block.as_str()), "{block}");
    }
    let steep: fn(f64) -> f64 = |x| ((x - 0.6) * 1e5).tanh();
    assert_eq!(with_foreign(steep, text).findings, []);
    let kink: fn(f64) -> f64 = |x| (x - 0.6).abs();
    assert_eq!(with_foreign(kink, text).findings, []);
    let root: fn(f64) -> f64 = |x| (x - 0.6).abs().sqrt();
    assert_eq!(with_foreign(root, text).findings, []);
}

/// The same jump at a time at which a clock ticks: the value at microstep 0 is not the left limit.
#[test]
fn a_value_that_is_not_the_left_limit_is_found() {
    let text = "
blocks:
  c: {type: Clock, period: 1}
  now: {type: Expression, expression: time}
  f: {type: Foreign, input: now}
  s: {type: Sample, input: f, trigger: c}
record: [s]
simulate: {stop: 1.5}
";
    let left: fn(f64) -> f64 = |t| if t >= 1.0 { 5.0 } else { 4.0 };
    let found = with_foreign(left, text).findings;
    let Some(Finding { signal, tag, fault, .. }) = found.first() else { panic!("nothing found") };
    assert_eq!((signal.as_str(), tag.time.seconds(), tag.microstep), ("f.output", 1.0, 0));
    assert_eq!(*fault, Fault::NotLeftLimit { limit: Some(vec![4.0]), value: Some(vec![5.0]) });
    let right: fn(f64) -> f64 = |t| if t > 1.0 { 5.0 } else { 4.0 };
    let found = with_foreign(right, text).findings;
    let Some(Finding { fault, .. }) = found.first() else { panic!("nothing found") };
    assert_eq!(*fault, Fault::NotRightLimit { value: Some(vec![4.0]), limit: Some(vec![5.0]) });
}

/// What the language offers is located: whatever jumps does so at an event, after its left limit.
#[test]
fn the_language_is_piecewise_continuous() {
    let jumps = [
        "floor(3 * x)",
        "mod(x, 0.3)",
        "if x > 0.5 then 1 else x",
        "sign(sin(7 * time))",
        "floor(time * 3) + floor(x * time)",
        "max(0, floor(4 * x))",
        "x * (if time >= 0.7 then 1 else 0)",
        "round(5 * x) - ceil(x)",
    ];
    for jump in jumps {
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: 1 - y / 4}}
  y: {{type: Integrator, input: x}}
  j: {{type: Expression, expression: \"{jump}\"}}
  z: {{type: Integrator, input: j}}
  e: {{type: LevelCrossing, input: z, level: 0.25}}
  s: {{type: Sample, input: j, trigger: e}}
  h: {{type: ZeroOrderHold, input: s}}
  d: {{type: TransportDelay, input: j, delay: 0.35}}
record: [z]
simulate: {{stop: 3}}
"
        );
        let found = audit(&compile(&text)).unwrap_or_else(|error| panic!("{jump}: {error:?}"));
        assert_eq!(found.findings, [], "{jump}");
        assert!(found.signals >= 8 && found.runs > 1, "{found:?}");
    }
}

/// Every short model of the gallery is piecewise continuous.
#[test]
fn the_gallery_is_piecewise_continuous() {
    let mut audited = 0;
    for path in gallery() {
        let model = read(&path).expect("a model");
        let system = System::compile(&model, &Library::standard()).expect("compiles");
        let run = system.simulate();
        if run.is_ok_and(|outcome| outcome.counters.steps < 400) {
            match audit(&system) {
                Ok(found) => assert_eq!(found.findings, [], "{}", path.display()),
                Err(AuditError::FixedStep) => continue,
                Err(error) => panic!("{}: {error:?}", path.display()),
            }
            audited += 1;
        }
    }
    assert!(audited > 15, "{audited}");
}

/// A fixed-step run has no microsteps.
#[test]
fn a_fixed_step_run_is_not_audited() {
    let text = "
blocks: {x: {type: Integrator, input: 1}}
simulate: {stop: 1, impulses: numeric, step: 0.1}
";
    assert!(matches!(audit(&compile(text)), Err(AuditError::FixedStep)));
    assert!(audit(&compile(text).with(&Settings::default().impulses("symbolic")).unwrap()).is_ok());
}
