"""Many small maps with one cross-hair: what `frontend/map_grid.js` draws, and what a visitor chose in it.

Any tensor that can be laid out as maps of one grid is drawn here: heads, channels, components, 1 x N strips, pictures.
Maps and cells count from 0 in what is given and returned, from 1 in what a person reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import component
from attnviz.ui.payload import pack
from attnviz.ui.wishes import wish

Role = Literal["signed", "unit", "positive", "share", "ink", "own"]
Scale = Literal["share", "all", "map", "pictures"]
ROLES: tuple[str, ...] = ("signed", "unit", "positive", "share", "ink", "own")


@dataclass(frozen=True)
class Table:
    """Maps laid out as a table, row by row: its labels decide how many rows and columns it has."""

    rows: Sequence[str]
    columns: Sequence[str]


@dataclass(frozen=True)
class Names:
    """What the cells of a single map stand for, where they are no pixels: "head" "3" beside "other head" "7"."""

    row: str
    rows: Sequence[str]
    column: str
    columns: Sequence[str]


def map_grid(
    maps: np.ndarray,
    labels: Sequence[str],
    *,
    key: str,
    role: Role = "signed",
    title: str | None = None,
    scale: Scale | None = None,
    fixed: bool = False,
    bounds: tuple[float, float] | None = None,
    tokens: int | None = None,
    picture: np.ndarray | None = None,
    table: Table | None = None,
    names: Names | None = None,
    chosen: int | None = None,
    outlined: Sequence[int] | None = None,
    origin: Mapping[str, str | int | float] | None = None,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Draw the maps.

    Args:
        maps: real numbers (map, row, column); NaN, infinity and minus infinity (masked) get marks of their own.
        labels: one a map.
        key: the component's name in this page; keep it fixed.
        role: what the values are: "signed" (colours centred on zero), "unit" (0..1), "positive" (from 0 up), "share"
            (attention weights: multiples of an even share, -4 to 4 in log2), "ink" (0..1, drawn as pictures), "own"
            (any numbers, each map from its own lowest to its own highest in the picture's greys, as papers draw them).
        title: stands above the maps; "N maps" if there is none.
        scale: what the colours reach to at first: "share" (role "share"), "all" maps, each "map" its own, or all
            "pictures". By default "share" for shares, "map" for "own", "all" otherwise.
        fixed: offer no other scale.
        bounds: lowest and highest value over all pictures; with it "pictures" can be chosen.
        tokens: how many share the attention (role "share"); by default the cells of one map.
        picture: (row, column) intensities 0..1, or (map, row, column), one a map; the edge of the ink is drawn on every
            map if it has the maps' shape.
        table: lay the maps out in labelled rows and columns.
        names: what the rows and columns of a single map stand for, one name each; they are written beside it.
        chosen: the map that is framed; None leaves it to the visitor.
        outlined: a cell of each map, row by row from 0, that is outlined in the query's colour.
        origin: software version, model, recipe, seed, digest, image, address: stands in every export.
        on_change: called when a map or a cell was chosen, before the page runs again; `st.session_state[key]` holds the
            new choice there. Never called while the pointer only moves.

    Returns:
        {"chosen": number of a map or None, "cell": [row, column] that is locked or None}

    Raises:
        BadInput: the shapes, labels or role do not fit.
    """
    maps = np.asarray(maps)
    if maps.ndim != 3 or 0 in maps.shape or not np.isrealobj(maps):
        raise BadInput(
            f"maps: expected real numbers (map, row, column), none of them 0, got {maps.dtype} of {maps.shape}."
        )
    count, rows, columns = maps.shape
    if len(labels) != count:
        raise BadInput(f"labels: expected {count}, one a map, got {len(labels)}.")
    if role not in ROLES:
        raise BadInput(f"role: expected one of {', '.join(ROLES)}, got {role!r}.")
    if outlined is not None and (len(outlined) != count or not all(0 <= cell < rows * columns for cell in outlined)):
        raise BadInput(f"outlined: expected {count} cells below {rows * columns}, one a map, got {[*outlined]}.")
    if table is not None and len(table.rows) * len(table.columns) != count:
        raise BadInput(f"table: {len(table.rows)} x {len(table.columns)} labels do not fit {count} maps.")
    if names is not None and (1, len(names.rows), len(names.columns)) != maps.shape:
        raise BadInput(f"names: {len(names.rows)} x {len(names.columns)} do not fit one map of {maps.shape}.")
    arrays = {"maps": maps.astype(np.float64)}
    if picture is not None and picture.shape in ((rows, columns), maps.shape):
        arrays["picture"] = picture.astype(np.float64)
    wished, number = wish(key, chosen, _framed(key))
    header = {
        "labels": [str(label) for label in labels],
        "role": role,
        "title": title or (f"{count} maps" if count > 1 else "One map"),
        "scale": scale or {"share": "share", "own": "map"}.get(role, "all"),
        "fixed": fixed,
        "bounds": None if bounds is None else [float(bound) for bound in bounds],
        "tokens": tokens or rows * columns,
        "table": None if table is None else {"columns": len(table.columns), "rows": table.rows, "heads": table.columns},
        "names": None if names is None else asdict(names),
        "key": key,
        "chosen": wished,
        "wish": number,
        "outlined": None if outlined is None else [int(cell) for cell in outlined],
        "origin": dict(origin or {}),
    }
    change = on_change or _nothing
    result = component("map_grid")(key=key, data=pack(header, arrays), on_chosen_change=change, on_cell_change=change)
    return {"chosen": result.get("chosen", chosen), "cell": result.get("cell")}


def _framed(key: str) -> int | None:
    """Return which map the visitor has chosen last."""
    import streamlit as st

    state = st.session_state.get(key)
    return state.get("chosen") if isinstance(state, Mapping) else None


def _nothing() -> None:
    """Stand in for a callback: Streamlit knows a state of a component only if it has one."""
