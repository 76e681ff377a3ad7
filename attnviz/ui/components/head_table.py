"""All heads of a net over many pictures, and the pictures that move one head: the data for `frontend/head_table/`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnviz.head_table.table import MEASURES, Heads, Mean
from attnviz.ui.components import url_view
from attnviz.views.payload import pack
from attnviz.views.url_fields import Field, Fields

FIELDS = Fields(
    Field("across", "choice", "entropy", tuple(MEASURES)),
    Field("up", "choice", "effect", tuple(MEASURES)),
    Field("colour", "choice", "effect", tuple(MEASURES)),
    Field("head", "number", None),
    Field("random", "yes_no", False),
    Field("brush", "text", ""),
)
"""The view: the measures of the two axes and of the board, the chosen head, counted over all layers, whether random
weights are shown too, and the brushed part of the scatter plot, as "left,right,low,high" from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Row:
    """The pictures that one rule selects for a head, by their indices in the table."""

    title: str
    places: Sequence[int]


@dataclass(frozen=True, eq=False)
class Moved:
    """The pictures that move a head most, least, and some between.

    Args:
        head: The head's number.
        rows: The pictures.
        pictures: uint8 (picture, row, column, channel), of all rows one after the other.
        maps: float64 (picture, row, column), the weight that each token receives, as a multiple of an even share.
        captions: The caption of each picture.
        links: The link to a view of each picture, or "".
        ink: Whether the pictures are ink on empty paper.
    """

    head: int
    rows: Sequence[Row]
    pictures: np.ndarray
    maps: np.ndarray
    captions: Sequence[str]
    links: Sequence[str]
    ink: bool


def packed(
    table: Heads, moved: Moved | None, origin: Mapping[str, str | int | float], *, measuring: bool = False
) -> bytes:
    """Return the table's payload, with the pictures of the chosen head; `origin` is written into every export.

    Exports wait for more pictures while the page is `measuring`.
    """
    header: dict[str, Any] = {
        "measures": [
            {"name": name, "title": one.title, "unit": one.unit, "about": one.about, "scale": one.scale,
             "none": one.none}
            for name, one in MEASURES.items()
        ],
        "heads": [{"name": head.name, "path": head.path, "layer": head.layer, "number": head.number}
                  for head in table.heads],
        "nearest": [int(one) for one in table.nearest],
        "pictures": len(table.numbers),
        "origin": dict(origin),
        "measuring": measuring,
    }  # fmt: skip
    arrays = _means(table, "")
    if table.random is not None:
        arrays |= _means(table.random, "random_")
    if moved is not None:
        header["moved"] = {
            "head": moved.head,
            "rows": [{"title": row.title, "count": len(row.places)} for row in moved.rows],
            "captions": list(moved.captions),
            "links": list(moved.links),
            "ink": moved.ink,
        }
        arrays |= {"shown": np.ascontiguousarray(moved.pictures), "maps": moved.maps}
    return pack(header, arrays)


def _means(table: Heads, before: str) -> dict[str, np.ndarray]:
    found: list[Mean] = [table.mean(name) for name in MEASURES]
    return {
        f"{before}{name}": np.stack([getattr(one, field) for one in found])
        for name, field in (("means", "value"), ("lows", "low"), ("highs", "high"))
    }


def head_table(
    data: bytes, *, key: str, state: Mapping[str, Any], on_change: Callable[[], None]
) -> dict[str, Any] | None:
    """Draw the scatter plot, board and pictures of a payload from `packed`, and return the view that last settled."""
    return url_view.draw("head_table", data, FIELDS, key=key, state=state, on_change=on_change)
