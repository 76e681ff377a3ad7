"""Where checkpoints lie, and which there are. Apart from `attnviz.cards`, because the first page knows it before numpy
is loaded.
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
"""Pattern of a model's name and of a recipe's, which make up the name of a folder."""

CARD, WEIGHTS, HISTORY = "card.json", "weights.safetensors", "history/history.json"

_NAME = re.compile(rf"{WORD}(\.{WORD})+")
_LONGEST = 200  # characters of a name


def folder() -> Path:
    """Return the folder of the checkpoints: `ATTNVIZ_CHECKPOINTS`, else those that come with attnviz."""
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
    """Return the folder of the models that somebody keeps: `ATTNVIZ_KEPT`, else one among the user's data.

    It is made when the first model is kept.
    """
    chosen = os.environ.get("ATTNVIZ_KEPT")
    return Path(chosen).expanduser() if chosen else paths.user_data() / "checkpoints"


def is_name(name: str) -> bool:
    """Return whether this can be the name MODEL.RECIPE of a checkpoint; only of such a name is a path made."""
    return len(name) <= _LONGEST and _NAME.fullmatch(name) is not None


class Found(NamedTuple):
    """What the folder of a checkpoint holds.

    Args:
        home: the folder.
        kept: whether it is not one of ours but one that somebody keeps.
        card: the stamp of its card.
        has_weights, has_history: whether these files are there.
        stamp: of the folder, which changes when a file comes into it or leaves it; None where that does not tell.
    """

    home: Path
    kept: bool
    card: files.Stamp
    has_weights: bool
    has_history: bool
    stamp: files.Stamp | None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All checkpoints at one moment; it never changes.

    Args:
        found: by name: ours in alphabetical order, then those that somebody keeps. A kept one with the name of one of
            ours is left out.
        generation: another number for every snapshot of this process that differs from the one before: what was made
            of the same generation is still right.
    """

    found: Mapping[str, Found]
    generation: int


class _Looked(NamedTuple):
    """The last look at both folders: their stamps, when it was, in seconds, and what it found."""

    stamps: list[files.Stamp | None]
    when: float
    snapshot: Snapshot


_looked: dict[tuple[Path, Path], _Looked] = {}  # the last look alone
_generations = count(1)
_lock = Lock()


def snapshot() -> Snapshot:
    """Return the checkpoints that there are, within `one_look` always the same.

    Where that allows an older look, only files inside checkpoints are not looked at again: one that was added or
    removed, and what this process has written (`changed`), is seen at once.
    """
    return once("checkpoints", lambda: _look(youngest()))


def found(name: str) -> Found | None:
    """Return what the folder of one checkpoint holds; None where it has no card, or cannot have that name."""
    if inside() or not is_name(name):
        return snapshot().found.get(name)
    return _found(str(folder() / name), False) or _found(str(kept() / name), True)


def changed() -> None:
    """Look again, also inside `one_look`: this process has written something, or waited for another that may have."""
    with _lock:
        _looked.clear()
    again()


def _look(age: float) -> Snapshot:
    folders = folder(), kept()
    with _lock:
        now, stamps = time.monotonic(), [files.stamp(one) for one in folders]
        last = _looked.get(folders)
        tells = all(one is None or one.settled for one in stamps)  # of what came or left since
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
    """Return what a folder holds; what was found there before where nothing has come into it or left it since."""
    card = files.stamp(f"{home}/{CARD}")
    if card is None:
        return None
    stamp = files.stamp(home)
    if before and stamp and (before.card, before.stamp, before.kept) == (card, stamp, is_kept):
        return before
    weights, history = f"{home}/{WEIGHTS}", f"{home}/{HISTORY}"
    has_history = os.path.isfile(history)  # noqa: PTH113 (a Path for each takes three times as long)
    to_come = not has_history and os.path.isdir(f"{home}/history")  # noqa: PTH112
    tells = stamp if stamp and stamp.settled and not to_come else None  # what comes next changes this folder
    return Found(Path(home), is_kept, card, os.path.isfile(weights), has_history, tells)  # noqa: PTH113
