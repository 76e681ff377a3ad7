"""The trials of a search in the order in which they were trained, and the best so far."""

from collections.abc import Sequence

import plotly.graph_objects as go

# Streamlit puts the theme's colours for charts in place of these names (see .streamlit/config.toml).
_TRIALS, _BEST = "#000006", "#000004"


def history(values: Sequence[float | None], measure: str, higher: bool) -> go.Figure:
    """Draw a dot for each trial, and a line for the best so far.

    Args:
        measure: the name of the values.
        higher: whether a higher value is better.
    """
    best: list[float | None] = []
    for value in values:
        known = [one for one in (value, best[-1] if best else None) if one is not None]
        best.append((max if higher else min)(known) if known else None)
    numbers = list(range(1, len(values) + 1))
    figure = go.Figure()
    figure.add_scatter(x=numbers, y=list(values), name="trial", mode="markers", marker={"color": _TRIALS, "size": 6})
    figure.add_scatter(x=numbers, y=best, name="best so far", mode="lines", line={"color": _BEST, "shape": "hv"})
    figure.update_layout(
        height=260, margin={"l": 8, "r": 8, "t": 8, "b": 8}, xaxis={"title": "trial"}, yaxis={"title": measure},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )  # fmt: skip
    return figure
