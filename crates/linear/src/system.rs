//! Linear systems: their poles, and what they become if outputs are fed back.

use crate::Matrix;

/// A complex number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

/// x' = A x + B u, y = C x + D u.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LinearSystem {
    /// The derivatives of the rates by the states.
    pub a: Matrix,
    /// The derivatives of the rates by the inputs.
    pub b: Matrix,
    /// The derivatives of the outputs by the states.
    pub c: Matrix,
    /// The derivatives of the outputs by the inputs.
    pub d: Matrix,
}

/// One signal that leaves a system, passes another and comes back.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The index of the output.
    pub output: usize,
    /// The index of the input.
    pub input: usize,
    /// What is between them, with one input and one output.
    pub through: LinearSystem,
}

/// A loop without states through which a signal determines itself, or does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotWellPosed;

impl LinearSystem {
    /// A system without states.
    pub fn gain(d: Matrix) -> LinearSystem {
        let (outputs, inputs) = (d.rows(), d.columns());
        let (a, b) = (Matrix::zeros(0, 0), Matrix::zeros(0, inputs));
        LinearSystem { a, b, c: Matrix::zeros(outputs, 0), d }
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.a.rows()
    }

    /// The eigenvalues of A, by falling real part; none if they were not found.
    pub fn poles(&self) -> Option<Vec<Complex>> {
        if !self.a.is_finite() {
            return None;
        }
        if self.states() == 0 {
            return Some(Vec::new());
        }
        let found = self.a.faer().eigenvalues().ok()?;
        let mut poles: Vec<Complex> =
            found.iter().map(|own| Complex { re: own.re, im: own.im }).collect();
        poles.sort_by(|a, b| b.re.total_cmp(&a.re).then(b.im.total_cmp(&a.im)));
        Some(poles)
    }

    /// The response to exp(i w t) from an input to an output, at a frequency \[rad/s\]; none if it is
    /// not determined there.
    pub fn response(&self, frequency: f64, output: usize, input: usize) -> Option<Complex> {
        let n = self.states();
        // (i w I - A) x = b as a real system of twice the size.
        let big = Matrix::of(2 * n, 2 * n, |i, j| match (i < n, j < n) {
            (true, true) => -self.a.get(i, j),
            (false, false) => -self.a.get(i - n, j - n),
            (true, false) if i == j - n => -frequency,
            (false, true) if i - n == j => frequency,
            _ => 0.0,
        });
        let right = Matrix::of(2 * n, 1, |i, _| if i < n { self.b.get(i, input) } else { 0.0 });
        let x = solve_square(&big, &right)?;
        let along = |from: usize| (0..n).map(|k| self.c.get(output, k) * x.get(from + k, 0)).sum();
        let (re, im): (f64, f64) = (along(0), along(n));
        Some(Complex { re: re + self.d.get(output, input), im })
    }

    /// The system with connections closed: their inputs and outputs are gone, and the states of
    /// what is between them come after its own.
    pub fn connected(&self, connections: &[Connection]) -> Result<LinearSystem, NotWellPosed> {
        let without = |count: usize, used: &dyn Fn(&Connection) -> usize| -> Vec<usize> {
            (0..count).filter(|own| !connections.iter().any(|c| used(c) == *own)).collect()
        };
        let inputs = without(self.d.columns(), &|c| c.input);
        let outputs = without(self.d.rows(), &|c| c.output);
        let (fed, taken): (Vec<usize>, Vec<usize>) =
            connections.iter().map(|c| (c.input, c.output)).unzip();
        let own: Vec<usize> = (0..self.states()).collect();
        let through = stacked(connections.iter().map(|c| &c.through));
        // v = Cp xp + Dp e comes in, e = Ce x + De u + Dv v goes out:
        // (I - Dv Dp) e = Ce x + De u + Dv Cp xp.
        let (de, dv) = (self.d.part(&taken, &inputs), self.d.part(&taken, &fed));
        let ce = self.c.part(&taken, &own);
        let product = dv.times(&through.d);
        let size = taken.len();
        let loops = Matrix::of(size, size, |i, j| f64::from(i == j) - product.get(i, j));
        let dvcp = dv.times(&through.c);
        let right = beside(&beside(&ce, &dvcp), &de);
        let e = solve_square(&loops, &right).ok_or(NotWellPosed)?;
        // v from the same columns: states, states between, inputs.
        let (n, m) = (self.states(), through.states());
        let direct = through.d.times(&e);
        let v = Matrix::of(size, n + m + inputs.len(), |i, j| {
            let own = if (n..n + m).contains(&j) { through.c.get(i, j - n) } else { 0.0 };
            own + direct.get(i, j)
        });
        let all: Vec<usize> = (0..n + m).collect();
        let last: Vec<usize> = (n + m..n + m + inputs.len()).collect();
        let every: Vec<usize> = (0..size).collect();
        let row = |from: &Matrix, by_input: &Matrix, by_fed: &Matrix| {
            let pad = Matrix::zeros(from.rows(), m);
            beside(&beside(from, &pad), by_input).plus(&by_fed.times(&v))
        };
        let states = row(&self.a, &self.b.part(&own, &inputs), &self.b.part(&own, &fed));
        let c = self.c.part(&outputs, &own);
        let seen = row(&c, &self.d.part(&outputs, &inputs), &self.d.part(&outputs, &fed));
        // xp' = Ap xp + Bp e.
        let between = through.b.times(&e);
        let between = Matrix::of(m, n + m + inputs.len(), |i, j| {
            let own = if (n..n + m).contains(&j) { through.a.get(i, j - n) } else { 0.0 };
            own + between.get(i, j)
        });
        let whole = below(&states, &between);
        let rows: Vec<usize> = (0..n + m).collect();
        let seen_rows: Vec<usize> = (0..outputs.len()).collect();
        debug_assert_eq!(every.len(), size);
        Ok(LinearSystem {
            a: whole.part(&rows, &all),
            b: whole.part(&rows, &last),
            c: seen.part(&seen_rows, &all),
            d: seen.part(&seen_rows, &last),
        })
    }
}

/// Systems side by side, each with inputs and outputs of its own.
fn stacked<'a>(systems: impl Iterator<Item = &'a LinearSystem>) -> LinearSystem {
    let start = LinearSystem::gain(Matrix::zeros(0, 0));
    systems.fold(start, |all, own| LinearSystem {
        a: diagonal(&all.a, &own.a),
        b: diagonal(&all.b, &own.b),
        c: diagonal(&all.c, &own.c),
        d: diagonal(&all.d, &own.d),
    })
}

fn diagonal(a: &Matrix, b: &Matrix) -> Matrix {
    let (rows, columns) = (a.rows(), a.columns());
    Matrix::of(rows + b.rows(), columns + b.columns(), |i, j| match (i < rows, j < columns) {
        (true, true) => a.get(i, j),
        (false, false) => b.get(i - rows, j - columns),
        _ => 0.0,
    })
}

fn beside(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = a.columns();
    Matrix::of(a.rows(), columns + b.columns(), |i, j| match j < columns {
        true => a.get(i, j),
        false => b.get(i, j - columns),
    })
}

fn below(a: &Matrix, b: &Matrix) -> Matrix {
    let rows = a.rows();
    Matrix::of(rows + b.rows(), a.columns(), |i, j| match i < rows {
        true => a.get(i, j),
        false => b.get(i - rows, j),
    })
}

/// X with A X = B; none if A is singular.
fn solve_square(a: &Matrix, b: &Matrix) -> Option<Matrix> {
    use faer::linalg::solvers::Solve;
    let n = a.rows();
    if n == 0 {
        return Some(b.clone());
    }
    if !a.is_finite() || !b.is_finite() {
        return None;
    }
    let found = a.faer().full_piv_lu().solve(b.faer());
    let x = Matrix::of(n, b.columns(), |i, j| found[(i, j)]);
    // A singular matrix gives numbers that are not finite, or that do not solve the equation.
    let product = a.times(&x);
    let size = |m: &Matrix| m.data().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let bound = 1e-6 * (size(b) + size(a) * size(&x) * 1e-6);
    let off = (0..n).flat_map(|i| (0..b.columns()).map(move |j| (i, j)));
    let solves = x.is_finite()
        && off.into_iter().all(|(i, j)| (product.get(i, j) - b.get(i, j)).abs() <= bound);
    solves.then_some(x)
}
