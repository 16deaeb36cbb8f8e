//! A signal through samples at exact times, repeated or not.

use std::sync::Arc;

use base::{Diagnostic, ExactTime, Rational, Shape, Type};
use ir::{Binary, Graph, NodeId};

use super::cycle::{Cycle, Rows};
use super::source;
use crate::{Block, Context, Info, Instants, Parameter, Pattern};

/// A signal through samples at exact times, repeated or not.
#[derive(Debug)]
pub struct Waveform;

impl Block for Waveform {
    // The whole description of the block: a list, and so longer than a function should otherwise
    // be.
    fn info(&self) -> Info {
        source("Waveform", "Outputs a signal through samples at exact times, once or again and again.")
            .aliases([
                "Waveform",
                "Interpolator",
                "Repeating Sequence",
                "Repeating Sequence Interpolated",
                "From Workspace",
                "Signal Builder",
                "Signal Editor",
                "CombiTimeTable",
                "TimeTable",
                "Piecewise Linear Source",
            ])
            .icon("M1 15L5 5L9 13L13 7L17 15L21 5")
            .equations(
                "y(start + k period + times[j], 1) = values[j], k = 0, 1, 2, ...\n\
                 hold: y keeps the value of a sample until microstep 0 of the next one, and jumps at microstep 1\n\
                 linear: the straight line between two samples\n\
                 hermite: a cubic whose slope at each sample is the one in `derivatives`, or else that of the line through the samples before and after it\n\
                 forever: the sample after the last one of a cycle is the first one of the next; before `start`, y has its left limit at `start`\n\
                 once: before the first sample y = values[0], from the last one on y is the last value, and without `derivatives` the slope at both is 0",
            )
            .impulses("Carries no impulses; the derivative of a wave that jumps does.")
            .output(
                "output",
                "The signal. Steps of the solver end on its samples, whose times are exact in every \
                 cycle, and there it has exactly their values.",
            )
            .parameter(
                Parameter::times(
                    "times",
                    "The times of the samples in a cycle [s], in increasing order; from 0 up to, but not including, the period, if they are repeated.",
                )
                .default("[0, 1]"),
            )
            .parameter(
                Parameter::value(
                    "values",
                    "The value of each sample: a vector with an element for each time, or a matrix with a row for each time if the signal is a vector.",
                )
                .default("[1, -1]"),
            )
            .parameter(Parameter::time("period", "The time from one cycle to the next [s]; unused if there is only one.").default("2"))
            .parameter(Cycle::repeat())
            .parameter(
                Parameter::word("interpolation", "How values between samples are found.", ["linear", "hold", "hermite"])
                    .default("linear"),
            )
            .parameter(
                Parameter::value(
                    "derivatives",
                    "The slope at each sample [1/s], of the same size as `values`; for `hermite` only, and not needed there.",
                )
                .default("[]"),
            )
            .parameter(Parameter::time("start", "The time at which the first cycle begins [s].").default("0"))
            .example(
                r#"superdense: 1
name: waveform
blocks:
  straight: {type: Waveform, times: [0, 0.1, 0.3], values: [0, 1, 0.5], period: 0.5}
  smooth: {type: Waveform, times: [0, 0.1, 0.3], values: [0, 1, 0.5], period: 0.5, interpolation: hermite}
record: [straight, smooth]
simulate: {stop: 1.5, maximum_step: 0.02}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let cycle = Cycle::new(cx, "times")?;
        let values = cycle.values(cx, "values", "times")?;
        let derivatives = derivatives(cx, &cycle, &values)?;
        let start = cx.time("start");
        let (offsets, period) = (cycle.offsets.clone(), cycle.period);
        let pattern = Pattern { start, period, offsets, stop: None, limit: u64::MAX };
        let (_, wakings) = cx.timer(Arc::new(pattern));
        let (cycles, segment) = match period {
            Some(_) => cycle.place(cx, wakings),
            None => (cx.graph.real(0.0), wakings),
        };
        let segments = Segments::new(&cycle);
        let from = segments.from.pick(cx, segment);
        let value = match cx.word("interpolation") {
            "hold" => values.get(cx, from),
            _ if !values.is_numeric(cx) => {
                return Err(Diagnostic::error("type-mismatch", "`values` are truth values")
                    .help("they need `interpolation: hold`"));
            }
            word => {
                let now = time_from_start(cx, period.is_some())?;
                let along = segments.along(cx, start, cycles, segment, now)?;
                let to = segments.to.pick(cx, segment);
                let ends = [from, to].map(|sample| values.get(cx, sample));
                let slopes = (word == "hermite").then(|| {
                    [from, to].map(|sample| match &derivatives {
                        Some(derivatives) => derivatives.get(cx, sample),
                        None => segments.slope(cx, &values, sample),
                    })
                });
                let width = segments.widths.pick(cx, segment);
                between(&mut cx.graph, along, ends, slopes, width)
            }
        };
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}

/// The slopes at the samples, if they are given.
fn derivatives(cx: &mut Context, cycle: &Cycle, values: &Rows) -> Result<Option<Rows>, Diagnostic> {
    if cx.open_value("derivatives").ty().is_empty() {
        return Ok(None);
    }
    if cx.word("interpolation") != "hermite" {
        let message = "`derivatives` are used only with `interpolation: hermite`";
        return Err(Diagnostic::error("bad-parameter", message));
    }
    let derivatives = cycle.values(cx, "derivatives", "times")?;
    if !derivatives.is_like(values) {
        let [values, own] =
            ["values", "derivatives"].map(|name| cx.open_value(name).ty().with_article());
        let message = format!("`values` is {values} and `derivatives` is {own}");
        return Err(Diagnostic::error("size-mismatch", message));
    }
    Ok(Some(derivatives))
}

/// The time \[s\]; before the start of a repeated wave, its start.
fn time_from_start(cx: &mut Context, repeated: bool) -> Result<NodeId, Diagnostic> {
    let now = cx.now();
    if !repeated {
        return Ok(now);
    }
    let start = cx.instant("start")?;
    let (_, begun) = cx.timer(Arc::new(Instants(vec![start])));
    let (zero, start) = (cx.graph.real(0.0), cx.graph.real(start.seconds()));
    let begun = cx.graph.binary(Binary::Less, zero, begun);
    Ok(cx.graph.select(begun, now, start))
}

/// A number for each segment, or for each sample.
struct Numbers(Vec<f64>);

impl Numbers {
    fn pick(&self, cx: &mut Context, position: NodeId) -> NodeId {
        let ty = Type { shape: Shape::Vector(self.0.len() as u32), ..Type::REAL };
        let table = cx.graph.constant(ty, &self.0);
        cx.graph.index(table, position)
    }
}

/// The segments between samples. Of a repeated wave, each begins at the sample of its number; of
/// another one, at the sample before, so that there is one before the first sample.
struct Segments {
    /// The sample at which a segment begins.
    from: Numbers,
    /// The sample at which it ends.
    to: Numbers,
    /// When it begins in its cycle \[s\].
    begins: Vec<Rational>,
    /// How long it is \[s\]; 0 before the first sample and after the last one, if there are such
    /// segments.
    widths: Numbers,
    /// For each sample those before and after it, and one over the time between these \[1/s\].
    around: [Numbers; 3],
    /// The time from one cycle to the next \[s\]; 0 if there is only one.
    period: Rational,
}

impl Segments {
    fn new(cycle: &Cycle) -> Segments {
        let times = &cycle.offsets;
        let last = times.len() - 1;
        let period = cycle.period.unwrap_or_else(|| Rational::from_integer(0));
        let pairs: Vec<(usize, usize)> = match cycle.period {
            Some(_) => (0..=last).map(|from| (from, (from + 1) % times.len())).collect(),
            None => (0..=last + 1).map(|to| (to.saturating_sub(1), to.min(last))).collect(),
        };
        let distance = |from: usize, to: usize| {
            let end = match from < to {
                true => Some(times[to]),
                false => base::checked_sum(times[to], period),
            };
            let exact = end.and_then(|end| base::checked_difference(end, times[from]));
            // What needs more than 128 bits as a fraction is rounded before.
            let around = if from < to { 0.0 } else { float(period) };
            exact.map_or_else(|| float(times[to]) - float(times[from]) + around, float)
        };
        let width = |(from, to): &(usize, usize)| match cycle.period {
            None if from == to => 0.0,
            _ => distance(*from, *to),
        };
        let around = |sample: usize| match (cycle.period, sample) {
            (Some(_), _) => ((sample + last) % times.len(), (sample + 1) % times.len()),
            (None, _) => (sample.saturating_sub(1), (sample + 1).min(last)),
        };
        let slope = |sample: usize| {
            let (before, after) = around(sample);
            match cycle.period {
                None if before == sample || after == sample => 0.0,
                _ => 1.0 / (distance(before, sample) + distance(sample, after)),
            }
        };
        let samples = |number: &dyn Fn(usize) -> f64| Numbers((0..=last).map(number).collect());
        Segments {
            from: Numbers(pairs.iter().map(|pair| pair.0 as f64).collect()),
            to: Numbers(pairs.iter().map(|pair| pair.1 as f64).collect()),
            begins: pairs.iter().map(|pair| times[pair.0]).collect(),
            widths: Numbers(pairs.iter().map(width).collect()),
            around: [
                samples(&|sample| around(sample).0 as f64),
                samples(&|sample| around(sample).1 as f64),
                samples(&slope),
            ],
            period,
        }
    }

    /// The slope of the line through the samples before and after one.
    fn slope(&self, cx: &mut Context, values: &Rows, sample: NodeId) -> NodeId {
        let [before, after, per] = self.around.each_ref().map(|all| all.pick(cx, sample));
        let [before, after] = [before, after].map(|sample| values.get(cx, sample));
        let change = cx.graph.sub(after, before);
        cx.graph.mul(change, per)
    }

    /// Where a time is in a segment of a cycle.
    fn along(
        &self,
        cx: &mut Context,
        start: Rational,
        cycles: NodeId,
        segment: NodeId,
        now: NodeId,
    ) -> Result<Along, Diagnostic> {
        let begins: Option<Vec<f64>> = self
            .begins
            .iter()
            .map(|begin| base::checked_sum(start, *begin).and_then(ExactTime::from_rational))
            .map(|begin| begin.map(ExactTime::seconds))
            .collect();
        let Some(begins) = begins else {
            let message = "`times` is outside the range of model time";
            return Err(Diagnostic::error("bad-parameter", message));
        };
        let furthest = begins.iter().fold(float(self.period), |most, begin| most.max(begin.abs()));
        let per = |width: &f64| if *width > 0.0 { 1.0 / width } else { 0.0 };
        let begin = Numbers(begins).pick(cx, segment);
        let per = Numbers(self.widths.0.iter().map(per).collect()).pick(cx, segment);
        let g = &mut cx.graph;
        let period = g.real(float(self.period));
        let before = g.mul(cycles, period);
        let begin = g.add(begin, before);
        let elapsed = g.sub(now, begin);
        // The sum and the product above are off by a few roundings of the largest number in them.
        let (furthest, rounding) = (g.real(furthest), g.real(8.0 * f64::EPSILON));
        let size = g.binary(Binary::Hypot, now, furthest);
        let rounding = g.mul(rounding, size);
        Ok(Along { fraction: g.mul(elapsed, per), rounding: g.mul(rounding, per) })
    }
}

/// A place in a segment.
struct Along {
    /// 0 at the sample where the segment begins, and 1 at the one where it ends.
    fraction: NodeId,
    /// How far off the fraction may be because of rounding.
    rounding: NodeId,
}

/// The value between two samples. At a sample it is the value of that sample, bit by bit: otherwise
/// the signal would jump there by a rounding, which its derivative would show as an impulse.
fn between(
    g: &mut Graph,
    along: Along,
    [from, to]: [NodeId; 2],
    slopes: Option<[NodeId; 2]>,
    width: NodeId,
) -> NodeId {
    let Along { fraction, rounding } = along;
    let one = g.real(1.0);
    let change = g.sub(to, from);
    let mut slope = change;
    let rest = g.sub(one, fraction);
    if let Some(slopes) = slopes {
        // p(u) = y0 + u (d + (1 - u) ((1 - u) (h m0 - d) - u (h m1 - d))), d = y1 - y0
        let [bent_from, bent_to] = slopes.map(|slope| {
            let tangent = g.mul(slope, width);
            g.sub(tangent, change)
        });
        let (first, second) = (g.mul(rest, bent_from), g.mul(fraction, bent_to));
        let bend = g.sub(first, second);
        let bend = g.mul(rest, bend);
        slope = g.add(change, bend);
    }
    let growth = g.mul(fraction, slope);
    let smooth = g.add(from, growth);
    let begins = g.binary(Binary::LessEqual, fraction, rounding);
    let ends = g.binary(Binary::LessEqual, rest, rounding);
    let exact = g.select(begins, from, smooth);
    let exact = g.select(ends, to, exact);
    g.observed(smooth, exact, 0)
}

/// The float nearest to a fraction.
fn float(fraction: Rational) -> f64 {
    base::Value::rational(fraction).data()[0]
}
