//! Operations on impulses that have no meaning: each is an error with tag, block and reason.

use crate::common;
use std::sync::Arc;

use crate::common::{belongs, codes, compile_with, exact, refusal, simulate};
use superdense::{Block, Context, Diagnostic, Info, Input, Library, RunError, Settings, Signal};

/// Makes an event of an impulse, which no block of the library does.
#[derive(Debug)]
struct Burst;

impl Block for Burst {
    fn info(&self) -> Info {
        Info::new("Burst", "User", "The impulses of a signal as events that carry them.")
            .absence("Present where the input carries an impulse.")
            .impulses("Those of the input.")
            .input(Input::one("input", "The signal."))
            .output("output", "The events.")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let (ticking, hit) = (cx.ticking(), cx.nonzero(input.impulses[0]));
        let present = cx.graph.and(ticking, hit);
        cx.output("output", Signal { present, ..input });
        Ok(())
    }
}

fn model(blocks: &str) -> String {
    format!(
        "
blocks:
  hit: {{type: ImpulseSource, times: [1]}}
  twist: {{type: ImpulseSource, times: [1], order: 2}}
  jump: {{type: Step, time: 1, before: 1, after: 2}}
  x: {{type: Integrator, input: jump}}
  c: {{type: Clock, period: 1, offset: 1}}
{blocks}
simulate: {{stop: 2}}
"
    )
}

fn with_burst(blocks: &str) -> String {
    match blocks.contains("burst") {
        true => model(&format!("  burst: {{type: Burst, input: hit}}\n{blocks}")),
        false => model(blocks),
    }
}

/// It is told before the run that this is possible, and the run errs at (1, 1) in the block `y`, for
/// a reason that has these words.
#[track_caller]
fn undefined(blocks: &str, words: &str) {
    let library = Library::standard().with(Arc::new(Burst));
    let system = compile_with(&with_burst(blocks), &library, &Settings::default())
        .unwrap_or_else(|refused| panic!("{refused}"));
    let warnings = system.warnings();
    let told = |d: &Diagnostic| d.message.contains(words) && belongs(&d.path, "y");
    assert!(warnings.0.iter().any(told), "{blocks}: not told before: {warnings}");
    assert!(warnings.0.iter().all(|d| d.code == "undefined-possible"), "{warnings}");
    let failure = system.simulate().expect_err(blocks);
    match failure.error {
        RunError::Undefined { tag, block, reason, .. } => {
            assert_eq!(tag, exact("1", 1), "{blocks}");
            assert!(belongs(&block, "y"), "{blocks}: {block}");
            assert!(reason.contains(words), "{blocks}: {reason}");
        }
        other => panic!("{blocks}: {other}"),
    }
}

#[test]
fn the_inverse_of_an_impulse() {
    undefined("  y: {type: Inverter, input: 1 + hit}", "inverse");
    undefined("  y: {type: Divide, numerator: 3, denominator: 1 + hit}", "divi");
    undefined("  y: {type: Expression, expression: 3 / (1 + hit)}", "divi");
}

#[test]
fn the_product_of_two_impulses_at_one_instant() {
    undefined("  y: {type: Product, inputs: [hit, twist]}", "product of two impulses");
    undefined("  y: {type: Expression, expression: hit * hit}", "product of two impulses");
    // At two instants each is scaled by the value of the other, which is 0 there.
    let apart =
        "  late: {type: ImpulseSource, times: [1.5]}\n  y: {type: Product, inputs: [hit, late]}";
    let trace = simulate(&model(apart)).trace;
    let y = trace.column("y").unwrap();
    assert!(trace.impulses().iter().all(|impulse| impulse.column != y));
}

#[test]
fn a_factor_that_jumps_with_the_impulse() {
    undefined("  y: {type: Product, inputs: [jump, hit]}", "jumps");
    undefined("  y: {type: Expression, expression: hit / jump}", "jumps");
    // x itself is continuous, its slope is not: only the derivative of an impulse asks for it.
    undefined("  y: {type: Product, inputs: [x, twist]}", "derivative that jumps");
    simulate(&model("  y: {type: Product, inputs: [x, hit]}"));
}

#[test]
fn a_condition_that_carries_an_impulse() {
    undefined("  y: {type: Switch, input: time + hit}", "condition");
    undefined("  y: {type: Decision, input: time + hit, above: 1, below: 2}", "condition");
    undefined(
        "  y:\n    type: Expression\n    expression: if time + hit > 0 then 1 else 2",
        "condition",
    );
}

#[test]
fn a_choice_that_changes_with_an_impulse() {
    undefined("  y: {type: Decision, input: jump, threshold: 1.5, above: hit, below: 0}", "choice");
    undefined("  y: {type: Decision, input: jump, threshold: 1.5, above: 0, below: hit}", "choice");
}

#[test]
fn an_impulse_into_a_nonlinear_function() {
    for function in ["sin(hit)", "abs(hit)", "floor(hit)", "max(hit, 1)", "hit^2", "mod(hit, 2)"] {
        undefined(&format!("  y:\n    type: Expression\n    expression: {function}"), "nonlinear");
    }
}

#[test]
fn an_impulse_that_is_sampled_held_merged_or_counted() {
    undefined("  y: {type: Sample, input: hit, trigger: c}", "sampled");
    undefined("  y: {type: ZeroOrderHold, input: burst}", "held");
    undefined("  y: {type: Merge, inputs: [burst, c]}", "merged");
    undefined("  y: {type: Counter, increment: burst}", "counted");
    undefined("  y: {type: Sample, input: 1, trigger: burst}", "event");
    undefined("  y: {type: Integrator, input: 0, impulse: burst}", "event");
    undefined("  y: {type: Integrator, input: 0, reset: burst}", "event");
}

/// No impulse is on a purely discrete port at microstep 0: a signal that could have one is there
/// between events, and is refused.
#[test]
fn an_impulse_at_a_port_of_events() {
    for port in ["impulse", "reset"] {
        let refused = refusal(&model(&format!("  y: {{type: Integrator, input: 0, {port}: hit}}")));
        assert_eq!(codes(&refused), ["not-events"], "{refused}");
    }
}

/// What can never be undefined is not warned of.
#[test]
fn no_false_alarm() {
    for blocks in [
        // A signal without jumps has a derivative without impulses.
        "  d: {type: Derivative, input: sin(x)}\n  y: {type: Expression, expression: abs(d) + d^2}",
        // Impulses at times that never meet.
        "  late: {type: ImpulseSource, times: [1.5]}\n  y: {type: Product, inputs: [hit, late]}",
        "  y: {type: Product, inputs: [x, hit]}",
        "  s: {type: Step, time: 1.5}\n  y: {type: Product, inputs: [hit, s]}",
        // The value before the blow, and the blow after it.
        "  y: {type: Integrator, input: left(y) * hit, initial: 1}",
        // A sample at other times, and a choice that changes at others.
        "  k: {type: Clock, period: 1, offset: 0.5}\n  y: {type: Sample, input: hit, trigger: k}",
        "  s: {type: Step, time: 0.5}\n  y: {type: Decision, input: s, above: hit, below: 0}",
        // The impulses are integrated before they meet a function.
        "  z: {type: Integrator, input: hit}\n  y: {type: Expression, expression: sin(z)}",
        // The derivative of a count of crossings, scaled by what moves without jumps.
        "  up: {type: LevelCrossing, input: x, level: 1.5}\n  n: {type: Counter, increment: up}\n  \
         N: {type: ZeroOrderHold, input: n}\n  d: {type: Derivative, input: N}\n  \
         y: {type: Expression, expression: d * x}",
    ] {
        let system = common::compile(&model(blocks));
        let warnings = system.warnings();
        assert!(warnings.0.is_empty(), "{blocks}: {warnings}");
        let outcome = system.simulate().unwrap_or_else(|failure| panic!("{blocks}: {failure}"));
        assert!(outcome.warnings.is_empty(), "{blocks}");
    }
}

/// A jump and an impulse at one instant, one microstep apart: the run goes on and says so, once.
#[test]
fn a_product_that_depends_on_the_order_of_microsteps() {
    let blocks = "  c2: {type: Clock, period: 0.5, offset: 0.5, value: 3}
  late: {type: MicrostepDelay, input: c2}
  h: {type: ZeroOrderHold, input: late, initial: 1}
  two: {type: ImpulseSource, times: [0.5, 1]}
  y: {type: Product, inputs: [h + time, two]}";
    let system = common::compile(&model(blocks));
    let outcome = system.simulate().unwrap_or_else(|failure| panic!("{failure}"));
    let [warning] = &outcome.warnings[..] else { panic!("{:?}", outcome.warnings) };
    assert_eq!((warning.code(), warning.block()), ("microstep-order", "y"));
    assert_eq!(
        warning.to_string(),
        "an impulse is multiplied by a signal that jumps at another microstep of the same instant: \
         the result depends on the order of the microsteps, in `y` at (0.5, 2)"
    );
    let shown = system.explain_warning(warning);
    assert_eq!(shown.labels.len(), 1);
    // A run that is resumed after it knows of it still.
    let mut run = system.begin();
    while run.tag() < exact("0.75", 0) {
        run.advance().unwrap();
    }
    let resumed = system.resume(&run.save()).unwrap();
    assert_eq!(resumed.finish().unwrap().warnings, outcome.warnings);
}

/// With previous(...) the model says itself which value is meant.
#[test]
fn a_factor_that_says_its_microstep_is_not_warned_of() {
    let blocks = "  c2: {type: Clock, period: 1, offset: 1, value: 3}
  late: {type: MicrostepDelay, input: c2}
  h: {type: ZeroOrderHold, input: late, initial: 1}
  y: {type: Expression, expression: left(h) * hit}";
    assert!(simulate(&model(blocks)).warnings.is_empty());
}
