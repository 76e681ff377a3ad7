"""The mechanisms, in teaching order: the table behind the navigation, home, draw page, results and preloads.

A mechanism is a folder here whose `__init__.py` holds its row. Another package adds a row through the entry point group
`attnviz.mechanisms` (attnviz/extensions.py). Importing the table loads neither torch nor streamlit.
"""

from collections.abc import Mapping
from typing import Any

from attnviz.errors import BadInput
from attnviz.extensions import Table
from attnviz.ui.mechanisms import (
    channel_attention,
    cnn_attention,
    element_wise,
    guard,
    pixel_attention,
    recurrent_attention,
    sequences,
    spatial_transformer,
    vision_transformer,
)
from attnviz.ui.mechanisms.mechanism import Mechanism as Mechanism


def _read(name: str, row: object) -> dict[str, Mechanism]:
    if not isinstance(row, Mechanism):
        raise BadInput(f"The entry point must name a Mechanism, not {type(row).__name__}.")
    return {name: row}


_OURS = (
    pixel_attention.MECHANISM,
    element_wise.MECHANISM,
    recurrent_attention.MECHANISM,
    cnn_attention.MECHANISM,
    vision_transformer.MECHANISM,
    channel_attention.MECHANISM,
    spatial_transformer.MECHANISM,
    sequences.MECHANISM,
)
MECHANISMS = Table("mechanisms", {row.name: row for row in _OURS}, _read)


def of_model(model: str) -> Mechanism | None:
    """Return the mechanism to which a model belongs, itself or as a control, or None if there is none."""
    return next((row for row in MECHANISMS.values() if model in row.models + row.controls), None)


def is_control(model: str, config: Mapping[str, Any]) -> bool:
    """Return whether a model is a control, by its architecture or, for a mechanism's own models, by its config."""
    rows = MECHANISMS.values()
    return any(model in row.controls or (model in row.models and _switched_off(row, config)) for row in rows)


def order() -> list[str]:
    """Return the models of all mechanisms, then their controls."""
    rows = MECHANISMS.values()
    return [model for row in rows for model in row.models] + [model for row in rows for model in row.controls]


def _switched_off(row: Mechanism, config: Mapping[str, Any]) -> bool:
    try:
        return bool(guard.call(row, "controls", row.is_control, config))
    except guard.Failed:
        return False
