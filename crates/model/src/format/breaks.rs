//! Where a long text continues on the next line.
//!
//! A text is broken at single blanks only, because YAML reads a line break in it as one blank. Prose
//! is broken where a line is full. In an expression some blanks are better than others: outside
//! brackets, after a comma, before an operator that binds loosely.

/// A text broken into lines: the first line has at most `first` characters, the others at most
/// `rest`, unless a single word is longer.
pub(super) fn lines(words: &str, first: usize, rest: usize) -> Vec<String> {
    let pieces = pieces(words);
    match gaps(&pieces) {
        Some(gaps) => cheapest(&pieces, &gaps, first, rest),
        None => full(&pieces, first, rest),
    }
}

/// The pieces of a text between single blanks; several blanks in a row stay inside a piece.
fn pieces(words: &str) -> Vec<&str> {
    let bytes = words.as_bytes();
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in 1..bytes.len().saturating_sub(1) {
        if bytes[at] == b' ' && bytes[at - 1] != b' ' && bytes[at + 1] != b' ' {
            pieces.push(&words[from..at]);
            from = at + 1;
        }
    }
    pieces.push(&words[from..]);
    pieces
}

/// Lines that take as many pieces as fit.
fn full(pieces: &[&str], first: usize, rest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for piece in pieces {
        let count = piece.chars().count();
        let room = if lines.len() == 1 { first } else { rest };
        let last = lines.last_mut().expect("there is one from the start");
        if last.is_empty() || length + 1 + count <= room {
            let blank = if last.is_empty() { "" } else { " " };
            length += blank.len() + count;
            *last += blank;
            *last += piece;
        } else {
            length = count;
            lines.push((*piece).to_owned());
        }
    }
    lines
}

/// What a break costs: each one, for each bracket that is open, and beside an operator on the wrong
/// side. An open bracket costs more than a break, so that two breaks outside of brackets are as good
/// as one inside.
const BREAK: f64 = 10.0;
const BRACKET: f64 = 20.0;
const WRONG_SIDE: f64 = 60.0;
/// What it costs to leave the first or the last item of a bracket alone, such as `[0,` or `0]`.
const ALONE: f64 = 8.0;
/// What an empty line would cost, and each character that does not fit.
const RAGGED: f64 = 1.5;
const OVERFULL: f64 = 1e4;

/// The cost of a break at each gap between two pieces, or `None` if this is prose, in which two
/// words follow one another without an operator or a comma between them.
fn gaps(pieces: &[&str]) -> Option<Vec<f64>> {
    let mut depth = 0i32;
    let mut costs = Vec::new();
    for pair in pieces.windows(2) {
        let (before, after) = (opened(pair[0]), opened(pair[1]));
        depth += before;
        let side = match (operator(pair[0]), operator(pair[1])) {
            (Some(_), _) => WRONG_SIDE,
            (None, Some(rank)) => rank,
            (None, None) if pair[0].ends_with(',') => match before > 0 || after < 0 {
                true => ALONE,
                false => 0.0,
            },
            (None, None) => return None,
        };
        costs.push(BREAK + BRACKET * f64::from(depth.max(0)) + side);
    }
    Some(costs)
}

/// How many brackets a piece opens, less those that it closes.
fn opened(piece: &str) -> i32 {
    let one = |c: char| match c {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    };
    piece.chars().map(one).sum()
}

/// How tightly an operator binds, from the loosest on.
fn operator(piece: &str) -> Option<f64> {
    Some(match piece {
        "if" | "then" | "else" | "?" | ":" | "for" | "in" => 1.0,
        "or" | "||" => 2.0,
        "and" | "&&" => 3.0,
        "not" | "!" => 4.0,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "=" => 5.0,
        "+" | "-" => 6.0,
        "*" | "/" => 9.0,
        "^" => 12.0,
        _ => return None,
    })
}

/// The lines whose breaks cost least in sum.
fn cheapest(pieces: &[&str], gaps: &[f64], first: usize, rest: usize) -> Vec<String> {
    let lengths: Vec<usize> = pieces.iter().map(|piece| piece.chars().count()).collect();
    let count = pieces.len();
    // For each piece, the cost of all from it on if a line starts with it, and where the next line
    // starts.
    let mut best = vec![(0.0, count); count + 1];
    for start in (0..count).rev() {
        let room = if start == 0 { first } else { rest };
        best[start].0 = f64::INFINITY;
        let mut length = 0;
        for end in start + 1..=count {
            length += lengths[end - 1] + usize::from(end > start + 1);
            if length > room && end > start + 1 {
                break;
            }
            let unused = room.saturating_sub(length) as f64 / room.max(1) as f64;
            let own = match end == count {
                true => 0.0,
                false => gaps[end - 1] + RAGGED * unused * unused,
            };
            let cost = own + OVERFULL * length.saturating_sub(room) as f64 + best[end].0;
            // Of two equally good places, the later one.
            if cost <= best[start].0 {
                best[start] = (cost, end);
            }
        }
    }
    let mut lines = Vec::new();
    let mut start = 0;
    while start < count {
        let end = best[start].1;
        lines.push(pieces[start..end].join(" "));
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_breaks_at_single_blanks() {
        assert_eq!(lines("one two  three four", 7, 10), ["one", "two  three", "four"]);
        assert_eq!(lines("incompressible", 3, 3), ["incompressible"]);
        assert_eq!(lines("a b c d", 3, 5), ["a b", "c d"]);
    }

    #[test]
    fn expressions_break_outside_of_brackets() {
        let matrix = "[[0, 1, 0], [0, 0, 1]] * x + [force - b * v, 0]";
        assert_eq!(lines(matrix, 32, 32), ["[[0, 1, 0], [0, 0, 1]] * x", "+ [force - b * v, 0]"]);
        let rows = "[[0, 1, 0, 0], [0, 0, 1, 0], [force - b * v, 1]]";
        assert_eq!(lines(rows, 32, 32), ["[[0, 1, 0, 0], [0, 0, 1, 0],", "[force - b * v, 1]]"]);
        let call = "min(alpha * beta, gamma - delta)";
        assert_eq!(lines(call, 20, 20), ["min(alpha * beta,", "gamma - delta)"]);
        assert_eq!(lines("[0, 0, 0, 0, 0, 0]", 16, 16), ["[0, 0, 0, 0,", "0, 0]"]);
    }

    #[test]
    fn expressions_break_before_loose_operators() {
        let sum = "alpha * beta + gamma * delta";
        assert_eq!(lines(sum, 24, 24), ["alpha * beta", "+ gamma * delta"]);
        let choice = "if a + b < c then alpha + beta else gamma";
        assert_eq!(lines(choice, 30, 30), ["if a + b < c then alpha + beta", "else gamma"]);
        let logic = "alpha < beta and gamma < delta or epsilon";
        assert_eq!(lines(logic, 32, 32), ["alpha < beta and gamma < delta", "or epsilon"]);
    }

    #[test]
    fn a_piece_that_does_not_fit_has_a_line_of_its_own() {
        assert_eq!(lines("incompressible + a + b", 5, 5), ["incompressible", "+ a", "+ b"]);
    }
}
