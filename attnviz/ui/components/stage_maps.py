"""Feature maps of convolutions before and after ReLU and pooling: the data for `frontend/stage_maps/`, and its view.

A *view* is a dictionary: "layer" (a number), "stage" (one of STAGES) and "channel" (a number; None for the one with the
largest mean after ReLU). Numbers count from 0 in it, and from 1 in what a person reads, the URL included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.ui.components.component import component
from attnviz.ui.components.payload import pack, with_header
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.ui.components.url_fields import Field, Fields

STAGES = ("conv", "relu", "pool")

FIELDS = Fields(
    Field("layer", "number", 0),
    Field("stage", "choice", "relu", STAGES),
    Field("channel", "number"),
)


@dataclass(frozen=True, eq=False)
class ConvolutionMaps:
    """What a convolution puts out; the browser applies ReLU itself.

    Args:
        path: of the layer in the model, such as "conv.0".
        after_conv: float64 (channel, row, column), before ReLU.
        after_pool: float64 (channel, row, column), after ReLU and pooling; None where nothing is pooled.
        grid: where the cells of `after_conv` lie on the picture.
        pooled: where those of `after_pool` lie.
    """

    path: str
    after_conv: np.ndarray
    after_pool: np.ndarray | None
    grid: Grid
    pooled: Grid | None

    def __post_init__(self) -> None:
        for maps, grid in ((self.after_conv, self.grid), (self.after_pool, self.pooled)):
            if (maps is None) != (grid is None):
                raise BadInput(f"{self.path}: maps after pooling and their grid belong together.")
            if maps is not None and grid is not None and maps.shape[1:] != (grid.rows, grid.columns):
                raise BadInput(f"{self.path}: expected maps of {grid.rows} x {grid.columns}, got {maps.shape}.")


@dataclass(frozen=True, eq=False)
class StageMapsView:
    """One picture and what each convolution makes of it.

    Args:
        picture: uint8 (row, column, 1 or 3).
        layers: in the order of the forward pass.
        ink: whether the picture is ink on paper, and not a photograph.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: np.ndarray
    layers: tuple[ConvolutionMaps, ...]
    ink: bool = False
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


def stage_maps(
    view: StageMapsView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the maps.

    Args:
        view: what to look at; or what `packed` returned for it.
        key: the component's name in this page; keep it fixed.
        state: the view that the URL asks for; fields may be missing (the default) or nonsense (the default, and a
            visible sentence). None leaves the visitor's own view as it is.
        on_change: called when a view has settled, before the page runs again; `settled_view` gives it there.

    Returns:
        The view that has settled last, all fields filled; None before the first time.
    """
    data = with_header(
        view if isinstance(view, bytes) else packed(view),
        fields=FIELDS.declared(),
        state={"view": _controlled(key).ask(None if state is None else FIELDS.complete(state))},
    )
    component("stage_maps")(key=key, data=data, on_view_change=_controlled(key).callback(on_change))
    return settled_view(key)


def packed(view: StageMapsView) -> bytes:
    """Return a view as the browser gets it."""
    header = {
        "layers": [_described(layer) for layer in view.layers],
        "ink": view.ink,
        "origin": dict(view.origin),
    }
    arrays = {"picture": view.picture}
    for place, layer in enumerate(view.layers):
        arrays[f"{place}.conv"] = layer.after_conv
        if layer.after_pool is not None:
            arrays[f"{place}.pool"] = layer.after_pool
    return pack(header, arrays)


def settled_view(key: str) -> dict[str, Any] | None:
    """Return the view that settled last in the component of that key; None before the first time."""
    view: dict[str, Any] | None = _controlled(key).shown()
    return view


def _described(layer: ConvolutionMaps) -> dict[str, Any]:
    return {
        "path": layer.path,
        "boxes": {"conv": layer.grid.boxes, "pool": None if layer.pooled is None else layer.pooled.boxes},
    }


def _controlled(key: str) -> ControlledState:
    return ControlledState(key, "view", lambda view: dict(view) if isinstance(view, Mapping) else UNKNOWN)
