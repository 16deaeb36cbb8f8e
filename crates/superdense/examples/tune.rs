//! A tunable parameter changes while the model runs; everything that depends on it sees a jump.

use superdense::{Library, System, Time};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = superdense::parse(
        "decay.yaml",
        "superdense: 1
parameters: {k: {value: 1, unit: 1/s, tunable: true}}
blocks: {x: {type: Integrator, input: -k * x, initial: 1}}
record: [x]
simulate: {stop: 2, tolerance: 1e-9}
",
        &mut |_: &str| Err("this model imports nothing".to_owned()),
    )?;
    let system = System::compile(&model, &Library::standard())?;
    let mut run = system.begin();
    run.advance_to(Time::from_f64(1.0).ok_or("a time")?)?;
    run.set_parameter("k", &[3.0])?;
    let end = run.finish()?.trace.last("x").unwrap_or(f64::NAN);
    println!("x(2) = {end:.9}, exactly {:.9}", (-4f64).exp());
    Ok(())
}
