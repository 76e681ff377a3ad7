"""Feature maps of convolutions by stage, such as ReLU and pooling: the data for `frontend/stage_maps/`, and its view.

A *view* is a dictionary: "layer" (a number), "stage" (one of the view's stages) and "channel" (a number; None for the
one with the largest mean after ReLU). Its numbers count from 0, but from 1 in text that a visitor reads, including the
URL.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack
from attnviz.views.url_fields import Field, Fields

STAGES: Mapping[str, str] = {"conv": "after conv", "relu": "after ReLU", "pool": "after pooling"}
"""The stages of a convolution with ReLU and pooling, with the heading of each."""

DERIVED = ("relu", "pool")
"""Stages that a layer may omit: the browser applies ReLU to the previous stage, or shows it unchanged."""


def fields_of(stages: Mapping[str, str], default: str) -> Fields:
    """Return the fields of a view with these stages; `default` is shown initially."""
    return Fields(
        Field("layer", "number", 0),
        Field("stage", "choice", default, tuple(stages)),
        Field("channel", "number"),
    )


FIELDS = fields_of(STAGES, "relu")


@dataclass(frozen=True, eq=False)
class StageMaps:
    """The maps of one stage, (channel, row, column), with its tap path and the cells' positions on the picture."""

    maps: np.ndarray
    grid: Grid
    path: str

    def __post_init__(self) -> None:
        if self.maps.shape[1:] != (self.grid.rows, self.grid.columns):
            raise BadInput(
                f"{self.path}: expected maps of {self.grid.rows} x {self.grid.columns}, got {self.maps.shape}."
            )


@dataclass(frozen=True, eq=False)
class LayerMaps:
    """The stages of one layer, or of one block of several.

    Args:
        title: The layer's title for visitors.
        path: The layer's path in the model, such as "conv.0".
        stages: Name -> stage, in the order of the forward pass; those in DERIVED may be omitted.
        channel: The channel shown until another is chosen; None for the one with the largest mean after ReLU.

    Raises:
        BadInput: There is no stage, or the first one is omitted.
    """

    title: str
    path: str
    stages: Mapping[str, StageMaps]
    channel: int | None = None

    def __post_init__(self) -> None:
        if not self.stages or next(iter(self.stages)) in DERIVED:
            raise BadInput(f"{self.path}: the maps of its first stage are missing.")


@dataclass(frozen=True, eq=False)
class StageMapsView:
    """One picture and the maps that each convolution computes from it.

    Args:
        picture: uint8 (row, column, 1 or 3).
        layers: The layers in the order of the forward pass.
        stages: The heading above the maps of each stage, in the order of the forward pass.
        ink: Whether the picture is ink on paper rather than a photograph.
        origin: The software version, model, recipe, seed, digest and image, written into every export.
    """

    picture: np.ndarray
    layers: tuple[LayerMaps, ...]
    stages: Mapping[str, str] = field(default_factory=lambda: STAGES)
    ink: bool = False
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


def stage_maps(
    view: StageMapsView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    fields: Fields = FIELDS,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the maps. `fields` are the view's fields, from `fields_of` for its stages."""
    data = view if isinstance(view, bytes) else packed(view)
    return url_view.draw("stage_maps", data, fields, key=key, state=state, on_change=on_change)


def packed(view: StageMapsView) -> bytes:
    """Return a view's payload."""
    header = {
        "stages": dict(view.stages),
        "layers": [_described(layer) for layer in view.layers],
        "ink": view.ink,
        "origin": dict(view.origin),
    }
    arrays = {"picture": view.picture}
    for place, layer in enumerate(view.layers):
        arrays |= {f"{place}.{name}": stage.maps for name, stage in layer.stages.items()}
    return pack(header, arrays)


def _described(layer: LayerMaps) -> dict[str, Any]:
    return {
        "title": layer.title,
        "path": layer.path,
        "channel": layer.channel,
        "boxes": {name: stage.grid.boxes for name, stage in layer.stages.items()},
        "addresses": {name: stage.path for name, stage in layer.stages.items()},
    }
