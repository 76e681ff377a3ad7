"""The heads of two trainings matched one to one by their maps, compared with the matching of untrained heads.

    found = common(net, other_net)                         # layers whose heads have maps of the same shape
    parts = [...]                                          # from work(history, other, found, pictures), in order
    matched(parts).mean(TRAINED)                           # (picture,), the correlation of matched heads

Half of the pictures decide which heads are matched; the other half are used for measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz import subjects
from attnviz.arrays import Floats
from attnviz.ui.shared import cache, jobs
from attnviz.ui.training.experiments import choice
from attnviz.ui.training.experiments.unseen import Unseen

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.measures.switched import HeadLayer
    from attnviz.readings import Reading
    from attnviz.subjects import Loaded, Net
    from attnviz.subjects.history import History

TOGETHER = 2  # pictures per part of the work

TRAINED, BEFORE, SHUFFLED = "trained", "before", "shuffled"


class Part(NamedTuple):
    """The measurements on some pictures.

    Args:
        alike: "trained", "before" (the same two before their training, if both are kept) and "shuffled" -> for each
            layer, (picture, head, other head), the correlation of the maps of two heads.
        maps: For each layer, the first picture's maps in both nets, (head, row, column); empty in all other parts.
    """

    alike: Mapping[str, tuple[Floats, ...]]
    maps: tuple[tuple[Floats, Floats], ...] = ()


@dataclass(frozen=True, eq=False)
class Pair:
    """Two matched heads of a layer, from 0, and the correlation of their maps, (picture,), on pictures that were not
    used for the matching.
    """

    layer: int
    one: int
    other: int
    alike: Floats


@dataclass(frozen=True, eq=False)
class Matched:
    """The matching of the heads of two trainings.

    `pairs` holds the matched heads, separately for each kind of `Part`. `unmatched`, (picture,), is the mean
    correlation of any two trained heads of a layer. `by` is the number of pictures used for the matching; as many
    others, or one fewer, were measured.
    """

    pairs: Mapping[str, list[Pair]]
    unmatched: Floats
    by: int

    def mean(self, kind: str) -> Floats:
        """Return the mean correlation over the matched heads of a kind, (picture,)."""
        found: Floats = np.mean([pair.alike for pair in self.pairs[kind]], 0)
        return found


def common(one: Net, other: Net) -> list[HeadLayer]:
    """Return the first net's layers that the other has too, with maps of the same shape."""
    paths = {layer.path: layer for layer in choice.layers(other)}
    found = []
    for layer in choice.layers(one):
        its = paths.get(layer.path)
        if its is not None and layer.maps and layer.maps == its.maps:
            found.append(layer)
    return found


def work(one: History, other: History, found: Sequence[HeadLayer], pictures: Unseen) -> jobs.Job[Part]:
    """Return the job, with two pictures in each part."""
    last = [subjects.net(its.points[-1].key) for its in (one, other)]
    first = [subjects.net(its.points[0].key) for its in (one, other) if not its.points[0].epoch]

    def step(number: int) -> Part:
        some = pictures.pictures[number * TOGETHER : (number + 1) * TOGETHER]
        return compare([cache.single(net) for net in last], [cache.single(net) for net in first], found, some, number)

    key = "matched", *((net.key, net.digest) for net in (*last, *first)), pictures.said
    return jobs.job(key, step, -(-len(pictures) // TOGETHER))


def compare(
    last: Sequence[Loaded],
    first: Sequence[Loaded],
    found: Sequence[HeadLayer],
    pictures: npt.NDArray[np.uint8],
    number: int,
) -> Part:
    """Compare the maps of every two heads on pictures, uint8 (picture, row, column, channel), after the training and,
    if both are available, before it.

    The part's number seeds the shuffling of positions; the first part keeps maps.
    """
    import torch

    from attnviz.measures.matched_heads import shuffled, similarity

    maps = [maps_of(net, found, pictures) for net in last]
    before = [maps_of(net, found, pictures) for net in first]
    draw = torch.Generator().manual_seed(number)
    alike = {
        TRAINED: [similarity(_flat(ours), _flat(theirs)) for ours, theirs in zip(*maps, strict=True)],
        SHUFFLED: [similarity(_flat(ours), shuffled(_flat(theirs), draw)) for ours, theirs in zip(*maps, strict=True)],
    }
    if len(before) == 2:
        alike[BEFORE] = [similarity(_flat(ours), _flat(theirs)) for ours, theirs in zip(*before, strict=True)]
    shown = () if number else tuple((_shown(ours), _shown(theirs)) for ours, theirs in zip(*maps, strict=True))
    return Part({kind: tuple(one.numpy() for one in some) for kind, some in alike.items()}, shown)


def maps_of(loaded: Loaded, found: Sequence[HeadLayer], pictures: npt.NDArray[np.uint8]) -> list[Reading]:
    """Return the maps of each layer's heads, for some queries if each query has its own row."""
    import torch

    from attnviz.answers import as_batch
    from attnviz.tracing import trace
    from attnviz.ui.shared import inference

    with torch.no_grad(), trace(loaded.model, [layer.maps for layer in found]) as seen:
        inference.ask(loaded, as_batch(pictures))
    return [_sampled(seen[layer.maps]) for layer in found]


def _sampled(reading: Reading) -> Reading:
    """Return a reading with a sample of its queries, if it has queries."""
    import torch

    from attnviz.measures.heads import sampled

    if "query" not in reading.axes:
        return reading
    axis = reading.axes.index("query")
    chosen = torch.from_numpy(sampled(reading.tensor.shape[axis]))
    return replace(reading, tensor=reading.tensor.index_select(axis, chosen))


def _flat(reading: Reading) -> Tensor:
    """Return maps flattened to (picture, head, position)."""
    order = [reading.axes.index("batch"), reading.axes.index("head")]
    rest = [axis for axis in range(len(reading.axes)) if axis not in order]
    flat: Tensor = reading.tensor.permute(*order, *rest).flatten(2)
    return flat


def _shown(reading: Reading) -> Floats:
    """Return the first picture's map of each head, (head, row, column), averaged over queries and channels."""
    means = [axis for axis in reading.axes if axis in ("query", "channel", "step")]
    tensor = reading.tensor.select(reading.axes.index("batch"), 0)
    left = [axis for axis in reading.axes if axis != "batch"]
    tensor = tensor.mean([left.index(axis) for axis in means]).double() if means else tensor.double()
    grid, count = reading.grid, len(tensor)
    if tensor.ndim == 2:
        tensor = tensor[:, grid.prefix :].reshape(count, grid.rows, grid.columns) if grid else tensor[:, None]
    found: Floats = tensor.numpy()
    return found


def matched(parts: Sequence[Part]) -> Matched | None:
    """Match the heads on the pictures of every other part, and measure on the rest; return None for a single part."""
    import torch

    from attnviz.measures.matched_heads import match

    if len(parts) < 2:
        return None
    pairs: dict[str, list[Pair]] = {}
    unmatched: list[Floats] = []
    for kind in parts[0].alike:
        pairs[kind] = []
        for layer in range(len(parts[0].alike[kind])):
            by, measured = (np.concatenate([part.alike[kind][layer] for part in parts[start::2]]) for start in (0, 1))
            for one, other in match(torch.from_numpy(by.mean(0))):
                pairs[kind].append(Pair(layer, one, other, measured[:, one, other]))
            if kind == TRAINED:
                unmatched.append(measured.mean((1, 2)))
    return Matched(pairs, np.mean(unmatched, 0), len(by))
