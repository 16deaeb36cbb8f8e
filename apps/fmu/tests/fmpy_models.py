"""Exports every model of models/ as an FMU and runs it in FMPy.

Usage: fmpy_models.py SUPERDENSE MODELS [--both] [NAME ...]

Versions of FMI take turns from model to model; with --both, every model is exported in both.

FMPy's validation must have no complaint. In Co-Simulation the values at communication points must be
those of our own run at these times, and in Model Exchange too, within the tolerance of FMPy's solver. (That an instance is bit-identical to a run that is advanced to
these times is a test of crates/superdense; rows at given times may warm up solved loops differently.)
The archive as a block of a model of ours has the bits that FMPy has in Co-Simulation, and in Model
Exchange the values of our own run.
"""

import concurrent.futures
import csv
import decimal
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import fmpy
from fmpy.validation import validate_fmu

POINTS = 48

# The relative tolerance of the importer's solver.
TOLERANCE = 1e-8

# When comparisons in Model Exchange end, and why.
FOLLOWED_UNTIL = {
    # A difference in the last place grows without bound.
    "lorenz": 8.0,
    "lorenz-diagram": 8.0,
    # Errors of the importer's solver become steps of an encoder.
    "cart-pole": 0.75,
    # The importer's solver may take 500 steps from one output to the next.
    "robertson": 500.0,
}

# What the importer's solver may be off by: it allows each state its tolerance times the nominal
# value, which follows from the absolute tolerance of the model, here 0.05.
SLACK = {"solver-steps": 2e-3}

# When runs of a model that ends by itself end here.
ENDS = {"zeno-ball": 4.0}


def own_run(program, model, stop, step, folder, options=()):
    """The last row of our own run at each communication point."""
    times = "[" + ", ".join(repr(k * step) for k in range(POINTS + 1)) + "]"
    output = folder / "own.csv"
    command = [program, "run", model, "--stop", repr(stop), "--times", times]
    command += ["--rows", "microsteps", "-o", output, "--quiet", *options]
    subprocess.run(command, check=True, capture_output=True)
    rows = {}
    held = {}
    with open(output) as file:
        for row in csv.DictReader(file):
            for name, value in row.items():
                if value != "":
                    held[name] = value
            # An event an attosecond later has the same time as a float.
            rows[decimal.Decimal(row["time"])] = dict(held)
    return rows


def number(text):
    """A value of a result; none for words and signals that have not been present."""
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def stripped(program, folder):
    """The library of exported archives without its symbols, most of its size: it is packed and
    unpacked for each model."""
    library = pathlib.Path(program).with_name("libsuperdense_fmu.so")
    small = folder / library.name
    strip = shutil.which("strip")
    if strip is None:
        return library
    subprocess.run([strip, "-o", small, library], check=True)
    return small


def check(program, library, model, version, folder):
    name = model.parent.name
    archive = folder / f"{name}.fmu"
    command = [program, "fmu", model, "-o", archive, "--fmi", version, "--library", library]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return "refused: " + done.stderr.strip().splitlines()[0]
    complaints = validate_fmu(str(archive))
    assert not complaints, f"{name} {version}: {complaints}"
    description = fmpy.read_model_description(str(archive))
    end = ENDS.get(name, float(description.defaultExperiment.stopTime))
    unpacked = fmpy.extract(str(archive), unzipdir=str(folder / "unpacked"))
    outputs = [v for v in description.modelVariables if v.causality in ("output", "local")]
    scalars = [v.name for v in outputs if not v.dimensions]
    said = []
    for kind, supported in (
        ("CoSimulation", description.coSimulation), ("ModelExchange", description.modelExchange),
    ):
        if supported is None:
            said.append(f"no {kind}")
            continue
        exact = kind == "CoSimulation"
        own_end = end if exact else FOLLOWED_UNTIL.get(name, end)
        step = 2.0 ** math.floor(math.log2(own_end / POINTS))
        stop = POINTS * step
        result = fmpy.simulate_fmu(
            unpacked, stop_time=stop, output_interval=step, output=scalars,
            fmi_type=kind, start_time=0.0, relative_tolerance=None if exact else TOLERANCE,
        )
        # The importer's solver is more accurate than the tolerance of some models.
        options = [] if exact else ["--tolerance", "1e-9"]
        rows = own_run(program, model, stop, step, folder, options)
        slack = 0.0 if exact else SLACK.get(name, 0.0)
        compared = compare(f"{name} {version} {kind}", result, rows, scalars, exact, slack)
        said.append(f"{compared} values")
        if exact:
            same = imported(program, archive, unpacked, description, stop, step, folder)
            said.append(f"{same} bit-identical in our import")
        else:
            same = exchanged(program, archive, description, rows, stop, step, folder)
            said.append(f"{same} values in our import")
    return ", ".join(said)


def imported(program, archive, unpacked, description, stop, step, folder):
    """Runs the archive as a block of a model: its values are those that FMPy has, bit for bit.

    At a communication point a block has what the instance has computed up to there, as FMPy has it.
    A block names no stop time, at which the solver of the instance would end a step.
    """
    plain, model = model_of(archive, f"period: {step!r}", description, stop, folder)
    if not plain:
        return 0
    output = folder / "import.csv"
    command = [program, "run", model, "-o", output, "--quiet", "--rows", "microsteps"]
    subprocess.run(command, check=True, capture_output=True)
    with open(output) as file:
        rows = {float(row["time"]): row for row in csv.DictReader(file)}
    result = fmpy.simulate_fmu(
        unpacked, stop_time=stop, output_interval=step, output=list(plain), start_time=0.0,
        fmi_type="CoSimulation", set_stop_time=False,
    )
    compared = 0
    for row in {float(row["time"]): row for row in result}.values():
        own = rows[float(row["time"])]
        for name in plain:
            ours, theirs = number(own[f"p.{plain[name]}"]), float(row[name])
            assert ours == theirs, f"{name} at {row['time']}: {theirs!r}, imported {ours!r}"
            compared += 1
    return compared


def plain_outputs(description):
    """The scalar outputs with the names that they have in a model; none if two have one name."""
    outputs = [v for v in description.modelVariables
               if v.causality == "output" and not v.dimensions and v.type != "String"]
    plain = {v.name: re.sub(r"[^A-Za-z0-9_]+", "_", v.name).strip("_") for v in outputs}
    return plain if len(set(plain.values())) == len(outputs) else {}


def model_of(archive, fields, description, stop, folder):
    """A model file with the archive as a block; and its recorded outputs with their names there."""
    plain = plain_outputs(description)
    model = folder / "block.yaml"
    record = ", ".join(f"p.{name}" for name in plain.values())
    model.write_text(
        f"superdense: 1\nblocks:\n  p: {{type: FMU, file: {archive.name}, {fields}}}\n"
        f"record: [{record}]\nsimulate: {{stop: {stop!r}}}\n"
    )
    return plain, model


def exchanged(program, archive, description, rows, stop, step, folder):
    """Runs the archive as a block for Model Exchange: its values are those of our own run."""
    plain, model = model_of(archive, "kind: model_exchange", description, stop, folder)
    if not plain:
        return 0
    own = own_run(program, model, stop, step, folder, ["--tolerance", "1e-9"])
    result = [
        {"time": float(time), **{name: number(row[f"p.{plain[name]}"]) for name in plain}}
        for time, row in own.items()
    ]
    return compare(f"{archive.name} imported", result, rows, list(plain), False)


def compare(name, result, rows, scalars, exact, slack=0.0):
    """Compares a result with our own rows; returns how many values were compared."""
    compared = 0
    largest = {
        column: max((abs(number(row.get(column)) or 0.0) for row in rows.values()
                     if number(row.get(column)) is not None), default=0.0)
        for column in scalars
    }
    bad = []
    # FMPy has a row before and one after an event.
    last = {float(row["time"]): row for row in result}
    for row in last.values():
        own = rows.get(decimal.Decimal(float(row["time"])))
        if own is None:
            continue
        for column in scalars:
            own_value = number(own.get(column))
            if own_value is None:
                continue
            # A step that ends at a communication point corrects sliding and rest there.
            tolerance = (1e-10 if exact else 1e-4) * max(largest[column], 1.0)
            tolerance = max(tolerance, slack)
            relative = 1e-9 if exact else 1e-4
            compared += 1
            if not math.isclose(row[column], own_value, rel_tol=relative, abs_tol=tolerance):
                bad.append(f"{column} at {row['time']}: {row[column]!r}, own {own_value!r}")
    # In Model Exchange a point beside an event, which the importer locates with an error of its own,
    # may be on its other side.
    allowed = 0 if exact else len(last) // 20
    times = {text.split(" at ")[1].split(":")[0] for text in bad}
    assert len(times) <= allowed, f"{name}: {len(bad)} of {compared}: {bad[:2]}"
    return compared


def tried(program, library, model, version):
    """What is said about a model, and whether it failed."""
    name = model.parent.name
    with tempfile.TemporaryDirectory() as folder:
        try:
            said, failed = check(program, library, model, version, pathlib.Path(folder)), False
        except Exception as error:
            said, failed = f"FAILED: {type(error).__name__}: {error}", True
    return f"{name} {version}: {said}", failed


def main():
    program, models, *names = [word for word in sys.argv[1:] if word != "--both"]
    all_models = sorted(pathlib.Path(models).glob("*/model.yaml"))
    chosen = [model for model in all_models if not names or model.parent.name in names]
    # Processes, since a library is loaded once for a process, and FMPy computes in Python.
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ProcessPoolExecutor() as pool,
    ):
        library = stripped(program, pathlib.Path(folder))
        runs = [
            pool.submit(tried, program, library, model, version)
            for place, model in enumerate(chosen)
            for version in (("2", "3") if "--both" in sys.argv else ("23"[place % 2],))
        ]
        failed = False
        for run in runs:
            said, bad = run.result()
            failed |= bad
            print(said, flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
