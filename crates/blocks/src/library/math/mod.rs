//! Mathematics: stateless functions of signals.

mod divide;
mod expression;
mod gain;
mod negate;
mod product;
mod sum;

pub use divide::Divide;
pub use expression::Expression;
pub use gain::Gain;
pub use negate::Negate;
pub use product::Product;
pub use sum::Sum;
