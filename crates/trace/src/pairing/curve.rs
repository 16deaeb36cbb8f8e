//! The regular part of a signal between its rows.

use crate::Trace;

/// The maximum number of rows that a polynomial passes through.
const NODES: usize = 7;
/// How close two of them may be, as a fraction of the interval between rows that the polynomial is
/// for: closer ones would only reflect rounding.
const NEAR: f64 = 0.1;
/// The minimum number of pieces of the support that have a quadrature of their own.
const PIECES: f64 = 128.0;

/// Nodes and weights of the eight-point Gauss-Legendre quadrature on \[-1, 1\].
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_27),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Intervals without events: times and values of their rows, from a right limit to a left limit.
pub(super) struct Curve {
    stretches: Vec<Vec<(f64, f64)>>,
    /// Intervals that end with an instant whose left limit is not in the trace.
    lost: Vec<(f64, f64)>,
}

impl Curve {
    pub fn of(trace: &Trace, column: usize, element: usize) -> Curve {
        let (mut stretches, mut lost) = (Vec::new(), Vec::new());
        let mut open: Vec<(f64, f64)> = Vec::new();
        let mut close = |open: &mut Vec<(f64, f64)>| {
            let stretch = std::mem::take(open);
            if stretch.len() > 1 {
                stretches.push(stretch);
            }
        };
        for (row, tag) in trace.tags().iter().enumerate() {
            let later = row > 0 && trace.tags()[row - 1].time == tag.time;
            let value = trace.get(row, column).map(|value| value[element]);
            let own = value.is_some() && !trace.is_filled(row, column);
            let no_limit = own && !later && tag.microstep > 0;
            if let Some((before, _)) = open.last().filter(|_| no_limit) {
                lost.push((*before, tag.time.seconds()));
            }
            if later || no_limit {
                // A new microstep: what follows is on the other side of the event.
                close(&mut open);
            }
            match value {
                Some(value) => open.push((tag.time.seconds(), value)),
                None => close(&mut open),
            }
        }
        close(&mut open);
        Curve { stretches, lost }
    }

    /// The first instant in an interval whose left limit is not known.
    pub fn lost_limit(&self, from: f64, to: f64) -> Option<f64> {
        self.lost.iter().find(|(a, b)| *a < to && *b > from).map(|(_, time)| *time)
    }

    /// The first part of an interval in which the signal is not known.
    pub fn gap(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let mut known = from;
        for stretch in &self.stretches {
            let (first, last) = (stretch[0].0, stretch[stretch.len() - 1].0);
            if first > known {
                break;
            }
            known = known.max(last);
        }
        let next = self.stretches.iter().map(|stretch| stretch[0].0).find(|first| *first > known);
        (known < to).then(|| (known, next.unwrap_or(to).min(to)))
    }

    /// The integral of the curve times a function over an interval.
    pub fn integral(&self, from: f64, to: f64, phi: &dyn Fn(f64) -> f64) -> f64 {
        let piece = (to - from) / PIECES;
        let mut sum = 0.0;
        for stretch in &self.stretches {
            for (index, pair) in stretch.windows(2).enumerate() {
                let (a, b) = (pair[0].0.max(from), pair[1].0.min(to));
                if a < b {
                    let nodes = nodes(stretch, index);
                    let count = ((b - a) / piece).ceil().max(1.0);
                    let width = (b - a) / count;
                    for k in 0..count as usize {
                        let left = a + k as f64 * width;
                        sum += gauss(left, width, &|t| through(&nodes, t) * phi(t));
                    }
                }
            }
        }
        sum
    }
}

/// The rows that a polynomial between two neighbours passes through: these two and the nearest ones
/// that are not too close together.
fn nodes(stretch: &[(f64, f64)], index: usize) -> Vec<(f64, f64)> {
    let mut nodes = vec![stretch[index], stretch[index + 1]];
    let near = NEAR * (nodes[1].0 - nodes[0].0);
    let (mut left, mut right) = (index, index + 2);
    while nodes.len() < NODES && (left > 0 || right < stretch.len()) {
        let middle = 0.5 * (stretch[index].0 + stretch[index + 1].0);
        let distance = |row: Option<&(f64, f64)>| row.map(|row| (row.0 - middle).abs());
        let before = distance(left.checked_sub(1).and_then(|row| stretch.get(row)));
        let after = distance(stretch.get(right));
        let row = if after.is_none() || before.is_some() && before < after {
            left -= 1;
            stretch[left]
        } else {
            right += 1;
            stretch[right - 1]
        };
        if nodes.iter().all(|node| (node.0 - row.0).abs() >= near) {
            nodes.push(row);
        }
    }
    nodes
}

/// The polynomial through some points, by Neville's scheme.
fn through(nodes: &[(f64, f64)], t: f64) -> f64 {
    let mut values: Vec<f64> = nodes.iter().map(|node| node.1).collect();
    for width in 1..nodes.len() {
        for i in 0..nodes.len() - width {
            let (a, b) = (nodes[i].0, nodes[i + width].0);
            values[i] = ((t - b) * values[i] + (a - t) * values[i + 1]) / (a - b);
        }
    }
    values[0]
}

fn gauss(from: f64, width: f64, f: &dyn Fn(f64) -> f64) -> f64 {
    let middle = from + 0.5 * width;
    let half = 0.5 * width;
    half * GAUSS
        .iter()
        .map(|(x, weight)| weight * (f(middle - half * x) + f(middle + half * x)))
        .sum::<f64>()
}
