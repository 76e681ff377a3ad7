"""The gates of a net: on an example, with other values, and over many pictures. Loads torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from attnviz import data
from attnviz.answers import as_batch, probabilities
from attnviz.errors import BadInput
from attnviz.measures.channel_attention.gates import between_classes, by_chance, gain_with_depth, kinds
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.gates import GatesOfLayer, GatesView, GateTap
from attnviz.ui.mechanisms.channel_attention.layers import GateLayer, Kind, kind_of, layers_of, of_channels, weights_of
from attnviz.ui.shared import cache, home_picture, inference, pickers


def view(loaded: Loaded, example: Example) -> GatesView:
    """Return the page's contents for the gates of a net on an example."""
    model, net = loaded
    subject = Subject(net, example)
    many = cache.of_net(over, net, example.data or pickers.stand_in(net))
    layers = layers_of(model)
    other = example.of_another_class(net.classes) if isinstance(example, Picture) else None
    seen, logits = cache.of_subject(_pass, subject)
    beside = None if other is None else cache.of_subject(_pass, Subject(net, other))[0]  # often shown next
    found = tuple(
        _layer(number, path, layer, seen, beside, many) for number, (path, layer) in enumerate(layers.items())
    )
    return GatesView(
        picture=example.taken_by(net),
        ink=example.ink,
        layers=found,
        classes=net.classes,
        label=example.target,
        logits=logits[0].numpy(),
        probabilities=probabilities(logits)[0].numpy(),
        many=many.said,
        other=None if other is None else f"picture {other.number:,}, {other.target}",
        checkpoint=net.key,
        asked=example.asked,
        origin=subject.origin(),
    )


def of_picture(loaded: Loaded, example: Example) -> list[np.ndarray]:
    """Return the gates of every layer on an example, (channel,) each, 0..1, averaged over any positions."""
    taps = [f"{path}.{kind_of(layer).tap}" for path, layer in layers_of(loaded.model).items()]
    seen, _ = _seen(loaded, example, taps)
    return [of_channels(seen[tap].tensor)[0].numpy() for tap in taps]


def farthest(layer: GatesOfLayer) -> int:
    """Return the channel whose gate is farthest from its mean over many pictures."""
    return int(abs(layer.gate - layer.mean).argmax())


def title_of(path: str, number: int) -> str:
    """Return the title of a layer with gates: the block to which it belongs, or its number among the stages."""
    words = path.split(".")
    return f"Block {int(words[1]) + 1}" if words[0] == "blocks" and words[1].isdecimal() else f"Stage {number + 1}"


def _pass(loaded: Loaded, example: Example) -> tuple[dict[str, Reading], torch.Tensor]:
    """Return all taps of a net's gates on an example, and the logits."""
    return _seen(
        loaded,
        example,
        [f"{path}.{tap}" for path, layer in layers_of(loaded.model).items() for tap in kind_of(layer).taps],
    )


def _seen(loaded: Loaded, example: Example, taps: list[str]) -> tuple[dict[str, Reading], torch.Tensor]:
    with torch.no_grad(), trace(loaded.model, taps) as seen:
        logits = inference.ask(loaded, inference.batch_of(loaded, example))
    return dict(seen), logits


def _layer(
    number: int,
    path: str,
    layer: GateLayer,
    seen: dict[str, Reading],
    beside: dict[str, Reading] | None,
    many: Many,
) -> GatesOfLayer:
    kind, weights = kind_of(layer), weights_of(layer)
    own = {tap: seen[f"{path}.{tap}"].tensor for tap in kind.taps}
    reduced = own["reduced"] + own["reduced_max"] if "reduced_max" in own else own["reduced"]
    gates = many.gates[path]
    return GatesOfLayer(
        title=title_of(path, number),
        path=path,
        form=kind.form,
        tap=_tap(path, kind.tap, beside, many),
        gate=of_channels(own[kind.tap])[0].numpy(),
        mean=gates.mean(0),
        lowest=gates.min(0),
        highest=gates.max(0),
        kinds=kinds(gates),
        squeezed=own["squeezed"][0].numpy(),
        squeezed_max=own["squeezed_max"][0].numpy() if "squeezed_max" in own else None,
        reduced=reduced[0].numpy(),
        excite=weights.excite,
        shift=weights.shift,
        shift_is=kind.shift_is,
        space=own[kind.space][0].numpy() if kind.space else None,
        space_is=kind.space_is,
        space_tap=_tap(path, kind.space, beside, many) if kind.space_is == "gate" else None,
    )


def _tap(path: str, tap: str, beside: dict[str, Reading] | None, many: Many) -> GateTap:
    tap_path = f"{path}.{tap}"
    return GateTap(tap_path, many.means[tap_path], None if beside is None else beside[tap_path].tensor[0].numpy())


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit, and the gates of the last block as bars, in rows."""
    across, high, gap = 32, 48, 8  # bars in a row; steps of a bar, and between two rows
    found = of_picture(loaded, picture)[int(shown["layer"]) - 1]
    rows = [found[first : first + across] for first in range(0, len(found), across)]
    levels = (np.arange(high, 0, -1) - 0.5) / high
    drawn = [np.concatenate([levels[:, None] < row, np.zeros((gap, across), bool)]) for row in rows]
    return home_picture.grey(image[..., 0]), home_picture.heat(np.concatenate(drawn).astype(float))


PICTURES, BATCH = 500, 50  # the number of pictures, in total and per batch


@dataclass(frozen=True, eq=False)
class Many:
    """The gates of a network over pictures of a data set.

    Args:
        gates: Path of a layer -> its gates (picture, channel), 0..1, averaged over positions.
        means: Tap path -> mean over pictures, in the shape of the tap without its batch axis.
        labels: The labels (picture,), int.
        said: A description of the pictures in words.
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
        images = np.stack([*map(net.fitted, pictures)])
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
    """The shares, 0..1, of the variance of each layer's gates that lie between classes.

    `chance` holds the shares with shuffled labels, (draw,); `halves` is the result of `gain_with_depth`."""

    shares: dict[str, float]
    chance: dict[str, np.ndarray]
    halves: tuple[float, float, tuple[float, float]] | None


def between(loaded: Loaded, source: str) -> Between:
    """Return the shares of the variance of a net's gates, over pictures of a data set, that lie between classes."""
    many = cache.of_net(over, loaded.net, source)
    return Between(
        {path: between_classes(gates, many.labels) for path, gates in many.gates.items()},
        {path: by_chance(gates, many.labels) for path, gates in many.gates.items()},
        gain_with_depth([*many.gates.values()], many.labels) if len(many.gates) > 1 else None,
    )


def _gates(path: str, kind: Kind) -> list[str]:
    """Return the taps of a layer's gates: those of channels, and those of positions if there are any."""
    return [f"{path}.{kind.tap}", *([f"{path}.{kind.space}"] if kind.space_is == "gate" else [])]
