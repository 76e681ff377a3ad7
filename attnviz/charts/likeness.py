"""How alike maps remain while more and more of a network is made random: a line with a band for each map."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

Array = npt.NDArray[np.float64]

# Streamlit puts the theme's colours for charts in place of these names.
_COLOURS = ("#000005", "#000004", "#000006", "#000003")
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up")


def likeness(
    layers: npt.NDArray[np.int64], lines: Mapping[str, Array], chance: Array, names: Sequence[str]
) -> go.Figure:
    """Draw the mean of Kendall's tau by how many layers are random, with a band of one standard deviation.

    Args:
        layers: (step,) how many are random; with none, a map is itself, and tau is 1.
        lines: name of a map -> tau, (picture, step); at most four, told apart by colour, dash and symbol.
        chance: of random maps, (picture, draw): a band of one standard deviation about their mean.
        names: of all layers, in the order in which they are made random.
    """
    figure = go.Figure()
    mean, spread = float(np.nanmean(chance)), float(np.nanstd(chance))
    figure.add_hrect(mean - spread, mean + spread, fillcolor="rgba(128, 128, 128, 0.25)", line_width=0)
    x = np.concatenate([[0], layers])
    words = ["none", *(f"down to {names[count - 1]}" for count in layers)]
    for (name, taus), colour, dash, symbol in zip(lines.items(), _COLOURS, _DASHES, _SYMBOLS, strict=False):
        with np.errstate(invalid="ignore"):
            middle = np.concatenate([[1.0], np.nanmean(taus, 0)])
            wide = np.concatenate([[0.0], np.nanstd(taus, 0)])
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]), y=np.concatenate([middle + wide, (middle - wide)[::-1]]), fill="toself",
            fillcolor=colour, opacity=0.12, line={"width": 0}, mode="lines", hoverinfo="skip", showlegend=False,
            legendgroup=name,
        )  # fmt: skip
        figure.add_scatter(
            x=x, y=middle, name=name, legendgroup=name, mode="lines+markers", customdata=words,
            line={"color": colour, "dash": dash, "width": 2}, marker={"symbol": symbol, "size": 8, "color": colour},
            hovertemplate=f"%{{x}} random, %{{customdata}}: %{{y:.2f}}<extra>{name}</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": f"layers made random, of {len(names)}", "rangemode": "tozero"},
        yaxis={"title": "Kendall's tau with the trained map"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        margin={"l": 8, "r": 8, "t": 8, "b": 8}, height=340, hovermode="closest",
    )  # fmt: skip
    return figure
