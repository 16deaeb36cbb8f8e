//! Mutations of a valid model, the same every time: each is translated or refused, and nothing else
//! happens. What is translated is a model file that can be read.

use crate::common::{ramp, translate};

/// A generator of numbers (G. Marsaglia, "Xorshift RNGs", 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

const PIECES: [&str; 14] = [
    "<",
    ">",
    "\"",
    "</entity>",
    "<entity name=\"x\">",
    "&amp;",
    "Integrator",
    "{",
    "}",
    "0",
    ".",
    "é",
    "<!--",
    "relation=\"r1\"",
];

fn mutate(text: &str, numbers: &mut Numbers) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + numbers.below(3) {
        let at = numbers.below(chars.len());
        match numbers.below(4) {
            0 => drop(chars.remove(at)),
            1 => {
                let piece = PIECES[numbers.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
            2 => {
                let end = (at + numbers.below(60)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, copy);
            }
            _ => {
                let end = (at + numbers.below(30)).min(chars.len());
                chars.drain(at..end);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_models_are_translated_or_refused() {
    let whole = ramp("1.0 + 2*sin(3)");
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut translated = 0;
    for _ in 0..3000 {
        let text = mutate(&whole, &mut numbers);
        if let Ok(imported) = translate(&text) {
            translated += 1;
            model::format("mutated.yaml", &imported.text)
                .unwrap_or_else(|refused| panic!("{refused:?}\n{text}\n{}", imported.text));
        }
    }
    assert!(translated > 100, "mutations hit what matters in all but {translated} cases");
}
