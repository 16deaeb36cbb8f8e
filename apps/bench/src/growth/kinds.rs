//! Models with many parts of one kind: the cost of each part, from the text to the end of the run.

use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use super::PATIENCE;
use crate::cases::compile;
use crate::report::{duration, grid};

/// The sizes. The exponent is computed from the first size and the last one measured.
const SIZES: [usize; 3] = [1000, 10_000, 100_000];

/// A kind of model.
struct Kind {
    name: &'static str,
    /// The text of a model of a given size.
    text: fn(usize) -> String,
    /// Whether the model is refused, which must not take longer either.
    refused: bool,
}

const fn runs(name: &'static str, text: fn(usize) -> String) -> Kind {
    Kind { name, text, refused: false }
}

const KINDS: [Kind; 13] = [
    runs("crossings in separate regions", crossings),
    runs("relays in separate regions", relays),
    runs("states of one machine", states),
    runs("machines", machines),
    runs("delays in series", delay_row),
    runs("delays in parallel", delays_beside),
    runs("delays of one signal", delays_of_one),
    runs("event delays in series", event_row),
    runs("parameters in a chain", parameters),
    runs("diagrams", diagrams),
    runs("signals, all recorded", recorded),
    runs("blocks of a solved loop", solved),
    Kind { name: "blocks of a rejected loop", text: refused, refused: true },
];

/// Events in one region: each of them examines the whole region, so the cost grows quadratically.
const TOGETHER: [Kind; 2] =
    [runs("crossings of one state", one_state), runs("relays that share a signal", one_part)];

/// The tables: kinds whose cost is proportional to size, and those whose cost is not; of those kinds
/// whose name contains a text.
pub(super) fn table(only: &str) -> Result<String> {
    let together = rows(&TOGETHER, &[300, 1000, 3000, 10_000], only)?;
    Ok(format!("{}\n{together}", rows(&KINDS, &SIZES, only)?))
}

/// The time of one run of the kind with a name \[s\], for a process of its own.
pub(crate) fn once(name: &str, size: usize) -> Result<f64> {
    let kind = KINDS.iter().chain(&TOGETHER).find(|kind| kind.name == name);
    kind.with_context(|| format!("there is no kind `{name}`"))?.once(size)
}

fn rows(kinds: &[Kind], sizes: &[usize], only: &str) -> Result<String> {
    let mut rows = vec![vec!["whole run of many".to_owned()]];
    rows[0].extend(sizes.iter().map(usize::to_string));
    rows[0].push("exponent".to_owned());
    for kind in kinds.iter().filter(|kind| kind.name.contains(only)) {
        let mut row = vec![kind.name.to_owned()];
        let mut times: Vec<(f64, f64)> = Vec::new();
        for size in sizes {
            if times.last().is_some_and(|(_, time)| *time > PATIENCE) {
                row.push("-".to_owned());
                continue;
            }
            let time = kind.time(*size)?;
            times.push((*size as f64, time));
            row.push(duration(time));
        }
        let ((first, quick), (last, slow)) = (times[0], times[times.len() - 1]);
        row.push(format!("{:.2}", (slow / quick).ln() / (last / first).ln()));
        rows.push(row);
    }
    Ok(grid(&rows))
}

impl Kind {
    /// The time from the text to the end of the run \[s\]; the best of a few measurements if it is
    /// short.
    fn time(&self, size: usize) -> Result<f64> {
        let first = self.apart(size)?;
        let more = if first < 1.0 { 4 } else { usize::from(first < 5.0) };
        (0..more).try_fold(first, |least, _| Ok(self.apart(size)?.min(least)))
    }

    /// The same once, in a process of its own: the memory that a process has had before is there at
    /// once, so that in one process the second run takes a third less time than the first, and sizes
    /// that are measured once could not be compared with those that are measured several times.
    fn apart(&self, size: usize) -> Result<f64> {
        let own = std::env::current_exe()?;
        let output = Command::new(own).args(["--grown", self.name, &size.to_string()]).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "{} of size {size}: {errors}", self.name);
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    }

    fn once(&self, size: usize) -> Result<f64> {
        let text = (self.text)(size);
        let begin = Instant::now();
        if self.refused {
            anyhow::ensure!(compile(&text).is_err(), "{} is refused", self.name);
        } else {
            compile(&text)?.simulate()?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }
}

/// A model with a line for each index.
fn model(before: &str, size: usize, line: impl Fn(usize) -> String, after: &str) -> String {
    let mut text = format!("superdense: 1\n{before}");
    (0..size).for_each(|i| text += &line(i));
    text + after
}

/// The time in (0, 1) of the event with an index.
fn when(i: usize, size: usize) -> f64 {
    (i as f64 + 0.5) / size as f64
}

fn crossings(size: usize) -> String {
    let line = |i| {
        let level = when(i, size);
        format!(
            "  x{i}: {{type: Integrator, input: 1}}\n  c{i}: {{type: LevelCrossing, input: x{i}, level: {level}}}\n"
        )
    };
    model("blocks:\n", size, line, "record: [c0]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn relays(size: usize) -> String {
    let line = |i| {
        let input = format!("'if time > {} then -1 else 1'", when(i, size));
        format!("  x{i}: {{type: Integrator, input: {input}}}\n")
    };
    model("blocks:\n", size, line, "record: [x0]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn states(size: usize) -> String {
    let line = |i| {
        let (next, after) = ((i + 1) % size, 1.0 / size as f64);
        let transition = format!("{{to: s{next}, after: {after}}}");
        format!("      s{i}: {{outputs: {{y: {i}}}, transitions: [{transition}]}}\n")
    };
    let before = "blocks:\n  m:\n    type: Modal\n    initial: s0\n    states:\n";
    model(before, size, line, "record: [m.y]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn machines(size: usize) -> String {
    let line = |i| {
        let first =
            format!("a: {{outputs: {{y: 1}}, transitions: [{{to: b, after: {}}}]}}", when(i, size));
        let second = "b: {outputs: {y: 2}}";
        format!("  m{i}: {{type: Modal, initial: a, states: {{{first}, {second}}}}}\n")
    };
    model("blocks:\n", size, line, "record: [m0.y]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn delay_row(size: usize) -> String {
    row(size, "{type: Sine, frequency: 1}", "type: TransportDelay, delay: 0.1")
}

fn event_row(size: usize) -> String {
    row(size, "{type: Clock, period: 0.01}", "type: EventDelay, delay: 0.001")
}

/// A chain of blocks of one kind, each of which reads the one before; the first reads a source.
fn row(size: usize, source: &str, kind: &str) -> String {
    let line = |i| {
        let input = if i == 0 { "s".to_owned() } else { format!("d{}", i - 1) };
        format!("  d{i}: {{{kind}, input: {input}}}\n")
    };
    let last = size - 1;
    let after = format!("record: [d{last}]\nsimulate: {{stop: 1, maximum_blocks: 2000000}}\n");
    model(&format!("blocks:\n  s: {source}\n"), size, line, &after)
}

fn delays_beside(size: usize) -> String {
    let line = |i| {
        let mut text = format!("  x{i}: {{type: Integrator, input: -x{i}, initial: {}}}\n", i + 1);
        writeln!(text, "  d{i}: {{type: TransportDelay, input: x{i}, delay: 0.1}}").ok();
        text
    };
    model("blocks:\n", size, line, "record: [d0]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn delays_of_one(size: usize) -> String {
    let line = |i| format!("  d{i}: {{type: TransportDelay, input: x, delay: 0.1}}\n");
    let before = "blocks:\n  x: {type: Integrator, input: -x, initial: 1}\n";
    model(before, size, line, "record: [d0]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn parameters(size: usize) -> String {
    let line = |i| match i {
        0 => "  p0: 1\n".to_owned(),
        _ => format!("  p{i}: p{} + 1\n", i - 1),
    };
    let last = size - 1;
    let after = format!(
        "blocks:\n  x: {{type: Integrator, input: p{last}}}\nrecord: [x]\nsimulate: {{stop: 1, maximum_blocks: 2000000}}\n"
    );
    model("parameters:\n", size, line, &after)
}

fn diagrams(size: usize) -> String {
    let line = |i| {
        format!(
            "  D{i}:\n    outputs: {{y: x}}\n    blocks:\n      x: {{type: Integrator, input: {i}}}\n"
        )
    };
    let blocks: String = (0..size).map(|i| format!("  d{i}: {{type: D{i}}}\n")).collect();
    let after = format!(
        "blocks:\n{blocks}record: [d0.y]\nsimulate: {{stop: 1, maximum_blocks: 2000000}}\n"
    );
    model("diagrams:\n", size, line, &after)
}

fn recorded(size: usize) -> String {
    let line = |i| {
        let input = if i == 0 { "1".to_owned() } else { format!("x{}", i - 1) };
        format!("  x{i}: {{type: Integrator, input: {input} - x{i}}}\n")
    };
    model("blocks:\n", size, line, "simulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn solved(size: usize) -> String {
    ring(size, "solve: [a0]\n")
}

fn refused(size: usize) -> String {
    ring(size, "")
}

fn ring(size: usize, solve: &str) -> String {
    let line = |i| {
        let next = (i + 1) % size;
        format!("  a{i}: {{type: Expression, expression: '0.3 * a{next} + u'}}\n")
    };
    let before = "blocks:\n  u: {type: Sine, frequency: 1}\n";
    model(
        before,
        size,
        line,
        &format!("{solve}record: [a0]\nsimulate: {{stop: 0.01, maximum_blocks: 2000000}}\n"),
    )
}

fn one_state(size: usize) -> String {
    let line = |i| format!("  c{i}: {{type: LevelCrossing, input: x, level: {}}}\n", when(i, size));
    let before = "blocks:\n  x: {type: Integrator, input: 1}\n";
    model(before, size, line, "record: [c0]\nsimulate: {stop: 1, maximum_blocks: 2000000}\n")
}

fn one_part(size: usize) -> String {
    let line = |i| {
        let input = format!("'(if x{i} > {} then 0.1 else 1) + 0.01 * s'", when(i, size));
        format!("  x{i}: {{type: Integrator, input: {input}}}\n")
    };
    let before = "blocks:\n  s: {type: Integrator, input: c}\n  c: {type: Integrator, input: -s, initial: 1}\n";
    model(before, size, line, "record: [x0]\nsimulate: {stop: 1.2}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The models behave as intended, even at small sizes.
    #[test]
    fn every_kind_runs_or_is_refused() {
        for kind in KINDS.iter().chain(&TOGETHER) {
            let outcome = compile(&(kind.text)(5)).and_then(|system| Ok(system.simulate()?));
            assert_eq!(outcome.is_err(), kind.refused, "{}: {outcome:?}", kind.name);
        }
    }
}
