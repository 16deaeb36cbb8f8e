//! What the models of collisions must do beyond the figures of their `expected.yaml`: other numbers
//! of balls and masses, and ten thousand collisions.

use crate::common::figures::{Table, run, values};

fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// How far a signal is from its first value, relative to a size.
fn drift(table: &Table, name: &str, size: f64) -> f64 {
    let values = values(table, name);
    greatest(&values.iter().map(|value| (value - values[0]) / size).collect::<Vec<_>>())
}

/// As many balls leave a cradle as were let go. Balls in between stay where they are: exactly if the
/// masses are powers of two, and otherwise up to rounding.
#[test]
fn the_cradle_with_one_two_and_three_balls() {
    for (lifted, still) in [("1", &[1, 2, 3][..]), ("2", &[2]), ("3", &[])] {
        for (mass, within) in [("0.25", 0.0), ("4", 0.0), ("0.3", 1e-12), ("0.7", 1e-12)] {
            let arguments = ["-p", &format!("lifted={lifted}"), "-p", &format!("mass={mass}")];
            let table = run("cradle-of-five", &arguments);
            let angle = |ball: usize| values(&table, &format!("angle[{ball}]"));
            for ball in still {
                let moved = greatest(&angle(*ball));
                assert!(moved <= within, "{lifted}, {mass}: ball {ball} moves by {moved:e}");
            }
            // On the way the last balls rise as far as the first ones were lifted.
            for ball in 0..lifted.parse().unwrap() {
                let most = angle(4 - ball).into_iter().fold(0.0, f64::max);
                assert!((most - 0.5).abs() < 1e-5, "{lifted}: ball {} rises to {most}", 4 - ball);
            }
            assert!(drift(&table, "energy", 0.24) < 1e-8);
        }
    }
}

/// Energy, and momentum with the impulses of the walls, over ten thousand collisions.
#[test]
fn billiards_keep_energy_and_momentum() {
    let long = ["-p", "turn=1e4", "--every", "1", "--stop"];
    let table = run("billiards-on-a-line", &[&long[..], &["450"]].concat());
    assert!(values(&table, "energy").len() > 10_000, "one row for each instant of collisions");
    assert!(drift(&table, "energy", 12.6) < 1e-12);
    assert!(drift(&table, "balance", 19.0) < 1e-12);
    // No ball has passed another one or a wall.
    let positions: Vec<Vec<f64>> =
        (0..20).map(|ball| values(&table, &format!("x[{ball}]"))).collect();
    for (left, right) in positions.iter().zip(&positions[1..]) {
        assert!(left.iter().zip(right).all(|(left, right)| right - left > 0.2 - 1e-9));
    }
    assert!(positions[0].iter().all(|x| *x > 0.1 - 1e-9));
    assert!(positions[19].iter().all(|x| *x < 19.9 + 1e-9));

    let table = run("billiards-of-discs", &[&long[..], &["1150"]].concat());
    assert!(values(&table, "energy").len() > 10_000);
    for (name, size) in [("energy", 4.57), ("balance[0]", 4.5), ("balance[1]", 4.9)] {
        let drift = drift(&table, name, size);
        assert!(drift < 1e-12, "{name} drifts by {drift:e}");
    }
}
