"""Places of tokens, kept on disk: found once for an architecture and a size of picture."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch import nn

from attnviz import files, paths
from attnviz.capture.call import Call
from attnviz.capture.places import Both, Places
from attnviz.grids import Grid

_VERSION = 3  # of how places are found and written
_MOST = 50_000_000  # bytes of a file


def folder() -> Path:
    """Return the folder of the files: in the user's folder for what can be computed again."""
    return paths.computed("places")


def digest(model: nn.Module, given: tuple[tuple[int, ...], ...], calls: Mapping[str, Call]) -> str:
    """Return a digest of all that determines the places: the architecture, the size of the picture, and the calls.

    Args:
        model: any module.
        given: the shapes of what it was called with, without the batch.
        calls: that were captured.
    """
    weights = [(name, tuple(one.shape)) for name, one in model.state_dict(keep_vars=True).items()]
    seen = [(key, call.layout.factors[1:], call.queries, call.keys) for key, call in calls.items()]
    told = repr((_VERSION, type(model).__qualname__, str(model), weights, given, seen))
    return hashlib.sha256(told.encode()).hexdigest()


def load(name: str) -> dict[str, Both] | None:
    """Return places by the key of their call; None where none are kept, or the file is damaged."""
    try:
        digest, _, content = files.read(folder() / f"{name}.json", _MOST).partition(b"\n")
    except OSError:
        return None
    if digest != _digest(content):
        return None
    return {key: Both(*(_places(one) for one in both)) for key, both in json.loads(content).items()}


def save(name: str, found: Mapping[str, Both]) -> None:
    """Keep places; where nothing can be written they are found again next time."""
    told = {key: [_told(one) for one in both] for key, both in found.items()}
    with suppress(OSError):
        paths.made(folder(), "places of tokens")
        content = json.dumps(told).encode()
        files.write(folder() / f"{name}.json", _digest(content) + b"\n" + content)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _told(places: Places | None) -> dict[str, Any] | None:
    if places is None:
        return None
    grid = places.grid
    return {"grid": [grid.rows, grid.columns, grid.prefix], "step": grid.stride, "cells": places.cells}


def _places(told: Mapping[str, Any] | None) -> Places | None:
    if told is None:
        return None
    rows, columns, prefix = told["grid"]
    grid = Grid(rows, columns, prefix=prefix, stride=told["step"], field=told["step"])
    return Places(grid, tuple(tuple(tokens) for tokens in told["cells"]))
