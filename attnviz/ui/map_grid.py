"""Many small maps with one cross-hair: what `frontend/map_grid.js` draws, and what a visitor chose in it.

Any tensor that can be laid out as maps of one grid is drawn here: heads, channels, components, 1 x N strips, pictures.
Maps and cells count from 0 in what is given and returned, from 1 in what a person reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import component
from attnviz.ui.payload import pack

Role = Literal["signed", "unit", "positive", "share", "ink"]
Scale = Literal["share", "all", "map", "pictures"]
ROLES: tuple[str, ...] = ("signed", "unit", "positive", "share", "ink")


@dataclass(frozen=True)
class Table:
    """Maps laid out as a table, row by row: its labels decide how many rows and columns it has."""

    rows: Sequence[str]
    columns: Sequence[str]


def map_grid(
    maps: np.ndarray,
    labels: Sequence[str],
    *,
    key: str,
    role: Role = "signed",
    title: str | None = None,
    scale: Scale | None = None,
    bounds: tuple[float, float] | None = None,
    tokens: int | None = None,
    picture: np.ndarray | None = None,
    table: Table | None = None,
    chosen: int | None = None,
    origin: Mapping[str, str | int | float] | None = None,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Draw the maps.

    Args:
        maps: real numbers (map, row, column); NaN, infinity and minus infinity (masked) get marks of their own.
        labels: one a map.
        key: the component's name in this page; keep it fixed.
        role: what the values are: "signed" (colours centred on zero), "unit" (0..1), "positive" (from 0 up), "share"
            (attention weights: multiples of an even share, -4 to 4 in log2), "ink" (0..1, drawn as pictures).
        title: stands above the maps; "N maps" if there is none.
        scale: what the colours reach to at first: "share" (role "share"), "all" maps, each "map" its own, or all
            "pictures". By default "share" for shares, "all" otherwise.
        bounds: lowest and highest value over all pictures; with it "pictures" can be chosen.
        tokens: how many share the attention (role "share"); by default the cells of one map.
        picture: (row, column) intensities 0..1; the edge of its ink is drawn on every map if it has the maps' shape.
        table: lay the maps out in labelled rows and columns.
        chosen: the map that is framed; None leaves it to the visitor.
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
    if table is not None and len(table.rows) * len(table.columns) != count:
        raise BadInput(f"table: {len(table.rows)} x {len(table.columns)} labels do not fit {count} maps.")
    arrays = {"maps": maps.astype(np.float64)}
    if picture is not None and picture.shape == (rows, columns):
        arrays["picture"] = picture.astype(np.float64)
    header = {
        "labels": [str(label) for label in labels],
        "role": role,
        "title": title or (f"{count} maps" if count > 1 else "One map"),
        "scale": scale or ("share" if role == "share" else "all"),
        "bounds": None if bounds is None else [float(bound) for bound in bounds],
        "tokens": tokens or rows * columns,
        "table": None if table is None else {"columns": len(table.columns), "rows": table.rows, "heads": table.columns},
        "chosen": chosen,
        "origin": dict(origin or {}),
    }
    change = on_change or _nothing
    result = component("map_grid")(key=key, data=pack(header, arrays), on_chosen_change=change, on_cell_change=change)
    return {"chosen": result.get("chosen", chosen), "cell": result.get("cell")}


def _nothing() -> None:
    """Stand in for a callback: Streamlit knows a state of a component only if it has one."""
