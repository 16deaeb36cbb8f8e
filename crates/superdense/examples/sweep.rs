//! One model, many values of a parameter: it is compiled once, and every run sets its own value.

use superdense::{Builder, Library, Settings, System, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Builder::new("decay")
        .parameter("rate", "1")
        .block("x", "Integrator", &[("input", "-rate * x"), ("initial", "1")])
        .record("x", "x")
        .simulate("stop", "1")
        .build()?;
    let system = System::compile(&model, &Library::standard())?;
    for rate in [0.5, 1.0, 2.0, 4.0] {
        let parameters = vec![("rate".to_owned(), Value::real(rate))];
        let set = system.with(&Settings { parameters, ..Settings::default() })?;
        let end = set.simulate()?.trace.last("x").unwrap_or(f64::NAN);
        println!("rate {rate}: x(1) = {end:.6}, exactly {:.6}", (-rate).exp());
    }
    Ok(())
}
