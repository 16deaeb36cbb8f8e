"""The text of a model file from its tree: one line for each entry, so that a line of the text has
one line of Python. `canonical` makes of it what a reader wants to see."""

from __future__ import annotations

import json
import re

from ._scope import Path, Tree

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
# What is a number or a truth value without quotes stays so: quotes would say that it is a text.
_BARE = re.compile(r"(-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false)\Z")
_WORDS = frozenset(("null", "Null", "NULL"))

Line = tuple[str, Path]
"""A line with the keys that lead to its entry."""


def _scalar(text: str) -> str:
    if _BARE.match(text) or (_PLAIN.match(text) and text not in _WORDS):
        return text
    return json.dumps(text, ensure_ascii=False)


def lines(tree: dict[str, Tree]) -> list[Line]:
    """The lines of a model file."""
    found: list[Line] = []
    _mapping(tree, "", (), found)
    return found


def _mapping(tree: dict[str, Tree], pad: str, path: Path, found: list[Line]) -> None:
    for key, own in tree.items():
        head, place = f"{pad}{_scalar(key)}:", (*path, key)
        if isinstance(own, dict) and own:
            found.append((head, place))
            _mapping(own, pad + "  ", place, found)
        elif isinstance(own, list) and any(isinstance(one, dict) for one in own):
            found.append((head, place))
            _list(own, pad + "  ", place, found)
        else:
            found.append((head if own is None else f"{head} {_flow(own)}", place))


def _list(tree: list[Tree], pad: str, path: Path, found: list[Line]) -> None:
    for index, own in enumerate(tree):
        place = (*path, str(index))
        if not isinstance(own, dict) or not own:
            found.append((f"{pad}- {_flow(own)}", place))
            continue
        first = len(found)
        _mapping(own, pad + "  ", place, found)
        line, key = found[first]
        found[first] = (f"{pad}- {line[len(pad) + 2 :]}", key)


def _flow(tree: Tree) -> str:
    if isinstance(tree, dict):
        own = (f"{_scalar(key)}:{'' if v is None else ' ' + _flow(v)}" for key, v in tree.items())
        return "{" + ", ".join(own) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(_flow, tree)) + "]"
    return _scalar(tree or "")
