"""The curves of trainings: a figure by epoch, training dashed and validation solid."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

# Streamlit puts the theme's colours for charts in the place of these names (see .streamlit/config.toml).
_COLOURS = ("#000004", "#000001", "#000003", "#000006", "#000002", "#000005")


def curves(runs: Mapping[str, Sequence[Mapping[str, float | None]]], name: str) -> go.Figure:
    """Draw one figure of several runs.

    Args:
        runs: title of a run -> for each epoch, its values by name.
        name: of the figure, such as "loss": drawn of "train_loss" and "validation_loss", as far as they are there;
            or the name of a curve as it is.
    """
    figure = go.Figure()
    columns = (
        (f"train_{name}", "dash", "training"),
        (f"validation_{name}", "solid", "validation"),
        (name, "solid", ""),
    )
    for number, (title, epochs) in enumerate(runs.items()):
        for column, dash, part in columns:
            if any(column in epoch for epoch in epochs):
                titled = title if len(runs) > 1 or not part else ""
                figure.add_scatter(
                    x=list(range(1, len(epochs) + 1)), y=[epoch.get(column) for epoch in epochs],
                    name=", ".join(filter(None, [titled, part])), mode="lines+markers", marker={"size": 5},
                    line={"dash": dash, "color": _COLOURS[number % len(_COLOURS)]},
                )  # fmt: skip
    figure.update_layout(
        height=300, margin={"l": 8, "r": 8, "t": 8, "b": 8}, xaxis={"title": "epoch", "dtick": _step(runs)},
        yaxis={"title": name.replace("_", " ")}, showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )  # fmt: skip
    return figure


def _step(runs: Mapping[str, Sequence[object]]) -> int | None:
    """Return the distance of the ticks, so that none stands between two epochs; None for Plotly's own choice."""
    return 1 if max(map(len, runs.values()), default=0) <= 12 else None
