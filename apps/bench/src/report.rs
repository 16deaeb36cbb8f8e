//! The figures as text.

use crate::measure::Figure;

/// A table that can stand in a README.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut rows = vec![["case", "superdense", "by hand", "ratio", "limit", ""].map(String::from)];
    rows.extend(figures.iter().map(cells));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} |"));
        out += &format!("|{}\n", padded.collect::<String>());
        if index == 0 {
            let rule = widths.iter().map(|width| format!(" {} |", "-".repeat((*width).max(3))));
            out += &format!("|{}\n", rule.collect::<String>());
        }
    }
    out
}

fn cells(figure: &Figure) -> [String; 6] {
    let digits = |value: f64| if value < 2.0 { 2 } else { 1 };
    let text = |value: f64| format!("{value:.*}", digits(value));
    let number = |value: Option<f64>| value.map_or(String::new(), text);
    [
        figure.name.clone(),
        duration(figure.ours),
        figure.hand.map_or(String::new(), duration),
        number(figure.ratio()),
        number(figure.limit),
        figure.note.clone(),
    ]
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// A list of objects; names and notes are plain ASCII without quotes.
pub(crate) fn json(figures: &[Figure]) -> String {
    let number = |value: Option<f64>| value.map_or("null".to_owned(), |value| format!("{value:e}"));
    let object = |figure: &Figure| {
        format!(
            "  {{\"case\": \"{}\", \"superdense\": {:e}, \"hand\": {}, \"ratio\": {}, \
             \"limit\": {}, \"note\": \"{}\"}}",
            figure.name,
            figure.ours,
            number(figure.hand),
            number(figure.ratio()),
            number(figure.limit),
            figure.note
        )
    };
    format!("[\n{}\n]\n", figures.iter().map(object).collect::<Vec<_>>().join(",\n"))
}
