//! Two futures from one point, and a run that is saved and continued past its stop.

use superdense::{Library, Settings, System, Time};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = superdense::parse(
        "lag.yaml",
        "superdense: 1
inputs: {u: {kind: held, initial: 1}}
blocks: {x: {type: Integrator, input: u - x}}
record: [x]
simulate: {stop: 2}
",
        &mut |_: &str| Err("this model imports nothing".to_owned()),
    )?;
    let system = System::compile(&model, &Library::standard())?;
    let mut run = system.begin();
    run.advance_to(Time::from_f64(1.0).ok_or("a time")?)?;
    let mut other = run.fork();
    other.set_input("u", &[-1.0])?;
    println!("u stays 1: {:?}", run.fork().finish()?.trace.last("x"));
    println!("u becomes -1: {:?}", other.finish()?.trace.last("x"));
    while run.advance()?.is_none() {}
    let longer = system.with(&Settings::default().stop(4))?;
    let outcome = longer.resume(&run.save())?.finish()?;
    println!("x(4) = {:?}", outcome.trace.last("x"));
    Ok(())
}
