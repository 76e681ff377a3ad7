"""The mechanisms, in teaching order: the one table from which navigation, home, draw page, results and preloads come.

A mechanism is a folder here whose `__init__.py` holds its row. Another package adds a row through the entry point group
`attnviz.mechanisms` (attnviz/extensions.py). Importing the table costs neither torch nor streamlit.
"""

from collections.abc import Mapping
from typing import Any

from attnviz.extensions import Table
from attnviz.ui.mechanisms import cnn_attention, element_wise, pixel_attention, recurrent_attention
from attnviz.ui.mechanisms.mechanism import Mechanism as Mechanism

_OURS = (pixel_attention.MECHANISM, element_wise.MECHANISM, recurrent_attention.MECHANISM, cnn_attention.MECHANISM)
MECHANISMS = Table("mechanisms", {row.name: row for row in _OURS})


def of_model(model: str) -> Mechanism | None:
    """Return the mechanism that a model shows, or is a control of; None for a model of no mechanism."""
    return next((row for row in MECHANISMS.values() if model in row.models + row.controls), None)


def is_control(model: str, config: Mapping[str, Any]) -> bool:
    """Return whether a model is a control, by its architecture or, of a mechanism's own models, by its config."""
    rows = MECHANISMS.values()
    return any(model in row.controls or (model in row.models and row.is_control(config)) for row in rows)


def order() -> list[str]:
    """Return the models of all mechanisms, then their controls."""
    rows = MECHANISMS.values()
    return [model for row in rows for model in row.models] + [model for row in rows for model in row.controls]
