"""The weights inside each block, of a model in which blocks see themselves alone. Loads torch."""

from __future__ import annotations

import numpy as np
import torch

from attnviz import edits
from attnviz.grids import Grid
from attnviz.subjects import Example, Loaded, Subject
from attnviz.tracing import trace
from attnviz.ui.shared import inference
from attnviz.views import attending


def evenly(loaded: Loaded, example: Example) -> str:
    """Return the answer of a net that attends to all blocks equally, and its probability, in words."""
    with torch.no_grad(), trace(loaded.model, (), edits.uniform("attention.mixed")):
        return inference.answer(loaded, example)


def within(loaded: Loaded, example: Example) -> tuple[np.ndarray, np.ndarray, dict[str, str | int | float]]:
    """Return the weights between the features of each block, of a model in which blocks see themselves alone.

    Weights (row, column, feature that takes, feature that gives), adding up to 1 along the last; (row, column) mean
    intensity of the pixels of each block; and where both come from.
    """
    model, net = loaded
    tap = "attention.feature_weights"
    batch = inference.batch_of(loaded, example)
    with torch.no_grad(), trace(model, [tap]) as seen:
        inference.ask(loaded, batch)
    reading = seen[tap]
    assert reading.axes == ("batch", "token", "target_feature", "source_feature")
    grid = model.get_submodule("attention").grid
    assert isinstance(grid, Grid)
    weights = reading.tensor[0].unflatten(0, (grid.rows, grid.columns))
    ink = attending.pooled(batch, grid)
    return weights.numpy(), ink.numpy(), Subject(net, example).origin(tap)
