"""Charts in plotly: pairs of numbers, curves with their spread, and the progress of trainings and searches."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from attnviz.arrays import Floats
from attnviz.charts.dots import Dot

# Streamlit replaces these names with the theme's chart colours (see .streamlit/config.toml).
COLOURS = ATTENTION, CONTROL, OTHER, _ = "#000005", "#000004", "#000006", "#000003"
DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


def _laid_out(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Return a figure with narrow margins and its legend above."""
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left", **layout.pop("legend", {})}
    figure.update_layout(height=height, margin={"l": 8, "r": 8, "t": 8, "b": 8}, legend=legend, **layout)
    return figure


def _with_band(
    figure: go.Figure, at: int, name: str, x: Floats, mean: Floats, spread: Floats, hover: str, data: Any
) -> None:
    """Add a line with a band of its spread; lines differ in colour, dash and symbol."""
    colour, dash, symbol = COLOURS[at], DASHES[at], SYMBOLS[at]
    # A band is one closed line, drawn forwards along one bound and back along the other.
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]), y=np.concatenate([mean + spread, (mean - spread)[::-1]]), fill="toself",
        fillcolor=colour, opacity=0.12, line={"width": 0}, mode="lines", hoverinfo="skip", showlegend=False,
        legendgroup=name,
    )  # fmt: skip
    figure.add_scatter(
        x=x, y=mean, name=name, legendgroup=name, mode="lines+markers", customdata=data,
        line={"color": colour, "dash": dash, "width": 2}, marker={"symbol": symbol, "size": 8, "color": colour},
        hovertemplate=f"{hover}<extra>{name}</extra>",
    )  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line in a scatter plot.

    Args:
        slope, offset: coefficients of the line.
        dash: "solid", "dash" or "dot".
    """

    name: str
    slope: float
    offset: float = 0.0
    dash: str = "solid"


def scatter(
    across: Floats, up: Floats, lines: Sequence[Line], *, dots: str, axes: tuple[str, str], step: float | None = None
) -> go.Figure:
    """Draw pairs of numbers on the same scale in both directions, with lines.

    Args:
        across, up: (pair,), of equal length.
        lines: lines to compare the pairs with.
        dots: what a dot is, for the legend.
        step: distance between ticks, with axes that end at a tick. None: they end at the farthest pair.
    """
    reach = float(max(np.abs(across).max(), np.abs(up).max()))
    if step is not None:
        reach = step * max(1, math.ceil(reach / step))
    ends = np.array([-reach, reach])
    figure = go.Figure()
    figure.add_scatter(
        x=across, y=up, mode="markers", name=dots, marker={"size": 4, "color": ATTENTION, "opacity": 0.5},
        hovertemplate="%{x:.0f}, %{y:.0f}<extra></extra>",
    )  # fmt: skip
    for line in lines:
        figure.add_scatter(
            x=ends, y=line.slope * ends + line.offset, mode="lines", name=line.name, hoverinfo="skip",
            line={"color": CONTROL, "dash": line.dash, "width": 2},
        )  # fmt: skip
    if step is not None:
        figure.update_xaxes(dtick=step, tick0=0)
        figure.update_yaxes(dtick=step, tick0=0)
    return _laid_out(
        figure, 400, xaxis={"title": axes[0], "range": [-1.03 * reach, 1.03 * reach]},
        yaxis={"title": axes[1], "range": [-1.03 * reach, 1.03 * reach]}, hovermode="closest",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Rule:
    """One way of choosing what to remove.

    Args:
        name: name in the legend.
        mean, spread: (count,), mean and spread of the change over pictures.
    """

    name: str
    mean: Floats
    spread: Floats


def removal(
    counts: npt.NDArray[np.int64], rules: Sequence[Rule], *, unit: str, places: int, pictures: int
) -> go.Figure:
    """Draw the mean change of the logit by the number of removals, with a band of one standard deviation over pictures.

    Args:
        counts: (count,), numbers of removals.
        rules: at most three, which differ in colour, dash and symbol.
        unit: what is removed, such as "pixels".
        places: number of these per picture.
    """
    figure = go.Figure()
    for at, rule in enumerate(rules):  # 0 removals change nothing
        x, mean, spread = (np.concatenate([[0], values]) for values in (counts, rule.mean, rule.spread))
        hover = f"%{{x}} {unit}: %{{y:.3g}}, spread %{{customdata:.3g}}"
        _with_band(figure, at, rule.name, x, mean, spread, hover, spread)
    figure.add_hline(0, line={"width": 1, "color": "rgba(128, 128, 128, 0.6)"})
    return _laid_out(
        figure, 340, xaxis={"title": f"{unit} removed, of {places}", "rangemode": "tozero"},
        yaxis={"title": "change of the logit of the answer"}, hovermode="closest", meta={"pictures": pictures},
    )  # fmt: skip


def likeness(
    layers: npt.NDArray[np.int64], lines: Mapping[str, Floats], chance: Floats, names: Sequence[str]
) -> go.Figure:
    """Draw the mean of Kendall's tau by the number of random layers, with a band of one standard deviation.

    Args:
        layers: (step,), numbers of random layers; with none, a map is compared with itself, and tau is 1.
        lines: name of a map -> tau, (picture, step); at most four, which differ in colour, dash and symbol.
        chance: (picture, draw), tau of random maps, drawn as a band of one standard deviation around the mean.
        names: names of all layers, in the order in which they are randomised.
    """
    figure = go.Figure()
    mean, spread = float(np.nanmean(chance)), float(np.nanstd(chance))
    figure.add_hrect(mean - spread, mean + spread, fillcolor="rgba(128, 128, 128, 0.25)", line_width=0)
    x = np.concatenate([[0], layers])
    words = ["none", *(f"down to {names[count - 1]}" for count in layers)]
    for at, (name, taus) in enumerate(lines.items()):
        with np.errstate(invalid="ignore"):
            middle = np.concatenate([[1.0], np.nanmean(taus, 0)])
            wide = np.concatenate([[0.0], np.nanstd(taus, 0)])
        _with_band(figure, at, name, x, middle, wide, "%{x} random, %{customdata}: %{y:.2f}", words)
    return _laid_out(
        figure, 340, xaxis={"title": f"layers made random, of {len(names)}", "rangemode": "tozero"},
        yaxis={"title": "Kendall's tau with the trained map"}, hovermode="closest",
    )  # fmt: skip


def history(values: Sequence[float | None], measure: str, higher: bool) -> go.Figure:
    """Draw a dot for each trial, and a line for the best so far: the highest value if `higher`, else the lowest."""
    best: list[float | None] = []
    for value in values:
        known = [one for one in (value, best[-1] if best else None) if one is not None]
        best.append((max if higher else min)(known) if known else None)
    numbers = list(range(1, len(values) + 1))
    figure = go.Figure()
    figure.add_scatter(x=numbers, y=list(values), name="trial", mode="markers", marker={"color": OTHER, "size": 6})
    figure.add_scatter(x=numbers, y=best, name="best so far", mode="lines", line={"color": CONTROL, "shape": "hv"})
    return _laid_out(figure, 260, xaxis={"title": "trial"}, yaxis={"title": measure})


def course_of_norm(steps: Sequence[Sequence[Mapping[str, float]]]) -> go.Figure:
    """Draw a line per layer and number over the steps, each with the "scale" and "shift" of one or two layers."""
    figure = go.Figure()
    for layer, colour in zip(range(len(steps[0])), (OTHER, CONTROL), strict=False):
        for name, dash in (("scale", "solid"), ("shift", "dash")):
            figure.add_scatter(
                y=[step[layer][name] for step in steps], name=f"{name}, layer {layer + 1}", mode="lines",
                line={"dash": dash, "color": colour},
            )  # fmt: skip
    figure.add_hline(0, line={"width": 1, "color": "rgba(128, 128, 128, 0.6)"})
    return _laid_out(figure, 220, xaxis={"title": "steps"})


_KINDS = (  # the first is drawn below the others and comes last in the legend
    ("control", "control", CONTROL, "square", "top center"),
    ("with the mechanism", "mechanism", ATTENTION, "circle", "bottom center"),
)
_TICKS = {
    "tickvals": [digit * 10**power for power in range(1, 9) for digit in (1, 2, 5)],
    "ticktext": [f"{digit * 10**power:,}" for power in range(1, 9) for digit in (1, 2, 5)],
}


def trade(rows: Sequence[Dot], *, axis: str) -> go.Figure:
    """Draw a measure over the number of parameters, on a logarithmic axis; rows without that number are omitted."""
    counted = [(one, one.parameters) for one in rows if one.parameters is not None]
    # Names are shown where they matter most: controls that are other networks, and the best model with the mechanism.
    # The others appear on hover.
    best = max((one.mean for one, _ in counted if not one.control), default=None)
    sizes = {count for one, count in counted if not one.control}
    figure = go.Figure()
    for legend, kind, colour, symbol, beside in _KINDS:
        some = [(one, count) for one, count in counted if one.kind == kind]
        if not some:
            continue
        interval = {
            "type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 4,
            "array": [one.highest - one.mean for one, _ in some],
            "arrayminus": [one.mean - one.lowest for one, _ in some],
        }  # fmt: skip
        figure.add_scatter(
            x=[count for _, count in some], y=[one.mean for one, _ in some], error_y=interval, name=legend,
            mode="markers+text", marker={"symbol": symbol, "size": 9, "color": colour},
            text=[one.name for one, _ in some], customdata=[one.words for one, _ in some],
            texttemplate=[
                one.name if (count not in sizes if one.control else one.mean == best) else "" for one, count in some
            ],
            textposition=beside, textfont={"size": 12},
            hovertemplate="%{customdata}<extra>%{text}</extra>",
        )  # fmt: skip
    return _laid_out(
        figure, 440, yaxis={"title": axis}, hovermode="closest", legend={"traceorder": "reversed"},
        xaxis={"title": "parameters", "type": "log", "range": _wide([count for _, count in counted]), **_TICKS},
    )  # fmt: skip


def _wide(counts: list[int]) -> list[float] | None:
    """Return the range of a logarithmic axis with space for names at both ends."""
    return [math.log10(min(counts)) - 0.25, math.log10(max(counts)) + 0.25] if counts else None
