//! Clocks that signals start, or whose periods signals change. Such a clock goes on by itself: each of
//! its events causes the next one, after the time to it.
//!
//! ```text
//! ticket:  run * n + k for the event k of a cycle of n that begins in the run with this number
//! begin:   a run starts with the ticket of its first event
//! fired:   tickets that have come, of the present run alone
//! again:   the ticket after this one, as much later as the offsets and the period say
//! ```

use super::actor::{Actor, any_present};
use crate::Problem;
use crate::yaml::Yaml;

/// Whether a signal or a transition starts a clock or changes its period.
pub fn is_driven(actor: &Actor) -> Result<bool, Problem> {
    let period = actor.optional("period")?.unwrap_or_default();
    let plain = |c: char| !c.is_alphanumeric() && c != '_';
    let is_set = period.split(plain).any(|word| actor.frame.scope.is_set(word));
    Ok(is_set || ["period", "start"].iter().any(|port| actor.input(port).is_some()))
}

/// A clock that is driven by signals.
// The blocks of one clock, each of which reads those before it: a list, and so longer than a
// function should otherwise be.
pub fn driven(actor: &mut Actor, usual: [&str; 3]) -> Result<(), Problem> {
    actor.refuse_port("trigger")?;
    for (name, none) in [("numberOfCycles", "-1"), ("stopTime", "Infinity")] {
        if actor.number(name, none).is_none_or(|own| own > 0.0 && own.is_finite()) {
            return Err(actor.unsupported(format!("`{name}` of a clock that a signal drives")));
        }
    }
    let [offsets, values, period] = usual;
    let times = actor.numbers("offsets", offsets).filter(|times| !times.is_empty());
    let times = times.ok_or_else(|| actor.unsupported("`offsets` is not an array of constants"))?;
    let values = actor.elements("values", values)?;
    let n = times.len();
    if values.len() != n {
        return Err(actor.unsupported("`offsets` and `values` that are not arrays of one length"));
    }
    let period = actor.port_parameter("period", period)?;
    let [runs, run, on] = ["runs", "run", "on"].map(|part| actor.part(part));
    let (starts, stops) = (actor.inputs("start"), actor.inputs("stop"));
    let begin = begin(actor, &starts);
    actor.block(&runs, "Counter", vec![("increment", Yaml::text(begin.clone()))]);
    let fields = vec![("input", Yaml::Text(runs.clone())), ("initial", Yaml::text("0"))];
    actor.block(&run, "ZeroOrderHold", fields);
    let first = first(actor, &begin, (&run, n), times[0]);
    let [again, come, fired, phase] =
        ["again", "come", "fired", "phase"].map(|part| actor.part(part));
    let either = vec![("inputs", Yaml::list([first, again.clone()]))];
    actor.block(&come, "Merge", either);
    actor.named(&fired, &format!("when(floor({come} / {n}) == {run}, {come})"));
    actor.named(&phase, &format!("mod({fired}, {n})"));
    let span = times[n - 1] - times[0];
    let within: Vec<String> = times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).to_string())
        .chain(["0".to_owned()])
        .collect();
    let around = format!("{period} - {span}");
    let delay = match n {
        1 => format!("when(present({phase}), {around})"),
        _ => format!("if {phase} == {} then {around} else [{}][{phase}]", n - 1, within.join(", ")),
    };
    let next = format!("{fired} - {phase} + mod({phase} + 1, {n})");
    let later = vec![("input", Yaml::Text(next)), ("delay", Yaml::Text(delay))];
    actor.block(&again, "VariableEventDelay", later);
    let value = format!("[{}][{phase}]", values.join(", "));
    if stops.is_empty() {
        actor.expression(&format!("when(present({fired}), {value})"));
        return Ok(());
    }
    let goes = match starts.is_empty() {
        true => "absent".to_owned(),
        false => format!("when({}, true)", any_present(&starts)),
    };
    let event = format!("if {} then false else {goes}", any_present(&stops));
    let initial = Yaml::Text(starts.is_empty().to_string());
    actor.block(&on, "ZeroOrderHold", vec![("input", Yaml::Text(event)), ("initial", initial)]);
    actor.expression(&format!("when(present({fired}) and {on}, {value})"));
    Ok(())
}

/// The events at which a clock begins: those of its signals, or else the start of the model.
fn begin(actor: &mut Actor, starts: &[String]) -> String {
    let begin = actor.part("begin");
    match starts.is_empty() {
        true => {
            let once =
                vec![("offsets", Yaml::list(["0".to_owned()])), ("repeat", Yaml::text("once"))];
            actor.block(&begin, "EventSource", once);
        }
        false => actor.named(&begin, &format!("when({}, 1)", any_present(starts))),
    }
    begin
}

/// The first ticket of each run.
fn first(actor: &mut Actor, begin: &str, (run, n): (&str, usize), offset: f64) -> String {
    let first = actor.part("first");
    actor.named(&first, &format!("when(present({begin}), {run} * {n})"));
    if offset <= 0.0 {
        return first;
    }
    let late = actor.part("late");
    let fields = vec![("input", Yaml::Text(first)), ("delay", Yaml::Text(offset.to_string()))];
    actor.block(&late, "EventDelay", fields);
    late
}
