"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.element_wise.home`."""

import torch
from PIL.Image import Image

from attnviz.tracing import trace
from attnviz.ui.mechanisms.element_wise import MECHANISM, stages
from attnviz.ui.shared import cache, home_picture, inference


def tiles() -> tuple[Image, Image]:
    """Return the boot, and its relevance in the first head: a share of its row times a share of its column."""
    assert MECHANISM.home is not None
    shown = MECHANISM.home.view
    checkpoint = inference.exactly(shown["model"])
    first = next(iter(stages.layers_of(checkpoint.model)))
    tap = f"{first}.relevance"
    with torch.no_grad(), trace(checkpoint.model, [tap]) as seen:
        checkpoint.model(stages.batch_of(checkpoint, shown["data"], shown["number"]))
    image = cache.seen(checkpoint.card, shown["data"], shown["number"])
    relevance = seen[tap].tensor[0, 0, 0].numpy()
    return home_picture.grey(image[..., 0]), home_picture.heat(relevance - relevance.min())


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)
