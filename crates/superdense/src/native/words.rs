//! The units of a tick as native code, word by word.
//!
//! A tick of a small model may run any of its units, so that all are compiled at once. A tick of a
//! large one runs few, and compiling all would take too long: a word of 64 units is compiled by a
//! separate thread once its units have run so often that this has cost about as much as compiling
//! them does. So the work of compiling is bounded by that of running.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use blocks::Part;
use diagram::FragmentId;
use engine::{Pass, UnitCode};
use jit::{OutputPlan, UnitPlan, UnitsFrame, UnitsPlan, WORD, WordPlan, WordRoutine};
use program::{Program, Unit, UnitId};

/// The largest number of units that are all compiled before a run.
const FEW_UNITS: usize = 256;

/// How often units of a word run without code before the word is compiled.
const WORTH_COMPILING: u32 = 10_000;

/// The most words that are compiled, so that the memory of code is bounded.
const MOST_WORDS: u32 = 1024;

/// The units of the ticks of a program.
#[derive(Debug)]
pub(super) struct Words(Arc<Shared>);

/// What the thread that compiles shares with those that run.
#[derive(Debug)]
struct Shared {
    program: Arc<Program>,
    words: Vec<Word>,
    /// How many words have been asked for.
    asked: AtomicU32,
    /// Words to be compiled; none if no thread compiles.
    waiting: Mutex<Option<Vec<usize>>>,
}

/// A word of units.
#[derive(Debug, Default)]
struct Word {
    /// How often one of its units has run without code.
    missed: AtomicU32,
    /// Its code, once it has been compiled.
    code: OnceLock<WordRoutine>,
}

impl Words {
    /// The units of a program, none of which has code.
    pub fn new(program: &Arc<Program>) -> Words {
        let count = program.units.len().div_ceil(WORD);
        Words(Arc::new(Shared {
            program: program.clone(),
            words: (0..count).map(|_| Word::default()).collect(),
            asked: AtomicU32::new(0),
            waiting: Mutex::new(None),
        }))
    }

    /// Whether there are no units.
    pub fn is_empty(&self) -> bool {
        self.0.words.is_empty()
    }

    /// The plan of all units, if they are few enough to be compiled at once.
    pub fn at_once(&self) -> Option<UnitsPlan<'_>> {
        let few = !self.is_empty() && self.0.program.units.len() <= FEW_UNITS;
        few.then(|| plan(&self.0.program, 0..self.0.words.len()))
    }

    /// Takes the code of the first words.
    pub fn take(&self, code: Vec<WordRoutine>) {
        self.0.take(0..code.len(), code);
    }
}

impl UnitCode for Words {
    #[inline]
    fn known(&self, word: usize) -> u64 {
        self.0.words[word].code.get().map_or(0, WordRoutine::known)
    }

    #[inline]
    fn missed(&self, word: usize) {
        // Runs in other threads may lose a count, which does not matter.
        let missed = &self.0.words[word].missed;
        let count = missed.load(Ordering::Relaxed);
        if count < WORTH_COMPILING {
            missed.store(count + 1, Ordering::Relaxed);
        } else if count == WORTH_COMPILING {
            missed.store(count + 1, Ordering::Relaxed);
            self.0.ask(word);
        }
    }

    fn run(
        &self,
        slots: &mut [f64],
        dirty: &mut [u64],
        runs: &mut [u64],
        word: usize,
        pass: &mut Pass,
    ) {
        (pass.count, pass.ran) = (0, 0);
        let Some(code) = self.0.words[word].code.get() else { return };
        let mut frame = UnitsFrame { held: pass.held, present: pass.present, count: 0, ran: 0 };
        code.run(slots, dirty, &mut frame, runs);
        (pass.present, pass.count, pass.ran) = (frame.present, frame.count, frame.ran);
    }
}

impl Shared {
    /// Has a word compiled by a separate thread.
    #[cold]
    fn ask(self: &Arc<Self>, word: usize) {
        let has_code = self.words[word].code.get().is_some();
        if has_code || self.asked.fetch_add(1, Ordering::Relaxed) >= MOST_WORDS {
            return;
        }
        let mut waiting = self.waiting.lock().expect("nothing panics while words wait");
        match &mut *waiting {
            Some(words) => words.push(word),
            None => {
                *waiting = Some(vec![word]);
                let own = self.clone();
                std::thread::spawn(move || while own.compile_waiting() {});
            }
        }
    }

    /// Compiles the words that wait; returns whether there were any. Where compiling fails, units
    /// stay on the interpreter.
    fn compile_waiting(&self) -> bool {
        let words = {
            let mut waiting = self.waiting.lock().expect("nothing panics while words wait");
            match waiting.take().filter(|words| !words.is_empty()) {
                None => return false,
                Some(words) => {
                    *waiting = Some(Vec::new());
                    words
                }
            }
        };
        let plan = plan(&self.program, words.iter().copied());
        if let Ok(compiled) = jit::compile(&[], &[], Some(&plan)) {
            self.take(words.into_iter(), compiled.words);
        }
        true
    }

    fn take(&self, words: impl Iterator<Item = usize>, code: Vec<WordRoutine>) {
        for (word, code) in words.zip(code) {
            // A word that was asked for twice has the same code.
            let _ = self.words[word].code.set(code);
        }
    }
}

/// The plan of some words. Units that involve state machines, and units that may find a loop
/// undetermined, are left to the engine.
fn plan(program: &Program, words: impl Iterator<Item = usize>) -> UnitsPlan<'_> {
    let count = program.units.len();
    let watched = |unit: &Unit| {
        unit.outputs.iter().any(|output| !program.tracked(output.tracked).machines.is_empty())
    };
    let compiled =
        |unit: &&Unit| unit.fragment == FragmentId::ROOT && !unit.may_be_unknown && !watched(unit);
    let unit = |index: usize| {
        let unit = Some(&program.units[UnitId::new(index)]).filter(compiled);
        unit.map(|unit| unit_plan(program, unit))
    };
    let word = |index: usize| {
        let units = index * WORD..count.min((index + 1) * WORD);
        WordPlan { index, units: units.map(unit).collect() }
    };
    UnitsPlan { words: words.map(word).collect(), count, slots: program.image.len() }
}

fn unit_plan<'a>(program: &Program, unit: &'a Unit) -> UnitPlan<'a> {
    let output = |output: &program::Output| {
        let tracked = program.tracked(output.tracked);
        let words = tracked.reader_words.iter().map(|word| (word.index, word.bits));
        let (reader_words, event) = (words.collect(), tracked.event);
        let truth = matches!(tracked.part, Some((_, Part::Present)));
        let program::Output { from, to, length, guard, .. } = *output;
        OutputPlan { from, to, length, guard, reader_words, truth, event }
    };
    UnitPlan { tape: &unit.tape, outputs: unit.outputs.iter().map(output).collect() }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::pipeline::Code;
    use crate::{Library, System, parse};

    #[test]
    fn a_word_of_a_large_program_is_compiled_once_it_has_run_often() {
        let text = "superdense: 1
name: chain
blocks:
  clock: {type: Clock, period: 0.001}
  n: {type: Counter, increment: clock}
  d: {type: UnitDelay, for: {i: 300}, input: \"if i > 0 then d[i - 1] else n\"}
record: {end: \"d[299]\"}
";
        let mut nowhere = |path: &str| Err::<(String, String), _>(path.to_owned());
        let model = parse("chain", text, &mut nowhere).unwrap();
        let system = System::compile(&model, &Library::standard()).unwrap();
        let Code::Exact(program) = &system.code else { panic!("a program of smooth phases") };
        let words = Words::new(program);
        assert!(words.at_once().is_none(), "there are too many units");
        (0..WORTH_COMPILING).for_each(|_| words.missed(0));
        assert_eq!(words.0.asked.load(Ordering::Relaxed), 0);
        (0..2).for_each(|_| words.missed(0));
        assert_eq!(words.0.asked.load(Ordering::Relaxed), 1);
        let begin = Instant::now();
        while words.known(0) == 0 {
            assert!(begin.elapsed() < Duration::from_secs(120), "it is being compiled");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(words.known(1), 0, "others are not compiled");
    }
}
