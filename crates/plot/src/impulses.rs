//! The impulses of a signal, as arrows.

use base::{Tag, Time};
use trace::Trace;

use crate::curve::Source;
use crate::scale::TimeScale;
use crate::ticks::{brief, superscript};

/// An arrow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Arrow {
    /// Its tag.
    pub tag: Tag,
    /// The order of the derivative of the impulse.
    pub order: usize,
    /// Its coefficient.
    pub weight: f64,
}

/// The arrows of a signal in the range of a scale, in the order of their tags.
///
/// As a distribution, an impulse is the sum of its coefficients over the microsteps of the instant,
/// and that is what is drawn; if the instant is opened, each microstep has its own arrow.
/// Coefficients that are not finite are left out, and so are sums that are zero or, on a
/// logarithmic axis, not positive.
pub(crate) fn arrows(trace: &Trace, source: &Source, scale: &TimeScale) -> Vec<Arrow> {
    let (from, to) = scale.range();
    let mut arrows: Vec<Arrow> = Vec::new();
    for impulse in trace.impulses() {
        let time = impulse.tag.time;
        if impulse.column != source.column || time < from || time > to {
            continue;
        }
        let (tag, order) = (impulse.tag, impulse.order);
        let weight = impulse.weight[source.element];
        let apart = scale.opens(time);
        let same = |arrow: &Arrow| arrow.order == order && (!apart || arrow.tag == tag);
        match arrows_at(&mut arrows, time).iter_mut().find(|arrow| same(arrow)) {
            Some(arrow) => arrow.weight += weight,
            None => arrows.push(Arrow { tag, order, weight }),
        }
    }
    let drawn = |weight: f64| if source.positive { weight > 0.0 } else { weight != 0.0 };
    arrows.retain(|arrow| arrow.weight.is_finite() && drawn(arrow.weight));
    arrows
}

/// The arrows at the end of the list that have this time.
fn arrows_at(arrows: &mut [Arrow], time: Time) -> &mut [Arrow] {
    let from = arrows.iter().rposition(|arrow| arrow.tag.time != time).map_or(0, |last| last + 1);
    &mut arrows[from..]
}

/// The text at the tip: the coefficient and the derivative of delta.
pub(crate) fn label(arrow: &Arrow) -> String {
    let delta = match arrow.order {
        0 => "δ".to_owned(),
        1 => "δ′".to_owned(),
        2 => "δ″".to_owned(),
        3 => "δ‴".to_owned(),
        order => format!("δ⁽{}⁾", superscript(i32::try_from(order).unwrap_or(i32::MAX))),
    };
    match brief(arrow.weight).as_str() {
        "1" => delta,
        "−1" => format!("−{delta}"),
        weight => format!("{weight} {delta}"),
    }
}

#[cfg(test)]
mod tests {
    use base::Type;
    use trace::{Column, Impulse};

    use super::*;
    use crate::scale::Band;

    fn tag(seconds: f64, microstep: u32) -> Tag {
        Tag::new(Time::from_f64(seconds).unwrap(), microstep)
    }

    fn sample() -> Trace {
        let mut trace = Trace::new(vec![Column { name: "f".to_owned(), ty: Type::REAL }]);
        let impulses = [(1.0, 1, 0, 2.0), (1.0, 1, 1, 7.0), (1.0, 2, 0, 3.0), (2.0, 1, 0, 4.0)];
        for (t, n, order, weight) in impulses {
            let (tag, weight) = (tag(t, n), vec![weight]);
            trace.push_impulse(Impulse { tag, column: 0, order, weight });
        }
        trace.push_impulse(Impulse { tag: tag(2.0, 2), column: 0, order: 0, weight: vec![-4.0] });
        trace
    }

    fn drawn(bands: Vec<Band>) -> Vec<(u32, usize, f64)> {
        let source =
            Source { column: 0, element: 0, name: "f".to_owned(), positive: false, zero: 0.0 };
        let scale = TimeScale::new((tag(0.0, 0).time, tag(3.0, 0).time), bands, 0.0, 100.0);
        let all = arrows(&sample(), &source, &scale).into_iter();
        all.map(|arrow| (arrow.tag.microstep, arrow.order, arrow.weight)).collect()
    }

    #[test]
    fn impulses_of_one_instant_add_up() {
        assert_eq!(drawn(Vec::new()), [(1, 0, 5.0), (1, 1, 7.0)]);
    }

    #[test]
    fn an_opened_instant_keeps_them_apart() {
        let band = Band { time: tag(1.0, 0).time, microsteps: vec![0, 1, 2] };
        assert_eq!(drawn(vec![band]), [(1, 0, 2.0), (1, 1, 7.0), (2, 0, 3.0)]);
    }

    #[test]
    fn labels_have_primes() {
        let label = |order, weight| label(&Arrow { tag: tag(0.0, 1), order, weight });
        assert_eq!(label(0, 2.5), "2.5 δ");
        assert_eq!(label(1, -1.0), "−δ′");
        assert_eq!(label(2, 1.0), "δ″");
        assert_eq!(label(12, 3.0), "3 δ⁽¹²⁾");
    }
}
