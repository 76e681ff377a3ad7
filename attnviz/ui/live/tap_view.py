"""The explorer's picture of a tap, as a view of every net with taps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.errors import BadInput, UnknownName
from attnviz.recipes.recipe import Strict
from attnviz.roles import role_of
from attnviz.ui.live.derived import Address, Index, View

if TYPE_CHECKING:
    import numpy as np

    from attnviz.grids import Grid
    from attnviz.measures.maps import Maps
    from attnviz.subjects import Subject
    from attnviz.ui.shared.inference import TapInfo


class OfTap(Strict):
    """The tap and, if it has queries, the query whose row is shown, by its token's index."""

    address: Address
    query: Index | None = None


def payload(subject: Subject, parameters: OfTap) -> bytes:
    """Return a tap as a payload for the grid of maps, or for bars if it `is_strip`."""
    from attnviz.ui.components import map_grid, value_bars
    from attnviz.ui.shared import findings

    address, query = parameters.address, parameters.query
    maps, tap = maps_of(subject, address, query)
    origin = {**subject.origin(address), "answer": findings.answer(subject)}
    if is_strip(maps):
        values, axis, classes = maps.values[0, 0], tap.axes[-1], subject.net.classes
        names = classes if axis == "class" and len(classes) == len(values) else None
        title = f"{len(values)} values"
        return value_bars.packed(values, axis, title, role_of(address).range, names, origin=origin)
    image, ink, cell = subject.image, subject.example.ink, cell_of(query, tap.grid)
    return map_grid.packed(
        maps.values,
        maps.labels or [address],
        captions=maps.captions if len(maps.axes) > 1 else None,
        role=role_of(address).colouring,
        picture=edge(image, tap.grid, maps.values.shape[1:]) if ink else None,
        background=image,
        ink=ink,
        grid=tap.grid,
        outlined=None if cell is None else [cell] * len(maps.values),
        origin=origin,
    )


def maps_of(subject: Subject, address: str, query: int | None) -> tuple[Maps, TapInfo]:
    """Return a tap of a net on an example as maps, for one token's query if it has queries, and its TapInfo."""
    from attnviz.ui.shared import findings

    known = findings.list_taps(subject.net)
    if address not in known:
        raise UnknownName(f"tap of {subject.net.key}", address, known)
    tap = known[address]
    queries = tap.shape[tap.axes.index("query")] if "query" in tap.axes else 0
    if (query is None) == bool(queries) or (query is not None and query >= queries):
        raise BadInput(f"{address} has {queries} queries, counted from 0, so it cannot be shown for the query {query}.")
    return findings.tap(subject, address, query), tap


def cell_of(query: int | None, grid: Grid | None) -> int | None:
    """Return the grid cell of a query, or None without a query or if its token has no position."""
    return None if query is None or grid is None or query < grid.prefix else query - grid.prefix


def is_strip(maps: Maps) -> bool:
    """Return whether a tap holds a single row of numbers, such as a gate for each channel."""
    return maps.values.shape[:2] == (1, 1)


def edge(image: np.ndarray, grid: Grid | None, shape: tuple[int, ...]) -> np.ndarray | None:
    """Return the intensities from which the outline of the ink is drawn, (row, column) in 0..1, for maps of a `shape`,
    or None if there is no outline.

    The image is uint8 (row, column, channel); `grid` is None for strips, and for maps that divide the picture evenly.
    """
    rows, columns = shape
    whole = grid is None or (
        grid.offset == (0, 0) and (grid.rows * grid.stride, grid.columns * grid.stride) == image.shape[:2]
    )
    if not whole or rows == 1 or image.shape[0] % rows or image.shape[1] % columns:
        return None
    from attnviz.data.inputs.prepared import scaled

    found: np.ndarray = scaled(image, rows, columns).mean(2) / 255
    return found


TAP_VIEW = View("tap_view", OfTap, payload, lasts=True)
