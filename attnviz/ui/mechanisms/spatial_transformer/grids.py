"""Compute the page's contents for the transform of a net, on an example and on many pictures. Loads torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from attnviz import data
from attnviz.answers import as_batch, probabilities
from attnviz.data.moved import MOVED
from attnviz.errors import BadInput
from attnviz.layers.spatial_transformer import SpatialTransformer
from attnviz.measures.spatial_transformer.decomposition import Undone, decomposed, mean_rotation, undone
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.sampling_grid import Angles, GridView
from attnviz.ui.shared import cache, home_picture, inference, pickers

PICTURES, BATCH = 1000, 100  # the number of pictures, in total and per batch
FEWEST = 3  # the minimum number of pictures of a class to fit a line


@dataclass(frozen=True, eq=False)
class Many:
    """The transforms of a network over pictures of a data set.

    Args:
        theta: Theta on each picture, (picture, 2, 3).
        mean: The mean of theta, (2, 3). For a transformer that only rotates, it is the rotation by the mean angle,
            which the transformer could compute, unlike the mean of the numbers.
        grid: The angle of each grid, (picture,), in degrees clockwise as seen.
        picture: The rotation of each picture, (picture,), in degrees counter-clockwise as seen, or None if unknown.
        labels: The labels (picture,), int.
        said: A description of the pictures in words.
    """

    theta: np.ndarray
    mean: np.ndarray
    grid: np.ndarray
    picture: np.ndarray | None
    labels: np.ndarray
    said: str

    @cached_property
    def undone(self) -> Undone | None:
        """How far the grids undo the rotations, or None if these are unknown."""
        return None if self.picture is None else undone(self.grid, self.picture)


def by_class(loaded: Loaded, source: str) -> dict[str, Undone]:
    """Return class -> how far the grids undo the rotations of its pictures, for classes with enough of them."""
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
        images = np.stack([*map(net.fitted, pictures)])
        with torch.no_grad(), trace(transformer, ["theta"]) as seen:
            transformer(as_batch(images))  # the classifier is not needed
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


def view(loaded: Loaded, example: Example) -> GridView:
    """Return the page's contents for the transform of a net on an example."""
    net, subject = loaded.net, Subject(loaded.net, example)
    many = cache.of_net(over, net, pickers.stand_in(net))
    tap = f"{path_of(loaded)}.theta"
    seen, logits = seen_of(loaded, example)
    return GridView(
        picture=example.taken_by(net),
        ink=example.ink,
        theta=seen[tap].tensor[0].numpy(),
        mean=many.mean,
        many=many.said,
        tap=tap,
        classes=net.classes,
        label=example.target,
        logits=logits[0].numpy(),
        probabilities=probabilities(logits)[0].numpy(),
        angles=_angles(many, example),
        checkpoint=net.key,
        asked=example.asked,
        origin=subject.origin(tap),
    )


def seen_of(loaded: Loaded, example: Example) -> tuple[dict[str, Reading], torch.Tensor]:
    """Return the taps of a net's spatial transformer on an example, and the logits."""
    path = path_of(loaded)
    taps = [f"{path}.{name}" for name in SpatialTransformer.taps]
    with torch.no_grad(), trace(loaded.model, taps) as seen:
        logits = inference.ask(loaded, inference.batch_of(loaded, example))
    return dict(seen), logits


def rotated_by(example: Example) -> float | None:
    """Return the rotation of a picture in degrees counter-clockwise as seen, or None if it is unknown."""
    if isinstance(example, Picture) and example.data in MOVED:
        return float(MOVED[example.data].moves("test", np.array([example.number])).angles[0])
    return None


def _angles(many: Many, example: Example) -> Angles | None:
    fit = many.undone
    if fit is None or many.picture is None:
        return None
    return Angles(many.picture, -many.grid, fit.slope, fit.offset, rotated_by(example))


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the outline of its grid, and the sampled picture."""
    shrunk = 0.75  # the picture is drawn smaller, because the grid may reach beyond it
    seen, _ = seen_of(loaded, picture)
    path = path_of(loaded)
    theta, sampled = (seen[f"{path}.{tap}"].tensor[0].numpy() for tap in ("theta", "transformed"))
    around = [round(count * (1 / shrunk - 1) / 2) for count in image.shape[:2]]
    padded = np.pad(image[..., 0], [(one, one) for one in around])
    rows, columns = image.shape[:2]
    points = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)):
        across, down = theta @ (x, y, 1)
        points.append((around[0] + (down + 1) * rows / 2, around[1] + (across + 1) * columns / 2))
    left = home_picture.grey(padded)
    home_picture.path(left, padded.shape, points)
    return left, home_picture.grey(255 * sampled[0])
