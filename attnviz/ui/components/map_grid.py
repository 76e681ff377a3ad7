"""Many small maps with a shared cross-hair, `frontend/map_grid/map_grid.js`, and the visitor's choices in it.

It draws any tensor that can be laid out as maps on one grid: heads, channels, components, 1 x N strips, pictures. Maps
and cells count from 0 in arguments and return values, and from 1 in text that a visitor reads.
"""

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
"""The values that lessons can use: the number of maps, the chosen map, from 1, the inspected cell as "row,column", and
the chosen map's value there."""


def map_grid(
    maps: np.ndarray | bytes,
    labels: Sequence[str] = (),
    *,
    key: str,
    chosen: int | None = None,
    on_change: Callable[[], None] | None = None,
    **looks: Unpack[Looks],
) -> dict[str, Any]:
    """Draw maps, given as the arguments or the result of `packed`, with a frame around the `chosen` one; None leaves
    the choice to the visitor.

    Return {"chosen": number of a map or None, "cell": locked [row, column] or None}. `on_change` is called when either
    was chosen, before the page reruns, and never while the pointer only moves; `chosen_map` and `chosen_cell` then
    return the new choice.
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
    """Return the map that the visitor last chose in the grid of that key, or None."""
    chosen: int | None = ControlledState(key, "chosen").shown()
    return chosen


def chosen_cell(key: str) -> list[int] | None:
    """Return the row and column, from 0, of the locked cell in the grid of that key, or None."""
    cell: list[int] | None = ControlledState(key, "cell").shown()
    return cell
