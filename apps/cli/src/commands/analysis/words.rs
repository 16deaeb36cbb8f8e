//! Steady states and linear models as text.

use superdense::{Linearization, Matrix, NamedValue, Side, SwitchAtPoint, Trimmed};

/// The digits that a reader needs.
const DIGITS: usize = 10;

/// A number with as many digits as a reader needs.
fn rounded(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { value.to_string() };
    }
    let short: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    let usual = (1e-4..1e7).contains(&short.abs());
    if usual { short.to_string() } else { format!("{short:e}") }
}

pub fn trimmed(found: &Trimmed) -> String {
    let mut out = format!("steady state at t = {} s\n", found.time);
    out += &states(&found.states, &found.rates);
    out += &listed("inputs", &found.inputs, &found.free);
    out += &listed("outputs", &found.outputs, &[]);
    out += &notes(&found.held, &found.depend_on_time, &found.switches);
    if found.open_directions > 0 {
        out += &format!(
            "  not determined, and near the start: {} ({})\n",
            found.open.join(", "),
            counted(found.open_directions, "direction"),
        );
    }
    if !found.at_bounds.is_empty() {
        out += &format!("  at a bound: {}\n", found.at_bounds.join(", "));
    }
    out
}

pub fn linear(found: &Linearization, steady: Option<&Trimmed>) -> String {
    let mut out = match steady {
        Some(_) => format!("linear model near a steady state at t = {} s\n", found.time),
        None => format!("linear model at t = {} s\n", found.time),
    };
    out += &states(&found.states, &found.rates);
    out += &listed("inputs", &found.inputs, steady.map_or(&[][..], |own| &own.free));
    out += &listed("outputs", &found.outputs, &[]);
    out += &notes(&found.held, &found.depend_on_time, &found.switches);
    let names = |of: &[NamedValue]| of.iter().map(|own| own.name.clone()).collect::<Vec<_>>();
    let (x, u, y) = (names(&found.states), names(&found.inputs), names(&found.outputs));
    let system = &found.system;
    out += &table("A", &system.a, &x, &x);
    out += &table("B", &system.b, &x, &u);
    out += &table("C", &system.c, &y, &x);
    out += &table("D", &system.d, &y, &u);
    if let Some(poles) = system.poles().filter(|poles| !poles.is_empty()) {
        out += "poles\n";
        for pole in poles {
            let size = pole.re.hypot(pole.im);
            out += &match pole.im {
                0.0 => format!("  {}\n", rounded(pole.re)),
                im if im > 0.0 => format!(
                    "  {} + {}i, damping {}, {} rad/s\n",
                    rounded(pole.re),
                    rounded(im),
                    rounded(-pole.re / size),
                    rounded(size)
                ),
                im => format!("  {} - {}i\n", rounded(pole.re), rounded(-im)),
            };
        }
    }
    out
}

fn states(states: &[NamedValue], rates: &[NamedValue]) -> String {
    if states.is_empty() {
        return "no state moves\n".to_owned();
    }
    let width = width(states);
    let line = |(own, rate): (&NamedValue, &NamedValue)| {
        let rate = match rate.value {
            0.0 => String::new(),
            rate => format!(", rate {}", rounded(rate)),
        };
        format!("  {:width$} = {}{rate}\n", own.name, rounded(own.value))
    };
    format!("states\n{}", states.iter().zip(rates).map(line).collect::<String>())
}

fn width(of: &[NamedValue]) -> usize {
    of.iter().map(|own| own.name.chars().count()).max().unwrap_or(0)
}

fn listed(title: &str, values: &[NamedValue], free: &[String]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let width = width(values);
    let line = |own: &NamedValue| {
        let unit = own.unit.as_ref().map_or(String::new(), |unit| format!(" {unit}"));
        let found = if free.contains(&own.name) { ", found" } else { "" };
        format!("  {:width$} = {}{unit}{found}\n", own.name, rounded(own.value))
    };
    format!("{title}\n{}", values.iter().map(line).collect::<String>())
}

fn notes(
    held: &[(String, String)],
    depend_on_time: &[String],
    switches: &[SwitchAtPoint],
) -> String {
    let mut out = String::new();
    if !held.is_empty() {
        let all: Vec<String> =
            held.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        out += &format!("held: {}\n", all.join(", "));
    }
    if !depend_on_time.is_empty() {
        out += &format!(
            "at this instant only, since they depend on time: {}\n",
            depend_on_time.join(", ")
        );
    }
    for own in switches {
        let side = if own.side == Side::Above { "above" } else { "below" };
        let what = if own.jumps { "values jump" } else { "derivatives change" };
        out += &format!("`{}` switches here: {what}; taken from {side}\n", own.block);
    }
    out
}

/// A matrix with names for rows and columns.
fn table(title: &str, matrix: &Matrix, rows: &[String], columns: &[String]) -> String {
    if rows.is_empty() || columns.is_empty() {
        return String::new();
    }
    let cells: Vec<Vec<String>> = (0..rows.len())
        .map(|i| matrix.row(i).iter().map(|value| rounded(*value)).collect())
        .collect();
    let length = |text: &String| text.chars().count();
    let first = rows.iter().map(length).max().unwrap_or(0).max(title.len());
    let widths: Vec<usize> = (0..columns.len())
        .map(|j| {
            cells.iter().map(|row| length(&row[j])).max().unwrap_or(0).max(length(&columns[j]))
        })
        .collect();
    let line = |head: &str, texts: &[String]| {
        let cells = texts.iter().zip(&widths).map(|(text, width)| format!("  {text:>width$}"));
        format!("{head:first$}{}\n", cells.collect::<String>())
    };
    let body = rows.iter().zip(&cells).map(|(name, row)| line(name, row));
    line(title, columns) + &body.collect::<String>()
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
