"""What is measured over the number of parameters: is a mechanism worth what it costs?"""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from attnviz.charts.dots import Dot

# Streamlit puts the theme's colours for charts in place of these names (see .streamlit/config.toml).
_KINDS = (  # the first lies below and is last in the legend
    ("control", "control", "#000004", "square", "top center"),
    ("with the mechanism", "mechanism", "#000005", "circle", "bottom center"),
)
_TICKS = {
    "tickvals": [digit * 10**power for power in range(1, 9) for digit in (1, 2, 5)],
    "ticktext": [f"{digit * 10**power:,}" for power in range(1, 9) for digit in (1, 2, 5)],
}


def trade(rows: Sequence[Dot], *, axis: str) -> go.Figure:
    """Draw what is measured over the number of parameters, on a logarithmic axis; rows without it are left out."""
    counted = [(one, one.parameters) for one in rows if one.parameters is not None]
    # Names where they are asked for first: of the controls that are other networks, and of the best with the mechanism.
    # The others on hover.
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
    figure.update_layout(
        xaxis={"title": "parameters", "type": "log", "range": _wide([count for _, count in counted]), **_TICKS},
        yaxis={"title": axis}, height=440, hovermode="closest", margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={
            "orientation": "h", "traceorder": "reversed",
            "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left",
        },
    )  # fmt: skip
    return figure


def _wide(counts: list[int]) -> list[float] | None:
    """Return the range of a logarithmic axis with space for names at both ends."""
    return [math.log10(min(counts)) - 0.25, math.log10(max(counts)) + 0.25] if counts else None
