"""The folders of checkpoints and their contents. Separate from `attnviz.cards`, because the first page needs them
before NumPy is loaded.
"""

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from attnviz import files, paths
from attnviz.errors import BadInput
from attnviz.looks import again, inside, once, youngest

WORD = r"[A-Za-z0-9_][A-Za-z0-9_-]*"
"""The pattern of the names of models and of recipes, which together name a checkpoint's folder."""

CARD, WEIGHTS, HISTORY = "card.json", "weights.safetensors", "history/history.json"

_NAME = re.compile(rf"{WORD}(\.{WORD})+")
_LONGEST = 200  # characters in a name


def folder() -> Path:
    """Return the folder of checkpoints: `ATTNVIZ_CHECKPOINTS`, else the one that comes with attnviz."""
    chosen = os.environ.get("ATTNVIZ_CHECKPOINTS")
    return Path(chosen) if chosen else paths.shipped("checkpoints")


def require_own() -> None:
    """Refuse to write into the checkpoints of an installed attnviz: the folder belongs to the installer."""
    if paths.is_installed() and folder() == paths.shipped("checkpoints"):
        raise BadInput(
            "Checkpoints are not written into an installed attnviz. Set ATTNVIZ_CHECKPOINTS to a folder of your own, "
            "or train with --run-only and keep an epoch with `attnviz jobs keep`."
        )


def kept() -> Path:
    """Return the folder of models kept by the user, created with the first: `ATTNVIZ_KEPT`, or in the user's data."""
    chosen = os.environ.get("ATTNVIZ_KEPT")
    return Path(chosen).expanduser() if chosen else paths.user_data() / "checkpoints"


def is_name(name: str) -> bool:
    """Return whether a string is a valid name MODEL.RECIPE; no path may be made from any other."""
    return len(name) <= _LONGEST and _NAME.fullmatch(name) is not None


class Found(NamedTuple):
    """The contents of a checkpoint's folder.

    Args:
        home: the folder.
        kept: whether the user keeps it, instead of it being one of ours.
        card: the stamp of its card.
        has_weights, has_history: whether these files exist.
        stamp: the folder's stamp, which changes when a file is added or removed; None if it cannot be relied on.
    """

    home: Path
    kept: bool
    card: files.Stamp
    has_weights: bool
    has_history: bool
    stamp: files.Stamp | None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An immutable list of all checkpoints at one moment.

    Args:
        found: the checkpoints by name: ours in alphabetical order, then those kept by the user. A kept checkpoint with
            the name of one of ours is left out.
        generation: a number that changes whenever a snapshot differs from the one before: results computed from the
            same generation are still valid.
    """

    found: Mapping[str, Found]
    generation: int


class _Looked(NamedTuple):
    """The last look at both folders: their stamps, its time in seconds, and its result."""

    stamps: list[files.Stamp | None]
    when: float
    snapshot: Snapshot


_looked: dict[tuple[Path, Path], _Looked] = {}  # only the last one
_generations = count(1)
_lock = Lock()


def snapshot() -> Snapshot:
    """Return all checkpoints; inside `one_look`, always the same snapshot.

    If it allows an older look, files inside checkpoints are not checked again, but added and removed checkpoints and
    those written by this process (`changed`) are found at once.
    """
    return once("checkpoints", lambda: _look(youngest()))


def found(name: str) -> Found | None:
    """Return the contents of a checkpoint's folder, or None if it has no card or the name is invalid."""
    if inside() or not is_name(name):
        return snapshot().found.get(name)
    return _found(str(folder() / name), False) or _found(str(kept() / name), True)


def changed() -> None:
    """Look again, even inside `one_look`: this process, or one that it waited for, may have written something."""
    with _lock:
        _looked.clear()
    again()


def _look(age: float) -> Snapshot:
    folders = folder(), kept()
    with _lock:
        now, stamps = time.monotonic(), [files.stamp(one) for one in folders]
        last = _looked.get(folders)
        tells = all(one is None or one.settled for one in stamps)  # whether they show files added or removed since
        if last and tells and last.stamps == stamps and now - last.when < age:
            return last.snapshot
        before = last.snapshot.found if last else {}
        there = _all_in(folders[0], False, before)
        there |= {name: one for name, one in _all_in(folders[1], True, before).items() if name not in there}
        newest = max((one.card for one in there.values()), default=None)
        same = last is not None and before == there and (newest is None or newest.settled)
        found = last.snapshot if last and same else Snapshot(there, next(_generations))
        _looked.clear()
        _looked[folders] = _Looked(stamps, now, found)
        return found


def _all_in(base: Path, is_kept: bool, before: Mapping[str, Found]) -> dict[str, Found]:
    try:
        with os.scandir(base) as entries:
            paths = {entry.name: entry.path for entry in entries if is_name(entry.name)}
    except OSError:
        return {}
    every = {name: _found(paths[name], is_kept, before.get(name)) for name in sorted(paths)}
    return {name: one for name, one in every.items() if one is not None}


def _found(home: str, is_kept: bool, before: Found | None = None) -> Found | None:
    """Return the contents of a folder, or the earlier result if no file was added or removed since."""
    card = files.stamp(f"{home}/{CARD}")
    if card is None:
        return None
    stamp = files.stamp(home)
    if before and stamp and (before.card, before.stamp, before.kept) == (card, stamp, is_kept):
        return before
    weights, history = f"{home}/{WEIGHTS}", f"{home}/{HISTORY}"
    has_history = os.path.isfile(history)  # noqa: PTH113 (a Path for each takes three times as long)
    to_come = not has_history and os.path.isdir(f"{home}/history")  # noqa: PTH112
    tells = stamp if stamp and stamp.settled and not to_come else None  # the next file changes this folder
    return Found(Path(home), is_kept, card, os.path.isfile(weights), has_history, tells)  # noqa: PTH113
