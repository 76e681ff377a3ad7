"""Any reading as maps: its axes and its grid determine which axis lies on the picture and which axes count maps."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from attnviz.tracing import Reading

PLACES = ("key", "token", "query")  # axes that can lie on the grid; the first one present does


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps of one reading.

    Args:
        labels: label of each map, in words that count from 1: "head 3, feature 2"; empty if there is only one map.
        values: (map, row, column); leading tokens without a position are omitted.
        axes: the axes that count the maps: "head", "feature".
        captions: the labels as numbers only: "3.2".
    """

    labels: list[str]
    values: npt.NDArray[np.float64]
    axes: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()


def maps(reading: Reading, **index: int) -> Maps:
    """Arrange a reading as maps.

    Args:
        reading: a reading of any tap.
        **index: axes to fix at one index, such as batch=0, query=17.

    Returns:
        One map for each combination of the other axes. Without a grid, a map is one row.
    """
    values = reading.at(**index).detach().double().cpu().numpy()
    axes = [axis for axis in reading.axes if axis not in index]
    shape: tuple[int, ...]
    if {"row", "column"} <= set(axes):
        spatial = ["row", "column"]
        shape = values.shape[axes.index("row")], values.shape[axes.index("column")]
    else:
        tokens = reading.grid.tokens if reading.grid else None
        spatial = [axis for axis in PLACES if axis in axes and values.shape[axes.index(axis)] == tokens][:1]
        shape = (reading.grid.rows, reading.grid.columns) if reading.grid and spatial else ()
        spatial = spatial or axes[-1:]
    counted = [axis for axis in axes if axis not in spatial]
    values = values.transpose([axes.index(axis) for axis in [*counted, *spatial]])
    sizes = values.shape[: len(counted)]
    values = values.reshape(int(np.prod(sizes)), -1)
    if reading.grid and shape and spatial != ["row", "column"]:
        values = values[:, reading.grid.prefix :]
    numbers = list(product(*(range(1, size + 1) for size in sizes)))
    labels = [", ".join(f"{axis} {at}" for axis, at in zip(counted, places, strict=True)) for places in numbers]
    captions = tuple(".".join(map(str, places)) for places in numbers)
    return Maps(labels, values.reshape(-1, *(shape or (1, values.shape[1]))), tuple(counted), captions)
