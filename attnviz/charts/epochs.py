"""Lines over the epochs of a training, as HTML that page.css styles: curves of trainings, and effects of parts.

This is not Plotly, whose script takes a browser longer than the rest of the page; these charts are redrawn every few
seconds during a training.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from attnviz.charts import with_minus

_TICKS = 4
_DOTS = 60  # up to this number of epochs, each has a dot with its value


@dataclass(frozen=True)
class Line:
    """A line of the plot.

    Args:
        name: name in the legend and in the text alternative; "" leaves it out of both.
        points: epoch and value, ascending.
        kind: CSS classes, which determine the colour.
        said: text before the value of each dot; by default the epoch alone.
    """

    name: str
    points: Sequence[tuple[int, float]]
    kind: str
    said: str = ""


def plot(
    title: str,
    lines: Sequence[Line],
    across: Callable[[int], float],
    epochs: Sequence[int],
    written: Callable[[float], str],
    *,
    exact: Callable[[float], str] | None = None,
    last: Callable[[float], str] | None = None,
    bounds: tuple[float, float] | None = None,
) -> str:
    """Draw lines in one plot.

    Args:
        across: returns the horizontal position of an epoch in percent.
        epochs: the labels of the axis.
        written: formats a value.
        exact: formats the value of a dot; `written` by default.
        last: formats the last value of a line for the legend; `written` by default.
        bounds: the lowest and the highest value; by default round numbers around the values.

    Returns:
        HTML, in which titles and names are escaped.
    """
    ends = [value for line in lines for _, value in line.points]
    low, high = bounds or round_bounds(min(ends), max(ends))
    named = [(line, (last or written)(line.points[-1][1])) for line in lines if line.name]
    spoken = "; ".join(f"{line.name} {value} at {line.points[-1][0]}" for line, value in named)
    body = "".join(_drawn(line, across, low, high, exact or written) for line in lines)
    zero = " curves-zero" * (low < 0)
    rows = "".join(
        f'<i class="curves-tick{zero * (abs(value) < 1e-12)}" style="bottom:{100 * (value - low) / (high - low):.2f}%">'
        f"<b>{written(value)}</b></i>"
        for value in _ticks(low, high)
    )
    columns = "".join(f'<i class="curves-epoch" style="left:{across(epoch):.2f}%">{epoch}</i>' for epoch in epochs)
    legend = "".join(
        f'<span><i class="curves-key {line.kind}"></i>{escape(line.name)} <b>{value}</b></span>'
        for line, value in named
    )
    return (
        f'<div class="curves" role="img" aria-label="{escape(title)} by epoch: {escape(spoken)}">'
        f"<p><strong>{escape(title)}</strong> by epoch {legend}</p>"
        f'<div class="curves-plot">{rows}{columns}{body}</div></div>'
    )


def _drawn(line: Line, across: Callable[[int], float], low: float, high: float, exact: Callable[[float], str]) -> str:
    """Draw a line, and a dot for each epoch, or only for the last if there are very many."""
    at = [(across(epoch), 100 * (high - value) / (high - low), epoch, value) for epoch, value in line.points]
    shape = " ".join(f"{x:.2f},{y:.2f}" for x, y, _, _ in at)
    drawn = (
        f'<svg class="{line.kind}" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<polyline points="{shape}" vector-effect="non-scaling-stroke"></polyline></svg>'
    )
    dots = "".join(
        f'<i class="curves-dot {line.kind}" style="left:{x:.2f}%;top:{y:.2f}%" '
        f'title="epoch {epoch}{", " * bool(line.said)}{escape(line.said)}: {exact(value)}"></i>'
        for x, y, epoch, value in (at if len(at) <= _DOTS else at[-1:])
    )
    return drawn + dots


def round_bounds(low: float, high: float) -> tuple[float, float]:
    """Return round numbers below and above some values, given their minimum and maximum."""
    size = max(abs(low), abs(high))
    if high - low <= max(1e-12 * size, 1e-200):  # equal up to rounding
        size = size if size > 1e-200 else 1
        low, high = low - size / 10, high + size / 10
    step = 0.0
    while step != (wider := _step(high - low)):  # rounded bounds reach further and may need longer steps
        step = wider
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return low, high


def _step(span: float) -> float:
    size = 10.0 ** math.floor(math.log10(span / _TICKS))
    return next(size * factor for factor in (1, 2, 5, 10) if span / (size * factor) <= _TICKS)


def _ticks(low: float, high: float) -> list[float]:
    step = _step(high - low)
    return [low + step * place for place in range(round((high - low) / step) + 1)]


def curves(runs: Mapping[str, Sequence[Mapping[str, float | None]]], name: str) -> str:
    """Draw one figure of several runs by epoch, with training dashed and validation solid.

    Args:
        runs: title of a run -> the values of each epoch by name.
        name: name of the figure, such as "loss", for which "train_loss" and "validation_loss" are drawn if present; or
            the full name of a curve.

    Returns:
        HTML, in which titles and names are escaped.
    """
    drawn = []
    for number, (title, epochs) in enumerate(runs.items()):
        for column, part in ((f"validation_{name}", "validation"), (f"train_{name}", "training"), (name, "")):
            points = [(place, value) for place, one in enumerate(epochs, 1) if (value := one.get(column)) is not None]
            if points:
                label = ", ".join(filter(None, [title if len(runs) > 1 else "", part])) or "value"
                kind = f"curves-{number % 6}{' curves-train' * (part == 'training')}"
                drawn.append(Line(label, points, kind, part))
    if not drawn:
        return ""
    last = max(line.points[-1][0] for line in drawn)
    return plot(
        name.replace("_", " "), drawn, lambda epoch: _across(epoch, last), _epochs(last), _short, exact="{:.6g}".format
    )


def _across(epoch: int, last: int) -> float:
    return 50.0 if last == 1 else 100 * (epoch - 1) / (last - 1)


def _epochs(last: int) -> list[int]:
    step = 1
    while last / step > 12:
        step = next(step * factor for factor in (2, 5) if last / (step * factor) <= 12 or factor == 5)
    return sorted({1, *range(step, last + 1, step)} if step > 1 else range(1, last + 1))


def _short(value: float, digits: int = 4) -> str:
    return with_minus(f"{0.0 if abs(value) < 1e-12 else value:.{digits}g}")


MOST = 6
"""The maximum number of parts with a colour and a name, those with the largest last values."""


def effects(
    title: str, epochs: Sequence[int], values: Mapping[str, Sequence[float]], *, top: float | None = None
) -> str:
    """Draw the effect of several parts over the epochs with stored weights, evenly spaced as on the slider.

    Args:
        epochs: the epochs with stored weights, ascending; 0 is before the training.
        values: name of a part -> its value in each of the epochs.
        top: the highest possible value; by default the plot ends above the largest value.

    Returns:
        HTML, in which titles and names are escaped.
    """
    places = {epoch: 100 * place / max(1, len(epochs) - 1) for place, epoch in enumerate(epochs)}
    largest = sorted(values, key=lambda name: -values[name][-1])[:MOST]
    lines = [
        Line("", list(zip(epochs, values[name], strict=True)), "curves-quiet", name)
        for name in values
        if name not in largest
    ]
    for number, name in enumerate(largest):
        lines.append(Line(name, list(zip(epochs, values[name], strict=True)), f"curves-{number}", name))
    low = min(0.0, *(value for some in values.values() for value in some))
    high = top or max(0.0, *(value for some in values.values() for value in some)) or 1.0
    if -low < high / 50:
        low = 0.0  # values slightly below the axis get no extra space
    most = max(abs(some[-1]) for some in values.values()) or 1.0
    decimals = min(3, max(0, 2 - math.floor(math.log10(most))))  # the same for all names, for comparison
    return plot(
        title, lines, places.__getitem__, epochs, partial(_short, digits=3), exact="{:.4g}".format,
        last=f"{{:.{decimals}f}}".format, bounds=round_bounds(low, high),
    )  # fmt: skip
