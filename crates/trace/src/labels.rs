//! Values that index labels, such as the state of a machine.
//!
//! In memory they remain numbers, with the labels in the schema. Files hold the labels, which other
//! tools can read; a number without a label is written as a number.

use base::Elem;

use crate::Schema;
use crate::number::write_value;
use crate::schema::LaneId;

/// The label of a value.
pub(crate) fn name_of(labels: &[String], value: f64) -> Option<&str> {
    place(labels.len(), value).map(|place| labels[place].as_str())
}

/// The value of a label.
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
    /// The labels, quoted as the format requires.
    names: Vec<Vec<u8>>,
}

impl Form {
    pub fn of(schema: &Schema, lane: LaneId, quote: impl Fn(&str) -> Vec<u8>) -> Form {
        let names = schema.lane_labels(lane).iter().map(|name| quote(name)).collect();
        Form { elem: schema.lane_type(lane).elem, names }
    }

    /// Whether the values index labels.
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The label of a value, or its number.
    pub fn text(&self, value: f64) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out, value);
        out
    }

    /// The text of a value's label.
    pub fn name(&self, value: f64) -> Option<&[u8]> {
        place(self.names.len(), value).map(|place| &self.names[place][..])
    }

    /// Appends the label of a value, or its number.
    pub fn write(&self, out: &mut Vec<u8>, value: f64) {
        match self.name(value) {
            Some(name) => out.extend_from_slice(name),
            None => write_value(out, self.elem, value),
        }
    }
}
