"""A value per channel, unit or class as a bar, drawn by `frontend/value_bars/`."""

from collections.abc import Mapping, Sequence

import numpy as np

from attnviz.errors import BadInput
from attnviz.roles import Range
from attnviz.views.payload import pack


def packed(
    values: np.ndarray,
    axis: str,
    title: str,
    range: Range = "signed",
    names: Sequence[str] | None = None,
    marks: np.ndarray | None = None,
    origin: Mapping[str, str | int | float] | None = None,
) -> bytes:
    """Return bars in the format for the browser: real numbers (bar,), each with an optional line across at its `marks`
    (bar,), such as its mean over many pictures.

    `axis` names the bars, such as "channel"; they are numbered from 1 unless they have names. The range is 0 to 1 for
    "unit", 0 to the largest value for "positive", and symmetric for "signed". `origin` is included in every export:
    software version, model, recipe, seed, digest, image, address.
    """
    if values.ndim != 1 or not len(values):
        raise BadInput(f"values: expected one axis with at least one bar, got {values.shape}.")
    if any(some is not None and len(some) != len(values) for some in (names, marks)):
        raise BadInput(f"names and marks: expected one for each of {len(values)} bars.")
    said = list(names) if names is not None else [f"{axis} {bar + 1}" for bar, _ in enumerate(values)]
    header = {"names": said, "title": title, "range": range, "origin": dict(origin or {})}
    arrays = {"values": values.astype(np.float64)}
    if marks is not None:
        arrays["marks"] = marks.astype(np.float64)
    return pack(header, arrays)
