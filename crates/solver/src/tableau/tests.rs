//! The order conditions of Butcher, one for each rooted tree, up to order 5.

use super::*;
use crate::Method;

/// A method as full matrices.
struct Full {
    a: Vec<Vec<f64>>,
    c: Vec<f64>,
}

impl Full {
    fn of(tableau: &Tableau) -> Full {
        let n = tableau.nodes.len();
        let a = tableau.rows.iter().map(|row| spread(row, n)).collect();
        Full { a, c: tableau.nodes.to_vec() }
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

fn spread(row: &[Weight], n: usize) -> Vec<f64> {
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
fn orders(tableau: &Tableau) -> (usize, Option<usize>) {
    let full = Full::of(tableau);
    let n = tableau.nodes.len();
    let b = full.a[n - 1].clone();
    let embedded: Vec<f64> = b.iter().zip(spread(tableau.error(), n)).map(|(b, e)| b - e).collect();
    (full.order(&b), tableau.embedded.map(|_| full.order(&embedded)))
}

#[test]
fn the_tableaus_have_exactly_the_orders_they_claim() {
    for method in Method::all() {
        let Some(tableau) = method.tableau() else { continue };
        assert_eq!(tableau.check(), Ok(()), "{}", tableau.name);
        let (order, embedded) = orders(tableau);
        assert_eq!(order, tableau.order as usize, "{}", tableau.name);
        let lower = embedded.map(|embedded| embedded.min(order) as u32);
        assert_eq!(lower, tableau.embedded.map(|embedded| embedded.order), "{}", tableau.name);
    }
    assert_eq!(orders(&EULER_ADAPTIVE), (1, Some(2)));
    assert_eq!(orders(&BOGACKI_SHAMPINE), (3, Some(2)));
    assert_eq!(orders(&DORMAND_PRINCE), (5, Some(4)));
}

#[test]
fn the_extension_leaves_constants_linear_and_quadratic_solutions_alone() {
    let d = spread(DORMAND_PRINCE.extension, 7);
    let c = DORMAND_PRINCE.nodes;
    assert!(d.iter().sum::<f64>().abs() < 1e-14);
    assert!(dot(&d, c).abs() < 1e-14);
    assert!(dot(&d, &times(c, c)).abs() < 1e-14);
    assert!(dot(&d, &times(&times(c, c), c)).abs() > 1e-3);
}

#[test]
fn a_broken_tableau_is_refused() {
    let check = |tableau: Tableau| tableau.check().unwrap_err();
    let rk4 = CLASSICAL_RK4;
    assert_eq!(check(Tableau { nodes: &rk4.nodes[1..], ..rk4 }), TableauError::Stages);
    assert_eq!(check(Tableau { nodes: &[0.0], rows: &[&[]], ..rk4 }), TableauError::Stages);
    assert_eq!(check(Tableau { nodes: &[0.0, 0.5, 0.5, 1.0, 0.9], ..rk4 }), TableauError::Nodes);
    let euler = EULER_ADAPTIVE;
    const ROWS: [&[&[Weight]]; 3] = [&[&[], &[]], &[&[], &[(1, 1.0)]], &[&[], &[(0, 0.9)]]];
    for rows in ROWS {
        assert_eq!(check(Tableau { rows, ..euler }), TableauError::Row(1));
    }
    for error in [&[][..], &[(0, 0.5), (2, -0.5)], &[(0, 0.5), (1, f64::NAN)], &[(0, 0.5)]] {
        let embedded = Some(Embedded { order: 1, error });
        assert_eq!(check(Tableau { embedded, ..euler }), TableauError::Error);
    }
    for extension in [&[(0, 1.0)][..], &[(1, 1.0), (1, 1.0)], &[(0, 1.0), (2, 0.0), (1, 0.0)]] {
        assert_eq!(check(Tableau { extension, ..euler }), TableauError::Extension);
    }
}
