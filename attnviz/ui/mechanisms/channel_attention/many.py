"""The gates of a network over many pictures: what each gate usually is, and whether it varies at all. Loads torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import torch

from attnviz import data
from attnviz.answers import as_batch
from attnviz.data import inputs
from attnviz.errors import BadInput
from attnviz.measures.channel_attention.gates import between_classes, by_chance, gain_with_depth
from attnviz.subjects import Loaded
from attnviz.tracing import trace
from attnviz.ui.mechanisms.channel_attention.layers import Kind, kind_of, layers_of, of_channels
from attnviz.ui.shared import cache

PICTURES, BATCH = 500, 50  # over how many pictures, and how many go at once


@dataclass(frozen=True, eq=False)
class Many:
    """The gates of a network over pictures of a data set.

    Args:
        gates: path of a layer -> (picture, channel), 0..1, mean over places.
        means: tap path -> mean over pictures, in the shape of the tap without its pictures.
        labels: (picture,) int.
        said: which pictures, in words.
    """

    gates: dict[str, np.ndarray]
    means: dict[str, np.ndarray]
    labels: np.ndarray
    said: str


def over(loaded: Loaded, source: str) -> Many:
    """Return the gates over the first test pictures of a data set, in single precision, as the net was trained."""
    model, net = cache.single(loaded.net)
    shown = data.shown(source)
    known = [label for label, name in enumerate(data.DATASETS[source].classes) if name in net.classes]
    places = np.flatnonzero(np.isin(shown.labels, known) if known else shown.labels >= 0)[:PICTURES]
    layers = layers_of(model)
    if not layers:
        raise BadInput(f"{net.key} has no gates. Look at it in the explorer.")
    taps = {path: _gates(path, kind_of(layer)) for path, layer in layers.items()}
    gates: dict[str, list[np.ndarray]] = {path: [] for path in layers}
    sums: dict[str, np.ndarray] = {}
    for some in np.array_split(places, -(-len(places) // BATCH)):
        pictures = data.pick(source, shown.split, some).images
        images = np.stack([inputs.fitted(picture, **asdict(net.input)) for picture in pictures])
        with torch.no_grad(), trace(model, [tap for both in taps.values() for tap in both]) as seen:
            model(as_batch(images))
        for path, (first, *_) in taps.items():
            gates[path].append(of_channels(seen[first].tensor).double().numpy())
        for tap, reading in seen.items():
            sums[tap] = sums.get(tap, 0.0) + reading.tensor.double().sum(0).numpy()
    kind = "test pictures" if shown.split == "test" else "sample pictures"
    return Many(
        {path: np.concatenate(parts) for path, parts in gates.items()},
        {tap: total / len(places) for tap, total in sums.items()},
        shown.labels[places],
        f"{len(places)} {kind} of {data.DATASETS[source].title}",
    )


@dataclass(frozen=True, eq=False)
class Between:
    """How much of the variance of the gates of each layer lies between classes, 0..1, by chance with shuffled labels,
    (draw,), and in both halves, as `gain_with_depth` has it.
    """

    shares: dict[str, float]
    chance: dict[str, np.ndarray]
    halves: tuple[float, float, tuple[float, float]] | None


def between(loaded: Loaded, source: str) -> Between:
    """Return how much of the variance of a net's gates over pictures of a data set lies between classes."""
    many = cache.of_net(over, loaded.net, source)
    return Between(
        {path: between_classes(gates, many.labels) for path, gates in many.gates.items()},
        {path: by_chance(gates, many.labels) for path, gates in many.gates.items()},
        gain_with_depth([*many.gates.values()], many.labels) if len(many.gates) > 1 else None,
    )


def _gates(path: str, kind: Kind) -> list[str]:
    """Return the taps of a layer's gates: of its channels, and of its places where these have gates of their own."""
    return [f"{path}.{kind.tap}", *([f"{path}.{kind.space}"] if kind.space_is == "gate" else [])]
