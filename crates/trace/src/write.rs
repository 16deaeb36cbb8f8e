//! CSV: a line for each row, with exact time and microstep.

use std::io::{self, Write};

use base::{Elem, Shape};

use crate::{Column, Trace};

/// Writes the table. Vectors and matrices have a column for each element; absent signals have an
/// empty field; a signal with impulses has a further column with the coefficient of each order.
pub fn write_csv(trace: &Trace, out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let orders: Vec<usize> = (0..trace.columns().len())
        .map(|column| {
            let of_column = trace.impulses().iter().filter(|impulse| impulse.column == column);
            of_column.map(|impulse| impulse.order + 1).max().unwrap_or(0)
        })
        .collect();
    let mut header = vec!["time".to_owned(), "microstep".to_owned()];
    for (column, orders) in trace.columns().iter().zip(&orders) {
        header.extend(element_names(column));
        for order in 0..*orders {
            let names = element_names(column).into_iter();
            header.extend(names.map(|name| format!("{name}.delta{order}")));
        }
    }
    writer.write_record(&header)?;
    let mut next = 0;
    for row in 0..trace.len() {
        let tag = trace.tags()[row];
        writer.write_field(tag.time.decimal())?;
        writer.write_field(tag.microstep.to_string())?;
        let from = next;
        while trace.impulses().get(next).is_some_and(|impulse| impulse.tag == tag) {
            next += 1;
        }
        let impulses = &trace.impulses()[from..next];
        for (index, column) in trace.columns().iter().enumerate() {
            match trace.get(row, index) {
                Some(values) => {
                    for value in values {
                        writer.write_field(number(column, *value))?;
                    }
                }
                None => (0..column.ty.len()).try_for_each(|_| writer.write_field(""))?,
            }
            for order in 0..orders[index] {
                let here = impulses.iter().find(|i| i.column == index && i.order == order);
                for element in 0..column.ty.len() {
                    let weight = here.map(|impulse| impulse.weight[element].to_string());
                    writer.write_field(weight.unwrap_or_default())?;
                }
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The shortest text that reads back as the same float.
fn number(column: &Column, value: f64) -> String {
    match column.ty.elem {
        Elem::Bool => (value != 0.0).to_string(),
        Elem::Int | Elem::Real => value.to_string(),
    }
}

fn element_names(column: &Column) -> Vec<String> {
    match column.ty.shape {
        Shape::Scalar => vec![column.name.clone()],
        Shape::Vector(n) => (0..n).map(|i| format!("{}[{i}]", column.name)).collect(),
        Shape::Matrix(rows, columns) => (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| format!("{}[{i},{j}]", column.name))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use base::{Tag, Time, Type};

    use super::*;

    #[test]
    fn absent_fields_are_empty() {
        let column = |name: &str, ty| Column { name: name.to_owned(), ty };
        let mut trace = Trace::new(vec![column("x", Type::vector(2)), column("e", Type::BOOL)]);
        let tag = Tag::new(Time::from_f64(0.5).unwrap(), 1);
        trace.push(tag, |i| if i == 0 { Some(&[1.0, 0.1][..]) } else { None });
        trace.push(tag, |i| if i == 1 { Some(&[1.0][..]) } else { None });
        let mut out = Vec::new();
        write_csv(&trace, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "time,microstep,x[0],x[1],e\n0.5,1,1,0.1,\n0.5,1,,,true\n");
    }
}
