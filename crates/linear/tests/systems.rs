//! Linear systems against closed forms.

use superdense_linear::{
    Complex, Connection, LinearSystem, MAXIMUM_ORDER, Matrix, NotWellPosed, pade,
};

fn matrix<const R: usize, const C: usize>(rows: [[f64; C]; R]) -> Matrix {
    Matrix::of(R, C, |i, j| rows[i][j])
}

#[test]
fn poles_are_those_of_the_characteristic_polynomial() {
    // (s + 1)(s^2 + 2 s + 5)
    let a = matrix([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-5.0, -7.0, -3.0]]);
    let (b, c) = (Matrix::zeros(3, 1), Matrix::zeros(1, 3));
    let system = LinearSystem { a, b, c, d: Matrix::zeros(1, 1) };
    let poles = system.poles().unwrap();
    for (re, im) in [(-1.0, 2.0), (-1.0, 0.0), (-1.0, -2.0)] {
        let near = |pole: &&Complex| (pole.re - re).hypot(pole.im - im) < 1e-12;
        assert_eq!(poles.iter().filter(near).count(), 1, "{poles:?}");
    }
    let sum: f64 = poles.iter().map(|pole| pole.re).sum();
    assert!((sum + 3.0).abs() < 1e-12);
}

#[test]
fn a_response_is_the_transfer_function() {
    // 1 / (s^2 + 0.2 s + 1)
    let a = matrix([[0.0, 1.0], [-1.0, -0.2]]);
    let (b, c) = (matrix([[0.0], [1.0]]), matrix([[1.0, 0.0]]));
    let system = LinearSystem { a, b, c, d: Matrix::zeros(1, 1) };
    for w in [0.0, 0.3, 1.0, 4.0f64] {
        let (x, y) = (1.0 - w * w, 0.2 * w);
        let square = x * x + y * y;
        let found = system.response(w, 0, 0).unwrap();
        assert!((found.re - x / square).abs() < 1e-13 && (found.im + y / square).abs() < 1e-13);
    }
    let undamped = LinearSystem { a: matrix([[0.0, 1.0], [-1.0, 0.0]]), ..system };
    assert_eq!(undamped.response(1.0, 0, 0), None, "at its resonance");
}

#[test]
fn a_delay_keeps_magnitudes_and_turns_phases() {
    for order in 1..=MAXIMUM_ORDER {
        for delay in [1e-9, 0.3, 2e4] {
            let system = pade(delay, order);
            assert_eq!(system.states(), order);
            // The error of the phase at w delay is below (w delay / 2)^(2n + 1) n!^2 / (2n)!^2.
            let turn = 0.5 * order as f64;
            let found = system.response(turn / delay, 0, 0).unwrap();
            assert!((found.re.hypot(found.im) - 1.0).abs() < 1e-9, "order {order}");
            let off = (found.re - turn.cos()).hypot(found.im + turn.sin());
            assert!(off < 0.02, "order {order}: {off}");
            assert!(system.poles().unwrap().iter().all(|pole| pole.re < 0.0));
        }
    }
    assert_eq!(pade(0.0, 3), LinearSystem::gain(Matrix::identity(1)));
}

#[test]
fn a_high_order_is_exact_at_low_frequencies() {
    let found = pade(1.0, 5).response(1.0, 0, 0).unwrap();
    assert!((found.re - 1.0f64.cos()).abs() < 1e-9 && (found.im + 1.0f64.sin()).abs() < 1e-9);
}

/// x' = -x + v + u, e = x + 0.5 v, with v = G(e).
fn open() -> LinearSystem {
    LinearSystem {
        a: matrix([[-1.0]]),
        b: matrix([[1.0, 1.0]]),
        c: matrix([[1.0], [3.0]]),
        d: matrix([[0.0, 0.5], [0.0, 0.0]]),
    }
}

#[test]
fn a_connection_is_closed() {
    let through = |gain| LinearSystem::gain(matrix([[gain]]));
    let close = |through| open().connected(&[Connection { output: 0, input: 1, through }]);
    // v = g e = g (x + v / 2), so v = g x / (1 - g / 2).
    let closed = close(through(0.5)).unwrap();
    assert!((closed.a.get(0, 0) - (-1.0 + 0.5 / 0.75)).abs() < 1e-15);
    assert_eq!((closed.b.data(), closed.c.data()), (&[1.0][..], &[3.0][..]));
    assert_eq!(close(through(2.0)), Err(NotWellPosed));
    // A lag 1 / (s + 2): the response of the whole is that of its parts.
    let lag = LinearSystem {
        a: matrix([[-2.0]]),
        b: matrix([[1.0]]),
        c: matrix([[1.0]]),
        d: matrix([[0.0]]),
    };
    let closed = close(lag).unwrap();
    // e = x + v / 2 and v = e / (s + 2): v = x / (s + 1.5); y = 3 x, (s + 1) x = v + u.
    let (w, found) = (0.7, closed.response(0.7, 0, 0).unwrap());
    // 3 (s + 1.5) / ((s + 1)(s + 1.5) - 1) at s = i w.
    let (dr, di) = (1.5 - w * w - 1.0, 2.5 * w);
    let (nr, ni) = (4.5, 3.0 * w);
    let square = dr * dr + di * di;
    assert!((found.re - (nr * dr + ni * di) / square).abs() < 1e-13);
    assert!((found.im - (ni * dr - nr * di) / square).abs() < 1e-13);
}
