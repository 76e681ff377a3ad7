"""The picture under a figure's maps."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from attnviz import files
from attnviz.arrays import Bytes
from attnviz.data.inputs.pictures import to_grey
from attnviz.errors import BadInput

_SHARES = tuple(np.linspace(1, 0.7, 61))  # share, kept by transforms, of the largest crop with the input's aspect ratio
_ALIKE, _CLEARLY = 0.9, 1e-3  # minimum correlation of a crop with the input, and minimum gain over the whole picture


def photo_of(given: Any) -> Bytes | None:
    """Return a picture as uint8 (row, column, 1 or 3).

    The argument is a path, a picture of Pillow, uint8 (row, column) or (row, column, colour), floats 0..1 (colour, row,
    column) as in torchvision, or None for no picture.
    """
    if given is None:
        return None
    from PIL import Image, UnidentifiedImageError

    if isinstance(given, str | Path):
        try:
            with files.opened(Path(given)) as file, Image.open(file) as opened:
                given = _in_8_bit(opened).convert("RGB")
        except UnidentifiedImageError as error:
            raise BadInput(f"{given} cannot be read as a picture: Pillow does not recognise its format.") from error
        except OSError as error:
            raise BadInput(f"{given} cannot be read as a picture: {files.reason(error)}.") from error
        except (SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise BadInput(f"{given} cannot be read as a picture: {error}.") from error
    if isinstance(given, Image.Image):
        given = _in_8_bit(given)
        return np.asarray(given if given.mode == "L" else given.convert("RGB")).reshape(given.height, given.width, -1)
    if hasattr(given, "detach"):  # a tensor, possibly bfloat16, which numpy lacks
        given = given.detach().cpu()
        given = given.double() if given.is_floating_point() else given
    try:
        array = np.asarray(given)
    except ValueError as error:  # a list with parts of different lengths
        raise BadInput(f"over: expected a picture, got a {type(given).__name__}, not an array: {error}.") from error
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


def _in_8_bit(image: Image.Image) -> Image.Image:
    """Return a picture of 16 or 32 bits in 8, as the app reads it, since Pillow clips at 255 and blackens 0..1."""
    if image.mode[0] not in "IF":
        return image
    from PIL import Image

    return Image.fromarray(to_grey(image)[0])


def stretched(pixels: Any) -> Bytes:
    """Return a model's input, (colour, row, column) of any range, stretched from black (minimum) to white (maximum)."""
    array = pixels.float().numpy()
    low, high = float(array.min()), float(array.max())
    levels: Bytes = ((array.transpose(1, 2, 0) - low) / ((high - low) or 1) * 255).round().astype(np.uint8)
    return levels


def as_received(photo: Bytes, pixels: Any) -> Bytes:
    """Return the part of a photograph, uint8 (row, column, 1 or 3), that a model received as pixels (colour, row,
    column) of any range. It is often the centre, because transforms resize and crop.

    It is the part most similar to the model's input, or the whole photograph if none is similar.
    """
    (height, width), (rows, columns) = photo.shape[:2], pixels.shape[1:]
    if (height, width) == (rows, columns):
        return photo
    from PIL import Image

    received = _thumbnail(Image.fromarray(pixels.float().numpy().mean(0)))
    grey = Image.fromarray(photo.mean(2).astype(np.float32))
    fitting = min(height, width * rows / columns)
    boxes = [(width, height), *((share * fitting * columns / rows, share * fitting) for share in _SHARES)]
    likeness = [_likeness(received, _thumbnail(grey, _middle(width, height, *box))) for box in boxes]
    best = int(np.argmax(likeness))
    if likeness[best] < _ALIKE or likeness[best] < likeness[0] + _CLEARLY:
        return photo
    left, top, right, bottom = (round(side) for side in _middle(width, height, *boxes[best]))
    return photo[top:bottom, left:right]


def _middle(width: float, height: float, wide: float, high: float) -> tuple[float, float, float, float]:
    return (width - wide) / 2, (height - high) / 2, (width + wide) / 2, (height + high) / 2


def _thumbnail(grey: Image.Image, box: tuple[float, float, float, float] | None = None) -> npt.NDArray[np.float64]:
    from PIL import Image

    return np.asarray(grey.resize((32, 32), Image.Resampling.BOX, box=box), np.float64)


def _likeness(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """Return the correlation of two pictures, or 0 if one of them has a single colour."""
    one, other = one - one.mean(), other - other.mean()
    size = np.linalg.norm(one) * np.linalg.norm(other)
    return float((one * other).sum() / size) if size else 0.0


def digest(photo: Bytes) -> str:
    """Return a digest that identifies a picture."""
    return hashlib.sha256(photo.tobytes() + repr(photo.shape).encode()).hexdigest()[:16]
