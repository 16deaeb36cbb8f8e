//! What a block is written as when it is added: with a value for all that it needs, so that the model
//! stays valid and is drawn before anything is connected.

use superdense::edit::{fields, value_in_brackets};
use superdense::{Accepts, Count, Info, Kind, Library, descriptions};

use crate::edits::is_valid;

/// What the language has beside the blocks of the library.
const FORMS: [(&str, &str); 2] = [
    ("Modal", "{type: Modal, states: {first: {}}}"),
    ("DifferentialSystem", "{type: DifferentialSystem, states: {x: {rate: -x, initial: 1}}}"),
];

/// Values that an input may have while nothing is connected.
const UNCONNECTED: [&str; 6] = ["0", "absent", "false", "[0, 0]", "[0, 0, 0]", "when(false, true)"];
/// The largest number of texts that are tried.
const MOST_TRIALS: usize = 400;

/// The entry of a block of a type; none if there is no such type.
pub(crate) fn entry(kind: &str) -> Option<String> {
    if let Some((_, text)) = FORMS.iter().find(|own| own.0 == kind) {
        return Some((*text).to_owned());
    }
    let library = Library::standard();
    let all = descriptions(&library);
    let info = all.iter().find(|own| own.name == kind)?;
    let example = example(info);
    let needed = needed(info, &example);
    // With what it needs, and else with all that its example has.
    let whole = shown(info, &example);
    let tried = [&needed, &whole].into_iter().find_map(|own| valid(info, own, &library));
    tried.or_else(|| {
        Some(written(info, &needed.iter().map(|own| own.1[0].clone()).collect::<Vec<_>>(), &needed))
    })
}

/// A field with the values to try.
type Field = (String, Vec<String>);

/// The fields of the block in the example of its page.
fn example(info: &Info) -> Vec<(String, String)> {
    let blocks = fields(&info.example, &["blocks".to_owned()]).unwrap_or_default();
    let of = |name: &String| fields(&info.example, &["blocks".to_owned(), name.clone()]).ok();
    let is_own =
        |all: &Vec<(String, String)>| all.iter().any(|own| own.0 == "type" && own.1 == info.name);
    blocks.iter().filter_map(|own| of(&own.0)).find(is_own).unwrap_or_default()
}

fn unconnected(info: &Info, name: &str) -> Vec<String> {
    let own = info.inputs.iter().find(|own| own.name == name);
    let events = own.is_some_and(|own| own.presence == Accepts::Discrete);
    let values = UNCONNECTED.iter().filter(|own| !events || **own == "absent");
    match own.is_some_and(|own| own.count == Count::Many) {
        true => values.flat_map(|own| [format!("[{own}]"), format!("[{own}, {own}]")]).collect(),
        false => values.map(|own| (*own).to_owned()).collect(),
    }
}

fn needed(info: &Info, example: &[(String, String)]) -> Vec<Field> {
    let inputs = info.inputs.iter().filter(|own| own.count != Count::Optional);
    let inputs = inputs.map(|own| (own.name.to_string(), unconnected(info, &own.name)));
    let parameters = info.parameters.iter().filter(|own| own.default.is_none()).map(|own| {
        let shown = example.iter().find(|field| field.0 == own.name).map(|own| own.1.clone());
        let word = match &own.kind {
            Kind::Word(words) => words.first().map(ToString::to_string),
            _ => None,
        };
        let values = [shown, word, Some("1".to_owned())].into_iter().flatten().collect();
        (own.name.to_string(), values)
    });
    inputs.chain(parameters).collect()
}

fn shown(info: &Info, example: &[(String, String)]) -> Vec<Field> {
    let is_input = |name: &str| info.inputs.iter().any(|own| own.name == name);
    let fields = example.iter().filter(|own| own.0 != "type" && own.0 != "for");
    fields
        .map(|(name, value)| match is_input(name) {
            true => (name.clone(), unconnected(info, name)),
            false => (name.clone(), vec![value.clone()]),
        })
        .collect()
}

/// The first choice of values that makes a model of this block alone.
fn valid(info: &Info, all: &[Field], library: &Library) -> Option<String> {
    let count = all.iter().map(|own| own.1.len()).product::<usize>().min(MOST_TRIALS);
    (0..count).find_map(|mut number| {
        let choice = |(_, values): &Field| {
            let own = values[number % values.len()].clone();
            number /= values.len();
            own
        };
        let values: Vec<String> = all.iter().map(choice).collect();
        let entry = written(info, &values, all);
        let alone = format!("superdense: 1\nblocks: {{own: {entry}}}\n");
        is_valid(&alone, library).then_some(entry)
    })
}

fn written(info: &Info, values: &[String], all: &[Field]) -> String {
    let fields = all.iter().zip(values);
    let fields: String =
        fields.map(|(own, value)| format!(", {}: {}", own.0, value_in_brackets(value))).collect();
    format!("{{type: {}{fields}}}", info.name)
}
