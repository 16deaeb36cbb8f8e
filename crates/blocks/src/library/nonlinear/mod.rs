//! Nonlinear blocks with a memory: hysteresis, play and limits on rates.

mod backlash;
mod peak_hold;
mod rate_limiter;
mod relay;

pub use backlash::Backlash;
pub use peak_hold::PeakHold;
pub use rate_limiter::RateLimiter;
pub use relay::Relay;

use base::Diagnostic;
use ir::{Binary, Graph, NodeId};

use crate::{Context, Info};

const NONLINEAR: &str = "an impulse reaches a nonlinear block, which has no meaning";

/// The description of a block of this category.
fn nonlinear(name: &'static str, summary: &'static str) -> Info {
    Info::new(name, "Nonlinear", summary)
        .impulses("An impulse at the input is an error, because the block is not linear.")
}

/// Refuses parameters if some element of a node made of them is true; if they may differ between
/// runs, the run is refused when it starts.
fn refuse_parameters(cx: &mut Context, wrong: NodeId, reason: &str) -> Result<(), Diagnostic> {
    let any = cx.nonzero(wrong);
    if cx.graph.truth(any) == Some(true) {
        return Err(Diagnostic::error("bad-parameter", reason));
    }
    cx.refuse_where(any, reason);
    Ok(())
}

/// The greater, or the smaller, of two numbers, by their values: nothing is located.
fn extreme(g: &mut Graph, greater: bool, a: NodeId, b: NodeId) -> NodeId {
    let (low, high) = if greater { (a, b) } else { (b, a) };
    let other = g.binary(Binary::Less, low, high);
    g.select(other, b, a)
}
