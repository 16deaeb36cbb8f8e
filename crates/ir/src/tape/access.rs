//! What each instruction reads and writes, for the verifier and for the listing.

use smallvec::{SmallVec, smallvec};

use super::{Code, Extra, Instr, SolveCode, Tape};
use crate::Slot;

/// Consecutive numbers: the first slot, and how many there are.
pub(crate) type Region = (Slot, u32);

/// What an instruction touches.
#[derive(Default, Debug)]
pub(crate) struct Access {
    pub reads: SmallVec<[Region; 4]>,
    pub writes: SmallVec<[Region; 2]>,
}

impl Tape {
    /// What one instruction reads and writes; an error if it names something that is not there.
    pub(crate) fn access(&self, instr: &Instr) -> Result<Access, &'static str> {
        let Instr { code, dst, a, b, c, n } = *instr;
        let (reads, writes): (SmallVec<[Region; 4]>, SmallVec<[Region; 2]>) = match code {
            Code::Add | Code::Sub | Code::Mul | Code::Div => {
                (smallvec![(a, 1), (b, 1)], smallvec![(dst, 1)])
            }
            Code::Neg | Code::Copy => (smallvec![(a, 1)], smallvec![(dst, 1)]),
            Code::Select | Code::Pair(_) => {
                (smallvec![(a, 1), (b, 1), (c, 1)], smallvec![(dst, 1)])
            }
            Code::Unary(_) | Code::CopyEach => (smallvec![(a, n)], smallvec![(dst, n)]),
            Code::Binary(_) => (smallvec![(a, n), (b, n)], smallvec![(dst, n)]),
            Code::SelectEach | Code::SignOutside | Code::FloorOutside => {
                (smallvec![(a, n), (b, n), (c, n)], smallvec![(dst, n)])
            }
            Code::SelectAll => (smallvec![(a, 1), (b, n), (c, n)], smallvec![(dst, n)]),
            Code::CopyApart => {
                let [to, from] = instr.strides();
                (apart(a, from, n), apart(dst, to, n).into_iter().collect())
            }
            Code::Splat => (smallvec![(a, 1)], smallvec![(dst, n)]),
            Code::Index => (smallvec![(a, n), (b, 1)], smallvec![(dst, 1)]),
            Code::Sum => (smallvec![(a, n)], smallvec![(dst, 1)]),
            Code::Unknown => (smallvec![], smallvec![(dst, n)]),
            Code::Skip => (smallvec![(a, 1)], smallvec![]),
            Code::Choose | Code::Repeat | Code::Product | Code::Extra => {
                let extra = self.extra.get(instr.extra()).ok_or("an extra that is not there")?;
                return self.extra_access(instr, extra);
            }
        };
        Ok(Access { reads, writes })
    }

    fn extra_access(&self, instr: &Instr, extra: &Extra) -> Result<Access, &'static str> {
        let Instr { code, dst, a, b, n, .. } = *instr;
        let (reads, writes): (SmallVec<[Region; 4]>, SmallVec<[Region; 2]>) = match (code, extra) {
            (Code::Choose, Extra::Choose(arms)) => {
                let arms = arms.iter().map(|arm| (*arm, n));
                ([(a, 1)].into_iter().chain(arms).collect(), smallvec![(dst, n)])
            }
            (Code::Repeat, Extra::Repeat(body)) => return body.access(),
            (Code::Product, Extra::MatMul { rows, inner, columns }) => {
                let reads = smallvec![
                    (a, rows.saturating_mul(*inner)),
                    (b, inner.saturating_mul(*columns))
                ];
                (reads, smallvec![(dst, rows.saturating_mul(*columns))])
            }
            (Code::Extra, Extra::Transpose { rows, columns }) => (
                smallvec![(a, rows.saturating_mul(*columns))],
                smallvec![(dst, rows.saturating_mul(*columns))],
            ),
            (Code::Extra, Extra::LinearSolve { n, work }) => (
                smallvec![(a, n.saturating_mul(*n)), (b, *n)],
                smallvec![(*work, n.saturating_mul(*n)), (dst, *n)],
            ),
            (Code::Extra, Extra::Solve(code)) => return Ok(code.access(dst)),
            (Code::Extra, Extra::Call { args, .. }) => {
                (args.iter().copied().collect(), smallvec![(dst, n)])
            }
            _ => return Err("an extra of another kind"),
        };
        Ok(Access { reads, writes })
    }
}

/// The first and the last of numbers that are a distance apart, and whatever is between them.
fn apart(from: Slot, distance: u32, n: u32) -> SmallVec<[Region; 4]> {
    let between = n.saturating_sub(1).saturating_mul(distance);
    smallvec![(from, if n == 0 { 0 } else { between.saturating_add(1) })]
}

impl SolveCode {
    /// What Newton's method touches beside what its body does.
    fn access(&self, dst: Slot) -> Access {
        let n = self.n;
        let guesses = self.guesses.iter().map(|guess| (*guess, n));
        let own = [self.unknowns, self.residual, self.step, self.trial, dst].map(|slot| (slot, n));
        let square = [self.jacobian, self.work].map(|slot| (slot, n.saturating_mul(n)));
        Access { reads: guesses.collect(), writes: own.into_iter().chain(square).collect() }
    }
}
