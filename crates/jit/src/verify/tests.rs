use base::Type;
use ir::{Graph, Layout};
use solver::{Method, Tableau, TableauError};

use super::*;
use crate::units::{UnitPlan, WordPlan};
use crate::{NativeError, compile};

/// A buffer of four inputs, five outputs and some temporaries, and a tape over it.
struct Case {
    tape: Tape,
    slots: usize,
    input: Slot,
    output: Slot,
}

/// Sines of three scaled numbers, which is a loop, and a sum of two others.
fn case() -> Case {
    let (mut graph, mut layout) = (Graph::new(), Layout::default());
    let (input, output) = (layout.reserve(10), layout.reserve(10));
    let mut roots = Vec::new();
    for i in 0..9 {
        let (x, k) = (graph.leaf(i, Type::REAL), graph.leaf(9, Type::REAL));
        let scaled = graph.mul(x, k);
        roots.push((graph.unary(ir::Unary::Sin, scaled), output + i));
    }
    let [a, b] = [0, 1].map(|leaf| graph.leaf(leaf, Type::REAL));
    roots.push((graph.add(a, b), output + 9));
    let tape = Tape::compile(&graph, &roots, &mut layout, &|leaf| input + leaf);
    Case { tape, slots: layout.image().len(), input, output }
}

impl Case {
    fn plan(&self) -> Plan<'_> {
        let inputs = [self.input.slots(10), SlotRange::default()];
        let outputs = [self.output.slots(10), SlotRange::default()];
        Plan { tape: &self.tape, slots: self.slots, inputs, outputs }
    }

    fn step(&self) -> StepPlan<'_> {
        StepPlan {
            tape: &self.tape,
            slots: self.slots,
            state: self.input.slots(9),
            rate: self.output.slots(9),
            time: self.input + 9,
            tableau: Method::Rk45.tableau().expect("an explicit method"),
            rules: None,
            watched: false,
        }
    }
}

#[test]
fn what_fits_is_compiled() {
    let case = case();
    assert_eq!(routine(&case.plan()), Ok(()));
    assert_eq!(step(&case.step()), Ok(()));
    assert!(compile(&[case.plan()], &[case.step()], None).is_ok());
}

#[test]
fn a_buffer_that_is_too_short_is_refused() {
    let case = case();
    let (none, windows) = (SlotRange::default(), [case.input, case.output].map(|own| own.slots(0)));
    for slots in 0..case.output.index() + 10 {
        let (inputs, outputs) = ([windows[0], none], [windows[1], none]);
        let plan = Plan { slots, inputs, outputs, ..case.plan() };
        let outside = matches!(routine(&plan), Err(PlanError::Tape(_)));
        assert!(outside, "{slots} slots");
        let refused = compile(&[plan], &[], None).unwrap_err();
        assert!(matches!(refused, NativeError::Invalid(PlanError::Tape(_))));
    }
    let long = Plan { slots: MOST_SLOTS + 1, ..case.plan() };
    assert_eq!(routine(&long), Err(PlanError::BufferTooLong));
}

#[test]
fn a_broken_array_is_refused() {
    let case = case();
    let slots = Slot(case.slots as u32);
    let plan = |inputs: [SlotRange; 2]| routine(&Plan { inputs, ..case.plan() });
    let input = case.input.slots(10);
    assert_eq!(plan([input, slots.moved(-1).slots(2)]), Err(PlanError::Window));
    assert_eq!(plan([input, input]), Err(PlanError::Window));
    assert_eq!(plan([input, input.end().moved(-1).slots(2)]), Err(PlanError::Window));
    let none = SlotRange::default();
    let written = Plan { inputs: [case.output.slots(10), none], ..case.plan() };
    let written = Plan { outputs: [none; 2], ..written };
    assert!(matches!(routine(&written), Err(PlanError::Input { .. })));
}

#[test]
fn a_broken_step_is_refused() {
    let case = case();
    let slots = Slot(case.slots as u32);
    let own = case.step();
    for broken in [
        StepPlan { state: slots.moved(-8).slots(9), ..own.clone() },
        StepPlan { rate: case.output.slots(8), ..own.clone() },
        StepPlan { rate: slots.slots(9), ..own.clone() },
        StepPlan { time: slots, ..own.clone() },
    ] {
        assert_eq!(step(&broken), Err(PlanError::State), "{broken:?}");
    }
    let tableau: &'static Tableau =
        Box::leak(Box::new(Tableau { rows: &own.tableau.rows[1..], ..*own.tableau }));
    let broken = StepPlan { tableau, ..own };
    assert_eq!(step(&broken), Err(PlanError::Tableau(TableauError::Stages)));
}

#[test]
fn a_broken_output_of_a_unit_is_refused() {
    let case = case();
    let slots = Slot(case.slots as u32);
    let plan = |output: OutputPlan| {
        let unit = UnitPlan { tape: &case.tape, outputs: vec![output] };
        let word = WordPlan { index: 0, units: vec![None, Some(unit)] };
        units(&UnitsPlan { words: vec![word], count: 2, slots: case.slots })
    };
    let (guard, reader_words, event) = (None, vec![(0, 3)], false);
    let own = OutputPlan {
        from: Slot(0),
        to: Slot(1),
        length: 1,
        guard,
        reader_words,
        truth: false,
        event,
    };
    assert_eq!(plan(own.clone()), Ok(()));
    for broken in [
        OutputPlan { from: slots, ..own.clone() },
        OutputPlan { to: slots.moved(-1), length: 2, ..own.clone() },
        OutputPlan { guard: Some(slots), ..own.clone() },
        OutputPlan { reader_words: vec![(1, 1)], ..own.clone() },
        OutputPlan { reader_words: vec![(0, 1), (0, 4)], ..own.clone() },
    ] {
        let refused = plan(broken.clone());
        assert_eq!(refused, Err(PlanError::Output { unit: 1, output: 0 }), "{broken:?}");
    }
    let word = WordPlan { index: 1, units: vec![None, None] };
    let beyond = UnitsPlan { words: vec![word], count: WORD + 1, slots: case.slots };
    assert_eq!(units(&beyond), Err(PlanError::Word { word: 1 }));
}
