"""Results as dots with intervals over seeds: a mechanism next to its controls and to the paper's figures.

The picture is HTML with positions in percent, not a Plotly figure, because it is on every mechanism's page and Plotly's
script takes a browser longer than the rest of such a page (benchmarks/start.py).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeGuard

from attnviz.charts import with_minus
from attnviz.charts.tables import anchor

_TICKS = 5  # about as many as fit on a phone
_KINDS = {"mechanism": "with the mechanism", "control": "control", "claimed": "the paper"}


@dataclass(frozen=True)
class Dot:
    """One trained model, or several seeds of it.

    Args:
        name: name for people.
        mean, lowest, highest: statistics over the seeds.
        control: whether the model is a control.
        parameters: number of learnt parameters.
        claimed: the paper's value, or None.
        link: URL of a page about the model, or None.
        counted: what is counted instead of seeds.
    """

    name: str
    mean: float
    lowest: float
    highest: float
    seeds: int
    control: bool = False
    parameters: int | None = None
    claimed: float | None = None
    link: str | None = None
    counted: str = "seeds"

    @property
    def kind(self) -> str:
        """The kind of its mark: "mechanism" or "control"."""
        return "control" if self.control else "mechanism"

    @property
    def words(self) -> str:
        """The mean and range, such as "81.19, 80.90 to 81.50 over 5 seeds"."""
        mean, lowest, highest = map(_written, (self.mean, self.lowest, self.highest))
        if self.seeds == 1:
            return f"{mean}, one {self.counted.removesuffix('s')}"
        return f"{mean}, {lowest} to {highest} over {self.seeds} {self.counted}"


def dots(rows: Sequence[Dot], *, axis: str, chance: float | None = None, kinds: Mapping[str, str] | None = None) -> str:
    """Return a picture with a row per model, in the given order, as HTML whose classes page.css styles.

    The scale covers our own measurements. A paper's value far outside it is placed at the edge, with its number.

    Args:
        axis: the measure, with its unit.
        chance: the result of guessing, drawn as a dotted line.
        kinds: labels of the marks "mechanism" and "control", if they differ.
    """
    values = [value for one in rows for value in (one.lowest, one.highest)]
    values += [chance] if chance is not None else []
    width = (max(values) - min(values)) or math.inf
    values += [one.claimed for one in rows if _near(one.claimed, min(values) - width, max(values) + width)]
    scale = _Scale(min(values), max(values))
    there = {one.kind for one in rows} | {"claimed" for one in rows if one.claimed is not None}
    said = {**_KINDS, **(kinds or {})}
    legend = "".join(
        f'<span><i class="dots-{kind}"></i>{escape(words)}</span>' for kind, words in said.items() if kind in there
    )
    lines = "".join(f'<i class="dots-tick" style="left:{scale.place(tick)}%"></i>' for tick in scale.ticks)
    numbers = "".join(f'<b style="left:{scale.place(tick)}%">{tick:.{scale.decimals}f}</b>' for tick in scale.ticks)
    if chance is not None:
        lines += f'<i class="dots-chance" style="left:{scale.place(chance)}%"></i>'
        legend += '<span><i class="dots-chance"></i>guessing</span>'
    return (
        f'<div class="dots-legend"><strong>{escape(axis)}</strong>{legend}</div>'
        f'<ul class="dots">{"".join(_row(one, scale, lines) for one in rows)}'
        f'<li aria-hidden="true"><span></span><span class="dots-track">{numbers}</span><span></span></li></ul>'
    )


def _near(claimed: float | None, first: float, last: float) -> TypeGuard[float]:
    return claimed is not None and first <= claimed <= last


class _Scale:
    """A scale from values, between the lowest and the highest one drawn, to percent of the width, with round ticks
    inside.
    """

    def __init__(self, lowest: float, highest: float) -> None:
        margin = 0.05 * (highest - lowest) or 0.5
        self.first, self.last = lowest - margin, highest + margin
        step = _round_step((self.last - self.first) / _TICKS)
        self.decimals = max(0, -math.floor(math.log10(step)))
        numbers = range(math.ceil(self.first / step), math.floor(self.last / step) + 1)
        self.ticks = [number * step for number in numbers]

    def place(self, value: float) -> float:
        """Return the distance of a value from the left, in percent."""
        return round(100 * (value - self.first) / (self.last - self.first), 2)


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, ... that is at least as large."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= 0.999 * least)


def _row(one: Dot, scale: _Scale, lines: str) -> str:
    left, right = scale.place(one.lowest), scale.place(one.highest)
    marks = f'<i class="dots-range" style="left:{left}%;width:{right - left:.2f}%"></i>' if one.seeds > 1 else ""
    marks += f'<i class="dots-{one.kind}" style="left:{scale.place(one.mean)}%"></i>'
    words = one.words
    if one.claimed is not None:
        place = min(max(scale.place(one.claimed), 0), 100)
        marks += f'<i class="dots-claimed" style="left:{place}%"></i>'
        if place in (0, 100):
            marks += f'<small class="dots-{"left" if place == 0 else "right"}">{one.claimed:.2f}</small>'
        words += f"; the paper: {one.claimed:.2f}"
    return (
        f'<li title="{escape(words)}"><span>{anchor(one.link, one.name)}</span>'
        f'<span class="dots-track" aria-hidden="true">{lines}{marks}</span><span>{_written(one.mean)}</span></li>'
    )


def _written(value: float) -> str:
    return with_minus(f"{value:.2f}")
