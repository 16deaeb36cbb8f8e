//! Continuous states that state machines would make jump.

use diagram::{BlockId, Diagram, FragmentId, MachineId, StateMachine};

/// The effects of machines on continuous states.
pub(crate) struct Jumps {
    /// For each fragment, the machine and the state that start it a second time.
    restarted: Vec<Option<(MachineId, usize)>>,
}

impl Jumps {
    pub fn new(diagram: &Diagram) -> Jumps {
        let mut restarted = vec![None; diagram.modes.fragments.len()];
        for (id, machine) in diagram.modes.machines.entries() {
            for content in machine.states.iter().filter_map(|state| state.content) {
                let state = restarts(machine, content);
                restarted[content.index()] = state.map(|state| (id, state));
            }
        }
        // Parents come before their children, which restart with them.
        for index in 1..restarted.len() {
            let parent = diagram.modes.fragments[index].parent;
            restarted[index] = restarted[index].or(restarted[parent.index()]);
        }
        Jumps { restarted }
    }

    /// Why a continuous state of a block jumps, and what to do.
    pub fn reason(&self, diagram: &Diagram, id: BlockId) -> Option<(String, &'static str)> {
        let block = diagram.block(id);
        if !block.definition.states.iter().any(|state| state.derivative.is_some()) {
            return None;
        }
        let name = block.written();
        let machines = &diagram.modes.machines;
        if let Some((machine, state)) = self.restarted[block.fragment.index()] {
            let (machine, state) = (&machines[machine].path, &machines[machine].states[state].name);
            let message = format!(
                "the state of `{name}` jumps where `{machine}` enters `{state}` anew, and a sum \
                 cannot"
            );
            let help = "give the transitions that lead back there `history: true`, or put what \
                        flows outside the machine";
            return Some((message, help));
        }
        let sets = |machine: &&StateMachine| {
            let transitions = machine.states.iter().flat_map(|state| &state.transitions);
            transitions.flat_map(|transition| &transition.sets).any(|set| set.target == id)
        };
        if let Some(machine) = machines.iter().find(sets) {
            let path = &machine.path;
            let message =
                format!("the state of `{name}` jumps where `{path}` sets it, and a sum cannot");
            let help = "only rates move a continuous state there; `superdense run` lets it jump";
            return Some((message, help));
        }
        if diagram.modes.entries.iter().any(|entry| entry.block == id) {
            let message = format!(
                "the state of `{name}` jumps to what a transition hands over, and a sum cannot"
            );
            let help = "let it start from a constant; `superdense run` lets it jump";
            return Some((message, help));
        }
        None
    }
}

/// The state by which a machine restarts the diagram of a state although that has run.
fn restarts(machine: &StateMachine, content: FragmentId) -> Option<usize> {
    let has = |state: usize| machine.states[state].content == Some(content);
    // The states that the machine may be in after it has been in a state with this diagram.
    let mut reached: Vec<bool> = (0..machine.states.len()).map(has).collect();
    let mut open: Vec<usize> = (0..machine.states.len()).filter(|state| has(*state)).collect();
    while let Some(state) = open.pop() {
        for transition in &machine.states[state].transitions {
            if has(transition.to) && !transition.history {
                return Some(transition.to);
            }
            if !std::mem::replace(&mut reached[transition.to], true) {
                open.push(transition.to);
            }
        }
    }
    None
}
