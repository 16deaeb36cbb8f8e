//! One model, many values of a parameter: it is compiled once, and one run is reset and given one
//! value after the other, which takes no memory.

use superdense::{Builder, Library, System, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Builder::new("decay")
        .parameter("rate", "1")
        .block("x", "Integrator", &[("input", "-rate * x"), ("initial", "1")])
        .record("x", "x")
        .simulate("stop", "1")
        .build()?;
    let system = System::compile(&model, &Library::standard())?;
    let (parameter, x) = (system.parameter("rate")?, system.signal("x")?);
    let mut run = system.begin();
    for rate in [0.5, 1.0, 2.0, 4.0] {
        run.reset();
        run.give(&parameter, Value::real(rate))?;
        run.advance_to_end()?;
        let end = run.get(&x)?.map_or(f64::NAN, |value| value[0]);
        println!("rate {rate}: x(1) = {end:.6}, exactly {:.6}", (-rate).exp());
    }
    Ok(())
}
