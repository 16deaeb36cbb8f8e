//! The codes of messages, each with what it means, why it is a mistake, and what to do.

/// Codes by name, each with its text.
pub const CODES: &[(&str, &str)] = &[
    (
        "ambiguous-transitions",
        "Several transitions of a state are enabled at one microstep, and nothing says which one is taken. \
        The result would depend on the order in which they are written. \
        Make their conditions exclude each other, give them a `priority`, give one `default: true`, or mark all of them `nondeterministic: true`, and one is drawn from the seed.",
    ),
    (
        "bad-guard",
        "The condition of a transition is not a truth value. \
        Compare a number, as in `x > 0`; ask whether an event is there with present(...).",
    ),
    (
        "bad-parameter",
        "A parameter of a block has a value that the block cannot use, such as a period that is not positive. \
        The values of parameters are fixed before the run, so this is found at once. \
        Give a value that the message allows; `superdense blocks NAME` lists the parameters of a block.",
    ),
    (
        "bad-setting",
        "A setting under `simulate`, or an option of the command line, has a value that makes no run, such as a stop time before the start. \
        Correct the value that is underlined, or the option that was given over it.",
    ),
    (
        "bad-state",
        "A state is said to be like another, whose diagram it shares, and that cannot be. \
        The other state must come before it, and a state that is like another has no blocks, outputs or parameters of its own.",
    ),
    (
        "bad-transition",
        "A transition says things that exclude each other, such as a condition on an error transition, or leaves a final state. \
        Leave one of them out; docs/modes.md says what each means.",
    ),
    (
        "cannot-format",
        "The file is a model file, but its canonical form would not say the same: some text or key in it cannot be written so that it is read back as it was. \
        The file was left as it is. Write unusual texts and keys in double quotes, and try again.",
    ),
    (
        "cannot-read",
        "The model file cannot be opened or is not text in UTF-8. \
        Look at the name, the folder and whether you may read the file.",
    ),
    (
        "causality-loop",
        "A value is needed to compute itself, at the same instant: no order of evaluation exists. \
        Break the loop with a block that remembers, such as an Integrator or a MicrostepDelay, or with previous(...) or left(...); \
        or say `solve` in a block of the loop, which finds the value by Newton's method. `superdense graph` draws the loop in red.",
    ),
    (
        "chattering",
        "More microsteps happened at one time than the limit: events cause each other without end, and model time does not go on. \
        Break the chain, for example with hysteresis. Where the message does not say that the microsteps repeat, the chain may be long but end: \
        raise `microsteps` under `simulate` then.",
    ),
    (
        "continuous-in-discrete",
        "A block in a diagram with `domain: discrete` moves between events: it is continuous, or reads a continuous signal. \
        In such a diagram everything happens at events. Sample the signal where it comes in, or leave `domain: discrete` out.",
    ),
    (
        "creeping",
        "The steps of the solver get ever shorter towards a time that they would never pass, and the work up to the stop time is without bound. \
        Something oscillates or turns ever faster there, as by a division by what goes to zero. \
        Look for that singularity at the time of the message, or stop before it.",
    ),
    (
        "crossing-undecided",
        "Every crossing of a comparison is found by bounds of what it compares over each step, and a step is divided where they do not decide. \
        Here the bounds stay too wide however finely it is divided, mostly because the expression has one signal in many places that nearly cancel. \
        Write it so that they meet in fewer places (x*(x - 1) for x*x - x), or set a shorter `maximum_step` under `simulate`.",
    ),
    (
        "derivative-unbounded",
        "A loop differentiates its own signal, so that derivatives of ever higher order are needed. \
        Take a Derivative block out of the loop, or write the equation with an Integrator.",
    ),
    (
        "division-by-zero",
        "A constant expression divides by zero. \
        Constants are computed before the run, so there is no value to go on with. Change the divisor that is underlined, or the parameter behind it.",
    ),
    (
        "duplicate-name",
        "Two things in one place have the same name, so that a use of the name could mean either. \
        Rename one of them; files can be imported under a name of their own.",
    ),
    (
        "equality-of-continuous",
        "Two continuous signals are compared with `==` or `!=`. They are equal only at single instants, by the chance of rounding. \
        Compare with `<` or `>`, or find the instant with a LevelCrossing of their difference.",
    ),
    (
        "events-too-fast",
        "In a run by fixed steps a signal crossed a level twice in one direction within a step, so that the motion between is not known: what comes after would be wrong. \
        Take a smaller step, run with symbolic impulses, or set `zeno: stop` under `simulate` to stop there and keep the result.",
    ),
    (
        "expression-depth",
        "An expression is nested deeper than is allowed. The limit keeps a damaged file from exhausting memory. \
        Name a part of the expression with a block or a parameter, or write a long sum as sum([a, b, c]).",
    ),
    (
        "expression-syntax",
        "The text is no expression: something is missing or stands where it cannot. \
        The underlined words are where reading stopped; docs/model-format.md describes expressions.",
    ),
    (
        "immediate-cycle",
        "Immediate transitions lead back to a state that was entered at the same microstep, so that the machine would never come to rest there. \
        Leave `immediate` out of one of them, and the next microstep goes on, or make a condition narrower.",
    ),
    (
        "import-failed",
        "A file under `import` cannot be read. \
        Paths are relative to the file that imports; look at the name and the folder.",
    ),
    (
        "impulse-unbounded",
        "The order of the impulses in a loop grows each time around, without bound. \
        A loop with a Derivative in it is the usual cause. Take it out of the loop, or pass the signal through an Integrator.",
    ),
    (
        "impulse-undefined",
        "An operation has no meaning for Dirac impulses, such as the product of two of them or the division by one. \
        Change the order of operations, so that the impulse passes through linear blocks or an Integrator first.",
    ),
    (
        "index-moving",
        "The position in a vector is a continuous signal, which is a whole number only by chance. \
        Round it with floor(...), whose jumps are then located as events.",
    ),
    (
        "index-out-of-range",
        "A position is outside the vector or matrix, before the run or during it. \
        Positions count from 0: the last element of a vector of 3 has position 2.",
    ),
    (
        "index-outside",
        "A position is outside the signal that it is taken from, or is no whole number. \
        Positions count from 0; look at the size of the signal.",
    ),
    (
        "invalid-name",
        "A name has a character that names cannot have. \
        A name is a letter or `_`, then letters, digits and `_`, so that it can stand in an expression.",
    ),
    (
        "long-run",
        "The run is sure to take more than 1e12 steps, events or rows, by its step, its \
        `maximum_step`, `every`, a clock or a wave, and ends in days at best. \
        Stop earlier, or make the step or the period longer. Ctrl-C ends a run with what it has.",
    ),
    (
        "microstep-order",
        "A warning of a run: an impulse is multiplied by a signal that jumps at another microstep of the same instant. \
        The product uses the value that the signal has at the microstep of the impulse, so the result depends on the order of the microsteps; as distributions the product has no meaning. \
        Say which value is meant with previous(...) or left(...), or move the impulse or the jump with a MicrostepDelay.",
    ),
    (
        "missing-field",
        "A field that is always needed is missing, such as the `type` of a block. \
        Add it; the message shows how.",
    ),
    (
        "missing-initial-state",
        "A Modal with several states does not say in which one it starts. \
        Add `initial:` with the name of a state.",
    ),
    (
        "missing-input",
        "A block or diagram has an input that nothing is connected to and that has no default. \
        Add the field with a signal, an expression or a number.",
    ),
    (
        "missing-parameter",
        "A parameter without a default was not given. \
        Give it where the block or diagram is used, or with -p NAME=VALUE if it is one of the whole model.",
    ),
    (
        "missing-states",
        "A Modal has no states, so that there is nothing to run. \
        Add `states:` with one or more; docs/modes.md shows how.",
    ),
    (
        "missing-value",
        "A field has a name and nothing after it. \
        Write its value, or take the field away.",
    ),
    (
        "missing-version",
        "The file does not say which version of the format it is written in. \
        Begin it with `superdense: 1`, so that it keeps its meaning in later versions.",
    ),
    (
        "model-too-large",
        "A model file is larger, deeper or imports more than is allowed. The limits keep damaged files from exhausting memory. \
        Use diagrams and vectors in place of repeated blocks.",
    ),
    (
        "never-present",
        "A warning: the signal is absent for ever. A Sample block needs an earlier event of its own, as in `s: {type: Sample, input: previous(s) + 1, ...}`: \
        an event is there for one microstep only, so that `previous` of it is absent at the next one, and there is no first event to begin with. \
        Hold the value with a ZeroOrderHold block and take `previous(...)` of that.",
    ),
    (
        "no-native-code",
        "A run was asked to use native code from its start, and there is no code generator for the processor of this machine. \
        The interpreter gives the same result, only more slowly. \
        Leave `--backend` out, or say `--backend interpreter`.",
    ),
    (
        "no-solution",
        "Newton's method found no solution of an algebraic loop or of an implicit step. There may be none, as for `z = z + 1`, or the guess is too far away. \
        Give a better guess under `solve`, take a smaller step, or look whether the equation has a solution at that time.",
    ),
    (
        "not-a-number",
        "A constant expression has no value, such as the root of a negative number. \
        Change the operands that are underlined.",
    ),
    (
        "not-a-stream",
        "A block has no meaning on streams of evaluations: it makes impulses, is an event at the instant of a crossing, lets a continuous state jump, is a left limit, or is a state machine with a way out of failures. \
        A stream has a value for each evaluation of the solver and nothing between two of them. \
        Write a comparison in place of the crossing, give transitions `history: true`, take the block out, or run the model with `superdense run`; docs/streams.md tells what streams express.",
    ),
    (
        "not-a-trace",
        "The file is not one that a run has written. \
        Give a result of `superdense run -o`.",
    ),
    (
        "not-constant",
        "A signal stands where a constant is needed. A size, a parameter or an initial value is fixed before the run, when signals have no values yet. \
        Use numbers and parameters there.",
    ),
    (
        "not-determined",
        "An algebraic loop leaves its signals open: its equations say the same twice, as `a = b` and `b = a` do, so that many values solve them and none is meant. \
        It may be so at some times only, such as when a factor in the loop is just 1. \
        Let one of the equations say something else, take one out, or give one of the signals by an Integrator or a constant. A guess under `solve` does not help: it chooses between solutions that lie apart.",
    ),
    (
        "not-events",
        "An input takes events, and the signal is there all the time, so that it would act at every instant. \
        Take its value at events with a Sample block, or find events in it with a LevelCrossing.",
    ),
    (
        "not-finite",
        "A value became infinite or is not a number. Going on would spread it through the result. \
        Look for a division by zero, a root or logarithm of a negative number, or growth without bound at the time and block of the message.",
    ),
    (
        "not-in-steps",
        "A run by fixed steps, with numbers for impulses, was asked for, and the model has a state machine or a delay, which such runs do not have. \
        Run it with symbolic impulses: leave `impulses` out, or say `impulses: symbolic`.",
    ),
    (
        "only-events",
        "An input needs a signal that is there all the time, and this one is there at events only: \
        an expression is absent where an event signal in it is. \
        Hold the value of the last event with a ZeroOrderHold block.",
    ),
    (
        "opaque-derivative",
        "A derivative is asked for along a signal that goes through a function in Rust, which the program cannot see into and which gives no derivative of its own. \
        Give the function its `tangent` and let `has_tangent` say so, or differentiate another signal.",
    ),
    (
        "parameter-cycle",
        "Parameters are defined by each other in a circle, so none of them has a value. \
        Give one of them a number.",
    ),
    (
        "presence-mismatch",
        "An operator of an expression is absent where an operand is, and these are event signals that are not known to be present at the same tags, so that the result would hardly ever be there. \
        Add what is present with a Sum block, take the first that is present with a Merge block, or hold the last value of one of them with a ZeroOrderHold block; a Product or Divide block with `absent: skip` leaves out what is absent.",
    ),
    (
        "recursive-diagram",
        "A diagram contains itself, directly or through others, and would be endlessly deep. \
        Take the use that is underlined out.",
    ),
    (
        "reserved-name",
        "The name already has a meaning in expressions, such as `time` or `sin`. \
        Choose another.",
    ),
    (
        "rest-on-level",
        "An event has set the speed of the very function that it watches to zero, on its level, and what drives the function goes on to push it: \
        a ball without any rebound on a floor. By its equations it passes the level. \
        Where it is to stay there, give it a state of its own in a Modal; `zeno: stop` under `simulate` stops the run there. Where it is to pass, all is well.",
    ),
    (
        "set-into-nothing",
        "A transition sets something that has no state: a name that the destination does not have, or a block that remembers nothing. \
        Set a block with a state, such as an Integrator, in the state that the transition leads to, or a parameter of that state or of the Modal.",
    ),
    (
        "set-twice",
        "Two state machines set the same parameter or state at one microstep. \
        Which value stays would depend on the order in which they are written. \
        Let one of them set it, or make their conditions exclude each other.",
    ),
    (
        "size-mismatch",
        "Vectors or matrices of different sizes meet where sizes must fit. \
        Both sides need the same size, or one of them must be a scalar; for matrix products the inner sizes must agree.",
    ),
    (
        "starts-on-level",
        "A warning: the input of a LevelCrossing is exactly on its level at the start and leaves it in the direction that counts, and that is no event. \
        An event is a change of side, and at the start sides are set without one. \
        Where an event is meant there, add one with a Clock or a Step block.",
    ),
    (
        "step-too-small",
        "The solver had to make its step so small that time no longer goes on. A solution that goes to infinity, or a jump that nothing announces, does this. \
        Let the jump come from an event or a comparison, so that it is located; look for a singularity at the time of the message.",
    ),
    (
        "tolerance-too-small",
        "A state may be off by less than the rounding of its own value: floats hold about 16 digits, and no step is short enough for more. \
        Take a larger tolerance; a `relative_tolerance` of 1e-15 is about the least that can be met, or an `absolute_tolerance` of that part of the value.",
    ),
    (
        "too-deep",
        "Diagrams are inside each other deeper than the limit, which keeps a mistake from using \
        up the memory. Put blocks side by side, or use an array of them.",
    ),
    (
        "too-large",
        "The model is larger than a stage or a solver can take. \
        Choose a solver that the message names, or use vectors in place of many blocks.",
    ),
    (
        "too-many-evaluations",
        "A run on streams has made as many evaluations as are allowed and has not come to its stop time. \
        Steps are halved until the two stages of the solver agree within the tolerance, so a tolerance that is too small, a very stiff model, or the drift of the two separate sums can take any number of them. \
        Allow more with `--limit`, take a larger tolerance, or let the stages share their sum with `--shared`.",
    ),
    (
        "too-many-ticks",
        "More than a thousand ticks of clocks lie between two evaluations of a run on streams, where they would follow one another at the second. \
        Make `maximum_step` smaller, or the period of the clock longer.",
    ),
    (
        "trace-cut",
        "The file of a result ends too early. \
        Copy it again from where it is whole, or run again.",
    ),
    (
        "trace-damaged",
        "The file of a result contradicts itself: it was changed after it was written. \
        Run again.",
    ),
    (
        "trace-disk-full",
        "There is no room for the result; what was at its place before is untouched. \
        Make room, record fewer signals, use --every, or write Parquet, which is the smallest.",
    ),
    (
        "trace-format",
        "The name of the file tells no format. \
        Let it end in .csv, .parquet or .json.",
    ),
    (
        "trace-unreadable",
        "The file of a result cannot be opened or read. \
        Look at its name and whether you may read it.",
    ),
    (
        "trace-unwritable",
        "The file of the result cannot be written; what was at its place before is untouched. \
        Choose a file in a folder that is there and that you may write to.",
    ),
    (
        "trace-version",
        "The file of a result was written in another version of its layout. \
        Read it with the version that wrote it, or run again.",
    ),
    (
        "type-mismatch",
        "A truth value stands where a number is needed, or a number where a truth value is. \
        Make numbers of conditions with `if ... then 1 else 0`, and conditions of numbers with a comparison such as `x != 0`.",
    ),
    (
        "undefined",
        "An operation without meaning happened during the run, such as a product of two impulses that are not zero. \
        The page of the block says what it does with impulses: `superdense blocks NAME`.",
    ),
    (
        "undefined-possible",
        "A warning of `superdense check`: an impulse may reach an operation that has no meaning for it, such as a nonlinear function, a condition, or a product with another impulse or with a signal that jumps at that microstep. \
        The run errs where that happens, and only there. Integrate the impulse first, or take it off the signal; docs/semantics.md has a table of what each block does with impulses.",
    ),
    (
        "unknown-block",
        "There is no block or diagram of this name. \
        `superdense blocks` lists the blocks; diagrams stand under `diagrams` or come from `import`.",
    ),
    (
        "unknown-field",
        "A field is not one that can stand there; it is often a slip of the keys. Unknown fields are refused, because a setting that is quietly ignored gives wrong results. \
        Correct the name, or take the field away.",
    ),
    (
        "unknown-function",
        "There is no function of this name. \
        docs/model-format.md lists the functions of expressions.",
    ),
    (
        "unknown-name",
        "There is no signal or parameter of this name here. A diagram sees its own blocks, inputs and parameters, and nothing outside it. \
        Correct the name, or pass the signal in as an input.",
    ),
    (
        "unknown-output",
        "A transition says something at an output that its Modal does not have. \
        Correct the name, or add it to `outputs:` of the Modal.",
    ),
    (
        "unknown-parameter",
        "The model has no parameter of the name that was set from outside. \
        The parameters stand under `parameters` at the top of the model.",
    ),
    (
        "unknown-signal",
        "A figure under `plots` draws a signal that the model does not record, or an element that the signal does not have. \
        Figures are drawn from the recorded columns. Correct the name, or add the signal to `record`.",
    ),
    (
        "unknown-solver",
        "There is no solver of this name. \
        There are euler, heun, trapezoidal and rk4 with fixed steps, and euler-adaptive, rk23, rk45 and, for stiff models, tr-bdf2, rodas5p and auto with variable ones.",
    ),
    (
        "unknown-state",
        "A transition, `initial` or `like` names a state that the Modal does not have. \
        Correct the name, or add the state.",
    ),
    (
        "unknown-word",
        "A word is not one of those that can stand there. \
        Use one that the message names.",
    ),
    (
        "unreachable-state",
        "No transition leads to a state, so that its diagram would never run. \
        Add a transition that leads there, or leave the state out.",
    ),
    (
        "unsupported-version",
        "The file is written in a version of the format that this program does not read. \
        Use a newer program, or write the file in version 1.",
    ),
    (
        "unused-block",
        "Nothing reads a block, and it is not recorded, so that it changes nothing. \
        Record it, connect it, or leave it out.",
    ),
    (
        "unused-parameter",
        "No expression names a parameter. \
        Look for a misspelt name, or leave it out.",
    ),
    (
        "value-too-large",
        "A vector or matrix would have too many elements, or a product of constants would take too long. \
        Look for a size that was meant to be smaller.",
    ),
    (
        "wrong-arguments",
        "A function is called with too few, too many or unfitting arguments. \
        The message says what it takes.",
    ),
    (
        "wrong-kind",
        "A list, a mapping or a text stands where something else is expected. \
        Write it as the message shows.",
    ),
    (
        "yaml-syntax",
        "The file is not well-formed YAML, or uses a part of YAML that model files do not have, such as tags and anchors. \
        Look for a bracket that is not closed, tabs, or text with `: ` or `#` in it that needs quotes.",
    ),
    (
        "zeno",
        "Events follow each other ever faster and pile up at a time that the run cannot pass, as the bounces of a ball do. \
        Model what comes after, such as rest, or set `zeno: stop` under `simulate` to stop there and keep the result.",
    ),
];

/// The text about a code.
pub fn find(code: &str) -> Option<&'static str> {
    CODES.iter().find(|entry| entry.0 == code).map(|entry| entry.1)
}
