"""What a figure shows: views of attention layers, and what is chosen of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from attnviz.figures.maps import Choice
from attnviz.views.attention import LayerView


@dataclass(frozen=True, eq=False)
class Shown:
    """Views of attention layers of one picture, and what is chosen of them.

    Args:
        views: name of a layer -> its view.
        choice: what is shown of each.
        theme: light, dark or print, of pictures.
        width: of pictures, in inches.
        origin: where it comes from; stands in every file.
        steps: what the names of `views` count: layer, or step of a training.
    """

    views: Mapping[str, LayerView]
    choice: Choice = field(default_factory=Choice)
    theme: str = "light"
    width: float = 3.25
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    steps: str = "layer"
