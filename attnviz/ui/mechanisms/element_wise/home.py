"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.element_wise.home`."""

import torch
from PIL.Image import Image

from attnviz.subjects import Picture, net
from attnviz.tracing import trace
from attnviz.ui.mechanisms.element_wise import MECHANISM, stages
from attnviz.ui.shared import home_picture, inference


def tiles() -> tuple[Image, Image]:
    """Return the boot, and its relevance in the first head: a share of its row times a share of its column."""
    assert MECHANISM.home is not None
    shown = MECHANISM.home.view
    loaded, picture = net(shown["model"]).load(double=True), Picture(shown["data"], shown["number"])
    first = next(iter(stages.layers_of(loaded.model)))
    tap = f"{first}.relevance"
    with torch.no_grad(), trace(loaded.model, [tap]) as seen:
        loaded.model(inference.batch_of(loaded, picture))
    image = picture.taken_by(loaded.net)
    relevance = seen[tap].tensor[0, 0, 0].numpy()
    return home_picture.grey(image[..., 0]), home_picture.heat(relevance - relevance.min())


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)
