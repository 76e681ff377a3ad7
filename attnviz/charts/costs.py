"""The cost of replacing parts of models in two ways, as dots with intervals in both directions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

# Streamlit replaces these names with the theme's chart colours: attention, a control.
_DOTS, _LINE = "#000005", "#000004"
_TICKS = (-3, -1, 0, 1, 3, 10, 30)
_WIDTH, _HEIGHT = 130, 24  # approximate size of a stretched unit in pixels, on a page of 1,280 pixels
_TEXTPOSITIONS = [f"{up} {across}" for up in ("top", "bottom", "middle") for across in ("right", "left", "center")][:-1]


@dataclass(frozen=True)
class Cost:
    """A dot of the chart.

    Args:
        name: label of the dot.
        title: what is replaced, shown on hover.
        across, up: costs in points, each with the limits of its interval; limits equal to the value are not drawn.
        counts: whether the dot is filled.
    """

    name: str
    title: str
    across: tuple[float, float, float]
    up: tuple[float, float, float]
    counts: bool


def costs(dots: Sequence[Cost], *, axes: tuple[str, str], kinds: tuple[str, str], equal: str) -> go.Figure:
    """Draw dots on two equal axes that are linear near 0 and logarithmic far from it.

    Args:
        dots: all dots.
        axes: titles of the horizontal and the vertical axis, with units.
        kinds: what filled and open dots stand for.
        equal: label of the line of equal costs.
    """
    figure = go.Figure()
    ends = [_stretched(value) for value in (min(-4.0, *(dot.up[1] for dot in dots)), 75.0)]
    figure.add_scatter(
        x=ends, y=ends, mode="lines", name=equal, hoverinfo="skip", line={"color": _LINE, "dash": "dash", "width": 2}
    )
    for kind, counts in zip(kinds, (True, False), strict=True):
        some = [dot for dot in dots if dot.counts == counts]
        if not some:
            continue
        figure.add_scatter(
            x=[_stretched(dot.across[0]) for dot in some], y=[_stretched(dot.up[0]) for dot in some], name=kind,
            mode="markers+text" if counts else "markers", **_names(some, dots),
            marker={"size": 8, "color": _DOTS, "symbol": "circle" if counts else "circle-open"},
            error_x=_bars([dot.across for dot in some]), error_y=_bars([dot.up for dot in some]),
            customdata=[[_title(dot), dot.across[0], dot.up[0]] for dot in some],
            hovertemplate="%{customdata[0]}: %{customdata[1]:+.2f}, %{customdata[2]:+.2f}<extra></extra>",
        )  # fmt: skip
    ticks = {
        "tickvals": [_stretched(one) for one in _TICKS],
        "ticktext": [str(one).replace("-", "\u2212") for one in _TICKS],
    }
    figure.update_layout(
        xaxis={"title": axes[0], **ticks}, yaxis={"title": axes[1], **ticks},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        margin={"l": 8, "r": 8, "t": 8, "b": 8}, height=300, hovermode="closest",
    )  # fmt: skip
    return figure


def _title(dot: Cost) -> str:
    return f"{dot.name}: {dot.title}" if dot.counts else dot.title


def _names(some: Sequence[Cost], dots: Sequence[Cost]) -> dict[str, list[str]]:
    """Place each name where it covers no dot and no other name; a name without space appears on hover only."""
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in map(_pixels, dots)]
    names, positions = [], []
    for dot in some:
        x, y = _pixels(dot)
        wide, high = 7 * len(dot.name), 12
        for position in _TEXTPOSITIONS:
            up, across = position.split()
            left = x + {"left": -wide - 5, "center": -wide / 2, "right": 5}[across]
            low = y + {"bottom": -high - 5, "middle": -high / 2, "top": 5}[up]
            box = left, low, left + wide, low + high
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                break
        else:
            position = ""
        names.append(dot.name if position else "")
        positions.append(position or _TEXTPOSITIONS[0])
    return {"text": names, "textposition": positions}


def _pixels(dot: Cost) -> tuple[float, float]:
    return _WIDTH * _stretched(dot.across[0]), _HEIGHT * _stretched(dot.up[0])


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _stretched(points: float) -> float:
    return math.asinh(points)


def _bars(values: Sequence[tuple[float, float, float]]) -> dict[str, object]:
    return {
        "type": "data", "symmetric": False, "thickness": 1, "width": 0, "color": _DOTS,
        "array": [_stretched(high) - _stretched(value) for value, _, high in values],
        "arrayminus": [_stretched(value) - _stretched(low) for value, low, _ in values],
    }  # fmt: skip
