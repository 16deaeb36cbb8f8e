//! Inputs that are known before the run: measured samples, and polynomials.

use superdense::{ExactTime, Interpolation, Library, Samples, System, Time};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = superdense::parse(
        "lag.yaml",
        "superdense: 1
inputs: [u, slope]
blocks: {x: {type: Integrator, input: u + slope - x}}
record: [x, u]
simulate: {stop: 3}
",
        &mut |_: &str| Err("this model imports nothing".to_owned()),
    )?;
    let system = System::compile(&model, &Library::standard())?;
    let mut run = system.begin();
    let second = |t: f64| Time::from_f64(t).ok_or("a time");
    let times = [0.0, 0.5, 1.5].map(second).into_iter().collect::<Result<Vec<_>, _>>()?;
    let times: Vec<ExactTime> = times.into_iter().map(ExactTime::from).collect();
    let samples = Samples::new(times, vec![0.0, 1.0, 4.0], 1)?;
    run.feed_samples(&system.input("u")?, &samples, Interpolation::Cubic)?;
    // 1 + 2 s from the start on, and 0 from t = 1 on.
    let slope = system.input("slope")?;
    run.feed(&slope, Time::ZERO, &[&[1.0], &[2.0]])?;
    run.feed(&slope, second(1.0)?, &[&[0.0]])?;
    let outcome = run.finish()?;
    println!("x = {:?} after {} steps", outcome.trace.last("x"), outcome.counters.steps);
    Ok(())
}
