//! Which slots of the buffer an instruction reads and writes.

use ir::{Code, Extra, Instr, Slot};

/// Slots that are evenly apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slots {
    pub first: Slot,
    /// The distance from one slot to the next.
    pub stride: i64,
    pub count: u32,
}

impl Slots {
    /// A single slot.
    pub fn one(slot: Slot) -> Slots {
        Slots { first: slot, stride: 1, count: 1 }
    }

    /// Slots one after the other.
    pub fn row(first: Slot, count: u32) -> Slots {
        Slots { first, stride: 1, count }
    }

    /// The slots, first to last. All of them must be slots: [`Slots::is_below`] says whether they
    /// are.
    pub fn iter(self) -> impl Iterator<Item = Slot> {
        (0..i64::from(self.count)).map(move |i| self.first.moved(self.stride * i))
    }

    /// Whether all of them are slots of a buffer of this length.
    pub fn is_below(self, length: usize) -> bool {
        let first = i128::from(self.first.0);
        let last = first + i128::from(self.stride) * (i128::from(self.count) - 1);
        let fits = |slot: i128| 0 <= slot && slot < length as i128;
        self.count == 0 || fits(first) && fits(last)
    }
}

/// The slots that an instruction of a tape with these extras reads. What the interpreter reads for
/// itself is not among them.
pub(crate) fn reads(extra: &[Extra], instr: &Instr) -> Vec<Slots> {
    let Instr { a, b, c, n, .. } = *instr;
    let each = |from: Slot| Slots::row(from, n);
    let one = Slots::one;
    match instr.code {
        Code::Add | Code::Sub | Code::Mul | Code::Div => vec![one(a), one(b)],
        Code::Neg | Code::Copy | Code::Splat | Code::Skip => vec![one(a)],
        Code::Select | Code::Pair(_) => vec![one(a), one(b), one(c)],
        Code::Unary(_) | Code::CopyEach | Code::Sum => vec![each(a)],
        Code::Binary(_) => vec![each(a), each(b)],
        Code::CopyApart => {
            vec![Slots { first: a, stride: i64::from(instr.strides()[1]), count: n }]
        }
        Code::SelectEach | Code::SignOutside | Code::FloorOutside => {
            vec![each(a), each(b), each(c)]
        }
        Code::SelectAll => vec![one(a), each(b), each(c)],
        Code::Index => vec![each(a), one(b)],
        Code::Choose => match extra.get(instr.extra()) {
            Some(Extra::Choose(arms)) => {
                arms.iter().map(|arm| each(*arm)).chain([one(a)]).collect()
            }
            _ => Vec::new(),
        },
        Code::Repeat => match extra.get(instr.extra()) {
            Some(Extra::Repeat(body)) => {
                body.loads.iter().map(|(from, stride)| moving(*from, *stride, body.count)).collect()
            }
            _ => Vec::new(),
        },
        Code::Product => match extra.get(instr.extra()) {
            Some(Extra::MatMul { rows, inner, columns }) => {
                vec![Slots::row(a, rows * inner), Slots::row(b, inner * columns)]
            }
            _ => Vec::new(),
        },
        Code::Unknown | Code::Extra => Vec::new(),
    }
}

/// The slots that an instruction writes, in the order of the elements that it makes.
pub(crate) fn writes(extra: &[Extra], instr: &Instr) -> Vec<Slots> {
    let Instr { dst, n, .. } = *instr;
    match instr.code {
        Code::Skip => Vec::new(),
        Code::Sum | Code::Index => vec![Slots::one(dst)],
        Code::Repeat => match extra.get(instr.extra()) {
            Some(Extra::Repeat(body)) => {
                let stores = body.stores.iter();
                stores.map(|(_, to, stride)| moving(*to, *stride, body.count)).collect()
            }
            _ => Vec::new(),
        },
        Code::CopyApart => {
            vec![Slots { first: dst, stride: i64::from(instr.strides()[0]), count: n }]
        }
        _ => vec![Slots::row(dst, n)],
    }
}

/// The slots that a value of a loop goes over.
fn moving(first: Slot, stride: i32, count: u32) -> Slots {
    Slots { first, stride: i64::from(stride), count }
}
