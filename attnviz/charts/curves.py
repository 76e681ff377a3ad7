"""The curves of trainings: a figure by epoch, training dashed and validation solid."""

from collections.abc import Mapping, Sequence

from attnviz.charts import with_minus
from attnviz.charts.epoch_plot import Line, plot


def curves(runs: Mapping[str, Sequence[Mapping[str, float | None]]], name: str) -> str:
    """Draw one figure of several runs.

    Args:
        runs: title of a run -> for each epoch, its values by name.
        name: of the figure, such as "loss": drawn of "train_loss" and "validation_loss", as far as they are there;
            or the name of a curve as it is.

    Returns:
        HTML; titles and names in it are escaped.
    """
    drawn = []
    for number, (title, epochs) in enumerate(runs.items()):
        for column, part in ((f"validation_{name}", "validation"), (f"train_{name}", "training"), (name, "")):
            points = [(place, value) for place, one in enumerate(epochs, 1) if (value := one.get(column)) is not None]
            if points:
                label = ", ".join(filter(None, [title if len(runs) > 1 else "", part])) or "value"
                kind = f"curves-{number % 6}{' curves-train' * (part == 'training')}"
                drawn.append(Line(label, points, kind, part))
    if not drawn:
        return ""
    last = max(line.points[-1][0] for line in drawn)
    return plot(
        name.replace("_", " "), drawn, lambda epoch: _across(epoch, last), _epochs(last), _short, exact="{:.6g}".format
    )


def _across(epoch: int, last: int) -> float:
    return 50.0 if last == 1 else 100 * (epoch - 1) / (last - 1)


def _epochs(last: int) -> list[int]:
    step = 1
    while last / step > 12:
        step = next(step * factor for factor in (2, 5) if last / (step * factor) <= 12 or factor == 5)
    return sorted({1, *range(step, last + 1, step)} if step > 1 else range(1, last + 1))


def _short(value: float) -> str:
    return with_minus(f"{0.0 if abs(value) < 1e-12 else value:.4g}")
