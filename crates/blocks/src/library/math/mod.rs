//! Mathematics: stateless functions of signals.

mod decision;
mod divide;
mod expression;
mod gain;
mod inverter;
mod negate;
mod product;
mod sum;
mod switch;

pub use decision::Decision;
pub use divide::Divide;
pub use expression::Expression;
pub use gain::Gain;
pub use inverter::Inverter;
pub use negate::Negate;
pub use product::Product;
pub use sum::Sum;
pub use switch::Switch;

use crate::Info;

/// The description of a function of its inputs: unless the block says otherwise, its output is
/// absent when the input is absent.
fn function(name: &'static str, summary: &'static str) -> Info {
    Info::new(name, "Mathematics", summary).absence("Absent when the input is absent.")
}
