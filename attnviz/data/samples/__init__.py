"""A few test pictures of each class of the downloadable data sets, so that every page works without a download.

    images, labels, numbers = read("fashion_mnist")     # numbers: their indices in the test split

They are the first pictures of each class in the order of the files, not selected by hand. `samples.json` holds their
origin and licence, their indices in the test split, and a digest. The pictures are in a PNG, a row per class.
`python -m attnviz.data.samples` recreates both from the downloaded data sets.
"""

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.errors import DataError

FOLDER = Path(__file__).parent


class Samples(NamedTuple):
    """Sample pictures, uint8 (count, row, column, channel), in the order of the test split, with labels and indices in
    it, int64 (count,).
    """

    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]


@lru_cache(maxsize=1)
def about() -> dict[str, Any]:
    """Return the contents of `samples.json`: data set -> origin, licence, numbers (class, sample), digest."""
    return dict(json.loads((FOLDER / "samples.json").read_text("utf-8")))


@cache
def read(name: str) -> Samples:
    """Return the samples of a data set; they cannot be written to."""
    if name not in about():
        raise DataError(f"There are no sample pictures of {name!r}; there are some of {', '.join(about())}.")
    from PIL import Image

    numbers = np.array(about()[name]["numbers"], np.int64)
    try:
        with Image.open(FOLDER / f"{name}.png") as opened:
            sheet = np.asarray(opened)
    except OSError as error:
        raise DataError(f"The sample pictures of {name} cannot be read ({error}). Install attnviz again.") from error
    images = cut(sheet, *numbers.shape)
    labels = np.arange(len(numbers)).repeat(numbers.shape[1])
    order = numbers.ravel().argsort()
    found = Samples(images[order], labels[order], numbers.ravel()[order])
    for array in found:
        array.setflags(write=False)
    return found


def cut(sheet: npt.NDArray[np.uint8], rows: int, columns: int) -> npt.NDArray[np.uint8]:
    """Cut a sheet of rows x columns pictures into (picture, row, column, channel), row by row."""
    pixels = sheet.reshape(*sheet.shape[:2], -1)
    high, wide = pixels.shape[0] // rows, pixels.shape[1] // columns
    parts = pixels.reshape(rows, high, columns, wide, -1).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(parts.reshape(rows * columns, high, wide, -1))


def sheet_of(images: npt.NDArray[np.uint8], columns: int) -> npt.NDArray[np.uint8]:
    """Lay out pictures (picture, row, column, channel) row by row, `columns` per row: the inverse of `cut`."""
    count, high, wide, channels = images.shape
    parts = images.reshape(count // columns, columns, high, wide, channels).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(parts.reshape(count // columns * high, columns * wide, channels))
