"""How the scale and the shift of each layer's normalisation move while a model is trained."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

# Streamlit puts the theme's colours for charts in place of these names (see .streamlit/config.toml).
_COLOURS = ("#000006", "#000004")


def course_of_norm(steps: Sequence[Sequence[Mapping[str, float]]]) -> go.Figure:
    """Draw a line per layer and number, over the steps.

    Args:
        steps: for every step, for each of one or two layers, its "scale" and its "shift".
    """
    figure = go.Figure()
    for layer, colour in zip(range(len(steps[0])), _COLOURS, strict=False):
        for name, dash in (("scale", "solid"), ("shift", "dash")):
            figure.add_scatter(
                y=[step[layer][name] for step in steps], name=f"{name}, layer {layer + 1}", mode="lines",
                line={"dash": dash, "color": colour},
            )  # fmt: skip
    figure.add_hline(0, line={"width": 1, "color": "rgba(128, 128, 128, 0.6)"})
    figure.update_layout(
        height=220, margin={"l": 8, "r": 8, "t": 8, "b": 8}, xaxis={"title": "steps"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )  # fmt: skip
    return figure
