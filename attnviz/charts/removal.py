"""How an answer changes when more and more of a picture is removed: a line with a band for each rule of choosing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

Array = npt.NDArray[np.float64]

# Streamlit puts the theme's colours for charts in place of these names: attention, a control, another.
_COLOURS = ("#000005", "#000004", "#000006")
_DASHES = ("solid", "dash", "dot")
_SYMBOLS = ("circle", "square", "diamond")


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule of choosing what is removed.

    Args:
        name: in the legend.
        mean, spread: (count,) of the change over pictures.
    """

    name: str
    mean: Array
    spread: Array


def removal(
    counts: npt.NDArray[np.int64], rules: Sequence[Rule], *, unit: str, places: int, pictures: int
) -> go.Figure:
    """Draw the mean change of the logit by how much is removed, with a band of one standard deviation over pictures.

    Args:
        counts: (count,) how many are removed.
        rules: at most three; told apart by colour, dash and symbol.
        unit: what is removed, such as "pixels".
        places: how many of them a picture has.
    """
    figure = go.Figure()
    for rule, colour, dash, symbol in zip(rules, _COLOURS, _DASHES, _SYMBOLS, strict=False):
        # A band is one closed line: there and back. Nothing is removed at 0, so nothing changes there.
        x, mean, spread = (np.concatenate([[0], values]) for values in (counts, rule.mean, rule.spread))
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]), y=np.concatenate([mean + spread, (mean - spread)[::-1]]),
            fill="toself", fillcolor=colour, opacity=0.12, line={"width": 0}, mode="lines", hoverinfo="skip",
            showlegend=False, legendgroup=rule.name,
        )  # fmt: skip
        figure.add_scatter(
            x=x, y=mean, name=rule.name, legendgroup=rule.name, mode="lines+markers", customdata=spread,
            line={"color": colour, "dash": dash, "width": 2}, marker={"symbol": symbol, "size": 8, "color": colour},
            hovertemplate=f"%{{x}} {unit}: %{{y:.3g}}, spread %{{customdata:.3g}}<extra>{rule.name}</extra>",
        )  # fmt: skip
    figure.add_hline(0, line={"width": 1, "color": "rgba(128, 128, 128, 0.6)"})
    figure.update_layout(
        xaxis={"title": f"{unit} removed, of {places}", "rangemode": "tozero"},
        yaxis={"title": "change of the logit of the answer"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        height=340,
        hovermode="closest",
        meta={"pictures": pictures},
    )
    return figure
