//! A report: a page in one file with the diagram, the plots, the parameters and what became of the
//! run. It opens without a server and loads nothing.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use serde_json::{Value as Json, json};
use superdense::{Drawing, Invariant, Run, System, Tag, Warning};

use crate::bundle;
use crate::check::panels;
use crate::runner::smooth;
use crate::store::Store;

/// How many points across a plot of a report keeps.
const PIXELS: usize = 4000;
/// The largest number of numbers in a report; more would make a page that no browser opens quickly.
const MOST_NUMBERS: usize = 400_000;
/// The largest number of instants in the table of events.
const MOST_EVENTS: usize = 200;

/// How a run ended, for a report.
struct Ended {
    failure: Option<String>,
    warnings: Vec<Warning>,
    invariants: Vec<Invariant>,
}

/// Runs a system and writes its report as HTML. `feed` gives the run what it is to be given.
pub fn report(
    system: &System,
    feed: impl FnOnce(&System, &mut Run) -> Result<()>,
) -> Result<String> {
    let system = smooth(system).unwrap_or_else(|| system.clone());
    let store = Arc::new(Mutex::new(Store::new(&system.schema())));
    let instants: Arc<Mutex<Vec<Row>>> = Arc::default();
    let mut going = system.begin();
    feed(&system, &mut going)?;
    let ended = run(&system, going, &store, &instants);
    let store = store.lock().map_err(|_| anyhow::anyhow!("the run failed"))?;
    let instants = instants.lock().map_err(|_| anyhow::anyhow!("the run failed"))?;
    let data = data(&system, &store);
    let svg = system.draw(Drawing { depth: Some(1), ..Drawing::default() });
    let mut body = String::new();
    let name = escaped(system.name());
    let _ = write!(body, "<header><h1>{name}</h1><p>{}</p></header>", summary(&system, &store));
    if let Some(failure) = &ended.failure {
        let _ =
            write!(body, "<section class=\"problem\"><pre>{}</pre></section>", escaped(failure));
    }
    body += "<section><h2>Signals</h2><div id=\"plots\"></div><p class=\"hint\">Drag to zoom, \
             double click to see everything, hold Shift and drag to move.</p></section>";
    let _ = write!(body, "<section><h2>Diagram</h2><div class=\"diagram\">{svg}</div></section>");
    body += &parameters(&system);
    body += &events(&system, &instants, store.events.len());
    body += &remarks(&system, &ended);
    let text = system.sources().files().next().map_or("", |own| own.1);
    let _ = write!(body, "<section><h2>Model</h2><pre>{}</pre></section>", escaped(text));
    // A `<` in the data would end the script for the parser of HTML.
    let data = data.to_string().replace('<', "\\u003c");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title>\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\
         <style>{}</style></head><body>{body}\
         <script type=\"application/json\" id=\"data\">{data}</script>\
         <script type=\"module\">{}</script></body></html>\n",
        bundle::REPORT_STYLE,
        bundle::REPORT_SCRIPT.replace("</script", "<\\/script"),
    ))
}

/// A row at an event.
struct Row {
    tag: Tag,
    values: Vec<Option<Vec<f64>>>,
}

fn run(
    system: &System,
    mut run: Run,
    store: &Arc<Mutex<Store>>,
    instants: &Arc<Mutex<Vec<Row>>>,
) -> Ended {
    if let Some(error) = run.missing_input() {
        let rendered = system.explain(&error).render(system.sources(), false);
        return Ended { failure: Some(rendered), warnings: Vec::new(), invariants: Vec::new() };
    }
    let (rows, events, columns) =
        (store.clone(), instants.clone(), system.schema().columns().len());
    let mut left: Option<Row> = None;
    run.hand_rows_to(Box::new(move |row| {
        if let Ok(mut own) = rows.lock() {
            own.push(row);
        }
        let values = (0..columns).map(|own| row.value(own).map(<[f64]>::to_vec)).collect();
        let this = Row { tag: row.tag(), values };
        let Ok(mut kept) = events.lock() else { return };
        if this.tag.microstep > 0 && kept.len() < MOST_EVENTS {
            kept.extend(left.take().filter(|own| own.tag.time == this.tag.time));
            kept.push(this);
        } else {
            left = Some(this);
        }
    }));
    let full = store.clone();
    let watch = move |_: &Run| full.lock().is_ok_and(|own| !own.is_full());
    match run.finish_while(watch) {
        Ok(outcome) => {
            Ended { failure: None, warnings: outcome.warnings, invariants: outcome.invariants }
        }
        Err(failure) => {
            let rendered = system.explain_with(&failure.error, &failure.inputs);
            let rendered = rendered.render(system.sources(), false);
            let (warnings, invariants) = (failure.warnings, failure.invariants);
            Ended { failure: Some(rendered), warnings, invariants }
        }
    }
}

fn summary(system: &System, store: &Store) -> String {
    let settings = system.settings();
    escaped(&format!(
        "{} blocks, {} continuous states; solver {}, t = {} to {}; {} rows, {} instants with events",
        system.block_count(),
        system.state_count(),
        settings.solver.0,
        settings.start.time(),
        settings.stop,
        store.times.len(),
        store.events.len(),
    ))
}

fn data(system: &System, store: &Store) -> Json {
    let lanes = store.names.len().max(1);
    let panels = panels(system);
    let pixels = PIXELS.min(MOST_NUMBERS / 4 / lanes).max(200);
    let view = store.view(f64::NEG_INFINITY, f64::INFINITY, pixels);
    let marks = store.impulses.len().div_ceil(2000).max(1);
    let events = store.events.iter().map(|row| store.times[*row]);
    let thin = store.events.len().div_ceil(2000).max(1);
    json!({
        "names": store.names, "labels": store.labels, "times": view.times, "lanes": view.lanes,
        "panels": panels.over_time, "phases": panels.phases,
        "events": events.step_by(thin).collect::<Vec<_>>(),
        "impulses": store.impulses.iter().step_by(marks)
            .map(|own| json!([own.time, own.microstep, own.lane, own.order, own.weight]))
            .collect::<Vec<_>>(),
    })
}

fn parameters(system: &System) -> String {
    let all = system.parameters();
    if all.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for own in &all {
        let unit = own.about.unit.as_deref().unwrap_or("");
        let about = own.about.description.as_deref().unwrap_or("");
        let cells = [own.name.as_str(), &own.shown(), unit, about].map(escaped);
        let _ = write!(rows, "<tr><td>{}</td></tr>", cells.join("</td><td>"));
    }
    format!(
        "<section><h2>Parameters</h2><table><thead><tr><th>name</th><th>value</th><th>unit</th>\
         <th></th></tr></thead><tbody>{rows}</tbody></table></section>"
    )
}

fn events(system: &System, instants: &[Row], count: usize) -> String {
    if instants.is_empty() {
        return String::new();
    }
    let schema = system.schema();
    let shown: Vec<usize> = (0..schema.columns().len()).take(8).collect();
    let names: String = shown
        .iter()
        .map(|own| format!("<th>{}</th>", escaped(&schema.columns()[*own].name)))
        .collect();
    let mut rows = String::new();
    for row in instants {
        let _ = write!(rows, "<tr><td>{}</td><td>{}</td>", row.tag.time, row.tag.microstep);
        for column in &shown {
            let value = match &row.values[*column] {
                Some(values) => {
                    values.iter().map(|own| superdense::shown(*own)).collect::<Vec<_>>().join(", ")
                }
                None => "absent".to_owned(),
            };
            let _ = write!(rows, "<td>{}</td>", escaped(&value));
        }
        rows += "</tr>";
    }
    format!(
        "<section><h2>Events</h2><p>{count} instants; the table shows the first. Microstep 0 has \
         the left limit, the last microstep the right limit.</p><div class=\"wide\"><table><thead>\
         <tr><th>t</th><th>microstep</th>{names}</tr></thead><tbody>{rows}</tbody></table></div>\
         </section>"
    )
}

fn remarks(system: &System, ended: &Ended) -> String {
    let mut lines: Vec<String> = ended
        .warnings
        .iter()
        .map(|own| escaped(&system.explain_warning(own).to_string()))
        .collect();
    lines.extend(ended.invariants.iter().map(|own| {
        let shown = |values: &Option<Vec<f64>>| format!("{:?}", values.as_deref().unwrap_or(&[]));
        let (first, last) = (shown(&own.first), shown(&own.last));
        let text = format!("{}: from {first} to {last}, drift {:e}", own.name, own.drift);
        escaped(&text)
    }));
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines.iter().map(|own| format!("<li>{own}</li>")).collect();
    format!("<section><h2>Remarks</h2><ul>{items}</ul></section>")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}
