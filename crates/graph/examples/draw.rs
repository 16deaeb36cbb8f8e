//! Draws models: `cargo run -p superdense-graph --example draw -- FOLDER MODEL...` writes, for each
//! model file, pictures of the open diagram, of the closed one, and of the one with folded
//! expressions and numbers.

use std::path::Path;

use superdense_graph::{Options, Order, dot, layout, svg};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, models) = arguments.split_first().expect("a folder and model files");
    for path in models {
        let model = model::read(Path::new(path)).expect("a model that can be read");
        let library = blocks::Library::standard();
        let flat = diagram::flatten(&model, &library, &diagram::Settings::default());
        let flat = flat.expect("a model without mistakes");
        let loops = schedule::refused_loops(&flat);
        let planned = schedule::schedule(&flat).ok();
        let order =
            planned.as_ref().map(|schedule| Order { schedule, phase: diagram::Phase::Tick });
        let open = Options { loops: &loops, ..Options::default() };
        let name = &flat.name;
        let write = |kind: &str, text: String| {
            std::fs::write(Path::new(folder).join(format!("{name}{kind}")), text).expect("written");
        };
        write(".svg", svg(&layout(&flat, &open)));
        let closed = Options { depth: Some(0), ..open };
        write("-closed.svg", svg(&layout(&flat, &closed)));
        let folded = Options { fold_expressions: true, order, records: true, ..open };
        write("-folded.svg", svg(&layout(&flat, &folded)));
        write(".dot", dot(&flat, &open));
    }
}
