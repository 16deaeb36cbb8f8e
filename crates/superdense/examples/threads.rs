//! Runs of one system on several threads, each with its own parameter, and one that is cancelled.

use superdense::{Builder, Library, RunError, Settings, System, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Builder::new("decay")
        .parameter("rate", "1")
        .block("x", "Integrator", &[("input", "-rate * x"), ("initial", "1")])
        .record("x", "x")
        .build()?;
    let system = System::compile(&model, &Library::standard())?;
    std::thread::scope(|scope| {
        for rate in [1.0, 2.0, 3.0] {
            let system = &system;
            scope.spawn(move || {
                let parameters = vec![("rate".to_owned(), Value::real(rate))];
                let run = system.start(&Settings { parameters, ..Settings::default() });
                let end = run.ok().and_then(|run| run.finish().ok()?.trace.last("x"));
                println!("rate {rate}: {end:?}");
            });
        }
    });
    let run = system.start(&Settings::default().stop(1e9))?;
    let canceller = run.canceller();
    let thread = std::thread::spawn(move || run.finish());
    canceller.cancel();
    let ended = thread.join().map_err(|_| "the thread panicked")?;
    let cancelled =
        matches!(ended, Err(ref failure) if matches!(failure.error, RunError::Cancelled { .. }));
    println!("cancelled: {cancelled}");
    Ok(())
}
