"""Many small maps with one cross-hair, `frontend/map_grid/map_grid.js`, and what a visitor chose in it.

Any tensor that can be laid out as maps of one grid is drawn here: heads, channels, components, 1 x N strips, pictures.
Maps and cells count from 0 in what is given and returned, from 1 in what a person reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from attnviz.ui.components.component import component
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.maps import ROLES, Looks, Names, Role, Scale, Table, packed
from attnviz.views.payload import with_header

__all__ = ["DECLARED", "ROLES", "Looks", "Names", "Role", "Scale", "Table", "chosen_cell", "chosen_map", "map_grid",
           "packed"]  # fmt: skip

DECLARED = ("maps", "map", "cell", "value")
"""What lessons can ask for: how many maps there are, the one that is chosen, from 1, the cell that is looked at as
"row,column", and the value of that map there."""


def map_grid(
    maps: np.ndarray | bytes,
    labels: Sequence[str] = (),
    *,
    key: str,
    chosen: int | None = None,
    on_change: Callable[[], None] | None = None,
    **looks: Unpack[Looks],
) -> dict[str, Any]:
    """Draw the maps, as `packed` takes them or has returned them, with a frame around the `chosen` one, None where the
    visitor frames it.

    Return {"chosen": number of a map or None, "cell": [row, column] that is locked or None}. `on_change` is called when
    either was chosen, before the page runs again, and never while the pointer only moves; `chosen_map` and
    `chosen_cell` give the new choice there.
    """
    state = ControlledState(key, "chosen")
    data = with_header(
        maps if isinstance(maps, bytes) else packed(maps, labels, **looks),
        key=key,
        state={"chosen": state.ask(chosen)},
    )
    callbacks = (state.callback(on_change), ControlledState(key, "cell").callback(on_change))
    component("map_grid")(key=key, data=data, on_chosen_change=callbacks[0], on_cell_change=callbacks[1])
    return {"chosen": chosen if state.reported() is UNKNOWN else chosen_map(key), "cell": chosen_cell(key)}


def chosen_map(key: str) -> int | None:
    """Return which map the visitor has chosen last in the grid of that key; None for none."""
    chosen: int | None = ControlledState(key, "chosen").shown()
    return chosen


def chosen_cell(key: str) -> list[int] | None:
    """Return row and column of the cell that is locked in the grid of that key, from 0; None for none."""
    cell: list[int] | None = ControlledState(key, "cell").shown()
    return cell
