//! The sections of a model.

use super::Maker;
use super::vocabulary::Sort;

/// Tables that inputs may take their values from, by the names of their files.
pub const DATA: [(&str, &str); 6] = [
    (
        "data.csv",
        "time,u,v[0],v[1],v[2],on\n0,1,1,2,3,0\n0.25,2,1,2,3,1\n0.5,-1,0,0,0,1\n1,0,1,1,1,0\n",
    ),
    ("jumps.csv", "time,u\n0,0\n0.3,1\n0.3,2\n0.30000000000000004,3\n0.7,-1\n"),
    ("late.csv", "time,u\n5,1\n6,2\n"),
    ("one.csv", "time,u\n0.5,1\n"),
    ("none.csv", "time,u\n"),
    ("wrong.csv", "time,u\n1,1\n0.5,nan\n0.2,inf\nx,1\n"),
];

const SOLVERS: [&str; 10] = [
    "solver: rk45",
    "solver: rk23",
    "solver: euler-adaptive",
    "solver: rodas5p",
    "solver: auto",
    "solver: tr-bdf2",
    "solver: euler, step: 0.05",
    "solver: rk4, step: 0.05",
    "solver: heun, step: 0.1",
    "solver: trapezoidal, step: 0.1",
];
const RUNS: [&str; 20] = [
    "every: 0.1",
    "every: 0.3, rows: microsteps",
    "times: [0.1, 0.5]",
    "rows: instants",
    "seed: 7",
    "zeno: stop",
    "zeno: rest",
    "sliding: filippov",
    "sliding: filippov, zeno: rest",
    "sliding: filippov, tolerance: 1e-4",
    "tolerance: 1e-9",
    "absolute_tolerance: 1e-3",
    "maximum_step: 0.01",
    "initial_step: 1e-6",
    "microsteps: 3",
    "impulses: numeric",
    "impulses: stepped",
    "start: 0.5",
    "start: -1/3",
    "maximum_blocks: 40",
];

impl Maker<'_, '_> {
    /// The whole text.
    pub fn model(mut self) -> String {
        self.line(0, "superdense: 1");
        if self.draws.chance(40) {
            self.functions();
        }
        self.parameters();
        if self.draws.chance(35) {
            self.inputs();
        }
        let diagram = self.draws.chance(40);
        if diagram {
            self.diagram();
        }
        self.line(0, "blocks:");
        self.first_blocks();
        for i in 0..1 + self.draws.place(4) {
            let name = format!("p{i}");
            match self.draws.below(8) {
                0 => self.machine(&name),
                1 | 2 if diagram => self.instance(&name),
                3 if self.draws.chance(30) => self.fmu(&name),
                _ => self.block(&name, 2),
            }
        }
        self.end();
        self.text
    }

    fn functions(&mut self) {
        self.line(0, "functions:");
        let outside = std::mem::take(&mut self.expressions.names);
        for i in 0..1 + self.draws.place(3) {
            let arguments = &["a", "b", "c"][..1 + self.draws.place(3)];
            self.expressions.names.clear();
            arguments.iter().for_each(|name| self.know(name, Sort::Real, false));
            let expression = self.expression(Sort::Real, 3);
            self.line(2, &format!("f{i}({}): '{expression}'", arguments.join(", ")));
            self.expressions.functions.push((format!("f{i}"), arguments.len()));
        }
        self.expressions.names = outside;
    }

    fn parameters(&mut self) {
        self.line(0, "parameters:");
        let value = *self.draws.pick(&["0.5", "2", "1/3", "0.1", "1"]);
        self.line(2, &format!("k: {value}"));
        self.know("k", Sort::Real, false);
        if self.draws.chance(40) {
            self.line(2, "tuned: {value: 0.7, tunable: true}");
            self.know("tuned", Sort::Real, false);
        }
        if self.draws.chance(20) {
            self.line(2, "w: {value: [1, 2, 3], tunable: true}");
            self.know("w", Sort::Vector, false);
        }
        if self.draws.chance(8) {
            let value = self.expressions.make(Sort::Real, 2, None, self.draws);
            self.line(2, &format!("derived: '{value}'"));
        }
    }

    fn inputs(&mut self) {
        self.line(0, "inputs:");
        let kind = *self.draws.pick(&["continuous", "held", "event"]);
        let source = match self.draws.below(3) {
            0 => "initial: 0.5".to_owned(),
            _ => {
                let (file, _) = self.draws.pick(&DATA);
                let how = *self.draws.pick(&["linear", "hold", "cubic"]);
                let initial = if self.draws.chance(30) { ", initial: 2" } else { "" };
                format!("file: {file}, interpolation: {how}{initial}")
            }
        };
        self.line(2, &format!("u: {{kind: {kind}, {source}}}"));
        self.know("u", Sort::Real, kind == "event");
        if self.draws.chance(30) {
            self.line(2, "v: {type: 'real[3]', file: data.csv}");
            self.know("v", Sort::Vector, false);
        }
        if self.draws.chance(30) {
            self.line(2, "on: {kind: held, type: boolean, file: data.csv}");
            self.know("on", Sort::Bool, false);
        }
        if self.draws.chance(60) {
            let output = self.expression(Sort::Real, 2);
            self.line(0, &format!("outputs: {{y: '{output}'}}"));
        }
    }

    /// A diagram with an input, an output and a parameter, of a few blocks.
    fn diagram(&mut self) {
        self.line(0, "diagrams:");
        self.line(2, "D:");
        let outside = std::mem::take(&mut self.expressions.names);
        self.know("gain", Sort::Real, false);
        let event = self.draws.chance(50);
        self.know("input", Sort::Real, event);
        self.line(4, "parameters: {gain: 2}");
        let default =
            *self.draws.pick(&["[input]", "{input: {default: 0}}", "{input: {default: absent}}"]);
        self.line(4, &format!("inputs: {default}"));
        if self.draws.chance(10) {
            self.line(4, "domain: discrete");
        }
        if self.draws.chance(10) {
            self.line(4, "tolerance: 1e-4");
        }
        self.line(4, "blocks:");
        for i in 0..1 + self.draws.place(3) {
            self.block(&format!("q{i}"), 6);
        }
        let (first, second) = (self.output(), self.output());
        self.line(4, &format!("outputs: {{y: '{first}', z: '{second}'}}"));
        self.expressions.names = outside;
    }

    /// A signal for an output, event or not.
    fn output(&mut self) -> String {
        match self.draws.chance(30) {
            true => self.event(2),
            false => self.expression(Sort::Real, 2),
        }
    }

    /// An instance that always runs, while a condition holds, or at events.
    fn instance(&mut self, name: &str) {
        self.line(2, &format!("{name}:"));
        self.line(4, "type: D");
        if self.draws.chance(85) {
            let input = self.output();
            self.line(4, &format!("input: '{input}'"));
        }
        let how = self.draws.below(4);
        if how == 1 || how == 2 {
            let condition = self.expression(Sort::Bool, 2);
            self.line(4, &format!("enabled: '{condition}'"));
            if self.draws.chance(40) {
                self.line(4, "restart: true");
            }
        }
        if how == 3 {
            let trigger = self.event(2);
            self.line(4, &format!("trigger: '{trigger}'"));
        }
        let hold = *self.draws.pick(&["true", "[y]", "{y: 1}", "{y: k, z: -1}", ""]);
        let held = how != 0 && !hold.is_empty();
        if held {
            self.line(4, &format!("hold: {hold}"));
        }
        self.know(&format!("{name}.y"), Sort::Real, how == 3 && !held);
        self.know(&format!("{name}.z"), Sort::Real, how == 3 && !held);
    }

    /// Signals of every sort, so that others have something to read.
    fn first_blocks(&mut self) {
        let period = *self.draws.pick(&["0.1", "0.25", "1/3", "k"]);
        self.line(2, &format!("clock: {{type: Clock, period: {period}}}"));
        self.know("clock", Sort::Real, true);
        self.line(2, "x: {type: Integrator, input: 'cos(5 * time) - x'}");
        self.know("x", Sort::Real, false);
        if self.draws.chance(30) {
            self.line(2, "r: {type: Integrator, input: '[x, 1, -r[0]]', initial: [1, 2, 3]}");
            self.know("r", Sort::Vector, false);
        }
        if self.draws.chance(15) {
            self.line(2, "m: {type: Integrator, input: '-m', initial: [[1, 2], [3, 4]]}");
            self.know("m", Sort::Matrix, false);
        }
        if self.draws.chance(25) {
            self.line(2, "hit: {type: LevelCrossing, input: x, level: 0.1}");
            self.know("hit", Sort::Real, true);
        }
    }

    fn machine(&mut self, name: &str) {
        // Without a condition a transition can only keep its history.
        let kinds = ["", ", history: true", ", preemptive: true", ", immediate: true"];
        self.line(2, &format!("{name}:"));
        self.line(4, "type: Modal");
        self.line(4, "initial: a");
        self.line(4, "states:");
        let known = self.expressions.names.len();
        self.line(6, "a:");
        self.line(8, "blocks:");
        self.block("q", 10);
        let (output, guard) = (self.output(), self.expression(Sort::Bool, 2));
        self.expressions.names.truncate(known);
        self.line(8, &format!("outputs: {{y: '{output}'}}"));
        let (there, back) = (*self.draws.pick(&kinds), *self.draws.pick(&kinds[..2]));
        let said = match self.draws.chance(30) {
            true => format!(", output: {{y: '{}'}}", self.expression(Sort::Real, 1)),
            false => String::new(),
        };
        self.line(8, &format!("transitions: [{{to: b, when: '{guard}'{there}{said}}}]"));
        self.line(6, "b:");
        let (other, after) = (self.output(), *self.draws.pick(&["0.2", "1/3", "k", "0"]));
        self.line(8, &format!("outputs: {{y: '{other}'}}"));
        let also = self.event(1);
        self.line(
            8,
            &format!(
                "transitions: [{{to: a, after: {after}{back}}}, {{to: b, when: 'present({also})'}}]"
            ),
        );
        self.know(&format!("{name}.y"), Sort::Real, false);
        self.know(&format!("{name}.b"), Sort::Bool, false);
    }

    /// An FMU beside the model, by steps of its own or by the solver of the run.
    fn fmu(&mut self, name: &str) {
        let exchange = self.draws.chance(50);
        let (file, outputs) = match exchange {
            true => ("file: ball.fmu, kind: model_exchange", ["w", "z", "low"]),
            false => ("file: lag.fmu", ["y", "n", "y"]),
        };
        let steps = ["", ", period: 0.1", ", period: k", ", period: 0.25, inputs: linear"];
        let steps = if exchange { "" } else { *self.draws.pick(&steps) };
        let input = self.expression(Sort::Real, 2);
        self.line(2, &format!("{name}: {{type: FMU, {file}{steps}, u: '{input}'}}"));
        for output in outputs {
            self.know(&format!("{name}.{output}"), Sort::Real, false);
        }
    }

    /// Several runs with other values, some of them drawn, and what is measured.
    fn sweep(&mut self) {
        let values = ["0.2, 0.5", "0.5:1:0.25", "linspace(0, 1, 3)", "normal(1, 0.1)", "k", "1"];
        let (first, second) = (*self.draws.pick(&values), *self.draws.pick(&values));
        self.line(0, "sweep:");
        let tuned =
            if self.draws.chance(30) { format!(", tuned: '{second}'") } else { String::new() };
        self.line(2, &format!("parameters: {{k: '{first}'{tuned}}}"));
        if self.draws.chance(50) {
            let method = *self.draws.pick(&["random", "latin", "sobol"]);
            self.line(2, &format!("samples: 3\n  method: {method}"));
        }
        if self.draws.chance(20) {
            self.line(2, "repeats: 2");
        }
        let measures = ["max", "integral", "mean", "rms", "count", "time", "last", "settling"];
        let (one, other) = (*self.draws.pick(&measures), *self.draws.pick(&measures));
        let signal = self.expression(Sort::Real, 1);
        self.line(2, &format!("measures: {{one: {one}(x), other: '{other}({signal})'}}"));
    }

    /// What is solved and recorded, and how it is run.
    fn end(&mut self) {
        if self.draws.chance(20) {
            self.line(0, "solve: true");
        }
        if self.draws.chance(60) {
            let (a, b) = (self.expression(Sort::Real, 2), self.output());
            self.line(0, &format!("record: {{a: '{a}', b: '{b}', c: x}}"));
        }
        let solver = *self.draws.pick(&SOLVERS);
        let mut run = format!("stop: 1, {solver}");
        if self.draws.chance(50) {
            let other = *self.draws.pick(&RUNS);
            run += &format!(", {other}");
        }
        self.line(0, &format!("simulate: {{{run}}}"));
        if self.draws.chance(30) {
            self.sweep();
        }
    }
}
