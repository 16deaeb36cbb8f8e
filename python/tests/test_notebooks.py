"""Every notebook runs, and what its cells print and show is what is written in it.

`SUPERDENSE_BLESS=1` writes the outputs anew."""

import ast
import contextlib
import io
import json
import os
import re
import warnings

import numpy as np
import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
NEEDS = {"3-sampled-controller": "control", "4-fit": "scipy"}
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def shown(source, names):
    """What a cell prints, and the text of its last expression unless a semicolon hides it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "<cell>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    text = None if value is None or source.rstrip().endswith(";") else repr(value)
    if hasattr(value, "_repr_svg_"):
        assert value._repr_svg_().startswith("<svg")
    return out.getvalue(), text


def outputs(printed, text):
    lines = lambda own: own.splitlines(keepends=True)  # noqa: E731
    found = []
    if printed:
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed)})
    if text is not None:
        data = {"text/plain": lines(text)}
        found.append({"data": data, "metadata": {}, "output_type": "execute_result", "execution_count": None})
    return found


def alike(a, b):
    """Whether texts agree apart from the last digits of numbers."""
    words, others = NUMBER.sub("#", a), NUMBER.sub("#", b)
    numbers, known = ([float(x) for x in NUMBER.findall(own)] for own in (a, b))
    return words.split() == others.split() and np.allclose(numbers, known, rtol=1e-5, atol=1e-8)


def text_of(own):
    return "".join(own.get("text") or own["data"]["text/plain"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_shows_what_it_says(path, monkeypatch):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    monkeypatch.setenv("MPLBACKEND", "Agg")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    notebook = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = outputs(*shown("".join(cell["source"]), names))
        if "SUPERDENSE_BLESS" not in os.environ:
            known = cell["outputs"]
            assert len(own) == len(known), cell["source"]
            for a, b in zip(own, known):
                assert alike(text_of(a), text_of(b)), (text_of(a), text_of(b))
        cell["outputs"] = own
    matplotlib.pyplot.close("all")
    if "SUPERDENSE_BLESS" in os.environ:
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
    assert any(cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")


def test_there_are_five_notebooks():
    assert [path.stem[0] for path in NOTEBOOKS] == list("12345")
