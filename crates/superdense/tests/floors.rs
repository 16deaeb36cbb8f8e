//! Balls that bounce to rest on floors and ceilings anywhere: near a level of 10 the height is on a
//! grid of 2e-15, which the last hops cannot resolve.

use crate::common::{compile, times};
use proptest::prelude::*;
use superdense::{RunError, StopReason, Trace};

/// Where a ball bounces.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// On the level of a crossing.
    Level,
    /// Under it.
    Ceiling,
    /// At the zero of a difference.
    Difference,
    /// On a floor that moves evenly.
    Moving,
}

#[derive(Clone, Copy, Debug)]
struct Ball {
    kind: Kind,
    level: f64,
    height: f64,
    g: f64,
    e: f64,
    solver: &'static str,
}

const KINDS: [Kind; 4] = [Kind::Level, Kind::Ceiling, Kind::Difference, Kind::Moving];
const SOLVERS: [&str; 6] = ["rk45", "rk23", "rk4", "rodas5p", "tr-bdf2", "auto"];
/// More units of work than any of these balls needs.
const ENDLESS: usize = 300_000;

impl Ball {
    fn text(&self, zeno: &str) -> String {
        let Ball { kind, level, height, g, e, solver } = self;
        let (up, speed) = (if *kind == Kind::Ceiling { -1.0 } else { 1.0 }, self.speed());
        let gap = match kind {
            Kind::Level | Kind::Ceiling => "y".to_owned(),
            Kind::Difference => format!("y - ({level})"),
            Kind::Moving => format!("y - ({level}) - {speed} * time"),
        };
        let at = if gap == "y" { *level } else { 0.0 };
        let direction = if up > 0.0 { "falling" } else { "rising" };
        format!(
            "
blocks:
  v: {{type: Integrator, input: {}, initial: {speed}, impulse: kick}}
  y: {{type: Integrator, input: v, initial: {}}}
  gap: {{type: Expression, expression: \"{gap}\"}}
  hit: {{type: LevelCrossing, input: gap, level: {at}, direction: {direction}}}
  kick: {{type: Sample, input: -(1 + {e}) * (previous(v) - {speed}), trigger: hit}}
record: [gap, hit]
simulate: {{stop: {}, zeno: {zeno}, solver: {solver}, tolerance: 1e-9, step: {}}}
",
            -up * g,
            level + up * height,
            3.0 * self.end(),
            self.end() / 50.0,
        )
    }

    /// How fast its floor moves.
    fn speed(&self) -> f64 {
        if self.kind == Kind::Moving { 0.25 } else { 0.0 }
    }

    /// The height that is left of it as a float.
    fn dropped(&self) -> f64 {
        let up = if self.kind == Kind::Ceiling { -1.0 } else { 1.0 };
        ((self.level + up * self.height) - self.level).abs()
    }

    /// The closed form of its accumulation.
    fn end(&self) -> f64 {
        (2.0 * self.dropped() / self.g).sqrt() * (1.0 + self.e) / (1.0 - self.e)
    }

    /// The distance of two floats at its height.
    fn grid(&self) -> f64 {
        f64::EPSILON * (self.level.abs() + self.height + self.speed() * self.end())
    }

    /// How exactly the accumulation can be known: hops of a few places of the grid take their time.
    fn within(&self) -> f64 {
        let hop = 2.0 * (2.0 * 32.0 * self.grid() / self.g).sqrt();
        1e-6 * self.end() + 2.0 * hop * (1.0 + self.e) / (1.0 - self.e)
    }

    /// The value of the recorded signal on its floor.
    fn floor(&self) -> f64 {
        match self.kind {
            Kind::Level | Kind::Ceiling => self.level,
            Kind::Difference | Kind::Moving => 0.0,
        }
    }

    /// How far below its floor it ever was.
    fn depth(&self, trace: &Trace) -> f64 {
        let (up, at) = (if self.kind == Kind::Ceiling { -1.0 } else { 1.0 }, self.floor());
        let gap = trace.column("gap").expect("recorded");
        let heights = (0..trace.len()).filter_map(|row| trace.get(row, gap));
        heights.fold(0.0, |deepest: f64, y| deepest.max(-up * (y[0] - at)))
    }
}

/// Runs a model, but not forever.
fn run(text: &str) -> (Result<StopReason, RunError>, Trace) {
    let system = compile(text);
    let mut run = system.begin();
    for _ in 0..ENDLESS {
        match run.advance() {
            Ok(None) => {}
            Ok(Some(stop)) => return (Ok(stop), run.trace().clone()),
            Err(error) => return (Err(error), run.trace().clone()),
        }
    }
    panic!("no end at {}:\n{text}", run.tag());
}

/// Each setting of `zeno` ends the bounces at the closed form, and nothing falls through the floor.
fn check(ball: &Ball) -> Result<(), TestCaseError> {
    let (truth, within) = (ball.end(), ball.within());
    let near = |found: f64, what: &str| {
        prop_assert!((found - truth).abs() <= within, "{what} {found} for {truth} of {ball:?}");
        Ok(())
    };
    let (failed, _) = run(&ball.text("error"));
    let Err(RunError::Zeno { accumulation, .. }) = failed else {
        return Err(TestCaseError::fail(format!("{failed:?} of {ball:?}")));
    };
    near(accumulation, "error")?;
    let (stopped, _) = run(&ball.text("stop"));
    let Ok(StopReason::Zeno(end)) = stopped else {
        return Err(TestCaseError::fail(format!("{stopped:?} of {ball:?}")));
    };
    near(end, "stop")?;
    let (rested, trace) = run(&ball.text("rest"));
    prop_assert!(matches!(rested, Ok(StopReason::Stopped)), "{rested:?} of {ball:?}");
    near(*times(&trace, "hit").last().expect("a hit"), "rest")?;
    let depth = ball.depth(&trace);
    prop_assert!(depth <= 64.0 * ball.grid() + 1e-9, "{depth} below the floor of {ball:?}");
    let lies = trace.last("gap").expect("recorded") - ball.floor();
    prop_assert!(lies.abs() <= 64.0 * ball.grid() + 1e-9, "{lies} above the floor of {ball:?}");
    Ok(())
}

/// Levels near and far, restitutions low and high, by each solver.
#[test]
fn bounces_end_at_every_level() {
    for level in [0.1, 0.5, 1.0, 10.0, 1e3, 1e6, -0.3, -10.0, 1e9] {
        for (number, e) in [0.1, 0.3, 0.5, 0.7, 0.9].into_iter().enumerate() {
            for (place, kind) in KINDS.into_iter().enumerate() {
                let solver = SOLVERS[(number + place) % SOLVERS.len()];
                let ball = Ball { kind, level, height: 1.0, g: 9.81, e, solver };
                check(&ball).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn bounces_end_anywhere(
        kind in prop::sample::select(&KINDS[..]),
        solver in prop::sample::select(&SOLVERS[..]),
        size in -3.0f64..9.0,
        below in any::<bool>(),
        e in 0.02f64..0.97,
        height in 0.1f64..100.0,
        g in 0.1f64..100.0,
    ) {
        let level = if below { -1.0 } else { 1.0 } * 10f64.powf(size);
        check(&Ball { kind, level, height, g, e, solver })?;
    }

    /// A ball that settles on a wavy floor far from zero comes to rest there, by explicit and by
    /// implicit solvers, and then follows it in steps as wide as elsewhere.
    #[test]
    fn balls_settle_on_wavy_floors(
        solver in prop::sample::select(&["rk45", "rodas5p", "auto"][..]),
        level in prop::sample::select(&[0.0f64, 0.3, 7.0, -20.0, 1e5][..]),
        e in 0.02f64..0.9,
        part in 0.01f64..1.0,
        fast in 0.2f64..8.0,
    ) {
        // A floor that shakes harder may keep the ball in the air.
        let deep = f64::min(0.1, 0.5 * part * (1.0 - e) * 9.81 / (fast * fast));
        let text = format!(
            "
parameters: {{e: {e}, a: {deep}, w: {fast}}}
blocks:
  v: {{type: Integrator, input: -9.81, reset: after}}
  y: {{type: Integrator, input: v, initial: {}}}
  gap: {{type: Expression, expression: y - ({level}) - a * sin(w * time)}}
  hit: {{type: LevelCrossing, input: gap, direction: falling}}
  ground: {{type: Expression, expression: a * w * cos(w * time)}}
  after: {{type: Sample, input: ground - e * (previous(v) - ground), trigger: hit}}
record: [gap]
simulate: {{stop: 40, zeno: rest, tolerance: 1e-9, solver: {solver}}}
",
            level + 2.0
        );
        let (ended, trace) = run(&text);
        prop_assert!(matches!(ended, Ok(StopReason::Stopped)), "{ended:?}\n{text}");
        let lies = trace.last("gap").expect("recorded");
        prop_assert!(lies.abs() <= 1e-9 * f64::max(1.0, level.abs()), "{lies}\n{text}");
        prop_assert!(trace.len() < 20_000, "{} rows\n{text}", trace.len());
    }
}
