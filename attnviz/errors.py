"""Every error that attnviz raises on purpose. Each message says what was expected, what was given and what to do.

AttnvizError
├── UnknownName        no model, recipe, checkpoint, data set, tap or class has that name
├── BadInput           an unusable value: a picture, a shape, a setting, a value in a URL
├── DataError          a data set is missing, cannot be fetched or is damaged
├── TraceError         a trace that would have been empty or wrong
├── CheckpointError    a checkpoint that is truncated, foreign, of another shape, or holds NaN
└── RunError           a training run that cannot be started, resumed or written
"""

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN, _LONG = 20, 300  # the maximum number of names in a list, and of its characters


class AttnvizError(Exception):
    """The base class of all errors of attnviz, whose messages are written for users."""


class UnknownName(AttnvizError):
    """A name that is not in its table."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        shown = f"{name[:100]}…" if len(name) > 100 else name  # user input may have any length
        super().__init__(f"There is no {kind} {shown!r}. {closest(shown, known)}")


class BadInput(AttnvizError):
    """A value that cannot be used."""


class DataError(AttnvizError):
    """A data set that is missing, cannot be fetched or is damaged."""


class TraceError(AttnvizError):
    """A trace that would have been empty or wrong."""


class CheckpointError(AttnvizError):
    """A checkpoint that cannot be trusted; no part of it was loaded."""


class RunError(AttnvizError):
    """A training run that cannot be started, resumed or written."""


def closest(name: str, known: Iterable[str]) -> str:
    """Return a sentence or two of bounded length that list the known names, the most similar first: "Did you mean
    'weights'? There are: query, key, ..."
    """
    known = list(known)
    if not known:
        return "There are none."
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    question = f"Did you mean {near[0]!r}? " if near else ""
    count = next(
        (count for count in range(min(len(known), _SHOWN), 1, -1) if len(", ".join(known[:count])) <= _LONG), 1
    )
    shown = ", ".join(known[:count]) + (f" and {len(known) - count:,} more" if len(known) > count else "")
    return f"{question}There are: {shown}."
