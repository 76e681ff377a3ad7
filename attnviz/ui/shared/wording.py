"""Formats numbers and shares like frontend/core/numbers.js, escapes Markdown in quoted text, and shortens names."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING

from attnviz import paths
from attnviz.charts import MINUS, with_minus

if TYPE_CHECKING:
    from attnviz.measures.difference import Difference

WORD_JOINER = "\u2060"  # invisible; Markdown does not turn a URL that contains it into a link
ONE = 2**-25  # values nearer to 1 than this are 1 in single precision, which models compute in
LONGEST = 100  # maximum length of a quoted word
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")

_PLACE = re.compile(r"(?<![\w/:.~])/(?:[^\s/:,;'\"]+/)+(?=[^\s/]+/[^\s/]+)")  # all but the last two parts of a path

UNEXPECTED = "Something went wrong that attnviz did not expect. Reload the page; the details are in the server's log."


def short(value: float, digits: int = 4) -> str:
    """Return a number with at most `digits` digits, three if very large or small: 0.0049, 12.30, 1.2 × 10⁻⁷."""
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}\u221e"
    if size == 0:
        return "0"
    if size >= 1e5 or size < 1e-4:
        mantissa, power = f"{size:.{min(digits, 3) - 1}e}".split("e")
        return f"{sign}{mantissa}\u00a0\u00d7\u00a010{str(int(power)).translate(RAISED)}"
    return f"{sign}{size:.{max(0, digits - 1 - math.floor(math.log10(size)))}f}"


def share(value: float) -> str:
    """Return a share as a percentage, like percent() in frontend/core/numbers.js: "98.3 %", "> 99.99 %".

    These two functions format every probability and every other share, for consistency; a value that single precision
    cannot distinguish from 1 is 100 %. Accuracies over many test pictures have two more digits:
    `attnviz.formatting.percent`.
    """
    if not math.isfinite(value):
        return short(value)
    if value < 0:
        return f"{MINUS}{-100 * value:.1f} %"
    if value > 0.99995 and value <= 1 - ONE:
        return "> 99.99 %"
    if 0 < value < 0.00005:
        return "< 0.01 %"
    whole, near = value == 0 or value > 1 - ONE, value > 0.9995 or value < 0.0005
    return f"{100 * value:.{0 if whole else 2 if near else 1}f} %"


def change_in_points(found: Difference, loses: str, gains: str) -> str:
    """Return part of a sentence on the change of a trained model's accuracy: "falls by 3.00 points (95 % interval 2.00
    to 4.00)". `found` is the original minus the changed model, as shares; `loses` and `gains` are the verbs.
    """
    sign, verb = (100, loses) if found.value >= 0 else (-100, gains)
    change = f"{verb} {sign * found.value:.2f} points"
    if found.interval:
        low, high = sorted(sign * end for end in found.interval)
        change += with_minus(f" (95 % interval {low:.2f} to {high:.2f})")
    return change


def verbatim(text: str) -> str:
    """Return Markdown that shows `text` literally, without server paths, as `told` does, and cut, since it may quote
    anything from a URL: at most LONGEST characters of a word, and ten times as many in total.
    """
    cut = re.sub(rf"(\S{{{LONGEST}}})\S+", r"\1…", told(text))
    cut = f"{cut[: 10 * LONGEST]}…" if len(cut) > 10 * LONGEST else cut
    unlinked = re.sub(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", WORD_JOINER, cut)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", unlinked)


def told(error: object) -> str:
    """Return an error's message for a visitor, with paths relative to attnviz, not to the server."""
    text = str(error)
    for root in sorted(map(str, _roots()), key=len, reverse=True):
        text = text.replace(f"{root.rstrip(os.sep)}{os.sep}", "")
    return _PLACE.sub("", text)


def _roots() -> set[Path]:
    """Return the folders that would reveal the server's layout: those around its input and output files."""
    named = (Path(os.environ[name]).expanduser() for name in os.environ if name.startswith("ATTNVIZ_"))
    known = [*(one.parent for one in named if one.is_absolute()), Path.cwd(), paths.shipped(""), Path.home()]
    return {one for one in (*known, *map(Path, map(os.path.realpath, known))) if len(one.parts) > 1}


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def without_shared_start(names: Sequence[str]) -> list[str]:
    """Return names without the words that all of them begin with, if the rest still distinguishes them.

    A number keeps the words before it, since "15" of "Strips up to 15" would not be understood.
    """
    common = commonprefix([re.split(r"(?<=\w)(?=[ ,:])", name) for name in names]) if len(names) > 1 else []
    rest = [name[len("".join(common)) :] for name in names]
    cut = [name.lstrip(" ,:") for name in rest]
    if (
        not common
        or not all(cut)
        or len({one.lower() for one in cut}) < len(cut)
        or any(re.match(r" \d", name) for name in rest)
    ):
        return [*names]
    return [name[0].upper() + name[1:] for name in cut]
