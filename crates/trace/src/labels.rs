//! Numbers that stand for names, such as the state of a machine.
//!
//! In memory they stay numbers, with the names in the schema. Files hold the names, which other
//! tools can read; a number that stands for no name is written as the number that it is.

use base::Elem;

use crate::Schema;
use crate::number::write_value;
use crate::schema::LaneId;

/// The name that a number stands for.
pub(crate) fn name_of(labels: &[String], value: f64) -> Option<&str> {
    place(labels.len(), value).map(|place| labels[place].as_str())
}

/// The number that stands for a name.
pub(crate) fn number_of(labels: &[String], name: &str) -> Option<f64> {
    labels.iter().position(|label| label == name).map(|place| place as f64)
}

fn place(count: usize, value: f64) -> Option<usize> {
    let place = value as usize;
    (place < count && value.to_bits() == (place as f64).to_bits()).then_some(place)
}

/// How the values of a lane are written as text.
pub(crate) struct Form {
    pub elem: Elem,
    /// The names, with the quotes that the format wants.
    names: Vec<Vec<u8>>,
}

impl Form {
    pub fn of(schema: &Schema, lane: LaneId, quote: impl Fn(&str) -> Vec<u8>) -> Form {
        let names = schema.lane_labels(lane).iter().map(|name| quote(name)).collect();
        Form { elem: schema.lane_type(lane).elem, names }
    }

    /// Whether the values stand for names.
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The name of a value or its number.
    pub fn text(&self, value: f64) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out, value);
        out
    }

    /// The text of a value's name.
    pub fn name(&self, value: f64) -> Option<&[u8]> {
        place(self.names.len(), value).map(|place| &self.names[place][..])
    }

    /// Appends the name of a value or its number.
    pub fn write(&self, out: &mut Vec<u8>, value: f64) {
        match self.name(value) {
            Some(name) => out.extend_from_slice(name),
            None => write_value(out, self.elem, value),
        }
    }
}
