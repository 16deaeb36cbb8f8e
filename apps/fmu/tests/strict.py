"""A strict importer: calls the library of an exported FMU directly, in each state of the state
machines of FMI 2.0 and 3.0, with right and wrong arguments, and checks each answer.

Usage: strict.py SUPERDENSE
"""

import ctypes as c
import pathlib
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as xml
import zipfile

MODEL = """superdense: 1
name: strict
parameters:
  k: {value: 2, tunable: true}
  fixed: 3
  whole: 4
  words: {value: [1, 2]}
inputs:
  u: {initial: 1}
  gate: {kind: held, initial: 0}
  kick: {kind: event}
outputs: {y: through, x: x, n: count, held: gain, tall: tall}
blocks:
  clock: {type: Clock, period: 0.25, offset: 0.25}
  x: {type: Integrator, input: -k * x + u, initial: fixed, impulse: kick}
  through: {type: Expression, expression: x + u * whole}
  gain: {type: Expression, expression: 10 * gate}
  count: {type: Counter, increment: clock}
  late: {type: TransportDelay, input: x, delay: 0.3}
  tall: {type: Expression, expression: "[x, late] + words"}
  low: {type: LevelCrossing, input: x, level: 1, direction: falling}
  fell: {type: Counter, increment: low}
record: {late: late, fell: fell, positive: x > 1}
simulate: {stop: 2}
"""

OK, DISCARD, ERROR = 0, 2, 3
# The name of each instance, which need not be ASCII or UTF-8.
NAME = "Stärke 100 %s".encode() + b"\xff"
NONE = None


UPDATE = c.CFUNCTYPE(None, c.c_void_p, c.c_double, c.c_bool, c.c_bool, c.c_bool, c.c_bool,
                     c.POINTER(c.c_bool), c.POINTER(c.c_double))


class Library:
    """The library of an unpacked archive."""

    def __init__(self, folder, version):
        self.version = version
        self.folder = pathlib.Path(folder)
        root = xml.parse(self.folder / "modelDescription.xml").getroot()
        self.root = root
        self.token = (root.get("guid") or root.get("instantiationToken")).encode()
        self.library = c.CDLL(str(next(self.folder.glob("binaries/*/*"))))
        self.references, self.variables = {}, {}
        if version == 2:
            for own in root.iter("ScalarVariable"):
                self.references[own.get("name")] = int(own.get("valueReference"))
                self.variables[own.get("name")] = own
        else:
            for own in root.find("ModelVariables"):
                self.references[own.get("name")] = int(own.get("valueReference"))
                self.variables[own.get("name")] = own
        self.messages = []
        self.lock = threading.Lock()

    def instantiate(self, kind, logging=True, token=NONE, events=False, early=False, update=None):
        token = self.token if token is NONE else token
        resources = self.folder / "resources"
        make = self.function("Instantiate" + ("" if self.version == 2 else
                             {"me": "ModelExchange", "cs": "CoSimulation"}[kind]))
        make.restype = c.c_void_p
        if self.version == 2:
            # The format takes no arguments, so that it can be shown as it is.
            LOGGER = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p)
            class Callbacks(c.Structure):
                _fields_ = [("logger", LOGGER), ("allocate", c.c_void_p), ("free", c.c_void_p),
                            ("finished", c.c_void_p), ("environment", c.c_void_p)]
            logger = LOGGER(lambda _e, name, status, category, form:
                            self.messages.append((status, category, form)))
            callbacks = Callbacks(logger, None, None, None, None)
            pointer = make(NAME, c.c_int(0 if kind == "me" else 1), token,
                           resources.as_uri().encode(), c.byref(callbacks), c.c_int(0),
                           c.c_int(logging))
            keep = (logger, callbacks)
        else:
            LOGGER = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)
            logger = LOGGER(lambda _e, status, category, text:
                            self.messages.append((status, category, text)))
            path = (str(resources) + "/").encode()
            if kind == "me":
                pointer = make(NAME, token, path, c.c_bool(False), c.c_bool(logging), None,
                               logger)
            else:
                pointer = make(NAME, token, path, c.c_bool(False), c.c_bool(logging),
                               c.c_bool(events), c.c_bool(early), None, c.c_size_t(0), None,
                               logger, update)
            keep = (logger, update)
        return Instance(self, pointer, keep) if pointer else None

    def function(self, name):
        return getattr(self.library, f"fmi{self.version}{name}")


class Instance:
    def __init__(self, library, pointer, keep):
        self.library, self.pointer, self.keep = library, c.c_void_p(pointer), keep
        self.two = library.version == 2

    def call(self, name, *arguments):
        return self.library.function(name)(self.pointer, *arguments)

    def ok(self, name, *arguments):
        status = self.call(name, *arguments)
        assert status == OK, f"{name} has the status {status}: {self.library.messages[-1:]}"

    def refused(self, name, *arguments, status=ERROR):
        before = len(self.library.messages)
        found = self.call(name, *arguments)
        assert found == status, f"{name} has the status {found}, not {status}"
        if status == ERROR:
            message = self.library.messages[before:]
            assert message and message[-1][1] == b"logStatusError", f"{name} says {message}"

    def reference(self, name):
        return (c.c_uint * 1)(self.library.references[name])

    def get(self, name, length=1, kind=NONE, status=OK):
        reference = self.reference(name)
        if self.two:
            kind = kind or "Real"
            values = ({"Real": c.c_double}.get(kind, c.c_int) * 1)()
            found = self.call(f"Get{kind}", reference, c.c_size_t(1), values)
        else:
            kind = kind or "Float64"
            ty = {"Float64": c.c_double, "Int64": c.c_int64, "Boolean": c.c_bool}[kind]
            values = (ty * length)()
            found = self.call(f"Get{kind}", reference, c.c_size_t(1), values, c.c_size_t(length))
        assert found == status, f"get {name} has the status {found}: {self.library.messages[-1:]}"
        return values[0] if length == 1 else list(values)

    def set(self, name, value, status=OK):
        reference = self.reference(name)
        value = (c.c_double * 1)(value)
        sizes = (c.c_size_t(1), value) if self.two else (c.c_size_t(1), value, c.c_size_t(1))
        found = self.call("SetReal" if self.two else "SetFloat64", reference, *sizes)
        assert found == status, f"set {name} has the status {found}: {self.library.messages[-1:]}"

    def count(self):
        return self.get("n", kind="Real" if self.two else "Float64")

    def enter(self, start=0.0, stop=NONE, tolerance=NONE):
        own = (c.c_int if self.two else c.c_bool)
        arguments = (own(tolerance is not NONE), c.c_double(tolerance or 0.0), c.c_double(start),
                     own(stop is not NONE), c.c_double(stop or 0.0))
        if self.two:
            self.ok("SetupExperiment", *arguments)
            self.ok("EnterInitializationMode")
        else:
            self.ok("EnterInitializationMode", *arguments)

    def initialise(self, **arguments):
        self.enter(**arguments)
        self.ok("ExitInitializationMode")

    def update(self):
        """Whether another iteration is needed, whether to terminate, and the next event."""
        if self.two:
            class Info(c.Structure):
                _fields_ = [(name, c.c_int) for name in "abcde"] + [("next", c.c_double)]
            info = Info()
            self.ok("NewDiscreteStates", c.byref(info))
            return bool(info.a), bool(info.b), info.next if info.e else NONE
        flags = [c.c_bool() for _ in range(5)]
        next_event = c.c_double()
        self.ok("UpdateDiscreteStates", *(c.byref(own) for own in flags), c.byref(next_event))
        return flags[0].value, flags[1].value, next_event.value if flags[4].value else NONE

    def iterate(self):
        for _ in range(100):
            again, end, coming = self.update()
            if not again:
                return end, coming
        raise AssertionError("iterations have no end")

    def step(self, start, length, status=OK):
        if self.two:
            found = self.call("DoStep", c.c_double(start), c.c_double(length), c.c_int(1))
            reached, flags = start + length, (False, found == DISCARD, False)
        else:
            own = [c.c_bool() for _ in range(3)]
            last = c.c_double()
            found = self.call("DoStep", c.c_double(start), c.c_double(length), c.c_bool(True),
                              *(c.byref(flag) for flag in own), c.byref(last))
            reached, flags = last.value, tuple(flag.value for flag in own)
        assert found == status, f"a step has the status {found}: {self.library.messages[-1:]}"
        return reached, flags

    def state(self):
        state = c.c_void_p()
        self.ok("GetFMUstate" if self.two else "GetFMUState", c.byref(state))
        return state

    def go_back(self, state):
        self.ok("SetFMUstate" if self.two else "SetFMUState", state)

    def forget(self, state):
        self.ok("FreeFMUstate" if self.two else "FreeFMUState", c.byref(state))
        assert not state.value

    def bytes_of(self, state):
        word = "state" if self.two else "State"
        size = c.c_size_t()
        self.ok(f"SerializedFMU{word}Size", state, c.byref(size))
        room = (c.c_ubyte * size.value)()
        self.ok(f"SerializeFMU{word}", state, room, size)
        short = (c.c_ubyte * (size.value - 1))()
        self.refused(f"SerializeFMU{word}", state, short, c.c_size_t(size.value - 1))
        return bytes(room)

    def state_of(self, data):
        name = "DeSerializeFMUstate" if self.two else "DeserializeFMUState"
        state = c.c_void_p()
        room = (c.c_ubyte * len(data))(*data)
        self.ok(name, room, c.c_size_t(len(data)), c.byref(state))
        damaged = (c.c_ubyte * 9)(*b"\xff" * 9)
        other = c.c_void_p()
        self.refused(name, damaged, c.c_size_t(9), c.byref(other))
        return state

    def free(self):
        function = self.library.function("FreeInstance")
        function.restype = None
        function(self.pointer)


def before_initialisation(instance):
    """Start values can be read and set, and nothing else can be done."""
    assert instance.get("fixed") == 3 and instance.get("u") == 1
    instance.get("y", status=ERROR)
    instance.set("u", 2.0)
    instance.set("u", 1.0)
    instance.set("x", 1.0, status=ERROR)
    instance.refused("ExitInitializationMode")
    instance.refused("Terminate")
    state = instance.state()
    instance.set("fixed", 9.0)
    instance.go_back(state)
    assert instance.get("fixed") == 3
    instance.forget(state)


def wrong_arguments(instance):
    """Null pointers, unknown references and wrong numbers are errors and nothing worse."""
    get = "GetReal" if instance.two else "GetFloat64"
    more = () if instance.two else (c.c_size_t(1),)
    value = (c.c_double * 1)()
    instance.refused(get, None, c.c_size_t(1), value, *more)
    instance.refused(get, instance.reference("y"), c.c_size_t(1), None, *more)
    instance.refused(get, (c.c_uint * 1)(99999), c.c_size_t(1), value, *more)
    instance.ok(get, None, c.c_size_t(0), None, *(() if instance.two else (c.c_size_t(0),)))
    if not instance.two:
        wide = (c.c_double * 3)()
        instance.refused(get, instance.reference("y"), c.c_size_t(1), wide, c.c_size_t(3))
        instance.refused(get, instance.reference("tall"), c.c_size_t(1), wide, c.c_size_t(1))
        instance.refused("GetString", instance.reference("y"), c.c_size_t(1), None, c.c_size_t(1))
        instance.refused("GetClock", instance.reference("y"), c.c_size_t(1), None)
        count = c.c_size_t()
        instance.refused("GetNumberOfVariableDependencies", c.c_uint(0), c.byref(count))
        instance.refused("EnterConfigurationMode")
    else:
        instance.refused("GetString", instance.reference("y"), c.c_size_t(1), None)
        status = c.c_int()
        assert instance.call("GetStatus", c.c_int(0), c.byref(status)) == DISCARD
    word = "state" if instance.two else "State"
    instance.refused(f"SetFMU{word}", None)
    instance.refused(f"GetFMU{word}", None)
    instance.ok(f"FreeFMU{word}", None)
    for name in ("u", "k"):
        instance.set(name, float("nan"), status=ERROR)
    # A null instance.
    function = instance.library.function("Reset")
    assert function(None) == ERROR


def in_initialisation(instance):
    """Outputs follow what is set; the last values are those of the run."""
    assert instance.get("y") == 3 + 4
    instance.set("u", 2.0)
    assert instance.get("y") == 3 + 8
    instance.set("fixed", 5.0)
    assert instance.get("x") == 5 and instance.get("y") == 5 + 8
    instance.set("fixed", 3.0)
    instance.set("u", 1.0)
    assert instance.get("y") == 3 + 4


def co_simulation(library):
    instance = library.instantiate("cs")
    before_initialisation(instance)
    instance.enter(stop=1.0, tolerance=1e-9)
    in_initialisation(instance)
    instance.ok("ExitInitializationMode")
    wrong_arguments(instance)
    instance.set("fixed", 9.0, status=ERROR)
    assert instance.step(0.0, 0.375)[0] == 0.375
    assert instance.count() == 1
    # Over an event and back, in memory and as bytes.
    state = instance.state()
    seen = []
    data = instance.bytes_of(state)
    other = instance.state_of(data)
    for own in (state, other, state):
        instance.go_back(own)
        instance.set("gate", 1.0)
        instance.step(0.375, 0.5)
        seen.append((instance.get("x"), instance.count(), instance.get("held")))
        assert instance.count() == 3 and instance.get("held") == 10
    assert len(set(seen)) == 1
    instance.forget(other)
    instance.forget(state)
    instance.step(0.875, 0.125)
    instance.step(1.0, 0.5, status=ERROR)
    instance.ok("Terminate")
    value = instance.get("x")
    instance.ok("Reset")
    # The same run once more, and with an event that is given.
    before_initialisation(instance)
    instance.initialise()
    instance.step(0.0, 0.375)
    instance.set("gate", 1.0)
    instance.step(0.375, 0.5)
    assert abs(instance.get("x") - seen[0][0]) < 1e-5
    before = instance.get("x")
    instance.set("kick", 2.0)
    instance.step(0.875, 1e-9)
    assert abs(instance.get("x") - before - 2) < 1e-6
    instance.step(0.875, -0.5, status=ERROR)
    instance.step(0.5, 0.5, status=ERROR)
    instance.step(1.5, 0.5, status=ERROR)
    instance.ok("Reset")
    instance.free()
    return value


def everything_can_be_read(instance):
    """In event mode, also while more iterations are due."""
    library = instance.library
    rates = (c.c_double * 1)()
    instance.ok("GetDerivatives" if instance.two else "GetContinuousStateDerivatives", rates,
                c.c_size_t(1))
    assert rates[0] == -2 * 3 + 1
    instance.ok("GetContinuousStates", rates, c.c_size_t(1))
    count = int(library.root.get("numberOfEventIndicators")
                or len(library.root.findall("ModelStructure/EventIndicator")))
    indicators = (c.c_double * count)()
    instance.ok("GetEventIndicators", indicators, c.c_size_t(count))
    assert all(indicators), list(indicators)
    assert instance.get("y") == 3 + 4


# The order of the calls is what is tested: one list, and so longer than a function should otherwise
# be.
def model_exchange(library):
    instance = library.instantiate("me")
    before_initialisation(instance)
    instance.refused("EnterEventMode")
    instance.refused("SetTime", c.c_double(0.0))
    instance.enter(tolerance=1e-6)
    states = (c.c_double * 1)()
    instance.ok("GetContinuousStates", states, c.c_size_t(1))
    assert states[0] == 3
    in_initialisation(instance)
    instance.ok("ExitInitializationMode")
    instance.refused("SetContinuousStates", None, c.c_size_t(1))
    instance.refused("GetContinuousStates", states, c.c_size_t(7))
    everything_can_be_read(instance)
    again = True
    while again:
        again = instance.update()[0]
        everything_can_be_read(instance)
    instance.ok("EnterContinuousTimeMode")
    rates = "GetDerivatives" if instance.two else "GetContinuousStateDerivatives"
    slope = (c.c_double * 1)()
    instance.ok(rates, slope, c.c_size_t(1))
    assert slope[0] == -2 * 3 + 1
    # Anything may be set any number of times between events.
    for value in (2.0, 1.0):
        instance.set("u", value)
        instance.ok("SetTime", c.c_double(0.1))
        instance.ok("SetContinuousStates", (c.c_double * 1)(value), c.c_size_t(1))
        instance.ok(rates, slope, c.c_size_t(1))
        assert slope[0] == -value and instance.get("y") == 5 * value
    nominals = (c.c_double * 1)()
    instance.ok("GetNominalsOfContinuousStates", nominals, c.c_size_t(1))
    assert nominals[0] > 0
    count = library.root.get("numberOfEventIndicators")
    if not instance.two:
        size = c.c_size_t()
        instance.ok("GetNumberOfContinuousStates", c.byref(size))
        assert size.value == 1
        instance.ok("GetNumberOfEventIndicators", c.byref(size))
        count = size.value
        assert count == len(library.root.findall("ModelStructure/EventIndicator"))
    indicators = (c.c_double * int(count))()
    instance.ok("GetEventIndicators", indicators, c.c_size_t(int(count)))
    instance.refused("GetEventIndicators", indicators, c.c_size_t(int(count) + 1))
    # An event of the importer: outputs see what is set before the iteration, and after it.
    flag = c.c_int() if instance.two else c.c_bool()
    end = c.c_int() if instance.two else c.c_bool()
    on = c.c_int(1) if instance.two else c.c_bool(True)
    instance.ok("CompletedIntegratorStep", on, c.byref(flag), c.byref(end))
    instance.ok("EnterEventMode")
    instance.set("gate", 1.0)
    assert instance.get("held") == 10, "an output depends on a discrete input in event mode"
    instance.set("gate", 2.0)
    assert instance.get("held") == 20
    state = instance.state()
    instance.refused("EnterContinuousTimeMode")
    assert instance.iterate()[0] is False
    assert instance.get("held") == 20
    instance.go_back(state)
    assert instance.get("held") == 20
    instance.forget(state)
    instance.iterate()
    instance.ok("EnterContinuousTimeMode")
    # A known event, to which the importer comes a little late.
    instance.ok("SetTime", c.c_double(0.25 + 1e-13))
    instance.ok("CompletedIntegratorStep", on, c.byref(flag), c.byref(end))
    instance.ok("EnterEventMode")
    instance.iterate()
    assert instance.count() == 1
    instance.ok("EnterContinuousTimeMode")
    instance.ok("SetTime", c.c_double(0.9))
    instance.refused("EnterEventMode")
    instance.refused("DoStep", c.c_double(0), c.c_double(1), on, *(() if instance.two else (
        None, None, None, None)))
    instance.ok("Terminate")
    instance.ok("Reset")
    instance.initialise()
    instance.free()


def directional(library):
    """Derivatives are zero exactly where nothing is listed."""
    instance = library.instantiate("me")
    instance.initialise()
    instance.iterate()
    instance.ok("EnterContinuousTimeMode")
    one, found = (c.c_double * 1)(1.0), (c.c_double * 1)()
    sizes = () if instance.two else (c.c_size_t(1),)
    for unknown, known, value in (("y", "u", 4.0), ("x", "u", 0.0), ("der(x.state)", "u", 1.0),
                                  ("der(x.state)", "x.state", -2.0), ("y", "x.state", 1.0)):
        instance.ok("GetDirectionalDerivative", instance.reference(unknown), c.c_size_t(1),
                    instance.reference(known), c.c_size_t(1), one, *sizes, found, *sizes)
        assert found[0] == value, f"{unknown} by {known}: {found[0]}"
    instance.refused("GetDirectionalDerivative", instance.reference("y"), c.c_size_t(1),
                     instance.reference("y"), c.c_size_t(1), one, *sizes, found, *sizes)
    instance.free()


def event_mode(library):
    """Co-Simulation of FMI 3.0 that ends steps at events."""
    instance = library.instantiate("cs", events=True, early=True)
    instance.initialise()
    instance.iterate()
    instance.ok("EnterStepMode")
    reached, (event, end, early) = instance.step(0.0, 1.0)
    assert reached == 0.25 and event and early and not end
    instance.ok("EnterEventMode")
    instance.set("gate", 3.0)
    assert instance.get("held") == 30
    instance.iterate()
    assert instance.get("held") == 30 and instance.count() == 1
    instance.ok("EnterStepMode")
    # The start comes again after the delay, with a kink.
    assert instance.step(0.25, 0.125)[0] == 0.3
    assert instance.step(0.3, 0.375 - 0.3)[0] == 0.375
    instance.free()


def intermediate_updates(library):
    """Within a step the importer sees each step of the solver, may read there and may end the step;
    values at the end are the same to the bit."""
    seen, wanted, found = [], [None], []

    def told(_environment, time, sets, gets, finished, early, returns, at):
        assert gets and finished and not sets
        seen.append((time, instance.get("x")))
        if wanted[0] is not None and time >= wanted[0]:
            assert early
            returns[0] = True
            at[0] = time

    update = UPDATE(told)
    for own in (update, None):
        instance = library.instantiate("cs", update=own, early=own is not None)
        instance.initialise()
        for start in (0.0, 0.5, 1.0):
            reached, flags = instance.step(start, 0.5)
            assert reached == start + 0.5 and flags == (False, False, False)
            found.append((instance.get("x"), instance.count()))
        if own is None:
            instance.free()
            break
        times = [time for time, _ in seen]
        assert len(times) > 5 and times == sorted(set(times)) and times[-1] < 1.5, times
        assert all(0 < x < 3 for _, x in seen)
        wanted[0] = 1.6
        reached, flags = instance.step(1.5, 0.5)
        assert 1.6 <= reached < 2.0 and flags == (False, False, True)
        wanted[0] = None
        assert instance.step(reached, 2.0 - reached)[0] == 2.0
        instance.free()
    assert found[:3] == found[3:], found


def messages(library):
    """Messages are of the categories that were chosen."""
    instance = library.instantiate("cs")
    categories = [own.get("name") for own in library.root.iter("Category")]
    assert "logStatusError" in categories
    on, off = (c.c_int(1), c.c_int(0)) if instance.two else (c.c_bool(True), c.c_bool(False))
    names = lambda *own: (c.c_char_p * len(own))(*own)
    instance.ok("SetDebugLogging", off, c.c_size_t(0), None)
    library.messages.clear()
    instance.get("y", status=ERROR)
    assert not library.messages
    instance.ok("SetDebugLogging", on, c.c_size_t(1), names(b"logStatusFatal"))
    instance.get("y", status=ERROR)
    assert not library.messages
    instance.ok("SetDebugLogging", on, c.c_size_t(1), names(b"logStatusError"))
    instance.get("y", status=ERROR)
    assert len(library.messages) == 1
    instance.refused("SetDebugLogging", on, c.c_size_t(1), names(b"nonsense"))
    instance.free()
    assert library.instantiate("cs", token=b"other") is None and library.messages


def at_once(library):
    """Instances in threads of their own are those of one thread."""
    found = []

    def run(number):
        instance = library.instantiate("cs")
        instance.set("fixed", 1.0 + number % 2)
        instance.initialise()
        for k in range(40):
            instance.step(k / 32, 1 / 32)
        found.append((number % 2, instance.get("x")))
        instance.free()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 6 and len(set(found)) == 2, found


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "strict.yaml").write_text(MODEL)
        for version in (2, 3):
            archive = folder / f"strict{version}.fmu"
            subprocess.run([program, "fmu", folder / "strict.yaml", "-o", archive, "--fmi",
                            str(version)], check=True, stdout=subprocess.DEVNULL)
            with zipfile.ZipFile(archive) as opened:
                # In an URI the name of this folder has escapes.
                opened.extractall(folder / f"{version} é%20#")
            library = Library(folder / f"{version} é%20#", version)
            co_simulation(library)
            model_exchange(library)
            directional(library)
            if version == 3:
                event_mode(library)
                intermediate_updates(library)
            messages(library)
            at_once(library)
            print(f"strict importer: FMI {version}.0 passed", flush=True)


if __name__ == "__main__":
    main()
