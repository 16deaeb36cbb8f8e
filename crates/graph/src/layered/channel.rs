//! The tracks of a channel: the positions of the vertical pieces of wires between two layers.
//!
//! Two wires must not cover each other. A wire that arrives at a height at which another one leaves
//! to the right must have its track to the left of that one's. If these constraints are cyclic, a
//! wire gets two tracks, joined by a lane at a height without pins.

use super::proper::Proper;

/// Pins closer than this count as level \[px\].
const LEVEL: i64 = 6;
/// The order of the tracks is optimised for channels with at most this many wires.
const IMPROVED: usize = 500;

/// How a segment runs through its channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Track {
    /// From left to right without a bend.
    Straight,
    /// Along one track.
    One(usize),
    /// Along a track, a lane at a height, and another track.
    Two(usize, i64, usize),
}

/// The tracks of a channel's segments, and how many tracks there are side by side.
pub(super) struct Tracks {
    pub of: Vec<Track>,
    pub count: usize,
}

/// A vertical piece.
#[derive(Clone, Debug)]
struct Piece {
    segment: usize,
    /// Whether it is the part to the right of a lane.
    second: bool,
    /// Heights at which it leads to the left.
    left: Vec<i64>,
    /// Heights at which it leads to the right.
    right: Vec<i64>,
}

impl Piece {
    fn span(&self) -> (i64, i64) {
        let all = || self.left.iter().chain(&self.right);
        (*all().min().expect("a piece has ends"), *all().max().expect("a piece has ends"))
    }

    fn overlaps(&self, other: &Piece) -> bool {
        let (a, b) = (self.span(), other.span());
        a.0 < b.1 + LEVEL && b.0 < a.1 + LEVEL
    }

    /// Whether it must be to the left of another.
    fn before(&self, other: &Piece) -> bool {
        if self.segment == other.segment {
            return other.second;
        }
        self.left.iter().any(|l| other.right.iter().any(|r| (l - r).abs() < LEVEL))
    }

    /// How many crossings there are if it is to the left of another.
    fn crossings(&self, other: &Piece) -> usize {
        let inside = |span: (i64, i64), y: &&i64| span.0 < **y && **y < span.1;
        let (own, others) = (self.span(), other.span());
        self.right.iter().filter(|y| inside(others, y)).count()
            + other.left.iter().filter(|y| inside(own, y)).count()
    }
}

/// Plans a channel, given the top of each cell.
pub(super) fn tracks(proper: &Proper, tops: &[i64], channel: usize) -> Tracks {
    let segments = &proper.channels[channel];
    let mut pieces = Vec::new();
    let mut taken = Vec::new();
    for (segment, ends) in segments.iter().enumerate() {
        let left = ends.left.iter().map(|e| tops[e.cell] + proper.right_offset(*e)).collect();
        let right = ends.right.iter().map(|e| tops[e.cell] + proper.left_offset(*e)).collect();
        let piece = Piece { segment, second: false, left, right };
        taken.extend(piece.left.iter().chain(&piece.right).copied());
        if !(piece.left.len() == 1 && piece.left == piece.right) {
            pieces.push(piece);
        }
    }
    let mut of = vec![Track::Straight; segments.len()];
    let lanes = split_circles(&mut pieces, &mut taken);
    let order = ordered(&pieces);
    let slots = slots(&pieces, &order);
    for (piece, slot) in pieces.iter().zip(&slots) {
        of[piece.segment] = match of[piece.segment] {
            Track::One(first) => {
                let lane = lanes.iter().find(|(segment, _)| *segment == piece.segment);
                Track::Two(first, lane.expect("two pieces have a lane").1, *slot)
            }
            _ => Track::One(*slot),
        };
    }
    Tracks { of, count: slots.iter().map(|slot| slot + 1).max().unwrap_or(0) }
}

/// Splits pieces until the order constraints have no cycle; returns the lanes. The piece to the
/// left of a lane comes first in the list.
fn split_circles(pieces: &mut Vec<Piece>, taken: &mut Vec<i64>) -> Vec<(usize, i64)> {
    let mut lanes = Vec::new();
    while let Some(index) = in_circle(pieces) {
        let (low, high) = pieces[index].span();
        let middle = (low + high) / 2;
        let free = |y: &i64| taken.iter().all(|t| (t - y).abs() >= LEVEL + 2);
        let lane =
            (0..).flat_map(|d| [middle - d, middle + d]).find(free).expect("heights are many");
        taken.push(lane);
        let piece = &mut pieces[index];
        lanes.push((piece.segment, lane));
        let right = Piece {
            segment: piece.segment,
            second: true,
            left: vec![lane],
            right: std::mem::replace(&mut piece.right, vec![lane]),
        };
        pieces.insert(index + 1, right);
    }
    lanes
}

/// A piece that is before itself by way of others.
fn in_circle(pieces: &[Piece]) -> Option<usize> {
    let before = |a: &usize, b: &usize| a != b && pieces[*a].before(&pieces[*b]);
    let behind = lasting((0..pieces.len()).collect(), |a, left| left.iter().any(|b| before(b, a)));
    // What is left may also be merely behind a cycle; splitting needs a piece that is before
    // others.
    let circle = lasting(behind, |a, left| left.iter().any(|b| before(a, b)));
    circle.first().copied()
}

/// Repeatedly removes the items that do not satisfy `stays` among the rest, until all of them do.
fn lasting(mut left: Vec<usize>, stays: impl Fn(&usize, &[usize]) -> bool) -> Vec<usize> {
    loop {
        let kept: Vec<usize> = left.iter().copied().filter(|a| stays(a, &left)).collect();
        if kept.len() == left.len() {
            return left;
        }
        left = kept;
    }
}

/// The pieces from left to right: the constraints first, then few crossings.
fn ordered(pieces: &[Piece]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..pieces.len()).collect();
    // Wires that rise are nested from the top, wires that fall from the bottom.
    let lean = |p: &Piece| {
        let (low, high) = p.span();
        let rises = p.left.iter().max() > p.right.iter().max() || p.right.is_empty();
        if rises { low } else { -high }
    };
    left.sort_by_key(|index| (lean(&pieces[*index]), *index));
    while !left.is_empty() {
        let ready = |at: &usize| {
            let piece = &pieces[left[*at]];
            !left.iter().any(|b| *b != left[*at] && pieces[*b].before(piece))
        };
        let at = (0..left.len()).find(ready).expect("the rule has no circle");
        order.push(left.remove(at));
    }
    if pieces.len() > IMPROVED {
        return order;
    }
    for _ in 0..order.len() {
        let mut changed = false;
        for place in 1..order.len() {
            let (a, b) = (&pieces[order[place - 1]], &pieces[order[place]]);
            if !a.before(b) && b.crossings(a) < a.crossings(b) {
                order.swap(place - 1, place);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    order
}

/// For each piece, the first track to the right of all earlier pieces that it overlaps.
fn slots(pieces: &[Piece], order: &[usize]) -> Vec<usize> {
    let mut slots = vec![0; pieces.len()];
    for (place, index) in order.iter().enumerate() {
        let earlier = order[..place].iter().filter(|e| pieces[**e].overlaps(&pieces[*index]));
        slots[*index] = earlier.map(|e| slots[*e] + 1).max().unwrap_or(0);
    }
    slots
}
