//! The tables that a trace holds: the joined rows, the events and the impulses.

use std::io::{self, Write};

use base::Tag;

use crate::number::{write_number, write_time};
use crate::{Column, Impulse, Schema, Trace};

/// One line of the joined table: the values and the impulses at a tag.
#[derive(Clone, Copy)]
pub(crate) struct Joined<'a> {
    pub tag: Tag,
    trace: &'a Trace,
    /// `None` for an impulse at a tag without a row.
    row: Option<usize>,
    impulses: &'a [Impulse],
}

impl<'a> Joined<'a> {
    pub fn value(&self, column: usize) -> Option<&'a [f64]> {
        self.trace.get(self.row?, column)
    }

    pub fn impulse(&self, column: usize, order: usize) -> Option<&'a [f64]> {
        let is_it = |impulse: &&Impulse| impulse.column == column && impulse.order == order;
        self.impulses.iter().find(is_it).map(|impulse| &impulse.weight[..])
    }
}

impl Trace {
    /// The rows with their impulses, by tag.
    pub(crate) fn joined(&self) -> impl Iterator<Item = Joined<'_>> {
        let (mut row, mut next) = (0, 0);
        std::iter::from_fn(move || {
            let of_row = self.tags().get(row).copied();
            let of_impulse = self.impulses().get(next).map(|impulse| impulse.tag);
            let tag = of_row.into_iter().chain(of_impulse).min()?;
            let from = next;
            while self.impulses().get(next).is_some_and(|impulse| impulse.tag == tag) {
                next += 1;
            }
            let here = (of_row == Some(tag)).then_some(row);
            row += usize::from(here.is_some());
            Some(Joined { tag, trace: self, row: here, impulses: &self.impulses()[from..next] })
        })
    }

    /// Whether a signal consists only of events: it is present in some row, and absent at every
    /// microstep 0, where a signal that lasts has its left limit. If each instant has one row there
    /// may be no microstep 0; then the table of the signal decides or, without one, whether it is
    /// absent in some row.
    pub fn is_discrete(&self, column: usize) -> bool {
        let mut present = (0..self.len()).filter(|row| self.get(*row, column).is_some()).peekable();
        let somewhere = present.peek().is_some();
        somewhere
            && present.all(|row| self.tags()[row].microstep >= 1)
            && (!self.has_one_row_an_instant() || self.comes_and_goes(column))
    }

    /// Whether no time has two rows although there are events: then left limits are not known.
    pub fn has_one_row_an_instant(&self) -> bool {
        let tags = self.tags();
        tags.iter().any(|tag| tag.microstep > 0)
            && tags.windows(2).all(|pair| pair[0].time < pair[1].time)
    }

    fn comes_and_goes(&self, column: usize) -> bool {
        match self.schema().tables().is_empty() {
            true => (0..self.len()).any(|row| self.get(row, column).is_none()),
            false => self.schema().table_of(column).is_none(),
        }
    }

    /// The table of events: the signals that consist only of events, and the rows in which one of
    /// them is present.
    pub fn events(&self) -> Trace {
        let discrete: Vec<usize> =
            (0..self.columns().len()).filter(|column| self.is_discrete(*column)).collect();
        let columns: Vec<Column> = discrete.iter().map(|c| self.columns()[*c].clone()).collect();
        let mut schema = Schema::new(columns);
        for (place, column) in discrete.iter().enumerate() {
            schema.relabel(place, self.schema().labels(*column).to_vec());
        }
        let mut events = Trace::with_schema(schema);
        events.set_header(self.header().clone());
        for (row, tag) in self.tags().iter().enumerate() {
            if discrete.iter().any(|column| self.get(row, *column).is_some()) {
                events.push(*tag, |column| self.get(row, discrete[column]));
            }
        }
        events
    }
}

/// Writes the table of impulses: `time,microstep,signal,order,weight`, one line per element.
pub fn write_impulses_csv(trace: &Trace, out: impl Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(["time", "microstep", "signal", "order", "weight"])?;
    let (mut time, mut number) = (Vec::new(), Vec::new());
    for impulse in trace.impulses() {
        time.clear();
        write_time(&mut time, impulse.tag.time);
        let names = trace.columns()[impulse.column].element_names();
        for (name, weight) in names.iter().zip(&impulse.weight) {
            number.clear();
            write_number(&mut number, *weight);
            let microstep = impulse.tag.microstep.to_string();
            let order = impulse.order.to_string();
            let fields = [&time, microstep.as_bytes(), name.as_bytes(), order.as_bytes(), &number];
            writer.write_record(fields)?;
        }
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use base::{Time, Type};

    use super::*;

    fn column(name: &str, ty: Type) -> Column {
        Column { name: name.to_owned(), ty }
    }

    fn bounce() -> Trace {
        let columns = [column("y", Type::REAL), column("hit", Type::BOOL), column("f", Type::REAL)];
        let mut trace = Trace::new(columns.to_vec());
        for (time, microstep, hit) in [(0, 0, false), (1, 0, false), (1, 1, true), (1, 2, false)] {
            let tag = Tag::new(Time::from_f64(f64::from(time)).unwrap(), microstep);
            trace.push(tag, |c| (c != 1 || hit).then_some(&[1.0][..]));
            if hit {
                trace.push_impulse(Impulse { tag, column: 2, order: 0, weight: vec![3.5] });
            }
        }
        trace
    }

    #[test]
    fn one_row_an_instant_tells_events_from_what_is_held() {
        // The time, the microstep and whether there is an event; the other signal is always
        // present.
        let trace = |rows: &[(f64, u32, bool)], schema: Schema| {
            let mut trace = Trace::with_schema(schema);
            for (time, microstep, hit) in rows {
                let tag = Tag::new(Time::from_f64(*time).unwrap(), *microstep);
                trace.push(tag, |c| (c == 0 || *hit).then_some(&[1.0][..]));
            }
            (trace.has_one_row_an_instant(), trace.is_discrete(0), trace.is_discrete(1))
        };
        let columns = [column("held", Type::REAL), column("hit", Type::BOOL)].to_vec();
        let plain = || Schema::new(columns.clone());
        let known = || plain().with_tables(vec![Some("held".to_owned()), None]);
        let sparse = [(0.0, 2, true), (1.0, 3, false), (2.0, 2, true)];
        assert_eq!(trace(&sparse, plain()), (true, false, true));
        assert_eq!(trace(&sparse, known()), (true, false, true));
        // If the event is present in every row, its table decides; without one there is no way to
        // know.
        let dense = [(0.0, 2, true), (1.0, 2, true)];
        assert_eq!(trace(&dense, known()), (true, false, true));
        assert_eq!(trace(&dense, plain()), (true, false, false));
        let microsteps = [(0.0, 0, false), (0.0, 1, true)];
        assert_eq!(trace(&microsteps, plain()), (false, false, true));
        assert_eq!(trace(&[(0.0, 0, false), (1.0, 0, false)], plain()), (false, false, false));
    }

    #[test]
    fn events_are_rows_where_one_is_present() {
        let events = bounce().events();
        assert_eq!(events.columns(), [column("hit", Type::BOOL)]);
        assert_eq!(events.tags(), [Tag::new(Time::from_f64(1.0).unwrap(), 1)]);
        assert_eq!(events.get(0, 0), Some(&[1.0][..]));
    }

    #[test]
    fn impulses_have_a_line_each() {
        let mut out = Vec::new();
        write_impulses_csv(&bounce(), &mut out).unwrap();
        let expected = "time,microstep,signal,order,weight\n1,1,f,0,3.5\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn an_impulse_without_a_row_has_a_line_of_its_own() {
        let mut trace = bounce();
        let tag = Tag::new(Time::from_f64(2.0).unwrap(), 1);
        trace.push_impulse(Impulse { tag, column: 2, order: 0, weight: vec![1.0] });
        let last = trace.joined().last().unwrap();
        assert_eq!((last.tag, last.value(0), last.impulse(2, 0)), (tag, None, Some(&[1.0][..])));
    }
}
