"""From a trained model and a picture to what the viewer draws. Loads torch."""

from __future__ import annotations

import numpy as np
import torch

from attnviz.answers import as_batch
from attnviz.checkpoints import Checkpoint
from attnviz.data.inputs import drawing
from attnviz.grids import Grid
from attnviz.tracing import trace
from attnviz.ui.components.pixel_viewer import AttentionView
from attnviz.ui.shared import cache, inference


def view(checkpoint: Checkpoint, source: str, number: int) -> AttentionView:
    """Return what the viewer needs of a model whose blocks attend to one another, and a picture."""
    label = None if drawing.is_name(source) else cache.picture(source, number)[1]
    image = cache.seen(checkpoint.card, source, number)
    place, ink = cache.place(source, number), cache.ink(source)
    return inference.attention(checkpoint, image, label, place, ink=ink, unit="block")


def within(
    checkpoint: Checkpoint, source: str, number: int
) -> tuple[np.ndarray, np.ndarray, dict[str, str | int | float]]:
    """Return the weights between the features of each block, of a model in which blocks see themselves alone.

    Returns:
        (row, column, feature that takes, feature that gives), adding up to 1 along the last; (row, column) mean
        intensity of the pixels of each block; and where both come from.
    """
    model, card = checkpoint
    tap = "attention.feature_weights"
    batch = as_batch(cache.seen(card, source, number), double=True)
    with torch.no_grad(), trace(model, [tap]) as seen:
        inference.ask(checkpoint, batch)
    reading = seen[tap]
    assert reading.axes == ("batch", "token", "target_feature", "source_feature")
    grid = model.get_submodule("attention").grid
    assert isinstance(grid, Grid)
    weights = reading.tensor[0].unflatten(0, (grid.rows, grid.columns))
    ink = inference.pooled(batch, grid)
    return weights.numpy(), ink.numpy(), inference.origin(checkpoint, cache.place(source, number), tap)
