"""A photograph with a box around the digit that is cut out of it: the data for `frontend/photograph/`.

A new box drawn on it is reported as a trigger, so that Python searches that part of the photograph.
"""

from collections.abc import Callable, Mapping

import numpy as np
from PIL import Image

from attnviz.arrays import Bytes
from attnviz.ui.components.component import component
from attnviz.views.payload import pack

DECLARED: tuple[str, ...] = ()
"""The values that lessons can use: none."""

LONGEST = 400
"""The longer side of the picture sent to the browser, in pixels."""
LEAST = 8
"""The minimum side of a box, in pixels of the photograph."""

Box = tuple[int, int, int, int]


def photograph(picture: Bytes, box: Box, *, key: str, own: bool, on_box: Callable[[], None]) -> None:
    """Draw a photograph, uint8 (row, column, 3), with a box: top, left, bottom and right in its pixels, the last two
    exclusive; `own` if the visitor drew it. `on_box` is called when the visitor has drawn or removed a box; `drawn_box`
    then returns it.
    """
    small = Image.fromarray(picture)
    small.thumbnail((LONGEST, LONGEST), Image.Resampling.BOX)
    header = {"rows": picture.shape[0], "columns": picture.shape[1], "box": [*box], "own": own, "least": LEAST}
    component("photograph")(key=key, data=pack(header, {"picture": np.asarray(small)}), on_box_change=on_box)


def drawn_box(key: str, rows: int, columns: int) -> Box | None:
    """Return the box just drawn, clipped to a photograph of that size, or None to search everywhere."""
    import streamlit as st

    found = st.session_state.get(key)
    told = found.get("box") if isinstance(found, Mapping) else None
    if not isinstance(told, list) or len(told) != 4 or not all(type(one) is int for one in told):
        return None
    top, left, bottom, right = told
    top, bottom = (min(max(one, 0), rows) for one in (top, bottom))
    left, right = (min(max(one, 0), columns) for one in (left, right))
    return (top, left, bottom, right) if bottom - top >= LEAST and right - left >= LEAST else None
