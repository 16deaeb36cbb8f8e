//! Models made of all blocks, with expressions of all kinds over signals of all shapes.

use crate::common::draws::Draws;

const FUNCTIONS: [&str; 26] = [
    "sin",
    "cos",
    "tan",
    "exp",
    "log",
    "sqrt",
    "abs",
    "floor",
    "ceil",
    "round",
    "sign",
    "tanh",
    "asin",
    "transpose",
    "sum",
    "norm",
    "left",
    "previous",
    "present",
    "der",
    "delta",
    "int",
    "length",
    "min",
    "max",
    "not",
];
const OPERATORS: [&str; 16] =
    ["+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "and", "or", "+", "-", "*"];
const CONSTANTS: [&str; 14] = [
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "1e-3",
    "1e6",
    "1/3",
    "[1, 2]",
    "[[1, 2], [3, 4]]",
    "[]",
    "time",
    "true",
    "pi",
];
/// Blocks with one input and what else they need.
const BLOCKS: [&str; 22] = [
    "Integrator, input: IN, initial: 0",
    "Integrator, input: IN, initial: [1, 2]",
    "Integrator, input: IN, initial: [[1, 2], [3, 4]]",
    "Integrator, input: IN, reset: IN",
    "Integrator, input: IN, impulse: IN",
    "Derivative, input: IN",
    "TransportDelay, input: IN, delay: 0.1",
    "EventDelay, input: IN, delay: 0.1",
    "MicrostepDelay, input: IN",
    "Sample, input: IN, trigger: IN",
    "ZeroOrderHold, input: IN, initial: 0",
    "Queue, input: IN, trigger: IN",
    "Counter, increment: IN",
    "LevelCrossing, input: IN, level: 0.3",
    "PeriodicSampler, input: IN, period: 0.1",
    "Gain, input: IN, gain: 2",
    "Sum, input: [IN, IN]",
    "Product, input: [IN, IN]",
    "Divide, numerator: IN, denominator: IN",
    "Merge, input: [IN, IN]",
    "Switch, input: IN",
    "Previous, input: IN",
];
const SOURCES: [&str; 8] = [
    "Clock, period: 0.1",
    "Clock, period: 0.25, value: 3",
    "Sine, frequency: 1",
    "Step, time: 0.5, before: 0, after: 1",
    "Ramp, start: 0.2, slope: 1",
    "Pulse, period: 0.4",
    "ImpulseSource, times: [0.3]",
    "Constant, value: [1, 2]",
];
const SOLVERS: [&str; 9] = [
    "solver: rk45",
    "solver: rk23",
    "solver: rodas5p",
    "solver: auto",
    "solver: tr-bdf2",
    "solver: euler, step: 0.05",
    "solver: rk4, step: 0.05",
    "solver: heun, step: 0.1",
    "solver: trapezoidal, step: 0.1",
];

/// A model of a few blocks that read each other.
pub fn model(draws: &mut Draws) -> String {
    let count = 2 + draws.place(7);
    let mut text = String::from("superdense: 1\nblocks:\n");
    for i in 0..count {
        text += &match draws.below(5) {
            0 => format!("  p{i}: {{type: {}}}\n", draws.pick(&SOURCES)),
            1 if draws.below(4) == 0 => machine(i, count, draws),
            1 | 2 => {
                let expression = expression(3, count, draws);
                format!("  p{i}: {{type: Expression, expression: '{expression}'}}\n")
            }
            _ => format!(
                "  p{i}: {{type: {}}}\n",
                filled(BLOCKS[draws.place(BLOCKS.len())], count, draws)
            ),
        };
    }
    if draws.below(6) == 0 {
        text += &format!("solve: [p{}]\n", draws.place(count));
    }
    let recorded = expression(2, count, draws);
    text += &format!("record: {{a: '{recorded}', b: p0}}\n");
    text + &format!("simulate: {{stop: 1, {}}}\n", draws.pick(&SOLVERS))
}

fn machine(i: usize, count: usize, draws: &mut Draws) -> String {
    let guard = expression(2, count, draws);
    let inner = filled(BLOCKS[draws.place(BLOCKS.len())], count, draws);
    let kinds =
        ["", ", history: true", ", preemptive: true", ", immediate: true", ", default: true"];
    let (there, back) = (draws.pick(&kinds), draws.pick(&kinds));
    format!(
        "  p{i}:\n    type: Modal\n    initial: a\n    states:\n      a:\n        blocks: {{q: {{type: \
         {inner}}}}}\n        outputs: {{y: q}}\n        transitions: [{{to: b, when: \
         '{guard}'{there}}}]\n      b:\n        outputs: {{y: p{i}.y}}\n        transitions: [{{to: \
         a, after: 0.2{back}}}]\n"
    )
}

fn filled(block: &str, count: usize, draws: &mut Draws) -> String {
    let mut parts = block.split("IN");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Words that have these letters are not inputs.
        let input = match draws.below(4) {
            0 => format!("'{}'", expression(2, count, draws)),
            _ => format!("p{}", draws.place(count)),
        };
        text += &input;
        text += part;
    }
    text
}

fn expression(depth: usize, count: usize, draws: &mut Draws) -> String {
    if depth == 0 || draws.below(4) == 0 {
        return match draws.below(3) {
            0 => (*draws.pick(&CONSTANTS)).to_owned(),
            _ => format!("p{}", draws.place(count)),
        };
    }
    let a = expression(depth - 1, count, draws);
    match draws.below(9) {
        0 | 1 => format!("{}({a})", draws.pick(&FUNCTIONS)),
        2 => format!("{a}[{}]", draws.below(3)),
        3 => format!("{a}[{}, {}]", draws.below(3), draws.below(3)),
        4 => {
            let (b, c) = (expression(depth - 1, count, draws), expression(depth - 1, count, draws));
            format!("(if {a} then {b} else {c})")
        }
        5 => format!("mod({a}, {})", expression(depth - 1, count, draws)),
        _ => {
            let b = expression(depth - 1, count, draws);
            format!("({a} {} {b})", draws.pick(&OPERATORS))
        }
    }
}
