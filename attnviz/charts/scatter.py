"""Many pairs of numbers as dots, and the lines that they are compared with."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

Floats = npt.NDArray[np.float64]

# Streamlit puts the theme's colours for charts in place of these names: attention, a control.
_DOTS, _LINE = "#000005", "#000004"


@dataclass(frozen=True)
class Line:
    """A line through a scatter.

    Args:
        slope, offset: of it.
        dash: "solid", "dash" or "dot".
    """

    name: str
    slope: float
    offset: float = 0.0
    dash: str = "solid"


def scatter(
    across: Floats, up: Floats, lines: Sequence[Line], *, dots: str, axes: tuple[str, str], step: float | None = None
) -> go.Figure:
    """Draw pairs of numbers on the same scale both ways, with lines.

    Args:
        across, up: (pair,) of the same length.
        lines: to compare with.
        dots: what a dot is, in the legend.
        step: between two ticks; then the axes end at a tick. None: at the farthest pair, and ticks where they fit.
    """
    reach = float(max(np.abs(across).max(), np.abs(up).max()))
    if step is not None:
        reach = step * max(1, math.ceil(reach / step))
    ends = np.array([-reach, reach])
    figure = go.Figure()
    figure.add_scatter(
        x=across, y=up, mode="markers", name=dots, marker={"size": 4, "color": _DOTS, "opacity": 0.5},
        hovertemplate="%{x:.0f}, %{y:.0f}<extra></extra>",
    )  # fmt: skip
    for line in lines:
        figure.add_scatter(
            x=ends, y=line.slope * ends + line.offset, mode="lines", name=line.name, hoverinfo="skip",
            line={"color": _LINE, "dash": line.dash, "width": 2},
        )  # fmt: skip
    if step is not None:
        figure.update_xaxes(dtick=step, tick0=0)
        figure.update_yaxes(dtick=step, tick0=0)
    figure.update_layout(
        xaxis={"title": axes[0], "range": [-1.03 * reach, 1.03 * reach]},
        yaxis={"title": axes[1], "range": [-1.03 * reach, 1.03 * reach]},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        margin={"l": 8, "r": 8, "t": 8, "b": 8}, height=400, hovermode="closest",
    )  # fmt: skip
    return figure
