"""Results as dots with intervals over seeds: a mechanism beside its controls, and beside what a paper gives."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

# Streamlit puts the theme's colours for charts in the place of these names (see .streamlit/config.toml).
_ATTENTION, _CONTROL, _OTHER = "#000005", "#000004", "#000006"
_LINE = "rgba(128, 128, 128, 0.6)"
_TICKS = {
    "tickvals": [digit * 10**power for power in range(1, 9) for digit in (1, 2, 5)],
    "ticktext": [f"{digit * 10**power:,}" for power in range(1, 9) for digit in (1, 2, 5)],
}
_HEIGHT = 22  # pixels per row


@dataclass(frozen=True)
class Dot:
    """One trained model, or several seeds of it.

    Args:
        name: what people read.
        mean, lowest, highest: over the seeds.
        seeds: how many.
        control: whether it is there to be compared with.
        parameters: how many numbers were learnt.
        claimed: what a paper gives for it; None where it gives nothing.
    """

    name: str
    mean: float
    lowest: float
    highest: float
    seeds: int
    control: bool = False
    parameters: int | None = None
    claimed: float | None = None


def dots(rows: Sequence[Dot], *, axis: str, chance: float | None = None) -> go.Figure:
    """Draw a row per model, in the order given, from the top.

    Args:
        rows: the models; their names differ.
        axis: what is measured, with its unit.
        chance: what guessing gives; a dashed line.
    """
    figure = _figure(rows, lambda some: {"x": [one.mean for one in some], "y": [one.name for one in some]}, "error_x")
    claimed = [one for one in rows if one.claimed is not None]
    if claimed:
        figure.add_scatter(
            x=[one.claimed for one in claimed], y=[one.name for one in claimed], name="the paper", mode="markers",
            marker={"symbol": "diamond-open", "size": 10, "color": _OTHER, "line": {"width": 2}},
            hovertemplate="%{x:.4g}<extra>%{y}, the paper</extra>",
        )  # fmt: skip
    if chance is not None:
        figure.add_vline(
            chance,
            line={"width": 1, "dash": "dot", "color": _LINE},
            annotation={"text": "guessing", "yref": "paper", "y": 0, "yanchor": "bottom"},
        )
    figure.update_layout(
        xaxis={"title": axis},
        yaxis={"categoryorder": "array", "categoryarray": [one.name for one in rows][::-1], "automargin": True},
        height=_HEIGHT * len(rows) + 84,
    )
    return figure


def trade(rows: Sequence[Dot], *, axis: str) -> go.Figure:
    """Draw what is measured over the number of parameters, on a logarithmic axis; rows without it are left out.

    Args:
        rows: the models.
        axis: what is measured, with its unit.
    """
    counted = [one for one in rows if one.parameters is not None]
    figure = _figure(
        counted, lambda some: {"x": [one.parameters for one in some], "y": [one.mean for one in some]}, "error_y"
    )
    # Names where they are asked for first: of the controls, and of the best with the mechanism. The others on hover.
    best = max((one.mean for one in counted if not one.control), default=None)
    for trace in figure.data:
        named = [
            name if trace.name == "control" or mean == best else ""
            for name, mean in zip(trace.text, trace.y, strict=True)
        ]
        trace.update(mode="markers+text", texttemplate=named, textposition="bottom center", textfont={"size": 12})
    figure.update_layout(
        xaxis={"title": "parameters", "type": "log", "range": _wide([one.parameters for one in counted]), **_TICKS},
        yaxis={"title": axis}, height=440,
    )  # fmt: skip
    return figure


def _wide(counts: list[int | None]) -> list[float] | None:
    """Return the range of a logarithmic axis with room for names at both ends."""
    known = [math.log10(count) for count in counts if count]
    return [min(known) - 0.25, max(known) + 0.25] if known else None


def _figure(rows: Sequence[Dot], place: Callable[[list[Dot]], dict[str, list[Any]]], bars: str) -> go.Figure:
    figure = go.Figure()
    kinds = (("with the mechanism", False, _ATTENTION, "circle"), ("control", True, _CONTROL, "square"))
    for name, control, colour, symbol in kinds:
        some = [one for one in rows if one.control is control]
        if not some:
            continue
        interval = {
            "type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 4,
            "array": [one.highest - one.mean for one in some], "arrayminus": [one.mean - one.lowest for one in some],
        }  # fmt: skip
        said = [
            f"{one.mean:.4g}, {one.lowest:.4g} to {one.highest:.4g} over {one.seeds} seeds" if one.seeds > 1
            else f"{one.mean:.4g}, one seed" for one in some
        ]  # fmt: skip
        figure.add_scatter(
            **place(some), name=name, mode="markers", text=[one.name for one in some], customdata=said,
            marker={"symbol": symbol, "size": 9, "color": colour}, **{bars: interval},
            hovertemplate="%{customdata}<extra>%{text}</extra>",
        )  # fmt: skip
    figure.update_layout(
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        hovermode="closest",
    )
    return figure
