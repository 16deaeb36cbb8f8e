//! Which values the parameters have in each run.
//!
//! The runs are the product of parameter sets, of the values of each parameter, of samples and of
//! repeats; the last varies fastest. Sample k has the same draws at every point of the grid, so that
//! points are compared under the same chances.

use base::{Diagnostic, Value, random};

use crate::axis::{Axis, Values};
use crate::draw::{self, Method};

/// The greatest number of runs of a sweep. At a microsecond each they take a quarter of an hour, and
/// more than a day at a tenth of a millisecond.
pub const MOST_RUNS: u64 = 1_000_000_000;

/// Sets of parameters that belong together: the rows of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Sets {
    /// The parameters.
    pub names: Vec<String>,
    /// For each set the values of all parameters.
    pub rows: Vec<Vec<Value>>,
}

/// The points of a sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    sets: Option<Sets>,
    axes: Vec<Axis>,
    samples: u64,
    method: Method,
    repeats: Option<u64>,
    seed: u64,
    count: u64,
}

/// What a run begins with.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The value of each parameter of the plan, in the order of [`Plan::names`].
    pub values: Vec<Value>,
    /// The seed of the run, if the plan repeats runs with several seeds.
    pub seed: Option<u64>,
}

impl Plan {
    /// The plan of these parts; `samples` are needed only if a parameter is drawn.
    pub fn new(
        sets: Option<Sets>,
        axes: Vec<Axis>,
        samples: Option<u64>,
        method: Method,
        repeats: Option<u64>,
        seed: u64,
    ) -> Result<Plan, Diagnostic> {
        let mut plan = Plan { sets, axes, samples: 1, method, repeats, seed, count: 0 };
        plan.check_names()?;
        let drawn = plan.axes.iter().any(|axis| axis.values.count().is_none());
        plan.samples = match (samples, drawn) {
            (Some(count), true) => count,
            (None, false) => 1,
            (None, true) => {
                return Err(Diagnostic::error("bad-sweep", "how many samples?")
                    .note("a parameter has a distribution")
                    .help("give the number of samples: `--samples 1000`, or `samples: 1000`"));
            }
            (Some(_), false) => {
                return Err(Diagnostic::error(
                    "bad-sweep",
                    "nothing is drawn, so there are no samples",
                )
                .help(
                    "give a parameter a distribution, such as `normal(1, 0.1)`; `--repeats` \
                           repeats runs with other seeds",
                ));
            }
        };
        if plan.samples == 0 || plan.repeats == Some(0) {
            return Err(Diagnostic::error("bad-sweep", "no runs are asked for")
                .help("samples and repeats are at least 1"));
        }
        plan.check_samples()?;
        plan.count = plan.counted()?;
        Ok(plan)
    }

    fn check_names(&self) -> Result<(), Diagnostic> {
        let names = self.names();
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        twice.map_or(Ok(()), |(_, name)| {
            Err(Diagnostic::error("bad-sweep", format!("the parameter `{name}` is given twice"))
                .help("give all its values at once"))
        })
    }

    fn check_samples(&self) -> Result<(), Diagnostic> {
        match self.method.most().filter(|most| self.samples > *most) {
            None => Ok(()),
            Some(most) => Err(Diagnostic::error(
                "bad-sweep",
                format!(
                    "there are {most} Sobol points, and {} samples are asked for",
                    self.samples
                ),
            )
            .help("use the method `latin`, which has any number")),
        }
    }

    /// The number of runs, refused if nobody would wait for them.
    fn counted(&self) -> Result<u64, Diagnostic> {
        let sets = self.sets.as_ref().map_or(1, |sets| sets.rows.len() as u64);
        let axes = self.axes.iter().filter_map(|axis| axis.values.count());
        let all = [sets, self.samples, self.repeats.unwrap_or(1)].into_iter().chain(axes);
        let count = all.clone().try_fold(1u128, |count, own| count.checked_mul(own.into()));
        match count {
            Some(0) => Err(Diagnostic::error("bad-sweep", "there are no parameter sets")
                .help("the table needs at least one row")),
            Some(count) if count <= MOST_RUNS.into() => Ok(count as u64),
            _ => {
                let factors: Vec<String> =
                    all.filter(|own| *own > 1).map(|own| own.to_string()).collect();
                let count = count.map_or("more than 10^38".to_owned(), |count| count.to_string());
                let message = format!("the sweep has {count} runs, and {MOST_RUNS} is the most");
                let error = Diagnostic::error("too-many-runs", message)
                    .help("take larger steps, or draw fewer samples");
                Err(match factors.len() {
                    0 | 1 => error,
                    _ => error.note(format!("{count} = {}", factors.join(" * "))),
                })
            }
        }
    }

    /// The number of runs.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The names of all parameters: those of the sets, then those of the axes.
    pub fn names(&self) -> Vec<&str> {
        let sets = self.sets.iter().flat_map(|sets| &sets.names).map(String::as_str);
        sets.chain(self.axes.iter().map(|axis| axis.name.as_str())).collect()
    }

    /// The parameters that are not of a set.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The parameter sets, if there are any.
    pub fn sets(&self) -> Option<&Sets> {
        self.sets.as_ref()
    }

    /// How many samples there are at each point of the grid.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// How often each point is repeated with another seed, if it is.
    pub fn repeats(&self) -> Option<u64> {
        self.repeats
    }

    /// The sizes of the dimensions of the product that have more than one member, with their names:
    /// `set`, a parameter, `sample` or `repeat`.
    pub fn dimensions(&self) -> Vec<(String, u64)> {
        let sets = self.sets.iter().map(|sets| ("set".to_owned(), sets.rows.len() as u64));
        let axes = self.axes.iter().filter_map(|own| Some((own.name.clone(), own.values.count()?)));
        let drawn = self.axes.iter().any(|axis| axis.values.count().is_none());
        let samples = drawn.then(|| ("sample".to_owned(), self.samples));
        let repeats = self.repeats.map(|repeats| ("repeat".to_owned(), repeats));
        sets.chain(axes).chain(samples).chain(repeats).collect()
    }

    /// What the run of an index begins with.
    ///
    /// # Panics
    /// If there are not so many runs.
    pub fn point(&self, run: u64) -> Point {
        assert!(run < self.count, "the sweep has {} runs", self.count);
        let mut rest = run;
        let mut digit = |base: u64| {
            let digit = rest % base;
            rest /= base;
            digit
        };
        let repeat = self.repeats.map(&mut digit);
        let sample = digit(self.samples);
        let mut values: Vec<Option<Value>> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            let count = axis.values.count();
            values.push(count.map(|count| axis.values.at(digit(count))));
        }
        values.reverse();
        let mut dimension = 0;
        let drawn = self.axes.iter().zip(values).map(|(axis, value)| {
            value.unwrap_or_else(|| {
                dimension += 1;
                self.drawn(axis, dimension - 1, sample)
            })
        });
        let drawn: Vec<Value> = drawn.collect();
        let set = self.sets.iter().flat_map(|sets| sets.rows[rest as usize].iter().cloned());
        let seed = repeat.map(|repeat| self.seed.wrapping_add(repeat));
        Point { values: set.chain(drawn).collect(), seed }
    }

    fn drawn(&self, axis: &Axis, dimension: u32, sample: u64) -> Value {
        let Values::Drawn(distribution) = &axis.values else { panic!("this axis is drawn") };
        // Seeds next to each other are those of runs, too, whose blocks draw by their own paths.
        let place =
            draw::Place { seed: random(self.seed, "sweep", 0), name: &axis.name, dimension };
        let value = distribution.quantile(draw::uniform(self.method, place, sample, self.samples));
        match distribution.is_whole() {
            true => Value::int(value as i64),
            false => Value::real(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str, count: u64) -> Axis {
        let values = (0..count).map(|value| Value::int(value as i64)).collect();
        Axis { name: name.to_owned(), values: Values::List(values) }
    }

    #[test]
    fn the_last_part_varies_fastest() {
        let sets = Sets {
            names: vec!["s".to_owned()],
            rows: vec![vec![Value::int(7)], vec![Value::int(8)]],
        };
        let axes = vec![axis("a", 2), axis("b", 3)];
        let plan = Plan::new(Some(sets), axes, None, Method::Random, Some(2), 5).expect("a plan");
        assert_eq!(plan.count(), 24);
        let mut all = Vec::new();
        for run in 0..24 {
            let point = plan.point(run);
            let numbers: Vec<i64> = point.values.iter().filter_map(Value::as_int).collect();
            all.push((numbers, point.seed.expect("it repeats")));
        }
        assert_eq!(all[0], (vec![7, 0, 0], 5));
        assert_eq!(all[1], (vec![7, 0, 0], 6));
        assert_eq!(all[2], (vec![7, 0, 1], 5));
        assert_eq!(all[23], (vec![8, 1, 2], 6));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn too_many_runs_are_refused_with_their_count() {
        let axes: Vec<Axis> = ["a", "b", "c", "d", "e"]
            .map(|name| Axis {
                name: name.to_owned(),
                values: Values::Between { first: 0.0, last: 1.0, count: 1000, log: false },
            })
            .to_vec();
        let error = Plan::new(None, axes, None, Method::Random, None, 0).expect_err("too many");
        assert_eq!(error.code, "too-many-runs");
        assert!(error.message.contains("1000000000000000 runs"), "{}", error.message);
    }
}
