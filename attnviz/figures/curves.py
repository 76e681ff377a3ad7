"""The curves of trainings: a figure by epoch, training dashed and validation solid, as HTML that page.css styles.

Not Plotly: its script takes a browser longer than all the rest of the page, and these are drawn again every few seconds
while a training goes on.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

_TICKS = 4
_DOTS = 60  # epochs of a curve up to which each has a dot that says its value

Curve = Sequence[tuple[int, float]]


def curves(runs: Mapping[str, Sequence[Mapping[str, float | None]]], name: str) -> str:
    """Draw one figure of several runs.

    Args:
        runs: title of a run -> for each epoch, its values by name.
        name: of the figure, such as "loss": drawn of "train_loss" and "validation_loss", as far as they are there;
            or the name of a curve as it is.

    Returns:
        HTML; titles and names in it are escaped.
    """
    drawn = []
    for number, (title, epochs) in enumerate(runs.items()):
        for column, part in ((f"validation_{name}", "validation"), (f"train_{name}", "training"), (name, "")):
            points = [(place, value) for place, one in enumerate(epochs, 1) if (value := one.get(column)) is not None]
            if points:
                drawn.append((number, title if len(runs) > 1 else "", part, points))
    if not drawn:
        return ""
    ends = [value for *_, points in drawn for _, value in points]
    low, high = _bounds(min(ends), max(ends))
    last = max(place for *_, points in drawn for place, _ in points)
    words = name.replace("_", " ")
    said = "; ".join(
        f"{_label(title, part)} {_short(points[-1][1])} at {points[-1][0]}" for _, title, part, points in drawn
    )
    body = "".join(_drawn(number, part, points, low, high, last) for number, _, part, points in drawn)
    rows = "".join(
        f'<i class="curves-tick" style="bottom:{100 * (value - low) / (high - low):.2f}%"><b>{_short(value)}</b></i>'
        for value in _ticks(low, high)
    )
    columns = "".join(
        f'<i class="curves-epoch" style="left:{_across(epoch, last):.2f}%">{epoch}</i>' for epoch in _epochs(last)
    )
    legend = "".join(
        f'<span><i class="curves-key curves-{number % 6}{" curves-train" * (part == "training")}"></i>'
        f"{escape(_label(title, part))} <b>{_short(points[-1][1])}</b></span>"
        for number, title, part, points in drawn
    )
    return (
        f'<div class="curves" role="img" aria-label="{escape(words)} by epoch: {escape(said)}">'
        f"<p><strong>{escape(words)}</strong> by epoch {legend}</p>"
        f'<div class="curves-plot">{rows}{columns}{body}</div></div>'
    )


def _drawn(number: int, part: str, points: Curve, low: float, high: float, last: int) -> str:
    """Draw a curve: a line, and a dot for each epoch or, of very many, for the last."""
    at = [(_across(place, last), 100 * (high - value) / (high - low), place, value) for place, value in points]
    shape = " ".join(f"{x:.2f},{y:.2f}" for x, y, _, _ in at)
    kind = f"curves-{number % 6}{' curves-train' * (part == 'training')}"
    line = (
        f'<svg class="{kind}" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<polyline points="{shape}" vector-effect="non-scaling-stroke"></polyline></svg>'
    )
    dots = "".join(
        f'<i class="curves-dot {kind}" style="left:{x:.2f}%;top:{y:.2f}%" '
        f'title="epoch {place}{", " * bool(part)}{part}: {value:.6g}"></i>'
        for x, y, place, value in (at if len(at) <= _DOTS else at[-1:])
    )
    return line + dots


def _across(epoch: int, last: int) -> float:
    return 50.0 if last == 1 else 100 * (epoch - 1) / (last - 1)


def _bounds(low: float, high: float) -> tuple[float, float]:
    """Return round numbers below and above."""
    if low == high:
        low, high = low - (abs(low) or 1) / 10, high + (abs(high) or 1) / 10
    step = _step(high - low)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def _step(span: float) -> float:
    size = 10.0 ** math.floor(math.log10(span / _TICKS))
    return next(size * factor for factor in (1, 2, 5, 10) if span / (size * factor) <= _TICKS)


def _ticks(low: float, high: float) -> list[float]:
    step = _step(high - low)
    return [low + step * place for place in range(round((high - low) / step) + 1)]


def _epochs(last: int) -> list[int]:
    step = 1
    while last / step > 12:
        step = next(step * factor for factor in (2, 5) if last / (step * factor) <= 12 or factor == 5)
    return sorted({1, *range(step, last + 1, step)} if step > 1 else range(1, last + 1))


def _label(title: str, part: str) -> str:
    return ", ".join(filter(None, [title, part])) or "value"


def _short(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.4g}"
