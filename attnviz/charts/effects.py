"""What each of several parts does, over the epochs whose weights are kept; these lie evenly, as on the slider."""

import math
from collections.abc import Mapping, Sequence

from attnviz.charts import with_minus
from attnviz.charts.epoch_plot import Line, plot, round_bounds

MOST = 6
"""So many parts have a colour and a name, those with the largest last values; more could not be told apart."""


def effects(
    title: str, epochs: Sequence[int], values: Mapping[str, Sequence[float]], *, top: float | None = None
) -> str:
    """Draw a line for each part.

    Args:
        epochs: whose weights are kept, ascending; 0 is before the training.
        values: name of a part -> its value at each of the epochs.
        top: the highest value that there can be; by default the plot ends above the highest that there is.

    Returns:
        HTML; titles and names in it are escaped.
    """
    places = {epoch: 100 * place / max(1, len(epochs) - 1) for place, epoch in enumerate(epochs)}
    largest = sorted(values, key=lambda name: -values[name][-1])[:MOST]
    lines = [
        Line("", list(zip(epochs, values[name], strict=True)), "curves-quiet", name)
        for name in values
        if name not in largest
    ]
    for number, name in enumerate(largest):
        lines.append(Line(name, list(zip(epochs, values[name], strict=True)), f"curves-{number}", name))
    low = min(0.0, *(value for some in values.values() for value in some))
    high = top or max(0.0, *(value for some in values.values() for value in some)) or 1.0
    if -low < high / 50:
        low = 0.0  # what is hardly below the axis gets no room of its own
    most = max(abs(some[-1]) for some in values.values()) or 1.0
    decimals = min(3, max(0, 2 - math.floor(math.log10(most))))  # the same for all names, so that they compare
    return plot(
        title, lines, places.__getitem__, epochs, _short, exact="{:.4g}".format, last=f"{{:.{decimals}f}}".format,
        bounds=round_bounds(low, high),
    )  # fmt: skip


def _short(value: float) -> str:
    return with_minus(f"{0.0 if abs(value) < 1e-12 else value:.3g}")
