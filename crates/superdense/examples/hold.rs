//! A controller outside the model: every tenth of a second it reads the temperature and switches
//! the heater.

use superdense::{Library, System, Time};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = superdense::parse(
        "room.yaml",
        "superdense: 1
inputs: {heat: {kind: held, initial: 0, unit: kW}}
blocks: {T: {type: Integrator, input: 2 * heat - (T - 10) / 5, initial: 15}}
record: [T, heat]
simulate: {stop: 10}
",
        &mut |_: &str| Err("this model imports nothing".to_owned()),
    )?;
    let system = System::compile(&model, &Library::standard())?;
    let (temperature, heat) = (system.signal("T")?, system.input("heat")?);
    let mut run = system.begin();
    let mut tenths = 0;
    while run.advance_to(Time::from_f64(0.1 * f64::from(tenths)).ok_or("a time")?)?.is_none() {
        let now = run.get(&temperature)?.ok_or("T is always present")?[0];
        if now < 19.5 {
            run.set(&heat, &[1.5])?;
        } else if now > 20.5 {
            run.set(&heat, &[0.0])?;
        }
        tenths += 1;
    }
    println!("{} rows, T = {:?} at the end", run.rows(), run.trace().last("T"));
    Ok(())
}
