//! The order conditions of Butcher, one for each rooted tree, up to order 5.

use super::*;

/// A method as full matrices.
struct Full {
    a: Vec<Vec<f64>>,
    c: Vec<f64>,
}

impl Full {
    fn of<T: Tableau>() -> Full {
        let a = T::ROWS.iter().map(|row| spread(row, T::NODES.len())).collect();
        Full { a, c: T::NODES.to_vec() }
    }

    fn apply(&self, v: &[f64]) -> Vec<f64> {
        self.a.iter().map(|row| dot(row, v)).collect()
    }

    /// The deviations from the conditions of exactly this order.
    fn deviations(&self, b: &[f64], order: usize) -> Vec<f64> {
        let c = &self.c;
        let one = vec![1.0; c.len()];
        let c2 = times(c, c);
        let c3 = times(&c2, c);
        let (ac, ac2, ac3) = (self.apply(c), self.apply(&c2), self.apply(&c3));
        let (aac, aac2) = (self.apply(&ac), self.apply(&ac2));
        let conditions: Vec<(Vec<f64>, f64)> = match order {
            1 => vec![(one, 1.0)],
            2 => vec![(c.clone(), 2.0)],
            3 => vec![(c2, 3.0), (ac, 6.0)],
            4 => vec![(c3, 4.0), (times(c, &ac), 8.0), (ac2, 12.0), (aac, 24.0)],
            5 => vec![
                (times(&c3, c), 5.0),
                (times(&c2, &ac), 10.0),
                (times(c, &ac2), 15.0),
                (times(c, &aac), 30.0),
                (times(&ac, &ac), 20.0),
                (ac3, 20.0),
                (self.apply(&times(c, &ac)), 40.0),
                (aac2, 60.0),
                (self.apply(&aac), 120.0),
            ],
            _ => panic!("no conditions of order {order}"),
        };
        conditions.iter().map(|(v, gamma)| dot(b, v) - 1.0 / gamma).collect()
    }

    /// The largest order up to 5 whose conditions all hold.
    fn order(&self, b: &[f64]) -> usize {
        let holds = |order: &usize| self.deviations(b, *order).iter().all(|d| d.abs() < 1e-14);
        (1..=5).take_while(holds).count()
    }
}

fn spread(row: &[(usize, f64)], n: usize) -> Vec<f64> {
    let mut full = vec![0.0; n];
    row.iter().for_each(|&(j, w)| full[j] = w);
    full
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

/// The orders of the solution and, with a pair, of the embedded solution.
fn orders<T: Tableau>() -> (usize, Option<usize>) {
    let full = Full::of::<T>();
    let n = T::NODES.len();
    for (row, c) in full.a.iter().zip(&full.c) {
        assert!((row.iter().sum::<f64>() - c).abs() < 1e-14, "a row does not sum to its node");
    }
    let b = full.a[n - 1].clone();
    let embedded: Vec<f64> = b.iter().zip(spread(T::ERROR, n)).map(|(b, e)| b - e).collect();
    (full.order(&b), (!T::ERROR.is_empty()).then(|| full.order(&embedded)))
}

#[test]
fn the_tableaus_have_exactly_the_orders_they_claim() {
    assert_eq!(orders::<Euler>(), (1, Some(2)));
    assert_eq!(orders::<Heun>(), (2, None));
    assert_eq!(orders::<ClassicalRk4>(), (4, None));
    assert_eq!(orders::<BogackiShampine>(), (3, Some(2)));
    assert_eq!(orders::<DormandPrince>(), (5, Some(4)));
}

#[test]
fn the_extension_leaves_constants_linear_and_quadratic_solutions_alone() {
    let d = spread(&DormandPrince::EXTENSION, 7);
    let c = DormandPrince::NODES;
    assert!(d.iter().sum::<f64>().abs() < 1e-14);
    assert!(dot(&d, c).abs() < 1e-14);
    assert!(dot(&d, &times(c, c)).abs() < 1e-14);
    assert!(dot(&d, &times(&times(c, c), c)).abs() > 1e-3);
}
