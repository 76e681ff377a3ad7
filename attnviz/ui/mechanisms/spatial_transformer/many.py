"""The transforms of a network over many pictures, beside how these pictures were moved. Loads torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz import data
from attnviz.answers import as_batch
from attnviz.data import inputs
from attnviz.data.moved import MOVED
from attnviz.errors import BadInput
from attnviz.layers.spatial_transformer import SpatialTransformer
from attnviz.measures.spatial_transformer.decomposition import Undone, decomposed, mean_rotation, undone
from attnviz.tracing import trace
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Loaded

PICTURES, BATCH = 1000, 100  # over how many pictures, and how many go at once
FEWEST = 3  # pictures of a class to which a line is fitted


@dataclass(frozen=True, eq=False)
class Many:
    """The transforms of a network over pictures of a data set.

    Args:
        theta: (picture, 2, 3)
        mean: (2, 3), of theta; of a transformer that only rotates, the rotation by the mean angle, which it could
            compute, unlike the mean of the numbers.
        grid: (picture,) the angle of each grid, degrees clockwise as seen.
        picture: (picture,) by how much each picture was rotated, degrees counter-clockwise as seen; None where that is
            not known.
        labels: (picture,) int.
        said: which pictures, in words.
    """

    theta: np.ndarray
    mean: np.ndarray
    grid: np.ndarray
    picture: np.ndarray | None
    labels: np.ndarray
    said: str

    @cached_property
    def undone(self) -> Undone | None:
        """Whether the grids undo the rotations; None where these are not known."""
        return None if self.picture is None else undone(self.grid, self.picture)


def by_class(loaded: Loaded, source: str) -> dict[str, Undone]:
    """Return class -> whether the grids undo the rotations of its pictures, where there are enough of them."""
    many = cache.of_net(over, loaded.net, source)
    assert many.picture is not None, "it is known"
    own = {name: many.labels == label for label, name in enumerate(data.DATASETS[source].classes)}
    return {name: undone(many.grid[its], many.picture[its]) for name, its in own.items() if its.sum() >= FEWEST}


def path_of(loaded: Loaded) -> str:
    """Return the path of a net's spatial transformer."""
    for path, part in loaded.model.named_modules():
        if isinstance(part, SpatialTransformer):
            return str(path)
    raise BadInput(f"{loaded.net.key} has no spatial transformer. Look at it in the explorer.")


def over(loaded: Loaded, source: str) -> Many:
    """Return the transforms of the first test pictures of a data set, in single precision, as the net was trained."""
    model, net = cache.single(loaded.net)
    path = path_of(loaded)
    transformer = model.get_submodule(path)
    assert isinstance(transformer, SpatialTransformer)
    shown = data.shown(source)
    known = [label for label, name in enumerate(data.DATASETS[source].classes) if name in net.classes]
    places = np.flatnonzero(np.isin(shown.labels, known) if known else shown.labels >= 0)[:PICTURES]
    found = []
    for some in np.array_split(places, -(-len(places) // BATCH)):
        pictures = data.pick(source, shown.split, some).images
        images = np.stack([inputs.fitted(picture, **asdict(net.input)) for picture in pictures])
        with torch.no_grad(), trace(transformer, ["theta"]) as seen:
            transformer(as_batch(images))  # the classifier behind it plays no part
        found.append(seen["theta"].tensor.double().numpy())
    theta = np.concatenate(found)
    size = {"rows": net.input.rows, "columns": net.input.columns}
    kind = "test pictures" if shown.split == "test" else "sample pictures"
    return Many(
        theta,
        mean_rotation(theta, **size) if transformer.transform == "rotation" else theta.mean(0),
        decomposed(theta, **size).angle,
        MOVED[source].moves("test", shown.numbers[places]).angles if source in MOVED else None,
        shown.labels[places],
        f"{len(places):,} {kind} of {data.DATASETS[source].title}",
    )
