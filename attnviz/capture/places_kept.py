"""Keep positions of tokens on disk, found once for each architecture and picture size."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from torch import nn

from attnviz import files, paths
from attnviz.capture.call import Call
from attnviz.capture.places import Both, Places
from attnviz.grids import Grid

_VERSION = 5  # of the method that finds positions, and of the file format
_NOT_PLAIN = "..."  # replaces values that have no plain form
_MOST = 50_000_000  # maximum size of a file in bytes


def folder() -> Path:
    """Return the folder of the files, inside the user's cache folder."""
    return paths.computed("places")


def digest(model: nn.Module, given: tuple[tuple[int, ...], ...], calls: Mapping[str, Call]) -> str:
    """Return a digest of everything that determines the positions: the architecture with its code and settings, the
    shapes of its inputs without the batch, and the calls.
    """
    weights = [(name, tuple(one.shape)) for name, one in model.state_dict(keep_vars=True).items()]
    seen = [(key, call.layout.factors[1:], call.queries, call.keys) for key, call in calls.items()]
    told = repr((_VERSION, type(model).__qualname__, str(model), weights, given, seen, _settings(model), _code(model)))
    return hashlib.sha256(told.encode()).hexdigest()


def _settings(model: nn.Module) -> list[Any]:
    """Return the modules' attributes other than parameters and submodules, such as the shift of windows."""
    return [
        (path, name, _plain(value))
        for path, module in model.named_modules()
        for name, value in sorted(vars(module).items())
        if name != "training" and _plain(value) is not _NOT_PLAIN
    ]


def _plain(value: Any, depth: int = 4) -> Any:
    """Return numbers, strings, functions and tuples of them in a form that is the same in every process."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list) and depth:
        return [_plain(one, depth - 1) for one in value]
    if isinstance(value, FunctionType) and depth:  # a function may contain itself
        with suppress(ValueError):  # the cell may still be empty
            cells = [_plain(cell.cell_contents, depth - 1) for cell in value.__closure__ or ()]
            return _operations(value.__code__), cells
    return _NOT_PLAIN


def _code(model: nn.Module) -> list[Any]:
    """Return digests of the files that define the modules, except torch's, and of functions from a notebook."""
    types = {base for module in model.modules() for base in type(module).__mro__ if issubclass(base, nn.Module)}
    found = dict[str, Any]()
    for one in types:
        if not one.__module__.startswith("torch."):
            files = {function.__code__.co_filename for function in _functions(one)}
            found[f"{one.__module__}.{one.__qualname__}"] = [
                *map(_file, sorted(files)),
                *(_operations(function.__code__) for function in _functions(one)),
            ]
    return sorted(found.items())


def _file(file: str) -> str:
    try:
        state = Path(file).stat()
        return _file_at(file, state.st_mtime_ns, state.st_size) if Path(file).is_file() else ""
    except OSError:
        return ""


@lru_cache(maxsize=256)
def _file_at(file: str, changed: int, size: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _functions(kind: type) -> list[FunctionType]:
    return [one for _, one in sorted(vars(kind).items()) if isinstance(one, FunctionType)]


def _operations(code: CodeType) -> tuple[Any, ...]:
    constants = [_operations(one) if isinstance(one, CodeType) else _plain(one) for one in code.co_consts]
    return code.co_code, code.co_names, constants


def load(name: str) -> dict[str, Both] | None:
    """Return positions by the key of their call; None if the file is missing or damaged, or has another name."""
    try:
        digest, _, content = files.read(folder() / f"{name}.json", _MOST).partition(b"\n")
    except OSError:
        return None
    if digest != _digest(name, content):
        return None
    return {key: Both(*(_places(one) for one in both)) for key, both in json.loads(content).items()}


def save(name: str, found: Mapping[str, Both]) -> None:
    """Save positions; if nothing can be written, they are found again next time."""
    told = {key: [_told(one) for one in both] for key, both in found.items()}
    with suppress(OSError):
        paths.made(folder(), "places of tokens")
        content = json.dumps(told).encode()
        files.write(folder() / f"{name}.json", _digest(name, content) + b"\n" + content)


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(f"{name} ".encode() + content).hexdigest().encode()


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
