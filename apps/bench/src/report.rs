//! The results as text.

use crate::measure::{Bar, Figure};

const HEAD: [&str; 9] = [
    "case",
    "superdense, median (best)",
    "by hand, median (best)",
    "ratio",
    "of bests",
    "bar",
    "error",
    "error by hand",
    "",
];

/// A table that can be part of a Markdown page.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut rows = vec![HEAD.map(String::from).to_vec()];
    rows.extend(figures.iter().map(|figure| cells(figure).to_vec()));
    grid(&rows)
}

/// Rows of cells as a table with a rule below the first row.
pub(crate) fn grid(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0).max(3)).collect();
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} |"));
        out += &format!("|{}\n", padded.collect::<String>());
        if index == 0 {
            let rule = widths.iter().map(|width| format!(" {} |", "-".repeat(*width)));
            out += &format!("|{}\n", rule.collect::<String>());
        }
    }
    out
}

fn cells(figure: &Figure) -> [String; 9] {
    let both =
        |time: crate::measure::Time| format!("{} ({})", duration(time.median), duration(time.best));
    let bar = |bar| match bar {
        Bar::Ratio(most) => format!("{most}"),
        Bar::Seconds(most) => duration(most),
    };
    let error = |value: f64| format!("{value:.1e}");
    [
        figure.name.clone(),
        both(figure.ours),
        figure.hand.map_or(String::new(), both),
        figure.ratio().map_or(String::new(), ratio),
        figure.best_ratio().map_or(String::new(), ratio),
        figure.bar.map_or(String::new(), bar),
        figure.errors.map_or(String::new(), |errors| error(errors.ours)),
        figure.errors.map_or(String::new(), |errors| error(errors.hand)),
        figure.note.clone(),
    ]
}

/// A ratio with its significant digits.
pub(crate) fn ratio(value: f64) -> String {
    match value {
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// A time in a suitable unit.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", ratio(value))
}

/// A JSON list of objects; names and notes are plain ASCII without quotes.
pub(crate) fn json(figures: &[Figure]) -> String {
    let number = |value: Option<f64>| value.map_or("null".to_owned(), |value| format!("{value:e}"));
    let object = |figure: &Figure| {
        let (hand, errors) = (figure.hand, figure.errors);
        let bar = figure.bar.map(|(Bar::Ratio(most) | Bar::Seconds(most))| most);
        format!(
            "  {{\"case\": \"{}\", \"median\": {:e}, \"best\": {:e}, \"hand_median\": {}, \
             \"hand_best\": {}, \"ratio\": {}, \"best_ratio\": {}, \"bar\": {}, \"error\": {}, \
             \"hand_error\": {}, \"note\": \"{}\"}}",
            figure.name,
            figure.ours.median,
            figure.ours.best,
            number(hand.map(|hand| hand.median)),
            number(hand.map(|hand| hand.best)),
            number(figure.ratio()),
            number(figure.best_ratio()),
            number(bar),
            number(errors.map(|errors| errors.ours)),
            number(errors.map(|errors| errors.hand)),
            figure.note
        )
    };
    format!("[\n{}\n]\n", figures.iter().map(object).collect::<Vec<_>>().join(",\n"))
}
