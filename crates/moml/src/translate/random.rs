//! Random actors: the generators of Java, with the seeds that the actors have there.

use super::Content;
use super::actor::{Actor, grouped};
use crate::Problem;
use crate::expression;
use crate::tree::{Component, Property};
use crate::yaml::Yaml;

/// Translates a random actor by its class; any other class is not supported.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    match actor.own.kind() {
        "PoissonClock" => poisson_clock(actor),
        "Uniform" => {
            let (low, high) = (
                actor.port_parameter("lowerBound", "0.0")?,
                actor.port_parameter("upperBound", "1.0")?,
            );
            drawn(actor, "uniform", |u| format!("{u} * ({high} - {low}) + {low}"))
        }
        "Gaussian" => {
            let mean = actor.port_parameter("mean", "0.0")?;
            let spread = actor.port_parameter("standardDeviation", "1.0")?;
            drawn(actor, "gaussian", |u| format!("{u} * {spread} + {mean}"))
        }
        "Bernoulli" => {
            let chance = actor.port_parameter("trueProbability", "0.5")?;
            drawn(actor, "uniform", |u| format!("{u} < {chance}"))
        }
        "DiscreteRandomSource" => discrete(actor),
        "BandlimitedNoise" => noise(actor),
        "ColtExponential" => {
            let rate = actor.port_parameter("lambda", "1.0")?;
            drawn(actor, "uniform", |u| format!("-log({u}) / {rate}"))
        }
        _ => Err(actor.unsupported(format!("the class `{}`", actor.own.base))),
    }
}

/// Adds a signal that has another random number after each event; any number is right.
pub fn held(name: &str, event: &str, content: &mut Content) {
    let drawn = format!("{name}_drawn");
    // Before the first event it has one of its own, too.
    let first = expression::code(name) as f64 / (1u64 << 48) as f64;
    let block = |fields: [(&str, String); 3]| {
        let kept = fields.into_iter().filter(|(_, text)| !text.is_empty());
        Yaml::Map(kept.map(|(key, text)| (key.to_owned(), Yaml::Text(text))).collect())
    };
    let random =
        [("type", "Random".to_owned()), ("trigger", event.to_owned()), ("count", String::new())];
    let hold = [
        ("type", "ZeroOrderHold".to_owned()),
        ("input", drawn.clone()),
        ("initial", first.to_string()),
    ];
    for (name, fields) in [(drawn, random), (name.to_owned(), hold)] {
        content.used.insert(name.clone());
        content.blocks.push((name, block(fields)));
    }
}

/// A number for each event at the port `trigger`.
fn drawn(
    actor: &mut Actor,
    distribution: &str,
    of: impl Fn(&str) -> String,
) -> Result<(), Problem> {
    let event = actor.firing()?;
    let number = actor.part("number");
    generator(actor, &number, &event, distribution)?;
    actor.expression(&of(&number));
    Ok(())
}

/// Noise that goes in straight lines from one number to the next, at even distances.
fn noise(actor: &mut Actor) -> Result<(), Problem> {
    let (mean, spread) = (actor.factor("mean", "0.0")?, actor.factor("standardDeviation", "1.0")?);
    let period = format!("1.0 / {}", actor.factor("bandwidth", "10.0")?);
    let [clock, from, to, since] = ["clock", "from", "to", "since"].map(|part| actor.part(part));
    let fields = vec![
        ("offsets", Yaml::list(["0".to_owned()])),
        ("period", Yaml::Text(period.clone())),
        ("start", Yaml::Text(period.clone())),
    ];
    actor.block(&clock, "EventSource", fields);
    for (name, skip) in [(&from, "0"), (&to, "1")] {
        generator(actor, name, &clock, "gaussian")?;
        if let Some((_, Yaml::Map(fields))) = actor.content.blocks.last_mut() {
            fields.push(("between".to_owned(), Yaml::text("next")));
            fields.push(("skip".to_owned(), Yaml::text(skip)));
        }
    }
    let fields = vec![
        ("input", Yaml::Text(format!("when(present({clock}), time)"))),
        ("initial", Yaml::text("0")),
    ];
    actor.block(&since, "ZeroOrderHold", fields);
    let line = format!("{from} + ({to} - {from}) * (time - {since}) / ({period})");
    actor.expression(&format!("({line}) * {spread} + {mean}"));
    Ok(())
}

fn discrete(actor: &mut Actor) -> Result<(), Problem> {
    let (chances, values) =
        (actor.elements("pmf", "{0.5, 0.5}")?, actor.elements("values", "{0, 1}")?);
    let Some((last, others)) = values.split_last().filter(|_| values.len() == chances.len()) else {
        return Err(actor.unsupported("`pmf` and `values` that are not arrays of one length"));
    };
    drawn(actor, "uniform", |u| {
        let below = |at: usize| chances[..=at].join(" + ");
        let choose = |rest: String, at: usize| {
            format!("if {u} <= {} then {} else {}", below(at), grouped(&others[at]), grouped(&rest))
        };
        (0..others.len()).rev().fold(last.clone(), choose)
    })
}

/// Events whose distances are exponential: each one is the last one, later by a number drawn at it.
fn poisson_clock(actor: &mut Actor) -> Result<(), Problem> {
    actor.refuse_port("trigger")?;
    if actor.number("stopTime", "Infinity").is_none_or(f64::is_finite) {
        return Err(actor.unsupported("a stop time of its own"));
    }
    let mean = actor.factor("meanTime", "1.0")?;
    let values = actor.elements("values", "{1, 0}")?;
    let parts = ["begin", "fired", "number", "next"].map(|part| actor.part(part));
    let [begin, fired, number, next] = parts;
    let once = vec![("offsets", Yaml::list(["0".to_owned()])), ("repeat", Yaml::text("once"))];
    actor.block(&begin, "EventSource", once);
    let either = vec![("inputs", Yaml::list([begin, next.clone()]))];
    actor.block(&fired, "Merge", either);
    generator(actor, &number, &fired, "uniform")?;
    // The clock there counts units of 1e-10 s.
    let delay = format!("round(-log(1 - {number}) * {mean} / 1e-10) * 1e-10");
    let later = vec![("input", Yaml::Text(fired.clone())), ("delay", Yaml::Text(delay))];
    actor.block(&next, "VariableEventDelay", later);
    let shown = if actor.flag("fireAtStart", true) { fired } else { next };
    match values.as_slice() {
        [value] => actor.expression(&format!("when(present({shown}), {value})")),
        values => {
            let count = actor.part("count");
            let fields = vec![("increment", Yaml::Text(shown)), ("initial", Yaml::text("-1"))];
            actor.block(&count, "Counter", fields);
            let index = format!("mod({count}, {})", values.len());
            let choose = |rest: String, at: usize| {
                format!(
                    "if {index} < {}.5 then {} else {}",
                    at,
                    grouped(&values[at]),
                    grouped(&rest)
                )
            };
            let last = values.last().cloned().unwrap_or_default();
            let text = (0..values.len().saturating_sub(1)).rev().fold(last, choose);
            actor.expression(&text);
        }
    }
    Ok(())
}

/// The generator of an actor, which draws at each event of a signal.
fn generator(
    actor: &mut Actor,
    name: &str,
    event: &str,
    distribution: &str,
) -> Result<(), Problem> {
    let class = actor.word("generatorClass", "DRand");
    let colt = actor.own.base.contains(".colt.");
    if colt && class != "DRand" {
        return Err(actor.unsupported(format!("the random generator `{class}`")));
    }
    let seed = seed(actor)?;
    let state = if colt { small_state(seed) } else { state(seed) };
    let mut fields = vec![
        ("trigger", Yaml::text(event)),
        ("state", Yaml::Text(state.to_string())),
        ("distribution", Yaml::text(distribution)),
    ];
    if colt {
        fields.push(("generator", Yaml::text("drand")));
    }
    actor.block(name, "JavaRandom", fields);
    Ok(())
}

/// The seed of an actor: a private one, or the one that all share with the hash of its full name. A
/// seed of 0 means any; ours is then that of the name alone.
fn seed(actor: &Actor) -> Result<i64, Problem> {
    let number = |name: &str| -> Result<Option<i64>, Problem> {
        let Some(text) = actor.own.value(name) else { return Ok(None) };
        let whole = actor.number(name, "0").filter(|own| own.fract() == 0.0 && own.abs() < 9e15);
        let whole = whole.ok_or_else(|| actor.unsupported(format!("the seed `{text}`")))?;
        Ok(Some(whole as i64))
    };
    if let Some(own) = number("privateSeed")? {
        return Ok(own);
    }
    let name = format!(".{}", actor.own.path);
    let add = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let hash = name.encode_utf16().fold(0i32, add);
    Ok(number("seed")?.unwrap_or(0).wrapping_add(i64::from(hash)))
}

/// Gives the random actors of a model that set no seed the one that they share: the first that an
/// actor sets.
pub fn share_seed(model: &mut Component) {
    fn find(own: &Component) -> Option<Property> {
        let shares = |own: &&Property| own.class.ends_with("SharedParameter");
        let seed = own.property("seed").filter(shares).filter(|own| own.text().is_some());
        seed.cloned().or_else(|| own.entities.iter().find_map(find))
    }
    fn give(own: &mut Component, seed: &Property) {
        let draws = matches!(
            own.kind(),
            "Uniform"
                | "Gaussian"
                | "Bernoulli"
                | "DiscreteRandomSource"
                | "ColtExponential"
                | "PoissonClock"
                | "BandlimitedNoise"
                | "Rician"
                | "Triangular"
        );
        if draws && own.value("seed").is_none() {
            own.properties.retain(|own| own.name != "seed");
            own.properties.push(seed.clone());
        }
        own.entities.iter_mut().for_each(|own| give(own, seed));
    }
    if let Some(seed) = find(model) {
        give(model, &seed);
    }
}

/// The state of `new Random(seed)`.
fn state(seed: i64) -> u64 {
    (seed as u64 ^ 0x5_DEEC_E66D) & ((1 << 48) - 1)
}

/// The state of `new DRand((int) seed)`.
fn small_state(seed: i64) -> u64 {
    let seed = (seed as i32).wrapping_abs();
    let seed = if seed >= 1_073_741_823 { seed >> 3 } else { seed };
    u64::from(seed.wrapping_mul(4).wrapping_add(1) as u32)
}
