//! Every block on random inputs: native code and the interpreter, and runs in one piece and saved
//! in between, give the same bits. The models are the examples of the blocks' pages; there the
//! inputs of the block are replaced by random signals, as far as the block takes them.

use superdense::edit::{BlockEdit, edit, edited, fields};
use superdense::{Info, Library, descriptions};

use super::same_everywhere;
use crate::common::draws::Draws;
use crate::common::try_compile;

/// Random signals of several kinds, as blocks of a model: one that varies and jumps, one that is
/// small and positive, one that is a truth value, events of both kinds, events that are positive, and
/// vectors.
fn probes(draws: &mut Draws) -> Vec<(&'static str, String)> {
    let (mut offsets, mut values) = (Vec::new(), Vec::new());
    let mut offset = 0.0;
    for _ in 0..6 {
        offset += draws.number(0.01, 0.15);
        offsets.push(format!("{offset:.3}"));
        values.push(format!("{:.3}", draws.number(-2.0, 2.0)));
    }
    let list = |items: &[String]| items.join(", ");
    let mut number = |from: f64, to: f64| draws.number(from, to);
    let wave = format!(
        "{{type: Expression, expression: {} * sin({} * time + {}) + probe_held}}",
        number(0.2, 2.0),
        number(0.5, 9.0),
        number(0.0, 6.0)
    );
    let small = format!(
        "{{type: Expression, expression: 0.3 + {} * sin({} * time)}}",
        number(0.05, 0.2),
        number(0.5, 4.0)
    );
    let truth = format!("{{type: Expression, expression: probe_wave > {}}}", number(-0.5, 0.5));
    let events = format!(
        "{{type: EventSource, offsets: [{}], values: [{}], period: {}}}",
        list(&offsets),
        list(&values),
        number(0.95, 1.5)
    );
    let expression = |text: &str| format!("{{type: Expression, expression: \"{text}\"}}");
    vec![
        ("probe_events", events),
        ("probe_held", "{type: ZeroOrderHold, input: probe_events, initial: 0.5}".to_owned()),
        ("probe_wave", wave),
        ("probe_small", small),
        ("probe_truth", truth),
        ("probe_hits", expression("probe_events > 0")),
        ("probe_times", expression("0.1 + abs(probe_events)")),
        ("probe_vector", expression("[probe_wave, probe_small, probe_held]")),
        ("probe_vectors", expression("[probe_events, -probe_events, probe_events^2]")),
        ("probe_five", expression("[-2, -1, 0, 1, 2] * probe_small")),
    ]
}

const SCALARS: [&str; 6] =
    ["probe_wave", "probe_events", "probe_truth", "probe_hits", "probe_small", "probe_times"];
const VECTORS: [&str; 3] = ["probe_vector", "probe_vectors", "probe_five"];

fn with(text: &str, path: &[&str], value: &str) -> Option<String> {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    let change = BlockEdit::Set { path, value: value.to_owned() };
    Some(edited(text, &edit(text, &change).ok()?))
}

/// The name of the first block of a type in the main diagram of a text.
fn instance(text: &str, kind: &str) -> Option<String> {
    let key = |name: &str| name.to_owned();
    let blocks = fields(text, &[key("blocks")]).ok()?;
    blocks.into_iter().map(|(name, _)| name).find(|name| {
        let own = fields(text, &[key("blocks"), name.clone()]).unwrap_or_default();
        own.iter().any(|(field, value)| field == "type" && value == kind)
    })
}

/// The example of a block with random signals at its inputs, and at how many.
fn randomised(info: &Info, probes: &[&str], draws: &mut Draws) -> (String, usize) {
    let mut text = info.example.to_string();
    for (name, block) in self::probes(draws) {
        text = with(&text, &["blocks", name], &block).expect("a section of blocks");
    }
    let Some(block) = instance(&text, &info.name) else { return (text, 0) };
    let mut replaced = 0;
    for input in &info.inputs {
        // A list of inputs has some of them replaced.
        let first = [&*input.name, "0"];
        let given = fields(&text, &["blocks".to_owned(), block.clone()]).unwrap_or_default();
        let listed =
            given.iter().any(|(field, value)| *field == *input.name && value.starts_with('['))
                && with(&text, &["blocks", &block, first[0], first[1]], "0").is_some();
        let place: Vec<&str> = if listed { first.to_vec() } else { vec![first[0]] };
        let path = [&["blocks", block.as_str()], &place[..]].concat();
        let offset = draws.place(probes.len());
        let tried = (0..probes.len()).map(|k| probes[(k + offset) % probes.len()]);
        let runs = |text: &String| {
            let system = try_compile(text).ok();
            system.is_some_and(|system| system.simulate().is_ok())
        };
        let better = tried.filter_map(|probe| with(&text, &path, probe)).find(runs);
        if let Some(better) = better {
            (text, replaced) = (better, replaced + 1);
        }
    }
    (text, replaced)
}

/// Tries every block of the library whose name begins with one of these letters.
fn try_blocks(letters: std::ops::RangeInclusive<char>) {
    let mut draws = Draws::new(*letters.start() as u64);
    let mut alone = Vec::new();
    for info in descriptions(&Library::standard()) {
        let named = info.name.chars().next().is_some_and(|first| letters.contains(&first));
        if !named || info.example.is_empty() {
            continue;
        }
        let mut reached = 0;
        for probes in [&SCALARS[..], &VECTORS[..]] {
            let (text, replaced) = randomised(&info, probes, &mut draws);
            reached += replaced;
            if replaced > 0 || info.inputs.is_empty() {
                same_everywhere(&text);
            }
        }
        if reached == 0 && !info.inputs.is_empty() {
            alone.push(info.name.to_string());
        }
    }
    assert!(alone.is_empty(), "no random signal reaches {alone:?}");
}

#[test]
fn blocks_from_a_to_d() {
    try_blocks('A'..='D');
}

#[test]
fn blocks_from_e_to_l() {
    try_blocks('E'..='L');
}

#[test]
fn blocks_from_m_to_q() {
    try_blocks('M'..='Q');
}

#[test]
fn blocks_from_r_to_z() {
    try_blocks('R'..='Z');
}
