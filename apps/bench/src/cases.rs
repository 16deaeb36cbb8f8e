//! The cases: one file each.
//!
//! A case has its model as text and the same equations in plain Rust. Before times mean anything,
//! both must give the same result with the same accuracy; `check` ensures that.

mod ball;
pub(crate) mod batch;
mod buck;
mod chain;
mod collisions;
mod events;
mod impulses;
pub(crate) mod linear;
pub(crate) mod lorenz;
mod modes;
mod recording;
mod relays;
mod robertson;
mod sampled;
mod sliding;
mod startup;
mod state_space;

use anyhow::{Context, Result, ensure};
use superdense::{Library, Model, Outcome, System};

use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

/// Something to measure.
pub(crate) struct Case {
    pub name: &'static str,
    /// Checks that the model and the hand-written version agree.
    #[cfg_attr(not(test), allow(dead_code))]
    pub check: fn() -> Result<()>,
    /// Measures their times.
    pub figures: fn(&Effort) -> Result<Vec<Figure>>,
}

/// All cases, in the order of the report.
pub(crate) const ALL: [Case; 17] = [
    Case { name: "lorenz", check: || lorenz::exactness().map(drop), figures: lorenz::figures },
    Case { name: "ball", check: ball::check, figures: ball::figures },
    Case { name: "chain", check: || chain::exactness().map(drop), figures: chain::figures },
    Case {
        name: "robertson",
        check: || robertson::exactness().map(drop),
        figures: robertson::figures,
    },
    Case { name: "batch", check: || batch::exactness().map(drop), figures: batch::figures },
    Case { name: "linear", check: || linear::exactness().map(drop), figures: linear::figures },
    Case { name: "relays", check: || relays::exactness().map(drop), figures: relays::figures },
    Case { name: "startup", check: startup::check, figures: startup::figures },
    Case { name: "sampled", check: || sampled::exactness().map(drop), figures: sampled::figures },
    Case { name: "buck", check: || buck::exactness().map(drop), figures: buck::figures },
    Case { name: "recording", check: recording::check, figures: recording::figures },
    Case { name: "impulses", check: impulses::check, figures: impulses::figures },
    Case { name: "modes", check: modes::check, figures: modes::figures },
    Case { name: "events", check: events::check, figures: events::figures },
    Case {
        name: "state space",
        check: || state_space::exactness().map(drop),
        figures: state_space::figures,
    },
    Case { name: "collisions", check: collisions::check, figures: collisions::figures },
    Case { name: "sliding", check: sliding::check, figures: sliding::figures },
];

/// A hand-written version that other programs are compared with.
pub(crate) struct Floor {
    /// The letter of the case.
    pub case: &'static str,
    /// Runs it and returns the final values.
    pub run: Box<dyn Fn() -> Vec<f64>>,
    /// The exact final values; empty if they are not checked.
    pub truth: Vec<f64>,
}

impl Floor {
    fn new(case: &'static str, run: impl Fn() -> Vec<f64> + 'static, truth: Vec<f64>) -> Floor {
        Floor { case, run: Box::new(run), truth }
    }
}

/// All of them, in the order of their letters.
pub(crate) fn floors() -> Vec<Floor> {
    vec![
        lorenz::floor(),
        ball::floor(),
        chain::floor(),
        robertson::floor(),
        batch::floor(),
        linear::floor(),
    ]
}

/// The random diagram of case F, as lines for the peers' programs.
pub(crate) fn diagram_lines() -> String {
    linear::lines()
}

/// Runs a function with a stack large enough for the states of large systems.
pub(crate) fn with_room<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, run);
        let thread = thread.expect("a thread can be started");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// What to record if steps should not be recorded: a constant, which has a row only at events. A
/// model without `record` records everything.
pub(crate) const NOTHING: &str = "0";

pub(crate) fn parse(text: &str) -> Result<Model> {
    let mut nowhere = |path: &str| Err(format!("there is no file `{path}`"));
    Ok(superdense::parse("bench", text, &mut nowhere)?)
}

/// Compiles the text of a model.
pub(crate) fn compile(text: &str) -> Result<System> {
    Ok(System::compile(&parse(text)?, &Library::standard())?)
}

/// The last value of a recorded signal.
fn last(outcome: &Outcome, name: &str) -> Result<f64> {
    outcome.trace.last(name).with_context(|| format!("`{name}` was not recorded"))
}

/// The last values of several recorded signals.
fn ends(outcome: &Outcome, names: &[String]) -> Result<Vec<f64>> {
    names.iter().map(|name| last(outcome, name)).collect()
}

/// The largest difference.
pub(crate) fn farthest(values: &[f64], truth: &[f64]) -> f64 {
    values.iter().zip(truth).map(|(value, truth)| (value - truth).abs()).fold(0.0, f64::max)
}

/// The largest differences of both from the exact values. Neither may exceed `bound`, and the model
/// may not be worse than the hand-written version, apart from rounding.
fn errors(what: &str, ours: &[f64], hand: &[f64], truth: &[f64], bound: f64) -> Result<Errors> {
    let errors = Errors { ours: farthest(ours, truth), hand: farthest(hand, truth) };
    ensure!(
        errors.ours <= bound && errors.hand <= bound && errors.ours <= 1.1 * errors.hand + 1e-10,
        "{what}: {:e} from the truth, {:e} by hand, where {bound:e} is allowed",
        errors.ours,
        errors.hand
    );
    Ok(errors)
}

/// The times of a model and of the hand-written version, once for each of these: a name, what to
/// record, and the limit. The notes are the numbers of steps.
fn recorded<R>(
    effort: &Effort,
    rows: [(&str, &str, Option<Bar>); 2],
    text: impl Fn(&str) -> String,
    by_hand: impl Fn() -> R,
    errors: Errors,
) -> Result<Vec<Figure>> {
    let figure = |(name, record, bar): (&str, &str, Option<Bar>)| {
        let system = compile(&text(record))?;
        let steps = system.simulate()?.counters.steps;
        let (ours, hand) = in_turn(effort, || effort.run(&system), &by_hand);
        let note = format!("{steps} steps");
        Ok(Figure::new(name, ours).against(hand).bar(bar).errors(errors).note(note))
    };
    rows.into_iter().map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::{ALL, with_room};

    #[test]
    fn models_and_versions_written_by_hand_agree() {
        for case in ALL {
            with_room(|| (case.check)()).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        }
    }
}
