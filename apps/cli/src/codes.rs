//! The explanations of message codes: what each means, why it is a mistake, and how to fix it.

/// Each code with its explanation, sorted by code.
pub const CODES: &[(&str, &str)] = &[
    (
        "ambiguous-transitions",
        "Several transitions of a state are enabled at one microstep, and nothing says which one to take. \
        The result would depend on the order in which they are written. \
        Make their conditions mutually exclusive, give them a `priority`, give one `default: true`, or mark all of them `nondeterministic: true`, so that one is drawn from the seed.",
    ),
    (
        "bad-bound",
        "The bounds of an unknown of a steady state are not a lower and a higher number. \
        Write `--bound u=0:10`; `inf` and `-inf` leave a side open.",
    ),
    (
        "bad-fmu",
        "The file of an FMU cannot be used as a block: it cannot be read, is damaged, is not for this machine, or has no outputs. \
        `superdense fmu show` lists what is in it; export it again for this machine.",
    ),
    (
        "bad-guard",
        "The condition of a transition is not a truth value. \
        Compare a number, as in `x > 0`, or test whether an event is present with present(...).",
    ),
    (
        "bad-input",
        "An input of the model was given in a way that cannot be used: a file without the column, times that do not increase, or a value of another type. \
        Correct the option `--input` or the file that it names.",
    ),
    (
        "bad-invariant",
        "An invariant is not a number that is present between events: it is a truth value, or it consists of events, which are absent most of the time. \
        Give a number, and hold the last value of events with a ZeroOrderHold block.",
    ),
    (
        "bad-parameter",
        "A parameter of a block has a value that the block cannot use, such as a period that is not positive. \
        Parameter values are fixed before the run, so this is found immediately. \
        Give a value that the message allows; `superdense blocks NAME` lists the parameters of a block.",
    ),
    (
        "bad-setting",
        "A setting under `simulate`, or a command-line option, has an invalid value, such as a stop time before the start time. \
        Correct the underlined value, or the option that overrides it.",
    ),
    (
        "bad-state",
        "A state is declared `like` another state, whose diagram it would share, but that is not possible. \
        The other state must come first, and a state that is like another cannot have blocks, outputs or parameters of its own.",
    ),
    (
        "bad-sweep",
        "What a sweep asks for is impossible: a distribution with arguments that it cannot have, a range that leads away from its end, a measure of something that is no number, or samples without a distribution. \
        Correct the underlined text; `superdense help sweep` shows the forms.",
    ),
    (
        "bad-transition",
        "A transition has settings that exclude each other, such as a condition on an error transition, or it leaves a final state. \
        Remove one of them; docs/modes.md explains each setting.",
    ),
    (
        "bad-value",
        "A state, input or output of an analysis was given a value with another number of elements, or one that is not finite. \
        A single number fills a vector; otherwise give each element, as in `--where x=[1,2]`.",
    ),
    (
        "cancelled",
        "The program that holds the run has stopped it. What was computed up to then is kept. \
        Start the run again, or resume it from a saved state.",
    ),
    (
        "cannot-format",
        "The file is a model file, but its canonical form would have a different meaning: some text or key in it cannot be written so that it reads back unchanged. \
        The file was left unchanged. Put unusual texts and keys in double quotes, and try again.",
    ),
    (
        "cannot-read",
        "The model file cannot be opened, or is not UTF-8 text. \
        Check the name, the folder and your permission to read the file.",
    ),
    (
        "causality-loop",
        "A value is needed to compute itself at the same instant, so no order of evaluation exists. \
        Break the loop with a block that has memory, such as an Integrator or a MicrostepDelay, or with previous(...) or left(...); \
        or add `solve` to the diagram that contains the loop, which finds the values by Newton's method. `superdense graph` draws the loop in red.",
    ),
    (
        "chattering",
        "More microsteps than the limit occurred at one time: events keep causing each other, and model time does not advance. \
        Break the chain, for example with hysteresis. If the message does not say that the microsteps repeat, the chain may be long but finite: \
        in that case, raise `microsteps` under `simulate`. If a comparison switches the motion back onto its own surface, \
        `sliding: filippov` under `simulate` lets it go along the surface: see docs/sliding.md.",
    ),
    (
        "circular-functions",
        "A function of the file calls itself, directly or by way of others, so that a call would have no end. \
        Write a sequence with a state (`last`, `Counter`, a state machine) or with an array of blocks.",
    ),
    (
        "continuous-in-discrete",
        "A block in a diagram with `domain: discrete` changes between events: it is continuous, or reads a continuous signal. \
        In such a diagram everything happens at events. Sample the signal where it enters the diagram, or remove `domain: discrete`.",
    ),
    (
        "creeping",
        "The steps of the solver become ever shorter towards a time that they would never pass, so the work up to the stop time is unbounded. \
        Something oscillates or turns ever faster there, for example because of a division by a value that approaches zero. \
        Look for this singularity at the time of the message, or stop before it.",
    ),
    (
        "crossing-undecided",
        "Every crossing of a comparison is found by bounding what it compares over each step, and a step is divided if the bounds do not decide. \
        Here the bounds stay too wide however finely the step is divided, usually because the same signal occurs in many places of the expression that nearly cancel. \
        Rewrite the expression so that the signal occurs less often (x*(x - 1) for x*x - x), or set a shorter `maximum_step` under `simulate`.",
    ),
    (
        "delay-not-linear",
        "A delay has no finite number of states, so that no matrices describe a model with a delay through which an input or a state acts. \
        Replace delays by rational functions with `--delays 3`, the order of the approximation of Padé.",
    ),
    (
        "derivative-unbounded",
        "A loop differentiates its own signal, so that derivatives of ever higher order are needed. \
        Remove a Derivative block from the loop, or write the equation with an Integrator.",
    ),
    (
        "division-by-zero",
        "A constant expression divides by zero. \
        Constants are computed before the run, so there is no value to continue with. Change the underlined divisor, or the parameter behind it.",
    ),
    (
        "duplicate-name",
        "Two things in the same scope have the same name, so a use of the name could mean either. \
        Rename one of them; an imported file can be given a name of its own.",
    ),
    (
        "ended-before",
        "The run ended before the time of the point at which a model is to be analysed: a Stop block or accumulating events ended it. \
        Choose an earlier time.",
    ),
    (
        "equality-of-continuous",
        "Two continuous signals are compared with `==` or `!=`. They are equal only at isolated instants, and rounding decides whether that is seen. \
        Compare with `<` or `>`, or find the instant with a LevelCrossing of their difference.",
    ),
    (
        "events-too-fast",
        "In a fixed-step run, a signal crossed a level twice in the same direction within one step. The motion in between is unknown, so everything after it would be wrong. \
        Use a smaller step, run with symbolic impulses, or set `zeno: stop` under `simulate` to stop there and keep the result.",
    ),
    (
        "expression-depth",
        "An expression is nested more deeply than is allowed. The limit keeps a damaged file from exhausting memory. \
        Name a part of the expression with a block or a parameter, or write a long sum as sum([a, b, c]).",
    ),
    (
        "expression-syntax",
        "The text is not an expression: something is missing or misplaced. \
        Parsing stopped at the underlined text; docs/model-format.md describes expressions.",
    ),
    (
        "given-twice",
        "A name is given two values or two roles that exclude each other, such as an input with a value that is to be found. \
        Give each name once.",
    ),
    (
        "immediate-cycle",
        "Immediate transitions lead back to a state that was entered at the same microstep, so the machine would never settle. \
        Remove `immediate` from one of them, so that it waits for the next microstep, or make a condition more restrictive.",
    ),
    (
        "import-failed",
        "A file under `import` cannot be read. \
        Paths are relative to the importing file; check the name and the folder.",
    ),
    (
        "impulse-unbounded",
        "The order of the impulses in a loop increases each time around, without bound. \
        The usual cause is a Derivative in the loop. Remove it from the loop, or pass the signal through an Integrator.",
    ),
    (
        "impulse-undefined",
        "An operation has no meaning for Dirac impulses, such as the product of two impulses or a division by one. \
        Change the order of operations, so that the impulse first passes through linear blocks or an Integrator.",
    ),
    (
        "index-moving",
        "The index into a vector is a continuous signal, which is an integer only by chance. \
        Round it with floor(...), whose jumps are then located as events.",
    ),
    (
        "index-out-of-range",
        "An index is outside the vector or matrix, before the run or during it. \
        Indices start at 0: the last element of a vector of 3 has index 2.",
    ),
    (
        "index-outside",
        "An index is outside the range of the signal that it selects from, or is not an integer. \
        Indices start at 0; check the size of the signal.",
    ),
    (
        "input-derivative",
        "Something that is asked for depends on the time derivative of an input, as the output of a Derivative block does. No matrices A, B, C, D describe that. \
        Leave the input out, or replace the derivative by a filter.",
    ),
    (
        "input-not-given",
        "An input of the main diagram has no `initial` value, and the run was not given it. \
        Give it on the command line, such as `--input u=drive.csv:speed` or `--input u=2`, or give it an `initial` in the model.",
    ),
    (
        "invalid-name",
        "A name contains a character that is not allowed in names. \
        A name is a letter or `_`, followed by letters, digits and `_`, so that it can be used in expressions.",
    ),
    (
        "invariant-broken",
        "A tick changed an invariant of the model by more than it allows, by default 1e-9 of its magnitude. \
        The rule of an impact or of a reset may be wrong, or it may lose the quantity on purpose. \
        `superdense explain MODEL T` shows the tick; `within` of the invariant allows a change.",
    ),
    (
        "long-run",
        "The run is certain to need more than 1e12 steps, events or rows, because of its step, `maximum_step`, `every`, a clock or a wave, and will take days at best. \
        Stop earlier, or use a longer step or period. Ctrl-C ends a run and keeps the results so far.",
    ),
    (
        "microstep-order",
        "A warning during a run: an impulse is multiplied by a signal that jumps at another microstep of the same instant. \
        The product uses the value of the signal at the microstep of the impulse, so the result depends on the order of the microsteps; as distributions, the product has no meaning. \
        Choose the value explicitly with previous(...) or left(...), or move the impulse or the jump with a MicrostepDelay.",
    ),
    (
        "missing-field",
        "A required field is missing, such as the `type` of a block. \
        Add it; the message shows how.",
    ),
    (
        "missing-initial-state",
        "A Modal with several states does not say which state it starts in. \
        Add `initial:` with the name of a state.",
    ),
    (
        "missing-input",
        "A block or diagram has an input that is not connected and has no default. \
        Add the field with a signal, an expression or a number.",
    ),
    (
        "missing-parameter",
        "A parameter without a default has no value. \
        Give it where the block or diagram is used, or with -p NAME=VALUE if it is a parameter of the whole model.",
    ),
    (
        "missing-states",
        "A Modal has no states, so there is nothing to run. \
        Add `states:` with one or more states; docs/modes.md shows how.",
    ),
    (
        "missing-value",
        "A field has a name but no value. \
        Write its value, or remove the field.",
    ),
    (
        "missing-version",
        "The file does not say which version of the format it uses. \
        Start it with `superdense: 1`, so that it keeps its meaning in later versions.",
    ),
    (
        "model-too-large",
        "A model file is larger, more deeply nested, or imports more files than is allowed. The limits keep damaged files from exhausting memory. \
        Use diagrams and vectors instead of repeated blocks.",
    ),
    (
        "moml-syntax",
        "A model of Ptolemy II cannot be read: the file is not XML or not MoML, is damaged or too deeply nested, defines entities, links to something that does not exist, or has classes that are missing or contain themselves. \
        Correct the file; for classes in other files, `--ptolemy PATH` names the root of the Ptolemy II tree.",
    ),
    (
        "moml-unsupported",
        "A model of Ptolemy II has an actor, a director or an expression that has no counterpart here. \
        Nothing is approximated silently, so the model is refused. \
        docs/ptolemy.md lists what is supported.",
    ),
    (
        "never-present",
        "A warning: the signal is always absent. A Sample block needs an earlier event of its own, as in `s: {type: Sample, input: previous(s) + 1, ...}`: \
        an event is present for one microstep only, so its `previous` is absent at the next one, and there is no first event to start from. \
        Hold the value with a ZeroOrderHold block and take `previous(...)` of that.",
    ),
    (
        "no-native-code",
        "Native code was requested from the start of the run, but the program was built without native code, or has no code generator for the processor of this machine. \
        The interpreter gives the same result, only more slowly. \
        Omit `--backend`, or use `--backend interpreter`.",
    ),
    (
        "no-rates",
        "A fixed-step model consists of differences, and has neither a steady state of rates nor a linear model of them. \
        Use `impulses: symbolic` for the analysis.",
    ),
    (
        "no-solution",
        "Newton's method found no solution of an algebraic loop or of an implicit step. There may be none, as for `z = z + 1`, or the guess is too far away. \
        Give a better guess under `solve`, use a smaller step, or check whether the equation has a solution at that time.",
    ),
    (
        "not-a-number",
        "A constant expression has no value, such as the square root of a negative number. \
        Change the underlined operands.",
    ),
    (
        "not-a-stream",
        "A block has no meaning on streams of evaluations: it makes impulses, is an event at the instant of a crossing, lets a continuous state jump, is a left limit, or is a state machine with an error transition. \
        A stream has a value for each evaluation of the solver, and nothing between two evaluations. \
        Use a comparison instead of the crossing, give transitions `history: true`, remove the block, or run the model with `superdense run`; docs/streams.md describes what streams can express.",
    ),
    (
        "not-a-trace",
        "The file was not written by a run. \
        Give a result of `superdense run -o`.",
    ),
    (
        "not-built",
        "The program was built without the part that this needs: Parquet files, pictures or streams. Each is a feature of the build, and all are on by default. \
        Use another format or command, or build the program with that feature; docs/embedding.md lists the features.",
    ),
    (
        "not-constant",
        "A signal is used where a constant is needed. A size, a parameter or an initial value is fixed before the run, when signals have no values yet. \
        Use numbers and parameters there.",
    ),
    (
        "not-determined",
        "An algebraic loop does not determine its signals: its equations are redundant, as `a = b` and `b = a` are, so many values solve them and none is preferred. \
        This may happen only at some times, for example when a factor in the loop is exactly 1. \
        Change or remove one of the equations, or define one of the signals by an Integrator or a constant. A guess under `solve` does not help: it selects among isolated solutions.",
    ),
    (
        "not-events",
        "An input takes events, but the signal is always present, so it would act at every instant. \
        Take its value at events with a Sample block, or find events in it with a LevelCrossing.",
    ),
    (
        "not-exportable",
        "The model cannot be an FMU. A variable of an FMU has a value at each instant: it has no impulses, and a run by fixed steps cannot be read between steps. \
        An FMU cannot contain another one either. The note says which of these it is; give a signal that the impulse acts on, or remove `impulses` under `simulate`.",
    ),
    (
        "not-finite",
        "A value became infinite or NaN. Continuing would spread it through the result. \
        Look for a division by zero, a root or logarithm of a negative number, or unbounded growth at the time and block of the message.",
    ),
    (
        "not-in-steps",
        "A fixed-step run was requested by `impulses`, but the model has a state machine or a delay, which such runs do not support. \
        Run it with symbolic impulses: omit `impulses`, or set `impulses: symbolic`.",
    ),
    (
        "not-movable",
        "The name of an input of a linear model, of a free unknown or of an output stands for something without derivatives: a parameter that is a number, a truth value, an integer, a signal in an algebraic loop, or events, which have no value between them. \
        Choose a real signal; declare a parameter `tunable: true`.",
    ),
    (
        "not-piecewise-continuous",
        "The audit of a run has found a signal that jumps where nothing happens, that does not have its left limit at microstep 0 or its right limit after the last microstep, or an event that is present at microstep 0 or lasts. \
        A solver takes steps over such a place as if nothing were there, and the result is wrong by the size of the jump. \
        Comparisons, `floor` and all other functions of the language are located in time; a jump inside a block that was written in Rust is not. Express it by a comparison, or give the block a crossing.",
    ),
    (
        "not-steady",
        "No state was found in which everything that should rest does. The message lists what is left of each condition, the worst first, and what was free. \
        Free more inputs, leave a condition out, widen bounds, or start the search elsewhere with `--guess` or `--at`. A state that goes on moving, such as a position at constant speed, needs `--moving`.",
    ),
    (
        "on-surface",
        "At the time of the point the motion slides along the surface of a comparison or rests on it, where its rates are not those of the equations: a small change does not leave it there. \
        Choose a time before or after it.",
    ),
    (
        "only-events",
        "An input needs a signal that is always present, but this one is present at events only: \
        an expression is absent whenever an event signal in it is. \
        Hold the value of the last event with a ZeroOrderHold block.",
    ),
    (
        "opaque-derivative",
        "A derivative is needed of a signal that passes through a function written in Rust, which the program cannot see into and which provides no derivative. \
        Implement `tangent` for the function and let `has_tangent` return true, or differentiate another signal.",
    ),
    (
        "order-matters",
        "`check --order` has found two events that come at the same time without one causing the other, such as two clocks or two hits, and the result depends on which of them is first. \
        The run handles both at once, one microstep for each consequence; nothing in the model says that this is meant, and the smallest change of a period or a length may separate them in either order. \
        Say which comes first with a MicrostepDelay or `previous(...)`, or let a state machine choose by nondeterministic transitions, whose outcomes `superdense explore` lists. If handling both at once is what you mean, nothing has to be done.",
    ),
    (
        "other-system",
        "A point of one compiled model was used with another, whose numbers are in other places. \
        Make the point with the system that is analysed.",
    ),
    (
        "parameter-cycle",
        "Parameters are defined in terms of each other in a cycle, so none of them has a value. \
        Give one of them a number.",
    ),
    (
        "presence-mismatch",
        "An operator in an expression is absent if an operand is, and these operands are event signals that are not known to be present at the same tags, so the result would hardly ever be present. \
        Add those that are present with a Sum block, take the first that is present with a Merge block, or hold the last value of one of them with a ZeroOrderHold block; a Product or Divide block with `absent: skip` ignores absent inputs.",
    ),
    (
        "recursive-diagram",
        "A diagram contains itself, directly or through others, so it would be infinitely deep. \
        Remove the underlined use.",
    ),
    (
        "reserved-name",
        "The name already has a meaning in expressions, such as `time` or `sin`. \
        Choose another name.",
    ),
    (
        "rest-at-start",
        "With `zeno: rest`, a function with events is exactly on its level at the start, at rest, and something moves it off: a ball that lies on the floor. \
        Rest is held by the force that its bounces exert. A trial has shown no event that throws it back, so it leaves its level. \
        Look at what its event does to a body that falls, or let it start a little above its level.",
    ),
    (
        "rest-on-level",
        "An event has set the speed of the very function that it watches to zero, exactly on its level, while the function is still being pushed towards the level: \
        a ball that does not rebound from a floor. According to its equations, it passes the level. \
        If it should stay there, give it a state of its own in a Modal; `zeno: stop` under `simulate` stops the run there. If it should pass, nothing is wrong.",
    ),
    (
        "run-failed",
        "Some runs of a sweep failed. The others are not affected; the row of a run that failed has no measures, and the columns `code` and `message` say why. \
        `superdense explain CODE` explains the code, and `superdense run` with the parameters of the row repeats the run.",
    ),
    (
        "set-into-nothing",
        "A transition sets something that has no state: a name that the destination does not have, or a block without memory. \
        Set a block with a state, such as an Integrator, in the destination state, or a parameter of that state or of the Modal.",
    ),
    (
        "set-twice",
        "Two state machines set the same parameter or state at one microstep. \
        Which value wins would depend on the order in which they are written. \
        Let only one of them set it, or make their conditions mutually exclusive.",
    ),
    (
        "size-mismatch",
        "Vectors or matrices of incompatible sizes are combined. \
        Both sides need the same size, or one of them must be a scalar; for matrix products the inner sizes must agree.",
    ),
    (
        "sliding-undecided",
        "Several comparisons switch the motion back at one point (`sliding: filippov`), and it has no unique meaning there: \
        the rates are not sums in which each term depends on one of them, or more than one motion, or none, stays on their surfaces. \
        Write the rates as such sums, or describe what happens there with a state machine. See docs/sliding.md.",
    ),
    (
        "starts-on-level",
        "A warning: the input of a LevelCrossing is exactly on its level at the start and leaves it in the watched direction, and that is not an event. \
        An event is a change of side, and the sides are only initialised at the start. \
        If you want an event there, add one with a Clock or a Step block.",
    ),
    (
        "step-too-small",
        "The solver had to reduce its step so far that time no longer advances. A solution that goes to infinity, or a jump without an event, causes this. \
        Let the jump come from an event or a comparison, so that it is located; look for a singularity at the time of the message.",
    ),
    (
        "sweep-compiles",
        "A parameter of a sweep decides the structure of the program, such as the size of a vector, so that the model is compiled for each of its values. \
        Nothing is wrong; each value takes a few milliseconds more.",
    ),
    (
        "sweep-folder",
        "The folder for the traces of a sweep holds files that are not of this sweep, and nothing is mixed or overwritten. \
        Choose a new folder.",
    ),
    (
        "sweep-journal",
        "The rows so far of a sweep cannot be used: they belong to another model, other parameters, measures or settings, another process writes them, or the file is damaged. \
        Go on with the same sweep, or delete the file that the message names.",
    ),
    (
        "sweep-unfinished",
        "A sweep into this table was interrupted, and its rows so far are in the file that the message names. \
        Go on with `--resume`, or delete the file to begin anew.",
    ),
    (
        "tolerance-too-small",
        "The allowed error of a state is smaller than the rounding of its own value: floats have about 16 digits, and no step is short enough for more. \
        Use a larger tolerance. The smallest that can be met is a `relative_tolerance` of about 1e-15, or an `absolute_tolerance` of about 1e-15 times the value.",
    ),
    (
        "too-deep",
        "Diagrams are nested more deeply than the limit, which keeps a mistake from exhausting memory. \
        Put blocks side by side, or use an array of blocks.",
    ),
    (
        "too-large",
        "The model is too large for a stage or a solver. \
        Choose a solver that the message names, or use vectors instead of many blocks.",
    ),
    (
        "too-many-evaluations",
        "A run on streams reached the maximum number of evaluations before its stop time. \
        Steps are halved until the two stages of the solver agree within the tolerance, so too small a tolerance, a very stiff model, or the drift of the two separate sums can require any number of evaluations. \
        Raise `--limit`, use a larger tolerance, or let the stages share their sum with `--shared`.",
    ),
    (
        "too-many-runs",
        "A sweep is the product of all values, samples and repeats, and has more runs than anybody would wait for. \
        Take larger steps, or draw samples (a Latin hypercube or Sobol points) instead of a grid.",
    ),
    (
        "too-many-ticks",
        "More than a thousand clock ticks lie between two evaluations of a run on streams; they would all be handled at the second one. \
        Make `maximum_step` smaller, or the period of the clock longer.",
    ),
    (
        "trace-cut",
        "The result file is truncated. \
        Copy it again from an intact file, or run again.",
    ),
    (
        "trace-damaged",
        "The result file is inconsistent: it was changed after it was written. \
        Run again.",
    ),
    (
        "trace-disk-full",
        "There is no disk space for the result; an existing file of that name is unchanged. \
        Free some space, record fewer signals, use --every, or write Parquet, which is the smallest format.",
    ),
    (
        "trace-format",
        "The file name does not indicate a known format. \
        It must end in .csv, .parquet or .json.",
    ),
    (
        "trace-unreadable",
        "The result file cannot be opened or read. \
        Check its name and your permission to read it.",
    ),
    (
        "trace-unwritable",
        "The result file cannot be written; an existing file of that name is unchanged. \
        Choose a file in an existing folder to which you may write.",
    ),
    (
        "trace-version",
        "The result file was written in another version of the file format. \
        Read it with the version that wrote it, or run again.",
    ),
    (
        "type-mismatch",
        "A truth value is used where a number is needed, or a number where a truth value is needed. \
        Turn conditions into numbers with `if ... then 1 else 0`, and numbers into conditions with a comparison such as `x != 0`.",
    ),
    (
        "undefined",
        "An operation without meaning occurred during the run, such as a product of two nonzero impulses. \
        The page of the block says what it does with impulses: `superdense blocks NAME`.",
    ),
    (
        "undefined-possible",
        "A warning of `superdense check`: an impulse may reach an operation that has no meaning for it, such as a nonlinear function, a condition, or a product with another impulse or with a signal that jumps at that microstep. \
        The run fails only if that actually happens. Integrate the impulse first, or remove it from the signal; docs/semantics.md has a table of what each block does with impulses.",
    ),
    (
        "unknown-block",
        "There is no block or diagram with this name. \
        `superdense blocks` lists the blocks; diagrams are defined under `diagrams` or come from `import`.",
    ),
    (
        "unknown-field",
        "A field is not allowed there; often it is a typing mistake. Unknown fields are refused, because a silently ignored setting gives wrong results. \
        Correct the name, or remove the field.",
    ),
    (
        "unknown-function",
        "There is no function with this name. \
        docs/model-format.md lists the functions of expressions.",
    ),
    (
        "unknown-input",
        "An input was given that the model does not have. \
        Inputs are listed under `inputs` at the top of the model file; correct the name.",
    ),
    (
        "unknown-name",
        "There is no signal or parameter with this name here. A diagram sees its own blocks, inputs and parameters, and nothing outside it. \
        Correct the name, or pass the signal in as an input.",
    ),
    (
        "unknown-output",
        "A transition sets an output that its Modal does not have. \
        Correct the name, or add it to `outputs:` of the Modal.",
    ),
    (
        "unknown-parameter",
        "The model has no parameter with the name that was set from outside. \
        Parameters are defined under `parameters` at the top of the model.",
    ),
    (
        "unknown-signal",
        "A figure under `plots` shows a signal that the model does not record, or an element that the signal does not have, or an analysis names a state, input or signal that the model does not have. \
        Figures are drawn from the recorded columns. Correct the name, or add the signal to `record`.",
    ),
    (
        "unknown-solver",
        "There is no solver with this name. \
        Fixed-step solvers are euler, heun, trapezoidal and rk4. Variable-step solvers are euler-adaptive, rk23, rk45 and, for stiff models, tr-bdf2, rodas5p and auto.",
    ),
    (
        "unknown-state",
        "A transition, `initial` or `like` names a state that the Modal does not have. \
        Correct the name, or add the state.",
    ),
    (
        "unknown-word",
        "A word is not one of those allowed there. \
        Use one that the message names.",
    ),
    (
        "unreachable-state",
        "No transition leads to a state, so its diagram would never run. \
        Add a transition to it, or remove the state.",
    ),
    (
        "unsupported-version",
        "The file uses a version of the format that this program does not support. \
        Use a newer program, or write the file in version 1.",
    ),
    (
        "unused-block",
        "No other block reads this block, and it is not recorded, so it has no effect. \
        Record it, connect it, or remove it.",
    ),
    (
        "unused-parameter",
        "No expression uses a parameter. \
        Look for a misspelt name, or remove it.",
    ),
    (
        "unused-sliding",
        "`sliding: filippov` is set where nothing follows it: on a block or an instance in which nothing is compared, or in a fixed-step run, which does not locate comparisons. \
        Set it on the block whose input has the comparison, or under `simulate`; a run without `impulses: numeric` or `stepped` slides.",
    ),
    (
        "value-too-large",
        "A vector or matrix would have too many elements, or a product of constants would take too long. \
        Look for a size that should be smaller.",
    ),
    (
        "wrong-arguments",
        "A function is called with too few, too many or unsuitable arguments. \
        The message says what it takes.",
    ),
    (
        "wrong-kind",
        "A list, a mapping or a text is used where something else is expected. \
        Write it as the message shows.",
    ),
    (
        "yaml-syntax",
        "The file is not well-formed YAML, or uses a feature of YAML that model files do not support, such as tags and anchors. \
        Look for an unclosed bracket, tabs, or text with `: ` or `#` in it that needs quotes.",
    ),
    (
        "zeno",
        "Events follow each other ever faster and accumulate at a time that the run cannot pass, like the bounces of a ball. \
        Model what comes after, such as rest, or set `zeno: stop` under `simulate` to stop there and keep the result, or `zeno: rest` to let what bounces lie still.",
    ),
];

/// The explanation of a code.
pub fn find(code: &str) -> Option<&'static str> {
    CODES.iter().find(|entry| entry.0 == code).map(|entry| entry.1)
}
