"""The picture that a figure lies over."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

Bytes = npt.NDArray[np.uint8]


def photo_of(given: Any) -> Bytes | None:
    """Return a picture as uint8 (row, column, 1 or 3).

    Args:
        given: a path, a picture of Pillow, uint8 (row, column) or (row, column, colour), or floats 0..1 (colour, row,
            column), as torchvision has them; None for no picture.

    Raises:
        BadInput: it is none of these.
    """
    if given is None:
        return None
    from PIL import Image

    if isinstance(given, str | Path):
        try:
            with Image.open(given) as opened:
                given = opened.convert("RGB")
        except OSError as error:
            raise BadInput(f"{given} cannot be read as a picture: {error}.") from error
    if isinstance(given, Image.Image):
        return np.asarray(given if given.mode == "L" else given.convert("RGB")).reshape(given.height, given.width, -1)
    array = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)
    if array.dtype == np.uint8 and array.ndim == 2:
        array = array[..., None]
    if array.dtype == np.uint8 and array.ndim == 3 and array.shape[2] in (1, 3):
        return array
    if array.ndim == 3 and array.shape[0] in (1, 3) and array.dtype.kind == "f":
        if not (array.min() >= 0 and array.max() <= 1):
            raise BadInput("over: expected floats from 0 to 1; undo the normalisation, or give the photograph itself.")
        return (array.transpose(1, 2, 0) * 255).round().astype(np.uint8)
    raise BadInput(
        f"over: expected a path, a picture of Pillow, uint8 (row, column, 1 or 3) or floats (1 or 3, row, column), "
        f"got {array.dtype} of the shape {array.shape}."
    )


def stretched(pixels: Any) -> Bytes:
    """Return a model's input, (colour, row, column) of any range, with its least value black and its largest white."""
    array = pixels.float().numpy()
    low, high = float(array.min()), float(array.max())
    levels: Bytes = ((array.transpose(1, 2, 0) - low) / ((high - low) or 1) * 255).round().astype(np.uint8)
    return levels


def digest(photo: Bytes) -> str:
    """Return a name for a picture that tells it from others."""
    return hashlib.sha256(photo.tobytes() + repr(photo.shape).encode()).hexdigest()[:16]
