//! A run that is saved and loaded goes on with the same bits.

use crate::common::{Model, lorenz, variable};
use superdense_solver::{Advance, Method, Options, Sides, Solver};

fn model() -> Model {
    lorenz().with_crossings(|_, x, dx, g, rate| {
        (g[0], rate[0]) = (x[0], dx[0]);
        (g[1], rate[1]) = (x[2] - 27.0, dx[2]);
    })
}

struct Run {
    solver: Solver,
    side: [f64; 2],
    residual: [f64; 2],
}

impl Run {
    fn step(&mut self, model: &mut Model) -> Advance {
        let sides = Sides { side: &self.side, residual: &mut self.residual, gain: &[] };
        let advance = self.solver.step(model, 300.0, sides).unwrap();
        for k in self.solver.crossed().iter().map(|located| located.function) {
            self.side[k] = -self.side[k];
        }
        advance
    }
}

#[test]
fn loading_gives_the_same_bits_onward() {
    for method in Method::all() {
        let tolerance = if method == Method::EulerAdaptive { 1e-2 } else { 1e-5 };
        let options = Options { step: 0.01, ..variable(method, tolerance) };
        let mut model = model();
        let mut run =
            Run { solver: Solver::new(options, 3, 2), side: [1.0, -1.0], residual: [0.0; 2] };
        run.solver.restart(&mut model, 0.0, &[1.0, 1.0, 1.0]);
        let mut crossings = 0;
        for _ in 0..600 {
            let at_crossing = run.step(&mut model) == Advance::Crossing;
            crossings += usize::from(at_crossing);
            let bytes = postcard::to_allocvec(&run.solver).unwrap();
            let solver: Solver = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(solver, run.solver);
            let mut loaded = Run { solver, side: run.side, residual: run.residual };
            let mut kept =
                Run { solver: run.solver.clone(), side: run.side, residual: run.residual };
            for _ in 0..3 {
                assert_eq!(loaded.step(&mut model), kept.step(&mut model));
                let bits = |run: &Run| -> Vec<u64> {
                    run.solver.state().iter().map(|x| x.to_bits()).collect()
                };
                assert_eq!(bits(&loaded), bits(&kept));
                assert_eq!(loaded.solver, kept.solver);
            }
        }
        assert!(crossings > 2, "{} saw {crossings} crossings", method.name());
    }
}
