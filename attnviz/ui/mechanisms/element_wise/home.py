"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from attnviz.subjects import Loaded, Picture
from attnviz.tracing import trace
from attnviz.ui.mechanisms.element_wise import stages
from attnviz.ui.shared import home_picture, inference


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the boot, and its relevance in the first head: a share of its row times a share of its column."""
    tap = f"{next(iter(stages.layers_of(loaded.model)))}.relevance"
    with torch.no_grad(), trace(loaded.model, [tap]) as seen:
        loaded.model(inference.batch_of(loaded, picture))
    relevance = seen[tap].tensor[0, 0, 0].numpy()
    return home_picture.grey(image[..., 0]), home_picture.heat(relevance - relevance.min())
