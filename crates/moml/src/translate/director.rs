//! Directors: how a model is run.

use super::composite::Frame;
use super::scope::Scope;
use super::{Content, Signals, names};
use crate::Problem;
use crate::tree::{Component, Property};
use crate::yaml::Yaml;

/// The settings of the director of a model.
pub fn settings(
    model: &Component,
    scope: &Scope,
    inner: &[f64],
) -> Result<Vec<(String, String)>, Problem> {
    let mut settings = Vec::new();
    check(model)?;
    let timed = timed(model);
    // A Continuous model inside another domain begins anew after every step.
    let inside = !std::ptr::eq(timed, model);
    let outer = model.director();
    let director = timed.director();
    let value = |name: &str| -> Result<Option<String>, Problem> {
        let own = if name.ends_with("Time") { outer } else { director };
        let property = own.and_then(|own| own.property(name));
        let Some(text) = property.and_then(Property::text) else { return Ok(None) };
        let printed = scope.print(text, None).map_err(|reason| {
            let subject = format!("property {}.{name}", model.path);
            let line = property.map_or(model.line, |own| own.line);
            Problem::unsupported(&model.file, line, &subject, format!("`{text}`: {reason}"))
        })?;
        Ok(Some(printed.text).filter(|text| text != "inf"))
    };
    let mut put = |key: &str, value: Option<String>| {
        settings.extend(value.map(|value| (key.to_owned(), value)));
    };
    put("profile", Some("ptolemy".to_owned()));
    put("start", value("startTime")?);
    let ticks = match model.director().is_some_and(fires) {
        true => Some(((iterations(model, scope)? - 1.0) * period(model, scope)).to_string()),
        false => None,
    };
    let stop = value("stopTime")?.unwrap_or_else(|| "1e9".to_owned());
    put("stop", Some(ticks.unwrap_or(stop)));
    put("solver", Some(solver(model, director)?.to_owned()));
    put("tolerance", Some(value("errorTolerance")?.unwrap_or_else(|| USUAL.to_owned())));
    let first = value("initStepSize")?.unwrap_or_else(|| "0.1".to_owned());
    put("initial_step", Some(first.clone()));
    if !inside && !steps_itself(model) {
        put("growth", Some("10".to_owned()));
    }
    let longest = value("maxStepSize")?.unwrap_or_else(|| "1".to_owned());
    // A start after every step allows none that is longer than the first.
    let number = |text: &String| text.parse::<f64>().ok();
    let longest = match inside.then(|| (number(&longest), number(&first))) {
        None => longest,
        Some((Some(a), Some(b))) if a <= b => longest,
        Some((Some(_), Some(_))) => first,
        Some(_) => format!("min({longest}, {first})"),
    };
    // Directors inside are asked only for the step after another one.
    let next = inner.iter().copied().min_by(f64::total_cmp);
    let shorter = next.filter(|next| scope.constant(&longest).is_none_or(|own| *next < own));
    put("maximum_step", Some(longest));
    put("next_step", shorter.map(|next| next.to_string()));
    Ok(settings)
}

/// The solver that a director names.
fn solver(model: &Component, director: Option<&Property>) -> Result<&'static str, Problem> {
    let name = director.and_then(|own| own.property("ODESolver")).and_then(Property::text);
    match name.map(|text| text.trim_matches('"')) {
        None => Ok("rk23"),
        Some(name) if name.ends_with("RK23Solver") => Ok("rk23"),
        Some(name) if name.ends_with("RK45Solver") => Ok("rk45"),
        Some(name) => {
            let subject = format!("director of {}", model.path);
            let reason = format!("the solver `{name}`");
            Err(Problem::unsupported(&model.file, model.line, &subject, reason))
        }
    }
}

/// Whether a director fires everything in a composite at once, again and again.
pub fn fires(director: &Property) -> bool {
    ["SDFDirector", "HDFDirector", "SRDirector"].iter().any(|kind| director.class.ends_with(kind))
}

/// Whether a director of this kind fires with any of its inputs.
pub fn reacts(director: &Property) -> bool {
    director.class.ends_with("SRDirector")
}

/// The firings of a model whose director fires everything at once: their block and its name. They are
/// as far apart as the director says, or else 1 s, since time means nothing there.
pub fn ticks(
    model: &Component,
    scope: &Scope,
    content: &mut Content,
) -> Result<(String, Yaml), Problem> {
    let count = iterations(model, scope)?;
    let name = names::fresh("tick", &mut content.used);
    let fields = [
        ("type", "EventSource".to_owned()),
        ("period", period(model, scope).to_string()),
        ("count", count.to_string()),
    ];
    Ok((name, Yaml::map(fields.map(|(key, text)| (key.to_owned(), text)))))
}

/// The time between the firings of a model \[s\].
fn period(model: &Component, scope: &Scope) -> f64 {
    let text = model.director().and_then(|own| own.property("period")).and_then(Property::text);
    text.and_then(|text| scope.constant(text)).filter(|period| *period > 0.0).unwrap_or(1.0)
}

/// Adds the firings of a composite to its inputs. A director with a period of its own takes part in
/// some of those around it, or has others, and sees no input between them.
pub fn pace(
    frame: &Frame,
    own: &Component,
    firing: Option<((String, usize), String)>,
    inputs: &mut Signals,
    content: &mut Content,
) -> Result<(), Problem> {
    let of = |own: Option<&Property>| {
        let director = own.filter(|own| fires(own))?;
        let text = director.property("period").and_then(Property::text)?;
        frame.scope.constant(text).filter(|period| *period > 0.0)
    };
    let around = frame.tick().map(|(_, tick)| (tick, of(frame.component.director())));
    let (period, tick) = match (of(own.director()), around) {
        (Some(period), None) => (period, None),
        (Some(period), Some((tick, Some(around)))) if period != around => {
            (period / around, Some(tick))
        }
        _ => {
            inputs.extend(firing);
            return Ok(());
        }
    };
    let block =
        |fields: [(&str, String); 2]| Yaml::map(fields.map(|(key, text)| (key.to_owned(), text)));
    let name = names::fresh("tick", &mut content.used);
    let fields = match tick {
        None => [("type", "EventSource".to_owned()), ("period", period.to_string())],
        Some(tick) => {
            let every = period.round();
            if (period - every).abs() > 1e-9 || every < 1.0 {
                let subject = format!("director of {}", own.path);
                let reason = "a period that is no multiple of the one around it";
                return Err(Problem::unsupported(&own.file, own.line, &subject, reason));
            }
            let count = names::fresh("count", &mut content.used);
            let fields = [("type", "Counter".to_owned()), ("increment", tick)];
            content.blocks.push((count.clone(), block(fields)));
            let text = format!("when(mod({count} - 1, {every}) == 0, 1)");
            [("type", "Expression".to_owned()), ("expression", text)]
        }
    };
    content.blocks.push((name.clone(), block(fields)));
    for ((port, _), signal) in inputs.iter_mut() {
        let seen = names::fresh(&format!("{}_seen", names::plain(port)), &mut content.used);
        let text = format!("when(present({name}), {signal})");
        content.blocks.push((seen.clone(), super::composite::expression_block(&text)));
        *signal = seen;
    }
    inputs.insert(super::composite::tick_port(), name);
    Ok(())
}

/// How often the director of a model fires. Without a number of its own, it fires until an actor
/// has enough.
fn iterations(model: &Component, scope: &Scope) -> Result<f64, Problem> {
    let director = model.director();
    let text = director.and_then(|own| own.property("iterations")).and_then(Property::text);
    let own = match text.map(|text| text.trim_matches('"')) {
        None if director.is_some_and(reacts) => 0.0,
        None | Some("AUTO") => 1.0,
        Some("UNBOUNDED") => 0.0,
        Some(text) => scope.constant(text).unwrap_or(f64::NAN),
    };
    let limit = |inner: &Component| {
        let text = inner.value("firingCountLimit")?;
        scope.constant(text).filter(|count| *count > 0.0)
    };
    let limits = model.entities.iter().filter_map(limit);
    let stop = director.and_then(|own| own.property("stopTime")).and_then(Property::text);
    let stop = stop.and_then(|text| scope.constant(text)).filter(|stop| stop.is_finite());
    let timed = stop.map(|stop| (stop / period(model, scope)).floor() + 1.0);
    // A machine that comes to an end ends the model.
    let ends = !director.is_some_and(reacts) && model.entities.iter().any(comes_to_an_end);
    let ends = ends.then_some(UNBOUNDED);
    let counts = limits.chain(Some(own).filter(|own| *own > 0.0)).chain(timed).chain(ends);
    counts.min_by(f64::total_cmp).filter(|_| !own.is_nan()).ok_or_else(|| {
        let subject = format!("director of {}", model.path);
        let reason = "a number of iterations without a limit";
        Problem::unsupported(&model.file, model.line, &subject, reason)
    })
}

/// How often a model fires whose director sets no limit.
const UNBOUNDED: f64 = 1e6;

/// Whether an entity is a machine with a final state.
fn comes_to_an_end(own: &Component) -> bool {
    let states = &own.entity("_Controller").unwrap_or(own).entities;
    super::actor::is_machine(own)
        && states.iter().any(|state| state.value("isFinalState") == Some("true"))
}

/// Ends a model of static order when a machine in it has come to its end; `named` has the names
/// of its blocks.
pub fn end_with_machines(
    model: &Component,
    named: impl Fn(&Component) -> Option<String>,
    tick: &str,
    content: &mut Content,
) {
    if model.director().is_some_and(reacts) {
        return;
    }
    let machines = model.entities.iter().filter(|own| comes_to_an_end(own)).filter_map(named);
    let done: Vec<String> = machines.map(|name| format!("{name}.done")).collect();
    if done.is_empty() {
        return;
    }
    let [late, end] = ["late", "end"].map(|name| names::fresh(name, &mut content.used));
    let block = |fields: [(&str, &str); 3]| {
        let kept = fields.into_iter().filter(|(_, text)| !text.is_empty());
        Yaml::map(kept.map(|(key, text)| (key.to_owned(), text.to_owned())))
    };
    let text = format!("when(present({late}) and ({}), 1)", done.join(" or "));
    let delay = [("type", "MicrostepDelay"), ("input", tick), ("between", "absent")];
    content.blocks.push((late, block(delay)));
    content.blocks.push((end, block([("type", "Stop"), ("input", &text), ("", "")])));
}

/// Whether a director of a model or inside it is a Continuous one.
pub fn is_timed(model: &Component) -> bool {
    timed(model).director().is_some_and(|own| own.class.ends_with("ContinuousDirector"))
}

/// Whether a Continuous director lies inside one of another domain.
pub fn speculates(model: &Component) -> bool {
    is_timed(model) && !std::ptr::eq(timed(model), model)
}

/// The longest step of the director of a composite inside a model, if it is a number.
pub fn longest_step(own: &Component, scope: &Scope) -> Option<f64> {
    let director = own.director().filter(|own| own.class.ends_with("ContinuousDirector"))?;
    let longest = director.property("maxStepSize").and_then(Property::text).unwrap_or("1.0");
    scope.constant(longest).filter(|longest| *longest > 0.0)
}

/// The composite whose director chooses the steps: the outermost one that is Continuous.
fn timed(model: &Component) -> &Component {
    let is_continuous = |own: &Component| {
        own.director().is_some_and(|own| own.class.ends_with("ContinuousDirector"))
    };
    let mut open = vec![model];
    while let Some(own) = open.pop() {
        if is_continuous(own) {
            return own;
        }
        open.extend(own.entities.iter().rev());
    }
    model
}

/// Whether an integrator belongs to the director of a composite itself. Directors inside ask for
/// longer steps.
fn steps_itself(own: &Component) -> bool {
    own.entities.iter().any(|inner| match inner.is_composite() {
        true => inner.director().is_none() && steps_itself(inner),
        false => {
            matches!(inner.kind(), "Integrator" | "ContinuousTransferFunction" | "LinearStateSpace")
        }
    })
}

/// The tolerance of the director of a composite inside a model, if it has a Continuous one: there it
/// does not come from around it.
pub fn tolerance(own: &Component, scope: &Scope) -> Result<Option<String>, Problem> {
    let Some(director) = own.director().filter(|own| own.class.ends_with("ContinuousDirector"))
    else {
        return Ok(None);
    };
    let property = director.property("errorTolerance");
    let Some(text) = property.and_then(Property::text) else { return Ok(Some(USUAL.to_owned())) };
    scope.print(text, None).map(|printed| Some(printed.text)).map_err(|reason| {
        let subject = format!("property {}.errorTolerance", own.path);
        let line = property.map_or(own.line, |own| own.line);
        Problem::unsupported(&own.file, line, &subject, format!("`{text}`: {reason}"))
    })
}

/// The tolerance of a director that sets none.
const USUAL: &str = "1e-4";

/// Refuses directors that are not supported.
pub fn check(own: &Component) -> Result<(), Problem> {
    let Some(director) = own.director() else { return Ok(()) };
    let kind = director.class.rsplit('.').next().unwrap_or_default();
    let known = [
        "ContinuousDirector",
        "DEDirector",
        "SRDirector",
        "SDFDirector",
        "HDFDirector",
        "NonStrictFSMDirector",
        "ModalDirector",
        "MultirateFSMDirector",
        "HDFFSMDirector",
        "HybridModalDirector",
        "FSMDirector",
        "CTMixedSignalDirector",
        "CTMultiSolverDirector",
        "CTEmbeddedDirector",
    ];
    // A clock of its own, and a resolution other than that of the profile.
    let clock = director.property("localClock");
    let clock = clock.or(director.property("LocalClock"));
    let odd = |own: Option<&Property>, name: &str, usual: f64| {
        let text = own.and_then(|own| own.property(name)).and_then(Property::text)?;
        (text.parse() != Ok(usual)).then(|| (name.to_owned(), text.to_owned()))
    };
    let found = odd(clock, "clockDrift", 1.0)
        .or_else(|| odd(clock, "clockRate", 1.0))
        .or_else(|| odd(clock, "globalTimeResolution", 1e-10))
        .or_else(|| odd(Some(director), "timeResolution", 1e-10));
    if let Some((name, text)) = found {
        let subject = format!("director of {}", own.path);
        let reason = format!("a `{name}` of {text}");
        return Err(Problem::unsupported(&own.file, director.line, &subject, reason));
    }
    match known.contains(&kind) {
        true => Ok(()),
        false => {
            let subject = format!("director of {}", own.path);
            let reason = format!("the director `{}`", director.class);
            Err(Problem::unsupported(&own.file, director.line, &subject, reason))
        }
    }
}

/// The time of a composite at the start of the model: that of its director, or else the one around it.
pub fn started(own: &Component, around: f64) -> Result<f64, Problem> {
    let given = own.director().and_then(|own| own.property("startTime")).and_then(Property::text);
    if given.is_some() { inner_start(own) } else { Ok(around) }
}

/// The time of a refinement when it is entered, by its director.
pub fn inner_start(own: &Component) -> Result<f64, Problem> {
    let Some(director) = own.director() else { return Ok(0.0) };
    let Some(text) = director.property("startTime").and_then(Property::text) else {
        return Ok(0.0);
    };
    text.parse::<f64>().ok().filter(|start| start.is_finite()).ok_or_else(|| {
        let subject = format!("director of {}", own.path);
        let reason = format!("the start time `{text}` inside a model is not a number");
        Problem::unsupported(&own.file, director.line, &subject, reason)
    })
}
