"""From a net on an example to what the page shows of its gates. Loads torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz.answers import probabilities
from attnviz.measures.channel_attention.gates import kinds
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.gates import GatesOfLayer, GatesView, GateTap
from attnviz.ui.mechanisms.channel_attention.layers import GateLayer, kind_of, layers_of, of_channels, weights_of
from attnviz.ui.mechanisms.channel_attention.many import Many, over
from attnviz.ui.shared import cache, inference, pickers

if TYPE_CHECKING:
    from attnviz.readings import Reading


def view(loaded: Loaded, example: Example) -> GatesView:
    """Return what the page shows of the gates of a net on an example."""
    model, net = loaded
    subject = Subject(net, example)
    many = cache.of_net(over, net, example.data or pickers.stand_in(net))
    layers = layers_of(model)
    other = example.of_another_class(net.classes) if isinstance(example, Picture) else None
    seen, logits = cache.of_subject(_pass, subject)
    beside = None if other is None else cache.of_subject(_pass, Subject(net, other))[0]  # often the next one to be seen
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
    """Return the gates of every layer on an example, (channel,) each, 0..1; where a gate has places, their mean."""
    taps = [f"{path}.{kind_of(layer).tap}" for path, layer in layers_of(loaded.model).items()]
    seen, _ = _seen(loaded, example, taps)
    return [of_channels(seen[tap].tensor)[0].numpy() for tap in taps]


def farthest(layer: GatesOfLayer) -> int:
    """Return the channel whose gate is farthest from its mean over many pictures."""
    return int(abs(layer.gate - layer.mean).argmax())


def title_of(path: str, number: int) -> str:
    """Return the name of a layer with gates for people: the block that it belongs to, or its place among them."""
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
    address = f"{path}.{tap}"
    return GateTap(address, many.means[address], None if beside is None else beside[address].tensor[0].numpy())
